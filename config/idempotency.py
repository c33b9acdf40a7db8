"""Carries out a request once, even if it is sent twice.

Who sends `Idempotency-Key: <any word of one's own>` with a change may send it again when no answer came: the stored
answer is given again. A key belongs to one person, one route and one body. The claim is a row of its own, committed
first (a unique constraint lets one of several in); the work and its answer are then committed together, so that a
process killed in between has done nothing, and the next try may do it. What was refused is not kept: nothing was done.
"""

import hashlib
import json
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.http.request import QueryDict
from django.utils.translation import gettext as _

from config.errors import Conflict, UserError
from config.jobs.model import lease_is_over
from config.models import KeptAnswer
from config.running_time import count_on, running_seconds


class StillRunning(Conflict):
    """Another request with this key is being carried out; `wait` is in seconds."""

    wait = 1

    def __init__(self) -> None:
        super().__init__(
            "still-running",
            _("A request with this idempotency key is still running."),
            place="Idempotency-Key",
            remedy=_("Send it again in a moment to get its response."),
        )


def key_of(headers: Any) -> str:
    """The key that was sent, or "". Raises UserError `bad-idempotency-key`."""
    key: str = headers.get("Idempotency-Key", "").strip()
    if len(key) > 200 or not ((key.isascii() and key.isprintable()) or not key):
        raise UserError(
            "bad-idempotency-key",
            _("An idempotency key must have 1 to 200 plain characters."),
            place="Idempotency-Key",
            remedy=_("Send a fresh random word, for example a UUID."),
        )
    return key


def once(
    *,
    user: Any,
    key: str,
    route: str,
    data: Any,
    now: datetime,
    secret: bool,
    answer: Callable[[], HttpResponse],
) -> HttpResponse:
    """What `answer` makes of this request, rendered, or what it made of it before; its work and the answer are
    committed together. secret: its words are not kept. Raises as `claim` and `again`, and whatever `answer` raises."""
    kept = claim(user=user, key=key, route=route, body_hash=fingerprint(data), now=now)
    if kept.status is not None:
        return again(kept, secret=secret)
    try:
        with transaction.atomic():
            response = answer()
            keep(kept, response, secret=secret)
    except BaseException:
        release(kept)
        raise
    return response


def claim(*, user: Any, key: str, route: str, body_hash: str, now: datetime) -> KeptAnswer:
    """The row of this key: ours to answer when its `status` is empty, else the answer to give again.

    Raises StillRunning; UserError `idempotency-key-reused` (422) when the key stands for another request.
    """
    kept = _begun(user, key, route, body_hash, now)
    if kept is not None:
        return kept
    found = KeptAnswer.objects.filter(user=user, key=key).first()
    if found is None:  # taken back between the two looks
        raise StillRunning
    if found.made_at <= _too_old(running_seconds()):
        KeptAnswer.objects.filter(pk=found.pk, made_at=found.made_at).delete()
        return claim(user=user, key=key, route=route, body_hash=body_hash, now=now)
    if (found.route, found.body_hash) != (route, body_hash):
        raise UserError(
            "idempotency-key-reused",
            _("This idempotency key was used for a different request."),
            place="Idempotency-Key",
            remedy=_("Use a new key for every new request."),
            status=422,
        )
    return found if found.status is not None else _taken_over(found, now)


def _begun(user: Any, key: str, route: str, body_hash: str, now: datetime) -> KeptAnswer | None:
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(
                user=user,
                key=key,
                route=route[:600],
                body_hash=body_hash,
                token=uuid.uuid4().hex,
                lease_until=_lease(now),
                made_at=running_seconds(),
            )
    except IntegrityError:
        return None


def _taken_over(found: KeptAnswer, now: datetime) -> KeptAnswer:
    """The row of a request whose process is gone: it has changed nothing, or its answer would be here."""
    token = uuid.uuid4().hex
    over = lease_is_over(now, settings.IDEMPOTENCY_LEASE_SECONDS)
    taken = KeptAnswer.objects.filter(over, pk=found.pk, token=found.token, status=None).update(
        token=token, lease_until=_lease(now)
    )
    if not taken:
        raise StillRunning
    found.token = token
    return found


def keep(kept: KeptAnswer, response: HttpResponse, *, secret: bool) -> None:
    """Store the rendered answer, inside the transaction of the work itself. secret: its words are not kept.

    Raises StillRunning when the row was taken over meanwhile: then our work must not count.
    """
    stored = KeptAnswer.objects.filter(pk=kept.pk, token=kept.token, status=None).update(
        status=response.status_code,
        lease_until=None,
        content_type=response.get("Content-Type", ""),
        content="" if secret else response.content.decode(),
    )
    if not stored:
        raise StillRunning


def release(kept: KeptAnswer) -> None:
    """Nothing was done: the key is free again."""
    KeptAnswer.objects.filter(pk=kept.pk, token=kept.token, status=None).delete()


def again(kept: KeptAnswer, *, secret: bool) -> HttpResponse:
    """The stored answer. Raises Conflict `answered-before` where it held a secret, which is told once."""
    if secret:
        raise Conflict(
            "answered-before",
            _("This request was already carried out; its response held a secret that is shown only once."),
            place="Idempotency-Key",
            remedy=_("If you lost the secret, revoke it and create a new one."),
        )
    response = HttpResponse(kept.content, status=kept.status)
    if kept.content_type:
        response["Content-Type"] = kept.content_type
    else:
        del response["Content-Type"]
    response["Idempotent-Replayed"] = "true"
    return response


def fingerprint(data: Any) -> str:
    """A hash of what was sent: the same fields give the same, in whatever order, however they were encoded."""
    if isinstance(data, QueryDict):
        data = {name: [_plain(one) for one in values] for name, values in data.lists()}
    text = json.dumps(data, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> str:
    """A field of a form; of an uploaded file, its hash."""
    if not hasattr(value, "chunks"):
        return str(value)
    digest = hashlib.sha256()
    for chunk in value.chunks():
        digest.update(chunk)
    value.seek(0)
    return f"{value.name}:{digest.hexdigest()}"


def sweep(now: datetime) -> int:
    """Forget answers that are old enough, by the time the service ran; how many. A lease is never so long."""
    return KeptAnswer.objects.filter(made_at__lte=_too_old(count_on(now))).delete()[0]


def _too_old(running: int) -> int:
    return running - settings.IDEMPOTENCY_HOURS * 3600


def _lease(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.IDEMPOTENCY_LEASE_SECONDS)
