"""One event with everybody in it: what the table of routes (routes.txt) is asked of.

| who | is |
|---|---|
| nobody | not logged in |
| visitor | has an account and no part in anything |
| banned | played here, then was banned |
| foreign | plays in another event, owns nothing here |
| other | plays here, at another table |
| player | plays at the match, owns the list, the entry and the penalty that the routes name |
| scorekeeper, judge, head-judge, organizer, owner | staff of the event |
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from decks.models import Deck
from decks.services import recheck_start
from rules import services as rules_services
from rules.models import Adjudication, LawRun, Ruling
from rules.services import card_group_save
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament.factories import NOW, make_event, make_revision, make_staff
from tournament import services
from tournament.models import AlertAddress, Event, Match, Registration, SamePlayer, Staff, User
from tournament.selectors.codes import claim_code, presence_code
from tournament.services.outside.webhooks import tell
from tournament.swiss.seasons import Scale

STAFF = ("scorekeeper", "judge", "head-judge", "organizer")
WHO = ("nobody", "visitor", "banned", "foreign", "other", "player", *STAFF, "owner")


def people() -> dict[str, User]:
    """Everybody but nobody, and who fills the tables."""
    names = [*WHO[1:], "opponent", "fourth", "fifth"]
    return {
        name: User.objects.create_user(name, password=name, display_name=name.capitalize()) for name in names
    }


def world(person: dict[str, User]) -> dict[str, Any]:
    """The event, played into its first round; the words that stand for its things in the addresses of routes.txt."""
    event = _event(person)
    match = Match.objects.get(seats__registration__user=person["player"])
    entries = {entry.name: entry for entry in Registration.objects.filter(event=event)}
    now, player, judge = timezone.now(), entries["Player"], person["judge"]
    invite, secret = services.invite_make(event=event, role="judge", by=person["owner"], now=now)
    call = services.table_call_open(event=event, table=8, subject="rules", by=person["scorekeeper"], now=NOW)
    taken = services.table_call_open(event=event, table=9, subject="rules", by=person["scorekeeper"], now=NOW)
    services.call_claim(call=taken, by=judge, now=NOW)
    asked = services.staff_invite(
        event=event, user=person["foreign"], role="judge", by=person["owner"], now=now
    )
    token, _bearer = services.token_make(person=person["player"], name="Bot", now=now)
    check = services.deck_check_start(registration=player, by=judge, now=now)
    webhook, _secret = services.webhook_add(
        event=event, address="https://hooks.example.org/", kinds=["ruling.filed"], by=person["owner"], now=now
    )
    ruling = _appealed(match, person)
    filed = services.dispute_file(match=match, by=judge, title="May Bo respond?", source=SHOTGUN, now=now)
    told = tell(event=event, kind="ruling.filed", data={}, now=now)
    assert told == 1
    series = services.series_make(
        name="Season", slug="kingsport", scale=Scale(((1, 3),)), by=person["owner"], now=now
    )
    services.series_add(series=series, event=event, by=person["owner"])
    joined = SamePlayer.objects.create(
        series=series, one=player, other=entries["Guest"], by=person["owner"], at=now
    )
    browser = AlertAddress.objects.create(
        user=person["player"], way="push", kinds=["paired"], site="http://testserver/",
        endpoint="https://push.example.org/1", service="push.example.org", made_at=now,
    )  # fmt: skip
    return {
        "browser": browser.pk,
        "asked": asked.pk,
        "ban": event.bans.get().pk,
        "call": call.pk,
        "check": check.pk,
        "claim": claim_code(entries["Guest"]),
        "delivery": webhook.deliveries.latest("pk").pk,
        "deck": Deck.objects.get(owner=person["player"]).pk,
        "dispute": filed.dispute.pk,
        "entry": player.pk,
        "group": card_group_save(
            name="Shots", cards=["Shotgun Blast", "Dynamite"], by=person["organizer"], now=now
        ).pk,
        "guest": entries["Guest"].pk,
        "import": services.players_import_ask(event=event, source="Late", by=person["owner"], now=now).pk,
        "invite": invite.pk,
        "joined": joined.pk,
        "law_run": LawRun.objects.create(
            system="coc-lcg", system_version="x", system_hash="x", asked_at=now, total=0
        ).pk,
        "match": match.pk,
        "penalty": services.penalty_issue(registration=player, infraction="tardiness", by=judge, now=NOW).pk,
        "presence": presence_code(player),
        "recheck": recheck_start(format="coc-lcg", what_if=True, by=person["organizer"], now=now).pk,
        "ruled": ruling.dispute_id,
        "ruled_run": Adjudication.objects.get(dispute=ruling.dispute_id).pk,
        "ruling": ruling.pk,
        "run": filed.dispute.adjudications.get().pk,
        "secret": secret,
        "staff": Staff.objects.get(event=event, role="scorekeeper").pk,
        "table": rules_services.table_open(by=judge, source=SHOTGUN, title="The shot", now=now).pk,
        "taken": taken.pk,
        "token": token.pk,
        "webhook": webhook.pk,
    }


def _appealed(match: Match, person: dict[str, User]) -> Ruling:
    """The judge's ruling on another dispute there, published as a precedent, and appealed."""
    now, source = timezone.now(), different(SHOTGUN, 1)
    dispute = services.dispute_file(
        match=match, by=person["judge"], title="Who acts next?", source=source, now=now
    ).dispute
    adjudicate(dispute.adjudications.get().pk)
    given = services.ruling_give(
        match=match,
        dispute=dispute,
        verdict="It stands.",
        citations=["COC-T-31"],
        by=person["judge"],
        now=now,
    )
    services.ruling_publish(ruling=given.ruling, question="May one?", by=person["head-judge"], now=now)
    services.appeal_make(ruling=given.ruling, by=person["player"], now=now)
    return given.ruling


def _event(person: dict[str, User]) -> Event:
    owner = person["owner"]
    elsewhere = make_event(person["fourth"], "dunwich")
    services.player_register(event=elsewhere, user=person["foreign"], by=person["foreign"], now=NOW)
    event = make_event(owner, planned_rounds=3)
    for role in STAFF:
        make_staff(event=event, user=person[role], role=role, by=owner, now=NOW)
    for name in ("player", "opponent", "other", "fourth", "fifth", "banned"):
        revision = make_revision(person[name]) if name == "player" else None
        services.player_register(event=event, user=person[name], revision=revision, by=person[name], now=NOW)
    services.player_register(event=event, user=None, name="Guest", by=owner, now=NOW)
    services.event_ban(event=event, user=person["banned"], reason="theft", by=owner, now=NOW)
    draft = services.round_draft(event=event, by=owner, seed=1, now=NOW)
    sat = {seat.registration.name: seat for seat in draft.seats.select_related("registration")}
    if sat["Player"].match_id == sat["Other"].match_id:
        instead = next(seat for seat in sat.values() if seat.match_id != sat["Player"].match_id)
        two = {"first": sat["Other"].registration_id, "second": instead.registration_id}
        services.seats_swap(round=draft, reason="apart", by=owner, now=NOW, **two)
    services.round_publish(round=draft, by=owner, now=NOW)
    return event


@contextmanager
def undone() -> Iterator[None]:
    """Every request meets the same world."""
    cache.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
