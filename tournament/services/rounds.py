"""Rounds: pairing one, closing one."""

import secrets
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.audit import audit
from config.errors import Conflict
from tournament import policy_files
from tournament.models import Event, Match, Registration, Round, Seat, User
from tournament.selectors import ORGANIZERS, open_matches, policy_of, require, snapshot
from tournament.services.locks import lock_event
from tournament.swiss import Pairing, pair

SEED_BITS = 48  # whole numbers up to 2**53 survive JavaScript


def round_pair(
    *, event: Event, by: User, seed: int | None = None, number: int | None = None, now: datetime
) -> Round:
    """Pair and publish the next round: all of it or nothing.

    The first pairing pins the policy and the number of rounds. A former round whose results are all in is
    closed with it. seed: drawn when not given, stored, and enough to replay the pairing.
    number: the round the asker expects to pair; another one is a Conflict, so that pressing twice is safe.
    Raises Forbidden; Conflict `results-missing` (naming the tables), `already-paired`, `too-few-players`,
    `decks-missing`, `all-rounds-played`, `event-over`.
    """
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(event)
            return _pair(event, by, secrets.randbits(SEED_BITS) if seed is None else seed, number, now)
    except IntegrityError as error:
        raise _already_paired(number) from error


def round_finish(*, round: Round, by: User, now: datetime) -> Round:
    """Close a round; every result must be in. Raises Forbidden, Conflict `results-missing`, `round-over`."""
    require(by, round.event, ORGANIZERS)
    with transaction.atomic():
        lock_event(round.event)
        round.refresh_from_db()
        if round.finished_at is not None:
            raise Conflict("round-over", _("Round %(number)s is closed already.") % {"number": round.number})
        _finish(round, by, now)
        event = round.event
        if round.number == event.planned_rounds:
            event.state = Event.State.FINISHED
            event.save(update_fields=["state"])
            audit("event_finish", actor=by, target=event, event=event)
    return round


def _pair(event: Event, by: User, seed: int, number: int | None, now: datetime) -> Round:
    last = event.rounds.order_by("-number").first()
    following = last.number + 1 if last else 1
    if number is not None and number != following:
        raise _already_paired(number)
    if event.state == Event.State.FINISHED:
        raise Conflict("event-over", _("The event is over."))
    if last is None:
        _pin(event)
    elif last.finished_at is None:
        _finish(last, by, now)
    if event.planned_rounds is not None and following > event.planned_rounds:
        raise Conflict(
            "all-rounds-played",
            _("All %(count)s announced rounds have been played.") % {"count": event.planned_rounds},
            remedy=_("Close the last round; the standings are final."),
        )
    policy = policy_of(event)
    players = snapshot(event, following)
    if len(players.players) < 2:
        raise Conflict("too-few-players", _("A round needs at least two players who have not dropped."))
    pairing = pair(players, policy.pairing, seed)
    round = Round.objects.create(
        event=event, number=following, seed=seed, explanation=_explanation(pairing, policy), published_at=now
    )
    _seat(round, pairing)
    audit("round_pair", actor=by, target=round, event=event, data={"number": following, "seed": seed})
    return round


def _pin(event: Event) -> None:
    """Fix what the event is played by: the policy's content and the number of rounds by attendance."""
    policy = policy_of(event)
    if policy.decklists == "required":
        _must_have_decks(event)
    event.policy = policy.document
    if event.planned_rounds is None:
        active = event.registrations.filter(state=Registration.State.ACTIVE).count()
        event.planned_rounds = policy.rounds_for(active).rounds
    event.state = Event.State.RUNNING
    event.save(update_fields=["policy", "planned_rounds", "state"])


def _must_have_decks(event: Event) -> None:
    without = event.registrations.filter(
        state=Registration.State.ACTIVE, revision__isnull=True, deck_override=""
    ).values_list("name", flat=True)
    names = list(without[:11])
    if names:
        shown = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        raise Conflict(
            "decks-missing",
            _("Without a registered list: %(names)s.") % {"names": shown},
            remedy=_("Register a list, admit the player without one giving a reason, or drop the player."),
            details={"names": names},
        )


def _finish(round: Round, by: User, now: datetime) -> None:
    missing = open_matches(round)
    if missing:
        tables = [match.table for match in missing if match.table is not None]
        shown = ", ".join(str(table) for table in tables[:20]) + (" …" if len(tables) > 20 else "")
        raise Conflict(
            "results-missing",
            ngettext(
                "Round %(number)s: no settled result at table %(tables)s.",
                "Round %(number)s: no settled result at tables %(tables)s.",
                len(tables),
            )
            % {"number": round.number, "tables": shown},
            remedy=_("Wait for both players' reports, or decide the result."),
            details={"round": round.number, "tables": tables},
        )
    round.finished_at = now
    round.save(update_fields=["finished_at"])
    audit("round_finish", actor=by, target=round, event=round.event, data={"number": round.number})


def _seat(round: Round, pairing: Pairing) -> None:
    matches = Match.objects.bulk_create([Match(round=round, table=one.table) for one in pairing.pairs])
    Seat.objects.bulk_create(
        Seat(round=round, match=match, registration_id=player, side=side)
        for match, one in zip(matches, pairing.pairs, strict=True)
        for side, player in ((1, one.first), (2, one.second))
        if player is not None
    )


def _explanation(pairing: Pairing, policy: policy_files.Policy) -> dict[str, Any]:
    return {
        "policy": {"key": policy.key, "version": policy.version},
        "candidates": pairing.candidates,
        "rematches_allowed": pairing.rematches_allowed,
        "total": asdict(pairing.total),
        "pairs": [asdict(one) for one in pairing.pairs],
    }


def _already_paired(number: int | None) -> Conflict:
    message = (
        _("Round %(number)s has been paired already.") % {"number": number}
        if number
        else _("This round has just been paired by somebody else.")
    )
    return Conflict("already-paired", message, remedy=_("Look at the pairings again."))
