"""Pages of decks: my decks, writing a decklist while it is checked, one deck with its report."""

import json
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from config.errors import Forbidden, NotFound, UserError
from config.text import BadText, refuse_bad_text
from decks import selectors, services
from decks.forms import CheckForm, DeckForm, ListForm
from decks.judging.judgement import judge, verdicts_over_time
from decks.law import format_files
from decks.legality import expand
from decks.lists import WRITTEN
from decks.models import Revision
from decks.selectors import access_deck, decks_of, latest_report, latest_revision, revisions_of
from decks.views.drawing import timeline

VERDICT = "decks/_verdict.html"


@login_required
def deck_list(request: HttpRequest) -> HttpResponse:
    context = {"decks": decks_of(request.user), "notices": selectors.notices_of(request.user)}
    return render(request, "decks/list.html", context)


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
        raise Forbidden("not-your-deck", _("Only the deck’s owner can change it."))
    last = latest_revision(deck)
    initial = {"name": deck.name, "format": deck.format, "text": last.source if last else ""}
    form = DeckForm(request.POST or None, request.FILES or None, initial=initial)
    return _write(request, form, deck=deck, known=_known(deck, last) if last else None)


def _known(deck: Any, revision: Revision) -> dict[str, Any]:
    """The verdict's template for a list as it was judged last; nothing if it never was."""
    report = latest_report(revision)
    if report is None:
        return {}
    return {
        "empty": False,
        "verdict": report.verdict,
        "findings": report.findings,
        "total": revision.card_count,
        "on": parse_date(report.snapshot.split("/")[1]),
        **law_of(selectors.format_of(deck.format), report.findings),
    }


def deck_check(request: HttpRequest) -> HttpResponse:
    """The verdict on a list, as it is written or on a page of its own. Stores nothing; needs no login."""
    if request.htmx:  # type: ignore[attr-defined]
        verdict = _checked(request, ListForm(request.POST, request.FILES), request.POST.get("format", ""))
        return render(request, VERDICT, verdict, status=_status(verdict))
    form = CheckForm(request.POST or None, request.FILES or None, initial=_first_choice(request))
    context = {"form": form, "empty": True}
    if request.method == "POST":
        context |= _checked(request, form, request.POST.get("format", ""))
    return render(request, "decks/check.html", context, status=_status(context))


def _checked(request: HttpRequest, form: ListForm, format_key: str) -> dict[str, Any]:
    if not form.is_valid():
        return {"problem": UserError("unreadable", str(next(iter(form.errors.values()))[0]))}
    return _verdict(format_key, form, _on(request), _changes_of_event(request))


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
    spans = verdicts_over_time(services.stored_list(revision), format, selectors.catalog(format.game))
    context = {
        "deck": deck,
        "spans": spans,
        "drawing": timeline(spans),
        "kinds": WRITTEN,
        "changes": _changes(revisions, revision, request.GET.get("from", "")),
        "notices": [one for one in selectors.notices_of(request.user) if one.revision.deck_id == deck.pk],
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


@login_required
def deck_sheet(request: HttpRequest, pk: int) -> HttpResponse:
    """The registration sheet of a list, made for paper: name, event (to be filled in), hash, counts, two columns."""
    deck = access_deck(request.user, pk)
    revision = _chosen(deck, request.GET.get("revision", ""))
    return render(request, "decks/sheet.html", sheet_of(revision, player=str(deck.owner), event=""))


def sheet_of(revision: Any, *, player: str, event: str, number: str = "") -> dict[str, Any]:
    """What the sheet shows of a list."""
    format = selectors.format_of(revision.deck.format)
    law = format_files.snapshot_of(format, choices=revision.choices)
    judged = judge(services.stored_list(revision), law, selectors.catalog(format.game)).deck
    expanded = expand(judged, law, selectors.catalog(format.game))
    titles = {section.key: section.title for section in law.sections}
    parts: dict[str, list[tuple[int, str]]] = {}
    for entry in sorted(expanded, key=lambda entry: entry.name.casefold()):
        parts.setdefault(titles[entry.section], []).append((entry.count, entry.name))
    return {
        "revision": revision,
        "deck": revision.deck,
        "format": format,
        "player": player,
        "event": event,
        "number": number,
        "parts": [(name, rows, sum(count for count, _ in rows)) for name, rows in parts.items()],
        "total": sum(entry.count for entry in expanded),
        "choices": revision.choices,
    }


@login_required
def deck_export(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """The list as a file for another program, with that program's identifiers where we hold them."""
    deck = access_deck(request.user, pk)
    if kind not in WRITTEN:
        raise NotFound(_("kind of file"))
    suffix, media = WRITTEN[kind]
    text = services.list_export(revision=_chosen(deck, request.GET.get("revision", "")), kind=kind)
    name = slugify(deck.name) or "deck"
    headers = {"Content-Disposition": f'attachment; filename="{name}{suffix}"'}
    return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=headers)


@login_required
@require_POST
def notice_dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    change = selectors.access_notice(request.user, pk)
    services.notice_dismiss(change=change, by=request.user, now=timezone.now())
    return redirect("deck", change.revision.deck_id)


def _chosen(deck: Any, number: str) -> Any:
    """The list of this number, else the newest. Raises NotFound."""
    found = deck.revisions.select_related("deck").order_by("-number")
    if number.isdecimal() and len(number) < 9:
        found = found.filter(number=int(number))
    if (revision := found.first()) is None:
        raise NotFound(_("list"))
    return revision


def _changes(revisions: list[Any], revision: Any, older: str) -> dict[str, Any] | None:
    """What changed up to this list from an older one: the one asked for, else the one before."""
    before = next((one for one in revisions if str(one.number) == older), None)
    if before is None:
        before = next((one for one in revisions if one.number == revision.number - 1), None)
    if before is None or before.number == revision.number:
        return None
    return {
        "from": before,
        "cards": selectors.changes_between(before, revision),
        "upgrade": services.list_upgrade(before=before, after=revision),
    }


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


def _write(
    request: HttpRequest, form: DeckForm, deck: Any = None, known: dict[str, Any] | None = None
) -> HttpResponse:
    """known: what to say of the list before anything is changed in it."""
    context: dict[str, Any] = {"form": form, "deck": deck, "empty": True}
    if request.method != "POST":
        context |= known or {}
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


def _verdict(
    format_key: str, form: ListForm, on: date | None, overrides: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What the verdict's template needs: the report, or the problem that there is none."""
    if not form.has_list:
        return {"empty": True}
    try:
        deck_list, report = services.list_check(format=format_key, on=on, overrides=overrides, **form.given())
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


def _changes_of_event(request: HttpRequest) -> dict[str, Any] | None:
    """What the event plays differently, when the page names it; the service checks what it says."""
    try:
        said = json.loads(request.POST.get("changes", "")[:4_000] or "{}")
        refuse_bad_text(said)
    except (ValueError, RecursionError, BadText):
        return None
    return said if isinstance(said, dict) else None


def _first_choice(request: HttpRequest) -> dict[str, str]:
    return {"format": request.GET.get("format", "") or settings.DEFAULT_FORMAT}
