"""The tabs of an event's pages: the few that matter to this person, the rest under “More”."""

from typing import Any, NamedTuple

from django import template
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournament.models import Event
from tournament.selectors.access import (
    HEAD_JUDGE,
    HEAD_JUDGES,
    JUDGE,
    ORGANIZER,
    ORGANIZERS,
    PLAYER,
    SCOREKEEPER,
    STAFF,
)

register = template.Library()

ALL: frozenset[str] = frozenset()
PLAYERS = frozenset({PLAYER})
IN_SIGHT = 4  # tabs that fit beside “More” on a phone of 360 px


class Place(NamedTuple):
    """view: the address's name; who: who has it (ALL: everybody); holds: the names of the pages below it."""

    view: str
    word: object
    who: frozenset[str] = ALL
    holds: tuple[str, ...] = ()


PLACES = [
    Place("event", _("Event"), ALL, ("register",)),
    Place("my-match", _("My match"), PLAYERS),
    Place("my-event", _("My event"), PLAYERS),
    Place("event-control", _("Control"), STAFF, ("round-draft", "slips", "match", "dispute-new")),
    Place("event-tables", pgettext_lazy("in the hall", "Tables"), STAFF),
    Place("event-calls", _("Calls"), STAFF, ("call",)),
    Place("pairings", _("Pairings"), ALL, ("round-pairings", "why")),
    Place("standings", _("Standings"), ALL, ("standing", "final-standings")),
    Place("bracket", _("Bracket")),
    Place("event-players", _("Players"), ALL, ("player", "player-edit", "player-new", "players-read")),
    Place("event-decks", _("Decks"), STAFF, ("event-decks-arrange", "player-list")),
    Place("check-in", _("Check-in"), STAFF, ("check-in-one",)),
    Place("event-deck-checks", _("Deck checks"), STAFF, ("deck-check-page",)),
    Place("event-penalties", _("Penalties"), STAFF, ("penalty", "player-penalties")),
    Place("print-menu", _("Print"), STAFF),
    Place("event-staff", _("Staff"), STAFF),
    Place("event-log", _("Log"), HEAD_JUDGES),
    Place("event-files", _("Files"), ORGANIZERS),
    Place("event-settings", _("Settings"), ORGANIZERS, ("event-policy",)),
]

FIRST: list[tuple[str, tuple[str, ...]]] = [
    (ORGANIZER, ("event-control", "event-calls", "event-players", "standings")),
    (HEAD_JUDGE, ("event-tables", "event-calls", "event-control", "pairings")),
    (JUDGE, ("event-tables", "event-calls", "event-control", "pairings")),
    (SCOREKEEPER, ("event-control", "event-calls", "pairings", "standings")),
    (PLAYER, ("my-match", "pairings", "standings")),
]
"""What somebody needs first, by the strongest role."""


@register.inclusion_tag("tournament/_tabs.html", takes_context=True)
def event_tabs(context: dict[str, Any]) -> dict[str, Any]:
    """The tabs of `event` for who holds `roles`, the page's own marked."""
    event, roles = context["event"], context.get("roles") or set()
    at = context["request"].resolver_match.view_name
    there = {place.view: place for place in PLACES if _is_there(place, event, roles)}
    wanted = _first(roles) if roles else ()
    tabs = [there.pop(view) for view in wanted if view in there] if wanted else []
    rest = list(there.values())
    if not wanted or len(rest) == 1:  # nothing is gained by a menu
        tabs, rest = [*tabs, *rest], []
    return {
        "event": event,
        "tabs": [_shown(place, event, at) for place in tabs],
        "rest": [_shown(place, event, at) for place in rest],
        "staff": bool(roles & STAFF),
        "request": context["request"],
    }


def _first(roles: set[str]) -> tuple[str, ...]:
    wanted = next((views for role, views in FIRST if role in roles), ())
    if PLAYER in roles and wanted and wanted[0] != "my-match":
        wanted = ("my-match", *wanted)
    return wanted[:IN_SIGHT]


def _is_there(place: Place, event: Event, roles: set[str]) -> bool:
    if place.who and not place.who & roles:
        return False
    if place.view == "bracket":
        return event.has_cut or event.flights.exists()
    return place.view != "check-in" or event.state == Event.State.REGISTRATION


def _shown(place: Place, event: Event, at: str) -> dict[str, Any]:
    here = "page" if at == place.view else "true" if at in place.holds else ""
    address = reverse(place.view, args=[event.slug])
    return {"view": place.view, "word": place.word, "address": address, "here": here}
