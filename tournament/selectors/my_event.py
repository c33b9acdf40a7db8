"""A player's own view of an event: results by round, and what event staff did."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rules.models import Ruling
from tournament.models import (
    AwardedBye,
    DeckCheck,
    Event,
    Extension,
    Match,
    Penalty,
    RegisteredList,
    Registration,
    Report,
)
from tournament.selectors.matches import MatchState, match_state
from tournament.selectors.querysets import MATCHES

LATEST = 20


@dataclass(frozen=True, slots=True)
class News:
    """Something that somebody else did and that this player should know.

    kind: decided (a Report of the staff), time (Extension), penalty, taken-back (Penalty), checked (DeckCheck),
    list (RegisteredList), bye (AwardedBye), ruling (Ruling); row: the thing itself.
    """

    kind: str
    at: datetime
    event: Event
    entry: Registration
    row: Any
    match: Match | None = None

    @property
    def why(self) -> str:
        """The reason that was given for it."""
        return getattr(self.row, "reason", "") or getattr(self.row, "override", "")


def my_rounds(entry: Registration) -> list[tuple[Match, MatchState, Registration | None, str | None]]:
    """(match, its state, opponent, outcome seen from the player's side or None) of every published round."""
    matches = MATCHES.filter(round__published_at__isnull=False, seats__registration=entry)
    rows = []
    for match in matches.order_by("-round__number"):
        state = match_state(match)
        others = [one.registration for one in state.seats if one.registration_id != entry.pk]
        rows.append((match, state, others[0] if others else None, state.outcome_for(entry)))
    return rows


def news(entries: Collection[Registration]) -> list[News]:
    """What happened to these entries, the latest first, in a constant number of queries.

    The entries of one person, with their events at hand.
    """
    mine = {entry.pk: entry for entry in entries}
    seated = {
        match: entry
        for match, entry in Match.objects.filter(seats__registration__in=mine).values_list(
            "pk", "seats__registration"
        )
        if entry in mine
    }
    found = [
        *_of_matches({match: mine[entry] for match, entry in seated.items()}),
        *_of_entries(mine),
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)[:LATEST]


def _of_matches(seated: dict[int, Registration]) -> Iterator[News]:
    decided = Report.objects.filter(match__in=seated, seat=None).select_related("match__round", "by")
    for report in decided.defer("match__round__explanation"):
        entry = seated[report.match_id]
        yield News("decided", report.reported_at, entry.event, entry, report, report.match)
    given = Extension.objects.filter(match__in=seated).select_related("match__round", "by")
    for extension in given.defer("match__round__explanation"):
        entry = seated[extension.match_id]
        yield News("time", extension.at, entry.event, entry, extension, extension.match)
    rulings = Ruling.objects.filter(dispute__match_dispute__match__in=seated)
    for ruling in rulings.select_related("dispute__match_dispute", "judge"):
        assert ruling.dispute is not None  # by the filter
        entry = seated[ruling.dispute.match_dispute.match_id]
        yield News("ruling", ruling.issued_at, entry.event, entry, ruling)


def _of_entries(mine: dict[int, Registration]) -> Iterator[News]:
    for penalty in Penalty.objects.filter(registration__in=mine).select_related("by"):
        entry = mine[penalty.registration_id]
        kind = "taken-back" if penalty.revokes_id else "penalty"
        yield News(kind, penalty.at, entry.event, entry, penalty)
    for check in DeckCheck.objects.filter(registration__in=mine, finished_at__isnull=False):
        entry = mine[check.registration_id]
        yield News("checked", check.finished_at, entry.event, entry, check)  # type: ignore[arg-type]
    for handed in RegisteredList.objects.filter(registration__in=mine).select_related("by"):
        entry = mine[handed.registration_id]
        if handed.by_id != entry.user_id:
            yield News("list", handed.at, entry.event, entry, handed)
    for bye in AwardedBye.objects.filter(registration__in=mine).select_related("by"):
        entry = mine[bye.registration_id]
        yield News("bye", bye.at, entry.event, entry, bye)
