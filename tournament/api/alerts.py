"""The API of a person's own alerts: by mail, and in closed browsers."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from config.web_push import Browser, public_key
from tournament import services
from tournament.api.pages import EventView
from tournament.mail import mail_works
from tournament.models import AlertAddress, User
from tournament.selectors.alerts import access_alert_browser, alert_browsers, alert_mail_kinds


class KindsIn(serializers.Serializer[Any]):
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=AlertAddress.Kind.choices),
        max_length=20,
        help_text="What to be alerted of.",
    )


class BrowserIn(KindsIn):
    endpoint = serializers.CharField(max_length=500, help_text="Where its push service takes messages.")
    public_key = serializers.CharField(max_length=100, help_text="Its key `p256dh`, base64url.")
    shared_secret = serializers.CharField(max_length=30, help_text="Its key `auth`, base64url.")


class BrowserOut(serializers.ModelSerializer[AlertAddress]):
    kinds = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = AlertAddress
        fields = ["id", "service", "kinds", "made_at"]


class AlertsOut(serializers.Serializer[Any]):
    mail_works = serializers.BooleanField(help_text="Whether this installation sends mail.")
    mail = serializers.ListField(child=serializers.CharField(), help_text="The kinds you get by mail.")
    push_key = serializers.CharField(
        allow_blank=True,
        help_text="The key for a browser to subscribe with. Empty: no alerts to closed browsers.",
    )
    browsers = BrowserOut(many=True)


class MyAlerts(EventView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="alerts", responses=AlertsOut)
    def get(self, request: Request) -> Response:
        """Which alerts you get by mail and in closed browsers."""
        return Response(_told(self.asker(request)))


class MyMailAlerts(EventView):
    permission_classes = [IsAuthenticated]
    needs_scope = None

    @extend_schema(operation_id="alerts_by_mail", request=KindsIn, responses=AlertsOut)
    def put(self, request: Request) -> Response:
        """Choose which alerts you get by mail, at your confirmed address; none: no mail. Needs a session."""
        asked, person = self.body(KindsIn, request), self.asker(request)
        services.alert_mail_choose(person=person, site=_site(request), now=timezone.now(), **asked)
        return Response(_told(person))


class MyAlertBrowsers(EventView):
    permission_classes = [IsAuthenticated]
    needs_scope = None

    @extend_schema(operation_id="alert_browser_add", request=BrowserIn, responses={201: BrowserOut})
    def post(self, request: Request) -> Response:
        """Alert a browser, even when it is closed. For one that is known, the kinds given replace its own.
        Needs a session."""
        asked = self.body(BrowserIn, request)
        added = services.alert_browser_add(
            person=self.asker(request),
            browser=Browser(asked["endpoint"], asked["public_key"], asked["shared_secret"]),
            kinds=asked["kinds"],
            site=_site(request),
            now=timezone.now(),
        )
        return Response(BrowserOut(added).data, status=201)


class MyAlertBrowser(EventView):
    permission_classes = [IsAuthenticated]
    needs_scope = None

    @extend_schema(operation_id="alert_browser_remove", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Stop alerting this browser. Needs a session."""
        person = self.asker(request)
        services.alert_browser_remove(address=access_alert_browser(person, pk), by=person)
        return Response(status=204)


def _told(person: User) -> dict[str, Any]:
    return {
        "mail_works": mail_works(),
        "mail": alert_mail_kinds(person),
        "push_key": public_key(),
        "browsers": BrowserOut(alert_browsers(person), many=True).data,
    }


def _site(request: Request) -> str:
    return request.build_absolute_uri("/")[:300]
