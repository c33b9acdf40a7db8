"""The board's side pages: choosing the game, one card, a described card, all moments and facts."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from rules import services
from rules.law.system_files import cards, edition, fold, keys, moments, system, systems
from rules.models import Table
from rules.scenarios import anonymous
from rules.selectors import access_table, tables_of
from rules.spoken import spoken
from rules.table import draft, table_words
from rules.views.table_parts import frame, home_of


@login_required
def table_list(request: HttpRequest) -> HttpResponse:
    """Which game? Or on with a table that lies there."""
    problem = None
    if request.method == "POST":
        try:
            table = services.table_open(
                by=request.user,
                system=_key(request.POST.get("system", "")),
                source=_source(request),
                now=timezone.now(),
            )
            return redirect(home_of(table))
        except UserError as error:
            problem = error
    return render(
        request,
        "rules/tables.html",
        {
            "systems": [
                {"key": one.key, "title": one.title, "edition": edition(one.key)} for one in systems()
            ],
            "tables": [_brief(one) for one in tables_of(request.user)[:50]],
            "problem": problem,
        },
        status=problem.status if problem else 200,
    )


def _source(request: HttpRequest) -> str:
    """A scenario that was pasted, or the file that was chosen. Raises UserError."""
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("source", "")
    if (file.size or 0) > settings.SCENARIO_MAX_BYTES:
        raise UserError("too-large", _("The file is too large."), place="file", status=413)
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError("bad-encoding", _("The file isn’t UTF-8 text."), place="file") from error


def _brief(table: Table) -> dict[str, Any]:
    names = [table_words.name_of(table.scenario, key) for key in list(table.scenario["cards"])[:4]]
    more = "" if len(table.scenario["cards"]) <= 4 else " …"
    return {
        "pk": table.pk,
        "name": table.title or ", ".join(names) + more or _("Empty board"),
        "system": system(table.scenario["system"]).title,
        "changed_at": table.changed_at,
    }


@login_required
def table_card(request: HttpRequest, pk: int, key: str) -> HttpResponse:
    """What is true of this card now?"""
    table = access_table(request.user, pk)
    if key not in table.scenario["cards"]:
        raise NotFound(_("card on this board"))
    problem = None
    if request.method == "POST":
        try:
            facts, found = table_words.posted_facts(system(table.scenario["system"]), "card", request.POST)
            facts = table_words.without_printed(table.scenario, key, facts, found)
            facts |= {"of": request.POST.get("of") or None, "zone": request.POST.get("zone") or None}
            if facts["zone"] == "play":
                facts["zone"] = None
            services.table_change_card(table=table, key=key, facts=facts, found=found, now=timezone.now())
            return redirect(f"{home_of(table)}#card-{key}")
        except UserError as error:
            problem = error
    laid = table.scenario
    first, more = table_words.card_facts(laid, table.found, key)
    card = laid["cards"][key]
    context = {
        **frame(table),
        "key": key,
        "card": card,
        "name": table_words.name_of(laid, key),
        "text": _text(laid["system"], card),
        "type": table_words.type_of(laid, key),
        "facts": first,
        "more": more,
        "zones": table_words.zones(system(laid["system"])),
        "zone": card.get("zone", "play"),
        "problem": problem,
    }
    return render(request, "rules/table_card.html", context, status=problem.status if problem else 200)


def _text(key: str, card: dict[str, Any]) -> str:
    found = cards(key).get(fold(str(card.get("is", ""))), {})
    return str(card.get("text") or found.get("text", ""))


@login_required
def table_describe(request: HttpRequest, pk: int) -> HttpResponse:
    """A card that is not in the library, by a short form."""
    table = access_table(request.user, pk)
    problem, given = None, {key: str(value) for key, value in request.POST.items()}
    if request.method == "POST":
        try:
            card = anonymous.card(table.scenario["system"], given)
            facts, _found = table_words.posted_facts(
                system(table.scenario["system"]),
                "card",
                {word: value for word, value in given.items() if value},
            )
            card |= {word: value for word, value in facts.items() if value is not None}
            key = services.table_put_card(table=table, card=card, now=timezone.now())
            return redirect("table-card", pk, key)
        except UserError as error:
            problem = error
    laid = table.scenario
    context = {
        **frame(table),
        "words": anonymous.words(laid["system"]),
        "given": given or _known(request, laid),
        "known": [
            (f"fact-{row.name}", row.label, value)
            for row in table_words.facts_of_a_card(laid)
            if (value := (given or request.GET).get(f"fact-{row.name}", "")[: draft.MAX_FACT])
        ],
        "zones": table_words.zones(system(laid["system"])),
        "problem": problem,
    }
    return render(request, "rules/table_describe.html", context, status=problem.status if problem else 200)


def _known(request: HttpRequest, laid: dict[str, Any]) -> dict[str, str]:
    """What the page is told of the card: its name, whose it is, its type as a catalog has it."""
    told = request.GET
    return {"of": told.get("side", laid["seats"][0]), "name": told.get("q", ""), "type": told.get("type", "")}


@login_required
def table_moment(request: HttpRequest, pk: int) -> HttpResponse:
    """Where in the game are we, and who is active?"""
    table = access_table(request.user, pk)
    problem = None
    if request.method == "POST":
        try:
            _set_moment(request, table)
            return redirect(f"{home_of(table)}#moment")
        except UserError as error:
            problem = error
    laid, law = table.scenario, system(table.scenario["system"])
    open_readings = [one for one in law.readings.values() if one.contested or one.key in laid["pinned"]]
    context = {
        **frame(table),
        "starts": [
            table_words.Option(word, table_words.in_words(law, name))
            for word, name in moments(law.key).items()
        ],
        "at": laid["at"] if isinstance(laid["at"], str) else "as it is",
        "as_it_is": not isinstance(laid["at"], str) or laid["at"] not in law.starts,
        "players": [
            {"name": name, "facts": table_words.owner_facts(laid, table.found, name)}
            for name in laid["seats"]
        ],
        "game": table_words.owner_facts(laid, table.found, ""),
        "readings": [
            {
                "key": one.key,
                "ask": spoken(one.ask),
                "status": one.status,
                "options": [table_words.Option(id, spoken(said)) for id, said in one.options.items()],
                "value": laid["pinned"].get(one.key, ""),
            }
            for one in open_readings
        ],
        "problem": problem,
    }
    return render(request, "rules/table_moment.html", context, status=problem.status if problem else 200)


def _set_moment(request: HttpRequest, table: Table) -> None:
    laid, posted = table.scenario, request.POST
    law = system(laid["system"])
    facts, found = {}, {}
    for owner in ("", *laid["seats"]):
        prefix = f"{owner}:"
        own = {
            name.removeprefix(prefix): str(value) for name, value in posted.items() if name.startswith(prefix)
        }
        facts[owner], found[owner] = table_words.posted_facts(law, "player" if owner else "game", own)
    pins = {
        name.removeprefix("pin-"): str(value) for name, value in posted.items() if name.startswith("pin-")
    }
    services.table_set_moment(
        table=table,
        at=posted.get("at", "as it is"),
        active=posted.get("active", laid["active"]),
        facts=facts,
        found=found,
        pins=pins,
        now=timezone.now(),
    )


@login_required
def table_clear(request: HttpRequest, pk: int) -> HttpResponse:
    table = access_table(request.user, pk)
    if request.method == "POST":
        services.table_clear(table=table, by=request.user, now=timezone.now())
        return redirect("table-list")
    return render(request, "rules/table_clear.html", frame(table))


def _key(key: str) -> str:
    if key and key not in keys():
        raise NotFound(_("timing system"))
    return key
