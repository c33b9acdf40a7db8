"""Order within a pile of cards: what lies on top of a deck, as far as it is known, and what chance makes of the rest.

A scenario names some of the cards in a deck and counts the others. Each named card has a place: 1 is the top, -1 the
bottom, 0 somewhere among the rest. Places are settled from the top as soon as somebody draws or looks: a place that is
nobody's is one of the cards that lie somewhere, or one that nobody named; chance says which (`next_of_pile`). How many
from the top are settled is a fact of the owner, so that a card looked at and left there is not looked for again.

A card that nobody named is its owner's *stranger*: one object that stands for all of them. It is counted, not moved,
and whoever asks what it is gets no answer (Untold).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import Unnamed, Untold
from rules.engine.definitions.values import Obj, replaced
from rules.engine.machine.state import State
from rules.engine.machine.watch import WatchedFacts

if TYPE_CHECKING:
    from rules.engine.definitions.model import Pile

ENOUGH = 1 << 40  # more than anybody takes
ANOTHER = "another"  # how a scenario calls a card that it does not name


class Piles(State):
    """The places of cards in their owners' piles."""

    def in_pile(self, pile: "Pile", owner: Obj) -> list[Obj]:
        """The named cards in a player's pile, in no order."""
        zone, whose = self.scene.zone_slot, self.scene.owner_slot
        return [
            card
            for card in self.cards
            if self.facts[card.base + zone] == pile.zone and self.facts[card.base + whose] is owner
        ]

    def place(self, pile: "Pile", card: Obj) -> int:
        return self.facts[card.base + pile.place.slot] or 0

    def unnamed(self, pile: "Pile", owner: Obj) -> int | None:
        """How many cards of the pile nobody named; None: enough."""
        return None if pile.counts is None else self.fact(owner, pile.counts)

    def is_of(self, obj: Obj, slot: int) -> bool:
        """Is it a fact of this object?"""
        return obj.base <= slot < obj.base + self.system.width

    def unnamed_one(self, stranger: Obj) -> Unnamed:
        """What to say where it matters what a card is that nobody named."""
        return Unnamed(self.fact(stranger, self.system.properties["owner"]), self.zone(stranger))

    def untold_at(self, slot: int) -> Untold:
        """What to say where it matters what nobody told, and what cannot be listed."""
        scene = self.scene
        obj = next(o for o in (*scene.strangers.values(), *scene.objects.values()) if self.is_of(o, slot))
        if obj.stranger:
            return self.unnamed_one(obj)
        return Untold(obj, next(p.name for p in self.system.properties.values() if obj.base + p.slot == slot))

    def among(self, members: Any) -> tuple[list[Any], list[Obj]]:
        """What may be chosen: the members for sure, and cards that nobody named which may be members."""
        split = getattr(members, "split", None)
        if split is None or not self.scene.strangers:
            return members(self, ()), []
        found: tuple[list[Any], list[Obj]] = split(self, ())
        return found

    def surely(self, members: Any, chosen: Any) -> None:
        """Raises Unnamed if what was chosen may not be among the members; or goes on as if it were (`supposes`)."""
        if isinstance(chosen, Obj) and chosen.stranger and chosen in self.among(members)[1]:
            self.in_doubt = self.unnamed_one(chosen)
            if not self.supposes:
                raise self.in_doubt

    def unnamed_cards(self) -> list[tuple[Obj, int | None]]:
        """Those who stand for cards that nobody named, and for how many; None: enough."""
        piles, found = self.system.piles, []
        for (owner, zone), stranger in self.scene.strangers.items():
            number = self.unnamed(piles[zone], owner)
            if number != 0:
                found.append((stranger, number))
        return found

    def check_told(self, stranger: Obj) -> None:
        """Raises Untold where nobody said how many cards it stands for."""
        owner, pile = (
            self.fact(stranger, self.system.properties["owner"]),
            self.system.piles[self.zone(stranger)],
        )
        if pile.counts is not None and self.fact(owner, pile.counts) is None:
            raise Untold(owner, pile.counts.name)

    def settled(self, pile: "Pile", owner: Obj) -> int:
        return self.facts[owner.base + pile.settled.slot] or 0

    def next_of_pile(self, pile: "Pile", owner: Obj) -> Sequence[Obj | str]:
        """What may lie on the first place from the top that is not settled; nothing where the pile ends before."""
        number = self.settled(pile, owner) + 1
        cards = self.in_pile(pile, owner)
        here = [card for card in cards if self.place(pile, card) == number]
        if here:
            return [here[0]]
        unnamed = self.unnamed(pile, owner)
        if unnamed is not None:
            placed = sum(1 for card in cards if 0 < self.place(pile, card) < number)
            unnamed -= number - 1 - placed
        loose: list[Obj | str] = [card for card in cards if self.place(pile, card) == 0]
        if loose or unnamed is None or unnamed > 0:
            return loose if unnamed is not None and unnamed <= 0 else [*loose, ANOTHER]
        below = sorted((card for card in cards if self.place(pile, card) > number), key=self._by(pile))
        bottom = sorted((card for card in cards if self.place(pile, card) < 0), key=self._by(pile))
        return [*below, *bottom][:1]

    def _by(self, pile: "Pile") -> Any:
        return lambda card: self.place(pile, card)

    def settle_next(self, pile: "Pile", owner: Obj, card: Obj | str) -> None:
        """It is this one that lies there."""
        number = self.settled(pile, owner) + 1
        if isinstance(card, Obj) and self.place(pile, card) != number:
            self.facts[card.base + pile.place.slot] = number
        self.facts[owner.base + pile.settled.slot] = number

    def from_top(self, pile: "Pile", owner: Obj, number: int) -> list[Any]:
        """The cards on the first places, which are settled: objects, or ANOTHER."""
        by_place = {self.place(pile, card): card for card in self.in_pile(pile, owner)}
        settled = min(number, self.settled(pile, owner))
        stranger = self.scene.strangers.get((owner, pile.zone), ANOTHER)
        return [by_place.get(place, stranger) for place in range(1, settled + 1)]

    def take_from_top(self, pile: "Pile", owner: Obj, zone: str) -> Obj | None:
        """Move the top card, which is settled, to another zone; the card, or None for one that nobody named."""
        card = self.from_top(pile, owner, 1)[0]
        if isinstance(card, Obj) and not card.stranger:
            self.move(card, zone, None, None)
            return card
        self._another_leaves(pile, owner, zone)
        return card if isinstance(card, Obj) else None

    def plain_on_top(self, pile: "Pile", owner: Obj) -> int:
        """So many cards on top are surely ones that nobody named, and none of the settled."""
        places = [self.place(pile, card) for card in self.in_pile(pile, owner)]
        if 0 in places or self.settled(pile, owner):
            return 0
        unnamed = self.unnamed(pile, owner)
        below = min((place for place in places if place > 0), default=0)
        most = ENOUGH if unnamed is None else unnamed
        return min(most, below - 1) if below else most

    def take_plain(self, pile: "Pile", owner: Obj, number: int, zone: str) -> None:
        """So many of those go to another zone."""
        for card in self.in_pile(pile, owner):
            if (place := self.place(pile, card)) > 0:
                self.facts[card.base + pile.place.slot] = place - number
        self._count_in(pile, owner, -number)
        self._count_in(self.system.piles.get(zone), owner, number)

    def put_back(self, pile: "Pile", card: Obj, *, on_top: bool, there: bool = False) -> None:
        """Put a card on top of its owner's pile, or under it. there: it is in the pile already, and one that nobody
        named is counted there, though its stranger still lies where it came from."""
        owner = self.fact(card, self.system.properties["owner"])
        if card.stranger:
            if not there or self.zone(card) == pile.zone:
                self._another_leaves(self.system.piles[self.zone(card)], owner, pile.zone)
        else:
            self._away_from_pile(card)
            self.move(card, pile.zone, None, None)
        others = [one for one in self.in_pile(pile, owner) if one is not card]
        for one in others:
            place = self.place(pile, one)
            if place > 0 and on_top:
                self.facts[one.base + pile.place.slot] = place + 1
            elif place < 0 and not on_top:
                self.facts[one.base + pile.place.slot] = place - 1
        if not card.stranger:
            self.facts[card.base + pile.place.slot] = 1 if on_top else -1
        if on_top:
            self.facts[owner.base + pile.settled.slot] = self.settled(pile, owner) + 1

    def shuffle_pile(self, pile: "Pile", owner: Obj) -> None:
        """Nothing is known of the order any more."""
        for card in self.in_pile(pile, owner):
            self.facts[card.base + pile.place.slot] = 0
        self.facts[owner.base + pile.settled.slot] = 0

    def move(self, obj: Obj, zone: str, host: Obj | None, controller: Obj | None) -> None:
        piles = self.system.piles
        if not piles or self.facts[obj.base + self.scene.zone_slot] == zone:
            super().move(obj, zone, host, controller)
        elif obj.stranger:
            pile, owner = piles[self.zone(obj)], self.fact(obj, self.system.properties["owner"])
            if zone not in piles:  # there it would have to be a card of its own
                raise Unnamed(owner, pile.zone)
            self._another_leaves(pile, owner, zone)
        else:
            self._away_from_pile(obj)
            super().move(obj, zone, host, controller)

    def _away_from_pile(self, card: Obj) -> None:
        """It lies in its pile no more, or somewhere else in it."""
        pile = self.system.piles.get(self.facts[card.base + self.scene.zone_slot])
        if pile is None or not pile.ordered:
            return
        self._leaves(pile, self.facts[card.base + self.scene.owner_slot], self.place(pile, card))
        self._no_longer_seen(card)
        if self.place(pile, card) != 0:
            self.facts[card.base + pile.place.slot] = 0

    def _leaves(self, pile: "Pile", owner: Obj, place: int) -> None:
        """Those under it, or for one counted from the bottom above it, are one place nearer."""
        if place == 0 or owner is None:
            return
        slot = pile.place.slot
        for card in self.in_pile(pile, owner):
            other = self.place(pile, card)
            if 0 < place < other:
                self.facts[card.base + slot] = other - 1
            elif other < place < 0:
                self.facts[card.base + slot] = other + 1
        if 0 < place <= self.settled(pile, owner):
            self.facts[owner.base + pile.settled.slot] = self.settled(pile, owner) - 1

    def _another_leaves(self, pile: "Pile", owner: Obj, zone: str) -> None:
        """One that nobody named goes elsewhere: it is counted here and there; on the settled places, the first such."""
        if pile.ordered:
            cards = self.in_pile(pile, owner)
            taken = {self.place(pile, card) for card in cards}
            free = [one for one in range(1, self.settled(pile, owner) + 1) if one not in taken]
            if free:
                self._leaves(pile, owner, free[0])
            stranger = self.scene.strangers.get((owner, pile.zone))
            if stranger is not None:
                self._no_longer_seen(stranger)
        if zone != pile.zone:
            self._count_in(pile, owner, -1)
            self._count_in(self.system.piles.get(zone), owner, 1)

    def _count_in(self, pile: "Pile | None", owner: Obj, change: int) -> None:
        """One card that nobody named more, or fewer, in a pile of which that is told."""
        if pile is None or pile.counts is None:
            return
        slot, facts = owner.base + pile.counts.slot, self.facts
        if change > 0 and isinstance(facts, WatchedFacts) and facts.grow(slot, change):
            return
        count = self.fact(owner, pile.counts)
        if count is not None:
            facts[slot] = max(0, count + change)

    def _no_longer_seen(self, card: Obj) -> None:
        """What the running effect looked at in a pile it sees there no more, once it has left."""
        use = self.cur
        place = None if use is None else use.ability.names.get(SEEN)
        if (
            use is None
            or place is None
            or use.env[place].__class__ is not tuple
            or card not in use.env[place]
        ):
            return
        seen = list(use.env[place])
        seen.remove(card)
        use = use.with_env(replaced(use.env, place, tuple(seen)))
        assert self.use is not None
        self.cells[self.use] = self.cur = use

    def seen(self) -> Sequence[Obj]:
        """The cards that the running effect looks at and that still lie there."""
        place = None if self.cur is None else self.cur.ability.names.get(SEEN)
        found = None if self.cur is None or place is None else self.cur.env[place]
        return found or ()


SEEN = "seen"
