"""Forms that wait on a device without a network (outbox.js sends them): carried out once, answered in JSON.

Such a request brings an idempotency key, and says in `by` who wrote it: on a device that two people share, what one
wrote is not sent in the other's name.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from config import idempotency
from config.errors import Conflict


def is_from_outbox(request: HttpRequest) -> bool:
    return request.method == "POST" and "Idempotency-Key" in request.headers


def answer_outbox(request: HttpRequest, work: Callable[[], dict[str, Any]]) -> HttpResponse:
    """Carry the form out once: what `work` tells, as JSON. Raises Conflict `other-account`, as `idempotency.once`, and
    whatever `work` raises; `config.errors` makes JSON of it."""
    if request.POST.get("by") != str(request.user.pk):
        raise Conflict(
            "other-account",
            _("Someone else is logged in on this device now."),
            remedy=_("Log in as the person who wrote it. It is kept until then."),
        )
    data = request.POST.copy()
    data.pop("csrfmiddlewaretoken", None)  # of the page it was written on, or of the one that sends it
    return idempotency.once(
        user=request.user,
        key=idempotency.key_of(request.headers),
        route=f"POST {request.path}",
        data=data,
        now=timezone.now(),
        secret=False,
        answer=lambda: JsonResponse(work()),
    )
