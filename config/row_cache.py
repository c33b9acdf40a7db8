"""A per-process cache of expensive rows, kept by version until something is written.

The key must name everything the value depends on: a version that changes with every write (the audit log's), the
language, and what the asker may see. Nothing expires: what is asked for no more is pushed out by what is. Ask outside
transactions only: what one has not committed may be taken back, and its version given to something else.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

Made = TypeVar("Made")

MOST = 64  # values; the rows of a table of 512 players are about 200 kB
_kept: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()
_making: dict[tuple[Hashable, ...], Lock] = {}
_lock = Lock()


def kept(key: tuple[Hashable, ...], make: Callable[[], Made]) -> Made:
    """The value under `key`; made once, by whoever asks first, while the others who ask for it wait."""
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
        turn = _making.setdefault(key, Lock())
    with turn:
        with _lock:
            if key in _kept:
                return _kept[key]
        try:
            made = make()
            with _lock:
                _kept[key] = made
                while len(_kept) > MOST:
                    _kept.popitem(last=False)
        finally:
            with _lock:
                _making.pop(key, None)
    return made


def forget() -> None:
    """As after a start: for tests, which write rows over again under the same numbers."""
    with _lock:
        _kept.clear()
