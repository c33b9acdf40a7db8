"""Closes an account for the whole site, whatever the event."""

from datetime import datetime

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden
from tournament.models import ApiToken, User
from tournament.services.checks import text


def account_close(*, person: User, reason: str, by: User | None, now: datetime) -> None:
    """Let nobody log in to the account: every session of it ends, every token is revoked. Entries, results and roles
    stay as they are. by: a superuser; None from the command line.

    Raises Forbidden, UserError for the reason, Conflict `own-account`, `closed`.
    """
    must_run_the_site(by)
    reason = text(reason, "reason", most=300)
    if by is not None and by.pk == person.pk:
        raise Conflict("own-account", _("You can’t close your own account here."))
    with transaction.atomic():
        if not User.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
            raise Conflict("closed", _("This account is already closed."))
        ApiToken.objects.filter(user=person, revoked_at=None).update(revoked_at=now)
        log_out_everywhere(person, now)
        audit("account_close", actor=by, target=person, reason=reason)
    person.is_active = False


def account_reopen(*, person: User, by: User | None, now: datetime) -> None:
    """Let the person log in again, with the password of before; tokens and sessions do not come back.

    Raises Forbidden, Conflict `erased` for an account whose person was erased.
    """
    must_run_the_site(by)
    if not person.has_usable_password():
        raise Conflict("erased", _("This account was erased or never had a password."))
    with transaction.atomic():
        if User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
            audit("account_reopen", actor=by, target=person)
    person.is_active = True


def must_run_the_site(by: User | None) -> None:
    if by is not None and not (by.is_superuser and by.is_active):
        raise Forbidden(
            "forbidden",
            _("You don’t have permission to do this."),
            remedy=_("Ask the administrator of this installation."),
        )


def log_out_everywhere(person: User, now: datetime) -> None:
    """A closed account is nobody in any session already; these must not come to life again when it is reopened."""
    own = [
        session.pk
        for session in Session.objects.filter(expire_date__gte=now).iterator()
        if session.get_decoded().get(SESSION_KEY) == str(person.pk)
    ]
    Session.objects.filter(pk__in=own).delete()
