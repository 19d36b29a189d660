#!/bin/bash
# run.sh [SECONDS [TARGET...]]: builds every fuzz target (or those named, as fuzz_MetadataResponse) and runs each for so many seconds
# (default 5). An input that broke one is kept in out/fuzz/. Closes with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tools/lib/common.sh
set +e
seconds=${1:-5}
[ $# -gt 0 ] && shift
failed=0 passed=0
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]; exit; }

mapfile -t labels < <(bazel_for fuzz query 'filter(":fuzz_", //tests/fuzz/...)' 2>/dev/null | sort)
if [ $# -gt 0 ]; then
  wanted=$(printf ' %s ' "$@")
  chosen=()
  for label in "${labels[@]}"; do [[ $wanted == *" ${label#*:} "* ]] && chosen+=("$label"); done
  labels=("${chosen[@]}")
fi
corpora=(//tests/fuzz/compression:make_corpus //tests/fuzz/wire:make_corpus)
if [ ${#labels[@]} -eq 0 ] || { [ $# -gt 0 ] && [ ${#labels[@]} -ne $# ]; } ||
  ! bazel_for fuzz build --config=fuzz "${corpora[@]}" "${labels[@]}" >&2; then
  echo "fuzzing: there is no such target, or the build failed" >&2
  failed=1
  finish
fi
programs=$(bazel_for fuzz info --config=fuzz bazel-bin 2>/dev/null)
# Where the program of a label is.
program() { local path=${1#//}; echo "$programs/${path/://}"; }
findings=$PWD/out/fuzz
mkdir -p "$findings"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for corpus in "${corpora[@]}"; do "$(program "$corpus")" "$work" >/dev/null || { failed=1; finish; }; done

for label in "${labels[@]}"; do
  target=${label#*:}
  mkdir -p "$work/$target"
  # A decoder that reserves what a count promises runs into the limits of memory; one that loops into the timeout.
  if "$(program "$label")" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=64 -max_len=8192 -print_final_stats=1 \
    -artifact_prefix="$findings/$target-" "$work/$target" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok   $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs"
  else
    failed=$((failed + 1))
    echo "FAIL $target"
    tail -40 "$work/log"
  fi
done
finish
