"""Logging in without the password: by a mailed link, or by a one-time code from staff.

Each is a secret that works once and not for long; only its hash is stored. An address counts once a link that was sent
there has been opened.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, NotFound, UserError
from tournament.models import AlertAddress, Event, OneTimeSecret, Registration, Staff, User
from tournament.selectors import ORGANIZERS, require
from tournament.selectors.codes import LETTERS, typed_code
from tournament.selectors.entries import entered_themselves

Purpose = OneTimeSecret.Purpose
LASTS = {
    Purpose.EMAIL: timedelta(days=2),
    Purpose.LINK: timedelta(minutes=20),
    Purpose.CODE: timedelta(minutes=15),
}
MOST_ACCOUNTS = 5  # that one address may be shared by: a family's
CODE_LETTERS = 10


def email_tell(*, person: User, address: str, now: datetime) -> str:
    """The secret of a link that confirms an address, to be sent there. Raises UserError `invalid`."""
    address = address.strip()
    try:
        validate_email(address)
    except ValidationError as error:
        raise UserError("invalid", error.messages[0], place="email") from error
    with transaction.atomic():
        secret = _made(person, Purpose.EMAIL, now, address=address)
        audit("email_tell", actor=person, target=person)
    return secret


def email_of(*, secret: str, person: User, now: datetime) -> str:
    """The address that the person's link confirms; it is not used by looking. Raises NotFound `link-over`."""
    found = _working(secret, Purpose.EMAIL, now).filter(user=person).first()
    if found is None:
        raise _over()
    return found.address


def email_confirm(*, secret: str, person: User, now: datetime) -> User:
    """Take the address for the person's own, who is logged in. Raises NotFound `link-over`."""
    with transaction.atomic():
        found = _used(secret, Purpose.EMAIL, now, of=[person])
        person.email, person.email_confirmed_at = found.address, now
        person.save(update_fields=["email", "email_confirmed_at"])
        audit("email_confirm", actor=person, target=person)
    return person


def email_forget(*, person: User) -> User:
    """Keep no address of the person any more."""
    with transaction.atomic():
        person.email, person.email_confirmed_at = "", None
        person.save(update_fields=["email", "email_confirmed_at"])
        OneTimeSecret.objects.filter(user=person, purpose=Purpose.EMAIL).delete()
        person.alert_addresses.filter(way=AlertAddress.Way.MAIL).delete()
        audit("email_forget", actor=person, target=person)
    return person


def links_make(*, address: str, now: datetime) -> list[tuple[User, str]]:
    """(account, the secret of a link into it) of everybody whose confirmed address this is; mostly one or none."""
    people = User.objects.filter(
        email__iexact=address.strip(), email_confirmed_at__isnull=False, is_active=True
    ).exclude(email="")
    with transaction.atomic():
        return [
            (person, _made(person, Purpose.LINK, now)) for person in people.order_by("pk")[:MOST_ACCOUNTS]
        ]


def code_make(*, registration: Registration, by: User, now: datetime) -> str:
    """A code with which a player of the event logs in once, to be read out by an organizer who sees who it is.

    Only for who entered the event themselves: anybody may open an event, and enter anybody's account there. Nobody
    gets into an account that can do more than play: not of staff of any event, nor of the site's.
    Raises Forbidden (`staff-account`, `not-their-entry`); Conflict `guest`, `event-over`.
    """
    event, person = registration.event, registration.user
    require(by, event, ORGANIZERS)
    if person is None:
        raise Conflict("guest", _("This player has no account."), remedy=_("Give them the guest code."))
    if event.state == Event.State.FINISHED or registration.state not in (
        Registration.State.ACTIVE,
        Registration.State.WAITING,
    ):
        raise Conflict("event-over", _("This player isn’t playing in this event now."))
    works = Staff.objects.filter(user=person).exclude(role=Staff.Role.SPECTATOR).exists()
    if works or person.is_staff or person.is_superuser or not person.is_active:
        raise Forbidden(
            "staff-account",
            _("This account can do more than play, so event staff can’t open it."),
            remedy=_("Ask the administrator of this installation."),
        )
    if not entered_themselves(registration):
        raise Forbidden(
            "not-their-entry",
            _("This player didn’t register here themselves, so event staff can’t open their account."),
            remedy=_("Ask the administrator of this installation."),
        )
    with transaction.atomic():
        OneTimeSecret.objects.filter(user=person, purpose=Purpose.CODE, used_at=None).delete()
        code = _made(person, Purpose.CODE, now, by=by)
        audit("code_make", actor=by, target=registration, event=event)
    return code


def code_use(*, username: str, code: str, now: datetime) -> User:
    """The account that the code opens. Raises NotFound `code-wrong`, in the same words whatever is wrong."""
    people = list(User.objects.filter(username__iexact=User.normalize_username(username.strip())))
    try:
        with transaction.atomic():
            found = _used(typed_code(code), Purpose.CODE, now, of=people)
            audit("code_use", actor=found.user, target=found.user)
    except NotFound:
        raise UserError(
            "code-wrong",
            _("The name and code don’t match, or the code has been used or has expired."),
            place="code",
            remedy=_("Check both, or ask event staff for a new code."),
        ) from None
    return found.user


def link_of(*, secret: str, now: datetime) -> User:
    """Whose account the link leads into; it is not used by looking. Raises NotFound."""
    found = _working(secret, Purpose.LINK, now).select_related("user").first()
    if found is None:
        raise _over()
    return found.user


def link_use(*, secret: str, now: datetime) -> User:
    """Log in by a link that was sent. Raises NotFound."""
    with transaction.atomic():
        found = _used(secret, Purpose.LINK, now)
        audit("link_use", actor=found.user, target=found.user)
    return found.user


def password_choose(*, person: User, password: str) -> User:
    """A new password for somebody who came in another way. Every other session ends. Raises UserError."""
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise UserError("weak-password", " ".join(error.messages), place="password") from error
    with transaction.atomic():
        person.set_password(password)
        person.save(update_fields=["password"])
        OneTimeSecret.objects.filter(user=person, used_at=None).exclude(purpose=Purpose.EMAIL).delete()
        audit("password_choose", actor=person, target=person)
    return person


def secrets_sweep(*, now: datetime) -> int:
    """Forget secrets that are over for a month; how many."""
    return OneTimeSecret.objects.filter(expires_at__lt=now - timedelta(days=30)).delete()[0]


def _made(
    person: User, purpose: OneTimeSecret.Purpose, now: datetime, *, address: str = "", by: User | None = None
) -> str:
    spoken = purpose == Purpose.CODE
    secret = (
        "".join(secrets.choice(LETTERS) for _letter in range(CODE_LETTERS))
        if spoken
        else secrets.token_urlsafe(32)
    )
    OneTimeSecret.objects.create(
        user=person,
        purpose=purpose,
        secret_hash=_hash(secret),
        address=address,
        made_by=by,
        made_at=now,
        expires_at=now + LASTS[purpose],
    )
    return secret


def _working(secret: str, purpose: OneTimeSecret.Purpose, now: datetime) -> QuerySet[OneTimeSecret]:
    return OneTimeSecret.objects.filter(
        secret_hash=_hash(secret), purpose=purpose, used_at=None, expires_at__gt=now, user__is_active=True
    )


def _used(
    secret: str, purpose: OneTimeSecret.Purpose, now: datetime, *, of: list[User] | None = None
) -> OneTimeSecret:
    """The row, taken by one conditional update: of two at once one comes in. of: whose it must be."""
    rows = _working(secret, purpose, now)
    if of is not None:
        rows = rows.filter(user__in=of)
    found = rows.select_related("user").first()
    if found is None or not rows.filter(pk=found.pk).update(used_at=now):
        raise _over()
    return found


def _over() -> NotFound:
    return NotFound(_("link"), remedy=_("It works once, and not for long. Ask for a new one."))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
