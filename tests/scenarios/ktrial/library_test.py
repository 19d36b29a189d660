"""Runs every scenario of some folders with seeds FIRST to LAST.

usage: library_test.py KTRIAL FIRST LAST ARGUMENT...

ARGUMENTs go to `ktrial run`: folders, --set KEY=VALUE.
"""

import json
import subprocess
import sys


def main():
    ktrial, first, last, *arguments = sys.argv[1:]
    count = 0
    bad = 0
    for seed in range(int(first), int(last) + 1):
        result = subprocess.run([ktrial, "run", "--json", "--seed", str(seed), *arguments], capture_output=True, text=True)
        if result.returncode not in (0, 1):
            print("status %d: %s" % (result.returncode, result.stderr))
            bad += 1
        for line in result.stdout.splitlines():
            report = json.loads(line)
            count += 1
            if report.get("verdict") != "pass":
                bad += 1
                print(line)
    print("%d runs, %d bad" % (count, bad))
    sys.exit(0 if bad == 0 and count > 0 else 1)


if __name__ == "__main__":
    main()
