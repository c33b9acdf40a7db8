"""What workers do for events. Thin: claim, work, store; the rows decide what is true (docs/jobs.md)."""

import http.client
import logging

from celery import shared_task
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.operations import note_fault
from config.outbound import post
from tournament import services

log = logging.getLogger(__name__)


@shared_task(name="tournament.read")
def read(pk: int) -> None:
    """Read the queued file `pk`; does nothing when it is done or in other hands."""
    job = services.import_claim(pk=pk, now=timezone.now())
    if job is None:
        return
    try:
        services.import_work(job=job, now=timezone.now())
    except UserError as error:
        services.import_fail(pk=pk, token=job.token, error=error, now=timezone.now())
    except (DatabaseError, InterfaceError):
        log.exception("file %s: the database refused; its lease runs out, and it is taken up again", pk)
    except Exception as error:
        log.exception("job %s failed", pk)
        note_fault(f"file {pk}", error)
        fault = UserError(
            "fault",
            _("This file could not be read because of a fault of ours. It has been logged."),
            remedy=_("Nothing was stored."),
        )
        services.import_fail(pk=pk, token=job.token, error=fault, now=timezone.now())


@shared_task(name="tournament.deliver")
def deliver(pk: int) -> None:
    """Send the queued message `pk`; does nothing when it is sent, not due, or in other hands."""
    delivery = services.delivery_claim(pk=pk, now=timezone.now())
    if delivery is None:
        return
    body, headers = services.envelope(delivery, timezone.now())
    status, failure = None, ""
    try:
        status = post(delivery.webhook.address, body, headers)
    except UserError as refused:
        failure = refused.message
    except (OSError, http.client.HTTPException, ValueError) as error:
        failure = f"{type(error).__name__}: {error}"
    services.delivery_note(pk=pk, token=delivery.token, status=status, failure=failure, now=timezone.now())
    log.info("message %s to webhook %s: %s", delivery.message, delivery.webhook_id, status or failure)


@shared_task(name="tournament.sweep")
def sweep() -> None:
    services.imports_sweep(now=timezone.now())
    services.deliveries_sweep(now=timezone.now())
