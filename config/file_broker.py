"""Kombu's filesystem transport, made safe for several processes and for a folder that gets emptied.

As shipped, a message can be read while it is still being written: the empty text that is found then ends the
worker (celery/kombu#1551). It is taken by moving it to the system's temporary folder, which copies where that is
another disk. And when the folder is emptied, nobody makes the table again by which messages find their queue.
Here a message appears whole under its name, who unlinks it has it, and tables are made anew.
"""

import fcntl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from time import time
from typing import Any, ClassVar

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

Binding = tuple[str, str, str]  # routing key, pattern, queue


class Channel(filesystem.Channel):
    # (control folder, exchange) -> the bindings this process asked for
    bindings: ClassVar[dict[tuple[Path, str], set[Binding]]] = {}

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(time() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        _appear(Path(self.data_folder_out) / name, dumps(message))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message of the queue; raises Empty."""
        for file in self._messages(queue):
            try:
                text = file.read_text()
                file.unlink()
            except FileNotFoundError:  # another worker was quicker
                continue
            return loads(text)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._messages(queue))

    def _messages(self, queue: str) -> list[Path]:
        """Oldest first. A folder that is gone holds none; the next message makes it anew."""
        try:
            files = list(Path(self.data_folder_in).iterdir())
        except FileNotFoundError:
            return []
        return sorted(file for file in files if file.name.partition(".")[2] == f"{queue}.msg")

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        """The shipped one creates the table empty before it locks it; here it is there, and whole, before."""
        binding = (routing_key or "", pattern or "", queue or "")
        self.bindings.setdefault((self.control_folder, exchange), set()).add(binding)
        table = self._table(exchange)
        with _locked(self.control_folder):
            if not table.exists():
                _appear(table, "[]")
        super()._queue_bind(exchange, *binding)

    def get_table(self, exchange: str) -> Any:
        if not self._table(exchange).exists():
            for binding in sorted(self.bindings.get((self.control_folder, exchange), ())):
                self._queue_bind(exchange, *binding)
        return super().get_table(exchange)

    def _table(self, exchange: str) -> Path:
        file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # (the stubs lack it)
        return file


class Transport(filesystem.Transport):
    Channel = Channel


def _appear(file: Path, text: str) -> None:
    """The file with its whole content, or no file at all, whenever somebody looks."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{uuid.uuid4().hex}.part")
    part.write_text(text)
    part.replace(file)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
