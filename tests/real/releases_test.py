"""The producer against one real broker of each release since 0.9: records of all shapes in every codec that the release knows, and
transactions where it has them. kcat and the broker's own files say what is there, byte for byte."""

import glob
import os
import random
import sys
import time

from harness import KTRIAL, Cluster, OldBroker, Producer, check, committed_offset, eventually, kcat_read, main, run, written_offsets

COUNT = 500
EVERY_BYTE = bytes(range(256))
CODES = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}  # as batches name them
# Each codec with its least and its greatest level above 0.
CODECS = (("none", ()), ("snappy", ()), ("gzip", (1, 9)), ("lz4", (1, 17)))
ZSTD = ("zstd", (1, 22))


# --- Records of all shapes ---


def records(with_headers):
    """(key, value, timestamp, headers): nulls, nothing, every byte, line ends, what compresses and what does not."""
    draw = random.Random(1)
    now = int(time.time() * 1000)
    for number in range(COUNT):
        key = (None, b"", b"customer-%d" % (number % 50), EVERY_BYTE)[number % 4]
        value = (None, b"", EVERY_BYTE, b"\n\r\n\0\n", draw.randbytes(draw.randrange(3_000)), b"line %d\n" % number * 200,
                 b"x" * 5_000)[number % 7]
        headers = ((), (("number", b"%d" % number),), (("", b""), ("none", None), ("twice", EVERY_BYTE), ("twice", b"\n")))[number % 3]
        yield key, value, now - draw.randrange(3_600_000), headers if with_headers else ()


def as_kcat_shows_it(key, value, timestamp, headers):
    text = lambda data: None if data is None else data.decode("latin-1")
    return text(key), text(value), timestamp, [part for name, data in headers for part in (name, text(data))]


def first_batch(folder, topic):
    """The format and the codec of the first batch, in the broker's file."""
    (path,) = glob.glob(os.path.join(folder, "**", f"{topic}-0", "0" * 20 + ".log"), recursive=True)
    with open(path, "rb") as file:
        head = file.read(23)
    return head[16], head[22 if head[16] == 2 else 17] & 7


def records_come_back_as_they_were_sent(bootstrap, folder, codecs, record_format=2, settings=(), kcat=()):
    written = list(records(with_headers=record_format == 2))
    # Format v0 has no timestamps.
    expected = [as_kcat_shows_it(key, value, timestamp if record_format > 0 else None, headers) for key, value, timestamp, headers in written]
    for codec, levels in codecs:
        for level in levels or (None,):
            topic = f"in-{codec}{'' if level is None else level}"
            of_level = () if level is None else (f"compression.{codec}.level={level}",)
            with Producer(bootstrap, f"compression.type={codec}", "linger.ms=20", "batch.size=50000", *of_level, *settings) as producer:
                for key, value, timestamp, headers in written:
                    producer.send(topic, value, key=key, timestamp=timestamp, headers=headers)
                check(producer.do("flush") == [[0, offset] for offset in range(COUNT)], f"{topic}: other offsets than 0, 1, ...")
            came = [(record["key"], record["payload"], record.get("ts"), record.get("headers", []))
                    for record in kcat_read(bootstrap, topic, *kcat)]
            check(len(came) == COUNT, f"{topic}: {len(came)} records")
            for offset, (got, sent) in enumerate(zip(came, expected)):
                check(got == sent, f"{topic}: {str(got)[:200]} came back in place of {str(sent)[:200]} at {offset}")
            check(first_batch(folder, topic) == (record_format, CODES[codec]), f"{topic}: format and codec {first_batch(folder, topic)}")


# --- Transactions ---


def transaction(producer, value, group, offset, end):
    producer.succeed("begin")
    producer.send("orders", value)
    producer.succeed("offsets", group=group, offsets=[["orders", 0, offset]])
    # An aborted record that was never sent would prove nothing.
    check(isinstance(producer.do("flush")[0], list), f"{value} is not acknowledged")
    producer.succeed(end)


def abort_what_the_broker_refuses(producer, *values):
    """The last of the values is too large for the broker; the producer may have to take another epoch."""
    producer.succeed("begin")
    for value in values:
        producer.send("orders", value)
    outcomes = producer.do("flush")
    check(outcomes[-1] == "MESSAGE_TOO_LARGE" and "MESSAGE_TOO_LARGE" not in outcomes[:-1], f"a record that is too large: {outcomes}")
    why_not = producer.do("commit")
    check(why_not == "MESSAGE_TOO_LARGE", f"a commit without a record that was refused: {why_not}")
    producer.succeed("abort")


def transactions_end_as_they_were_told(bootstrap):
    def seen(isolation):
        return [record["payload"] for record in kcat_read(bootstrap, "orders", f"isolation.level={isolation}")]

    settings = ("transactional.id=orders-writer", "max.request.size=1200000")
    too_large = b"x" * 1_100_000
    with Producer(bootstrap, *settings) as first, Producer(bootstrap, *settings) as second:
        first.succeed("init")
        transaction(first, b"kept", "readers", 10, "commit")
        transaction(first, b"dropped", "readers", 20, "abort")
        transaction(first, b"kept-too", "others", 30, "commit")
        eventually(30, lambda: committed_offset(bootstrap, "others", "orders", 0))
        offset = committed_offset(bootstrap, "readers", "orders", 0)
        check(offset == 10, f"the group is at {offset}")
        check(list(written_offsets(bootstrap, "read_uncommitted")) == [("readers", 10), ("readers", 20), ("others", 30)],
              "not all offsets have reached the broker")
        abort_what_the_broker_refuses(first, b"beside", too_large)
        abort_what_the_broker_refuses(first, too_large)
        transaction(first, b"after", "others", 40, "commit")
        first.succeed("begin")
        first.send("orders", b"late")
        check(isinstance(first.do("flush")[0], list), "the record of the one who will be fenced off is not acknowledged")
        second.succeed("init")
        why_not = first.do("commit")
        check(why_not == "PRODUCER_FENCED", f"a commit after another came with its name: {why_not}")
        transaction(second, b"second", "others", 50, "commit")
    eventually(["kept", "kept-too", "after", "second"], lambda: seen("read_committed"))
    check(seen("read_uncommitted") == ["kept", "dropped", "kept-too", "beside", "after", "late", "second"], "what was aborted was never there")


# --- The releases ---


# Kafka 0.9 does not know the question which versions it speaks, and never answers it.
def kafka_0_9_gets_format_v0():
    with OldBroker("0.9.0.1") as broker:
        records_come_back_as_they_were_sent(broker.bootstrap(), broker.folder, CODECS, 0, ("api.version.request=false",),
                                            ("api.version.request=false", "broker.version.fallback=0.9.0.1"))


def kafka_0_10_gets_format_v1():
    with OldBroker("0.10.2.2") as broker:
        records_come_back_as_they_were_sent(broker.bootstrap(), broker.folder, CODECS, 1, ("enable.idempotence=false",))
        result = run([KTRIAL, "produce", "-b", broker.bootstrap(), "-t", "idempotent"], stdin=b"x\n", check_status=False)
        check(result.returncode != 0 and b"set enable.idempotence=false" in result.stderr,
              "idempotence with a broker that has none is not refused with a word of what to do")


def takes_records_and_transactions(broker, codecs):
    records_come_back_as_they_were_sent(broker.bootstrap(), broker.folder, codecs)
    transactions_end_as_they_were_told(broker.bootstrap())


def kafka_0_11_gets_producer_ids_and_transactions():
    with OldBroker("0.11.0.3") as broker:
        takes_records_and_transactions(broker, CODECS)


def kafka_2_0_works():
    with OldBroker("2.0.1") as broker:
        takes_records_and_transactions(broker, CODECS)


def kafka_2_8_takes_zstd():
    with OldBroker("2.8.2") as broker:
        takes_records_and_transactions(broker, (*CODECS, ZSTD))


def kafka_3_9_works():
    with OldBroker("3.9.1") as broker:
        takes_records_and_transactions(broker, (*CODECS, ZSTD))


def kafka_4_4_is_told_topics_by_their_ids():
    with Cluster(1, ("auto.create.topics.enable=true",)) as cluster:
        takes_records_and_transactions(cluster, (*CODECS, ZSTD))


if __name__ == "__main__":
    sys.exit(main([
        kafka_0_9_gets_format_v0,
        kafka_0_10_gets_format_v1,
        kafka_0_11_gets_producer_ids_and_transactions,
        kafka_2_0_works,
        kafka_2_8_takes_zstd,
        kafka_3_9_works,
        kafka_4_4_is_told_topics_by_their_ids,
    ]))
