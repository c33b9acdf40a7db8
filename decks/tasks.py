"""Celery tasks for decks (docs/jobs.md). They are thin; services decide."""

from celery import shared_task
from django.utils import timezone

from config import jobs
from decks import services


@shared_task(name=services.RECHECK.name)
def recheck(pk: int) -> None:
    """Judge the lists that wait to be judged again, in turn, as some were asked for (`pk`)."""
    jobs.work_off(services.RECHECK, pk)


@shared_task(name=services.TEXTS.name)
def texts(pk: int) -> None:
    """Read the card texts that wait, in turn, as some were imported (`pk`)."""
    jobs.work_off(services.TEXTS, pk)


@shared_task(name="decks.sweep")
def sweep() -> None:
    jobs.sweep(services.RECHECK, timezone.now())
    jobs.sweep(services.TEXTS, timezone.now())
