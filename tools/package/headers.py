"""Which headers are installed, and in what form.

include/*.h are the faces of the package: they are installed as ktrial/*.h, and with them every header of core/ and sim/ that they
include, directly or not, as ktrial/core/... and ktrial/sim/.... In an installed header every mention of an installed one has its
installed path, include guards begin with KTRIAL_, and ktrial/requirements.h comes first: it says what is wrong with a compiler that
cannot use the rest.

Nobody forgets a header: those of the folders where API lives are installed, or stand in INTERNAL. tools/tidy holds that.
"""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
FACES = "tools/package/include/"
MENTION = re.compile(r"(?<![\w/])(?:core|sim)/(?:\w+/)*\w+\.h\b")
INCLUDE = re.compile(r'^#include "((?:core|sim)/[^"]+)"', re.M)
# The folders where API lives (not those below), and their headers that are none.
API_FOLDERS = ("core/env", "core/producer", "sim")
INTERNAL = frozenset((
    "core/producer/config_check.h", "core/producer/config_keys.h", "core/producer/config_security.h", "core/producer/disposition.h", "core/producer/down_conversion.h", "core/producer/events.h",
    "core/producer/idempotent_identity.h", "core/producer/identity.h", "core/producer/init_producer_id_call.h",
    "core/producer/interceptor_chain.h", "core/producer/metrics_recorder.h",
    "core/producer/produce_call.h", "core/producer/producer_impl.h", "core/producer/profile_librdkafka.h", "core/producer/sender.h",
    "core/producer/text.h", "core/producer/topic_wait.h", "core/producer/transaction_calls.h", "core/producer/transaction_manager.h",
    "core/producer/transaction_verdict.h", "core/producer/windowed_stat.h",
    "sim/broker_tap.h", "sim/fault_plan_check.h", "sim/simulated_world.h", "sim/spec_text.h", "sim/stall_meter.h", "sim/world_check.h",
    "sim/world_names.h",
))


class HeaderError(Exception):
    """The headers cannot be installed as they are."""


def closure(files, roots):
    """The headers that `roots` (paths) and all they include need, sorted. `files`: path -> text."""
    found, pending = set(), list(roots)
    while pending:
        path = pending.pop()
        if path in found:
            continue
        if path not in files:
            raise HeaderError(f"{path} is included but does not exist")
        found.add(path)
        pending.extend(INCLUDE.findall(files[path]))
    return sorted(path for path in found if not path.startswith(FACES))


def faces(files):
    return sorted(path for path in files if path.startswith(FACES) and path.endswith(".h"))


def undecided(files, internal=INTERNAL):
    """(path, text) for each header of API_FOLDERS that is neither installed nor internal, or both, and for each that is no more."""
    public = set(closure(files, faces(files)))
    for path in sorted(path for path in files if os.path.dirname(path) in API_FOLDERS and path.endswith(".h")):
        if path not in public and path not in internal:
            yield path, "is API or not? Include it in a header of tools/package/include, or name it in INTERNAL of tools/package/headers.py"
        if path in public and path in internal:
            yield path, "is installed, but named in INTERNAL of tools/package/headers.py"
    for path in sorted(internal - files.keys()):
        yield path, "is named in INTERNAL of tools/package/headers.py, but does not exist"


def installed(path):
    """Where a header of the tree is found below the include directory."""
    return "ktrial/" + path.removeprefix(FACES)


def rewrite(path, text, public):
    """The text of an installed header."""
    text = MENTION.sub(lambda match: installed(match.group(0)) if match.group(0) in public else match.group(0), text)
    guard = re.sub(r"[/.]", "_", installed(path)).upper() + "_"
    old = re.search(r"^#ifndef (\w+_H_)\n#define \1\n", text, re.M)
    if old is None:
        raise HeaderError(f"{path} has no include guard")
    text = re.sub(rf"\b{old.group(1)}\b", guard, text)
    opening = f"#ifndef {guard}\n#define {guard}\n"
    return text.replace(opening, opening + '\n#include "ktrial/requirements.h"\n', 1)


def package_headers(files):
    """Installed path -> text, without requirements.h. `files`: the headers of the tree, path -> text."""
    roots = faces(files)
    public = set(closure(files, roots))
    return {installed(path): rewrite(path, files[path], public) for path in [*roots, *sorted(public)]}


def read_headers(root):
    """All headers of core/, sim/ and include/: path -> text."""
    files = {}
    for top in ("core", "sim", FACES):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(".h"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, root)] = file.read()
    return files


def requirements(version, abseil):
    with open(os.path.join(HERE, "requirements.h.in"), encoding="utf-8") as file:
        return file.read().replace("@ABSEIL@", abseil).replace("@VERSION@", version)
