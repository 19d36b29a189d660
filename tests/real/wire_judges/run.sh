#!/bin/bash
# run.sh: what others make of our bytes, and we of theirs. Judges: the message classes of Apache Kafka's Java client, for every version in both
# directions, and tshark, for the versions that it knows. Fetches the Java client once with Maven, into the cache. Needs mvn, javac, tshark.
# Closes with "N passed, N failed": one for each case and direction.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 1
. tools/lib/common.sh
set +e
passed=0 failed=0
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]; exit; }
give_up() { echo "wire judges: $*" >&2; failed=$((failed + 1)); finish; }
# judged NAME FILE STATUS: counts the lines "ok ..." and "FAIL ..." and shows the latter. A judge that fell over is a failure, too.
judged() {
  local ok bad
  ok=$(grep -c '^ok ' "$2") bad=$(grep -c '^FAIL ' "$2")
  grep -v '^ok ' "$2" | cut -c1-2000 | head -30
  if [ "$3" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  echo "$1: $ok ok, $bad failed"
  passed=$((passed + ok)) failed=$((failed + bad))
}

for tool in mvn javac java tshark; do command -v $tool >/dev/null || give_up "$tool is not installed"; done
home=$cache/wire-judges-4.4.0
if [ ! -f "$home/complete" ]; then
  echo "fetching the Java client of Apache Kafka 4.4.0 from Maven Central into $home (13 MB, once)" >&2
  mkdir -p "$home" && install -m 644 "$here/pom.xml" "$home/pom.xml" || give_up "$home cannot be written"
  (cd "$home" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime) >&2 || give_up "Maven failed"
  touch "$home/complete"
fi
bazel_for gcc build "${opt_flags[@]}" //tests/real/wire_judges:wire_cases >&2 || give_up "the build failed"
wire_cases=$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/tests/real/wire_judges/wire_cases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

javac -cp "$home/lib/*" -d "$work/classes" "$here/KafkaJudge.java" >&2 || give_up "KafkaJudge.java does not compile"
"$wire_cases" emit >"$work/cases" || give_up "wire_cases failed"
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$home/lib/*:$work/classes" KafkaJudge <"$work/cases" >"$work/answers" 2>"$work/theirs"
judged "the Java client reads our bytes" "$work/theirs" $?
"$wire_cases" check <"$work/answers" >"$work/ours"
judged "we read the Java client's bytes, which are ours" "$work/ours" $?
[ "$(wc -l <"$work/cases")" -eq "$(wc -l <"$work/answers")" ] || give_up "the Java client answered only some of the cases"

"$wire_cases" emit-plain >"$work/plain" || give_up "wire_cases failed"
python3 -B "$here/tshark_judge.py" "$work/plain" >"$work/tshark"
judged "tshark reads our bytes" "$work/tshark" $?
finish
