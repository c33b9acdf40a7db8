"""A match's file: statements, advice and notes, each read through one function here."""

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import Forbidden
from tournament.models import JudgeCall, Match, Remark, Statement
from tournament.selectors.access import HEAD_JUDGES, JUDGES, PLAYER, Person, match_roles, roles_of

Kind = Remark.Kind


def is_judge_at(user: Person, match: Match) -> bool:
    """Whether somebody judges this match: a judge of its event who does not sit at it."""
    roles = match_roles(user, match)
    return bool(roles & JUDGES) and PLAYER not in roles


def statements_for(user: Person, match: Match) -> QuerySet[Statement]:
    """The statements at a match that somebody may read: all for its judges, for a player the own ones, else none."""
    found = Statement.objects.filter(match=match).select_related("registration", "by")
    if is_judge_at(user, match):
        return found
    if user is None or user.pk is None:
        return found.none()
    return found.filter(registration__user=user)


def remarks_for(user: Person, about: Match | JudgeCall, kind: str) -> QuerySet[Remark]:
    """The consultation or the notes about a match, or a call from a table without one. For its judges; a note for its
    author and the head judges. Nothing for anybody else."""
    found = Remark.objects.filter(kind=kind).select_related("by", "adjudication__dispute")
    match = about if isinstance(about, Match) else about.match
    if match is not None:
        if not is_judge_at(user, match):
            return found.none()
        roles = match_roles(user, match)
        found = found.filter(match=match)
    else:
        assert isinstance(about, JudgeCall)
        roles = roles_of(user, about.event)
        if not roles & JUDGES:
            return found.none()
        found = found.filter(call=about)
    if kind == Kind.NOTE and not roles & HEAD_JUDGES:
        found = found.filter(Q(by=user.pk if user else None))
    return found


def asks_advice(call: JudgeCall) -> bool:
    """Whether the judge who has a call has asked for advice, and nobody has answered yet."""
    if call.judge_id is None:
        return False
    said = [one for one in call.remarks.all() if one.kind == Kind.CONSULT]
    return bool(said) and said[-1].by_id == call.judge_id


def require_judge_at(user: Person, match: Match) -> None:
    """Raises Forbidden for who does not judge this match."""
    if not is_judge_at(user, match):
        raise Forbidden(
            "not-the-judge", _("Only the event’s judges who aren’t playing at this table can do this.")
        )
