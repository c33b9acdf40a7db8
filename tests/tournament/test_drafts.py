"""A round before players see it, its publication, and taking it back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament.factories import (
    NOW,
    enter,
    make_event,
    make_staff,
    play,
    player_of,
    report_all,
    user_of,
)
from tournament import services
from tournament.models import AuditRow, Event, Match, Report, Round, RoundSeed, Seat
from tournament.selectors import (
    access_match,
    access_round,
    clock_of,
    current_match,
    current_round,
    drift,
    pairing_words,
    played,
    replay,
    round_matches,
    round_seeds,
    round_story,
    snapshot,
    standings,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    """Nine players, one round played."""
    event = make_event(organizer)
    enter(event, 9)
    play(event, organizer, 1)
    return event


@pytest.fixture
def draft(event: Event, organizer: Any) -> Round:
    return services.round_draft(event=event, by=organizer, seed=5, now=NOW)


def tables(round: Round) -> list[tuple[Any, ...]]:
    return [
        (match.table, *(seat.registration_id for seat in match.seats.all())) for match in round_matches(round)
    ]


def refused(call: Callable[..., Any], **arguments: Any) -> UserError:
    with pytest.raises(UserError) as found:
        call(**arguments, now=NOW)
    return found.value


# --- nobody sees a draft --------------------------------------------------------------------------------


def test_a_draft_shows_nowhere(
    event: Event, draft: Round, organizer: Any, client: Client, judge: Any
) -> None:
    make_staff(event=event, user=judge, role="head-judge", by=organizer, now=NOW)
    [match, *_] = round_matches(draft)
    player = player_of(match, 1)
    before = {row.registration.pk: row.points for row in standings(event)}
    assert current_round(event) == event.rounds.get(number=1)
    assert current_match(player, event) == match.round.event.rounds.get(number=1).matches.get(
        seats__registration__user=player
    )
    assert len(played(event)) == 5, "the draft's bye does not count"
    assert all(points in (0, 5) for points in before.values())
    for asker in (None, player, judge):
        with pytest.raises(NotFound):
            access_round(asker, event.slug, 2)
    for asker in (None, player, judge, organizer):
        with pytest.raises(NotFound):
            access_match(asker, match.pk)
    assert access_round(organizer, event.slug, 2) == draft


@pytest.mark.parametrize("who", ["nobody", "player", "judge"])
def test_pages_and_programs_do_not_tell_a_draft(
    event: Event, draft: Round, organizer: Any, judge: Any, client: Client, who: str
) -> None:
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    match = round_matches(draft)[0]
    if who != "nobody":
        client.force_login(judge if who == "judge" else player_of(match, 1))
    for path in (
        f"/api/v1/events/{event.slug}/rounds/2",
        f"/api/v1/events/{event.slug}/rounds/2/matches",
        f"/api/v1/events/{event.slug}/rounds/2/story",
        f"/api/v1/events/{event.slug}/rounds/2/clock",
        f"/api/v1/matches/{match.pk}",
        f"/events/{event.slug}/pairings/2",
    ):
        assert client.get(path).status_code == 404, path
    assert client.get(f"/api/v1/events/{event.slug}/rounds").json()["count"] == 1
    for page in ("", "pairings", "standings", "players"):
        shown = client.get(f"/events/{event.slug}/{page}")
        assert shown.status_code == 200
        assert "/pairings/2" not in shown.content.decode()


def test_a_report_on_a_draft_is_refused(draft: Round) -> None:
    match = round_matches(draft)[0]
    error = refused(services.result_report, match=match, by=player_of(match, 1), outcome="win")
    assert error.code == "not-published"
    assert not Report.objects.filter(match__round=draft).exists()


# --- the lot --------------------------------------------------------------------------------------------


def test_the_lot_stays_whatever_is_discarded_renewed_or_taken_back(
    event: Event, draft: Round, organizer: Any
) -> None:
    """Otherwise an organizer could press until the pairing pleases."""
    seated = tables(draft)
    services.round_discard(round=draft, by=organizer, now=NOW)
    again = services.round_draft(event=event, by=organizer, now=NOW)
    assert (again.seed, tables(again)) == (draft.seed, seated)
    services.round_renew(round=again, by=organizer, now=NOW)
    services.round_publish(round=again, by=organizer, now=NOW)
    back = services.round_unpublish(round=again, reason="one is missing", by=organizer, now=NOW)
    services.round_renew(round=back, by=organizer, now=NOW)
    assert tables(back) == seated
    assert RoundSeed.objects.filter(event=event, number=2).count() == 1


def test_no_request_can_name_the_lot(event: Event, organizer: Any, client: Client) -> None:
    client.force_login(organizer)
    body = {"number": 2, "seed": 12345, "draft": True}
    address = f"/api/v1/events/{event.slug}/rounds"
    named = client.post(address, body, content_type="application/json")
    assert named.status_code == 400 and "seed" in str(named.json())
    answer = client.post(address, {"number": 2, "draft": True}, content_type="application/json")
    assert answer.status_code == 201
    assert client.post(f"/events/{event.slug}/control", {"do": "publish", "number": 2, "seed": 1})
    assert RoundSeed.objects.filter(seed__in=[1, 12345]).count() == 0


def test_another_lot_takes_a_reason_and_is_counted_in_public(
    event: Event, draft: Round, organizer: Any
) -> None:
    assert refused(services.round_redraw, round=draft, reason=" ", by=organizer).code == "missing"
    seated = tables(draft)
    services.round_redraw(round=draft, reason="club mates at table 1", by=organizer, now=NOW)
    draft.refresh_from_db()
    assert tables(draft) != seated
    assert [(lot.sequence, lot.reason) for lot in round_seeds(draft)] == [
        (1, ""),
        (2, "club mates at table 1"),
    ]
    services.round_discard(round=draft, by=organizer, now=NOW)
    again = services.round_draft(event=event, by=organizer, now=NOW)
    assert again.seed == round_seeds(again)[-1].seed
    assert len(round_seeds(again)) == 2, "who discards a draft does not get rid of the count"
    assert [row.reason for row in round_story(again) if row.verb == "round_redraw"] == [
        "club mates at table 1"
    ]


def test_the_last_tie_breaks_lot_does_not_hang_on_a_pairing_that_can_be_drawn_again(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    round = services.round_pair(event=event, by=organizer, now=NOW)
    lot = [row.values[-1].exact for row in standings(event)]
    services.round_unpublish(round=round, reason="wrong club", by=organizer, now=NOW)
    services.round_redraw(round=round, reason="wrong club", by=organizer, now=NOW)
    services.round_publish(round=round, by=organizer, now=NOW)
    assert [row.values[-1].exact for row in standings(event)] == lot


# --- by hand --------------------------------------------------------------------------------------------


def test_two_players_change_places_for_a_reason_everybody_can_read(draft: Round, organizer: Any) -> None:
    (_, a, b), (_, c, d), *others = tables(draft)
    services.seats_swap(round=draft, first=a, second=d, reason="brothers", by=organizer, now=NOW)
    draft.refresh_from_db()
    assert tables(draft)[:2] == [(1, d, b), (2, c, a)]
    assert tables(draft)[2:] == others
    words = pairing_words(draft, round_matches(draft))
    told = [words[match.pk] for match in round_matches(draft)]
    assert [sentence.startswith("Paired by hand") for sentence in told] == [True, True, False, False, False]
    row = AuditRow.objects.get(verb="seats_swap")
    assert (row.reason, row.data["tables"]) == ("brothers", [1, 2])
    assert row in round_story(draft)
    services.seats_swap(round=draft, first=d, second=a, reason="a mistake", by=organizer, now=NOW)
    draft.refresh_from_db()
    assert draft.explanation["by_hand"] == []


def test_a_bye_moves_and_what_speaks_against_it_is_told(event: Event, draft: Round, organizer: Any) -> None:
    """In round 2 the bye is given by hand to who had it in round 1."""
    former = Seat.objects.get(round__number=1, match__table=None).registration
    [bye] = [row for row in tables(draft) if row[0] is None]
    services.seats_swap(round=draft, first=former.pk, second=bye[1], reason="ill", by=organizer, now=NOW)
    draft.refresh_from_db()
    assert tables(draft)[-1] == (None, former.pk)
    words = pairing_words(draft, round_matches(draft))
    assert "has had a bye once before" in words[round_matches(draft)[-1].pk]
    services.round_publish(round=draft, by=organizer, now=NOW)
    report_all(draft)
    assert {player.id: player.byes for player in snapshot(event, 3).players}[former.pk] == 2


def test_a_meeting_made_by_hand_is_a_meeting_in_the_rounds_to_come(
    event: Event, draft: Round, organizer: Any
) -> None:
    (_, a, b), (_, c, _d), *_ = tables(draft)
    services.seats_swap(round=draft, first=b, second=c, reason="feature", by=organizer, now=NOW)
    services.round_publish(round=draft, by=organizer, now=NOW)
    report_all(draft)
    later = {player.id: player.opponents for player in snapshot(event, 3).players}
    assert c in later[a] and b not in later[a]


def test_a_table_is_moved_and_the_other_takes_its_place(draft: Round, organizer: Any) -> None:
    before = tables(draft)
    services.table_move(round=draft, table=3, to=1, reason="camera", by=organizer, now=NOW)
    after = tables(draft)
    assert after[0][1:] == before[2][1:] and after[2][1:] == before[0][1:]
    services.table_move(round=draft, table=1, to=40, reason="wheelchair", by=organizer, now=NOW)
    assert [row[0] for row in tables(draft)] == [2, 3, 4, 40, None]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"first": 10**9}, "not-seated"),
        ({"second": "partner"}, "same-table"),
        ({"reason": ""}, "missing"),
        ({"edition": 99}, "draft-changed"),
    ],
)
def test_changes_by_hand_that_cannot_be(
    draft: Round, organizer: Any, change: dict[str, Any], code: str
) -> None:
    (_, a, b), (_, c, _d), *_ = tables(draft)
    before = tables(draft)
    asked = {"first": a, "second": c, "reason": "x"} | change
    if asked["second"] == "partner":
        asked["second"] = b
    assert refused(services.seats_swap, round=draft, by=organizer, **asked).code == code
    assert tables(draft) == before


def test_a_change_after_publication_is_refused(draft: Round, organizer: Any) -> None:
    (_, a, _b), (_, c, _d), *_ = tables(draft)
    services.round_publish(round=draft, by=organizer, now=NOW)
    for verb, arguments in (
        (services.seats_swap, {"first": a, "second": c, "reason": "x"}),
        (services.table_move, {"table": 1, "to": 2, "reason": "x"}),
        (services.round_redraw, {"reason": "x"}),
        (services.round_renew, {}),
        (services.round_discard, {}),
        (services.round_publish, {}),
    ):
        assert refused(verb, round=draft, by=organizer, **arguments).code == "published"


# --- publishing -----------------------------------------------------------------------------------------


def test_what_is_published_is_what_the_organizer_looked_at(draft: Round, organizer: Any) -> None:
    seen = draft.edition
    services.table_move(round=draft, table=3, to=1, reason="camera", by=organizer, now=NOW)
    assert refused(services.round_publish, round=draft, edition=seen, by=organizer).code == "draft-changed"
    draft.refresh_from_db()
    published = services.round_publish(round=draft, edition=draft.edition, by=organizer, now=NOW)
    assert published.state == Round.State.PUBLISHED


def test_a_draft_of_what_is_no_longer_so_is_not_published(event: Event, draft: Round, organizer: Any) -> None:
    entries = list(event.registrations.order_by("pk"))
    services.player_drop(registration=entries[0], by=organizer, now=NOW)
    services.player_register(event=event, user=None, name="Late Guest", by=organizer, now=NOW)
    corrected = event.rounds.get(number=1).matches.get(table=1)
    services.result_decide(match=corrected, by=organizer, outcome="loss", reason="misread", now=NOW)
    error = refused(services.round_publish, round=draft, by=organizer)
    assert error.code == "draft-outdated"
    assert error.details["gone"] == [entries[0].name]
    assert error.details["new"] == ["Late Guest"]
    assert {seat.registration.name for seat in corrected.seats.all()} - {entries[0].name} <= set(
        error.details["different"]
    )
    services.round_renew(round=draft, by=organizer, now=NOW)
    draft.refresh_from_db()
    assert not drift(draft)
    services.round_publish(round=draft, by=organizer, now=NOW)


def test_round_1_is_pinned_when_it_is_published_not_when_it_is_drafted(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    draft = services.round_draft(event=event, by=organizer, now=NOW)
    event.refresh_from_db()
    assert (event.state, event.policy) == ("registration", None)
    enter(event, 1, "late")
    services.round_renew(round=draft, by=organizer, now=NOW)
    services.round_publish(round=draft, by=organizer, now=NOW)
    event.refresh_from_db()
    assert (event.state, event.planned_rounds) == ("running", 4)
    assert Seat.objects.filter(round=draft).count() == 5


def test_one_draft_at_a_time(event: Event, draft: Round, organizer: Any) -> None:
    for verb in (services.round_draft, services.round_pair):
        assert refused(verb, event=event, by=organizer).code == "draft-waiting"
        assert refused(verb, event=event, by=organizer, number=3).code == "already-paired"
    assert Round.objects.filter(event=event).count() == 2


def test_a_failing_publication_leaves_the_draft_as_it_was(
    draft: Round, organizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournament.services.rounds import rounds

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(rounds, "clock_begin", fail)
    with pytest.raises(RuntimeError):
        services.round_publish(round=draft, start_clock=True, by=organizer, now=NOW)
    edition = draft.edition
    draft.refresh_from_db()
    assert (draft.state, draft.edition) == (Round.State.DRAFT, edition)


# --- taking a publication back --------------------------------------------------------------------------


def test_a_publication_is_taken_back_while_nothing_is_reported(draft: Round, organizer: Any) -> None:
    published = services.round_publish(round=draft, start_clock=True, by=organizer, now=NOW)
    old = [match.pk for match in round_matches(published)]
    seated = tables(published)
    back = services.round_unpublish(round=published, reason="three still queue", by=organizer, now=NOW)
    assert back.state == Round.State.DRAFT
    assert tables(back) == seated
    assert not Match.objects.filter(pk__in=old).exists(), "players know those numbers"
    assert not clock_of(back).began
    assert AuditRow.objects.get(verb="round_unpublish").reason == "three still queue"


def test_one_report_is_enough_to_keep_a_round(draft: Round, organizer: Any) -> None:
    published = services.round_publish(round=draft, by=organizer, now=NOW)
    match = round_matches(published)[0]
    services.result_report(match=match, by=player_of(match, 2), outcome="win", now=NOW)
    error = refused(services.round_unpublish, round=published, reason="oops", by=organizer)
    assert error.code == "results-in"
    published.refresh_from_db()
    assert published.state == Round.State.PUBLISHED


def test_minutes_given_to_a_table_keep_a_round_too(draft: Round, organizer: Any) -> None:
    published = services.round_publish(round=draft, by=organizer, now=NOW)
    match = round_matches(published)[0]
    services.time_extend(match=match, minutes=3, cause="judge-call", by=organizer, now=NOW)
    assert refused(services.round_unpublish, round=published, reason="x", by=organizer).code == "results-in"


def test_drafts_and_finished_rounds_are_not_taken_back(event: Event, draft: Round, organizer: Any) -> None:
    assert refused(services.round_unpublish, round=draft, reason="x", by=organizer).code == "not-published"
    first = event.rounds.get(number=1)
    assert refused(services.round_unpublish, round=first, reason="x", by=organizer).code == "round-over"
    assert refused(services.round_finish, round=draft, by=organizer).code == "not-published"


@pytest.mark.parametrize("role", ["judge", "head-judge", "scorekeeper"])
def test_only_organizers_touch_a_draft(
    event: Event, draft: Round, organizer: Any, visitor: Any, role: str
) -> None:
    make_staff(event=event, user=visitor, role=role, by=organizer, now=NOW)
    (_, a, _b), (_, c, _d), *_ = tables(draft)
    for verb, arguments in (
        (services.round_publish, {}),
        (services.round_renew, {}),
        (services.round_redraw, {"reason": "x"}),
        (services.round_discard, {}),
        (services.round_unpublish, {"reason": "x"}),
        (services.seats_swap, {"first": a, "second": c, "reason": "x"}),
        (services.table_move, {"table": 1, "to": 2, "reason": "x"}),
    ):
        with pytest.raises(Forbidden):
            verb(round=draft, by=visitor, now=NOW, **arguments)


# --- replay ---------------------------------------------------------------------------------------------


def test_a_past_round_is_paired_again_byte_for_byte_though_results_were_corrected(
    event: Event, draft: Round, organizer: Any
) -> None:
    from dataclasses import asdict

    services.round_publish(round=draft, by=organizer, now=NOW)
    told = draft.explanation["pairs"]
    for match in event.rounds.get(number=1).matches.filter(table__isnull=False):
        services.result_decide(match=match, by=organizer, outcome="loss", reason="all wrong", now=NOW)
    services.player_drop(registration=event.registrations.order_by("pk")[0], by=organizer, now=NOW)
    assert [asdict(pair) for pair in replay(event.rounds.get(number=2)).pairs] == told


def test_who_left_during_a_round_comes_back_within_it(event: Event, organizer: Any) -> None:
    round = services.round_pair(event=event, by=organizer, now=NOW)
    entry = round_matches(round)[0].seats.get(side=1).registration
    services.player_drop(registration=entry, by=user_of(entry), now=NOW)
    entry.refresh_from_db()
    assert entry.dropped_after == 2
    services.player_return(registration=entry, by=user_of(entry), now=NOW)
    services.player_drop(registration=entry, by=user_of(entry), now=NOW)
    report_all(round)
    services.round_pair(event=event, by=organizer, now=NOW)
    entry.refresh_from_db()
    with pytest.raises(Forbidden) as late:
        services.player_return(registration=entry, by=user_of(entry), now=NOW)
    assert late.value.code == "too-late"
    services.player_return(registration=entry, by=organizer, now=NOW)
    with pytest.raises(Conflict) as there:
        services.player_return(registration=entry, by=organizer, now=NOW)
    assert there.value.code == "not-dropped"
