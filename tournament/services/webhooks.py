"""Telling other programs what happens: addresses of an event, messages, and the job of delivering them.

A message is a row, written in the transaction of what it tells; the broker is a doorbell (docs/jobs.md). It is signed
with a secret that is derived from ours and the webhook's salt, told once and stored nowhere.
"""

import hashlib
import hmac
import json
import secrets
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from config.leases import SWEEP_AT_ONCE, lease_is_over, not_heard, told_ahead
from config.outbound import target_of
from tournament.models import Delivery, Event, User, Webhook
from tournament.selectors import ORGANIZERS, require
from tournament.services.checks import one_of
from tournament.services.locks import lock_event

State = Delivery.State
MOST_WEBHOOKS = 10
WAITS = (10, 60, 300, 1_800, 7_200, 21_600)  # seconds after each try that failed; then it is given up
KEPT = timedelta(days=30)


def webhook_add(
    *, event: Event, address: str, kinds: Iterable[str], by: User, now: datetime
) -> tuple[Webhook, str]:
    """(the webhook, its secret): tell this address from now on. The secret is told here once.

    Raises Forbidden; UserError `bad-address`, `address-not-allowed`, `unknown`; Conflict `too-many-webhooks`.
    """
    require(by, event, ORGANIZERS)
    wanted = sorted({one_of(kind, "kinds", Webhook.Kind.values) for kind in kinds})
    if not wanted:
        raise UserError("missing", _("Say what it is to be told."), place="kinds")
    if len(address) > 500:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": 500}, place="address"
        )
    target_of(address)
    with transaction.atomic():
        event = lock_event(event)
        if Webhook.objects.filter(event=event, removed_at=None).count() >= MOST_WEBHOOKS:
            raise Conflict(
                "too-many-webhooks", _("An event tells %(most)s addresses at most.") % {"most": MOST_WEBHOOKS}
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
            raise Conflict("removed", _("This address is removed already."))
        Delivery.objects.filter(webhook=webhook, state=State.QUEUED).update(
            state=State.FAILED, finished_at=now, failure=_("The address was removed.")
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
            webhook=webhook, message=message, kind=kind, body=body, made_at=now, due_at=now, sent_at=now
        )
        _ring(delivery.pk)
    return len(wanting)


def _ring(pk: int) -> None:
    from tournament import tasks  # the one allowed step upwards (pyproject.toml, import contracts)

    transaction.on_commit(lambda: tasks.deliver.delay(pk), robust=True)


# --- delivering -------------------------------------------------------------------------------------------


def delivery_claim(*, pk: int, now: datetime) -> Delivery | None:
    """Take a message that is due: with a fresh token and lease; None when it is in other hands, or not due.

    No more than WEBHOOK_AT_ONCE run at a time: an address that does not answer must not hold up disputes.
    """
    due = Delivery.objects.filter(pk=pk, state=State.QUEUED, due_at__lte=now)
    running = Delivery.objects.filter(state=State.RUNNING, lease_until__gt=now)
    if not due.exists() or running.count() >= settings.WEBHOOK_AT_ONCE:
        return None
    token = uuid.uuid4().hex
    claimed = due.update(
        state=State.RUNNING,
        token=token,
        lease_until=now + timedelta(seconds=settings.WEBHOOK_LEASE_SECONDS),
        tries=F("tries") + 1,
    )
    found = Delivery.objects.select_related("webhook__event").filter(pk=pk, token=token)
    return found.first() if claimed else None


def delivery_note(*, pk: int, token: str, status: int | None, failure: str = "", now: datetime) -> bool:
    """What came of a try, if it is still this worker's: delivered (2xx), to be tried again later, or given up."""
    mine = Delivery.objects.filter(pk=pk, state=State.RUNNING, token=token)
    found = mine.first()
    if found is None:
        return False
    done = status is not None and 200 <= status < 300
    given_up = not done and found.tries > len(WAITS)
    fields: dict[str, Any] = {"token": "", "lease_until": None, "status": status, "failure": failure[:300]}
    if done or given_up:
        fields |= {"state": State.DONE if done else State.FAILED, "finished_at": now}
    else:
        due = now + timedelta(seconds=WAITS[found.tries - 1])
        fields |= {"state": State.QUEUED, "due_at": due, "sent_at": now}
    return bool(mine.update(**fields))


def delivery_resend(*, delivery: Delivery, by: User, now: datetime) -> Delivery:
    """Send a message again, the same one, at once. Raises Forbidden, Conflict `removed`, `under-way`."""
    event = delivery.webhook.event
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        if delivery.webhook.removed_at is not None:
            raise Conflict("removed", _("This address is removed already."))
        again = Delivery.objects.filter(pk=delivery.pk).exclude(state=State.RUNNING)
        if not again.update(
            state=State.QUEUED, tries=0, finished_at=None, due_at=now, sent_at=now, status=None, failure=""
        ):
            raise Conflict("under-way", _("It is being sent right now."))
        audit("delivery_resend", actor=by, target=delivery, event=event)
        _ring(delivery.pk)
    delivery.refresh_from_db()
    return delivery


def deliveries_sweep(*, now: datetime) -> int:
    """Ring for what is due and was not heard, put back what a dead worker left, forget what is old. Idempotent."""
    touched = Delivery.objects.filter(
        lease_is_over(now, settings.WEBHOOK_LEASE_SECONDS), state=State.RUNNING
    ).update(state=State.QUEUED, token="", lease_until=None, due_at=now)
    Delivery.objects.filter(told_ahead(now), state=State.QUEUED).update(due_at=now)  # so was its next try
    unheard = Delivery.objects.filter(
        not_heard(now, settings.JOB_RESEND_SECONDS), state=State.QUEUED, due_at__lte=now
    )
    for pk in list(unheard.order_by("due_at").values_list("pk", flat=True)[:SWEEP_AT_ONCE]):
        with transaction.atomic():
            if unheard.filter(pk=pk).update(sent_at=now):
                _ring(pk)
                touched += 1
    Delivery.objects.filter(finished_at__lt=now - KEPT).delete()
    return touched


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
