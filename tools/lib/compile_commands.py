"""Turns `bazel aquery --output=jsonproto` of the compile actions into compile_commands.json, for editors."""

import json
import sys


def main():
    root = sys.argv[1]
    commands = []
    for action in json.load(sys.stdin).get("actions", []):
        arguments = action["arguments"]
        if "-c" not in arguments:
            continue
        commands.append({"directory": root, "file": arguments[arguments.index("-c") + 1], "arguments": arguments})
    json.dump(commands, sys.stdout, indent=1)


main()
