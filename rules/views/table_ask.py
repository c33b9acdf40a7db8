"""Every question that can be asked about a board, and the situation as a file."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from config.errors import UserError
from rules import services
from rules.models import Table
from rules.scenarios import writing
from rules.selectors import access_table
from rules.table import playing, questions_asked
from rules.views.table_parts import counted, frame, standing_at, taken_so_far


@login_required
def table_ask(request: HttpRequest, pk: int) -> HttpResponse:
    """What do you want to know?"""
    table = access_table(request.user, pk)
    line, step = standing_at(request, table)
    problem = None
    if request.method == "POST":
        try:
            _ask(request, table)
            return redirect(f"{reverse('table-ask', args=[pk])}?{urlencode({'line': line, 'step': step})}")
        except UserError as error:
            problem = error
    laid = table.scenario
    session, broken = playing.play(laid, playing.steps_of(table.lines, line, step))
    told = playing.told(laid, table.lines, line, step, keep=False)
    used = questions_asked.used_cards(session)
    words = questions_asked.words(laid)
    words.cards.sort(key=lambda one: used.index(one.value) if one.value in used else len(used))
    context = {
        **frame(table),
        "line": line,
        "step": step,
        "moves": taken_so_far(session),
        "exact": told.exact,
        "broken": broken,
        "questions": questions_asked.in_words(told.canonical),
        "words": words,
        "used": used,
        "problem": problem,
    }
    return render(request, "rules/table_ask.html", context, status=problem.status if problem else 200)


def _ask(request: HttpRequest, table: Table) -> None:
    posted, now = request.POST, timezone.now()
    do = posted.get("do", "")
    if do == "drop":
        services.table_unask(table=table, number=counted(posted.get("number"), -1), now=now)
    elif do == "add":
        services.table_ask(table=table, question=questions_asked.question(table.scenario, posted), now=now)


@login_required
def table_file(request: HttpRequest, pk: int) -> HttpResponse:
    """The situation as a scenario file."""
    table = access_table(request.user, pk)
    line, step = standing_at(request, table)
    told = playing.told(table.scenario, table.lines, line, step, keep=bool(request.GET.get("keep")))
    text = writing.write(told.canonical, found=table.found, title=table.title)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="table-{table.pk}.yaml"'
    return response
