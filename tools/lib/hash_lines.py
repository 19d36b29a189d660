"""Reads the objects of `ktrial run --json` and prints one line a run: scenario, seed, hash, verdict."""

import json
import sys

for line in sys.stdin:
    result = json.loads(line)
    print(result.get("scenario", result.get("file")), result.get("seed"), result.get("hash"), result.get("verdict", result.get("error")))
