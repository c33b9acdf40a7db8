"""Places, the waiting list, leaving and coming back, guests who claim their entry, and an event's settings."""

from datetime import timedelta
from typing import Any

import pytest

from config.errors import Conflict, Forbidden, NotFound, UserError
from tests.tournament.factories import LEGAL, NOW, enter, make_event, make_revision, make_users, play, user_of
from tournament import services
from tournament.models import Event, Registration
from tournament.selectors import standings
from tournament.selectors.codes import claim_code, typed_code
from tournament.selectors.entries import free_places, place_in_line, waiting_list
from tournament.selectors.overview import next_step
from tournament.services.people.attempts import MOST

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


@pytest.fixture
def full(event: Event, organizer: Any) -> tuple[Event, list[Registration]]:
    """Two places, four players: the last two wait."""
    event = services.event_change(event=event, capacity=2, by=organizer, now=NOW)
    return event, enter(event, 4)


def states(event: Event) -> list[str]:
    return [entry.state for entry in event.registrations.order_by("pk")]


def test_who_comes_to_a_full_event_waits_in_order(full: tuple[Event, list[Registration]]) -> None:
    event, entries = full
    assert states(event) == ["active", "active", "waiting", "waiting"]
    assert [entry.number for entry in entries] == [1, 2, 3, 4]
    assert list(waiting_list(event)) == entries[2:]
    assert place_in_line(entries[3]) == 2
    assert next_step(user_of(entries[3]), event).line == 2


def test_a_place_that_gets_free_goes_to_who_waits_longest(full: tuple[Event, list[Registration]]) -> None:
    event, entries = full
    services.player_drop(registration=entries[0], by=user_of(entries[0]), now=NOW)
    assert states(event) == ["withdrawn", "active", "active", "waiting"]
    again = services.player_register(event=event, user=entries[0].user, by=user_of(entries[0]), now=NOW)
    assert (again.pk, again.state) == (entries[0].pk, "waiting"), "and whoever left waits behind the others"
    assert list(waiting_list(event)) == [entries[3], again]


def test_more_room_lets_in_who_waits_and_less_throws_nobody_out(
    full: tuple[Event, list[Registration]], organizer: Any
) -> None:
    event, _entries = full
    services.event_change(event=event, capacity=3, by=organizer, now=NOW)
    assert states(event) == ["active", "active", "active", "waiting"]
    event = services.event_change(event=event, capacity=2, by=organizer, now=NOW)
    assert states(event) == ["active", "active", "active", "waiting"]
    assert free_places(event) == -1
    services.event_change(event=event, capacity=None, by=organizer, now=NOW)
    assert states(event) == ["active"] * 4


def test_an_organizer_admits_out_of_turn_with_a_reason(
    full: tuple[Event, list[Registration]], organizer: Any
) -> None:
    event, entries = full
    with pytest.raises(UserError):
        services.player_admit(registration=entries[3], reason=" ", by=organizer, now=NOW)
    services.player_admit(registration=entries[3], reason="travelled far", by=organizer, now=NOW)
    assert states(event) == ["active", "active", "waiting", "active"]
    with pytest.raises(Conflict) as refused:
        services.player_admit(registration=entries[3], reason="again", by=organizer, now=NOW)
    assert refused.value.code == "not-waiting"


def test_who_waits_is_not_paired(full: tuple[Event, list[Registration]], organizer: Any) -> None:
    event, entries = full
    play(event, organizer, 1)
    assert {row.registration for row in standings(event)} == set(entries[:2])
    services.player_drop(registration=entries[2], by=organizer, now=NOW)
    assert states(event) == ["active", "active", "withdrawn", "waiting"]


def test_who_leaves_before_round_1_is_withdrawn_and_later_has_dropped(event: Event, organizer: Any) -> None:
    early, late, _third, _fourth = enter(event, 4)
    services.player_drop(registration=early, by=organizer, now=NOW)
    play(event, organizer, 1)
    services.player_drop(registration=late, by=organizer, now=NOW)
    assert states(event) == ["withdrawn", "dropped", "active", "active"]
    assert {row.registration for row in standings(event)} == {late, _third, _fourth}
    back = services.player_register(event=event, user=early.user, by=organizer, now=NOW)
    assert (back.pk, back.state) == (early.pk, "active")


def test_registration_opens_and_closes_for_players_by_the_clock(
    event: Event, organizer: Any, ann: Any
) -> None:
    opens, closes = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    event = services.event_change(
        event=event, registration_opens=opens, registration_closes=closes, by=organizer, now=NOW
    )
    for moment, why in ((NOW, "hasn’t opened"), (closes, "has closed")):
        with pytest.raises(Conflict, match=why):
            services.player_register(event=event, user=ann, by=ann, now=moment)
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    assert guest.state == "active", "staff enters people at any time"
    assert services.player_register(event=event, user=ann, by=ann, now=opens).state == "active"


def test_a_guest_claims_the_entry_with_its_results(event: Event, organizer: Any, ann: Any) -> None:
    enter(event, 1)
    guest = services.player_register(event=event, user=None, name="Old Wilma", by=organizer, now=NOW)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    event.refresh_from_db()
    code = claim_code(guest)
    claimed = services.player_claim(
        event=event, code=f" {code[:4].lower()}-{code[4:]} ".replace("0", "o"), by=ann, now=NOW
    )
    assert (claimed.pk, claimed.user, claimed.name) == (guest.pk, ann, "Old Wilma")
    assert next_step(ann, event).code == "report"
    with pytest.raises(NotFound):
        services.player_claim(event=event, code=code, by=organizer, now=NOW)


def test_a_code_of_another_event_or_a_renewed_one_claims_nothing(
    event: Event, organizer: Any, ann: Any
) -> None:
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    other = make_event(organizer, "dunwich")
    former = claim_code(guest)
    with pytest.raises(NotFound):
        services.player_claim(event=other, code=former, by=ann, now=NOW)
    services.codes_renew(registration=guest, by=organizer, now=NOW)
    with pytest.raises(NotFound):
        services.player_claim(event=event, code=former, by=ann, now=NOW)
    assert services.player_claim(event=event, code=claim_code(guest), by=ann, now=NOW).user == ann


def test_who_plays_already_claims_no_second_entry(event: Event, organizer: Any, ann: Any) -> None:
    services.player_register(event=event, user=ann, by=ann, now=NOW)
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_claim(event=event, code=claim_code(guest), by=ann, now=NOW)
    assert refused.value.code == "registered"


def test_guessing_codes_ends_soon(event: Event, ann: Any, bo: Any) -> None:
    for _ in range(MOST):
        with pytest.raises(NotFound):
            services.player_claim(event=event, code="0000-0000", by=ann, now=NOW)
    with pytest.raises(UserError) as refused:
        services.player_claim(event=event, code="0000-0000", by=ann, now=NOW)
    assert (refused.value.code, refused.value.status) == ("too-many-attempts", 429)
    with pytest.raises(NotFound):
        services.player_claim(event=event, code="0000-0000", by=bo, now=NOW)


def test_codes_have_no_letters_that_are_misread_and_differ(event: Event, organizer: Any) -> None:
    codes = [claim_code(entry) for entry in enter(event, 200)]
    assert len(set(codes)) == 200
    assert not set("".join(codes)) & set("ILOU")
    assert all(typed_code(code) == code and len(code) == 8 for code in codes)


def test_an_organizer_parts_an_entry_from_the_wrong_account(event: Event, organizer: Any, ann: Any) -> None:
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    former = claim_code(guest)
    guest = services.player_claim(event=event, code=former, by=ann, now=NOW)
    with pytest.raises(Forbidden):
        services.player_unclaim(registration=guest, reason="not me", by=ann, now=NOW)
    guest = services.player_unclaim(registration=guest, reason="slip was found", by=organizer, now=NOW)
    assert guest.user is None and claim_code(guest) != former


def test_a_name_is_the_staffs_to_mend_and_pronouns_are_the_players(
    event: Event, organizer: Any, make_user: Any
) -> None:
    dana = make_user("dana", pronouns="she/her")
    entry = services.player_register(event=event, user=dana, by=dana, now=NOW)
    assert entry.pronouns == "she/her"
    with pytest.raises(Forbidden):
        services.player_change(registration=entry, name="Danger", by=dana, now=NOW)
    services.player_change(registration=entry, name="Dana", pronouns="they", by=dana, now=NOW)
    services.player_change(registration=entry, name="Dana Okafor", club="Arkham", by=organizer, now=NOW)
    entry.refresh_from_db()
    assert (entry.name, entry.club, entry.pronouns) == ("Dana Okafor", "Arkham", "")
    services.player_register(event=event, user=None, name="Bo", by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_change(registration=entry, name="Bo", by=organizer, now=NOW)
    assert refused.value.code == "name-taken"


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", " "), ("timezone", "Mars"), ("capacity", 1), ("planned_rounds", 31), ("format", "chess"),
     ("list_visibility", "some"), ("description", "x" * 4_001), ("description", "a\x00b")],
)  # fmt: skip
def test_a_wrong_setting_is_refused_naming_it(event: Event, organizer: Any, field: str, value: Any) -> None:
    with pytest.raises(UserError) as refused:
        services.event_change(event=event, by=organizer, now=NOW, **{field: value})
    assert refused.value.place == field


def test_registration_cannot_close_before_it_opens(event: Event, organizer: Any) -> None:
    event = services.event_change(event=event, registration_opens=NOW, by=organizer, now=NOW)
    with pytest.raises(UserError) as refused:
        services.event_change(event=event, registration_closes=NOW, by=organizer, now=NOW)
    assert refused.value.place == "registration_closes"


def test_what_is_announced_is_fixed_with_round_1(event: Event, organizer: Any) -> None:
    enter(event, 2)
    play(event, organizer, 1)
    for field, value in (
        ("planned_rounds", 7),
        ("format", "codex"),
        ("format_on", NOW.date() - timedelta(9)),
    ):
        with pytest.raises(Conflict) as refused:
            services.event_change(event=event, by=organizer, now=NOW, **{field: value})
        assert (refused.value.code, refused.value.place) == ("event-running", field)
    changed = services.event_change(event=event, venue="Town Hall", by=organizer, now=NOW)
    assert changed.venue == "Town Hall"


def test_lists_are_judged_again_for_another_day_and_hold_the_format(
    event: Event, organizer: Any, ann: Any
) -> None:
    curators = LEGAL + "\n3x Museum Curator"
    entry = services.player_register(
        event=event, user=ann, revision=make_revision(ann, curators), by=ann, now=NOW
    )
    before = entry.report
    day = NOW.date().replace(year=2008)
    services.event_change(event=event, format_on=day, by=organizer, now=NOW)
    entry.refresh_from_db()
    assert before is not None and entry.report is not None and entry.report != before
    with pytest.raises(Conflict) as refused:
        services.event_change(event=event, format="codex", by=organizer, now=NOW)
    assert refused.value.code == "lists-handed-in"


def test_taking_the_last_place_costs_the_same_among_many(
    event: Event, organizer: Any, django_assert_max_num_queries: Any
) -> None:
    enter(event, 3)
    services.event_change(event=event, capacity=500, by=organizer, now=NOW)
    few, many = make_users(2, "late")
    with django_assert_max_num_queries(17):
        services.player_register(event=event, user=few, by=few, now=NOW)
    enter(event, 60, "crowd")
    with django_assert_max_num_queries(17):
        services.player_register(event=event, user=many, by=many, now=NOW)
