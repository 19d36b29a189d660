#!/bin/bash
# run.sh: is tests/core/producer/kafka_producer_keys.tsv, with which the table of configuration keys is compared, what
# the Java client of Apache Kafka 4.4.0 says of itself? `run.sh --update` writes the file anew. Fetches the client once
# with Maven, into the cache.
# Closes with "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 1
. tools/lib/common.sh
set +e
list=tests/core/producer/kafka_producer_keys.tsv
give_up() { echo "config judge: $*" >&2; echo "0 passed, 1 failed"; exit 1; }

for tool in mvn java; do command -v $tool >/dev/null || give_up "$tool is not installed"; done
home=$cache/wire-judges-4.4.0
if [ ! -f "$home/complete" ]; then
  mkdir -p "$home" && install -m 644 "$here/../wire_judges/pom.xml" "$home/pom.xml" || give_up "$home cannot be written"
  (cd "$home" &&
    mvn -q -B -Dkafka.version=4.4.0 dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime) >&2 ||
    give_up "the Java client could not be fetched"
  touch "$home/complete"
fi
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{
  printf '# The keys of the producer of Apache Kafka 4.4.0: name, type, default, validator. %s\n' \
    'Written by tests/real/config_judge/run.sh --update.'
  java -cp "$home/lib/*" "$here/PrintProducerKeys.java" 2>/dev/null
} >"$said" || give_up "the Java client does not say its keys"
if [ "${1:-}" = --update ]; then cp "$said" $list; fi
if diff "$list" "$said"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; exit 1; fi
