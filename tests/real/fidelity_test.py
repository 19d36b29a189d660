"""Are the fake brokers true? The scripts of fidelity/ send the same bytes to a real broker of each release and to the fake one of
it. The answers must be the same but for what sim/broker/FIDELITY.md says: its tables under "What the scripts see" are read here. A
difference that the page does not have fails, and so does an entry of the page that nobody sees.

    fidelity_test.py [NAME...]     KEEP=FOLDER leaves the answers of both there, a line each
"""

import json
import os
import re
import sys
import tempfile
from fnmatch import fnmatchcase

from harness import KTRIAL, ROOT, Cluster, OldBroker, check, main, run

PROBE = os.environ.get("PROBE", "")  # run.sh builds it
PAGE = os.path.join(ROOT, "sim", "broker", "FIDELITY.md")
RELEASES = ("0.9", "0.10", "0.11", "2.0", "2.8", "3.9", "4.4")
SETTINGS = {"message.max.bytes": "100000", "transaction.state.log.num.partitions": "1", "auto.create.topics.enable": "true"}
SCENARIO = """
title = "a broker to compare"
duration = "1h"
[cluster]
brokers = 1
version = "{version}"
settings = {{ {settings} }}
[[topic]]
name = "fid"
"""


# --- Both kinds of broker ---


def keep(name, output):
    folder = os.environ.get("KEEP")
    if folder:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(output)
    return [json.loads(line) for line in output.splitlines()]


def ask_fake(release):
    settings = ", ".join(f'{key} = {value}' for key, value in SETTINGS.items())
    with tempfile.TemporaryDirectory() as folder:
        path, answers = os.path.join(folder, "scenario.toml"), os.path.join(folder, "answers")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENARIO.format(version=release, settings=settings))
        # The verdict is that somebody sends nonsense, and is right.
        result = run([KTRIAL, "serve", path, "--port", "0", "--", "sh", "-c", f'"{PROBE}" "$KTRIAL_BOOTSTRAP" >"{answers}" && touch "{folder}/done"'],
                     check_status=False)
        check(os.path.exists(os.path.join(folder, "done")), result.stderr.decode(errors="replace")[-2000:])
        with open(answers, "rb") as file:
            return keep(f"fake-{release}", file.read())


def ask_real(version, release):
    settings = [f"{key}={value}" for key, value in SETTINGS.items()]
    with Cluster(1, settings) if release == "4.4" else OldBroker(version, settings) as broker:
        return keep(f"real-{release}", run([PROBE, broker.bootstrap()], timeout=300).stdout)


# --- The page ---


def tables(text):
    """The rows below the heading "What the scripts see", by the first word of their table's head."""
    rows, head = {}, None
    for line in text.partition("\n## What the scripts see\n")[2].partition("\n## ")[0].splitlines():
        if not line.startswith("| "):
            head = head if line.startswith("|--") else None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if head is None:
            head = cells[0]
            rows[head] = []
        else:
            rows[head].append(cells)
    return rows


def several(text, all_of, what):
    """ "0.9 to 2.8, 4.4", "3", "all" as a list of members of all_of."""
    found = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        if part == "all":
            found += all_of
            continue
        for end in (first, last or first):
            check(end in all_of, f'FIDELITY.md: found "{text}" for {what}, allowed: {", ".join(all_of)}, "A to B", "all"')
        found += all_of[all_of.index(first):all_of.index(last or first) + 1]
    return found


class Row:
    """One line of the table of differences."""

    VERSIONS = [str(version) for version in range(-5, 100)]

    def __init__(self, cells):
        check(len(cells) == 6, f"FIDELITY.md: {' | '.join(cells)}: 6 columns are wanted")
        scripts, releases, versions, self.real, self.fake, self.why = cells
        self.api, _, names = scripts.partition(": ")
        self.scripts = names.split(" / ")
        self.releases = several(releases, list(RELEASES), scripts)
        self.versions = {int(version) for version in several(versions, self.VERSIONS, scripts)}
        self.unseen = set(self.scripts)

    def covers(self, release, difference):
        line, real, fake = difference
        if release not in self.releases or line["api"] != self.api or line["version"] not in self.versions:
            return False
        if not fnmatchcase(real, self.real) or not fnmatchcase(fake, self.fake):
            return False
        matching = {script for script in self.scripts if fnmatchcase(line["script"], script)}
        self.unseen -= matching
        return bool(matching)


# --- What is compared ---

NOTHING = {"topicId": "A" * 22}  # what stands for "not given", besides null and -1


def codes(value):
    if isinstance(value, dict):
        for name, field in value.items():
            yield from [field] if name == "errorCode" else codes(field)
    elif isinstance(value, list):
        for element in value:
            yield from codes(element)


def leaves(value, name=""):
    if isinstance(value, dict):
        for key, field in value.items():
            yield from leaves(field, key)
    elif isinstance(value, list) and value:
        for element in value:
            yield from leaves(element, name)
    else:
        yield f"{name} {json.dumps(value)}"


def outcome(line):
    """What became of a script in a few words: the codes of each answer, and what came of the connection."""
    words = []
    for answer in line["answers"]:
        found = list(dict.fromkeys(codes(answer)))
        words.append("unreadable" if "unreadable" in answer else " and ".join(found) or "answers")
    text = ", ".join(words) if len(words) <= 2 else f"{len(words)} answers"
    if line["end"] == "serves on":
        return text or "says nothing"
    return f"{text}, {line['end']}" if text else line["end"]


def blank(value, ignored):
    """Ignored fields become "given" or what stands for "not given"; the order of lists is not compared."""
    if isinstance(value, dict):
        return {key: (field if field in (None, -1, NOTHING.get(key)) else "given") if key in ignored else blank(field, ignored)
                for key, field in value.items()}
    if isinstance(value, list):
        return sorted((blank(element, ignored) for element in value), key=json.dumps)
    return value


def relative_offsets(lines):
    """Offsets count from the end of the log as it was: what one broker took and the other refused must not show in all that follows."""
    end = 0
    for line in lines:
        if line["api"] == "Produce" and any("unreadable" in answer for answer in line["answers"]):
            end = None  # it may have grown
        for answer in line["answers"] if line["api"] == "Produce" else ():
            for topic in answer.get("responses", ()):
                for partition in topic["partitionResponses"]:
                    if partition["errorCode"] != "NONE" or partition["baseOffset"] < 0:
                        continue
                    base = partition["baseOffset"]
                    end = base if end is None else end
                    partition["baseOffset"] = base - end if base >= end else "earlier"
                    end = max(end, base + line["records"])


def differences(real, fake, ignored):
    """(line, what the real broker does, what the fake one does)"""
    for lines in (real, fake):
        relative_offsets(lines)
    for theirs, ours in zip(real, fake):
        if outcome(theirs) != outcome(ours):
            yield theirs, outcome(theirs), outcome(ours)
            continue
        a, b = (sorted(set(leaves(blank(line["answers"], ignored)))) for line in (theirs, ours))
        if a != b:
            yield theirs, "; ".join(x for x in a if x not in b) or "-", "; ".join(x for x in b if x not in a) or "-"


def compare(version):
    release = ".".join(version.split(".")[:2])
    with open(PAGE, encoding="utf-8") as file:
        page = tables(file.read())
    ignored = {name for cells in page["field"] for name in re.findall(r"`(\w+)`", cells[0])}
    rows = [row for row in map(Row, page["scripts"]) if release in row.releases]
    real, fake = ask_real(version, release), ask_fake(release)
    scripts = [[(line["api"], line["script"], line["version"]) for line in lines] for lines in (real, fake)]
    check(scripts[0] == scripts[1], "the two brokers offer different versions, so they were asked different things")
    unknown = {}
    for difference in differences(real, fake, ignored):
        if not [row for row in rows if row.covers(release, difference)]:
            line, theirs, ours = difference
            unknown.setdefault((line["api"], line["script"], theirs, ours), []).append(str(line["version"]))
    unseen = [f"{row.api}: {script} | {row.real} | {row.fake}" for row in rows for script in sorted(row.unseen)]
    text = "".join(f"\n  not in FIDELITY.md: {api}: {script} | {release} | {', '.join(versions)} | {theirs} | {ours} |"
                   for (api, script, theirs, ours), versions in unknown.items())
    text += "".join(f"\n  in FIDELITY.md, and not seen in {release}: {entry}" for entry in unseen)
    check(not text, text)
    print(f"        {len(real)} scripts", flush=True)


def fake_0_9_is_true():
    compare("0.9.0.1")


def fake_0_10_is_true():
    compare("0.10.2.2")


def fake_0_11_is_true():
    compare("0.11.0.3")


def fake_2_0_is_true():
    compare("2.0.1")


def fake_2_8_is_true():
    compare("2.8.2")


def fake_3_9_is_true():
    compare("3.9.1")


def fake_4_4_is_true():
    compare("4.4.0")


if __name__ == "__main__":
    sys.exit(main([
        fake_0_9_is_true,
        fake_0_10_is_true,
        fake_0_11_is_true,
        fake_2_0_is_true,
        fake_2_8_is_true,
        fake_3_9_is_true,
        fake_4_4_is_true,
    ]))
