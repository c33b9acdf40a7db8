"""Arrangements for single players: awarded byes, fixed tables, missed rounds."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import AwardedBye, Match, Registration, Report, Round, Seat, User
from tournament.policy.model import MISSED
from tournament.selectors import ORGANIZERS, STAFF, current_round, policy_of, require
from tournament.services.checks import one_of, text
from tournament.services.locks import lock_event
from tournament.swiss import Outcome

MOST_ROUNDS = 30


def bye_award(*, registration: Registration, number: int, reason: str, by: User, now: datetime) -> AwardedBye:
    """Give a player the bye of a round to come: the player is not paired in it.

    Raises Forbidden, UserError; Conflict `round-published`, `bye-awarded`.
    """
    event = registration.event
    require(by, event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    try:
        with transaction.atomic():
            lock_event(event)
            _must_be_to_come(registration, number)
            bye: AwardedBye = AwardedBye.objects.create(
                registration=registration, number=number, reason=reason, by=by, at=now
            )
            data = {"number": number}
            audit("bye_award", actor=by, target=registration, event=event, reason=reason, data=data)
    except IntegrityError as error:
        raise Conflict(
            "bye-awarded",
            _("%(name)s already has the bye for round %(number)s.")
            % {"name": registration.name, "number": number},
        ) from error
    return bye


def bye_withdraw(*, registration: Registration, number: int, by: User, now: datetime) -> None:
    """Take an awarded bye back before its round is published.

    Raises Forbidden; Conflict `round-published`, `no-bye`.
    """
    event = registration.event
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        lock_event(event)
        _must_be_to_come(registration, number)
        taken, _rows = AwardedBye.objects.filter(registration=registration, number=number).delete()
        if not taken:
            raise Conflict("no-bye", _("No bye was awarded for this round."))
        data = {"number": number}
        audit("bye_withdraw", actor=by, target=registration, event=event, data=data)


def table_keep(*, registration: Registration, table: int | None, by: User, now: datetime) -> Registration:
    """Let a player sit at one table in every round to come, or no longer (None). Why is nobody's business.

    Raises Forbidden, UserError `invalid`; Conflict `table-taken`.
    """
    event = registration.event
    require(by, event, STAFF)
    if table is not None and not 1 <= table <= 9_999:
        raise UserError("invalid", _("Table numbers go from 1 to 9999."), place="table")
    try:
        with transaction.atomic():
            lock_event(event)
            Registration.objects.filter(pk=registration.pk).update(fixed_table=table)
            audit("table_keep", actor=by, target=registration, event=event, data={"table": table})
    except IntegrityError as error:
        raise Conflict(
            "table-taken",
            _("Table %(table)s is already reserved for another player.") % {"table": table},
            place="table",
        ) from error
    registration.refresh_from_db(fields=["fixed_table"])
    return registration


def missed_rounds_settle(
    registration: Registration, missed: str, reason: str, by: User, now: datetime
) -> None:
    """In the transaction that brings a player in late or back: what the rounds published meanwhile count.

    losses: nobody wins them, and they count as played; byes: as awarded byes; nothing: they do not exist for the
    player, whose means are then over fewer rounds; "": as the policy says. Byes that the policy does not
    give, and whatever differs from a policy that speaks of late players, an organizer gives for a reason.
    """
    law = policy_of(registration.event).late_entries
    missed = missed or law.missed or "losses"
    one_of(missed, "missed", MISSED)
    rounds = list(
        Round.objects.published()
        .filter(event=registration.event, stage=None)
        .exclude(seats__registration=registration)
        .defer("explanation")
    )
    if not rounds or registration.state != Registration.State.ACTIVE:
        return
    exception = missed != law.missed if law.said else missed == "byes"
    if exception:
        require(by, registration.event, ORGANIZERS)
        reason = text(reason, "missed_reason", most=300)
    if missed == "nothing":
        return
    matches = Match.objects.bulk_create([Match(round=round, table=None) for round in rounds])
    Seat.objects.bulk_create(
        Seat(round=round, match=match, registration=registration, side=1)
        for round, match in zip(rounds, matches, strict=True)
    )
    if missed == "byes":
        AwardedBye.objects.bulk_create(
            AwardedBye(
                registration=registration,
                number=round.number,
                reason=reason or gettext_noop("as the policy says for late entries"),
                by=by,
                at=now,
            )
            for round in rounds
        )
    else:
        Report.objects.bulk_create(
            Report(
                match=match,
                by=by,
                number=1,
                outcome=Outcome.DOUBLE_LOSS,
                how=Report.How.NO_SHOW,
                reason=gettext_noop("entered after this round was paired"),
                reported_at=now,
            )
            for match in matches
        )
    data = {"missed": missed, "numbers": [round.number for round in rounds]}
    audit("missed_settle", actor=by, target=registration, event=registration.event, reason=reason, data=data)


def _must_be_to_come(registration: Registration, number: int) -> None:
    if not 1 <= number <= MOST_ROUNDS:
        raise UserError("invalid", _("Round numbers go from 1 to 30."), place="number")
    last = current_round(registration.event)
    if last is not None and number <= last.number:
        raise Conflict(
            "round-published",
            _("Round %(number)s has already been published.") % {"number": number},
            remedy=_("Past pairings can’t be changed."),
        )
