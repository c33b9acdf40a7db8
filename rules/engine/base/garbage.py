"""Python's collector of cycles, kept from looking again and again at what is meant to stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """While hundreds of thousands of objects are made and kept, each collection would look at them all in vain."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
