"""Who is banned from an event."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament import services
from tournament.forms.people import BanForm
from tournament.selectors import HEAD_JUDGES, access_event, held_roles
from tournament.selectors.accounts import find_person
from tournament.selectors.bans import access_ban, bans_of
from tournament.views.requests import PersonRequest, whole


@login_required
def event_bans(request: PersonRequest, slug: str) -> HttpResponse:
    event = access_event(request.user, slug, HEAD_JUDGES)
    now = timezone.now()
    if request.POST.get("do") == "lift":
        ban = access_ban(request.user, slug, whole(request, "pk"))
        services.event_unban(ban=ban, by=request.user, now=now)
        messages.success(request, _("The ban has been lifted."))
        return redirect("event-bans", slug)
    if request.POST.get("do", "ban") != "ban":
        raise NotFound(_("button"))
    form = BanForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            person = find_person(form.cleaned_data["who"])
            reason = form.cleaned_data["reason"]
            services.event_ban(event=event, user=person, reason=reason, by=request.user, now=now)
            messages.success(request, _("%(name)s can no longer take part.") % {"name": person})
            return redirect("event-bans", slug)
    context = {"event": event, "roles": held_roles(request.user, event), "form": form, "bans": bans_of(event)}
    return render(request, "tournament/bans.html", context, status=form.status)
