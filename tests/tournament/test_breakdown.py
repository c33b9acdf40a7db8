"""Every value can be made again from the numbers it is told to come from."""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from tests.tournament.factories import enter, make_event, play
from tournament.swiss import TIE_BREAKS, Outcome, Played, Scoring, Table, TieBreak, seeded_random, simulation
from tournament.swiss.tiebreaks import Breakdown, Buchholz, GameWin, Made, OpponentMatchWin

SCORING = Scoring(
    {"win": 3, "draw": 1, "loss": 0, "double-loss": 0, "bye": 3},
    {"win": (2, 1, 0), "loss": (1, 2, 0), "draw": (1, 1, 1), "bye": (2, 0, 0), "double-loss": (0, 2, 0)},
)


def played(players: int) -> Table:
    """An event of five rounds with byes, dropped players and drawn results."""
    matches = []
    chances = simulation.Chances(drops=0.05, late=0.05)
    everybody = {0}
    for number, (snapshot, pairing) in enumerate(
        simulation.played(players, 5, seed=players, chances=chances), start=1
    ):
        everybody |= {player.id for player in snapshot.players}
        for pair in pairing.pairs:
            lot = seeded_random.number(players, "result", number, pair.first, bits=2)
            outcome = (Outcome.WIN, Outcome.LOSS, Outcome.DRAW, Outcome.DOUBLE_LOSS)[lot]
            matches.append(
                Played(number, pair.first, pair.second, outcome if pair.second is not None else None)
            )
    return Table(sorted(everybody), matches, SCORING, 1)


def made_again(told: Breakdown, tie_break: TieBreak) -> Fraction:
    counted = [part for part in told.parts if part.counted]
    total = sum((part.value for part in counted), Fraction(0))
    if told.made is Made.SUM:
        return total
    if told.made is Made.MEAN:
        return total / len(counted) if counted else Fraction(0)
    assert told.made is Made.SHARE and isinstance(tie_break, GameWin)
    most = sum(part.of for part in counted)
    return max(tie_break.floor, total / most) if most else tie_break.floor


OTHERS = [
    Buchholz(byes=True),
    OpponentMatchWin(Fraction(33, 100), byes=False),
    GameWin(Fraction(0), byes=False),
]


@pytest.mark.parametrize("players", [7, 18, 33])
@pytest.mark.parametrize(
    "tie_break",
    [kind() for key, kind in TIE_BREAKS.items() if key not in ("random", "head-to-head")] + OTHERS,
    ids=lambda one: f"{one.key}-{one}",
)
def test_the_parts_make_the_value(tie_break: TieBreak, players: int) -> None:
    table = played(players)
    for id, value in tie_break.values(table).items():
        assert made_again(tie_break.parts(table, id), tie_break) == value


def test_head_to_head_tells_the_matches_among_the_tied_alone() -> None:
    matches = [Played(1, 1, 2, Outcome.WIN), Played(2, 2, 3, Outcome.WIN), Played(3, 1, 3, Outcome.LOSS)]
    table = Table([1, 2, 3, 4], matches, SCORING, 1)
    told = TIE_BREAKS["head-to-head"]().parts(table, 1, [1, 2])
    assert [(part.opponent, part.value) for part in told.parts] == [(2, 3)]
    assert TIE_BREAKS["random"]().parts(table, 1).made is Made.NOTHING


@pytest.mark.django_db
def test_the_page_of_a_player_shows_where_each_number_comes_from(organizer: Any, client: Client) -> None:
    event = make_event(organizer)
    entries = enter(event, 7)
    play(event, organizer, 3)
    page = client.get(f"/events/{event.slug}/standings/{entries[0].pk}").content.decode()
    for name in ("made-points", "made-sos", "made-esos"):
        assert f'id="{name}"' in page
    assert 'id="made-random"' not in page


@pytest.mark.django_db
def test_the_api_tells_how_a_number_is_computed_and_finds_players(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 5)
    play(event, organizer, 2)
    client = Client()
    first = client.get("/api/v1/events/kingsport/standings").json()["results"][0]
    told = client.get(f"/api/v1/events/kingsport/standings/{first['registration']}").json()
    assert [one["points"] for one in told["rounds"]] and sum(one["points"] for one in told["rounds"]) == 10
    [sos] = [one for one in told["computed"] if one["value"]["key"] == "sos"]
    parts = [Fraction(part["value"]) for part in sos["parts"]]
    assert sos["made"] == "mean" and sum(parts) / len(parts) == Fraction(sos["value"]["exact"])
    assert client.get("/api/v1/events/kingsport/standings/0").status_code == 404
    found = client.get("/api/v1/events/kingsport/standings?name=PLAYER 003&playing=true").json()
    assert [row["name"] for row in found["results"]] == ["Player 003"]
    assert client.get("/api/v1/events/kingsport/standings?club=Nowhere").json()["count"] == 0
