"""Cards and their abilities."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.engine import operations as ops
from rules.engine.base.errors import DataError, Unread, called, unknown
from rules.engine.base.messages import Message
from rules.engine.compiler.data import cites_of, counted, located, mapping, recalled, yes
from rules.engine.compiler.deeds import deeds_of
from rules.engine.compiler.procedures import UnitCompiler, role_scope
from rules.engine.compiler.shapes import (
    ABILITY,
    ALWAYS,
    CANNOT,
    GRANT,
    IMMUNE,
    TARGET,
    UNREAD,
    check_shape,
)
from rules.engine.definitions.model import (
    Ability,
    AbilityKind,
    Always,
    CardDefinition,
    Grant,
    Immunity,
    Limit,
    Prohibition,
    Requirement,
    System,
    Target,
    Unit,
    UnreadText,
)
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import (
    card_scope,
    compile_expression,
    compile_filter,
    compile_tree,
    tree_of,
)
from rules.engine.language.scopes import Scope

_OF_TRIGGER = re.compile(r"\btrigger\.([\w-]+)")
_CARD_KEYS = (
    "name",
    "abilities",
    "always",
    "cannot",
    "immune",
    "grants",
    "text",
    "title",
    "unread",
    "makes",
)


def _numbered(abilities: tuple[Ability, ...]) -> tuple[Ability, ...]:
    """Several abilities of one kind among which its player chooses, and that have no names, have their numbers."""
    of_kind = Counter(one.kind for one in abilities if not one.name and not one.kind.must)
    found, seen = [], Counter[AbilityKind]()
    for one in abilities:
        if not one.name and of_kind[one.kind] > 1:
            seen[one.kind] += 1
            name = Message("{ability} {number}", ability=one.kind.title, number=seen[one.kind])
            one = replace(one, name=name)
        found.append(one)
    return tuple(found)


class CardCompiler:
    def __init__(self, system: System, numbers: Iterator[int] | None = None) -> None:
        """numbers: where procedures and abilities have their numbers from, if not from the system."""
        self.system = system
        self.numbers = system.numbers if numbers is None else numbers

    def compile(self, name: str, data: Mapping[str, Any]) -> CardDefinition:
        facts = {}
        for key, value in data.items():
            if key in _CARD_KEYS:
                continue
            prop = self.system.properties.get(key)
            if prop is None:
                raise unknown("property", key, (*self.system.properties, *_CARD_KEYS))
            facts[key] = value
        type_ = facts["type"] if isinstance(facts.get("type"), str) else None
        abilities = tuple(
            replace(located(f"abilities[{i}]", self.ability, one, None, type_), number=i)
            for i, entry in enumerate(_entries(data, "abilities"))
            for one in located(f"abilities[{i}]", self._apart, entry)
        )
        abilities = _numbered(abilities)
        always = tuple(
            located(f"always[{i}]", self._always, entry) for i, entry in enumerate(_entries(data, "always"))
        )
        cannot = tuple(
            located(f"cannot[{i}]", self.prohibition, entry, card_scope(self.system), 1)
            for i, entry in enumerate(_entries(data, "cannot"))
        )
        immune = tuple(
            located(f"immune[{i}]", self._immune, entry) for i, entry in enumerate(_entries(data, "immune"))
        )
        grants = tuple(
            located(f"grants[{i}]", self._grant, entry) for i, entry in enumerate(_entries(data, "grants"))
        )
        for i, entry in enumerate(_entries(data, "makes")):
            located(f"makes[{i}]", self._token, entry)
        unread = _entries(data, "unread")
        for i, entry in enumerate(unread):
            abilities += located(
                f"unread[{i}]", self._unread_uses, entry, type_, len(_entries(data, "abilities")) + i
            )
        texts = tuple(
            located(f"unread[{i}]", self._unread, entry, type_)
            for i, entry in enumerate(unread)
            if "kind" not in entry
        )
        text = str(data.get("text") or "")
        return CardDefinition(
            name,
            facts,
            abilities,
            always,
            cannot,
            immune,
            grants,
            text,
            counted(data),
            texts,
            recalled(data, self.system.derived),
            str(data.get("title") or name),
        )

    def _token(self, data: Mapping[str, Any]) -> None:
        """A token that the card makes: a card of its own; `made`: how many at a time. Raises DataError."""
        if "name" not in data or "type" not in data:
            raise DataError("missing-key", "a token has a name and a type")
        if not isinstance(data.get("made", 1), int):
            raise DataError("wrong-type", "made is a number", place="made")
        self.compile(str(data["name"]), {key: value for key, value in data.items() if key != "made"})

    def _unread_uses(self, data: Mapping[str, Any], type_: str | None, number: int) -> tuple[Ability, ...]:
        """Text that is not understood, of a kind of ability that is known: what may be used wherever such a kind may
        answer, though nobody knows whether."""
        check_shape(data, UNREAD, "key of a text that is not understood")
        says = str(data["says"])

        def nobody_knows(m: Any, b: tuple[Any, ...]) -> bool:
            raise Unread(m.cur.obj, says)

        known = {key: value for key, value in data.items() if key not in ("says", "at")}
        found = []
        for occasion in self._occasions(data):
            ability = self.ability({**known, **occasion}, None, type_)
            first = ability.condition.test if ability.condition else None
            test = nobody_knows if first is None else _then(first, nobody_knows)
            found.append(replace(ability, condition=Requirement(test, "", ()), number=number, unread=True))
        return tuple(found)

    def _occasions(self, data: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What it may answer, and when, each point apart: what is told, else whatever such a kind can answer."""
        system = self.system
        if "kind" not in data:
            return []
        kind = system.ability_kinds.get(data["kind"])
        if kind is None:
            raise unknown("ability kind", data["kind"], system.ability_kinds, place="kind")
        if "of" in data:
            points = data.get("at", self._point(kind, None))
            return [{"at": point} for point in ([points] if isinstance(points, str) else points)]
        if not kind.answers:
            return [{}]
        heard = {
            point: [name for name, raised in system.raised.items() if point in raised]
            for point in kind.answers
        }
        return [{"at": point, "of": names} for point, names in heard.items() if names]

    def _unread(self, data: Mapping[str, Any], type_: str | None) -> UnreadText:
        """Where nothing is told, it may work wherever its card's text does, but for where cards wait to be used."""
        check_shape(data, UNREAD, "key of a text that is not understood")
        system = self.system
        zones = data.get("zones") or {
            *system.zones_in_play,
            *(system.default_zones.get(type_ or "", frozenset()) - system.piles.keys()),
        }
        zones = [zones] if isinstance(zones, str) else zones
        for zone in zones:
            if zone not in self.system.zones:
                raise unknown("zone", zone, self.system.zones, place="zones")
        return UnreadText(str(data["says"]), frozenset(zones))

    def _apart(self, data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """An ability whose kind hangs on what it answers: one of each kind that it really is."""
        check_shape(data, ABILITY, "key of an ability")
        data = self._of_families(data)
        kind = self.system.ability_kinds.get(data["kind"])
        if kind is None or not kind.becomes:
            return [data]
        becomes = dict(kind.becomes)
        apart: dict[str, list[str]] = {}
        words = data.get("of", ())
        for word in self._kinds((words,) if isinstance(words, str) else words, "of"):
            apart.setdefault(becomes.get(word, becomes["other"]), []).append(word)
        if not apart:
            raise DataError("missing-key", f"a {kind.name} must say what it responds to: of", place="kind")
        return [{**data, "kind": name, "of": answered} for name, answered in apart.items()]

    def _of_families(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """The ability with the members of a family that says which of them count, and with that as its condition."""
        tests, families = self.system.family_tests, self.system.families
        words = data.get("of", ())
        words = (words,) if isinstance(words, str) else tuple(words)
        asked = []
        for word in words:
            if word in tests and len(words) == 1:
                asked.append(tests[word])
            elif word in tests:  # beside others, which it says nothing of
                others = " and ".join(f"trigger.kind != '{kind}'" for kind in families[word])
                asked.append(f"({others}) or ({tests[word]})")
        if not asked:
            return data
        asked += [data["if"]] if "if" in data else []
        kinds = [kind for word in words for kind in families.get(word, (word,))]
        condition = asked[0] if len(asked) == 1 else " and ".join(f"({one})" for one in asked)
        return {**data, "of": list(dict.fromkeys(kinds)), "if": condition}

    def _point(self, kind: AbilityKind, said: str | None) -> str:
        """The point at which an ability of that kind listens: what it says, else the usual one."""
        system = self.system
        usual = kind.answers[:1] or tuple(point for point in ("after",) if point in system.points)
        point = kind.point or "".join(usual) if said is None else said
        point = system.same_points.get(point, point)
        if point not in system.points:
            raise unknown("point", point, system.points, place="at")
        if kind.answers and point not in kind.answers:
            remedy = f"Write at: {' or '.join(kind.answers)}."
            text = f"a {kind.title} can’t respond at {called(point)}"
            raise DataError("bad-point", text, place="at", remedy=remedy)
        return point

    def _heard(self, kind: AbilityKind, point: str, of: Sequence[str]) -> None:
        """Refuse what would be silent for ever: nothing looks for that kind, or nothing is raised at that point."""
        system = self.system
        if system.asked_for and kind.name not in system.asked_for and not kind.becomes:
            known = ", ".join(sorted(system.asked_for & set(system.ability_kinds)))
            text = f"no window of this game is for a {kind.title}, so it could never be used"
            raise DataError("never-asked", text, place="kind", remedy=f"Write one of: {known}.")
        if kind.must and not of and kind.answers:
            text = f"a {kind.title} happens automatically, so it must say what it responds to"
            raise DataError("missing-key", text, place="of", remedy="Add of: and a kind of occurrence.")
        silent = [name for name in of if system.raised and point not in system.raised[name]]
        if silent and len(silent) == len(of):
            points = sorted(
                {one for name in of for one in system.raised[name]} & set(kind.answers or system.points)
            )
            remedy = (
                f"Write at: {' or '.join(points)}."
                if points
                else "Respond to what the use does: its occurrences."
            )
            text = f"nothing is raised at {point!r} of {' or '.join(silent)}, so it would never be asked"
            raise DataError("never-asked", text, place="at", remedy=remedy)

    def ability(
        self, data: Mapping[str, Any], kept: Mapping[str, str] | None, type_: str | None = None
    ) -> Ability:
        system = self.system
        data, *more = self._apart(data)
        if more:
            raise DataError(
                "bad-kind", "what it responds to makes it several abilities; write each of them separately"
            )
        if data.get("kind") not in system.ability_kinds:
            raise unknown("ability kind", data.get("kind"), system.ability_kinds, place="kind")
        kind = system.ability_kinds[data["kind"]]
        of = data.get("of", kind.of)
        of = (of,) if isinstance(of, str) else tuple(of)
        of = self._kinds(of, "of")
        point = self._point(kind, data.get("at")) if of else data.get("at", kind.point)
        self._heard(kind, point, of)
        compiler = UnitCompiler(
            system,
            chart=False,
            numbers=self.numbers,
            after=bool(of) and point in system.later,
            answers=of,
        )
        for name, kept_type in (kept or {}).items():
            compiler.slot(name, kept_type)
        condition, still = (
            self._condition(compiler, data, key) if key in data else None for key in ("if", "still")
        )
        if still is not None:  # it must hold for the ability to be triggered, too
            first = condition.test if condition else still.test
            both = lambda m, b, first=first, then=still.test: bool(first(m, b) and then(m, b))  # noqa: E731
            said = (condition.said if condition else ()) + still.said
            condition = replace(still, test=both, said=said)
        targets = tuple(
            located(f"choose.{name}", self._target, compiler, name, entry)
            for name, entry in mapping(data.get("choose"), "choose").items()
        )
        flags = self._flags(data.get("flags", ()))
        price = self._price(data.get("cost"), kind, type_, flags)
        given = [{**one, "amount": None, "pay": None} if isinstance(one, Mapping) else one for one in price]
        paid = set(re.findall(r"[\w-]+", str(given)))  # a number may be read from what is aimed at
        targets = tuple(replace(target, pays=target.name in paid) for target in targets)
        targets = tuple(replace(target, aimed=not target.pays) for target in targets)
        cost, checks = self._cost(compiler, price, data.get("cost"))
        targets = tuple(self._once_paid(compiler, target) for target in targets)
        blocks = data["parts"] if "parts" in data else ([data["do"]] if "do" in data else [])
        parts = []
        for i, block in enumerate(blocks):
            compiler.code = []
            compiler.block(block, f"parts[{i}]" if "parts" in data else "do")
            compiler.serve()
            parts.append(Unit(next(self.numbers), f"part {i + 1}", tuple(compiler.code), is_chart=False))
        targets = tuple(replace(target, ways=self._ways(target, parts)) for target in targets)
        zones = data.get("zones") or kind.zones or system.default_zones.get(type_ or "")
        if zones and kind.must and "zones" not in data and not kind.zones:
            zones = {*zones, *system.zones_in_play}  # where it lies for good, it does what it must
        zones = zones or system.zones_in_play
        for zone in zones:
            if zone not in system.zones:
                raise unknown("zone", zone, system.zones, place="zones")
        limit = data.get("limit")
        return Ability(
            next(self.numbers),
            data.get("name", ""),
            kind,
            point if of else "",
            of,
            condition,
            self._user(compiler, data),
            targets,
            cost,
            checks,
            tuple(parts),
            located("limit", self._limit, limit) if limit else None,
            frozenset(zones),
            yes(data.get("look-back")),
            data.get("per") == "group",
            len(compiler.names),
            dict(compiler.names),
            (True, *([None] * (len(compiler.names) - 1))),
            data.get("text", ""),
            cites_of(data),
            flags | self._marked(price),
            designations=self._designations(parts) + self._meant(compiler, data.get("means")),
            changing=self._changing(parts),
            still=still,
            reads=frozenset(_OF_TRIGGER.findall(str(data))),
            deeds=deeds_of(data, compiler.names, mapping(system.source.get("vocabulary"), "vocabulary")),
        )

    @staticmethod
    def _condition(compiler: UnitCompiler, data: Mapping[str, Any], key: str) -> Requirement:
        """What must hold: `because` is the reason shown when it does not, or one for each part that `and` joins."""
        text, because = data[key], data.get("because", "")
        test, scope = compiler.expression(text, key), compiler.scope()
        parts: tuple[tuple[Compiled, str], ...] = ()
        if isinstance(because, list):
            tree = tree_of(str(text))
            joined = tree[1:] if tree[0] == "and" else (tree,)
            if len(joined) != len(because):
                said = (
                    f"`{key}` has {len(joined)} parts joined by `and`, and there are {len(because)} reasons"
                )
                raise DataError("wrong-type", said, place="because", remedy="Write one reason for each part.")
            parts = tuple(
                (compile_tree(part, scope), reason) for part, reason in zip(joined, because, strict=True)
            )
            because = because[0]
        return Requirement(
            test,
            because,
            cites_of(data),
            said=((text, scope),) if isinstance(text, str) else (),
            parts=parts,
            lasting=_lasting_parts(text, scope) if isinstance(text, str) and "trigger" in text else None,
        )

    @staticmethod
    def _ways(target: Target, parts: Sequence[Unit]) -> tuple[ops.Do, ...]:
        """What may be done with what is chosen, if that is all the text does with it: one of several things, each “if
        able”, as the same player likes."""
        with_it = [
            one
            for part in parts
            for one in part.code
            if isinstance(one, ops.OneOf) or target.slot in getattr(one, "mentions", ())
        ]
        either = [one for one in with_it if isinstance(one, ops.OneOf)]
        if len(either) != 1 or not either[0].by_user or target.many or target.up_to or target.by is not None:
            return ()
        ways = [one for one in either[0].checks if isinstance(one, ops.Do) and one.if_able]
        if len(ways) != len(either[0].checks) or {*either, *ways} != set(with_it):
            return ()
        return tuple(ways)

    def _designations(self, parts: Sequence[Unit]) -> tuple[ops.Do, ...]:
        """What it will do to cards it names; that bars no choice where targets are a matter of their own, or where any
        part of an effect that can be done makes it legal."""
        if self._bars_no_choice():
            return ()
        named = (o for part in parts for o in part.code if isinstance(o, ops.Do | ops.Together))
        each = (do for o in named for do in (o.parts if isinstance(o, ops.Together) else (o,)))
        bars = self.system.targeting_bars
        return tuple(do for do in each if do.designates and (bars is None or do.kind.name in bars))

    def _changing(self, parts: Sequence[Unit]) -> tuple[ops.MakeLasting, ...]:
        """What it changes for a while of what it names, and may not change of all."""
        if self._bars_no_choice() or self.system.targeting_bars is not None:
            return ()
        made = (o for part in parts for o in part.code if isinstance(o, ops.MakeLasting))
        return tuple(one for one in made if one.property.barred)

    def _bars_no_choice(self) -> bool:
        own_matter = self.system.targeting is not None and self.system.targeting_when is None
        return own_matter or self.system.idle_cites is not None

    @staticmethod
    def _meant(compiler: UnitCompiler, data: Any) -> tuple[ops.Do, ...]:
        """What a use comes to, though a chart does it: who cannot be so may not be used, or chosen, for it."""
        if data is None:
            return ()
        compiler.code = []
        compiler.block(data, "means")
        meant = tuple(o for o in compiler.code if isinstance(o, ops.Do))
        for do in meant:
            do.meant = True
        return meant

    def _kinds(self, words: Any, place: str) -> tuple[str, ...]:
        """Kinds of occurrence, families replaced by their members."""
        kinds, families = self.system.kinds, self.system.families
        found: list[str] = []
        for word in words:
            if word not in kinds and word not in families:
                raise unknown("occurrence kind", word, (*kinds, *families), place=place)
            found += families.get(word, (word,))
        return tuple(dict.fromkeys(found))

    def _user(self, compiler: UnitCompiler, data: Mapping[str, Any]) -> Compiled | None:
        """Who uses the ability; `controller` (the default) is judged as the card left, when it left. What the system
        says of every ability of a kind may speak of roles that what this one answers has not."""
        text = data.get("you")
        if text is None:
            text = self.system.you.get(data["kind"])
            compiler = UnitCompiler(self.system, chart=False, numbers=self.numbers)
        return None if text in (None, "controller") else compiler.expression(text, "you")

    def _limit(self, limit: Mapping[str, Any]) -> Limit:
        per = str(limit.get("per", "turn"))
        per = self.system.same_periods.get(per, per)
        if per not in (known := (*sorted(self.system.periods), "game")):
            raise unknown("period", per, known, place="per")
        if (by := limit.get("by", "")) not in ("", "object", "name", "player"):
            raise unknown("way to count", by, ("object", "name", "player"), place="by")
        return Limit(limit.get("times", 1), per, by)

    def _flags(self, flags: Any) -> frozenset[str]:
        found = frozenset([flags] if isinstance(flags, str) else flags)
        for flag in found - set(self.system.flags):
            raise unknown("flag", flag, self.system.flags, place="flags")
        return found

    def _marked(self, price: Sequence[Any]) -> frozenset[str]:
        """The flags that its cost gives it, whoever wrote it."""
        costs = [{k: str(v) for k, v in cost.items()} for cost in price if isinstance(cost, Mapping)]
        return frozenset(
            flag
            for flag, wanted in self.system.cost_flags.items()
            if any(one.items() <= cost.items() for one in wanted for cost in costs)
        )

    def _target(self, compiler: UnitCompiler, name: str, data: Any) -> Target:
        if isinstance(data, str):
            data = {"from": data}
        check_shape(data, TARGET, "key of a choice")
        said = (data["from"], compiler.scope())
        members, type_ = compile_filter(*said, place="from")
        count = compiler.expression(data.get("count", 1), "count")
        by = compiler.expression(data["by"], "by") if "by" in data else None
        slot = compiler.slot(name, type_ if data.get("count", 1) == 1 else "list")
        least = int(data.get("at-least", 0))
        up_to, because = yes(data.get("up-to")), str(data.get("because") or "")
        cites = cites_of(data)
        many = data.get("count", 1) != 1
        return Target(
            name, slot, members, count, up_to, by, cites, least, because=because, many=many, said=said
        )

    @staticmethod
    def _once_paid(compiler: UnitCompiler, target: Target) -> Target:
        """What it is chosen from is looked at again when the cost is paid: what pays for it is read as it was then."""
        text, scope = target.said or ("", compiler.scope())
        if not any(f"{name}." in str(text) for name in compiler.moved):
            return target
        now = compiler.scope().names
        now = {name: replace(now[name], was=True) for name in scope.names if name in now}
        return replace(target, again=compile_filter(text, scope.with_names(now), place="from")[0])

    def _price(self, said: Any, kind: AbilityKind, type_: str | None, flags: frozenset[str]) -> list[Any]:
        """What the ability says it costs, and what uses of its kind cost besides: from counters that it leaves out, or
        added to what it takes from them."""
        found = list(said) if isinstance(said, list) else [said] if said else []
        # what lies on the card itself is taken before the card is given up
        found.sort(
            key=lambda one: not (isinstance(one, Mapping) and "pay" in one and one.get("of") == "this")
        )
        for due in reversed(self.system.dues):
            pay, such = {**due["pay"], "due": True}, due["types"] or due["flags"]
            if kind.name not in due["kinds"] or (
                such and type_ not in due["types"] and flags.isdisjoint(due["flags"])
            ):
                continue
            from_it = any(isinstance(one, Mapping) and one.get("pay") == pay["pay"] for one in found)
            if due["adds"] or not from_it:  # paid first: it is spent though something behind it is prevented
                found.insert(0, pay)
        return self._joined(found)

    def _joined(self, price: list[Any]) -> list[Any]:
        """Several payments of a cost from one supply are one payment."""
        found: list[Any] = []
        seen: dict[tuple[str, str], int] = {}
        for one in price:
            key = (
                (str(one.get("pay", "")), str(one.get("of", "you"))) if isinstance(one, Mapping) else ("", "")
            )
            payment = self.system.payments.get(key[0])
            if key[0] and key in seen and (payment is None or payment.sums):
                at = seen[key]
                both = f"({found[at].get('amount', 1)}) + ({one.get('amount', 1)})"
                found[at] = {**found[at], "amount": both}
                continue
            seen[key] = len(found)
            found.append(one)
        return found

    def _cost(
        self, compiler: UnitCompiler, price: list[Any], written: Any
    ) -> tuple[Unit | None, tuple[ops.Operation, ...]]:
        if not price:
            return None, ()
        compiler.code, compiler.paying = [], True
        stops = []
        pooled = any(self._pools(entry) for entry in price)
        for entry in sorted(price, key=lambda one: self._turn(one, pooled=pooled)):
            i = written.index(entry) if isinstance(written, list) and entry in written else 0
            if isinstance(entry, Mapping) and "choose" in entry:
                remedy = (
                    "Write the choice next to the cost, as choose: {it: character}, and name it in the cost."
                )
                text = (
                    "a cost can’t contain a choice, because the engine must know first whether it can be paid"
                )
                raise DataError("bad-instruction", text, place=f"cost[{i}]", remedy=remedy)
            if compiler.code:  # what comes next is paid only when what came before was
                stops.append(compiler.emit(ops.JumpUnlessOk(None, quiet=True)))
            compiler.instruction(entry, f"cost[{i}]")
        for stop in stops:
            stop.to = compiler.here()
        compiler.paying = False
        code = tuple(compiler.code)
        checks = tuple(o for o in code if isinstance(o, ops.Pay | ops.Do | ops.Edit))
        return Unit(next(self.numbers), "cost", code, is_chart=False), checks

    def _turn(self, entry: Any, *, pooled: bool) -> int:
        """Parts of a cost are paid as they are written, but for what would keep others from being paid: that the card
        itself leaves comes last. What cards produce (pooled: where any of it is that) comes before what leaves play,
        which can produce before, and behind what is only tapped or bowed, which then cannot."""
        if self._pools(entry):
            return 1
        kind = self.system.kinds.get(str(entry.get("do"))) if isinstance(entry, Mapping) else None
        edits = {getattr(edit, "what", "") for edit in kind.edits} if kind is not None else set()
        if pooled and (edits == {"set"} or (isinstance(entry, Mapping) and "set" in entry)):
            return 0
        return 3 if "move" in edits and "this" in entry.values() else 2

    def _pools(self, entry: Any) -> bool:
        """Is it a payment from what cards produce?"""
        counter = entry.get("pay") if isinstance(entry, Mapping) else None
        payment = self.system.payments.get(str(counter))
        return payment is not None and payment.sums

    def _always(self, data: Mapping[str, Any]) -> Always:
        check_shape(data, ALWAYS, "key of a continuous effect")
        prop = self.system.properties.get(data["stat"])
        if prop is None or not prop.stat:
            raise unknown("stat", data["stat"], [n for n, p in self.system.properties.items() if p.stat])
        scope = card_scope(self.system).bind("it", prop.of)

        def optional(key: str) -> Compiled | None:
            return compile_expression(data[key], scope, place=key) if key in data else None

        covered = {"card": "it = this", "player": "it = you", "game": "yes"}[prop.of]
        covers = compile_expression(data.get("of", covered), scope, place="of")
        for zone in data.get("zones", ()):
            if zone not in self.system.zones:
                raise unknown("zone", zone, self.system.zones, place="zones")
        return Always(
            prop,
            covers,
            optional("by"),
            optional("to"),
            optional("while"),
            data.get("floor"),
            frozenset(data.get("zones", ())),
            cites_of(data),
        )

    def prohibition(self, data: Mapping[str, Any], scope: Scope, at: int) -> Prohibition:
        """What it says of each kind of occurrence; the roles are the values bound at index `at`."""
        check_shape(data, CANNOT, "key of a prohibition")
        words = (data["kind"],) if isinstance(data["kind"], str) else tuple(data["kind"])
        tests = {
            name: compile_expression(
                self._of_its_families(name, words, str(data.get("if", "yes"))),
                role_scope(self.system, self.system.kinds[name], at, scope),
                place="if",
            )
            for name in self._kinds(words, "kind")
        }
        if "unread" in data:
            tests = {name: _then(test, _nobody_knows(str(data["unread"]))) for name, test in tests.items()}
        return Prohibition(tests, data.get("because", ""), cites_of(data), str(data.get("if", "")))

    def _of_its_families(self, name: str, words: Sequence[str], condition: str) -> str:
        """The condition of a prohibition, for a kind of occurrence that only a family which says which of them count
        brings in (“cannot leave play”)."""
        tests = self.system.family_tests
        bringing = [word for word in words if name in self.system.families.get(word, (word,))]
        if not bringing or any(word not in tests for word in bringing):
            return condition
        own = " or ".join("({})".format(re.sub(r"\btrigger\.", "", tests[word])) for word in bringing)
        return f"({own}) and ({condition})"

    def _grant(self, data: Mapping[str, Any]) -> Grant:
        check_shape(data, GRANT, "key of a grant")
        if "ability" not in data:
            raise DataError(
                "missing-key", "ability is missing", remedy="Write ability: {kind: ..., do: [...]}."
            )
        scope = card_scope(self.system).bind("it", "card")
        for zone in data.get("zones", ()):
            if zone not in self.system.zones:
                raise unknown("zone", zone, self.system.zones, place="zones")
        return Grant(
            located("ability", self.ability, data["ability"], None),
            compile_expression(data.get("to", "it = this.host"), scope, place="to"),
            compile_expression(data["while"], scope, place="while") if "while" in data else None,
            frozenset(data.get("zones", ())),
            ((str(data["while"]), scope),) if "while" in data else (),
        )

    def _immune(self, data: Mapping[str, Any]) -> Immunity:
        check_shape(data, IMMUNE, "key of an immunity")
        scope = card_scope(self.system).bind("it", "card")
        return Immunity(
            compile_expression(data["to"], scope.bind("ability", "ability"), place="to"),
            compile_expression(data.get("of", "it = this"), scope, place="of"),
            data.get("because", ""),
            cites_of(data),
        )


def _then(first: Compiled, second: Compiled) -> Compiled:
    """Both, the second looked at only where the first holds."""
    return lambda m, b: bool(first(m, b) and second(m, b))


def _nobody_knows(says: str) -> Compiled:
    """What a prohibition comes to that hangs on words nobody understood: asked, it raises Unread for its card."""

    def raise_it(_: Any, b: tuple[Any, ...]) -> bool:
        raise Unread(b[0], says)

    return raise_it


def _entries(data: Mapping[str, Any], key: str) -> list[Any]:
    found = data.get(key, [])
    if not isinstance(found, list):
        raise DataError("wrong-type", f"expected a list, found {called(found)}", place=key)
    return found


def _lasting_parts(text: str, scope: Scope) -> Compiled | None:
    """The parts of a condition that compare a role of what is answered with one certain card; None: there is none."""
    tree = tree_of(text)
    found = tuple(
        part
        for part in (tree[1:] if tree[0] == "and" else (tree,))
        if part[0] == "cmp"
        and part[1] in ("=", "!=")
        and part[2][:2] == ("prop", ("name", "trigger"))
        and part[3][0] == "name"
        and (part[3][1] == "this" or part[3][1] in scope.language.things)
    )
    return compile_tree(("and", *found) if len(found) > 1 else found[0], scope) if found else None
