"""The URLs an event notifies, and their deliveries."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament import services
from tournament.forms.people import KINDS, WebhookForm
from tournament.models import Delivery, Event
from tournament.selectors import ORGANIZERS, access_event, held_roles
from tournament.selectors.webhooks import access_delivery, access_webhook, deliveries_of, webhooks_of
from tournament.views.requests import PersonRequest, whole


@login_required
def event_webhooks(request: PersonRequest, slug: str) -> HttpResponse:
    """Adding and removing addresses, and the log of messages; a new one's secret is shown once."""
    event = access_event(request.user, slug, ORGANIZERS)
    do = request.POST.get("do", "")
    if do in ("remove", "resend"):
        return _did(request, event, do)
    form, told = WebhookForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        with form.catching():
            webhook, secret = services.webhook_add(
                event=event, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            # Shown in this very answer: to show it after a redirect it would have to be stored.
            told, form = {"address": webhook.address, "secret": secret}, WebhookForm()
    context = {
        "event": event,
        "roles": held_roles(request.user, event),
        "form": form,
        "told": told,
        "allowed": settings.WEBHOOK_HOSTS,
        "webhooks": [
            (one, [KINDS[kind] for kind in KINDS if kind in one.kinds]) for one in webhooks_of(event)
        ],
        "page": Paginator(deliveries_of(event), 25).get_page(request.GET.get("page")),
        "kinds": KINDS,
    }
    response = render(request, "tournament/webhooks.html", context, status=form.status)
    response["Cache-Control"] = "no-store"
    return response


def _did(request: PersonRequest, event: Event, do: str) -> HttpResponse:
    pk, now = whole(request, "pk"), timezone.now()
    if do == "remove":
        webhook = access_webhook(request.user, event.slug, pk)
        services.webhook_remove(webhook=webhook, by=request.user, now=now)
        messages.success(request, _("The webhook has been removed."))
    else:
        delivery: Delivery = access_delivery(request.user, event.slug, pk)
        services.delivery_resend(delivery=delivery, by=request.user, now=now)
        messages.success(request, _("The message is being sent again."))
    return redirect("event-webhooks", event.slug)
