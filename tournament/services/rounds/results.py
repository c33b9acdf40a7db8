"""Results: players report, staff decide. Reports are only added; the result is derived from them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import Event, Match, Registration, Report, Round, Seat, User
from tournament.selectors import (
    JUDGES,
    MATCHES,
    STAFF,
    MatchState,
    match_roles,
    match_state,
    must_be_welcome,
    must_sit_apart,
    policy_of,
    require,
    roles_of,
)
from tournament.selectors.stages import DECISIVE
from tournament.services.checks import one_of, text
from tournament.services.entry.registration import player_drop
from tournament.services.rounds.stage_ends import must_not_undo_the_bracket
from tournament.swiss import Outcome, State, games_fit

PLAYERS_SAY = [Report.How.PLAYED, Report.How.AGREED, Report.How.CONCEDED]
"""What players may say about how a result came about; that somebody was absent is for staff."""
FITTING: dict[str, tuple[str, ...]] = {
    Report.How.AGREED: ("draw",),
    Report.How.CONCEDED: ("win", "loss"),
    Report.How.NO_SHOW: ("win", "loss", "double-loss"),
}


def result_report(
    *,
    match: Match,
    by: User,
    outcome: str,
    games: Sequence[int] | None = None,
    how: str = "played",
    drop: bool = False,
    known: int | None = None,
    now: datetime,
) -> Report:
    """Report the result from one's own side: "win", "timed-win", "draw", "timed-loss" or "loss".

    games: (won, lost, drawn), where the policy counts games. The opponent's equal report confirms it, a
    different one makes it a conflict. Reporting the same again changes nothing: one player alone never
    confirms a match. Staff who do not sit at the match use `result_decide`.
    how: "agreed" for a draw agreed without playing it out, where the policy allows players to; "conceded".
    drop: leave the event with this report.
    known: the number of one's own latest report when this one was made (0: none), for one that comes late: it does
    not replace what the same player said since, on another device.
    Raises Forbidden (`needs-judge`); UserError `unknown`, `no-winner`, `how-does-not-fit`,
    `intentional-draw-forbidden`, `games-missing`, `games-do-not-fit`, `too-many-games`; Conflict `bye`, `decided`,
    `confirmed`, `reported-meanwhile`, `reported-since`, `not-published`.
    """
    seat = _seat_of(match, by)
    event = match.round.event
    said = _outcome(match, outcome, _reportable(match))
    _how(event, how, said, PLAYERS_SAY, judge=False)
    counted = _games(event, games, said, how)
    seen = said if seat.side == 1 else said.mirrored
    turned = counted if counted is None or seat.side == 1 else [counted[1], counted[0], counted[2]]
    try:
        with transaction.atomic():
            state = locked_state(match)
            _may_still_report(state, seat, seen, turned)
            report = _said_before(state, seat, seen, turned, how)
            if report is None:
                _must_know_the_latest(state, seat, known)
            report = report or add_report(
                match, state, by, now, seat=seat, outcome=seen, games=turned, how=how
            )
            if drop and seat.registration.state == Registration.State.ACTIVE:
                player_drop(registration=seat.registration, by=by, now=now)
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
    how: str = "played",
    now: datetime,
) -> Report:
    """Settle the match as staff, `outcome` and `games` seen from side 1, whatever the players reported.

    Also the way to enter a paper slip and to correct a result later: standings change, past pairings stay.
    Of several decisions the latest counts. Who sits at the match may decide it only when nobody else of the
    staff could. how: as in `result_report`, and "no-show"; where the policy wants a judge for a draw that was
    agreed, a judge enters it here.
    Raises Forbidden (`needs-judge`, `own-match`); UserError `unknown`, `no-winner`, `missing`, `how-does-not-fit`,
    `intentional-draw-forbidden`, `games-do-not-fit`, `too-many-games`; Conflict `bye`, `reported-meanwhile`,
    `not-published`.
    """
    event = match.round.event
    require(by, event, STAFF)
    reason = text(reason, "reason", most=300)
    said = _outcome(match, outcome, [one.value for one in _possible(match)])
    _how(event, how, said, Report.How.values, judge=bool(roles_of(by, event) & JUDGES))
    counted = _fitting(event, games, said)
    must_sit_apart(by, match, STAFF)
    try:
        with transaction.atomic():
            state = locked_state(match)
            _must_not_be_a_bye(state)
            must_not_undo_the_bracket(match, state, said)
            report = add_report(match, state, by, now, outcome=said, games=counted, how=how, reason=reason)
    except IntegrityError as error:
        raise _meanwhile() from error
    return report


def result_enter(
    *,
    round: Round,
    table: int,
    by: User,
    outcome: str,
    games: Sequence[int] | None = None,
    how: str = "played",
    reason: str = "",
    now: datetime,
) -> Report:
    """Enter a paper slip by its table, as staff. A table that has a different settled result, or other games in it, is
    not overwritten: a slip with the wrong number must not change another match. A slip without games keeps those
    already counted. A reason other than the slip may be given.

    Raises UserError `no-such-table`; Conflict `settled`; and what `result_decide` raises.
    """
    require(by, round.event, STAFF)
    match = MATCHES.filter(round=round, table=table).select_related("round__event").first()
    if match is None:
        raise UserError(
            "no-such-table",
            _("Round %(number)s has no table %(table)s.") % {"table": table, "number": round.number},
            place="table",
        )
    with transaction.atomic():
        state = locked_state(match)
        if state.settled and (state.outcome != outcome or _counted_otherwise(state.games, games)):
            raise Conflict(
                "settled",
                _("Table %(table)s already has a different result.") % {"table": table},
                place="table",
                remedy=_(
                    "Check the number on the slip. To correct the result, open the match and give a reason."
                ),
            )
        return result_decide(
            match=match,
            by=by,
            outcome=outcome,
            games=state.games if state.settled and games is None else games,
            how=how,
            reason=reason or gettext_noop("match slip"),
            now=now,
        )


def _counted_otherwise(known: Sequence[int] | None, games: Sequence[int] | None) -> bool:
    """Whether a slip has other games than those already counted; where one of the two has none, it doesn't say."""
    return known is not None and games is not None and list(known) != list(games)


def add_report(
    match: Match,
    state: MatchState,
    by: User,
    now: datetime,
    *,
    outcome: Outcome,
    games: list[int] | None,
    how: str,
    seat: Seat | None = None,
    reason: str = "",
) -> Report:
    """The next report of the match, with its row in the audit log."""
    report: Report = Report.objects.create(
        match=match,
        seat=seat,
        by=by,
        number=len(state.reports) + 1,
        outcome=outcome,
        games=games,
        how=how,
        reason=reason,
        reported_at=now,
    )
    data = {"report": report.number, "outcome": outcome.value}
    if how != Report.How.PLAYED:
        data["how"] = how
    verb = "result_report" if seat else "result_decide"
    audit(verb, actor=by, target=match, event=match.round.event, reason=reason, data=data)
    return report


def _said_before(
    state: MatchState, seat: Seat, outcome: Outcome, games: list[int] | None, how: str
) -> Report | None:
    """This side's latest report, when it says the same."""
    mine = state.latest(seat.side)
    return mine if mine and (mine.outcome, mine.games, mine.how) == (outcome, games, how) else None


def _must_know_the_latest(state: MatchState, seat: Seat, known: int | None) -> None:
    mine = state.latest(seat.side)
    if known is not None and known != (mine.number if mine else 0):
        raise Conflict(
            "reported-since",
            _("You have reported this match again since."),
            remedy=_("Your later report counts. Open the match to see or change it."),
        )


def locked_state(match: Match) -> MatchState:
    """The match's state now, its row held until the transaction ends: reports take turns.

    The unique number of a report closes the race even where the lock would not; and a match whose publication
    is taken back is no row any more, so a report on its way has nothing to refer to.
    """
    Match.objects.select_for_update(no_key=True).filter(pk=match.pk).first()
    fresh = (
        Match.objects.prefetch_related("seats__registration", "reports__seat")
        .filter(pk=match.pk, round__published_at__isnull=False)
        .first()
    )
    if fresh is None:
        raise _taken_back()
    return match_state(fresh)


def _taken_back() -> Conflict:
    return Conflict(
        "not-published",
        _("This pairing isn’t published, or has been unpublished."),
        remedy=_("Reload the pairings and check."),
    )


def _seat_of(match: Match, by: User) -> Seat:
    must_be_welcome(by, match.round.event)
    seats = list(match.seats.select_related("registration"))
    if not seats:
        raise _taken_back()
    for seat in seats:
        if seat.registration.user_id == by.pk:
            return seat
    if match_roles(by, match) & STAFF:
        raise Forbidden(
            "not-your-match",
            _("You aren’t playing in this match."),
            remedy=_("As event staff, decide the result instead, with a reason such as “match slip”."),
        )
    raise Forbidden(
        "not-your-match",
        _("You aren’t playing in this match."),
        remedy=_("Only its players and event staff can report it."),
    )


def _possible(match: Match) -> list[Outcome]:
    """The results the match can have: in a bracket somebody wins."""
    known = policy_of(match.round.event).outcomes
    return [one for one in known if match.game is None or one in DECISIVE]


def _outcome(match: Match, outcome: str, possible: list[str]) -> Outcome:
    """The result, when the match can have it. Raises UserError `unknown`, or `no-winner` in a bracket."""
    if (
        match.game is not None
        and outcome not in possible
        and outcome in policy_of(match.round.event).outcomes
    ):
        raise UserError(
            "no-winner",
            _("A bracket match must have a winner."),
            place="outcome",
            remedy=_("Keep playing, or decide it as the policy says, and report who won."),
        )
    return Outcome(one_of(outcome, "outcome", possible))


def _reportable(match: Match) -> list[str]:
    """What players may report: a double loss is for staff."""
    return [one.value for one in _possible(match) if one is not Outcome.DOUBLE_LOSS]


def _how(event: Event, how: str, said: Outcome, known: Iterable[str], *, judge: bool) -> None:
    """Whether the result can have come about so; an agreed draw needs the policy's leave, or a judge."""
    one_of(how, "how", known)
    if said.value not in FITTING.get(how, (said.value,)):
        raise UserError(
            "how-does-not-fit",
            _(
                "Only a draw can be agreed, only a win or loss can be by concession, and no one wins by "
                "being absent."
            ),
            place="how",
        )
    if how != Report.How.AGREED:
        return
    allowed = policy_of(event).intentional_draw
    if allowed == "forbidden":
        raise UserError(
            "intentional-draw-forbidden",
            _("In this event, you can’t agree to a draw without playing."),
            place="how",
            remedy=_("Play the match. You can report a draw that was played out."),
        )
    if allowed == "needs-judge" and not judge:
        raise Forbidden(
            "needs-judge",
            _("In this event, draws must be agreed in front of a judge."),
            remedy=_("Call a judge together. The judge will enter the draw."),
        )


def _games(event: Event, games: Sequence[int] | None, outcome: Outcome, how: str) -> list[int] | None:
    """(won, lost, drawn) as a list, when it fits the outcome; a played match of several games has them counted."""
    if games is None and how == Report.How.PLAYED and policy_of(event).counts_games:
        raise UserError(
            "games-missing",
            _("In this event, the games of a match count."),
            place="games",
            remedy=_("Say how many games you won, lost and drew, for example 2, 1, 0."),
        )
    return _fitting(event, games, outcome)


def _fitting(event: Event, games: Sequence[int] | None, outcome: Outcome) -> list[int] | None:
    if games is None:
        return None
    if len(games) != 3 or any(not isinstance(count, int) or not 0 <= count <= 20 for count in games):
        raise UserError(
            "invalid", _("Enter three numbers, each from 0 to 20: games won, lost and drawn."), place="games"
        )
    most = policy_of(event).scoring.most_games
    if most is not None and sum(games) > most:
        raise UserError(
            "too-many-games",
            _("A match has %(most)s games here, and these are %(n)s.") % {"most": most, "n": sum(games)},
            place="games",
        )
    if not games_fit(outcome, games):
        raise UserError(
            "games-do-not-fit",
            _("%(won)s games won and %(lost)s lost isn’t a “%(outcome)s”.")
            % {"won": games[0], "lost": games[1], "outcome": outcome.value},
            place="games",
        )
    return list(games)


def _may_still_report(state: MatchState, seat: Seat, seen: Outcome, games: list[int] | None) -> None:
    _must_not_be_a_bye(state)
    if state.state == State.DECIDED:
        raise Conflict(
            "decided", _("Event staff have decided this match."), remedy=_("If it is wrong, tell a judge.")
        )
    if state.state == State.CONFIRMED and (state.outcome, list(state.games or []) or None) != (seen, games):
        raise Conflict(
            "confirmed",
            _("You have both reported, and the result is confirmed."),
            remedy=_("If it is wrong, tell a judge or the organizer."),
        )


def _must_not_be_a_bye(state: MatchState) -> None:
    if len(state.seats) == 1:
        raise Conflict("bye", _("This is a bye. It counts automatically."))


def _meanwhile() -> Conflict:
    return Conflict(
        "reported-meanwhile",
        _("Someone else just reported this match."),
        remedy=_("Reload the match, then report if you still need to."),
    )
