"""Where the events that a person works at stand, in one sentence each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from rules.models import Dispute
from tournament.models import Event, JudgeCall, Registration, Round, User
from tournament.selectors.access import ORGANIZERS, Person
from tournament.selectors.entries import checkin_is_open
from tournament.selectors.rulings import appeals_to_decide, judged
from tournament.selectors.tables import TableRow, tables_of
from tournament.swiss import State


@dataclass(frozen=True, slots=True)
class Duty:
    """code: registration, check-in, draft, decide, wait, finish, next or over.

    tables, settled, conflicts: of the round under way; calls: judge calls nobody has taken; players: who play;
    disputes: of the round's tables, without a ruling, the first asked first: those the asker may rule on;
    appeals: the rulings whose appeals wait for the asker's word, the oldest first.
    """

    code: str
    round: Round | None
    players: int
    tables: int = 0
    settled: int = 0
    conflicts: int = 0
    calls: int = 0
    disputes: tuple[int, ...] = ()
    appeals: tuple[int, ...] = ()

    @property
    def needs_no_judge(self) -> bool:
        return not (self.appeals or self.calls or self.disputes)


def duties(events: Sequence[Event], user: Person) -> dict[int, Duty]:
    """Event -> where it stands, in a constant number of queries."""
    rounds, drafts = _rounds(events)
    tables: dict[int, list[TableRow]] = {}
    for table in tables_of([round.pk for round in rounds.values()]):
        if table.table is not None:
            tables.setdefault(table.round, []).append(table)
    players = _counted(
        Registration.objects.filter(event__in=events, state=Registration.State.ACTIVE).values_list("event")
    )
    calls = _counted(
        JudgeCall.objects.filter(event__in=events, judge=None, closed_at=None).values_list("event")
    )
    disputes = _disputes(rounds.values(), user)
    appeals: dict[int, list[int]] = {}
    for one in appeals_to_decide(user, events):
        appeals.setdefault(one.match.round.event_id, []).append(one.ruling_id)
    found = {}
    for event in events:
        states = tables.get(rounds[event.pk].pk, []) if event.pk in rounds else []
        counts = {
            "tables": len(states),
            "settled": sum(state.settled for state in states),
            "conflicts": sum(state.state == State.CONFLICT for state in states),
        }
        code = _code(event, rounds.get(event.pk), event.pk in drafts, **counts)
        found[event.pk] = Duty(
            code,
            rounds.get(event.pk),
            players.get(event.pk, 0),
            calls=calls.get(event.pk, 0),
            disputes=tuple(disputes.get(event.pk, ())),
            appeals=tuple(appeals.get(event.pk, ())),
            **counts,
        )
    return found


def events_run(user: User) -> QuerySet[Event]:
    """The finished events that somebody owned or organized, the latest first."""
    return Event.objects.filter(
        state=Event.State.FINISHED, staff__user=user, staff__role__in=ORGANIZERS
    ).distinct()


def _disputes(rounds: Iterable[Round], user: Person) -> dict[int, list[int]]:
    """Event -> the disputes at tables of these rounds that wait for a ruling of the asker."""
    found: dict[int, list[int]] = {}
    rows = Dispute.objects.filter(
        judged(user, "disputes"),
        match_dispute__match__round__in=[round.pk for round in rounds if round.finished_at is None],
        rulings=None,
    )
    for event, dispute in rows.order_by("pk").values_list("match_dispute__match__round__event", "pk"):
        found.setdefault(event, []).append(dispute)
    return found


def _rounds(events: Sequence[Event]) -> tuple[dict[int, Round], set[int]]:
    """The latest published round of each event, and the events that have a draft."""
    latest: dict[int, Round] = {}
    drafts = set()
    rows = Round.objects.filter(event__in=events).defer("explanation").select_related("stage")
    for round in rows.order_by("number"):
        if round.published_at is None:
            drafts.add(round.event_id)
        else:
            latest[round.event_id] = round
    return latest, drafts


def _counted(rows: object) -> dict[int, int]:
    return dict(rows.order_by().annotate(n=Count("pk")))  # type: ignore[attr-defined]


def _code(
    event: Event, round: Round | None, draft: bool, *, tables: int, settled: int, conflicts: int
) -> str:
    if event.state == Event.State.FINISHED:
        return "over"
    if draft:
        return "draft"
    if round is None:
        return "check-in" if checkin_is_open(event) else "registration"
    if conflicts:
        return "decide"
    if settled < tables:
        return "wait"
    return "finish" if round.finished_at is None else "next"
