"""One position: its registers, and the reading and writing of facts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.errors import Need
from rules.engine.records import Delayed, Lasting, Obj, Open, Ref, Use

if TYPE_CHECKING:
    from rules.engine.model import Property, Unit
    from rules.engine.operations import Operation
    from rules.engine.recall import Memory, Recall, Watch
    from rules.engine.scene import Scene
    from rules.engine.trace import Tracer


class State:
    """The registers of the running frame, and the facts."""

    def __init__(self, scene: "Scene", tracer: "Tracer | None" = None) -> None:
        self.scene = scene
        self.system = scene.system
        self.cards = scene.cards
        self.players = scene.players
        self.game = scene.game
        self.tracer = tracer
        self.recall: Recall | None = None  # what an exploration found out in other positions
        if tracer is None and scene.specialiser is not None:
            self.recall = scene.specialiser.recall
        self.watch: Watch | None = None  # of a use that is being carried out
        self.recalled: Memory | None = None  # from which a use was just now carried out
        self.at_once = False  # did the very first instruction that was run ask for the open decision?
        self.facts: list[Any] = list(scene.facts)
        self.cells: dict[Ref, Any] = {}
        self.ledger: dict[tuple[Any, ...], int] = {}
        self.lasting: tuple[Lasting, ...] = ()
        self.delayed: tuple[Delayed, ...] = ()
        self.script = 0  # how many of the scripted moves were made
        self.told = self.turn  # in which turn the last of them was
        self.ended: str | None = None  # why the line is over
        self.unit: Unit | None = None
        self.code: Sequence[Operation] = ()
        self.pc = 0
        self.env: tuple[Any, ...] = ()
        self.use: Ref | None = None
        self.cur: Use | None = None
        self.grp: Ref | None = None
        self.gates: Any = None  # linked: (cell, outer)
        self.stack: Any = None  # linked frames
        self.frames = 0
        self.opened = 0  # trace nodes this frame opened
        self.marks: list[str] = []
        self.judging: set[Obj] = set()  # cards whose silence is being judged just now

    @property
    def turn(self) -> int:
        value = self.facts[self.game.base + self.system.game["turn"].slot]
        return value if isinstance(value, int) else 0

    def fact(self, obj: Obj, prop: "Property") -> Any:
        value = self.facts[obj.base + prop.slot]
        if value.__class__ is Open:
            raise Need(obj.base + prop.slot)
        return value

    def stat(self, obj: Obj, prop: "Property") -> Any:
        """Printed value, then the last `set`, then the sum of all changes; the floor holds for reading only."""
        for when, fixed in prop.fixed:
            if when(self, (obj,)):
                return fixed(self, (obj,))
        value = self.facts[obj.base + prop.slot]
        if value.__class__ is Open:
            raise Need(obj.base + prop.slot)
        if prop.base is not None and value is not None:
            value = prop.base(self, (obj, value))
        if prop.name not in self.scene.modified:
            return value if prop.adds is None or value is None else value + prop.adds(self, (obj,))
        if prop.changed_in and self.facts[obj.base + self.scene.zone_slot] not in prop.changed_in:
            return value
        inc = self.inc(obj)
        printed, floor = value, prop.floor
        added = [] if prop.adds is None else [prop.adds(self, (obj,))]
        for source, always in self.bearing(self.scene.always.get(prop.name, ())):
            if self._lasts(source, always) and self._covers(source, obj, always):
                env = (source, obj)
                if always.to is not None:
                    value = always.to(self, env)
                if always.by is not None:
                    added.append(always.by(self, env))
                if always.floor is not None:
                    floor = always.floor if floor is None else max(floor, always.floor)
        for effect in self.lasting:
            if effect.obj is obj and effect.inc == inc and effect.property is prop and effect.op == "set":
                value = effect.value
        if value is None:  # nobody knows it, and nothing says what it is
            return None
        for change in added:
            value = _added(value, change)
        for effect in self.lasting:
            if effect.obj is obj and effect.inc == inc and effect.property is prop and effect.op == "add":
                value = _added(value, effect.value)
        if floor is None or value >= floor:
            return value
        least = floor if printed is None else max(printed, prop.floor or 0)
        return floor if prop.floor == floor else min(floor, least)

    def _lasts(self, source: Obj, always: Any) -> bool:
        """Is the card where its continuous effect works, with its text working?"""
        if not always.zones:
            return self.works(source)
        return self.facts[source.base + self.scene.zone_slot] in always.zones and not self.silent(source)

    def _covers(self, source: Obj, obj: Obj, always: Any) -> bool:
        env = (source, obj)
        return bool(always.covers(self, env)) and (
            always.condition is None or bool(always.condition(self, env))
        )

    def inc(self, obj: Obj) -> int:
        """A card that leaves play and returns is a new object: its incarnation number has grown."""
        return self.facts[obj.base + self.scene.inc_slot]  # type: ignore[no-any-return]

    def works(self, obj: Obj) -> bool:
        """Is the card in play with its text working?"""
        return self.facts[obj.base + self.scene.zone_slot] in self.system.zones_in_play and not self.silent(
            obj
        )

    def silent(self, obj: Obj) -> bool:
        """Does its text do nothing? A card whose own effects are being looked at for that is taken to speak."""
        if self.system.silent is None or obj in self.judging:
            return False
        specialiser = self.scene.specialiser
        if specialiser is not None and specialiser.speaks(obj):
            return False
        if not self.scene.always:
            return bool(self.system.silent(self, (obj,)))
        self.judging.add(obj)
        try:
            return bool(self.system.silent(self, (obj,)))
        finally:
            self.judging.discard(obj)

    def silencers(self, obj: Obj) -> list[tuple[Obj, tuple[str, ...]]]:
        """The cards whose continuous effects put the card in one of the states that silence it, with their rules."""
        return [
            (source, always.cites)
            for name in self.system.silent_stats
            for source, always in self.bearing(self.scene.always.get(name, ()))
            if self.works(source) and self._covers(source, obj, always)
        ]

    def zone(self, obj: Obj) -> Any:
        return self.fact(obj, self.system.properties["zone"])

    def name(self, obj: Obj) -> Any:
        return self.fact(obj, self.system.properties["name"])

    def controller(self, obj: Obj) -> Any:
        return self.fact(obj, self.system.properties["controller"])

    def next_player(self, player: Obj | None) -> Obj | None:
        """The next seat clockwise."""
        if player is None:
            return None
        return self.players[(self.players.index(player) + 1) % len(self.players)]

    def reading(self, key: str) -> Any:
        self.scene.touched.add(key)
        slot = self.scene.reading_slots[key]
        value = self.facts[slot]
        if value.__class__ is Open:
            raise Need(slot)
        return value

    def behind(self, cause: str, cites: tuple[str, ...]) -> tuple[str, ...]:
        """The rules behind what the account tells: what stands in the data, else the system's for such a cause."""
        return cites or self.system.refusals.get(cause, ())

    def bearing(self, entries: Sequence[tuple[Obj, Any]]) -> Sequence[tuple[Obj, Any]]:
        """What stands on cards, given to those that bear it now: a copy has its model's text instead of its own."""
        scene = self.scene
        if not scene.copies:
            return entries
        slot, found = scene.face_slot, []
        for owner, what in entries:
            if self.facts[owner.base + slot] is None:
                found.append((owner, what))
            found += [(card, what) for card in self.cards if self.facts[card.base + slot] is owner]
        return found

    def copy(self, source: Obj, card: Obj, *, text_only: bool) -> None:
        """The card bears what is printed on the source (or on what that is a copy of)."""
        facts, slot = self.facts, self.scene.face_slot
        if not text_only:
            for prop in self.scene.printed:
                facts[card.base + prop.slot] = facts[source.base + prop.slot]
        facts[card.base + slot] = facts[source.base + slot] or source

    def move(self, obj: Obj, zone: str, host: Obj | None, controller: Obj | None) -> None:
        """Change of zone or host. Crossing the border of play makes a new object that sheds what it bore."""
        scene, system, facts = self.scene, self.system, self.facts
        base = obj.base
        before = facts[base + scene.zone_slot]
        if before.__class__ is Open:
            raise Need(base + scene.zone_slot)
        was_in, is_in = before in system.zones_in_play, zone in system.zones_in_play
        facts[base + scene.zone_slot] = zone
        if was_in != is_in:
            facts[base + scene.inc_slot] += 1
            face = facts[base + scene.face_slot]
            if face is not None and not is_in:  # no copy any more
                for prop in scene.printed:
                    facts[base + prop.slot] = scene.originals[base + prop.slot]
            for prop in scene.shed:
                facts[base + prop.slot] = prop.default
            if is_in:  # what it is a copy of as it enters, it stays
                facts[base + scene.face_slot] = face
            else:  # out of play a card is its owner's, whatever moved it
                facts[base + scene.controller_slot] = facts[base + scene.owner_slot]
            if self.lasting:
                self.lasting = tuple(effect for effect in self.lasting if effect.obj is not obj)
        if host is not None:
            facts[base + scene.host_slot] = host
        if controller is not None:
            facts[base + scene.controller_slot] = controller


def _added(value: Any, change: Any) -> Any:
    """A number grown, or a list with one more word (or several)."""
    if isinstance(value, list | tuple):
        return (*value, *(change if isinstance(change, list | tuple) else (change,)))
    return value + change
