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

# run_one PROGRAM TARGET: says what came of it, in one piece; its status is the program's.
run_one() {
  local log="$work/$2.log"
  mkdir -p "$work/$2"
  # A decoder that reserves what a count promises runs into the limits of memory; one that loops into the timeout.
  if "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=64 -max_len=8192 -print_final_stats=1 \
    -artifact_prefix="$findings/$2-" "$work/$2" >"$log" 2>&1; then
    echo "ok   $2: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
  else
    printf 'FAIL %s\n%s\n' "$2" "$(tail -40 "$log")"
    return 1
  fi
}

# One a core; what each says is shown in their order.
running=()
collect() {
  local first=${running[0]}
  running=("${running[@]:1}")
  if wait "${first%%:*}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  cat "$work/${first#*:}.said"
}
for label in "${labels[@]}"; do
  [ ${#running[@]} -lt "$(nproc)" ] || collect
  target=${label#*:}
  run_one "$(program "$label")" "$target" >"$work/$target.said" &
  running+=("$!:$target")
done
while [ ${#running[@]} -gt 0 ]; do collect; done
finish
