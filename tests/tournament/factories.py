"""Events in a given state, made through the services, as people would make them."""

from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth import get_user_model

from decks.models import Revision
from decks.services import deck_submit
from tournament import services
from tournament.models import Event, Match, Registration, Round, Staff, User
from tournament.selectors import match_state, round_matches

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def make_event(by: User, slug: str = "kingsport", **changes: Any) -> Event:
    fields: dict[str, Any] = {
        "name": "Kingsport Open",
        "starts_on": TODAY,
        "format": "coc-lcg",
        "format_on": TODAY,
        "policy_key": "coc-lcg",
    }
    return services.event_create(by=by, slug=slug, now=NOW, **fields | changes)


def make_staff(*, event: Event, user: User, role: str, by: User, now: datetime = NOW) -> Staff:
    """Invited, and accepted."""
    asked = services.staff_invite(event=event, user=user, role=role, by=by, now=now)
    return services.invitation_accept(invitation=asked, by=user, now=now)


def make_users(count: int, prefix: str = "player") -> list[User]:
    model = get_user_model()
    return [
        model.objects.create(username=f"{prefix}{number}", display_name=f"Player {number:03}")
        for number in range(1, count + 1)
    ]


def enter(event: Event, count: int, prefix: str = "player") -> list[Registration]:
    """Enter so many players with accounts."""
    return [
        services.player_register(event=event, user=user, by=user, now=NOW)
        for user in make_users(count, prefix)
    ]


_TITLES = (
    "Local Sheriff",
    "Repo Man",
    "Clover Club Bouncer",
    "Expendable Muscle",
    "Shotgun",
    "Shotgun Blast",
    "Chess Prodigy",
    "Omega Alumnus",
    "Hapless Graduate Student",
    "Notebook Sketches",
    "Rabbit's Foot",
    "Dynamite",
    "Bloodbath",
    "Inside Information",
    "Victoria Glasser",
    "Living Mummy",
    "Young Deep One",
)
LEGAL = "\n".join(f"3x {title}" for title in _TITLES)
ILLEGAL = LEGAL + "\n3x Museum Curator\n1x Itinerant Scholar"
UNVERIFIED = LEGAL.replace("\n", "\nA scribble\n", 1)  # a line that nobody can read


def make_revision(owner: User, source: str = LEGAL) -> Revision:
    return deck_submit(owner=owner, name="Deck", format="coc-lcg", source=source, on=TODAY, now=NOW)


def user_of(registration: Registration) -> User:
    assert registration.user is not None
    return registration.user


def player_of(match: Match, side: int) -> User:
    return user_of(match.seats.get(side=side).registration)


def report_all(round: Round, outcome: str = "win") -> None:
    """Both sides of every open table report the same: side 1 `outcome`."""
    mirror = {
        "win": "loss",
        "loss": "win",
        "draw": "draw",
        "timed-win": "timed-loss",
        "timed-loss": "timed-win",
    }
    for match in round_matches(round):
        if not match_state(match).settled:
            services.result_report(match=match, by=player_of(match, 1), outcome=outcome, now=NOW)
            services.result_report(match=match, by=player_of(match, 2), outcome=mirror[outcome], now=NOW)


def play(event: Event, by: User, rounds: int, seed: int = 7) -> list[Round]:
    """Pair and report so many rounds; side 1 always wins."""
    played = []
    for number in range(rounds):
        round = services.round_pair(event=event, by=by, seed=seed + number, now=NOW)
        report_all(round)
        played.append(round)
    return played


def judged_match(organizer: User, judge: User) -> Match:
    """The only match of an event with a judge and two players, in its first round."""
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return Match.objects.get(round__event=event)
