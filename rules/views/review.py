"""After a rules change: the rulings to review, and the disputes whose answer is different now."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from config.errors import UserError
from config.live import render_live
from rules import services
from rules.law.system_files import systems
from rules.models import LawRun
from rules.selectors import access_law_run, changes_of, must_review, rulings_to_review, run_counts
from rules.services.law_runs import recorded
from rules.spoken import answer_spoken


@login_required
def review(request: HttpRequest) -> HttpResponse:
    """The rulings that cite a sentence that is another now; and putting the recorded disputes to the engine again."""
    must_review(request.user)
    problem = None
    if request.method == "POST":
        try:
            run = services.law_run_start(
                system=request.POST.get("system", ""), by=request.user, now=timezone.now()
            )
            return redirect("law-run", run.pk)
        except UserError as error:
            problem = error
    context = {
        "changed": rulings_to_review(request.user),
        "titles": _titles(),
        "waiting": [(one, count) for one in systems() if (count := recorded(one.key, one.hash).count())],
        "runs": LawRun.objects.all()[:20],
        "problem": problem,
    }
    return render(request, "rules/review.html", context, status=problem.status if problem else 200)


@login_required
def law_run(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a run is, and the table of the answers that changed."""
    run = access_law_run(request.user, pk)
    counts = run_counts(run)

    def context() -> dict[str, Any]:
        return {
            "run": run,
            "titles": _titles(),
            "counts": counts,
            "rows": [_row(one) for one in changes_of(request.user, run)],
        }

    return render_live(
        request, page="rules/law_run.html", part="rules/_law_run_live.html", version=(counts, run.finished_at),
        context=context,
    )  # fmt: skip


def _titles() -> dict[str, str]:
    return {one.key: one.title for one in systems()}


def _row(item: Any) -> dict[str, Any]:
    after = item.after
    failure = item.failure or (after.failure if after is not None else "")
    return {
        "dispute": item.before.dispute,
        "before": item.before,
        "after": after,
        "said": (answer_spoken(item.before.answer) or {})["sentence"],
        "says": (answer_spoken(after.answer) or {"sentence": ""})["sentence"] if after is not None else "",
        "failure": failure,
    }
