"""One scenario made concrete: what no line changes. `rules.engine.setup` makes it; positions refer to it."""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Protocol

from rules.engine.base.facts import Open
from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.model import (
    Ability,
    Always,
    Immunity,
    OccurrenceKind,
    Prohibition,
    Property,
    Restrictions,
    System,
    Unit,
)
from rules.engine.definitions.values import Obj, Ref
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import compile_typed
from rules.engine.language.folding import OF_USE, UNNAMED, read_by
from rules.engine.language.scopes import Name, Scope

CHUNK = 16  # facts that a position knows by one number
LATELY = 1024  # registers remembered by which objects they are


class Narrowing(Protocol):
    """Procedures rewritten for what can happen in a scene (rules.engine.narrowing)."""

    def unit(self, unit: Unit, ability: Ability | None, obj: Obj | None) -> Unit:
        """The procedure as it is when it runs for this ability of this card (None: for the rules themselves)."""

    def restrictions(self, ability: Ability, obj: Obj) -> tuple[Restrictions, Restrictions]:
        """The system's `access` and `restrictions` that may stand against this ability of this card."""

    def free(self, ability: Ability, obj: Obj) -> bool:
        """Is it known that only its place and its occasion can stand against the use of this ability of this card?"""

    def speaks(self, obj: Obj) -> bool:
        """May the card's text be without effect?"""


class Scene:
    """Everything about a scenario that no line changes."""

    system: System
    scenario: Mapping[str, Any]  # canonical (rules.scenarios)

    # objects and their facts; a fact is at `obj.base + prop.slot`
    objects: dict[str, Obj]
    players: list[Obj]
    cards: list[Obj]
    game: Obj
    strangers: dict[
        tuple[Obj, str], Obj
    ]  # (player, zone) -> the object that stands for all cards nobody named there
    facts: list[Any]
    originals: list[Any]  # the facts before copies took what is printed on their models
    said_filters: dict[Compiled, str]  # what stands on a card as a filter -> as it is written
    copied: bool  # is anything a copy from the start?
    number_slots: tuple[int, ...]
    inc_slot: int
    zone_slot: int
    controller_slot: int
    owner_slot: int
    host_slot: int
    face_slot: int
    shed: tuple[Property, ...]  # lost when a card leaves play
    bonds: tuple[
        Property, ...
    ]  # of a card in play: which other card it belongs to, as a host, a story, an attacker
    former: Obj  # what a bond names when the card it named is in play again, as a new object: never in play itself
    printed: tuple[Property, ...]  # a copy of a card has them too
    recalled: tuple[
        tuple[str, Compiled], ...
    ]  # values computed from others that are remembered of what leaves play
    computed: tuple[str, ...]  # properties of cards that are worked out when they are read
    readings_base: int
    reading_slots: dict[str, int]
    touched: set[str]  # readings that some line consulted
    # by player and card: what its use asks for and nobody spoke of, taken to be so, with the rules
    taken: dict[tuple[str, str], dict[str, tuple[str, ...]]]
    granted: dict[str, tuple[str, ...]]  # what a procedure assumed, as nobody told it, with the rules
    presumed: set[int]  # the facts that the game took to be so, as nobody told them
    used: set[tuple[str, str]]  # who used what, on any line

    # who listens, who may do what
    abilities: list[tuple[Obj, Ability]]
    untriggered: dict[str, list[tuple[Obj, Ability]]]  # by kind of ability
    listeners: dict[tuple[str, str], list[tuple[Obj, Ability]]]  # by point and kind of occurrence
    listening: dict[tuple[str, str], tuple[str, ...]]  # the kinds of ability among them
    gained: dict[Obj, list[Ability]]
    always: dict[str, list[tuple[Obj, Always]]]
    prohibitions: list[tuple[Obj, Prohibition]]
    immunities: list[tuple[Obj, Immunity]]
    returns: bool  # may a card's own text bring cards into play?
    unread: dict[Obj, Any]  # cards part of whose text is not understood
    reads: frozenset[str]
    counted: dict[
        str, tuple[tuple[str, str], ...]
    ]  # kind of occurrence -> under which words, in which periods

    sorted_by: tuple[str, ...]  # families with a condition of their own of whose occurrences a question asks

    # the moves that were told, and what is asked
    did: list[Mapping[str, Any]]
    chooses: dict[
        int, frozenset[str]
    ]  # by an ability's number, where moves are told: the names of its choices
    idle_passes: dict[int, str]
    lone_passes: bool  # may the pass of the only player be said where there is nothing to use?
    choices_of_rules: frozenset[str]  # the names of what the system's own procedures ask for
    # (who, name) -> the cards: choices that were told and that do not come up after all
    lapsed: Mapping[tuple[str, str], str | list[str]]
    last_use: int
    last_repeat: int
    asks: list[Mapping[str, Any]]
    wants: dict[str, list[str]]
    watched: frozenset[str]
    watched_kinds: frozenset[str]
    makes_sure: tuple[str, ...]
    moments: tuple[Any, ...]  # questions about what is so when something has happened
    start: Unit
    arguments: dict[str, Any]

    breath: Callable[[], None] | None = (
        None  # called from within long expressions, so that a budget is looked at
    )

    same: "Same"
    specialiser: Narrowing | None  # rewritten procedures, in a narrowed scene

    asked_from: int  # the place of the first move that was not told, but is asked about

    def may_name(self, move: Mapping[str, Any], name: str) -> bool:
        """May a choice that is told be the one of this name? A verb (“kills Guard”) answers whatever a card calls the
        choice, but of what the rules ask for only what it names (`rules`)."""
        if "rules" in move and name not in move["rules"] and name in self.choices_of_rules:
            return False
        return bool(move.get("for", name) == name)

    def going_on(self, moves: Sequence[Mapping[str, Any]]) -> "Scene":
        """The same scene in which these moves, which are asked about, were made as well. Raises DataError."""
        raise NotImplementedError

    def paying_first(self) -> "Scene | None":
        """The same scene in which, of several choices told for a use, the first is what pays; None: it is the same."""
        raise NotImplementedError

    def paying_alone(self) -> "Iterator[Scene]":
        """The same scene in which what is told of a use is only what pays for it, if that is another one."""
        raise NotImplementedError

    def passing_alone(self) -> "Scene | None":
        """The same scene of one player, whose told passes are made only where they must be; None: it is the same."""
        raise NotImplementedError

    def choosing_later(self) -> Iterator["Scene"]:
        """The same scene with a choice that follows its use told behind what others did then."""
        raise NotImplementedError

    def chosen_otherwise(self) -> Iterator["Scene"]:
        """The same scene in which several cards told together with a use are its choices in another order."""
        raise NotImplementedError

    def by_the_rules(self) -> Iterator["Scene"]:
        """The same scene with a use that is not the card's own text, but what the rules let one answer with it."""
        raise NotImplementedError

    def answers_by_the_rules(self, card: str) -> list[str]:
        """The names of what the rules let a player answer with a card that has a text of its own."""
        raise NotImplementedError

    def answering_those(self) -> Iterator["Scene"]:
        """The same scene in which a use answers what it was told on, and doesn't pay with it."""
        raise NotImplementedError

    def asking(self, did: Sequence[Mapping[str, Any]], ask: Mapping[str, Any]) -> "Scene":
        """The same scene after these moves, and one question about it. Raises DataError."""
        raise NotImplementedError

    def under(self, reading: str, option: str) -> "Scene":
        """The same scene with a reading of the rules taken so."""
        raise NotImplementedError

    def asked_of(self, who: str) -> "Scene":
        """The same scene, in which nobody else than this player is to make sure of anything."""
        raise NotImplementedError

    def has_from_the_start(self, card: Obj, ability: Ability) -> bool:
        """Does some card's text give the card this ability as the scenario begins, or may it?"""
        raise NotImplementedError

    def forbids(self, kind: OccurrenceKind) -> bool:
        """May anything here say that an occurrence of this kind cannot be?"""
        return any(requirement.absolute is not None for requirement in kind.possible) or any(
            kind.name in prohibition.tests
            for prohibition in (*(prohibition for _, prohibition in self.prohibitions), *self.bans)
        )

    def neighbours(self, m: Any, obj: Obj) -> list[Obj]:
        """A card's host and its attachments: they are remembered with it."""
        host = m.facts[obj.base + self.host_slot]
        found = [host] if isinstance(host, Obj) and host is not self.former else []
        return found + [card for card in self.cards if m.says(type(m).hangs_on, card, obj)]

    def expression(self, text: Any, place: str, *, departing: bool = False) -> Callable[..., Any]:
        """Compile a question's expression: cards and players by their ids, game variables, properties. departing: what
        a card lost by leaving play with what is answered (the use's `trigger`) is read as it was."""

        def constant(obj: Obj) -> Callable[..., Any]:
            return lambda m, b: obj

        names = {
            key: Name(constant(obj), obj.kind, departs=departing)
            for key, obj in self.objects.items()
            if obj.kind in ("card", "player")
        }
        language = copy.copy(self.system)
        language.derived = {
            **language.derived,
            **{name: language.derived[other] for name, other in language.asked.items()},
        }
        compiled, _ = compile_typed(text, Scope(language, names, unnamed=True), place=place)
        return compiled

    def changing(self, facts: Sequence[Any]) -> tuple[int, ...]:
        """The facts that can differ between positions, as numbers: equal where those are, and small."""
        numbers = self.same.numbers
        return tuple([numbers.setdefault(take(facts), len(numbers)) for take in self._takers])

    def narrowed(self, specialiser: Narrowing, footprint: Footprint) -> "Scene":
        """The same scene, where only what the footprint says can happen."""
        scene = copy.copy(self)
        scene.specialiser = specialiser
        scene.settle(footprint)
        return scene

    def settle(self, footprint: Footprint) -> None:
        """Settle what hangs on what can happen here."""
        self.footprint = footprint
        self.bans = frozenset(footprint.bans)
        use = self.system.kinds.get("use")  # “this ability is used”: asked only where something may forbid it
        self.forbidden_means = tuple(one for one in self.system.means if self.forbids(one[1].kind))
        self.forbidden_use = use if use is not None and self.forbids(use) else None
        self.kinds_present = frozenset(footprint.kinds)
        self.gives_back = footprint.gives_back
        self.copies = footprint.copies or self.copied
        answered = {kind for point, kind in footprint.listened if point in self.system.later}
        asked_of = {kind for name in self.sorted_by for kind in self.system.families[name]}
        self.remembered = frozenset(answered | footprint.told | asked_of)
        self.modified = frozenset(footprint.lasting | set(self.always))
        self.worked_out = self.modified.union(
            name for name, prop in self.system.properties.items() if prop.worked_out
        )
        self.worked_out |= {OF_USE}
        if self.strangers:  # what a filter finds among them is said with what is known of their piles
            self.worked_out |= {UNNAMED}
        self.steady = self._steady()
        self.unsteady = self.worked_out - self.steady
        self.dynamic_slots = self._dynamic_slots(footprint.written)
        self._takers = [taking(chunk) for chunk in batched(self.dynamic_slots, CHUNK)]

    def _steady(self) -> frozenset[str]:
        """The stats worked out from nothing but facts, effects that last, and one another."""
        reads: dict[str, frozenset[str]] = {}
        of_texts = [self.system.silent]  # what it hangs on whether what is always so changes a card
        of_texts += [part for _, immunity in self.immunities for part in (immunity.covers, immunity.source)]
        for name in self.worked_out - {UNNAMED, OF_USE}:
            prop = self.system.properties[name]
            texts = [always for _, always in self.always.get(name, ())]
            parts = [prop.base, prop.adds, *(part for both in prop.fixed for part in both)]
            found = [read_by(*parts, *(of_texts if texts else ())), *(one.reads() for one in texts)]
            if None not in found:
                reads[name] = frozenset().union(*(one for one in found if one is not None))
        while strange := [name for name, of in reads.items() if of & self.worked_out - reads.keys()]:
            for name in strange:
                del reads[name]
        return frozenset(reads)

    def closed(self, footprint: Footprint) -> Footprint:
        """The same, with what follows from it here: what moving and copying change."""
        facts, cards, written = self.facts, self.cards, footprint.written
        if footprint.moves:
            written |= {self.zone_slot, self.inc_slot}
            for pile in self.system.piles.values():
                if pile.ordered:  # what leaves it brings the others nearer to its top
                    written |= {pile.place.slot, pile.settled.slot}
                if pile.counts is not None:  # a card that nobody named moves as well
                    written.add(pile.counts.slot)
            if footprint.attaches:
                written.add(self.host_slot)
            owner, controller = self.owner_slot, self.controller_slot
            if footprint.hands_over or any(
                facts[c.base + owner] is not facts[c.base + controller] for c in cards
            ):
                written.add(controller)
            for prop in self.shed:  # back to the default, which matters to those that have something else
                if any(facts[card.base + prop.slot] != prop.default for card in cards):
                    written.add(prop.slot)
            for prop in self.bonds:  # to what it names no more, once that has come back as a new object
                if any(facts[card.base + prop.slot] is not None for card in cards):
                    written.add(prop.slot)
        if footprint.copies:
            written |= {prop.slot for prop in self.printed} | {self.face_slot}
        return footprint

    def _dynamic_slots(self, written: Iterable[int]) -> list[int]:
        """The facts that can differ between positions: what some instruction writes, and what is open."""
        properties = sorted(
            (prop.slot, prop.of) for prop in self.system.properties.values() if prop.slot in written
        )
        slots = [
            obj.base + slot for obj in self.objects.values() for slot, of in properties if of == obj.kind
        ]
        slots += [
            slot
            for slot, value in enumerate(self.facts)
            if value.__class__ is Open and value.options and slot not in set(slots)
        ]
        return slots


class Same:
    """Gives equal records, groups and uses one number, so that a position tells them apart without looking into them.

    They are never changed, large, and met again in thousands of positions.
    """

    __slots__ = ("_kept", "_lately", "_seen", "numbers")

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}  # by which object it is
        self.numbers: dict[Any, int] = {}  # by what it holds
        self._kept: list[Any] = []  # as long as an object is known by its identity it must stay
        self._lately: dict[tuple[int, ...], tuple[Any, ...]] = {}  # likewise, for a while

    def number(self, value: Any) -> int:
        """One number for equal values."""
        return self.numbers.setdefault(value, len(self.numbers))

    def __call__(self, cell: Any) -> int:
        found = self._seen.get(id(cell))
        if found is None:
            found = self._seen[id(cell)] = self.number(cell)
            self._kept.append(cell)
        return found

    def registers(
        self, values: tuple[Any, ...], look: Callable[[tuple[Any, ...]], tuple[Ref, ...]]
    ) -> tuple[int, tuple[Ref, ...]]:
        """The number of a machine's registers, and what `look` finds in them. From one position to the next they are
        mostly the same objects, frames under frames, which need not be looked into again."""
        which = tuple(map(id, values))
        found = self._lately.get(which)
        if found is None:
            if len(self._lately) >= LATELY:
                self._lately.clear()
            found = self._lately[which] = (self.number(values), look(values), values)
        return found[0], found[1]


def batched(values: Sequence[int], size: int) -> list[Sequence[int]]:
    return [values[start : start + size] for start in range(0, len(values), size)]


def taking(slots: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The facts at these slots."""
    if len(slots) < 2:
        return lambda facts: tuple([facts[slot] for slot in slots])
    return itemgetter(*slots)
