"""The expression language of conditions, filters and amounts: parsed, checked against a scope, compiled to closures.

Every name is resolved when a file is loaded; an unknown one is refused with the nearest known. Nothing here is
evaluated by Python's `eval`, nothing recurses at run time, and length and depth are bounded.

A compiled expression is `f(m, b)`: `m` is the machine (facts, frame), `b` a tuple of values bound on the way in
(`it`, names given by `as`, the roles of a record).
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from rules.engine.base.errors import DataError, Need, called, unknown
from rules.engine.base.facts import Open
from rules.engine.language.combinators import (
    ANY,
    COUNT,
    NONE,
    OPERATORS,
    Compiled,
    all_of,
    any_of,
    compared,
    compared_with,
    constant,
    counted,
    first_sure,
    negated,
    on,
    readable,
    several,
    shares,
    told,
)
from rules.engine.language.folding import UNKNOWN, UNNAMED, Look, fold, folding, from_facts, reduced, reducing
from rules.engine.language.functions import Calls
from rules.engine.language.grammar import Parser
from rules.engine.language.scopes import Derived, Language, Name, Scope

MAX_LENGTH = 1000
MAX_QUOTED = 200


def shortened(text: str) -> str:
    """As much of an expression as an error quotes."""
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]} ..."


def card_scope(language: "Language") -> Scope:
    """For what stands on a card: `this` is the card (the first value bound), `you` its controller or whom the system
    says (`you: {constant: ...}`)."""
    this = {"this": Name(from_facts(lambda m, b: b[0]), "card")}
    you: Compiled = from_facts(lambda m, b: m.controller(b[0]))
    if text := language.you.get("constant"):
        said = compile_expression(text, Scope(language, this, depth=1), place="you.constant")
        you = from_facts(lambda m, b: said(m, b[:1]), said)
    return Scope(language, {**this, "you": Name(you, "player")}, depth=1, unnamed=True)


def compile_expression(text: Any, scope: Scope, *, place: str = "") -> Compiled:
    """Compile `text` (a string, or a plain number / yes / no). Raises DataError with the place."""
    compiled, _ = compile_typed(text, scope, place=place)
    return compiled


def compile_typed(text: Any, scope: Scope, *, place: str = "") -> tuple[Compiled, str]:
    """As compile_expression, with the static type: number, yes-no, symbol, card, player, record, list, any."""
    if isinstance(text, bool):
        return constant(text), "yes-no"
    if isinstance(text, int):
        return constant(text), "number"
    if not isinstance(text, str):
        raise DataError("bad-expression", f"expected an expression, found {type(text).__name__}", place=place)
    if len(text) > MAX_LENGTH:
        raise DataError("bad-expression", f"longer than {MAX_LENGTH} characters", place=place)
    try:
        return _Compiler(scope).compile(tree_of(text), scope)
    except DataError as error:
        if error.place:
            raise
        raise DataError(
            error.code, f"{error.message} in “{shortened(text)}”", place=place, remedy=error.remedy
        ) from error


@lru_cache(maxsize=4096)
def tree_of(text: str) -> tuple[Any, ...]:
    """What an expression is made of; a system and its cards say the same things many times. Raises DataError."""
    parser = Parser(text)
    tree = parser.expression(0)
    parser.expect_end()
    return tree


def compile_tree(tree: tuple[Any, ...], scope: Scope) -> Compiled:
    """A part of an expression that was compiled in this scope before."""
    return _Compiler(scope).compile(tree, scope)[0]


def compile_filter(text: Any, scope: Scope, *, place: str = "") -> tuple[Compiled, str]:
    """Compile a filter ("character where controller = you") into a function giving a list, and the members' type.

    A filter may also be an expression that gives a list, an object (a list of one) or nothing (an empty list), or name
    several nouns of cards (“artifact or enchantment where ...”).
    """
    if not isinstance(text, str):
        raise DataError("bad-filter", f"expected a filter, found {type(text).__name__}", place=place)
    text = _several_nouns(text, scope)
    try:
        parser = Parser(text)
        if parser.at_filter(scope):
            tree = parser.filter(0)
            parser.expect_end()
            return _Compiler(scope).filter(tree, scope)
        value, type_ = compile_typed(text, scope)
    except DataError as error:
        if error.place:
            raise
        if error.code == "unknown-name" and re.fullmatch(r"\s*[\w-]+\s*", text):
            known = (*scope.language.nouns, *scope.names)
            raise unknown("noun", text.strip(), known, place=place) from error
        said = f" in “{shortened(text)}”"
        message = error.message.removesuffix(said) + said
        raise DataError(error.code, message, place=place, remedy=error.remedy) from error

    def as_list(m: Any, b: tuple[Any, ...]) -> list[Any]:
        found = value(m, b)
        if found is None:
            return []
        return list(found) if found.__class__ in (list, tuple) else [found]  # the name of a cell is no list

    return as_list, "any" if type_ == "list" else type_


_NOUNS = re.compile(r"\s*([\w-]+(?:\s+or\s+[\w-]+)+)(?:\s+where\s+(.+))?\s*", re.DOTALL)


def _several_nouns(text: str, scope: Scope) -> str:
    """“artifact or enchantment where tapped” as one filter of cards; any other text as it is."""
    found = _NOUNS.fullmatch(text)
    nouns = re.split(r"\s+or\s+", found[1]) if found else []
    known = scope.language.nouns
    if not nouns or any(one not in known or known[one].type != "card" or one in scope.names for one in nouns):
        return text
    either = " or ".join(f"it in list({one})" for one in nouns)
    assert found is not None
    return f"card where ({either}) and ({found[2]})" if found[2] else f"card where {either}"


def parts_of_filter(text: str, scope: Scope) -> tuple[Any, tuple[Any, ...], Scope] | None:
    """The noun of a filter of cards that was compiled before, its condition, and the scope in which that speaks of a
    member, who is the first value bound; None: it is no such filter, or has no condition."""
    parser = Parser(_several_nouns(text, scope))
    if not parser.at_filter(scope):
        return None
    noun_name, alias, condition = parser.filter(0)
    noun = scope.language.nouns[noun_name]
    if condition is None or noun.type != "card":
        return None
    inner = scope.bind(alias or "it", noun.type)
    return noun, condition, inner.speak_of(alias) if alias else inner


def kind_of_filter(text: str, scope: Scope) -> str:
    """What a filter that was compiled before is of: card, player or record; empty: it is no filter."""
    parser = Parser(_several_nouns(text, scope))
    return scope.language.nouns[parser.filter(0)[0]].type if parser.at_filter(scope) else ""


# --- compiling: nested tuples -> closures -------------------------------------------------------------


_COMPARABLE = {"number": "number", "card": "object", "player": "object"}


class _Compiler(Calls):
    def __init__(self, scope: Scope) -> None:
        self.language = scope.language

    def compile(self, tree: tuple[Any, ...], scope: Scope) -> tuple[Compiled, str]:
        return getattr(self, "_" + tree[0])(*tree[1:], scope)  # type: ignore[no-any-return]

    def _const(self, value: Any, type_: str, scope: Scope) -> tuple[Compiled, str]:
        return constant(value), type_

    def _name(self, name: str, scope: Scope) -> tuple[Compiled, str]:
        if name in ("yes", "no"):
            return constant(name == "yes"), "yes-no"
        if name == "nothing":
            return constant(None), "any"
        if name in scope.names:
            prop = self.language.properties.get(name)
            if prop is not None and prop.type == "yes-no" and scope.it == prop.of and name != scope.bare:
                remedy = f"Write {scope.bare}.{name} for the {scope.it}'s, or call the other one otherwise."
                text = f"{called(name)} could mean the {scope.it}'s property or what bears that name here"
                raise DataError("ambiguous-name", text, remedy=remedy)
            bound = scope.names[name]
            return bound.get, bound.type
        if scope.it and (self._has(scope.it, name) or self._derives(scope.it, name)):
            it = scope.names[scope.bare].get
            return self._property(it, scope.it, name)
        if scope.it == "record" and (name in ("kind", "status", "amount") or self._is_role(name)):
            return self._record_field(scope.names[scope.bare].get, name)
        if name in self.language.game:
            game = folding(from_facts(lambda m, b: m.game), lambda known, b: known.game)
            return self._property(game, "game", name)
        if name in self.language.things:
            return self.language.things[name].get, self.language.things[name].type
        symbols = {one for prop in self.language.properties.values() for one in prop.symbols}
        if name in symbols or name in self.language.zones:
            raise DataError(
                "unknown-name",
                f"unknown name {called(name)}",
                remedy=f"If it is a word, put it in quotes: '{name}'.",
            )
        known = {*scope.names, *self.language.game, *self.language.things, "yes", "no", "nothing"}
        if scope.it:
            known |= {
                *(n for n in self.language.properties if self._has(scope.it, n)),
                *(n for n in self.language.derived if self._derives(scope.it, n)),
            }
        raise unknown("name", name, known)

    def _has(self, type_: str, name: str) -> bool:
        """Has an object of this type a property of this name? (`active` in a filter is the game's, not the card's.)"""
        prop = self.language.properties.get(name)
        return prop is not None and (
            prop.of == type_ or (type_ not in ("card", "player") and prop.of != "game")
        )

    def _derives(self, type_: str, name: str) -> bool:
        found = self.language.derived.get(name)
        return found is not None and (type_ not in ("card", "player") or found[2] == type_)

    def _prop(self, owner: tuple[Any, ...], name: str, scope: Scope) -> tuple[Compiled, str]:
        if owner == ("name", "trigger") and "trigger" in scope.names:
            return self._trigger_role(scope, name)
        get, type_ = self.compile(owner, scope)
        if type_ == "use":
            if name == "cancelled":
                cancelled = folding(lambda m, b: m.use_cancelled(), lambda known, b: known.use_cancelled())
                return cancelled, "yes-no"
            if name == "chosen":
                return (lambda m, b: m.use_chosen()), "list"
            return (lambda m, b: m.use_variable(name)), "any"
        if type_ == "ability":
            return self._ability(name)
        if type_ == "record":
            return self._record_field(get, name)
        if type_ in ("number", "yes-no", "symbol", "list"):
            raise DataError("bad-expression", f"a {type_} has no property {called(name)}")
        # `trigger.card.host`: what left is read as it was just before (last-known information)
        found = self._of_what_leaves(get, name, owner, scope)
        return self._property(get, type_, name) if found is None else found

    def _of_what_leaves(
        self, get: Compiled, name: str, owner: Any, scope: Scope
    ) -> tuple[Compiled, str] | None:
        """A property, or a computed value, of a card that may have left play by now."""
        prop: Any = self.language.properties.get(name)
        type_ = "" if prop is None else prop.type
        if name in self.language.derived:
            value, type_, of = self.language.derived[name]
            prop = Derived(name, value) if of == "card" else None
        if prop is None:
            return None
        told = scope.names.get(owner[1][1]) if owner[0] == "prop" and owner[1][0] == "name" else None
        if told is not None and told.type == "record":
            trigger = told.get
            return _known(lambda m, b: m.last_known(trigger(m, b), get(m, b), prop), get, prop), type_
        if (first := _named_by_trigger(owner)) and "trigger" in scope.names:
            trigger, through = scope.names["trigger"].get, self.compile(first, scope)[0]
            last: Compiled = lambda m, b: m.last_known(trigger(m, b), get(m, b), prop, through(m, b))  # noqa: E731
            return _known(last, get, prop), type_
        named = scope.names.get(owner[1]) if owner[0] == "name" else None
        if named is None or not (named.departs or named.moved):
            return None
        if isinstance(prop, Derived) or prop.shed or prop.stat or name == "host" or named.was:
            for one in named.moved:
                one.used()
            groups = tuple(one.group for one in reversed(named.moved))
            if named.was:
                return _known(lambda m, b: m.as_it_was(get(m, b), prop, groups), get, prop), type_
            return _known(lambda m, b: m.as_it_left(get(m, b), prop, groups), get, prop), type_
        return None

    def _ability(self, name: str) -> tuple[Compiled, str]:
        """What the running use's ability is: known as soon as it is known which one runs."""
        read: Callable[[Any], Any]
        if name == "unmet":
            return folding(lambda m, b: m.unmet_head(), lambda known, b: UNKNOWN), "yes-no"
        if name == "kind":
            read, nothing, type_ = (lambda ability: ability.kind.name), None, "symbol"
        elif name == "limited":
            read, nothing, type_ = (lambda ability: ability.limit is not None), False, "yes-no"
        elif name in (known := ("delayed", *self.language.flags)):
            read, nothing, type_ = (lambda ability: name in ability.flags), False, "yes-no"
        else:
            raise unknown("flag", name, ("kind", "limited", "unmet", *known))
        found = folding(
            lambda m, b: nothing if m.cur is None else read(m.cur.ability),
            lambda known, b: (
                UNKNOWN if not known.settled else nothing if known.ability is None else read(known.ability)
            ),
        )
        return found, type_

    def _property(self, get: Compiled, type_: str, name: str) -> tuple[Compiled, str]:
        if name in self.language.derived:
            derived, derived_type, of = self.language.derived[name]
            if type_ in ("card", "player") and of != type_:
                raise DataError("bad-expression", f"{name} is a property of a {of}, not of a {type_}")

            def read_derived(m: Any, b: tuple[Any, ...]) -> Any:
                o = get(m, b)
                return None if o is None else derived(m, (o,))

            def known_derived(known: Any, b: tuple[Any, ...]) -> Any:
                o = fold(get, known, b)
                return o if o is UNKNOWN or o is None else fold(derived, known, (o,))

            return folding(from_facts(read_derived, get, derived), known_derived), derived_type
        prop = self.language.properties.get(name)
        if prop is None:
            raise unknown("property", name, {*self.language.properties, *self.language.derived})
        if type_ in ("card", "player") and prop.of != type_:
            raise DataError("bad-expression", f"{name} is a property of a {prop.of}, not of a {type_}")
        slot, kind = prop.slot, "list" if prop.type == "cards" else prop.type
        if prop.type == "filter":

            def read_filter(m: Any, b: tuple[Any, ...]) -> Any:
                o = get(m, b)
                test = None if o is None else m.facts[o.base + slot]
                if test.__class__ is Open:
                    raise Need(o.base + slot)
                return None if test is None else tuple(test(m, (o,)))

            return read_filter, "list"
        default = prop.default if prop.stat else None

        def known_fact(known: Any, b: tuple[Any, ...]) -> Any:
            o = fold(get, known, b)
            return o if o is UNKNOWN else default if o is None else known.fact(o, prop)

        if prop.stat:

            def read_stat(m: Any, b: tuple[Any, ...]) -> Any:
                o = get(m, b)
                return default if o is None else m.stat(o, prop)

            return folding(from_facts(readable(read_stat, get, prop), get, stat=name), known_fact), kind

        index: Any = getattr(get, "bound", None)

        def read(m: Any, b: tuple[Any, ...]) -> Any:
            o = get(m, b)
            if o is None:
                return None
            value = m.facts[o.base + slot]
            if value.__class__ is Open:
                value = value.read(m, o.base + slot)
            return value

        def read_bound(m: Any, b: tuple[Any, ...]) -> Any:
            """The same for what is bound on the way in, as in every filter."""
            o = b[index]
            if o is None:
                return None
            value = m.facts[o.base + slot]
            if value.__class__ is Open:
                value = value.read(m, o.base + slot)
            return value

        if index is None:
            return folding(from_facts(readable(read, get, prop), get), known_fact), kind
        readable(read_bound, get, prop)
        read_bound.fact_of = (index, slot)  # type: ignore[attr-defined]
        return folding(from_facts(read_bound), known_fact), kind

    def _is_role(self, name: str) -> bool:
        return any(name in kind.roles for kind in self.language.kinds.values())

    def _trigger_role(self, scope: Scope, name: str) -> tuple[Compiled, str]:
        trigger = scope.names["trigger"]
        return self._record_field(trigger.get, name, trigger.kinds)

    def _record_field(self, get: Compiled, name: str, among: tuple[str, ...] = ()) -> tuple[Compiled, str]:
        if name in ("kind", "status"):
            return (lambda m, b: m.record_field(get(m, b), name)), "symbol"
        if name == "amount":
            return (lambda m, b: m.record_field(get(m, b), "amount")), "number"
        roles: dict[str, str] = {}
        for kind in self.language.kinds.values():
            for role, decl in kind.roles.items():  # one word may be of one type here and of another there
                roles[role] = decl.type if roles.get(role, decl.type) == decl.type else "any"
        theirs = {role for kind in among for role in self.language.kinds[kind].roles}
        if name not in (theirs if among else roles):
            what = f"role of {' or '.join(among)}" if among else "role"
            raise unknown(what, name, {*(theirs if among else roles), "kind", "status", "amount"})
        return (lambda m, b: m.record_field(get(m, b), name)), roles[name]

    def _or(self, *given: Any) -> tuple[Compiled, str]:
        *parts, scope = given
        return any_of(*(self.compile(part, scope)[0] for part in parts)), "yes-no"

    def _and(self, *given: Any) -> tuple[Compiled, str]:
        *parts, scope = given
        return all_of(*(self.compile(part, scope)[0] for part in parts)), "yes-no"

    def _not(self, inner: Any, scope: Scope) -> tuple[Compiled, str]:
        f, _ = self.compile(inner, scope)
        return negated(f), "yes-no"

    def _cmp(self, operator: str, left: Any, right: Any, scope: Scope) -> tuple[Compiled, str]:
        (f, left_type), (g, right_type) = self.compile(left, scope), self.compile(right, scope)
        if operator == "in":
            within = on(lambda one, many: one in several(many), f, g)
            return folding(from_facts(lambda m, b: f(m, b) in several(g(m, b)), f, g), within), "yes-no"
        if operator == "has":
            if right_type == "list":  # any of them
                has_any = from_facts(lambda m, b: shares(f(m, b), g(m, b)), f, g)
                return folding(has_any, on(shares, f, g)), "yes-no"
            holds = on(lambda many, one: one in several(many), f, g)
            return folding(from_facts(lambda m, b: g(m, b) in several(f(m, b)), f, g), holds), "yes-no"
        if "number" in (left_type, right_type) and ("name", "nothing") not in (left, right):
            f, g = told(f), told(g)
        if operator in ("=", "!="):
            types = {_COMPARABLE.get(t, t) for t in (left_type, right_type)} - {"any"}
            if len(types) > 1 and types != {"symbol", "text"}:
                raise DataError("bad-expression", f"a {left_type} is never equal to a {right_type}")
            self._check_symbols(left, left_type, right)
            self._check_symbols(right, right_type, left)
        elif {left_type, right_type} - {"number", "any"}:
            raise DataError(
                "bad-expression", f"{operator} compares numbers, not {left_type} and {right_type}"
            )
        if right[0] == "const" and operator in ("=", "!="):  # the commonest of all
            compare = folding(compared_with(operator, f, right[1]), on(OPERATORS[operator], f, g))
            return compare, "yes-no"
        return compared(operator, f, g), "yes-no"

    def _check_symbols(self, constant: Any, type_: str, other: Any) -> None:
        """`type = 'charakter'` is a wrong answer without an error, the worst kind: check against the closed set."""
        if constant[0] != "const" or type_ != "symbol" or other[0] not in ("prop", "name"):
            return
        prop = self.language.properties.get(other[-1])
        if prop is not None and prop.symbols and constant[1] not in prop.symbols:
            raise unknown(f"value of {other[-1]}", constant[1], prop.symbols)

    def _arith(self, operator: str, left: Any, right: Any, scope: Scope) -> tuple[Compiled, str]:
        (f, left_type), (g, right_type) = self.compile(left, scope), self.compile(right, scope)
        if {left_type, right_type} - {"number", "any"}:
            raise DataError("bad-expression", f"{operator} needs numbers, not {left_type} and {right_type}")
        f, g = told(f), told(g)
        if operator == "+":
            plain: Compiled = lambda m, b: f(m, b) + g(m, b)  # noqa: E731
        elif operator == "-":
            plain = lambda m, b: f(m, b) - g(m, b)  # noqa: E731
        else:
            plain = lambda m, b: f(m, b) * g(m, b)  # noqa: E731
        return folding(from_facts(plain, f, g), on(OPERATORS[operator], f, g)), "number"

    def filter(self, tree: tuple[Any, ...], scope: Scope) -> tuple[Compiled, str]:
        noun_name, alias, condition = tree
        noun = self.language.nouns.get(noun_name)
        if noun is None:
            raise unknown("noun", noun_name, self.language.nouns)
        inner = scope.bind(alias or "it", noun.type)
        if alias:
            inner = inner.speak_of(alias)
        elif scope.it and condition is not None and _mentions_it(condition):
            raise DataError(
                "ambiguous-it",
                "`it` could mean the outer or the inner card",
                remedy=f"Name one of them: {noun_name} as x where ...",
            )
        test = self.compile(condition, inner)[0] if condition is not None else None
        belongs, source, everyone = noun.test, noun.source, noun.everyone
        lists, rest = _of_lists(condition, ("name", alias or "it"))
        listed = [(wanted, self.compile(one, inner)[0]) for wanted, one in lists]
        test_apart = self.compile(rest, inner)[0] if rest is not None else None

        depth = scope.depth
        aside = (scope.unnamed or noun.unnamed) and noun.fixed and noun.type == "card"

        def split(m: Any, b: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
            """The members for sure, a card that nobody named as often as there are such; and such as may be members."""
            sure, unsure = list(members(m, b)), []
            for stranger, number in m.unnamed_cards():
                try:
                    if belongs_apart(m, b[:depth], stranger):
                        sure += [stranger] * as_often(m, (*b[:depth], stranger), number)
                except Need as need:
                    if not m.is_of(stranger, need.slot):
                        raise
                    if as_often(
                        m, (*b[:depth], stranger), number
                    ):  # else, whatever it is, it is none of those listed
                        unsure.append(stranger)
            return sure, unsure

        def belongs_here(m: Any, b: tuple[Any, ...], o: Any) -> bool:
            return bool((belongs is None or belongs(m, (o,))) and (test is None or test(m, (*b, o))))

        def belongs_apart(m: Any, b: tuple[Any, ...], o: Any) -> bool:
            """As `belongs_here`, whatever lists the card must or must not be in."""
            return bool(
                (belongs is None or belongs(m, (o,))) and (test_apart is None or test_apart(m, (*b, o)))
            )

        def as_often(m: Any, b: tuple[Any, ...], number: int | None) -> int:
            """How many of the cards that one object stands for are in the lists, and not in the others. A list holds it
            as often as such cards were put there: two cards of a hand of five that were chosen are two."""
            for wanted, members_of in listed:
                there = several(members_of(m, b)).count(b[-1])
                if wanted:
                    number = there if number is None else min(number, there)
                elif number is not None:
                    number = max(0, number - there)
            return 1 if number is None else number

        def all_members(m: Any, b: tuple[Any, ...]) -> list[Any]:
            """All of them, also those that nobody named. Raises Unnamed where such a card may be one, or not."""
            if not m.scene.strangers:
                return members(m, b)
            sure, unsure = split(m, b)
            for stranger in unsure:
                raise m.unnamed_one(stranger)
            for stranger in sure:
                if stranger.stranger and not any(wanted for wanted, _ in listed):
                    m.check_told(stranger)
            return sure

        def members(m: Any, b: tuple[Any, ...]) -> list[Any]:
            if depth > 1 and m.scene.breath is not None:  # two filters around it: it is asked for every pair
                m.scene.breath()
            if m.watch is not None:
                return m.watch.those(m, source, belongs_here, b[:depth], any_=False)  # type: ignore[no-any-return]
            found = everyone(m, ())
            if test is None:
                return list(found)
            # `b` may be longer than the scope knows when a noun's own test runs inside a filter
            b = b[:depth]
            if m.look is not None:
                return [o for o in found if test(m, (*b, o))]
            m.look = Look(m.cur)
            try:
                return [o for o in found if test(m, (*b, o))]
            finally:
                m.look = None

        def known_members(known: Any, b: tuple[Any, ...]) -> Any:
            """Those of a fixed set that are known to belong; unknown as soon as one of them is."""
            objects = known.everyone(noun)
            if objects is UNKNOWN or len(b) < scope.depth:
                return UNKNOWN
            b = b[: scope.depth]
            found = []
            for o in objects:
                fits = True if belongs is None else fold(belongs, known, (o,))
                if test is not None and (fits is UNKNOWN or fits):
                    also = fold(test, known, (*b, o))
                    fits = also if also is UNKNOWN or not also or fits is not UNKNOWN else UNKNOWN
                if fits is UNKNOWN:
                    return UNKNOWN
                if fits:
                    found.append(o)
            return found

        def simpler_members(known: Any, b: tuple[Any, ...]) -> Compiled:
            """Only those that may belong are looked at, each for what is not known of it."""
            objects = known.everyone(noun)
            if objects is UNKNOWN or depth:
                return members
            left: list[tuple[Any, Compiled | None]] = []
            for o in objects:
                check: Compiled | None = belongs
                if test is not None:
                    check = test if check is None else all_of(check, test)
                fits = True if check is None else fold(check, known, (o,))
                if fits is UNKNOWN or known.consulted:
                    assert check is not None
                    left.append((o, reduced(check, known, (o,))))
                elif fits:
                    left.append((o, None))

            def found(m: Any, b: tuple[Any, ...]) -> list[Any]:
                if m.watch is not None:
                    return [o for o, check in left if check is None or m.watch.truth(m, check, (o,))]
                return [o for o, check in left if check is None or check(m, (o,))]

            return found

        def split_seen(m: Any, b: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
            """Of a set that holds cards that nobody named: the members for sure, and such a card as may be a member."""
            sure: list[Any] = []
            unsure: list[Any] = []
            for o in everyone(m, ()):
                try:
                    if belongs_here(m, b[:depth], o):
                        sure.append(o)
                except Need as need:
                    if not m.is_of(o, need.slot):
                        raise
                    unsure.append(o)
            return sure, list(dict.fromkeys(unsure))

        if noun.unnamed and not noun.fixed:
            members.split = split_seen  # type: ignore[attr-defined]
        if not noun.fixed:
            some = lambda m, b: m.watch.those(m, source, belongs_here, b[:depth], any_=True)  # noqa: E731
            members.any = some  # type: ignore[attr-defined]
        if noun.fixed:
            asked = [part for part in (belongs, test) if part is not None]
            from_facts(members, *asked)
            from_facts(all_members, *asked, stat=UNNAMED)
        if aside:
            all_members.split = split  # type: ignore[attr-defined]
            members_known = lambda known, b: (  # noqa: E731
                UNKNOWN if known.scene.strangers else known_members(known, b)
            )
            members_simpler = lambda known, b: (  # noqa: E731
                all_members if known.scene.strangers else simpler_members(known, b)
            )
            return reducing(folding(all_members, members_known), members_simpler), noun.type
        return reducing(folding(members, known_members), simpler_members), noun.type

    def _quant(self, name: str, filtered: Any, body: Any, scope: Scope) -> tuple[Compiled, str]:
        members, type_ = self.filter(filtered, scope)
        if body is not None:
            alias = filtered[1] or "it"
            inner = scope.bind(alias, type_).speak_of(alias)
            value = told(self.compile(body, inner)[0])
            fold: Callable[[list[Any]], Any] = {
                "sum": sum,
                "least": lambda values: min(values, default=0),
                "most": lambda values: max(values, default=0),
            }[name]
            worth = lambda m, b: fold([value(m, (*b[: scope.depth], o)) for o in members(m, b)])  # noqa: E731
            return from_facts(worth, members, value), "number"
        if name == "any":
            return counted(ANY, members), "yes-no"
        if name == "none":
            return counted(NONE, members), "yes-no"
        if name == "count":
            return counted(COUNT, members), "number"
        if name == "the":
            found = first_sure(members)
            return from_facts(lambda m, b: next(iter(found(m, b)), None), members), type_
        if name == "list":  # a value that positions may hold
            listed = from_facts(lambda m, b: tuple(members(m, b)), members)
            return folding(listed, on(tuple, members)), "list"
        # all(character where x): every one of the noun satisfies x
        everyone, _ = self.filter((filtered[0], filtered[1], None), scope)
        every = lambda m, b: len(members(m, b)) == len(everyone(m, b))  # noqa: E731
        return from_facts(every, members, everyone), "yes-no"


def _known(read: Compiled, get: Compiled, prop: Any) -> Compiled:
    return read if isinstance(prop, Derived) else readable(read, get, prop)


def _named_by_trigger(tree: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """For `trigger.card.host`, the `trigger.card` in it: the card of the trigger that leads to another object."""
    while tree[0] == "prop":
        inner = tree[1]
        if inner[0] == "prop" and inner[1] == ("name", "trigger"):
            return inner  # type: ignore[no-any-return]
        tree = inner
    return None


def _of_lists(condition: Any, it: tuple[str, str]) -> tuple[list[tuple[bool, Any]], Any]:
    """The lists that a filter wants its card in, or not in, as (wanted?, the list); and the rest of its condition."""
    parts = () if condition is None else condition[1:] if condition[0] == "and" else (condition,)
    lists, rest = [], []
    for part in parts:
        wanted, compared = (False, part[1]) if part[0] == "not" else (True, part)
        if compared[0] == "cmp" and compared[1] in ("in", "=", "!=") and compared[2] == it:
            lists.append((wanted == (compared[1] != "!="), compared[3]))
        else:
            rest.append(part)
    return lists, (rest[0] if len(rest) == 1 else ("and", *rest)) if rest else None


def _mentions_it(tree: Any) -> bool:
    """Does the inner condition say `it` by name (bare properties are plain: they mean the inner one)?"""
    if isinstance(tree, tuple):
        if tree[:2] == ("name", "it"):
            return True
        if tree and tree[0] == "quant":
            return False
        return any(_mentions_it(part) for part in tree)
    if isinstance(tree, list):
        return any(_mentions_it(part) for part in tree)
    return False
