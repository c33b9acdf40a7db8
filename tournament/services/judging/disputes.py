"""Disputes at a table: laid out on a board, filed with the engine. `ruling_give` rules on them."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import UserError
from rules import services as rules_services
from rules.models import Table
from rules.table.draft import seat_words
from tournament.models import JudgeCall, Match, MatchDispute, User
from tournament.selectors.boards import address_of_boards, board_of, named_in, seats_of, system_of
from tournament.selectors.remarks import require_judge_at, statements_for
from tournament.selectors.rulings import pinned


def board_open(*, match: Match, by: User, now: datetime, system: str = "") -> Table:
    """The judge's board at a match: the one worked on last until a ruling was given on it, else a new one.

    A new one has the event's game, the two players, and the cards that the statements name and one of the decklists
    has; of a card in play it is asked already whether its player may use it. Raises Forbidden; UserError where no
    timing system of ours is the event's and none is chosen.
    """
    require_judge_at(by, match)
    last = board_of(by, match)
    if last is not None and not last.disputes.filter(rulings__isnull=False).exists():
        return last
    key = system or system_of(match.round.event)
    if not key:
        raise UserError("no-system", _("Choose the rules to apply."), place="system")
    entries = [seat.registration for seat in match.seats.select_related("registration")]
    words = seat_words([entry.name for entry in entries])
    with transaction.atomic():
        table = rules_services.table_open(
            by=by, system=key, players=words, filing_at=address_of_boards(match), now=now
        )
        said = [one.text for one in statements_for(by, match)]
        for name, side in named_in(said, key, seats_of(match, key, words)):
            if not side:
                continue
            card = rules_services.table_put_library_card(table=table, name=name, side=side, now=now)
            laid = table.scenario["cards"][card]
            if "of" in laid and "zone" not in laid:  # in play, and somebody's
                question = {"legal": {"who": side, "use": card}}
                rules_services.table_ask(table=table, question=question, now=now)
    return table


def board_file(
    *, match: Match, table: Table, line: int, step: int, keep: bool, title: str, by: User, now: datetime
) -> MatchDispute:
    """File what is on a judge's board as a dispute of its match. The same again is the dispute that there is."""
    title = title.strip() or table.title
    told = rules_services.table_told(table=table, line=line, step=step, keep=keep)
    same = rules_services.table_filed(table=table, line=line, step=step, keep=keep, by=by)
    if same is not None:
        return MatchDispute.objects.get(dispute=same, match=match)
    return dispute_file(
        match=match, by=by, title=title or rules_services.table_name(table), source=told, table=table, now=now
    )


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
            urgent=match.round.finished_at is None,
        )
        filed = MatchDispute.objects.create(match=match, dispute=dispute)
        JudgeCall.objects.filter(match=match, closed_at=None).update(dispute=filed)
        audit("match_dispute_file", actor=by, target=match, event=event, data={"dispute": dispute.pk})
    return filed
