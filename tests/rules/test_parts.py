"""A large exploration in parts (docs/jobs.md), step by step and without a broker: the answer of one worker."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from rules import adjudicate as engine
from rules import selectors, services, tasks
from rules.models import Adjudication, AdjudicationPart
from tests.bench.rules import forced_responses
from tournament.models import AuditRow

State = Adjudication.State
LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
SECOND = timedelta(seconds=1)
SOURCE = forced_responses(5, differ=True)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What the broker was told of, in order; to be worked off by `work`."""
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(tasks.adjudicate, "delay", lambda pk: calls.append(("whole", pk)))
    monkeypatch.setattr(tasks.explore_part, "delay", lambda pk: calls.append(("part", pk)))
    # What is rung on commit is told at once: a test's transaction never commits.
    monkeypatch.setattr(transaction, "on_commit", lambda call, robust=False: call())
    return calls


@pytest.fixture
def file(ann: Any, now: datetime, rung: Any, settings: Any) -> Callable[..., Adjudication]:
    def file(split_after: int, source: str = SOURCE, budget: int | None = None) -> Adjudication:
        settings.ADJUDICATION_SPLIT_AFTER = split_after
        made = services.dispute_file(by=ann, title="Large", source=source, now=now, budget=budget)
        return made.adjudications.get()

    return file


def work(rung: list[tuple[str, int]]) -> list[str]:
    """Workers do what they are told until there is nothing left; what they did."""
    did = []
    while rung:
        kind, pk = rung.pop(0)
        did.append(kind)
        tasks.adjudicate(pk) if kind == "whole" else tasks.explore_part(pk)
    return did


def answer_of(job: Adjudication) -> str:
    job.refresh_from_db()
    assert job.state == State.DONE, job.failure
    return json.dumps(job.answer)


@pytest.fixture
def split(file: Callable[..., Adjudication], rung: Any) -> Adjudication:
    """A run that its first worker has handed out."""
    job = file(split_after=1)
    tasks.adjudicate(rung.pop(0)[1])
    job.refresh_from_db()
    assert job.state == State.SPLIT
    return job


def test_several_workers_answer_to_the_byte_what_one_does(
    file: Callable[..., Adjudication], rung: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []
    adjudicate = engine.adjudicate

    def noting(*given: Any, **more: Any) -> Any:
        used.append(len(more.get("partials") or ()))
        return adjudicate(*given, **more)

    monkeypatch.setattr(engine, "adjudicate", noting)
    alone = file(split_after=0)
    assert work(rung) == ["whole"]
    said = answer_of(alone)
    Adjudication.objects.all().delete()  # else it would be answered from store
    together = file(split_after=1)
    did = work(rung)
    assert did[0] == did[-1] == "whole" and did.count("part") >= 16 and len(set(did)) == 2
    assert answer_of(together) == said
    assert used == [0, 0, did.count("part")], "what the parts found out is looked up, not explored again"
    assert not AdjudicationPart.objects.exists()
    finishes = AuditRow.objects.filter(verb="adjudication_finish", target_id=str(together.pk))
    assert finishes.count() == 1


def test_only_so_many_parts_are_in_work_at_a_time(split: Adjudication, rung: Any) -> None:
    """So that other disputes find a worker."""
    assert [kind for kind, _ in rung] == ["part"] * settings.ADJUDICATION_PARTS_AT_ONCE
    tasks.explore_part(rung.pop(0)[1])
    assert len(rung) == settings.ADJUDICATION_PARTS_AT_ONCE


def test_a_part_goes_to_one_worker_and_a_second_delivery_does_nothing(
    split: Adjudication, rung: Any, now: datetime
) -> None:
    pk = rung[0][1]
    assert services.part_claim(pk=pk, now=now) is not None
    assert services.part_claim(pk=pk, now=now) is None


def test_the_parts_of_a_dead_worker_are_taken_up_again_and_it_cannot_overwrite(
    split: Adjudication, rung: Any, now: datetime
) -> None:
    pk = rung.pop(0)[1]
    dead = services.part_claim(pk=pk, now=now)
    assert dead is not None
    rung.clear()
    later = now + LEASE + SECOND
    assert services.parts_sweep(now=later) >= 1
    assert ("part", pk) in rung
    assert not services.part_progress(part=dead, positions=1, now=later)
    assert not services.part_finish(part=dead, found={"state": "unfit"}, now=later)
    work(rung)
    answer_of(split)


def test_messages_that_were_lost_are_sent_again(split: Adjudication, rung: Any, now: datetime) -> None:
    lost = set(rung)
    rung.clear()
    AdjudicationPart.objects.filter(sent_at__isnull=False).update(sent_at=now)
    assert services.parts_sweep(now=now + SECOND) == 0
    assert services.parts_sweep(now=now + timedelta(seconds=settings.JOB_RESEND_SECONDS)) == len(lost)
    assert set(rung) == lost


def test_a_part_that_nobody_takes_shows_in_readiness(split: Adjudication, rung: Any) -> None:
    later = timezone.now() + timedelta(minutes=5)
    AdjudicationPart.objects.filter(sent_at__isnull=False).update(sent_at=later - timedelta(seconds=40))
    assert 39 < selectors.oldest_queued_seconds(later) < 41
    pk = rung[0][1]
    claimed = services.part_claim(pk=pk, now=later)
    assert claimed is not None
    AdjudicationPart.objects.exclude(pk=pk).delete()
    assert selectors.oldest_queued_seconds(later) == 0.0  # one is at work, however long the run takes
    assert selectors.oldest_queued_seconds(later + LEASE + 3 * SECOND) == 3.0  # its worker is gone


def test_parts_that_nobody_put_together_are_put_together(
    split: Adjudication, rung: Any, now: datetime
) -> None:
    """As after a worker that died between its last part and the ring: the rows say what is to be done."""
    AdjudicationPart.objects.update(state="done", found=b"")
    rung.clear()
    assert services.parts_sweep(now=now) == 1
    assert rung == [("whole", split.pk)]


def test_a_part_that_kills_its_workers_fails_the_run_with_a_reason(
    split: Adjudication, rung: Any, now: datetime
) -> None:
    pk, at = rung[0][1], now
    for _ in range(settings.JOB_MAX_RUNS):
        assert services.part_claim(pk=pk, now=at) is not None
        at += LEASE + SECOND
        services.parts_sweep(now=at)
    split.refresh_from_db()
    assert (split.state, split.failure) == (State.FAILED, "The worker stopped 3 times while working on this.")
    assert not AdjudicationPart.objects.exists()


def test_cancelling_ends_every_part(split: Adjudication, rung: Any, ann: Any, now: datetime) -> None:
    part = services.part_claim(pk=rung[0][1], now=now)
    assert part is not None
    services.adjudication_cancel(adjudication=split, by=ann, now=now)
    assert not services.part_progress(part=part, positions=1, now=now)
    assert not services.part_finish(part=part, found={"state": "unfit"}, now=now)
    work(rung)
    split.refresh_from_db()
    assert split.state == State.CANCELLED and not AdjudicationPart.objects.exists()


def test_progress_is_the_sum_of_the_parts(split: Adjudication, rung: Any, now: datetime) -> None:
    for (_, pk), positions in zip(rung, (300, 40), strict=False):
        part = services.part_claim(pk=pk, now=now)
        assert part is not None and services.part_progress(part=part, positions=positions, now=now)
    split.refresh_from_db()
    assert split.positions == 340


def test_one_part_over_the_budget_ends_the_whole(file: Callable[..., Adjudication], rung: Any) -> None:
    job = file(split_after=1, budget=60)
    alone = file(split_after=0, budget=60, source=SOURCE + "\n")
    did = work(rung)
    assert did.count("part") < 16
    job.refresh_from_db()
    alone.refresh_from_db()
    assert job.answer is not None and job.answer["status"] == "undecided"
    assert (job.answer, job.state) == (alone.answer, State.DONE)


def test_an_undecided_question_may_be_asked_again_with_a_larger_budget(
    file: Callable[..., Adjudication], rung: Any, ann: Any, now: datetime
) -> None:
    from rules import scenario

    job = file(split_after=0, budget=60)
    work(rung)
    assert '"undecided"' in answer_of(job)
    again = services.adjudication_queue(dispute=job.dispute, scenario=scenario.read(SOURCE), by=ann, now=now)
    assert (again.pk, again.state, again.budget) == (job.pk, State.QUEUED, settings.ADJUDICATION_BUDGET)
    work(rung)
    assert '"undecided"' not in answer_of(job)


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_moved_clock_stops_nothing(split: Adjudication, rung: Any, now: datetime, hours: int) -> None:
    """A lease, and a message's time, told by a clock that has been set back or forward since."""
    pk = rung[0][1]
    assert services.part_claim(pk=pk, now=now) is not None
    rung.clear()
    moved = now + timedelta(hours=hours)
    AdjudicationPart.objects.filter(state="queued", sent_at__isnull=False).update(sent_at=now)
    services.parts_sweep(now=moved)
    assert ("part", pk) in rung and len(rung) == settings.ADJUDICATION_PARTS_AT_ONCE
