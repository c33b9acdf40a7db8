"""Tokens: told once, hashed, scoped, expiring, revoked at once, and no way round the account's own page."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.errors import Conflict, UserError
from tests.tournament.factories import NOW, enter, make_event, player_of
from tournament import services
from tournament.models import ApiToken, AuditRow, Match
from tournament.services.people.tokens import MOST_TOKENS

pytestmark = pytest.mark.django_db
API = "/api/v1"


def ask(secret: str, method: str, path: str, body: Any = None) -> Any:
    return Client(enforce_csrf_checks=True).generic(
        method,
        API + path,
        "" if body is None else json.dumps(body),
        "application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )


def make(person: Any, *scopes: str, days: int = 1) -> str:
    return services.token_make(person=person, name="Bot", scopes=scopes, days=days, now=timezone.now())[1]


def test_a_token_reads_as_its_owner_and_needs_no_cookie(ann: Any) -> None:
    answer = ask(make(ann), "GET", "/me")
    assert (answer.status_code, answer.json()["username"]) == (200, "ann")


def test_only_its_hash_is_stored(ann: Any) -> None:
    secret = make(ann)
    stored = json.dumps(list(ApiToken.objects.values()), default=str) + json.dumps(
        list(AuditRow.objects.values("verb", "data", "said__text")), default=str
    )
    assert secret not in stored
    assert secret[9:] not in stored


@pytest.mark.parametrize("how", ["unknown", "revoked", "expired", "inactive"])
def test_a_token_that_does_not_work_says_so_and_not_why(ann: Any, how: str) -> None:
    secret = make(ann)
    if how == "unknown":
        secret = "hj_" + "x" * 43
    elif how == "revoked":
        services.token_revoke(token=ann.tokens.get(), by=ann, now=timezone.now())
    elif how == "expired":
        ann.tokens.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        type(ann).objects.filter(pk=ann.pk).update(is_active=False)
    answer = ask(secret, "GET", "/events")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert "unknown, expired or revoked" in answer.json()["message"]


@pytest.fixture
def match(organizer: Any) -> Match:
    event = make_event(organizer)
    enter(event, 2)
    services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    return Match.objects.get(round__event=event)


def test_what_a_token_may_not_do_names_the_scope_it_lacks(match: Match) -> None:
    player = player_of(match, 1)
    path, body = f"/matches/{match.pk}/reports", {"outcome": "win"}
    refused = ask(make(player, "decks"), "POST", path, body)
    assert (refused.status_code, refused.json()["code"]) == (403, "token-scope")
    assert refused.json()["details"] == {"needs": "play", "has": ["decks"]}
    assert ask(make(player, "play"), "POST", path, body).status_code == 201


def test_an_organizers_token_for_playing_does_no_staffs_work(organizer: Any, match: Match) -> None:
    """Where player and staff use the same address, the token's scope decides whose work it does."""
    entry = match.seats.get(side=1).registration
    path = f"/events/kingsport/registrations/{entry.pk}/drop"
    assert ask(make(organizer, "play"), "POST", path).status_code == 403
    assert ask(make(organizer, "staff"), "POST", path).status_code == 200
    decide = f"/matches/{match.pk}/decision"
    assert ask(make(organizer, "play"), "POST", decide, {"outcome": "win", "reason": "x"}).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/me", {"display_name": "X"}),
        ("POST", "/me/tokens", {"name": "X"}),
        ("DELETE", "/me/tokens/1", None),
        ("POST", "/join", {"secret": "x"}),
    ],
)
def test_no_token_touches_the_account_or_makes_another(ann: Any, method: str, path: str, body: Any) -> None:
    answer = ask(make(ann, "decks", "play", "staff"), method, path, body)
    assert (answer.status_code, answer.json()["code"]) == (403, "no-token-may")


def test_when_it_was_used_is_noted_to_the_minute(ann: Any) -> None:
    secret = make(ann)
    assert ann.tokens.get().used_at is None
    ask(secret, "GET", "/me")
    first = ann.tokens.get().used_at
    assert first is not None
    ask(secret, "GET", "/me")
    assert ann.tokens.get().used_at == first


def test_bad_scopes_days_and_too_many_are_refused(ann: Any) -> None:
    wrongs: list[dict[str, Any]] = [{"scopes": ["root"]}, {"days": 0}, {"days": 10_000}, {"name": " "}]
    for wrong in wrongs:
        with pytest.raises(UserError):
            services.token_make(person=ann, now=NOW, **{"name": "x", **wrong})
    for _ in range(MOST_TOKENS):
        services.token_make(person=ann, name="x", now=NOW)
    with pytest.raises(Conflict) as refused:
        services.token_make(person=ann, name="x", now=NOW)
    assert refused.value.code == "too-many-tokens"


def test_the_page_shows_the_secret_once(ann: Any) -> None:
    client = Client()
    client.force_login(ann)
    made = client.post("/account/tokens", {"name": "Screen", "scopes": ["play"], "days": "7", "do": "make"})
    [secret] = [
        word.split('"')[0] for word in made.content.decode().split('value="') if word.startswith("hj_")
    ]
    assert ask(secret, "GET", "/me").status_code == 200
    assert secret not in client.get("/account/tokens").content.decode()
    client.post("/account/tokens", {"do": "revoke", "pk": ann.tokens.get().pk})
    assert ask(secret, "GET", "/me").status_code == 401


def test_others_tokens_do_not_exist(ann: Any, bo: Any) -> None:
    make(ann)
    client = Client()
    client.force_login(bo)
    pk = ann.tokens.get().pk
    assert client.delete(f"{API}/me/tokens/{pk}").status_code == 404
    assert client.post("/account/tokens", {"do": "revoke", "pk": pk}).status_code == 404
    assert ann.tokens.get().revoked_at is None
