"""A round before players see it: paired, changed by hand, paired again.

A round's random seed is out of the organizer's hands. The first is drawn with its first draft and stays, whatever is
discarded, taken back or paired again; another one is drawn only with a reason, and everybody sees how often.
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, astuple
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import Event, Match, Round, RoundSeed, Seat, User
from tournament.policy.model import Policy
from tournament.selectors import ORGANIZERS, paired_from, policy_of, require, snapshot
from tournament.services.checks import text
from tournament.services.locks import lock_event
from tournament.swiss import CannotPair, Pairing, Snapshot, explained, pair

SEED_BITS = 48  # whole numbers up to 2**53 survive JavaScript
MOST_TABLES = 9_999


def make_draft(event: Event, number: int, by: User, now: datetime, seed: int | None = None) -> Round:
    """Pair round `number` of a locked event and seat it, unpublished.

    seed: for simulations, where no random seed is drawn yet.
    """
    drawn_seed = _first_seed(event, number, by, now, seed)
    players = snapshot(event, number)
    pairing, told = _paired(players, policy_of(event), drawn_seed.seed)
    round = Round.objects.create(event=event, number=number, seed=drawn_seed.seed, explanation=told)
    seat(round, [(one.table, one.first, one.second) for one in pairing.pairs])
    return round


def round_renew(*, round: Round, by: User, now: datetime) -> Round:
    """Pair the draft again from who plays and stands where now. The random seed stays; changes by hand are gone.

    Raises Forbidden; Conflict `no-draft`, `published`, `too-few-players`.
    """
    require(by, round.event, ORGANIZERS)
    with transaction.atomic():
        draft = _claim_draft(round, None)
        _pair_again(draft, draft.seed)
        audit("round_renew", actor=by, target=draft, event=draft.event, data={"number": draft.number})
    return draft


def round_redraw(*, round: Round, edition: int | None = None, reason: str, by: User, now: datetime) -> Round:
    """Pair the draft again with a new random seed, for a reason everybody can read. Changes by hand are gone.

    edition: the draft the asker looked at; another one is a Conflict.
    Raises Forbidden, UserError `missing`; Conflict `no-draft`, `published`, `draft-changed`, `too-few-players`.
    """
    require(by, round.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        draft = _claim_draft(round, edition)
        drawn = RoundSeed.objects.filter(event=draft.event, number=draft.number).count()
        drawn_seed = RoundSeed.objects.create(
            event=draft.event,
            number=draft.number,
            sequence=drawn + 1,
            seed=secrets.randbits(SEED_BITS),
            reason=reason,
            by=by,
            at=now,
        )
        _pair_again(draft, drawn_seed.seed)
        data = {"number": draft.number, "lot": drawn_seed.sequence, "seed": drawn_seed.seed}
        audit("round_redraw", actor=by, target=draft, event=draft.event, reason=reason, data=data)
    return draft


def seats_swap(
    *,
    round: Round,
    first: int,
    second: int,
    edition: int | None = None,
    reason: str,
    by: User,
    now: datetime,
) -> Round:
    """Two players of the draft change places; with somebody who has a bye, the bye moves.

    first, second: registrations. Raises Forbidden; UserError `missing`, `not-seated`, `same-table`;
    Conflict `no-draft`, `published`, `draft-changed`.
    """
    require(by, round.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        draft = _claim_draft(round, edition)
        one, two = _seat_of(draft, first, "first"), _seat_of(draft, second, "second")
        if one.match_id == two.match_id:
            raise UserError("same-table", _("These two are at the same table."), place="second")
        Seat.objects.filter(pk__in=[one.pk, two.pk]).delete()
        Seat.objects.bulk_create(
            Seat(round=draft, match=place.match, side=place.side, registration=who.registration)
            for place, who in ((one, two), (two, one))
        )
        _tell_tables_by_hand(draft)
        data = {
            "number": draft.number,
            "players": [one.registration.name, two.registration.name],
            "tables": [one.match.table, two.match.table],
        }
        audit("seats_swap", actor=by, target=draft, event=draft.event, reason=reason, data=data)
    return draft


def table_move(
    *, round: Round, table: int, to: int, edition: int | None = None, reason: str, by: User, now: datetime
) -> Round:
    """The players of a table of the draft sit elsewhere; who was to sit there takes theirs.

    Raises Forbidden; UserError `missing`, `no-such-table`; Conflict `no-draft`, `published`, `draft-changed`.
    """
    require(by, round.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    if not 1 <= to <= MOST_TABLES:
        raise UserError(
            "invalid", _("Table numbers go from 1 to %(most)s.") % {"most": MOST_TABLES}, place="to"
        )
    with transaction.atomic():
        draft = _claim_draft(round, edition)
        moved = Match.objects.filter(round=draft, table=table).first()
        if moved is None:
            raise UserError("no-such-table", _("No one is at this table."), place="table")
        there = Match.objects.filter(round=draft, table=to).exclude(pk=moved.pk)
        # One match per table at every moment: the other one stands aside in between.
        aside = list(there.values_list("pk", flat=True))
        there.update(table=None)
        Match.objects.filter(pk=moved.pk).update(table=to)
        Match.objects.filter(pk__in=aside).update(table=table)
        data = {"number": draft.number, "tables": [table, to]}
        audit("table_move", actor=by, target=draft, event=draft.event, reason=reason, data=data)
    return draft


def round_discard(*, round: Round, by: User, now: datetime) -> None:
    """Throw a draft away. Its random seed is kept: the same players and results will give the same round again.

    Raises Forbidden; Conflict `no-draft`, `published`.
    """
    require(by, round.event, ORGANIZERS)
    with transaction.atomic():
        draft = _claim_draft(round, None)
        audit("round_discard", actor=by, target=draft, event=draft.event, data={"number": draft.number})
        draft.delete()


def seat(round: Round, tables: Sequence[tuple[int | None, int, int | None]]) -> None:
    """Matches and seats for (table number or None for a bye, side 1, side 2 or None)."""
    matches = Match.objects.bulk_create(
        [Match(round=round, table=table) for table, _first, _second in tables]
    )
    Seat.objects.bulk_create(
        Seat(round=round, match=match, registration_id=player, side=side)
        for match, (_table, first, second) in zip(matches, tables, strict=True)
        for side, player in ((1, first), (2, second))
        if player is not None
    )


def unseat(round: Round) -> list[tuple[int | None, int, int | None]]:
    """Remove the round's matches, as `seat` takes them. The database refuses where something was reported.

    The rows go, not only their players: a report arriving at the same moment finds no match to belong to.
    """
    sides: dict[int, dict[int, int]] = {}
    tables: dict[int, int | None] = {}
    seats = Seat.objects.filter(round=round).order_by("match__table", "match_id", "side")
    for match, table, side, player in seats.values_list(
        "match_id", "match__table", "side", "registration_id"
    ):
        sides.setdefault(match, {})[side] = player
        tables[match] = table
    Match.objects.filter(round=round).delete()
    return [(tables[match], of[1], of.get(2)) for match, of in sides.items()]


def _first_seed(event: Event, number: int, by: User, now: datetime, seed: int | None) -> RoundSeed:
    """The round's latest random seed; when there is none yet, the first is drawn."""
    drawn_seed: RoundSeed | None = (
        RoundSeed.objects.filter(event=event, number=number).order_by("-sequence").first()
    )
    if drawn_seed is None:
        drawn = secrets.randbits(SEED_BITS) if seed is None else seed
        drawn_seed = RoundSeed.objects.create(
            event=event, number=number, sequence=1, seed=drawn, by=by, at=now
        )
    return drawn_seed


def _pair_again(draft: Round, seed: int) -> None:
    pairing, told = _paired(snapshot(draft.event, draft.number), policy_of(draft.event), seed)
    unseat(draft)
    seat(draft, [(one.table, one.first, one.second) for one in pairing.pairs])
    draft.seed, draft.explanation = seed, told
    draft.save(update_fields=["seed", "explanation"])


def _paired(players: Snapshot, policy: Policy, seed: int) -> tuple[Pairing, dict[str, Any]]:
    try:
        pairing = pair(players, policy.pairing, seed)
    except CannotPair as error:
        raise Conflict(
            "too-few-players", _("A round needs at least two players who haven’t dropped.")
        ) from error
    return pairing, {
        "policy": {"key": policy.key, "version": policy.version},
        "players": [[*player[:2], list(player[2]), *player[3:]] for player in map(astuple, players.players)],
        "candidates": pairing.candidates,
        "rematches_allowed": pairing.rematches_allowed,
        "to_come": players.to_come,
        "ahead": pairing.ahead,
        "total": asdict(pairing.total),
        "pairs": [asdict(one) for one in pairing.pairs],
        "by_hand": [],
    }


def _claim_draft(round: Round, edition: int | None) -> Round:
    """The draft as it is now, its next edition begun and its row held until the transaction ends.

    One UPDATE decides among people who act at once: changes, new random seeds and the publication take turns, and who
    comes second and named an edition is refused. Raises Conflict.
    """
    lock_event(round.event)
    drafts = Round.objects.filter(pk=round.pk, published_at=None)
    looked_at = drafts if edition is None else drafts.filter(edition=edition)
    if not looked_at.update(edition=F("edition") + 1):
        raise why_not_claimed(round)
    return Round.objects.select_related("event").get(pk=round.pk)


def why_not_claimed(round: Round) -> Conflict:
    now = Round.objects.filter(pk=round.pk).first()
    look = _("Reload the round and check.")
    if now is None:
        return Conflict("no-draft", _("This draft has been discarded."), remedy=look)
    if now.published_at is not None:
        return Conflict(
            "published",
            _("Round %(number)s has already been published.") % {"number": now.number},
            remedy=_("Until a result is reported, you can unpublish it."),
        )
    return Conflict(
        "draft-changed", _("Someone else has changed this draft since you opened it."), remedy=look
    )


def _seat_of(draft: Round, registration: int, place: str) -> Seat:
    found = (
        Seat.objects.select_related("match", "registration")
        .filter(round=draft, registration=registration)
        .first()
    )
    if found is None:
        raise UserError("not-seated", _("This player isn’t in the round."), place=place)
    return found


def _tell_tables_by_hand(draft: Round) -> None:
    """Explain the tables that the pairing did not make; the others keep their explanation."""
    made = {frozenset((one["first"], one["second"])) for one in draft.explanation["pairs"]}
    tables: dict[int, list[int]] = {}
    seats = Seat.objects.filter(round=draft).order_by("match_id", "side")
    for match, player in seats.values_list("match_id", "registration_id"):
        tables.setdefault(match, []).append(player)
    both = [(one[0], one[1] if len(one) > 1 else None) for one in tables.values()]
    changed = [table for table in both if frozenset(table) not in made]
    told = explained(paired_from(draft), policy_of(draft.event).pairing, draft.seed, changed)
    draft.explanation["by_hand"] = [asdict(one) for one in told]
    draft.save(update_fields=["explanation"])


def already_paired(number: int | None) -> Conflict:
    message = (
        _("Round %(number)s has already been paired.") % {"number": number}
        if number
        else _("Someone else just paired this round.")
    )
    return Conflict("already-paired", message, remedy=_("Reload the pairings and check."))
