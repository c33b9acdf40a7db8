"""Run a coroutine to its end from a test, wherever the test runs."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """What `main` returns; it runs in a thread of its own.

    The thread of the tests may have an event loop already: Playwright keeps one running for as long as a browser is
    open, and `asyncio.run` refuses to start a second one beside it.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main).result()
