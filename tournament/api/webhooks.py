"""The API of webhooks: the URLs an event notifies, and their deliveries."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import bodiless
from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import Delivery, Webhook
from tournament.selectors.webhooks import access_delivery, access_webhook, deliveries_of, webhooks_of


class WebhookIn(serializers.Serializer[Any]):
    address = serializers.CharField(
        max_length=500, help_text="An https URL on a host that this installation allows."
    )
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=Webhook.Kind.choices), max_length=10)


class WebhookOut(serializers.ModelSerializer[Webhook]):
    kinds = serializers.ListField(child=serializers.CharField())
    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = Webhook
        fields = ["id", "address", "kinds", "made_by", "made_at"]


class WebhookMade(WebhookOut):
    secret = serializers.SerializerMethodField(
        help_text="The secret that signs its messages. Only this answer contains it."
    )

    class Meta(WebhookOut.Meta):
        fields = [*WebhookOut.Meta.fields, "secret"]

    def get_secret(self, webhook: Webhook) -> str:
        return str(self.context["secret"])


class DeliveryOut(serializers.ModelSerializer[Delivery]):
    body = serializers.DictField()
    tries = serializers.IntegerField(source="runs")

    class Meta:
        model = Delivery
        fields = [
            "id", "webhook", "message", "kind", "state", "tries", "status", "failure", "due_at", "made_at",
            "finished_at", "body",
        ]  # fmt: skip


class DeliveryWhere(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Delivery.State.choices, required=False)


class EventWebhooks(ListView):
    tells_secret = True

    @extend_schema(operation_id="webhooks_list", responses=WebhookOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The webhooks of the event. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        return self.page(webhooks_of(event), WebhookOut, request)

    @extend_schema(operation_id="webhook_add", request=WebhookIn, responses={201: WebhookMade})
    def post(self, request: Request, slug: str) -> Response:
        """Notify a URL of published rounds, confirmed or decided results, and rulings. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(WebhookIn, request)
        webhook, secret = services.webhook_add(
            event=event, by=self.asker(request), now=timezone.now(), **asked
        )
        return Response(WebhookMade(webhook, context={"secret": secret}).data, status=201)


class OneWebhook(EventView):
    @extend_schema(operation_id="webhook_remove", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a webhook. For organizers."""
        webhook = access_webhook(request.user, slug, pk)
        services.webhook_remove(webhook=webhook, by=self.asker(request), now=timezone.now())
        return Response(status=204)


class EventDeliveries(ListView):
    asks = {"GET": DeliveryWhere}

    @extend_schema(operation_id="deliveries_list", responses=DeliveryOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The messages sent to webhooks and their outcome, latest first; kept for 30 days. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        return self.page(deliveries_of(event, **self.asked), DeliveryOut, request)


class DeliveryResend(EventView):
    @bodiless(operation_id="delivery_resend", responses=DeliveryOut)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send the same message again at once. For organizers."""
        delivery = services.delivery_resend(
            delivery=access_delivery(request.user, slug, pk), by=self.asker(request), now=timezone.now()
        )
        return Response(DeliveryOut(delivery).data)
