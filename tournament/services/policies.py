"""Policies that organizers write: copied from another, changed, published for events that haven't started."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from tournament.models import PolicyVersion, User
from tournament.policy import policy_files
from tournament.policy.model import Policy

TEXT_MAX = 100_000


def policy_read(*, source: str | bytes | Mapping[str, Any]) -> Policy:
    """A policy, as a file's text or in its plain form, checked, nothing stored.

    Raises UserError `too-large`, `bad-yaml` (with the line), `bad-policy` (with the place).
    """
    if isinstance(source, str | bytes):
        if len(source) > TEXT_MAX:
            raise UserError(
                "too-large", _("A policy can have at most %(most)s characters.") % {"most": TEXT_MAX}
            )
        return policy_files.parsed(source, name="policy.yaml")
    return policy_files.read(dict(source), name="policy.yaml")


def policy_publish(
    *, source: str | bytes | Mapping[str, Any], note: str = "", by: User, now: datetime
) -> PolicyVersion:
    """Put a policy in force from now on. Events that have begun keep the one that was pinned.

    A new key is its author's; later versions come from the author or a site administrator. What is in force already
    changes nothing. Raises UserError (see `policy_read`), Forbidden `not-your-policy`, Conflict `published-twice`.
    """
    policy = policy_read(source=source)
    newest = PolicyVersion.objects.filter(key=policy.key).order_by("-number").first()
    if not may_publish(by, policy.key):
        raise Forbidden(
            "not-your-policy",
            _("The policy “%(key)s” belongs to someone else.") % {"key": policy.key},
            remedy=_("Give your copy its own key and title."),
        )
    if newest is not None and newest.document == policy.document:
        return newest
    try:
        with transaction.atomic():
            version = PolicyVersion.objects.create(
                key=policy.key,
                number=newest.number + 1 if newest else 1,
                title=policy.title[:120],
                document=policy.document,
                note=" ".join(note.split())[:200],
                author=by,
                made_at=now,
            )
            data = {"key": version.key, "number": version.number}
            audit("policy_publish", actor=by, target=version, reason=version.note, data=data)
    except IntegrityError as error:
        raise Conflict(
            "published-twice", _("Someone else just published another version. Look at it first.")
        ) from error
    return version


def may_publish(user: Any, key: str) -> bool:
    """Whether the user may put a version of this policy in force; shipped ones are nobody's to change."""
    if not user.is_authenticated or key in policy_files.shipped():
        return False
    first = PolicyVersion.objects.filter(key=key).order_by("number").first()
    return first is None or first.author_id == user.pk or bool(user.is_superuser)
