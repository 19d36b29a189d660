"""The producer against one real broker of each release since 0.9: every codec it knows, read back byte for byte by kcat."""

import sys

from harness import KTRIAL, Cluster, OldBroker, check, lines, main, run

COUNT = 5_000


def write(bootstrap, topic, values, *settings):
    arguments = [KTRIAL, "produce", "-b", bootstrap, "-t", topic]
    for setting in settings:
        arguments += ["-X", setting]
    run(arguments, stdin="".join(f"{value}\n" for value in values).encode())


def read_back(bootstrap, topic, *settings):
    arguments = ["kcat", "-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-e", "-q"]
    for setting in settings:
        arguments += ["-X", setting]
    return run(arguments).stdout.decode().splitlines()


def writes_in_every_codec(bootstrap, codecs, settings=(), kcat=()):
    values = lines(COUNT)
    for codec in codecs:
        write(bootstrap, f"in-{codec}", values, f"compression.type={codec}", *settings)
        check(read_back(bootstrap, f"in-{codec}", *kcat) == values, f"{codec}: what came back is not what was written")


# Kafka 0.9 does not know the question which versions it speaks, and never answers it.
def kafka_0_9_gets_format_v0():
    with OldBroker("0.9.0.1") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4"), ("api.version.request=false",),
                              ("api.version.request=false", "broker.version.fallback=0.9.0.1"))


def kafka_0_10_gets_format_v1():
    with OldBroker("0.10.2.2") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4"), ("enable.idempotence=false",))
        result = run([KTRIAL, "produce", "-b", broker.bootstrap(), "-t", "idempotent"], stdin=b"x\n", check_status=False)
        check(result.returncode != 0 and b"set enable.idempotence=false" in result.stderr,
              "idempotence with a broker that has none is not refused with a word of what to do")


def kafka_0_11_gets_producer_ids():
    with OldBroker("0.11.0.3") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4"), ("enable.idempotence=true",))


def kafka_2_0_works():
    with OldBroker("2.0.1") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4"), ("enable.idempotence=true",))


def kafka_2_8_takes_zstd():
    with OldBroker("2.8.2") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4", "zstd"), ("enable.idempotence=true",))


def kafka_3_9_works():
    with OldBroker("3.9.1") as broker:
        writes_in_every_codec(broker.bootstrap(), ("none", "gzip", "snappy", "lz4", "zstd"), ("enable.idempotence=true",))


def kafka_4_4_is_told_topics_by_their_ids():
    with Cluster(1) as cluster:
        codecs = ("none", "gzip", "snappy", "lz4", "zstd")
        for codec in codecs:
            cluster.topic(f"in-{codec}", 1, 1)
        writes_in_every_codec(cluster.bootstrap(), codecs, ("enable.idempotence=true",))


if __name__ == "__main__":
    sys.exit(main([
        kafka_0_9_gets_format_v0,
        kafka_0_10_gets_format_v1,
        kafka_0_11_gets_producer_ids,
        kafka_2_0_works,
        kafka_2_8_takes_zstd,
        kafka_3_9_works,
        kafka_4_4_is_told_topics_by_their_ids,
    ]))
