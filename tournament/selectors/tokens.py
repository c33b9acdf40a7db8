"""A person's tokens."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import ApiToken, User


def tokens_of(person: User) -> QuerySet[ApiToken]:
    """All of them, the newest first, those that work no more among them."""
    return ApiToken.objects.filter(user=person)


def working_tokens(person: User, now: datetime) -> QuerySet[ApiToken]:
    return tokens_of(person).filter(revoked_at=None, expires_at__gt=now)


def access_token(person: User, pk: int) -> ApiToken:
    """A token of one's own; others' do not exist. Raises NotFound."""
    found = tokens_of(person).filter(pk=pk).first()
    if found is None:
        raise NotFound(_("token"))
    return found
