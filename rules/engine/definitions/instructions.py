"""What every instruction is, and what it may ask about a scene before any position is looked at."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from rules.engine.language.folding import UNKNOWN

if TYPE_CHECKING:  # within this room
    from rules.engine.base.errors import Untold
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.model import Ability, OccurrenceKind, Property, Requirement, System, Unit
    from rules.engine.definitions.values import Decision, Reason
    from rules.engine.language.combinators import Compiled


class Known(Protocol):
    """What is settled in a scene before any position is looked at (rules.engine.narrowing)."""

    scene: Any
    ability: "Ability | None"
    footprint: "Footprint"
    consulted: set[str]  # readings that the last answers came from

    def uses(self, kind: str) -> bool:
        """May an ability of this kind be used?"""

    def hears(self, point: str) -> bool:
        """May anything listen at this point?"""

    def waits_on(self, kinds: Iterable[str]) -> tuple[str, ...]:
        """Those of the kinds for which something can wait on a gate."""

    def empty(self, unit: "Unit", *, for_rules: bool = False) -> bool:
        """Does a procedure run from this one do nothing?"""


OK = 0  # the variable that says whether the instruction before was done in full


@dataclass(slots=True, eq=False)
class Operation:
    """An instruction. `cites` are the rules behind it, `says` what a trace calls it."""

    cites: tuple[str, ...] = field(default=(), kw_only=True)
    says: str = field(default="", kw_only=True)
    chart: bool = field(default=True, kw_only=True)  # variables live in the chart's frame, else in the use
    paying: bool = field(default=False, kw_only=True)  # it stands in a cost

    jumps_only: ClassVar[bool] = False  # it does nothing but go on elsewhere
    affirms: ClassVar[bool] = False  # it does nothing but say that what came before was done
    neutral: ClassVar[bool] = False  # it changes nothing of the game by itself
    needs_success: ClassVar[bool] = False  # `then`: it jumps unless what stands before it was done in full
    always_jumps: ClassVar[bool] = False  # what stands behind it is reached only by other jumps

    def run(self, m: Any) -> "Decision | None":
        raise NotImplementedError

    def take(self, m: Any, decision: "Decision", index: int) -> None:
        raise NotImplementedError

    def obstacle(self, m: Any) -> "Reason | None":
        """Why it could not be performed now, for those that can tell (costs, options)."""
        return None

    def idle(self, m: Any, chosen: frozenset[int]) -> "Reason | None":
        """Why it would change nothing now, whatever else is decided; None: it may change something. chosen: the
        variables of the choices that are still to be made."""
        return None

    def entering(self, m: Any) -> frozenset[int]:
        """The variables of the cards that it would bring into play."""
        return frozenset()

    def missing(self, m: Any, absent: frozenset[int]) -> "Reason | None":
        """Why it would change nothing where the cards of these variables do not come into play; None: it may."""
        return None

    @property
    def failing(self) -> "Requirement | None":
        """The condition of a card's text without which what stands behind it is left out."""
        return None

    def holds(self, m: Any, settled: "frozenset[int] | None", *, whatever: bool) -> bool | None:
        """Of such a condition: is it so, as things stand and will stand when it is asked? None: that is open.

        settled: the variables of the choices that are made; None: what comes before may have changed what is asked of
        them. whatever: is one that speaks of none of them worth asking about?"""
        return None

    def picks(self, m: Any, chosen: frozenset[int]) -> "tuple[int, Sequence[Any]] | None":
        """Of a choice on the way: its variable, and what can be chosen for it as things stand; None: it is none, or
        what is still to be chosen or paid may change that. chosen: as for `idle`."""
        return None

    def unnamed_alone(self, m: Any, chosen: frozenset[int]) -> "Untold | None":
        """Of a choice on the way: what is not told, where only a card could be chosen that nobody named and that may be
        none of those. chosen: as for `idle`."""
        return None

    def blocks(self) -> "Sequence[tuple[int, int]]":
        """Where the instructions stand of which a player lets at most one block be carried out, the last up to where
        it goes on in any case."""
        return ()

    def each_of(self, m: Any, chosen: frozenset[int]) -> "tuple[int, Sequence[Any], int] | None":
        """Of a loop: its variable, over whom it goes as things stand, and where it goes on behind it; None: it is none,
        or what is still to be chosen or paid may change that. chosen: as for `idle`."""
        return None

    def passes_over(self, m: Any) -> int | None:
        """Where it goes on, if as things stand it leaves out what stands behind it and does nothing itself: a condition
        that does not hold, a loop over nothing. None: it may do something."""
        return None

    def reserve(self, m: Any) -> None:
        """While a use is judged: what it will take from a counter is not there for what is paid after it."""

    def changes(self, m: Any) -> Sequence[Any]:
        """While a use is judged: the changes of facts (`Write`) by which it pays, as part of a cost."""
        return ()

    def ways(self, m: Any) -> Sequence[Sequence[Any]]:
        """The same, in each way in which it may be paid; at least one."""
        return (self.changes(m),)

    def asks(self, m: Any, counter: str) -> tuple[Any, Any] | None:
        """Who pays how much of that counter by it; None: it is no such payment."""
        return None

    def vacuous(self, m: Any) -> bool:
        """Is it about all of a kind of which there is none?"""
        return False

    def leads_to(self, system: "System") -> Sequence[Any]:
        """The procedures, kinds of occurrence and abilities that it may start or leave behind."""
        return ()

    def holders(self, kind: "OccurrenceKind", known: "Known") -> tuple[Any, ...]:
        """What holds each role of an occurrence of that kind which it proposes: the value, or UNKNOWN."""
        return (UNKNOWN,) * len(kind.roles)

    def mark(self, footprint: "Footprint") -> None:
        """Add what it may do to a position."""

    def waiting(self, m: Any, decision: "Decision") -> Sequence[Any] | None:
        """Of an order loop, what its decision puts in order: the same for the same thing in each of its decisions.
        None: it is no order loop, or not one in which each is taken once."""
        return None

    @property
    def own_variables(self) -> tuple[int, ...]:
        """The variables in which an order loop remembers where it is."""
        return ()

    @property
    def asks_for(self) -> Sequence[str]:
        """The kinds of ability that may be used here."""
        return ()

    def reduced(self, known: "Known") -> "Operation | None":
        """This instruction as it is in a scene: itself, a simpler one, or None when it does nothing there."""
        return self

    def jumps(self) -> Sequence[int]:
        """Where it may jump to, beside going on with the next."""
        to = getattr(self, "to", -1)
        return () if to < 0 else (to,)

    def redirect(self, moved: Callable[[int], int]) -> None:
        """Put its jumps right in code that has become shorter."""
        setattr(self, "to", moved(getattr(self, "to")))  # noqa: B009, B010 - not every instruction jumps

    def set(self, m: Any, slot: int, value: Any) -> None:
        if self.chart:
            m.set_chart(slot, value)
        else:
            m.set_use(slot, value)

    def get(self, m: Any, slot: int) -> Any:
        if self.chart:
            return m.env[slot]
        assert m.cur is not None
        return m.cur.env[slot]


class Changing(Protocol):
    """An instruction that changes a fact for a while, as far as it is known before it runs
    (rules.engine.operations.MakeLasting)."""

    property: "Property"
    mentions: tuple[int, ...]  # targets of the use that its words name


class Proposal(Protocol):
    """An instruction that lets something happen, as far as it is known before it runs (rules.engine.operations.Do)."""

    kind: "OccurrenceKind"
    each: "Compiled | None"
    mentions: tuple[int, ...]  # targets of the use that its words name
    meant: bool  # it says what a use comes to, and is no instruction of its own

    def bindings(self, m: Any) -> list[tuple[Any, ...]]:
        """The roles of every member, evaluated now."""
