"""A list as it is written, checked, kept and changed."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from decks.models import Deck
from tests.markup import tight
from tests.tournament.factories import ILLEGAL, LEGAL, UNVERIFIED
from tests.web.conftest import World

AsUser = Callable[[Any], Client]
AS_ONE_TYPES = {"HX-Request": "true"}


@pytest.mark.parametrize(
    ("text", "word"), [(LEGAL, "Legal"), (ILLEGAL, "Illegal"), (UNVERIFIED, "Unverified")]
)
def test_the_verdict_comes_as_one_types(db: None, as_user: AsUser, text: str, word: str) -> None:
    page = (
        as_user(None)
        .post("/decks/check", {"text": text, "format": "coc-lcg"}, headers=AS_ONE_TYPES)
        .content.decode()
    )
    assert f'<p class="word">{word}</p>' in tight(page)
    assert "<html" not in page
    assert Deck.objects.count() == 0


def test_anybody_checks_a_list_on_a_page_of_its_own(db: None, as_user: AsUser) -> None:
    nobody = as_user(None)
    assert 'name="on"' in nobody.get("/decks/check").content.decode()
    page = nobody.post("/decks/check", {"text": ILLEGAL, "format": "coc-lcg", "on": "2020-01-01"})
    assert '<p class="word">Illegal</p>' in tight(page.content.decode())
    assert "1 January 2020" in page.content.decode() and "3x Museum Curator" in page.content.decode()
    wrong = nobody.post("/decks/check", {"text": LEGAL, "format": "coc-lcg", "on": "someday"})
    assert wrong.status_code == 400 and "valid date" in wrong.content.decode()
    assert nobody.post("/decks/check", {"text": LEGAL, "format": "chess"}).status_code == 400
    assert Deck.objects.count() == 0


def test_a_finding_names_cards_rule_and_remedy(db: None, as_user: AsUser) -> None:
    page = (
        as_user(None)
        .post("/decks/check", {"text": ILLEGAL, "format": "coc-lcg"}, headers=AS_ONE_TYPES)
        .content.decode()
    )
    assert "Museum Curator" in page
    assert "Itinerant Scholar" in page
    assert 'popovertarget="law-COC-D-03"' in page
    assert 'popover id="law-COC-D-03"' in page
    assert 'class="remedy"' in page


def test_without_a_script_the_check_button_does_the_same_and_keeps_the_text(
    ann: Any, as_user: AsUser
) -> None:
    typed = {"name": "Mine", "format": "coc-lcg", "text": ILLEGAL, "do": "check"}
    page = as_user(ann).post("/decks/new", typed).content.decode()
    assert '<p class="word">Illegal</p>' in page
    assert "3x Museum Curator" in page
    assert Deck.objects.count() == 0


def test_an_illegal_list_is_kept_with_its_report(ann: Any, as_user: AsUser) -> None:
    typed = {"name": "Mine", "format": "coc-lcg", "text": ILLEGAL, "do": "save"}
    page = as_user(ann).post("/decks/new", typed, follow=True).content.decode()
    assert '<p class="word">Illegal</p>' in page
    assert Deck.objects.get().owner == ann


def test_a_file_is_read_like_a_text(ann: Any, as_user: AsUser) -> None:
    file = SimpleUploadedFile("deck.txt", LEGAL.encode())
    typed = {"name": "Mine", "format": "coc-lcg", "text": "", "file": file, "do": "save"}
    page = as_user(ann).post("/decks/new", typed, follow=True).content.decode()
    assert '<p class="word">Legal</p>' in page


def test_a_deck_opened_to_change_shows_its_verdict_at_once(world: World, as_user: AsUser) -> None:
    page = as_user(world.ann).get(f"/decks/{world.deck.pk}/edit").content.decode()
    assert "The result appears here as you type." not in page
    assert '<p class="word">Legal</p>' in page


def test_another_revision_stands_beside_the_first(world: World, as_user: AsUser) -> None:
    client = as_user(world.ann)
    typed = {"name": "Deck", "format": "coc-lcg", "text": ILLEGAL, "do": "save"}
    page = client.post(f"/decks/{world.deck.pk}/edit", typed, follow=True).content.decode()
    assert "revision 2" in page
    assert '<p class="word">Legal</p>' in client.get(f"/decks/{world.deck.pk}/?revision=1").content.decode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deck.txt", b""),
        ("deck.txt", bytes(range(256)) * 8),
        ("deck.o8d", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><deck>&b;</deck>'),
        ("deck.txt", b"-1x Shotgun"),
        ("deck.txt", b"3x Shotgun\n" * 10_000),
        ("deck.txt", b"x" * 1_100_000),
    ],
)
def test_bad_files_are_refused_in_words_and_nothing_is_kept(
    ann: Any, as_user: AsUser, name: str, content: bytes
) -> None:
    typed = {"name": "Mine", "format": "coc-lcg", "file": SimpleUploadedFile(name, content), "do": "save"}
    response = as_user(ann).post("/decks/new", typed)
    assert 400 <= response.status_code < 500
    page = response.content.decode()
    assert 'role="alert"' in page or "wrong-note" in page
    assert "Traceback" not in page
    assert Deck.objects.count() == 0


@pytest.mark.parametrize(
    "typed",
    [
        {"text": "-1x Shotgun", "format": "coc-lcg"},
        {"text": "3x Shotgun\x00", "format": "coc-lcg"},
        {"text": "3x Shotgun", "format": "chess"},
    ],
)
def test_what_cannot_be_checked_as_one_types_is_said_in_words(
    db: None, as_user: AsUser, typed: dict[str, str]
) -> None:
    response = as_user(None).post("/decks/check", typed, headers=AS_ONE_TYPES)
    assert 400 <= response.status_code < 500
    assert 'role="alert"' in response.content.decode()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_misspelt_card_is_put_right_with_one_tap(phone: Callable[[str], Any], ann: Any) -> None:
    from playwright.sync_api import expect

    hers = phone("ann")
    hers.goto("/decks/new")
    hers.fill("#id_text", LEGAL.replace("3x Local Sheriff", "3x Local Sherif"))
    expect(hers.locator("#verdict .word")).to_have_text("Illegal")
    hers.click("text=Change to “Local Sheriff”")
    expect(hers.locator("#verdict .word")).to_have_text("Legal")
    assert hers.input_value("#id_text") == LEGAL
