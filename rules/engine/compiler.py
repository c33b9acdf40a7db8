"""From a system file's data and cards' data to compiled charts and abilities. Every name is resolved here, once."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine import operations as ops
from rules.engine.errors import DataError, unknown
from rules.engine.expressions import (
    Compiled,
    Name,
    Noun,
    Scope,
    compile_expression,
    compile_filter,
    compile_typed,
)
from rules.engine.model import (
    Ability,
    AbilityKind,
    Always,
    CardDefinition,
    Limit,
    OccurrenceKind,
    Prohibition,
    Property,
    Reading,
    Requirement,
    Role,
    Rule,
    System,
    Target,
    Unit,
)
from rules.engine.records import CANCELLED, PREVENTED

TYPES = ("number", "yes-no", "symbol", "text", "card", "player", "list")
_DEFAULTS: dict[str, Any] = {"number": 0, "yes-no": False, "list": ()}

# Facts every game has; a system adds its own.
BUILT_IN: dict[str, dict[str, Any]] = {
    "zone": {"type": "symbol", "of": "card", "default": "play"},
    "type": {"type": "symbol", "of": "card"},
    "owner": {"type": "player", "of": "card"},
    "controller": {"type": "player", "of": "card"},
    "host": {"type": "card", "of": "card", "shed": True},
    "incarnation": {"type": "number", "of": "card"},
    "active": {"type": "player", "of": "game"},
    "turn": {"type": "number", "of": "game", "default": 1},
    "phase": {"type": "symbol", "of": "game"},
}

_MAIN_KEYS = (
    "do", "point", "cancel", "replace", "alter", "set", "add", "move", "if", "while", "for", "run", "let", "then",
    "stop", "end", "choose", "may", "one-of", "gate", "must", "window", "pay", "lasting", "delayed", "expire", "game",
)  # fmt: skip
_WORDS = ("targets", "costs", "plan", "execute", "commit", "check")


def compile_system(data: Mapping[str, Any], *, digest: str) -> System:
    """Compile one system file's data. Raises DataError with the place of the first fault."""
    return _SystemCompiler(data, digest).compile()


def compile_card(system: System, name: str, data: Mapping[str, Any]) -> CardDefinition:
    """Compile a card's facts and abilities for a system. Raises DataError."""
    return _CardCompiler(system).compile(name, data)


def cites_of(data: Any) -> tuple[str, ...]:
    found = data.get("cite", ()) if isinstance(data, Mapping) else ()
    return (found,) if isinstance(found, str) else tuple(found)


def _located(place: str, action: Any, *arguments: Any) -> Any:
    try:
        return action(*arguments)
    except DataError as error:
        raise error.at(place) from error


def _mapping(data: Any, what: str) -> Mapping[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise DataError("wrong-type", f"{what} must be a mapping, not {type(data).__name__}")
    return data


def _check_keys(data: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for key in data:
        if key not in known:
            raise unknown(what, key, known)


def make_property(name: str, data: Mapping[str, Any], slot: int, place: str) -> Property:
    _check_keys(data, ("type", "of", "default", "stat", "floor", "values", "shed"), "key of a property")
    type_ = data.get("type", "number")
    if type_ not in TYPES:
        raise unknown("type", type_, TYPES, place=place)
    default = data.get("default", _DEFAULTS.get(type_))
    if type_ == "yes-no" and isinstance(default, str):
        default = default == "yes"
    return Property(
        name,
        slot,
        type_,
        data.get("of", "card"),
        default,
        bool(data.get("stat", False)),
        data.get("floor"),
        frozenset(data.get("values", ())),
        bool(data.get("shed", False)),
    )


class _SystemCompiler:
    def __init__(self, data: Mapping[str, Any], digest: str) -> None:
        self.data = _mapping(data, "a system file")
        self.system = System(
            key=str(data.get("system", "")), version=str(data.get("version", "")), hash=digest
        )
        self.units = itertools.count(1)

    def compile(self) -> System:
        system, data = self.system, self.data
        system.source = data
        system.title = data.get("title", system.key)
        system.game_name = data.get("game", system.title)
        system.law = _located("law", self._law)
        system.zone_names = _located("zones", _mapping, data.get("zones"), "zones")
        system.zones = tuple(system.zone_names)
        system.zones_in_play = frozenset(data.get("in-play", ("play",)))
        system.points = frozenset(data.get("points", ()))
        system.later = frozenset(data.get("later", ()))
        system.default_zones = {
            k: frozenset(v) for k, v in _mapping(data.get("works-in"), "works-in").items()
        }
        _located("properties", self._properties)
        system.readings = {
            k: _located(f"readings.{k}", self._reading, k, v) for k, v in data.get("readings", {}).items()
        }
        system.ability_kinds = {
            k: _located(f"kinds.{k}", self._ability_kind, k, _mapping(v, "a kind"))
            for k, v in data.get("kinds", {}).items()
        }
        _located("vocabulary", self._declare_vocabulary)
        _located("nouns", self._nouns)
        for name, text in _mapping(data.get("derived"), "derived").items():
            scope = Scope(system).bind("it", "card")
            system.derived[name] = compile_typed(text, scope, place=f"derived.{name}")
        if silent := data.get("silent"):
            system.silent = compile_expression(
                silent["when"], Scope(system).bind("it", "card"), place="silent"
            )
            system.silent_cites = cites_of(silent)
        system.refusals = {
            k: cites_of({"cite": v}) for k, v in _mapping(data.get("refusals"), "refusals").items()
        }
        _located("charts", self._charts)
        _located("vocabulary", self._define_vocabulary)
        _located("rulebook", self._rulebook)
        system.starts = _mapping(data.get("starts"), "starts")
        self._check_citations()
        return system

    def _law(self) -> dict[str, Rule]:
        titles: dict[str, str] = {}
        for document in self.data.get("documents", ()):
            for prefix in document.get("rules", ()):
                titles[prefix] = document["title"]
        law = {}
        for key, entry in _mapping(self.data.get("law"), "law").items():
            document = next((title for prefix, title in titles.items() if key.startswith(prefix)), "")
            law[key] = Rule(key, " ".join(str(entry["says"]).split()), str(entry.get("in", "")), document)
        return law

    def _properties(self) -> None:
        declared = {**BUILT_IN, **_mapping(self.data.get("properties"), "properties")}
        for slot, (name, entry) in enumerate(declared.items()):
            entry = dict(_mapping(entry, f"property {name}"))
            if name in BUILT_IN:
                entry = {**BUILT_IN[name], **entry}
            if name == "zone":
                entry["values"] = self.system.zones
            prop = _located(name, make_property, name, entry, slot, "")
            self.system.properties[name] = prop
            if prop.of == "game":
                self.system.game[name] = prop

    def _reading(self, key: str, data: Mapping[str, Any]) -> Reading:
        _check_keys(data, ("ask", "options", "default", "status", "cite", "note", "ref"), "key of a reading")
        options = data["options"]
        if not isinstance(options, Mapping):
            options = {str(option): str(option) for option in options}
        options = {str(k): str(v) for k, v in options.items()}
        default = str(data["default"])
        if default not in options:
            raise unknown("option", default, options, place="default")
        if data["status"] not in ("official", "inferred", "contested"):
            raise unknown("status", data["status"], ("official", "inferred", "contested"))
        return Reading(
            key, data["ask"], options, default, data["status"], cites_of(data), data.get("note", "")
        )

    def _ability_kind(self, name: str, data: Mapping[str, Any]) -> AbilityKind:
        known = ("title", "use", "uncancellable", "once-per-trigger", "again-if-cancelled", "cite")
        _check_keys(data, known, "key of a kind")
        if data.get("use") not in ("must", "may"):
            raise unknown("use", data.get("use"), ("must", "may"))
        return AbilityKind(
            name,
            data.get("title", name.replace("-", " ").title()),
            data["use"] == "must",
            bool(data.get("uncancellable", False)),
            bool(data.get("once-per-trigger", True)),
            bool(data.get("again-if-cancelled", False)),
            cites_of(data),
        )

    def _declare_vocabulary(self) -> None:
        """First the kinds with their roles: edits and steps may speak of any of them."""
        for name, data in _mapping(self.data.get("vocabulary"), "vocabulary").items():
            data = _mapping(data, name)
            _check_keys(
                data, ("roles", "possible", "edits", "steps", "via", "says", "cite"), f"key of {name}"
            )
            roles = {}
            for role, decl in _mapping(data.get("roles"), f"{name}.roles").items():
                default = None if decl in TYPES else decl
                type_ = decl if decl in TYPES else ("number" if isinstance(decl, int) else "symbol")
                roles[role] = Role(role, type_, default)
            self.system.kinds[name] = OccurrenceKind(
                name, roles, tuple(roles), (), (), None, data.get("via", "occurrence"), data.get("says", ""),
                cites_of(data), tuple(i for i, r in enumerate(roles.values()) if r.type in ("card", "player", "text")),
            )  # fmt: skip

    def _define_vocabulary(self) -> None:
        for name, data in _mapping(self.data.get("vocabulary"), "vocabulary").items():
            _located(name, self._define_kind, self.system.kinds[name], _mapping(data, name))

    def _define_kind(self, kind: OccurrenceKind, data: Mapping[str, Any]) -> None:
        scope = role_scope(self.system, kind, 0)
        possible = tuple(
            Requirement(
                compile_expression(entry["if"], scope, place=f"possible[{i}]"),
                entry.get("because", "it is not possible"),
                cites_of(entry),
            )
            for i, entry in enumerate(data.get("possible", ()))
        )
        compiler = UnitCompiler(self.system, chart=True)
        edits = tuple(
            _located(f"edits[{i}]", compiler.edit, entry, scope)
            for i, entry in enumerate(data.get("edits", ()))
        )
        steps = None
        if data.get("steps"):
            steps = UnitCompiler(self.system, chart=True, params=kind.role_names, types=kind.roles).unit(
                f"{kind.name} steps", data["steps"], "steps"
            )
        # The records hold the kind object itself, so it is completed in place rather than replaced.
        for field, value in (("possible", possible), ("edits", edits), ("steps", steps)):
            object.__setattr__(kind, field, value)

    def _nouns(self) -> None:
        system = self.system
        system.nouns["card"] = Noun("card", "card", None)
        system.nouns["player"] = Noun("player", "player", None)
        for name, text in _mapping(self.data.get("nouns"), "nouns").items():
            test = compile_expression(text, Scope(system).bind("it", "card"), place=name)
            system.nouns[name] = Noun(name, "card", test)

    def _charts(self) -> None:
        system = self.system
        charts = _mapping(self.data.get("charts"), "charts")
        arguments: dict[str, list[str]] = {name: [] for name in charts}
        _collect_arguments(self.data, arguments)
        for name in charts:  # placeholders: charts call one another
            system.charts[name] = Unit(next(self.units), name, (), tuple(dict.fromkeys(arguments[name])))
        for name, data in charts.items():
            body, says, cites = data, "", ()
            if isinstance(data, Mapping):
                _check_keys(data, ("says", "cite", "steps"), f"key of chart {name}")
                body, says, cites = data["steps"], data.get("says", ""), cites_of(data)
            unit = system.charts[name]
            built = UnitCompiler(system, chart=True, params=unit.params).unit(name, body, name)
            for field, value in (
                ("code", built.code),
                ("slots", built.slots),
                ("says", says),
                ("cites", cites),
            ):
                object.__setattr__(unit, field, value)
        if checks := self.data.get("checks"):
            system.checks = UnitCompiler(system, chart=True).checks(checks)
        for chart in system.charts.values():
            for operation in chart.code:
                if isinstance(operation, ops.Call) and operation.unit_name == "check":
                    operation.unit = system.checks or Unit(0, "checks", ())

    def _rulebook(self) -> None:
        compiler = _CardCompiler(self.system)
        entries = []
        for i, data in enumerate(self.data.get("rulebook", ())):
            scope = Scope(self.system).bind("it", "card")
            test = compile_expression(data["on"], scope, place=f"[{i}].on")
            ability = _located(f"[{i}]", compiler.ability, {k: v for k, v in data.items() if k != "on"}, None)
            entries.append((test, ability))
        self.system.rulebook = tuple(entries)

    def _check_citations(self) -> None:
        """Every id that any part of the file cites must be in its law."""
        if not self.system.law:
            return
        for place, key in _citations(self.data, ""):
            if not place.startswith("law") and key not in self.system.law:
                raise unknown("rule", key, self.system.law, place=place)


def _citations(data: Any, place: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "cite" or place.endswith("refusals"):
                found += [
                    (f"{place}.{key}", cited) for cited in ([value] if isinstance(value, str) else value)
                ]
            else:
                found += _citations(value, f"{place}.{key}" if place else str(key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            found += _citations(value, f"{place}[{i}]")
    return found


def _collect_arguments(data: Any, charts: dict[str, list[str]]) -> None:
    """Which arguments each chart is called with, anywhere in the file."""
    if isinstance(data, Mapping):
        if isinstance(data.get("run"), str) and data["run"] in charts:
            charts[data["run"]] += list(data.get("with") or ())
        for value in data.values():
            _collect_arguments(value, charts)
    elif isinstance(data, list):
        for value in data:
            _collect_arguments(value, charts)


def role_scope(system: System, kind: OccurrenceKind, at: int, scope: Scope | None = None) -> Scope:
    """A scope in which the roles of `kind` are names; their values are the tuple at index `at` of `b`."""

    def role(index: int) -> Compiled:
        return lambda m, b: b[at][index]

    names = {name: Name(role(i), kind.roles[name].type) for i, name in enumerate(kind.role_names)}
    base = scope or Scope(system)
    return Scope(base.language, {**base.names, **names}, at + 1, base.it)


# --- procedures ---------------------------------------------------------------------------------------


class UnitCompiler:
    """Compiles one procedure: a chart (variables in its frame) or an effect (variables in the use)."""

    numbers = itertools.count(1)

    def __init__(
        self,
        system: System,
        *,
        chart: bool,
        params: Sequence[str] = (),
        types: Mapping[str, Role] | None = None,
        names: dict[str, int] | None = None,
        name_types: dict[str, str] | None = None,
    ) -> None:
        self.system = system
        self.chart = chart
        self.names = names if names is not None else {"ok": ops.OK}
        self.types = name_types if name_types is not None else {"ok": "yes-no"}
        self.params = tuple(params)
        for name in params:
            self.slot(name, types[name].type if types else "any")
        self.code: list[ops.Operation] = []
        self.last_group: int | None = None

    def unit(self, name: str, data: Any, place: str) -> Unit:
        self.block(data, place)
        return Unit(next(self.numbers), name, tuple(self.code), self.params, len(self.names), self.chart)

    # --- variables

    def slot(self, name: str, type_: str = "any") -> int:
        if name not in self.names:
            self.names[name] = len(self.names)
        if name not in self.types or self.types[name] == "any":
            self.types[name] = type_
        elif type_ not in ("any", self.types[name]):
            self.types[name] = "any"
        return self.names[name]

    def hidden(self) -> int:
        return self.slot(f"#{len(self.names)}")

    def scope(self) -> Scope:
        names: dict[str, Name] = {
            "you": Name(lambda m, b: m.cur.you if m.cur else None, "player"),
            "this": Name(lambda m, b: m.cur.obj if m.cur else None, "card"),
            "trigger": Name(lambda m, b: m.cur.trigger if m.cur else -1, "record"),
        }
        for name, slot in self.names.items():
            if not name.startswith("#"):
                names[name] = Name(_variable(slot, self.chart), self.types[name])
        if self.chart:
            names["planned"] = Name(lambda m, b: m.grp >= 0 and m.cells[m.grp].planned, "yes-no")
        return Scope(self.system, names)

    def expression(self, text: Any, place: str) -> Compiled:
        return compile_expression(text, self.scope(), place=place)

    # --- blocks

    def block(self, data: Any, place: str) -> None:
        if data is None:
            return
        if not isinstance(data, list):
            data = [data]
        for i, entry in enumerate(data):
            self.instruction(entry, f"{place}[{i}]")

    def emit(self, operation: Any) -> Any:
        operation.chart = self.chart
        self.code.append(operation)
        return operation

    def here(self) -> int:
        return len(self.code)

    def instruction(self, data: Any, place: str) -> None:
        if isinstance(data, str):
            data = {data: None}
        if not isinstance(data, Mapping):
            raise DataError("wrong-type", f"an instruction is a word or a mapping, not {data!r}", place=place)
        mains = [key for key in data if key in _MAIN_KEYS or key in _WORDS]
        for first in ("if", "choose", "for", "may", "do"):  # `if ... then`, `do ... then` read as one
            if first in mains and len(mains) > 1:
                mains = [first]
        if len(mains) != 1:
            key = next(iter(data), "")
            if not mains:
                raise unknown("instruction", key, (*_MAIN_KEYS, *_WORDS), place=place)
            raise DataError("bad-instruction", f"more than one instruction: {', '.join(mains)}", place=place)
        start = self.here()
        method = getattr(self, "i_" + mains[0].replace("-", "_"))
        try:
            method(data, place)
        except KeyError as error:
            raise DataError("missing-key", f"{mains[0]} needs {error}", place=place) from error
        for operation in self.code[start:]:
            if not operation.cites:
                operation.cites = cites_of(data)
            if not operation.says and isinstance(data.get("says"), str):
                operation.says = data["says"]

    # control

    def i_if(self, data: Mapping[str, Any], place: str) -> None:
        jump = self.emit(ops.JumpUnless(self.expression(data["if"], f"{place}.if")))
        self.block(data.get("then"), f"{place}.then")
        if "else" in data:
            end = self.emit(ops.Jump())
            jump.to = self.here()
            self.block(data["else"], f"{place}.else")
            end.to = self.here()
        else:
            jump.to = self.here()

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

    def i_while(self, data: Mapping[str, Any], place: str) -> None:
        start = self.here()
        jump = self.emit(ops.JumpUnless(self.expression(data["while"], f"{place}.while")))
        self.block(data["do"], f"{place}.do")
        self.emit(ops.Jump(start))
        jump.to = self.here()

    def i_for(self, data: Mapping[str, Any], place: str) -> None:
        members, type_ = compile_filter(data["for"], self.scope(), place=f"{place}.for")
        left = self.hidden()
        slot = self.slot(data["as"], type_)
        order = self.expression(data["order"], f"{place}.order") if "order" in data else None
        start = self.here()
        step = self.emit(ops.ForNext(members, left, slot, order))
        self.block(data["do"], f"{place}.do")
        self.emit(ops.Jump(start))
        step.to = self.here()

    def i_run(self, data: Mapping[str, Any], place: str) -> None:
        name = data["run"]
        unit = self.system.charts.get(name)
        if unit is None:
            raise unknown("chart", name, self.system.charts, place=place)
        arguments = {
            key: self.expression(value, f"{place}.with.{key}")
            for key, value in (data.get("with") or {}).items()
        }
        self.emit(ops.Call(name, arguments, unit))

    def i_let(self, data: Mapping[str, Any], place: str) -> None:
        for name, text in data["let"].items():
            value, type_ = compile_typed(text, self.scope(), place=f"{place}.let.{name}")
            self.emit(ops.Let(self.slot(name, type_), value))

    def i_stop(self, data: Mapping[str, Any], place: str) -> None:
        test = self.expression(data["stop"], place) if data["stop"] is not None else None
        self.emit(ops.Stop(test, None))

    def i_end(self, data: Mapping[str, Any], place: str) -> None:
        winner = data["end"]
        self.emit(ops.Stop(None, self.expression(winner if winner is not None else "nothing", place)))

    # choices

    def i_choose(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["choose"]
        members, type_ = compile_filter(entry["from"], self.scope(), place=f"{place}.from")
        by = self.expression(entry.get("by", "you"), f"{place}.by")
        count = self.expression(entry.get("count", 1), f"{place}.count")
        many = entry.get("count", 1) != 1
        slot = self.slot(entry["as"], "list" if many else type_)
        self.emit(
            ops.Choose(
                slot,
                members,
                by,
                count,
                bool(_yes(entry.get("up-to"))),
                entry["as"],
                bool(_yes(entry.get("at-random"))),
            )
        )

    def i_may(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data.get("by", "you"), f"{place}.by")
        may = self.emit(ops.May(by, str(data.get("says", "carry out the optional part"))))
        self.block(data["may"], f"{place}.may")
        may.to = self.here()

    def i_one_of(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data.get("by", "you"), f"{place}.by")
        choice = self.emit(ops.OneOf([], [], by))
        ends = []
        for label, block in data["one-of"].items():
            choice.labels.append(label)
            choice.targets.append(self.here())
            self.block(block, f"{place}.{label}")
            first = self.code[choice.targets[-1]] if self.here() > choice.targets[-1] else None
            choice.checks.append(first if isinstance(first, ops.Do) else None)
            ends.append(self.emit(ops.Jump()))
        for jump in ends:
            jump.to = self.here()

    # occurrences

    def i_do(self, data: Mapping[str, Any], place: str, *, skip_pending: bool = False) -> ops.Do:
        name = data["do"]
        kind = self.system.kinds.get(name)
        if kind is None:
            raise unknown("occurrence kind", name, self.system.kinds, place=place)
        scope, each = self.scope(), None
        if "each" in data:
            each, type_ = compile_filter(data["each"], scope, place=f"{place}.each")
            scope = scope.bind("it", type_)
        roles, mentions = {}, []
        for key, value in data.items():
            if key in ("do", "each", "as", "cite", "says", "then"):
                continue
            if key not in kind.roles:
                raise unknown(f"role of {name}", key, kind.roles, place=place)
            roles[key] = compile_expression(value, scope, place=f"{place}.{key}")
        text = " ".join(str(v) for k, v in data.items() if k not in ("do", "as", "cite", "says", "then"))
        for variable, slot in self.names.items():
            if (
                variable
                in text.replace(".", " ").replace("(", " ").replace(")", " ").replace(",", " ").split()
            ):
                mentions.append(slot)
        via = self.system.charts.get(kind.via)
        if via is None:
            raise unknown("chart", kind.via, self.system.charts, place=f"vocabulary.{name}.via")
        group = self.hidden()
        operation: ops.Do = self.emit(
            ops.Do(kind, roles, each, group, tuple(mentions), skip_pending, next(self.numbers), via)
        )
        self.emit(ops.DoDone(group, self.slot(data["as"], "record") if "as" in data else None))
        self.last_group = group
        if "then" in data:
            self.i_then({"then": data["then"]}, place)
        return operation

    def checks(self, data: Sequence[Mapping[str, Any]]) -> Unit:
        """State checks: each a `do`; waves until one changes nothing; what is already pending is left out."""
        groups = []
        for i, entry in enumerate(data):
            groups.append(self.i_do(entry, f"checks[{i}]", skip_pending=True).group)
        for operation, entry in zip([o for o in self.code if isinstance(o, ops.Do)], data, strict=True):
            operation.cites = cites_of(entry)
        for done in self.code:
            if isinstance(done, ops.DoDone):
                done.keep = True
        self.emit(ops.CheckAgain(tuple(groups)))
        return Unit(next(self.numbers), "checks", tuple(self.code), (), len(self.names), True)

    def _record(self, data: Any, place: str) -> Compiled:
        return self.expression(data if isinstance(data, str) else "trigger", place)

    def i_cancel(self, data: Mapping[str, Any], place: str) -> None:
        status = PREVENTED if data.get("as") == "prevented" else CANCELLED
        self.emit(ops.Cancel(self._record(data["cancel"], place), status))

    def i_replace(self, data: Mapping[str, Any], place: str) -> None:
        record = self._record(data["replace"], place)
        operation = self.emit(ops.Replace(record))
        start = self.here()
        self.block(data.get("with"), f"{place}.with")
        for position in range(start, self.here()):
            first, done = self.code[position], self.code[position + 1 : position + 2]
            if isinstance(first, ops.Do) and done and isinstance(done[0], ops.DoDone):
                done[0].keep = True
                self.emit(ops.ReplaceDone(record, first.group))
                break
        operation.to = self.here()

    def i_alter(self, data: Mapping[str, Any], place: str) -> None:
        by = self.expression(data["by"], f"{place}.by") if "by" in data else None
        roles = {
            key: self.expression(value, f"{place}.set.{key}")
            for key, value in (data.get("set") or {}).items()
        }
        self.emit(ops.Alter(self._record(data["alter"], place), by, roles))

    def i_point(self, data: Mapping[str, Any], place: str) -> None:
        name = data["point"]
        if name not in self.system.points:
            raise unknown("point", name, self.system.points, place=place)
        self.emit(ops.Point(name))

    def i_plan(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Plan(self.system.kinds.get("use")))

    def i_commit(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Commit())
        self.emit(ops.Steps(self.hidden()))

    def i_check(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Call("check", {}))

    # facts

    def edit(self, data: Mapping[str, Any], scope: Scope | None = None) -> ops.Edit:
        what = next((key for key in ("set", "add", "move") if key in data), "")
        if not what:
            raise unknown("edit", next(iter(data), ""), ("set", "add", "move"))
        scope = scope or self.scope()

        def value(key: str, default: Any = None) -> Compiled:
            return compile_expression(data.get(key, default), scope, place=key)

        if what == "move":
            return ops.Edit(
                "move",
                None,
                compile_expression(data["move"], scope, place="move"),
                self._zone(data.get("to"), scope),
                value("host") if "host" in data else None,
                value("controller") if "controller" in data else None,
                chart=self.chart,
            )
        prop = self.system.properties.get(data[what])
        if prop is None:
            raise unknown("property", data[what], self.system.properties)
        if prop.of == "game" and "of" not in data:
            of: Compiled = lambda m, b: m.game  # noqa: E731
        else:
            of = value("of", "this")
        amount = value("to") if what == "set" else value("by", 1)
        return ops.Edit(what, prop, of, amount, chart=self.chart)

    def _zone(self, text: Any, scope: Scope) -> Compiled:
        """A zone is written as a word; a computed one as an expression."""
        word = str(text).strip("'")
        if word in self.system.zones:
            return lambda m, b: word
        if isinstance(text, str) and text.replace("-", "").isalpha() and text not in scope.names:
            raise unknown("zone", text, self.system.zones, place="to")
        return compile_expression(text, scope, place="to")

    def _i_edit(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(_located(place, self.edit, data))

    i_set = i_add = i_move = _i_edit

    def i_game(self, data: Mapping[str, Any], place: str) -> None:
        for name, text in data["game"].items():
            self.emit(_located(place, self.edit, {"set": name, "to": text}))

    def i_pay(self, data: Mapping[str, Any], place: str) -> None:
        prop = self.system.properties.get(data["pay"])
        if prop is None:
            raise unknown("property", data["pay"], self.system.properties, place=place)
        of = self.expression(data.get("of", "you"), f"{place}.of")
        self.emit(ops.Pay(prop, of, self.expression(data.get("amount", 1), f"{place}.amount")))

    # windows

    def _kinds(self, data: Any, place: str) -> tuple[str, ...]:
        kinds = (data,) if isinstance(data, str) else tuple(data)
        for kind in kinds:
            if kind not in self.system.ability_kinds:
                raise unknown("ability kind", kind, self.system.ability_kinds, place=place)
        return kinds

    def _chart(self, name: Any, place: str) -> Unit:
        unit = self.system.charts.get(name)
        if unit is None:
            raise unknown("chart", name, self.system.charts, place=place)
        return unit

    def i_gate(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["gate"]
        self.emit(ops.OpenGate(self._kinds(entry["of"], f"{place}.gate.of")))
        self.block(entry["do"], f"{place}.gate.do")
        self.emit(ops.CloseGate())

    def i_must(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["must"]
        _check_keys(entry, ("of", "order", "nest", "says"), "key of must")
        operation = ops.Must(
            self._kinds(entry["of"], f"{place}.must.of"),
            self.expression(entry.get("order", "active"), f"{place}.must.order"),
            entry["nest"],
            self.hidden(),
            self._chart(entry["nest"], f"{place}.must.nest"),
        )
        operation.says = entry.get("says", "")
        self.emit(operation)

    def i_window(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["window"]
        _check_keys(
            entry, ("of", "start", "clock", "closes", "moves", "nest", "stops", "says"), "key of window"
        )
        closes = entry.get("closes", "all-pass")
        if closes not in ("all-pass", "first-use", "each-done"):
            raise unknown("closing rule", closes, ("all-pass", "first-use", "each-done"), place=place)
        clock = None
        if "clock" in entry:
            clock = self.system.game.get(entry["clock"])
            if clock is None:
                raise unknown("game variable", entry["clock"], self.system.game, place=f"{place}.clock")
        operation = ops.Window(
            self._kinds(entry["of"], f"{place}.window.of"),
            self.expression(entry.get("start", "active"), f"{place}.window.start"),
            clock,
            closes,
            entry.get("moves", "seat") == "stays",
            entry["nest"],
            self.hidden(),
            self.slot("used", "any"),
            bool(_yes(entry.get("stops"))),
            self._chart(entry["nest"], f"{place}.window.nest"),
        )
        operation.says = entry.get("says", "")
        self.emit(operation)

    def i_targets(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Targets(self.hidden()))

    def i_costs(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Costs())

    def i_execute(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Execute(self.hidden()))

    # durations

    def i_lasting(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["lasting"]
        prop = self.system.properties.get(entry["stat"])
        if prop is None or not prop.stat:
            stats = [name for name, p in self.system.properties.items() if p.stat]
            raise unknown("stat", entry["stat"], stats, place=place)
        op = "set" if "to" in entry else "add"
        self.emit(
            ops.MakeLasting(
                self.expression(entry["of"], f"{place}.of"),
                prop,
                op,
                self.expression(entry["to" if op == "set" else "by"], place),
                entry.get("until", "phase"),
            )
        )

    def i_delayed(self, data: Mapping[str, Any], place: str) -> None:
        entry = dict(data["delayed"])
        keep_names = entry.pop("keep", ())
        once, until = _yes(entry.pop("once", "yes")), entry.pop("until", "turn")
        types = {name: self.types.get(name, "any") for name in keep_names}
        ability = _located(f"{place}.delayed", _CardCompiler(self.system).ability, entry, types)
        keep = {ability.names[name]: _variable(self.names[name], self.chart) for name in keep_names}
        self.emit(ops.MakeDelayed(ability, keep, bool(once), until))

    def i_expire(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Expire(str(data["expire"])))


def _variable(slot: int, chart: bool) -> Compiled:
    if chart:
        return lambda m, b: m.env[slot]
    return lambda m, b: m.cur.env[slot]


def _yes(value: Any) -> bool:
    return value is True or value == "yes"


# --- cards --------------------------------------------------------------------------------------------

_ABILITY_KEYS = (
    "name", "kind", "at", "of", "if", "because", "you", "choose", "cost", "limit", "zones", "parts", "do", "per",
    "look-back", "text", "cite",
)  # fmt: skip
_CARD_KEYS = ("name", "abilities", "always", "cannot", "text", "titles")


class _CardCompiler:
    ids = itertools.count(1)

    def __init__(self, system: System) -> None:
        self.system = system

    def compile(self, name: str, data: Mapping[str, Any]) -> CardDefinition:
        facts = {}
        for key, value in data.items():
            if key in _CARD_KEYS:
                continue
            prop = self.system.properties.get(key)
            if prop is None:
                raise unknown("property", key, (*self.system.properties, *_CARD_KEYS))
            facts[key] = value
        abilities = tuple(
            _located(f"abilities[{i}]", self.ability, _mapping(entry, "an ability"), None, facts.get("type"))
            for i, entry in enumerate(data.get("abilities") or ())
        )
        always = tuple(
            _located(f"always[{i}]", self._always, entry) for i, entry in enumerate(data.get("always") or ())
        )
        cannot = tuple(
            _located(f"cannot[{i}]", self._cannot, entry) for i, entry in enumerate(data.get("cannot") or ())
        )
        return CardDefinition(name, facts, abilities, always, cannot, data.get("text", ""))

    def ability(
        self, data: Mapping[str, Any], kept: Mapping[str, str] | None, type_: str | None = None
    ) -> Ability:
        system = self.system
        _check_keys(data, _ABILITY_KEYS, "key of an ability")
        if data.get("kind") not in system.ability_kinds:
            raise unknown("ability kind", data.get("kind"), system.ability_kinds, place="kind")
        kind = system.ability_kinds[data["kind"]]
        of = data.get("of", ())
        of = (of,) if isinstance(of, str) else tuple(of)
        for name in of:
            if name not in system.kinds:
                raise unknown("occurrence kind", name, system.kinds, place="of")
        point = data.get("at", "after" if of and "after" in system.points else "")
        if of and point not in system.points:
            raise unknown("point", point, system.points, place="at")
        compiler = UnitCompiler(system, chart=False)
        for name, kept_type in (kept or {}).items():
            compiler.slot(name, kept_type)
        condition = None
        if "if" in data:
            test = compiler.expression(data["if"], "if")
            condition = Requirement(test, data.get("because", ""), cites_of(data))
        targets = tuple(
            _located(f"choose.{name}", self._target, compiler, name, entry)
            for name, entry in _mapping(data.get("choose"), "choose").items()
        )
        cost, checks = self._cost(compiler, data.get("cost"))
        blocks = data["parts"] if "parts" in data else ([data["do"]] if "do" in data else [])
        parts = []
        for i, block in enumerate(blocks):
            compiler.code = []
            compiler.block(block, f"parts[{i}]" if "parts" in data else "do")
            parts.append(
                Unit(next(UnitCompiler.numbers), f"part {i + 1}", tuple(compiler.code), is_chart=False)
            )
        zones = data.get("zones") or system.default_zones.get(type_ or "") or system.zones_in_play
        for zone in zones:
            if zone not in system.zones:
                raise unknown("zone", zone, system.zones, place="zones")
        limit = data.get("limit")
        return Ability(
            next(self.ids),
            data.get("name", ""),
            kind,
            point if of else "",
            of,
            condition,
            compiler.expression(data["you"], "you") if "you" in data else None,
            targets,
            cost,
            checks,
            tuple(parts),
            Limit(limit.get("times", 1), limit.get("per", "turn"), limit.get("by", "object"))
            if limit
            else None,
            frozenset(zones),
            _yes(data.get("look-back")),
            data.get("per") == "group",
            len(compiler.names),
            dict(compiler.names),
            (True, *([None] * (len(compiler.names) - 1))),
            data.get("text", ""),
            cites_of(data),
        )

    def _target(self, compiler: UnitCompiler, name: str, data: Any) -> Target:
        if isinstance(data, str):
            data = {"from": data}
        _check_keys(data, ("from", "count", "up-to", "by", "designates", "cite"), "key of a choice")
        members, type_ = compile_filter(data["from"], compiler.scope(), place="from")
        count = compiler.expression(data.get("count", 1), "count")
        by = compiler.expression(data["by"], "by") if "by" in data else None
        slot = compiler.slot(name, type_ if data.get("count", 1) == 1 else "list")
        return Target(name, slot, members, count, _yes(data.get("up-to")), by, cites_of(data))

    def _cost(self, compiler: UnitCompiler, data: Any) -> tuple[Unit | None, tuple[ops.Operation, ...]]:
        if not data:
            return None, ()
        compiler.code = []
        compiler.block(data, "cost")
        code = tuple(compiler.code)
        checks = tuple(o for o in code if isinstance(o, ops.Pay | ops.Do | ops.Edit))
        return Unit(next(UnitCompiler.numbers), "cost", code, is_chart=False), checks

    def _source_scope(self) -> Scope:
        names = {
            "this": Name(lambda m, b: b[0], "card"),
            "you": Name(lambda m, b: m.controller(b[0]), "player"),
        }
        return Scope(self.system, names, depth=1)

    def _always(self, data: Mapping[str, Any]) -> Always:
        _check_keys(data, ("stat", "of", "by", "to", "while", "cite"), "key of a continuous effect")
        prop = self.system.properties.get(data["stat"])
        if prop is None or not prop.stat:
            raise unknown("stat", data["stat"], [n for n, p in self.system.properties.items() if p.stat])
        scope = self._source_scope().bind("it", "card")

        def optional(key: str) -> Compiled | None:
            return compile_expression(data[key], scope, place=key) if key in data else None

        covers = compile_expression(data.get("of", "it = this"), scope, place="of")
        return Always(prop, covers, optional("by"), optional("to"), optional("while"))

    def _cannot(self, data: Mapping[str, Any]) -> Prohibition:
        _check_keys(data, ("kind", "if", "because", "cite"), "key of a prohibition")
        kinds = (data["kind"],) if isinstance(data["kind"], str) else tuple(data["kind"])
        for name in kinds:
            if name not in self.system.kinds:
                raise unknown("occurrence kind", name, self.system.kinds, place="kind")
        scope = role_scope(self.system, self.system.kinds[kinds[0]], 1, self._source_scope())
        test = compile_expression(data.get("if", "yes"), scope, place="if")
        return Prohibition(kinds, test, data.get("because", ""), cites_of(data))
