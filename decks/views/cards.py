"""A card's page: what is printed on it, what its text means, what the lists say of it on a date, how it was ruled."""

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
from rules.texts.telling import told

RULINGS = 5  # that the page shows
_TEXT = ("abilities", "always", "cannot", "immune", "grants", "attaches-to")


def card_page(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """One card of a game. Raises NotFound for a name that neither its catalog nor the library has."""
    catalog = selectors.catalog(game)
    card = catalog.get(fold(name))
    systems = system_files.keys()
    known = system_files.cards(game).get(system_files.fold(name)) if game in systems else None
    if card is None and known is None:
        raise NotFound(_("card"))
    title = card.title if card is not None else str(known["name"])  # type: ignore[index]
    problem = None
    try:
        on = parse_date(request.GET.get("on", ""))
    except ValueError:
        on, problem = None, UserError("bad-date", _("This isn’t a date."), place="on")
    context = {
        "title": title,
        "game": game,
        "catalog": catalog.name,
        "facts": list(_facts(card.facts if card is not None else {})),
        "printings": sorted(catalog.sets_of(card.key)) if card is not None else [],
        "on": on,
        "formats": list(_standing(game, fold(name), on)),
        "meaning": _meaning(game, known),
        "by_hand": known is not None and system_files.fold(name) in system_files.library(game),
        "text": str(known.get("text", "")) if known is not None else "",
        "hits": search(request.user, Asked(cards=(title,)))[:RULINGS],
        "source": _board(game, str(known["name"])) if known is not None else "",
        "problem": problem,
    }
    return render(request, "decks/card.html", context, status=400 if problem else 200)


def _facts(facts: Any) -> Iterator[tuple[str, str]]:
    """The facts of a card as the catalog has them, in words."""
    for word, value in facts.items():
        if word in ("title", "set") or value in ("", None, [], False):
            continue
        values = value if isinstance(value, list | tuple) else [value]
        yield word.replace("-", " "), _("yes") if value is True else ", ".join(str(one) for one in values)


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


def _meaning(game: str, known: Any) -> str:
    if known is None:
        return ""
    lines = told(game, {word: known[word] for word in _TEXT if word in known})
    return "\n".join("  " * line.depth + line.text for line in lines)


def _board(game: str, name: str) -> str:
    """A situation with this card alone, to go on from."""
    return json.dumps(
        {
            "system": game,
            "players": ["Ann", "Bo"],
            "cards": {"card": {"is": name, "of": "Ann"}},
            "ask": ["next"],
        }
    )
