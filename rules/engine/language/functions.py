"""The functions that an expression may call: `name(...)`, compiled to closures."""

from typing import Any

from rules.engine.base.errors import DataError, Need, Untold, unknown
from rules.engine.language.combinators import Compiled, constant, readable, told
from rules.engine.language.folding import UNKNOWN, fold, folding, from_facts
from rules.engine.language.scopes import Language, Scope

MAX_RANGE = 1_000

_OF_WORDS = {
    "reading", "known", "pending", "prevented", "stat", "printed", "waits", "users", "heard", "answered", "reads",
    "able", "happened", "supposing", "pays",
}  # fmt: skip


class _NoNumber(int):
    """What a number of a card comes to that shows none: it adds nothing, and is not at most, at least or equal to
    anything."""

    def _false(self, other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = _false
    __hash__ = int.__hash__

    def __ne__(self, other: object) -> bool:
        return True


NO_NUMBER = _NoNumber(0)


class Calls:
    """The part of the compiler of expressions that is about calls."""

    language: Language

    def compile(self, tree: tuple[Any, ...], scope: Scope) -> tuple[Compiled, str]:
        raise NotImplementedError  # rules.engine.language.expressions

    def _name(self, name: str, scope: Scope) -> tuple[Compiled, str]:
        raise NotImplementedError

    def _call(self, name: str, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        if name in _OF_WORDS:
            return getattr(self, "_call_" + name)(arguments, scope)  # type: ignore[no-any-return]
        compiled = [self.compile(argument, scope) for argument in arguments]
        functions = [f for f, _ in compiled]
        arity = {"if": 3, "next": 1, "was": 1, "fully": 1, "possible": 1, "used": 1, "range": 2}.get(name)
        if arity is not None and len(functions) != arity:
            raise DataError("bad-expression", f"{name}(...) takes {arity} values")
        if name == "if":
            test, yes, no = functions

            def known_branch(known: Any, b: tuple[Any, ...]) -> Any:
                found = fold(test, known, b)
                return UNKNOWN if found is UNKNOWN else fold(yes if found else no, known, b)

            taken = from_facts(lambda m, b: yes(m, b) if test(m, b) else no(m, b), test, yes, no)
            return folding(taken, known_branch), compiled[1][1]
        if name == "next":
            return (lambda m, b: m.next_player(functions[0](m, b))), "player"
        if name == "fully":
            return (lambda m, b: m.fully(functions[0](m, b))), "yes-no"
        if name == "possible":
            return (lambda m, b: m.possible(functions[0](m, b))), "yes-no"
        if name == "used":
            return functions[0], "player"
        if name == "range":  # the whole numbers from the first to the second, to choose from
            low, high = functions
            return (lambda m, b: tuple(range(low(m, b), min(high(m, b), MAX_RANGE) + 1))), "list"
        if name == "was":
            return functions[0], compiled[0][1]
        pick = min if name == "min" else max
        functions = [told(f) for f in functions]
        return from_facts(lambda m, b: pick(f(m, b) for f in functions), *functions), "number"

    def _call_reading(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        if len(arguments) != 1 or arguments[0][0] not in ("name", "const"):
            raise DataError("bad-expression", "reading('name') takes one name")
        key = arguments[0][1]
        if key not in self.language.readings:
            raise unknown("reading", key, self.language.readings)
        read = from_facts(lambda m, b: m.reading(key))
        return folding(read, lambda known, b: known.reading(key)), "symbol"

    def _call_known(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        if len(arguments) != 1:
            raise DataError("bad-expression", "known(...) takes one value")
        f, _ = self.compile(arguments[0], scope)

        def known(m: Any, b: tuple[Any, ...]) -> bool:
            try:
                f(m, b)
            except (Need, Untold):
                return False
            return True

        return known, "yes-no"

    def _call_pending(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """pending('kind'): is such an occurrence on `it` on its way, in an answer to a use by that use?"""
        kind, it = self._kind_of_it("pending", arguments, scope)
        trigger = scope.names["trigger"].get if "trigger" in scope.names else constant(None)
        return (lambda m, b: m.pending(kind, it(m, b), trigger(m, b))), "yes-no"

    def _call_prevented(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        kind, it = self._kind_of_it("prevented", arguments, scope)
        return (lambda m, b: m.prevented(kind, it(m, b))), "yes-no"

    def _kind_of_it(self, name: str, arguments: list[Any], scope: Scope) -> tuple[str, Compiled]:
        """The kind of occurrence that is named, and `it`, to which it would happen."""
        if len(arguments) != 1 or arguments[0][0] != "const":
            raise DataError("bad-expression", f"{name}('kind') takes the name of an occurrence kind")
        kind = arguments[0][1]
        if kind not in self.language.kinds:
            raise unknown("occurrence kind", kind, self.language.kinds)
        it, _ = self._name("it", scope)
        return kind, it

    def _call_able(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """able('kind'): could an occurrence of that kind happen to `it` now? able('kind', a, b): with a and b in its
        first roles?"""
        kind = self._word(arguments[:1], "able", "occurrence kind", self.language.kinds)
        found = self.language.kinds[kind]
        if len(arguments) == 1:
            it = scope.names[scope.bare].get if scope.it else self._name("it", scope)[0]
            return (lambda m, b: m.able(found, it(m, b))), "yes-no"
        if len(arguments) - 1 > len(found.roles):
            raise DataError(
                "bad-expression", f"{kind} has {len(found.roles)} roles: {', '.join(found.roles)}"
            )
        given = [self.compile(argument, scope)[0] for argument in arguments[1:]]
        return (lambda m, b: m.able_with(found, [value(m, b) for value in given])), "yes-no"

    def _call_happened(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """happened('kind', object, 'phase'): how often that was done (to the object, if one is named) in the period,
        else in this turn. Of a family: any of its kinds, if the family's own condition held."""
        known_kinds = (*self.language.kinds, *self.language.families)
        kind = self._word(arguments[:1], "happened", "occurrence kind", known_kinds)
        of: Compiled = self.compile(arguments[1], scope)[0] if len(arguments) > 1 else constant(None)
        period = "turn"
        if len(arguments) > 2:
            known = (*self.language.periods, *self.language.same_periods, "game")
            period = self._word(arguments[2:], "happened", "period", known)
        period = self.language.same_periods.get(period, period)
        return (lambda m, b: m.happened(kind, of(m, b), period)), "number"

    def _call_supposing(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """supposing(fact, value, test): does the test hold if that fact of the game is that value?"""
        if len(arguments) != 3 or arguments[0][0] != "name":
            raise DataError(
                "bad-expression", "supposing(fact, value, test) takes a fact of the game, a value and a test"
            )
        prop = self.language.game.get(arguments[0][1])
        if prop is None:
            raise unknown("fact of the game", arguments[0][1], self.language.game)
        self.compile(("cmp", "=", *arguments[:2]), scope)  # refuses what the fact cannot be
        value, test = (self.compile(argument, scope)[0] for argument in arguments[1:])

        def holds(m: Any, b: tuple[Any, ...]) -> bool:
            with m.supposing(prop, value(m, b)):
                return bool(test(m, b))

        return (lambda m, b: m.says(holds, b)), "yes-no"

    def _call_pays(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """pays('gold'): how much of that counter the cost of the ability takes from its user."""
        counters = [name for name, prop in self.language.properties.items() if prop.of == "player"]
        name = self._word(arguments, "pays", "counter", counters)
        return (lambda m, b: m.pays(name)), "number"

    def _call_waits(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """waits('kind'): could an ability of that kind be used now?"""
        kind = self._word(arguments, "waits", "ability kind", self.language.ability_kinds)
        must = self.language.ability_kinds[kind].must
        absent = lambda known, b: UNKNOWN if known.uses(kind) else False  # noqa: E731
        return folding(lambda m, b: bool(m.choices((kind,), must=must)[0]), absent), "yes-no"

    def _call_users(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """users('reaction'): the players who could use an ability of that kind here and now."""
        kind = self._word(arguments, "users", "ability kind", self.language.ability_kinds)
        absent = lambda known, b: UNKNOWN if known.uses(kind) else ()  # noqa: E731
        return folding(lambda m, b: m.could_use(kind), absent), "list"

    def _call_heard(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """heard('after'): does any ability listen at that point to what the running group is?"""
        point = self._word(arguments, "heard", "point", self.language.points)
        unheard = lambda known, b: UNKNOWN if known.hears(point) else False  # noqa: E731
        return folding(lambda m, b: m.heard(point), unheard), "yes-no"

    def _call_answered(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """answered('use'): does any ability here answer occurrences of that kind, at whatever point?"""
        kind = self._word(arguments, "answered", "occurrence kind", self.language.kinds)
        never = lambda known, b: UNKNOWN if known.answers(kind) else False  # noqa: E731
        return folding(lambda m, b: m.listened(kind), never), "yes-no"

    def _call_reads(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """reads('margin'): does any ability here read that role of what it answers?"""
        roles = {role for kind in self.language.kinds.values() for role in kind.roles}
        role = self._word(arguments, "reads", "role", roles)
        return (lambda m, b: role in m.scene.reads), "yes-no"

    def _word(self, arguments: list[Any], function: str, what: str, known: Any) -> str:
        if len(arguments) != 1 or arguments[0][0] != "const":
            raise DataError("bad-expression", f"{function}('...') takes the name of one {what}")
        word = str(arguments[0][1])
        if word not in known:
            raise unknown(what, word, known)
        return word

    def _call_stat(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """stat(object, name): the property whose name is computed, such as a struggle's icon; stat(object, name, n):
        what it comes to if n stands on the card."""
        if len(arguments) not in (2, 3):
            raise DataError(
                "bad-expression", "stat(object, name) takes two values, or a third: what is printed"
            )
        (f, _), (g, _), *rest = (self.compile(argument, scope) for argument in arguments)
        printed = rest[0][0] if rest else constant(None)
        properties = self.language.properties

        def read(m: Any, b: tuple[Any, ...]) -> Any:
            prop = properties.get(g(m, b))
            return 0 if prop is None else m.stat(f(m, b), prop, printed(m, b))

        return read, "number"

    def _call_printed(self, arguments: list[Any], scope: Scope) -> tuple[Compiled, str]:
        """printed(card.property): what stands on the card, whatever effects make of it."""
        if len(arguments) != 1 or arguments[0][0] != "prop":
            raise DataError("bad-expression", "printed(card.property) takes a property of a card")
        f, _ = self.compile(arguments[0][1], scope)
        prop = self.language.properties.get(arguments[0][2])
        if prop is None:
            raise unknown("property", arguments[0][2], self.language.properties)

        def read(m: Any, b: tuple[Any, ...]) -> Any:
            obj = f(m, b)
            return None if obj is None else m.fact(obj, prop)

        if prop.type != "number" or self.language.unprinted is None:
            return from_facts(readable(read, f, prop), f), prop.type
        unprinted, zero = self.language.unprinted, self.language.unprinted_zero

        def seen(m: Any, b: tuple[Any, ...]) -> Any:
            obj = f(m, b)
            if obj is not None and unprinted(m, (obj,)):
                return 0 if zero is not None and zero(m, (obj,)) else NO_NUMBER
            return None if obj is None else m.fact(obj, prop)

        return readable(seen, f, prop), prop.type
