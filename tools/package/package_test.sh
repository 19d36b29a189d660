#!/bin/sh
cd "$(dirname "$0")" && exec python3 -m unittest -v package_test
