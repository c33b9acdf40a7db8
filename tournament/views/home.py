"""The home page, logging in and out."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import localdate
from django.utils.translation import gettext_lazy as _

from config.limits import TooMany
from decks.selectors import decks_of, notices_of
from rules.reference import showcase
from rules.spoken import spoken
from rules.views.answers import Shown
from tournament.demo import PASSWORD
from tournament.forms.people import LoginForm
from tournament.logins import Attempt
from tournament.models import Event, User
from tournament.selectors import STAFF
from tournament.selectors.duties import duties, events_run
from tournament.selectors.invitations import invitations_to
from tournament.selectors.my_event import news
from tournament.selectors.overview import agenda, events_today

JOBS = {
    "organizer": _("runs the event"),
    "judge": _("decides disputes"),
    "ann": _("plays"),
    "bo": _("plays"),
}
ASKED = 5  # invitations on the start page; their own page has all of them
NEWS = 5  # lines on the start page; an event's own page has more
PAST = 5  # finished events that stay on the start page of who ran them
COMING = 5  # events on the start page that are not over
TODAY = 6  # events at the top of the start page: two rows of a desktop
DEMO_EVENT = "demo-open"


def home(request: HttpRequest) -> HttpResponse:
    events = Event.objects.exclude(state=Event.State.FINISHED)[:COMING]
    if not request.user.is_authenticated:
        today = list(events_today(localdate()))
        others = [event for event in events if event not in today]
        return render(
            request, "tournament/welcome.html", {"today": today[:TODAY], "events": others, **_shown()}
        )
    steps = agenda(request.user)
    known = {step.event.pk for step in steps}
    context = {
        "steps": steps,
        "invitations": invitations_to(request.user)[:ASKED],
        "duties": duties([step.event for step in steps if step.roles & STAFF], request.user),
        "news": news([step.registration for step in steps if step.registration])[:NEWS],
        "notices": notices_of(request.user),
        "decks": decks_of(request.user)[:3],
        "others": [event for event in events if event.pk not in known],
        "over": events_run(request.user)[:PAST],
    }
    return render(request, "tournament/home.html", context)


def _shown() -> dict[str, Any]:
    """A real answer of the engine, every way it can be switched."""
    ask, options = spoken(showcase.readings())
    runs = [
        (one.did, one.read, Shown(f"try-{one.did}{one.read}-", one.scenario, dict(one.answer)))
        for one in showcase.variants()
    ]
    law = {rule: told for _did, _read, run in runs for rule, told in (run.answer or {})["rules"].items()}
    return {
        "runs": runs,
        "ask": ask,
        "options": options,
        "law": law,
        "case": (showcase.SYSTEM, showcase.NAME),
    }


class Login(auth.LoginView):
    """Guessing passwords is bounded (tournament.logins); who may not try again is told when."""

    redirect_authenticated_user = False
    authentication_form = LoginForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.attempt = Attempt.of(request, request.POST.get("username", ""))
        try:
            self.attempt.count()
        except TooMany as problem:
            form = self.get_form_class()(request)
            return self.render_to_response(self.get_context_data(form=form, problem=problem), status=429)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        self.attempt.right(form.get_user(), response)
        return response

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
