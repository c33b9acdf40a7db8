"""A card's page: what is printed on it, what its text means, restriction lists on a date, rulings."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from decks import selectors
from decks.law import format_files
from decks.lists import fold
from decks.views.formats import list_words
from rules.law import system_files
from rules.selectors import Asked, search
from rules.services import card_import_read
from rules.texts.telling import Line, told
from rules.views.table_text import readings_in, shown_of

RULINGS = 5  # that the page shows
PASSAGES = 30  # likewise; no card has so many, but a file may
_TEXT = ("abilities", "always", "cannot", "immune", "grants", "attaches-to")


def card_page(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """One card of a game. Raises NotFound for a name that neither its catalog nor the library has."""
    catalog = selectors.catalog(game)
    card = catalog.get(fold(name))
    system = system_files.of_game(game)
    known = system_files.cards(system).get(system_files.fold(name)) if system else None
    imported, problem = _imported(request, system, name)
    if card is None and known is None and imported is None:
        raise NotFound(_("card"))
    title = card.title if card is not None else str((known or imported or {})["name"])
    on = None
    try:
        on = parse_date(request.GET.get("on", ""))
    except ValueError:
        problem = UserError("bad-date", _("This isn’t a date."), place="on")
    context = {
        "title": title,
        "game": game,
        "catalog": catalog.name,
        "facts": list(_card_facts(card.facts if card is not None else {})),
        "printings": sorted(catalog.sets_of(card.key)) if card is not None else [],
        "on": on,
        "formats": list(_standing(game, fold(name), on)),
        "meaning": _meaning(system, known),
        "origin": _origin(system, name, known, imported),
        "text": str(known.get("text", "")) if known is not None else "",
        "imported": imported,
        **_passages(imported if known is None else None),
        "hits": search(request.user, Asked(cards=(title,)))[:RULINGS],
        "source": _board(system, known, imported, [] if problem else readings_in(request.GET)),
        "problem": problem,
    }
    return render(request, "decks/card.html", context, status=400 if problem else 200)


def _imported(request: HttpRequest, system: str, name: str) -> tuple[dict[str, Any] | None, UserError | None]:
    """What the imported card data says of the card, in the readings asked for; a choice that is none is told."""
    if not system:
        return None, None
    try:
        return card_import_read(system=system, name=name, readings=readings_in(request.GET)), None
    except UserError as error:
        return card_import_read(system=system, name=name), error


def _origin(system: str, name: str, known: Any, imported: Any) -> str:
    """Where the meaning in force is from: hand, shipped, imported; empty where there is none."""
    if known is not None:
        return "hand" if system_files.fold(name) in system_files.library(system) else "shipped"
    return "imported" if imported is not None else ""


def _passages(imported: dict[str, Any] | None) -> dict[str, Any]:
    """The passages of an imported text, and whether there is a reading to choose."""
    if imported is None:
        return {"shown": [], "several": False, "more": 0}
    passages = imported["passages"][:PASSAGES]
    several = any(len(one["readings"]) > 1 for one in passages)
    more = len(imported["passages"]) - len(passages)
    return {"shown": shown_of(imported["text"], passages), "several": several, "more": more}


_FACTS = {"also": "also known as", "called": "printed title"}
"""Words of a catalog that say too little on a page; like the others in English."""


def _card_facts(facts: Any) -> Iterator[tuple[str, str]]:
    """The facts of a card as the catalog has them, in words."""
    for word, value in facts.items():
        if word in ("title", "set") or value in ("", None, [], False):
            continue
        values = value if isinstance(value, list | tuple) else [value]
        yield (
            _FACTS.get(word, word.replace("-", " ")),
            _("yes") if value is True else ", ".join(str(one) for one in values),
        )


def _standing(game: str, key: str, on: date | None) -> Iterator[dict[str, Any]]:
    """What each of the game's formats says of the card on the date: the entries of its lists."""
    for law in sorted(selectors.formats().values(), key=lambda law: law.title):
        if law.game != game:
            continue
        snapshot = format_files.snapshot_of(law, on or law.default_on)
        named = snapshot.named.get(key)
        entries = []
        for rule in snapshot.restrictions:
            words = list_words(rule, snapshot)
            entries += [(words["title"], note, words["most"]) for one, note in words["cards"] if one == named]
        yield {
            "law": law,
            "list": snapshot.period.list_name,
            "on": on or law.default_on,
            "doubt": snapshot.doubt,
            "entries": entries,
        }


def _meaning(system: str, known: Any) -> list[Line]:
    """What the library's card does, in words; nothing where no card is known, or the game has no system."""
    if known is None:
        return []
    return told(system, {word: known[word] for word in _TEXT if word in known})


def _board(system: str, known: Any, imported: Any, readings: list[int]) -> str:
    """A situation with this card alone, to go on from; empty where the card can't be named."""
    if known is None and imported is None:
        return ""
    card = {"is": str(known["name"] if known is not None else imported["name"]), "of": "Ann"}
    chosen = {"reading": readings} if known is None and any(readings) else {}
    return json.dumps(
        {"system": system, "players": ["Ann", "Bo"], "cards": {"card": {**card, **chosen}}, "ask": ["next"]}
    )
