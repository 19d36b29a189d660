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


def core_digests(container, root, label):
    """Library of core/ -> digest of the file that this target links."""
    paths, digests = paths_of(container), {}
    for artifact in inputs_of(container, label):
        path = paths[artifact]
        if "/bin/core/" in path and path.endswith((".a", ".o", ".lo")) and "/core/env/posix/" not in path:
            name = os.path.splitext(path.split("/bin/")[1])[0].removesuffix(".pic")
            with open(os.path.join(root, path), "rb") as file:
                digests[name] = hashlib.sha256(file.read()).hexdigest()
    return digests


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        container = json.load(file)
    first, second = (core_digests(container, sys.argv[2], label) for label in sys.argv[3:])
    common = first.keys() & second.keys()
    different = sorted(name for name in common if first[name] != second[name])
    print(f"same objects: {len(common)} libraries of core/ in both links, {len(different)} differ", file=sys.stderr)
    for name in different:
        print("  ", name, file=sys.stderr)
    return 1 if different or not common else 0


sys.exit(main())
