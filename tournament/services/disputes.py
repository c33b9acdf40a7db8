"""Disputes at a table: filed with the engine, ruled by a judge. The engine never changes a match."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from config.audit import audit
from rules import services as rules_services
from rules.models import Adjudication, Ruling
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


def ruling_file(
    *,
    match_dispute: MatchDispute,
    by: User,
    verdict: str,
    explanation: str = "",
    adjudication: Adjudication | None = None,
    agrees: bool | None = None,
    event_side: str = Ruling.EventSide.FLOOR,
    citations: Sequence[Any] = (),
    now: datetime,
) -> Ruling:
    """Rule on a match's dispute, as a judge of the event. Raises Forbidden, and what rules raises."""
    event = match_dispute.match.round.event
    require(by, event, JUDGES)
    with transaction.atomic():
        ruling = rules_services.ruling_file(
            dispute=match_dispute.dispute,
            by=by,
            verdict=verdict,
            explanation=explanation,
            adjudication=adjudication,
            agrees=agrees,
            event_side=event_side,
            citations=citations,
            now=now,
        )
        audit(
            "match_ruling_file", actor=by, target=match_dispute.match, event=event, data={"ruling": ruling.pk}
        )
    return ruling
