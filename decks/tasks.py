"""What workers do for decks. Thin: claim, judge, store; the rows decide what is true (docs/jobs.md)."""

import logging

from celery import shared_task
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.operations import note_fault
from decks import services

log = logging.getLogger(__name__)


@shared_task(name="decks.recheck")
def recheck(pk: int) -> None:
    """Judge the queued chunk `pk`; does nothing when it is done or in other hands."""
    chunk = services.chunk_claim(pk=pk, now=timezone.now())
    if chunk is None:
        return
    try:
        services.chunk_work(chunk=chunk, now=timezone.now())
    except UserError as error:
        services.chunk_fail(pk=pk, token=chunk.token, reason=error.message, now=timezone.now())
    except (DatabaseError, InterfaceError):
        log.exception("chunk %s: the database refused; its lease runs out, and it is taken up again", pk)
    except Exception as error:
        log.exception("chunk %s failed", pk)
        note_fault(f"re-check, part {pk}", error)
        reason = _("This part could not be finished because of a fault of ours. It has been logged.")
        services.chunk_fail(pk=pk, token=chunk.token, reason=reason, now=timezone.now())


@shared_task(name="decks.sweep")
def sweep() -> None:
    services.chunks_sweep(now=timezone.now())
