"""Pages of formats: a format on a date, writing a house format, the effect of a change; and of findings."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.live import render_live
from decks import selectors, services
from decks.forms import CatalogForm, FormatForm, HouseForm
from decks.judging import explanations
from decks.law import format_files
from decks.law.house import house_of, sized
from decks.legality import Budget, Cap, Choice, Exclusion
from decks.lists import Limits, ListError, decode


def format_list(request: HttpRequest) -> HttpResponse:
    formats = selectors.formats()
    titles = {key: law.title for key, law in formats.items()}
    context = {"formats": formats.values(), "titles": titles, "checks": selectors.rechecks()[:5]}
    return render(request, "decks/formats.html", context)


def format_page(request: HttpRequest, key: str) -> HttpResponse:
    """A format on a date: which list holds, every rule with its source, what is uncertain."""
    law = selectors.format_of(key)
    problem = None
    try:
        on = parse_date(request.GET.get("on", "")) or law.default_on
    except ValueError:
        on, problem = law.default_on, UserError("bad-date", _("This isn’t a date."), place="on")
    chosen = request.GET.get("list", "") if request.GET.get("list", "") in law.lists else ""
    snapshot = format_files.snapshot_of(law, on, overrides={"list": chosen} if chosen else None)
    dated = {change.list for change in law.timeline}
    context = {
        "law": law,
        "chosen": chosen,
        "others": [(key, one) for key, one in law.lists.items() if key not in dated],
        "snapshot": snapshot,
        "on": on,
        "problem": problem,
        "lists": [list_words(one, snapshot) for one in snapshot.restrictions],
        "errata": [(snapshot.named[card], _facts_in_words(facts)) for card, facts in snapshot.errata.items()],
        "timeline": [(change, law.lists[change.list], change.since <= on) for change in law.timeline],
        "versions": selectors.format_versions(key),
        "may_publish": request.user.is_authenticated and services.may_publish(request.user, key),
    }
    return render(request, "decks/format.html", context, status=400 if problem else 200)


def _facts_in_words(facts: Any) -> str:
    """“limit: 1, exceptional”: numbers and words as they are; what is longer is only named."""
    said = []
    for word, value in facts.items():
        if value is True:
            said.append(word)
        elif value is False:
            said.append(_("not %(fact)s") % {"fact": word})
        else:
            said.append(word if isinstance(value, list | dict) else f"{word}: {value}")
    return ", ".join(said)


def list_words(rule: Any, snapshot: Any) -> dict[str, Any]:
    """One restriction of a list: its kind, its number, its cards."""
    named = snapshot.named
    if isinstance(rule, Cap):
        cards = [(named[key], number or "") for key, number in rule.maximum.items()]
        return {"rule": rule, "title": rule.list_name, "cards": sorted(cards), "most": None}
    if isinstance(rule, Choice):
        cards = [(named[key], "") for key in rule.titles]
        beside = sorted(named[key] for key in rule.beside)
        return {
            "rule": rule,
            "title": rule.list_name,
            "cards": sorted(cards),
            "most": rule.maximum,
            "beside": beside,
        }
    if isinstance(rule, Budget):
        cards = [(named[key], number) for key, number in rule.points.items()]
        return {
            "rule": rule,
            "title": rule.list_name,
            "cards": sorted(cards),
            "most": rule.maximum,
            "unit": rule.unit,
        }
    assert isinstance(rule, Exclusion)
    return {"rule": rule, "title": rule.because, "cards": [], "most": 0}


@login_required
def format_edit(request: HttpRequest, key: str = "") -> HttpResponse:
    """Write a format: check it, ask what it would change, put it in force."""
    text = selectors.format_text(key) if key and request.method == "GET" else HOUSE
    form = FormatForm(_uploaded(request), initial={"text": text})
    context: dict[str, Any] = {"form": form, "key": key, "checked": None}
    if request.method == "POST" and form.is_valid():
        with form.catching():
            context["checked"] = law = services.format_read(text=form.text_given)
            context["unknown"] = services.format_unknown(law)
            if request.POST.get("do") in ("what-if", "publish"):
                return _done(request, form.text_given, form.cleaned_data["note"])
    return render(request, "decks/format_edit.html", context, status=form.status)


@login_required
def format_form(request: HttpRequest, key: str = "") -> HttpResponse:
    """A house format field by field, for those who do not write files: new on a shipped one, or one's own."""
    bases = [law for law in selectors.formats().values() if law.key in format_files.formats()]
    asked = request.POST.get("base", "") or request.GET.get("base", "")
    base = key or (asked if any(law.key == asked for law in bases) else settings.DEFAULT_FORMAT)
    whole = format_files.documents(selectors.format_text(base), name=base)[1]
    dates = {one["from"]: whole["lists"][one["list"]]["title"] for one in whole["timeline"]}
    asked_on = request.POST.get("on", "") or request.GET.get("on", "")
    usual = max(since for since in dates if since <= whole["default-on"])
    on = None if key else next((since for since in dates if since.isoformat() == asked_on), usual)
    house = house_of(whole, on=on)
    initial = {} if key else {"title": "", "since": timezone.localdate()}
    form = HouseForm(request.POST or None, sections=sized(whole), house=house, initial=initial)
    context: dict[str, Any] = {"form": form, "key": key, "base": base, "bases": bases, "text": ""}
    context |= {"dates": dates.items(), "begun_on": on}
    if request.method == "POST" and form.is_valid():
        with form.catching():
            text, unknown = services.house_text(house=form.house(key), base=base)
            context |= {"text": text, "unknown": unknown, "checked": services.format_read(text=text)}
            if request.POST.get("do") in ("what-if", "publish"):
                return _done(request, text, _("edited in the form"))
    return render(request, "decks/format_form.html", context, status=form.status)


def _done(request: HttpRequest, text: str, note: str) -> HttpResponse:
    """Ask what a format's file would change, or put it in force. Raises UserError, Forbidden."""
    law, now = services.format_read(text=text), timezone.now()
    if request.POST.get("do") == "what-if":
        return redirect("recheck", services.format_what_if(text=text, by=request.user, now=now).pk)
    version, begun = services.format_publish(text=text, note=note, by=request.user, now=now)
    messages.success(request, _("%(title)s is in effect.") % {"title": version.title})
    return redirect("recheck", begun.pk) if begun and begun.total else redirect("format", law.key)


def _uploaded(request: HttpRequest) -> QueryDict | None:
    """What was sent, an uploaded file put into the text, so that the page shows what was checked."""
    if request.method != "POST":
        return None
    sent = request.POST.copy()
    if (file := request.FILES.get("file")) is not None:
        data = file.read(settings.UPLOAD_MAX_BYTES)
        try:
            sent["text"] = decode(data, Limits(size=settings.UPLOAD_MAX_BYTES))[0]
        except ListError:  # no text at all: the check says what is wrong with what can be shown of it
            sent["text"] = data.decode("utf-8-sig", "replace")
    return sent


HOUSE = """\
# A house format. It may build upon another one: only what differs is said here (docs/formats.md).
extends: coc-lcg
key: our-league
title: Our league

law:
  HOUSE-01:
    text: These cards are worth points; a deck has at most ten.
    document: Our league

lists:
  league:
    title: our list
    document: Our league
    points:
      rule: HOUSE-01
      at-most: 10
      points:
        Museum Curator: 3

timeline:
  - {from: 2013-01-01, list: league, basis: agreed among us}
"""


def recheck_page(request: HttpRequest, pk: int) -> HttpResponse:
    """A check of every deck: how far it is, and which verdicts changed, old and new side by side."""
    check = selectors.access_recheck(request.user, pk)
    if request.method == "POST":
        services.recheck_resume(recheck=check, by=request.user, now=timezone.now())
        return redirect("recheck", pk)
    progress = selectors.recheck_progress(check)
    title = getattr(selectors.formats().get(check.format), "title", check.format)

    def context() -> dict[str, Any]:
        changes = selectors.changes_of(check, request.user, request.GET.get("kind", ""))
        page = Paginator(changes, 25).get_page(request.GET.get("page"))
        return {
            "check": check,
            "title": title,
            "progress": progress,
            "page": page,
            "kind": request.GET.get("kind", ""),
        }

    return render_live(
        request,
        page="decks/recheck.html",
        part="decks/_recheck_live.html",
        version=(check.pk, progress),
        context=context,
    )


def finding_list(request: HttpRequest) -> HttpResponse:
    rows = [(code, explanations.explained(code)) for code in explanations.codes()]
    return render(request, "decks/findings.html", {"rows": rows})


def finding_page(request: HttpRequest, code: str) -> HttpResponse:
    """One code: what it means, the rules behind it in every format, how to mend it."""
    explanation = explanations.explained(code)
    rules = selectors.rules_of_code(code)
    if explanation is None and not rules:
        raise NotFound(_("finding"))
    return render(request, "decks/finding.html", {"code": code, "explanation": explanation, "rules": rules})


@login_required
def catalog_page(request: HttpRequest) -> HttpResponse:
    """The card data we hold, and bringing more."""
    form = CatalogForm(request.POST or None, request.FILES or None)
    summary = None
    if request.method == "POST" and form.is_valid():
        with form.catching():
            file = form.cleaned_data["file"]
            summary = services.cards_upload(
                game=form.cleaned_data["game"],
                name=file.name or "cards",
                data=file.read(),
                complete=form.cleaned_data["complete"],
                by=request.user,
                now=timezone.now(),
            )
    context = {
        "form": form,
        "summary": summary,
        "catalogs": selectors.catalogs(),
        "program": settings.PROGRAM,
    }
    return render(request, "decks/catalogs.html", context, status=form.status)
