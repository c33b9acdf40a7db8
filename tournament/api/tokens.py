"""The API of a person's own tokens. Only a login can create one; a token can't create another."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from tournament import services
from tournament.api.pages import EventView, ListView
from tournament.models import ApiToken
from tournament.selectors.tokens import access_token, tokens_of
from tournament.services.people.tokens import MOST_DAYS


class TokenIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80, help_text="What it is for.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=ApiToken.Scope.choices),
        max_length=10,
        default=list,
        help_text="Beyond reading: decks (your decks), play (register, report, call a judge), staff (event staff).",
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=90)


class TokenOut(serializers.ModelSerializer[ApiToken]):
    scopes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ApiToken
        fields = ["id", "name", "start", "scopes", "made_at", "expires_at", "revoked_at", "used_at"]


class TokenMade(TokenOut):
    secret = serializers.SerializerMethodField(help_text="Only this answer contains it.")

    class Meta(TokenOut.Meta):
        fields = [*TokenOut.Meta.fields, "secret"]

    def get_secret(self, token: ApiToken) -> str:
        return str(self.context["secret"])


class MyTokens(ListView):
    permission_classes = [IsAuthenticated]
    needs_scope = None
    tells_secret = True

    @extend_schema(operation_id="tokens_list", responses=TokenOut(many=True))
    def get(self, request: Request) -> Response:
        """Your tokens, newest first, including those that no longer work."""
        return self.page(tokens_of(self.asker(request)), TokenOut, request)

    @extend_schema(operation_id="token_make", request=TokenIn, responses={201: TokenMade})
    def post(self, request: Request) -> Response:
        """Create a token. Only this answer contains its secret. Needs a session; a token can't do this."""
        asked = self.body(TokenIn, request)
        token, secret = services.token_make(person=self.asker(request), now=timezone.now(), **asked)
        return Response(TokenMade(token, context={"secret": secret}).data, status=201)


class MyToken(EventView):
    permission_classes = [IsAuthenticated]
    needs_scope = None

    @extend_schema(operation_id="token_revoke", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke a token. Needs a session; a token can't do this."""
        token = access_token(self.asker(request), pk)
        services.token_revoke(token=token, by=self.asker(request), now=timezone.now())
        return Response(status=204)
