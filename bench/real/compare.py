#!/usr/bin/env python3
"""ktrial's producer against librdkafka's, over real sockets, side by side.

    compare.py SINK KTRIAL LIBRDKAFKA [--pairs P] [--scale X] [CASE...]

Without a name, every case of CASES. Each pair is one run of each program, in turn, against one sink that answers and keeps nothing;
what counts is the user and system time of the producer's process as the kernel reports it when the process ends. Machines change
their speed from minute to minute, so what is quoted is the ratio of each pair: its median, and its smallest and largest value.

Where others use the machine too, CPU times still tell what they should; records a second and latencies do not. With the right to
it, everything is started with a priority above theirs (nice -15), and what is measured by the clock on the wall in the real-time
class (SCHED_RR).
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

IDEMPOTENT = {"acks": "all", "enable.idempotence": "true", "linger.ms": "5"}
# What is sent, how it is configured, and what is demanded of which figure. A figure is the median over the pairs of:
#   cpu       CPU time per record, ktrial / librdkafka             at most
#   rate      records a second, ktrial / librdkafka                at least
#   p99       99th percentile of send to callback, the same        at most
#   over      ktrial's own 99th percentile less its linger, in ms  at most
#   spread    CPU per record, four threads / one thread            at most
#   parallel  records a second with four threads, of what the cores allow for the CPU time of producer and sink    at least
# `records` takes some seconds a run.
CASES = {
    "acks-1": {"records": 5_000_000, "bytes": 100, "settings": {"acks": "1", "enable.idempotence": "false", "linger.ms": "5"},
               "demands": {"cpu": 0.4}},
    "100-bytes": {"records": 5_000_000, "bytes": 100, "settings": IDEMPOTENT, "demands": {"cpu": 0.35, "rate": 2.0}},
    "10-bytes": {"records": 8_000_000, "bytes": 10, "settings": IDEMPOTENT, "demands": {"cpu": 0.35}},
    "1000-bytes": {"records": 2_000_000, "bytes": 1000, "settings": IDEMPOTENT, "demands": {"cpu": 0.6}},
    "lz4": {"records": 5_000_000, "bytes": 100, "settings": {**IDEMPOTENT, "compression.type": "lz4"}, "options": ["--text"],
            "demands": {"cpu": 0.7}},
    "latency": {"records": 8_000, "bytes": 100, "settings": {**IDEMPOTENT, "linger.ms": "0"}, "options": ["--rate", "1000"],
                "by_the_wall": True, "demands": {"p99": 1.0}},
    "latency-linger": {"records": 8_000, "bytes": 100, "settings": IDEMPOTENT, "options": ["--rate", "1000"],
                       "by_the_wall": True, "linger_ms": 5, "demands": {"over": 0.3}},
    "four-threads": {"records": 8_000_000, "bytes": 100, "settings": IDEMPOTENT, "against": ["--threads", "4"], "by_the_wall": True,
                     "demands": {"spread": 1.3, "parallel": 0.85}},
}
AT_LEAST = ("rate", "parallel")
CORES = 2
NANOS = 1e9


class Run:
    """One run of one program: what it cost, and what it says of itself."""

    def __init__(self, program, sink, records, case, options):
        settings = [f"{key}={value}" for key, value in case["settings"].items()]
        command = [program, f"127.0.0.1:{sink.port}", str(records), str(case["bytes"]), *options, *settings]
        sink_before = sink.cpu()
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        line = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.monotonic() - start
        if status != 0:
            sys.exit(f"{' '.join(command)} failed: status {status}, {line.decode().strip()}")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.sink_cpu = sink.cpu() - sink_before
        self.records = records
        self.p50_ms, self.p99_ms = (int(nanos) / 1e6 for nanos in line.split()[2:4])

    def cpu_ns(self):
        return self.cpu / self.records * NANOS

    def rate(self):
        return self.records / self.wall


class Sink:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "12"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def figures(case, ours, theirs):
    """Of one pair; for a case that has `against`, `theirs` is ktrial's too, with one thread."""
    if "against" in case:
        allowed = CORES / ((ours.cpu + ours.sink_cpu) / ours.records)
        return {"spread": ours.cpu_ns() / theirs.cpu_ns(), "parallel": ours.rate() / allowed}
    if ours.p99_ms == 0:
        return {"cpu": ours.cpu / theirs.cpu, "rate": ours.rate() / theirs.rate()}
    return {"cpu": ours.cpu / theirs.cpu, "p99": ours.p99_ms / theirs.p99_ms, "over": ours.p99_ms - case.get("linger_ms", 0)}


def describe(name, run):
    if run.p99_ms:
        return f"{name} p50 {run.p50_ms:.3f} ms, p99 {run.p99_ms:.3f} ms, {run.cpu_ns() / 1e3:.0f} us CPU a record"
    return f"{name} {run.cpu_ns():.0f} ns CPU a record, {run.rate() / 1e6:.2f} M records/s"


def take_priority(case):
    """Of this process, and so of those that it starts."""
    try:
        if case.get("by_the_wall"):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        else:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, 0, -15)
    except PermissionError:
        print("without the right to a priority of its own: others who use the machine disturb what is measured", flush=True)


def compare(name, programs, sink_program, pairs, scale):
    case = CASES[name]
    records = int(case["records"] * scale)
    options = case.get("options", [])
    first = (programs["ktrial"], [*options, *case.get("against", [])], "ktrial")
    second = (programs["ktrial"], options, "one thread") if "against" in case else (programs["librdkafka"], options, "librdkafka")
    take_priority(case)
    sink = Sink(sink_program)
    for program, flags, _ in (first, second):  # warm-up
        Run(program, sink, max(records // 10, 1), case, flags)
    measured = {}
    for pair in range(pairs):
        ours = Run(first[0], sink, records, case, first[1])
        theirs = Run(second[0], sink, records, case, second[1])
        print(f"{name} {pair + 1}: {describe(first[2], ours)}; {describe(second[2], theirs)}", flush=True)
        for figure, value in figures(case, ours, theirs).items():
            measured.setdefault(figure, []).append(value)
    sink.stop()
    for figure, values in measured.items():
        verdict(name, figure, values, case["demands"].get(figure))


def verdict(name, figure, values, demand):
    median = statistics.median(values)
    line = f"{name}: {figure} {median:.3f} ({min(values):.3f} to {max(values):.3f})"
    if demand is not None:
        met = median >= demand if figure in AT_LEAST else median <= demand
        line += f", demanded {'at least' if figure in AT_LEAST else 'at most'} {demand}: {'met' if met else 'NOT MET'}"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sink")
    parser.add_argument("ktrial")
    parser.add_argument("librdkafka")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="times the records of a case")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_intermixed_args()
    for name in options.cases:
        if name not in CASES:
            sys.exit(f"compare.py: no case \"{name}\"; there are {', '.join(CASES)}")
    for name in options.cases or CASES:
        compare(name, {"ktrial": options.ktrial, "librdkafka": options.librdkafka}, options.sink, options.pairs, options.scale)


main()
