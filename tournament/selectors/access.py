"""Who may see and do what. A view gets its objects here and nowhere else.

Events, pairings and standings are public. Deck lists, single reports and disputes are not.
"""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import Forbidden, NotFound
from tournament.models import Event, Match, Registration, Round, Staff, User
from tournament.selectors.querysets import MATCHES

Person = User | AnonymousUser | None

ORGANIZER = Staff.Role.ORGANIZER.value
HEAD_JUDGE = Staff.Role.HEAD_JUDGE.value
JUDGE = Staff.Role.JUDGE.value
SCOREKEEPER = Staff.Role.SCOREKEEPER.value
PLAYER = "player"

ORGANIZERS = frozenset({ORGANIZER})
JUDGES = frozenset({ORGANIZER, HEAD_JUDGE, JUDGE})
STAFF = frozenset({ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER})

_ROLE_NAMES = {
    ORGANIZER: gettext_lazy("an organizer"),
    HEAD_JUDGE: gettext_lazy("the head judge"),
    JUDGE: gettext_lazy("a judge"),
    SCOREKEEPER: gettext_lazy("a scorekeeper"),
    PLAYER: gettext_lazy("a player of this match"),
}


def roles_of(user: Person, event: Event) -> set[str]:
    """The asker's roles in the event: staff roles and "player". Empty for strangers and without a login."""
    if user is None or not user.is_authenticated:
        return set()
    roles = set(Staff.objects.filter(event=event, user=user).values_list("role", flat=True))
    if Registration.objects.filter(event=event, user=user).exists():
        roles.add(PLAYER)
    return roles


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
        require(user, event, roles)
    return event


def access_round(user: Person, slug: str, number: int, roles: Iterable[str] | None = None) -> Round:
    """A round of an event, by its number. Raises NotFound, Forbidden."""
    round = Round.objects.select_related("event").filter(event__slug=slug, number=number).first()
    if round is None:
        raise NotFound(_("round"))
    if roles is not None:
        require(user, round.event, roles)
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
        require(user, registration.event, STAFF)
    return registration


def access_match(user: Person, pk: int, roles: Iterable[str] | None = None) -> Match:
    """A match with seats and reports at hand. `roles` may name "player": who sits at it.

    Raises NotFound, Forbidden.
    """
    match = MATCHES.select_related("round__event").filter(pk=pk).first()
    if match is None:
        raise NotFound(_("match"))
    if roles is not None:
        _must_hold(match_roles(user, match), roles)
    return match


def match_roles(user: Person, match: Match) -> set[str]:
    """The asker's staff roles in the match's event, and "player" for those who sit at the match."""
    held = roles_of(user, match.round.event) - {PLAYER}
    if any(_is(user, seat.registration.user_id) for seat in match.seats.all()):
        held.add(PLAYER)
    return held


def _is(user: Person, pk: int | None) -> bool:
    return user is not None and pk is not None and user.pk == pk


def _must_hold(held: set[str], wanted: Iterable[str]) -> None:
    wanted = set(wanted)
    if not held & wanted:
        names = [str(name) for role, name in _ROLE_NAMES.items() if role in wanted]
        raise Forbidden(
            "forbidden",
            _("Only %(who)s may do this.") % {"who": _join_or(names)},
            remedy=_("Ask the organizer to do it, or to give you the role."),
        )


def _join_or(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s or %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}
