"""Decks of Legend of the Five Rings LCG as EmeraldDB exports them (worked/l5r-lcg.yaml), as its file and as text."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Report, Severity
from decks.lists import read

_known: Any = strict_yaml.load(
    (Path(__file__).parent / "worked" / "l5r-lcg.yaml").read_text(), name="l5r-lcg.yaml"
)
WORKED: list[dict[str, Any]] = _known
AFTER_ALL_PACKS = date(2021, 7, 1)


def cards_of(one: dict[str, Any]) -> dict[str, int]:
    return {words.rsplit(" ", 1)[0]: int(words.rsplit(" ", 1)[1]) for words in one["cards"].split(", ")}


def judged(source: str) -> Report:
    listed = read(source)
    snapshot = format_files.snapshot("l5r-lcg-any", AFTER_ALL_PACKS, choices=listed.choices)
    return judge(listed, snapshot, catalog_files.shipped_index(snapshot.game)).report


def outcome(report: Report) -> tuple[str, list[str]]:
    codes = {found.code for found in report.findings if found.severity is not Severity.NOTE}
    return report.verdict.value, sorted(codes)


def expected(one: dict[str, Any]) -> tuple[str, list[str]]:
    return one["verdict"], list(one.get("codes", []))


@pytest.mark.parametrize("one", WORKED, ids=lambda one: str(one["name"]))
def test_a_file_of_the_site_has_the_verdict_that_was_worked_out(one: dict[str, Any]) -> None:
    export = {"format": "standard", "name": one["name"], "description": "", "cards": cards_of(one)}
    report = judged(json.dumps(export))
    assert outcome(report) == expected(one), [found.message for found in report.findings]


@pytest.mark.parametrize("one", WORKED, ids=lambda one: str(one["name"]))
def test_the_same_cards_as_text_have_it_too(one: dict[str, Any]) -> None:
    # “Doji Hotaru (2)” is how the site writes the second card of that name.
    index = catalog_files.shipped_index("l5r-lcg")
    lines = []
    for word, count in cards_of(one).items():
        name = word.replace("-", " ")
        card = index.get(name) or index.resembling(name)
        title = (
            f"{card.facts['called']} (2)" if card and name.endswith(" 2") else card.title if card else name
        )
        lines.append(f"{count}x {title}")
    report = judged("\n".join(lines))
    assert outcome(report) == expected(one), [found.message for found in report.findings]


def test_a_comma_within_a_number_is_none_between_cards() -> None:
    listed = read("2x Blade of 10,000 Battles\n1 Banzai!, 2 Levy")
    assert [(entry.count, entry.name) for entry in listed.entries] == [
        (2, "Blade of 10,000 Battles"),
        (1, "Banzai!"),
        (2, "Levy"),
    ]


def test_of_two_cards_of_one_name_the_number_says_which() -> None:
    index = catalog_files.shipped_index("l5r-lcg")
    second = index.resembling("isawa tadaka 2")
    assert second is not None and second.title == "Isawa Tadaka (Bonds of Blood)"


def test_the_packs_that_the_older_data_lacks_are_there() -> None:
    index = catalog_files.shipped_index("l5r-lcg")
    sets: dict[str, int] = {}
    for card in index:
        for name in card.facts.get("set", ()):
            sets[name] = sets.get(name, 0) + 1
    assert (sets["Clan War"], sets["Under Fu Leng's Shadow"]) == (82, 48)
