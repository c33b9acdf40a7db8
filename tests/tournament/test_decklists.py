"""Lists in an event: until when, who sees them, what is kept, what a deck check finds."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from decks.services import deck_submit
from tests.tournament import factories
from tests.tournament.factories import make_staff
from tournament import services
from tournament.models import DeckCheck, Event, Registration
from tournament.selectors.decklists import access_list, card_usage, history, may_see_lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any, judge: Any, now: datetime) -> Event:
    made = factories.make_event(organizer, planned_rounds=1)
    make_staff(event=made, user=judge, role="judge", by=organizer, now=now)
    return made


@pytest.fixture
def entry(event: Event, ann: Any, now: datetime) -> Registration:
    revision = factories.make_revision(ann)
    return services.player_register(event=event, user=ann, revision=revision, by=ann, now=now)


def changed(entry: Registration, lines: str, now: datetime) -> Any:
    """The player's list, its first line put in the place of the last card."""
    assert entry.revision is not None
    source = entry.revision.source.rstrip().rsplit("\n", 1)[0] + "\n" + lines
    return deck_submit(
        owner=entry.user, name="", format="coc-lcg", deck=entry.revision.deck, source=source, now=now
    )


def test_every_list_handed_in_is_kept_with_what_changed(entry: Registration, ann: Any, now: datetime) -> None:
    last = entry.revision.entries[-1]  # type: ignore[union-attr]
    revision = changed(entry, f"{last['count']}x Magah Bird", now)
    services.deck_register(registration=entry, revision=revision, by=ann, now=now)
    newest, first = history(entry)
    assert (first.row.number, first.changes) == (1, ())
    assert [(one.name, one.more) for one in newest.changes] == sorted(
        [(last["card"], -last["count"]), ("Magah Bird", last["count"])]
    )
    assert newest.row.revision is not None
    assert first.row.revision is not None
    assert newest.row.revision.short_hash != first.row.revision.short_hash


def test_lists_are_taken_until_the_cut_off(
    entry: Registration, event: Event, ann: Any, organizer: Any, now: datetime
) -> None:
    services.decks_arrange(event=event, visibility="staff", due=now, changes={}, by=organizer, now=now)
    entry.event.refresh_from_db()
    services.deck_register(registration=entry, revision=entry.revision, by=ann, now=now)
    late = now + timedelta(seconds=1)
    with pytest.raises(Conflict, match="deadline has passed"):
        services.deck_register(registration=entry, revision=entry.revision, by=ann, now=late)
    services.deck_register(
        registration=entry, revision=entry.revision, override="his train was late", by=organizer, now=late
    )


def test_all_lists_or_one_can_be_locked(
    entry: Registration, event: Event, ann: Any, judge: Any, organizer: Any, now: datetime
) -> None:
    for target in (None, entry):
        services.decks_lock(event=event, registration=target, locked=True, by=organizer, now=now)
        with pytest.raises(Conflict, match="locked"):
            services.deck_register(registration=entry, revision=entry.revision, by=ann, now=now)
        services.decks_lock(event=event, registration=target, locked=False, by=organizer, now=now)
        services.deck_register(registration=entry, revision=entry.revision, by=ann, now=now)
    with pytest.raises(Forbidden):
        services.decks_lock(event=event, locked=True, by=judge, now=now)


@pytest.mark.parametrize(
    ("visibility", "before", "frozen", "after"),
    [
        # (another player, a judge)
        ("private", (False, False), (False, True), (False, True)),
        ("staff", (False, True), (False, True), (False, True)),
        ("open", (False, True), (True, True), (True, True)),
        ("cut", (False, True), (False, True), (True, True)),
    ],
)
def test_who_sees_lists(
    event: Event, entry: Registration, ann: Any, bo: Any, judge: Any, organizer: Any, now: datetime,
    visibility: str, before: Any, frozen: Any, after: Any,
) -> None:  # fmt: skip
    services.player_register(event=event, user=bo, by=bo, now=now)
    services.decks_arrange(event=event, visibility=visibility, due=None, changes={}, by=organizer, now=now)

    def seen() -> tuple[bool, bool]:
        event.refresh_from_db()
        assert access_list(ann, event.slug, entry.pk)  # always her own
        return may_see_lists(bo, event), may_see_lists(judge, event)

    assert seen() == before
    services.decks_lock(event=event, locked=True, by=organizer, now=now)
    assert seen() == frozen
    event.state = Event.State.FINISHED
    event.save()
    assert seen() == after


def test_what_the_event_plays_differently_counts_and_judges_lists_again(
    event: Event, entry: Registration, ann: Any, organizer: Any, now: datetime
) -> None:
    assert entry.report.verdict == "legal"  # type: ignore[union-attr]
    services.decks_arrange(
        event=event, visibility="staff", due=None, changes={"COC-DECK-01": 60}, by=organizer, now=now
    )
    entry.refresh_from_db()
    assert entry.report is not None
    assert [one["code"] for one in entry.report.findings] == ["too-few-cards"]
    assert entry.report.overrides == {"COC-DECK-01": 60}
    with pytest.raises(UserError) as raised:
        services.decks_arrange(
            event=event, visibility="staff", due=None, changes={"COC-X": 1}, by=organizer, now=now
        )
    assert raised.value.code == "bad-override"


def test_a_deck_check_shows_what_was_registered_against_what_was_seen(
    event: Event, entry: Registration, judge: Any, ann: Any, now: datetime
) -> None:
    assert entry.revision is not None
    first = entry.revision.entries[0]
    check = services.deck_check_start(registration=entry, by=judge, now=now)
    with pytest.raises(Conflict):
        services.deck_check_start(registration=entry, by=judge, now=now)
    seen = entry.revision.source.replace(
        f"{first['count']}x {first['name']}", f"{first['count'] - 1}x {first['name']}\n1x Magah Bird", 1
    )
    with pytest.raises(UserError):
        services.deck_check_finish(check=check, by=judge, now=now)
    later = now + timedelta(minutes=7, seconds=1)
    done = services.deck_check_finish(check=check, seen=seen, by=judge, now=later)
    assert sorted((one["name"], one["before"], one["after"]) for one in done.differences) == sorted(
        [(first["card"], first["count"], first["count"] - 1), ("Magah Bird", 0, 1)]
    )
    assert done.extension == 8 + 3  # what it took, whole minutes, and three more
    with pytest.raises(Conflict):
        services.deck_check_finish(check=check, matches=True, by=judge, now=later)
    with pytest.raises(Forbidden):
        services.deck_check_start(registration=entry, by=ann, now=later)


def test_a_list_written_in_another_order_does_not_differ(
    entry: Registration, judge: Any, now: datetime
) -> None:
    assert entry.revision is not None
    seen = "\n".join(reversed(entry.revision.source.upper().splitlines()))
    check = services.deck_check_start(registration=entry, by=judge, now=now)
    assert services.deck_check_finish(check=check, seen=seen, by=judge, now=now).differences == []


def test_the_lot_falls_on_decks_checked_least(event: Event, judge: Any, now: datetime) -> None:
    players = factories.enter(event, 3)
    for player in players:
        assert player.user is not None
        revision = factories.make_revision(player.user)
        services.deck_register(registration=player, revision=revision, by=player.user, now=now)
    drawn: list[Any] = []
    for _ in players:
        player = services.deck_check_draw(event=event, by=judge)
        drawn.append(player)
        services.deck_check_finish(
            check=services.deck_check_start(registration=player, by=judge, now=now),
            matches=True,
            by=judge,
            now=now,
        )
    assert {player.pk for player in drawn} == {player.pk for player in players}
    assert DeckCheck.objects.count() == 3


def test_which_cards_are_played(entry: Registration, event: Event) -> None:
    cards, factions, counted = card_usage(event)
    assert entry.revision is not None
    assert counted == 1
    assert sum(one.copies for one in cards) == sum(n for _f, n in factions) == entry.revision.card_count
    assert all(one.decks == 1 for one in cards)


def test_pages_of_lists_work_end_to_end(
    event: Event, entry: Registration, organizer: Any, judge: Any
) -> None:
    client = Client()
    client.force_login(organizer)
    base = f"/events/{event.slug}/decks"
    page = client.get(base, {"card": "shotgun"}).content.decode()
    assert entry.revision is not None
    assert entry.revision.short_hash in page
    form = {"visibility": "open", "due": "2030-01-01T12:00", "list": "3.2", "rule-COC-DECK-04": "off"}
    assert client.post(f"{base}/arrange", form).status_code == 302
    event.refresh_from_db()
    assert (event.list_visibility, event.format_changes) == ("open", {"list": "3.2", "COC-DECK-04": None})
    assert client.post(f"{base}/arrange", form | {"rule-COC-DECK-04": "number"}).status_code == 400
    assert client.post(base, {"do": "lock"}).status_code == 302
    client.force_login(judge)
    checked = client.post(f"{base}/{entry.pk}", {"do": "check"})
    assert client.post(checked["Location"], {"do": "differs"}).status_code == 400
    assert client.post(checked["Location"], {"do": "matches"}).status_code == 302
    assert "matches its decklist" in client.get(checked["Location"]).content.decode()
    assert "Pick a deck to check at random" in client.get(base).content.decode()


def test_the_verdict_while_writing_is_by_the_events_own_rules(
    event: Event, ann: Any, organizer: Any, now: datetime
) -> None:
    services.decks_arrange(
        event=event, visibility="staff", due=None, changes={"COC-DECK-01": 60}, by=organizer, now=now
    )
    client = Client()
    client.force_login(ann)
    page = client.get(f"/events/{event.slug}/register").content.decode()
    assert "COC-DECK-01" in page
    text = factories.make_revision(ann).source
    form = {"format": "coc-lcg", "text": text, "on": event.format_on.isoformat()}
    assert "needs at least 60" not in client.post("/decks/check", form).content.decode()
    changed = form | {"changes": '{"COC-DECK-01": 60}'}
    assert "needs at least 60" in client.post("/decks/check", changed).content.decode()
    for wrong in ("[", "[" * 5_000, '{"COC-X": 1}', '{"COC-DECK-01": "many"}', "3"):
        assert client.post("/decks/check", form | {"changes": wrong}).status_code in (200, 400)


# --- the same for programs -------------------------------------------------------------------------------------


def asking(person: Any) -> Any:
    from rest_framework.test import APIClient

    client = APIClient()
    client.force_authenticate(person)
    return client


def test_the_table_of_lists_is_there_for_programs_of_those_who_may_see_it(
    entry: Registration, event: Event, organizer: Any, bo: Any
) -> None:
    path = f"/api/v1/events/{event.slug}/lists"
    (row,) = asking(organizer).get(path).data["results"]
    assert (row["name"], row["standing"], row["card_count"]) == (entry.name, "legal", 51)
    assert row["hash"] == entry.revision.short_hash  # type: ignore[union-attr]
    usage = asking(organizer).get(f"{path}/usage").data
    assert (usage["lists"], usage["cards"][0]["decks"]) == (1, 1)
    assert asking(bo).get(path).status_code == 403
    assert asking(bo).get(f"/api/v1/events/{event.slug}/registrations/{entry.pk}/lists").status_code == 403


def test_lists_are_locked_and_arranged_by_programs_of_organizers(
    entry: Registration, event: Event, organizer: Any, ann: Any
) -> None:
    path = f"/api/v1/events/{event.slug}/lists"
    assert asking(ann).put(f"{path}/lock", {"locked": True}, format="json").status_code == 403
    assert asking(organizer).put(f"{path}/lock", {"locked": True}, format="json").data["decks_locked"] is True
    one = {"locked": True, "registration": entry.pk}
    assert asking(organizer).put(f"{path}/lock", one, format="json").status_code == 200
    entry.refresh_from_db()
    assert entry.deck_locked
    asked = {"visibility": "open", "due": None, "changes": {"list": "4.1"}}
    answer = asking(organizer).put(f"{path}/arrangement", asked, format="json")
    assert (answer.data["visibility"], answer.data["changes"]) == ("open", {"list": "4.1"})
    bad = asking(organizer).put(f"{path}/arrangement", asked | {"changes": {"list": "9"}}, format="json")
    assert (bad.status_code, bad.json()["code"]) == (400, "unknown-list")


def test_a_deck_check_from_start_to_end_for_programs(
    entry: Registration, event: Event, judge: Any, ann: Any
) -> None:
    path = f"/api/v1/events/{event.slug}/deck-checks"
    assert asking(ann).post(path, {}, format="json").status_code == 403
    check = asking(judge).post(path, {}, format="json").data
    assert (check["player"], check["finished_at"]) == (entry.name, None)
    assert asking(judge).post(path, {"registration": entry.pk}, format="json").status_code == 409
    seen = entry.revision.source.replace("3x", "2x", 1)  # type: ignore[union-attr]
    done = asking(judge).put(f"{path}/{check['id']}", {"seen": seen}, format="json").data
    assert [(one["before"], one["after"]) for one in done["differences"]] == [(3, 2)]
    assert done["extension"] >= 3
    assert asking(judge).get(path).data["count"] == 1
