"""Idempotence with real brokers: answers are lost, batches come again, and every record is in the log once and in order."""

import subprocess
import sys
import threading
import time

from harness import KTRIAL, OldBroker, check, lines, main, run
from lossy_proxy import LossyProxy

SECONDS = 4
RATE = 400  # lines a second


class Feeder(threading.Thread):
    """Writes lines at RATE and closes."""

    def __init__(self, sink, values):
        super().__init__(daemon=True)
        self.sink, self.values = sink, values
        self.start()

    def run(self):
        step = RATE // 100
        for first in range(0, len(self.values), step):
            self.sink.write("".join(f"{value}\n" for value in self.values[first:first + step]).encode())
            self.sink.flush()
            time.sleep(0.01)
        self.sink.close()


def writes_through_losses(version):
    """One record a batch, up to five of them in flight where the broker allows it."""
    with LossyProxy(lambda: broker.port) as proxy:
        broker = OldBroker(version, [f"advertised.listeners=PLAINTEXT://127.0.0.1:{proxy.port}"])
        with broker:
            values = lines(SECONDS * RATE)
            program = subprocess.Popen([KTRIAL, "produce", "-b", f"127.0.0.1:{proxy.port}", "-t", "t", "-X", "linger.ms=0", "-X",
                                        "batch.size=100"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            feeder = Feeder(program.stdin, values)
            proxy.lose_answers_for(SECONDS)
            feeder.join()
            errors = program.stderr.read().decode()
            check(program.wait() == 0, f"produce has failed: {errors[-400:]}")
            check(proxy.losses >= 5, f"only {proxy.losses} connections were lost")
            there = run(["kcat", "-C", "-b", f"127.0.0.1:{broker.port}", "-t", "t", "-o", "beginning", "-e", "-q"])
            there = there.stdout.decode().splitlines()
            check(len(there) == len(set(there)), f"{len(there) - len(set(there))} records are in the log twice")
            check(there == values, "records are missing or out of order")


# It knows only the latest batch of a producer again.
def kafka_0_11_has_every_record_once():
    writes_through_losses("0.11.0.3")


# It knows the latest five.
def kafka_2_8_has_every_record_once():
    writes_through_losses("2.8.2")


if __name__ == "__main__":
    sys.exit(main([kafka_0_11_has_every_record_once, kafka_2_8_has_every_record_once]))
