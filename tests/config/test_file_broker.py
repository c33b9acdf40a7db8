"""The embedded broker: messages are whole, each goes to one process, and its folder may vanish at any time."""

import multiprocessing
import shutil
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

import config.celery  # noqa: F401 (names our transport)

MESSAGES = 300
BULK = "x" * 200_000  # writing it takes long enough for somebody to look in the middle


def connect(folder: Path) -> Any:
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
    return Connection("filesystem://localhost", transport_options=options)


def produce(folder: Path, name: str) -> None:
    with connect(folder) as connection, connection.SimpleQueue("jobs") as queue:
        for number in range(MESSAGES):
            queue.put({"name": f"{name}{number}", "bulk": BULK}, serializer="json")


def consume(folder: Path, taken: Any) -> None:
    """Take messages until "end" comes; say which, or what went wrong."""
    got: list[str] = []
    try:
        with connect(folder) as connection, connection.SimpleQueue("jobs") as queue:
            while True:
                message = queue.get(timeout=60)
                message.ack()
                if message.payload == "end":
                    break
                got.append(message.payload["name"])
    except Exception as error:
        got.append(repr(error))
    taken.put(got)


def test_many_write_and_take_at_once_and_each_message_comes_once(tmp_path: Path) -> None:
    """The folder does not exist yet: whoever comes first makes it and the exchange's table."""
    spawn = multiprocessing.get_context("spawn")
    taken: Any = spawn.Queue()
    takers = [spawn.Process(target=consume, args=(tmp_path, taken)) for _ in range(3)]
    makers = [spawn.Process(target=produce, args=(tmp_path, name)) for name in "abc"]
    for process in (*takers, *makers):
        process.start()
    for process in makers:
        process.join()
    with connect(tmp_path) as connection, connection.SimpleQueue("jobs") as queue:
        for _ in takers:
            queue.put("end", serializer="json")
    got = [message for _ in takers for message in taken.get(timeout=60)]
    for process in takers:
        process.join()
    assert sorted(got) == sorted(f"{name}{number}" for name in "abc" for number in range(MESSAGES))


def test_an_emptied_broker_is_empty_and_works_on(tmp_path: Path) -> None:
    with connect(tmp_path) as connection, connection.SimpleQueue("emptied") as queue:
        queue.put("lost", serializer="json")
        shutil.rmtree(tmp_path)
        with pytest.raises(Empty):
            queue.get_nowait()
        queue.put("next", serializer="json")
    with connect(tmp_path) as connection, connection.SimpleQueue("emptied") as queue:
        assert queue.get(timeout=5).payload == "next"
