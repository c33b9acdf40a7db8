"""Penalties: given for an offense at the level the upgrade path suggests, or revoked. Rows are only added."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import Event, Penalty, Registration, Seat, User
from tournament.policy.model import Effect
from tournament.selectors import JUDGES, seat_now
from tournament.selectors.penalties import (
    deviators,
    guide_of,
    require_judge_apart,
    standing_penalties,
)
from tournament.services.checks import one_of, text
from tournament.services.locks import lock_event

NONE = "none"  # the level of an offense for which nothing is given


def penalty_issue(
    *,
    registration: Registration,
    infraction: str,
    level: str = "",
    reason: str = "",
    note: str = "",
    by: User,
    now: datetime,
) -> Penalty:
    """Give a player a penalty. Nothing happens to a match: `selectors.penalties.offer_of` says what is to be entered.

    level: "" takes what the upgrade path suggests from the player's offenses of this kind in this event; another
    one ("none" among them) is the head judge's, who gives a reason; an organizer's where the event has no head judge.
    The round is the one the player sits in now. Raises Forbidden (`needs-head-judge`, `own-penalty`,
    `own-match`), UserError naming the field, Conflict `no-guide`, `penalised-meanwhile`.
    """
    event = registration.event
    held = require_judge_apart(by, registration, JUDGES)
    guide = guide_of(event)
    one_of(infraction, "infraction", (one.key for one in guide.infractions))
    if level:
        one_of(level, "level", [NONE, *(one.key for one in guide.levels)])
    note = _note(note)
    try:
        with transaction.atomic():
            event = lock_event(event)
            seat = seat_now(registration)
            _must_not_sit_opposite(seat, by)
            tracked = standing_penalties(registration.penalties.all()).filter(
                infraction=infraction, tracked=True
            )
            suggested = guide.suggested(infraction, tracked.count())
            usual = suggested.key if suggested else NONE
            chosen = level or usual
            if chosen != usual:
                reason = _reason_to_deviate(event, held, reason)
            given = guide.level(chosen) if chosen != NONE else None
            penalty = Penalty.objects.create(
                registration=registration,
                number=registration.penalties.count() + 1,
                round=seat.round.number if seat else None,
                infraction=infraction,
                infraction_title=guide.infraction(infraction).title,
                level=chosen,
                level_title=given.title if given else "",
                effect=given.effect.value if given else Effect.NONE.value,
                tracked=given.tracked if given else False,
                suggested=usual,
                reason=reason if chosen != usual else "",
                note=note,
                by=by,
                at=now,
            )
            data = {"player": registration.pk, "infraction": infraction, "level": chosen, "suggested": usual}
            audit("penalty_issue", actor=by, target=penalty, event=event, reason=penalty.reason, data=data)
    except IntegrityError as error:
        raise _meanwhile(registration) from error
    return penalty


def penalty_revoke(*, penalty: Penalty, reason: str, by: User, now: datetime) -> Penalty:
    """Take a penalty back, saying why, in a row of its own: the judge who gave it, or who may deviate.

    A result entered for it stays until somebody decides the match again. Raises Forbidden, UserError, Conflict
    `revoked`, `penalised-meanwhile`.
    """
    entry = penalty.registration
    event = entry.event
    held = require_judge_apart(by, entry, JUDGES)
    if penalty.by_id != by.pk and not held & deviators(event):
        raise _needs_head_judge()
    reason = text(reason, "reason", most=300)
    try:
        with transaction.atomic():
            event = lock_event(event)
            if penalty.revokes_id is not None or Penalty.objects.filter(revokes=penalty).exists():
                raise Conflict("revoked", _("This penalty has already been revoked."))
            row = Penalty.objects.create(
                registration=entry,
                number=entry.penalties.count() + 1,
                round=penalty.round,
                infraction=penalty.infraction,
                infraction_title=penalty.infraction_title,
                effect=Effect.NONE.value,
                tracked=False,
                reason=reason,
                revokes=penalty,
                by=by,
                at=now,
            )
            data = {"player": entry.pk, "penalty": penalty.pk}
            audit("penalty_revoke", actor=by, target=row, event=event, reason=reason, data=data)
    except IntegrityError as error:
        raise _meanwhile(entry) from error
    return row


def _must_not_sit_opposite(seat: Seat | None, by: User) -> None:
    if seat is not None and Seat.objects.filter(match=seat.match, registration__user=by).exists():
        raise Forbidden(
            "own-match",
            _("You are playing at this table."),
            remedy=_("Ask another staff member to give the penalty."),
        )


def _reason_to_deviate(event: Event, held: set[str], reason: str) -> str:
    if not held & deviators(event):
        raise _needs_head_judge()
    return text(reason, "reason", most=300)


def _needs_head_judge() -> Forbidden:
    return Forbidden(
        "needs-head-judge",
        _("Only the head judge can deviate from the suggested penalty or revoke another judge’s penalty."),
        remedy=_("Give the suggested penalty, or ask the head judge."),
    )


def _note(note: str) -> str:
    lines = "\n".join(line.rstrip() for line in note.strip().splitlines())
    if any(not one.isprintable() and one not in "\n\t" for one in lines):
        raise UserError("invalid", _("This text has unprintable characters."), place="note")
    if len(lines) > 2_000:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": 2_000}, place="note"
        )
    return lines


def _meanwhile(entry: Registration) -> Conflict:
    return Conflict(
        "penalised-meanwhile",
        _("Someone else just gave %(name)s a penalty.") % {"name": entry.name},
        remedy=_("Check the player’s penalties again. The suggested penalty may have changed."),
    )
