"""Prints "PASSED FAILED": the test cases in a Bazel build event file; a test without XML counts as one."""

import json
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def cases(uri):
    path = urllib.parse.urlparse(uri).path
    suites = ElementTree.parse(path).getroot().iter("testsuite")
    total = failed = 0
    for suite in suites:
        total += int(suite.get("tests", 0)) - int(suite.get("disabled", 0) or 0)
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return total, failed


def main():
    passed = failed = 0
    with open(sys.argv[1], encoding="utf-8") as events:
        for line in events:
            result = json.loads(line).get("testResult")
            if result is None:
                continue
            good = result["status"] == "PASSED"
            total, bad = 1, 0 if good else 1
            for output in result.get("testActionOutput", []):
                if output["name"] == "test.xml":
                    try:
                        total, bad = cases(output["uri"])
                    except (OSError, ElementTree.ParseError):
                        pass
            if not good and bad == 0:  # it died before it could write its cases
                bad = 1
            total = max(total, 1)
            passed += total - bad if total >= bad else 0
            failed += bad
    print(passed, failed)


main()
