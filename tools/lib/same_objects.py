"""Compares the core/ files among the link inputs of two targets: `same_objects.py AQUERY.json EXECUTION_ROOT TARGET TARGET`.

The promise is that the producer which is simulated is the one that ships: not the same sources, the same object files.
"""

import hashlib
import json
import os
import sys


def paths_of(container):
    """Artifact id -> path, from the path fragments of an aquery answer."""
    fragments = {fragment["id"]: fragment for fragment in container["pathFragments"]}

    def full(fragment_id):
        fragment = fragments[fragment_id]
        parent = fragment.get("parentId")
        return (full(parent) + "/" if parent else "") + fragment["label"]

    return {artifact["id"]: full(artifact["pathFragmentId"]) for artifact in container["artifacts"]}


def inputs_of(container, label):
    target_ids = {target["id"] for target in container["targets"] if target["label"] == label}
    sets = {group["id"]: group for group in container["depSetOfFiles"]}
    found, pending = set(), []
    for action in container["actions"]:
        if action["targetId"] in target_ids:
            pending.extend(action["inputDepSetIds"])
    seen = set()
    while pending:
        group = pending.pop()
        if group in seen:
            continue
        seen.add(group)
        found.update(sets[group].get("directArtifactIds", []))
        pending.extend(sets[group].get("transitiveDepSetIds", []))
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        container = json.load(file)
    root, labels = sys.argv[2], sys.argv[3:]
    paths = paths_of(container)
    core = []
    for label in labels:
        digests = {}
        for artifact in inputs_of(container, label):
            path = paths[artifact]
            if "/bin/core/" in path and path.endswith((".a", ".o", ".lo")) and "/core/env/posix/" not in path:
                with open(os.path.join(root, path), "rb") as file:
                    digests[path] = hashlib.sha256(file.read()).hexdigest()
        if not digests:
            print(f"same objects: {label} links nothing of core/", file=sys.stderr)
            return 1
        core.append(digests)
    first, second = core
    common = first.keys() & second.keys()
    names = lambda digests: {os.path.splitext(path)[0].replace(".pic", "").split("/bin/")[1] for path in digests}
    twice = (names(first) & names(second)) - names({path: "" for path in common})
    different = [path for path in common if first[path] != second[path]]
    print(f"same objects: {len(common)} files of core/ in both links, {len(different)} differ, {len(twice)} built apart", file=sys.stderr)
    for path in sorted(different) + sorted(twice):
        print("  ", path, file=sys.stderr)
    return 1 if different or twice or not common else 0


sys.exit(main())
