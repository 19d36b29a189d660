#!/bin/bash
# run.sh [NAME...]: makes the package, installs it, runs the program, and builds others that know nothing but what it installs: with
# CMake, with pkg-config, shared and static. One writes to a real broker. Root: the Debian packages, which are removed in the end; else the
# archive alone. Closes with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
{ tools/dev package >&2 && tests/real/kafka/kafka.sh ready; } || { echo "0 passed, 1 failed"; exit 1; }
PYTHONPATH=tests/real exec python3 -B tests/package/package_test.py "$@"
