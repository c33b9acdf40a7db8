"""What must hold of catalogs, lists, reports and re-checks (config.soundness)."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, Sum
from django.utils import timezone

from config.soundness import Check, Found, Level
from decks import catalog_files, format_files, selectors
from decks.models import Catalog, Deck, Recheck, RecheckChunk, Revision

State = RecheckChunk.State


def _catalogs() -> Found:
    catalog_files.shipped()
    for row in Catalog.objects.all():
        if selectors.stored_version(row.game, partial=row.partial) != row.version:
            message = f"The cards of {row.name} are not those that were imported."
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
                "Publish a mended text, or put the shipped file back.",
            )


def _lists() -> Found:
    rows = Revision.objects.order_by().values_list("pk", "card_count", "entries")
    for pk, counted, entries in rows.iterator(chunk_size=500):
        if sum(int(entry["count"]) for entry in entries) != counted:
            yield (
                Level.ERROR,
                "The list’s cards are not as many as it says.",
                f"decks_revision {pk}",
                _COMPARE,
            )
    unjudged = Revision.objects.filter(reports=None).values_list("pk", flat=True)
    for pk in unjudged:
        message = "A list was stored without its report."
        yield Level.ERROR, message, f"decks_revision {pk}", "Check it again on its page."
    for pk in Deck.objects.filter(revisions=None).values_list("pk", flat=True):
        yield Level.ERROR, "A deck without any list.", f"decks_deck {pk}", _COMPARE


def _rechecks() -> Found:
    now = timezone.now()
    odd = Q(state=State.RUNNING, lease_until=None) | (
        ~Q(state=State.RUNNING) & (~Q(token="") | Q(lease_until__isnull=False))
    )
    for pk in RecheckChunk.objects.filter(odd).values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A part and the worker’s claim on it do not fit together.",
            f"decks_recheckchunk {pk}",
            _COMPARE,
        )
    late = now - timedelta(seconds=max(300.0, 4 * settings.RECHECK_RESEND_SECONDS))
    waiting = Recheck.objects.filter(
        finished_at=None, asked_at__lt=late, chunks__state=State.QUEUED, chunks__runs=0
    )
    for pk in waiting.values_list("pk", flat=True).distinct():
        message = "A re-check has waited for minutes: no worker is at work, or too few."
        yield (
            Level.WARNING,
            message,
            f"decks_recheck {pk}",
            "Start a worker and the clock (beat), or more workers.",
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
                "A re-check is over with parts open." if over else "A re-check with no part open is not over."
            )
            yield Level.ERROR, message, f"decks_recheck {pk}", "Resume it on its page."
    for pk in (
        Recheck.objects.annotate(sizes=Sum("chunks__size"))
        .exclude(Q(total=F("sizes")) | Q(total=0))
        .values_list("pk", flat=True)
    ):
        yield (
            Level.ERROR,
            "The parts of a re-check are not the whole.",
            f"decks_recheck {pk}",
            "Start it again.",
        )


_COMPARE = "Something other than Headjudge has written here: compare with a backup."

CHECKS = [
    Check("catalogs", "The card facts are those that were imported.", _catalogs),
    Check("formats", "Every format can be read.", _formats),
    Check("lists", "Every list has its cards and its report.", _lists),
    Check(
        "rechecks",
        "Every re-check is whole, and its parts are waiting, in one worker’s hands, or over.",
        _rechecks,
    ),
]
