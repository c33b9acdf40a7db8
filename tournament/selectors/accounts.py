"""Finds accounts by what people type."""

import unicodedata
from typing import NamedTuple

from django.db.models import Q
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from tournament.models import AuditRow, User


def find_person(typed: str) -> User:
    """The only account of that user name or that shown name, capitals apart; behind @ a user name alone.

    A shown name that is somebody else's user name is both: whoever chose it must not get a role by it.
    Raises UserError `unknown-user`, or `several-people` naming their user names.
    """
    name = unicodedata.normalize("NFKC", " ".join(typed.split()))
    active = User.objects.filter(is_active=True)
    found = list(active.filter(Q(username__iexact=name) | Q(display_name__iexact=name)).order_by("pk")[:6])
    if name.startswith("@"):
        found = list(active.filter(username__iexact=name[1:])) or found
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            "several-people",
            _("Several people are named “%(name)s”.") % {"name": name},
            place="who",
            remedy=_("Enter the user name: %(names)s.")
            % {"names": ", ".join(f"@{one.username}" for one in found)},
        )
    raise UserError(
        "unknown-user",
        _("No one here is named “%(name)s”.") % {"name": name},
        place="who",
        remedy=_(
            "Ask for the user name, or send an invitation: people without an account can create one "
            "when they accept."
        ),
    )


def person_of(username: str, place: str = "username") -> User:
    """The account of exactly that user name, capitals and an @ before it apart. Raises UserError `unknown-user`."""
    name = unicodedata.normalize("NFKC", username.strip().removeprefix("@"))
    found = list(User.objects.filter(is_active=True, username__iexact=name)[:2])
    if len(found) != 1:
        raise UserError(
            "unknown-user", _("No one has the user name “%(name)s”.") % {"name": name}, place=place
        )
    return found[0]


def access_person(pk: int) -> User:
    """An account by its number, for who runs the site. Raises NotFound."""
    person = User.objects.filter(pk=pk).first()
    if person is None:
        raise NotFound(_("account"))
    return person


class Closed(NamedTuple):
    """A closed account, and the audit log's row of its closing."""

    person: User
    row: AuditRow


def closed_accounts() -> list[Closed]:
    """The accounts that were closed on the whole site and are still, with who closed them and why; latest first."""
    rows = AuditRow.objects.filter(verb="account_close").select_related("actor", "said").order_by("-pk")[:500]
    latest: dict[int, AuditRow] = {}
    for row in rows:
        latest.setdefault(int(row.target_id), row)
    closed = User.objects.in_bulk(list(latest))
    return [
        Closed(closed[pk], row) for pk, row in latest.items() if pk in closed and not closed[pk].is_active
    ]
