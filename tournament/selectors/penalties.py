"""Penalties of an event: each player's, the next level, and those not yet entered as a result."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import Conflict, Forbidden, NotFound
from tournament.models import Event, Match, Penalty, Registration, Staff
from tournament.policy.model import Effect, Infraction, PenaltyGuide, PenaltyLevel
from tournament.selectors.access import HEAD_JUDGE, ORGANIZERS, STAFF, Person, require, roles_of
from tournament.selectors.matches import match_state
from tournament.selectors.querysets import MATCHES
from tournament.selectors.standings import policy_of


def guide_of(event: Event) -> PenaltyGuide:
    """The infractions and levels the event is judged by. Raises Conflict `no-guide`."""
    guide = policy_of(event).penalties
    if guide is None:
        raise Conflict("no-guide", _("The policy of this event has no penalties."))
    return guide


def standing_penalties(rows: QuerySet[Penalty]) -> QuerySet[Penalty]:
    """Those that were not taken back."""
    return rows.filter(revokes=None, revoked_by=None)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What an infraction would cost this player now. level: None when the guide foresees no penalty."""

    infraction: Infraction
    earlier: int
    level: PenaltyLevel | None


def suggestions(entry: Registration) -> list[Suggestion]:
    """For every infraction of the guide, the level by the upgrade path and the player's history; one query."""
    guide = guide_of(entry.event)
    tracked = standing_penalties(entry.penalties.all()).filter(tracked=True)
    earlier = Counter(tracked.values_list("infraction", flat=True))
    return [
        Suggestion(one, earlier[one.key], guide.suggested(one.key, earlier[one.key]))
        for one in guide.infractions
    ]


def by_category(event: Event, found: Sequence[Suggestion]) -> list[tuple[str, list[Suggestion]]]:
    """The suggestions in the order of a judge's form."""
    return [
        (title, [one for one in found if one.infraction.category == key])
        for key, title in guide_of(event).categories.items()
    ]


def penalties_of(event: Event) -> QuerySet[Penalty]:
    """All rows of the event, the latest first, with the people they name."""
    rows = Penalty.objects.filter(registration__event=event)
    return rows.select_related("registration", "by", "revokes", "revoked_by")


def history_of(entry: Registration) -> QuerySet[Penalty]:
    """The player's rows, the latest first."""
    return entry.penalties.select_related("by", "revokes", "revoked_by")


def access_penalty(user: Person, slug: str, pk: int) -> Penalty:
    """A penalty: for staff and for the player. Another's is not there, and to say so takes the same steps as where
    there is none. Raises NotFound."""
    event = Event.objects.filter(slug=slug).first()
    rows = Penalty.objects.filter(registration__event=event, pk=pk, revokes=None)
    if event is None or not roles_of(user, event) & STAFF:
        own = user.pk if user is not None else None
        rows = rows.filter(registration__user=own, registration__user__isnull=False)
    found = rows.select_related("registration__event", "registration__user", "by", "revoked_by__by").first()
    if found is None:
        raise NotFound(_("penalty"))
    return found


def deviators(event: Event) -> frozenset[str]:
    """Who may give another level than suggested: the head judge; an organizer where nobody is that."""
    if Staff.objects.filter(event=event, role=HEAD_JUDGE).exists():
        return frozenset({HEAD_JUDGE})
    return ORGANIZERS


def may_deviate(user: Person, event: Event) -> bool:
    return bool(roles_of(user, event) & deviators(event))


@dataclass(frozen=True, slots=True)
class Offer:
    """A result that a penalty asks for, to be entered by somebody of the staff.

    outcome: from side 1, or "" where the staff must say what is left of the match (a game loss);
    entered: the match has a decision that names the penalty.
    """

    match: Match
    outcome: str
    reason: str
    entered: bool


def offer_of(penalty: Penalty) -> Offer | None:
    """What is to be entered for a penalty: None when it touches no match, or was taken back."""
    touches = (Effect.GAME, Effect.MATCH, Effect.REMOVAL)
    if penalty.effect not in touches or penalty.round is None or hasattr(penalty, "revoked_by"):
        return None
    match = MATCHES.filter(
        round__event=penalty.registration.event_id,
        round__number=penalty.round,
        seats__registration=penalty.registration_id,
    ).first()
    if match is None or match.table is None:
        return None
    state = match_state(match)
    side = next(seat.side for seat in state.seats if seat.registration_id == penalty.registration_id)
    name = penalty.registration.name
    reason = f"{penalty.level_title}: {penalty.infraction_title} ({name}, no. {penalty.number})"[:300]
    outcome = "" if penalty.effect == Effect.GAME else ("loss" if side == 1 else "win")
    decided = state.latest(None)
    return Offer(match, outcome, reason, decided is not None and reason in decided.reason)


def require_judge_apart(user: Person, entry: Registration, roles: frozenset[str]) -> set[str]:
    """The asker's roles, when one is among `roles` and it is not the asker who is judged. Raises Forbidden."""
    held = require(user, entry.event, roles)
    if user is not None and user.pk == entry.user_id:
        raise Forbidden(
            "own-penalty",
            _("You can’t do this for yourself."),
            remedy=_("Ask another staff member to do it."),
        )
    return held
