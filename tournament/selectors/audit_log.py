"""Searches an event's audit log: who did what to whom, when and why."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Prefetch, Q, QuerySet, TextField
from django.db.models.functions import Cast

from tournament.models import (
    AuditRow,
    Ban,
    DeckCheck,
    Event,
    JudgeCall,
    Match,
    Penalty,
    Registration,
    Round,
    Seat,
    Series,
    Staff,
    User,
    Webhook,
)

PAGE = 50
AT_THE_DESK = 8
OF_THE_FILE = ("statement_make", "remark_consult", "remark_note")
"""What judges write about a table is not told at the desk, where a player of the table may work."""

KINDS: dict[str, frozenset[str]] = {
    kind: frozenset(verbs.split())
    for kind, verbs in {
        "players": """
            player_register player_promote player_admit player_change player_claim player_unclaim player_invite
            player_withdraw player_drop player_return player_check_in player_check_out players_check_in
            players_check_out checkin_open checkin_close codes_renew code_make code_use bye_award bye_withdraw
            missed_settle table_keep cut_decline cut_accept event_ban event_unban person_forget""",
        "rounds": """
            round_pair round_draft round_renew round_redraw round_discard round_publish round_unpublish round_repair
            round_finish seats_swap table_move clock_start clock_pause clock_add second_day_open second_day_withdraw
            stage_open stage_withdraw stage_round flights_merge""",
        "results": "result_report result_decide round_nudge round_resolve",
        "decklists": """
            deck_register decks_lock decks_unlock decks_arrange deck_check_start deck_check_finish""",
        "judging": """
            call_open call_claim call_release call_close call_withdraw time_extend penalty_issue penalty_revoke
            match_dispute_file statement_make remark_consult remark_note ruling_give appeal_make reading_pin""",
        "event": """
            event_create event_import event_change event_close event_finish event_watch event_unwatch staff_add
            staff_remove staff_invite invitation_accept invitation_decline invitation_refuse invitation_withdraw
            invite_make invite_revoke invite_accept policy_publish cut_announce flight_join flight_leave series_add
            series_leave_out webhook_add webhook_remove delivery_resend import_ask import_fail reason_erase""",
    }.items()
}
"""What one looks for in a log: kind -> its verbs."""

Things = dict[tuple[str, str], Model]
"""(target's type, id) -> whom or what a row is about."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """One page, the latest first. `older`: where the next page begins, or None."""

    rows: list[AuditRow]
    things: Things
    older: int | None


def searched(
    event: Event, query: str = "", *, kind: str = "", verbs: Collection[str] = (), before: int | None = None
) -> LogPage:
    """The rows that hold these letters: in who did it, whom it is about, the reason, or what was written down.

    kind: of KINDS, or all. verbs: those whose words in the asker's language hold the letters. before: only rows older
    than this one.
    A constant number of queries.
    """
    rows = AuditRow.objects.filter(event=event).select_related("actor", "said")
    if query:
        rows = rows.annotate(written=Cast("data", TextField())).filter(
            Q(actor__display_name__icontains=query)
            | Q(actor__username__icontains=query)
            | Q(said__text__icontains=query)
            | Q(written__icontains=query)
            | Q(verb__in=verbs)
            | _about(event, query)
        )
    if kind:
        rows = rows.filter(verb__in=KINDS[kind])
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    shown = found[:PAGE]
    return LogPage(shown, things_of(shown), shown[-1].pk if len(found) > PAGE else None)


def lately(event: Event) -> LogPage:
    """What was done last, for everybody on the staff."""
    rows = event.audit_rows.exclude(verb__in=OF_THE_FILE).select_related("actor", "said")[:AT_THE_DESK]
    shown = list(rows)
    return LogPage(shown, things_of(shown), None)


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


def things_of(rows: Sequence[AuditRow]) -> Things:
    """Whom and what the rows are about, as far as it is still there; one query a kind, and the users they name."""
    things: Things = {}
    for model, found in _MODELS.items():
        label = model._meta.label_lower
        keys = {row.target_id for row in rows if row.target_type == label and row.target_id.isdecimal()}
        if model is User:
            keys |= {str(row.data["user"]) for row in rows if row.data.get("user")}
        if keys:
            things |= {(label, str(one.pk)): one for one in found().filter(pk__in=keys)}
    return things


_MODELS: dict[type[Model], Callable[[], QuerySet[Any]]] = {
    Registration: Registration.objects.all,
    Match: lambda: (
        Match.objects.select_related("round")
        .defer("round__explanation")
        .prefetch_related(Prefetch("seats", Seat.objects.select_related("registration")))
    ),
    Round: Round.objects.all,
    JudgeCall: lambda: JudgeCall.objects.select_related("registration"),
    Penalty: lambda: Penalty.objects.select_related("registration"),
    DeckCheck: lambda: DeckCheck.objects.select_related("registration"),
    Series: Series.objects.all,
    Staff: lambda: Staff.objects.select_related("user"),
    Ban: lambda: Ban.objects.select_related("user"),
    Webhook: Webhook.objects.all,
    User: User.objects.all,
}
