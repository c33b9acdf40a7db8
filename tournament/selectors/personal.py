"""Everything we store about a person, for that person."""

from typing import Any

from django.db.models import TextField, Value
from django.db.models.functions import Coalesce

from decks.models import Deck
from tournament.models import AuditRow, Registration, Report, User

_REASON = Coalesce("said__text", Value("", output_field=TextField()))


def personal_data(person: User) -> dict[str, Any]:
    """All of it as plain values, by subject. What others wrote about the person in their own words is not in it."""
    return {
        "account": {
            "username": person.username,
            "display_name": person.display_name,
            "pronouns": person.pronouns,
            "language": person.language,
            "email": person.email,
            "email_confirmed": person.email_confirmed_at,
            "joined": person.date_joined,
            "last_login": person.last_login,
        },
        "tokens": list(person.tokens.values("name", "start", "scopes", "made_at", "expires_at", "used_at")),
        "ways_in": list(
            person.one_time_secrets.values("purpose", "address", "made_by__username", "made_at", "used_at")
        ),
        "alerts": list(person.alert_addresses.values("way", "kinds", "endpoint", "language", "made_at")),
        "entries": [_entry(one) for one in person.registrations.select_related("event")],
        "staff": list(person.staffed.values("event__slug", "role")),
        "invitations": list(
            person.invitations.values("event__slug", "role", "entry__name", "state", "made_at", "ended_at")
        ),
        "lists": [_deck(one) for one in Deck.objects.filter(owner=person).prefetch_related("revisions")],
        "reports": list(
            Report.objects.filter(by=person).values("match", "match__round__event__slug", *Report.SAID)
        ),
        "disputes": list(person.disputes.values("title", "source", "filed_at")),
        "tables": list(person.tables.values("title", "opened_at", "changed_at")),
        "bans": list(person.bans.values("event__slug", "reason", "at", "lifted_at")),
        "audit_log": list(
            AuditRow.objects.filter(actor=person)
            .order_by("pk")
            .values("verb", "event__slug", "target_type", "target_id", "data", "at", reason=_REASON)
        ),
    }


def _entry(entry: Registration) -> dict[str, Any]:
    return {
        "event": entry.event.slug,
        "name": entry.name,
        "pronouns": entry.pronouns,
        "club": entry.club,
        "state": entry.state,
        "registered_at": entry.registered_at,
        "checked_in_at": entry.checked_in_at,
        "penalties": list(entry.penalties.values("infraction", "level", "note", "at")),
    }


def _deck(deck: Deck) -> dict[str, Any]:
    revisions = [
        {"number": one.number, "text": one.source, "at": one.submitted_at} for one in deck.revisions.all()
    ]
    return {"name": deck.name, "format": deck.format, "lists": revisions}
