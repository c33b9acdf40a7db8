"""Celery tasks of the service itself. They are thin; the rows decide."""

import time

from celery import shared_task
from django.utils import timezone

from config import idempotency, limits


@shared_task(name="config.sweep")
def sweep() -> None:
    """Forget what need not be remembered any longer."""
    idempotency.sweep(timezone.now())
    limits.sweep(time.time())
