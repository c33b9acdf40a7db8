"""What an expression is known to be before any position is looked at.

A scene settles much of what a chart asks: which ability runs, which kinds of ability there are at all, which readings
are pinned, facts that nothing in the scene can change. A compiled expression may carry a `fold` that works its value
out from that (`rules.engine.narrowing.partial_evaluation.Known`); without one it is UNKNOWN.
"""

from collections.abc import Callable
from typing import Any

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN", "__bool__": None})()

Fold = Callable[[Any, tuple[Any, ...]], Any]  # (known, bound values) -> value or UNKNOWN


def folding(expression: Any, fold: Fold) -> Any:
    """The expression, with a way to know its value beforehand."""
    expression.fold = fold
    return expression


def reducing(expression: Any, reduce: Fold) -> Any:
    """The expression, with a way to make a simpler one of it where part of it is known."""
    expression.reduce = reduce
    return expression


def reduced(expression: Any, known: Any, b: tuple[Any, ...] = ()) -> Any:
    """An expression of the same value in every position of the scene (for these bound values), simpler if may be."""
    value = fold(expression, known, b)
    if value is not UNKNOWN and not known.consulted:
        return lambda m, b: value
    reducer = getattr(expression, "reduce", None)
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
