#!/bin/bash
# kafka.sh - real Apache Kafka 4.4 (KRaft) brokers on 127.0.0.1 for tests.
#   kafka.sh setup                           fetch the jars, make the template and the class archive (once), all in $KAFKA_HOME
#   kafka.sh ready                           setup, if that was not done yet
#   kafka.sh start DIR N PORT [KEY=VALUE..]  N nodes (broker + controller each), ids 1..N, in DIR/1 .. DIR/N;
#                                            node I serves clients on PORT+I-1 and its peers on PORT+100+I-1
#   kafka.sh up DIR I                        start node I again (after a signal)
#   kafka.sh signal DIR I SIG                KILL, TERM, STOP or CONT to node I
#   kafka.sh topic DIR NAME PARTITIONS REPLICAS [KEY=VALUE..]
#   kafka.sh tool CLASS [ARG..]              any class of the jars, e.g. org.apache.kafka.tools.LeaderElectionCommand
#   kafka.sh stop DIR                        kill the nodes of DIR (the data stays)
# Environment: KAFKA_HEAP (-Xmx of a node, 128m), KAFKA_LOG (level, warn), KAFKA_OPTS (more JVM flags)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${KAFKA_HOME:-${KTRIAL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ktrial}/kafka-4.4.0}   # jars, template, class archive
java=${KAFKA_JAVA:-java}
cluster_id=AAAAAAAAAAAAAAAAAAAAAA
fast="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
log="-Dorg.slf4j.simpleLogger.showDateTime=true -Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS"
cp() { local IFS=:; set -- "$home"/lib/*.jar; echo "$*"; }   # sorted: the class archive is bound to this very list
cds() { [ -f "$home/kafka.jsa" ] && echo "-XX:SharedArchiveFile=$home/kafka.jsa -Xlog:disable -Xlog:all=error:stderr"; }
tool() { "$java" -Xmx128m $fast $(cds) -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$(cp)" "$@"; }
uuid() { echo "A$(head -c 15 /dev/urandom | base64 | tr '+/' '-_')A"; }   # 22 characters, 16 bytes

config() {  # DIR N PORT I [KEY=VALUE..]
  local dir=$1 n=$2 port=$3 i=$4 v= j; shift 4
  for ((j = 1; j <= n; j++)); do v+=",$j@127.0.0.1:$((port + 99 + j))"; done
  local r=$((n < 3 ? n : 3))
  cat <<P
process.roles=broker,controller
node.id=$i
listeners=PLAINTEXT://127.0.0.1:$((port + i - 1)),CONTROLLER://127.0.0.1:$((port + 99 + i))
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.quorum.voters=${v#,}
log.dirs=$dir/$i/data
auto.create.topics.enable=false
auto.leader.rebalance.enable=false
default.replication.factor=$r
offsets.topic.num.partitions=1
offsets.topic.replication.factor=$r
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=$r
transaction.state.log.min.isr=$((r > 1 ? 2 : 1))
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=200
broker.session.timeout.ms=3000
replica.lag.time.max.ms=5000
controlled.shutdown.enable=true
log.cleaner.dedupe.buffer.size=2097152
num.network.threads=1
num.io.threads=2
background.threads=2
group.coordinator.threads=1
group.coordinator.background.threads=1
P
  local kv; for kv in "$@"; do echo "$kv"; done   # the last of two equal keys wins
}
format() {  # DIR I: what StorageTool would write; the checkpoint holds no node's name, so one serves all
  mkdir -p "$1/$2/data"
  command cp -r "$home/template/__cluster_metadata-0" "$1/$2/data/"
  printf 'version=1\nnode.id=%s\ncluster.id=%s\ndirectory.id=%s\n' "$2" $cluster_id "$(uuid)" >"$1/$2/data/meta.properties"
}
up() {  # DIR I
  local d=$1/$2
  setsid "$java" -Xmx${KAFKA_HEAP:-128m} $fast $(cds) $log -Dorg.slf4j.simpleLogger.defaultLogLevel=${KAFKA_LOG:-warn} \
    ${KAFKA_OPTS:-} -cp "$(cp)" kafka.Kafka "$d/server.properties" >>"$d/log" 2>&1 </dev/null &
  echo $! >"$d/pid"
}
wait_ready() {  # DIR N PORT: every node has opened its client port and is in the metadata
  local dir=$1 n=$2 port=$3 i
  for ((i = 1; i <= n; i++)); do
    until (exec 3<>"/dev/tcp/127.0.0.1/$((port + i - 1))") 2>/dev/null; do
      kill -0 "$(cat "$dir/$i/pid")" 2>/dev/null || { tail -20 "$dir/$i/log" >&2; return 1; }
      sleep 0.02
    done
  done
  if command -v kcat >/dev/null && [ -z "${KAFKA_NO_KCAT:-}" ]; then
    for ((i = 1; i <= n; i++)); do
      until kcat -b 127.0.0.1:$((port + i - 1)) -L -m 5 2>/dev/null | grep -q "^ $n brokers"; do sleep 0.05; done
    done
  fi
}

cmd=${1:-help}; [ $# -gt 0 ] && shift
case $cmd in
setup)
  mkdir -p "$home"; install -m 644 "$here/pom.xml" "$home/pom.xml"; cd "$home"
  mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime
  rm -rf template kafka.jsa train; mkdir -p train/1
  config "$home/train" 1 ${1:-39092} 1 >train/1/server.properties
  tool kafka.tools.StorageTool format -t $cluster_id -c train/1/server.properties >/dev/null
  command cp -r train/1/data template; rm template/meta.properties
  KAFKA_OPTS="-XX:ArchiveClassesAtExit=$home/kafka.jsa" up "$home/train" 1   # one training run
  wait_ready "$home/train" 1 ${1:-39092}
  tool org.apache.kafka.tools.TopicCommand --bootstrap-server 127.0.0.1:${1:-39092} --create --topic t >/dev/null
  pid=$(cat train/1/pid); kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done
  rm -rf train; ls -l kafka.jsa ;;
ready)
  [ -f "$home/kafka.jsa" ] && exit
  echo "fetching Apache Kafka 4.4.0 from Maven Central into $home (about 40 MB, once)" >&2
  exec "$0" setup >&2 ;;
start)
  mkdir -p "$1"; dir=$(cd "$1" && pwd); n=$2; port=$3; shift 3
  for ((i = 1; i <= n; i++)); do format "$dir" $i; config "$dir" $n $port $i "$@" >"$dir/$i/server.properties"; done
  for ((i = 1; i <= n; i++)); do up "$dir" $i; done
  echo "127.0.0.1:$port" >"$dir/bootstrap"
  wait_ready "$dir" $n $port ;;
up) up "$(cd "$1" && pwd)" "$2" ;;
signal) kill -"$3" "$(cat "$1/$2/pid")" ;;
topic)
  b=$(cat "$1/bootstrap"); name=$2 p=$3 r=$4; shift 4; c=(); for kv in "$@"; do c+=(--config "$kv"); done
  tool org.apache.kafka.tools.TopicCommand --bootstrap-server "$b" --create --topic "$name" --partitions "$p" --replication-factor "$r" "${c[@]}" ;;
tool) tool "$@" ;;
stop) for f in "$1"/*/pid; do p=$(cat "$f"); kill -CONT "$p" 2>/dev/null || :; kill -KILL "$p" 2>/dev/null || :; rm -f "$f"; done ;;
*) sed -n '2,/^set/p' "$0" | grep '^#' ;;
esac
