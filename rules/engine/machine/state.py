"""One position: its registers, and the reading and writing of facts."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import Circular, Need, Unordered, Unread, Untold, Unworkable
from rules.engine.base.facts import Facts, Open
from rules.engine.base.messages import Message
from rules.engine.definitions.positions import Frame, GateLink
from rules.engine.definitions.values import Delayed, Lasting, Obj, Ref, Use
from rules.engine.language.folding import OF_USE, Look
from rules.engine.machine.watch import Watch, WatchedCounts, WatchedFacts

if TYPE_CHECKING:
    from rules.engine.definitions.instructions import Operation
    from rules.engine.definitions.model import Ability, Immunity, Property, Unit
    from rules.engine.machine.trace import Tracer
    from rules.engine.scene.scene import Scene


class State:
    """The registers of the running frame, and the facts."""

    def __init__(self, scene: "Scene", tracer: "Tracer | None" = None) -> None:
        self.scene = scene
        self.system = scene.system
        self.cards = scene.cards
        self.players = scene.players
        self.game = scene.game
        self.tracer = tracer
        self.watch: Watch | None = None  # notes what is read and written, while something is tried out
        self.picks: list[tuple[Operation, int, Any]] = []  # what order loops took next, at which depth
        self.facts: Facts | WatchedFacts = Facts(scene.facts)
        self.cells: dict[Ref, Any] = {}
        self.ledger: dict[tuple[Any, ...], int] = {}
        self.lasting: tuple[Lasting, ...] = ()
        self.delayed: tuple[Delayed, ...] = ()
        self._looked_at: tuple[tuple[Delayed, ...], bool] = ((), True)  # do these change anything steadily?
        self.supposes = False  # does it go on with what may not have been there to choose?
        self.in_doubt: Untold | None = None  # what nobody told, on which that hangs
        self.script = 0  # how many of the scripted moves were made
        self.told = self.turn  # in which turn the last of them was
        self.due = False  # has what the next told use may answer come up?
        self.ended: str | None = None  # why the line is over
        self.unit: Unit | None = None
        self.code: Sequence[Operation] = ()
        self.pc = 0
        self.env: tuple[Any, ...] = ()
        self.use: Ref | None = None
        self.cur: Use | None = None
        self.grp: Ref | None = None
        self.gates: GateLink | None = None
        self.stack: Frame | None = None
        self.frames = 0
        self.counted: Counter[tuple[str, int]] | None = None  # uses, while nobody has decided for long
        self.opened = 0  # trace nodes this frame opened
        self.marks: list[str] = []
        # what is being judged just now: cards, if they are silent; effects, of what they change; and what is taken for
        # the answer meanwhile
        self.judging: dict[Any, bool] = {}
        self.circular: set[Any] = set()  # of these, what another of them hangs on
        self.verdicts: set[tuple[Any, bool]] = set()  # what came of those on the way
        self.reserved: dict[int, int] = {}  # what a use that is judged takes from counters, by their facts
        self.look: Look | None = None  # the choice that is being worked out

    @property
    def turn(self) -> int:
        value = self.facts[self.game.base + self.system.game["turn"].slot]
        return value if isinstance(value, int) else 0

    def says(self, question: Callable[..., bool], *of: Any) -> bool:
        """The answer to a yes or no that stands on its own (rules.engine.machine.watch.Truth)."""
        return question(self, *of) if self.watch is None else self.watch.truth(self, question, *of)

    @contextmanager
    def supposing(self, prop: "Property", value: Any) -> Iterator[None]:
        """What is asked meanwhile is asked of a position in which that fact of the game is this, and not remembered."""
        place, facts, look = self.game.base + prop.slot, self.facts, self.look
        kept, known = list.__getitem__(facts, place), facts.known
        list.__setitem__(facts, place, value)  # which is no change that anyone would note
        facts.known, self.look = {}, None
        try:
            yield
        finally:
            list.__setitem__(facts, place, kept)
            facts.known, self.look = known, look

    def hangs_on(self, obj: Obj, host: Obj) -> bool:
        """Is the host what the card is attached to?"""
        return self.facts[obj.base + self.scene.host_slot] is host

    def count(self, key: tuple[Any, ...]) -> None:
        """One more of what is counted."""
        if isinstance(self.ledger, WatchedCounts):  # that one more was counted is all that is noted of it
            self.ledger.grow(key)
        else:
            self.ledger[key] = self.ledger.get(key, 0) + 1

    def fact(self, obj: Obj, prop: "Property") -> Any:
        value = self.facts[obj.base + prop.slot]
        return value.read(self, obj.base + prop.slot) if value.__class__ is Open else value

    def add_to(self, obj: Obj, prop: "Property", change: Any) -> None:
        """Add to a number."""
        slot = obj.base + prop.slot
        if not (isinstance(self.facts, WatchedFacts) and self.facts.grow(slot, change)):
            self.facts[slot] = self.fact(obj, prop) + change

    @property
    def steady(self) -> bool:
        """Do steady stats (`Scene.steady`) hang on nothing but facts and effects that last, as things are?"""
        if self.judging or self.watch is not None:
            return False
        if self.delayed and self._looked_at[0] is not self.delayed:
            self._looked_at = (self.delayed, all(map(self._changes_steadily, self.delayed)))
        return not self.delayed or self._looked_at[1]

    def _changes_steadily(self, effect: Delayed) -> bool:
        """Does what it changes hang on nothing but facts, steady stats and its own use?"""
        change = effect.ability.changes
        if change is None:
            return True
        reads = change.reads()
        return reads is not None and not reads - {OF_USE} & self.scene.unsteady

    def until_another_lasts(self, key: Any, ask: Callable[..., Any], *of: Any) -> Any:
        """What was worked out is remembered until a fact changes or other effects last."""
        known = self.facts.known
        found = known.get(key)
        if found is None or found[0] is not self.lasting or found[1] is not self.delayed:
            found = known[key] = (self.lasting, self.delayed, ask(self, *of))
        return found[2]

    def stat(self, obj: Obj, prop: "Property", printed: Any = None) -> Any:
        """Printed value, then the last `set`, then the sum of all changes; the floor holds for reading only.

        printed: what is taken to stand on the card instead.
        """
        if printed is None and prop.name in self.scene.steady and self.steady:
            return self.until_another_lasts((prop, obj), State._stat, obj, prop, None)
        return self._stat(obj, prop, printed)

    def _stat(self, obj: Obj, prop: "Property", printed: Any) -> Any:
        for when, fixed in prop.fixed:
            if when(self, (obj,)):
                return fixed(self, (obj,))
        value = self.facts[obj.base + prop.slot] if printed is None else printed
        if value.__class__ is Open:
            value = value.read(self, obj.base + prop.slot)
        if prop.base is not None and value is not None:
            value = prop.base(self, (obj, value))
        if prop.name not in self.scene.modified:
            return value if prop.adds is None or value is None else value + prop.adds(self, (obj,))
        if prop.changed_in and self.facts[obj.base + self.scene.zone_slot] not in prop.changed_in:
            return value
        inc = self.inc(obj)
        if value is None and not self._settable(obj, prop):
            return None  # nothing is added to what nobody knows, so nobody asks what would be
        printed, floor = value, prop.floor
        added = [] if prop.adds is None else [prop.adds(self, (obj,))]
        setter: Obj | None = None
        for source, always in self.bearing(self.scene.always.get(prop.name, ())):
            if self.says(State._contributes, source, obj, always):
                env = (source, obj)
                if always.to is not None:
                    before, value = value, self.apart((source, id(always), obj), always.to, self, env)
                    if (
                        setter not in (None, source) and value != before
                    ):  # not as the scenario happens to list them
                        raise Unordered(obj, prop.name, setter, source)
                    setter = source
                if always.by is not None:
                    added.append(self.apart((source, id(always), obj), always.by, self, env))
                if always.floor is not None:
                    floor = always.floor if floor is None else max(floor, always.floor)
        for effect in self.lasting:
            if effect.obj is obj and effect.inc == inc and effect.property is prop and effect.op == "set":
                value = effect.value
                if value is True and self.system.silent_by_time and prop.base is not None:
                    self._check_first(obj, inc, prop)
        for left in self.delayed:
            if (
                (change := left.ability.changes) is not None
                and change.property is prop
                and self.covers(left, obj)
            ):
                if change.to is not None:
                    value = self.apart((id(left), obj), self.of_effect, left, change.to, obj)
                if change.by is not None:
                    added.append(self.apart((id(left), obj), self.of_effect, left, change.by, obj))
                if change.floor is not None:
                    floor = change.floor if floor is None else max(floor, change.floor)
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

    def _check_first(self, obj: Obj, inc: int, prop: "Property") -> None:
        """Raises Unworkable where an effect gave the card what another took from it with all its text: which of them
        came first is not remembered."""
        taken = any(
            effect.property is not None
            and effect.property.name in self.system.silent_stats
            and effect.value is True
            for effect in self.lasting
            if effect.obj is obj and effect.inc == inc and effect.op == "set"
        )
        if taken:
            text = "effects gave {card} “{property}” and took all its abilities, and the later one counts"
            raise Unworkable(Message(text, card=obj, property=self.system.word(prop.name)))

    def _settable(self, obj: Obj, prop: "Property") -> bool:
        """Could something here say what a number is that nobody told?"""
        return (
            any(always.to is not None for _, always in self.scene.always.get(prop.name, ()))
            or any(
                effect.obj is obj and effect.property is prop and effect.op == "set"
                for effect in self.lasting
            )
            or any(
                (change := left.ability.changes) is not None
                and change.property is prop
                and change.to is not None
                for left in self.delayed
            )
        )

    def of_effect(self, effect: Delayed, value: Any, *of: Any) -> Any:
        """An expression of what an effect left behind, as its own words mean it."""
        kept = self.cur
        self.cur = Use(effect.ability, effect.obj, effect.you, None, effect.env, (), (), (), None, None)
        try:
            return value(self, of)
        finally:
            self.cur = kept

    def covers(self, effect: Delayed, obj: Obj) -> bool:
        """Does the change that an effect left behind fit the object?"""
        change = effect.ability.changes
        if change is None:
            return False
        return self.judge((id(effect), obj), effect.obj, self.of_effect, effect, change.covers, obj)

    def apart(self, judged: tuple[Any, ...], ask: Callable[..., Any], *of: Any) -> Any:
        """Ask how an effect changes an object, as things are without that change.

        What asks for the very number it changes ("characters of strength 3 or less get -1") would otherwise be read
        without end. Gives None where it is being asked already: nothing comes of it there.
        """
        judging = self.judging
        supposed = judging.get(judged)
        if supposed is False:
            return None
        judging[judged] = False
        try:
            return ask(*of)
        finally:
            if supposed:  # as `judge` has it meanwhile
                judging[judged] = supposed
            else:
                del judging[judged]

    def _contributes(self, source: Obj, obj: Obj, always: Any) -> bool:
        """Does a continuous effect of the source change the object now?"""
        return self._covers(source, obj, always) and self.lasts(source, always)

    def lasts(self, source: Obj, always: Any) -> bool:
        """Is the card where its continuous effect works, with its text working?"""
        if not always.zones:
            return self.works(source)
        return self.facts[source.base + self.scene.zone_slot] in always.zones and not self.silent(source)

    def _covers(self, source: Obj, obj: Obj, always: Any) -> bool:
        return self.judge((source, id(always), obj), source, self._fits, source, obj, always)

    def _fits(self, source: Obj, obj: Obj, always: Any) -> bool:
        env = (source, obj)
        fits = bool(always.covers(self, env)) and (
            always.condition is None or bool(always.condition(self, env))
        )
        return fits and self.protecting(obj, source) is None

    def protecting(self, obj: Obj, source: Obj, ability: Any = None) -> "Immunity | None":
        """What makes the card immune to effects of `source` (of that ability, or of what is always so), if anything
        does; its own affect it always."""
        if obj is source or not self.scene.immunities:
            return None
        found = (
            immunity
            for holder, immunity in self.bearing(self.scene.immunities)
            if self.says(State._protects, holder, immunity, obj, source, ability)
        )
        return next(found, None)

    def _protects(self, holder: Obj, immunity: "Immunity", obj: Obj, source: Obj, ability: Any) -> bool:
        return (
            self.works(holder)
            and bool(immunity.covers(self, (holder, obj)))
            and bool(immunity.source(self, (holder, source, ability)))
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
        """Does its text do nothing? A card whose own effects are being looked at for that is taken to speak. Raises
        Circular where cards silence each other.
        """
        if self.system.silent is None:
            return False
        if obj not in self.judging:
            specialiser = self.scene.specialiser
            if specialiser is not None and specialiser.speaks(obj):
                return False
            if not self.scene.always:
                return bool(self.system.silent(self, (obj,)))
        return self.judge(obj, obj, self.system.silent, self, (obj,))

    def judge(self, judged: Any, card: Obj, ask: Callable[..., Any], *of: Any) -> bool:
        """Ask whether a card is silent, or an effect on an object changes it, as things are without that.

        It is taken not to be so where the answer asks for itself. Where another judgement that is asked for on the way
        asks for it, both ways are looked at. If they differ, effects that only help each other don't begin. Raises
        Circular where one holds only while another does not: which of them came first is not remembered.
        """
        judging = self.judging
        if judged in judging:
            if next(reversed(judging)) != judged:
                self.circular.add(judged)
            return judging[judged]
        if len(judging) > 1 and self.scene.breath is not None:  # each asks all the others anew
            self.scene.breath()
        outer, self.verdicts = self.verdicts, set()
        judging[judged] = False
        try:
            found = bool(ask(*of))
            if self.circular == {judged}:  # who hangs on an outer one is looked at both ways with it
                without, self.verdicts = self.verdicts, set()
                judging[judged] = True
                if bool(ask(*of)) is not found and (found or self._hinders(judged, without)):
                    raise Circular(card)
                self.verdicts |= without
            outer.update(self.verdicts)
            outer.add((judged, found))
            return found
        finally:
            self.verdicts = outer if len(judging) > 1 else set()
            del judging[judged]
            self.circular.discard(judged)

    def _hinders(self, judged: Any, without: set[tuple[Any, bool]]) -> bool:
        """Does what was judged silence a card, or let it speak, or keep an effect from changing what it would change
        without that?"""
        turned = [(one, so) for one, so in self.verdicts if (one, not so) in without]
        return isinstance(judged, Obj) or any(isinstance(one, Obj) or not so for one, so in turned)

    def check_unread(self) -> None:
        """Raises Unread where a text works that nobody understood: from here on nobody knows what holds."""
        for obj, texts in self.scene.unread.items():
            zone = self.zone(obj)
            for text in texts:
                if zone in text.zones and not (zone in self.system.zones_in_play and self.silent(obj)):
                    raise Unread(obj, text.says)

    def silencers(self, obj: Obj) -> list[tuple[Obj, tuple[str, ...]]]:
        """The cards whose continuous effects put the card in one of the states that silence it, with their rules."""
        return [
            (source, always.cites)
            for name in self.system.silent_stats
            for source, always in self.bearing(self.scene.always.get(name, ()))
            if self.works(source) and self._covers(source, obj, always)
        ]

    def has(self, obj: Obj, ability: "Ability", trigger: Ref | None = None) -> bool:
        """Does the card have the ability now, or had it when it left with what the ability answers? Its own it has."""
        gained = ability.gained
        if gained is None:
            return True
        if trigger is not None:
            snapshot = self.cells[trigger].before.get(obj.index)
            if snapshot is not None and snapshot.row[self.scene.inc_slot] != self.inc(obj):
                return ability.id in snapshot.gained
        if gained.grant is None:
            inc = self.inc(obj)
            return any(
                e.value is ability and e.obj is obj and e.inc == inc and e.op == "gain" for e in self.lasting
            )
        return self.says(State._grants, gained.source, obj, gained.grant)

    def _grants(self, source: Obj, obj: Obj, grant: Any) -> bool:
        return self._contributes(source, obj, grant)

    def muted(self, obj: Obj, ability: "Ability") -> bool:
        """Does an ability of the card do nothing, because of the state the card is in?"""
        if ability.gained is None or self.system.silences_gained is None:
            return self.silent(obj)
        return bool(self.system.silences_gained(self, (obj,)))

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

    def seats(self, start: Obj | None = None) -> list[Obj]:
        """The players clockwise, from `start` or else from the active one."""
        first = self.players.index(start or self.fact(self.game, self.system.game["active"]))
        return [*self.players[first:], *self.players[:first]]

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

    def bearing(
        self, entries: Sequence[tuple[Obj, Any]], record: Ref | None = None
    ) -> Sequence[tuple[Obj, Any]]:
        """What stands on cards, given to those that bear it now: a copy has its model's text instead of its own. In
        answer to an occurrence, what left with it bears what it bore."""
        scene = self.scene
        if not scene.copies:
            return entries
        slot, found = scene.face_slot, []
        faces = {card: self.facts[card.base + slot] for card in self.cards}
        before = {} if record is None else self.cells[record].before
        for card in self.cards if before else ():
            snapshot = before.get(card.index)
            if snapshot is None or snapshot.row[scene.inc_slot] == self.inc(card):
                continue
            if snapshot.row[scene.zone_slot] in self.system.zones_in_play:  # it left, and didn't enter
                faces[card] = snapshot.row[slot]
        for owner, what in entries:
            if getattr(what, "gained", None) is not None:
                found.append((owner, what))
                continue
            if faces.get(owner) is None:
                found.append((owner, what))
            found += [(card, what) for card, face in faces.items() if face is owner]
        return found

    def copy(self, source: Obj, card: Obj, *, text_only: bool) -> None:
        """The card bears what is printed on the source (or on what that is a copy of)."""
        facts, slot = self.facts, self.scene.face_slot
        if not text_only:
            for prop in self.scene.printed:
                facts[card.base + prop.slot] = facts[source.base + prop.slot]
        facts[card.base + slot] = facts[source.base + slot] or source

    def move_on(self, obj: Obj) -> None:
        """It is another object from here on, to whoever speaks of the one that was there."""
        if not obj.stranger:
            self.facts[obj.base + self.scene.inc_slot] += 1

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
                self._break_bonds(obj)
            else:  # out of play a card is its owner's, whatever moved it
                facts[base + scene.controller_slot] = facts[base + scene.owner_slot]
            if self.lasting:
                self.lasting = tuple(effect for effect in self.lasting if effect.obj is not obj)
        if host is not None:
            facts[base + scene.host_slot] = host
        if controller is not None:
            facts[base + scene.controller_slot] = controller

    def _break_bonds(self, obj: Obj) -> None:
        """What was attached to a card, or fought it, as it was before does not belong to the new object."""
        for prop in self.scene.bonds:
            for card in self.cards:
                if self.says(State._bound, card, prop, obj):
                    self.facts[card.base + prop.slot] = self.scene.former

    def _bound(self, card: Obj, prop: "Property", obj: Obj) -> bool:
        in_play = self.facts[card.base + self.scene.zone_slot] in self.system.zones_in_play
        return in_play and self.facts[card.base + prop.slot] is obj


def _added(value: Any, change: Any) -> Any:
    """A number grown, or a list with one more word (or several)."""
    if isinstance(value, list | tuple):
        return (*value, *(change if isinstance(change, list | tuple) else (change,)))
    return value + change
