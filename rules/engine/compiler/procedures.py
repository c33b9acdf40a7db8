"""Procedures: lists of instructions become code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.engine import operations as ops
from rules.engine.base.errors import DataError, unknown
from rules.engine.compiler.blocks import spelled, typed, variable
from rules.engine.compiler.data import cites_of, located, yes
from rules.engine.compiler.piles import Decks
from rules.engine.compiler.shapes import (
    ABILITY,
    CANNOT,
    CHOICE,
    COMMON,
    INSTRUCTIONS,
    check_shape,
    instruction,
)
from rules.engine.compiler.texts import OPTIONAL_PART
from rules.engine.compiler.windows import Windows
from rules.engine.definitions.model import (
    Ability,
    Always,
    Gained,
    OccurrenceKind,
    Property,
    Requirement,
    System,
    Unit,
)
from rules.engine.definitions.values import CANCELLED, PREVENTED
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import compile_expression, compile_filter, compile_typed
from rules.engine.language.folding import UNKNOWN, folding
from rules.engine.language.scopes import Moved, Name, Scope
from rules.engine.operations.occurrences import MEMBER

PLAIN = 3  # so many instructions are one `do` in place of something: it, what came of it, what it stands for


def role_scope(system: System, kind: OccurrenceKind, at: int, scope: Scope | None = None) -> Scope:
    """A scope in which the roles of `kind` are names; their values are the tuple at index `at` of `b`."""

    def role(index: int) -> Compiled:
        def known_holder(known: Any, b: tuple[Any, ...]) -> Any:
            return b[at][index] if len(b) > at and b[at].__class__ is tuple else UNKNOWN

        holder: Any = folding(lambda m, b: b[at][index], known_holder)
        if at == 0:
            holder.role = index
        return holder  # type: ignore[no-any-return]

    names = {name: Name(role(i), kind.roles[name].type) for i, name in enumerate(kind.role_names)}
    base = scope or Scope(system)
    return Scope(base.language, {**base.names, **names}, at + 1, base.it, unnamed=base.unnamed)


class UnitCompiler(Windows, Decks):
    """Compiles one procedure, of all instructions there are."""

    # control

    @instruction(if_={"if": "expression!", "then": "block", "else": "block"})
    def i_if(self, data: Mapping[str, Any], place: str) -> None:
        then_follows = self.then_follows
        test = self.expression(data["if"], f"{place}.if")
        mentions = self._mentions({"if": data["if"]})
        said = ((data["if"], self.scope()),) if isinstance(data["if"], str) else ()
        requirement = None if self.chart else Requirement(test, "", said=said)
        jump = self.emit(ops.JumpUnless(test, mentions=mentions, said=requirement))
        self.block(data.get("then"), f"{place}.then")
        if then_follows and "else" not in data:  # what did not come to pass was not done
            end = self.emit(ops.Jump())
            jump.to = self.here()
            self.emit(ops.Let(ops.OK, lambda m, b: False))
            end.to = self.here()
        elif "else" in data:
            end = self.emit(ops.Jump())
            jump.to = self.here()
            self.block(data["else"], f"{place}.else")
            end.to = self.here()
        else:
            jump.to = self.here()

    @instruction(then={"then": "block", "of": "word"})
    def i_then(self, data: Mapping[str, Any], place: str) -> None:
        group = None
        if "of" in data:
            if self.types.get(data["of"]) != "record":
                raise unknown(
                    "record", data["of"], [n for n, t in self.types.items() if t == "record"], place=place
                )
            group = self.names[data["of"]]
        jump = self.emit(ops.JumpUnlessOk(group))
        self.block(data["then"], f"{place}.then")
        jump.to = self.here()

    @instruction(while_={"while": "expression!", "do": "block!"})
    def i_while(self, data: Mapping[str, Any], place: str) -> None:
        start = self.here()
        jump = self.emit(ops.JumpUnless(self.expression(data["while"], f"{place}.while")))
        self.block(data["do"], f"{place}.do")
        self.emit(ops.Jump(start))
        jump.to = self.here()

    @instruction(
        for_={"for": "filter!", "as": "word!", "order": "expression", "start": "expression", "do": "block!"}
    )
    def i_for(self, data: Mapping[str, Any], place: str) -> None:
        scope = self.scope()
        members, type_ = compile_filter(data["for"], scope, place=f"{place}.for")
        left = self.hidden()
        slot = self.slot(data["as"], type_)
        order, first = (
            self.expression(data[key], f"{place}.{key}") if key in data else None
            for key in ("order", "start")
        )
        if first is not None and type_ != "player":
            raise DataError("bad-instruction", "start is for players only", place=f"{place}.start")
        back = self.here()
        step = self.emit(ops.ForNext(members, left, slot, order, first))
        step.said, step.speaks_of = (data["for"], scope), self._mentions({"for": data["for"]})
        self.block(data["do"], f"{place}.do")
        self.emit(ops.Jump(back))
        step.to = self.here()

    @instruction(run={"run": "word!", "with": "expressions"})
    def i_run(self, data: Mapping[str, Any], place: str) -> None:
        name = data["run"]
        unit = self.system.charts.get(name)
        if unit is None:
            raise unknown("chart", name, self.system.charts, place=place)
        for key in data.get("with") or {}:
            if key not in unit.params:
                raise unknown(f"argument of {name}", key, unit.params, place=f"{place}.with")
        arguments = {
            key: self.expression(value, f"{place}.with.{key}")
            for key, value in (data.get("with") or {}).items()
        }
        self.emit(ops.Call(name, arguments, unit))

    @instruction(let={"let": "expressions!"})
    def i_let(self, data: Mapping[str, Any], place: str) -> None:
        for name, text in data["let"].items():
            value, type_ = compile_typed(text, self.scope(), place=f"{place}.let.{name}")
            self.emit(ops.Let(self.slot(name, type_), value))

    @instruction(stop={"stop": "optional"})
    def i_stop(self, data: Mapping[str, Any], place: str) -> None:
        test = self.expression(data["stop"], place) if data["stop"] is not None else None
        self.emit(ops.Stop(test, None))

    @instruction(end={"end": "optional"})
    def i_end(self, data: Mapping[str, Any], place: str) -> None:
        winner = data["end"]
        self.emit(ops.Stop(None, self.expression(winner if winner is not None else "nothing", place)))

    # choices

    @property
    def chooser(self) -> str:
        """Who chooses when nothing is said: in a chart the user, in an effect whoever the system says."""
        return "you" if self.chart else self.system.chooser

    @instruction(
        choose={
            "choose": {
                **CHOICE,
                "as": "word!",
                "at-random": "yes-no",
                "including": "filter",
                "each": "filter",
                "secret": "yes-no",
            }
        }
    )
    def i_choose(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["choose"]
        if "each" in entry:
            self._choose_each(entry, place)
            return
        if "secret" in entry:
            raise DataError(
                "bad-instruction", "what is secret is what each of several chooses: each", place=place
            )
        members, type_ = compile_filter(entry["from"], self.scope(), place=f"{place}.from")
        by = self.expression(entry.get("by", self.chooser), f"{place}.by")
        count = self.expression(entry.get("count", 1), f"{place}.count")
        many = entry.get("count", 1) != 1
        slot = self.slot(entry["as"], "list" if many else type_)
        self.emit(
            ops.Choose(
                slot,
                members,
                by,
                count,
                bool(yes(entry.get("up-to"))),
                entry["as"],
                bool(yes(entry.get("at-random"))),
                compile_filter(entry["including"], self.scope(), place=f"{place}.including")[0]
                if "including" in entry
                else None,
                (entry["from"], self.scope()),
                speaks_of=self._mentions({"from": entry["from"]}),
                by_user=entry.get("by", "you") == "you" and not yes(entry.get("at-random")),
            )
        )

    def serve(self) -> None:
        """What is chosen on the way is something with which what follows can be done, if that is all that follows.
        Where a use may change nothing, what cannot be done now may be chosen all the same; not what is forbidden."""
        plain = (ops.JumpUnless, ops.Jump, ops.JumpUnlessOk, ops.DoDone, ops.MakeDelayed)
        for at, choice in enumerate(self.code):
            if not isinstance(choice, ops.Choose | ops.ChooseEach) or choice.serves:
                continue
            after = [one for one in self.code[at + 1 :] if not isinstance(one, plain)]
            after = [one for one in after if getattr(one, "slot", None) != ops.OK]
            with_it = [one for one in after if choice.slot in getattr(one, "mentions", (choice.slot,))]
            each = isinstance(choice, ops.ChooseEach)  # then what follows is done to each that was chosen
            if all(isinstance(one, ops.Do) and (one.each is None or each) for one in with_it):
                choice.serves = tuple(one for one in with_it if isinstance(one, ops.Do))
                choice.spares = self.system.idle_cites is None

    def _choose_each(self, entry: Mapping[str, Any], place: str) -> None:
        """Each of several players chooses, and then what all of them chose is there at once."""
        for key in ("by", "at-random", "including"):
            if key in entry:
                raise DataError("bad-instruction", f"`{key}` does not go with `each`", place=f"{place}.{key}")
        players, type_ = compile_filter(entry["each"], self.scope(), place=f"{place}.each")
        if type_ not in ("player", "any"):
            raise DataError("bad-filter", "it is players who choose: each: player", place=f"{place}.each")
        chooser = self.slot("chooser", "player")
        members, _ = compile_filter(entry["from"], self.scope(), place=f"{place}.from")
        count = self.expression(entry.get("count", 1), f"{place}.count")
        slot = self.slot(entry["as"], "list")
        up_to, secret = yes(entry.get("up-to")), yes(entry.get("secret"))
        self.emit(
            ops.ChooseEach(
                slot,
                players,
                chooser,
                members,
                count,
                up_to,
                entry["as"],
                self.hidden(),
                secret,
                (str(entry["each"]), str(entry["from"]), str(entry.get("count", 1))),
                tuple(
                    one
                    for one in self._mentions({key: entry.get(key) for key in ("each", "from", "count")})
                    if one != chooser
                ),
            )
        )

    @instruction(may={"may": "block!", "by": "expression"})
    def i_may(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data.get("by", self.chooser), f"{place}.by")
        may = self.emit(ops.May(by, str(data.get("says", OPTIONAL_PART))))
        may.at = self.here()
        self.block(data["may"], f"{place}.may")
        may.to = self.here()
        if may.at < may.to and isinstance(payment := self.code[may.at], ops.Pay):
            may.payment = payment

    @instruction(one_of={"one-of": "blocks-by-label!", "by": "expression"})
    def i_one_of(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data.get("by", self.chooser), f"{place}.by")
        choice = self.emit(ops.OneOf([], [], by))
        choice.by_user = data.get("by", "you") == "you"
        ends = []
        for label, block in data["one-of"].items():
            choice.labels.append(label)
            choice.targets.append(self.here())
            self.block(block, f"{place}.{label}")
            first = self.code[choice.targets[-1]] if self.here() > choice.targets[-1] else None
            choice.checks.append(first if isinstance(first, ops.Do | ops.Pay | ops.Choose) else None)
            if isinstance(first, ops.Choose):
                after = (o for o in self.code[choice.targets[-1] :] if isinstance(o, ops.Do))
                first.serves = tuple(do for do in after if first.slot in do.mentions)[:1]
            ends.append(self.emit(ops.Jump()))
        for jump in ends:
            jump.to = self.here()
        choice.to = self.here()

    # occurrences

    @instruction(do={"do": "word!", "each": "filter", "as": "word", "then": "block", "if-able": "yes-no"})
    def i_do(self, data: Mapping[str, Any], place: str, *, skip_pending: bool = False) -> ops.Do:
        name = data["do"]
        kind = self.system.kinds[name]
        if kind.instead and not self.chart:
            remedy = f"Write {kind.instead}."
            raise DataError(
                "bad-instruction", f"only the rules do {name}", place=f"{place}.do", remedy=remedy
            )
        scope, each = self.scope(), None
        if "each" in data:
            each, type_ = compile_filter(data["each"], scope, place=f"{place}.each")
            scope = scope.bind("it", type_)
            data = self._of_each(kind, data, type_)
        if not self.chart:
            self._check_needs(kind, data, place)
        roles = {}
        for key, value in data.items():
            if key in ("do", "each", "as", "cite", "says", "then", "if-able"):
                continue
            role = kind.roles[key]
            roles[key] = typed(
                spelled(value, role, scope, f"{place}.{key}"), scope, role.type, f"{place}.{key}"
            )
        if not (self.chart or self.paying):
            told = self.system.effects_tell.items()
            roles |= {role: value for role, value in told if role in kind.roles and role not in data}
        mentions = self._mentions(
            {k: v for k, v in data.items() if k not in ("do", "as", "cite", "says", "then")}
        )
        via = self.system.charts.get(kind.via)
        if via is None:
            raise unknown("chart", kind.via, self.system.charts, place=f"vocabulary.{name}.via")
        group = self.hidden()
        operation: ops.Do = self.emit(
            ops.Do(kind, roles, each, group, mentions, skip_pending, next(self.numbers), via)
        )
        operation.named = "as" in data
        operation.words = " ".join(str(value) for key, value in data.items() if key in kind.roles)
        operation.if_able = bool(yes(data.get("if-able")))
        operation.designates = not (self.conditional or operation.if_able)
        done = self.emit(ops.DoDone(group, self.slot(data["as"], "record") if "as" in data else None))
        self.last_group = group
        if not self.chart:
            self._may_have_left(operation, done, data)
        if "then" in data:
            self.i_then({"then": data["then"]}, place)
        return operation

    @staticmethod
    def _of_each(kind: OccurrenceKind, data: Mapping[str, Any], type_: str) -> Mapping[str, Any]:
        """It happens to each of them, unless its roles say what else each has to do with it."""
        given = [str(value) for key, value in data.items() if key in kind.roles]
        if any(re.search(r"\bit\b", value) for value in given):
            return data
        free = (name for name, role in kind.roles.items() if role.type == type_ and name not in data)
        role = next(free, None)
        return data if role is None else {**data, role: "it"}

    @staticmethod
    def _check_needs(kind: OccurrenceKind, data: Mapping[str, Any], place: str) -> None:
        """Raises DataError if nobody and nothing is named that it would happen to: then it never happens."""
        for name in (kind.role_names[at] for at in kind.needs):
            if name not in data and kind.roles[name].default is None:
                text = f"{kind.name} doesn't say {name}: it could happen to nothing"
                raise DataError(
                    "missing-key", text, place=place, remedy=f"Write {{do: {kind.name}, {name}: …}}."
                )

    def _may_have_left(self, operation: ops.Do, done: ops.DoDone, data: Mapping[str, Any]) -> None:
        """What follows reads the numbers of the cards that this happens to as they were before, if it made them leave
        play."""

        def used() -> None:
            operation.named = done.keep = True

        for role in {"each": "each", **operation.kind.roles}:
            word = data.get(role)
            if isinstance(word, str) and (word == "this" or word in self.names):
                self.moved.setdefault(word, []).append(Moved(operation.group, used))
                self._scope = None

    @instruction(together={"together": "list!"})
    def i_together(self, data: Mapping[str, Any], place: str, *, skip_pending: bool = False) -> ops.Together:
        parts = []
        for i, entry in enumerate(data["together"]):
            if not isinstance(entry, Mapping) or "do" not in entry or "as" in entry or "then" in entry:
                raise DataError(
                    "bad-instruction", "`together` is a list of plain `do`", place=f"{place}[{i}]"
                )
            self._check_shape("do", entry, f"{place}.together[{i}]")
            parts.append(self.i_do(entry, f"{place}.together[{i}]", skip_pending=skip_pending))
            del self.code[-2:]
        group = self.hidden()
        together: ops.Together = self.emit(ops.Together(parts, group, next(self.numbers), parts[0].via))
        self.emit(ops.DoDone(group))
        return together

    @instruction(note={"note": "text!"})
    def i_note(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Note(data["note"], self._named_in(data["note"])))

    @instruction(lacking={"lacking": "text!", "at": "word!"})
    def i_lacking(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Lack(data["lacking"], data["at"], self._named_in(data["lacking"])))

    @instruction(assumed={"assumed": "text!"})
    def i_assumed(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Assume(data["assumed"], self._named_in(data["assumed"])))

    def _named_in(self, text: str) -> dict[str, int]:
        """The variables that a text names."""
        return {name: slot for name, slot in self.names.items() if f"{{{name}}}" in text}

    def checks(self, data: Sequence[Mapping[str, Any]]) -> Unit:
        """State checks: each a `do`, or several `together`; waves until one changes nothing; what is already pending is
        left out."""
        groups = []
        for i, entry in enumerate(data):
            word = "together" if "together" in entry else "do"
            self._check_shape(word, entry, f"checks[{i}]")
            make = self.i_together if word == "together" else self.i_do
            operation: ops.Do | ops.Together = make(entry, f"checks[{i}]", skip_pending=True)
            operation.cites = cites_of(entry)
            operation.says = str(entry.get("says", ""))
            groups.append(operation.group)
        for done in self.code:
            if isinstance(done, ops.DoDone):
                done.keep = True
        self.emit(ops.CheckAgain(tuple(groups)))
        return Unit(next(self.numbers), "checks", tuple(self.code), (), len(self.names), True)

    def _record(self, data: Any, place: str) -> Compiled:
        return self.expression(data if isinstance(data, str) else "trigger", place)

    @instruction(cancel={"cancel": "record", "as": "word", "amount": "expression"})
    def i_cancel(self, data: Mapping[str, Any], place: str) -> None:
        status = PREVENTED if data.get("as") == "prevented" else CANCELLED
        amount = self.expression(data["amount"], f"{place}.amount") if "amount" in data else None
        self.emit(ops.Cancel(self._record(data["cancel"], place), status, amount))

    @instruction(replace={"replace": "record", "with": "block"})
    def i_replace(self, data: Mapping[str, Any], place: str) -> None:
        kept = self.hidden()
        operation = self.emit(ops.Replace(self._record(data["replace"], place), kept))
        start = self.here()
        self.block(data.get("with"), f"{place}.with")
        for position in range(start, self.here()):
            first, done = self.code[position], self.code[position + 1 : position + 2]
            if isinstance(first, ops.Do | ops.Together) and done and isinstance(done[0], ops.DoDone):
                done[0].keep = True
                self.emit(ops.ReplaceDone(kept, first.group))
                if isinstance(first, ops.Do) and self.here() - start == PLAIN and first.each is None:
                    operation.instead = first
                break
        operation.to = self.here()

    @instruction(alter={"alter": "record", "by": "expression", "set": "expressions", "kind": "word"})
    def i_alter(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data["by"], f"{place}.by") if "by" in data else None
        roles = {
            key: self.expression(value, f"{place}.set.{key}")
            for key, value in (data.get("set") or {}).items()
        }
        known = {role for kind in self.system.kinds.values() for role in kind.roles}
        for role in sorted(roles.keys() - known):
            raise unknown("role", role, known, place=f"{place}.set")
        kind = None
        if "kind" in data:
            kind = self.system.kinds.get(data["kind"])
            if kind is None:
                raise unknown("occurrence kind", data["kind"], self.system.kinds, place=f"{place}.kind")
        self.emit(ops.Alter(self._record(data["alter"], place), by, roles, kind))

    @instruction(fell_short={"fell-short": "any"})
    def i_fell_short(self, data: Mapping[str, Any], place: str) -> None:
        if MEMBER not in self.names:
            raise DataError(
                "bad-instruction", "`fell-short` stands in the steps of an occurrence", place=place
            )
        self.emit(ops.FellShort(self.names[MEMBER]))

    @instruction(point={"point": "word!", "of": "filter"})
    def i_point(self, data: Mapping[str, Any], place: str) -> None:
        name = data["point"]
        if name not in self.system.points:
            raise unknown("point", name, self.system.points, place=place)
        members = None
        if "of" in data:
            members, type_ = compile_filter(data["of"], self.scope(), place=f"{place}.of")
            if type_ != "record":
                raise DataError(
                    "bad-filter", "a point needs occurrences: member where ...", place=f"{place}.of"
                )
        self.emit(ops.Point(name, members))

    @instruction(plan={"plan": "any"})
    def i_plan(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Plan(self.system.kinds.get("use")))

    @instruction(commit={"commit": "any"})
    def i_commit(self, data: Mapping[str, Any], place: str) -> None:
        if data.get("commit") is not None:
            self.emit(ops.Commit(self.expression(data["commit"], f"{place}.commit")))
            return
        self.emit(ops.Commit())
        self.emit(ops.Steps(self.hidden()))

    @instruction(check={"check": "any"})
    def i_check(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Call("check", {}))

    # facts

    def edit(self, data: Mapping[str, Any], scope: Scope | None = None) -> ops.Edit:
        what = next((key for key in ("set", "add", "move") if key in data), "")
        if not what:
            raise unknown("edit", next(iter(data), ""), ("set", "add", "move"))
        check_shape(data, {**COMMON, **INSTRUCTIONS[what]}, f"key of {what}")
        scope = scope or self.scope()

        def value(key: str, default: Any = None, type_: str = "any") -> Compiled:
            return typed(data.get(key, default), scope, type_, key)

        if what == "move":
            return ops.Edit(
                "move",
                None,
                value("move", type_="card"),
                self._zone(data.get("to"), scope),
                value("host", type_="card") if "host" in data else None,
                value("controller", type_="player") if "controller" in data else None,
                enters=self._enters(str(data.get("to")).strip("'")),
                chart=self.chart,
            )
        prop = self.system.properties.get(data[what])
        if prop is None:
            raise unknown("property", data[what], self.system.properties)
        if prop.of == "game" and "of" not in data:
            of: Compiled = lambda m, b: m.game  # noqa: E731
        else:
            of = value("of", "this", prop.of)
        amount = value("to") if what == "set" else value("by", 1)
        return ops.Edit(what, prop, of, amount, chart=self.chart)

    def _enters(self, zone: str) -> bool:
        """May a move to this zone bring a card into play? (An expression may be any zone.)"""
        return zone not in self.system.zones or zone in self.system.zones_in_play

    def _zone(self, text: Any, scope: Scope) -> Compiled:
        """A zone is written as a word; a computed one as an expression."""
        word = str(text).strip("'")
        if word in self.system.zones:
            return lambda m, b: word
        if isinstance(text, str) and text.replace("-", "").isalpha() and text not in scope.names:
            raise unknown("zone", text, self.system.zones, place="to")
        return compile_expression(text, scope, place="to")

    @instruction(
        set={"set": "word!", "of": "expression", "to": "expression"},
        add={"add": "word!", "of": "expression", "by": "expression"},
        move={"move": "expression!", "to": "expression!", "host": "expression", "controller": "expression"},
    )
    def _i_edit(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(located(place, self.edit, data))

    i_set = i_add = i_move = _i_edit

    @instruction(game={"game": "expressions!"})
    def i_game(self, data: Mapping[str, Any], place: str) -> None:
        for name, text in data["game"].items():
            self.emit(located(place, self.edit, {"set": name, "to": text}))

    @instruction(pay={"pay": "word!", "of": "expression", "amount": "expression", "due": "yes-no"})
    def i_pay(self, data: Mapping[str, Any], place: str) -> None:
        prop = self.system.properties.get(data["pay"])
        if prop is None:
            raise unknown("property", data["pay"], self.system.properties, place=place)
        of = self.expression(data.get("of", "you"), f"{place}.of")
        amount = self.expression(data.get("amount", 1), f"{place}.amount")
        mentions = self._mentions({key: data[key] for key in ("of", "amount") if key in data})
        pay = self.emit(ops.Pay(prop, of, amount, mentions=mentions, due=bool(yes(data.get("due")))))
        self.emit(ops.PayDone(pay))

    # durations

    @instruction(
        lasting={
            "lasting": {
                "of": "expression",
                "for": "expression",
                "stat": "word!",
                "by": "expression",
                "to": "expression",
                "until": "word",
                "next": "yes-no",
                "floor": "number",
            },
        }
    )
    def i_lasting(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["lasting"]
        prop = self.system.properties.get(entry["stat"])
        if prop is None or not prop.stat:
            stats = [name for name, p in self.system.properties.items() if p.stat]
            raise unknown("stat", entry["stat"], stats, place=place)
        if ("of" in entry) == ("for" in entry):
            remedy = "of: those that it changes, fixed now; for: whatever fits (it), now or later."
            raise DataError("missing-key", "either of or for", place=f"{place}.lasting", remedy=remedy)
        if ("to" in entry) == ("by" in entry):
            remedy = "by: what is added; to: what it becomes."
            raise DataError("missing-key", "either by or to", place=f"{place}.lasting", remedy=remedy)
        if "for" in entry:
            self._for_whatever_fits(entry, prop, place)
            return
        if alone := {"next", "floor"} & set(entry):
            raise DataError(
                "bad-instruction",
                f"`{min(alone)}` goes with for: whatever fits",
                place=f"{place}.lasting",
            )
        op = "set" if "to" in entry else "add"
        self.emit(
            ops.MakeLasting(
                self.expression(entry["of"], f"{place}.of"),
                prop,
                op,
                self.expression(entry["to" if op == "set" else "by"], place),
                self._period(entry.get("until", "phase"), place),
                self._mentions(entry),
            )
        )

    def _mentions(self, data: Mapping[str, Any]) -> tuple[int, ...]:
        """The variables that an instruction's words speak of."""
        words = set(re.findall(r"[\w-]+", " ".join(map(str, data.values()))))
        return tuple(slot for spoken, slot in self.names.items() if spoken in words)

    def _period(self, word: Any, place: str) -> str:
        """Until when something lasts: a period that ends, as long as its card is in play, or for the whole game."""
        period: str = self.system.same_periods.get(str(word), str(word))
        if period not in (known := (*sorted(self.system.periods), "leaves", "game")):
            raise unknown("period", period, known, place=f"{place}.until")
        return period

    @instruction(delayed={"delayed": {**ABILITY, "keep": "words", "once": "yes-no", "until": "word"}})
    def i_delayed(self, data: Mapping[str, Any], place: str) -> None:
        entry = dict(data["delayed"])
        words = set(re.findall(r"[\w-]+", str(entry)))  # it keeps what it speaks of
        spoken = [name for name in self.names if name in words and name != "ok"]
        keep_names = dict.fromkeys([*entry.pop("keep", ()), *spoken])
        if (
            "once" not in entry and "until" not in entry
        ):  # both are common on cards, and a guess would be silent
            raise DataError(
                "missing-key",
                "it must say how often it happens: once, or each time until a period ends",
                place=f"{place}.delayed",
                remedy="Write once: yes for the next time only, or until: and a period for each time until it ends.",
            )
        once = yes(entry.pop("once", "no"))
        until = self._period(entry.pop("until", "turn"), place)
        types = {name: self.types.get(name, "any") for name in keep_names}
        from rules.engine.compiler.cards import (
            CardCompiler,  # cards are made of procedures, and they of cards
        )

        ability = located(f"{place}.delayed", CardCompiler(self.system, self.numbers).ability, entry, types)
        ability = replace(ability, flags=ability.flags | {"delayed"})
        keep = {ability.names[name]: variable(self.names[name], self.chart) for name in keep_names}
        self.emit(ops.MakeDelayed(ability, keep, bool(once), until))

    @instruction(forbid={"forbid": {**CANNOT, "until": "word"}})
    def i_forbid(self, data: Mapping[str, Any], place: str) -> None:
        """A `cannot` for a while: kept as a delayed effect that waits for nothing, with the variables it names."""
        from rules.engine.compiler.cards import CardCompiler

        entry = dict(data["forbid"])
        until = self._period(entry.pop("until", "phase"), place)
        ability, scope, keep = self._left_behind(str(entry.get("if", "")))
        cards = CardCompiler(self.system, self.numbers)
        ban = located(f"{place}.forbid", cards.prohibition, entry, scope, 0)
        self.emit(ops.MakeDelayed(replace(ability, forbids=ban), keep, False, until))

    def _left_behind(self, text: str) -> tuple[Ability, Scope, dict[int, Compiled]]:
        """What an effect leaves behind that waits for nothing: an ability that nobody uses, the scope of its words, and
        the variables among them, which it keeps."""
        from rules.engine.compiler.cards import CardCompiler

        words = set(re.findall(r"[\w-]+", text))
        types = {name: self.types[name] for name in self.names if name in words and name != "ok"}
        cards = CardCompiler(self.system, self.numbers)
        ability = cards.ability({"kind": next(iter(self.system.ability_kinds))}, types)
        known = {"ok": "yes-no", **types}
        scope = UnitCompiler(self.system, chart=False, names=dict(ability.names), name_types=known).scope()
        keep = {ability.names[name]: variable(self.names[name], self.chart) for name in types}
        return ability, scope, keep

    def _for_whatever_fits(self, entry: Mapping[str, Any], prop: Property, place: str) -> None:
        """A change of all that fits, now or later; `next`: until one of them has come to it (`used-up`)."""
        ability, scope, keep = self._left_behind(
            " ".join(str(entry.get(key, "")) for key in ("for", "by", "to"))
        )
        scope = scope.bind("it", prop.of)
        change = Always(
            prop,
            compile_expression(entry["for"], scope, place=f"{place}.for"),
            compile_expression(entry["by"], scope, place=f"{place}.by") if "by" in entry else None,
            compile_expression(entry["to"], scope, place=f"{place}.to") if "to" in entry else None,
            None,
            entry.get("floor"),
        )
        until, once = self._period(entry.get("until", "phase"), place), yes(entry.get("next"))
        self.emit(ops.MakeDelayed(replace(ability, changes=change), keep, once, until))

    @instruction(used_up={"used-up": "word!", "of": "expression"})
    def i_used_up(self, data: Mapping[str, Any], place: str) -> None:
        prop = self.system.properties.get(data["used-up"])
        if prop is None or not prop.stat:
            stats = [name for name, p in self.system.properties.items() if p.stat]
            raise unknown("stat", data["used-up"], stats, place=place)
        of = typed(data.get("of", "this"), self.scope(), prop.of, f"{place}.of")
        self.emit(ops.UsedUp(prop, of))

    @instruction(grant={"grant": {"to": "expression!", "ability": ABILITY, "until": "word"}})
    def i_grant(self, data: Mapping[str, Any], place: str) -> None:
        """A card has an ability for a while."""
        from rules.engine.compiler.cards import CardCompiler

        entry = data["grant"]
        to = typed(entry["to"], self.scope(), "any", f"{place}.grant.to")
        if "ability" not in entry:
            raise DataError("missing-key", "ability is missing", place=f"{place}.grant")
        cards = CardCompiler(self.system, self.numbers)
        ability = located(f"{place}.grant.ability", cards.ability, entry["ability"], None)
        ability = replace(ability, gained=Gained())
        until = self._period(entry.get("until", "phase"), place)
        self.emit(ops.GrantAbility(to, ability, until, self._mentions({"to": entry["to"]})))

    @instruction(copy={"copy": "expression!", "onto": "expression", "text-only": "yes-no"})
    def i_copy(self, data: Mapping[str, Any], place: str) -> None:
        source = self.expression(data["copy"], f"{place}.copy")
        onto = self.expression(data.get("onto", "this"), f"{place}.onto")
        self.emit(ops.Copy(source, onto, yes(data.get("text-only"))))

    @instruction(expire={"expire": "text!", "of": "expression"})
    def i_expire(self, data: Mapping[str, Any], place: str) -> None:
        of = typed(data["of"], self.scope(), "player", f"{place}.of") if "of" in data else None
        self.emit(ops.Expire(str(data["expire"]), of))
