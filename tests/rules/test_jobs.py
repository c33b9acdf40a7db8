"""What is a dispute's own of its job; what all kinds share: tests/config/test_jobs.py."""

import mmap
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from config import jobs
from config.errors import Conflict, UserError
from config.operations import resident_bytes
from rules import scenarios, services, tasks
from rules.law.system_files import ENGINE_VERSION
from rules.models import Adjudication, Dispute
from rules.scenarios import adjudicate as engine
from rules.services import adjudications
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
    monkeypatch.setattr(jobs.verbs, "send", lambda kind, pk: calls.append(pk))
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
    def refuse(kind: Any, pk: int) -> None:
        raise ConnectionError("the broker is down")

    monkeypatch.setattr(jobs.verbs, "send", refuse)
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


# --- cancelling and failing ---------------------------------------------------------------------------


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
        claimed = jobs.claim(services.ADJUDICATION, job.pk, now)
        assert claimed is not None
        jobs.fail(services.ADJUDICATION, claimed, UserError("x", "a fault"), now)
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


def test_a_law_that_changed_while_waiting_is_not_answered_under_the_old_name(job: Adjudication) -> None:
    Adjudication.objects.filter(pk=job.pk).update(system_hash="0" * 64)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert (job.state, job.failure) == (
        State.FAILED,
        "The rules file changed while this was waiting. Ask again.",
    )


def test_a_cancelled_exploration_ends_at_its_next_progress(
    job: Adjudication, ann: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adjudications, "PROGRESS_SECONDS", 0.0)
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
    monkeypatch.setattr(adjudications, "PROGRESS_SECONDS", 0.0)
    large = services.dispute_file(by=ann, title="Large", source=forced_responses(8, differ=True), now=now)
    job = large.adjudications.get()
    noted = jobs.note

    def note_then_cancel(*given: Any, **fields: Any) -> bool:
        assert noted(*given, **fields)
        services.adjudication_cancel(adjudication=job, by=ann, now=now)
        return noted(*given, **fields)

    monkeypatch.setattr(jobs, "note", note_then_cancel)
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert 0 < job.positions < 2_000


# --- budgets, and room for others -----------------------------------------------------------------------


LARGE = forced_responses(6, differ=True)


@pytest.fixture
def large(ann: Any, now: datetime, rung: list[int], monkeypatch: pytest.MonkeyPatch) -> Adjudication:
    """A dispute of Ann's that takes long; every position is looked at as if half a second had passed."""
    monkeypatch.setattr(adjudications, "PROGRESS_SECONDS", 0.0)
    return services.dispute_file(by=ann, title="Large", source=LARGE, now=now).adjudications.get()


@pytest.mark.parametrize(
    ("setting", "most", "said"),
    [
        ("ADJUDICATION_SECONDS", 0.0, "within the limit of 0 seconds"),
        ("ADJUDICATION_MEMORY_MB", -1, "within the limit of -1 MB of memory"),
    ],
)
def test_a_run_that_uses_its_budget_up_is_undecided_and_says_of_what(
    large: Adjudication, settings: Any, setting: str, most: float, said: str
) -> None:
    setattr(settings, setting, most)
    tasks.adjudicate(large.pk)
    large.refresh_from_db()
    assert large.answer is not None
    assert (large.state, large.answer["status"]) == (State.DONE, "undecided")
    assert said in large.answer["sentence"]


def test_what_the_clock_stopped_is_not_the_answer_to_who_asks_next(
    large: Adjudication, bo: Any, now: datetime, settings: Any
) -> None:
    settings.ADJUDICATION_SECONDS = 0.0
    tasks.adjudicate(large.pk)
    second = services.dispute_file(by=bo, title="The same", source=LARGE, now=now).adjudications.get()
    assert second.state == State.QUEUED


def test_the_real_memory_of_this_process_is_known() -> None:
    before = resident_bytes()
    with mmap.mmap(
        -1, 50_000_000
    ) as held:  # new pages: an allocator may give back old ones, which were counted
        held.write(b"\1" * len(held))
        assert resident_bytes() - before > 40_000_000


def turn_after_turn(settings: Any, *, shared: bool) -> None:
    settings.TURN_SECONDS = settings.LONG_TURN_SECONDS = 0.0
    settings.LANES_SHARE_A_WORKER = shared


def test_what_takes_long_begins_anew_in_the_lane_for_that(large: Adjudication, settings: Any) -> None:
    """Where that lane has processes of its own. It was no run that ended with its worker."""
    turn_after_turn(settings, shared=False)
    tasks.adjudicate(large.pk)
    large.refresh_from_db()
    assert (large.state, large.lane, large.runs, large.stepped_back) == (State.QUEUED, "long", 0, 1)
    tasks.adjudicate(large.pk)
    large.refresh_from_db()
    assert (large.state, large.lane, large.stepped_back) == (State.DONE, "long", 1), "nobody else waits there"


def test_where_one_worker_serves_both_lanes_it_goes_on_where_it_is(
    large: Adjudication, settings: Any
) -> None:
    turn_after_turn(settings, shared=True)
    tasks.adjudicate(large.pk)
    large.refresh_from_db()
    assert (large.state, large.lane, large.runs, large.stepped_back) == (State.DONE, "long", 1, 0)


def test_a_full_lane_is_waited_for(large: Adjudication, bo: Any, now: datetime, settings: Any) -> None:
    turn_after_turn(settings, shared=True)
    settings.JOBS_AT_ONCE = {"long": 1}
    other = services.dispute_file(by=bo, title="Other", source=SHOTGUN, now=now).adjudications.get()
    Adjudication.objects.filter(pk=other.pk).update(lane="long")
    assert jobs.claim(services.ADJUDICATION, other.pk, timezone.now()) is not None
    tasks.adjudicate(large.pk)
    large.refresh_from_db()
    assert (large.state, large.lane, large.stepped_back) == (State.QUEUED, "long", 1)


@pytest.mark.parametrize("urgent", [True, False], ids=["of a round", "of somebody who had fewer turns"])
def test_a_long_one_makes_room_for_who_is_to_be_served_before(
    large: Adjudication, ann: Any, bo: Any, now: datetime, settings: Any, urgent: bool
) -> None:
    turn_after_turn(settings, shared=False)
    by = ann if urgent else bo
    other = services.dispute_file(by=by, title="Other", source=SHOTGUN, now=now, urgent=urgent)
    asked = other.adjudications.get()
    Adjudication.objects.update(lane="long")
    job = jobs.claim(services.ADJUDICATION, large.pk, timezone.now())
    assert job is not None
    jobs.perform(services.ADJUDICATION, job)
    large.refresh_from_db()
    assert (large.state, large.stepped_back) == (State.QUEUED, 1)
    tasks.adjudicate(asked.pk)  # and whatever waits after it
    assert set(Adjudication.objects.values_list("state", flat=True)) == {State.DONE}


def test_its_turn_is_twice_as_long_each_time_so_that_it_ends(large: Adjudication, settings: Any) -> None:
    large.lane = "long"
    turns = []
    for large.stepped_back in range(4):
        turns.append(adjudications._Progress(large).turn / settings.LONG_TURN_SECONDS)
    assert turns == [1, 2, 4, 8]
