"""Every page, asked for by everybody: one table of who gets what. 302 is the way to the login page."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from rules.models import CardGroup, LawRun
from rules.services import card_group_save
from tests.web.conftest import World
from tournament import services

WHO = ("nobody", "visitor", "ann", "judge", "organizer")
ALL = (200, 200, 200, 200, 200)
LOGIN = (302, 200, 200, 200, 200)
STAFF = (302, 403, 403, 200, 200)
OWN = (302, 404, 404, 200, 404)  # the judge's alone
PAGES: dict[str, tuple[str, tuple[int, ...]]] = {
    "home": ("/", ALL),
    "login": ("/login", ALL),
    "logout": ("/logout", (405, 405, 405, 405, 405)),
    "sign-up": ("/sign-up", ALL),
    "account": ("/account", LOGIN),
    "my-data": ("/account/data", LOGIN),
    "account-erase": ("/account/erase", LOGIN),
    "tokens": ("/account/tokens", LOGIN),
    "language": ("/language", (405, 405, 405, 405, 405)),
    "operations": ("/operations", (302, 404, 404, 404, 404)),  # superusers
    "accounts": ("/operations/accounts", (302, 404, 404, 404, 404)),  # superusers
    "metrics": ("/metrics", ALL),  # of this machine; elsewhere with a token
    "join": ("/join/{secret}", ALL),
    "style": ("/style", ALL),
    "event-list": ("/events/", ALL),
    "event-new": ("/events/new", LOGIN),
    "event": ("/events/kingsport/", ALL),
    "register": ("/events/kingsport/register", LOGIN),
    "my-match": ("/events/kingsport/match", LOGIN),
    "my-event": ("/events/kingsport/mine", (302, 404, 200, 404, 404)),
    "event-tables": ("/events/kingsport/tables", STAFF),
    "event-log": ("/events/kingsport/log", (302, 403, 403, 403, 200)),
    "pairings": ("/events/kingsport/pairings", ALL),
    "round-pairings": ("/events/kingsport/pairings/1", ALL),
    "standings": ("/events/kingsport/standings", ALL),
    "standing": ("/events/kingsport/standings/{ann}", ALL),
    "event-policy": ("/events/kingsport/policy", ALL),
    "policy-list": ("/policies/", ALL),
    "policy": ("/policies/mtg-mtr/", ALL),
    "policy-edit": ("/policies/mtg-mtr/edit", LOGIN),
    "policy-file": ("/policies/mtg-mtr/file", ALL),
    "bracket": ("/events/kingsport/bracket", ALL),
    "final-standings": ("/events/kingsport/places", ALL),
    "event-players": ("/events/kingsport/players", ALL),
    "player-new": ("/events/kingsport/players/new", STAFF),
    "player": ("/events/kingsport/players/{ann}", (302, 403, 200, 200, 200)),
    "player-edit": ("/events/kingsport/players/{ann}/edit", STAFF),
    "player-penalties": ("/events/kingsport/players/{ann}/penalties", (302, 403, 200, 200, 200)),
    "event-penalties": ("/events/kingsport/penalties", STAFF),
    "penalty": ("/events/kingsport/penalties/{penalty}", (302, 404, 200, 200, 200)),
    "event-calls": ("/events/kingsport/calls", STAFF),
    "call": ("/events/kingsport/calls/{call}", (302, 404, 403, 200, 200)),
    "event-deck-checks": ("/events/kingsport/deck-checks", STAFF),
    "print-menu": ("/events/kingsport/print", STAFF),
    "print-pairings": ("/events/kingsport/print/pairings", STAFF),
    "print-slips": ("/events/kingsport/print/slips?round=1", STAFF),
    "print-standings": ("/events/kingsport/print/standings", STAFF),
    "print-seats": ("/events/kingsport/print/seats", STAFF),
    "print-sheets": ("/events/kingsport/print/sheets", STAFF),
    "print-poster": ("/events/kingsport/print/poster", STAFF),
    "screen": ("/events/kingsport/screen", ALL),
    "event-bans": ("/events/kingsport/bans", (302, 403, 403, 403, 200)),
    "event-webhooks": ("/events/kingsport/webhooks", (302, 403, 403, 403, 200)),
    "event-files": ("/events/kingsport/files", (302, 403, 403, 403, 200)),
    "event-file": ("/events/kingsport/files/players.csv", (302, 403, 403, 403, 200)),
    "event-read": ("/events/read", LOGIN),
    "players-read": ("/events/kingsport/players/read", STAFF),
    "import": ("/imports/1", (302, 404, 404, 404, 404)),
    "event-settings": ("/events/kingsport/settings", (302, 403, 403, 403, 200)),
    "event-staff": ("/events/kingsport/staff", STAFF),
    "event-watch": ("/events/kingsport/watch", (302, 302, 302, 302, 302)),
    "check-in": ("/events/kingsport/check-in", (302, 403, 200, 200, 200)),
    "check-in-one": ("/events/kingsport/check-in/{ann}/CODE", (302, 403, 302, 200, 200)),
    "claim": ("/events/kingsport/claim", LOGIN),
    "claim-code": ("/events/kingsport/claim/CODE", LOGIN),
    "event-decks": ("/events/kingsport/decks", STAFF),
    "event-decks-arrange": ("/events/kingsport/decks/arrange", (302, 403, 403, 403, 200)),
    "player-list": ("/events/kingsport/decks/{ann}", (403, 403, 200, 200, 200)),
    "player-sheet": ("/events/kingsport/decks/{ann}/sheet", (302, 403, 200, 200, 200)),
    "deck-check-page": ("/events/kingsport/deck-checks/{check}", STAFF),
    "event-control": ("/events/kingsport/control", STAFF),
    "why": ("/events/kingsport/pairings/1/why/{ann}", ALL),
    "round-draft": ("/events/kingsport/draft", (302, 403, 403, 403, 302)),
    "slips": ("/events/kingsport/slips", STAFF),
    "match-rule": ("/matches/{match}/rule?dispute={dispute}", STAFF),
    "match-file": ("/matches/{match}/file", STAFF),
    "ruling": ("/rulings/{ruling}", (302, 404, 200, 200, 200)),
    "appeal-decide": ("/rulings/{appealed}/appeal", (302, 404, 404, 403, 200)),
    "event-rulings": ("/events/kingsport/rulings", STAFF),
    "event-readings": ("/events/kingsport/readings", ALL),
    "precedents": ("/rules/precedents/", ALL),
    "precedent": ("/rules/precedents/{ruling}", (404, 404, 404, 200, 200)),
    "ruling-law": ("/rules/rulings/{ruling}", (302, 404, 404, 404, 404)),  # one at a table has its page there
    "candidate": ("/rules/rulings/{ruling}/case.yaml", (302, 404, 404, 404, 404)),
    "card-groups": ("/rules/groups/", ALL),
    "card-group": ("/rules/groups/{group}", ALL),
    "review": ("/rules/review/", (302, 403, 403, 403, 200)),
    "law-run": ("/rules/review/{law_run}", (302, 403, 403, 403, 200)),
    "match": ("/matches/{match}", (302, 403, 200, 200, 200)),
    "dispute-new": ("/matches/{match}/dispute", STAFF),
    "deck-list": ("/decks/", LOGIN),
    "deck-new": ("/decks/new", LOGIN),
    "deck-check": ("/decks/check", (405, 405, 405, 405, 405)),
    "deck": ("/decks/{deck}/", (302, 404, 200, 404, 404)),
    "deck-edit": ("/decks/{deck}/edit", (302, 404, 200, 404, 404)),
    "deck-sheet": ("/decks/{deck}/sheet", (302, 404, 200, 404, 404)),
    "deck-export": ("/decks/{deck}/export/o8d", (302, 404, 200, 404, 404)),
    "notice-dismiss": ("/decks/notices/1/dismiss", (302, 405, 405, 405, 405)),
    "finding-list": ("/decks/findings/", ALL),
    "finding": ("/decks/findings/restricted", ALL),
    "format-list": ("/decks/formats/", ALL),
    "format-new": ("/decks/formats/new", LOGIN),
    "format-form-new": ("/decks/formats/form", LOGIN),
    "format-form": ("/decks/formats/coc-lcg/form", LOGIN),
    "format": ("/decks/formats/arkham/?on=2024-03-01", ALL),
    "format-edit": ("/decks/formats/coc-lcg/edit", LOGIN),
    "recheck": ("/decks/rechecks/{recheck}", ALL),
    "catalog-list": ("/decks/cards/", LOGIN),
    "system-list": ("/rules/", ALL),
    "system-detail": ("/rules/coc-lcg/", ALL),
    "system-words": ("/rules/coc-lcg/words", ALL),
    "system-charts": ("/rules/coc-lcg/charts", ALL),
    "system-rule": ("/rules/coc-lcg/law/COC-T-31", ALL),
    "case-list": ("/rules/coc-lcg/cases/", ALL),
    "case": ("/rules/coc-lcg/cases/shotgun-and-researcher", ALL),
    "dispute-case": ("/rules/disputes/{dispute}/case.yaml?run={run}", (302, 404, 404, 200, 200)),
    "dispute-list": ("/rules/disputes/", LOGIN),
    "dispute-ask": ("/rules/disputes/ask", LOGIN),
    "table-list": ("/rules/table/", LOGIN),
    "table": ("/rules/table/{table}/", OWN),
    "table-card": ("/rules/table/{table}/cards/shotgun", OWN),
    "table-describe": ("/rules/table/{table}/describe", OWN),
    "table-moment": ("/rules/table/{table}/moment", OWN),
    "table-play": ("/rules/table/{table}/play", OWN),
    "table-why": ("/rules/table/{table}/why?who=Bo&card=shotgun", OWN),
    "table-compare": ("/rules/table/{table}/compare?line=0&with=0", OWN),
    "table-ask": ("/rules/table/{table}/ask", OWN),
    "table-file": ("/rules/table/{table}/scenario.yaml", OWN),
    "table-clear": ("/rules/table/{table}/clear", OWN),
    "dispute": ("/rules/disputes/{dispute}", (302, 404, 404, 200, 200)),
}
ELSEWHERE = ("/api/", "/favicon.ico", "/healthz", "/readyz")


def address(pattern: str, world: World) -> str:
    return pattern.format(
        ann=world.entry(world.ann).pk,
        match=world.match.pk,
        deck=world.deck.pk,
        dispute=world.dispute.pk,
        check=world.check.pk,
        recheck=world.recheck.pk,
        secret=world.secret,
        run=world.dispute.adjudications.get().pk,
        penalty=world.penalty.pk,
        call=world.call.pk,
        table=world.table.pk,
        **ruled(world),
    )


def ruled(world: World) -> dict[str, int]:
    """A ruling at the table that has been appealed, a group of cards, a run of the law; made once."""
    given = world.match.given.first()
    if given is None:
        now = timezone.now()
        given = services.ruling_give(match=world.match, verdict="It stands.", by=world.judge, now=now)
        services.appeal_make(ruling=given.ruling, by=world.ann, now=now)
        card_group_save(name="Shots", cards=["Shotgun Blast", "Dynamite"], by=world.organizer, now=now)
        LawRun.objects.create(system="coc-lcg", system_version="x", system_hash="x", asked_at=now, total=0)
    return {
        "ruling": given.ruling_id,
        "appealed": given.ruling_id,
        "group": CardGroup.objects.get().pk,
        "law_run": LawRun.objects.get().pk,
    }


@pytest.mark.parametrize("who", WHO)
def test_everybody_gets_every_page_or_the_right_refusal(
    world: World, as_user: Callable[[Any], Client], who: str
) -> None:
    client = as_user(None if who == "nobody" else getattr(world, who))
    got = {name: client.get(address(pattern, world)).status_code for name, (pattern, _) in PAGES.items()}
    assert got == {name: statuses[WHO.index(who)] for name, (_, statuses) in PAGES.items()}


def test_no_page_is_missing_from_the_table() -> None:
    assert {name for name, path in _routes() if not path.startswith(ELSEWHERE)} == set(PAGES)


def _routes(resolver: Any = None, before: str = "/") -> Iterator[tuple[str | None, str]]:
    for entry in (resolver or get_resolver()).url_patterns:
        path = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, path)
        elif isinstance(entry, URLPattern):
            yield entry.name, path


@pytest.mark.parametrize(
    "path",
    ["/events/nowhere/", "/events/kingsport/pairings/9", "/matches/999", "/matches/99999999999999999999999",
     "/decks/999/", "/rules/chess/", "/rules/disputes/999", "/events/kingsport/standings/999",
     "/events/kingsport/players/999"],
)  # fmt: skip
def test_what_is_not_there_is_a_calm_404(world: World, as_user: Callable[[Any], Client], path: str) -> None:
    response = as_user(world.organizer).get(path)
    assert response.status_code == 404
    assert "There is no such" in response.content.decode()


def test_a_form_without_its_token_is_a_calm_403(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.ann)
    response = client.post("/events/kingsport/match", {"outcome": "win"})
    assert response.status_code == 403
    assert "Nothing was changed." in response.content.decode()
    assert not world.match.reports.exists()


def test_a_fault_of_ours_is_a_page_without_a_stack_trace(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("tournament.views.play.standing_lines", broken)
    client = Client(raise_request_exception=False)
    response = client.get("/events/kingsport/standings")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong on our side." in page
    assert response["X-Request-Id"] in page
    assert "secret detail" not in page


@pytest.mark.parametrize("who", WHO)
def test_no_page_needs_what_the_content_policy_forbids(
    world: World, as_user: Callable[[Any], Client], who: str
) -> None:
    client = as_user(None if who == "nobody" else getattr(world, who))
    for pattern, _ in PAGES.values():
        response = client.get(address(pattern, world))
        policy = response["Content-Security-Policy"]
        assert "default-src 'self'" in policy and not re.search(r"unsafe|http|script-src|\*", policy)
        assert "camera=()" in response["Permissions-Policy"]
        text = response.content.decode()
        assert " style=" not in text, pattern
        assert "<style" not in text, pattern
        assert " onclick=" not in text, pattern
        assert "<script>" not in text, pattern
        ours = text.replace("http://www.w3.org/2000/svg", "").replace('value="http://testserver/', "")
        assert "://" not in ours, pattern


def test_my_match_is_light(world: World, as_user: Callable[[Any], Client]) -> None:
    """The page with everything it loads, as it goes over the wire the first time."""
    import gzip

    from django.contrib.staticfiles.finders import find

    page = as_user(world.ann).get("/events/kingsport/match").content
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', page.decode())
    assert len(files) >= 3
    sizes = [len(gzip.compress(page))]
    for name in files:
        path = find(name)
        assert isinstance(path, str)
        sizes.append(len(gzip.compress(Path(path).read_bytes())))
    assert sum(sizes) < 60_000
