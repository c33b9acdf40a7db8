"""Tokens that a person's programs log in with: created, used, revoked."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import ApiToken, User
from tournament.selectors.tokens import working_tokens
from tournament.services.checks import one_of, text

PREFIX = "hj_"  # so that a secret that got into a log or a repository is found by those who look for such
MOST_DAYS = 366
MOST_TOKENS = 20
USED_EVERY = timedelta(minutes=1)


def token_make(
    *, person: User, name: str, scopes: Iterable[str] = (), days: int = 90, now: datetime
) -> tuple[ApiToken, str]:
    """(the token, its secret). The secret is told here once; only its hash is stored.

    scopes: of ApiToken.Scope; every token may read. Raises UserError, Conflict `too-many-tokens`.
    """
    allowed = sorted({one_of(scope, "scopes", ApiToken.Scope.values) for scope in scopes})
    if not 1 <= days <= MOST_DAYS:
        raise UserError(
            "invalid", _("A token can be valid for 1 to %(most)s days.") % {"most": MOST_DAYS}, place="days"
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=person.pk)  # two at once take turns
        if working_tokens(person, now).count() >= MOST_TOKENS:
            raise Conflict(
                "too-many-tokens",
                _("You already have %(most)s valid tokens.") % {"most": MOST_TOKENS},
                remedy=_("Revoke one you no longer need."),
            )
        token = ApiToken.objects.create(
            user=person,
            name=text(name, "name", most=80),
            start=secret[: len(PREFIX) + 6],
            token_hash=_hash(secret),
            scopes=allowed,
            made_at=now,
            expires_at=now + timedelta(days=days),
        )
        audit("token_make", actor=person, target=token, data={"scopes": allowed, "days": days})
    return token, secret


def token_revoke(*, token: ApiToken, by: User, now: datetime) -> None:
    """Let the token work no more, at once. Revoking it again changes nothing."""
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, user=by, revoked_at=None).update(revoked_at=now):
            audit("token_revoke", actor=by, target=token)


def token_use(*, secret: str, now: datetime) -> ApiToken | None:
    """The token of this secret, its owner loaded, when it works; None otherwise, whatever the reason.

    That it was used is noted once a minute: the machine's bookkeeping, without an audit row.
    """
    found = ApiToken.objects.select_related("user").filter(token_hash=_hash(secret)).first()
    if found is None or found.revoked_at is not None or found.expires_at <= now or not found.user.is_active:
        return None
    stale = Q(used_at=None) | Q(used_at__lt=now - USED_EVERY)
    if found.used_at is None or found.used_at < now - USED_EVERY:
        ApiToken.objects.filter(stale, pk=found.pk).update(used_at=now)
    return found


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
