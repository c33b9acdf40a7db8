"""Programs that events tell things to: one that answers, and some that do not."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Receiver:
    """kind: good (204 at once), silent (takes the request and never answers), dripping (a byte of the answer a
    second), full (reads nothing)."""

    def __init__(self, kind: str) -> None:
        self.kind, self.heard = kind, Counter[str]()
        self.stopped = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = int(self.socket.getsockname()[1])
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self.stopped.set()
        self.socket.close()

    def _listen(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _address = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self.kind == "full":
                self.stopped.wait()
                return
            message = _message(connection)
            if self.kind == "silent":
                self.stopped.wait()
            elif self.kind == "dripping":
                for byte in b"HTTP/1.1 204 No Content\r\n" + b"X: y\r\n" * 1000:
                    if self.stopped.is_set():
                        return
                    connection.sendall(bytes([byte]))
                    time.sleep(1)
            else:
                self.heard[message] += 1
                connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


def _message(connection: socket.socket) -> str:
    """The message's id; the whole request has been read."""
    read = b""
    while b"\r\n\r\n" not in read:
        if not (part := connection.recv(65536)):
            return ""
        read += part
    head, _, body = read.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    left = int(fields.get(b"content-length", b"0")) - len(body)
    while left > 0 and (part := connection.recv(min(left, 65536))):
        left -= len(part)
    return fields.get(b"headjudge-message", b"").decode()


@contextmanager
def receivers() -> Iterator[dict[str, Receiver]]:
    found = {kind: Receiver(kind) for kind in ("good", "silent", "dripping", "full")}
    try:
        yield found
    finally:
        for one in found.values():
            one.close()
