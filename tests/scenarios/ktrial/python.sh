#!/bin/sh
# Bazel's own Python rules would want a toolchain; the system's Python is enough.
exec python3 "$@"
