"""What a person wants to be alerted about, by mail and in each of their browsers."""

from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from config.web_push import Browser, checked, push_works
from tournament.mail import mail_works
from tournament.models import AlertAddress, User
from tournament.services.checks import one_of

MOST_BROWSERS = 10
Way = AlertAddress.Way


def alert_mail_choose(*, person: User, kinds: Iterable[str], site: str, now: datetime) -> list[str]:
    """Alert the person by mail of these kinds from now on, none meaning no more mail; the kinds. site: the address
    of this installation, for links.

    Raises UserError `unknown`; Conflict `no-mail`, `not-confirmed`.
    """
    wanted = _kinds(kinds)
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if wanted:
            _must_have_mail(person)
            told = {"kinds": wanted, "site": site, "language": get_language() or "", "made_at": now}
            AlertAddress.objects.update_or_create(user=person, way=Way.MAIL, defaults=told)
        else:
            AlertAddress.objects.filter(user=person, way=Way.MAIL).delete()
        audit("alert_mail_choose", actor=person, target=person, data={"kinds": wanted})
    return wanted


def alert_browser_add(
    *, person: User, browser: Browser, kinds: Iterable[str], site: str, now: datetime
) -> AlertAddress:
    """Alert this browser of these kinds from now on. One that is known already, whoever used it before, is the
    person's from now on; of very many, the oldest goes.

    Raises UserError `unknown`, and as `config.web_push.checked`; Conflict `no-push`.
    """
    if not push_works():
        raise Conflict("no-push", _("This installation doesn’t send alerts to closed browsers."))
    told = {
        "user": person,
        "kinds": _kinds(kinds),
        "site": site,
        "language": get_language() or "",
        "service": urlsplit(checked(browser).endpoint).hostname or "",
        "public_key": browser.public_key,
        "shared_secret": browser.shared_secret,
        "made_at": now,
    }
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        AlertAddress.objects.filter(endpoint=browser.endpoint).exclude(user=person).delete()
        added, _new = AlertAddress.objects.update_or_create(
            endpoint=browser.endpoint, way=Way.PUSH, defaults=told
        )
        mine = AlertAddress.objects.filter(user=person, way=Way.PUSH).order_by("-made_at", "-pk")
        AlertAddress.objects.filter(pk__in=list(mine.values_list("pk", flat=True)[MOST_BROWSERS:])).delete()
        audit("alert_browser_add", actor=person, target=person, data={"kinds": added.kinds})
    return added


def alert_browser_remove(*, address: AlertAddress, by: User) -> None:
    """Alert this browser no more; what waited for it is forgotten."""
    with transaction.atomic():
        AlertAddress.objects.filter(pk=address.pk).delete()
        audit("alert_browser_remove", actor=by, target=by)


def _kinds(kinds: Iterable[str]) -> list[str]:
    known = AlertAddress.Kind.values
    wanted = {one_of(kind, "kinds", known) for kind in kinds}
    return [kind for kind in known if kind in wanted]


def _must_have_mail(person: User) -> None:
    if not mail_works():
        raise Conflict("no-mail", _("This installation doesn’t send mail."))
    if not person.email or person.email_confirmed_at is None:
        raise Conflict(
            "not-confirmed",
            _("Your address isn’t confirmed."),
            remedy=_("Open the link we sent there, then choose."),
        )
