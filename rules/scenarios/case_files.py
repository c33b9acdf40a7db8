"""Test cases: scenario files with their expected answers. They are tests, documentation and examples at once.

A case is a scenario (docs/scenarios.md) with `expect`, and perhaps `twins`: the same scenario with one thing changed,
whose answer must differ where it says so.

    expect:
      - next: Ann                 # the answer to the question of that kind (the n-th entry for the n-th question)
      - legal: yes                # or `depends`
      - depends: Bo               # whose decision the first undetermined question hangs on
      - status: determined
      - lines: 6, positions: 4, ends: 2
    cites: [COC-T-31]             # rules the trace must cite
    twins:
      - title: the researcher's text is blank
        change: {cards: {researcher: {blank: yes}}}
        expect: [{legal: no}]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from config import strict_yaml
from config.errors import UserError
from rules.engine.search.questions import KINDS
from rules.scenarios import reading
from rules.scenarios.adjudicate import adjudicate

FOLDER = Path(__file__).parents[1] / "cases"
BUDGET = 200_000


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    title: str
    data: Mapping[str, Any]
    twin_of: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    case: Case
    failures: list[str]
    answer: Mapping[str, Any] | None = field(default=None, repr=False)
    asked: Mapping[str, Any] | None = field(default=None, repr=False)  # the canonical scenario

    @property
    def passed(self) -> bool:
        return not self.failures


def cases(folder: Path = FOLDER, *, only: str = "") -> Iterator[Case]:
    """Every case and its twins, in the order of their files; with `only` those of one folder in it."""
    for path in sorted((folder / only).rglob("*.yaml")):
        data = strict_yaml.load(path.read_bytes(), name=path.name)
        name = path.relative_to(folder).with_suffix("").as_posix()
        twins = data.pop("twins", [])
        yield Case(name, data.get("title", name), data)
        for number, twin in enumerate(twins, start=1):
            changed = _changed(
                {k: v for k, v in data.items() if k not in ("expect", "cites")}, twin["change"]
            )
            changed["expect"] = twin["expect"]
            yield Case(f"{name}~{number}", twin.get("title", ""), changed, twin_of=name)


_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def text(case: Case) -> str:
    """The case as a file of its own."""
    written: str = yaml.dump(dict(case.data), Dumper=_Dumper, allow_unicode=True, sort_keys=False)
    return written


def run(case: Case) -> Result:
    """Adjudicate the case and compare the answer with what it expects."""
    try:
        read = reading.read(text(case))
    except UserError as error:
        return Result(case, [f"{error.place}: {error.message} {error.remedy}"])
    answer = adjudicate(read.canonical, budget=BUDGET)
    failures = [failure for entry in _entries(read.expect) for failure in _compare(entry, answer)]
    if not read.expect:
        failures.append("the case expects nothing")
    cited = set(answer["rules"])
    failures += [f"the answer does not cite {rule}" for rule in read.cites if rule not in cited]
    return Result(case, failures, answer, read.canonical)


def _entries(expect: list[Any]) -> list[tuple[str, Any, int]]:
    """(key, expected, number of this key so far)"""
    found: list[tuple[str, Any, int]] = []
    for entry in expect:
        for key, value in entry.items():
            found.append((key, value, sum(1 for k, _, _ in found if k == key)))
    return found


def _compare(entry: tuple[str, Any, int], answer: Mapping[str, Any]) -> list[str]:
    key, expected, number = entry
    actual: Any
    if key in KINDS:
        asked = [question for question in answer["questions"] if question["kind"] == key]
        if number >= len(asked):
            return [f"no question of kind {key} was asked"]
        actual = asked[number]["answer"] if asked[number]["answer"] is not None else asked[number]["status"]
    elif key == "depends":
        decisions = [decision for question in answer["questions"] for decision in question["depends"]]
        actual = decisions[number]["who"] if number < len(decisions) else "nobody"
    elif key in ("lines", "positions", "ends"):
        actual = answer["counts"][key]
    elif key == "status":
        actual = answer["status"]
    elif key == "sentence":
        return (
            []
            if str(expected) in answer["sentence"]
            else [f"sentence: {answer['sentence']!r} lacks {expected!r}"]
        )
    else:
        return [f"unknown expectation {key!r}"]
    return [] if str(actual) == str(expected) else [f"{key}: expected {expected}, got {actual}"]


def _changed(data: Any, change: Any) -> Any:
    """`data` with the change laid over it; null removes."""
    if not isinstance(data, Mapping) or not isinstance(change, Mapping):
        return change
    merged = {key: _changed(data[key], change[key]) if key in change else data[key] for key in data}
    merged |= {key: value for key, value in change.items() if key not in data}
    return {key: value for key, value in merged.items() if value is not None}
