"""Every card of the library works in each system that plays with its folder, or says in which ones it does."""

import json

import pytest

from config.errors import UserError
from rules import scenarios
from rules.law import system_files

CARDS = [
    (key, str(card["name"]))
    for key in sorted(one.key for one in system_files.systems())
    for card, _ in system_files.all_cards(key).values()
]


def _on_the_table(system: str, name: str) -> scenarios.Scenario:
    canonical = {"system": system, "cards": {"it": {"is": name, "of": "Ann"}}}
    return scenarios.read(json.dumps(canonical))


@pytest.mark.parametrize(("system", "name"), CARDS)
def test_a_library_card_works_here_or_says_that_it_works_elsewhere_only(system: str, name: str) -> None:
    _, works_in = system_files.all_cards(system)[system_files.fold(name)]
    folder = system_files.system(system).source["library"]
    assert set(works_in) <= {
        other.key for other in system_files.systems() if other.source["library"] == folder
    }
    if system in works_in:
        _on_the_table(system, name)
        return
    with pytest.raises(UserError) as refused:
        _on_the_table(system, name)
    assert refused.value.code == "card-of-another-system"
    assert ": unknown" in refused.value.message, "it has all the words it needs here: do not exclude it"


def test_the_refusal_names_the_card_the_word_and_where_the_card_works() -> None:
    with pytest.raises(UserError) as refused:
        _on_the_table("coc-ccg", "infernal obsession")
    assert refused.value.place == "cards.it.is"
    assert refused.value.message == (
        "The library card 'Infernal Obsession' works in coc-lcg, not in coc-ccg: "
        "unknown property 'grants-control'."
    )
    assert refused.value.remedy.startswith("Ask under coc-lcg, or describe the card yourself")
    assert "Infernal Obsession" not in {card["name"] for card in system_files.library("coc-ccg").values()}
