"""The table: lay out cards, say where in the game it is, play on by choosing, ask. One screen, one question."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from rules import anonymous, services, table_words
from rules.habits import common_starts
from rules.models import Table
from rules.selectors import access_table, tables_of
from rules.system_files import edition, fold, keys, library, system, systems
from rules.views.table_parts import frame

FOUND_AT_ONCE = 12  # cards that a search shows


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
                filing_at=_local(request.POST.get("for", "")),
                now=timezone.now(),
            )
            return redirect("table", table.pk)
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
            "filing_at": _local(request.GET.get("for", request.POST.get("for", ""))),
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
        raise UserError("bad-encoding", _("The file is not text in UTF-8."), place="file") from error


def _local(path: str) -> str:
    """An address of this site, or nothing."""
    return path if url_has_allowed_host_and_scheme(path, allowed_hosts=None) and path.startswith("/") else ""


def _brief(table: Table) -> dict[str, Any]:
    names = [table_words.name_of(table.scenario, key) for key in list(table.scenario["cards"])[:4]]
    more = "" if len(table.scenario["cards"]) <= 4 else " …"
    return {
        "pk": table.pk,
        "name": table.title or ", ".join(names) + more or _("An empty table"),
        "system": system(table.scenario["system"]).title,
        "changed_at": table.changed_at,
    }


@login_required
def table_cards(request: HttpRequest, pk: int) -> HttpResponse:
    """What lies on the table?"""
    table = access_table(request.user, pk)
    problem, put = None, ""
    if request.method == "POST":
        try:
            where = _lay(request, table)
            return redirect(f"{reverse('table', args=[pk])}?{urlencode(where)}")
        except UserError as error:
            problem = error
    laid = table.scenario
    side = request.GET.get("side", request.POST.get("side", laid["seats"][0]))
    query = request.GET.get("q", "")
    put = request.GET.get("put", "")
    context = {
        **frame(table, "table"),
        "sides": table_words.sides(laid, table.found),
        "side": side if side in laid["players"] else laid["seats"][0],
        "query": query,
        "cards": _search(laid["system"], query),
        "put": table_words.name_of(laid, put) if put in laid["cards"] else "",
        "put_key": put,
        "problem": problem,
    }
    part = request.headers.get("HX-Target") == "found"
    template = "rules/_table_found.html" if part else "rules/table_cards.html"
    return render(request, template, context, status=problem.status if problem else 200)


def _lay(request: HttpRequest, table: Table) -> dict[str, str]:
    """Carry out what the page of cards was asked; where to look next."""
    do, now, side = request.POST.get("do"), timezone.now(), request.POST.get("side", "")
    if do == "put":
        key = services.table_put_library_card(
            table=table, name=request.POST.get("is", ""), side=side, now=now
        )
        return {"side": side, "put": key}
    if do == "remove":
        services.table_remove_card(table=table, key=request.POST.get("card", ""), now=now)
    elif do == "seat":
        names = [name.strip() for name in request.POST.getlist("player") if name.strip()]
        services.table_seat(table=table, players=names, now=now)
    elif do == "title":
        services.table_title(table=table, title=request.POST.get("title", ""), now=now)
    return {"side": side}


@dataclass(frozen=True)
class FoundCard:
    name: str
    type: str
    text: str


def _search(key: str, query: str) -> list[FoundCard]:
    """Library cards whose name has the words typed; those that begin with them first."""
    words = [fold(word) for word in query.split() if fold(word)]
    if not words:
        return []
    found = [card for name, card in library(key).items() if all(word in name for word in words)]
    found.sort(key=lambda card: (not fold(str(card["name"])).startswith(words[0]), str(card["name"])))
    return [
        FoundCard(str(card["name"]), str(card.get("type", "")), str(card.get("text", "")))
        for card in found[:FOUND_AT_ONCE]
    ]


@login_required
def table_card(request: HttpRequest, pk: int, key: str) -> HttpResponse:
    """What is true of this card now?"""
    table = access_table(request.user, pk)
    if key not in table.scenario["cards"]:
        raise NotFound(_("card on this table"))
    problem = None
    if request.method == "POST":
        try:
            facts, found = table_words.posted_facts(system(table.scenario["system"]), "card", request.POST)
            facts |= {"of": request.POST.get("of") or None, "zone": request.POST.get("zone") or None}
            if facts["zone"] == "play":
                facts["zone"] = None
            services.table_change_card(table=table, key=key, facts=facts, found=found, now=timezone.now())
            return redirect(f"{reverse('table', args=[pk])}#card-{key}")
        except UserError as error:
            problem = error
    laid = table.scenario
    first, more = table_words.card_facts(laid, table.found, key)
    card = laid["cards"][key]
    context = {
        **frame(table, "table"),
        "key": key,
        "card": card,
        "name": table_words.name_of(laid, key),
        "text": _text(laid["system"], card),
        "type": table_words.type_of(laid, key),
        "facts": first,
        "more": more,
        "zones": [table_words.Option(zone, said) for zone, said in system(laid["system"]).zone_names.items()],
        "zone": card.get("zone", "play"),
        "problem": problem,
    }
    return render(request, "rules/table_card.html", context, status=problem.status if problem else 200)


def _text(key: str, card: dict[str, Any]) -> str:
    found = library(key).get(fold(str(card.get("is", ""))), {})
    return str(card.get("text") or found.get("text", ""))


@login_required
def table_describe(request: HttpRequest, pk: int) -> HttpResponse:
    """A card that is not in the library, by a short form."""
    table = access_table(request.user, pk)
    problem, given = None, {key: str(value) for key, value in request.POST.items()}
    if request.method == "POST":
        try:
            card = anonymous.card(table.scenario["system"], given)
            key = services.table_put_card(table=table, card=card, now=timezone.now())
            return redirect("table-card", pk, key)
        except UserError as error:
            problem = error
    laid = table.scenario
    context = {
        **frame(table, "table"),
        "words": anonymous.words(laid["system"]),
        "given": given or {"of": request.GET.get("side", laid["seats"][0]), "name": request.GET.get("q", "")},
        "zones": [table_words.Option(zone, said) for zone, said in system(laid["system"]).zone_names.items()],
        "problem": problem,
    }
    return render(request, "rules/table_describe.html", context, status=problem.status if problem else 200)


@login_required
def table_moment(request: HttpRequest, pk: int) -> HttpResponse:
    """Where in the game are we, and who is active?"""
    table = access_table(request.user, pk)
    problem = None
    if request.method == "POST":
        try:
            _set_moment(request, table)
            return redirect("table-play", pk)
        except UserError as error:
            problem = error
    laid, law = table.scenario, system(table.scenario["system"])
    usual = [*common_starts(law.key), *([laid["at"]] if isinstance(laid["at"], str) else [])]
    starts = [_start(law, word, law.starts[word]) for word in dict.fromkeys(usual) if word in law.starts]
    more = [_start(law, word, start) for word, start in law.starts.items() if word not in usual]
    open_readings = [one for one in law.readings.values() if one.contested or one.key in laid["pinned"]]
    context = {
        **frame(table, "table-moment"),
        "starts": starts,
        "more_starts": more,
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
                "ask": one.ask,
                "status": one.status,
                "options": [table_words.Option(id, said) for id, said in one.options.items()],
                "value": laid["pinned"].get(one.key, ""),
            }
            for one in open_readings
        ],
        "problem": problem,
    }
    return render(request, "rules/table_moment.html", context, status=problem.status if problem else 200)


def _start(law: Any, word: str, start: Any) -> table_words.Option:
    """A place to begin, with what its chart says where that says more."""
    chart = start["chart"] if isinstance(start, dict) else start
    said = law.charts[chart].says
    return table_words.Option(word, "" if said.casefold() == word.casefold() else said)


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
    return render(request, "rules/table_clear.html", frame(table, ""))


def _key(key: str) -> str:
    if key and key not in keys():
        raise NotFound(_("timing system"))
    return key
