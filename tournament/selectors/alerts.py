"""A person's alert settings and devices."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import AlertAddress, User

Way = AlertAddress.Way


def alert_mail_kinds(person: User) -> list[str]:
    """What the person is alerted of by mail."""
    found = AlertAddress.objects.filter(user=person, way=Way.MAIL).first()
    return list(found.kinds) if found is not None else []


def alert_browsers(person: User) -> QuerySet[AlertAddress]:
    """The browsers that are alerted, the latest first."""
    return AlertAddress.objects.filter(user=person, way=Way.PUSH).order_by("-made_at", "-pk")


def access_alert_browser(person: User, pk: int) -> AlertAddress:
    """One of one's own; others' do not exist. Raises NotFound."""
    found = alert_browsers(person).filter(pk=pk).first()
    if found is None:
        raise NotFound(_("browser"))
    return found
