"""Results: players report, staff decides. Reports are only added; the result is derived from them."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import Event, Match, Report, Seat, Staff, User
from tournament.selectors import (
    JUDGES,
    STAFF,
    MatchState,
    match_roles,
    match_state,
    policy_of,
    require,
    roles_of,
)
from tournament.services.checks import one_of, text
from tournament.swiss import Outcome, State


def result_report(
    *,
    match: Match,
    by: User,
    outcome: str,
    games: Sequence[int] | None = None,
    intentional: bool = False,
    now: datetime,
) -> Report:
    """Report the result from one's own side: "win", "timed-win", "draw", "timed-loss" or "loss".

    games: (won, lost, drawn), where the policy counts games. The opponent's equal report confirms it, a
    different one makes it a conflict. Reporting the same again changes nothing: one player alone never
    confirms a match. Staff who do not sit at the match use `result_decide`.
    intentional: a draw agreed without playing it out, where the policy allows players to.
    Raises Forbidden (`needs-judge`); UserError `unknown`, `not-a-draw`, `intentional-draw-forbidden`;
    Conflict `bye`, `decided`, `confirmed`, `reported-meanwhile`.
    """
    seat = _seat_of(match, by)
    said = Outcome(one_of(outcome, "outcome", _reportable(match.round.event)))
    if intentional:
        _may_agree(match.round.event, said, judge=False)
    counted = _games(games, said)
    seen = said if seat.side == 1 else said.mirrored
    turned = counted if counted is None or seat.side == 1 else [counted[1], counted[0], counted[2]]
    try:
        with transaction.atomic():
            state = _locked_state(match)
            _may_still_report(state, seat, seen, turned)
            mine = state.latest(seat.side)
            if mine is not None and (mine.outcome, mine.games, mine.intentional) == (
                seen,
                turned,
                intentional,
            ):
                return mine
            report = Report.objects.create(
                match=match,
                seat=seat,
                by=by,
                number=len(state.reports) + 1,
                outcome=seen,
                games=turned,
                intentional=intentional,
                reported_at=now,
            )
            _audit("result_report", report, match, by)
    except IntegrityError as error:
        raise _meanwhile() from error
    return report


def result_decide(
    *,
    match: Match,
    by: User,
    outcome: str,
    reason: str,
    games: Sequence[int] | None = None,
    intentional: bool = False,
    now: datetime,
) -> Report:
    """Settle the match as staff, `outcome` and `games` seen from side 1, whatever the players reported.

    Also the way to enter a paper slip and to correct a result later: standings change, past pairings stay.
    Of several decisions the latest counts. Who sits at the match may decide it only when nobody else of the
    staff could. intentional: as in `result_report`; where the policy wants a judge, a judge enters it here.
    Raises Forbidden (`needs-judge`, `own-match`); UserError `unknown`, `missing`, `not-a-draw`,
    `intentional-draw-forbidden`; Conflict `bye`, `reported-meanwhile`.
    """
    event = match.round.event
    require(by, event, STAFF)
    reason = text(reason, "reason", most=300)
    said = Outcome(one_of(outcome, "outcome", (one.value for one in policy_of(event).outcomes)))
    if intentional:
        _may_agree(event, said, judge=bool(roles_of(by, event) & JUDGES))
    counted = _games(games, said)
    if "player" in match_roles(by, match) and Staff.objects.filter(event=event).exclude(user=by).exists():
        raise Forbidden(
            "own-match", _("This is your own match."), remedy=_("Somebody else of the staff decides it.")
        )
    try:
        with transaction.atomic():
            state = _locked_state(match)
            _must_not_be_a_bye(state)
            report = Report.objects.create(
                match=match,
                seat=None,
                by=by,
                number=len(state.reports) + 1,
                outcome=said,
                games=counted,
                intentional=intentional,
                reason=reason,
                reported_at=now,
            )
            _audit("result_decide", report, match, by)
    except IntegrityError as error:
        raise _meanwhile() from error
    return report


def _locked_state(match: Match) -> MatchState:
    """The match's state now, its row held until the transaction ends: reports take turns.

    The unique number of a report closes the race even where the lock would not.
    """
    Match.objects.select_for_update().get(pk=match.pk)
    fresh = Match.objects.prefetch_related("seats__registration", "reports__seat").get(pk=match.pk)
    return match_state(fresh)


def _seat_of(match: Match, by: User) -> Seat:
    for seat in match.seats.select_related("registration"):
        if seat.registration.user_id == by.pk:
            return seat
    if match_roles(by, match) & STAFF:
        raise Forbidden(
            "not-your-match",
            _("You do not sit at this match."),
            remedy=_("As staff, decide the result instead, giving a reason such as “match slip”."),
        )
    raise Forbidden(
        "not-your-match", _("You do not sit at this match."), remedy=_("Its players and the staff report it.")
    )


def _reportable(event: Event) -> list[str]:
    """What players may report: a double loss is for staff."""
    return [one.value for one in policy_of(event).outcomes if one is not Outcome.DOUBLE_LOSS]


def _may_agree(event: Event, said: Outcome, *, judge: bool) -> None:
    """Whether a draw may be agreed without playing it out: the policy says so, to players or to judges."""
    if said is not Outcome.DRAW:
        raise UserError("not-a-draw", _("Only a draw can be agreed."), place="intentional")
    allowed = policy_of(event).intentional_draw
    if allowed == "forbidden":
        raise UserError(
            "intentional-draw-forbidden",
            _("Draws agreed without playing are forbidden in this event."),
            place="intentional",
            remedy=_("Play the match; a draw that is played may be reported."),
        )
    if allowed == "needs-judge" and not judge:
        raise Forbidden(
            "needs-judge",
            _("In this event a draw is agreed in front of a judge."),
            remedy=_("Call a judge together; the judge enters it."),
        )


def _games(games: Sequence[int] | None, outcome: Outcome) -> list[int] | None:
    """(won, lost, drawn) as a list, when it fits the outcome."""
    if games is None:
        return None
    if len(games) != 3 or any(not isinstance(count, int) or not 0 <= count <= 20 for count in games):
        raise UserError(
            "invalid", _("Games are three numbers: won, lost and drawn, each from 0 to 20."), place="games"
        )
    won, lost, _drawn = games
    lead = (won > lost) - (won < lost)
    wanted = {Outcome.WIN: 1, Outcome.TIMED_WIN: 1, Outcome.DRAW: 0, Outcome.TIMED_LOSS: -1, Outcome.LOSS: -1}
    if lead != wanted.get(outcome, lead):
        raise UserError(
            "games-do-not-fit",
            _("%(won)s won and %(lost)s lost games are not a “%(outcome)s”.")
            % {"won": won, "lost": lost, "outcome": outcome.value},
            place="games",
        )
    return list(games)


def _may_still_report(state: MatchState, seat: Seat, seen: Outcome, games: list[int] | None) -> None:
    _must_not_be_a_bye(state)
    if state.state == State.DECIDED:
        raise Conflict(
            "decided", _("The staff has decided this match."), remedy=_("If it is wrong, tell a judge.")
        )
    if state.state == State.CONFIRMED and (state.outcome, list(state.games or []) or None) != (seen, games):
        raise Conflict(
            "confirmed",
            _("Both of you have reported, and the result is confirmed."),
            remedy=_("If it is wrong, tell a judge or the organizer."),
        )


def _must_not_be_a_bye(state: MatchState) -> None:
    if state.state == State.BYE:
        raise Conflict("bye", _("This is a bye: it counts by itself."))


def _meanwhile() -> Conflict:
    return Conflict(
        "reported-meanwhile",
        _("Somebody reported this match at the same moment."),
        remedy=_("Look at the match again, then report if it is still needed."),
    )


def _audit(verb: str, report: Report, match: Match, by: User) -> None:
    audit(
        verb,
        actor=by,
        target=match,
        event=match.round.event,
        reason=report.reason,
        data={
            "report": report.number,
            "outcome": str(report.outcome),
            **({"intentional": True} if report.intentional else {}),
        },
    )
