"""docs/PARITY.md against the tests of the tree: the page must say of each rule, and of each test of Java, which of our tests
shows it, or why there is none; and what it says must be so.

The page says itself what it must hold: a table of families with their last rules, a number of tests at each Java class,
and a table of counts by state. The columns of its rows: what it is about, a word on it (of a Java test: its rules), the
state, and our tests and the reason.
"""

import re

PAGE = "docs/PARITY.md"
# State -> (names tests, gives a reason): True must, False must not, None may.
STATES = {
    "proved": (True, None),
    "partly": (True, True),
    "differs": (True, True),
    "not built": (False, True),
    "no test": (False, True),
    "not ours": (False, True),
}
GTEST = r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)"
TEST_NAME = r"`([\w/-]+\.(?:cc|py)):([\w.]+)`|`(scenarios/[\w/-]+\.toml)`"
FAMILY = r"\| ([A-Z]{2}) \| [^|]+ \| \1-(\d+) \|"
JAVA_TEST = r"`(\w+)\.(\w+)`"


class Row:
    def __init__(self, number, cells):
        self.number = number
        self.what, self.about, self.state, self.shown = cells
        self.tests = [match.group(0) for match in re.finditer(TEST_NAME, self.shown)]
        self.reason = re.sub(TEST_NAME, "", self.shown).strip(" ,;")


class Page:
    """What stands where in the page."""

    def __init__(self, lines):
        self.last = {}  # family -> number of its last rule
        self.rules = []  # rows
        self.java = []  # rows
        self.classes = {}  # Java class -> (line, number of tests)
        self.counts = {}  # (line, "rules" or "tests of Java") -> {column: count}
        columns = None
        for number, line in enumerate(lines, 1):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if match := re.fullmatch(FAMILY, line):
                self.last[match.group(1)] = int(match.group(2))
            elif match := re.fullmatch(r"### (\w+) \((\d+)\)", line):
                self.classes[match.group(1)] = (number, int(match.group(2)))
            elif "proved" in cells and "all" in cells:
                columns = cells[1:]
            elif cells and cells[0] in ("rules", "tests of Java"):
                self.counts[(number, cells[0])] = dict(zip(columns or [], cells[1:]))
            elif len(cells) == 4 and re.fullmatch(r"[A-Z]{2}-\d+", cells[0]):
                self.rules.append(Row(number, cells))
            elif len(cells) == 4 and re.fullmatch(JAVA_TEST, cells[0]):
                self.java.append(Row(number, cells))

    def ids(self):
        return [f"{family}-{number:02}" for family, last in self.last.items() for number in range(1, last + 1)]


def tests_of(tree):
    """The tests of the tree and its scenarios as the page may write them -> the files that have such a one. The folders of
    a file may be left out, from the left."""
    names = {}
    for path, lines in tree.files.items():
        text = "\n".join(lines)
        found = []
        if path.startswith("scenarios/"):
            names[f"`{path}`"] = {path}
        elif path.startswith("tests/") and path.endswith(".cc"):
            found = [f"{suite}.{name}" for suite, name in re.findall(GTEST, text)]
        elif path.startswith("tests/") and path.endswith(".py"):
            found = re.findall(r"^def (\w+)\(\)", text, re.M)
        folders = path.split("/")[1:]
        for name in found:
            for first in range(len(folders)):
                names.setdefault(f"`{'/'.join(folders[first:])}:{name}`", set()).add(path)
    return names


def ids_in_comments(tree, families):
    """(path, line, id) of each rule that a comment of a test names; "AC-08 to AC-15" names eight."""
    one = rf"\b({'|'.join(families)})-(\d+)"
    for path, lines in tree.files.items():
        if not path.startswith("tests/") or not path.endswith((".cc", ".h")):
            continue
        for number, line in enumerate(lines, 1):
            comment = line.partition("//")[2]
            for match in re.finditer(rf"{one}(?: to \1-(\d+))?", comment):
                family, first, last = match.groups()
                for rule in range(int(first), int(last or first) + 1):
                    yield path, number, f"{family}-{rule:02}"


def check_states(rows, tests):
    for row in rows:
        if row.state not in STATES:
            yield row.number, f'{row.what}: the state "{row.state}" is none of {", ".join(STATES)}'
            continue
        for given, wanted, what in zip((bool(row.tests), bool(row.reason)), STATES[row.state], ("a test", "a reason")):
            if wanted is not None and given != wanted:
                yield row.number, f'{row.what}: "{row.state}" {"needs" if wanted else "has no place for"} {what}'
        for name in row.tests:
            if name not in tests:
                yield row.number, f"{row.what}: the test {name.strip('`')} does not exist"
            elif len(tests[name]) > 1:
                yield row.number, f"{row.what}: {name.strip('`')} may be in {' or '.join(sorted(tests[name]))}"
        for other in re.findall(r"`[^`]*`", row.reason):
            yield row.number, f"{row.what}: {other} is not the name of a test"


def check_all_there(page):
    """Each rule and each Java test has one row, and no row is of a rule that there is not."""
    ids = page.ids()
    lines = {}
    for row in page.rules + page.java:
        if row.what in lines:
            yield row.number, f"{row.what} has a row in line {lines[row.what]} too"
        lines[row.what] = row.number
    for rule in ids:
        if rule not in lines:
            yield 1, f"{rule} has no row"
    for row in page.rules:
        if row.what not in ids:
            yield row.number, f"{row.what} is behind the last rule of its family"
    for row in page.java:
        for rule in re.findall(r"\b[A-Z]{2}-\d+\b", row.about):
            if rule not in ids:
                yield row.number, f"{row.what}: there is no rule {rule}"
    rows = {}
    for row in page.java:
        name = re.fullmatch(JAVA_TEST, row.what).group(1)
        rows[name] = rows.get(name, 0) + 1
    for name in sorted(rows.keys() | page.classes.keys()):
        number, said = page.classes.get(name, (1, 0))
        if rows.get(name, 0) != said:
            yield number, f"{name} has {rows.get(name, 0)} rows, not {said}"


def check_counts(page):
    wanted = {"rules": page.rules, "tests of Java": page.java}
    for (number, what), said in page.counts.items():
        rows = wanted.pop(what, [])
        real = {state: sum(row.state == state for row in rows) for state in STATES} | {"all": len(rows)}
        for column, count in real.items():
            if said.get(column) != str(count):
                yield number, f"{what}, {column}: {count}, not {said.get(column)}"
    for what in wanted:
        yield 1, f"there is no line of counts for {what}"


def parity(tree):
    if PAGE not in tree.files:
        yield PAGE, 1, "parity: the page is missing"
        return
    page = Page(tree.files[PAGE])
    tests = tests_of(tree)
    for check in (check_states(page.rules + page.java, tests), check_all_there(page), check_counts(page)):
        for number, text in check:
            yield PAGE, number, f"parity: {text}"
    shown = {row.what for row in page.rules if row.tests}
    for path, number, rule in ids_in_comments(tree, page.last) if page.last else ():
        if rule not in shown:
            yield path, number, f"parity: {PAGE} names no test of {rule}, though this comment speaks of it"
