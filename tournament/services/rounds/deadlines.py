"""Missing results: reminding players, and ending the round as the policy says."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from config.audit import audit
from config.errors import Conflict
from tournament.models import Match, Report, Round, User
from tournament.selectors import ORGANIZERS, STAFF, policy_of, require
from tournament.selectors.deadlines import unreported
from tournament.services.rounds.results import add_report, locked_state
from tournament.swiss import Outcome


def round_nudge(*, round: Round, by: User, now: datetime) -> Round:
    """Ask everybody who has not reported for the result: they see it on every page of the event.

    Raises Forbidden; Conflict `round-over`.
    """
    require(by, round.event, STAFF)
    with transaction.atomic():
        if not Round.objects.published().filter(pk=round.pk, finished_at=None).update(nudged_at=now):
            raise Conflict("round-over", _("This round isn’t being played."))
        audit("round_nudge", actor=by, target=round, event=round.event, data={"number": round.number})
    round.refresh_from_db(fields=["nudged_at"])
    return round


def round_resolve(*, round: Round, by: User, now: datetime) -> int:
    """Give the tables that reported nothing, and whose own time is over, the result that the policy names for them.

    What one side has reported, and what the two disagree about, stays for the staff. Returns how many tables.
    Raises Forbidden; Conflict `staff-decides`, `nothing-to-resolve`, `reported-meanwhile`.
    """
    event = round.event
    require(by, event, ORGANIZERS)
    outcome = policy_of(event).time.unreported
    if not outcome or round.stage_id is not None:
        raise Conflict(
            "staff-decides",
            _("In this event, event staff decide each unreported table."),
            remedy=_("Go to the tables and enter the results you find."),
        )
    open_tables = Match.objects.filter(pk__in=[table.pk for table in unreported(round, now)])
    if not open_tables:
        raise Conflict(
            "nothing-to-resolve",
            _("No table is out of time without a report."),
            remedy=_("Tables with a time extension still have time to play."),
        )
    try:
        with transaction.atomic():
            resolved = []
            for match in open_tables.select_related("round__event"):
                state = locked_state(match)
                if state.reports:
                    continue
                reason = gettext_noop("not reported when the round ended")
                add_report(
                    match,
                    state,
                    by,
                    now,
                    outcome=Outcome(outcome),
                    games=None,
                    how=_how(outcome),
                    reason=reason,
                )
                resolved.append(match.table)
            data = {"number": round.number, "outcome": outcome, "tables": resolved}
            audit("round_resolve", actor=by, target=round, event=event, data=data)
    except IntegrityError as error:
        raise Conflict("reported-meanwhile", _("Someone else just reported a match.")) from error
    return len(resolved)


def _how(outcome: str) -> str:
    return Report.How.NO_SHOW if outcome == Outcome.DOUBLE_LOSS else Report.How.PLAYED
