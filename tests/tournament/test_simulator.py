"""Whole events through the services, played by the simulator: what must hold at their end, whatever happened."""

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from tournament import services
from tournament.models import AuditRow, Event, Match, Registration, Report
from tournament.policy.policy_files import FOLDER
from tournament.selectors import match_state, replay, round_matches, standings
from tournament.selectors.stages import current_stage, final_standings
from tournament.simulator import Broken, Plan, Simulator
from tournament.swiss import Outcome
from tournament.swiss.simulation import Chances, hits, outcome, played

pytestmark = pytest.mark.django_db
START = datetime(2026, 1, 3, 9, 0, tzinfo=UTC)
EVENTFUL = Chances(drops=0.08, late=0.05, conflicts=0.15, slips=0.1, corrections=0.05)


def play(**plan: Any) -> Simulator:
    usual: dict[str, Any] = {"players": 21, "seed": 7, "rounds": 5, "chances": EVENTFUL}
    simulator = Simulator(Plan(**usual | plan), start=START)
    simulator.event()
    return simulator


def undone(work: Callable[[], Any]) -> Any:
    """What the work returns, nothing of it left in the database, its numbers free again."""
    with transaction.atomic():
        found = work()
        transaction.set_rollback(True)
    return found


@pytest.mark.parametrize("policy", sorted(path.stem for path in FOLDER.glob("*.yaml")))
def test_an_event_by_every_policy_reaches_its_end(policy: str) -> None:
    simulator = play(policy=policy, players=18, rounds=4)
    event = simulator.fresh()
    assert event.state == Event.State.FINISHED
    assert event.rounds.filter(stage=None).count() == 4
    assert not Match.objects.filter(round__event=event, round__finished_at=None).exists()
    for round in event.rounds.all():
        assert all(match_state(match).settled for match in round_matches(round))


def test_everything_that_may_happen_happens_and_is_counted() -> None:
    simulator = play(players=40, rounds=6, cut={"places": 8, "ties": False}, seed=3)
    counts = simulator.total
    assert (
        min(counts[one] for one in ("drops", "late entries", "conflicts", "slips", "corrections", "byes")) > 0
    )
    event = simulator.fresh()
    assert event.registrations.count() == counts["entries"] + counts["late entries"]
    dropped = AuditRow.objects.filter(event=event, verb="player_drop").count()
    assert dropped == counts["drops"]
    assert (
        Report.objects.filter(match__round__event=event, reason="the slip was misread").count()
        == counts["corrections"]
    )


def test_standings_at_the_end_rank_everybody_by_exact_values() -> None:
    event = play(cut={"places": 0, "ties": False}).fresh()
    rows = standings(event)
    values = [tuple(value.exact for value in row.values) for row in rows]
    assert values == sorted(values, reverse=True)
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1)), "the lot leaves nobody tied"
    assert {row.registration.pk for row in rows} >= set(
        Registration.objects.filter(event=event, state="active").values_list("pk", flat=True)
    )


def test_places_at_the_end_are_the_brackets_then_the_swiss_ones() -> None:
    event = play(cut={"places": 4, "ties": False}, players=24).fresh()
    stage = current_stage(event)
    assert stage is not None and stage.finished_at is not None
    places = final_standings(event)
    assert [one.place for one in places][:4] == [1, 2, 3, 3]
    assert [one.seed is None for one in places] == [False] * 4 + [True] * (len(places) - 4)


def test_the_last_round_is_paired_again_byte_for_byte_from_what_is_stored() -> None:
    """Corrections come after a round is paired: without any, every round replays."""
    event = play(chances=Chances(drops=0.1, conflicts=0.2), cut={"places": 0, "ties": False}).fresh()
    for round in event.rounds.all():
        again = replay(round)
        assert [(one.table, one.first, one.second) for one in again.pairs] == [
            (one["table"], one["first"], one["second"]) for one in round.explanation["pairs"]
        ]


def test_the_same_seed_plays_the_same_event_and_another_does_not() -> None:
    reports = [undone(lambda seed=seed: play(seed=seed).report()) for seed in (7, 7, 8)]  # type: ignore[misc]
    assert reports[0] == reports[1]
    assert reports[0]["digest"] != reports[2]["digest"]


def test_the_simulator_says_so_when_a_player_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = services.round_pair

    def forgetful(**asked: Any) -> Any:
        round = pair(**asked)
        round.seats.latest("pk").delete()
        return round

    monkeypatch.setattr(services, "round_pair", forgetful)
    with pytest.raises(Broken, match="exactly once"):
        play()


def test_the_command_plays_an_event_and_reports(settings: Any) -> None:
    out = io.StringIO()
    call_command(
        "simulate",
        "--here",
        "--json",
        players=12,
        rounds=3,
        cut="x-1",
        seed=5,
        policy="single-game",
        stdout=out,
    )
    report = json.loads(out.getvalue())
    assert report["seed"] == 5 and report["counts"]["entries"] == 12 and report["places"][0]["place"] == 1
    assert Event.objects.get(slug="simulated-5").cut == {"losses": 1}


@pytest.mark.parametrize("wrong", [{"players": 1}, {"cut": "some"}, {"policy": "no-such"}, {"rounds": 99}])
def test_the_command_says_what_is_wrong(wrong: dict[str, Any]) -> None:
    with pytest.raises(CommandError):
        call_command("simulate", "--keep", **{"players": 8, "seed": 1} | wrong)


def test_lots_follow_their_shares() -> None:
    assert sum(hits(0.25, 1, number) for number in range(4000)) == pytest.approx(1000, rel=0.1)
    assert not any(hits(0.0, 1, number) for number in range(100)) and all(hits(1.0, 1, n) for n in range(100))
    drawn = [outcome(1, (Outcome.WIN, Outcome.LOSS), number) for number in range(2000)]
    assert set(drawn) == {Outcome.WIN, Outcome.LOSS}
    assert drawn.count(Outcome.WIN) == pytest.approx(1000, rel=0.1)


def test_events_on_plain_values_come_and_go_by_the_seed() -> None:
    chances = Chances(drops=0.1, late=0.1)
    one = [snapshot for snapshot, _ in played(30, 6, 1, chances=chances)]
    two = [snapshot for snapshot, _ in played(30, 6, 1, chances=chances)]
    assert one == two
    assert len({len(snapshot.players) for snapshot in one}) > 1
    assert max(player.id for player in one[-1].players) >= 30
