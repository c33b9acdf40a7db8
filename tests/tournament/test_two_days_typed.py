"""Two days as an ordinary thing of the form that creates an event: no policy is copied by hand."""

import pytest
from django.test import Client

from config.errors import UserError
from tests.tournament.factories import NOW, make_staff
from tournament import services
from tournament.models import Event, User
from tournament.policy.policy_files import policy
from tournament.selectors.standings import first_day_rounds, policy_of

pytestmark = pytest.mark.django_db
TYPED = {
    "name": "Harbor National",
    "starts_on": "2026-05-01",
    "format": "coc-lcg",
    "format_on": "2013-10-01",
    "policy_key": "coc-lcg",
    "proposed_for": "coc-lcg",
    "timezone": "UTC",
    "planned_rounds": "9",
}


def typed(user: User, language: str = "en", **fields: str) -> tuple[int, str]:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    answer = client.post("/events/new", {**TYPED, **fields})
    return answer.status_code, answer.content.decode()


def test_two_fields_make_an_event_of_two_days(organizer: User) -> None:
    assert typed(organizer, first_day_rounds="6", second_day_players="32 + ties")[0] == 302
    event = Event.objects.get()
    law = policy_of(event).two_days
    assert (law.rounds, law.places, law.ties, law.start) == (6, 32, True, "carried")
    assert first_day_rounds(event) == 6
    shipped = policy("coc-lcg").document
    ours = policy_of(event).document
    changed = {word for word in {*shipped, *ours} if shipped.get(word) != ours.get(word)}
    assert changed == {"key", "title", "two-days"}  # all else is as the policy chosen says
    # The organizer can go on with it, as with any policy of their own.
    assert services.policies.may_publish(organizer, event.policy_key)


def test_empty_fields_leave_the_policy_alone(organizer: User) -> None:
    assert typed(organizer)[0] == 302
    assert Event.objects.get().policy_key == "coc-lcg"


@pytest.mark.parametrize(
    ("fields", "said", "korean"),
    [
        ({"first_day_rounds": "6"}, "Two days need both", "둘 다"),
        ({"second_day_players": "32"}, "Two days need both", "둘 다"),
        ({"first_day_rounds": "6", "second_day_players": "none"}, "Say how many players", "몇 명"),
        ({"first_day_rounds": "6", "second_day_players": "x-2"}, "Say how many players", "몇 명"),
        ({"first_day_rounds": "9", "second_day_players": "32"}, "none are left for the second", "둘째 날"),
    ],
)
def test_what_makes_no_two_days_is_refused_where_it_was_typed(
    organizer: User, fields: dict[str, str], said: str, korean: str
) -> None:
    for language, words in (("en", said), ("ko", korean)):
        status, page = typed(organizer, language, **fields)
        assert status in (400, 422, 409)
        assert words in page
    assert not Event.objects.exists()
    assert not services.policies.PolicyVersion.objects.filter(key__endswith="two-days").exists()


def test_a_taken_address_leaves_no_policy_behind(organizer: User, judge: User) -> None:
    assert typed(judge)[0] == 302
    law = {"rounds": 6, "places": 32, "ties": False}
    event = Event.objects.get()
    with pytest.raises(UserError):
        services.event_create(
            by=organizer, name="Other", slug=event.slug, starts_on=NOW.date(), format="coc-lcg",
            format_on=event.format_on, policy_key="coc-lcg", two_days=law, now=NOW,
        )  # fmt: skip
    assert not services.policies.PolicyVersion.objects.filter(key__endswith="two-days").exists()


def test_two_long_addresses_that_begin_alike_have_a_policy_each(organizer: User) -> None:
    law = {"rounds": 6, "places": 32, "ties": False}
    slugs = ["the-national-championship-of-great-north", "the-national-championship-of-great-south"]
    keys = {
        services.event_create(
            by=organizer, name=slug, slug=slug, starts_on=NOW.date(), format="coc-lcg",
            format_on=NOW.date(), policy_key="coc-lcg", two_days=law, now=NOW,
        ).policy_key
        for slug in slugs
    }  # fmt: skip
    assert len(keys) == 2
    assert max(map(len, keys)) <= 40


def settings_sent(event: Event, organizer: User, **fields: str) -> tuple[int, str]:
    client = Client(headers={"accept-language": "en"})
    client.force_login(organizer)
    typed = {**TYPED, "list_visibility": "private", "policy_key": event.policy_key, **fields}
    answer = client.post(f"/events/{event.slug}/settings", typed)
    return answer.status_code, answer.content.decode()


def test_the_settings_show_and_change_the_days_until_round_1(organizer: User) -> None:
    typed(organizer)
    event = Event.objects.get()
    for rounds, players, law in (("6", "32 + ties", (6, 32, True)), ("5", "16", (5, 16, False))):
        assert settings_sent(event, organizer, first_day_rounds=rounds, second_day_players=players)[0] == 302
        event.refresh_from_db()
        has = policy_of(event).two_days
        assert (has.rounds, has.places, has.ties) == law
        assert event.policy_key == "harbor-national-2026-two-days"  # changed, not copied again
    client = Client()
    client.force_login(organizer)
    shown = client.get(f"/events/{event.slug}/settings").context["form"]
    assert [shown[name].value() for name in ("first_day_rounds", "second_day_players")] == [5, "16"]
    assert settings_sent(event, organizer)[0] == 302  # empty: as the policy says
    event.refresh_from_db()
    assert first_day_rounds(event) == 5
    assert settings_sent(event, organizer, first_day_rounds="0")[0] == 302
    event.refresh_from_db()
    assert not first_day_rounds(event)


def test_programs_set_the_days_too(organizer: User) -> None:
    client = Client(headers={"accept-language": "en"})
    client.force_login(organizer)
    asked = {word: value for word, value in TYPED.items() if word != "proposed_for"} | {"slug": "harbor"}
    law = {"rounds": 6, "places": 32, "ties": True}
    made = client.post("/api/v1/events", {**asked, "two_days": law}, content_type="application/json")
    assert made.status_code == 201
    event = Event.objects.get()
    assert first_day_rounds(event) == 6
    for wrong in ({"rounds": 6}, {"rounds": 30, "places": 8}, {"rounds": 9, "places": 8}):
        answer = client.patch(
            f"/api/v1/events/{event.slug}/settings", {"two_days": wrong}, content_type="application/json"
        )
        assert answer.status_code == 400, wrong
    answer = client.patch(
        f"/api/v1/events/{event.slug}/settings", {"two_days": {"rounds": 0}}, content_type="application/json"
    )
    assert answer.status_code == 200
    event.refresh_from_db()
    assert not first_day_rounds(event)


def test_another_organizer_changes_the_days_of_the_same_event(organizer: User, judge: User) -> None:
    typed(organizer, first_day_rounds="6", second_day_players="32")
    event = Event.objects.get()
    make_staff(event=event, user=judge, role="organizer", by=organizer, now=NOW)
    assert settings_sent(event, judge, first_day_rounds="4", second_day_players="8")[0] == 302
    event.refresh_from_db()
    assert first_day_rounds(event) == 4
