"""Formats that change: published, judged again by workers, the difference shown, owners told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from config import jobs
from config.errors import Conflict, Forbidden, UserError
from decks import selectors, services
from decks.models import FormatVersion, LegalityReport, Recheck, VerdictChange
from decks.tasks import recheck as work
from tournament.models import AuditRow

pytestmark = pytest.mark.django_db

HOUSE = """\
extends: coc-lcg
key: house
title: House rules
law:
  HOUSE-01: {text: No researchers here., document: House}
lists:
  ours:
    title: our list
    document: House
    %s
timeline:
  - {from: 2013-01-01, list: ours, basis: agreed}
"""
OPEN = HOUSE % "restricted: {rule: HOUSE-01, titles: [Khopesh of the Abyss]}"
STRICT = HOUSE % "banned: {rule: HOUSE-01, titles: [Field Researcher]}"


@pytest.fixture
def submitted(ann: Any, now: datetime, fill: Callable[[str, int], str]) -> Callable[..., Any]:
    services.catalog_load_shipped(now=now)

    def submit(lines: str, owner: Any = None, format: str = "house") -> Any:
        source = fill(lines, 50)
        return services.deck_submit(
            owner=owner or ann, name=lines[:20], format=format, source=source, now=now
        )

    return submit


@contextmanager
def clock_at(when: datetime) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: when)
        yield


def finished(check: Recheck) -> Recheck:
    for chunk in check.chunks.all():
        work(chunk.pk)
    check.refresh_from_db()
    assert check.finished_at is not None
    return check


def test_a_published_change_judges_every_deck_again_and_shows_the_difference(
    ann: Any, bo: Any, now: datetime, submitted: Callable[..., Any]
) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    manned, unmanned = submitted("3x Field Researcher"), submitted("3x Magah Bird")
    assert {report.verdict for report in LegalityReport.objects.all()} == {"legal"}

    _version, check = services.format_publish(
        text=STRICT, note="no researchers", by=bo, now=now + timedelta(1)
    )
    assert check is not None
    assert finished(check).total == 2
    (change,) = check.changes.all()
    assert (change.revision_id, change.before, change.after) == (manned.pk, "legal", "illegal")
    assert [one["code"] for one in change.findings_after] == ["banned"]
    assert selectors.latest_report(manned).verdict == "illegal"  # type: ignore[union-attr]
    assert selectors.latest_report(unmanned).verdict == "legal"  # type: ignore[union-attr]
    # The owner is told, and puts it away.
    (notice,) = selectors.notices_of(ann)
    services.notice_dismiss(change=notice, by=bo, now=now)
    assert selectors.notices_of(ann).exists()
    services.notice_dismiss(change=notice, by=ann, now=now)
    assert not selectors.notices_of(ann).exists()


def test_what_if_stores_nothing_but_the_difference(
    bo: Any, ann: Any, now: datetime, submitted: Callable[..., Any]
) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    manned = submitted("3x Field Researcher")
    before = list(LegalityReport.objects.values_list("pk", flat=True))
    check = services.recheck_start(format="house", text=STRICT, what_if=True, by=bo, now=now)
    finished(check)
    assert list(LegalityReport.objects.values_list("pk", flat=True)) == before
    assert [change.after for change in check.changes.all()] == ["illegal"]
    assert selectors.latest_report(manned).verdict == "legal"  # type: ignore[union-attr]
    assert not selectors.notices_of(ann).exists()
    # Everybody sees their own decks' changes, who asked no more than that, but for their number.
    assert [selectors.changes_of(check, one).count() for one in (ann, bo)] == [1, 0]
    assert selectors.recheck_progress(check)["changes"] == 1
    assert selectors.changes_of(check, None or type("Nobody", (), {"is_authenticated": False})()).count() == 0


def test_only_who_can_change_a_format_asks_what_a_change_would_do(
    bo: Any, ann: Any, now: datetime, submitted: Callable[..., Any]
) -> None:
    """Its findings would tell every card of every list: a text that bans them all is quickly written."""
    services.format_publish(text=OPEN, by=bo, now=now)
    submitted("3x Field Researcher")
    for text in (STRICT, selectors.format_text("coc-lcg") + "\n# mine"):
        with pytest.raises(Forbidden, match="someone else"):
            services.format_what_if(text=text, by=ann, now=now)
    assert not Recheck.objects.filter(what_if=True).exists()
    assert services.format_what_if(text=STRICT, by=bo, now=now).total == 1


@pytest.mark.parametrize("later", [timedelta(days=1), timedelta(days=-1)], ids=["on", "clock-set-back"])
def test_a_list_checked_again_shows_its_newest_report(
    ann: Any, bo: Any, now: datetime, submitted: Callable[..., Any], later: timedelta
) -> None:
    """By the order in which they were stored: the clock may have been set back, and a format changed back again."""
    services.format_publish(text=OPEN, by=bo, now=now)
    manned = submitted("3x Field Researcher")
    shown = []
    for turn, text in enumerate((STRICT, OPEN, STRICT), start=1):
        _version, check = services.format_publish(text=text, by=bo, now=now + turn * later)
        assert check is not None
        with clock_at(now + turn * later):
            finished(check)
        [deck] = selectors.decks_of(ann)
        [listed] = selectors.revisions_of(deck)
        newest = selectors.latest_report(manned)
        assert newest is not None and newest == selectors.latest_report(listed) == manned.reports.first()
        shown.append((newest.verdict, deck.verdict))
    assert shown == [("illegal", "illegal"), ("legal", "legal"), ("illegal", "illegal")]
    assert manned.reports.count() == 4
    services.report_make(revision=manned, now=now + 4 * later)
    assert manned.reports.count() == 4, "nothing changed since"


def test_a_chunk_delivered_twice_is_done_once(bo: Any, now: datetime, submitted: Callable[..., Any]) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    submitted("3x Field Researcher")
    _version, check = services.format_publish(text=STRICT, by=bo, now=now)
    assert check is not None
    (chunk,) = check.chunks.all()
    claimed = jobs.claim(services.RECHECK, chunk.pk, now)
    assert claimed is not None
    assert jobs.claim(services.RECHECK, chunk.pk, now) is None
    jobs.perform(services.RECHECK, claimed)
    jobs.perform(services.RECHECK, claimed)  # the late one
    assert (VerdictChange.objects.count(), LegalityReport.objects.count()) == (1, 2)


def test_what_a_dead_worker_left_is_taken_up_again_and_given_up_after_three_times(
    bo: Any, now: datetime, submitted: Callable[..., Any], settings: Any
) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    submitted("3x Field Researcher")
    _version, check = services.format_publish(text=STRICT, by=bo, now=now)
    assert check is not None
    (chunk,) = check.chunks.all()
    for run in range(1, 4):
        at = now + timedelta(hours=run)
        assert jobs.claim(services.RECHECK, chunk.pk, at)
        assert jobs.sweep(services.RECHECK, at) == 0
        assert jobs.sweep(services.RECHECK, at + timedelta(seconds=settings.RECHECK_LEASE_SECONDS + 1)) == 1
    chunk.refresh_from_db()
    check.refresh_from_db()
    assert (chunk.state, chunk.runs, check.finished_at is not None) == ("failed", 3, True)
    assert selectors.recheck_progress(check) == {"total": 1, "done": 0, "failed": 1, "changes": 0}
    client = Client()
    client.force_login(bo)
    resumed = client.post(f"/api/v1/rechecks/{check.pk}/resume", content_type="application/json")
    assert (resumed.status_code, resumed.json()["progress"]["failed"]) == (200, 0)
    assert finished(check).changes.count() == 1
    again = client.post(f"/api/v1/rechecks/{check.pk}/resume", content_type="application/json")
    assert again.json()["code"] == "nothing-failed"
    with pytest.raises(Conflict):
        services.recheck_resume(recheck=check, by=bo, now=now)


def test_a_large_recheck_is_cut_into_chunks(
    bo: Any, now: datetime, submitted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("decks.services.rechecks.CHUNK", 2)
    services.format_publish(text=OPEN, by=bo, now=now)
    for count in (1, 2, 3):
        submitted(f"{count}x Field Researcher")
    check = services.recheck_start(format="house", text=STRICT, what_if=True, by=bo, now=now)
    assert [chunk.size for chunk in check.chunks.all()] == [2, 1]
    assert finished(check).changes.count() == 3


def test_only_the_newest_list_of_a_deck_and_registered_ones_are_judged(
    ann: Any, bo: Any, now: datetime, submitted: Callable[..., Any], fill: Callable[[str, int], str]
) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    old = submitted("3x Field Researcher")
    services.deck_submit(
        owner=ann, name="", format="house", deck=old.deck, source=fill("3x Magah Bird", 50), now=now
    )
    check = services.recheck_start(format="house", text=STRICT, what_if=True, by=bo, now=now)
    assert (check.total, finished(check).changes.count()) == (1, 0)


@pytest.mark.parametrize(
    ("text", "code", "place", "line"),
    [
        (OPEN.replace("titles: [", "tiitles: ["), "bad-format", "lists.ours.restricted.tiitles", 10),
        (
            OPEN.replace("HOUSE-01, titles", "HOUSE-02, titles"),
            "bad-format",
            "lists.ours.restricted.rule",
            10,
        ),
        (OPEN.replace("extends: coc-lcg", "extends: coc-lgc"), "bad-format", "extends", None),
        (OPEN.replace("extends: coc-lcg", "extends: ../../etc/passwd"), "bad-format", "extends", None),
        (OPEN + "\tx: 1", "bad-yaml", "line 13, column 1", None),
        ("- a\n- b", "bad-format", "format.yaml", None),
        ("a: 1\nb: [2024-13-01]", "bad-yaml", "line 2, column 5", None),
        ("a: &x [1]\nb: *x", "bad-yaml", "line 1, column 4", None),
        ("x" * 400_001, "too-large", "", None),
    ],
)
def test_a_wrong_format_is_refused_with_its_place(text: str, code: str, place: str, line: int | None) -> None:
    with pytest.raises(UserError) as raised:
        services.format_read(text=text)
    assert (raised.value.code, raised.value.place, raised.value.details.get("line")) == (code, place, line)


def test_a_house_format_is_its_authors(ann: Any, bo: Any, now: datetime) -> None:
    first, check = services.format_publish(text=OPEN, by=bo, now=now)
    assert (first.number, check is not None) == (1, True)
    assert services.format_publish(text=OPEN, by=bo, now=now) == (first, None)
    with pytest.raises(Forbidden):
        services.format_publish(text=STRICT, by=ann, now=now)
    with pytest.raises(Forbidden):
        services.format_publish(text=selectors.format_text("coc-lcg") + "\n# mine", by=ann, now=now)
    assert services.format_publish(text=STRICT, by=bo, now=now)[0].number == 2
    assert [row.verb for row in AuditRow.objects.filter(verb="format_publish")] == ["format_publish"] * 2
    assert selectors.format_of("house").lists["ours"].restrictions[0].code == "banned"


def test_imported_taboos_become_lists_of_the_format_once(now: datetime) -> None:
    import json

    cards = json.dumps(
        [
            {"code": "1", "pack_code": "core", "name": "Machete", "type_code": "asset", "deck_limit": 2, "xp": 0,
             "faction_code": "guardian", "quantity": 1, "position": 20},
        ]
    ).encode()  # fmt: skip
    taboos = json.dumps(
        [{"code": "011", "date_start": "2030-01-01", "cards": json.dumps([{"code": "1", "xp": 2}])}]
    ).encode()
    files = {"core.json": cards, "taboos.json": taboos}
    first = services.cards_import_files(game="arkham", files=files, now=now)
    assert (first.new, first.lists, first.new_lists) == (1, ("the taboo list of 2030-01-01",), 1)
    again = services.cards_import_files(game="arkham", files=files, now=now)
    assert (again.new, again.changed, again.unchanged, again.new_lists) == (0, 0, 1, 0)
    law = selectors.format_of("arkham")
    assert law.lists["11"].errata == {"machete": {"taboo": 2}}
    assert len(law.lists) == 12
    assert FormatVersion.objects.count() == 1


def test_two_versions_at_once_are_not_both_the_next(
    bo: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.format_publish(text=OPEN, by=bo, now=now)
    newest = FormatVersion.objects.filter(key="house").order_by("-number").first()
    FormatVersion.objects.create(key="house", number=2, title="x", text=OPEN, author=bo, made_at=now)
    from decks.services import formats

    law = services.format_read(text=STRICT)
    from django.db import IntegrityError

    with pytest.raises(IntegrityError), transaction.atomic():
        formats._store(law, STRICT, newest, "", bo, now)
