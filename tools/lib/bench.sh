#!/bin/bash
# bench.sh [NAME...]: runs the benchmarks of bench/ one after the other, optimised: kernel, network, append, scenarios, real (all
# without a name); real:CASE is one case of bench/real/compare.py. Every figure is a ratio to something measured in the same run; docs/BENCHMARKS.md has the table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/lib/common.sh

built() { echo "$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/$1"; }
google_benchmark() {  # FOLDER NAME
  bazel_for gcc build "${opt_flags[@]}" "//bench/$1:$2"
  "$(built "bench/$1/$2")" --benchmark_repetitions=9 --benchmark_report_aggregates_only=true --benchmark_min_time=0.2
}
real() {
  bazel_for gcc build "${opt_flags[@]}" //bench/real:all
  python3 bench/real/compare.py "$(built bench/real/sink)" "$(built bench/real/produce_ktrial)" "$(built bench/real/produce_librdkafka)" "$@"
}

for name in "${@:-all}"; do
  case $name in
  kernel) google_benchmark simulator kernel_bench ;;
  network) google_benchmark simulator network_bench ;;
  append) google_benchmark micro append_bench ;;
  scenarios) google_benchmark simulator scenario_bench ;;
  real) real ;;
  real:*) real "${name#real:}" ;;
  all) "$0" kernel network append scenarios real ;;
  *) echo "bench: no benchmark \"$name\"; there are kernel, network, append, scenarios, real, real:CASE" >&2; exit 2 ;;
  esac
done
