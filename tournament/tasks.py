"""Celery tasks for events (docs/jobs.md). They are thin; services decide."""

from celery import shared_task
from django.utils import timezone

from config import jobs
from tournament import services


@shared_task(name=services.FILE.name)
def read(pk: int) -> None:
    """Read the files that wait, in turn, as one was sent (`pk`)."""
    jobs.work_off(services.FILE, pk)


@shared_task(name=services.MESSAGE.name)
def deliver(pk: int) -> None:
    """Send the messages that are due, in turn, as one was queued (`pk`)."""
    jobs.work_off(services.MESSAGE, pk)


@shared_task(name=services.ALERT.name)
def alert(pk: int) -> None:
    """Send the alerts that are due in a lane, in turn, as one was queued (`pk`)."""
    jobs.work_off(services.ALERT, pk)


@shared_task(name="tournament.sweep")
def sweep() -> None:
    services.imports_sweep(now=timezone.now())
    services.deliveries_sweep(now=timezone.now())
    services.alerts_sweep(now=timezone.now())
    services.secrets_sweep(now=timezone.now())
