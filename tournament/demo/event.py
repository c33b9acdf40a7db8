"""What a new installation starts with: four people, an event in progress, and another open for registration.

Loaded through the services like everything else, into an empty database only.
"""

from datetime import datetime, timedelta

from django.db import transaction

from decks.services import deck_submit
from tournament.demo import DISPUTE, FORMAT, FORMAT_ON, PASSWORD, POLICY, decklist
from tournament.models import Event, Match, Staff, User
from tournament.services import (
    deck_register,
    dispute_file,
    event_create,
    invitation_accept,
    player_register,
    round_pair,
    staff_invite,
)

PEOPLE = {
    "organizer": "Oona Castell",
    "judge": "Jun Verhoeven",
    "ann": "Ann Whitlock",
    "bo": "Bo Lindqvist",
}
GUESTS = ["Cleo Marsh", "Dov Aster", "Eri Tanaka", "Finn Adeyemi"]
SEED = 8  # of round 1: under it Ann and Bo meet (tests/tournament/test_demo.py)


def anything_there() -> bool:
    """Whether this installation has been used: then it is nobody's to fill with examples."""
    return User.objects.exists() or Event.objects.exists()


@transaction.atomic
def load(*, now: datetime) -> None:
    """People and two events, whole or not at all. Round 1 of the first is paired, and one table has a dispute.

    Needs the catalog loaded.
    """
    people = {
        username: User.objects.create_user(username, password=PASSWORD, display_name=name)
        for username, name in PEOPLE.items()
    }
    _open_event(people, now)
    running = _running_event(people, now)
    dispute_file(
        match=Match.objects.get(round__event=running, seats__registration__user=people["ann"]),
        by=people["judge"],
        title="Bo answered Shotgun Blast with Field Researcher: who acts next?",
        source=DISPUTE,
        now=now,
    )


def _running_event(people: dict[str, User], now: datetime) -> Event:
    organizer = people["organizer"]
    event = event_create(
        by=organizer,
        name="Demo Open",
        slug="demo-open",
        starts_on=now.date(),
        format=FORMAT,
        format_on=FORMAT_ON,
        policy_key=POLICY,
        now=now,
    )
    asked = staff_invite(event=event, user=people["judge"], role=Staff.Role.HEAD_JUDGE, by=organizer, now=now)
    invitation_accept(invitation=asked, by=people["judge"], now=now)
    for username in ("ann", "bo"):
        player = people[username]
        revision = deck_submit(
            owner=player,
            name=f"{player.display_name.split()[0]}'s deck",
            format=FORMAT,
            source=decklist(username),
            filename=f"{username}.txt",
            on=FORMAT_ON,
            now=now,
        )
        player_register(event=event, user=player, revision=revision, by=player, now=now)
    for name in GUESTS:
        guest = player_register(event=event, user=None, name=name, by=organizer, now=now)
        deck_register(
            registration=guest,
            revision=None,
            override="List on paper, seen at the desk.",
            by=organizer,
            now=now,
        )
    round_pair(event=event, by=organizer, seed=SEED, now=now)
    return event


def _open_event(people: dict[str, User], now: datetime) -> None:
    starts_on = (now + timedelta(days=8)).date()
    event_create(
        by=people["organizer"],
        name="Next Week's Open",
        slug="next-week",
        starts_on=starts_on,
        format=FORMAT,
        format_on=FORMAT_ON,
        policy_key=POLICY,
        now=now,
    )


def guide() -> list[str]:
    """What to tell somebody who has just started the service: who to be, and what to try."""
    return [
        f"Log in as one of these; the password is {PASSWORD}",
        "  organizer   runs the Demo Open: round 1 is paired, results are coming in",
        "  judge       its head judge: a dispute waits for a ruling, the engine has answered",
        "  ann, bo     two players, sitting at one table",
        "",
        "Try: as ann, submit a decklist of your own and report a win; as bo, claim the same game;",
        "as organizer, decide the match and look at the standings; as judge, read why Bo acts next, and rule.",
    ]
