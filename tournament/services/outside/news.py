"""What an event's webhooks are told, and players who want alerts: read off the audit log, so that whatever service did
it, it is told.

config.audit calls `audit_written` for every row, inside the transaction of the change.
"""

from typing import Any

from django.utils import timezone

from tournament.models import AuditRow, Event, MatchDispute, Round, Webhook
from tournament.selectors import MATCHES, match_state
from tournament.services.outside.alerts import alerts_heard
from tournament.services.outside.webhooks import tell

Kind = Webhook.Kind


def audit_written(row: AuditRow) -> None:
    """Tell what this row of the audit log means to others, programs and players; most mean nothing."""
    alerts_heard(row)
    made = _NEWS.get((row.verb, row.target_type))
    found = made(row) if made is not None else None
    if found is not None:
        event, kind, data = found
        tell(event=event, kind=kind, data=data, now=timezone.now())


News = tuple[Event, str, dict[str, Any]] | None


def _round(row: AuditRow) -> News:
    round = Round.objects.published().select_related("event").filter(pk=row.target_id).first()
    if round is None or not _anybody(round.event):
        return None
    tables = MATCHES.filter(round=round).order_by("table")
    pairings = [
        {
            "match": match.pk,
            "table": match.table,
            "players": [seat.registration.name for seat in match.seats.all()],
        }
        for match in tables
    ]
    return (
        round.event,
        Kind.ROUND_PUBLISHED,
        {"round": round.number, "title": round.title, "pairings": pairings},
    )


def _result(row: AuditRow) -> News:
    if row.event is None or not _anybody(row.event):
        return None
    match = MATCHES.select_related("round").get(pk=row.target_id)
    state = match_state(match)
    if not state.settled:
        return None
    data = {
        "match": match.pk,
        "round": match.round.number,
        "table": match.table,
        "players": [seat.registration.name for seat in match.seats.all()],
        "outcome": state.outcome,
        "games": state.games,
        "decided_by_staff": row.verb == "result_decide",
    }
    return row.event, Kind.RESULT_SETTLED, data


def _ruling(row: AuditRow) -> News:
    filed = (
        MatchDispute.objects.select_related("match__round__event")
        .filter(dispute__rulings__pk=row.target_id)
        .first()
    )
    if filed is None or not _anybody(filed.match.round.event):
        return None
    data = {
        "ruling": int(row.target_id),
        "dispute": filed.dispute_id,
        "match": filed.match_id,
        "round": filed.match.round.number,
        "table": filed.match.table,
        "verdict": row.reason,
        "side": row.data.get("side"),
    }
    return filed.match.round.event, Kind.RULING_FILED, data


def _anybody(event: Event) -> bool:
    return Webhook.objects.filter(event=event, removed_at=None).exists()


_NEWS = {
    ("round_pair", "tournament.round"): _round,
    ("round_publish", "tournament.round"): _round,
    ("stage_round", "tournament.round"): _round,
    ("result_report", "tournament.match"): _result,
    ("result_decide", "tournament.match"): _result,
    ("ruling_file", "rules.ruling"): _ruling,
}
