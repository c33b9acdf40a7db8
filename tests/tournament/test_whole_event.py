"""A whole event through the services: drops, late entries, conflicts, corrections; what must hold all along."""

from typing import Any

import pytest

from tests.tournament.factories import NOW, enter, make_event, player_of
from tournament import services
from tournament.models import Event, Registration, Round, Seat
from tournament.selectors import conflicts, match_state, round_matches, standings
from tournament.swiss import Outcome, draw

pytestmark = pytest.mark.django_db
REPORTED = [outcome for outcome in Outcome if outcome is not Outcome.DOUBLE_LOSS]


def report(round: Round, organizer: Any) -> None:
    """Both report what the lot says; every seventh table disagrees and staff decides."""
    for match in round_matches(round):
        if match.table is None:
            continue
        outcome = REPORTED[draw.number(round.seed, "outcome", match.table, bits=8) % len(REPORTED)]
        if match.seats.filter(registration__user=None).exists():
            services.result_decide(match=match, by=organizer, outcome=outcome, reason="slip", now=NOW)
            continue
        services.result_report(match=match, by=player_of(match, 1), outcome=outcome, now=NOW)
        theirs = outcome.mirrored if match.table % 7 else Outcome.WIN
        services.result_report(match=match, by=player_of(match, 2), outcome=theirs, now=NOW)
    for match in conflicts(round.event):
        services.result_decide(
            match=match, by=organizer, outcome="double-loss", reason="no agreement", now=NOW
        )


def check(event: Event, round: Round) -> None:
    seated = sorted(Seat.objects.filter(round=round).values_list("registration", flat=True))
    active = event.registrations.filter(state=Registration.State.ACTIVE).order_by("pk")
    assert seated == list(active.values_list("pk", flat=True))
    assert round.explanation["total"]["rematch"] == 0
    assert round.explanation["total"]["second_bye"] == 0


def test_an_event_of_twenty_one_players_from_first_round_to_last(organizer: Any) -> None:
    event = make_event(organizer, planned_rounds=6)
    entries = enter(event, 21)
    for number in range(1, 7):
        round = services.round_pair(event=event, by=organizer, seed=number, number=number, now=NOW)
        check(event, round)
        report(round, organizer)
        assert all(match_state(match).settled for match in round_matches(round))
        if number < 4:
            services.player_drop(registration=entries[number * 3], by=organizer, now=NOW)
        if number == 3:
            services.player_register(event=event, user=None, name="Late Guest", by=organizer, now=NOW)
            corrected = round_matches(event.rounds.get(number=1))[0]
            services.result_decide(match=corrected, by=organizer, outcome="win", reason="misread", now=NOW)
    services.round_finish(round=round, by=organizer, now=NOW)
    rows = standings(event)
    assert len(rows) == 22
    assert [row.rank for row in rows] == list(range(1, 23))
    assert [row.values for row in rows] == sorted((row.values for row in rows), key=exact, reverse=True)
    assert sum(row.dropped for row in rows) == 3
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED


def exact(values: Any) -> tuple[Any, ...]:
    return tuple(value.exact for value in values)
