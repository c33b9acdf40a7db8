"""The API of accounts, for administrators of the installation."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import NotFound
from tournament import services
from tournament.api.bans import BanIn
from tournament.api.pages import ListView
from tournament.selectors.accounts import access_person, closed_accounts, find_person


class ClosedOut(serializers.Serializer[Any]):
    """An account and the audit log's row of its closing."""

    id = serializers.IntegerField(source="person.pk")
    username = serializers.CharField(source="person.username")
    name = serializers.CharField(source="person")
    by = serializers.CharField(source="row.actor.username", default=None, allow_null=True)
    reason = serializers.CharField(source="row.reason")
    at = serializers.DateTimeField(source="row.at")


class SiteView(ListView):
    """What only superusers are told is there."""

    permission_classes = [IsAuthenticated]
    needs_scope = None  # an account is never changed by a token

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not self.asker(request).is_superuser:
            raise NotFound(_("page"))


class ClosedAccounts(SiteView):
    @extend_schema(operation_id="accounts_closed", responses=ClosedOut(many=True))
    def get(self, request: Request) -> Response:
        """The accounts that are closed on the whole site, the latest first. For superusers."""
        return self.page(closed_accounts(), ClosedOut, request)

    @extend_schema(operation_id="account_close", request=BanIn, responses={204: None})
    def post(self, request: Request) -> Response:
        """Close an account: no one can log in to it, and its sessions and tokens end. For superusers, logged in."""
        asked = self.body(BanIn, request)
        services.account_close(
            person=find_person(asked["who"]),
            reason=asked["reason"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(status=204)


class OneClosedAccount(SiteView):
    @extend_schema(operation_id="account_reopen", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Reopen an account. For superusers, logged in."""
        services.account_reopen(person=access_person(pk), by=self.asker(request), now=timezone.now())
        return Response(status=204)
