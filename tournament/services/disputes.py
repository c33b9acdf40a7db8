"""Disputes at a table, filed with the engine. A ruling on one is `rules.services.ruling_file`'s business."""

from datetime import datetime

from django.db import transaction

from config.audit import audit
from rules import services as rules_services
from rules.models import Table
from tournament.models import JudgeCall, Match, MatchDispute, User
from tournament.selectors.remarks import require_judge_at
from tournament.selectors.rulings import pinned


def dispute_file(
    *, match: Match, by: User, title: str, source: str, now: datetime, table: Table | None = None
) -> MatchDispute:
    """File the situation at a table, written as a scenario, and queue its adjudication. An open judge call there
    refers to it from now on. Readings that the event has settled are asked with it, where the situation settles none.

    Raises Forbidden for who is not a judge, head judge or organizer of the event, or sits at the match; UserError from
    the reader.
    """
    event = match.round.event
    require_judge_at(by, match)
    with transaction.atomic():
        settled = {key: row.option for key, row in pinned(event).items()}
        dispute = rules_services.dispute_file(
            by=by,
            title=title,
            source=source,
            now=now,
            table=table,
            pinned=settled,
            budget=event.adjudication_budget,
        )
        filed = MatchDispute.objects.create(match=match, dispute=dispute)
        JudgeCall.objects.filter(match=match, closed_at=None).update(dispute=filed)
        audit("match_dispute_file", actor=by, target=match, event=event, data={"dispute": dispute.pk})
    return filed
