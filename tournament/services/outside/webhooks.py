"""Notifies other programs: an event's URLs, the messages, and the job that delivers them.

A message is a job (docs/jobs.md), written in the transaction of what it tells. It is signed
with a secret that is derived from ours and the webhook's salt, told once and stored nowhere.
"""

import hashlib
import hmac
import http.client
import json
import logging
import secrets
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from config import jobs
from config.audit import audit
from config.errors import Conflict, UserError
from config.outbound import post, target_of
from tournament.models import Delivery, Event, User, Webhook
from tournament.selectors import ORGANIZERS, require
from tournament.services.checks import one_of
from tournament.services.locks import lock_event

State = Delivery.State
MOST_WEBHOOKS = 10
KEPT = timedelta(days=30)

log = logging.getLogger(__name__)


def webhook_add(
    *, event: Event, address: str, kinds: Iterable[str], by: User, now: datetime
) -> tuple[Webhook, str]:
    """(the webhook, its secret): tell this address from now on. The secret is told here once.

    Raises Forbidden; UserError `bad-address`, `address-not-allowed`, `unknown`; Conflict `too-many-webhooks`.
    """
    require(by, event, ORGANIZERS)
    wanted = sorted({one_of(kind, "kinds", Webhook.Kind.values) for kind in kinds})
    if not wanted:
        raise UserError("missing", _("Choose what to be notified about."), place="kinds")
    if len(address) > 500:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": 500}, place="address"
        )
    target_of(address)
    with transaction.atomic():
        event = lock_event(event)
        if Webhook.objects.filter(event=event, removed_at=None).count() >= MOST_WEBHOOKS:
            raise Conflict(
                "too-many-webhooks",
                _("An event can have at most %(most)s webhooks.") % {"most": MOST_WEBHOOKS},
            )
        webhook = Webhook.objects.create(
            event=event, address=address, kinds=wanted, salt=secrets.token_hex(16), made_by=by, made_at=now
        )
        audit("webhook_add", actor=by, target=webhook, event=event, data={"kinds": wanted})
    return webhook, secret_of(webhook)


def webhook_remove(*, webhook: Webhook, by: User, now: datetime) -> None:
    """Tell this address nothing more; what waited for it is given up. Raises Forbidden, Conflict `removed`."""
    require(by, webhook.event, ORGANIZERS)
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, removed_at=None).update(removed_at=now):
            raise Conflict("removed", _("This URL has already been removed."))
        Delivery.objects.filter(webhook=webhook, state=State.QUEUED).update(
            state=State.FAILED, finished_at=now, failure=_("The URL was removed.")
        )
        audit("webhook_remove", actor=by, target=webhook, event=webhook.event)


def secret_of(webhook: Webhook) -> str:
    return "whsec_" + salted_hmac("tournament.webhooks", webhook.salt, algorithm="sha256").hexdigest()


def signed(webhook: Webhook, body: bytes, at: datetime) -> str:
    """The header that proves the message ours and fresh: `t=seconds,v1=HMAC-SHA256 of "seconds.body"`."""
    seconds = int(at.timestamp())
    mark = hmac.new(secret_of(webhook).encode(), f"{seconds}.".encode() + body, hashlib.sha256)
    return f"t={seconds},v1={mark.hexdigest()}"


# --- what is told -----------------------------------------------------------------------------------------


def tell(*, event: Event, kind: str, data: dict[str, Any], now: datetime) -> int:
    """Queue a message to everybody who wants this kind; how many. Inside the transaction of what it tells."""
    wanting = [one for one in Webhook.objects.filter(event=event, removed_at=None) if kind in one.kinds]
    for webhook in wanting:
        message = uuid.uuid4()
        body = {
            "id": str(message),
            "kind": kind,
            "event": event.slug,
            "at": now.isoformat(),
            "data": data,
        }
        delivery = Delivery.objects.create(
            webhook=webhook,
            message=message,
            kind=kind,
            body=body,
            lane=jobs.Lane.WEBHOOKS,
            made_at=now,
            queued_at=now,
            due_at=now,
            sent_at=now,
        )
        jobs.ring(MESSAGE, delivery.pk)
    return len(wanting)


# --- delivering -------------------------------------------------------------------------------------------


def _work(delivery: Delivery) -> None:
    """Try once: delivered (2xx), to be tried again later, or given up."""
    body, headers = envelope(delivery, timezone.now())
    status, failure = None, ""
    try:
        status = post(delivery.webhook.address, body, headers)
    except UserError as refused:
        failure = refused.message
    except (OSError, http.client.HTTPException, ValueError) as error:
        failure = f"{type(error).__name__}: {error}"
    _note(delivery, status, failure, timezone.now())
    log.info("message %s to webhook %s: %s", delivery.message, delivery.webhook_id, status or failure)


def _note(delivery: Delivery, status: int | None, failure: str, now: datetime) -> None:
    if status is not None and 200 <= status < 300:
        jobs.finish(MESSAGE, delivery, now, status=status, failure="")
    elif delivery.runs > len(settings.WEBHOOK_WAITS):
        jobs.fail(MESSAGE, delivery, UserError("not-delivered", failure), now, status=status)
    else:
        due = now + timedelta(seconds=settings.WEBHOOK_WAITS[delivery.runs - 1])
        with transaction.atomic():
            jobs.put_back(
                MESSAGE, delivery, now, due_at=due, queued_at=due, status=status, failure=failure[:300]
            )
            if status is None:
                _all_wait(delivery, failure, now, due)


def _all_wait(delivery: Delivery, failure: str, now: datetime, due: datetime) -> None:
    """A receiver that does not answer is asked with one message, not with each that waits for it: every try takes
    seconds that others wait. It counts as a try of theirs, too."""
    waiting = Delivery.objects.filter(webhook=delivery.webhook_id, state=State.QUEUED, due_at__lte=now)
    waiting.update(due_at=due, queued_at=due, runs=Greatest(F("runs"), delivery.runs), failure=failure[:300])


MESSAGE = jobs.Kind(
    name="tournament.deliver",
    word="message",
    model=Delivery,
    owner="webhook",
    work=_work,
    lease="WEBHOOK_LEASE_SECONDS",
    related=("webhook__event",),
    most_runs=len(settings.WEBHOOK_WAITS) + 1,
    told=lambda error: {"failure": error.message[:300]},
)


def delivery_resend(*, delivery: Delivery, by: User, now: datetime) -> Delivery:
    """Send a message again, the same one, at once. Raises Forbidden, Conflict `removed`, `under-way`."""
    event = delivery.webhook.event
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        if delivery.webhook.removed_at is not None:
            raise Conflict("removed", _("This URL has already been removed."))
        if not jobs.queue(MESSAGE, Q(pk=delivery.pk), now, due_at=now, status=None, failure=""):
            raise Conflict("under-way", _("It is being sent right now."))
        audit("delivery_resend", actor=by, target=delivery, event=event)
    delivery.refresh_from_db()
    return delivery


def deliveries_sweep(*, now: datetime) -> int:
    """As `jobs.sweep`; what is old is forgotten."""
    Delivery.objects.filter(finished_at__lt=now - KEPT).delete()
    return jobs.sweep(MESSAGE, now)


def envelope(delivery: Delivery, now: datetime) -> tuple[bytes, dict[str, str]]:
    """(body, headers) of a try."""
    body = json.dumps(delivery.body, ensure_ascii=False).encode()
    return body, {
        "Content-Type": "application/json",
        "User-Agent": "Headjudge",
        "Headjudge-Message": str(delivery.message),
        "Headjudge-Kind": delivery.kind,
        "Headjudge-Signature": signed(delivery.webhook, body, now),
    }
