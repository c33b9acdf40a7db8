"""Pages of the law and of disputes: systems with their rules, a dispute with its answers and rulings."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from rules import services
from rules.examples import example_scenario, under_system
from rules.forms import RulingForm, ScenarioForm
from rules.models import Adjudication, Dispute
from rules.selectors import Standing, access_adjudication, access_dispute, disputes_of, standing
from rules.system_files import keys, system, systems
from rules.timeline import Timeline, timeline
from rules.vocabulary import vocabulary

UNDER_WAY = {Adjudication.State.QUEUED, Adjudication.State.RUNNING}


@dataclass
class Run:
    """One run of the engine as the page shows it."""

    job: Adjudication

    @property
    def under_way(self) -> bool:
        return self.job.state in UNDER_WAY

    @property
    def answer(self) -> dict[str, Any] | None:
        return self.job.answer

    @property
    def prefix(self) -> str:
        return f"run-{self.job.pk}-"

    @property
    def title(self) -> str:
        return self.answer["system"]["title"] if self.answer else _title(self.job.system)

    @property
    def headline(self) -> str:
        """The answer in as few words as possible: what is determined; what hangs on something is said below."""
        if self.answer is None:
            return ""
        sentence = str(self.answer["sentence"])
        said = [one["sentence"] for one in self.answer["questions"]]
        if sentence != " ".join(said):
            return sentence  # a move that was not legal in the first place
        settled = [one["sentence"] for one in self.answer["questions"] if one["status"] == "determined"]
        return " ".join(settled) or said[0]

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The questions, each with its answer's sentence without the question repeated in it."""
        return [
            {**one, "sentence": _without(one["text"], one["sentence"])}
            for one in (self.answer or {}).get("questions", ())
        ]

    @property
    def says_more(self) -> bool:
        """Whether the questions hold anything that the headline does not."""
        questions = self.questions
        return len(questions) > 1 or any(one["depends"] or one["why_not"] for one in questions)

    @property
    def assumed(self) -> dict[str, list[dict[str, Any]]]:
        """Readings of the rules apart from facts that were filled in; those the answer hangs on first."""
        found = [_assumption(one) for one in (self.answer or {}).get("assumptions", ())]
        found.sort(key=lambda one: not one["material"])
        return {
            "readings": [one for one in found if one["kind"] == "reading"],
            "facts": [one for one in found if one["kind"] != "reading"],
        }

    @cached_property
    def timeline(self) -> Timeline | None:
        if self.answer is None or not self.answer.get("trace"):
            return None
        return timeline(self.answer["trace"], _players(self.job.scenario))


def system_list(request: HttpRequest) -> HttpResponse:
    return render(request, "rules/systems.html", {"systems": systems(), "disputes": _mine(request)})


def system_detail(request: HttpRequest, key: str) -> HttpResponse:
    found = _system(key)
    return render(request, "rules/system.html", {"system": found, "readings": found.readings.values()})


def system_words(request: HttpRequest, key: str) -> HttpResponse:
    """The words in which scenarios and cards of the system are written."""
    words = vocabulary(_system(key).key)
    example = yaml.safe_dump(words["example"], sort_keys=False, default_flow_style=None, width=72).rstrip()
    return render(request, "rules/words.html", {"words": words, "example": example})


@login_required
def dispute_list(request: HttpRequest) -> HttpResponse:
    return render(request, "rules/disputes.html", {"disputes": disputes_of(request.user)[:100]})


@login_required
def dispute_ask(request: HttpRequest) -> HttpResponse:
    """A dispute of one's own, at no table: ask the engine."""
    form = ScenarioForm(request.POST or None, initial={"source": example_scenario()})
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
    rulings = list(dispute.rulings.select_related("judge", "adjudication"))
    if not judging:
        return _for_players(request, dispute, rulings)
    problem = None
    jobs = list(dispute.adjudications.all())
    answered = next((Run(job) for job in jobs if job.answer), None)
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
            **_answers(shown, jobs),
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
    elif do == "cancel":
        job = access_adjudication(request.user, _number(request.POST.get("run")), judging=True)
        services.adjudication_cancel(adjudication=job, by=request.user, now=now)
    elif do == "rule":
        if not form.is_valid():
            raise _Incomplete
        _rule(request, dispute, form)
        messages.success(request, _("Your ruling is recorded."))
    return redirect("dispute", dispute.pk)


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
        **_answers(_shown(request, jobs), jobs),
    }
    return render(request, "rules/dispute.html", context)


def _shown(request: HttpRequest, jobs: list[Adjudication]) -> list[Adjudication]:
    """The one or two runs to show: those asked for by `?run=`, else the first two."""
    wanted = request.GET.getlist("run")
    chosen = [job for job in jobs if str(job.pk) in wanted] or jobs
    return chosen[:2]


def _answers(shown: list[Adjudication], jobs: list[Adjudication]) -> dict[str, Any]:
    runs = [Run(job) for job in shown]
    asked = {job.system for job in jobs}
    answers = [run.answer for run in runs if run.answer]
    return {
        "runs": runs,
        "jobs": jobs,
        "under_way": any(run.under_way for run in runs),
        "compared": _compared(answers) if len(answers) == 2 else None,
        "first": next((run for run in runs if run.answer), None),
        "other_systems": [one for one in systems() if one.key not in asked],
        "law": {id: rule for answer in answers for id, rule in answer["rules"].items()},
    }


def _compared(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Question by question, what the one system answers and what the other."""
    first, second = answers
    return [
        {
            "text": one["text"],
            "first": _brief(one),
            "second": _brief(other),
            "differs": _brief(one) != _brief(other),
        }
        for one, other in zip(first["questions"], second["questions"], strict=False)
    ]


def _brief(question: dict[str, Any]) -> list[tuple[str, str]]:
    """An answer as (under which choice, what): one pair without a choice when it is determined."""
    if question["answer"] is not None or not question["depends"]:
        return [("", question["answer"] or "")]
    return [(branch["option"], branch["answer"]) for branch in question["depends"][0]["branches"]]


def _assumption(one: dict[str, Any]) -> dict[str, Any]:
    """An assumption with its value in words, and what else it could be."""
    words = {option["id"]: option["text"] for option in one["options"]}
    others = [text for id, text in words.items() if id != one["value"]]
    return {**one, "chosen": words.get(one["value"], one["value"]), "others": others}


def _without(question: str, sentence: str) -> str:
    rest = sentence.removeprefix(question).strip()
    return rest[:1].upper() + rest[1:]


def _mine(request: HttpRequest) -> Any:
    return disputes_of(request.user)[:5] if request.user.is_authenticated else []


def _players(scenario: dict[str, Any]) -> list[str]:
    return [str(player) for player in scenario.get("players", ())]


def _number(text: str | None) -> int:
    if text is None or not text.isdecimal():
        raise NotFound(_("run of the engine"))
    return int(text)


def _system(key: str) -> Any:
    if key not in keys():
        raise NotFound(_("timing system"))
    return system(key)


def _title(key: str) -> str:
    return str(system(key).title) if key in keys() else key
