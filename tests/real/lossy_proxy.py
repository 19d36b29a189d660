"""A way to a broker on which answers are lost: what the broker is told arrives, and it acts; then the connection breaks."""

import random
import socket
import threading
import time


class _Way:
    """One connection through the proxy."""

    def __init__(self, client, broker, latency):
        self.sockets = (client, broker)
        self.loses_answers = False
        for source, sink, answers in ((client, broker, False), (broker, client, True)):
            threading.Thread(target=self._pump, args=(source, sink, answers, latency), daemon=True).start()

    def _pump(self, source, sink, answers, latency):
        try:
            while data := source.recv(1 << 16):
                if answers:
                    time.sleep(latency)
                    if self.loses_answers:
                        break
                sink.sendall(data)
        except OSError:
            pass
        self.close()

    def close(self):
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class LossyProxy:
    """Listens on `port`. Answers take `latency` seconds, so that several requests are in flight. `target` gives the broker's port."""

    def __init__(self, target, latency=0.005):
        self.target, self.latency = target, latency
        self.ways, self.losses = [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        for way in self.ways:
            way.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            try:
                broker = socket.create_connection(("127.0.0.1", self.target()))
            except OSError:
                client.close()
                continue
            for end in (client, broker):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.ways.append(_Way(client, broker, self.latency))

    def lose_answers_for(self, seconds, seed=1):
        """Again and again for so long: all answers on their way are lost, and a moment later their connections."""
        draws = random.Random(seed)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(draws.uniform(0.1, 0.4))
            ways, self.ways = self.ways, []
            for way in ways:
                way.loses_answers = True
            time.sleep(0.05)
            for way in ways:
                way.close()
            self.losses += len(ways)
