"""Pastes a card's printed text: shows what is understood as you type, then puts the card on the board."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from config.errors import UserError
from rules import services
from rules.law.system_files import cards, fold
from rules.models import Table
from rules.scenarios import anonymous
from rules.selectors import access_table
from rules.views.table_parts import counted, frame, home_of


@dataclass(frozen=True)
class Shown:
    """A passage as the page shows it: what was understood, where reading stopped and what comes after."""

    understood: bool
    before: str
    stop: str
    after: str
    says: str
    near: list[str]
    meanings: list[list[dict[str, Any]]]  # of each reading the lines, {depth, text}
    taken: int  # from 1; 0: none
    choice: int  # its place among the passages with several readings


@login_required
def table_text(request: HttpRequest, pk: int) -> HttpResponse:
    """What does the card say?"""
    table = access_table(request.user, pk)
    problem, found = None, None
    given = {key: str(value) for key, value in (request.POST or request.GET).items()}
    if request.method == "POST":
        try:
            if given.get("do") == "put":
                key = services.table_put_text(
                    table=table, given=given, readings=readings_in(given), now=timezone.now()
                )
                return redirect(f"{home_of(table)}#card-{key}")
            found = _read(table, given)
        except UserError as error:
            problem = error
    laid = table.scenario
    known = cards(laid["system"]).get(fold(given.get("name", "")))
    context = {
        **frame(table),
        "types": anonymous.words(laid["system"]).types,
        "given": {"of": laid["seats"][0], **given},
        "known": known,
        "found": found,
        "problem": problem,
    }
    part = request.headers.get("HX-Target") == "read"
    template = "rules/_table_text_read.html" if part else "rules/table_text.html"
    return render(request, template, context, status=problem.status if problem and not part else 200)


def readings_in(given: Mapping[str, str]) -> list[int]:
    """The readings chosen, in the order of the passages that have several."""
    chosen: list[int] = []
    while f"reading-{len(chosen)}" in given:
        chosen.append(counted(given[f"reading-{len(chosen)}"], 0))
    return chosen


def _read(table: Table, given: dict[str, str]) -> dict[str, Any]:
    """The text as it is understood now. A choice among readings of an earlier text that has fewer is forgotten."""
    system, text, name = table.scenario["system"], given.get("text", ""), given.get("name", "")
    known = cards(system).get(fold(name), {})
    asked = {
        "system": system,
        "text": text,
        "name": name,
        "type": str(known.get("type") or given.get("type", "")),
    }
    try:
        found = services.card_text_read(**asked, readings=readings_in(given))
    except UserError as error:
        if error.code != "wrong-reading":
            raise
        found = services.card_text_read(**asked)
    return {**found, "shown": shown_of(text, found["passages"])}


def shown_of(text: str, passages: list[dict[str, Any]]) -> list[Shown]:
    """The passages of a text as a page shows them, from what the services say of them (`card_text_read`)."""
    shown, choices = [], 0
    for one in passages:
        trouble = one["trouble"] or {"start": one["end"], "end": one["end"], "says": "", "near": []}
        several = len(one["readings"]) > 1
        shown.append(
            Shown(
                one["trouble"] is None,
                text[one["start"] : trouble["start"]],
                text[trouble["start"] : trouble["end"]],
                text[trouble["end"] : one["end"]],
                trouble["says"],
                trouble["near"],
                [reading["meaning"] for reading in one["readings"]],
                one["taken"],
                choices if several else -1,
            )
        )
        choices += several
    return shown
