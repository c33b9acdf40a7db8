"""Card facts, players' decks, and their legality reports."""

from django.conf import settings
from django.db import models

from config.append_only import AppendOnly
from config.jobs.model import Job


class Catalog(models.Model):
    """The card facts we hold of one game. Partial: a name that is missing is *unverified*, not illegal."""

    game = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    partial = models.BooleanField(default=True)
    version = models.CharField(max_length=64, help_text="Hash of its content; changes with every import.")
    shipped_version = models.CharField(
        max_length=64, blank=True, help_text="Of the shipped file last loaded; later imports are not undone."
    )
    imported_at = models.DateTimeField()
    as_of = models.DateField(null=True, help_text="The day whose cards it holds, as far as we know it.")


class Card(models.Model):
    """A card is its title; printings hang off it."""

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="cards")
    title = models.CharField(max_length=200)
    key = models.CharField(max_length=200, help_text="The title folded for comparison (decks.lists.fold).")
    facts = models.JSONField(
        default=dict, help_text="type, faction, subtypes, unique ... as the format's rules name them"
    )

    class Meta:
        ordering = ["title"]
        constraints = [models.UniqueConstraint(fields=["catalog", "key"], name="one_card_per_title")]


class Printing(models.Model):
    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="printings")
    set_name = models.CharField(max_length=200)
    number = models.CharField(
        max_length=200, blank=True, help_text="A hint: collector numbers are unreliable."
    )
    descriptor = models.CharField(max_length=200, blank=True, help_text="What stands under the title.")
    code = models.CharField(
        max_length=80, blank=True, help_text="Its identifier in the source: a GUID, a collector code."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["card", "set_name", "number", "descriptor", "code"], name="one_row_per_printing"
            )
        ]


class TextReading(Job):
    """The imported card texts of a catalog, read by a worker until none waits (docs/jobs.md): a row an import. What was
    read is stored on the way (rules.models.ImportedCard)."""

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="readings")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    done = models.PositiveIntegerField(default=0, help_text="Texts read so far.")
    failure = models.TextField(blank=True)

    class Meta(Job.Meta):
        ordering = ["pk"]


class Deck(models.Model):
    """A player's deck by name; what it holds is in its revisions."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="decks")
    name = models.CharField(max_length=120)
    format = models.CharField(max_length=40, help_text="Key of a file in decks/formats/.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-pk"]


def short_hash(hash: str) -> str:
    """What two people compare aloud: “4F2A-91C0-3B7D”."""
    return "-".join(hash[start : start + 4].upper() for start in (0, 4, 8))


class Revision(AppendOnly):
    """One submitted list, frozen: the text as it came, and what was read from it. Illegal ones stay too."""

    deck = models.ForeignKey(Deck, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    source = models.TextField(help_text="As submitted, word for word.")
    source_kind = models.CharField(max_length=20, help_text="The list format it was read as (decks.lists).")
    entries = models.JSONField(
        help_text="[{count, name, hint, card, section, line}]; card is empty when unknown"
    )
    notes = models.JSONField(
        default=list, help_text="What the reader remarked (wrong totals, typos mended ...)"
    )
    choices = models.JSONField(default=dict, help_text="What the list chose where the game leaves a choice.")
    card_count = models.PositiveIntegerField(help_text="Cards on the list, whichever section they are in.")
    hash = models.CharField(
        max_length=64, help_text="Of the sorted counts and titles: equal lists, equal hashes."
    )
    submitted_at = models.DateTimeField()

    @property
    def short_hash(self) -> str:
        return short_hash(self.hash)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["deck", "number"], name="one_revision_per_number")]


class LegalityReport(AppendOnly):
    """The verdict on one revision under one snapshot (format on a date) and one state of the catalog.

    The newest is the one that was stored last, whatever the clock said; where nothing changed since, none is added.
    """

    class Verdict(models.TextChoices):
        LEGAL = "legal"
        ILLEGAL = "illegal"
        UNVERIFIED = "unverified"

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="reports")
    snapshot = models.CharField(
        max_length=100, help_text="decks.legality.Snapshot.id: format, date, content hash"
    )
    catalog_version = models.CharField(max_length=64)
    overrides = models.JSONField(
        default=dict, help_text="What the event changed in the format, so that the check can be made again."
    )
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    findings = models.JSONField()
    checked_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]


class FormatVersion(AppendOnly):
    """A format that an organizer wrote or changed, or an import completed; the newest of its key is in force.

    It stands before the shipped file of the same key.
    """

    key = models.SlugField(max_length=40)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    text = models.TextField(help_text="A format file (docs/formats.md).")
    note = models.CharField(max_length=200, blank=True, help_text="What changed, in the author's words.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["key", "-number"]
        constraints = [models.UniqueConstraint(fields=["key", "number"], name="one_format_per_number")]


class Recheck(models.Model):
    """Every deck of a format judged again: because its text changed, or to see what would change (`what_if`).

    The work is in its chunks; what came out is in its changes. Done when every chunk is.
    """

    format = models.CharField(max_length=40)
    text = models.TextField(blank=True, help_text="The text judged by; empty: the one in force, shipped.")
    what_if = models.BooleanField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    total = models.PositiveIntegerField(help_text="Lists to judge.")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]


class RecheckChunk(Job):
    """A range of lists, one worker's portion: job and result in one (docs/jobs.md)."""

    recheck = models.ForeignKey(Recheck, on_delete=models.CASCADE, related_name="chunks")
    first = models.BigIntegerField(help_text="Of the range of revisions, inclusive.")
    last = models.BigIntegerField()
    size = models.PositiveIntegerField()
    failure = models.TextField(blank=True)

    class Meta(Job.Meta):
        ordering = ["pk"]


class VerdictChange(models.Model):
    """A list whose verdict, or whose reasons for it, another text of the format changed."""

    recheck = models.ForeignKey(Recheck, on_delete=models.CASCADE, related_name="changes")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="verdict_changes")
    before = models.CharField(max_length=10, choices=LegalityReport.Verdict.choices)
    after = models.CharField(max_length=10, choices=LegalityReport.Verdict.choices)
    findings_before = models.JSONField()
    findings_after = models.JSONField()
    seen_at = models.DateTimeField(null=True, help_text="When the deck's owner put the notice away.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["recheck", "revision"], name="one_change_per_list_and_recheck")
        ]
