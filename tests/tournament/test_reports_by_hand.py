"""Results as people give them: two taps with games, slips by keyboard, concessions, absences, late players."""

import re
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, make_staff, play, player_of, report_all
from tournament import services
from tournament.models import AwardedBye, Event, Match, Registration, Report, Round
from tournament.selectors import access_match, match_state, round_matches, snapshot, standings
from tournament.selectors.pairing_reasons import why_paired
from tournament.services.rounds import results

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(organizer: Any) -> Match:
    event = make_event(organizer)
    enter(event, 6)
    return round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))[0]


@pytest.fixture
def best_of_three(organizer: Any) -> Match:
    event = make_event(organizer, slug="bo3", policy_key="mtg-mtr")
    for entry in enter(event, 4, "magic"):
        services.deck_register(registration=entry, revision=None, override="paper", by=organizer, now=NOW)
    return round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))[0]


def state(match: Match) -> Any:
    return match_state(access_match(None, match.pk))


# --- how a result came about ----------------------------------------------------------------------------


def test_a_concession_is_a_result_and_says_that_it_is_one(match: Match) -> None:
    services.result_report(match=match, by=player_of(match, 1), outcome="loss", how="conceded", now=NOW)
    services.result_report(match=match, by=player_of(match, 2), outcome="win", now=NOW)
    assert (state(match).state, state(match).outcome) == ("confirmed", "loss")
    assert [row.how for row in state(match).reports] == ["conceded", "played"]


@pytest.mark.parametrize(
    ("outcome", "how"),
    [("draw", "conceded"), ("win", "agreed"), ("timed-loss", "conceded"), ("draw", "no-show")],
)
def test_a_result_cannot_have_come_about_so(match: Match, organizer: Any, outcome: str, how: str) -> None:
    with pytest.raises(UserError) as refused:
        services.result_decide(match=match, by=organizer, outcome=outcome, how=how, reason="x", now=NOW)
    assert refused.value.code == "how-does-not-fit"
    assert not Report.objects.exists()


def test_that_somebody_was_absent_is_for_staff_to_say(match: Match, organizer: Any) -> None:
    with pytest.raises(UserError):
        services.result_report(match=match, by=player_of(match, 1), outcome="win", how="no-show", now=NOW)
    services.result_decide(
        match=match, by=organizer, outcome="win", how="no-show", reason="called twice", now=NOW
    )
    assert state(match).latest(None).how == "no-show"
    services.result_decide(
        match=match, by=organizer, outcome="double-loss", how="no-show", reason="neither came", now=NOW
    )
    assert state(match).outcome == "double-loss"


def test_dropping_with_the_report_is_one_tap(match: Match) -> None:
    services.result_report(match=match, by=player_of(match, 2), outcome="loss", drop=True, now=NOW)
    entry = match.seats.get(side=2).registration
    assert (entry.state, entry.dropped_after) == ("dropped", 1)
    assert state(match).state == "reported"


def test_a_refused_report_does_not_drop_anybody(match: Match, organizer: Any) -> None:
    services.result_decide(match=match, by=organizer, outcome="win", reason="slip", now=NOW)
    with pytest.raises(Conflict):
        services.result_report(match=match, by=player_of(match, 2), outcome="win", drop=True, now=NOW)
    assert match.seats.get(side=2).registration.state == "active"


# --- games ----------------------------------------------------------------------------------------------


def test_where_games_are_counted_a_report_says_them(best_of_three: Match) -> None:
    with pytest.raises(UserError) as refused:
        services.result_report(match=best_of_three, by=player_of(best_of_three, 1), outcome="win", now=NOW)
    assert refused.value.code == "games-missing"


def test_one_tap_reports_result_and_games(best_of_three: Match, client: Client) -> None:
    client.force_login(player_of(best_of_three, 1))
    page = client.get("/events/bo3/match").content.decode()
    assert all(f'value="{score}"' in page for score in ("2-0-0", "2-1-0", "1-1-0", "1-2-0", "0-2-0"))
    client.post("/events/bo3/match", {"outcome": "2-1-0"})
    client.force_login(player_of(best_of_three, 2))
    client.post("/events/bo3/match", {"outcome": "score", "won": "1", "lost": "2", "drawn": ""})
    assert (state(best_of_three).state, state(best_of_three).games) == ("confirmed", (2, 1, 0))


def test_the_same_winner_with_other_games_is_a_conflict(best_of_three: Match, client: Client) -> None:
    for side, tapped in ((1, "2-1-0"), (2, "0-2-0")):
        client.force_login(player_of(best_of_three, side))
        client.post("/events/bo3/match", {"outcome": tapped})
    assert state(best_of_three).state == "conflict"


@pytest.mark.parametrize(
    "tapped", ["", "king", "2-1", "9999-0-0", "99-0-0", "win:no-show", "draw:conceded", "-"]
)
def test_what_nobody_can_tap_is_refused_calmly(best_of_three: Match, client: Client, tapped: str) -> None:
    client.force_login(player_of(best_of_three, 1))
    assert client.post("/events/bo3/match", {"outcome": tapped}).status_code == 400
    assert not Report.objects.exists()


# --- slips ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "outcome", "games"),
    [
        ("1", "win", None),
        ("2", "loss", None),
        ("0", "draw", None),
        ("2t", "timed-loss", None),
        ("X", "double-loss", None),
    ],
)
def test_a_slip_is_table_result_enter(
    match: Match, organizer: Any, client: Client, typed: str, outcome: str, games: Any
) -> None:
    client.force_login(organizer)
    answer = client.post("/events/kingsport/slips", {"table": "1", "result": typed})
    assert answer.status_code == 302
    assert (state(match).state, state(match).outcome, state(match).games) == ("decided", outcome, games)
    assert state(match).latest(None).reason == "match slip"


def test_a_slip_with_games(best_of_three: Match, organizer: Any, client: Client) -> None:
    client.force_login(organizer)
    client.post("/events/bo3/slips", {"table": "1", "result": "1-2"})
    assert (state(best_of_three).outcome, state(best_of_three).games) == ("loss", (1, 2, 0))


def test_a_slip_with_the_wrong_table_overwrites_nothing(match: Match, organizer: Any) -> None:
    services.result_enter(round=match.round, table=1, outcome="win", by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.result_enter(round=match.round, table=1, outcome="loss", by=organizer, now=NOW)
    assert refused.value.code == "settled"
    services.result_enter(round=match.round, table=1, outcome="win", by=organizer, now=NOW)
    with pytest.raises(UserError) as nowhere:
        services.result_enter(round=match.round, table=44, outcome="win", by=organizer, now=NOW)
    assert nowhere.value.code == "no-such-table"


def test_a_slip_with_other_games_is_another_result(best_of_three: Match, organizer: Any) -> None:
    """Games decide ties, so 2-1 written over 2-0 changes standings as a wrong winner would."""
    slip: dict[str, Any] = {
        "round": best_of_three.round,
        "table": 1,
        "outcome": "win",
        "by": organizer,
        "now": NOW,
    }
    services.result_enter(games=(2, 0, 0), **slip)
    with pytest.raises(Conflict) as refused:
        services.result_enter(games=(2, 1, 0), **slip)
    assert refused.value.code == "settled" and state(best_of_three).games == (2, 0, 0)
    services.result_enter(games=(2, 0, 0), **slip)
    services.result_enter(**slip)  # says nothing of games
    assert state(best_of_three).games == (2, 0, 0)


def test_a_slip_overwrites_nothing_that_came_at_the_same_moment(
    match: Match, organizer: Any, monkeypatch: Any
) -> None:
    """Two of the staff enter slips for one table: the second looks after the first is in, not before."""
    held = results.locked_state

    def other_first(match: Match) -> Any:
        monkeypatch.setattr(results, "locked_state", held)
        services.result_enter(round=match.round, table=1, outcome="loss", by=organizer, now=NOW)
        return held(match)

    monkeypatch.setattr(results, "locked_state", other_first)
    with pytest.raises(Conflict) as refused:
        services.result_enter(round=match.round, table=1, outcome="win", by=organizer, now=NOW)
    assert refused.value.code == "settled"


@pytest.mark.parametrize("typed", [{"table": "x", "result": "1"}, {"table": "1", "result": "3"}, {"result": "1"},
                                   {"table": "1", "result": "1-"}, {"table": "1", "result": "2-1-1-1"}])  # fmt: skip
def test_a_slip_that_cannot_be_read_is_asked_for_again(
    match: Match, organizer: Any, client: Client, typed: dict[str, str]
) -> None:
    client.force_login(organizer)
    assert client.post("/events/kingsport/slips", typed).status_code == 400
    assert not Report.objects.exists()


def test_players_do_not_enter_slips(match: Match, client: Client) -> None:
    client.force_login(player_of(match, 1))
    assert client.post("/events/kingsport/slips", {"table": "1", "result": "1"}).status_code == 403


# --- late players, byes, tables ---------------------------------------------------------------------------


def late(event: Event, organizer: Any, **how: Any) -> Registration:
    return services.player_register(event=event, user=None, name="Late Guest", by=organizer, now=NOW, **how)


def test_who_comes_late_has_lost_the_rounds_before(match: Match, organizer: Any) -> None:
    event = match.round.event
    report_all(match.round)
    entry = late(event, organizer)
    [row] = [row for row in standings(event) if row.registration == entry]
    assert (row.points, row.played, row.lost) == (0, 1, 1)
    assert {player.id: player.byes for player in snapshot(event, 2).players}[entry.pk] == 0


def test_or_has_byes_for_them_when_an_organizer_says_so(match: Match, organizer: Any, judge: Any) -> None:
    event = match.round.event
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    report_all(match.round)
    with pytest.raises(Forbidden):
        late(event, judge, missed="byes", missed_reason="train")
    with pytest.raises(UserError):
        late(event, organizer, missed="byes")
    entry = late(event, organizer, missed="byes", missed_reason="train")
    [row] = [row for row in standings(event) if row.registration == entry]
    assert (row.points, row.played, row.results) == (5, 1, {"bye": 1})
    assert AwardedBye.objects.get().reason == "train"


def test_or_has_not_missed_anything(match: Match, organizer: Any) -> None:
    report_all(match.round)
    entry = late(match.round.event, organizer, missed="nothing")
    [row] = [row for row in standings(match.round.event) if row.registration == entry]
    assert (row.points, row.played) == (0, 0)


def test_who_comes_late_does_not_change_how_past_rounds_were_paired(match: Match, organizer: Any) -> None:
    from dataclasses import asdict

    from tournament.selectors import replay

    report_all(match.round)
    late(match.round.event, organizer)
    assert [asdict(pair) for pair in replay(match.round).pairs] == match.round.explanation["pairs"]


def test_an_awarded_bye_is_kept_out_of_the_pairing_and_counts(organizer: Any) -> None:
    event = make_event(organizer)
    first, *_ = entries = enter(event, 8)
    services.bye_award(registration=first, number=1, reason="won the qualifier", by=organizer, now=NOW)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    byes = [match for match in round_matches(round) if match.table is None]
    assert len(byes) == 2, "seven are left to pair: one more bye"
    own = next(match for match in byes if match.seats.get().registration == first)
    assert why_paired(round, first.pk).sentence == "A bye awarded in advance."
    assert match_state(own).state == "bye"
    report_all(round)
    assert {row.registration: row.points for row in standings(event)}[first] == 5
    assert {player.id: player.byes for player in snapshot(event, 2).players}[first.pk] == 1
    with pytest.raises(Conflict) as past:
        services.bye_withdraw(registration=first, number=1, by=organizer, now=NOW)
    assert past.value.code == "round-published"
    services.bye_award(registration=entries[1], number=2, reason="judge exam", by=organizer, now=NOW)
    services.bye_withdraw(registration=entries[1], number=2, by=organizer, now=NOW)
    assert len(round_matches(services.round_pair(event=event, by=organizer, now=NOW))) == 4


def test_everybody_may_have_an_awarded_bye(organizer: Any) -> None:
    event = make_event(organizer)
    for entry in enter(event, 2):
        services.bye_award(registration=entry, number=1, reason="final seeding", by=organizer, now=NOW)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    assert [match.table for match in round_matches(round)] == [None, None]


def test_a_player_who_cannot_move_keeps_the_table_whatever_the_standings(organizer: Any) -> None:
    event = make_event(organizer)
    entries = enter(event, 8)
    services.table_keep(registration=entries[3], table=7, by=organizer, now=NOW)
    for round in play(event, organizer, 3):
        [seat] = [
            seat
            for match in round_matches(round)
            for seat in match.seats.all()
            if seat.registration == entries[3]
        ]
        assert seat.match.table == 7
    with pytest.raises(Conflict) as taken:
        services.table_keep(registration=entries[4], table=7, by=organizer, now=NOW)
    assert taken.value.code == "table-taken"
    services.table_keep(registration=entries[3], table=None, by=organizer, now=NOW)
    services.table_keep(registration=entries[4], table=7, by=organizer, now=NOW)


def test_nobody_is_told_who_has_a_fixed_table(organizer: Any, client: Client) -> None:
    event = make_event(organizer)
    entries = enter(event, 4)
    services.table_keep(registration=entries[0], table=31, by=organizer, now=NOW)
    services.round_pair(event=event, by=organizer, now=NOW)
    told = client.get(f"/api/v1/events/{event.slug}/rounds/1").json()
    assert "players" not in told["explanation"]
    assert "fixed_table" not in client.get(f"/api/v1/events/{event.slug}/registrations").content.decode()


# --- why ------------------------------------------------------------------------------------------------


def test_why_this_opponent_and_why_not_the_player_above(organizer: Any, client: Client) -> None:
    event = make_event(organizer)
    enter(event, 8)
    play(event, organizer, 2)
    round = services.round_pair(event=event, by=organizer, seed=4, now=NOW)
    player = round_matches(round)[1].seats.get(side=1).registration
    told = why_paired(round, player.pk)
    assert told.opponent and told.other and told.instead
    assert told.digits[0].table == 0
    page = client.get(f"/events/{event.slug}/pairings/3/why/{player.pk}").content.decode()
    assert told.sentence in page and f"Why not {told.other.name}?" in page
    former = event.rounds.get(number=1).matches.filter(seats__registration=player).get()
    met = former.seats.exclude(registration=player).get().registration
    assert "The two have met before." in why_paired(round, player.pk, met.pk).instead
    together = client.get(f"/events/{event.slug}/pairings/3/why/{player.pk}?other={told.opponent.pk}")
    assert together.status_code == 400


def test_no_link_asks_why_of_who_was_not_there_to_be_paired(organizer: Any, client: Client) -> None:
    event = make_event(organizer)
    enter(event, 4)
    play(event, organizer, 1)
    services.player_register(event=event, user=None, name="Late", by=organizer, now=NOW, missed="losses")
    page = client.get(f"/events/{event.slug}/pairings/1").content.decode()
    links = re.findall(r'"(/[^"]*/why/\d+)"', page)
    assert "Late" in page and len(links) == 4
    assert {client.get(link).status_code for link in links} == {200}


def test_why_of_a_past_round_is_told_from_what_was_known_then(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 8)
    rounds = play(event, organizer, 2)
    round = services.round_pair(event=event, by=organizer, seed=4, now=NOW)
    player = round_matches(round)[0].seats.get(side=1).registration_id
    told = why_paired(round, player).instead
    for match in round_matches(rounds[0]):
        services.result_decide(match=match, by=organizer, outcome="loss", reason="all wrong", now=NOW)
    from django.core.cache import cache

    cache.clear()
    assert why_paired(Round.objects.get(pk=round.pk), player).instead == told
