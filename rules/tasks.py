"""Celery tasks for disputes (docs/jobs.md). They are thin; services decide."""

from celery import shared_task
from django.utils import timezone

from config import jobs
from rules import services


@shared_task(name=services.ADJUDICATION.name)
def adjudicate(pk: int) -> None:
    """Answer what waits, in turn, as a question was put (`pk`)."""
    jobs.work_off(services.ADJUDICATION, pk)


@shared_task(name="rules.sweep")
def sweep() -> None:
    jobs.sweep(services.ADJUDICATION, timezone.now())
    services.law_runs_sweep(now=timezone.now())
