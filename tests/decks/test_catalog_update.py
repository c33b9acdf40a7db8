"""A newer source of a game's cards: what it would change is told first, and nothing is stored by asking."""

import io
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from decks import selectors, services
from decks.models import Card, Catalog, Deck, LegalityReport, Recheck
from decks.services import cards_preview
from tests.decks.test_magic import FILES

CARDS = b"title,type,unique\nRats,character,no\nDogs,character,no\n"
NEWER = b"title,type,unique\nRats,story,no\nDogs,character,no\nCats,character,no\n"
LIST = "3x Rats\n3x Dogs"


@pytest.fixture
def deck(ann: Any, now: datetime) -> Deck:
    services.cards_import_files(game="coc-lcg", files={"a.csv": CARDS}, now=now)
    return services.deck_submit(owner=ann, format="coc-lcg", source=LIST, name="Ours", now=now).deck


@pytest.mark.django_db(transaction=True)
def test_a_preview_tells_cards_and_decks_and_stores_nothing(deck: Deck, now: datetime) -> None:
    before = (selectors.catalog("coc-lcg").version, Card.objects.count(), LegalityReport.objects.count())
    preview = cards_preview(game="coc-lcg", files={"b.csv": NEWER}, now=now)
    assert preview.cards == {"Cats": {}, "Rats": {"type": ("character", "story")}}
    (change,) = preview.decks
    assert (change.deck, change.format, preview.judged) == (deck.name, "coc-lcg", 1)
    assert "wrong-type" in change.after[1] and "wrong-type" not in change.before[1]
    after = (selectors.catalog("coc-lcg").version, Card.objects.count(), LegalityReport.objects.count())
    assert after == before
    assert not Recheck.objects.exists()


@pytest.mark.django_db
def test_the_same_source_again_changes_nothing(deck: Deck, now: datetime) -> None:
    preview = cards_preview(game="coc-lcg", files={"a.csv": CARDS}, now=now)
    assert (preview.cards, preview.decks, preview.judged) == ({}, (), 1)


@pytest.mark.django_db
def test_other_facts_have_every_stored_deck_judged_again(deck: Deck, now: datetime) -> None:
    services.cards_import_files(game="coc-lcg", files={"a.csv": CARDS}, now=now)
    assert not Recheck.objects.exists()
    services.cards_import_files(game="coc-lcg", files={"b.csv": NEWER}, now=now)
    assert [(one.format, one.total) for one in Recheck.objects.all()] == [("coc-lcg", 1)]


@pytest.mark.django_db
def test_the_command_shows_first_and_applies_when_told(deck: Deck, tmp_path: Path) -> None:
    path = tmp_path / "newer.csv"
    path.write_bytes(NEWER)
    said = run("coc-lcg", str(path))
    assert "1 new cards, 1 changed, 1 unchanged" in said
    assert 'Rats: type: "character" -> "story"' in said
    assert f"{deck.name} of ann" in said
    assert "Nothing was stored" in said
    assert not Card.objects.filter(title="Cats").exists()
    assert json.loads(run("coc-lcg", str(path), "--json"))["summary"]["new"] == 1
    assert "In effect" in run("coc-lcg", str(path), "--apply")
    assert Card.objects.filter(title="Cats").exists()


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("catalog_update", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_a_wrong_source_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(b"title,set\nRats\n")
    with pytest.raises(CommandError, match="line 2"):
        call_command("catalog_update", "coc-lcg", str(path))
    with pytest.raises(CommandError, match="can’t be opened"):
        call_command("catalog_update", "coc-lcg", str(tmp_path / "nothing"))
    path.write_bytes(CARDS)
    with pytest.raises(CommandError, match=r"decks/catalog/nogame\.yaml"):
        call_command("catalog_update", "nogame", str(path), "--write")
    assert not Catalog.objects.exists()


@pytest.mark.django_db
def test_a_later_start_reads_no_card(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a database holds already is seen by a hash of the files."""
    from decks.cards import catalog_files

    services.catalog_load_shipped(now=now)
    monkeypatch.setattr(catalog_files, "read_csv", None)
    monkeypatch.setattr(catalog_files, "read_lines", None)
    catalog_files.shipped.cache_clear()
    try:
        assert services.catalog_load_shipped(now=now) == []
    finally:
        catalog_files.shipped.cache_clear()


@pytest.mark.django_db
def test_a_database_without_the_games_cards_is_compared_with_the_shipped_ones(tmp_path: Path) -> None:
    """Every card was new, although all of them ship."""
    path = tmp_path / "one.csv"
    path.write_text("title,type\nDiscipline,spec\n")
    assert "0 new cards, 0 changed, 1 unchanged" in run("codex", str(path))
    assert not Catalog.objects.exists()


@pytest.mark.django_db
def test_a_game_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("title,type\nDiscipline,spec\n")
    for command in ("catalog_update", "import_cards"):
        with pytest.raises(CommandError, match=r"Did you mean codex\?"):
            call_command(command, "codecs", str(path))
    assert not Catalog.objects.exists()


@pytest.mark.django_db
def test_a_catalog_is_as_old_as_the_file_says(now: datetime) -> None:
    """It was of the day of its import."""
    services.cards_import_files(game="magic", files={"AtomicCards.json": FILES["AtomicCards.json"]}, now=now)
    assert Catalog.objects.get(game="magic").as_of == date(2026, 1, 9)
