"""Runs every scenario of some folders with seeds FIRST to LAST.

usage: library_test.py KTRIAL FIRST LAST [--stalls] FOLDER...

With --stalls threads lose the CPU now and then on top of what the scenario says; expectations of durations are not judged
then, because a stalled thread is late by right.
"""

import json
import os
import re
import subprocess
import sys


def failures_of(report, stalls):
    if "error" in report:
        return ["%s:%d:%d: %s" % (report["file"], report["line"], report["column"], report["error"])]
    if report["verdict"] == "pass":
        return []
    failures = []
    for outcome in report["expectations"]:
        is_duration = re.search(r"\d(ns|us|ms|s|m|h)\b", outcome["want"]) is not None
        if not outcome["holds"] and not (stalls and is_duration):
            failures.append("expected %s %s, got %s" % (outcome["name"], outcome["want"], outcome["got"]))
    negative = os.sep + "negative" + os.sep in report["scenario"]
    if not negative:
        failures += ["%s at %.3f s: %s" % (v["checker"], v["at"], v["text"]) for v in report["violations"]]
    # What remains is for the program alone to judge: a fault that never fired, a negative scenario.
    late_only = stalls and not failures and not negative and any(not o["holds"] for o in report["expectations"])
    return failures if failures or late_only else ["FAIL"]


def main():
    ktrial, first, last, *rest = sys.argv[1:]
    stalls = "--stalls" in rest
    folders = [argument for argument in rest if argument != "--stalls"]
    count = 0
    bad = 0
    for seed in range(int(first), int(last) + 1):
        command = [ktrial, "run", "--json", "--seed", str(seed)] + (["--set", "schedule.stalls=rare"] if stalls else [])
        result = subprocess.run(command + folders, capture_output=True, text=True)
        if result.returncode not in (0, 1):
            print("status %d: %s" % (result.returncode, result.stderr))
            bad += 1
        for line in result.stdout.splitlines():
            report = json.loads(line)
            count += 1
            failures = failures_of(report, stalls)
            bad += 1 if failures else 0
            for failure in failures:
                print("%s: %s" % (report.get("repro", "?"), failure))
    print("%d runs, %d bad" % (count, bad))
    sys.exit(0 if bad == 0 and count > 0 else 1)


if __name__ == "__main__":
    main()
