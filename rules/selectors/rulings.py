"""Rulings with their context, who may review them, and the current text of the rules they cite."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from rules.law.system_files import keys, sentence_hash
from rules.law.system_files import system as system_file
from rules.models import Dispute, Ruling

RULINGS: QuerySet[Ruling] = Ruling.objects.select_related(
    "judge", "dispute", "adjudication", "supersedes", "appeal__by", "precedent"
).prefetch_related("marks", "cards", "groups", "successors__marks")
"""With both statuses, cards and what superseded them at hand."""


def judged_rulings(user: Any) -> QuerySet[Ruling]:
    """The rulings that `user` may read as a judge: of the events judged (never of an own match), and on own free
    disputes; all of them for the site's own staff."""
    rulings: QuerySet[Ruling] = Ruling.objects.all()
    if not user.is_authenticated:
        return rulings.none()
    return rulings if user.is_staff else rulings.filter(import_string(settings.JUDGED)(user, "rulings"))


def judged_disputes(user: Any) -> QuerySet[Dispute]:
    """The disputes that `user` may read as a judge."""
    disputes = Dispute.objects.all()
    if not user.is_authenticated:
        return disputes.none()
    return disputes if user.is_staff else disputes.filter(import_string(settings.JUDGED)(user, "disputes"))


def law_now(ruling: Ruling) -> dict[str, str]:
    """For every rule that the ruling cites, the hash of its sentence now; empty where the rule is gone."""
    found = {}
    for one in ruling.citations:
        key = one.get("system") or ruling.system
        law = system_file(key).law if key in keys() else {}
        found[one["rule"]] = sentence_hash(law[one["rule"]].says) if one["rule"] in law else ""
    return found
