"""From the Swiss rounds into a bracket: the cut, who is in and why, the rounds, the final places."""

from collections import Counter
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.markup import tight
from tests.tournament.factories import NOW, enter, make_event, make_staff, play, report_all, user_of
from tournament import services
from tournament.models import Event, Match, Registration, Round, Stage
from tournament.selectors import match_state, round_matches, standings
from tournament.selectors.stages import (
    bracket_view,
    changed_since_the_cut,
    current_stage,
    cut_preview,
    final_standings,
)
from tournament.swiss.brackets import Part

pytestmark = pytest.mark.django_db


def swiss(
    organizer: Any, players: int = 10, rounds: int = 3, **changes: Any
) -> tuple[Event, list[Registration]]:
    """An event whose Swiss rounds are over; side 1 won every match."""
    event = make_event(organizer, planned_rounds=rounds, **{"cut": {"places": 4, "ties": False}} | changes)
    entries = enter(event, players)
    event.registrations.update(deck_override="seen at the desk")
    played = play(event, organizer, rounds)
    services.round_finish(round=played[-1], by=organizer, now=NOW)
    event.refresh_from_db()
    return event, entries


def opened(organizer: Any, **changes: Any) -> tuple[Event, Stage]:
    event, _ = swiss(organizer, **changes)
    return event, services.stage_open(event=event, by=organizer, now=NOW)


def play_wave(stage: Stage, organizer: Any, outcome: str = "win") -> Round:
    round = services.stage_round(stage=stage, by=organizer, seed=1, now=NOW)
    report_all(round, outcome)
    return round


def play_to_the_end(stage: Stage, organizer: Any) -> Event:
    while (view := bracket_view(stage)).next_wave is not None:
        round = play_wave(stage, organizer)
    services.round_finish(round=round, by=organizer, now=NOW)
    assert view.next_wave is None
    return Event.objects.get(pk=stage.event_id)


# --- the cut --------------------------------------------------------------------------------------------------


def test_the_cut_is_pinned_with_round_one(organizer: Any) -> None:
    event = make_event(organizer, policy_key="single-game", planned_rounds=1)
    enter(event, 9)
    play(event, organizer, 1)
    event.refresh_from_db()
    assert event.cut == {"places": 4, "ties": False}, "nine players: a cut to four by the policy's table"


def test_the_event_is_not_over_while_a_cut_is_to_come(organizer: Any) -> None:
    event, _ = swiss(organizer)
    assert event.state == Event.State.RUNNING


def test_without_a_cut_the_last_round_ends_the_event(organizer: Any) -> None:
    event, _ = swiss(organizer, cut={"places": 0, "ties": False})
    assert event.state == Event.State.FINISHED
    with pytest.raises(Conflict) as refused:
        services.stage_open(event=event, by=organizer, now=NOW)
    assert refused.value.code == "event-over"


def test_the_first_of_the_standings_are_in_and_the_line_says_why(organizer: Any) -> None:
    event, _ = swiss(organizer)
    cut = cut_preview(event)
    rows = standings(event)
    assert cut.seeds == tuple(row.registration.pk for row in rows[:4])
    last, first = rows[3], rows[4]
    assert last.registration.name in cut.line and first.registration.name in cut.line
    if last.points == first.points:
        assert all(row.why for row in cut.rows if row.standing.points == last.points)


def test_a_tie_at_the_line_names_the_number_that_decided_with_both_values(organizer: Any) -> None:
    """Two rounds, eight players: three or four have one win, the cut takes three."""
    event, _ = swiss(organizer, players=8, rounds=2, cut={"places": 3, "ties": False})
    rows = standings(event)
    last, first = rows[2], rows[3]
    assert last.points == first.points
    decided = next(
        (one, two) for one, two in zip(last.values, first.values, strict=True) if one.exact != two.exact
    )
    line = cut_preview(event).line
    assert decided[0].tie_break.name in line
    assert (decided[0].text in line and decided[1].text in line) or str(decided[0].exact) in line


def test_who_declines_or_drops_is_replaced_by_the_next(organizer: Any) -> None:
    event, _ = swiss(organizer)
    rows = standings(event)
    services.cut_decline(registration=rows[0].registration, by=user_of(rows[0].registration), now=NOW)
    services.player_drop(registration=rows[2].registration, by=organizer, now=NOW)
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    taken = [entry.registration_id for entry in stage.entries.all()]
    assert taken == [rows[index].registration.pk for index in (1, 3, 4, 5)]
    codes = [row.code for row in cut_preview(event).rows][:4]
    assert codes == ["declined", "in", "dropped", "in"]


def test_a_place_is_given_up_by_its_player_or_by_staff_and_before_the_bracket(
    organizer: Any, bo: Any
) -> None:
    event, entries = swiss(organizer)
    with pytest.raises(Forbidden):
        services.cut_decline(registration=entries[0], by=bo, now=NOW)
    services.cut_decline(registration=entries[0], by=organizer, now=NOW)
    services.cut_decline(registration=entries[0], plays_on=True, by=organizer, now=NOW)
    services.stage_open(event=event, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.cut_decline(registration=entries[0], by=organizer, now=NOW)
    assert refused.value.code == "stage-open"


def test_a_cut_that_changed_since_it_was_looked_at_is_not_made(organizer: Any) -> None:
    event, _ = swiss(organizer)
    seen = cut_preview(event).seeds
    services.player_drop(registration=Registration.objects.get(pk=seen[0]), by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.stage_open(event=event, seen=seen, by=organizer, now=NOW)
    assert refused.value.code == "cut-changed" and not event.stages.exists()


def test_a_graduated_cut_takes_all_level_with_the_last(organizer: Any) -> None:
    event, _ = swiss(organizer, players=8, rounds=2, cut={"places": 3, "ties": True})
    points = [row.points for row in standings(event)]
    assert len(cut_preview(event).seeds) == sum(one >= points[2] for one in points) > 3


def test_a_cut_by_record_takes_everybody_with_few_losses_and_the_last_play_in(organizer: Any) -> None:
    event, _ = swiss(organizer, players=12, rounds=3, cut={"losses": 1})
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    qualified = [row for row in standings(event) if row.lost <= 1]
    assert [entry.registration_id for entry in stage.entries.all()] == [
        row.registration.pk for row in qualified
    ]
    view = bracket_view(stage)
    assert len(view.bracket.wave(1)) == len(qualified) - view.bracket.places // 2


def test_forty_players_seven_rounds_x_2_and_the_four_nil_three_qualifies(organizer: Any) -> None:
    """4-0-3 has fewer points than 5-2-0's rivals may have, and no loss: it is in."""
    event = make_event(organizer, planned_rounds=7, cut={"losses": 2}, policy_key="single-game")
    entries = enter(event, 40)
    drawn = 0
    for number in range(1, 8):
        round = services.round_pair(event=event, by=organizer, seed=number, now=NOW)
        for match in round_matches(round):
            sides = [seat.registration_id for seat in match.seats.all()]
            outcome = "win"
            if entries[0].pk in sides:
                outcome = "draw" if drawn < 3 else "win" if sides[0] == entries[0].pk else "loss"
                drawn += 1
            services.result_decide(match=match, by=organizer, outcome=outcome, reason="slip", now=NOW)
    services.round_finish(round=round, by=organizer, now=NOW)
    row = next(row for row in standings(event) if row.registration == entries[0])
    assert (row.won, row.lost, row.drawn) == (4, 0, 3)
    assert entries[0].pk in cut_preview(event).seeds
    assert all(one.lost <= 2 for one in standings(event) if one.registration.pk in cut_preview(event).seeds)


def test_only_organizers_make_the_cut_and_only_after_the_swiss_rounds(organizer: Any, bo: Any) -> None:
    event = make_event(organizer, planned_rounds=2, cut={"places": 4, "ties": False})
    enter(event, 8)
    play(event, organizer, 1)
    with pytest.raises(Forbidden):
        services.stage_open(event=event, by=bo, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.stage_open(event=event, by=organizer, now=NOW)
    assert refused.value.code == "swiss-not-over"


def test_an_event_may_end_without_its_bracket_for_a_reason(organizer: Any) -> None:
    event, _ = swiss(organizer)
    with pytest.raises(UserError):
        services.event_close(event=event, reason=" ", by=organizer, now=NOW)
    services.event_close(event=event, reason="The hall closes.", by=organizer, now=NOW)
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED


# --- the bracket ----------------------------------------------------------------------------------------------


def test_a_bracket_of_four_from_semifinals_to_final_places(organizer: Any) -> None:
    event, stage = opened(organizer)
    seeds = [entry.registration for entry in stage.entries.all()]
    first = play_wave(stage, organizer)
    assert first.number == 4 and first.wave == 1
    tables = [[seat.registration for seat in match.seats.all()] for match in round_matches(first)]
    assert tables == [[seeds[0], seeds[3]], [seeds[1], seeds[2]]]
    event = play_to_the_end(stage, organizer)
    assert event.state == Event.State.FINISHED
    places = final_standings(event)
    assert [one.place for one in places] == [1, 2, 3, 3, 5, 6, 7, 8, 9, 10]
    assert [one.standing.registration for one in places[:4]] == seeds
    swiss_rest = [row.registration.pk for row in standings(event) if row.registration not in seeds]
    assert [one.standing.registration.pk for one in places[4:]] == swiss_rest


def test_matches_of_the_bracket_are_not_in_the_swiss_standings(organizer: Any) -> None:
    event, stage = opened(organizer)
    before = [(row.registration.pk, row.points, row.played) for row in standings(event)]
    play_to_the_end(stage, organizer)
    assert [(row.registration.pk, row.points, row.played) for row in standings(event)] == before


def test_double_elimination_is_played_until_everybody_but_one_has_lost_twice(organizer: Any) -> None:
    event, _ = swiss(organizer, players=12, policy_key="netrunner-nsg", cut={"places": 8, "ties": False})
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    assert stage.kind == Stage.Kind.DOUBLE
    while bracket_view(stage).next_wave is not None:
        round = services.stage_round(stage=stage, by=organizer, seed=1, now=NOW)
        for match in round_matches(round):
            view = bracket_view(stage)
            game = view.bracket.game(match.game or 0)
            loses = game.part is Part.FINAL  # who comes undefeated loses once, so that they meet again
            services.result_decide(
                match=match, by=organizer, outcome="loss" if loses else "win", reason="slip", now=NOW
            )
    services.round_finish(round=round, by=organizer, now=NOW)
    view = bracket_view(stage)
    lost = Counter(one.loser for one in view.standing if one.loser)
    champion = view.standing[-1].winner
    assert view.standing[-1].game.part is Part.RESET and champion is not None
    assert lost == {seed: 1 if seed == champion else 2 for seed in range(1, 9)}
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED


def test_nobody_draws_in_a_bracket(organizer: Any) -> None:
    _, stage = opened(organizer)
    round = services.stage_round(stage=stage, by=organizer, now=NOW)
    match = round_matches(round)[0]
    player = user_of(match.seats.get(side=1).registration)
    with pytest.raises(UserError, match="must have a winner"):
        services.result_report(match=match, by=player, outcome="draw", now=NOW)
    with pytest.raises(UserError, match="must have a winner"):
        services.result_decide(match=match, by=organizer, outcome="double-loss", reason="late", now=NOW)
    with pytest.raises(UserError, match="isn’t known here"):
        services.result_report(match=match, by=player, outcome="victory", now=NOW)


def test_the_next_round_waits_for_every_result_and_pressing_twice_publishes_once(organizer: Any) -> None:
    _, stage = opened(organizer)
    round = services.stage_round(stage=stage, wave=1, by=organizer, now=NOW)
    with pytest.raises(Conflict) as again:
        services.stage_round(stage=stage, wave=1, by=organizer, now=NOW)
    assert again.value.code == "already-paired"
    with pytest.raises(Conflict) as early:
        services.stage_round(stage=stage, wave=2, by=organizer, now=NOW)
    assert early.value.code == "results-missing"
    assert list(stage.rounds.all()) == [round]


def test_a_correction_in_the_swiss_rounds_changes_nothing_in_the_bracket_and_is_shown(organizer: Any) -> None:
    event, stage = opened(organizer, players=8, rounds=2, cut={"places": 3, "ties": False})
    before = [entry.registration_id for entry in stage.entries.all()]
    assert changed_since_the_cut(bracket_view(stage)) == []
    lost = next(
        match
        for match in Match.objects.filter(round__event=event, round__number=2)
        if match.seats.get(side=1).registration_id in before
        and match.seats.get(side=2).registration_id not in before
    )
    services.result_decide(match=lost, by=organizer, outcome="loss", reason="misread slip", now=NOW)
    stage = Stage.objects.get(pk=stage.pk)
    assert [entry.registration_id for entry in stage.entries.all()] == before
    assert changed_since_the_cut(bracket_view(stage))


def test_a_winner_who_is_seated_in_the_next_round_stays_the_winner(organizer: Any) -> None:
    _, stage = opened(organizer)
    first = play_wave(stage, organizer)
    match = round_matches(first)[0]
    services.result_decide(match=match, by=organizer, outcome="loss", reason="misread", now=NOW)
    services.result_decide(match=match, by=organizer, outcome="win", reason="read again", now=NOW)
    services.stage_round(stage=stage, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.result_decide(match=match, by=organizer, outcome="loss", reason="misread", now=NOW)
    assert refused.value.code == "bracket-went-on"
    services.result_decide(match=match, by=organizer, outcome="timed-win", reason="on time", now=NOW)


def test_who_drops_in_the_bracket_loses_the_next_match_without_playing(organizer: Any) -> None:
    _, stage = opened(organizer)
    first = play_wave(stage, organizer)
    services.player_drop(registration=stage.entries.get(seed=1).registration, by=organizer, now=NOW)
    final = services.stage_round(stage=stage, by=organizer, now=NOW)
    state = match_state(round_matches(final)[0])
    assert state.settled and state.outcome == "loss" and state.reports[0].reason
    assert first.number + 1 == final.number


def test_the_cut_can_be_taken_back_until_something_is_reported_in_the_bracket(organizer: Any) -> None:
    event, stage = opened(organizer)
    services.stage_withdraw(stage=stage, reason="a slip was missing", by=organizer, now=NOW)
    assert current_stage(event) is None
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    services.stage_round(stage=stage, by=organizer, now=NOW)
    services.stage_withdraw(stage=stage, reason="another slip", by=organizer, now=NOW)
    assert not event.rounds.filter(number__gt=3).exists()
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    play_wave(stage, organizer)
    with pytest.raises(Conflict) as refused:
        services.stage_withdraw(stage=stage, reason="no", by=organizer, now=NOW)
    assert refused.value.code == "stage-begun"


@pytest.mark.parametrize(
    ("happened", "code"),
    [
        ("call", "calls-open"),
        ("taken", "stage-begun"),
        ("extension", "stage-begun"),
        ("statement", "stage-begun"),
    ],
)
def test_the_cut_is_not_taken_back_over_what_happened_at_a_table_of_the_bracket(
    organizer: Any, judge: Any, happened: str, code: str
) -> None:
    event, stage = opened(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer)
    match = round_matches(services.stage_round(stage=stage, by=organizer, now=NOW))[0]
    entry = match.seats.get(side=1).registration
    if happened in ("call", "taken"):
        call = services.call_open(match=match, subject="rules", by=user_of(entry), now=NOW)
        if happened == "taken":
            services.call_claim(call=call, by=judge, now=NOW)
            services.call_close(call=call, outcome="Explained.", by=judge, now=NOW)
    elif happened == "extension":
        services.time_extend(match=match, minutes=5, reason="late", by=judge, now=NOW)
    else:
        services.statement_make(match=match, text="He did it.", by=user_of(entry), now=NOW)
    with pytest.raises(Conflict) as refused:
        services.stage_withdraw(stage=stage, reason="a slip was missing", by=organizer, now=NOW)
    assert refused.value.code == code and refused.value.remedy
    assert Match.objects.filter(pk=match.pk).exists() and current_stage(event) == stage


def test_a_cancelled_call_keeps_no_cut(organizer: Any) -> None:
    event, stage = opened(organizer)
    match = round_matches(services.stage_round(stage=stage, by=organizer, now=NOW))[0]
    player = user_of(match.seats.get(side=1).registration)
    call = services.call_open(match=match, subject="rules", by=player, now=NOW)
    services.call_withdraw(call=call, by=player, now=NOW)
    services.stage_withdraw(stage=stage, reason="a slip was missing", by=organizer, now=NOW)
    assert current_stage(event) is None
    call.refresh_from_db()
    assert call.match_id is None


def test_the_higher_seed_chooses_who_begins_and_the_pairing_says_so(organizer: Any) -> None:
    _, stage = opened(organizer)
    round = services.stage_round(stage=stage, by=organizer, now=NOW)
    best = stage.entries.get(seed=1).registration
    assert f"{best.name} chooses who goes first" in round.explanation["pairs"][0]["sentence"]
    tie = bracket_view(stage).ties[0]
    assert [side.begins for side in tie.sides] == [True, False]


@pytest.mark.parametrize("players", [8, 40])
def test_reading_the_cut_and_the_bracket_takes_as_many_queries_for_many_as_for_few(
    organizer: Any, django_assert_max_num_queries: Any, players: int
) -> None:
    event, _ = swiss(organizer, players=players, cut={"places": players // 2, "ties": False})
    with django_assert_max_num_queries(8):
        cut_preview(event)
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    play_wave(stage, organizer)
    with django_assert_max_num_queries(16):
        final_standings(event)
    with django_assert_max_num_queries(38):
        services.stage_round(stage=stage, by=organizer, now=NOW)


# --- faces ----------------------------------------------------------------------------------------------------


def test_from_the_cut_to_the_champion_through_the_pages(organizer: Any, client: Client) -> None:
    event, _ = swiss(organizer)
    client.force_login(organizer)
    page = client.get("/events/kingsport/bracket").content.decode()
    assert "4 players advance" in page and "Make the cut" in page
    assert "Review the cut" in client.get("/events/kingsport/control").content.decode()
    seen = [str(pk) for pk in cut_preview(event).seeds]
    assert client.post("/events/kingsport/bracket", {"do": "open", "seen": seen[::-1]}).status_code == 409
    client.post("/events/kingsport/bracket", {"do": "open", "seen": seen})
    stage = current_stage(event)
    assert stage is not None
    for wave in (1, 2):
        page = client.get("/events/kingsport/bracket").content.decode()
        assert "Publish the round" in page and "<svg" in page
        client.post("/events/kingsport/bracket", {"do": "publish", "wave": wave})
        round = stage.rounds.get(wave=wave)
        assert round.title in client.get("/events/kingsport/pairings").content.decode()
        report_all(round)
        client.post("/events/kingsport/control", {"do": "finish", "number": round.number})
    best = stage.entries.get(seed=1).registration
    assert f"{best.name} has won the event" in client.get("/events/kingsport/bracket").content.decode()
    assert "won the bracket" in client.get("/events/kingsport/places").content.decode()


def test_a_player_gives_up_the_place_on_the_page(organizer: Any, client: Client) -> None:
    event, _ = swiss(organizer)
    best = standings(event)[0].registration
    client.force_login(user_of(best))
    assert "Decline my spot" in client.get("/events/kingsport/bracket").content.decode()
    client.post("/events/kingsport/bracket", {"do": "decline", "player": best.pk})
    assert best.pk not in cut_preview(event).seeds
    assert client.post("/events/kingsport/bracket", {"do": "open"}).status_code == 403


def test_a_bracket_match_offers_no_draw_to_its_players(organizer: Any, client: Client) -> None:
    _, stage = opened(organizer)
    services.stage_round(stage=stage, by=organizer, now=NOW)
    client.force_login(user_of(stage.entries.get(seed=1).registration))
    page = client.get("/events/kingsport/match").content.decode()
    assert "Semifinals" in page and "I won" in page and ">Draw<" not in tight(page)
    assert "chooses who goes first" in page


def test_the_same_through_the_api(organizer: Any, client: Client) -> None:
    event, _ = swiss(organizer)
    client.force_login(organizer)
    root = "/api/v1/events/kingsport"

    def post(path: str, **data: Any) -> Any:
        return client.post(f"{root}/{path}", data, content_type="application/json")

    cut = client.get(f"{root}/cut").json()
    assert cut["due"] and cut["rule"] == {"places": 4, "ties": False} and len(cut["seeds"]) == 4
    out = cut["rows"][0]["registration"]
    assert post(f"registrations/{out}/decline", plays_on=False).status_code == 200
    assert post("stages", seen=cut["seeds"]).json()["code"] == "cut-changed"
    stage = post("stages").json()
    assert stage["next_title"] == "Semifinals" and stage["games"][0]["sides"][0]["seed"] == 1
    assert post("stages/1/withdraw", reason="too early").status_code == 204
    assert post("stages").status_code == 201
    round = post("stages/1/rounds", wave=1)
    assert round.status_code == 201 and round.json()["title"] == "Semifinals"
    assert post("stages/1/rounds", wave=1).json()["code"] == "already-paired"
    report_all(Round.objects.get(stage__event=event))
    assert client.get(f"{root}/stages/1").json()["games"][0]["state"] == "played"
    assert client.get(f"{root}/places").json()["results"][0]["seed"] is not None
    assert client.get(f"{root}/stages/2").status_code == 404
    client.force_login(user_of(stage_player(event)))
    assert post("stages/1/rounds").status_code == post("stages/1/withdraw", reason="x").status_code == 403
    assert client.get(f"{root}/stages/1").status_code == 200


def stage_player(event: Event) -> Registration:
    stage = current_stage(event)
    assert stage is not None
    return stage.entries.get(seed=1).registration
