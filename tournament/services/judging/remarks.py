"""A match's file: players' statements and judges' advice and notes. Rows are only added."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from rules.models import Adjudication
from tournament.models import JudgeCall, Match, MatchDispute, Registration, Remark, Statement, User
from tournament.selectors import JUDGES, require
from tournament.selectors.calls import open_call, sits_at
from tournament.selectors.remarks import is_judge_at, require_judge_at
from tournament.selectors.rulings import party_of

MOST = 4_000
MOST_STATEMENTS = 20


def statement_make(
    *, match: Match, text: str, registration: Registration | None = None, by: User, now: datetime
) -> Statement:
    """State what happened at one's own match; a judge takes down what a player says (`registration`).

    The opponent never reads it. Nothing is changed afterwards: more is another statement. Raises Forbidden
    `not-your-match`; UserError `missing`, `too-long`, `not-of-this-match`; Conflict `too-many`.
    """
    own = party_of(by, match)
    if own is None and not is_judge_at(by, match):
        raise Forbidden(
            "not-your-match",
            _("Only a player in the match, or a judge writing for one, can make a statement."),
        )
    whose = own or registration
    if whose is None or not match.seats.filter(registration=whose).exists():
        raise UserError("not-of-this-match", _("Say which player states this."), place="player")
    if own is not None and registration is not None and registration != own:
        raise Forbidden("not-yours", _("You can only make your own statement."))
    text = _lines(text)
    if match.statements.filter(registration=whose).count() >= MOST_STATEMENTS:
        raise Conflict("too-many", _("You have reached the limit of statements. Tell the judge the rest."))
    with transaction.atomic():
        said: Statement = Statement.objects.create(
            match=match, registration=whose, call=open_call(match), text=text, by=by, at=now
        )
        audit("statement_make", actor=by, target=match, event=match.round.event, data={"table": match.table})
    return said


def remark_make(
    *,
    about: Match | JudgeCall,
    kind: str,
    text: str = "",
    adjudication: Adjudication | None = None,
    by: User,
    now: datetime,
) -> Remark:
    """Consult the event's other judges about a match or a call, or keep a note for oneself and the head judge.

    adjudication: an answer of the engine to a dispute of the match, attached by link. Raises Forbidden; UserError
    `unknown`, `missing`, `too-long`, `not-of-this-match`.
    """
    if kind not in Remark.Kind.values:
        raise UserError("unknown", _("A remark must be a consultation or a note."), place="kind")
    match = about if isinstance(about, Match) else about.match
    call = about if isinstance(about, JudgeCall) else open_call(about)
    event = match.round.event if match is not None else call.event if call is not None else None
    assert event is not None
    if match is not None:
        require_judge_at(by, match)
    else:
        require(by, event, JUDGES)
        if call is not None and sits_at(by, call):
            raise Forbidden("own-match", _("This is your own match."))
    if adjudication is not None and (
        match is None
        or not MatchDispute.objects.filter(match=match, dispute=adjudication.dispute_id).exists()
    ):
        raise UserError(
            "not-of-this-match", _("This answer is from a different match."), place="adjudication"
        )
    text = _lines(text) if text.strip() or adjudication is None else ""
    with transaction.atomic():
        said: Remark = Remark.objects.create(
            event=event,
            match=match,
            call=call,
            kind=kind,
            text=text,
            adjudication=adjudication,
            by=by,
            at=now,
        )
        target = match or call
        assert target is not None
        audit(f"remark_{kind}", actor=by, target=target, event=event)
    return said


def _lines(text: str) -> str:
    """The text with its lines, without what cannot be printed. Raises UserError."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    if not lines:
        raise UserError("missing", _("This can’t be empty."), place="text")
    if any(not one.isprintable() and one not in "\n\t" for one in lines):
        raise UserError("invalid", _("This text has unprintable characters."), place="text")
    if len(lines) > MOST:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": MOST}, place="text"
        )
    return lines
