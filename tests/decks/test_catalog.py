"""Card facts: the shipped file, importing, and looking up."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from config.errors import UserError
from decks import selectors, services
from decks.cards import catalog_files, sources
from decks.cards.catalog_files import CatalogData, read_csv
from decks.cards.sources import octgn
from decks.law.format_files import formats
from decks.models import Card, Catalog, Printing
from tournament.models import AuditRow

CSV = b"""\
title,set,number,type,subtypes,unique
Rats,Core,1,character,Vermin; Creature,no
Rats,Later,9,character,Vermin,no
"Egg, Boiled",Core,2,event,,
"""


def data(csv: bytes = CSV, *, partial: bool = True) -> CatalogData:
    return CatalogData("toy", "Toy", partial, read_csv(csv, name="toy.csv"))


def test_a_shipped_catalog_is_partial_unless_it_is_the_whole_game() -> None:
    complete = {game for game, data in catalog_files.shipped().items() if not data.partial}
    assert complete == {"agot2", "coc-lcg", "codex", "l5r-lcg", "netrunner"}
    unshipped = {format_.game for format_ in formats().values()} - set(catalog_files.shipped())
    assert unshipped == {"coc-ccg", "magic"}  # an installation imports its own cards, if any
    assert catalog_files.shipped_index("arkham").partial


def test_every_shipped_lcg_card_has_a_type_and_every_deck_card_a_faction() -> None:
    for card in catalog_files.shipped()["coc-lcg"].cards:
        if card.facts.get("edition") != "ccg":
            kinds = {kind for kind in KINDS if kind in card.facts["type"]}
            assert kinds, card.title
            assert kinds == {"story"} or card.facts["faction"], card.title


KINDS = ("character", "support", "event", "conspiracy", "story")


def test_every_printing_of_call_of_cthulhu_ships() -> None:
    cards = catalog_files.shipped()["coc-lcg"].cards
    printings = [printing for card in cards for printing in card.printings if printing.code]
    assert (len(printings), len({printing.code for printing in printings})) == (1568, 1568)
    assert len({printing.set_name for printing in printings}) == 18
    assert len(cards) == 1538  # with two of the collectible game


def test_no_title_begins_a_word_with_two_capitals() -> None:
    """A slip of the source's typist: “MIranda”."""
    titles = [card.title for card in catalog_files.shipped_index("coc-lcg")]
    assert [title for title in titles if re.search(r"\b[A-Z]{2}[a-z]{2}", title)] == []


def test_what_we_keep_by_hand_holds_against_the_source() -> None:
    """The faction that the errata gave it, and no text of any card."""
    cards = {card.title: card for card in catalog_files.shipped()["coc-lcg"].cards}
    by_hand = read_csv((catalog_files.FOLDER / "coc-lcg.csv").read_bytes(), name="coc-lcg.csv")
    for card in by_hand:
        assert card.facts.items() <= cards[card.title].facts.items()
    facts = {fact for card in cards.values() for fact in card.facts}
    assert not {fact for fact in facts if "text" in fact}
    assert {str(card.facts.get("faction")) for card in cards.values()} >= {"Agency", "Syndicate"}
    assert not [card for card in cards.values() if card.facts.get("faction") == "The Agency"]


def test_a_line_that_is_no_card_is_refused_with_its_place() -> None:
    good = '{"title":"Rats","facts":{},"printings":[["Core","1","",""]]}\n'
    assert [card.title for card in catalog_files.read_lines(good.encode(), name="toy.jsonl")] == ["Rats"]
    for bad in (
        "{",
        "[]",
        '{"title":1,"facts":{},"printings":[]}',
        '{"title":"A","facts":{},"printings":[[1]]}',
        good,
    ):
        with pytest.raises(UserError) as raised:
            catalog_files.read_lines((good + bad).encode(), name="toy.jsonl")
        assert (raised.value.code, raised.value.place) == ("bad-catalog", "line 2")


def test_what_is_written_is_read_back(shared: Path) -> None:
    """The shipped file is what anybody gets from the same source."""
    folder = shared / "data" / "cards" / "call_of_cthulhu_lcg" / "octgn_sets"
    shipped = catalog_files.shipped()["coc-lcg"]
    cards = shipped.in_our_words(sources.read(sources.gathered(folder)).cards)
    assert catalog_files.lines_of(cards) == (catalog_files.FOLDER / "coc-lcg.jsonl").read_text()


def test_lines_with_one_title_are_one_card_with_its_printings() -> None:
    rats, egg = data().cards
    assert rats.facts == {"type": "character", "subtypes": ["Vermin", "Creature"], "unique": False}
    assert [(printing.set_name, printing.number) for printing in rats.printings] == [
        ("Core", "1"),
        ("Later", "9"),
    ]
    assert (egg.title, egg.facts) == ("Egg, Boiled", {"type": "event"})


@pytest.mark.parametrize(
    ("csv", "code", "place"),
    [
        (b"", "bad-catalog", "line 1"),
        (b"name,set\nRats,Core\n", "bad-catalog", "line 1"),
        (b"title,title\nRats,Rats\n", "bad-catalog", "line 1"),
        (b"title,\nRats,Rats\n", "bad-catalog", "line 1"),
        (b"title,set\nRats\n", "bad-catalog", "line 2"),
        (b"title,set\n,Core\n", "bad-catalog", "line 2"),
        (b"title,set\n" + b"a" * 300 + b",Core\n", "bad-catalog", "line 2"),
        (b"title\n" + "\ufdfa".encode() * 50, "bad-catalog", "line 2"),
        (b"title\nRats\x00\n", "bad-catalog", ""),
        (b"title\n\xff\n", "bad-encoding", "byte 6"),
        (b'title\n"Rats\n', "bad-catalog", "line 2"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(csv: bytes, code: str, place: str) -> None:
    with pytest.raises(UserError) as raised:
        read_csv(csv, name="toy.csv")
    assert (raised.value.code, raised.value.place) == (code, place)


@pytest.mark.django_db
def test_importing_twice_changes_nothing_the_second_time(now: datetime) -> None:
    first = services.cards_import(data=data(), now=now)
    again = services.cards_import(data=data(), now=now)
    assert (first.new, first.changed, first.unchanged) == (2, 0, 0)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 2)
    assert first.version == again.version == selectors.catalog("toy").version
    assert AuditRow.objects.filter(verb="cards_import").count() == 1


@pytest.mark.django_db
def test_an_import_adds_and_changes_and_never_forgets(now: datetime) -> None:
    services.cards_import(data=data(), now=now)
    more = b"title,set,number,type,faction\nRats,Third,3,character,Neutral\nDogs,Core,4,character,Neutral\n"
    summary = services.cards_import(data=data(more), now=now)
    assert (summary.new, summary.changed, summary.unchanged) == (1, 1, 0)
    rats = Card.objects.get(key="rats")
    assert rats.facts == {
        "type": "character",
        "subtypes": ["Vermin", "Creature"],
        "unique": False,
        "faction": "Neutral",
    }
    assert Printing.objects.filter(card=rats).count() == 3
    assert Card.objects.filter(key="egg boiled").exists()


@pytest.mark.django_db
def test_a_catalog_said_to_be_complete_stays_so(now: datetime) -> None:
    services.cards_import(data=data(), now=now)
    before = selectors.catalog("toy")
    services.cards_import(data=data(partial=False), now=now)
    after = selectors.catalog("toy")
    assert (before.partial, after.partial) == (True, False)
    assert before.version != after.version
    services.cards_import(data=data(), now=now)
    assert not selectors.catalog("toy").partial


@pytest.mark.django_db
def test_a_failing_import_leaves_nothing(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(Printing.objects, "bulk_create", broken)
    with pytest.raises(RuntimeError):
        services.cards_import(data=data(), now=now)
    assert not Card.objects.exists()
    assert not Catalog.objects.exists()


@pytest.mark.django_db
def test_the_shipped_cards_are_loaded_once_and_do_not_undo_later_imports(now: datetime) -> None:
    summaries = services.catalog_load_shipped(now=now)
    assert sum(summary.new for summary in summaries) == Card.objects.count()
    mended = b"title,type\nMagah Bird,event\n"
    cards = read_csv(mended, name="mended.csv")
    services.cards_import(data=CatalogData("coc-lcg", "Call of Cthulhu LCG", True, cards), now=now)
    assert services.catalog_load_shipped(now=now) == []
    assert Card.objects.get(key="magah bird").facts["type"] == "event"


@pytest.mark.django_db
def test_database_and_shipped_file_are_the_same_catalog(now: datetime) -> None:
    before = selectors.catalog("coc-lcg")
    services.catalog_load_shipped(now=now)
    after = selectors.catalog("coc-lcg")
    assert before is not after
    assert before.version == after.version


@pytest.mark.django_db
def test_the_catalog_is_loaded_once_per_version(
    now: datetime, django_assert_num_queries: Callable[..., Any]
) -> None:
    services.catalog_load_shipped(now=now)
    first = selectors.catalog("coc-lcg")
    with django_assert_num_queries(1):
        assert selectors.catalog("coc-lcg") is first


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("infernal obession", "Infernal Obsession"),
        ("sacrifical offerings", "Sacrificial Offerings"),
        ("peaslee", "Professor Nathaniel Peaslee"),
        ("alaskan sled dog", "Alaskan Sledge Dog"),
        ("necronomicon", "The Necronomicon"),
    ],
)
def test_the_likeliest_card_is_suggested_first(typed: str, meant: str) -> None:
    assert catalog_files.shipped_index("coc-lcg").suggest(typed)[0] == meant


def test_nothing_like_it_suggests_nothing() -> None:
    index = catalog_files.shipped_index("coc-lcg")
    assert index.suggest("zzzzqqqq") == index.suggest("x") == index.suggest("a" * 500) == ()


def test_octgns_title_of_two_kinds_is_both() -> None:
    """ "Opening Night" is a story of the Core Set and, years later, a conspiracy."""
    ids = ("00000000-0000-0000-0000-00000000000", "Opening Night")
    card = (
        '<set name="{set}"><cards><card name="{name}" id="{id}{at}"><property name="Type" value="{type}"/>'
        + ('<property name="Faction" value="Hastur"/></card></cards></set>')
    )
    files = {
        f"{at}.xml": card.format(set=f"Set {at}", name=ids[1], id=ids[0], at=at, type=kind).encode()
        for at, kind in enumerate(("Story", "Conspiracy", "Story"))
    }
    (found,) = octgn.read(files)
    assert found.facts == {"type": ["story", "conspiracy"], "faction": "Hastur"}
    assert [one.set_name for one in found.printings] == ["Set 0", "Set 1", "Set 2"]


def test_octgns_sign_of_a_unique_card_may_stand_among_others() -> None:
    """ "^ * The Doorway": the sign of its resource icon comes first."""
    card = '<set name="Core"><cards><card id="00000000-0000-0000-0000-00000000000{n}" name="{name}"/></cards></set>'
    names = ("* One", "^ * Two", "&lt;&lt;&lt; * Three", "^ Four", "Five * Six")
    files = {name: card.format(n=n, name=name).encode() for n, name in enumerate(names)}
    assert [card.facts.get("unique") for card in octgn.read(files)] == [True, True, True, None, None]


def test_octgns_cost_is_a_number_that_rules_can_compare() -> None:
    card = (
        '<set name="Core"><cards><card id="00000000-0000-0000-0000-00000000000{n}" name="{name}">'
        '<property name="Cost" value="{cost}"/></card></cards></set>'
    )
    files = {
        name: card.format(n=n, name=name, cost=cost).encode()
        for n, name, cost in ((1, "Rats", 3), (2, "Dogs", "X"))
    }
    assert {card.title: card.facts["cost"] for card in octgn.read(files)} == {"Rats": 3, "Dogs": "X"}
