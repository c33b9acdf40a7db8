"""Invariants of catalogs, decklists, reports and rechecks (config.invariants)."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, Sum
from django.utils import timezone

from config.invariants import Check, Found, Level
from decks import selectors
from decks.cards import catalog_files
from decks.law import format_files
from decks.models import Catalog, Deck, Recheck, RecheckChunk, Revision

State = RecheckChunk.State


def _catalogs() -> Found:
    catalog_files.shipped()
    for row in Catalog.objects.all():
        if selectors.stored_version(row.game, partial=row.partial) != row.version:
            message = f"The cards of {row.name} are not the imported ones."
            yield (
                Level.ERROR,
                message,
                f"decks_catalog {row.pk}",
                "Import them again: manage.py import_cards.",
            )


def _formats() -> Found:
    for key in format_files.formats():
        try:
            selectors.format_of(key)
        except Exception as error:  # each broken one is told, not the first alone
            yield (
                Level.ERROR,
                f"{error}",
                f"format {key}",
                "Publish a corrected file, or restore the shipped one.",
            )


def _lists() -> Found:
    rows = Revision.objects.order_by().values_list("pk", "card_count", "entries")
    for pk, counted, entries in rows.iterator(chunk_size=500):
        if sum(int(entry["count"]) for entry in entries) != counted:
            yield (
                Level.ERROR,
                "The decklist’s number of cards is not what it says.",
                f"decks_revision {pk}",
                _COMPARE,
            )
    unjudged = Revision.objects.filter(reports=None).values_list("pk", flat=True)
    for pk in unjudged:
        message = "A deck revision has no report."
        yield Level.ERROR, message, f"decks_revision {pk}", "Check it again on its page."
    for pk in Deck.objects.filter(revisions=None).values_list("pk", flat=True):
        yield Level.ERROR, "A deck has no revision.", f"decks_deck {pk}", _COMPARE


def _rechecks() -> Found:
    now = timezone.now()
    odd = Q(state=State.RUNNING, lease_until=None) | (
        ~Q(state=State.RUNNING) & (~Q(token="") | Q(lease_until__isnull=False))
    )
    for pk in RecheckChunk.objects.filter(odd).values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "The state of a part contradicts its worker’s claim.",
            f"decks_recheckchunk {pk}",
            _COMPARE,
        )
    late = now - timedelta(seconds=max(300.0, 4 * settings.RECHECK_RESEND_SECONDS))
    waiting = Recheck.objects.filter(
        finished_at=None, asked_at__lt=late, chunks__state=State.QUEUED, chunks__runs=0
    )
    for pk in waiting.values_list("pk", flat=True).distinct():
        message = "A recheck has waited for minutes: no worker is running, or too few are."
        yield (
            Level.WARNING,
            message,
            f"decks_recheck {pk}",
            "Start a worker and the scheduler (beat), or more workers.",
        )
    open_chunks = RecheckChunk.objects.filter(recheck=OuterRef("pk")).exclude(
        state__in=[State.DONE, State.FAILED]
    )
    for over in (True, False):
        wrong = Recheck.objects.filter(
            Exists(open_chunks) if over else ~Exists(open_chunks), finished_at__isnull=not over
        )
        for pk in wrong.values_list("pk", flat=True):
            message = (
                "A recheck has ended with open parts."
                if over
                else "A recheck without open parts has not ended."
            )
            yield Level.ERROR, message, f"decks_recheck {pk}", "Resume it on its page."
    for pk in (
        Recheck.objects.annotate(sizes=Sum("chunks__size"))
        .exclude(Q(total=F("sizes")) | Q(total=0))
        .values_list("pk", flat=True)
    ):
        yield (
            Level.ERROR,
            "Parts of a recheck are missing.",
            f"decks_recheck {pk}",
            "Start it again.",
        )


_COMPARE = "Another program has written here. Compare with a backup."

CHECKS = [
    Check("catalogs", "The card facts are the imported ones.", _catalogs),
    Check("formats", "Every format can be read.", _formats),
    Check("lists", "Every deck revision has its cards and its report.", _lists),
    Check(
        "rechecks",
        "Every recheck has all its parts, and each part is waiting, claimed by one worker, or done.",
        _rechecks,
    ),
]
