"""Deck checks of an event: how many decks have been checked, which tables can be next."""

from collections import Counter
from dataclasses import dataclass
from math import ceil

from django.db.models import QuerySet

from tournament.models import DeckCheck, Event, Match, Registration
from tournament.selectors.matches import match_state, round_matches
from tournament.selectors.rounds import current_round
from tournament.selectors.standings import policy_of

State = Registration.State


@dataclass(frozen=True, slots=True)
class Coverage:
    """players: who handed in a list and played; checked: whose deck was checked to the end; wanted: how many are
    to be, by the policy's percent."""

    players: int
    checked: int
    percent: int

    @property
    def wanted(self) -> int:
        return ceil(self.players * self.percent / 100)

    @property
    def missing(self) -> int:
        return max(0, self.wanted - self.checked)


def coverage(event: Event) -> Coverage:
    """In two queries."""
    there = event.registrations.filter(state__in=[State.ACTIVE, State.DROPPED], revision__isnull=False)
    done = DeckCheck.objects.filter(registration__in=there, finished_at__isnull=False)
    return Coverage(
        players=there.count(),
        checked=done.values("registration").distinct().count(),
        percent=policy_of(event).deck_checks.percent,
    )


def checks_of(event: Event) -> QuerySet[DeckCheck]:
    """All checks, the latest first."""
    return DeckCheck.objects.filter(registration__event=event).select_related("registration", "judge")


def checkable_tables(event: Event) -> list[tuple[Match, tuple[int, int]]]:
    """Tables of the round under way at which both decks can be checked, each with (checks at it in this round,
    checks of its players before): the least is to be drawn first. Five queries, however many tables."""
    round = current_round(event)
    if round is None or round.finished_at is not None:
        return []
    before: Counter[int] = Counter()
    now: Counter[int] = Counter()
    busy = set()
    rows = DeckCheck.objects.filter(registration__event=event)
    for player, number, finished in rows.values_list("registration", "round", "finished_at"):
        before[player] += 1
        now[player] += number == round.number
        if finished is None:
            busy.add(player)
    found = []
    for match in round_matches(round):
        seated = [seat.registration for seat in match.seats.all()]
        ready = len(seated) == 2 and all(one.revision_id and one.pk not in busy for one in seated)
        if ready and not match_state(match).settled:
            score = (sum(now[one.pk] for one in seated), sum(before[one.pk] for one in seated))
            found.append((match, score))
    return found
