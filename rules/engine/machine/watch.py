"""What is read and what is changed while one thing is tried out (rules.engine.search.reduction).

A position is read through three doors: facts, cells and counts. While a `Watch` is on, each of them notes what goes
through it; nothing else need say what it reads, so nothing can be forgotten. Some finer notes make the difference
between "everything hangs on everything" and something useful:

- A filter asks card by card. "Has this card more wounds than toughness?" is a `Truth`: who asks it hangs on the answer
  and not on the wounds, so that another wound which kills nobody is no change.
- Whose opportunity is used up is asked apart from the rest of a gate (`WatchedGate`).
- A number that is added to is neither read nor set: sums come out the same in every order (`WatchedFacts.grow`).
- What waits on a gate is looked through in one place (`Occurrences.waiting`). That none of it is of a kind, or all of
  it, says nothing of its order or its number (`Watch.those`).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.base.facts import Facts
from rules.engine.definitions.values import Gate, Ref

if TYPE_CHECKING:
    from rules.engine.machine.state import State

MOST_CHANGES = 400  # in what is tried out: each may be kept as a moment of its own

Ask = Callable[..., Any]  # of the machine, and of what it is asked about


class Truth:
    """A yes or no that was asked of a position, and the facts that the answer was read from.

    about: what it is about, where it says whether a use is possible; None: anything else. The registers are kept in
    which it was asked: the same words of another running use are another question. So is what stood in facts, cells
    and counts then (`at`, with a number that tells such moments apart).
    """

    __slots__ = ("_registers", "about", "at", "counts", "looked", "of", "question", "refs", "slots", "value")

    def __init__(self, m: "State", question: Ask, of: tuple[Any, ...], about: Any, at: "Moment") -> None:
        self.question, self.of, self.about, self.at = question, of, about, at
        self._registers = self._of(m)
        self.slots: set[int] = set()
        self.value = False
        self.refs: set[Ref] = (
            set()
        )  # what it was read from when it was asked again: cells, counts, what waits
        self.counts: set[Any] = set()
        self.looked = False

    @staticmethod
    def _of(m: "State") -> tuple[Any, ...]:
        return (m.cur, m.env, tuple(m.judging.items()), m.use, m.grp, m.gates, m.stack, m.frames)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same question, asked in the same registers."""
        cur, env, judging, use, grp, gates, _, frames = self._registers
        return (self.question, self.of, id(cur), env, judging, use, grp, gates, frames, self.at.number)

    def again(self, m: "State", facts: list[Any]) -> tuple[bool, set[int]] | None:
        """The answer with other facts, and what it is read from; None: it hangs on more than facts, or has none."""
        watch = Watch(busy=self.at.busy)
        kept = m.facts, m.cells, m.ledger, m.judging
        m.cur, m.env, judging, m.use, m.grp, m.gates, m.stack, m.frames = self._registers
        m.judging = dict(judging)
        m.cells, m.ledger = self.at.cells, self.at.ledger
        watch.begin(m, facts)
        try:
            found = bool(self.question(m, *self.of))
        except Exception:  # whatever it is, it is another answer
            return None
        finally:
            m.watch = None
            m.facts, m.cells, m.ledger, m.judging = kept
        if watch.written or watch.grown_by or watch.inner or watch.whole:
            return None
        self.refs |= watch.refs
        self.counts |= watch.counts
        self.looked = self.looked or watch.looked
        slots = watch.slots.union(*(truth.slots for truth in watch.truths.values()))
        return found, slots


class TooLong(Exception):
    """So much happens that it is not judged."""


class Moment(NamedTuple):
    """What stood in a position while it was tried out. busy: see `Watch`."""

    number: int
    facts: list[Any]
    cells: dict[Ref, Any]
    ledger: dict[Any, int]
    busy: bool | None


class Watch:
    """Notes while it is a machine's `watch`.

    slots: facts read outright; written: facts set; grown_by: numbers added to, and by how much. refs: cells read;
    spent: gates of which it was asked what was used there; whole: were all cells, or all counts, looked through?
    counts: read; grown: counted on. truths: what was asked card by card. inner: was a cell looked at that is new, or
    another one by now? looked: was it seen what waits on a gate, or how much, or in which order?
    busy: is some of it left for certain, so that whether there is any says nothing? None: no look at it is nothing.
    """

    def __init__(self, *, busy: bool | None = None) -> None:
        self.busy = busy
        self.looked = False
        self.changes = 0  # of whatever is watched: the number of the moment
        self.grown_by: dict[int, int] = {}
        self._moment: Moment | None = None
        self._through: int | None = None  # so much waits where it was looked through just now
        self.slots: set[int] = set()
        self.written: set[int] = set()
        self.refs: set[Ref] = set()
        self.spent: set[Ref] = set()
        self.whole = False
        self.counts: set[Any] = set()
        self.grown: Counter[Any] = Counter()
        self.inner = False
        self.truths: dict[Any, Truth] = {}
        self._asking = False

    def begin(self, m: "State", facts: list[Any]) -> None:
        """From now on everything that the machine does is noted, beginning with these facts."""
        m.watch = self
        m.facts = WatchedFacts(facts, self)
        m.cells = WatchedCells(m.cells, self)
        m.ledger = WatchedCounts(m.ledger, self)

    @staticmethod
    def end(m: "State") -> None:
        """Watch no more; the machine stays where it is."""
        m.watch = None
        m.facts = Facts(list.copy(m.facts))
        m.cells = dict(dict.items(m.cells))
        m.ledger = dict(dict.items(m.ledger))

    def truth(self, m: "State", question: Ask, *of: Any, about: Any = None) -> bool:
        """Ask a yes or no that stands on its own: what it is read from is noted with it."""
        if self._asking:
            return bool(question(m, *of))
        found = Truth(m, question, of, about, self._now(m))
        kept, self.slots, self._asking, answered = self.slots, found.slots, True, False
        try:
            found.value = bool(question(m, *of))
            answered = True
        finally:
            self.slots, self._asking = kept, False
            if not answered:
                kept |= found.slots
        known = self.truths.setdefault(found.key, found)
        known.slots |= found.slots
        return found.value

    def _now(self, m: "State") -> Moment:
        found = self._moment
        if found is None or found.number != self.changes:
            if self.changes > MOST_CHANGES:
                raise TooLong
            facts, cells, ledger = list.copy(m.facts), dict(dict.items(m.cells)), dict(dict.items(m.ledger))
            found = self._moment = Moment(self.changes, facts, cells, ledger, self.busy)
        return found

    def through(self, number: int) -> None:
        """All that waits on a gate, so much, is looked through: it was seen, unless `those` finds that it was not."""
        self.looked = True
        self._through = number + (self._through or 0)

    def those(
        self,
        m: "State",
        source: Callable[[Any], list[Any]],
        question: Ask,
        of: tuple[Any, ...],
        *,
        any_: bool,
    ) -> list[Any]:
        """Those of what `source` gives for which the question, asked of each alone, holds. any_: nothing matters but
        whether there are any."""
        looked, self.looked, self._through = self.looked, False, None
        everyone = source(m)
        seen, number = self.looked, self._through
        self.looked = looked
        found = [one for one in everyone if self.truth(m, question, of, one)]
        if seen and (self.busy is None or (found and not (any_ and self.busy and len(found) == number))):
            self.looked = True
        return found


class WatchedFacts(list[Any]):
    """Facts that note which of them are read and which are written."""

    __slots__ = ("_watch", "known")

    def __init__(self, facts: list[Any], watch: Watch) -> None:
        super().__init__(facts)
        self.known: dict[Any, Any] = {}  # nothing is remembered here
        self._watch = watch

    def __getitem__(self, place: Any) -> Any:
        if place.__class__ is slice:
            self._watch.slots.update(range(len(self))[place])
        else:
            self._watch.slots.add(place)
        return list.__getitem__(self, place)

    def __setitem__(self, place: Any, value: Any) -> None:
        self._watch.written.add(place)
        self._watch.changes += 1
        list.__setitem__(self, place, value)

    def grow(self, place: int, change: Any) -> bool:
        """Add to a number, without a look at it. False: it is none."""
        value = list.__getitem__(self, place)
        if value.__class__ is not int or change.__class__ is not int:
            return False
        self._watch.grown_by[place] = self._watch.grown_by.get(place, 0) + change
        self._watch.changes += 1
        list.__setitem__(self, place, value + change)
        return True

    def __iter__(self) -> Iterator[Any]:
        self._watch.slots.update(range(len(self)))
        return list.__iter__(self)

    def copy(self) -> list[Any]:
        self._watch.slots.update(range(len(self)))
        return list.copy(self)


class WatchedGate(Gate):
    """A gate of which it is noted when somebody asks what was used on it."""

    watch: Watch
    ref: Ref

    @property
    def used(self) -> Any:
        self.watch.spent.add(self.ref)
        return self[2]


class _Whole(dict[Any, Any]):
    """A dictionary of registers: going through it is looking at all of it."""

    __slots__ = ("_watch",)
    _watch: Watch

    def __iter__(self) -> Iterator[Any]:
        self._watch.whole = True
        return dict.__iter__(self)

    def keys(self) -> Any:
        self._watch.whole = True
        return dict.keys(self)

    def values(self) -> Any:
        self._watch.whole = True
        return dict.values(self)

    def items(self) -> Any:
        self._watch.whole = True
        return dict.items(self)


class WatchedCells(_Whole):
    """Cells that note which of those that were there before are read."""

    __slots__ = ("_before",)

    def __init__(self, cells: dict[Ref, Any], watch: Watch) -> None:
        super().__init__(cells)
        self._watch = watch
        self._before = set(cells)  # and not written since

    def _seen(self, ref: Any, cell: Any) -> Any:
        if ref not in self._before:
            self._watch.inner = True
        elif cell.__class__ is Gate:  # of which nothing but what was used there may change unnoticed
            found = WatchedGate._make(cell)
            found.watch, found.ref = self._watch, ref
            return found
        self._watch.refs.add(ref)
        return cell

    def __getitem__(self, ref: Ref) -> Any:
        return self._seen(ref, dict.__getitem__(self, ref))

    def get(self, ref: Ref, default: Any = None) -> Any:
        return self._seen(ref, dict.get(self, ref, default))

    def __contains__(self, ref: Any) -> bool:
        self._watch.refs.add(ref)
        return dict.__contains__(self, ref)

    def pop(self, ref: Ref, *default: Any) -> Any:
        self._watch.changes += 1
        return dict.pop(self, ref, *default)

    def __setitem__(self, ref: Ref, cell: Any) -> None:
        self._before.discard(ref)
        self._watch.changes += 1
        dict.__setitem__(self, ref, Gate._make(cell) if cell.__class__ is WatchedGate else cell)


class WatchedCounts(_Whole):
    """Counts that note which are looked at; counting one on is no looking."""

    __slots__ = ()

    def __init__(self, counts: dict[Any, int], watch: Watch) -> None:
        super().__init__(counts)
        self._watch = watch

    def get(self, key: Any, default: Any = None) -> Any:
        self._watch.counts.add(key)
        return dict.get(self, key, default)

    def __getitem__(self, key: Any) -> int:
        self._watch.counts.add(key)
        count: int = dict.__getitem__(self, key)
        return count

    def __contains__(self, key: object) -> bool:
        self._watch.counts.add(key)
        return dict.__contains__(self, key)

    def grow(self, key: Any) -> None:
        self._watch.grown[key] += 1
        self._watch.changes += 1
        dict.__setitem__(self, key, dict.get(self, key, 0) + 1)

    def __setitem__(self, key: Any, value: int) -> None:
        self._watch.whole = True
        self._watch.changes += 1
        dict.__setitem__(self, key, value)
