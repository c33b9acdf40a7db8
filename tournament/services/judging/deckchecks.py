"""Deck checks: a judge compares a deck with its decklist, and the match gets the time back."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from math import ceil

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from decks import selectors as deck_selectors
from decks import services as deck_services
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import difference
from tournament.models import DeckCheck, Event, Extension, Match, Registration, User
from tournament.selectors import (
    JUDGES,
    access_match,
    current_round,
    match_state,
    must_sit_apart,
    policy_of,
    require,
    seat_now,
)
from tournament.selectors.coverage import checkable_tables
from tournament.services.checks import text
from tournament.services.rounds.clock import time_extend


def deck_check_start(*, registration: Registration, by: User, now: datetime) -> DeckCheck:
    """Begin to check a player's deck; the clock runs. Raises Forbidden (`own-match`), UserError `no-deck`, Conflict
    `checking`."""
    require(by, registration.event, JUDGES)
    if (seat := seat_now(registration)) is not None:
        must_sit_apart(by, seat.match, JUDGES)
    [check] = _started([registration], _round_now(registration.event), by, now)
    return check


def table_check_start(*, match: Match, by: User, now: datetime) -> list[DeckCheck]:
    """Begin to check both decks of a table. Raises as `deck_check_start`."""
    require(by, match.round.event, JUDGES)
    must_sit_apart(by, match, JUDGES)
    players = [seat.registration for seat in match.seats.select_related("registration__revision")]
    return _started(players, match.round.number, by, now)


def _started(players: Sequence[Registration], round: int | None, by: User, now: datetime) -> list[DeckCheck]:
    for player in players:
        if player.revision is None:
            raise UserError(
                "no-deck", _("%(name)s hasn’t submitted a decklist to check against.") % {"name": player.name}
            )
    checks = []
    try:
        with transaction.atomic():
            for player in players:
                assert player.revision is not None
                check = DeckCheck.objects.create(
                    registration=player, revision=player.revision, round=round, judge=by, started_at=now
                )
                audit("deck_check_start", actor=by, target=check, event=player.event)
                checks.append(check)
    except IntegrityError as error:
        raise Conflict("checking", _("This deck is already being checked.")) from error
    return checks


def _round_now(event: Event) -> int | None:
    """The round under way."""
    last = current_round(event)
    return last.number if last is not None and last.finished_at is None else None


def deck_check_finish(
    *, check: DeckCheck, seen: str = "", matches: bool = False, note: str = "", by: User, now: datetime
) -> DeckCheck:
    """End a check: the deck `matches` its list, or `seen` is the list as it was counted.

    The differences are by card; the registered list is the truth. Raises UserError for a list that cannot be read,
    Forbidden, Conflict `check-over`.
    """
    event = check.registration.event
    require(by, event, JUDGES)
    if not matches and not seen.strip():
        raise UserError(
            "no-list",
            _("Confirm that the deck matches its decklist, or enter the cards you counted."),
            place="seen",
        )
    note = text(note, "note", most=300) if note.strip() else ""
    found = [] if matches else _differences(event, check, seen)
    minutes = ceil((now - check.started_at).total_seconds() / 60) + policy_of(event).deck_checks.extra_minutes
    with transaction.atomic():
        ended = DeckCheck.objects.filter(pk=check.pk, finished_at=None).update(
            finished_at=now,
            seen="" if matches else seen,
            differences=found,
            extension=min(minutes, 999),
            note=note,
        )
        if not ended:
            raise Conflict("check-over", _("This check has already ended."))
        audit("deck_check_finish", actor=by, target=check, event=event, data={"differences": len(found)})
        _give_back(check, min(minutes, 999), by, now)
    check.refresh_from_db()
    return check


def _give_back(check: DeckCheck, minutes: int, by: User, now: datetime) -> None:
    """The table gets the minutes back while it plays: both decks' checks run at once, so the longer one counts."""
    seat = seat_now(check.registration)
    if seat is None or seat.round.number != check.round or seat.match.table is None:
        return
    match = access_match(by, seat.match_id)
    given = (
        match.extensions.filter(cause=Extension.Cause.DECK_CHECK).aggregate(all=Sum("minutes"))["all"] or 0
    )
    if minutes > given and not match_state(match).settled:
        time_extend(match=match, minutes=minutes - given, cause=Extension.Cause.DECK_CHECK, by=by, now=now)


def _differences(event: Event, check: DeckCheck, seen: str) -> list[dict[str, object]]:
    law = deck_selectors.format_of(event.format)
    snapshot = format_files.snapshot_of(law, event.format_on, overrides=event.format_changes)
    catalog = deck_selectors.catalog(law.game)
    registered = judge(deck_services.stored_list(check.revision), snapshot, catalog).deck
    counted = judge(deck_services.list_read(source=seen), snapshot, catalog).deck
    titles = {section.key: section.title for section in snapshot.sections}
    both = [
        [(entry.count, entry.name, titles[entry.section]) for entry in deck.entries]
        for deck in (registered, counted)
    ]
    return [
        {"name": one.name, "section": one.section, "before": one.before, "after": one.after}
        for one in difference(*both)
    ]


def deck_check_draw(*, event: Event, by: User, seed: int | None = None) -> Registration:
    """A player still in the event whose deck was checked least, by lot. Raises Forbidden, Conflict `nobody`."""
    require(by, event, JUDGES)
    players = list(
        event.registrations.filter(state=Registration.State.ACTIVE, revision__isnull=False).order_by("pk")
    )
    if not players:
        raise Conflict("nobody", _("No player has submitted a decklist."))
    counts = Counter(
        DeckCheck.objects.filter(registration__event=event).values_list("registration", flat=True)
    )
    least = min(counts[player.pk] for player in players)
    return _lot(seed).choice([player for player in players if counts[player.pk] == least])


def table_check_draw(*, event: Event, by: User, seed: int | None = None) -> Match:
    """A table of the round under way by lot: one not yet checked in it before any other, and among those the
    players who were checked least. Only tables that still play, with two lists and no check under way.

    Raises Forbidden, Conflict `nobody`.
    """
    require(by, event, JUDGES)
    tables = checkable_tables(event)
    if not tables:
        raise Conflict(
            "nobody",
            _("No table can be checked right now."),
            remedy=_("A table needs two decklists, a match in progress and no check in progress."),
        )
    least = min(checked for _match, checked in tables)
    return _lot(seed).choice([match for match, checked in tables if checked == least])


def _lot(seed: int | None) -> random.Random:
    return random.Random(seed) if seed is not None else random.SystemRandom()  # noqa: S311 (a lot)  # nosec B311
