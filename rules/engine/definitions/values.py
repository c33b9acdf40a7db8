"""Run-time values: objects, occurrences, uses, gates, decisions. Small immutable tuples, replaced when they change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.engine.base.errors import Untold
from rules.engine.base.messages import NOTHING_SAID, Message
from rules.engine.definitions.model import Ability, OccurrenceKind, Property

PROPOSED, DONE, IMPOSSIBLE, CANCELLED, PREVENTED, REPLACED, VOID = (
    "proposed",
    "done",
    "impossible",
    "cancelled",
    "prevented",
    "replaced",
    "void",
)


@dataclass(frozen=True, slots=True, eq=False)
class Obj:
    """A card, a player or the game itself. One for the whole scenario; `base` is where its facts begin."""

    index: int
    base: int
    id: str  # the scenario's word for it
    label: str  # what a person calls it
    kind: str  # card | player | game
    definition: Any = None
    stranger: bool = False  # it stands for all cards of a pile that nobody named

    def __repr__(self) -> str:
        return self.id


class Ref(tuple[Any, ...]):
    """The name of a cell (record, group, use, gate). It says what the cell is about and not when it was made, so that
    histories which commute lead to equal positions."""

    __slots__ = ()


class Record(NamedTuple):
    """One occurrence: something that would happen, happens, or happened."""

    kind: OccurrenceKind
    roles: tuple[Any, ...]
    status: str
    changes: tuple[int, ...]  # summed once, at commit
    incs: tuple[int, ...]  # incarnations of the objects in its roles when proposed
    before: "Before"
    resolved_as: Ref | None  # the group that replaced it
    short: bool = False  # it happened, but not in full: fewer cards than were to be discarded
    after: tuple[int, ...] = ()  # like `incs`, as one could first answer that it happened

    def with_status(self, status: str) -> "Record":
        return self._replace(status=status)


class Group(NamedTuple):
    """Occurrences with one cause that happen together."""

    members: tuple[Ref, ...]
    planned: bool
    empty_ok: bool  # "each" over nobody succeeds; an empty choice does not


class Use(NamedTuple):
    """One initiated ability."""

    ability: Ability
    obj: Obj
    you: Obj
    trigger: Ref | None  # the record it answers
    env: tuple[Any, ...]  # its own variables, `ok` first
    incs: tuple[tuple[Obj, int], ...]  # objects as they were when chosen
    illegal: tuple[
        int | tuple[int, Obj], ...
    ]  # slots of targets found illegal at execution; or one of those there
    plan: tuple[tuple[int, Ref], ...]  # (operation, group) foreseen at initiation
    record: Ref | None  # the occurrence "this ability is used"
    gate: Ref | None  # where its opportunity lay
    free: bool = False  # its cost is not paid

    def with_env(self, env: tuple[Any, ...]) -> "Use":
        ability, obj, you, trigger, _, incs, illegal, plan, record, gate, free = self
        return Use(ability, obj, you, trigger, env, incs, illegal, plan, record, gate, free)

    @property
    def chosen(self) -> tuple[Obj, ...]:
        """The cards and players that were chosen for it when it was initiated, under whatever names."""
        values = (self.env[target.slot] for target in self.ability.targets if target.aimed)
        many = (one for value in values for one in (value if value.__class__ is tuple else (value,)))
        return tuple(dict.fromkeys(one for one in many if isinstance(one, Obj)))

    def lost(self, slots: Sequence[int], obj: Obj | None) -> bool:
        """Was a choice found illegal that words about these choices speak of, or this object among those chosen?"""
        return any(
            one in slots or (one.__class__ is tuple and one[0] in slots and one[1] is obj)
            for one in self.illegal
        )

    def lost_with_others(self, slots: Sequence[int], obj: Obj | None) -> bool:
        """Is it still legal itself, of those found illegal because some that were chosen with it are?"""
        apart = [one for one in self.illegal if one.__class__ is tuple and one[0] in slots]
        return bool(apart) and not any(one[1] is obj for one in apart)


class Entry(NamedTuple):
    """An occurrence waiting on a gate for abilities of one kind, with the point at which it was put there."""

    record: Ref
    point: str
    batch: int
    matches: (
        frozenset[tuple[int, int]] | None
    )  # (ability, object) fixed when it was raised; None: looked up live
    kind: str  # of ability: a wider gate further out may hold the same occurrence for another kind


class Gate(NamedTuple):
    """Where opportunities wait, and uses that were put here to be carried out later."""

    kinds: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    used: frozenset[tuple[int, int, int, Any]] = (
        frozenset()
    )  # (ability, object, its incarnation, record or group)
    locked: bool = False  # who may answer is fixed when a thing happens
    batch: int = 0
    hushed: frozenset[Ref] = frozenset()  # records that the system's hushed kinds no longer see
    waiting: tuple[Ref, ...] = ()


class Reason(NamedTuple):
    """Why a move is refused or an occurrence did not happen."""

    text: str
    cites: tuple[str, ...]
    depth: int = 0  # how far the tests got: the furthest refusal is the most telling
    held: int = 0  # of an unmet condition: how many of its parts hold before the one that fails

    @property
    def reach(self) -> tuple[int, int]:
        """Of two refusals the one that reaches further is the more telling."""
        return self.depth, self.held


ONCE = 4  # the depth of “already used on this occasion”
WHATEVER = 6  # the depth up to which it makes no difference what is chosen
UNTOLD = Reason("", ())  # of a refusal that nobody is told
NOTHING = Reason(Message("there is nothing it could happen to"), ())


class Candidate(NamedTuple):
    """A possible use: ability of an object, by somebody, perhaps on a trigger that waits on a gate."""

    ability: Ability
    obj: Obj
    you: Obj
    trigger: Ref | None
    gate: Ref | None
    batch: int
    effect: "Delayed | None" = None  # the delayed effect it is, when it is one

    @property
    def subject(self) -> tuple[Any, ...]:
        """What is used, by whom, on what: the same whatever words tell it from others."""
        return self.ability, self.obj, self.you, self.trigger, self.effect

    def meant(self, word: str = "") -> bool:
        """Does a person who names the card, and perhaps one of its abilities, mean this one?

        Without a word it is the card's own text, and what the rules let everybody do with such a card only where the
        card has nothing of its own to choose. Words that nobody understood are no reason to take the rules' move for
        theirs. A word for a kind means the card's own ability of that kind, where it has one.
        """
        if word:
            if self.ability.of_rules and word != self.ability.name:
                return self.ability.called(word) and not any(one.called(word) for one in self.own)
            return self.ability.called(word)
        if not self.ability.of_rules:
            return True
        return not any(
            not one.kind.must and not one.unread and one.zones & self.ability.zones for one in self.own
        )

    @property
    def own(self) -> tuple[Ability, ...]:
        """The abilities of the card's own, also those that it has from elsewhere (`gained`)."""
        return (*self.obj.definition.abilities, *self.gained)

    free: bool = False  # used without its cost being paid
    about: str = ""  # what it answers, in words, when that alone tells it from another option
    gained: tuple[
        Ability, ...
    ] = ()  # where the rules let one do it: what the card has from elsewhere now, to choose


class Offer(NamedTuple):
    """An occurrence as an option: the card it is called after, when that tells it from the others, and its words."""

    record: Ref
    card: Obj | None
    text: str


def bare(option: Any) -> Any:
    """What an option stands for."""
    return option.record if option.__class__ is Offer else option


def tells_of(verb: str, kind: str) -> bool:
    """Does a verb that means one kind of occurrence tell of this one, too? “Discards” does of `discard-cards`."""
    return any(word.startswith(verb) for word in (kind, *kind.split("-")))


def chosen_ids(option: Any) -> list[str]:
    """The ids of the cards and players (or the words for numbers) that an option of a choice stands for."""
    option = option.card if isinstance(option, Offer) else option
    many = option if isinstance(option, tuple) else (option,)
    return [one.id if isinstance(one, Obj) else str(one) for one in many if one is not None]


@dataclass(slots=True)
class Decision:
    """The one open choice of a position.

    who: a player, or one of the deciders "chance", "rules", "facts".
    kind: use | order | target | choose | may | one-of | reading | fact.
    options: what may be chosen, in a fixed order; refused: candidates rejected, each with its first reason.
    """

    who: Any
    kind: str
    options: list[Any]
    refused: list[tuple[Any, Reason]]
    subject: Any = None  # the window's kinds, the choice's name, the reading's key, the fact's slot
    stop: bool = False  # a line of the exploration ends here unless a scripted move goes on
    cites: tuple[str, ...] = ()
    untold: Untold | None = None  # what may be used hangs on it, so only whose turn it is is known
    declinable: bool = False  # a choice that the rules offer (who blocks): to pass is to choose nobody
    of_rules: bool = False  # do the rules ask whether or how to go on, and no card?


class Snapshot(NamedTuple):
    """An object just before something happened to it: its facts, its computed stats, whether its text worked.

    outlived: it left play later, through another effect. in_one_effect: all that happens meanwhile counts as one effect
    (`one-effect`).
    """

    row: tuple[Any, ...]
    stats: tuple[tuple[str, Any], ...]
    works: bool
    outlived: bool = False
    in_one_effect: bool = False
    gained: frozenset[int] = frozenset()  # the abilities that it had from elsewhere, by their number


class Before(dict[int, Snapshot]):
    """Objects, by their index, as they were just before something happened. Never changed."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


NOBODY = Before()


class Lasting(NamedTuple):
    """A continuous effect made by an effect, bound to the object as it was then; property: None for an ability."""

    obj: Obj
    inc: int
    property: Property | None
    op: str  # add | set | gain (an ability)
    value: Any
    until: str
    whose: Obj | None = None  # whose period it is, where each player has one of their own


class Delayed(NamedTuple):
    """A trigger made by an effect: waits for its occurrence, with the variables it keeps."""

    ability: Ability
    obj: Obj
    you: Obj
    env: tuple[Any, ...]
    once: bool
    until: str
    number: int
    incs: tuple[tuple[Obj, int], ...] = ()  # its card and those it keeps, as they were when it was made


def replaced(values: tuple[Any, ...], slot: int, value: Any) -> tuple[Any, ...]:
    """The tuple with one place changed."""
    return (*values[:slot], value, *values[slot + 1 :])


def label(value: Any) -> str:
    """What people call a value."""
    if isinstance(value, Obj):
        return value.label
    return NOTHING_SAID if value is None else str(value)
