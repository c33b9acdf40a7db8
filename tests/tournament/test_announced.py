"""What an event announces against the policy's table: its cut, its bracket; and who may still enter late."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, make_staff, play
from tournament import services
from tournament.models import Event, Registration
from tournament.policy import policy_files
from tournament.selectors import standings
from tournament.selectors.stages import announced, bracket_view, cut_is_due, cut_preview

pytestmark = pytest.mark.django_db
FOUR = {"places": 4, "ties": False}
NONE = {"places": 0, "ties": False}


@pytest.fixture
def event(organizer: Any) -> Event:
    event = make_event(organizer, planned_rounds=2)
    enter(event, 9)
    return event


def announce(event: Event, by: Any, cut: Any = FOUR, **more: Any) -> Event:
    return services.cut_announce(event=event, cut=cut, by=by, now=NOW, **more)


def test_the_table_decides_until_somebody_announces_otherwise(event: Event, organizer: Any) -> None:
    assert (announced(event).rule.document, announced(event).fixed) == (FOUR, False)
    event = announce(event, organizer, {"losses": 1}, bracket_kind="double-elimination")
    said = announced(event)
    assert (said.words, said.bracket.kind, said.fixed) == (
        "Every player with at most 1 match loss advances.", "double-elimination", True,
    )  # fmt: skip
    event = announce(event, organizer, None)
    assert (announced(event).fixed, announced(event).bracket.kind) == (False, "single-elimination")


def test_what_was_announced_is_what_is_played(event: Event, organizer: Any) -> None:
    event = announce(event, organizer, {"places": 6, "ties": False}, bracket_kind="double-elimination")
    for round in play(event, organizer, 2):
        last = round
    services.round_finish(round=last, by=organizer, now=NOW)
    event.refresh_from_db()
    stage = services.stage_open(event=event, by=organizer, now=NOW)
    assert (stage.kind, stage.entries.count()) == ("double-elimination", 6)
    assert bracket_view(stage).bracket.double
    with pytest.raises(Conflict) as refused:
        announce(event, organizer, reason="late")
    assert refused.value.code == "stage-open"


def test_after_round_1_another_cut_has_a_reason_that_everybody_reads(event: Event, organizer: Any) -> None:
    play(event, organizer, 1)
    with pytest.raises(UserError) as missing:
        announce(event, organizer)
    assert (missing.value.code, missing.value.place) == ("missing", "reason")
    with pytest.raises(UserError) as nothing:
        announce(event, organizer, None, reason="the hall closes")
    assert (nothing.value.code, nothing.value.place) == ("missing", "cut")
    announce(event, organizer, {"places": 2, "ties": True}, reason="the hall closes at six")
    for path in ("/events/kingsport/", "/events/kingsport/bracket"):
        page = Client().get(path).content.decode()
        assert "the hall closes at six" in page
    assert (
        "The top 2 advance, plus everyone tied with the last of them."
        in Client().get("/events/kingsport/").content.decode()
    )


def test_no_cut_after_the_last_round_is_the_end_of_the_event(event: Event, organizer: Any) -> None:
    *_, last = play(event, organizer, 2)
    services.round_finish(round=last, by=organizer, now=NOW)
    event.refresh_from_db()
    assert cut_is_due(event)
    with pytest.raises(Conflict) as refused:
        announce(event, organizer, NONE, reason="late")
    assert (refused.value.code, refused.value.remedy) == (
        "swiss-over",
        "End the event without a bracket instead.",
    )
    event = announce(event, organizer, {"places": 2, "ties": False}, reason="late")
    assert len(cut_preview(event).seeds) == 2


def test_only_organizers_announce_and_only_a_cut(event: Event, organizer: Any, ann: Any) -> None:
    with pytest.raises(Forbidden):
        announce(event, ann)
    for cut in ({"places": -1, "ties": False}, {"losses": "two"}, {"places": 4, "ties": "yes"}, {"seats": 4}):
        with pytest.raises(UserError) as refused:
            announce(event, organizer, cut)
        assert refused.value.code == "bad-policy" and refused.value.place.startswith("cut")
    with pytest.raises(UserError) as unknown:
        announce(event, organizer, bracket_kind="triple")
    assert unknown.value.place == "bracket_kind"


def test_the_page_and_the_api_announce_alike(event: Event, organizer: Any) -> None:
    client = Client()
    client.force_login(organizer)
    sent = {"do": "announce", "cut": "x-2", "bracket_kind": "double-elimination"}
    assert client.post("/events/kingsport/bracket", sent).status_code == 302
    assert client.get("/api/v1/events/kingsport").json()["cut"] == {"losses": 2}
    wrong = client.post("/events/kingsport/bracket", sent | {"cut": "some"})
    assert wrong.status_code == 400 and "is not a cut" in wrong.content.decode()
    answer = client.put(
        "/api/v1/events/kingsport/cut", {"cut": FOUR, "bracket_kind": ""}, content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    assert (answer.json()["cut"], answer.json()["bracket_kind"]) == (FOUR, "")


# --- late entries ---------------------------------------------------------------------------------------------


@pytest.fixture
def by_policy(organizer: Any) -> Callable[..., Event]:
    """An event of four with one round played, by a policy with these late entries."""

    def made(**late: Any) -> Event:
        document = {**policy_files.policy("single-game").document, "key": "late", "title": "Late"}
        services.policy_publish(source=document | {"late-entries": late}, by=organizer, now=NOW)
        event = make_event(organizer, policy_key="late", planned_rounds=4)
        enter(event, 4)
        play(event, organizer, 1)
        return Event.objects.get(pk=event.pk)

    return made


def late(event: Event, by: Any, **more: Any) -> Any:
    entry = services.player_register(event=event, user=None, name="Dana", by=by, now=NOW, **more)
    [row] = [row for row in standings(event) if row.registration == entry]
    return row.results


def test_the_policy_says_what_missed_rounds_count(by_policy: Callable[..., Event], organizer: Any) -> None:
    assert late(by_policy(missed="byes"), organizer) == {"bye": 1}


def test_the_policy_says_until_when_one_may_enter(
    by_policy: Callable[..., Event], organizer: Any, visitor: Any
) -> None:
    event = by_policy(until=2, missed="losses")
    assert late(event, organizer) == {"double-loss": 1}
    play(event, organizer, 1)
    make_staff(event=event, user=visitor, role="scorekeeper", by=organizer, now=NOW)
    for by, reason in ((organizer, ""), (visitor, "train")):
        with pytest.raises(Conflict) as refused:
            services.player_register(event=event, user=None, name="Eve", missed_reason=reason, by=by, now=NOW)
        assert refused.value.code == "too-late"
    services.player_register(event=event, user=None, name="Eve", missed_reason="train", by=organizer, now=NOW)


def test_an_exception_from_the_policy_is_an_organizers_with_a_reason(
    by_policy: Callable[..., Event], organizer: Any, visitor: Any
) -> None:
    event = by_policy(missed="losses")
    make_staff(event=event, user=visitor, role="scorekeeper", by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        late(event, visitor, missed="nothing", missed_reason="train")
    with pytest.raises(UserError) as missing:
        late(event, organizer, missed="byes")
    assert missing.value.place == "missed_reason"
    assert late(event, organizer, missed="byes", missed_reason="train") == {"bye": 1}


def test_who_left_before_round_1_enters_as_late_as_a_new_player(
    by_policy: Callable[..., Event], organizer: Any, ann: Any
) -> None:
    event = by_policy(until=1, missed="losses")
    ann_left = Registration.objects.create(
        event=event, user=ann, number=5, name="Ann", state=Registration.State.WITHDRAWN, registered_at=NOW
    )
    for again in (
        lambda **why: services.player_return(registration=ann_left, by=organizer, now=NOW, **why),
        lambda **why: services.player_register(event=event, user=ann, by=organizer, now=NOW, **why),
    ):
        with pytest.raises(Conflict) as refused:
            again()
        assert (refused.value.code, refused.value.place) == ("too-late", "missed_reason")
    again(missed_reason="train")
    assert [row.results for row in standings(event) if row.registration == ann_left] == [{"double-loss": 1}]


def test_who_dropped_comes_back_however_late_it_is(by_policy: Callable[..., Event], organizer: Any) -> None:
    event = by_policy(until=1, missed="losses")
    [*_, last] = event.registrations.all()
    services.player_drop(registration=last, by=organizer, now=NOW)
    assert services.player_return(registration=last, by=organizer, now=NOW).state == "active"


def test_the_page_brings_a_player_back_as_the_policy_says_or_for_a_reason(
    by_policy: Callable[..., Event], organizer: Any
) -> None:
    event = by_policy(missed="byes")
    [*_, last] = event.registrations.all()
    services.player_drop(registration=last, by=organizer, now=NOW)
    play(event, organizer, 1)
    client = Client()
    client.force_login(organizer)
    address = f"/events/{event.slug}/players/{last.pk}"
    assert 'id="missed-reason"' in client.get(address).content.decode()
    assert client.post(address, {"do": "return", "missed": "losses"}).status_code == 400
    assert client.post(address, {"do": "return", "missed": ""}).status_code == 302
    assert [row.results.get("bye") for row in standings(event) if row.registration == last] == [1]


def test_who_waits_and_is_admitted_later_has_missed_the_rounds_before(
    by_policy: Callable[..., Event], organizer: Any
) -> None:
    event = by_policy(missed="losses")
    waits = Registration.objects.create(
        event=event, number=5, name="Dana", state=Registration.State.WAITING, registered_at=NOW
    )
    services.player_admit(registration=waits, reason="a chair", by=organizer, now=NOW)
    assert [row.results for row in standings(event) if row.registration == waits] == [{"double-loss": 1}]


def test_nobody_is_admitted_to_an_event_that_is_over(by_policy: Callable[..., Event], organizer: Any) -> None:
    event = by_policy(missed="losses")
    waits = Registration.objects.create(
        event=event, number=5, name="Dana", state=Registration.State.WAITING, registered_at=NOW
    )
    Event.objects.update(state=Event.State.FINISHED)
    with pytest.raises(Conflict) as refused:
        services.player_admit(registration=waits, reason="a chair", by=organizer, now=NOW)
    assert refused.value.code == "registration-closed"


@pytest.mark.parametrize(
    ("late", "place"),
    [
        ({"missed": "points"}, "late-entries.missed"),
        ({"until": 0, "missed": "byes"}, "late-entries.until"),
        ({"until": 2}, "late-entries.missed"),
        ({"missed": "byes", "untill": 2}, "late-entries.untill"),
    ],
)
def test_a_mistake_about_late_entries_is_located(late: dict[str, Any], place: str) -> None:
    with pytest.raises(UserError) as refused:
        policy_files.read(policy_files.policy("coc-lcg").document | {"late-entries": late}, name="x")
    assert refused.value.place == place
