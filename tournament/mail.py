"""The mails we send, to confirmed addresses: login links, and the alerts people chose."""

import logging
from collections.abc import Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.utils.translation import gettext as _

from config.errors import UserError
from tournament.models import User

log = logging.getLogger(__name__)


def mail_works() -> bool:
    """Whether this installation has a mail server (EMAIL_URL)."""
    return not settings.EMAIL_BACKEND.endswith(".dummy.EmailBackend")


def send_confirmation(address: str, link: str) -> None:
    """Raises UserError `mail-failed`."""
    body = _("Open this link to confirm your address on Headjudge. It works for two days.")
    _send(address, _("Confirm your address"), [body, link])


def send_links(address: str, links: Sequence[tuple[User, str]]) -> None:
    """One letter with a link into each account that has this address. Raises UserError `mail-failed`."""
    body = _("Open a link to log in to Headjudge. It works once, for 20 minutes.")
    lines = [f"{person} ({person.username}):\n{link}" for person, link in links]
    _send(address, _("Log in to Headjudge"), [body, *lines])


def send_alert(address: str, event: str, words: str, *, page: str, account: str) -> None:
    """What happened at a player's table, or is asked of a person. page: where it is read; account: where
    alerts are chosen. Raises OSError, SMTPException."""
    ending = _("You chose alerts by mail. To get fewer or none: %(page)s") % {"page": account}
    send_mail(" ".join(event.split()), "\n\n".join([words, page, ending]), None, [address])


def _send(address: str, subject: str, parts: Sequence[str]) -> None:
    ending = _("If you didn’t ask for this, ignore it: nothing happens.")
    try:
        send_mail(subject, "\n\n".join([*parts, ending]), None, [address])
    except (OSError, SMTPException) as error:
        log.warning("a letter could not be sent: %s", type(error).__name__)
        raise UserError(
            "mail-failed",
            _("The mail couldn’t be sent."),
            remedy=_("Try again later, or ask event staff for a one-time code."),
            status=503,
        ) from error
