"""An event's webhooks and their deliveries."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import Delivery, Event, Webhook
from tournament.selectors.access import ORGANIZERS, Person, require


def webhooks_of(event: Event) -> QuerySet[Webhook]:
    """Those that are told, the oldest first."""
    return Webhook.objects.filter(event=event, removed_at=None).select_related("made_by")


def access_webhook(user: Person, slug: str, pk: int) -> Webhook:
    """A webhook, for organizers. Raises NotFound, Forbidden."""
    found = Webhook.objects.select_related("event").filter(event__slug=slug, pk=pk).first()
    if found is None:
        raise NotFound(_("webhook"))
    require(user, found.event, ORGANIZERS)
    return found


def access_delivery(user: Person, slug: str, pk: int) -> Delivery:
    """A message to a webhook, for organizers. Raises NotFound, Forbidden."""
    found = Delivery.objects.select_related("webhook__event").filter(webhook__event__slug=slug, pk=pk).first()
    if found is None:
        raise NotFound(_("message"))
    require(user, found.webhook.event, ORGANIZERS)
    return found


def deliveries_of(event: Event, state: str = "") -> QuerySet[Delivery]:
    """Messages to the event's webhooks, the latest first; those in one state alone when it is given."""
    found = Delivery.objects.filter(webhook__event=event).select_related("webhook")
    return found.filter(state=state) if state else found
