"""What compiled expressions are made of: each runs, tells what is known of it beforehand, and can be made simpler."""

import operator as operators
from collections.abc import Callable
from typing import Any

from rules.engine.base.errors import Need, Untold
from rules.engine.base.values import Open
from rules.engine.language.folding import UNKNOWN, fold, fold_all, folding, reduced, reducing

Compiled = Callable[[Any, tuple[Any, ...]], Any]


def either(f: Compiled, g: Compiled) -> Compiled:
    def one_of_both(m: Any, b: tuple[Any, ...]) -> bool:
        try:
            if f(m, b):
                return True
        except (Need, Untold):  # an open fact that cannot matter is never asked
            if g(m, b):
                return True
            raise
        return bool(g(m, b))

    def known_either(known: Any, b: tuple[Any, ...]) -> Any:
        one = fold(f, known, b)
        if one is not UNKNOWN and one:
            return True
        other = fold(g, known, b)
        if (
            one is UNKNOWN and known.consulted
        ):  # whether the second side's reading is asked hangs on the first
            return UNKNOWN
        if other is not UNKNOWN and other:
            return True
        return UNKNOWN if one is UNKNOWN or other is UNKNOWN else False

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        for one, other in ((f, g), (g, f)):
            if (value := fold(one, known, b)) is not UNKNOWN and not value and not known.consulted:
                return _truth(reduced(other, known, b))
        return either(reduced(f, known, b), reduced(g, known, b))

    return reducing(folding(one_of_both, known_either), simpler)  # type: ignore[no-any-return]


def both(f: Compiled, g: Compiled) -> Compiled:
    def each_of_both(m: Any, b: tuple[Any, ...]) -> bool:
        try:
            if not f(m, b):
                return False
        except (Need, Untold):
            if not g(m, b):
                return False
            raise
        return bool(g(m, b))

    def known_both(known: Any, b: tuple[Any, ...]) -> Any:
        one = fold(f, known, b)
        if one is not UNKNOWN and not one:
            return False
        other = fold(g, known, b)
        if one is UNKNOWN and known.consulted:
            return UNKNOWN
        if other is not UNKNOWN and not other:
            return False
        return UNKNOWN if one is UNKNOWN or other is UNKNOWN else True

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        for one, other in ((f, g), (g, f)):
            if (value := fold(one, known, b)) is not UNKNOWN and value and not known.consulted:
                return _truth(reduced(other, known, b))
        return both(reduced(f, known, b), reduced(g, known, b))

    return reducing(folding(each_of_both, known_both), simpler)  # type: ignore[no-any-return]


def negated(f: Compiled) -> Compiled:
    plain = folding(lambda m, b: not f(m, b), on(lambda value: not value, f))
    return reducing(plain, lambda known, b: negated(reduced(f, known, b)))  # type: ignore[no-any-return]


def compared(operator: str, f: Compiled, g: Compiled) -> Compiled:
    plain = folding(COMPARE[operator](f, g), on(OPERATORS[operator], f, g))

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        value = fold(g, known, b)
        if value is UNKNOWN or known.consulted:
            return COMPARE[operator](reduced(f, known, b), reduced(g, known, b))
        return compared_with(operator, reduced(f, known, b), value)

    return reducing(plain, simpler)  # type: ignore[no-any-return]


def compared_with(operator: str, f: Compiled, value: Any) -> Compiled:
    """A comparison with something that is known; with a fact of what is bound, in one step: the commonest of all."""
    fact = getattr(f, "fact_of", None)
    if fact is None or operator != "=":
        return COMPARE_WITH[operator](f, value)
    index, slot = fact

    def is_so(m: Any, b: tuple[Any, ...]) -> bool:
        obj = b[index]
        if obj is None:
            return value is None
        found = m.facts[obj.base + slot]
        if found.__class__ is Open:
            raise Need(obj.base + slot)
        return found == value  # type: ignore[no-any-return]

    return is_so


def readable(read: Any, get: Compiled, prop: Any) -> Any:
    """A way to read a property that says of whom, where it may be that nobody told the value (`told`)."""
    if prop.default is None and prop.type == "number":
        read.of = (get, prop.name)
    return read


def told(f: Compiled) -> Compiled:
    """The value to compare or to count with: raises Untold where it is a number of somebody that nobody told."""
    of = getattr(f, "of", None)
    if of is None:
        return f
    get, name = of

    def value_told(m: Any, b: tuple[Any, ...]) -> Any:
        value = f(m, b)
        if value is None and (obj := get(m, b)) is not None:
            raise Untold(obj, name)
        return value

    def known_told(known: Any, b: tuple[Any, ...]) -> Any:
        value = fold(f, known, b)
        return UNKNOWN if value is None else value

    return folding(value_told, known_told)  # type: ignore[no-any-return]


ANY: tuple[Callable[[list[Any]], Any], Callable[[Compiled], Compiled]] = (
    bool,
    lambda members: lambda m, b: bool(members(m, b)),
)
NONE = (lambda found: not found, lambda members: lambda m, b: not members(m, b))
COUNT = (len, lambda members: lambda m, b: len(members(m, b)))


def counted(kind: Any, members: Compiled) -> Compiled:
    """any, none, count of a filter."""
    of, made = kind
    plain = folding(made(members), on(of, members))
    return reducing(plain, lambda known, b: made(reduced(members, known, b)))  # type: ignore[no-any-return]


def _truth(f: Compiled) -> Compiled:
    return lambda m, b: bool(f(m, b))


def constant(value: Any) -> Compiled:
    return folding(lambda m, b: value, lambda known, b: value)  # type: ignore[no-any-return]


def bound(index: int) -> Compiled:
    """The value bound at a place of `b`."""
    found = folding(lambda m, b: b[index], lambda known, b: b[index] if index < len(b) else UNKNOWN)
    found.bound = index
    return found  # type: ignore[no-any-return]


def on(operation: Callable[..., Any], *functions: Compiled) -> Callable[[Any, tuple[Any, ...]], Any]:
    """Fold: known when all that it is made of is."""

    def found(known: Any, b: tuple[Any, ...]) -> Any:
        values = fold_all(list(functions), known, b)
        return UNKNOWN if values is None else operation(*values)

    return found


def several(value: Any) -> Any:
    """A choice of one is that one, of several a list: `in` speaks of both alike."""
    if value is None:
        return ()
    return value if isinstance(value, tuple | list) else (value,)


def shares(value: Any, others: Any) -> bool:
    """`has` a list: does it hold any of them?"""
    return any(one in several(value) for one in several(others))


COMPARE: dict[str, Callable[[Compiled, Compiled], Compiled]] = {
    "=": lambda f, g: lambda m, b: f(m, b) == g(m, b),
    "!=": lambda f, g: lambda m, b: f(m, b) != g(m, b),
    "<": lambda f, g: lambda m, b: f(m, b) < g(m, b),
    "<=": lambda f, g: lambda m, b: f(m, b) <= g(m, b),
    ">": lambda f, g: lambda m, b: f(m, b) > g(m, b),
    ">=": lambda f, g: lambda m, b: f(m, b) >= g(m, b),
}
COMPARE_WITH: dict[str, Callable[[Compiled, Any], Compiled]] = {
    "=": lambda f, value: lambda m, b: f(m, b) == value,
    "!=": lambda f, value: lambda m, b: f(m, b) != value,
    "<": lambda f, value: lambda m, b: f(m, b) < value,
    "<=": lambda f, value: lambda m, b: f(m, b) <= value,
    ">": lambda f, value: lambda m, b: f(m, b) > value,
    ">=": lambda f, value: lambda m, b: f(m, b) >= value,
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
}
