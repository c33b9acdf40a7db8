"""Pages of disputes, and of systems with their rules: a dispute with its answers and rulings."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from config.text import whole_number
from rules import services
from rules.forms import RulingForm, ScenarioForm
from rules.law.system_files import keys, system, systems
from rules.models import Adjudication, Dispute
from rules.reference.examples import as_case, example_scenario, under_system
from rules.selectors import (
    RULINGS,
    Standing,
    access_adjudication,
    access_dispute,
    disputes_of,
    match_of,
    nearest,
    standing,
)
from rules.views.answers import Run, compared, facts_of, run_of


@login_required
def dispute_list(request: HttpRequest) -> HttpResponse:
    return render(request, "rules/disputes.html", {"disputes": disputes_of(request.user)[:100]})


@login_required
def dispute_ask(request: HttpRequest) -> HttpResponse:
    """A dispute of one's own, at no table: ask the engine."""
    form = ScenarioForm(request.POST or None, request.FILES or None, initial={"source": example_scenario()})
    if request.method == "POST" and form.is_valid():
        with form.catching():
            dispute = services.dispute_file(
                by=request.user,
                title=form.cleaned_data["title"],
                source=under_system(form.cleaned_data["source"], form.cleaned_data["system"]),
                now=timezone.now(),
            )
            return redirect("dispute", dispute.pk)
    return render(request, "rules/ask.html", {"form": form, "systems": systems()}, status=form.status)


@login_required
def dispute_page(request: HttpRequest, pk: int) -> HttpResponse:
    """The engine at work, then its answer; another system beside it; the ruling."""
    dispute = access_dispute(request.user, pk)
    judging = standing(request.user, dispute) is Standing.JUDGE
    rulings = list(RULINGS.filter(dispute=dispute))
    if not judging:
        return _for_players(request, dispute, rulings)
    problem = None
    jobs = list(dispute.adjudications.all())
    answered = next((run_of(dispute, job) for job in jobs if job.answer), None)
    proposed = {"verdict": answered.headline if answered else ""}
    form = RulingForm(request.POST if request.POST.get("do") == "rule" else None, initial=proposed)
    if request.method == "POST":
        try:
            return _act(request, dispute, form)
        except _Incomplete:
            pass
        except UserError as error:
            problem = error
    shown = _shown(request, jobs)

    def context() -> dict[str, Any]:
        return {
            "dispute": dispute,
            "judging": True,
            "rulings": rulings,
            "form": form,
            "problem": problem,
            "at_match": match_of(dispute),
            "nearest": nearest(request.user, dispute, answered.answer if answered else None),
            **_answers(request, dispute, shown, jobs),
        }

    response = render_live(
        request,
        page="rules/dispute.html",
        part="rules/_dispute_live.html",
        version=[(job.pk, job.state, job.positions) for job in jobs],
        context=context,
    )
    if problem or form.errors:
        response.status_code = problem.status if problem else form.status
    return response


@login_required
def dispute_case(request: HttpRequest, pk: int) -> HttpResponse:
    """The dispute as a case file ready to commit, with the answer it got as the one expected."""
    dispute = access_dispute(request.user, pk, judging=True)
    job = access_adjudication(request.user, _number(request.GET.get("run")), judging=True)
    if job.dispute_id != dispute.pk or job.answer is None:
        raise NotFound(_("answer"))
    text = as_case(job.scenario, job.answer, title=dispute.title, found=dispute.found)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="dispute-{dispute.pk}.yaml"'
    return response


class _Incomplete(Exception):
    """The ruling form itself is not filled in; it says where."""


def _act(request: HttpRequest, dispute: Dispute, form: RulingForm) -> HttpResponse:
    now = timezone.now()
    do = request.POST.get("do")
    if do == "ask":
        scenario = services.scenario_under(
            dispute=dispute, system=_system(request.POST.get("system", "")).key
        )
        services.adjudication_queue(dispute=dispute, scenario=scenario, by=request.user, now=now)
    elif do == "what-if":
        return _what_if(request, dispute)
    elif do == "cancel":
        job = access_adjudication(request.user, _number(request.POST.get("run")), judging=True)
        services.adjudication_cancel(adjudication=job, by=request.user, now=now)
    elif do == "rule" and (match := match_of(dispute)) is not None:
        return redirect(f"{reverse('match-rule', args=[match.pk])}?dispute={dispute.pk}")
    elif do == "rule":
        if not form.is_valid():
            raise _Incomplete
        _rule(request, dispute, form)
        messages.success(request, _("Your ruling is saved."))
    return redirect("dispute", dispute.pk)


def _what_if(request: HttpRequest, dispute: Dispute) -> HttpResponse:
    """The same with one reading or one open fact taken otherwise: a run of its own beside the recorded one."""
    base = access_adjudication(request.user, _number(request.POST.get("run")), judging=True)
    what, _equals, value = request.POST.get("take", "").partition("=")
    scenario = services.scenario_what_if(adjudication=base, what=what, value=value)
    job = services.adjudication_queue(dispute=dispute, scenario=scenario, by=request.user, now=timezone.now())
    return redirect(f"{reverse('dispute', args=[dispute.pk])}?run={base.pk}&run={job.pk}")


def _rule(request: HttpRequest, dispute: Dispute, form: RulingForm) -> None:
    given = form.cleaned_data
    adjudication = None
    if given["agrees"] is not None:
        adjudication = access_adjudication(request.user, _number(request.POST.get("run")), judging=True)
    services.ruling_file(
        dispute=dispute, by=request.user, adjudication=adjudication, now=timezone.now(), **given
    )


def _for_players(request: HttpRequest, dispute: Dispute, rulings: list[Any]) -> HttpResponse:
    """A player of the match reads the ruling, and then the engine's answer; before it, that it is being worked on."""
    jobs = list(dispute.adjudications.all()) if rulings else []
    context = {
        "dispute": dispute,
        "judging": False,
        "rulings": rulings,
        **_answers(request, dispute, _shown(request, jobs), jobs),
    }
    return render(request, "rules/dispute.html", context)


def _shown(request: HttpRequest, jobs: list[Adjudication]) -> list[Adjudication]:
    """The one or two runs to show: those asked for by `?run=`, else the first two."""
    wanted = request.GET.getlist("run")
    recorded: dict[tuple[str, str], Adjudication] = {}
    for job in jobs:  # the same asked again under another version of its law is looked at from the review
        recorded.setdefault((job.system, job.scenario_hash), job)
    chosen = [job for job in jobs if str(job.pk) in wanted] or list(recorded.values())
    return chosen[:2]


def _answers(
    request: HttpRequest, dispute: Dispute, shown: list[Adjudication], jobs: list[Adjudication]
) -> dict[str, Any]:
    runs = [run_of(dispute, job, every="every" in request.GET) for job in shown]
    if len({run.title for run in runs}) < len(runs):  # the same system, asked again after its rules changed
        runs = [replace(run, label=_numbered(n, run)) for n, run in enumerate(runs, start=1)]
    answers = [run.answer for run in runs if run.answer]
    return {
        "runs": runs,
        "runs_query": "".join(f"run={job.pk}&" for job in shown),
        "jobs": [run_of(dispute, job) for job in jobs],
        "under_way": any(run.under_way for run in runs),
        "compared": compared(answers) if len(answers) == 2 else None,
        "first": next((run for run in runs if run.answer), None),
        "other_systems": services.other_systems(dispute=dispute, asked={job.system for job in jobs}),
        "facts": facts_of(dispute),
        "law": {id: rule for answer in answers for id, rule in answer["rules"].items()},
        "every": "every" in request.GET,
        "printed": set().union(*(run.printed for run in runs)),
    }


def _numbered(n: int, run: Run) -> str:
    assert run.job is not None
    when = date_format(timezone.localtime(run.job.queued_at), "j M, H:i T")
    return f"{n}. {run.title} · {when}"


def _number(text: str | None) -> int:
    number = whole_number(text or "")
    if number is None:
        raise NotFound(_("run of the engine"))
    return number


def _system(key: str) -> Any:
    if key not in keys():
        raise NotFound(_("timing system"))
    return system(key)
