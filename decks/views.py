"""Pages of decks: the list of mine, writing one with the verdict beside it, one deck with its report."""

from datetime import date
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from config.errors import Forbidden, NotFound, UserError
from decks import selectors, services
from decks.forms import DeckForm, ListForm
from decks.selectors import access_deck, decks_of, latest_report, latest_revision, revisions_of

VERDICT = "decks/_verdict.html"


@login_required
def deck_list(request: HttpRequest) -> HttpResponse:
    return render(request, "decks/list.html", {"decks": decks_of(request.user)})


@login_required
def deck_new(request: HttpRequest) -> HttpResponse:
    return _write(
        request, DeckForm(request.POST or None, request.FILES or None, initial=_first_choice(request))
    )


@login_required
def deck_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Another revision of a deck, beginning with the text of the last one."""
    deck = access_deck(request.user, pk)
    if deck.owner_id != request.user.pk:
        raise Forbidden("not-your-deck", _("Only its owner changes a deck."))
    last = latest_revision(deck)
    initial = {"name": deck.name, "format": deck.format, "text": last.source if last else ""}
    return _write(request, DeckForm(request.POST or None, request.FILES or None, initial=initial), deck=deck)


@require_POST
def deck_check(request: HttpRequest) -> HttpResponse:
    """The verdict alone, for a list that is being written. Stores nothing; needs no login."""
    form = ListForm(request.POST, request.FILES)
    if form.is_valid():
        verdict = _verdict(request.POST.get("format", ""), form, _on(request))
    else:
        verdict = {"problem": UserError("unreadable", str(next(iter(form.errors.values()))[0]))}
    return render(request, VERDICT, verdict, status=_status(verdict))


@login_required
def deck_page(request: HttpRequest, pk: int) -> HttpResponse:
    deck = access_deck(request.user, pk)
    revisions = list(revisions_of(deck))
    if not revisions:
        raise NotFound(_("list"))
    wanted = request.GET.get("revision", "")
    revision = next((one for one in revisions if str(one.number) == wanted), revisions[0])
    report = latest_report(revision)
    format = selectors.format_of(deck.format)
    context = {
        "deck": deck,
        "format": format,
        "revision": revision,
        "revisions": revisions,
        "report": report,
        "checked_on": parse_date(report.snapshot.split("/")[1]) if report else None,
        "mine": deck.owner_id == request.user.pk,
        "sections": sections(revision.entries),
        "total": revision.card_count,
        **law_of(format, report.findings if report else []),
    }
    return render(request, "decks/deck.html", context)


def law_of(format: Any, findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The sentences of the rules that the findings cite."""
    cited = {finding["rule"] for finding in findings if finding.get("rule")}
    return {"law": {id: rule for id, rule in format.law.items() if id in cited}}


def sections(entries: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]], int]]:
    """A list's entries by section, in the order they came, each with its number of cards."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        grouped.setdefault(entry.get("section") or "", []).append(entry)
    return [(name, rows, sum(row["count"] for row in rows)) for name, rows in grouped.items()]


def _write(request: HttpRequest, form: DeckForm, deck: Any = None) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "deck": deck, "empty": True}
    if request.method == "POST" and form.is_valid():
        if request.POST.get("do") == "check":
            context |= _verdict(form.cleaned_data["format"], form, _on(request))
            return render(request, "decks/write.html", context, status=_status(context))
        with form.catching():
            return _submit(request, form, deck)
    return render(request, "decks/write.html", context, status=form.status)


def _submit(request: HttpRequest, form: DeckForm, deck: Any) -> HttpResponse:
    revision = services.deck_submit(
        owner=request.user,
        name=form.cleaned_data["name"],
        format=form.cleaned_data["format"],
        deck=deck,
        on=_on(request),
        now=timezone.now(),
        **form.given(),
    )
    messages.success(request, _("Saved as revision %(number)s.") % {"number": revision.number})
    return redirect("deck", revision.deck_id)


def _verdict(format_key: str, form: ListForm, on: date | None) -> dict[str, Any]:
    """What the verdict's template needs: the report, or the problem that there is none."""
    if not form.has_list:
        return {"empty": True}
    try:
        deck_list, report = services.list_check(format=format_key, on=on, **form.given())
    except UserError as problem:
        return {"problem": problem, "empty": False}
    findings = [finding.as_json() for finding in report.findings]
    format = selectors.format_of(format_key)
    return {
        "empty": False,
        "verdict": report.verdict,
        "findings": findings,
        "total": deck_list.count,
        "on": on or format.default_on,
        **law_of(format, findings),
    }


def _status(context: dict[str, Any]) -> int:
    problem = context.get("problem")
    return problem.status if problem else 200


def _on(request: HttpRequest) -> date | None:
    """The date whose lists count: an event's, when the page names it; None is the format's own."""
    try:
        return parse_date(request.POST.get("on", ""))
    except ValueError:
        return None


def _first_choice(request: HttpRequest) -> dict[str, str]:
    return {"format": request.GET.get("format", "")}
