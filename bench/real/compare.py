#!/usr/bin/env python3
"""CPU time per record of ktrial's producer against librdkafka's, over real sockets, side by side.

    compare.py SINK KTRIAL LIBRDKAFKA [--records N] [--bytes B] [--pairs P] [KEY=VALUE...]

Each pair is one run of each, in turn, against one sink that answers and keeps nothing; what counts is the user and system time of
the producer's process as the kernel reports it when the process ends. Machines change their speed from minute to minute, so what
is quoted is the ratio of each pair: its median, and its smallest and largest value.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time


def once(program, port, records, size, settings):
    start = time.monotonic()
    process = subprocess.Popen([program, f"127.0.0.1:{port}", str(records), str(size), *settings], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{program} failed: status {status}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sink")
    parser.add_argument("ktrial")
    parser.add_argument("librdkafka")
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--bytes", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()
    sink = subprocess.Popen([options.sink, "12"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(sink.stdout.readline())
    ratios, rates, ours_ns, theirs_ns = [], [], [], []
    for program in (options.ktrial, options.librdkafka):  # warm-up
        once(program, port, options.records // 10, options.bytes, options.settings)
    for pair in range(options.pairs):
        ours_cpu, ours_wall = once(options.ktrial, port, options.records, options.bytes, options.settings)
        theirs_cpu, theirs_wall = once(options.librdkafka, port, options.records, options.bytes, options.settings)
        ratios.append(ours_cpu / theirs_cpu)
        rates.append(theirs_wall / ours_wall)
        ours_ns.append(ours_cpu / options.records * 1e9)
        theirs_ns.append(theirs_cpu / options.records * 1e9)
        print(f"pair {pair + 1}: ktrial {ours_ns[-1]:.0f} ns CPU a record, {options.records / ours_wall / 1e6:.2f} M records/s;"
              f" librdkafka {theirs_ns[-1]:.0f} ns, {options.records / theirs_wall / 1e6:.2f} M/s; ratio {ratios[-1]:.3f}", flush=True)
    sink.stdin.close()
    spread = lambda values: f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"
    print(f"CPU per record, ktrial / librdkafka, {options.bytes} bytes, {options.pairs} pairs: {spread(ratios)}")
    print(f"records per second, ktrial / librdkafka: {spread(rates)}")
    print(f"medians: ktrial {statistics.median(ours_ns):.0f} ns, librdkafka {statistics.median(theirs_ns):.0f} ns of CPU a record")


main()
