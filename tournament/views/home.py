"""The start page, logging in and out."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from decks.selectors import decks_of
from tournament.demo import PASSWORD
from tournament.demo.event import PEOPLE
from tournament.models import Event, User
from tournament.selectors.overview import agenda

JOBS = {
    "organizer": _("runs the event"),
    "judge": _("settles disputes"),
    "ann": _("plays, against Bo"),
    "bo": _("plays, against Ann"),
}


def home(request: HttpRequest) -> HttpResponse:
    events = Event.objects.exclude(state=Event.State.FINISHED)[:5]
    if not request.user.is_authenticated:
        return render(request, "tournament/welcome.html", {"events": events})
    steps = agenda(request.user)
    known = {step.event.pk for step in steps}
    context = {
        "steps": steps,
        "decks": decks_of(request.user)[:3],
        "others": [event for event in events if event.pk not in known],
    }
    return render(request, "tournament/home.html", context)


class Login(auth.LoginView):
    redirect_authenticated_user = False

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(demo_people=_demo_people(), **kwargs)


def _demo_people() -> list[dict[str, Any]]:
    """The demo's accounts, for whoever tries this installation out; none in production."""
    if settings.PRODUCTION:
        return []
    known = dict(User.objects.filter(username__in=PEOPLE).values_list("username", "display_name"))
    return [
        {"username": username, "password": PASSWORD, "name": name, "job": JOBS[username]}
        for username, name in PEOPLE.items()
        if known.get(username) == name
    ]
