"""Disputes at a table, filed with the engine. A ruling on one is `rules.services.ruling_file`'s business."""

from datetime import datetime

from django.db import transaction

from config.audit import audit
from rules import services as rules_services
from tournament.models import Match, MatchDispute, User
from tournament.selectors import JUDGES, require


def dispute_file(*, match: Match, by: User, title: str, source: str, now: datetime) -> MatchDispute:
    """File the situation at a table, written as a scenario, and queue its adjudication.

    Raises Forbidden for who is not a judge, head judge or organizer of the event; UserError from the reader.
    """
    event = match.round.event
    require(by, event, JUDGES)
    with transaction.atomic():
        dispute = rules_services.dispute_file(by=by, title=title, source=source, now=now)
        filed = MatchDispute.objects.create(match=match, dispute=dispute)
        audit("match_dispute_file", actor=by, target=match, event=event, data={"dispute": dispute.pk})
    return filed
