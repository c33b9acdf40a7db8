"""What a judge's board starts with at a match: the game, the seats, both decklists, the cards named."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from decks import selectors as deck_selectors
from decks.models import Revision
from rules.engine.definitions.model import Property
from rules.law import system_files
from rules.models import Table
from rules.selectors import imported_named
from tournament.models import Event, Match, Registration, User


@dataclass(frozen=True, slots=True)
class Listed:
    """A card of a decklist. known: its name is enough, as the library has it, or card data that was imported
    (`imported`); facts: what the catalog knows of one that is not."""

    name: str
    known: bool
    imported: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seat:
    """A player of a match as a board knows them: `word` is the name used on the board."""

    entry: Registration
    word: str
    cards: Sequence[Listed]


def address_of_boards(match: Match) -> str:
    """Where the boards of a match are: what `Table.filing_at` says of each of them."""
    return reverse("dispute-new", args=[match.pk])


def system_of(event: Event) -> str:
    """The timing system by which the event's game is played; empty where we have none."""
    if event.format in (known := system_files.keys()):
        return event.format
    game = deck_selectors.format_of(event.format).game
    return game if game in known else system_files.of_catalog(game)


def board_of(user: User, match: Match) -> Table | None:
    """The board that a judge worked on last at a match."""
    return (
        Table.objects.filter(owner=user, filing_at=address_of_boards(match)).order_by("-changed_at").first()
    )


def seats_of(match: Match, system: str, words: Sequence[str]) -> list[Seat]:
    """The players of a match with the cards of their decklists, by name; `words` as they are seated on the board."""
    library = system_files.cards(system)
    catalog = deck_selectors.catalog(deck_selectors.format_of(match.round.event.format).game)
    found = []
    entries = [seat.registration for seat in match.seats.select_related("registration__revision")]
    listed = [_names(entry.revision) for entry in entries]
    imported = imported_named(system, (name for names in listed for name in names))
    for entry, word, names in zip(entries, words, listed, strict=False):
        cards = []
        for name in names:
            key = system_files.fold(name)
            ours, brought = key in library, key in imported
            card = None if ours or brought else catalog.named(name)
            facts = known_facts(system, card.facts if card else {})
            cards.append(Listed(name, ours or brought, brought and not ours, facts))
        found.append(Seat(entry, word, sorted(cards, key=lambda card: (not card.known, card.name))))
    return found


def _names(revision: Revision | None) -> list[str]:
    entries: list[Any] = revision.entries if revision is not None else []
    return list(dict.fromkeys(one["card"] or one["name"] for one in entries))


def named_in(texts: Iterable[str], system: str, seats: Sequence[Seat]) -> list[tuple[str, str]]:
    """Cards known here that the texts name in full, in their order, each with the word of the only player whose
    decklist has it; empty where both or neither have it: whose it is then is for the judge to say."""
    said = " ".join(f" {_plain(text)} " for text in texts)
    # An understood card may be called “Panic”: it counts where it is in somebody's deck, as an imported one does.
    listed = {system_files.fold(card.name): card for seat in seats for card in seat.cards}
    titles = {
        name: str(card["name"])
        for name, card in system_files.cards(system).items()
        if name in system_files.library(system) or name in listed
    }
    titles = {name: card.name for name, card in listed.items() if card.imported} | titles
    at = {name: said.find(f" {_plain(title)} ") for name, title in titles.items()}
    found = []
    for name in sorted((name for name, place in at.items() if place >= 0), key=lambda name: at[name]):
        owners = [
            seat.word for seat in seats if any(system_files.fold(card.name) == name for card in seat.cards)
        ]
        found.append((titles[name], owners[0] if len(owners) == 1 else ""))
    return found


def _plain(text: str) -> str:
    """Words alone: a name in a sentence may stand before a comma or in quotes."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def known_facts(system: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """What a catalog says of a card, in a timing system's words, as far as a fact has the same name and fits."""
    properties = system_files.system(system).properties
    found = {}
    for word, prop in properties.items():
        if prop.of != "card" or word not in facts or word in ("name", "zone", "owner", "controller"):
            continue
        if text := _fitting(prop, facts[word]):
            found["type" if word == "type" else f"fact-{word}"] = text
    return found


def _fitting(prop: Property, value: Any) -> str:
    if prop.type == "number":
        return str(value) if re.fullmatch(r"-?\d{1,5}", str(value)) and not isinstance(value, bool) else ""
    if prop.type == "yes-no":
        return {True: "yes", False: "no", "yes": "yes", "no": "no"}.get(value, "")
    if prop.type == "list":
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value).replace(";", ",")
    if prop.type == "symbol":
        return str(value) if str(value) in prop.symbols else ""
    return str(value) if prop.type == "text" and isinstance(value, str) else ""
