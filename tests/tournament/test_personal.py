"""What is kept about a person can be taken away and erased; what happened in events stays."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from config.errors import Conflict
from decks.models import Deck
from tests.tournament.factories import NOW, make_event, make_revision, play
from tournament import services
from tournament.models import AuditRow, Event, Registration, Round, User
from tournament.selectors import standings

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann_played(organizer: Any, make_user: Any) -> User:
    """Ann Zweig of the Hill Club has played an entire event, with a list."""
    ann: User = make_user("zweig", display_name="Ann Zweig", pronouns="she/her", email="zweig@example.org")
    event = make_event(organizer, planned_rounds=1)
    revision = make_revision(ann)
    services.player_register(event=event, user=ann, club="Hill Club", revision=revision, by=ann, now=NOW)
    for name in ("bo", "cy", "di"):
        services.player_register(event=event, user=(one := make_user(name)), by=one, now=NOW)
    [round] = play(event, organizer, 1)
    services.round_finish(round=round, by=organizer, now=NOW)
    make_revision(ann, "3x Shotgun")
    services.token_make(person=ann, name="Zweig's bot", now=timezone.now())
    return ann


def test_everything_kept_about_me_is_in_my_file(ann_played: User) -> None:
    client = Client()
    client.force_login(ann_played)
    told = json.loads(client.get("/account/data").content)
    assert told["account"]["email"] == "zweig@example.org"
    assert [entry["club"] for entry in told["entries"]] == ["Hill Club"]
    assert len(told["lists"]) == 2 and len(told["reports"]) == 1 and len(told["tokens"]) == 1
    assert "player_register" in [row["verb"] for row in told["audit_log"]]
    assert client.get("/api/v1/me/data").json()["entries"][0]["event"] == "kingsport"


def test_an_erased_person_leaves_results_and_no_name(ann_played: User, capsys: Any) -> None:
    event = Event.objects.get()
    before = [(row.rank, row.points) for row in standings(event)]
    rows = AuditRow.objects.count()
    call_command("person_erase", "zweig")
    pseudonym = Registration.objects.get(user=ann_played).name
    assert pseudonym in capsys.readouterr().out
    assert [(row.rank, row.points) for row in standings(event)] == before
    assert pseudonym in [row.registration.name for row in standings(event)]
    kept = json.dumps(
        [
            *User.objects.values("username", "display_name", "pronouns", "email"),
            *Registration.objects.values("name", "club", "pronouns"),
            *Round.objects.values("explanation"),
            *Deck.objects.values("name"),
            *AuditRow.objects.values("data", "said__text"),
        ]
    )
    assert "weig" not in kept, kept[max(0, kept.index("weig") - 200) : kept.index("weig") + 100]
    assert not Registration.objects.exclude(club="").exists()
    assert AuditRow.objects.count() == rows + 2  # that it was done, and in which event
    assert Deck.objects.filter(owner=ann_played).count() == 1  # the one that the event holds
    assert not ann_played.tokens.exists()


def test_nobody_logs_in_as_who_is_erased(ann_played: User) -> None:
    client = Client()
    client.force_login(ann_played)
    assert client.post("/account/erase", {"password": "wrong"}).status_code == 400
    assert client.post("/account/erase", {"password": "zweig"}).status_code == 302
    client.force_login(ann_played)
    assert client.get("/account").status_code == 302
    assert not Client().login(username="zweig", password="zweig")


def test_first_what_others_count_on_is_settled(organizer: Any, ann: Any) -> None:
    event = make_event(organizer)
    services.player_register(event=event, user=ann, by=ann, now=NOW)
    for person, code in ((ann, "still-playing"), (organizer, "last-owner")):
        with pytest.raises(Conflict) as refused:
            services.account_erase(person=person, by=person, now=NOW)
        assert refused.value.code == code
    services.player_drop(registration=event.registrations.get(), by=ann, now=NOW)
    assert services.account_erase(person=ann, by=ann, now=NOW)
