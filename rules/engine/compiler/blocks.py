"""A procedure being compiled: its variables, its code so far, and which instruction an entry of it is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.engine import operations as ops
from rules.engine.base.errors import DataError, called, unknown
from rules.engine.compiler.data import cites_of, located
from rules.engine.compiler.shapes import COMMON, INSTRUCTIONS, LEADING, check_shape
from rules.engine.definitions.model import Role, System, Unit
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import compile_expression, compile_typed
from rules.engine.language.folding import OF_USE, folding, from_facts
from rules.engine.language.scopes import Moved, Name, Scope

_KIND_OF = {"text": "symbol", "cards": "list", "filter": "list"}  # types whose values stand for one another


class Blocks:
    """Compiles one procedure: a chart (variables in its frame) or an effect (variables in the use)."""

    def __init__(
        self,
        system: System,
        *,
        numbers: Iterator[int] | None = None,
        chart: bool,
        params: Sequence[str] = (),
        types: Mapping[str, Role] | None = None,
        names: dict[str, int] | None = None,
        name_types: dict[str, str] | None = None,
        after: bool = False,
        answers: tuple[str, ...] = (),
    ) -> None:
        self.system = system
        self.answers = answers  # the kinds of occurrence that an ability answers
        self.numbers = system.numbers if numbers is None else numbers
        self._scope: Scope | None = None
        self._typed: tuple[str, ...] = ()
        self.after = after  # an ability that answers what has happened: its card may have left with it
        self.chart = chart
        self.names = names if names is not None else {"ok": ops.OK}
        self.types = name_types if name_types is not None else {"ok": "yes-no"}
        self.params = tuple(params)
        for name in params:
            self.slot(name, types[name].type if types and name in types else "any")
        self.code: list[ops.Operation] = []
        self.last_group: int | None = None
        self.moved: dict[str, list[Moved]] = {}  # what the ability did to what a name stands for, so far
        self.conditional = 0  # how many `if`, `may` ... we are inside of
        self.paying = False
        self.then_follows = False  # does a `then` come right behind the instruction that is compiled?

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
        """The names that an expression here may use."""
        types = tuple(self.types.values())  # (shared with the compiler of the other half of an ability)
        if self._scope is None or types != self._typed:
            self._scope, self._typed = self._names(), types
        return self._scope

    def _names(self) -> Scope:
        names: dict[str, Name] = {
            "you": Name(from_facts(lambda m, b: m.cur.you if m.cur else None, stat=OF_USE), "player"),
            "this": Name(
                folding(
                    from_facts(lambda m, b: m.cur.obj if m.cur else None, stat=OF_USE),
                    lambda known, b: known.this,
                ),
                "card",
                departs=self.after,
                moved=tuple(self.moved.get("this", ())),
            ),
            "trigger": Name(lambda m, b: m.cur.trigger if m.cur else None, "record", kinds=self.answers),
            "free": Name(lambda m, b: m.cur is not None and m.cur.free, "yes-no"),
        }
        for name, slot in self.names.items():
            if not name.startswith("#"):
                moved = tuple(self.moved.get(name, ()))
                names[name] = Name(variable(slot, self.chart), self.types[name], moved=moved)
        if self.chart:
            names["use"] = Name(lambda m, b: m.cur, "use")
            names["ability"] = Name(lambda m, b: m.cur.ability if m.cur else None, "ability")
            names["planned"] = Name(lambda m, b: m.grp is not None and m.cells[m.grp].planned, "yes-no")
        return Scope(self.system, names, unnamed=not self.chart)

    def expression(self, text: Any, place: str) -> Compiled:
        return compile_expression(text, self.scope(), place=place)

    # --- blocks

    def block(self, data: Any, place: str) -> None:
        if data is None:
            return
        if not isinstance(data, list):
            data = [data]
        for i, entry in enumerate(data):
            following = data[i + 1] if i + 1 < len(data) else None
            self.then_follows = (
                isinstance(following, Mapping) and "then" in following and "if" not in following
            )
            self.instruction(entry, f"{place}[{i}]")

    def emit(self, operation: Any) -> Any:
        operation.chart = self.chart
        operation.paying = self.paying
        self.code.append(operation)
        return operation

    def here(self) -> int:
        return len(self.code)

    def _unknown(self, key: str, place: str) -> DataError:
        """An instruction that there is not; one that is a kind of occurrence wants its `do`."""
        kind = self.system.kinds.get(key)
        if kind is None:
            return unknown("instruction", key, INSTRUCTIONS, place=place)
        roles = "".join(f", {name}: ..." for name in kind.role_names[:1])
        remedy = f"It is a kind of occurrence. Write {{do: {key}{roles}}}."
        return DataError(
            "unknown-instruction", f"unknown instruction {called(key)}", place=place, remedy=remedy
        )

    def instruction(self, data: Any, place: str) -> None:
        if isinstance(data, str):
            data = {data: None}
        if not isinstance(data, Mapping):
            raise DataError(
                "wrong-type", f"an instruction is a word or a mapping, not {called(data)}", place=place
            )
        mains = [key for key in data if key in INSTRUCTIONS]
        for first in LEADING:
            if first in mains and len(mains) > 1:
                mains = [first]
        if len(mains) != 1:
            key = next(iter(data), "")
            if not mains:
                raise self._unknown(key, place)
            raise DataError("bad-instruction", f"more than one instruction: {', '.join(mains)}", place=place)
        self._check_shape(mains[0], data, place)
        start = self.here()
        method = getattr(self, "i_" + mains[0].replace("-", "_"))
        uncertain = mains[0] in ("if", "while", "for", "may", "one-of")
        self.conditional += uncertain
        try:
            method(data, place)
        except KeyError as error:
            raise DataError("missing-key", f"{mains[0]} needs {error}", place=place) from error
        self.conditional -= uncertain
        for operation in self.code[start:]:
            if not operation.cites:
                operation.cites = cites_of(data)
            if not operation.says and isinstance(data.get("says"), str):
                operation.says = data["says"]

    def _check_shape(self, main: str, data: Mapping[str, Any], place: str) -> None:
        roles, what = None, f"key of {main}"
        if main == "do":
            kind = self.system.kinds.get(data["do"]) if isinstance(data["do"], str) else None
            if kind is None:
                raise unknown("occurrence kind", data["do"], self.system.kinds, place=place)
            roles, what = kind.roles, f"role of {kind.name}"
        shape = {**COMMON, **INSTRUCTIONS[main]}
        located(place, lambda: check_shape(data, shape, what, roles=roles))


def spelled(value: Any, role: Role, scope: Scope, place: str) -> Any:
    """A value of a role as an expression: the words that a role may be need no quotes. Raises DataError."""
    if not role.words or not isinstance(value, str):
        return value
    if value in role.words:
        return f"'{value}'"
    word = value.strip("'")
    if word not in role.words and value not in scope.names and re.fullmatch(r"'[^']*'|[a-z]+", value):
        raise unknown("word", word, role.words, place=place)
    return value


def typed(text: Any, scope: Scope, wanted: str, place: str) -> Compiled:
    """An expression whose value must be of a type; one whose type is not known beforehand may be. Raises DataError."""
    compiled, found = compile_typed(text, scope, place=place)
    kinds = {_KIND_OF.get(type_, type_) for type_ in (found, wanted)}
    if (
        len(kinds) > 1
        and "any" not in kinds
        and not ("object" in kinds and kinds <= {"object", "card", "player"})
    ):
        remedy = _instead(str(text), found, wanted, scope)
        what = "an occurrence or a waiting use" if found == "record" else f"a {found}"
        raise DataError(
            "bad-expression", f"expected a {wanted}, “{text}” is {what}", place=place, remedy=remedy
        )
    return compiled


def _instead(text: str, found: str, wanted: str, scope: Scope) -> str:
    """What to write where something of another type was written."""
    if found == "record":
        return f"Name one of its roles: {text}.card, {text}.source ..."
    if (found, wanted) == ("card", "player"):
        return f"Write {text}.controller or {text}.owner."
    if (found, wanted) == ("player", "card"):
        cards = [
            name
            for name, (_, type_, of) in scope.language.derived.items()
            if (type_, of) == ("card", "player")
        ]
        return f"Write {' or '.join(f'{text}.{name}' for name in cards[:3])}." if cards else ""
    return ""


def variable(slot: int, chart: bool) -> Compiled:
    if chart:
        return lambda m, b: m.env[slot]
    return from_facts(lambda m, b: m.cur.env[slot], stat=OF_USE)  # type: ignore[no-any-return]
