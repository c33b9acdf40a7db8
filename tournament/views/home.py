"""The start page, logging in and out."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from decks.selectors import decks_of
from tournament.demo import PASSWORD
from tournament.models import Event, User
from tournament.selectors.overview import agenda

JOBS = {
    "organizer": _("runs the event"),
    "judge": _("settles disputes"),
    "ann": _("plays"),
    "bo": _("plays"),
}
DEMO_EVENT = "demo-open"


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
    if settings.PRODUCTION or not Event.objects.filter(slug=DEMO_EVENT).exists():
        return []
    names = {person.username: str(person) for person in User.objects.filter(username__in=JOBS)}
    return [
        {"username": username, "password": PASSWORD, "name": names[username], "job": job}
        for username, job in JOBS.items()
        if username in names
    ]
