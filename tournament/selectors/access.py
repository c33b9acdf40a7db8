"""Who can see and do what. Views get their objects only from here.

Events, pairings and standings are public. Deck lists, single reports and disputes are not.
"""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import Forbidden, NotFound
from tournament.models import Ban, Event, Match, Registration, Round, Staff, User
from tournament.selectors.querysets import MATCHES

Person = User | AnonymousUser | None

OWNER = Staff.Role.OWNER.value
ORGANIZER = Staff.Role.ORGANIZER.value
HEAD_JUDGE = Staff.Role.HEAD_JUDGE.value
JUDGE = Staff.Role.JUDGE.value
SCOREKEEPER = Staff.Role.SCOREKEEPER.value
PLAYER = "player"

OWNERS = frozenset({OWNER})
ORGANIZERS = frozenset({OWNER, ORGANIZER})
HEAD_JUDGES = frozenset({OWNER, ORGANIZER, HEAD_JUDGE})
JUDGES = frozenset({OWNER, ORGANIZER, HEAD_JUDGE, JUDGE})
STAFF = frozenset({OWNER, ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER})

_ROLE_NAMES = {
    OWNER: gettext_lazy("an owner of the event"),
    ORGANIZER: gettext_lazy("an organizer"),
    HEAD_JUDGE: gettext_lazy("the head judge"),
    JUDGE: gettext_lazy("a judge"),
    SCOREKEEPER: gettext_lazy("a scorekeeper"),
    PLAYER: gettext_lazy("a player of this match"),
}


def roles_of(user: Person, event: Event) -> set[str]:
    """The asker's roles in the event: staff roles and "player". Empty for strangers, spectators, players who are
    banned, and without a login.

    An owner is an organizer too. A token that may not do staff's work has no staff role.
    """
    if user is None or not user.is_authenticated:
        return set()
    roles = (
        set()
        if user.without_staff
        else powers(Staff.objects.filter(event=event, user=user).values_list("role", flat=True))
    )
    banned = Ban.objects.filter(event=event, user=user, lifted_at=None)
    if Registration.objects.filter(~Exists(banned), event=event, user=user).exists():
        roles.add(PLAYER)
    return roles


def must_be_welcome(user: User, event: Event) -> None:
    """Raises Forbidden `banned`: for whatever a player does in an event."""
    if Ban.objects.filter(event=event, user=user, lifted_at=None).exists():
        raise Forbidden(
            "banned",
            _("You can no longer take part in this event."),
            remedy=_("Talk to the head judge."),
        )


def held_roles(user: Person, event: Event) -> set[str]:
    """`roles_of`, looked up once for the event at hand: for what a page shows. Services ask anew."""
    if user is None or not user.is_authenticated:
        return set()
    if event.roles_held is None or event.roles_held[0] != user.pk:
        event.roles_held = user.pk, roles_of(user, event)
    return event.roles_held[1]


def powers(rows: Iterable[str]) -> set[str]:
    """What somebody with these rows of the staff table may act as."""
    held = set(rows) & STAFF
    return held | {ORGANIZER} if OWNER in held else held


def require(user: Person, event: Event, roles: Iterable[str]) -> set[str]:
    """The asker's roles, when one of them is among `roles`; else Forbidden, saying whose task it is."""
    held = roles_of(user, event)
    _must_hold(held, roles)
    return held


def access_event(user: Person, slug: str, roles: Iterable[str] | None = None) -> Event:
    """The event; with `roles`, only for somebody who holds one of them. Raises NotFound, Forbidden."""
    event = Event.objects.select_related("created_by").filter(slug=slug).first()
    if event is None:
        raise NotFound(_("event"))
    if roles is not None:
        _must_hold(held_roles(user, event), roles)
    return event


def access_round(user: Person, slug: str, number: int, roles: Iterable[str] | None = None) -> Round:
    """A round of an event, by its number; a draft for organizers alone. Raises NotFound, Forbidden."""
    round = Round.objects.select_related("event").filter(event__slug=slug, number=number).first()
    if round is None or not _is_shown(user, round):
        raise NotFound(_("round"))
    if roles is not None:
        _must_hold(held_roles(user, round.event), roles)
    return round


def access_registration(user: Person, slug: str, pk: int) -> Registration:
    """A player's entry with its list: for that player and for staff. Raises NotFound, Forbidden."""
    registration = (
        Registration.objects.select_related("event", "user", "revision__deck", "report")
        .filter(event__slug=slug, pk=pk)
        .first()
    )
    if registration is None:
        raise NotFound(_("registration"))
    if not _is(user, registration.user_id):
        _must_hold(held_roles(user, registration.event), STAFF)
    return registration


def access_match(user: Person, pk: int, roles: Iterable[str] | None = None) -> Match:
    """A match with seats and reports at hand. `roles` may name "player": who sits at it.

    One of a draft does not exist for anybody: it is looked at, and changed, as a part of the draft.
    Raises NotFound, Forbidden.
    """
    match = MATCHES.select_related("round__event").filter(pk=pk, round__published_at__isnull=False).first()
    if match is None:
        raise NotFound(_("match"))
    if roles is not None:
        _must_hold(match_roles(user, match), roles)
    return match


def _is_shown(user: Person, round: Round) -> bool:
    return round.published_at is not None or bool(held_roles(user, round.event) & ORGANIZERS)


def match_roles(user: Person, match: Match) -> set[str]:
    """The asker's staff roles in the match's event, and "player" for those who sit at the match."""
    roles = held_roles(user, match.round.event)
    held = roles - {PLAYER}
    if PLAYER in roles and any(_is(user, seat.registration.user_id) for seat in match.seats.all()):
        held.add(PLAYER)
    return held


def must_sit_apart(user: User, match: Match, roles: Iterable[str]) -> None:
    """Raises Forbidden `own-match` for a player of this match, as long as somebody else holds one of these roles."""
    if PLAYER not in match_roles(user, match):
        return
    if Staff.objects.filter(event=match.round.event, role__in=roles).exclude(user=user).exists():
        raise Forbidden(
            "own-match", _("This is your own match."), remedy=_("Ask another staff member to do it.")
        )


def _is(user: Person, pk: int | None) -> bool:
    return user is not None and pk is not None and user.pk == pk


def _must_hold(held: set[str], wanted: Iterable[str]) -> None:
    wanted = set(wanted)
    if not held & wanted:
        if ORGANIZER in wanted:
            wanted.discard(OWNER)  # goes without saying
        names = [str(name) for role, name in _ROLE_NAMES.items() if role in wanted]
        raise Forbidden(
            "forbidden",
            _("Only %(who)s can do this.") % {"who": _join_or(names)},
            remedy=_("Ask the organizer to do it or to give you the role."),
        )


def _join_or(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s or %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}
