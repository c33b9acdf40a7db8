"""Submitting decks: what is stored, what is answered, what is refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from config.errors import Conflict, Forbidden, NotFound, UserError
from decks import selectors, services
from decks.models import Deck, LegalityReport, Revision
from tests.decks.conftest import FAQ_30, PROJECT

DEMO = PROJECT / "tournament" / "demo"


@pytest.fixture
def submit(ann: Any, now: datetime) -> Callable[..., Revision]:
    def send(source: str | bytes, **changes: Any) -> Revision:
        fields = {"owner": ann, "name": "", "format": "coc-lcg", "on": FAQ_30, "now": now} | changes
        return services.deck_submit(source=source, **fields)

    return send


def codes(revision: Revision) -> list[str]:
    report = selectors.latest_report(revision)
    assert report is not None
    return [finding["code"] for finding in report.findings]


@pytest.mark.parametrize(("name", "verdict"), [("ann", "legal"), ("bo", "legal"), ("illegal", "illegal")])
def test_the_demo_lists_have_the_verdicts_they_are_for(
    submit: Callable[..., Revision], name: str, verdict: str
) -> None:
    report = selectors.latest_report(submit((DEMO / f"{name}.txt").read_bytes(), filename=f"{name}.txt"))
    assert report is not None
    assert report.verdict == verdict


def test_the_four_faults_at_once_are_four_findings(submit: Callable[..., Revision]) -> None:
    revision = submit((DEMO / "illegal.txt").read_bytes())
    assert sorted(codes(revision)) == ["banned", "restricted", "too-few-cards", "too-many-copies"]


def test_an_illegal_list_is_stored_with_its_report_and_its_text_word_for_word(
    submit: Callable[..., Revision],
) -> None:
    revision = submit("3x Museum Curator, 1x Itinerant Scholar\r\n")
    stored = Revision.objects.get(pk=revision.pk)
    assert stored.source == "3x Museum Curator, 1x Itinerant Scholar\r\n"
    assert (stored.number, stored.card_count, stored.source_kind) == (1, 4, "text")
    assert [(entry["count"], entry["card"]) for entry in stored.entries] == [
        (3, "Museum Curator"),
        (1, "Itinerant Scholar"),
    ]
    assert codes(stored) == ["too-few-cards", "restricted"]


def test_a_second_list_is_the_next_revision_and_the_same_list_again_is_none(
    submit: Callable[..., Revision], ann: Any
) -> None:
    first = submit("3x Shotgun", name="Guns")
    second = submit("2x Shotgun", deck=first.deck)
    again = submit("2x Shotgun", deck=first.deck)
    assert (first.number, second.number, again.pk) == (1, 2, second.pk)
    assert Deck.objects.get().name == "Guns"
    assert selectors.decks_of(ann).get().revision_number == 2


def test_equal_cards_make_equal_hashes_however_they_are_written(submit: Callable[..., Revision]) -> None:
    first = submit("3x Museum Curator\n1 Doppelgänger (The Yuggoth Contract)")
    second = submit("Deck\n\nSupport:\n1x DOPPELGANGER\nMuseum Curator x2\n1 Museum Curator")
    other = submit("3x Museum Curator\n2 Doppelgänger")
    assert first.hash == second.hash != other.hash


def test_only_its_owner_submits_to_a_deck(
    submit: Callable[..., Revision], make_user: Callable[..., Any]
) -> None:
    deck = submit("3x Shotgun").deck
    with pytest.raises(Forbidden):
        submit("2x Shotgun", deck=deck, owner=make_user("eve"))


def test_a_deck_is_there_for_its_owner_alone(
    submit: Callable[..., Revision], ann: Any, make_user: Callable[..., Any]
) -> None:
    deck = submit("3x Shotgun").deck
    assert selectors.access_deck(ann, deck.pk) == deck
    with pytest.raises(NotFound):
        selectors.access_deck(make_user("eve"), deck.pk)
    with pytest.raises(NotFound):
        selectors.access_deck(ann, deck.pk + 1)


@pytest.mark.parametrize(
    ("source", "code", "status"),
    [
        ("", "empty-list", 400),
        (b"\x00\x01\x02\x03", "binary-file", 400),
        (b"PK\x03\x04rest of an archive", "binary-file", 400),
        (b"3x Doppelg\x81nger", "bad-encoding", 400),
        ("\ud800 3x Shotgun", "bad-encoding", 400),
        ("-1x Shotgun", "bad-count", 400),
        ("0x Shotgun", "empty-list", 400),
        ("99999999999x Shotgun", "bad-count", 400),
        ("3x " + "a" * 4_000, "line-too-long", 400),
        ("1x Shotgun\n" * 10_000, "too-many-lines", 413),
        ("1x Shotgun\n" * 100_000, "too-large", 413),
        ("<deck><section name='Draw Deck'>", "bad-xml", 400),
        ('<!DOCTYPE d [<!ENTITY a "aa">]><deck>&a;</deck>', "bad-xml", 400),
        ("<html><body>hello</body></html>", "not-a-deck", 400),
        ('{"slots": {}}', "empty-list", 400),
    ],
)
def test_hostile_input_is_refused_in_words_and_nothing_is_stored(
    submit: Callable[..., Revision], source: str | bytes, code: str, status: int
) -> None:
    with pytest.raises(UserError) as raised:
        submit(source)
    assert (raised.value.code, raised.value.status) == (code, status)
    assert raised.value.message
    assert not Deck.objects.exists()
    assert not Revision.objects.exists()


@pytest.mark.parametrize("name", ["a\x00b", "a\u202eb", "a" * 121, "half \ud800"])
def test_a_deck_name_nobody_could_print_is_refused(submit: Callable[..., Revision], name: str) -> None:
    with pytest.raises(UserError, match="name"):
        submit("3x Shotgun", name=name)
    assert not Deck.objects.exists()


def test_an_unknown_format_is_not_found_and_the_known_ones_are_named(submit: Callable[..., Revision]) -> None:
    with pytest.raises(NotFound) as raised:
        submit("3x Shotgun", format="coc")
    assert "coc-lcg" in raised.value.remedy


def test_two_submissions_at_once_are_a_conflict_not_a_crash(
    submit: Callable[..., Revision], monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = submit("3x Shotgun").deck

    def taken(*args: Any, **fields: Any) -> None:
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(Revision.objects, "create", taken)
    with pytest.raises(Conflict):
        submit("2x Shotgun", deck=deck)
    assert Revision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_submissions_at_the_same_moment_are_numbered_one_after_the_other(
    submit: Callable[..., Revision],
) -> None:
    deck = submit("1x Shotgun").deck

    def send(count: int) -> str:
        try:
            return str(submit(f"{count}x Dynamite", deck=deck).number)
        except Conflict:
            return "conflict"
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(1, 13)))
    numbers = [int(answer) for answer in answers if answer != "conflict"]
    assert sorted(numbers) == list(range(2, 2 + len(numbers)))
    assert Revision.objects.filter(deck=deck).count() == 1 + len(numbers)


def test_a_report_is_made_once_per_date_content_and_catalog(
    submit: Callable[..., Revision], now: datetime
) -> None:
    revision = submit("50 Magah Bird")
    first = services.report_make(revision=revision, on=FAQ_30, now=now)
    again = services.report_make(revision=revision, on=FAQ_30, now=now)
    later = services.report_make(revision=revision, on=FAQ_30.replace(year=2016), now=now)
    assert first == again != later
    assert LegalityReport.objects.count() == 2
    assert "banned" in str(first.findings)
    assert "banned" not in str(later.findings), "the banned list has been empty since FAQ 4.0"


def test_submitting_writes_one_audit_row(submit: Callable[..., Revision], ann: Any) -> None:
    from tournament.models import AuditRow

    submit("3x Shotgun")
    row = AuditRow.objects.get(verb="deck_submit")
    assert row.actor == ann
    assert row.data["verdict"] == "illegal"


def test_listing_decks_takes_as_many_queries_for_one_as_for_many(
    submit: Callable[..., Revision], ann: Any, django_assert_num_queries: Callable[..., Any]
) -> None:
    def listed() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert [(deck.revision_number, deck.verdict) for deck in selectors.decks_of(ann)]
        return len(queries)

    submit("1x Shotgun")
    few = listed()
    for count in range(1, 8):
        submit(f"{count}x Dynamite")
    assert listed() == few == 1
