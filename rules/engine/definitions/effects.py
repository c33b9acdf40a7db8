"""What a set of instructions can do to a position: which facts it may change, who may use what, where things listen."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.definitions.model import Ability, Prohibition


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
    altered: set[str] = field(default_factory=set)  # roles that may pass to another holder before it happens
    gained: dict["Ability", None] = field(
        default_factory=dict
    )  # that an effect may give to cards, in their order
    bans: set["Prohibition"] = field(default_factory=set)  # that an effect may leave behind
    moves: bool = False
    attaches: bool = False  # may a move give a card another host?
    hands_over: bool = False  # or another controller?
    copies: bool = False
    secret: bool = False  # may players choose at once, none knowing of the others?
    looks: bool = False  # may anybody look at cards that nobody named?
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
        if ability.changes is not None:
            self.lasting.add(ability.changes.property.name)
        self.listened.update((ability.point, kind) for kind in ability.of)

    def take(self, ability: "Ability") -> None:
        """An ability that may be used, and all that it may do."""
        self.use(ability)
        for unit in (*ability.parts, ability.cost):
            for operation in unit.code if unit is not None else ():
                operation.mark(self)

    def joined(self, other: "Footprint") -> "Footprint":
        """What either allows."""
        return Footprint(
            self.written | other.written,
            self.lasting | other.lasting,
            self.listened | other.listened,
            self.kinds | other.kinds,
            self.put | other.put,
            self.told | other.told,
            self.altered | other.altered,
            self.gained | other.gained,
            self.bans | other.bans,
            self.moves or other.moves,
            self.attaches or other.attaches,
            self.hands_over or other.hands_over,
            self.copies or other.copies,
            self.secret or other.secret,
            self.looks or other.looks,
            self.cancels or other.cancels,
            self.gives_back or other.gives_back,
            self.steps or other.steps,
        )
