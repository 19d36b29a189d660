"""What the tests against real programs share: a real cluster, running a program, reading a topic back, counting."""

import base64
import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KTRIAL = os.environ.get("KTRIAL", os.path.join(ROOT, "bin", "ktrial"))
STEPS = os.environ.get("STEPS", "")  # run.sh builds it
KAFKA = os.path.join(HERE, "kafka", "kafka.sh")
OLD = os.path.join(HERE, "kafka", "old.sh")
CACHE = os.environ.get("KTRIAL_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/root"), ".cache"), "ktrial")
KAFKA_LIB = os.path.join(os.environ.get("KAFKA_HOME") or os.path.join(CACHE, "kafka-4.4.0"), "lib")


class Failure(Exception):
    """A test's expectation does not hold."""


def check(condition, text):
    if not condition:
        raise Failure(text)


def run(arguments, stdin=None, timeout=120, check_status=True, env=None, cwd=None):
    """Runs a program to its end; a non-zero status is a Failure that shows its last lines."""
    result = subprocess.run(arguments, input=stdin, capture_output=True, timeout=timeout, env={**os.environ, **(env or {})}, cwd=cwd,
                            check=False)
    if check_status and result.returncode != 0:
        tail = (result.stdout + result.stderr).decode(errors="replace").splitlines()[-12:]
        raise Failure(f"{' '.join(map(str, arguments))[:200]}: status {result.returncode}\n  " + "\n  ".join(tail))
    return result


class Cluster:
    """Real Apache Kafka brokers on loopback, ids 1..nodes; stopped and removed at the end of the `with` block."""

    def __init__(self, nodes, settings=()):
        self.nodes, self.settings = nodes, settings
        self.folder = tempfile.mkdtemp(prefix="ktrial-kafka-")

    def __enter__(self):
        for _ in range(5):  # another program may own the ports that were drawn
            self.port = random.SystemRandom().randrange(20000, 29000, 10)
            try:
                self.kafka("start", self.folder, str(self.nodes), str(self.port), *self.settings)
                return self
            except Failure:
                self.kafka("stop", self.folder)
                shutil.rmtree(self.folder)
        raise Failure("the real brokers do not start")

    def __exit__(self, *_):
        self.kafka("stop", self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kafka(self, *arguments):
        return run([KAFKA, *arguments])

    def bootstrap(self, node=1):
        return f"127.0.0.1:{self.port + node - 1}"

    def servers(self):
        return ",".join(self.bootstrap(node) for node in range(1, self.nodes + 1))

    def topic(self, name, partitions, replicas, *settings):
        self.kafka("topic", self.folder, name, str(partitions), str(replicas), *settings)

    def signal(self, node, signal):
        self.kafka("signal", self.folder, str(node), signal)

    def up(self, node):
        self.kafka("up", self.folder, str(node))

    def tool(self, java_class, *arguments):
        return run([KAFKA, "tool", java_class, *arguments])

    def leader(self, topic, partition, ask=1):
        """The leader's id as node `ask` tells it; None while there is none."""
        result = run(["kcat", "-b", self.bootstrap(ask), "-L", "-t", topic, "-m", "5"], check_status=False)
        for line in result.stdout.decode(errors="replace").splitlines():
            words = line.replace(",", " ").split()
            if words[:2] == ["partition", str(partition)] and "leader" in words:
                leader = int(words[words.index("leader") + 1])
                return leader if leader > 0 else None
        return None

    def coordinator(self, ask=1):
        """Who coordinates transactions; the clusters here keep all of them in one partition (kafka.sh)."""
        return self.leader("__transaction_state", 0, ask)

    def group_coordinator(self, ask=1):
        """Who keeps the offsets of groups; the clusters here keep all of them in one partition, too."""
        return self.leader("__consumer_offsets", 0, ask)

    def read(self, topic, node=1, key=False, isolation="read_uncommitted"):
        """All records as (partition, key, value), in the order of each partition."""
        form = "%p\x1f%k\x1f%s\x1e" if key else "%p\x1f\x1f%s\x1e"
        result = run(["kcat", "-b", self.bootstrap(node), "-C", "-t", topic, "-o", "beginning", "-e", "-q", "-f", form,
                      "-X", f"isolation.level={isolation}"])
        records = []
        for record in result.stdout.decode().split("\x1e")[:-1]:
            partition, record_key, value = record.split("\x1f")
            records.append((int(partition), record_key, value))
        return records


class OldBroker:
    """One broker of an old release with its ZooKeeper; its jars are fetched once. Topics are made on first use, with one partition."""

    def __init__(self, version, settings=()):
        self.version, self.settings = version, settings
        self.folder = tempfile.mkdtemp(prefix="ktrial-kafka-")

    def __enter__(self):
        if not os.path.isdir(os.path.join(CACHE, f"kafka-{self.version}", "lib")):
            run([OLD, "setup", self.version], timeout=300)
        for _ in range(5):  # another program may own the ports that were drawn
            self.port = random.SystemRandom().randrange(20000, 29000, 10)
            try:
                run([OLD, "start", self.version, self.folder, str(self.port), *self.settings], timeout=60)
                return self
            except Failure:
                run([OLD, "stop", self.folder], check_status=False)
        raise Failure(f"Kafka {self.version} does not start")

    def __exit__(self, *_):
        run([OLD, "stop", self.folder])
        shutil.rmtree(self.folder, ignore_errors=True)

    def bootstrap(self):
        return f"127.0.0.1:{self.port}"


class Producer:
    """A producer of the library that takes its steps from the test (steps/steps.cc); closed at the end of the `with` block."""

    def __init__(self, bootstrap, *settings):
        self.process = subprocess.Popen([STEPS, f"bootstrap.servers={bootstrap}", *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.process.communicate(timeout=60)
        finally:
            self.process.kill()

    def start(self, step, **what):
        self.process.stdin.write(json.dumps({"do": step, **what}).encode() + b"\n")

    def hand_over(self):
        """Whatever was started; done by `answer`, too."""
        self.process.stdin.flush()

    def answer(self):
        self.hand_over()
        line = self.process.stdout.readline()
        check(line, "the producer has ended")
        return json.loads(line)

    def do(self, step, **what):
        self.start(step, **what)
        return self.answer()

    def succeed(self, step, **what):
        why_not = self.do(step, **what)
        check(why_not is None, f"{step}: {why_not}")

    def send(self, topic, value, partition=0, key=None, headers=(), **more):
        """No answer: `flush` tells what became of it."""
        text = lambda data: None if data is None else base64.b64encode(data).decode()
        self.start("send", topic=topic, partition=partition, key=text(key), value=text(value),
                   headers=[[name, text(data)] for name, data in headers], **more)


def committed_offset(address, group, topic, partition):
    """What a member of the group would go on from: OffsetFetch version 1, which all releases here know. -1: nothing yet."""
    string = lambda text: struct.pack(">h", len(text)) + text.encode()
    body = struct.pack(">hhih", 9, 1, 0, -1) + string(group) + struct.pack(">i", 1) + string(topic) + struct.pack(">ii", 1, partition)
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection, connection.makefile("rb") as answers:
        connection.sendall(struct.pack(">i", len(body)) + body)
        answer = answers.read(*struct.unpack(">i", answers.read(4)))
    offset, metadata = struct.unpack_from(">qh", answer, 4 + 4 + len(string(topic)) + 4 + 4)
    (error,) = struct.unpack_from(">h", answer, len(answer) - 2)
    return offset if error == 0 else f"error {error}"


def kcat_read(address, topic, *settings):
    """All records of a topic as JSON objects; what holds bytes is a str whose characters are these bytes (Latin-1)."""
    arguments = ["kcat", "-C", "-b", address, "-t", topic, "-o", "beginning", "-e", "-q", "-J", "-X", "fetch.wait.max.ms=10"]
    for setting in settings:
        arguments += ["-X", setting]
    return [json.loads(line) for line in run(arguments).stdout.decode("latin-1").split("\n")[:-1]]


def written_offsets(address, isolation):
    """The offsets of groups that stand in the broker's log of them, as a reader of this isolation sees it: (group, offset)."""
    for record in kcat_read(address, "__consumer_offsets", f"isolation.level={isolation}"):
        key, value = record["key"].encode("latin-1"), record["payload"]
        version, group_size = struct.unpack_from(">hh", key)
        if version == 1 and value is not None:  # others tell of members, or that an offset is forgotten
            yield key[4:4 + group_size].decode(), *struct.unpack_from(">q", value.encode("latin-1"), 2)


def eventually(wanted, get, seconds=20):
    """Brokers write the end of a transaction into its partitions after they have answered."""
    deadline = time.monotonic() + seconds
    while (got := get()) != wanted:
        check(time.monotonic() < deadline, f"{str(got)[:300]} in place of {str(wanted)[:300]}")
        time.sleep(0.1)


def lines(count, prefix="line"):
    return [f"{prefix}-{number:07d}" for number in range(count)]


def in_order(records):
    """Whether the values of each partition stand in their own order (values are made so that they sort)."""
    last = {}
    for partition, _, value in records:
        if partition in last and value <= last[partition]:
            return False
        last[partition] = value
    return True


def duplicates(records):
    return sum(count - 1 for count in Counter(value for _, _, value in records).values())


def main(tests, script="tests/real/run.sh"):
    """Runs the tests whose name holds an argument (all without), prints a line each, closes with the count."""
    wanted = sys.argv[1:]
    passed = failed = 0
    for test in tests:
        if wanted and not any(word in test.__name__ for word in wanted):
            continue
        start = time.monotonic()
        try:
            test()
            passed += 1
            print(f"ok      {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # a test that breaks is a test that failed
            failed += 1
            print(f"FAILED  {test.__name__} ({time.monotonic() - start:.1f} s): {error}", flush=True)
            if not isinstance(error, Failure):
                traceback.print_exc()
            print(f"reproduce: {script} {test.__name__}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
