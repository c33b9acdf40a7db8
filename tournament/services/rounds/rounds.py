"""The life of a round: drafted, published, ended; unpublished as long as nothing has been reported."""

import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.audit import audit
from config.errors import Conflict
from decks.models import LegalityReport
from tournament.models import Event, JudgeCall, Match, Registration, Report, Round, User
from tournament.selectors import ORGANIZERS, drift, open_matches, policy_of, require
from tournament.selectors.rulings import open_appeals
from tournament.selectors.stages import cut_is_due, second_day_is_due
from tournament.services.checks import text
from tournament.services.entry.checkin import must_not_be_open
from tournament.services.locks import lock_event
from tournament.services.rounds.clock import clock_begin, clock_clear
from tournament.services.rounds.drafts import (
    SEED_BITS,
    already_paired,
    make_draft,
    seat,
    unseat,
    why_not_claimed,
)
from tournament.services.rounds.stage_ends import bracket_results_must_stand, stage_finished


def round_pair(
    *,
    event: Event,
    by: User,
    seed: int | None = None,
    number: int | None = None,
    start_clock: bool = False,
    now: datetime,
) -> Round:
    """Pair and publish the next round in one: all of it or nothing.

    The first one pins the policy and the number of rounds. A former round whose results are all in is closed
    with it. number: the round the asker expects to pair; another one is a Conflict, so that pressing twice is
    safe. seed: for simulations and tests; no page and no request can name one.
    Raises Forbidden; Conflict `results-missing` (naming the tables), `already-paired`, `draft-waiting`,
    `too-few-players`, `decks-missing`, `decks-illegal`, `all-rounds-played`, `event-over`.
    """
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(event)
            round = _drafted(event, by, number, now, seed)
            _publish(round, by, now, start_clock, seed)
            data = {"number": round.number, "seed": round.seed}
            audit("round_pair", actor=by, target=round, event=event, data=data)
    except IntegrityError as error:
        raise already_paired(number) from error
    return round


def round_draft(
    *, event: Event, by: User, number: int | None = None, seed: int | None = None, now: datetime
) -> Round:
    """Pair the next round for the organizers' eyes alone. Arguments and errors as in `round_pair`."""
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(event)
            round = _drafted(event, by, number, now, seed)
            data = {"number": round.number, "seed": round.seed}
            audit("round_draft", actor=by, target=round, event=event, data=data)
    except IntegrityError as error:
        raise already_paired(number) from error
    return round


def round_publish(
    *, round: Round, edition: int | None = None, start_clock: bool = False, by: User, now: datetime
) -> Round:
    """Show the draft to everybody. edition: the one the asker looked at; another one is a Conflict.

    A draft made of what is no longer so (somebody dropped or came, a result was corrected) is not published.
    Raises Forbidden; Conflict `no-draft`, `published`, `draft-changed`, `draft-outdated`, `decks-missing`,
    `decks-illegal`.
    """
    require(by, round.event, ORGANIZERS)
    with transaction.atomic():
        event = lock_event(round.event)
        drafts = Round.objects.filter(pk=round.pk, published_at=None)
        looked_at = drafts if edition is None else drafts.filter(edition=edition)
        # The first to change the row has it: neither a second publication nor a change by hand comes between.
        if not looked_at.update(edition=F("edition") + 1):
            raise why_not_claimed(round)
        draft = Round.objects.select_related("event").get(pk=round.pk)
        _must_be_up_to_date(draft)
        draft.event = event
        _publish(draft, by, now, start_clock, None)
        data = {"number": draft.number, "edition": draft.edition}
        audit("round_publish", actor=by, target=draft, event=event, data=data)
    return draft


def round_unpublish(*, round: Round, reason: str, by: User, now: datetime) -> Round:
    """Take a publication back while nothing has happened at the tables: the round is a draft again.

    Its random seed stays, and its matches are new ones: a report on its way to an old one finds it gone.
    Raises Forbidden, UserError `missing`; Conflict `not-published`, `round-over`, `results-in`, `calls-open`.
    """
    require(by, round.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    if round.stage_id is not None:
        raise Conflict(
            "bracket",
            _("A bracket round follows from the results before it."),
            remedy=_("Until a bracket match is played, you can undo the whole cut."),
        )
    try:
        with transaction.atomic():
            lock_event(round.event)
            published = Round.objects.published().filter(pk=round.pk, finished_at=None)
            if not published.update(published_at=None, nudged_at=None, edition=F("edition") + 1):
                raise _not_to_take_back(round)
            # Held until the end, as a report holds its match: the two take turns.
            list(
                Match.objects.select_for_update(no_key=True).filter(round=round).values_list("pk", flat=True)
            )
            _must_be_untouched(round)
            seat(round, unseat(round))
            clock_clear(round, by, now)
            data = {"number": round.number}
            audit("round_unpublish", actor=by, target=round, event=round.event, reason=reason, data=data)
    except (IntegrityError, ProtectedError) as error:
        raise _results_in(round) from error
    round.refresh_from_db()
    return round


def round_finish(*, round: Round, by: User, now: datetime) -> Round:
    """Close a round; every result must be in.

    Raises Forbidden, Conflict `results-missing`, `calls-open`, `round-over`, `not-published`.
    """
    require(by, round.event, ORGANIZERS)
    with transaction.atomic():
        round.event = lock_event(round.event)
        finish_round(round, by, now)
    return round


def _drafted(event: Event, by: User, number: int | None, now: datetime, seed: int | None) -> Round:
    """The draft of the next round, when there may be one."""
    last = event.rounds.order_by("-number").first()
    if last is not None and last.published_at is None:
        if number not in (None, last.number):
            raise already_paired(number)
        raise Conflict(
            "draft-waiting",
            _("A draft of round %(number)s is waiting.") % {"number": last.number},
            remedy=_("Review it, then publish or discard it."),
        )
    following = last.number + 1 if last else 1
    if number is not None and number != following:
        raise already_paired(number)
    if event.state == Event.State.FINISHED:
        raise Conflict("event-over", _("The event is over."))
    if last is None:
        must_not_be_open(event)
        _must_have_decks(event)
    elif last.finished_at is None:
        finish_round(last, by, now)
    if second_day_is_due(event):
        raise Conflict(
            "first-day-over",
            _("The first day is over."),
            remedy=_("Make the cut to the second day, then pair its first round."),
        )
    if event.planned_rounds is not None and following > event.planned_rounds:
        raise Conflict(
            "all-rounds-played",
            _("All %(count)s announced rounds have been played.") % {"count": event.planned_rounds},
            remedy=_("End the last round. The standings are final."),
        )
    return make_draft(event, following, by, now, seed)


def _publish(round: Round, by: User, now: datetime, start_clock: bool, seed: int | None) -> None:
    if round.event.policy is None:
        _pin(round.event, seed)
    round.published_at = now
    round.save(update_fields=["published_at"])
    if start_clock:
        clock_begin(round, by, now)


def _pin(event: Event, seed: int | None) -> None:
    """Fix what the event is played by: the policy's content, rounds and cut by attendance, the last tie-breaker's
    lot."""
    must_not_be_open(event)
    _must_have_decks(event)
    policy = policy_of(event)
    event.policy = policy.document
    active = event.registrations.filter(state=Registration.State.ACTIVE).count()
    row = policy.rounds_for(active)
    if event.planned_rounds is None:
        event.planned_rounds = row.rounds
    if event.cut is None:
        event.cut = row.rule.document
    event.standings_seed = secrets.randbits(SEED_BITS) if seed is None else seed
    event.state = Event.State.RUNNING
    event.save(update_fields=["policy", "planned_rounds", "cut", "standings_seed", "state"])


def _must_have_decks(event: Event) -> None:
    """Where lists are required, everybody has one that is legal as the event plays now (its date and rules may have
    changed since), or was admitted with a reason. Raises Conflict `decks-missing`, `decks-illegal`."""
    if policy_of(event).decklists != "required":
        return
    lists = event.registrations.filter(state=Registration.State.ACTIVE, deck_override="")
    _must_be_nobody(
        lists.filter(revision=None),
        "decks-missing",
        _("No decklist registered: %(names)s."),
        _("Register a decklist, admit the player without one (with a reason), or drop the player."),
    )
    _must_be_nobody(
        lists.filter(report__verdict=LegalityReport.Verdict.ILLEGAL),
        "decks-illegal",
        _("Decklist not legal here: %(names)s."),
        _("Have the decklist changed, admit it as it is (with a reason), or drop the player."),
    )


def _must_be_nobody(players: QuerySet[Registration], code: str, message: str, remedy: str) -> None:
    names = list(players.values_list("name", flat=True)[:11])
    if names:
        shown = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        raise Conflict(code, message % {"names": shown}, remedy=remedy, details={"names": names})


def _must_be_up_to_date(draft: Round) -> None:
    changed = drift(draft)
    if changed:
        names = changed.gone + changed.new + changed.different
        raise Conflict(
            "draft-outdated",
            _("Something about %(names)s has changed since this draft was paired.")
            % {"names": ", ".join(names[:10]) + (" …" if len(names) > 10 else "")},
            remedy=_("Pair it again with the current data. The random seed stays the same."),
            details={"gone": changed.gone, "new": changed.new, "different": changed.different},
        )


def finish_round(round: Round, by: User, now: datetime) -> None:
    """Close a round inside another service; the last one closes the event, unless a cut is to follow."""
    _close(round, by, now)
    event = round.event
    if round.stage_id is not None:
        stage_finished(round, by, now)
    elif round.number == event.planned_rounds and not cut_is_due(event):
        event.state = Event.State.FINISHED
        event.save(update_fields=["state"])
        audit("event_finish", actor=by, target=event, event=event)


def _close(round: Round, by: User, now: datetime) -> None:
    """Close the round, which takes every result. The UPDATE decides between this and taking it back."""
    if not Round.objects.published().filter(pk=round.pk, finished_at=None).update(finished_at=now):
        raise _not_to_take_back(round)
    missing = open_matches(round)
    if missing:
        tables = [match.table for match in missing if match.table is not None]
        shown = ", ".join(str(table) for table in tables[:20]) + (" …" if len(tables) > 20 else "")
        raise Conflict(
            "results-missing",
            ngettext(
                "Round %(number)s: no final result at table %(tables)s.",
                "Round %(number)s: no final result at tables %(tables)s.",
                len(tables),
            )
            % {"number": round.number, "tables": shown},
            remedy=_("Wait for both players’ reports, or decide the result."),
            details={"round": round.number, "tables": tables},
        )
    _nobody_waits_for_a_judge(round)
    if round.stage_id is not None:
        bracket_results_must_stand(round)
    round.finished_at = now
    audit("round_finish", actor=by, target=round, event=round.event, data={"number": round.number})


def _nobody_waits_for_a_judge(round: Round) -> None:
    """A call or an appeal that is not over may still change a result. Raises Conflict `calls-open`."""
    calls = JudgeCall.objects.filter(match__round=round, closed_at=None).values_list("table", flat=True)
    appeals = open_appeals(round.event).filter(match__round=round).values_list("match__table", flat=True)
    tables = sorted({table for table in (*calls, *appeals) if table is not None})
    if tables:
        raise Conflict(
            "calls-open",
            ngettext(
                "A judge call or appeal is open at table %(tables)s.",
                "Judge calls or appeals are open at tables %(tables)s.",
                len(tables),
            )
            % {"tables": ", ".join(map(str, tables))},
            remedy=_("Close the call with an outcome, or decide the appeal; then you can end the round."),
            details={"round": round.number, "tables": tables},
        )


def _not_to_take_back(round: Round) -> Conflict:
    now = Round.objects.filter(pk=round.pk).first()
    if now is None or now.finished_at is None:  # published only since it was looked at, if it is at all
        return Conflict("not-published", _("Round %(number)s isn’t published.") % {"number": round.number})
    return Conflict("round-over", _("Round %(number)s has already ended.") % {"number": round.number})


def _must_be_untouched(round: Round) -> None:
    """Nothing was reported, and nobody at the round's tables waits for a judge. Raises Conflict `results-in`,
    `calls-open`."""
    if Report.objects.filter(match__round=round).exists():
        raise _results_in(round)
    calls_let_go(
        [round],
        _(
            "Whoever called can cancel the call on the match page; then you can unpublish the round. "
            "Once a judge has come, the round stays: correct individual tables instead."
        ),
    )


def calls_let_go(rounds: Iterable[Round], remedy: str) -> None:
    """Before matches go: with a table would go its call, so nobody may wait for a judge there. A call that was taken
    back keeps nothing; it is no longer a table's. Raises Conflict `calls-open` with this remedy."""
    calls = JudgeCall.objects.filter(match__round__in=rounds)
    open_at = calls.filter(closed_at=None).values_list("table", flat=True)
    waiting = sorted(table for table in open_at if table is not None)
    if waiting:
        raise Conflict(
            "calls-open",
            ngettext(
                "A judge has been called to table %(tables)s.",
                "A judge has been called to tables %(tables)s.",
                len(waiting),
            )
            % {"tables": ", ".join(map(str, waiting))},
            remedy=remedy,
            details={"tables": waiting},
        )
    calls.filter(judge=None, closed_at__isnull=False).update(match=None)


def _results_in(round: Round) -> Conflict:
    return Conflict(
        "results-in",
        _("Something has already been recorded at tables of round %(number)s.") % {"number": round.number},
        remedy=_("Let it be played, and correct individual results where they are wrong."),
    )
