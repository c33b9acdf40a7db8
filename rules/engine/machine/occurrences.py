"""Occurrences and groups: proposed, looked at, put on gates."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, Untold
from rules.engine.base.messages import Message, listed, named
from rules.engine.definitions.values import (
    CANCELLED,
    DONE,
    IMPOSSIBLE,
    NOBODY,
    NOTHING,
    PREVENTED,
    PROPOSED,
    REPLACED,
    Before,
    Entry,
    Gate,
    Group,
    Obj,
    Offer,
    Reason,
    Record,
    Ref,
    Snapshot,
    Use,
    label,
)
from rules.engine.language.scopes import Derived
from rules.engine.machine.piles import Piles

if TYPE_CHECKING:
    from rules.engine.definitions.model import OccurrenceKind, Property
    from rules.engine.language.combinators import Compiled
    from rules.engine.machine.writes import Write


class Occurrences(Piles):
    """What happens: records, groups, points and gates."""

    def add_cell(self, cell: Any, *about: Any) -> Ref:
        """Keep a cell under a name made of what it is about, numbered when that is taken."""
        ref = Ref((*about, 0))
        number = 0
        while ref in self.cells:
            number += 1
            ref = Ref((*about, number))
        self.cells[ref] = cell
        return ref

    def add_record(self, record: Record) -> Ref:
        if self.scene.unread:
            self.check_unread()
        return self.add_cell(record, record.kind.name, record.roles)

    def propose(
        self, kind: "OccurrenceKind", roles: tuple[Any, ...], refused: Reason | None = None
    ) -> tuple[Record, Reason | None]:
        """A new record; impossible from the start when a requirement fails, which is before any point."""
        for question in self.scene.moments if not self.scene.did else ():
            if (mark := question.begun(self)) is not None:
                self.marks.append(mark)
        why = refused or self.obstacle(kind, roles)
        incs = self._incs(kind, roles)
        return Record(kind, roles, IMPOSSIBLE if why else PROPOSED, (), incs, NOBODY, None), why

    def _incs(self, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> tuple[int, ...]:
        return tuple(self.inc(roles[i]) if isinstance(roles[i], Obj) else 0 for i in kind.subjects)

    def obstacle(
        self, kind: "OccurrenceKind", roles: tuple[Any, ...], *, absolute: bool = False
    ) -> Reason | None:
        """The first requirement of `kind` that fails, or the prohibition that forbids it; `absolute`: only what the
        rules or a card say cannot be."""
        if any(roles[i] is None for i in kind.needs):
            return NOTHING
        return self._against(kind, roles, absolute=absolute)

    def _against(self, kind: "OccurrenceKind", roles: tuple[Any, ...], *, absolute: bool) -> Reason | None:
        for requirement in kind.possible:
            if (absolute and requirement.absolute is None) or requirement.test(self, (roles,)):
                continue
            if not absolute or requirement.absolute is None or requirement.absolute(self, (roles,)):
                return Reason(self.fill(requirement.because, kind, roles), requirement.cites)
        for source, prohibition in self.bearing(self.scene.prohibitions):
            test = prohibition.tests.get(kind.name)
            if test is not None and self.says(Occurrences._bars, source, kind, test, (source, roles)):
                text = self._forbids(source, prohibition.because, kind, roles)
                return Reason(text, self.behind("cannot", prohibition.cites))
        return self._forbidden(kind, roles) if self.scene.bans else None

    def _bars(
        self, source: Obj, kind: "OccurrenceKind", test: "Compiled", b: tuple[Any, tuple[Any, ...]]
    ) -> bool:
        if not self.works(source) or not test(self, b):
            return False
        whom = b[1][kind.patient] if kind.patient is not None else None
        return not isinstance(whom, Obj) or whom.kind != "card" or self.protecting(whom, source) is None

    def _forbidden(self, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> Reason | None:
        """What an effect forbids for a while, unless it speaks of a card that has become another one since."""
        for effect in self.delayed:
            ban = effect.ability.forbids
            test = ban.tests.get(kind.name) if ban is not None else None
            if ban is None or test is None or any(self.inc(obj) != inc for obj, inc in effect.incs[1:]):
                continue
            if self.of_effect(effect, test, roles):
                return Reason(self._forbids(effect.obj, ban.because, kind, roles), ban.cites)
        return None

    def _forbids(self, source: Obj, because: str, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> str:
        """Why it cannot be, and which card says so."""
        if not because:
            return Message("{source} forbids it", source=source)
        reason = self.fill(because, kind, roles)
        its_own = source in roles and reason.split(" ", 1)[0] in ("it", "its")
        if its_own or source.label in reason:
            return reason
        return Message("{reason} ({source})", reason=reason, source=source)

    def immune(self, obj: Obj, source: Obj) -> Reason | None:
        """Why effects of `source` leave the card alone, if they do; its own never do."""
        immunity = self.protecting(obj, source, self.cur.ability if self.cur else None)
        if immunity is None:
            return None
        why = Message("{card} is immune to {source}", card=obj, source=source)
        if immunity.because:
            why = Message("{reason} ({source})", reason=immunity.because, source=obj)
        return Reason(why, self.behind("immune", immunity.cites), 7)

    def gone(self, record: Record) -> Reason | None:
        """Has one of its objects become another one since it was proposed?"""
        for i, inc in zip(record.kind.subjects, record.incs, strict=True):
            obj = record.roles[i]
            if isinstance(obj, Obj) and self.inc(obj) != inc:
                gone = Message("{card} is no longer there", card=obj)
                return Reason(gone, self.system.refusals.get("new-object", ()))
        return None

    def known(self, index: Ref) -> tuple[tuple[Any, int], ...]:
        """The objects in an occurrence, as they were when it was proposed."""
        record: Record = self.cells[index]
        return tuple(zip((record.roles[i] for i in record.kind.subjects), record.incs, strict=True))

    def in_it(self, index: Ref) -> dict[Obj, int]:
        """The objects in an occurrence, as they are spoken of by what answers it: before it happens, as they are now;
        then as they were when one could first answer it."""
        record: Record = self.cells[index]
        found = {role: self.inc(role) for role in record.roles if isinstance(role, Obj)}
        if record.after:
            subjects = zip(record.kind.subjects, record.after, strict=True)
            found |= {record.roles[i]: inc for i, inc in subjects if isinstance(record.roles[i], Obj)}
        return found

    def possible(self, index: Ref | None) -> bool:
        """Has it happened, or could it, as it was proposed, still happen as things now are?"""
        if index is None:
            return False
        record: Record = self.cells[index]
        if record.status != PROPOSED:
            return record.status == DONE
        return self.gone(record) is None and self.obstacle(record.kind, record.roles) is None

    def record_roles(self, record: Record) -> tuple[Any, ...]:
        """The roles with the amount as altered so far: summed and then held at zero, once, unless
        the system holds it there after each change."""
        if not record.changes:
            return record.roles
        index = record.kind.role_names.index("amount")
        amount = record.roles[index]
        each = self.system.floor_each_change
        if each is not None and each(self, ()):
            for change in record.changes:
                amount = max(0, amount + change)
        else:
            amount = max(0, amount + sum(record.changes))
        return (*record.roles[:index], amount, *record.roles[index + 1 :])

    def record_field(self, index: Ref | None, name: str) -> Any:
        if index is None:
            return None
        record: Record = self.cells[index]
        if name == "kind":
            return record.kind.name
        if name == "status":
            return record.status
        if name not in record.kind.roles:
            return None
        return self.record_roles(record)[record.kind.role_names.index(name)]

    def last_known(
        self, trigger: Ref, obj: Obj | None, prop: "Property | Derived", through: Obj | None = None
    ) -> Any:
        """A property of an object in the trigger, as it was just before it left or lost it by that, else as it is.

        through: the object that led to it (the card whose host it is): when that one left, its host too is read as
        it was just before.
        """
        if obj is None:
            return None
        before: Before = self.cells[trigger].before
        snapshot = before.get(obj.index)
        if snapshot is not None and (
            self._has_left(obj, before)
            or self._has_left(through, before)
            or self._has_lost(trigger, obj, prop, snapshot)
        ):
            stats = dict(snapshot.stats)
            if isinstance(prop, Derived):
                return stats[prop.name] if prop.name in stats else self.as_it_is(obj, prop)
            return stats.get(prop.name, snapshot.row[prop.slot])
        return self.as_it_is(obj, prop)

    def as_it_is(self, obj: Obj, prop: "Property | Derived") -> Any:
        """A property of an object, or a value computed from its properties, now."""
        if isinstance(prop, Derived):
            return prop.get(self, (obj,))
        return self.stat(obj, prop) if prop.stat else self.fact(obj, prop)

    def as_it_left(self, obj: Obj | None, prop: "Property | Derived", groups: Sequence[int] = ()) -> Any:
        """A property of a card that an ability speaks of: as it was just before, when it left by what the ability did
        (groups: the variables of that, the latest first) or with what the ability answers."""
        if obj is None:
            return None
        use = self.cur
        if use is not None and self.zone(obj) not in self.system.zones_in_play:
            done = [use.env[group] for group in groups]
            records = [record for ref in done if ref is not None for record in self.cells[ref].members]
            for record in (*records, *(() if use.trigger is None else (use.trigger,))):
                if self._has_left(obj, self.cells[record].before):
                    return self.last_known(record, obj, prop)
        return self.as_it_is(obj, prop)

    def as_it_was(self, obj: Obj | None, prop: "Property | Derived", groups: Sequence[int]) -> Any:
        """A property of a card as it was before what the ability did with it (groups: as above), wherever it is now."""
        use = self.cur
        done = [use.env[group] for group in reversed(groups)] if use is not None and obj is not None else []
        for record in (record for ref in done if ref is not None for record in self.cells[ref].members):
            snapshot = self.cells[record].before.get(obj.index) if obj is not None else None
            if snapshot is not None:
                stats = dict(snapshot.stats)
                if prop.name in stats:
                    return stats[prop.name]
                if not isinstance(prop, Derived):
                    return snapshot.row[prop.slot]
        return self.as_it_left(obj, prop, groups)

    def takes_out(self, write: "Write") -> bool:
        """Does it move a card out of play?"""
        return (
            write.what == "move"
            and write.value not in self.system.zones_in_play
            and self.zone(write.obj) in self.system.zones_in_play
        )

    def spoken_of(self, leaving: Sequence[Obj]) -> dict[Obj, Snapshot]:
        """Those to which something has happened that may still be answered, as they are now."""
        asked = {index for _, record in self._remembering() for index in record.before} if leaving else ()
        return {obj: self.snapshot(obj) for obj in leaving if obj.index in asked}

    def remember_last(self, seen: Mapping[Obj, Snapshot]) -> None:
        """What answers an earlier occurrence speaks of a card that has left since as it last was in play; of what that
        occurrence took from it, as it was before."""
        for obj, last in seen.items():
            if self.inc(obj) == last.row[self.scene.inc_slot]:
                continue
            for ref, record in self._remembering():
                was = record.before.get(obj.index)
                if was is not None and was.row[self.scene.inc_slot] == last.row[self.scene.inc_slot]:
                    stats = dict(last.stats)
                    for name, value in was.stats:
                        prop = self.system.properties.get(name)
                        if prop is not None and not stats.get(name) and self._takes(record, obj, prop, was):
                            stats[name] = value
                    known = {obj.index: was._replace(row=last.row, stats=tuple(stats.items()))}
                    self.cells[ref] = record._replace(before=Before(record.before | known))

    def _remembering(self) -> list[tuple[Ref, Record]]:
        return [
            (ref, cell)
            for ref, cell in self.cells.items()
            if isinstance(cell, Record) and cell.status == DONE and cell.before
        ]

    def move(self, obj: Obj, zone: str, host: Obj | None, controller: Obj | None) -> None:
        inc = self.inc(obj)
        super().move(obj, zone, host, controller)
        if zone not in self.system.zones_in_play and self.inc(obj) != inc:
            self._outlived(obj, inc)

    def _outlived(self, obj: Obj, inc: int) -> None:
        """What waits on a gate further out happened before the running effect began: what leaves only now had come
        through that, and has it no more to answer."""
        gates = self._gates_before()
        while gates is not None:
            for entry in self.cells[gates.gate].entries:
                record: Record = self.cells[entry.record]
                snapshot = record.before.get(obj.index)
                if snapshot is not None and snapshot.row[self.scene.inc_slot] == inc:
                    outlived = {obj.index: snapshot._replace(outlived=True)}
                    self.cells[entry.record] = record._replace(before=Before(record.before | outlived))
            gates = gates.outer

    def _gates_before(self) -> Any:
        """The gates that were open when the running effect began: a use with all that the rules do about it at once.
        None in the course of the game itself."""
        effect, caller = self.use, self.stack
        while effect is None and caller is not None:
            effect, caller = caller.use, caller.below
        while caller is not None and caller.use == effect:
            caller = caller.below
        return None if caller is None else caller.gates

    def _has_left(self, obj: Obj | None, before: Mapping[int, Snapshot]) -> bool:
        """Was it in play just before, and is it another object now? What has come into play is read as it is."""
        if obj is None or obj.index not in before:
            return False
        row = before[obj.index].row
        was_in = row[self.scene.zone_slot] in self.system.zones_in_play
        return was_in and row[self.scene.inc_slot] != self.inc(obj)

    def _has_lost(self, trigger: Ref, obj: Obj, prop: "Property | Derived", snapshot: Snapshot) -> bool:
        """Did the occurrence itself take the value from a card in play, as going insane takes its subtypes? What
        answers it speaks of what the card was. (Its type is what it counts as.)"""
        if isinstance(prop, Derived) or not self._takes(self.cells[trigger], obj, prop, snapshot):
            return False
        return not self.as_it_is(obj, prop)

    def _takes(self, record: Record, obj: Obj, prop: "Property", snapshot: Snapshot) -> bool:
        """Does the occurrence set what makes a fixed value of the property, on a card that was in play?"""
        if not prop.fixed_by or prop.name == "type":
            return False
        if snapshot.row[self.scene.zone_slot] not in self.system.zones_in_play:
            return False
        for edit in record.kind.edits:
            fact: Property | None = getattr(edit, "property", None)
            role = getattr(getattr(edit, "of", None), "role", None)
            if fact is None or role is None or fact.name not in prop.fixed_by or snapshot.row[fact.slot]:
                continue
            if record.roles[role] is obj:
                return True
        return False

    def snapshot(self, obj: Obj) -> Snapshot:
        system = self.system
        stats = tuple((name, self.stat(obj, system.properties[name])) for name in self.scene.computed)
        for name, get in self.scene.recalled:
            try:
                stats = (*stats, (name, get(self, (obj,))))
            except (Untold, *FAULTS):
                continue  # it is worked out when it is asked for
        row = tuple(self.facts[obj.base : obj.base + system.width])
        gained = frozenset(
            ability.id
            for ability in self.scene.gained.get(obj, ())
            if self.has(obj, ability) and not self.muted(obj, ability)
        )
        return Snapshot(row, stats, self.works(obj), gained=gained)

    def fully(self, group: Ref | None) -> bool:
        """Did everything in the group (or the one record) happen, to every member?"""
        if group is None:
            return False
        found: Record | Group = self.cells[group]
        if isinstance(found, Record):
            return self._happened(group)
        if not found.members:
            return found.empty_ok
        return all(self._happened(index) for index in found.members)

    def _happened(self, ref: Ref) -> bool:
        """Done itself; where the system says so, also done as what replaced it (R32)."""
        record: Record = self.cells[ref]
        if record.status == REPLACED and record.resolved_as is not None and self.replaced_counts(ref):
            return self.fully(record.resolved_as)
        return record.status == DONE and not record.short

    def replaced_counts(self, ref: Ref) -> bool:
        """Is what was replaced done where its substitute was?"""
        counts = self.system.replaced_counts
        return counts is not None and bool(counts(self, (ref,)))

    def able(self, kind: "OccurrenceKind", obj: Obj) -> bool:
        """Could an occurrence of this kind happen to the card (or player), as far as that is all we know of it?"""
        return self.unable(kind, obj) is None

    def unable(self, kind: "OccurrenceKind", obj: Obj) -> Reason | None:
        """Why not, if it could not."""
        roles = [role.default for role in kind.roles.values()]
        roles[kind.subjects[0] if kind.patient is None else kind.patient] = obj
        return self._against(kind, tuple(roles), absolute=False)

    def able_with(self, kind: "OccurrenceKind", given: Sequence[Any]) -> bool:
        """Could an occurrence of this kind happen with these in its first roles, as far as that is all we know?"""
        roles = [role.default for role in kind.roles.values()]
        roles[: len(given)] = given
        return self._against(kind, tuple(roles), absolute=False) is None

    def happened(self, kind: str, obj: Obj | None, period: str = "turn") -> int:
        """How often in a period an occurrence of the kind was done (to the object); counted where anybody asks."""
        return self.ledger.get((period, kind, obj), 0)

    def pending(self, kind: str, obj: Obj, trigger: Ref | None = None) -> bool:
        """Is an occurrence of this kind on this object on its way? Where `trigger` is a use: one that it announced."""
        announced = self._announced(trigger)
        return any(
            isinstance(cell, Record)
            and cell.status == PROPOSED
            and cell.kind.name == kind
            and any(cell.roles[i] is obj for i in cell.kind.subjects)
            and (announced is None or ref in announced)
            for ref, cell in self.cells.items()
        )

    def _announced(self, trigger: Ref | None) -> frozenset[Ref] | None:
        """What the use announced that is this occurrence; None: it is no use that is being carried out."""
        use, caller = self.use, self.stack
        while trigger is not None:
            if use is not None and self.cells[use].record == trigger:
                return frozenset(
                    ref for _, group in self.cells[use].plan for ref in self.cells[group].members
                )
            if caller is None:
                return None
            use, caller = caller.use, caller.below
        return None

    def prevented(self, kind: str, obj: Obj) -> bool:
        """Was an occurrence of this kind on this object, in what is still being carried out, cancelled or replaced?"""
        groups, frame = {self.grp: None}, self.stack
        while frame is not None:  # many frames run within one group
            groups[frame.grp] = None
            frame = frame.below
        for group in groups:
            here = self.cells.get(group) if group is not None else None
            for member in here.members if isinstance(here, Group) else ():
                record: Record = self.cells[member]
                if (
                    record.status in (CANCELLED, PREVENTED, REPLACED)
                    and record.kind.name == kind
                    and any(record.roles[i] is obj for i in record.kind.subjects)
                ):
                    return True
        return False

    def note_happened(self, done: Sequence[Ref]) -> None:
        """Mark what has just happened, where a question asks about it (`Order`, `Holds` at a moment)."""
        told = []
        for ref in done if self.scene.watched_kinds else ():
            record: Record = self.cells[ref]
            if record.kind.name in self.scene.watched_kinds:
                whom = ",".join(dict.fromkeys(one.id for one in self._undergoing(record)))
                told.append(f"#{'!'.join((record.kind.name, *self._outside(ref)))}:{whom}")
        if told:
            self.marks.append(";".join(told))  # all at the same time
        self.note_moments(done, over=False)

    def _outside(self, ref: Ref) -> tuple[str, ...]:
        """The families of which a question asks and to which what was done does not belong, though its kind does: it
        does not meet the family's own condition."""
        families, kind = self.system.families, self.cells[ref].kind.name
        asked = (name for name in self.scene.sorted_by if kind in families[name])
        return tuple(name for name in asked if not self.system.family_holds[name](self, (ref,)))

    def _undergoing(self, record: Record) -> Iterator[Obj]:
        """To whom it happens: the first of its roles that can be a card, and the first that can be a player; of an
        occurrence to which it happens (a use that is countered), the card that is used."""
        seen: set[str] = set()
        for name, value in zip(record.kind.role_names, record.roles, strict=True):
            type_ = record.kind.roles[name].type
            if type_ == "record" and not seen:
                yield from islice(self._undergoing(self.cells[value]), 1)
                seen.add("card")
            elif type_ in ("card", "player", "object") and type_ not in seen:
                seen |= {"card", "player"} if type_ == "object" else {type_}
                if isinstance(value, Obj):
                    yield value

    def note_moments(self, done: Sequence[Ref], *, over: bool) -> None:
        """Mark what is so now, for the questions that ask about this moment."""
        for question in self.scene.moments if done else ():
            kinds = [self.cells[ref].kind.name for ref in done if question.moment not in self._outside(ref)]
            if (mark := question.happened(self, kinds, over=over)) is not None:
                self.marks.append(mark)

    def note_now(self) -> None:
        """Mark what is so where players would say that they pass, though nobody has anything to use."""
        for question in self.scene.moments:
            if (mark := question.passed(self)) is not None:
                self.marks.append(mark)

    def over_with_the_game(self) -> None:
        """The game ends in the midst of what happens: those moments are over with it."""
        if not self.scene.moments:
            return
        groups, caller = [self.grp], self.stack
        while caller is not None:
            groups.append(caller[4])
            caller = caller[7]
        for group in dict.fromkeys(group for group in groups if group is not None):
            members = self.cells[group].members
            self.note_moments([ref for ref in members if self.cells[ref].status == DONE], over=True)

    def group_members(self) -> list[Ref]:
        """The occurrences of the running group."""
        return [] if self.grp is None else list(self.cells[self.grp].members)

    def waiting(self, kind: str) -> list[Ref]:
        """The occurrences “this is used” of what was put on the gate of a kind, the last put first."""
        ref = self.gate_for(kind)
        if self.watch is not None:
            self.watch.through(0 if ref is None else len(self.cells[ref].waiting))
        uses = [] if ref is None else [self.cells[use] for use in reversed(self.cells[ref].waiting)]
        return [use.record for use in uses if use.record is not None]

    def use_cancelled(self) -> bool:
        """Was the running use itself cancelled?"""
        use = self.cur
        return use is not None and use.record is not None and self.cells[use.record].status == CANCELLED

    def use_variable(self, name: str) -> Any:
        """What the running use chose or set under a name; nothing when it has none."""
        if self.cur is None or name not in self.cur.ability.names:
            return None
        return self.cur.env[self.cur.ability.names[name]]

    def use_chosen(self) -> tuple[Obj, ...]:
        """The cards and players that the running use chose when it was initiated, under whatever names."""
        if self.cur is None:
            return ()
        return self.cur.chosen

    # --- points and gates

    def raise_point(self, point: str, members: Sequence[Ref] | None = None) -> None:
        """Put the members (by default the group's live ones) on the innermost gate of each kind that listens."""
        if members is None:
            assert self.grp is not None
            wanted = DONE if point in self.system.later else PROPOSED
            members = [index for index in self.cells[self.grp].members if self.cells[index].status == wanted]
        for index in members:
            record: Record = self.cells[index]
            listening = self._listening(point, record.kind.name)
            if listening and self.script < len(self.scene.did):
                self.note_due(point, record.kind.name)
            if listening and point in self.system.later and not record.after:
                self.cells[index] = record._replace(after=self._incs(record.kind, record.roles))
            for kind in listening:
                cell = self.gate_for(kind)
                if cell is not None:
                    gate: Gate = self.cells[cell]
                    matches = self.matches(index, point, kind) if gate.locked else None
                    entry = Entry(index, point, gate.batch, matches, kind)
                    if matches or (matches is None and entry not in gate.entries):
                        self.cells[cell] = gate._replace(entries=(*gate.entries, entry))

    def note_due(self, point: str, kind: str) -> None:
        """Does the card that is used next, as it was told, listen to this? Then this is what that use was to answer."""
        move = next((one for one in self.scene.did[self.script :] if "pass" not in one), {})
        listeners = self.scene.listeners.get((point, kind), ())
        self.due = self.due or any(card.id == move.get("use") for card, _ in listeners)

    def matches(self, record: Ref, point: str, kind: str) -> frozenset[tuple[int, int]]:
        raise NotImplementedError  # rules.engine.machine.eligibility

    def _listening(self, point: str, kind: str) -> tuple[str, ...]:
        found = self.scene.listening.get((point, kind), ())
        for effect in self.delayed:
            ability = effect.ability
            if ability.point == point and kind in ability.of and ability.kind.name not in found:
                found = (*found, ability.kind.name)
        return found

    def listened(self, kind: str) -> bool:
        """Does anything here answer occurrences of this kind, at whatever point?"""
        return any(name == kind for _, name in self.scene.listening) or any(
            kind in effect.ability.of for effect in self.delayed
        )

    def heard(self, point: str) -> bool:
        """Does any ability listen at this point to something in the running group?"""
        return any(self._listening(point, self.cells[index].kind.name) for index in self.group_members())

    def gate_for(self, kind: str) -> Ref | None:
        """The innermost open gate that accepts abilities of this kind."""
        gates = self.gates
        while gates is not None:
            if kind in gates.kinds:
                return gates.gate
            gates = gates.outer
        return None

    # --- words

    def proposer(self, ref: Ref) -> Use | None:
        """The running use whose own text proposed an occurrence; None: the rules did."""
        use, group, caller = self.use, self.grp, self.stack
        while True:
            if use is not None and any(
                ref in self.cells[planned].members for _, planned in self.cells[use].plan
            ):
                return self.cells[use]  # type: ignore[no-any-return]
            if group is not None and ref in self.cells[group].members:
                by_text = caller is not None and caller.unit is not None and not caller.unit.is_chart
                return self.cells[use] if by_text and use is not None else None
            if caller is None:
                return None
            use, group, caller = caller.use, caller.grp, caller.below

    def foreseen(self, ref: Ref) -> bool:
        """Is the occurrence one that a use will bring about when it is carried out, and has only announced so far?"""
        group, caller = self.grp, self.stack
        while group is None or ref not in self.cells[group].members:
            if caller is None:
                return False
            group, caller = caller.grp, caller.below
        return bool(group[0] == "plan")

    def offer(self, option: Any) -> Any:
        """An option of a choice as people are to read it: occurrences are called after their first card."""
        if option.__class__ is not Ref:
            return option
        record: Record = self.cells[option]
        card = next((one for one in record.roles if isinstance(one, Obj) and one.kind == "card"), None)
        return Offer(option, card, self.describe(record))

    def fill(self, template: str, kind: "OccurrenceKind", roles: tuple[Any, ...]) -> str:
        """The template with role names replaced by what people call their holders."""
        return named(template, dict(zip(kind.role_names, map(self.system.said, roles), strict=True)))

    def describe(self, record: Record) -> str:
        roles = self.record_roles(record)
        if record.kind.links:  # an occurrence about another one
            roles = tuple(self.describe(self.cells[r]) if r.__class__ is Ref else r for r in roles)
        if record.kind.says:
            return self.fill(record.kind.says, record.kind, roles)
        what = self.system.word(record.kind.name)
        return Message(
            "{what}: {about}", what=what, about=listed(label(self.system.said(role)) for role in roles)
        )
