"""Tests on card facts: which cards a rule applies to.

    where = where_of({"type": ["event", "skill"], "level": {"at-most": 2}})
    where.holds(card.facts)

A test of a fact is one of: a list of values (the fact is one of them, or holds one of them), one value, or a
mapping with `at-least`, `at-most`, `not` (values), `only` (values: the fact is no other, whatever else it may hold
of them). All tests must hold.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

T = TypeVar("T")
FactName = Annotated[str, "the name of a fact of cards"]
"""Marks a field of a rule that names a fact, so that a fact no card has is found in every kind of rule alike."""

Memo = dict[int, tuple[Mapping[str, Any], T]]
"""An answer each for mappings of a catalog, which never change: found by identity, as hashing them would cost more."""

MOST_KEPT = 5_000


def keep(memo: Memo[T], about: Mapping[str, Any], answer: T) -> T:
    """Note the answer about this mapping, which is held so that its identity stays its own."""
    if len(memo) >= MOST_KEPT:
        memo.clear()
    memo[id(about)] = about, answer
    return answer


@dataclass(frozen=True, slots=True)
class Test:
    """One condition on one fact. `values`: empty when only numbers are compared."""

    fact: str
    values: frozenset[Any] = frozenset()
    minimum: int | None = None
    maximum: int | None = None
    negated: bool = False
    only: bool = False

    def holds(self, facts: Mapping[str, Any]) -> bool:
        value = facts.get(self.fact)
        if self.minimum is not None or self.maximum is not None:
            return (
                isinstance(value, int)
                and (self.minimum is None or value >= self.minimum)
                and (self.maximum is None or value <= self.maximum)
            )
        if isinstance(value, list | tuple):
            every = all if self.only else any
            found = bool(value) and every(isinstance(one, str | int) and one in self.values for one in value)
        elif isinstance(value, Mapping):
            found = False
        else:
            found = value in self.values or (value is None and False in self.values)
        return found != self.negated


@dataclass(frozen=True, slots=True)
class Where:
    """A conjunction of tests; without any it holds for every card.

    memo: the answers for cards asked about before.
    """

    tests: tuple[Test, ...] = ()
    memo: Memo[bool] = field(default_factory=dict, compare=False, repr=False)

    def holds(self, facts: Mapping[str, Any]) -> bool:
        known = self.memo.get(id(facts))
        if known is not None and known[0] is facts:
            return known[1]
        return keep(self.memo, facts, all(test.holds(facts) for test in self.tests))

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(test.fact for test in self.tests)

    def undecided(self, facts: Mapping[str, Any]) -> str:
        """The first fact that is not known of the card though nothing known speaks against it; else empty."""
        blank = ""
        for test in self.tests:
            if facts.get(test.fact) is None:
                blank = blank or test.fact
            elif not test.holds(facts):
                return ""
        return blank


class BadCondition(ValueError):
    """A condition that says nothing. `place`: the fact it stands at."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


def where_of(conditions: Mapping[str, Any]) -> Where:
    """Conditions as data -> Where. Raises BadCondition."""
    return Where(tuple(test for fact, said in conditions.items() for test in _tests(fact, said)))


def anywhere(wheres: Iterable[Where], facts: Mapping[str, Any]) -> bool:
    """Whether one of them holds."""
    return any(where.holds(facts) for where in wheres)


_WORDS = ("at-least", "at-most", "not", "only")


def _tests(fact: str, said: Any) -> Iterable[Test]:
    if isinstance(said, Mapping):
        if unknown := [word for word in said if word not in _WORDS]:
            raise BadCondition(fact, f"may say {', '.join(_WORDS)}, not “{unknown[0]}”")
        if "only" in said:
            yield Test(fact, _values(fact, said["only"]), only=True)
        if "not" in said:
            yield Test(fact, _values(fact, said["not"]), negated=True)
        numbers = [said.get("at-least"), said.get("at-most")]
        if any(number is not None and type(number) is not int for number in numbers):
            raise BadCondition(fact, "must have whole numbers as at-least and at-most")
        if numbers != [None, None]:
            yield Test(fact, minimum=numbers[0], maximum=numbers[1])
    else:
        yield Test(fact, _values(fact, said))


def _values(fact: str, said: Any) -> frozenset[Any]:
    values = said if isinstance(said, list | tuple) else [said]
    if not values or not all(isinstance(value, str | int | bool) for value in values):
        raise BadCondition(fact, "must be a value or a list of values")
    return frozenset(values)
