"""Errata change cards whose texts the grammar understood; a card that is gone would leave one without effect."""

import pytest

from rules.law import system_files
from rules.law.system_files import errata, fold, understood, with_errata

CHANGED = [(system, name) for system in sorted(system_files.keys()) for name in errata(system)]


@pytest.mark.parametrize(("system", "name"), CHANGED)
def test_an_errata_is_of_a_card_and_changes_it(system: str, name: str) -> None:
    card, change = understood(system)[fold(name)], errata(system)[name]
    for word, value in change.items():
        if word not in ("abilities", "cite"):
            assert card[word] == value
    for place, changes in change.get("abilities", {}).items():
        assert changes.items() <= card["abilities"][place].items()


def test_what_an_errata_does_not_speak_of_stays() -> None:
    card = {"cost": 2, "abilities": [{"kind": "action"}, {"kind": "response", "cite": ["A"]}]}
    change = {"cost": 3, "abilities": {1: {"kind": "forced"}}, "cite": ["B"]}
    found = {"cost": 3, "abilities": [{"kind": "action"}, {"kind": "forced", "cite": ["A", "B"]}]}
    assert with_errata(card, change) == found
