"""Gives a ruling: verdict, reasons and citations, then remedy, penalty and time in that order. And the appeal.

The engine's answer is never waited for and never changes a match; nor does a ruling: a result is entered by somebody.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound, UserError
from rules import services as rules_services
from rules.law.system_files import keys
from rules.law.system_files import system as system_file
from rules.models import Adjudication, Appeal, Dispute, Precedent, Ruling
from tournament.models import (
    Event,
    Extension,
    GivenRuling,
    JudgeCall,
    Match,
    MatchDispute,
    PinnedReading,
    Registration,
    User,
)
from tournament.selectors import HEAD_JUDGES, JUDGES, PLAYER, match_roles, require
from tournament.selectors.calls import open_call
from tournament.selectors.rulings import may_decide, may_right, names_at, party_of
from tournament.services.checks import text
from tournament.services.judging.calls import call_close
from tournament.services.judging.penalties import penalty_issue
from tournament.services.rounds.clock import must_be_played, time_extend
from tournament.words import SUBJECT_WORDS

Side, Change = Ruling.EventSide, Ruling.Change


@dataclass(frozen=True, slots=True)
class PenaltyGiven:
    """What is given with a ruling, as `penalty_issue` takes it."""

    registration: Registration
    infraction: str
    level: str = ""
    reason: str = ""
    note: str = ""


def ruling_give(
    *,
    match: Match,
    verdict: str,
    explanation: str = "",
    dispute: Dispute | None = None,
    adjudication: Adjudication | None = None,
    agrees: bool | None = None,
    final: bool = False,
    citations: Iterable[str] = (),
    question: str = "",
    facts: Iterable[Mapping[str, str]] = (),
    cards: Iterable[str] = (),
    system: str = "",
    remedy: str = "",
    penalty: PenaltyGiven | None = None,
    minutes: int = 0,
    corrects: Ruling | None = None,
    by: User,
    now: datetime,
) -> GivenRuling:
    """Rule at a match, with or without having asked the engine, and in the same step give remedy, penalty and time.

    The open call at the table ends with it. corrects: the judge's own former ruling that this one takes the place of;
    another ruling on one dispute always does. final: the word of who decides appeals there. Whole or not at all.
    Raises Forbidden (`not-the-judge`, `needs-head-judge`); what `rules.services.ruling_file`, `penalty_issue` and
    `time_extend` raise; UserError `private-call`; Conflict `claimed`.
    """
    _must_judge(by, match)
    if dispute is not None and not MatchDispute.objects.filter(match=match, dispute=dispute).exists():
        raise UserError("not-of-this-match", _("This dispute is from a different match."), place="dispute")
    call = open_call(match)
    if call is not None and call.subject == JudgeCall.Subject.PRIVATE:
        raise UserError(
            "private-call",
            _("This call is a private question, but both players can read a ruling."),
            remedy=_("Close the call first, then give the ruling from the match page."),
        )
    if minutes < 0:
        raise UserError("invalid", _("A ruling can’t take time away from a table."), place="minutes")
    if corrects is not None and not GivenRuling.objects.filter(ruling=corrects, match=match).exists():
        raise UserError("not-of-this-match", _("This ruling is from a different match."), place="corrects")
    with transaction.atomic():
        ruling = rules_services.ruling_file(
            dispute=dispute,
            by=by,
            verdict=verdict,
            explanation=explanation,
            adjudication=adjudication,
            agrees=agrees,
            event_side=Side.FINAL if final else Side.FLOOR,
            citations=citations,
            question=question or _about(call),
            facts=facts,
            cards=cards,
            remedy=remedy,
            system=system,
            supersedes=corrects,
            change=Change.CORRECTED if corrects else "",
            now=now,
        )
        given = GivenRuling.objects.filter(ruling=ruling).first() or _place(ruling, match, by)
        _with_it(given, call, penalty, minutes, by, now)
    return given


def ruling_placed(*, ruling: Ruling, by: User) -> None:
    """Called by the rules app for every ruling it files (settings.RULING_PLACED): one on a match's dispute, or that
    takes the place of one given at a match, is given at that match, and its event says who may. Raises Forbidden."""
    before = GivenRuling.objects.filter(ruling=ruling.supersedes_id).select_related("match").first()
    filed = MatchDispute.objects.filter(dispute=ruling.dispute_id or 0).select_related("match").first()
    match = before.match if before else filed.match if filed else None
    if match is not None:
        _place(ruling, Match.objects.select_related("round__event").get(pk=match.pk), by)


def appeal_make(*, ruling: Ruling, words: str = "", by: User, now: datetime) -> Appeal:
    """Appeal against a floor ruling, as a player of its match, while the round is played.

    Before there is a ruling there is nothing to appeal: `appeal_early` says so. Raises Forbidden `not-your-match`;
    Conflict `final-ruling`, `superseded`, `already-appealed`, `round-over`.
    """
    given = GivenRuling.objects.select_related("match__round__event").get(ruling=ruling)
    if party_of(by, given.match) is None:
        raise Forbidden("not-your-match", _("Only a player in the match can appeal."))
    with transaction.atomic():
        must_be_played(given.match.round)
        appeal = rules_services.appeal_file(ruling=ruling, by=by, words=words, now=now)
        audit("appeal_make", actor=by, target=given.match, event=given.match.round.event,
              data={"table": given.match.table})  # fmt: skip
    return appeal


def appeal_early(match: Match) -> Conflict:
    """What a player hears who appeals before the judge has ruled."""
    return Conflict(
        "no-ruling-yet",
        _("There is no ruling to appeal yet."),
        remedy=_("Listen to the judge’s full ruling first. Then either of you can appeal with one tap."),
    )


def appeal_decide(
    *,
    ruling: Ruling,
    upheld: bool,
    verdict: str = "",
    explanation: str,
    citations: Iterable[str] = (),
    remedy: str = "",
    penalty: PenaltyGiven | None = None,
    minutes: int = 0,
    by: User,
    now: datetime,
) -> GivenRuling:
    """Uphold or overturn an appealed ruling with reasons; final for the event.

    verdict: what holds now; upheld and left empty, the former one. Raises Forbidden `needs-head-judge`; UserError
    `missing`; Conflict `not-appealed`, `superseded`.
    """
    given = GivenRuling.objects.select_related("match__round__event").get(ruling=ruling)
    match = given.match
    _must_judge(by, match)
    if not may_decide(by, match):
        raise _needs_head_judge()
    if not Appeal.objects.filter(ruling=ruling).exists():
        raise Conflict("not-appealed", _("No one has appealed this ruling."))
    if not explanation.strip():
        raise UserError("missing", _("Say why it is upheld or overturned."), place="explanation")
    if not upheld and not verdict.strip():
        raise UserError("verdict-missing", _("Say what the new ruling is, in one sentence."), place="verdict")
    with transaction.atomic():
        decided = rules_services.ruling_file(
            dispute=ruling.dispute,
            by=by,
            verdict=verdict.strip() or ruling.verdict,
            explanation=explanation,
            event_side=Side.FINAL,
            citations=list(citations) or ([one["rule"] for one in ruling.citations] if upheld else []),
            question=ruling.question,
            facts=ruling.facts,
            cards=[card.name for card in ruling.cards.all()],
            remedy=remedy,
            system=ruling.system,
            supersedes=ruling,
            change=Change.UPHELD if upheld else Change.OVERTURNED,
            now=now,
        )
        after = GivenRuling.objects.select_related("match__round__event").get(ruling=decided)
        GivenRuling.objects.filter(pk=after.pk).update(call=given.call_id)
        _with_it(after, None, penalty, minutes, by, now)
    return after


def ruling_publish(*, ruling: Ruling, by: User, now: datetime, **told: Any) -> Precedent:
    """Publish a ruling given at a match as a precedent; none of the players' names may stand in it.

    For who leads the judging. Raises Forbidden, and what `rules.services.precedent_publish` raises.
    """
    given = _righted_by(ruling, by)
    return rules_services.precedent_publish(
        ruling=ruling, names=names_at(given.match), by=by, now=now, **told
    )


def ruling_unpublish(*, ruling: Ruling, by: User, now: datetime) -> Precedent:
    """Take a precedent from everybody's sight. For who leads the judging. Raises Forbidden; NotFound; Conflict."""
    _righted_by(ruling, by)
    precedent: Precedent | None = Precedent.objects.filter(ruling=ruling).first()
    if precedent is None:
        raise NotFound(_("precedent"))
    rules_services.precedent_withdraw(precedent=precedent, by=by, now=now)
    return precedent


def ruling_judge(*, ruling: Ruling, side: str, reason: str, by: User, now: datetime) -> None:
    """Say that a ruling is right, or unverified again. For who leads the judging of its event."""
    _righted_by(ruling, by)
    rules_services.ruling_mark(ruling=ruling, side=side, reason=reason, by=by, now=now)


def ruling_reverse(*, ruling: Ruling, by: User, now: datetime, **told: Any) -> Ruling:
    """Put what is right in law beside a ruling. Its event and every result stay as they are."""
    _righted_by(ruling, by)
    return rules_services.ruling_right(ruling=ruling, by=by, now=now, **told)


def reading_pin(
    *, event: Event, system: str, reading: str, option: str, reason: str = "", by: User, now: datetime
) -> PinnedReading:
    """Settle for the event how an open place of the law is read; option "" opens it again. The head judge's.

    Disputes filed afterwards are asked with it. Raises Forbidden; UserError `unknown`; Conflict `pinned-meanwhile`.
    """
    require(by, event, HEAD_JUDGES)
    if system not in keys():
        raise UserError("unknown", _("That timing system doesn’t exist."), place="system")
    known = system_file(system).readings
    if reading not in known:
        raise UserError("unknown", _("That open question doesn’t exist."), place="reading")
    if option and option not in known[reading].options:
        raise UserError("unknown", _("That interpretation doesn’t exist."), place="option")
    if reason.strip():
        reason = text(reason, "reason", most=300)
    try:
        with transaction.atomic():
            row: PinnedReading = PinnedReading.objects.create(
                event=event,
                system=system,
                reading=reading,
                option=option,
                number=event.pinned_readings.count() + 1,
                reason=reason,
                by=by,
                at=now,
            )
            data = {"system": system, "reading": reading, "option": option}
            audit("reading_pin", actor=by, target=row, event=event, reason=reason, data=data)
    except IntegrityError as error:
        raise Conflict(
            "pinned-meanwhile",
            _("Someone else just chose an interpretation."),
            remedy=_("Reload and check."),
        ) from error
    return row


def _place(ruling: Ruling, match: Match, by: User) -> GivenRuling:
    """The ruling as one of the match, with its row in the event's log."""
    if ruling.event_side != Side.NONE:
        _must_judge(by, match)
    if ruling.event_side == Side.FINAL and not may_decide(by, match):
        raise _needs_head_judge()
    given = GivenRuling.objects.create(ruling=ruling, match=match)
    data = {"table": match.table, "ruling": ruling.pk}
    audit("ruling_give", actor=by, target=match, event=match.round.event, data=data)
    return given


def _with_it(
    given: GivenRuling,
    call: JudgeCall | None,
    penalty: PenaltyGiven | None,
    minutes: int,
    by: User,
    now: datetime,
) -> None:
    """Penalty, then time; the open call ends with the verdict."""
    match = given.match
    changes: dict[str, Any] = {}
    if penalty is not None:
        if not match.seats.filter(registration=penalty.registration).exists():
            raise UserError("not-of-this-match", _("This player is at a different table."), place="player")
        changes["penalty"] = penalty_issue(
            registration=penalty.registration,
            infraction=penalty.infraction,
            level=penalty.level,
            reason=penalty.reason,
            note=penalty.note,
            by=by,
            now=now,
        )
    if minutes:
        cause = Extension.Cause.JUDGE_CALL
        changes["extension"] = time_extend(match=match, minutes=minutes, cause=cause, by=by, now=now)
    if call is not None:
        call_close(call=call, outcome=given.ruling.verdict, by=by, now=now)
        changes["call"] = call
    if changes:
        GivenRuling.objects.filter(pk=given.pk).update(**changes)
        given.refresh_from_db()


def _about(call: JudgeCall | None) -> str:
    if call is None:
        return ""
    return call.words or str(SUBJECT_WORDS.get(call.subject, ""))


def _must_judge(by: User, match: Match) -> None:
    roles = match_roles(by, match)
    if PLAYER in roles:
        raise Forbidden(
            "own-match", _("You are playing at this table."), remedy=_("Ask another judge to rule here.")
        )
    if not roles & JUDGES:
        raise Forbidden("not-the-judge", _("Only the event’s judges can do this."))


def _righted_by(ruling: Ruling, by: User) -> GivenRuling:
    given = GivenRuling.objects.select_related("match__round__event").get(ruling=ruling)
    if not may_right(by, given):
        raise _needs_head_judge()
    return given


def _needs_head_judge() -> Forbidden:
    return Forbidden(
        "needs-head-judge",
        _("Only the event’s head judge can do this."),
        remedy=_("Ask the head judge. If there is none, an owner of the event decides."),
    )
