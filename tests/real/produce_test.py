"""The producer over real sockets against real Apache Kafka: `ktrial produce` writes, kcat reads back."""

import subprocess
import sys
import threading
import time
from collections import Counter

from harness import (KTRIAL, Cluster, Failure, Producer, check, committed_offset, duplicates, eventually, in_order, lines, main, run,
                     written_offsets)

_single = None


def single():
    """One broker for all tests that do not disturb it."""
    global _single
    if _single is None:
        _single = Cluster(1).__enter__()
    return _single


def text(values):
    return ("\n".join(values) + "\n").encode()


def every_line_arrives_once_and_in_order():
    cluster = single()
    cluster.topic("orders", 4, 1)
    values = lines(50_000)
    run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "orders", "-X", "linger.ms=5"], stdin=text(values))
    records = cluster.read("orders")
    check(Counter(value for _, _, value in records) == Counter(values), f"{len(records)} records for {len(values)} lines")
    check(in_order(records), "a partition is out of order")
    check(len({partition for partition, _, _ in records}) > 1, "the sticky partitioner used one partition only")


def keyed_lines_go_where_the_java_client_puts_them():
    cluster = single()
    cluster.topic("keyed", 7, 1)
    pairs = [(f"customer-{number % 500}", f"value-{number:06d}") for number in range(5_000)]
    run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "keyed", "-K", "\t"],
        stdin="".join(f"{key}\t{value}\n" for key, value in pairs).encode())
    ours = {key: partition for partition, key, _ in cluster.read("keyed", key=True)}
    check(len(ours) == 500, f"{len(ours)} keys came back")
    # kcat with the murmur2_random partitioner is an independent implementation of the Java client's choice.
    cluster.topic("keyed-by-kcat", 7, 1)
    run(["kcat", "-P", "-b", cluster.bootstrap(), "-t", "keyed-by-kcat", "-K", "\t", "-X", "topic.partitioner=murmur2_random"],
        stdin="".join(f"{key}\t{key}\n" for key in ours).encode())
    theirs = {key: partition for partition, key, _ in cluster.read("keyed-by-kcat", key=True)}
    check(ours == theirs, "keys went to other partitions than with murmur2 of another client")


def acks_zero_and_one_arrive_too():
    cluster = single()
    for acks in ("0", "1"):
        cluster.topic(f"acks-{acks}", 2, 1)
        values = lines(2_000, f"acks{acks}")
        run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", f"acks-{acks}", "-X", f"acks={acks}"], stdin=text(values))
        deadline = time.monotonic() + 10
        while len(records := cluster.read(f"acks-{acks}")) < len(values) and time.monotonic() < deadline:
            time.sleep(0.1)
        check(sorted(value for _, _, value in records) == values, f"acks={acks}: {len(records)} of {len(values)} lines")


def empty_lines_and_long_lines_are_records_too():
    cluster = single()
    cluster.topic("odd", 1, 1)
    values = ["", "x", "y" * 100_000, "", "z" * 900_000]
    run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "odd"], stdin=text(values))
    check([value for _, _, value in cluster.read("odd")] == values, "the lines came back changed")


def an_unknown_topic_is_a_clear_error():
    cluster = single()
    result = run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "nowhere", "-X", "max.block.ms=2000"],
                 stdin=b"lost\n", check_status=False)
    check(result.returncode == 1, f"status {result.returncode}")
    check(b"nowhere" in result.stderr and b"UNKNOWN_TOPIC_OR_PARTITION" in result.stderr, result.stderr.decode())


class PacedProducer:
    """`ktrial produce` fed at a steady rate from a thread."""

    def __init__(self, cluster, topic, count, per_second, *options):
        self.values = lines(count)
        self.process = subprocess.Popen([KTRIAL, "produce", "-b", cluster.servers(), "-t", topic, *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.feeder = threading.Thread(target=self._feed, args=(per_second,))
        self.feeder.start()

    def _feed(self, per_second):
        start = time.monotonic()
        try:
            for number, value in enumerate(self.values):
                ahead = start + number / per_second - time.monotonic()
                if ahead > 0:
                    time.sleep(ahead)
                self.process.stdin.write(value.encode() + b"\n")
                self.process.stdin.flush()
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it was killed

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.feeder.join()

    def finish(self):
        self.feeder.join()
        errors = self.process.stderr.read().decode(errors="replace")
        check(self.process.wait(timeout=150) == 0, "the producer failed:\n" + errors)
        return self.values


def nothing_is_lost_while_a_leader_moves_and_a_node_is_killed():
    with Cluster(3) as cluster:
        cluster.topic("orders", 3, 3, "min.insync.replicas=2")
        producer = PacedProducer(cluster, "orders", 12_000, 500, "-X", "acks=all", "-X", "delivery.timeout.ms=120000")
        time.sleep(3)
        # Whoever leads partition 0 is killed the hard way, which moves its leaders; then it comes back.
        first = cluster.leader("orders", 0)
        survivor = first % 3 + 1
        cluster.signal(first, "KILL")
        deadline = time.monotonic() + 20
        while (second := cluster.leader("orders", 0, ask=survivor)) in (None, first):
            check(time.monotonic() < deadline, "no new leader was elected")
            time.sleep(0.2)
        cluster.up(first)
        # Once it is back in sync it is made the leader again: a move without any failure.
        deadline = time.monotonic() + 60
        while True:
            time.sleep(3)
            try:
                cluster.tool("org.apache.kafka.tools.LeaderElectionCommand", "--bootstrap-server", cluster.bootstrap(survivor),
                             "--election-type", "preferred", "--all-topic-partitions")
                break
            except Failure:
                if time.monotonic() > deadline:
                    raise
        values = producer.finish()
        records = cluster.read("orders", node=survivor)
        missing = set(values) - {value for _, _, value in records}
        check(not missing, f"{len(missing)} lines are lost, {sorted(missing)[:3]} ... (leader {first} -> {second})")
        print(f"        {len(values)} lines, {duplicates(records)} duplicates", file=sys.stderr)


def committed(cluster, topic, node=1):
    return cluster.read(topic, node, isolation="read_committed")


def committed_lines_are_seen_once_and_in_order():
    cluster = single()
    cluster.topic("committed", 3, 1)
    values = lines(10_000)
    result = run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "committed", "-X", "transactional.id=committed",
                  "--transaction-records", "300"], stdin=text(values))
    check(b"10000 of them committed, in 34 transactions" in result.stderr, result.stderr.decode())
    records = committed(cluster, "committed")
    check(Counter(value for _, _, value in records) == Counter(values), f"{len(records)} records for {len(values)} lines")
    check(in_order(records), "a partition is out of order")


def what_a_killed_producer_left_open_is_not_seen():
    cluster = single()
    cluster.topic("killed", 1, 1)
    command = [KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "killed", "-X", "transactional.id=killed",
               "--transaction-records", "1000000"]
    run(command, stdin=text(lines(10, "first")))
    # Lines keep coming, so that the transaction is not committed for want of them.
    torn = PacedProducer(cluster, "killed", 1_000, 20, *command[6:])
    time.sleep(5)
    torn.kill()
    check(len(cluster.read("killed")) > 10, "nothing of the open transaction was written")
    # Whoever comes next with its name has what was left aborted, and goes on.
    run(command, stdin=text(lines(20, "next")))
    seen = [value for _, _, value in committed(cluster, "killed")]
    check(seen == lines(10, "first") + lines(20, "next"), f"{len(seen)} seen: {seen[:12]} ...")


def a_line_that_is_refused_takes_its_transaction_with_it():
    cluster = single()
    cluster.topic("refused", 1, 1, "max.message.bytes=5000")
    values = lines(10) + ["x" * 20_000] + lines(10, "after")
    result = run([KTRIAL, "produce", "-b", cluster.bootstrap(), "-t", "refused", "-X", "transactional.id=refused",
                  "--transaction-records", "7"], stdin=text(values), check_status=False)
    check(result.returncode == 1, f"status {result.returncode}")
    check(b"lines 8 to " in result.stderr and b"were not committed" in result.stderr, result.stderr.decode())
    check([value for _, _, value in committed(cluster, "refused")] == values[:7], "more or less than the first transaction")


def committed_lines_are_seen_once_though_coordinator_and_leader_are_killed():
    with Cluster(3) as cluster:
        cluster.topic("orders", 3, 3, "min.insync.replicas=2")
        producer = PacedProducer(cluster, "orders", 12_000, 500, "-X", "transactional.id=orders-writer",
                                 "-X", "linger.ms=2", "--transaction-records", "50", "-X", "transaction.timeout.ms=60000")
        time.sleep(4)
        coordinator = cluster.coordinator()
        check(coordinator, "nobody coordinates transactions")
        cluster.signal(coordinator, "KILL")
        survivor = coordinator % 3 + 1
        time.sleep(6)
        cluster.up(coordinator)
        time.sleep(6)
        leader = cluster.leader("orders", 0, ask=survivor)
        cluster.signal(leader, "KILL")
        time.sleep(3)
        cluster.up(leader)
        values = producer.finish()
        records = committed(cluster, "orders")
        seen = Counter(value for _, _, value in records)
        missing = set(values) - set(seen)
        check(not missing, f"{len(missing)} lines are not seen, {sorted(missing)[:3]} ...")
        check(duplicates(records) == 0, f"{duplicates(records)} duplicates")
        check(in_order(records), "a partition is out of order")
        print(f"        {len(values)} lines, coordinator {coordinator} and leader {leader} killed", file=sys.stderr)


def records_and_offsets_stand_or_fall_together_though_coordinators_are_killed():
    with Cluster(3) as cluster, Producer(cluster.servers(), "transactional.id=orders-writer", "linger.ms=100") as producer:
        cluster.topic("orders", 3, 3, "min.insync.replicas=2")

        def send(values):
            for number, value in enumerate(values):
                producer.send("orders", value.encode(), partition=number % 3)

        def all_acknowledged():
            outcomes = producer.do("flush")
            check(all(isinstance(outcome, list) for outcome in outcomes), f"records fail: {outcomes[:3]}")

        def begin(values, offset):
            producer.succeed("begin")
            send(values)
            producer.succeed("offsets", group="readers", offsets=[["orders", 0, offset]])
            all_acknowledged()

        def kill(node, values, end, coordinator):
            """Records are on the way meanwhile. Whoever is killed comes back when another has its place."""
            send(values)
            producer.hand_over()
            cluster.signal(node, "KILL")
            producer.start(end)
            producer.hand_over()
            deadline = time.monotonic() + 20
            while coordinator(ask=node % 3 + 1) in (None, node):
                check(time.monotonic() < deadline, "no new coordinator was elected")
                time.sleep(0.2)
            cluster.up(node)
            why_not = producer.answer()
            check(why_not is None, f"{end}: {why_not}")
            return node

        producer.succeed("init")
        begin(lines(30, "first"), 10)
        producer.succeed("commit")
        begin(lines(30, "dropped"), 20)
        of_transactions = kill(cluster.coordinator(), lines(30, "dropped-on-the-way"), "abort", cluster.coordinator)
        producer.do("flush")  # what was on the way has arrived or not
        begin(lines(30, "kept"), 30)
        of_groups = kill(cluster.group_coordinator(of_transactions % 3 + 1), lines(30, "kept-on-the-way"), "commit", cluster.group_coordinator)
        all_acknowledged()
        survivor = of_groups % 3 + 1
        kept = sorted(lines(30, "first") + lines(30, "kept") + lines(30, "kept-on-the-way"))
        eventually(kept, lambda: sorted(value for _, _, value in committed(cluster, "orders", survivor)))
        there = Counter(value for _, _, value in cluster.read("orders", survivor))
        check(all(there[value] == 1 for value in lines(30, "dropped")), "what was dropped was never there")
        coordinator = cluster.bootstrap(cluster.group_coordinator(survivor))
        eventually(30, lambda: committed_offset(coordinator, "readers", "orders", 0))
        check(list(written_offsets(coordinator, "read_uncommitted")) == [("readers", 10), ("readers", 20), ("readers", 30)],
              "not all offsets have reached the broker")
        check(list(written_offsets(coordinator, "read_committed")) == [("readers", 10), ("readers", 30)],
              "the offset that was dropped counts")
        print(f"        coordinators {of_transactions} (transactions) and {of_groups} (groups) killed", file=sys.stderr)


TESTS = (every_line_arrives_once_and_in_order, keyed_lines_go_where_the_java_client_puts_them, acks_zero_and_one_arrive_too,
         empty_lines_and_long_lines_are_records_too, an_unknown_topic_is_a_clear_error,
         nothing_is_lost_while_a_leader_moves_and_a_node_is_killed, committed_lines_are_seen_once_and_in_order,
         what_a_killed_producer_left_open_is_not_seen, a_line_that_is_refused_takes_its_transaction_with_it,
         committed_lines_are_seen_once_though_coordinator_and_leader_are_killed,
         records_and_offsets_stand_or_fall_together_though_coordinators_are_killed)

if __name__ == "__main__":
    try:
        status = main(TESTS)
    finally:
        if _single is not None:
            _single.__exit__()
    sys.exit(status)
