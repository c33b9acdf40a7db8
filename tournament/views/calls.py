"""Judge calls for staff: the queue, and one call from “on my way” to closed."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound, UserError
from config.live import is_poll, render_live
from rules.models import Dispute
from tournament import services
from tournament.forms.judging import CallDoneForm, CallForm
from tournament.models import Event, JudgeCall
from tournament.selectors import HEAD_JUDGES, JUDGES, STAFF, access_event, held_roles, require
from tournament.selectors.calls import (
    access_call,
    lost_minutes,
    may_read,
    past_calls,
    queue,
    sits_at,
    table_now,
)
from tournament.selectors.overview import event_version
from tournament.selectors.remarks import asks_advice
from tournament.selectors.rulings import open_appeals, party_of, rulings_at
from tournament.views.remarks import said, told_about
from tournament.views.requests import PersonRequest, whole
from tournament.views.rulings import unruled_dispute
from tournament.words import call_from

SAID = ("statement", "consult", "note")  # what goes into the table's file
LATE = 5  # minutes after which a call stands out


@login_required
def calls(request: PersonRequest, slug: str) -> HttpResponse:
    """The queue, the oldest call first; taking one leads to its page."""
    event = access_event(request.user, slug, STAFF)
    form = CallForm(request.POST if request.POST.get("do") == "call" else None)
    problem = None
    if request.POST.get("do") == "claim":
        try:
            return _claimed(request, event)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    elif form.is_valid():
        with form.catching():
            services.table_call_open(event=event, by=request.user, now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("A judge has been called."))
            return redirect("event-calls", slug)
    response = render_live(
        request,
        page="tournament/calls.html",
        part="tournament/_calls_live.html",
        version=(event_version(event), int(timezone.now().timestamp()) // 30),  # ages are told in minutes
        context=lambda: {**_queue(request, event), "form": form, "problem": problem},
    )
    response.status_code = problem.status if problem else form.status
    return response


def _claimed(request: PersonRequest, event: Event) -> HttpResponse:
    call = access_call(request.user, event.slug, whole(request, "call"))
    services.call_claim(call=call, by=request.user, now=timezone.now())
    return redirect("call", event.slug, call.pk)


def _queue(request: PersonRequest, event: Event) -> dict[str, Any]:
    roles, now = held_roles(request.user, event), timezone.now()
    rows = [_line(request, call, roles, now) for call in queue(event)]
    return {
        "event": event,
        "roles": roles,
        "rows": rows,
        "next": next((row["call"] for row in rows if row["may_claim"]), None),
        "appeals": [one for one in open_appeals(event) if party_of(request.user, one.match) is None],
        "past": [_line(request, call, roles, now) for call in past_calls(event)[:8]],
        "polled": is_poll(request),
    }


def _line(request: PersonRequest, call: JudgeCall, roles: set[str], now: datetime) -> dict[str, Any]:
    minutes = int((now - call.opened_at).total_seconds() // 60)
    own = sits_at(request.user, call)
    return {
        "call": call,
        "table_now": table_now(call),
        "known": may_read(request.user, call),
        "minutes": minutes,
        "advice": asks_advice(call),
        "late": minutes >= LATE and call.judge_id is None,
        "chip": f"call-{call.state.value}",
        "mine": call.judge_id == request.user.pk,
        "may_claim": call.state == JudgeCall.State.OPEN and bool(roles & JUDGES) and not own,
    }


@login_required
def call_page(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    """One call, for staff: who, what, since when; the dispute, penalties, and the end of it."""
    call = access_call(request.user, slug, pk)
    roles = require(request.user, call.event, STAFF)
    form = CallDoneForm(
        request.POST if request.POST.get("do") == "close" else None,
        lost=None if call.match is None else lost_minutes(call, timezone.now()),
        alone=call.registration is not None,
    )
    problem = None
    if request.method == "POST":
        try:
            if (done := _did(request, call, form)) is not None:
                return done
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
            call = access_call(request.user, slug, pk)
    context = {"form": form, "problem": problem, **_call(request, call, roles)}
    return render(request, "tournament/call.html", context, status=problem.status if problem else form.status)


def _call(request: PersonRequest, call: JudgeCall, roles: set[str]) -> dict[str, Any]:
    state, State = call.state, JudgeCall.State
    judge = bool(roles & JUDGES) and not sits_at(request.user, call)
    reach = judge and (call.judge_id == request.user.pk or bool(roles & HEAD_JUDGES))
    return {
        "event": call.event,
        "roles": roles,
        "call": call,
        "table_now": table_now(call),
        "chip_key": f"call-{state.value}",
        "known": may_read(request.user, call),
        "judge": judge,
        "may_claim": judge and state == State.OPEN,
        "may_close": reach and state == State.CLAIMED,
        "may_release": reach and state == State.CLAIMED,
        "may_withdraw": state == State.OPEN and call.opened_by_id == request.user.pk,
        "asked": _asked(call) if judge else None,
        "call_given": list(rulings_at(call.match)) if call.match and judge else [],
        **(told_about(request, call.match or call) if judge else {}),
    }


def _asked(call: JudgeCall) -> Dispute | None:
    """What was asked of the engine because of the call, or before it at the same table."""
    if call.dispute is not None:
        return call.dispute.dispute
    return unruled_dispute(call.match) if call.match is not None else None


def _did(request: PersonRequest, call: JudgeCall, form: CallDoneForm) -> HttpResponse | None:
    by, now, do = request.user, timezone.now(), request.POST.get("do")
    slug = call.event.slug
    if do == "claim":
        services.call_claim(call=call, by=by, now=now)
        return redirect("call", slug, call.pk)
    if do in SAID:
        said(request, call.match or call)
        return redirect("call", slug, call.pk)
    if do == "release":
        services.call_release(call=call, by=by, now=now)
    elif do == "withdraw":
        services.call_withdraw(call=call, by=by, now=now)
    elif do == "close" and form.is_valid():
        with form.catching():
            services.call_close(call=call, by=by, now=now, **form.told())
            messages.success(request, _("The call is closed: %(where)s.") % {"where": call_from(call)})
            return redirect("event-calls", slug)
        return None
    else:
        return None
    return redirect("event-calls", slug)
