"""Repairs a published round after a corrected result: changes the fewest tables."""

from dataclasses import asdict, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from tournament.models import JudgeCall, Match, Round, User
from tournament.selectors import ORGANIZERS, policy_of, require
from tournament.selectors.repairs import Plan, repair_plan, seated, tables_of
from tournament.services.checks import text
from tournament.services.locks import lock_event
from tournament.services.rounds.drafts import seat
from tournament.swiss import Digits, Pair, explained
from tournament.swiss.repair import Change
from tournament.swiss.words import sentence_repaired


def round_repair(
    *, round: Round, mark: str, reason: str, clock_counts: bool = True, by: User, now: datetime
) -> Round:
    """Carry out the smallest repair of a published round (`selectors.repairs.repair_plan`).

    mark: the plan the asker looked at; where another one is the smallest by now, it is refused. The matches of changed
    tables are new ones: a report on its way to an old one finds it gone. Begun tables stay.
    Raises Forbidden, UserError `missing`; Conflict `nothing-to-repair`, `plan-changed`.
    """
    require(by, round.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    try:
        with transaction.atomic():
            round.event = lock_event(round.event)
            claimed = Round.objects.published().filter(pk=round.pk, finished_at=None)
            if not claimed.update(edition=F("edition") + 1):
                raise _nothing()
            # Held until the end, as a report holds its match: the two take turns.
            list(
                Match.objects.select_for_update(no_key=True).filter(round=round).values_list("pk", flat=True)
            )
            round.refresh_from_db()
            plan = repair_plan(round, clock_counts=clock_counts)
            if plan.code != "repair" or plan.repair is None:
                raise _nothing()
            if plan.mark != mark:
                raise Conflict(
                    "plan-changed",
                    _("The smallest repair has changed."),
                    remedy=_("Look at the new one, then decide."),
                )
            tables = [_carry_out(round, change) for change in plan.repair.changes]
            _explain(round, plan)
            data = {
                "number": round.number,
                "tables": sorted(n for part in tables for n in part if n is not None),
            }
            audit("round_repair", actor=by, target=round, event=round.event, reason=reason, data=data)
    except (IntegrityError, ProtectedError) as error:
        raise Conflict(
            "plan-changed",
            _("A table has just reported, so it stays."),
            remedy=_("Look at the new one, then decide."),
        ) from error
    return round


def _carry_out(round: Round, change: Change) -> list[int | None]:
    """The old matches go; the new ones are at the same tables."""
    matches = {frozenset(who): match for match, who in tables_of(round).items()}
    numbers = dict(Match.objects.filter(round=round).values_list("pk", "table"))
    old = [matches[frozenset(table)] for table in change.before]
    JudgeCall.objects.filter(match__in=old, judge=None, closed_at__isnull=False).update(match=None)
    Match.objects.filter(pk__in=old).delete()
    free = [number for match in old if (number := numbers[match]) is not None]
    kept = [
        (numbers[match], table)
        for match, table in zip(old, change.after, strict=True)
        if numbers[match] is not None and table[1] is not None
    ]
    left = [number for number in free if number not in {number for number, _table in kept}]
    rest = [table for table in change.after if table[1] is not None and table not in [t for _n, t in kept]]
    byes = [(None, table) for table in change.after if table[1] is None]
    placed = [*kept, *zip(left, rest, strict=True), *byes]
    seat(round, [(number, table[0], table[1]) for number, table in placed])
    return [number for number, _table in placed]


def _explain(round: Round, plan: Plan) -> None:
    """Say of each changed table why it is as it is; what was said of its players before goes."""
    assert plan.repair is not None
    changed = [table for change in plan.repair.changes for table in change.after]
    told = explained(seated(round), policy_of(round.event).pairing, round.seed, changed)
    gone = {id for table in changed for id in table if id is not None}
    kept = [one for one in round.explanation.get("by_hand", ()) if not gone & {one["first"], one["second"]}]
    round.explanation["by_hand"] = [*kept, *({**asdict(_said(one)), "repaired": True} for one in told)]
    round.save(update_fields=["explanation"])


def _said(pair: Pair) -> Pair:
    digits: Digits = pair.digits
    return replace(pair, sentence=sentence_repaired(digits, pair.first_score, pair.second_score))


def _nothing() -> Conflict:
    return Conflict(
        "nothing-to-repair",
        _("There is nothing to change: no other tables would make this round better."),
    )
