"""Entering an event, with and without an account, with and without a decklist."""

from datetime import date
from typing import Any

import pytest

from config.errors import Conflict, Forbidden, UserError
from decks.models import Deck
from tests.tournament.factories import (
    ILLEGAL,
    LEGAL,
    NOW,
    UNVERIFIED,
    enter,
    make_event,
    make_revision,
    user_of,
)
from tournament import services
from tournament.models import Event, Registration

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any) -> Event:
    return make_event(organizer)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "   "),
        ("name", "x" * 121),
        ("name", "tab\x00"),
        ("slug", "no spaces"),
        ("slug", "x" * 51),
        ("slug", "new"),
        ("format", "coc-lgc"),
        ("policy_key", "coc-lgc"),
        ("timezone", "Europe/Arkham"),
        ("planned_rounds", 0),
    ],
)
def test_an_event_with_a_wrong_field_is_refused_naming_it(organizer: Any, field: str, value: Any) -> None:
    with pytest.raises(UserError) as refused:
        make_event(organizer, **{field: value})
    assert refused.value.place == field
    assert Event.objects.count() == 0


def test_two_events_do_not_share_an_address(event: Event, organizer: Any) -> None:
    with pytest.raises(Conflict) as refused:
        make_event(organizer)
    assert refused.value.code == "slug-taken"


def test_a_player_enters_once(event: Event, ann: Any) -> None:
    services.player_register(event=event, user=ann, by=ann, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_register(event=event, user=ann, by=ann, now=NOW)
    assert refused.value.code == "registered"


def test_two_people_of_one_name_are_told_apart(event: Event, make_user: Any) -> None:
    users = [make_user("anna1", display_name="Anna"), make_user("anna2", display_name="Anna")]
    names = [services.player_register(event=event, user=user, by=user, now=NOW).name for user in users]
    assert names == ["Anna", "Anna (anna2)"]


def test_staff_enters_guests_and_nobody_else_does(event: Event, organizer: Any, ann: Any, bo: Any) -> None:
    guest = services.player_register(event=event, user=None, name=" Old  Wilma ", by=organizer, now=NOW)
    assert (guest.user, guest.name) == (None, "Old Wilma")
    with pytest.raises(Conflict) as refused:
        services.player_register(event=event, user=None, name="Old Wilma", by=organizer, now=NOW)
    assert refused.value.code == "name-taken"
    for user in (None, bo):
        with pytest.raises(Forbidden):
            services.player_register(event=event, user=user, name="Somebody", by=ann, now=NOW)
    with pytest.raises(UserError):
        services.player_register(event=event, user=None, name="", by=organizer, now=NOW)


def test_registration_closes_for_players_when_round_1_is_paired(
    event: Event, organizer: Any, ann: Any
) -> None:
    enter(event, 2)
    services.round_pair(event=event, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_register(event=event, user=ann, by=ann, now=NOW)
    assert refused.value.code == "registration-closed"
    services.player_register(event=event, user=ann, name="Ann", by=organizer, now=NOW)
    services.player_register(event=event, user=organizer, by=organizer, now=NOW)


def test_an_illegal_list_is_refused_with_its_findings(event: Event, ann: Any) -> None:
    revision = make_revision(ann, ILLEGAL)
    with pytest.raises(UserError) as refused:
        services.player_register(event=event, user=ann, revision=revision, by=ann, now=NOW)
    assert refused.value.code == "illegal-deck"
    [finding] = refused.value.details["findings"]
    assert {card["name"] for card in finding["cards"]} == {"Museum Curator", "Itinerant Scholar"}
    assert finding["message"] in refused.value.message
    assert Registration.objects.count() == 0, "nothing is half stored"


@pytest.mark.parametrize(("source", "verdict"), [(LEGAL, "legal"), (UNVERIFIED, "unverified")])
def test_a_legal_or_unverified_list_is_registered_with_its_report(
    event: Event, ann: Any, source: str, verdict: str
) -> None:
    revision = make_revision(ann, source)
    entry = services.player_register(event=event, user=ann, revision=revision, by=ann, now=NOW)
    assert entry.report is not None
    assert (entry.revision, entry.report.verdict) == (revision, verdict)


def test_an_organizer_admits_an_illegal_list_with_a_reason(event: Event, organizer: Any, ann: Any) -> None:
    entry = services.player_register(event=event, user=ann, by=ann, now=NOW)
    revision = make_revision(ann, ILLEGAL)
    with pytest.raises(Forbidden):
        services.deck_register(registration=entry, revision=revision, override="please", by=ann, now=NOW)
    with pytest.raises(UserError):
        services.deck_register(registration=entry, revision=revision, by=organizer, now=NOW)
    services.deck_register(
        registration=entry, revision=revision, override="sideboard day", by=organizer, now=NOW
    )
    entry.refresh_from_db()
    assert (entry.deck_override, entry.revision) == ("sideboard day", revision)


def test_the_list_is_checked_as_of_the_events_date(organizer: Any, ann: Any) -> None:
    """Before the first list of restricted cards, the same list breaks no rule."""
    early = make_event(organizer, "early", format_on=date(2008, 12, 1))
    entry = services.player_register(
        event=early, user=ann, revision=make_revision(ann, ILLEGAL), by=ann, now=NOW
    )
    assert entry.report is not None and entry.report.verdict != "illegal"


def test_players_register_only_their_own_list_for_themselves(event: Event, ann: Any, bo: Any) -> None:
    entry = services.player_register(event=event, user=ann, by=ann, now=NOW)
    for revision, by in ((make_revision(bo), ann), (make_revision(ann), bo), (make_revision(bo), bo)):
        with pytest.raises(Forbidden):
            services.deck_register(registration=entry, revision=revision, by=by, now=NOW)


def test_an_organizer_enters_lists_for_others_but_not_those_of_third_people(
    event: Event, organizer: Any, ann: Any, bo: Any
) -> None:
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.deck_register(registration=guest, revision=make_revision(bo), by=organizer, now=NOW)
    services.deck_register(registration=guest, revision=make_revision(organizer), by=organizer, now=NOW)


def test_a_list_of_another_format_is_refused(event: Event, ann: Any) -> None:
    revision = make_revision(ann)
    Deck.objects.update(format="codex")
    revision.deck.refresh_from_db()
    with pytest.raises(UserError) as refused:
        services.player_register(event=event, user=ann, revision=revision, by=ann, now=NOW)
    assert refused.value.code == "wrong-format"


def test_lists_are_locked_once_round_1_is_paired(event: Event, organizer: Any) -> None:
    entry, _ = enter(event, 2)
    services.round_pair(event=event, by=organizer, now=NOW)
    revision = make_revision(user_of(entry))
    for by, override in ((user_of(entry), ""), (organizer, "")):
        with pytest.raises(Conflict) as refused:
            services.deck_register(registration=entry, revision=revision, override=override, by=by, now=NOW)
        assert refused.value.code == "deck-locked"
    services.deck_register(registration=entry, revision=revision, override="misprint", by=organizer, now=NOW)


def test_players_drop_themselves_and_staff_drops_anybody_once(event: Event, organizer: Any, ann: Any) -> None:
    one, two = enter(event, 2)
    with pytest.raises(Forbidden):
        services.player_drop(registration=one, by=ann, now=NOW)
    services.player_drop(registration=one, by=user_of(one), now=NOW)
    services.player_drop(registration=two, by=organizer, now=NOW)
    with pytest.raises(Conflict) as refused:
        services.player_drop(registration=two, by=organizer, now=NOW)
    assert refused.value.code == "dropped"


def test_who_dropped_comes_back_into_the_same_entry(event: Event, organizer: Any) -> None:
    one, two = enter(event, 2)
    guest = services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW)
    for entry in (one, guest):
        services.player_drop(registration=entry, by=organizer, now=NOW)
    assert services.player_register(event=event, user=one.user, by=user_of(one), now=NOW) == one
    assert services.player_register(event=event, user=None, name="Guest", by=organizer, now=NOW) == guest
    assert event.registrations.filter(state="active").count() == 3
    services.round_pair(event=event, by=organizer, now=NOW)
    services.player_drop(registration=two, by=user_of(two), now=NOW)
    with pytest.raises(Conflict):
        services.player_register(event=event, user=two.user, by=user_of(two), now=NOW)
    assert services.player_register(event=event, user=two.user, by=organizer, now=NOW) == two


def guest(event: Event, name: str, by: Any) -> Registration:
    return services.player_register(event=event, user=None, name=name, by=by, now=NOW)


@pytest.mark.parametrize(
    ("there", "wanted"),
    [("Ann Lee", "ann lee"), ("Zo\u00e9", "ZO\u00c9"), ("Zo\u00e9", "Zoe\u0301"), ("Ann", "\uff21nn")],
)
def test_two_players_of_an_event_can_be_told_apart(
    event: Event, organizer: Any, there: str, wanted: str
) -> None:
    """A name in other capitals or another spelling is the same to everybody who reads it."""
    first = guest(event, there, organizer)
    with pytest.raises(Conflict) as refused:
        guest(event, wanted, organizer)
    assert refused.value.code == "name-taken"
    other = guest(event, "Bo", organizer)
    with pytest.raises(Conflict):
        services.player_change(registration=other, name=wanted, by=organizer, now=NOW)
    services.player_change(registration=first, name=there.upper(), by=organizer, now=NOW)


def test_an_account_with_anothers_name_is_entered_with_its_user_name(
    event: Event, organizer: Any, make_user: Any
) -> None:
    guest(event, "Ann Lee", organizer)
    entry = services.player_register(
        event=event, user=(other := make_user("ann2", display_name="ANN LEE")), by=other, now=NOW
    )
    assert entry.name == "ANN LEE (ann2)"
