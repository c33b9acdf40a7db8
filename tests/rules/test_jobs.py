"""The job pattern (docs/jobs.md), step by step and without a broker: the row is the truth."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from config.errors import Conflict, UserError
from rules import adjudicate as engine
from rules import scenario as scenarios
from rules import services, tasks
from rules.models import Adjudication, Dispute
from rules.system_files import ENGINE_VERSION
from tests.bench.rules import forced_responses
from tests.rules.scenarios import SHOTGUN
from tournament.models import AuditRow

State = Adjudication.State
LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
RESEND = timedelta(seconds=settings.JOB_RESEND_SECONDS)
SECOND = timedelta(seconds=1)

ANSWER = {
    "status": "determined",
    "sentence": "Bo acts next.",
    "counts": {"lines": 1, "positions": 7, "ends": 1},
    "engine": ENGINE_VERSION,
    "rules": {},
}


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs the broker was told of."""
    calls: list[int] = []
    monkeypatch.setattr(tasks.adjudicate, "delay", calls.append)
    return calls


@pytest.fixture
def job(
    ann: Any, now: datetime, rung: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> Adjudication:
    """One queued job of a dispute that Ann filed."""
    with django_capture_on_commit_callbacks(execute=True):
        dispute = services.dispute_file(by=ann, title="Shotgun Blast", source=SHOTGUN, now=now)
    return dispute.adjudications.get()


def finishes(job: Adjudication) -> int:
    return AuditRow.objects.filter(verb="adjudication_finish", target_id=job.pk).count()


def verbs() -> list[str]:
    return list(AuditRow.objects.order_by("pk").values_list("verb", flat=True))


# --- filing -------------------------------------------------------------------------------------------


def test_filing_stores_the_dispute_and_rings_once_committed(job: Adjudication, rung: list[int]) -> None:
    assert job.state == State.QUEUED
    assert job.dispute.source == SHOTGUN
    assert job.dispute.scenario_hash == job.scenario_hash
    assert rung == [job.pk]
    assert verbs() == ["dispute_file"]


@pytest.mark.parametrize(
    ("title", "source", "code"),
    [
        ("", SHOTGUN, "title-missing"),
        ("  ", SHOTGUN, "title-missing"),
        ("x" * 201, SHOTGUN, "title-too-long"),
        ("Title", "x" * 400_001, "too-large"),
    ],
)
def test_what_cannot_be_filed_leaves_nothing(
    ann: Any, now: datetime, title: str, source: str, code: str
) -> None:
    with pytest.raises(UserError) as refused:
        services.dispute_file(by=ann, title=title, source=source, now=now)
    assert refused.value.code == code
    assert not Dispute.objects.exists()
    assert not AuditRow.objects.exists()


def test_a_broker_that_is_down_does_not_undo_a_filed_dispute(
    ann: Any,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    def refuse(pk: int) -> None:
        raise ConnectionError("the broker is down")

    monkeypatch.setattr(tasks.adjudicate, "delay", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        dispute = services.dispute_file(by=ann, title="Shotgun Blast", source=SHOTGUN, now=now)
    assert dispute.adjudications.get().state == State.QUEUED


def test_asking_the_same_again_gives_the_same_row(job: Adjudication, ann: Any, now: datetime) -> None:
    again = services.adjudication_queue(
        dispute=job.dispute, scenario=scenarios.read(SHOTGUN), by=ann, now=now + SECOND
    )
    assert again.pk == job.pk
    assert Adjudication.objects.count() == 1


def test_another_system_is_another_row(job: Adjudication, ann: Any, now: datetime) -> None:
    other = scenarios.read(SHOTGUN.replace("coc-lcg", "coc-ccg"))
    another = services.adjudication_queue(dispute=job.dispute, scenario=other, by=ann, now=now)
    assert another.pk != job.pk
    assert (another.system, job.system) == ("coc-ccg", "coc-lcg")


def test_the_database_refuses_a_second_row_for_the_same_question(job: Adjudication) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        job.pk = None
        job.save(force_insert=True)


def test_a_question_answered_before_is_answered_from_store(
    job: Adjudication, bo: Any, now: datetime, rung: list[int]
) -> None:
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    dispute = services.dispute_file(by=bo, title="The same", source=SHOTGUN, now=now)
    second = dispute.adjudications.get()
    assert (second.state, second.answer, second.runs) == (State.DONE, job.answer, 0)
    assert rung == [job.pk]


def test_an_older_engines_answer_is_not_used_again(job: Adjudication, bo: Any, now: datetime) -> None:
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    Adjudication.objects.filter(pk=job.pk).update(answer={**(job.answer or {}), "engine": "older"})
    dispute = services.dispute_file(by=bo, title="The same", source=SHOTGUN, now=now)
    assert dispute.adjudications.get().state == State.QUEUED


# --- claiming, finishing, the fence -------------------------------------------------------------------


def test_a_job_is_claimed_once(job: Adjudication, now: datetime) -> None:
    first = services.adjudication_claim(pk=job.pk, now=now)
    assert first is not None
    assert (first.state, first.runs, first.lease_until) == (State.RUNNING, 1, now + LEASE)
    assert services.adjudication_claim(pk=job.pk, now=now) is None


def test_a_late_worker_cannot_overwrite(job: Adjudication, now: datetime) -> None:
    slow = services.adjudication_claim(pk=job.pk, now=now)
    services.jobs_sweep(now=now + LEASE + SECOND)
    quick = services.adjudication_claim(pk=job.pk, now=now + LEASE + SECOND)
    assert slow is not None and quick is not None and quick.runs == 2
    later = now + LEASE + 2 * SECOND
    assert not services.adjudication_progress(pk=job.pk, token=slow.token, positions=500, now=later)
    assert not services.adjudication_finish(pk=job.pk, token=slow.token, answer=ANSWER, now=later)
    assert not services.adjudication_fail(pk=job.pk, token=slow.token, reason="late", now=later)
    assert services.adjudication_finish(pk=job.pk, token=quick.token, answer=ANSWER, now=later)
    assert not services.adjudication_finish(pk=job.pk, token=quick.token, answer=ANSWER, now=later)
    assert finishes(job) == 1


def test_an_ended_job_needs_no_token_to_be_safe(job: Adjudication, now: datetime) -> None:
    """Ended rows carry an empty token; a caller without one must not match them."""
    claimed = services.adjudication_claim(pk=job.pk, now=now)
    assert claimed is not None
    services.adjudication_finish(pk=job.pk, token=claimed.token, answer=ANSWER, now=now)
    assert not services.adjudication_fail(pk=job.pk, token="", reason="no", now=now)


def test_progress_renews_the_lease(job: Adjudication, now: datetime) -> None:
    claimed = services.adjudication_claim(pk=job.pk, now=now)
    assert claimed is not None
    late = now + LEASE - SECOND
    assert services.adjudication_progress(pk=job.pk, token=claimed.token, positions=500, now=late)
    services.jobs_sweep(now=now + LEASE + SECOND)
    job.refresh_from_db()
    assert (job.state, job.positions, job.lease_until) == (State.RUNNING, 500, late + LEASE)


# --- the sweep ----------------------------------------------------------------------------------------


def test_an_expired_lease_puts_the_job_back_and_rings(
    job: Adjudication, now: datetime, rung: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    services.adjudication_claim(pk=job.pk, now=now)
    assert services.jobs_sweep(now=now + LEASE - SECOND) == 0
    with django_capture_on_commit_callbacks(execute=True):
        assert services.jobs_sweep(now=now + LEASE + SECOND) == 1
    job.refresh_from_db()
    assert (job.state, job.token) == (State.QUEUED, "")
    assert rung == [job.pk, job.pk]
    assert services.jobs_sweep(now=now + LEASE + SECOND) == 0


def test_a_job_that_kills_its_workers_fails_with_a_reason(job: Adjudication, now: datetime) -> None:
    at = now
    for _ in range(settings.JOB_MAX_RUNS):
        assert services.adjudication_claim(pk=job.pk, now=at) is not None
        at += LEASE + SECOND
        services.jobs_sweep(now=at)
    job.refresh_from_db()
    assert (job.state, job.runs) == (State.FAILED, settings.JOB_MAX_RUNS)
    assert job.failure == "The worker stopped 3 times while working on this."
    assert verbs()[-1] == "adjudication_fail"


def test_a_message_nobody_took_is_sent_again_at_growing_intervals(
    job: Adjudication, now: datetime, rung: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    sent_after = []
    for seconds in range(0, 1000):
        with django_capture_on_commit_callbacks(execute=True):
            if services.jobs_sweep(now=now + seconds * SECOND):
                sent_after.append(seconds)
    assert sent_after == [5, 10, 20, 40, 80, 160, 320, 620, 920]
    assert len(rung) == 1 + len(sent_after)


def test_an_idle_sweep_takes_no_write_lock(
    job: Adjudication, now: datetime, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2) as asked:
        services.jobs_sweep(now=now)
    assert all(query["sql"].startswith("SELECT") for query in asked.captured_queries)


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_moved_clock_stops_nothing(
    job: Adjudication, now: datetime, rung: list[int], hours: int,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:  # fmt: skip
    """A lease and a message's time were told by a clock that has been set back or forward since."""
    moved = now + timedelta(hours=hours)
    services.adjudication_claim(pk=job.pk, now=now)
    assert services.jobs_sweep(now=moved) == 1
    Adjudication.objects.update(sent_at=now)
    with django_capture_on_commit_callbacks(execute=True):
        assert services.jobs_sweep(now=moved) == 1
    assert services.adjudication_claim(pk=job.pk, now=moved) is not None


# --- cancelling and failing ---------------------------------------------------------------------------


def test_a_cancelled_job_stops_its_worker_and_stores_nothing(
    job: Adjudication, ann: Any, now: datetime
) -> None:
    claimed = services.adjudication_claim(pk=job.pk, now=now)
    assert claimed is not None
    services.adjudication_cancel(adjudication=job, by=ann, now=now)
    assert not services.adjudication_progress(pk=job.pk, token=claimed.token, positions=1, now=now)
    assert not services.adjudication_finish(pk=job.pk, token=claimed.token, answer=ANSWER, now=now)
    job.refresh_from_db()
    assert (job.state, job.answer, job.finished_at) == (State.CANCELLED, None, now)


def test_what_has_ended_cannot_be_cancelled(job: Adjudication, ann: Any, now: datetime) -> None:
    tasks.adjudicate(job.pk)
    with pytest.raises(Conflict):
        services.adjudication_cancel(adjudication=job, by=ann, now=now)


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_what_was_cancelled_or_failed_can_be_asked_again(
    job: Adjudication, ann: Any, now: datetime, end: str
) -> None:
    if end == "cancelled":
        services.adjudication_cancel(adjudication=job, by=ann, now=now)
    else:
        claimed = services.adjudication_claim(pk=job.pk, now=now)
        assert claimed is not None
        services.adjudication_fail(pk=job.pk, token=claimed.token, reason="a fault", now=now)
    again = services.adjudication_queue(
        dispute=job.dispute, scenario=scenarios.read(SHOTGUN), by=ann, now=now
    )
    assert (again.pk, again.state, again.failure, again.runs) == (job.pk, State.QUEUED, "", 0)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.state == State.DONE


# --- the task -----------------------------------------------------------------------------------------


def test_the_task_answers_the_job(job: Adjudication) -> None:
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.state == State.DONE
    assert job.answer is not None and job.answer["status"] == "determined"
    assert job.positions == job.answer["counts"]["positions"]
    tasks.adjudicate(job.pk)  # a second delivery
    assert finishes(job) == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("secret detail"), "because of a fault of ours"),
        (RecursionError(), "because of a fault of ours"),
        (
            UserError("x", "Zone hnad is unknown.", place="cards.a.zone"),
            "Zone hnad is unknown. (cards.a.zone)",
        ),
    ],
)
def test_a_failure_inside_the_engine_is_a_sentence(
    job: Adjudication, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise error

    monkeypatch.setattr(engine, "adjudicate", fail)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert told in job.failure
    assert "secret detail" not in job.failure


def test_a_law_that_changed_while_waiting_is_not_answered_under_the_old_name(job: Adjudication) -> None:
    Adjudication.objects.filter(pk=job.pk).update(system_hash="0" * 64)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert (job.state, job.failure) == (State.FAILED, "The rules file changed while this waited. Ask again.")


def test_a_cancelled_exploration_ends_at_its_next_progress(
    job: Adjudication, ann: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "PROGRESS_SECONDS", 0.0)
    steps = []

    def explore(canonical: Any, *, progress: Callable[[int], bool], **how: Any) -> Any:
        for positions in range(500, 5_000, 500):
            steps.append(positions)
            if positions == 1_500:
                services.adjudication_cancel(adjudication=job, by=ann, now=now)
            if not progress(positions):
                raise engine.Cancelled
        return ANSWER

    monkeypatch.setattr(engine, "adjudicate", explore)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert steps == [500, 1_000, 1_500]
    assert (job.state, job.positions) == (State.CANCELLED, 1_000)


def test_the_real_engine_tells_how_far_it_is_and_stops_when_cancelled(
    ann: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "PROGRESS_SECONDS", 0.0)
    large = services.dispute_file(by=ann, title="Large", source=forced_responses(8, differ=True), now=now)
    job = large.adjudications.get()
    noted = services.adjudication_progress

    def note_then_cancel(**given: Any) -> bool:
        assert noted(**given)
        services.adjudication_cancel(adjudication=job, by=ann, now=now)
        return noted(**given)

    monkeypatch.setattr(services, "adjudication_progress", note_then_cancel)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert 0 < job.positions < 2_000
