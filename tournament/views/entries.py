"""Editing one registration: name, codes, account, the waiting list."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound, UserError
from tournament import services
from tournament.forms.events import ReasonForm
from tournament.forms.people import AccountNameForm, EntryForm
from tournament.models import Registration
from tournament.selectors import ORGANIZERS, STAFF, access_registration, held_roles, require
from tournament.selectors.accounts import person_of
from tournament.selectors.codes import claim_code, readable_code, spoken_code
from tournament.selectors.entries import place_in_line
from tournament.selectors.invitations import access_asked_about, asked_about
from tournament.views.requests import PersonRequest


@login_required
def player_edit(request: PersonRequest, slug: str, pk: int) -> HttpResponse:
    entry = access_registration(request.user, slug, pk)
    event = entry.event
    require(request.user, event, STAFF)
    do = request.POST.get("do", "")
    told = {field: getattr(entry, field) for field in ("name", "club", "pronouns")}
    form = EntryForm(request.POST if do == "change" else None, initial=told)
    invite = AccountNameForm(request.POST if do == "invite" else None)
    reason = ReasonForm(request.POST if do in ("admit", "unclaim") else None)
    problem = None
    if request.method == "POST":
        try:
            if _did(request, entry, do, form, reason, invite):
                return redirect("player-edit", slug, pk)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    roles = held_roles(request.user, event)
    code = claim_code(entry)
    context = {
        "event": event,
        "entry": entry,
        "roles": roles,
        "organizer": bool(roles & ORGANIZERS),
        "form": form,
        "reason": reason,
        "invite": invite,
        "asked": asked_about(entry),
        "do": do,
        "problem": problem,
        "line": place_in_line(entry) if entry.state == Registration.State.WAITING else 0,
        "code": readable_code(code),
        "address": request.build_absolute_uri(reverse("claim-code", args=[slug, code])),
    }
    status = problem.status if problem else max(form.status, reason.status, invite.status)
    return render(request, "tournament/player_edit.html", context, status=status)


def _did(
    request: PersonRequest,
    entry: Registration,
    do: str,
    form: EntryForm,
    reason: ReasonForm,
    invite: AccountNameForm,
) -> bool:
    """Whether what was asked for was done; False when a field is wrong."""
    now, by = timezone.now(), request.user
    if do == "change" and form.is_valid():
        services.player_change(registration=entry, by=by, now=now, **form.cleaned_data)
        messages.success(request, _("Saved."))
    elif do == "admit" and reason.is_valid():
        services.player_admit(registration=entry, reason=reason.cleaned_data["reason"], by=by, now=now)
        messages.success(request, _("%(name)s has been admitted.") % {"name": entry.name})
    elif do == "unclaim" and reason.is_valid():
        services.player_unclaim(registration=entry, reason=reason.cleaned_data["reason"], by=by, now=now)
    elif do == "code":
        code = services.code_make(registration=entry, by=by, now=now)
        told = {"name": entry.user, "username": entry.user and entry.user.username, "code": spoken_code(code)}
        said = _("One-time code for %(name)s (user name %(username)s): %(code)s. It works for 15 minutes.")
        messages.success(request, said % told)
    elif do == "invite" and invite.is_valid():
        user = person_of(invite.cleaned_data["account"], "account")
        services.player_invite(registration=entry, user=user, by=by, now=now)
    elif do == "withdraw":
        services.invitation_withdraw(invitation=access_asked_about(entry), by=by, now=now)
        messages.success(request, _("The invitation has been withdrawn."))
    elif do == "renew":
        services.codes_renew(registration=entry, by=by, now=now)
        messages.success(request, _("The old codes no longer work."))
    else:
        return False
    return True
