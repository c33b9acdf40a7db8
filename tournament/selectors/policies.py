"""All policies: built-in ones and those organizers wrote. Both are used alike."""

from django.db.models import Max, QuerySet

from decks.law.model import Format
from tournament.models import PolicyVersion
from tournament.policy import policy_files
from tournament.policy.model import Policy

SINGLE_GAME = "single-game"  # for any game that has no policy of its own


def policies() -> dict[str, Policy]:
    """Every policy by key, shipped ones first, each kind in order of title."""
    newest = PolicyVersion.objects.values("key").annotate(last=Max("pk")).values("last")
    written = [_read(row) for row in PolicyVersion.objects.filter(pk__in=newest)]
    return policy_files.policies() | {one.key: one for one in sorted(written, key=lambda one: one.title)}


def policy_current(key: str) -> Policy:
    """The policy of that key as it is now. Raises UserError `unknown-policy` with the nearest known ones."""
    if key in policy_files.shipped():
        return policy_files.policy(key)
    newest = PolicyVersion.objects.filter(key=key).order_by("-number").first() if "\x00" not in key else None
    if newest is None:
        written = PolicyVersion.objects.values_list("key", flat=True).distinct()
        raise policy_files.unknown(key, sorted({*policy_files.shipped(), *written}))
    return _read(newest)


def usual_policy(format: Format) -> Policy:
    """What events of the format are run by unless somebody says otherwise: its own policy, its game's, or the one for
    any game."""
    known = policies()
    return next(known[key] for key in (format.key, format.game, SINGLE_GAME) if key in known)


def policy_versions(key: str) -> QuerySet[PolicyVersion]:
    """What was put in force under that key, newest first; nothing for a shipped one."""
    return PolicyVersion.objects.filter(key=key).select_related("author").order_by("-number")


def _read(row: PolicyVersion) -> Policy:
    return policy_files.read(row.document, name=row.key)
