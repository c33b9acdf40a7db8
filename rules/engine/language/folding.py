"""What an expression is known to be before any position is looked at.

A scene settles much of what a chart asks: which ability runs, which kinds of ability there are at all, which readings
are pinned, facts that nothing in the scene can change. A compiled expression may carry a `fold` that works its value
out from that (`rules.engine.narrowing.partial_evaluation.Known`); without one it is UNKNOWN.
"""

from collections.abc import Callable
from typing import Any

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN", "__bool__": None})()

# beside the stats an expression reads:
UNNAMED = "#unnamed"  # are there cards that nobody named?
OF_USE = "#use"  # whose use of which ability it is, and what that has chosen

Fold = Callable[[Any, tuple[Any, ...]], Any]  # (known, bound values) -> value or UNKNOWN


def folding(expression: Any, fold: Fold) -> Any:
    """The expression, with a way to know its value beforehand."""
    expression.fold = fold
    return expression


def from_facts(expression: Any, *parts: Any, stat: str | None = None) -> Any:
    """The expression, which reads nothing but facts if its parts don't, with the stats among what they read.

    A stat may be worked out from more than its fact (`Scene.worked_out`). An expression without `stats` is one that
    may read anything.
    """
    if all(hasattr(part, "stats") for part in parts):
        own = () if stat is None else (stat,)
        expression.stats = frozenset(own).union(*(part.stats for part in parts))
    return expression


def read_by(*expressions: Any) -> frozenset[str] | None:
    """The stats that the expressions read, of those that are any; None: one of them may read anything."""
    reads: frozenset[str] = frozenset()
    for one in expressions:
        if one is not None:
            if not hasattr(one, "stats"):
                return None
            reads |= one.stats
    return reads


class Look:
    """One choice being worked out: nothing changes meanwhile, so what was worked out for one card holds for the next.

    cur: the running use that it is worked out for; what is asked on the way for another one is not kept.
    """

    __slots__ = ("cur", "known")

    def __init__(self, cur: Any) -> None:
        self.cur = cur
        self.known: dict[Any, Any] = {}


def remembered(expression: Any) -> Any:
    """The same expression, worked out once until a fact changes (`Facts`), if it reads nothing but facts, or until
    another effect lasts, if it reads steady stats as well (`Scene.unsteady`); else once in one choice (`Look`).

    What is tried out is not remembered, because there each reading is noted; nor is what raises.
    """
    stats = getattr(expression, "stats", None)

    def value(m: Any, b: tuple[Any, ...]) -> Any:
        if m.watch is not None:
            return expression(m, b)
        if stats is not None and stats.isdisjoint(m.scene.worked_out):
            known = m.facts.known
        elif stats is not None and stats.isdisjoint(m.scene.unsteady) and m.steady:
            return m.until_another_lasts((expression, b, "steady"), expression, b)
        else:
            look = m.look
            if look is None or look.cur is not m.cur or m.judging:
                return expression(m, b)
            known = look.known
        key = (expression, b)
        found = known.get(key, UNKNOWN)
        if found is UNKNOWN:
            found = known[key] = expression(m, b)
        return found

    value.__dict__.update(expression.__dict__)
    return value


def reducing(expression: Any, reduce: Fold) -> Any:
    """The expression, with a way to make a simpler one of it where part of it is known."""
    expression.reduce = reduce
    return expression


def reduced(expression: Any, known: Any, b: tuple[Any, ...] = ()) -> Any:
    """An expression of the same value in every position of the scene (for these bound values), simpler if may be. What
    is only supposed never runs, so nothing simpler is made of it."""
    value = fold(expression, known, b)
    if value is not UNKNOWN and not known.consulted:
        return from_facts(lambda m, b: value)
    reducer = None if known.supposed else getattr(expression, "reduce", None)
    return expression if reducer is None else reducer(known, b)


def fold(expression: Any, known: Any, b: tuple[Any, ...] = ()) -> Any:
    """The value of the expression in every position of the scene, or UNKNOWN."""
    folder = getattr(expression, "fold", None)
    return UNKNOWN if folder is None else folder(known, b)


def fold_all(expressions: list[Any], known: Any, b: tuple[Any, ...]) -> list[Any] | None:
    """The values of all of them; None when one is unknown."""
    values = []
    for expression in expressions:
        value = fold(expression, known, b)
        if value is UNKNOWN:
            return None
        values.append(value)
    return values
