"""Deck checks: a judge counts a deck against the list that was handed in, and the match gets the time back."""

import random
from datetime import datetime
from math import ceil

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from decks import format_files
from decks import selectors as deck_selectors
from decks import services as deck_services
from decks.judgement import judge
from decks.lists import difference
from tournament.models import DeckCheck, Event, Registration, User
from tournament.selectors import JUDGES, require

# The match gets back what the check took and so many minutes more (usual floor rules).
EXTRA_MINUTES = 3


def deck_check_start(*, registration: Registration, by: User, now: datetime) -> DeckCheck:
    """Begin to check a player's deck; the clock runs. Raises Forbidden, UserError `no-deck`, Conflict `checking`."""
    require(by, registration.event, JUDGES)
    if registration.revision is None:
        raise UserError("no-deck", _("This player has handed in no list to check against."))
    try:
        with transaction.atomic():
            check = DeckCheck.objects.create(
                registration=registration, revision=registration.revision, judge=by, started_at=now
            )
            audit("deck_check_start", actor=by, target=check, event=registration.event)
    except IntegrityError as error:
        raise Conflict("checking", _("A check of this deck is under way already.")) from error
    return check


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
            _("Say that the deck matches its list, or write down what you counted."),
            place="seen",
        )
    found = [] if matches else _differences(event, check, seen)
    minutes = ceil((now - check.started_at).total_seconds() / 60) + EXTRA_MINUTES
    with transaction.atomic():
        ended = DeckCheck.objects.filter(pk=check.pk, finished_at=None).update(
            finished_at=now,
            seen="" if matches else seen,
            differences=found,
            extension=min(minutes, 999),
            note=" ".join(note.split())[:300],
        )
        if not ended:
            raise Conflict("check-over", _("This check has ended already."))
        audit("deck_check_finish", actor=by, target=check, event=event, data={"differences": len(found)})
    check.refresh_from_db()
    return check


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
        raise Conflict("nobody", _("No player has handed in a list."))
    counts = {player.pk: player.deck_checks.count() for player in players}
    least = min(counts.values())
    lot = random.Random(seed) if seed is not None else random.SystemRandom()  # noqa: S311 (a lot, not a secret)
    return lot.choice([player for player in players if counts[player.pk] == least])
