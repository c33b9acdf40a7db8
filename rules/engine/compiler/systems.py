"""System files."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from rules.engine import operations as ops
from rules.engine.base.errors import DataError, unknown
from rules.engine.compiler.cards import CardCompiler
from rules.engine.compiler.data import check_keys, cites_of, counted, located, mapping, recalled, yes
from rules.engine.compiler.piles import piles_of
from rules.engine.compiler.procedures import UnitCompiler, role_scope
from rules.engine.compiler.raising import asked_for, raised
from rules.engine.compiler.shapes import DOCUMENT, PARTS, RULE, SYSTEM, check_shape
from rules.engine.compiler.texts import HAPPENS, NOT_PAID, NOT_POSSIBLE, with_texts
from rules.engine.definitions.model import (
    TOLD_PASSES,
    AbilityKind,
    Loops,
    OccurrenceKind,
    Payment,
    Property,
    Reading,
    Requirement,
    Role,
    Rule,
    System,
    Unit,
)
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import compile_expression, compile_typed
from rules.engine.language.folding import remembered
from rules.engine.language.scopes import Name, Noun, Scope
from rules.engine.machine.piles import SEEN
from rules.engine.operations.occurrences import MEMBER

OF_RULES = 1_000  # the rules' own abilities are numbered from here, behind any card's
TYPES = ("number", "yes-no", "symbol", "text", "card", "player", "list", "cards", "filter")
ROLE_TYPES = {**{name: name for name in TYPES}, "object": "object", "occurrence": "record"}
SUBJECTS = ("card", "player", "object", "text")  # whom or what it happens to
_WORD = re.compile(r"[a-z][a-z0-9-]*")
_DEFAULTS: dict[str, Any] = {"number": 0, "yes-no": False, "list": (), "cards": ()}

# Facts every game has; a system adds its own.
BUILT_IN: dict[str, dict[str, Any]] = {
    "zone": {"type": "symbol", "of": "card", "default": "play"},
    "type": {"type": "symbol", "of": "card"},
    "name": {"type": "text", "of": "card"},
    "owner": {"type": "player", "of": "card"},
    "controller": {"type": "player", "of": "card"},
    "host": {"type": "card", "of": "card", "shed": True},
    "face": {"type": "card", "of": "card", "shed": True},  # the card whose printed text it bears as a copy
    "incarnation": {"type": "number", "of": "card"},
    "seat": {"type": "number", "of": "player"},
    "active": {"type": "player", "of": "game"},
    "turn": {"type": "number", "of": "game", "default": 1},
    "phase": {"type": "symbol", "of": "game"},
}


def make_property(name: str, data: Mapping[str, Any], slot: int, place: str) -> Property:
    check_keys(data, PARTS["properties"], "key of a property")
    type_ = data.get("type", "number")
    if type_ not in TYPES:
        raise unknown("type", type_, TYPES, place=place)
    default = data.get("default", _DEFAULTS.get(type_))
    if isinstance(default, list):
        default = tuple(default)
    if type_ == "yes-no" and isinstance(default, str) and default != "?":
        default = default == "yes"
    prop = Property(
        name,
        slot,
        type_,
        data.get("of", "card"),
        default,
        bool(data.get("stat", False) or any(key in data for key in ("base", "adds", "fixed"))),
        data.get("floor"),
        frozenset(data.get("values", ())),
        bool(data.get("shed", False)),
        printed=yes(data.get("printed", "yes")),
        told=yes(data.get("told", "yes")),
        negative=yes(data.get("negative")),
        of_types=frozenset(data.get("of-types", ())),
        changed_in=frozenset(data.get("changed-in", ())),
        says=str(data.get("says", "")),
    )
    return replace(prop, default=prop.unknown()) if default == "?" else prop


class SystemCompiler:
    def __init__(self, data: Mapping[str, Any], digest: str) -> None:
        self.data = mapping(data, "a system file")
        self.mappings = list(_mappings(data))
        self.system = System(
            key=str(data.get("system", "")), version=str(data.get("version", "")), hash=digest
        )

    def compile(self) -> System:
        system, data = self.system, self.data
        check_shape(data, SYSTEM, "part of a system file")
        system.source = data
        self.data = data = with_texts(data, system.key)
        system.counts = counted(data)
        system.title = data.get("title", system.key)
        system.game_name = data.get("game", system.title)
        for i, document in enumerate(data.get("documents", ())):
            located(f"documents[{i}]", check_shape, document, DOCUMENT, "key of a document")
        system.law = located("law", self._law)
        system.zone_names = located("zones", mapping, data.get("zones"), "zones")
        system.zones = tuple(system.zone_names)
        system.zones_in_play = frozenset(data.get("in-play", ("play",)))
        system.points = frozenset(data.get("points", ()))
        same = mapping(data.get("same-periods"), "same-periods")
        system.same_periods = {str(word): str(period) for word, period in same.items()}
        periods = {"phase", "turn", *self._said("expire"), *system.same_periods.values()}
        system.periods = frozenset(periods - {*system.same_periods})
        system.own_periods = frozenset(
            said["expire"] for said in self.mappings if isinstance(said.get("expire"), str) and "of" in said
        )
        system.same_points = located("same-points", self._same_points)
        system.later = frozenset(data.get("later", ()))
        system.hushes = frozenset(data.get("hushes", ()))
        system.exact_targets = yes(data.get("exact-targets"))
        system.flags = tuple(data.get("flags", ()))
        system.cost_flags = located("cost-flags", self._cost_flags)
        system.you = mapping(data.get("you"), "you")
        system.default_zones = {k: frozenset(v) for k, v in mapping(data.get("works-in"), "works-in").items()}
        located("properties", self._properties)
        system.readings = {
            k: located(f"readings.{k}", self._reading, k, v) for k, v in data.get("readings", {}).items()
        }
        system.readings[TOLD_PASSES.key] = TOLD_PASSES
        system.ability_kinds = {
            k: located(f"kinds.{k}", self._ability_kind, k, mapping(v, "a kind"))
            for k, v in data.get("kinds", {}).items()
        }
        for name, one in system.ability_kinds.items():
            for word in (
                dict(one.becomes, other=dict(one.becomes).get("other")).values() if one.becomes else ()
            ):
                if word not in system.ability_kinds:
                    raise unknown("ability kind", word, system.ability_kinds, place=f"kinds.{name}.becomes")
        located("vocabulary", self._declare_vocabulary)
        located("families", self._families)
        if "targeting" in data:
            said = data["targeting"]
            word = said.get("kind") if isinstance(said, Mapping) else said
            kind = system.kinds.get(str(word))
            if kind is None or "card" not in kind.roles:
                raise unknown("occurrence kind with a card", word, system.kinds, place="targeting")
            system.targeting = kind
        system.piles = located("piles", piles_of, system, data.get("piles"))
        located("nouns", self._nouns)
        for name, entry in mapping(data.get("derived"), "derived").items():
            entry = entry if isinstance(entry, Mapping) else {"is": entry}
            check_keys(entry, PARTS["derived"], f"key of {name}")
            of = entry.get("of", "card")
            scope = itself(system, of)
            value, type_ = compile_typed(entry["is"], scope, place=f"derived.{name}")
            system.derived[name] = (remembered(value), type_, of)
            if says := entry.get("says"):
                system.derived_says[name] = str(says)
        for name, text in system.family_tests.items():
            trigger = Name(lambda m, b: b[0], "record", kinds=system.families[name])
            scope = Scope(system, {"trigger": trigger}, 1)
            system.family_holds = {
                **system.family_holds,
                name: compile_expression(text, scope, place=f"families.{name}.if"),
            }
        for name, entry in mapping(data.get("role-says"), "role-says").items():
            system.role_says[name] = entry["says"]
        for name, entry in mapping(data.get("properties"), "properties").items():
            located(f"properties.{name}", self._computed, system.properties[name], entry)
        system.asked = {
            name: entry["asked"]
            for name, entry in mapping(data.get("properties"), "properties").items()
            if "asked" in entry
        }
        for name, other in system.asked.items():
            if other not in system.derived:
                raise unknown("derived value", other, system.derived, place=f"properties.{name}.asked")
        if unprinted := data.get("unprinted"):
            scope = Scope(system).bind("it", "card")
            system.unprinted = compile_expression(unprinted["when"], scope, place="unprinted.when")
            if "zero" in unprinted:
                system.unprinted_zero = compile_expression(unprinted["zero"], scope, place="unprinted.zero")
        if silent := data.get("silent"):
            system.silent = compile_expression(
                silent["when"], Scope(system).bind("it", "card"), place="silent"
            )
            system.silent_cites = cites_of(silent)
            by = mapping(silent.get("by"), "silent.by")
            if strange := next((name for name in by if name not in system.properties), ""):
                raise unknown("property", strange, system.properties, place="silent.by")
            system.silences = tuple((system.properties[name], cites_of(rules)) for name, rules in by.items())
            system.silent_by_time = yes(silent.get("by-time"))
            if "gained" in silent:
                gained = compile_expression(
                    silent["gained"], Scope(system).bind("it", "card"), place="silent"
                )
                system.silences_gained = gained
            words = str(silent["when"]).split()
            system.silent_stats = tuple(n for n, p in system.properties.items() if p.stat and n in words)
        system.dues = tuple(
            located(f"dues[{i}]", self._due, one) for i, one in enumerate(data.get("dues") or ())
        )
        if "no-idle-uses" in data:
            system.idle_cites = cites_of(data["no-idle-uses"])
            system.idle_within = frozenset(data["no-idle-uses"].get("within") or ())
        if "own-costs" in data:
            system.own_cost_cites = cites_of(data["own-costs"])
        system.lost_late = "lost-late" in data
        if "given-up" in data:
            located("given-up", self._given_up, data["given-up"])
        if "one-effect" in data:
            system.one_effect, system.answers_all_of_it = (
                compile_expression(data["one-effect"][key], Scope(system), place=f"one-effect.{key}")
                for key in ("while", "if")
            )
        system.continuous_cites = cites_of(data.get("continuous"))
        system.refusals = {
            k: cites_of({"cite": v}) for k, v in mapping(data.get("refusals"), "refusals").items()
        }
        if "floor-each-change" in data:
            test = compile_expression(data["floor-each-change"], Scope(system), place="floor-each-change")
            system.floor_each_change = test
        system.chooser = str(data.get("chooser", "you"))
        if "out" in data:
            system.out = self._out(str(data["out"]))
        if "replaced-counts" in data:
            scope = Scope(system).bind("it", "record")
            counts = "yes" if data["replaced-counts"] is True else str(data["replaced-counts"])
            system.replaced_counts = compile_expression(counts, scope, place="replaced-counts")
        if "limits-by" in data:
            system.limit_by = UnitCompiler(system, chart=True).expression(data["limits-by"], "limits-by")
        if isinstance(data.get("targeting"), Mapping):
            check_keys(data["targeting"], PARTS["targeting"], "key of targeting")
            scope = UnitCompiler(system, chart=True).scope()
            when = compile_expression(data["targeting"].get("when", "yes"), scope, place="targeting.when")
            system.targeting_when = when
            if "bars" in data["targeting"]:
                for word in data["targeting"]["bars"]:
                    if word not in system.kinds:
                        raise unknown("occurrence kind", word, system.kinds, place="targeting.bars")
                system.targeting_bars = frozenset(data["targeting"]["bars"])
        scope = UnitCompiler(system, chart=True).scope()
        system.effects_tell = {
            role: compile_expression(text, scope, place=f"effects-tell.{role}")
            for role, text in mapping(data.get("effects-tell"), "effects-tell").items()
        }
        located("charts", self._charts)
        located("payments", self._payments)
        located("vocabulary", self._define_vocabulary)
        system.restrictions = located("restrictions", self._restrictions, "restrictions")
        system.means = located("means", self._means)
        system.access = located("access", self._restrictions, "access")
        system.choosable = located("choosable", self._restrictions, "choosable", "it")
        if "designates" in data:
            scope = UnitCompiler(system, chart=True).scope()
            system.designates = compile_expression(data["designates"], scope, place="designates")
        system.raised = raised(system)
        located("rulebook", self._rulebook)
        system.recalls = recalled(data.get("rulebook"), system.derived)
        system.asked_for = asked_for(system)
        system.acted = frozenset(
            kind
            for chart in system.charts.values()
            for operation in chart.code
            if isinstance(operation, ops.Window) and operation.stops
            for kind in operation.kinds
            if not system.ability_kinds[kind].answers
        )
        located("loops", self._loops)
        system.starts = mapping(data.get("starts"), "starts")
        self._check_citations()
        self._footprint()
        return system

    def _footprint(self) -> None:
        system = self.system
        units = [*system.charts.values(), *(kind.steps for kind in system.kinds.values()), system.checks]
        for unit in units:
            for operation in unit.code if unit is not None else ():
                operation.mark(system.footprint)
        for kind in system.kinds.values():
            system.footprint.steps = system.footprint.steps or kind.steps is not None
            for operation in kind.edits:
                operation.mark(system.footprint)

    def _law(self) -> dict[str, Rule]:
        titles: dict[str, str] = {}
        for document in self.data.get("documents", ()):
            for prefix in document.get("rules", ()):
                titles[prefix] = document["title"]
        law = {}
        for key, entry in mapping(self.data.get("law"), "law").items():
            located(key, check_shape, entry, RULE, "key of a rule")
            document = next((title for prefix, title in titles.items() if key.startswith(prefix)), "")
            law[key] = Rule(key, " ".join(str(entry["says"]).split()), str(entry.get("in", "")), document)
        return law

    def _properties(self) -> None:
        declared = {**BUILT_IN, **mapping(self.data.get("properties"), "properties")}
        for slot, (name, entry) in enumerate(declared.items()):
            entry = dict(mapping(entry, f"property {name}"))
            if name in BUILT_IN:
                entry = {**BUILT_IN[name], **entry}
            if name == "zone":
                entry["values"] = self.system.zones
            for zone in entry.get("changed-in", ()):
                if zone not in self.system.zones:
                    raise unknown("zone", zone, self.system.zones, place=f"{name}.changed-in")
            for type_ in entry.get("of-types", ()):
                types = self.system.properties["type"].symbols
                if type_ not in types:
                    raise unknown("type", type_, types, place=f"{name}.of-types")
            prop = located(name, make_property, name, entry, slot, "")
            self.system.properties[name] = prop
            if prop.of == "game":
                self.system.game[name] = prop

    def _computed(self, prop: Property, data: Mapping[str, Any]) -> None:
        """A value that the rules themselves compute: from the printed one, or fixed while something holds."""
        scope = itself(self.system, prop.of)
        if "base" in data:
            inner = scope.bind("printed", prop.type)
            object.__setattr__(prop, "base", compile_expression(data["base"], inner, place="base"))
        if "adds" in data:
            object.__setattr__(prop, "adds", compile_expression(data["adds"], scope, place="adds"))
        fixed: list[tuple[Compiled, Compiled]] = []
        ignores: list[Compiled] = []
        barred: list[tuple[Compiled, str]] = []
        for i, entry in enumerate(data.get("fixed", ())):
            check_keys(entry, PARTS["fixed"], "key of fixed")
            when = compile_expression(entry["when"], scope, place=f"fixed[{i}].when")
            if yes(entry.get("ignores")):
                ignores.append(when)
            if "because" in entry:
                barred.append((when, entry["because"]))
            fixed.append((when, compile_expression(entry["at"], scope, place=f"fixed[{i}].at")))
        object.__setattr__(prop, "fixed", tuple(fixed))
        object.__setattr__(prop, "ignores", tuple(ignores))
        object.__setattr__(prop, "barred", tuple(barred))
        hangs_on = self._facts_of(" ".join(str(entry["when"]) for entry in data.get("fixed", ())))
        object.__setattr__(prop, "fixed_by", hangs_on)

    def _facts_of(self, text: str) -> frozenset[str]:
        """The properties that an expression names, itself or through values that are computed from them."""
        found: set[str] = set()
        left = _WORD.findall(text)
        while left:
            word = left.pop()
            if word in self.system.properties:
                found.add(word)
            elif word in self.system.derived and word not in found:
                found.add(word)
                entry = self.data["derived"][word]
                left += _WORD.findall(str(entry["is"] if isinstance(entry, Mapping) else entry))
        return frozenset(found.intersection(self.system.properties))

    def _reading(self, key: str, data: Mapping[str, Any]) -> Reading:
        check_keys(data, PARTS["readings"], "key of a reading")
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

    def _cost_flags(self) -> dict[str, tuple[dict[str, str], ...]]:
        found = {}
        for flag, costs in mapping(self.data.get("cost-flags"), "cost-flags").items():
            if flag not in self.system.flags:
                raise unknown("flag", flag, self.system.flags)
            costs = costs if isinstance(costs, list) else [costs]
            found[flag] = tuple({k: str(v) for k, v in mapping(cost, flag).items()} for cost in costs)
        return found

    def _given_up(self, data: Mapping[str, Any]) -> None:
        system = self.system
        found: set[str] = set()
        for word in data["of"]:
            kinds = system.families.get(word, (word,))
            if unknown_ones := [kind for kind in kinds if kind not in system.kinds]:
                raise unknown("occurrence kind", unknown_ones[0], system.kinds, place="of")
            found.update(kinds)
        system.given_up, system.given_up_cites = frozenset(found), cites_of(data)

    def _out(self, name: str) -> Property:
        found = self.system.properties.get(name)
        if found is None or found.of != "player" or found.type != "yes-no":
            raise DataError("wrong-type", "“out” names a yes-no property of players", place="out")
        return found

    def _due(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """A payment that uses of some kinds (of cards of some types, with some flag) ask for: unless their own cost
        pays from that counter, or (`adds`) beside what it pays from it."""
        check_keys(data, PARTS["dues"], "key of a due")
        for kind in data["kinds"]:
            if kind not in self.system.ability_kinds:
                raise unknown("ability kind", kind, self.system.ability_kinds, place="kinds")
        check_keys(mapping(data["pay"], "pay"), ("pay", "amount", "of"), "key of a payment")
        for flag in data.get("flags", ()):
            if flag not in self.system.flags:
                raise unknown("flag", flag, self.system.flags, place="flags")
        return {"types": (), "flags": (), "adds": False, **data}

    def _ability_kind(self, name: str, data: Mapping[str, Any]) -> AbilityKind:
        check_keys(data, PARTS["kinds"], "key of a kind")
        of, zones = data.get("of", ()), data.get("zones", ())
        for zone in zones:
            if zone not in self.system.zones:
                raise unknown("zone", zone, self.system.zones, place="zones")
        for point in data.get("answers", ()):
            if point not in self.system.points:
                raise unknown("point", point, self.system.points, place="answers")
        if "foreseen" in data:
            scope = UnitCompiler(self.system, chart=True).scope()
            test = compile_expression(data["foreseen"], scope, place="foreseen")
            self.system.foreseen = {**self.system.foreseen, name: test}
        if "irreplaceable" in data:
            test = compile_expression(data["irreplaceable"], Scope(self.system), place="irreplaceable")
            self.system.irreplaceable = {**self.system.irreplaceable, name: test}
        if data.get("use") not in ("must", "may"):
            raise unknown("use", data.get("use"), ("must", "may"))
        return AbilityKind(
            name,
            data.get("title") or self.system.word(name.replace("-", " ").title()),
            data["use"] == "must",
            bool(data.get("uncancellable", False)),
            bool(data.get("once-per-trigger", True)),
            cites_of(data),
            data.get("at", ""),
            (of,) if isinstance(of, str) else tuple(of),
            frozenset(zones),
            tuple(mapping(data.get("becomes"), "becomes").items()),
            says=data.get("says", HAPPENS),
            answers=tuple(data.get("answers", ())),
            due_anyway=bool(data.get("due-anyway", False)),
        )

    def _declare_vocabulary(self) -> None:
        """First the kinds with their roles: edits and steps may speak of any of them."""
        for name, data in mapping(self.data.get("vocabulary"), "vocabulary").items():
            data = mapping(data, name)
            check_keys(data, PARTS["vocabulary"], f"key of {name}")
            roles = {}
            for role, decl in mapping(data.get("roles"), f"{name}.roles").items():
                subject = decl != "source"  # where it comes from may be gone: it happens all the same
                words = tuple(decl) if isinstance(decl, list) else ()
                decl = decl if subject else "card"
                decl = words[0] if words else decl
                if not words:
                    located(f"{name}.roles.{role}", _check_role, decl)
                default = None if decl in ROLE_TYPES else decl
                type_ = ROLE_TYPES.get(decl, "number" if isinstance(decl, int) else "symbol")
                if not words and (isinstance(decl, bool) or decl in ("yes", "no")):
                    type_, default = "yes-no", yes(decl)
                roles[role] = Role(role, type_, default, subject, words)
            self.system.kinds[name] = OccurrenceKind(
                name, roles, tuple(roles), (), (), None, data.get("via", "occurrence"), data.get("says", ""),
                cites_of(data),
                tuple(i for i, r in enumerate(roles.values()) if r.subject and r.type in SUBJECTS),
                next((i for i, r in enumerate(roles.values()) if r.type in ("card", "object")), None),
                look_back=self._look_back(data.get("look-back"), name),
                links=tuple(i for i, r in enumerate(roles.values()) if r.type == "record"),
                instead=str(data.get("instead", "")),
            )  # fmt: skip

    def _look_back(self, said: Any, place: str) -> str | Compiled:
        """Who answers it though it left with it: "attached" (to it), "" (nobody), or everybody where this holds."""
        if said is None or said == "attached":
            return said or ""
        said = {True: "yes", False: "no"}.get(said, said)
        return compile_expression(said, Scope(self.system), place=f"{place}.look-back")

    def _families(self) -> None:
        """One word for several kinds of occurrence, so that an ability need not list them; `if`: only such of them."""
        for name, said in mapping(self.data.get("families"), "families").items():
            members = said["of"] if isinstance(said, Mapping) else said
            if isinstance(said, Mapping):
                check_shape(said, {"of": "words!", "if": "expression!"}, "key of a family")
                self.system.family_tests = {**self.system.family_tests, name: said["if"]}
            for member in members:
                if member not in self.system.kinds:
                    raise unknown("occurrence kind", member, self.system.kinds, place=name)
            self.system.families = {**self.system.families, name: tuple(members)}

    def _payments(self) -> None:
        scope = UnitCompiler(self.system, chart=True).scope()
        scope = scope.bind("payer", "player").bind("amount", "number").bind("due", "yes-no")
        found = {}
        for name, entry in mapping(self.data.get("payments"), "payments").items():
            check_keys(entry, PARTS["payments"], f"key of {name}")
            if name not in self.system.properties:
                raise unknown("property", name, self.system.properties)
            if entry["chart"] not in self.system.charts:
                raise unknown("chart", entry["chart"], self.system.charts, place=name)
            test = compile_expression(entry.get("if", "yes"), scope, place=f"{name}.if")
            because, unit = entry.get("because", NOT_PAID), self.system.charts[entry["chart"]]
            paid = compile_expression(entry["paid"], scope, place=f"{name}.paid") if "paid" in entry else None
            sums = yes(entry.get("sums"))
            choice = None if sums else self._payers(unit)
            found[name] = Payment(test, because, cites_of(entry), unit, paid, sums, choice)
        self.system.payments = found

    @staticmethod
    def _payers(unit: Unit) -> ops.Choose | None:
        """The choice of what pays, in the chart of a payment, with what is done to it."""
        choice = next((one for one in unit.code if isinstance(one, ops.Choose) and not one.up_to), None)
        if choice is not None:
            done = (one for one in unit.code if isinstance(one, ops.Do) and choice.slot in one.mentions)
            choice.pays, choice.serves = True, tuple(done)
        return choice

    def _define_vocabulary(self) -> None:
        for name, data in mapping(self.data.get("vocabulary"), "vocabulary").items():
            located(name, self._define_kind, self.system.kinds[name], mapping(data, name))

    def _define_kind(self, kind: OccurrenceKind, data: Mapping[str, Any]) -> None:
        scope = role_scope(self.system, kind, 0)
        possible = tuple(
            located(f"possible[{i}]", _requirement, entry, scope)
            for i, entry in enumerate(data.get("possible", ()))
        )
        compiler = UnitCompiler(self.system, chart=True)
        edits = tuple(
            located(f"edits[{i}]", compiler.edit, entry, scope)
            for i, entry in enumerate(data.get("edits", ()))
        )
        steps = None
        if data.get("steps"):
            compiler = UnitCompiler(
                self.system, chart=True, params=(*kind.role_names, MEMBER), types=kind.roles
            )
            compiler.moved_before = {
                str(entry["move"]): str(entry["to"]) for entry in data.get("edits", ()) if "move" in entry
            }
            steps = compiler.unit(f"{kind.name} steps", data["steps"], "steps")
        # The records hold the kind object itself, so it is completed in place rather than replaced.
        changed: list[str] = [str(entry.get("of", entry.get("move", ""))) for entry in data.get("edits", ())]
        changed += [str(step["onto"]) for step in data.get("steps", ()) if "copy" in step]
        needs = tuple(i for i, name in enumerate(kind.role_names) if name in changed)
        for field, value in (("possible", possible), ("edits", edits), ("steps", steps), ("needs", needs)):
            object.__setattr__(kind, field, value)

    def _same_points(self) -> dict[str, str]:
        """Other words for points: of some games `when` is no other moment than `after`."""
        found = {str(k): str(v) for k, v in mapping(self.data.get("same-points"), "same-points").items()}
        for word, point in found.items():
            if point not in self.system.points:
                raise unknown("point", point, self.system.points, place=word)
        return found

    def _loops(self) -> None:
        if "loops" not in self.data:
            return
        data = mapping(self.data["loops"], "loops")
        check_keys(data, PARTS["loops"], "key of loops")
        each = mapping(data.get("each"), "each")
        check_keys(each, ("of", "cite"), "key of each")
        for kind in each.get("of", ()):
            if kind not in self.system.kinds:
                raise unknown("occurrence kind", kind, self.system.kinds, place="each.of")
        kinds, opposed = frozenset(each.get("of", ())), mapping(data.get("opposed"), "opposed")
        self.system.loops = Loops(
            True, cites_of(data), kinds, cites_of(each), "opposed" in data, cites_of(opposed)
        )

    def _nouns(self) -> None:
        system = self.system
        system.nouns["card"] = Noun("card", "card", lambda m: m.cards, fixed=True)
        system.nouns["player"] = Noun("player", "player", lambda m: m.players, fixed=True)
        system.nouns["member"] = Noun("member", "record", lambda m: m.group_members())
        if any(pile.ordered for pile in system.piles.values()):
            system.nouns[SEEN] = Noun(SEEN, "card", lambda m: list(m.seen()), unnamed=True)
        put = self._said("put")
        for kind in system.ability_kinds:  # what waits on a gate of that kind: the uses put there
            if kind in put:
                system.nouns[kind] = Noun(kind, "record", _waiting(kind))
        for name, text in mapping(self.data.get("nouns"), "nouns").items():
            if isinstance(text, list):  # one word for several: whatever is a creature or a player
                system.nouns[name] = located(name, _union, name, text, system.nouns)
                continue
            if isinstance(text, Mapping):  # some of what another one means
                system.nouns[name] = located(name, self._part, name, text)
                continue
            test = compile_expression(text, Scope(system).bind("it", "card"), place=name)
            system.nouns[name] = Noun(name, "card", lambda m: m.cards, test, fixed=True)

    def _part(self, name: str, data: Mapping[str, Any]) -> Noun:
        check_keys(data, PARTS["nouns"], f"key of noun {name}")
        whole = self.system.nouns.get(str(data.get("of")))
        if whole is None:
            raise unknown("noun", data.get("of"), self.system.nouns, place="of")
        source, belongs = whole.source, whole.test
        where = compile_expression(
            data.get("where", "yes"), Scope(self.system).bind("it", whole.type), place="where"
        )
        unnamed = yes(data.get("unnamed"))
        if unnamed and (belongs is not None or whole.type != "card"):
            raise DataError("wrong-type", "only cards may be unnamed: of: card", place="unnamed")
        if belongs is None:
            return Noun(name, whole.type, source, where, fixed=whole.fixed, unnamed=unnamed)
        return Noun(name, whole.type, lambda m: [one for one in source(m) if belongs(m, (one,))], where)

    def _said(self, word: str) -> set[str]:
        """What stands under this word anywhere in the file: the periods that `expire`, the kinds `put` to wait."""
        return {said[word] for said in self.mappings if isinstance(said.get(word), str)}

    def _charts(self) -> None:
        system = self.system
        charts = mapping(self.data.get("charts"), "charts")
        arguments: dict[str, list[str]] = {name: [] for name in charts}
        for said in self.mappings:  # which arguments each chart is called with, anywhere in the file
            if isinstance(said.get("run"), str) and said["run"] in charts:
                arguments[said["run"]] += list(said.get("with") or ())
        for entry in mapping(self.data.get("payments"), "payments").values():
            if entry.get("chart") in arguments:
                arguments[entry["chart"]] += ["payer", "amount", "due"]
        for (
            name,
            data,
        ) in charts.items():  # those that no chart here runs, only cards' effects, say what they take
            arguments[name] += data.get("with", ()) if isinstance(data, Mapping) else ()
        for word, entry in mapping(self.data.get("starts"), "starts").items():
            start = entry if isinstance(entry, Mapping) else {"chart": entry}
            if start.get("chart") not in charts:
                raise unknown("chart", start.get("chart"), charts, place=f"starts.{word}")
            arguments[start["chart"]] += list(start.get("with") or ())
        for name in charts:  # placeholders: charts call one another
            system.charts[name] = Unit(next(system.numbers), name, (), tuple(dict.fromkeys(arguments[name])))
        for name, data in charts.items():
            body: Any = data
            says = ""
            cites: tuple[str, ...] = ()
            if isinstance(data, Mapping):
                check_keys(data, PARTS["charts"], f"key of chart {name}")
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

    def _restrictions(self, key: str, about: str = "") -> tuple[tuple[Compiled, Requirement], ...]:
        """What must hold, beside an ability's own text, for it to be used (of a card that it is `about`)."""
        scope = UnitCompiler(self.system, chart=True).scope()
        scope = scope.bind(about, "card") if about else scope
        found = []
        for i, data in enumerate(self.data.get(key, ())):
            check_keys(data, PARTS["restrictions"], "key of a restriction")
            when = compile_expression(data.get("when", "yes"), scope, place=f"[{i}].when")
            test = compile_expression(data["if"], scope, place=f"[{i}].if")
            untold = (
                compile_expression(data["untold"], scope, place=f"[{i}].untold") if "untold" in data else None
            )
            taken = data["taken"] if untold is not None else ""
            one = Requirement(
                test,
                data["because"],
                cites_of(data),
                untold=untold,
                taken=taken,
                of_turn=bool(yes(data.get("turn"))),
            )
            found.append((when, one))
        return tuple(found)

    def _means(self) -> tuple[tuple[Compiled, ops.Do], ...]:
        """What uses come to: [{when, do, roles ...}]."""
        found = []
        for i, data in enumerate(self.data.get("means", ())):
            compiler = UnitCompiler(self.system, chart=True)
            when = compiler.expression(data.get("when", "yes"), f"[{i}].when")
            compiler.block([{key: value for key, value in data.items() if key != "when"}], f"[{i}]")
            do = compiler.code[0]
            if not isinstance(do, ops.Do):
                raise DataError("bad-instruction", "`means` takes one `do`", place=f"[{i}]")
            found.append((when, do))
        return tuple(found)

    def _rulebook(self) -> None:
        compiler = CardCompiler(self.system)
        entries = []
        for i, data in enumerate(self.data.get("rulebook", ())):
            scope = Scope(self.system).bind("it", "card")
            test = compile_expression(data["on"], scope, place=f"[{i}].on")
            ability = located(f"[{i}]", compiler.ability, {k: v for k, v in data.items() if k != "on"}, None)
            entries.append((test, replace(ability, of_rules=True, number=OF_RULES + i)))
        self.system.rulebook = tuple(entries)

    def _check_citations(self) -> None:
        """Every id that any part of the file cites must be in its law."""
        if not self.system.law:
            return
        for place, key in citations(self.data, ""):
            if not place.startswith("law") and key not in self.system.law:
                raise unknown("rule", key, self.system.law, place=place)


def _check_role(decl: Any) -> None:
    """A word that is nearly the name of a type is a slip of the pen, and no default."""
    if isinstance(decl, str) and decl not in ROLE_TYPES and get_close_matches(decl, ROLE_TYPES, cutoff=0.7):
        raise unknown("type of a role", decl, ROLE_TYPES)


def _requirement(data: Mapping[str, Any], scope: Scope) -> Requirement:
    check_keys(data, PARTS["possible"], "key of a requirement")
    test = compile_expression(data["if"], scope, place="if")
    cannot = data.get("cannot", False)
    absolute = compile_expression(cannot, scope, place="cannot") if cannot is not False else None
    return Requirement(test, data.get("because", NOT_POSSIBLE), cites_of(data), absolute)


def itself(system: System, of: str) -> Scope:
    """A scope about one object: `it`, and `self` for where a filter has an `it` of its own."""
    scope = Scope(system).bind("it", of)
    return scope.with_names({"self": scope.names["it"]})


def _union(name: str, parts: list[str], nouns: Mapping[str, Noun]) -> Noun:
    for part in parts:
        if part not in nouns:
            raise unknown("noun", part, nouns)
    members = [(nouns[part].source, nouns[part].test) for part in parts]

    def source(m: Any) -> list[Any]:
        found = [one for of, test in members for one in of(m) if test is None or test(m, (one,))]
        return list(dict.fromkeys(found))

    types = {nouns[part].type for part in parts}
    return Noun(name, types.pop() if len(types) == 1 else "object", source)


def _waiting(kind: str) -> Callable[[Any], list[Any]]:
    return lambda m: m.waiting(kind)


def citations(data: Any, place: str) -> list[tuple[str, str]]:
    """Every rule id that a part of a file cites, after its place."""
    found: list[tuple[str, str]] = []
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "cite" or place.endswith("refusals"):
                found += [
                    (f"{place}.{key}", cited) for cited in ([value] if isinstance(value, str) else value)
                ]
            else:
                found += citations(value, f"{place}.{key}" if place else str(key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            found += citations(value, f"{place}[{i}]")
    return found


def _mappings(data: Any) -> Iterator[Mapping[str, Any]]:
    """Every mapping of the file, from the top down."""
    waiting = [data]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found
            waiting += reversed(found.values())
        elif isinstance(found, list):
            waiting += reversed(found)
