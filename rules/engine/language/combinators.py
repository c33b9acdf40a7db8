"""What compiled expressions are made of: each runs, tells what is known of it beforehand, and can be made simpler."""

import operator as operators
from collections.abc import Callable
from typing import Any

from rules.engine.base.errors import Need, Untold
from rules.engine.base.facts import Open
from rules.engine.language.folding import UNKNOWN, fold, fold_all, folding, from_facts, reduced, reducing

Compiled = Callable[[Any, tuple[Any, ...]], Any]


def any_of(*parts: Compiled) -> Compiled:
    """`or`: the parts are asked in their order until one holds."""

    def one_of_them(m: Any, b: tuple[Any, ...]) -> bool:
        doubt: Exception | None = None
        for part in parts:
            try:
                if part(m, b):
                    return True
            except (Need, Untold) as found:  # an open fact that cannot matter is never asked
                doubt = doubt or found  # the first: what comes behind it may not matter then
        if doubt is not None:
            raise doubt
        return False

    return _logical(one_of_them, parts, any_of, decisive=True)


def all_of(*parts: Compiled) -> Compiled:
    """`and`: the parts are asked in their order until one does not hold."""

    def each_of_them(m: Any, b: tuple[Any, ...]) -> bool:
        doubt: Exception | None = None
        for part in parts:
            try:
                if not part(m, b):
                    return False
            except (Need, Untold) as found:
                doubt = doubt or found  # the first: what comes behind it may not matter then
        if doubt is not None:
            raise doubt
        return True

    return _logical(each_of_them, parts, all_of, decisive=False)


def _logical(
    plain: Compiled, parts: tuple[Compiled, ...], joined: Callable[..., Compiled], *, decisive: bool
) -> Compiled:
    """decisive: a part with this truth settles the whole; joined: makes the same of other parts."""

    def known_truth(known: Any, b: tuple[Any, ...]) -> Any:
        whole: Any = not decisive
        for part in parts:
            value = fold(part, known, b)
            if (
                whole is UNKNOWN and known.consulted
            ):  # whether the reading of another part is asked hangs on this one
                continue
            if value is not UNKNOWN and bool(value) is decisive:
                return decisive
            whole = UNKNOWN if value is UNKNOWN else whole
        return whole

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        left = []
        for part in parts:
            value = fold(part, known, b)
            if value is UNKNOWN or bool(value) is decisive or known.consulted:
                left.append(reduced(part, known, b))
        return joined(*left)

    return reducing(folding(from_facts(plain, *parts), known_truth), simpler)  # type: ignore[no-any-return]


def negated(f: Compiled) -> Compiled:
    plain = folding(from_facts(lambda m, b: not f(m, b), f), on(lambda value: not value, f))
    return reducing(plain, lambda known, b: negated(reduced(f, known, b)))  # type: ignore[no-any-return]


def compared(operator: str, f: Compiled, g: Compiled) -> Compiled:
    plain = folding(from_facts(COMPARE[operator](f, g), f, g), on(OPERATORS[operator], f, g))

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        value = fold(g, known, b)
        if value is UNKNOWN or known.consulted:
            left, right = reduced(f, known, b), reduced(g, known, b)
            return from_facts(COMPARE[operator](left, right), left, right)  # type: ignore[no-any-return]
        return compared_with(operator, reduced(f, known, b), value)

    return reducing(plain, simpler)  # type: ignore[no-any-return]


def compared_with(operator: str, f: Compiled, value: Any) -> Compiled:
    """A comparison with something that is known; with a fact of what is bound, in one step: the commonest of all."""
    fact = getattr(f, "fact_of", None)
    if fact is None or operator != "=":
        return from_facts(COMPARE_WITH[operator](f, value), f)  # type: ignore[no-any-return]
    index, slot = fact

    def is_so(m: Any, b: tuple[Any, ...]) -> bool:
        obj = b[index]
        if obj is None:
            return value is None
        found = m.facts[obj.base + slot]
        if found.__class__ is Open:
            found = found.read(m, obj.base + slot)
        return found == value  # type: ignore[no-any-return]

    return from_facts(is_so, f)  # type: ignore[no-any-return]


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

    return folding(from_facts(value_told, f, get), known_told)  # type: ignore[no-any-return]


def first_sure(members: Compiled) -> Compiled:
    """Those that belong; where it is not known of every card, those that surely do are enough, if there are any."""
    split = getattr(members, "split", None)
    if split is None:
        return members
    return lambda m, b: (split(m, b)[0] if m.scene.strangers else ()) or members(m, b)


def _some(members: Compiled) -> Compiled:
    found, any_ = first_sure(members), getattr(members, "any", None)
    if any_ is None:
        return lambda m, b: bool(found(m, b))
    return lambda m, b: bool(found(m, b) if m.watch is None else any_(m, b))


ANY: tuple[Callable[[list[Any]], Any], Callable[[Compiled], Compiled]] = (bool, _some)
NONE = (lambda found: not found, lambda members: negated(_some(members)))
COUNT = (len, lambda members: lambda m, b: len(members(m, b)))


def counted(kind: Any, members: Compiled) -> Compiled:
    """any, none, count of a filter."""
    of, made = kind
    plain = folding(from_facts(made(members), members), on(of, members))

    def simpler(known: Any, b: tuple[Any, ...]) -> Compiled:
        left = reduced(members, known, b)
        return from_facts(made(left), left)  # type: ignore[no-any-return]

    return reducing(plain, simpler)  # type: ignore[no-any-return]


def constant(value: Any) -> Compiled:
    return folding(from_facts(lambda m, b: value), lambda known, b: value)  # type: ignore[no-any-return]


def bound(index: int) -> Compiled:
    """The value bound at a place of `b`."""
    read = from_facts(lambda m, b: b[index])
    found = folding(read, lambda known, b: b[index] if index < len(b) else UNKNOWN)
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
