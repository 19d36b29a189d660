#!/bin/bash
# run.sh [NAME...]: the tests that need real programs: Apache Kafka brokers, kcat, Kafka's console producer. Needs bin/ktrial
# (tools/dev build). Fetches the brokers once, into ~/.cache/ktrial. Closes with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")" || exit 1
kafka/kafka.sh ready || { echo "0 passed, 1 failed"; exit 1; }
# The scripts that ask real and fake brokers the same, and the producer that a test leads step by step.
programs() (
  cd ../.. && . tools/lib/common.sh
  bazel_for gcc build "${opt_flags[@]}" //tests/real/fidelity:probe //tests/real/steps >&2 &&
    echo "$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/tests/real"
)
folder=$(programs) || { echo "0 passed, 1 failed"; exit 1; }
export PROBE=$folder/fidelity/probe STEPS=$folder/steps/steps
passed=0 failed=0
for suite in produce_test security_test serve_test releases_test lost_answers_test fidelity_test; do
  line=$(python3 -B $suite.py "$@" | tee /dev/stderr | tail -1)
  [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { failed=$((failed + 1)); continue; }
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
