"""An event's settings, its staff and invitations."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.text import whole_number
from tournament import services
from tournament.forms.events import days_typed, with_usual
from tournament.forms.people import ROLES, InviteForm, SettingsForm, StaffForm
from tournament.models import Event, Invitation, Staff
from tournament.selectors import (
    ORGANIZERS,
    OWNER,
    STAFF,
    access_event,
    held_roles,
    policy_of,
    roles_of,
    staff_of,
)
from tournament.selectors.accounts import find_person
from tournament.selectors.entries import access_invite, access_staff, invites_that_work
from tournament.selectors.invitations import access_invitation_of, invitations_of
from tournament.views.events import format_chosen
from tournament.views.requests import PersonRequest

FIELDS = (
    "name", "starts_on", "start", "timezone", "venue", "fee", "description", "capacity", "planned_rounds", "format",
    "format_on", "policy_key", "list_visibility", "adjudication_budget",
)  # fmt: skip
MOMENTS = ("registration_opens", "registration_closes")


@login_required
def event_settings(request: PersonRequest, slug: str) -> HttpResponse:
    """Everything that an event says of itself, on one page."""
    event = access_event(request.user, slug, ORGANIZERS)
    zone = ZoneInfo(event.timezone)
    initial = {field: getattr(event, field) for field in FIELDS}
    initial |= {field: _on_the_clock(getattr(event, field), zone) for field in MOMENTS}
    initial["proposed_for"] = event.format
    running = event.state != Event.State.REGISTRATION
    if not running:
        initial |= days_typed(policy_of(event).two_days)
    sent, usual = with_usual(request.POST or request.GET)
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "running": running,
        "policy": policy_of(event),
    }
    if chosen := format_chosen(
        request, SettingsForm(initial=initial | sent.dict(), running=running), usual, context
    ):
        return chosen
    form = SettingsForm(sent if request.method == "POST" else None, initial=initial, running=running)
    form.usual = usual
    if request.method == "POST" and usual is None and form.is_valid():
        changes = dict(form.cleaned_data)
        with form.catching():
            for field in MOMENTS:
                changes[field] = _in_zone(changes[field], changes["timezone"])
            services.event_change(event=event, by=request.user, now=timezone.now(), **changes)
            messages.success(request, _("Saved."))
            return redirect("event-settings", slug)
    return render(request, "tournament/event_settings.html", {**context, "form": form}, status=form.status)


def _on_the_clock(moment: datetime | None, zone: ZoneInfo) -> str:
    return timezone.localtime(moment, zone).strftime("%Y-%m-%dT%H:%M") if moment else ""


def _in_zone(written: datetime | None, zone: str) -> datetime | None:
    """What was typed is the time on the venue's clock."""
    if written is None:
        return None
    try:
        return written.replace(tzinfo=ZoneInfo(zone))
    except (KeyError, ValueError, OSError) as error:
        message = _("No time zone is named “%(zone)s”.") % {"zone": zone}
        raise UserError("unknown", message, place="timezone") from error


@login_required
def event_staff(request: PersonRequest, slug: str) -> HttpResponse:
    """Who runs the event; inviting by name and by link, taking roles away."""
    event = access_event(request.user, slug, STAFF)
    roles = held_roles(request.user, event)
    do = request.POST.get("do", "")
    grantable = [one.value for one in Staff.Role if OWNER in roles or one not in _OWNERS_ONLY]
    add = StaffForm(request.POST if do == "add" else None, roles=grantable)
    invite = InviteForm(request.POST if do == "invite" else None, roles=grantable)
    form = add if do == "add" else invite
    problem = None
    if request.method == "POST":
        try:
            if do in ("remove", "revoke", "withdraw"):
                return _take_away(request, event, do)
            if form.is_valid():
                with form.catching():
                    return _give(request, event, do, form.cleaned_data)
        except UserError as error:
            if error.status == 404:
                raise
            problem = error
    context = {
        "event": event,
        "roles": roles,
        "rows": [
            (row, ROLES[Staff.Role(row.role)], _may_end(request, roles, row)) for row in staff_of(event)
        ],
        "asked": [
            (one, ROLES[Staff.Role(one.role)], _may_give(roles, one.role)) for one in invitations_of(event)
        ]
        if roles & ORGANIZERS
        else [],
        "add": add,
        "invite": invite,
        "problem": problem or form.problem,
        "organizer": bool(roles & ORGANIZERS),
        "invites": [(one, ROLES[Staff.Role(one.role)]) for one in invites_that_work(event, timezone.now())]
        if roles & ORGANIZERS
        else [],
        "link": request.session.pop(f"invite-{event.pk}", None) if request.method == "GET" else None,
    }
    status = problem.status if problem else form.status
    return render(request, "tournament/event_staff.html", context, status=status)


_OWNERS_ONLY = (Staff.Role.OWNER, Staff.Role.ORGANIZER)


def _may_end(request: PersonRequest, roles: set[str], row: Staff) -> bool:
    if row.user_id == request.user.pk:
        return True
    return _may_give(roles, row.role)


def _may_give(roles: set[str], role: str) -> bool:
    return OWNER in roles or (bool(roles & ORGANIZERS) and role not in _OWNERS_ONLY)


def _give(request: PersonRequest, event: Event, do: str, data: dict[str, Any]) -> HttpResponse:
    now = timezone.now()
    if do == "add":
        person = find_person(data["who"])
        made = services.staff_invite(event=event, user=person, role=data["role"], by=request.user, now=now)
        words = {"name": person, "role": ROLES[data["role"]]}
        if made.state == Invitation.State.ACCEPTED:
            messages.success(request, _("%(name)s is on the event staff: %(role)s.") % words)
        else:
            messages.success(
                request, _("%(name)s is invited: %(role)s. They see it on their home page.") % words
            )
    else:
        link, secret = services.invite_make(event=event, by=request.user, now=now, **data)
        address = request.build_absolute_uri(reverse("join", args=[secret]))
        request.session[f"invite-{event.pk}"] = {
            "address": address,
            "role": str(ROLES[Staff.Role(link.role)]),
        }
    return redirect("event-staff", event.slug)


def _take_away(request: PersonRequest, event: Event, do: str) -> HttpResponse:
    now, pk = timezone.now(), _number(request.POST.get("pk"))
    if do == "remove":
        services.staff_remove(staff=access_staff(request.user, event.slug, pk), by=request.user, now=now)
        messages.success(request, _("The role has been removed."))
    elif do == "withdraw":
        invitation = access_invitation_of(request.user, event.slug, pk)
        services.invitation_withdraw(invitation=invitation, by=request.user, now=now)
        messages.success(request, _("The invitation has been withdrawn."))
    else:
        services.invite_revoke(invite=access_invite(request.user, event.slug, pk), by=request.user, now=now)
        messages.success(request, _("The invitation has been revoked."))
    still = roles_of(request.user, event) & STAFF
    return redirect("event-staff" if still else "event", event.slug)


def _number(given: str | None) -> int:
    return whole_number(given or "") or 0


@login_required
def event_watch(request: PersonRequest, slug: str) -> HttpResponse:
    """Follow an event, or stop following it (POST)."""
    event = access_event(request.user, slug)
    if request.method == "POST":
        do = request.POST.get("do")
        if do not in ("follow", "stop"):
            raise NotFound(_("button"))
        services.event_watch(event=event, watching=do == "follow", by=request.user, now=timezone.now())
    return redirect("event", slug)
