"""For every rule of a system, the charts, readings, cards and test cases that cite it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rules.law import system_files
from rules.reference import charts
from rules.scenarios import case_files


@dataclass
class Cited:
    """What cites one rule. charts: (key, title); readings: (key, question); cases: (name, title); cards: names."""

    charts: list[tuple[str, str]] = field(default_factory=list)
    readings: list[tuple[str, str]] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    cases: list[tuple[str, str]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.charts) + len(self.readings) + len(self.cards) + len(self.cases)


@cache
def index(key: str) -> Mapping[str, Cited]:
    """Rule id -> what cites it, for every rule of the system's law."""
    system = system_files.system(key)
    found = {rule: Cited() for rule in system.law}
    for chart in charts.charts(key):
        for rule in dict.fromkeys((*chart.cites, *_of_rows(chart.rows))):
            if rule in found:
                found[rule].charts.append((chart.key, chart.title))
    for reading in system.readings.values():
        for rule in reading.cites:
            if rule in found:
                found[rule].readings.append((reading.key, reading.ask))
    for card in system_files.library(key).values():
        for rule in dict.fromkeys(_of_data(card)):
            if rule in found:
                found[rule].cards.append(str(card["name"]))
    for case in worked(key):
        for rule in case.data.get("cites") or ():
            if rule in found:
                found[rule].cases.append((short(case), case.title))
    return found


@cache
def worked(key: str) -> tuple[case_files.Case, ...]:
    """The worked cases of a system, without their twins."""
    folder = case_files.FOLDER
    return tuple(case for case in case_files.cases(folder, only=key) if not case.twin_of)


FEW = 3
"""A chapter with fewer cases has no heading of its own among them."""


@cache
def chapters(key: str) -> Mapping[str, str]:
    """Case -> the chapter of the law to which the rule that it cites first belongs, in the order of the law: a title,
    a number where chapters have no title here, "other" where a chapter has few cases, or "" where no rule is cited."""
    law = system_files.system(key).law
    found: dict[str, list[str]] = {_chapter(rule.section): [] for rule in law.values()}
    loose: list[str] = []
    for case in worked(key):
        first = next((rule for rule in case.data.get("cites") or () if rule in law), None)
        (found[_chapter(law[first].section)] if first else loose).append(short(case))
    large = {name: chapter for chapter, names in found.items() if len(names) >= FEW for name in names}
    small = {name: "other" for names in found.values() if len(names) < FEW for name in names}
    return large | small | dict.fromkeys(loose, "")


def _chapter(section: str) -> str:
    """“Timing structure, step 1e” -> “Timing structure”; “1.9 Choosing targets” -> “1”; “603.3b” -> “6”."""
    if number := re.match(r"\d+", section):
        return number[0] if len(number[0]) < 3 else number[0][0]
    return re.split(r"[,:;(]", section, maxsplit=1)[0].strip()


@cache
def twins(key: str, name: str) -> tuple[case_files.Case, ...]:
    """A case's variations: the same with one thing changed."""
    return tuple(
        case for case in case_files.cases(case_files.FOLDER, only=key) if case.twin_of == f"{key}/{name}"
    )


def short(case: case_files.Case) -> str:
    """A case's name within its system."""
    return case.name.partition("/")[2]


def _of_rows(rows: tuple[charts.Row, ...]) -> Iterator[str]:
    for row in rows:
        yield from row.cites
        yield from _of_rows(row.children)


def _of_data(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        cited = data.get("cite", ())
        yield from [cited] if isinstance(cited, str) else cited
        for value in data.values():
            yield from _of_data(value)
    elif isinstance(data, list):
        for one in data:
            yield from _of_data(one)
