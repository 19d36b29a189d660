#!/bin/bash
# run_scenarios.sh PROGRAM ARG...: `PROGRAM run ARG...` over scenarios; prints the failures with their line to paste, and closes
# with "N passed, N failed".
set -uo pipefail
program=$1; shift
"$program" run --json "$@" | python3 -c '
import json, sys
passed = failed = 0
for line in sys.stdin:
    result = json.loads(line)
    if result.get("verdict") == "pass":
        passed += 1
        continue
    failed += 1
    print("FAILED", result.get("scenario", result.get("file")), "seed", result.get("seed"), result.get("error", ""))
    for violation in result.get("violations", []):
        print("  ", violation["checker"], "at", violation["at"], violation["text"])
    for expectation in result.get("expectations", []):
        if not expectation["holds"]:
            print("   expected", expectation["name"], expectation["want"], "got", expectation["got"])
    for fault in result.get("faults", []):
        if fault["fired"] == 0:
            print("   a fault without effect:", fault["kind"])
    print("  ", result.get("repro", ""))
print(f"{passed} passed, {failed} failed")
'
