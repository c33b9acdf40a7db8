"""Facts, cells and counts that note what is read of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rules.engine.records import Ref

Step = Callable[
    [list[Any], list[Any], Any], None
]  # of a use carried out from memory: facts, values worked out, a probe


class Noted:
    """What was read of a position."""

    __slots__ = ("counted", "refs", "slots")

    def __init__(self) -> None:
        self.slots: set[int] = set()
        self.refs: list[Ref] = []
        self.counted = False


class WatchedFacts(list[Any]):
    """Facts that note which of them are read as they were at first, and which are changed.

    made_of: a fact that was worked out without anybody looking at its value, and the facts, as they were at first, that
    its value hangs on: who reads it has read those.
    lasting: the effects that last, when the noting began.
    """

    __slots__ = ("changed", "lasting", "made_of", "noted", "steps")
    lasting: Any

    def __init__(self, facts: Sequence[Any], noted: Noted) -> None:
        super().__init__(facts)
        self.noted = noted
        self.changed: set[int] = set()
        self.made_of: dict[int, frozenset[int]] = {}
        self.steps: list[Step] = []

    def origins(self, place: int) -> Iterable[int]:
        """The facts, as they were at first, that this one hangs on now."""
        return self.made_of.get(place, ()) if place in self.changed else (place,)

    def __getitem__(self, place: Any) -> Any:
        if place.__class__ is slice:
            for one in range(len(self))[place]:
                self.noted.slots.update(self.origins(one))
        elif place not in self.changed:
            self.noted.slots.add(place)
        elif place in self.made_of:
            self.noted.slots |= self.made_of[place]
        return list.__getitem__(self, place)

    def __iter__(self) -> Any:
        for one in range(len(self)):
            self.noted.slots.update(self.origins(one))
        return list.__iter__(self)

    def __setitem__(self, place: Any, value: Any) -> None:
        self.changed.add(place)
        self.made_of.pop(place, None)
        self.steps.append(fixed(place, value))
        list.__setitem__(self, place, value)

    def make(self, place: int, value: Any, made_of: frozenset[int], step: Step) -> None:
        """Write a value that nobody has looked at."""
        self.changed.add(place)
        self.made_of[place] = made_of
        self.steps.append(step)
        list.__setitem__(self, place, value)

    def take_over(
        self, facts: Sequence[Any], written: Iterable[tuple[int, frozenset[int]]], step: Step
    ) -> None:
        """Become these facts, of which those `written` are new: each with the facts that its value hangs on."""
        made_of = {
            place: frozenset([origin for one in hangs_on for origin in self.origins(one)])
            for place, hangs_on in written
        }
        for place, origins in made_of.items():
            self.changed.add(place)
            self.made_of[place] = origins
            list.__setitem__(self, place, facts[place])
        self.steps.append(step)


def fixed(slot: int, value: Any) -> Step:
    """Write what was found out before."""

    def step(facts: list[Any], worked_out: list[Any], probe: Any) -> None:
        facts[slot] = value

    return step


class WatchedCells(dict[Ref, Any]):
    """Cells that note which of those that were there before (or were not) are read."""

    __slots__ = ("_noted", "_own", "seen_whole")

    def __init__(self, cells: dict[Ref, Any], noted: Noted, before: dict[Ref, Any]) -> None:
        super().__init__(cells)
        self._noted = noted
        self._own = {ref for ref in cells if ref not in before}
        self.seen_whole = False

    def _note(self, ref: Any) -> None:
        if ref not in self._own:
            self._noted.refs.append(ref)

    def __getitem__(self, ref: Ref) -> Any:
        self._note(ref)
        return dict.__getitem__(self, ref)

    def __contains__(self, ref: object) -> bool:
        self._note(ref)
        return dict.__contains__(self, ref)

    def get(self, ref: Ref, default: Any = None) -> Any:
        self._note(ref)
        return dict.get(self, ref, default)

    def __setitem__(self, ref: Ref, cell: Any) -> None:
        self._own.add(ref)
        dict.__setitem__(self, ref, cell)

    def __iter__(self) -> Any:
        self.seen_whole = True
        return dict.__iter__(self)

    def values(self) -> Any:
        self.seen_whole = True
        return dict.values(self)

    def items(self) -> Any:
        self.seen_whole = True
        return dict.items(self)


class WatchedCounts(dict[tuple[Any, ...], int]):
    """Counts that note whether they are looked at."""

    __slots__ = ("_noted",)

    def __init__(self, counts: Mapping[tuple[Any, ...], int], noted: Noted) -> None:
        super().__init__(counts)
        self._noted = noted

    def get(self, key: Any, default: Any = None) -> Any:
        self._noted.counted = True
        return dict.get(self, key, default)


class Elsewhere(Exception):
    """The answer hangs on more than is noted, or the question changes something."""


class FixedFacts(WatchedFacts):
    def __setitem__(self, place: Any, value: Any) -> None:
        raise Elsewhere


class _Unseen:
    """A register at which a question must not look."""

    def _elsewhere(self, *_: Any) -> Any:
        raise Elsewhere

    __getattr__ = __getitem__ = __setitem__ = __contains__ = __iter__ = __len__ = __bool__ = __eq__ = (
        _elsewhere
    )
    __add__ = __lt__ = __ge__ = __index__ = __hash__ = _elsewhere


UNSEEN: Any = _Unseen()
