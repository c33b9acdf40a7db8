"""Logging in to the API with a token: `Authorization: Bearer hj_...`."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from config.clients import PERSON
from config.errors import Forbidden
from tournament import services
from tournament.models import ApiToken, User


class TokenAuthentication(BaseAuthentication):
    """The token's owner, as far as the token's scopes reach (config.api.ApiView.needs_scope)."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        secret = words[1].decode("latin-1") if len(words) == 2 else ""
        token = services.token_use(secret=secret, now=timezone.now()) if secret else None
        if token is None:
            raise AuthenticationFailed(_("This token doesn’t work: it is unknown, expired or revoked."))
        request.META[PERSON] = token.user_id
        if request.method not in SAFE_METHODS:
            _must_reach(token, request)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _must_reach(token: ApiToken, request: Request) -> None:
    view = (request.parser_context or {}).get("view")
    wanted = getattr(view, "needs_scope", ApiToken.Scope.STAFF)
    token.user.without_staff = ApiToken.Scope.STAFF not in token.scopes
    if wanted is None:
        raise Forbidden(
            "no-token-may",
            _("Tokens can’t do this, because it concerns the account itself."),
            remedy=_("Log in and do it on your account page."),
        )
    if wanted != "read" and wanted not in token.scopes and not _staff_for_play(wanted, token):
        raise Forbidden(
            "token-scope",
            _("This token doesn’t have the “%(scope)s” permission.") % {"scope": wanted},
            remedy=_("Create a token that has it."),
            details={"needs": str(wanted), "has": token.scopes},
        )


def _staff_for_play(wanted: str, token: ApiToken) -> bool:
    """What players do at their own table, staff does for them at the same address."""
    return wanted == ApiToken.Scope.PLAY and ApiToken.Scope.STAFF in token.scopes


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token created under /account/tokens or with `POST /me/tokens`.",
        }
