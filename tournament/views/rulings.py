"""Giving a ruling, the appeal, a ruling's page, and an event's rulings."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import Conflict, Forbidden, NotFound, UserError
from config.text import whole_number
from rules import services as rules_services
from rules.forms import LawForm
from rules.law.system_files import systems
from rules.models import CardGroup, Dispute, Ruling
from rules.reference.examples import cited_rules, telling_rules
from rules.scenarios.likeness import cards_of
from rules.selectors import access_adjudication, access_dispute
from rules.views.answers import run_of
from tournament import services
from tournament.forms.rulings import PublishForm, RulingStepForm
from tournament.models import GivenRuling, Match
from tournament.selectors import HEAD_JUDGES, STAFF, access_event, access_match, roles_of
from tournament.selectors.calls import lost_minutes, open_call
from tournament.selectors.remarks import is_judge_at, statements_for
from tournament.selectors.rulings import (
    access_given,
    may_decide,
    may_right,
    open_appeals,
    party_of,
    pinned,
    rulings_of,
)
from tournament.services.judging.remarks import require_judge_at
from tournament.views.requests import PersonRequest

Side = Ruling.EventSide


@login_required
def rule(request: PersonRequest, pk: int) -> HttpResponse:
    """Rule at a match, `?dispute=` with an answer of the engine at hand or without; `?corrects=` a former ruling."""
    match = access_match(request.user, pk)
    require_judge_at(request.user, match)
    dispute = _dispute(request, match)
    call = open_call(match)
    runs = [run_of(dispute, job) for job in dispute.adjudications.all() if job.answer] if dispute else []
    lost = lost_minutes(call, timezone.now()) if call is not None else 0
    form = RulingStepForm(
        request.POST or None,
        match=match,
        rules=_citable(dispute, runs),
        answered=bool(runs),
        may_be_final=may_decide(request.user, match),
        initial={
            "agrees": request.GET.get("agrees") or None,
            "verdict": runs[0].headline[:300] if runs and request.GET.get("agrees") != "no" else "",
            "cited": telling_rules(runs[0].answer) if runs and runs[0].answer else [],
            "question": dispute.title if dispute else call.words if call else "",
            "cards": "\n".join(cards_of(dispute.scenario)) if dispute else "",
            "found": "\n".join(dispute.found.values()) if dispute else "",
            "system": dispute.scenario["system"] if dispute else "",
            "minutes": lost or "",
            "final": True,
        },
    )
    if request.method == "POST" and form.is_valid():
        with form.catching():
            given = services.ruling_give(
                match=match,
                dispute=dispute,
                by=request.user,
                now=timezone.now(),
                **_engine(request, form),
                **form.told(),
            )
            messages.success(request, _("Your ruling has been saved. The players can read it now."))
            return redirect("ruling", given.ruling_id)
    context = {
        "event": match.round.event,
        "roles": roles_of(request.user, match.round.event),
        "match": match,
        "dispute": dispute,
        "call": call,
        "runs": runs,
        "first": runs[0] if runs else None,
        "under_way": dispute is not None and not runs,
        "unruled": unruled_dispute(match) if dispute is None else None,
        "form": form,
        "lost": lost,
        "statements": statements_for(request.user, match),
    }
    return render(request, "tournament/rule.html", context, status=form.status)


def unruled_dispute(match: Match) -> Dispute | None:
    """What was last asked of the engine at the match and has no ruling yet."""
    filed = match.match_disputes.filter(dispute__rulings=None).select_related("dispute").first()
    return filed.dispute if filed is not None else None


def _dispute(request: PersonRequest, match: Match) -> Dispute | None:
    wanted = request.GET.get("dispute", "")
    if not wanted:
        return None
    filed = match.match_disputes.filter(dispute=whole_number(wanted) or 0).first()
    if filed is None:
        raise NotFound(_("dispute"))
    return access_dispute(request.user, filed.dispute_id, judging=True)


def _citable(dispute: Dispute | None, runs: list[Any]) -> dict[str, str]:
    """The rules behind the answers, to be cited with a tap."""
    found: dict[str, str] = {}
    for run in runs:
        for one in (*telling_rules(run.answer), *cited_rules(run.answer)):
            found.setdefault(one, f"{one}: {run.answer['rules'][one]['text']}")
    return found


def _engine(request: PersonRequest, form: RulingStepForm) -> dict[str, Any]:
    agrees = {"yes": True, "no": False}.get(form.cleaned_data.get("agrees", ""))
    run = whole_number(request.POST.get("run", ""))
    if agrees is None or run is None:
        return {}
    return {"agrees": agrees, "adjudication": access_adjudication(request.user, run, judging=True)}


@login_required
def decide(request: PersonRequest, pk: int) -> HttpResponse:
    """The head judge hears an appeal: the ruling, both statements, and the outcome in the same step."""
    given = access_given(request.user, pk, judging=True)
    match, ruling = given.match, given.ruling
    if not may_decide(request.user, match):
        raise Forbidden(
            "needs-head-judge",
            _("Only the head judge can decide an appeal."),
            remedy=_("Ask the head judge."),
        )
    rules = {one["rule"]: f"{one['rule']}: {one['sentence']}" for one in ruling.citations}
    form = RulingStepForm(
        request.POST or None, match=match, rules=rules, appeal=True, initial={"cited": list(rules)}
    )
    if request.method == "POST" and form.is_valid():
        with form.catching():
            decided = services.appeal_decide(
                ruling=ruling, by=request.user, now=timezone.now(), **form.told()
            )
            messages.success(request, _("Decided. It is final for this event."))
            return redirect("ruling", decided.ruling_id)
    context = {
        "event": match.round.event,
        "roles": roles_of(request.user, match.round.event),
        "match": match,
        "given": given,
        "dispute": ruling.dispute,
        "form": form,
        "statements": statements_for(request.user, match),
    }
    return render(request, "tournament/rule.html", context, status=form.status)


@login_required
def ruling_page(request: PersonRequest, pk: int) -> HttpResponse:
    """A ruling with both its statuses, what took its place, and what may be done about it."""
    given = access_given(request.user, pk)
    match, ruling = given.match, given.ruling
    judging = is_judge_at(request.user, match)
    right = may_right(request.user, given)
    do = request.POST.get("do", "")
    law = LawForm(request.POST if do == "law" else None)
    publish = PublishForm(
        request.POST if do == "publish" else None,
        initial={
            "question": ruling.question,
            "facts": "\n".join(one["text"] for one in ruling.facts),
            "verdict": ruling.verdict,
            "explanation": ruling.explanation,
        },
    )
    problem = None
    if request.method == "POST":
        try:
            if _act(request, given, law, publish):
                return redirect("ruling", pk)
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            problem = error
    party = party_of(request.user, match) is not None
    context = {
        "event": match.round.event,
        "roles": roles_of(request.user, match.round.event),
        "match": match,
        "given": given,
        "ruling": ruling,
        "judging": judging,
        "staff": not party,
        "party": party,
        "may_appeal": party and _may_appeal(given),
        "may_decide": judging and _appeal_waits(ruling) and may_decide(request.user, match),
        "may_correct": judging
        and ruling.dispute_id
        and ruling.event_status == Side.FLOOR
        and not ruling.decided,
        "may_right": right,
        "law_form": law,
        "publish_form": publish,
        "groups": CardGroup.objects.all() if right else [],
        "problem": problem,
    }
    bad = next((form.status for form in (law, publish) if form.status != 200), 200)
    return render(request, "tournament/ruling.html", context, status=problem.status if problem else bad)


def _act(request: PersonRequest, given: GivenRuling, law: LawForm, publish: PublishForm) -> bool:
    """Do what was asked for; False when a form has to be filled in again."""
    do, ruling = request.POST.get("do"), given.ruling
    who: dict[str, Any] = {"by": request.user, "now": timezone.now()}
    if do == "appeal":
        services.appeal_make(ruling=ruling, words=request.POST.get("words", ""), **who)
        messages.success(request, _("Appealed. The head judge will come to your table."))
        return True
    if not may_right(request.user, given):
        raise Forbidden("needs-head-judge", _("Only the event’s head judge can do this."))
    if do == "law" and law.is_valid():
        with law.catching():
            _say_law(ruling, law, who)
            return True
    elif do == "publish" and publish.is_valid():
        with publish.catching():
            services.ruling_publish(ruling=ruling, **publish.told(), **who)
            messages.success(request, _("Published. Everyone can find it."))
            return True
    elif do == "withdraw":
        services.ruling_unpublish(ruling=ruling, **who)
        return True
    elif do == "group":
        group = CardGroup.objects.filter(pk=_number(request, "group")).first()
        if group is None:
            raise NotFound(_("group of cards"))
        attached = "detach" not in request.POST
        rules_services.ruling_group(ruling=ruling, group=group, attached=attached, by=request.user)
        return True
    return False


def _say_law(ruling: Ruling, law: LawForm, who: dict[str, Any]) -> None:
    told = law.told()
    say = services.ruling_reverse if "verdict" in told else services.ruling_judge
    say(ruling=ruling, **told, **who)


def _number(request: PersonRequest, name: str) -> int:
    given = request.POST.get(name, "")
    return whole_number(given) or 0


def _may_appeal(given: GivenRuling) -> bool:
    ruling = given.ruling
    under_way = given.match.round.finished_at is None
    return under_way and ruling.event_status == Side.FLOOR and ruling.decided is None


def _appeal_waits(ruling: Ruling) -> bool:
    return ruling.event_status == Side.APPEALED and ruling.decided is None


@login_required
def event_rulings(request: PersonRequest, slug: str) -> HttpResponse:
    """The rulings of an event for its staff: appeals that wait, then all of them, the latest first."""
    event = access_event(request.user, slug, STAFF)
    seen = [one for one in rulings_of(event) if party_of(request.user, one.match) is None]
    waiting = {one.pk for one in open_appeals(event)}
    context = {
        "event": event,
        "roles": roles_of(request.user, event),
        "appeals": [one for one in seen if one.pk in waiting],
        "rulings": seen,
    }
    return render(request, "tournament/event_rulings.html", context)


def event_readings(request: PersonRequest, slug: str) -> HttpResponse:
    """How the event reads what the law leaves open, for everybody; its head judge settles it."""
    event = access_event(request.user, slug)
    roles = roles_of(request.user, event)
    problem = None
    if request.method == "POST":
        if not request.user.is_authenticated:
            raise Forbidden("forbidden", _("Only the head judge can do this."))
        try:
            services.reading_pin(
                event=event,
                by=request.user,
                now=timezone.now(),
                **{word: request.POST.get(word, "") for word in ("system", "reading", "option", "reason")},
            )
            return redirect("event-readings", slug)
        except Conflict as error:
            problem = error
    settled = pinned(event)
    chosen = request.GET.get("system", "")
    played = {of for of, _reading in settled} | {chosen}
    shown = [one for one in systems() if one.key in played] or [_system_of(event)]
    context = {
        "event": event,
        "roles": roles,
        "may_settle": bool(roles & HEAD_JUDGES),
        "problem": problem,
        "others": [one for one in systems() if one not in shown],
        "systems": [
            (
                one,
                sorted(
                    (
                        (reading, settled.get((one.key, reading.key)))
                        for reading in one.readings.values()
                        if reading.cites
                    ),
                    key=lambda pair: (pair[1] is None, not pair[0].contested),
                ),
            )
            for one in shown
        ],
    }
    return render(
        request, "tournament/event_readings.html", context, status=problem.status if problem else 200
    )


def _system_of(event: Any) -> Any:
    """The timing system that has the name of the event's format, else the first."""
    known = {one.key: one for one in systems()}
    return known.get(event.format) or next(iter(known.values()))
