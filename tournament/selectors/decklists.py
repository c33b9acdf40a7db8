"""Decklists of an event: who can see which, what changed between revisions, which cards are played."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound
from decks import selectors as deck_selectors
from decks.lists import Changed, difference, fold
from decks.models import short_hash
from tournament.models import DeckCheck, Event, Match, RegisteredList, Registration
from tournament.selectors.access import JUDGES, STAFF, Person, require, roles_of
from tournament.selectors.stages import swiss_is_over

Visibility = Event.ListVisibility


def may_see_lists(user: Person, event: Event) -> bool:
    """Whether the asker sees everybody's lists of this event."""
    frozen = event.state != Event.State.REGISTRATION or event.decks_locked
    staff = bool(roles_of(user, event) & STAFF)
    if event.list_visibility == Visibility.PRIVATE:
        return staff and frozen
    if event.list_visibility == Visibility.OPEN and frozen:
        return True
    if event.list_visibility == Visibility.CUT and swiss_is_over(event):
        return True
    return staff


def access_list(user: Person, slug: str, pk: int) -> Registration:
    """A registration whose list the asker may see: the player's own, or by the event's visibility.

    Raises NotFound, Forbidden.
    """
    registration = (
        Registration.objects.select_related("event", "user", "revision__deck", "report")
        .filter(event__slug=slug, pk=pk)
        .first()
    )
    if registration is None:
        raise NotFound(_("registration"))
    own = user is not None and user.pk is not None and user.pk == registration.user_id
    if not own and not may_see_lists(user, registration.event):
        raise Forbidden(
            "list-not-public",
            _("You can’t see this decklist."),
            remedy=_("The organizer sets who can see decklists."),
        )
    return registration


def registered_lists(event: Event) -> QuerySet[Registration]:
    """Every player with list and report, in one query."""
    return event.registrations.select_related("user", "revision__deck", "report").order_by("name", "pk")


def list_standing(entry: Registration) -> str:
    """legal, illegal or unverified; override: an organizer admitted it as it is; no-deck."""
    return list_standing_of(entry.deck_override, entry.report.verdict if entry.report else None)


def list_standing_of(override: str, verdict: str | None) -> str:
    """The same from what is stored: why it was admitted, and its report's verdict."""
    return "override" if override else verdict or "no-deck"


@dataclass(frozen=True, slots=True)
class ListRow:
    """A player's list as a line: `finding` is the first of its report, `deck` and `hash` are empty without a list."""

    pk: int
    name: str
    state: str
    locked: bool
    standing: str
    deck: str
    finding: str
    hash: str


def list_rows(event: Event, holding: str = "") -> list[ListRow]:
    """Every player with their list, by name, in one query; holding: only lists with a card of such a name."""
    entries = event.registrations.order_by("name", "pk")
    if holding:
        entries = entries.filter(pk__in=_holders(event, holding.casefold()))
    found = entries.values_list(
        "pk",
        "name",
        "state",
        "deck_locked",
        "deck_override",
        "report__verdict",
        "report__findings",
        "revision__deck__name",
        "revision__hash",
    )
    return [
        ListRow(
            pk,
            name,
            state,
            locked,
            list_standing_of(override, verdict),
            deck or "",
            findings[0]["message"] if findings else "",
            short_hash(hash) if hash else "",
        )
        for pk, name, state, locked, override, verdict, findings, deck, hash in found
    ]


def _holders(event: Event, card: str) -> list[int]:
    lists = event.registrations.filter(revision__isnull=False).values_list("pk", "revision__entries")
    return [
        pk for pk, entries in lists if any(card in (one["card"] or one["name"]).casefold() for one in entries)
    ]


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One list handed in, and what changed from the one before it."""

    row: RegisteredList
    changes: tuple[Changed, ...]


def history(registration: Registration) -> list[HandedIn]:
    """The lists a player handed in for the event, newest first, each with what changed."""
    rows = list(registration.lists.select_related("revision", "report", "by").order_by("number"))
    out = []
    before: list[tuple[int, str, str]] = []
    for row in rows:
        now = counts_of(row.revision.entries) if row.revision else []
        out.append(HandedIn(row, difference(before, now) if before else ()))
        before = now
    return out[::-1]


def counts_of(entries: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """Stored entries as (count, name, section)."""
    return [(one["count"], one["card"] or one["name"], one["section"]) for one in entries]


@dataclass(frozen=True, slots=True)
class Usage:
    """How much a card is played: copies, and in how many of the decks."""

    name: str
    faction: str
    copies: int
    decks: int


def card_usage(event: Event) -> tuple[list[Usage], list[tuple[str, int]], int]:
    """(cards by decks and copies, copies by faction, decks counted) over the lists handed in."""
    index = deck_selectors.catalog(deck_selectors.format_of(event.format).game)
    copies: Counter[str] = Counter()
    decks: Counter[str] = Counter()
    factions: Counter[str] = Counter()
    faction_of: dict[str, str] = {}
    counted = 0
    for (entries,) in event.registrations.filter(revision__isnull=False).values_list("revision__entries"):
        counted += 1
        held: set[str] = set()
        for one in entries:
            name = one["card"] or one["name"]
            if name not in faction_of:
                faction_of[name] = _faction(index, name)
            copies[name] += one["count"]
            factions[faction_of[name]] += one["count"]
            held.add(name)
        decks.update(held)
    cards = [Usage(name, faction_of[name], copies[name], decks[name]) for name in copies]
    cards.sort(key=lambda one: (-one.decks, -one.copies, one.name))
    return cards, factions.most_common(), counted


def _faction(index: Any, name: str) -> str:
    card = index.get(fold(name))
    said = (card.facts.get("faction") or card.facts.get("clan") or card.facts.get("color")) if card else None
    if isinstance(said, list):
        return " / ".join(map(str, said)) if len(said) <= 2 else str(said[0])
    return str(said) if said else ""


def access_deck_check(user: Person, slug: str, pk: int) -> DeckCheck:
    """A deck check, for judges. Raises NotFound, Forbidden."""
    check = (
        DeckCheck.objects.select_related("registration__event", "revision__deck", "judge")
        .filter(registration__event__slug=slug, pk=pk)
        .first()
    )
    if check is None:
        raise NotFound(_("deck check"))
    require(user, check.registration.event, JUDGES)
    return check


def deck_hashes(match: Match) -> dict[int, str]:
    """Registration -> what its player and the opponent compare of its list (one query)."""
    found = match.seats.filter(registration__revision__isnull=False).values_list(
        "registration_id", "registration__revision__hash"
    )
    return {pk: short_hash(hash) for pk, hash in found}
