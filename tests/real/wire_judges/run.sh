#!/bin/bash
# run.sh: what others make of our bytes, and we of theirs. Judges: the message classes of Apache Kafka's Java client, for every version in both
# directions (4.4.0, and 3.9.1 for what 4 has forgotten), and tshark, for the versions that it knows. Fetches the Java clients once with Maven,
# into the cache. Needs mvn, javac, tshark.
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
# client VERSION: where that release of the Java client is; fetched if need be.
client() {
  local home=$cache/wire-judges-$1
  if [ ! -f "$home/complete" ]; then
    echo "fetching the Java client of Apache Kafka $1 from Maven Central into $home (13 MB, once)" >&2
    mkdir -p "$home" && install -m 644 "$here/pom.xml" "$home/pom.xml" || return 1
    (cd "$home" && mvn -q -B "-Dkafka.version=$1" dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime) >&2 || return 1
    touch "$home/complete"
  fi
  echo "$home"
}
bazel_for gcc build "${opt_flags[@]}" //tests/real/wire_judges:wire_cases >&2 || give_up "the build failed"
wire_cases=$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/tests/real/wire_judges/wire_cases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# java_judges VERSION COMMAND SOURCE...: the judge of that release on the cases of `wire_cases COMMAND`, in both directions.
java_judges() {
  local version=$1 command=$2; shift 2
  local home out=$work/$version
  home=$(client "$version") || give_up "the Java client $version could not be fetched"
  mkdir -p "$out"
  javac -cp "$home/lib/*" -d "$out/classes" "$@" >&2 || give_up "the judge does not compile with the Java client $version"
  "$wire_cases" "$command" >"$out/cases" || give_up "wire_cases failed"
  java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$home/lib/*:$out/classes" KafkaJudge <"$out/cases" >"$out/answers" 2>"$out/theirs"
  judged "the Java client $version reads our bytes" "$out/theirs" $?
  "$wire_cases" check <"$out/answers" >"$out/ours"
  judged "we read the Java client's bytes, which are ours" "$out/ours" $?
  [ "$(wc -l <"$out/cases")" -eq "$(wc -l <"$out/answers")" ] || give_up "the Java client $version answered only some of the cases"
}
java_judges 4.4.0 emit "$here/KafkaJudge.java" "$here/KafkaRecordsJudge.java"
java_judges 3.9.1 emit-old "$here/KafkaJudge.java"

"$wire_cases" emit-plain >"$work/plain" || give_up "wire_cases failed"
python3 -B "$here/tshark_judge.py" "$work/plain" >"$work/tshark"
judged "tshark reads our bytes" "$work/tshark" $?
finish
