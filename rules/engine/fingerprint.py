"""Positions by names that are the same in every process.

Within one exploration a position is known by numbers (`identity.key`), which are given out as things are met. A
fingerprint is made of what the numbers stand for, so that two processes which explore the same scene can say of a
position that it is the same.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from rules.engine.model import Ability, AbilityKind, OccurrenceKind, Property, Unit
from rules.engine.records import Obj, Open
from rules.engine.scene import Scene

SIZE = 12  # bytes: of a million positions no two are mistaken for one another


class Fingerprints:
    """Of the positions of one scene; best made all at once, when an exploration is over."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._values: list[Any] = []
        self._numbers: dict[int, bytes] = {}
        self._tuples: dict[int, tuple[Any, bytes]] = {}  # by which object it is, so it has to stay
        self._narrowed: dict[int, tuple[Any, ...]] = {}
        self._open = {id(value): slot for slot, value in enumerate(scene.facts) if isinstance(value, Open)}
        self._printed = {id(value): slot for slot, value in enumerate(scene.facts) if callable(value)}

    def of(self, key: tuple[Any, ...]) -> str:
        """The fingerprint of `identity.key`: 24 hexadecimal digits."""
        *facts, control = key
        parts = [self._number(number, self._name) for number in facts]
        return _digest(b"P", [*parts, self._number(control, self._control)]).hex()

    def _number(self, number: int, name: Callable[[Any], bytes]) -> bytes:
        found = self._numbers.get(number)
        if found is None:
            if number >= len(self._values):
                self._look()
            found = self._numbers[number] = name(self._values[number])
        return found

    def _look(self) -> None:
        """See what the scene has met so far."""
        self._values = self._scene.same.values()
        if self._scene.specialiser is not None:
            self._narrowed = self._scene.specialiser.origins()

    def _control(self, control: Any) -> bytes:
        registers, cells, *rest = control
        parts = [self._number(registers, self._name), self._cells(cells)]
        return _digest(b"K", [*parts, *map(self._name, rest)])

    def _cells(self, contents: Any) -> bytes:
        """The cells in the order in which they were found; where that says nothing, each with its name."""
        if isinstance(contents, frozenset):
            return _digest(b"C", sorted(self._name(ref) + self._cell(cell) for ref, cell in contents))
        return _digest(b"c", [self._cell(cell) for cell in contents])

    def _cell(self, cell: Any) -> bytes:
        return self._number(cell, self._name) if cell.__class__ is int else self._name(cell)

    def _name(self, value: Any) -> bytes:
        if value is None:
            return b"-"
        if isinstance(value, int):
            return b"%d;" % value
        if isinstance(value, str):
            text = value.encode()
            return b"'%d:%b" % (len(text), text)
        if isinstance(value, tuple):
            found = self._tuples.get(id(value))
            if found is None:
                found = (value, _digest(value.__class__.__name__.encode(), map(self._name, value)))
                self._tuples[id(value)] = found
            return found[1]
        if isinstance(value, frozenset):
            return _digest(b"S", sorted(map(self._name, value)))
        return self._thing(value)

    def _thing(self, value: Any) -> bytes:
        """What the scene and its system are made of."""
        if isinstance(value, Obj):
            return b"o%d;" % value.index
        if isinstance(value, Unit):
            origin = self._narrowed.get(id(value))
            return b"u%d;" % value.id if origin is None else _digest(b"U", map(self._name, origin))
        if isinstance(value, Ability):
            return b"a%d;" % value.id
        if isinstance(value, OccurrenceKind | AbilityKind | Property):
            return b"%s %s;" % (value.__class__.__name__.encode(), value.name.encode())
        if isinstance(value, Open):
            return b"?%d;" % self._open[id(value)]
        if callable(value):  # a filter printed on a card
            return b"f%d;" % self._printed[id(value)]
        raise TypeError(f"no name for {value!r}")


def _digest(kind: bytes, parts: Iterable[bytes]) -> bytes:
    digest = blake2b(kind, digest_size=SIZE)
    for part in parts:
        digest.update(b"%d " % len(part))
        digest.update(part)
    return digest.digest()
