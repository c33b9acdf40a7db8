"""Decks: drawn from, looked at, put back in an order, shuffled (rules.engine.machine.piles)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rules.engine.base.errors import Unworkable
from rules.engine.base.messages import NOTHING_SAID, Message, listed
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import Decision, Obj, bare
from rules.engine.language.combinators import Compiled

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.definitions.model import Pile
    from rules.engine.machine.interpreter import Machine

MOST = 200  # cards that an effect may look at
TOP = "top"  # what the choice of chance is called: which card lies on top


@dataclass(slots=True, eq=False)
class _OfPile(Operation):
    pile: "Pile"

    name: ClassVar[str] = TOP

    def mark(self, footprint: "Footprint") -> None:
        footprint.moves = True
        footprint.written.update((self.pile.place.slot, self.pile.settled.slot))
        if self.pile.counts is not None:
            footprint.written.add(self.pile.counts.slot)

    def _unsettled(self, m: "Machine", owner: Obj, number: int) -> list[Any]:
        """Chance's options for the first of so many places from the top that is not settled; those without an
        alternative are settled here. Nothing: all are, or the pile ends before."""
        while m.settled(self.pile, owner) < number:
            options = list(m.next_of_pile(self.pile, owner))
            if len(options) != 1:
                return options
            m.settle_next(self.pile, owner, options[0])
        return []

    def _settling(self, options: list[Any]) -> Decision:
        return Decision("chance", "choose", options, [], subject=TOP, cites=self.cites)

    def _settled(self, m: "Machine", owner: Obj, decision: Decision, index: int) -> None:
        m.settle_next(self.pile, owner, bare(decision.options[index]))


@dataclass(slots=True, eq=False)
class Deal(_OfPile):
    """So many cards from the top of a player's pile go to a zone, one after another; ok when there are so many."""

    of: Compiled
    number: Compiled
    zone: str
    into: "Pile | None"
    state: int  # hidden: (how many are still to come, those that came)
    slot: int | None  # `as`: the named ones among them

    def mark(self, footprint: "Footprint") -> None:
        _OfPile.mark(self, footprint)
        if self.into is not None and self.into.counts is not None:
            footprint.written.add(self.into.counts.slot)

    def run(self, m: "Machine") -> Decision | None:
        owner = self.of(m, ())
        left, came = self.get(m, self.state) or (self.number(m, ()), ())
        while left > 0:
            if plain := min(left, m.plain_on_top(self.pile, owner)):
                m.take_plain(self.pile, owner, plain, self.zone)
                left -= plain
                self.set(m, self.state, (left, came))
                continue
            options = self._unsettled(m, owner, 1)
            if options:
                self.set(m, self.state, (left, came))
                return self._settling(options)
            if not m.settled(self.pile, owner):
                break
            card = m.take_from_top(self.pile, owner, self.zone)
            left, came = left - 1, came if card is None else (*came, card)
            self.set(m, self.state, (left, came))
        self.set(m, self.state, None)
        self.set(m, OK, left <= 0)
        if self.slot is not None:
            self.set(m, self.slot, came)
        if m.tracer and came:
            zone, cards = m.system.zone_names[self.zone], listed(card.label for card in came)
            m.tracer.note(Message("{cards}: {zone}", cards=cards, zone=zone), cites=self.cites)
        return None

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._settled(m, self.of(m, ()), decision, index)
        m.pc -= 1


@dataclass(slots=True, eq=False)
class Look(_OfPile):
    """What the top cards of a player's pile are: settled and named, nothing moves. ok when there are any."""

    of: Compiled
    number: Compiled
    slot: int

    def mark(self, footprint: "Footprint") -> None:
        _OfPile.mark(self, footprint)
        footprint.looks = True

    def run(self, m: "Machine") -> Decision | None:
        owner, number = self.of(m, ()), self.number(m, ())
        if number > MOST:
            text = "an effect looks at {number} cards, more than a {pile} holds"
            raise Unworkable(Message(text, number=number, pile=m.system.word(self.pile.zone)))
        if options := self._unsettled(m, owner, number):
            return self._settling(options)
        seen = tuple(m.from_top(self.pile, owner, number))
        self.set(m, self.slot, seen)
        self.set(m, OK, bool(seen))
        if m.tracer:
            text = Message(
                "on top of {owner}'s {pile}: {cards}",
                owner=owner,
                pile=m.system.word(self.pile.zone),
                cards=listed(card.label for card in seen) or NOTHING_SAID,
            )
            m.tracer.note(text, cites=self.cites)
        return None

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        self._settled(m, self.of(m, ()), decision, index)
        m.pc -= 1


@dataclass(slots=True, eq=False)
class PutBack(_OfPile):
    """A card goes on top of its owner's pile, or under it. there: the occurrence has moved it into the pile already."""

    card: Compiled
    on_top: bool
    there: bool

    def run(self, m: "Machine") -> None:
        card = self.card(m, ())
        self.set(m, OK, card is not None)
        if card is None:
            return
        m.put_back(self.pile, card, on_top=self.on_top, there=self.there)
        if m.tracer:
            pile = m.system.word(self.pile.zone)
            text = Message("{card} goes under its owner's {pile}", card=card, pile=pile)
            if self.on_top:
                text = Message("{card} goes on top of its owner's {pile}", card=card, pile=pile)
            m.tracer.note(text, cites=self.cites)


@dataclass(slots=True, eq=False)
class Shuffle(_OfPile):
    """Nothing is known of the order of a player's pile any more."""

    of: Compiled

    def run(self, m: "Machine") -> None:
        m.shuffle_pile(self.pile, self.of(m, ()))
        self.set(m, OK, True)
