#!/bin/bash
# old.sh - one real Kafka broker of an old release, with its ZooKeeper, on 127.0.0.1 (JDK 17).
#   old.sh setup VERSION              fetch its jars: 0.9.0.1 0.10.2.2 0.11.0.3 2.0.1 2.8.2 3.9.1
#   old.sh start VERSION DIR PORT [KEY=VALUE..]
#                                     broker on PORT, ZooKeeper on PORT+1; data, logs and pids in DIR
#   old.sh stop DIR
# Topics are created on first use. Needs kcat, and Maven for setup. Jars lie in $KTRIAL_CACHE/kafka-VERSION. Environment: KAFKA_JAVA.
set -euo pipefail
home=${KTRIAL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ktrial}
java=${KAFKA_JAVA:-java}
scala() { case $1 in 0.*) echo 2.11 ;; 2.*) echo 2.12 ;; *) echo 2.13 ;; esac; }
dep() { printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' "$@"; }
extra() {  # what JDK 17 lacks or an old ZooKeeper client needs
  case $1 in
  0.10.* | 0.11.*) dep javax.xml.bind jaxb-api 2.3.1 ;;
  2.0.*) dep javax.xml.bind jaxb-api 2.3.1; dep log4j log4j 1.2.17; dep org.slf4j slf4j-log4j12 1.7.25; dep org.apache.zookeeper zookeeper 3.4.10 ;;
  esac
}
wait_port() { until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do kill -0 "$2" 2>/dev/null || { tail -n 12 "$3" >&2; return 1; }; sleep 0.05; done; }

cmd=${1:-help}; [ $# -gt 0 ] && shift
case $cmd in
setup)
  d=$home/kafka-$1; mkdir -p "$d"
  { echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local.test</groupId><artifactId>old</artifactId><version>1</version><packaging>pom</packaging><dependencies>'
    extra "$1"; dep org.apache.kafka "kafka_$(scala "$1")" "$1"; echo '</dependencies></project>'; } >"$d/pom.xml"
  (cd "$d" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime) ;;
start)
  v=$1; mkdir -p "$2"; dir=$(cd "$2" && pwd); port=$3; shift 3; jars=$(ls "$home/kafka-$v"/lib/*.jar | tr '\n' ':')
  printf 'log4j.rootLogger=WARN, c\nlog4j.appender.c=org.apache.log4j.ConsoleAppender\nlog4j.appender.c.layout=org.apache.log4j.PatternLayout\nlog4j.appender.c.layout.ConversionPattern=%%d{HH:mm:ss,SSS} %%p %%c{1} %%m%%n\n' >"$dir/log4j.properties"
  printf 'dataDir=%s/zk\nclientPort=%s\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\n' "$dir" $((port + 1)) >"$dir/zk.cfg"
  cat >"$dir/server.properties" <<P
broker.id=1
listeners=PLAINTEXT://127.0.0.1:$port
advertised.listeners=PLAINTEXT://127.0.0.1:$port
zookeeper.connect=127.0.0.1:$((port + 1))
zookeeper.connection.timeout.ms=10000
log.dirs=$dir/data
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.cleaner.dedupe.buffer.size=2097152
P
  for kv in "$@"; do echo "$kv"; done >>"$dir/server.properties"   # the last of two equal keys wins
  run() { setsid "$java" -Xmx192m -XX:TieredStopAtLevel=1 -Dzookeeper.admin.enableServer=false -cp "$dir:$jars" "$@" </dev/null & }
  run org.apache.zookeeper.server.ZooKeeperServerMain "$dir/zk.cfg" >"$dir/zk.log" 2>&1; echo $! >"$dir/zk.pid"
  wait_port $((port + 1)) "$(cat "$dir/zk.pid")" "$dir/zk.log"
  run kafka.Kafka "$dir/server.properties" >"$dir/broker.log" 2>&1; echo $! >"$dir/broker.pid"
  wait_port "$port" "$(cat "$dir/broker.pid")" "$dir/broker.log"
  flags=(); [[ $v == 0.9.* ]] && flags=(-X api.version.request=false -X broker.version.fallback=$v)
  # the port opens before the broker has registered: a topic asked for now would fail
  until kcat -b "127.0.0.1:$port" "${flags[@]}" -L -m 5 2>/dev/null | grep -q '^ 1 brokers'; do sleep 0.05; done ;;
stop) for f in "$1"/broker.pid "$1"/zk.pid; do kill -KILL "$(cat "$f")" 2>/dev/null || :; rm -f "$f"; done ;;
*) sed -n '2,/^set/p' "$0" | grep '^#' ;;
esac
