"""The audit trail of an event, searched: who did what to whom, when and why."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from tournament.models import AuditRow, Event, JudgeCall, Match, Penalty, Registration, Round

PAGE = 50


@dataclass(frozen=True, slots=True)
class Trail:
    """One page, the latest first. `names`: (target's type, id) -> whom or what it is about; `older`: where the next
    page begins, or None."""

    rows: list[AuditRow]
    names: dict[tuple[str, str], str]
    older: int | None


def trail(event: Event, query: str = "", *, verbs: Collection[str] = (), before: int | None = None) -> Trail:
    """The rows that hold these letters: in who did it, whom it is about, the reason, or what was written down.

    verbs: those whose words in the asker's language hold the letters. before: only rows older than this one.
    A constant number of queries.
    """
    rows = AuditRow.objects.filter(event=event).select_related("actor")
    if query:
        rows = rows.annotate(written=Cast("data", TextField())).filter(
            Q(actor__display_name__icontains=query)
            | Q(actor__username__icontains=query)
            | Q(reason__icontains=query)
            | Q(written__icontains=query)
            | Q(verb__in=verbs)
            | _about(event, query)
        )
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    shown = found[:PAGE]
    return Trail(shown, _names(shown), shown[-1].pk if len(found) > PAGE else None)


def _about(event: Event, query: str) -> Q:
    """Rows about players of that name, and about their matches and penalties."""
    players = Registration.objects.filter(event=event, name__icontains=query)
    matches = Match.objects.filter(seats__registration__in=players)
    penalties = Penalty.objects.filter(registration__in=players)
    found = Q()
    for model, asked in ((Registration, players), (Match, matches), (Penalty, penalties)):
        keys = [str(pk) for pk in asked.values_list("pk", flat=True)[:500]]
        found |= Q(target_type=model._meta.label_lower, target_id__in=keys)
    return found


def _names(rows: Sequence[AuditRow]) -> dict[tuple[str, str], str]:
    """What the rows are about, in words that need no translation: names, rounds and tables as numbers."""
    names: dict[tuple[str, str], str] = {}
    for pk, name in Registration.objects.filter(pk__in=_keys(rows, Registration)).values_list("pk", "name"):
        names[Registration._meta.label_lower, str(pk)] = name
    penalties = Penalty.objects.filter(pk__in=_keys(rows, Penalty))
    for pk, name in penalties.values_list("pk", "registration__name"):
        names[Penalty._meta.label_lower, str(pk)] = name
    seats = Match.objects.filter(pk__in=_keys(rows, Match)).order_by("pk", "seats__side")
    for pk, name in seats.values_list("pk", "seats__registration__name"):
        key = Match._meta.label_lower, str(pk)
        names[key] = f"{names[key]} \u2013 {name}" if key in names else name
    for pk, number in Round.objects.filter(pk__in=_keys(rows, Round)).values_list("pk", "number"):
        names[Round._meta.label_lower, str(pk)] = str(number)
    for pk, table in JudgeCall.objects.filter(pk__in=_keys(rows, JudgeCall)).values_list("pk", "table"):
        names[JudgeCall._meta.label_lower, str(pk)] = str(table)
    return names


def _keys(rows: Sequence[AuditRow], model: type) -> list[int]:
    label = model._meta.label_lower  # type: ignore[attr-defined]
    return [int(row.target_id) for row in rows if row.target_type == label and row.target_id.isdecimal()]
