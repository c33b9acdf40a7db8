"""What a set of instructions can do to a position: which facts it may change, who may use what, where things listen."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.model import Ability, Prohibition
    from rules.engine.scene import Scene


@dataclass(slots=True)
class Footprint:
    """Grows with every instruction and ability added; two are equal when they allow the same.

    written: slots of the properties that may change. lasting: stats that effects may change for a while.
    listened: (point, kind of occurrence) that abilities answer. kinds: of ability that may be used.
    put: kinds of ability whose uses may wait on a gate.
    told: kinds of occurrence that a card's text speaks of afterwards.
    """

    written: set[int] = field(default_factory=set)
    lasting: set[str] = field(default_factory=set)
    listened: set[tuple[str, str]] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    put: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    bans: set["Prohibition"] = field(default_factory=set)  # that an effect may leave behind
    moves: bool = False
    attaches: bool = False  # may a move give a card another host?
    hands_over: bool = False  # or another controller?
    copies: bool = False
    cancels: bool = False  # may what is about to happen be cancelled or replaced?
    gives_back: bool = False  # may an opportunity that was taken be opened again?
    steps: bool = False  # may anything happen that has a procedure of its own?

    @property
    def points(self) -> set[str]:
        return {point for point, _ in self.listened}

    def use(self, ability: "Ability") -> None:
        """An ability that may be used."""
        self.kinds.add(ability.kind.name)
        if ability.forbids is not None:
            self.bans.add(ability.forbids)
        self.listened.update((ability.point, kind) for kind in ability.of)

    def take(self, ability: "Ability") -> None:
        """An ability that may be used, and all that it may do."""
        self.use(ability)
        for unit in (*ability.parts, ability.cost):
            for operation in unit.code if unit is not None else ():
                operation.mark(self)

    def closed(self, scene: "Scene") -> "Footprint":
        """With what follows from that: what moving and copying change."""
        facts, cards = scene.facts, scene.cards
        if self.moves:
            self.written |= {scene.zone_slot, scene.inc_slot}
            if self.attaches:
                self.written.add(scene.host_slot)
            owner, controller = scene.owner_slot, scene.controller_slot
            if self.hands_over or any(facts[c.base + owner] is not facts[c.base + controller] for c in cards):
                self.written.add(controller)
            for prop in scene.shed:  # back to the default, which matters to those that have something else
                if any(facts[card.base + prop.slot] != prop.default for card in cards):
                    self.written.add(prop.slot)
        if self.copies:
            self.written |= {prop.slot for prop in scene.printed} | {scene.face_slot}
        return self

    def joined(self, other: "Footprint") -> "Footprint":
        """What either allows."""
        return Footprint(
            self.written | other.written,
            self.lasting | other.lasting,
            self.listened | other.listened,
            self.kinds | other.kinds,
            self.put | other.put,
            self.told | other.told,
            self.bans | other.bans,
            self.moves or other.moves,
            self.attaches or other.attaches,
            self.hands_over or other.hands_over,
            self.copies or other.copies,
            self.cancels or other.cancels,
            self.gives_back or other.gives_back,
            self.steps or other.steps,
        )
