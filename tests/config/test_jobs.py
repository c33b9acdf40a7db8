"""Every kind of job survives the same faults (docs/jobs.md), without a broker: the row is the truth."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from config import jobs
from config.errors import UserError
from config.jobs import KINDS, Kind, verbs, working
from decks.models import Catalog, Recheck, RecheckChunk, TextReading
from rules.models import Adjudication, Dispute
from tests.tournament.factories import make_event
from tournament.models import (
    Alert,
    AlertAddress,
    Delivery,
    Event,
    Fault,
    FileImport,
    Match,
    Round,
    User,
    Webhook,
)

NOW = datetime(2026, 11, 1, 12, tzinfo=timezone.get_default_timezone())
SECOND = timedelta(seconds=1)
RESULT: dict[str, dict[str, Any]] = {
    "adjudication": {"answer": {"status": "determined"}}
}  # others say nothing more

pytestmark = pytest.mark.django_db


class Maker:
    """Makes queued jobs of a kind, each for whoever is named."""

    def __init__(self, kind: Kind[Any]) -> None:
        self.kind, self.made = kind, 0
        self.owners: dict[str, Any] = {}

    def __call__(self, who: str = "ann", **fields: Any) -> Any:
        self.made += 1
        if who not in self.owners:
            self.owners[who] = getattr(self, f"_owner_{self.kind.word}")(who)
        owner = self.owners[who]
        lane = {"adjudication": "disputes", "recheck": "rechecks", "file": "files", "message": "webhooks"} | {
            "alert": "push",
            "texts": "files",
        }
        common = {"lane": lane[self.kind.word], "queued_at": NOW, "sent_at": NOW} | fields
        return getattr(self, f"_{self.kind.word}")(owner, common)

    def _person(self, who: str) -> User:
        return User.objects.get_or_create(username=who)[0]

    _owner_adjudication = _owner_file = _person

    def _owner_recheck(self, who: str) -> Recheck:
        return Recheck.objects.create(
            format="coc-lcg", what_if=True, asked_by=self._person(who), asked_at=NOW, total=9
        )

    def _owner_texts(self, who: str) -> Catalog:
        return Catalog.objects.create(game=f"of-{who}", name=who, version="1", imported_at=NOW)

    def _texts(self, owner: Catalog, common: dict[str, Any]) -> TextReading:
        return TextReading.objects.create(catalog=owner, asked_at=NOW, **common)

    def _owner_message(self, who: str) -> Webhook:
        event = make_event(self._person(who), f"of-{who}")
        return Webhook.objects.create(
            event=event, address="http://127.0.0.1:1/", kinds=[], made_by=self._person(who), made_at=NOW
        )

    def _owner_alert(self, who: str) -> AlertAddress:
        return AlertAddress.objects.create(
            user=self._person(who),
            way="push",
            kinds=[],
            endpoint=f"https://push.example.org/{who}",
            made_at=NOW,
        )

    def _alert(self, owner: AlertAddress, common: dict[str, Any]) -> Alert:
        event = Event.objects.first() or make_event(self._person("org"), "tables")
        round, _new = Round.objects.get_or_create(
            event=event, number=1, defaults={"seed": 1, "explanation": {}}
        )
        match = Match.objects.create(round=round, table=self.made)
        return Alert.objects.create(
            address=owner, kind="paired", match=match, made_at=NOW, due_at=NOW, **common
        )

    def _adjudication(self, owner: User, common: dict[str, Any]) -> Adjudication:
        hashed = {"scenario": {}, "scenario_hash": f"{self.made:064}"}
        dispute = Dispute.objects.create(title="x", filed_by=owner, source="x", filed_at=NOW, **hashed)
        law = {"system": "x", "system_version": "1", "system_hash": "0" * 64, "budget": 1}
        return Adjudication.objects.create(dispute=dispute, **hashed, **law, **common)

    def _recheck(self, owner: Recheck, common: dict[str, Any]) -> RecheckChunk:
        return RecheckChunk.objects.create(recheck=owner, first=1, last=2, size=2, **common)

    def _file(self, owner: User, common: dict[str, Any]) -> FileImport:
        return FileImport.objects.create(kind="players", source="Ann", asked_by=owner, asked_at=NOW, **common)

    def _message(self, owner: Webhook, common: dict[str, Any]) -> Delivery:
        body = {"id": "x"}
        return Delivery.objects.create(webhook=owner, kind="x", body=body, made_at=NOW, due_at=NOW, **common)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs the broker was told of; a test's transaction never commits, so it is told at once."""
    told: list[int] = []
    monkeypatch.setattr(transaction, "on_commit", lambda call, robust=False: call())
    for module in (verbs, working):
        monkeypatch.setattr(module, "send", lambda kind, pk: told.append(pk))
    return told


@pytest.fixture(params=["adjudication", "recheck", "file", "message", "alert", "texts"])
def worked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The jobs of the kind that were worked on; working on one stores its result."""
    done: list[Any] = []
    real = KINDS[request.param]

    def work(job: Any) -> None:
        done.append(job.pk)
        jobs.finish(KINDS[request.param], job, timezone.now(), **RESULT.get(request.param, {}))

    replace(real, work=work)  # is the one that is known, from now on
    yield done
    KINDS[request.param] = real


@pytest.fixture
def kind(worked: list[Any], request: pytest.FixtureRequest) -> Kind[Any]:
    return KINDS[request.node.callspec.params["worked"]]


@pytest.fixture
def make(kind: Kind[Any]) -> Maker:
    return Maker(kind)


@pytest.fixture
def job(make: Maker, rung: list[int]) -> Any:
    return make()


def lease(kind: Kind[Any]) -> timedelta:
    return timedelta(seconds=kind.lease_seconds)


def result(kind: Kind[Any]) -> dict[str, Any]:
    return RESULT.get(kind.word, {})


def test_the_kinds_are_all_there_are() -> None:
    assert set(KINDS) == {"adjudication", "recheck", "file", "message", "alert", "texts"}


def test_it_is_claimed_once(kind: Kind[Any], job: Any) -> None:
    first = jobs.claim(kind, job.pk, NOW)
    assert first is not None
    assert (first.state, first.runs, first.started_at, first.lease_until) == (
        "running",
        1,
        NOW,
        NOW + lease(kind),
    )
    assert jobs.claim(kind, job.pk, NOW) is None


def test_the_database_refuses_a_claim_without_a_lease(kind: Kind[Any], job: Any) -> None:
    for wrong in ({"state": "running"}, {"lease_until": NOW}, {"finished_at": NOW}):
        with pytest.raises(IntegrityError), transaction.atomic():
            kind.rows.filter(pk=job.pk).update(**wrong)


def test_a_late_worker_cannot_overwrite(kind: Kind[Any], job: Any) -> None:
    slow = jobs.claim(kind, job.pk, NOW)
    later = NOW + lease(kind) + SECOND
    assert jobs.sweep(kind, later) == 1
    quick = jobs.claim(kind, job.pk, later)
    assert quick is not None and quick.runs == 2
    assert not jobs.note(kind, slow, later)
    assert not jobs.fail(kind, slow, UserError("x", "late"), later)
    assert not jobs.put_back(kind, slow, later)
    with pytest.raises(jobs.NotOurs):
        jobs.finish(kind, slow, later, **result(kind))
    jobs.finish(kind, quick, later, **result(kind))
    with pytest.raises(jobs.NotOurs):
        jobs.finish(kind, quick, later, **result(kind))
    job.refresh_from_db()
    assert (job.state, job.token, job.finished_at) == ("done", "", later)


def test_an_ended_job_needs_no_token_to_be_safe(kind: Kind[Any], job: Any) -> None:
    jobs.finish(kind, jobs.claim(kind, job.pk, NOW), NOW, **result(kind))
    job.refresh_from_db()  # its token is empty
    assert not jobs.fail(kind, job, UserError("x", "no"), NOW)


def test_progress_renews_the_lease(kind: Kind[Any], job: Any) -> None:
    claimed = jobs.claim(kind, job.pk, NOW)
    late = NOW + lease(kind) - SECOND
    assert jobs.note(kind, claimed, late)
    assert jobs.sweep(kind, NOW + lease(kind) + SECOND) == 0
    job.refresh_from_db()
    assert (job.state, job.lease_until) == ("running", late + lease(kind))


def test_what_a_dead_worker_held_waits_again(kind: Kind[Any], job: Any, rung: list[int]) -> None:
    jobs.claim(kind, job.pk, NOW)
    assert jobs.sweep(kind, NOW + lease(kind) - SECOND) == 0
    assert jobs.sweep(kind, NOW + lease(kind) + SECOND) == 1
    job.refresh_from_db()
    assert (job.state, job.token, rung) == ("queued", "", [job.pk])
    assert jobs.sweep(kind, NOW + lease(kind) + SECOND) == 0


def test_what_kills_its_workers_is_given_up_with_a_sentence(kind: Kind[Any], job: Any) -> None:
    at = NOW
    for _ in range(kind.most_runs):
        assert jobs.claim(kind, job.pk, at) is not None
        at += lease(kind) + SECOND
        jobs.sweep(kind, at)
    job.refresh_from_db()
    assert (job.state, job.runs, job.finished_at) == ("failed", kind.most_runs, at)
    assert f"The worker stopped {kind.most_runs} times" in str(job.failure)
    assert jobs.sweep(kind, at + timedelta(hours=1)) == 0


def test_a_message_nobody_took_is_sent_again_at_growing_intervals(
    kind: Kind[Any], job: Any, rung: list[int]
) -> None:
    first = int(kind.resend_seconds)
    sent_after = [seconds for seconds in range(200) if jobs.sweep(kind, NOW + seconds * SECOND)]
    expected = [first]
    while (after := expected[-1] + min(expected[-1], 30)) < 200:
        expected.append(after)
    assert sent_after == expected
    assert len(rung) == len(sent_after)


def test_doubled_messages_are_answered_once(kind: Kind[Any], job: Any, worked: list[int]) -> None:
    for _ in range(3):
        jobs.work_off(kind, job.pk)
    assert worked == [job.pk]
    job.refresh_from_db()
    assert (job.state, job.runs) == ("done", 1)


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_moved_clock_stops_nothing(kind: Kind[Any], job: Any, rung: list[int], hours: int) -> None:
    """A lease, a message's time and a next try were told by a clock that has been set back or forward since."""
    moved = NOW + timedelta(hours=hours)
    jobs.claim(kind, job.pk, NOW)
    assert jobs.sweep(kind, moved) == 1
    kind.rows.update(sent_at=NOW, due_at=NOW)
    assert jobs.sweep(kind, moved) == 1
    assert rung == [job.pk, job.pk]
    assert jobs.claim(kind, job.pk, moved) is not None


def test_a_job_in_hand_when_the_clock_is_set_back_is_due_again(
    kind: Kind[Any], job: Any, rung: list[int]
) -> None:
    """Its next try was to be at a time that lies ahead now; what was taken up was due."""
    kind.rows.update(due_at=NOW)
    assert jobs.claim(kind, job.pk, NOW) is not None
    earlier = NOW - timedelta(days=1)
    assert jobs.sweep(kind, earlier) == 1
    assert rung == [job.pk]
    assert jobs.claim(kind, job.pk, earlier) is not None


def test_a_cancelled_job_stops_its_worker_and_stores_nothing(kind: Kind[Any], job: Any) -> None:
    claimed = jobs.claim(kind, job.pk, NOW)
    assert jobs.cancel(kind, job.pk, NOW)
    assert not jobs.note(kind, claimed, NOW)
    with pytest.raises(jobs.NotOurs):
        jobs.finish(kind, claimed, NOW, **result(kind))
    assert not jobs.cancel(kind, job.pk, NOW)
    job.refresh_from_db()
    assert (job.state, job.finished_at) == ("cancelled", NOW)


def fails_with(kind: Kind[Any], error: BaseException) -> Kind[Any]:
    def work(job: Any) -> None:
        raise error

    return replace(kind, work=work)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("secret detail"), "because of a server error"),
        (RecursionError(), "because of a server error"),
        (MemoryError(), "because of a server error"),
        (UserError("x", "Zone hnad is unknown."), "Zone hnad is unknown."),
    ],
)
def test_what_goes_wrong_is_a_sentence(kind: Kind[Any], job: Any, error: BaseException, told: str) -> None:
    jobs.work_off(fails_with(kind, error), job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert told in str(job.failure) and "secret detail" not in str(job.failure)
    assert Fault.objects.count() == (0 if isinstance(error, UserError) else 1)


def test_a_database_that_refuses_leaves_the_job_to_the_sweep(kind: Kind[Any], job: Any) -> None:
    jobs.work_off(fails_with(kind, OperationalError("server closed the connection")), job.pk)
    job.refresh_from_db()
    assert job.state == "running"
    assert jobs.sweep(kind, timezone.now() + lease(kind) + SECOND) == 1


def test_an_idle_sweep_takes_no_write_lock(kind: Kind[Any], job: Any, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2) as asked:
        jobs.sweep(kind, NOW)
    assert all(query["sql"].startswith("SELECT") for query in asked.captured_queries)


def test_what_ended_can_be_asked_for_again(kind: Kind[Any], job: Any, rung: list[int]) -> None:
    jobs.cancel(kind, job.pk, NOW)
    with transaction.atomic():
        assert jobs.queue(kind, verbs.Q(pk=job.pk), NOW + SECOND) == [job.pk]
    job.refresh_from_db()
    assert (job.state, job.runs, job.finished_at, rung) == ("queued", 0, None, [job.pk])


# --- turns --------------------------------------------------------------------------------------------


def test_nobody_has_two_in_hand_in_a_lane(kind: Kind[Any], make: Maker, rung: list[int]) -> None:
    first, second, others = make("ann"), make("ann"), make("bo")
    assert jobs.claim(kind, first.pk, NOW)
    assert jobs.claim(kind, second.pk, NOW) is None
    if settings.JOBS_AT_ONCE.get(others.lane, 2) > 1:
        assert jobs.claim(kind, others.pk, NOW)


def test_who_asked_for_much_waits_for_who_asked_for_little(
    kind: Kind[Any], make: Maker, worked: list[int], rung: list[int]
) -> None:
    many = [make("ann", queued_at=timezone.now() - timedelta(seconds=90 - n)) for n in range(3)]
    one = make("bo", queued_at=timezone.now())
    jobs.work_off(kind, many[0].pk)
    assert worked == [many[0].pk, one.pk, many[1].pk, many[2].pk]


def test_a_worker_does_not_stay_in_one_lane_for_ever(
    kind: Kind[Any], make: Maker, worked: list[int], rung: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [make("ann") for _ in range(3)]
    monkeypatch.setattr(working, "AT_A_STRETCH", 0.0)
    jobs.work_off(kind, rows[0].pk)
    assert (worked, rung) == ([rows[0].pk], [rows[1].pk])
