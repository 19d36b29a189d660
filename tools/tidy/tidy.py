#!/usr/bin/env python3
"""Our own lint: the rules of docs/HACKING.md that no compiler checks.

    tools/tidy/tidy.py [ROOT]        lints the tree; prints FILE:LINE: text; status 1 if anything was found

Every rule is a function from a Tree to findings, and is tested in tidy_test.py on a bad and on a good example.
One line is exempt from one rule with a comment on it: `// tidy: RULE (reason)`.
"""

import os
import re
import sys
from dataclasses import dataclass

from parity import parity

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "package"))
import headers  # noqa: E402

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
CODE_FOLDERS = ("core", "sim", "scenarios", "tests", "bench")
# What a folder may include. The arrows: core <- sim <- scenarios <- tests <- bench, which takes test doubles from tests/.
MAY_INCLUDE = {
    "core": {"core"},
    "sim": {"core", "sim"},
    "scenarios": {"core", "sim", "scenarios"},
    "bench": {"core", "sim", "scenarios", "tests", "bench"},
    "tests": {"core", "sim", "scenarios", "tests"},
}
POSIX = "core/env/posix/"


@dataclass(frozen=True)
class Ban:
    rule: str
    pattern: str
    folders: tuple
    instead: str
    allowed: tuple = ()  # path prefixes where the name may stand


BANS = (
    Ban("clock", r"\b(system|steady|high_resolution)_clock::now\b|\babsl::Now\(|\bclock_gettime\b|\bgettimeofday\b", ("core", "sim"),
        "Clock& (core/env/clock.h)", (POSIX,)),
    Ban("random", r"\bstd::random_device\b|\bs?rand\(|\babsl::(Insecure)?BitGen\b|\bgetrandom\b|\bstd::mt19937", ("core", "sim"),
        "Entropy& (core/env/entropy.h) or a stream of sim/kernel/draws.h", (POSIX,)),
    Ban("distribution", r"\bstd::\w+_distribution\b", CODE_FOLDERS, "DrawBelow or sim/kernel/draws.h: libraries differ in what they draw"),
    Ban("lookup-only", r"\b(unordered_|flat_hash_|node_hash_)(map|set)<", ("core", "sim"),
        "std::map or absl::btree_map: hash order differs from run to run"),
    Ban("pointer-key", r"\b(std::(map|set)|btree_(map|set))<\s*(const )?[\w:]+\s*(const)?\s*\*", ("core", "sim"),
        "a key with a value: addresses differ from run to run"),
    Ban("thread", r"\bstd::j?thread\b|\bsleep_for\b|\bsleep_until\b|\bSleepFor\b|\busleep\(|\bpthread_create\b", ("core", "sim", "tests"),
        "Threads& (core/env/threads.h)", (POSIX,)),
    Ban("sync", r"\bstd::(recursive_|shared_|timed_|recursive_timed_)?mutex\b|\bstd::condition_variable|\babsl::(Mutex|CondVar)\b",
        ("core", "sim"), "Mutex and CondVar (core/env/sync.h)", (POSIX, "core/env/sync.h", "core/env/sync.cc")),
    Ban("atomic", r"\bstd::atomic(_\w+)?\b|\b__atomic_|\b__sync_", ("core", "sim"), "Atomic<T> (core/env/sync.h)", (POSIX, "core/env/sync.h")),
    Ban("thread-local", r"\bthread_local\b|\b__thread\b", ("core", "sim"), "a member: fibers share their OS thread", (POSIX,)),
    Ban("libm", r"\bstd::(pow|exp|exp2|log|log2|log10|sqrt|sin|cos|tan|normal|lgamma)\(", ("core", "sim"),
        "integer tables and shifts: results of libm differ between machines"),
    Ban("os-header", r'#include <(sys/|netinet/|arpa/|unistd\.h|pthread\.h|fcntl\.h|poll\.h|signal\.h|thread>|mutex>|condition_variable>|atomic>)',
        ("core",), "a door of core/env", (POSIX, "core/env/sync.h", "core/env/sync.cc")),
    Ban("file", r"\b(fopen|freopen|[io]?fstream)\b", ("core", "sim"), "the content, as a text: who calls has read the file", (POSIX,)),
    Ban("simulated", r"\bsim::|\bsimulated\s*\(|\bIsSimulated\b", ("core",), "a hook with a do-nothing default: core/ never knows"),
    Ban("status-text", r"\bstatus\(?\)?\.ToString\(|\bstatus\w*\.ToString\(", ("core", "sim"),
        "code and message: the order of payloads depends on addresses"),
    Ban("todo", r"\bFIXME\b|\bXXX\b|\bTODO(?!\(#\d+\))", CODE_FOLDERS, "an issue, or TODO(#number)"),
    Ban("status-ok", r"EXPECT_FALSE\(\w+(\.status\(\))?\.ok\(\)\)|ASSERT_FALSE\(\w+(\.status\(\))?\.ok\(\)\)", ("tests",), "the expected code"),
)


class Tree:
    """The files below a root, read once: path -> lines."""

    def __init__(self, files):
        self.files = dict(sorted(files.items()))

    @staticmethod
    def read(root):
        files = {}
        for folder, folders, names in os.walk(root):
            relative = os.path.relpath(folder, root)
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("bin", "out", "third_party"))
            for name in names:
                path = os.path.normpath(os.path.join(relative, name))
                if path.startswith((".",)) and not path.startswith("./"):
                    continue
                if name.endswith((".h", ".cc", ".py", ".md", ".toml", ".sh", ".java")) or name == "BUILD.bazel":
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        files[path] = file.read().split("\n")
        return Tree(files)

    def code(self, *folders):
        for path, lines in self.files.items():
            if path.endswith((".h", ".cc")) and path.split("/")[0] in folders:
                yield path, lines


def without_comment(line):
    """The code of a line: no // comment, string contents emptied."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line) if not line.lstrip().startswith("#include") else line
    return line.split("//")[0]


def exempt(line, rule):
    return f"tidy: {rule}" in line


def banned_names(tree):
    for path, lines in tree.code(*CODE_FOLDERS):
        folder = path.split("/")[0]
        for ban in BANS:
            if folder not in ban.folders or path.startswith(ban.allowed):
                continue
            for number, line in enumerate(lines, 1):
                text = line if ban.rule == "todo" else without_comment(line)
                if re.search(ban.pattern, text) and not exempt(line, ban.rule):
                    yield path, number, f"{ban.rule}: use {ban.instead}"


def layering(tree):
    for path, lines in tree.code(*CODE_FOLDERS):
        allowed = MAY_INCLUDE[path.split("/")[0]]
        for number, line in enumerate(lines, 1):
            match = re.match(r'#include "([^/"]+)/', line)
            if match and match.group(1) in CODE_FOLDERS and match.group(1) not in allowed:
                yield path, number, f"layering: {path.split('/')[0]}/ must not include {match.group(1)}/"


def unique_sites(tree):
    """A Site's name stands once: hashes, replay and reports tell places apart by it."""
    seen = {}
    for path, lines in tree.code("core", "sim", "scenarios"):
        for number, line in enumerate(lines, 1):
            for name in re.findall(r'\bSite\(\s*"([^"]+)"\s*\)', line.split("//")[0]):
                if name in seen:
                    yield path, number, f'site: "{name}" stands at {seen[name]} too'
                seen[name] = f"{path}:{number}"


def file_length(tree):
    for path, lines in tree.files.items():
        if path.endswith((".h", ".cc", ".py", ".sh", ".java")) and len(lines) - 1 > FILE_LINES_MAX:
            yield path, len(lines) - 1, f"length: {len(lines) - 1} lines, allowed are {FILE_LINES_MAX}"


def functions(lines):
    """(first line, last line, head) of every function body; a scan of braces, good enough for formatted code."""
    text = re.sub(r'/\*.*?\*/', lambda m: "\n" * m.group(0).count("\n"),
                  "\n".join(re.sub(r"'(\\.|[^'\\])'", "' '", without_comment(line)) if not line.lstrip().startswith("#") else ""
                            for line in lines), flags=re.S)
    stack, head, head_line, number = [], "", 1, 1
    for char in text:
        if char == "\n":
            number += 1
        if char == "{":
            inside = any(kind == "function" for kind, _, _ in stack)
            words = head.strip()
            if not inside and re.search(r"\)\s*(const|noexcept|override|final|->[^;]*|[A-Z_]+\([^)]*\)|:[^;]*|\s)*$", words) and not re.match(
                    r"(namespace|class|struct|enum|union|extern)\b", words) and "=" not in words.split("(")[0]:
                stack.append(("function", head_line, words))
            else:
                stack.append(("scope", head_line, words))
            head, head_line = "", number
        elif char == "}":
            if stack:
                kind, first, words = stack.pop()
                if kind == "function":
                    yield first, number, words
            head, head_line = "", number
        elif char == ";":
            head, head_line = "", number
        else:
            if not head.strip() and not char.isspace():
                head, head_line = "", number
            head += char


def function_length(tree):
    for path, lines in tree.code(*CODE_FOLDERS):
        for first, last, head in functions(lines):
            if last - first + 1 > FUNCTION_LINES_MAX and not exempt(lines[first - 1], "function-length"):
                name = re.sub(r"\s+", " ", head)[:60]
                yield path, first, f"function-length: {last - first + 1} lines, allowed are {FUNCTION_LINES_MAX}: {name}"


def tests_in_targets(tree):
    """A test that no target lists rots outside the build."""
    for path in tree.files:
        if not path.endswith("_test.cc"):
            continue
        folder, name = os.path.split(path)
        while folder and os.path.join(folder, "BUILD.bazel") not in tree.files:
            folder = os.path.dirname(folder)
        build = "\n".join(tree.files.get(os.path.join(folder, "BUILD.bazel"), []))
        listed = os.path.relpath(path, folder)
        if f'"{listed}"' not in build and not re.search(r'\bname \+ "\.cc"', build) and f'"{listed[:-3]}"' not in build:
            yield path, 1, "test-target: no target of the folder's BUILD.bazel lists this test"


def folders_in_architecture(tree):
    page = "\n".join(tree.files.get("docs/ARCHITECTURE.md", []))
    folders = {os.path.dirname(path) for path, _ in tree.code("core", "sim", "scenarios", "bench")}
    for folder in sorted(folders):
        if f"{folder}/" not in page:
            yield "docs/ARCHITECTURE.md", 1, f"architecture: the folder {folder}/ is not named"
    for number, line in enumerate(tree.files.get("docs/ARCHITECTURE.md", []), 1):
        for name in re.findall(r"`((?:core|sim|scenarios|bench|tests|tools)/[\w/.-]*)`", line):
            known = name.rstrip("/")
            if not any(path == known or path.startswith(known + "/") for path in tree.files):
                yield "docs/ARCHITECTURE.md", number, f"architecture: {name} does not exist"


def include_guards(tree):
    for path, lines in tree.code(*CODE_FOLDERS):
        if not path.endswith(".h"):
            continue
        guard = re.sub(r"[/.-]", "_", path).upper() + "_"
        if f"#ifndef {guard}" not in lines:
            yield path, 1, f"guard: the include guard must be {guard}"


def package_headers(tree):
    """What is installed is decided for every header of the folders where API lives."""
    files = {path: "\n".join(lines) for path, lines in tree.files.items() if path.endswith(".h")}
    if not headers.faces(files):
        return  # an excerpt of the tree
    for path, text in headers.undecided(files):
        yield path, 1, f"package: {text}"


RULES = (banned_names, layering, unique_sites, file_length, function_length, tests_in_targets, folders_in_architecture, include_guards,
         package_headers, parity)


def lint(tree):
    return [finding for rule in RULES for finding in rule(tree)]


def main(arguments):
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    findings = lint(Tree.read(root))
    for path, number, text in findings:
        print(f"{path}:{number}: {text}")
    print(f"tidy: {len(findings)} findings" if findings else "tidy: clean", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
