"""Judge calls: opened at a table or by a player without one, taken by one judge, closed with an outcome.

Which judge has a call is decided by one conditional update: who comes second hears who was first.
"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import Event, Extension, JudgeCall, Match, Registration, User
from tournament.selectors import HEAD_JUDGES, JUDGES, PLAYER, STAFF, access_match, require, roles_of
from tournament.selectors.access import must_be_welcome
from tournament.selectors.calls import PLAYING, judges_are_there, last_table, played_by, sits_at
from tournament.services.checks import one_of, text
from tournament.services.rounds.clock import must_be_played, time_extend

MOST_TABLE = 9_999
Subject = JudgeCall.Subject


def call_open(
    *,
    match: Match,
    subject: str = Subject.OTHER,
    words: str = "",
    place: str = "",
    by: User,
    now: datetime,
) -> JudgeCall:
    """Call a judge to a match, as one of its players or as staff.

    subject: rules, result, deck, private (kept from the opponent), or other, which takes words. place: where to find
    who called, if they are not at the table.
    Raises Forbidden; UserError `missing`, `unknown`, `too-long`; Conflict `bye`, `already-called`,
    `not-published`, `round-over`.
    """
    match = access_match(by, match.pk, {PLAYER, *STAFF})
    if match.table is None:
        raise Conflict("bye", _("This is a bye, so there is no match."))
    subject, words = _about(subject, words)
    told: dict[str, Any] = {"match": match, "table": match.table, "place": _place(place)}
    try:
        with transaction.atomic():
            must_be_played(match.round)
            return _opened(match.round.event, subject, words, by, now, **told)
    except IntegrityError as error:
        if JudgeCall.objects.filter(match=match, closed_at=None).exists():
            raise _already_called(match.table) from error
        raise Conflict("not-published", _("This round has been unpublished.")) from error


def table_call_open(
    *, event: Event, table: int, subject: str = Subject.OTHER, words: str = "", by: User, now: datetime
) -> JudgeCall:
    """Call a judge to any table, as staff: to the match of the round under way, where one is played there.

    Raises as `call_open`.
    """
    require(by, event, STAFF)
    if not 1 <= table <= MOST_TABLE:
        raise UserError("invalid", _("No table has this number."), place="table")
    match = Match.objects.filter(round__in=PLAYING.filter(event=event), table=table).first()
    if match is not None:
        return call_open(match=match, subject=subject, words=words, by=by, now=now)
    subject, words = _about(subject, words)
    try:
        with transaction.atomic():
            return _opened(event, subject, words, by, now, table=table)
    except IntegrityError as error:
        raise _already_called(table) from error


def player_call_open(
    *,
    registration: Registration,
    subject: str = Subject.OTHER,
    words: str = "",
    place: str = "",
    by: User,
    now: datetime,
) -> JudgeCall:
    """Call a judge as a player, at any time of an event: to the player's match while its round lasts, otherwise (before
    round 1, with a bye, between rounds) to the player, who may say where that is.

    Raises Forbidden `not-yours`, `banned`; UserError and Conflict as `call_open`; Conflict `not-running`, `withdrawn`.
    """
    event = registration.event
    if registration.user_id != by.pk:
        raise Forbidden("not-yours", _("Only the player can call a judge from here."))
    must_be_welcome(by, event)
    match = played_by(registration)
    if match is not None:
        return call_open(match=match, subject=subject, words=words, place=place, by=by, now=now)
    if not judges_are_there(event, now):
        raise Conflict(
            "not-running", _("You can call a judge from the start of check-in until the event ends.")
        )
    if registration.state == Registration.State.WITHDRAWN:
        raise Conflict("withdrawn", _("You have withdrawn from this event."))
    subject, words = _about(subject, words)
    told: dict[str, Any] = {"last_table": last_table(registration), "place": _place(place)}
    try:
        with transaction.atomic():
            return _opened(event, subject, words, by, now, registration=registration, **told)
    except IntegrityError as error:
        raise _already_called(None) from error


def call_claim(*, call: JudgeCall, by: User, now: datetime) -> JudgeCall:
    """Take a call: the players read who is on the way. Raises Forbidden (`own-match`); Conflict `claimed`,
    `call-over`."""
    _must_judge(by, call)
    with transaction.atomic():
        free = JudgeCall.objects.filter(pk=call.pk, closed_at=None, judge=None)
        if not free.update(judge=by, claimed_at=now):
            raise _taken(call, by)
        audit("call_claim", actor=by, target=call, event=call.event, data=_where(call))
    call.refresh_from_db()
    return call


def call_release(*, call: JudgeCall, by: User, now: datetime) -> JudgeCall:
    """Give a call back to the queue, where it keeps its age: who has it, or the head judge.

    Raises Forbidden; Conflict `claimed`, `not-claimed`, `call-over`.
    """
    _must_judge(by, call)
    with transaction.atomic():
        held = JudgeCall.objects.filter(pk=call.pk, closed_at=None, judge__isnull=False)
        if not held.filter(_within_reach(by, call)).update(judge=None, claimed_at=None):
            raise _taken(call, by)
        audit("call_release", actor=by, target=call, event=call.event, data=_where(call))
    call.refresh_from_db()
    return call


def call_close(*, call: JudgeCall, outcome: str, minutes: int = 0, by: User, now: datetime) -> JudgeCall:
    """End a call with what came of it, and give the table `minutes` back for it (0: none).

    Who has it, or the head judge; one that nobody has taken, any judge. Raises Forbidden (`own-match`); UserError
    `missing`, `invalid`; Conflict `claimed`, `call-over`, and those of `time_extend`.
    """
    _must_judge(by, call)
    outcome = text(outcome, "outcome", most=1000)
    if minutes < 0:
        raise UserError("invalid", _("A judge call can’t take time away from a table."), place="minutes")
    if minutes and call.match is None:
        raise UserError(
            "invalid", _("This call belongs to no match, so no time can be given."), place="minutes"
        )
    with transaction.atomic():
        running = JudgeCall.objects.filter(pk=call.pk, closed_at=None)
        if not running.filter(Q(judge=None) | _within_reach(by, call)).update(
            judge=Coalesce(F("judge"), by.pk),
            claimed_at=Coalesce(F("claimed_at"), now),
            outcome=outcome,
            closed_by=by,
            closed_at=now,
        ):
            raise _taken(call, by)
        audit("call_close", actor=by, target=call, event=call.event, data=_where(call) | {"minutes": minutes})
        if minutes and call.match is not None:
            match = access_match(by, call.match.pk)
            time_extend(match=match, minutes=minutes, cause=Extension.Cause.JUDGE_CALL, by=by, now=now)
    call.refresh_from_db()
    return call


def call_withdraw(*, call: JudgeCall, by: User, now: datetime) -> JudgeCall:
    """Take a call back before a judge has taken it, as who called. Raises Forbidden `not-yours`; Conflict `claimed`,
    `call-over`."""
    if call.opened_by_id != by.pk:
        raise Forbidden("not-yours", _("Only the person who called the judge can cancel the call."))
    with transaction.atomic():
        free = JudgeCall.objects.filter(pk=call.pk, closed_at=None, judge=None)
        if not free.update(closed_by=by, closed_at=now):
            raise _taken(call, by)
        audit("call_withdraw", actor=by, target=call, event=call.event, data=_where(call))
    call.refresh_from_db()
    return call


def _about(subject: str, words: str) -> tuple[str, str]:
    subject = one_of(subject, "subject", Subject.values)
    if subject == Subject.OTHER or words.strip():
        words = text(words, "words", most=200)
    return subject, words.strip()


def _place(place: str) -> str:
    return text(place, "place", most=80) if place.strip() else ""


def _opened(event: Event, subject: str, words: str, by: User, now: datetime, **where: Any) -> JudgeCall:
    """The row and its place in the audit log, which does not say what the call is about."""
    call: JudgeCall = JudgeCall.objects.create(
        event=event, subject=subject, words=words, opened_by=by, opened_at=now, **where
    )
    audit("call_open", actor=by, target=call, event=event, data=_where(call))
    return call


def _where(call: JudgeCall) -> dict[str, int]:
    """For the audit log: the table, where there is one."""
    return {} if call.table is None else {"table": call.table}


def _must_judge(by: User, call: JudgeCall) -> None:
    require(by, call.event, JUDGES)
    if sits_at(by, call):
        raise Forbidden(
            "own-match", _("This is your own match."), remedy=_("Another judge will come to your table.")
        )


def _within_reach(by: User, call: JudgeCall) -> Q:
    """Of the calls that somebody has: one's own, for the head judge everybody's."""
    return Q(judge__isnull=False) if roles_of(by, call.event) & HEAD_JUDGES else Q(judge=by)


def _already_called(table: int | None) -> Conflict:
    """table: None where a player without one has called before."""
    if table is None:
        return Conflict(
            "already-called", _("You have already called a judge."), remedy=_("A judge will come to you.")
        )
    return Conflict(
        "already-called",
        _("A judge has already been called to table %(table)s.") % {"table": table},
        remedy=_("Leave the game as it is. A judge will come."),
    )


def _taken(call: JudgeCall, by: User) -> Conflict:
    """Why the conditional update found nothing, as things are now."""
    now = JudgeCall.objects.select_related("judge").get(pk=call.pk)
    if now.closed_at is not None:
        return Conflict("call-over", _("This call has already been closed."))
    if now.judge is None:
        return Conflict("not-claimed", _("No judge has taken this call."))
    if now.judge_id == by.pk:
        return Conflict("claimed", _("You have already taken this call."))
    return Conflict(
        "claimed",
        _("%(name)s has taken this call.") % {"name": now.judge},
        remedy=_("The head judge can hand it back to the queue."),
    )
