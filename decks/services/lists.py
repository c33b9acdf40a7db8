"""Decks: reads decklists, checks them, stores them with their reports."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from decks import selectors
from decks.judging.judgement import (
    Judgement,
    deck_list_from_json,
    entries_json,
    judge,
    notes_json,
    upgrade_between,
)
from decks.judging.reading import limits, list_read
from decks.law import format_files
from decks.legality import Report, Upgrade, expand
from decks.lists import DeckList, ListEntry, decode, write
from decks.models import Deck, LegalityReport, Revision

DECK_NAME_MAX = 120


def list_check(
    *,
    format: str,
    source: str | bytes,
    filename: str = "",
    on: date | None = None,
    overrides: dict[str, Any] | None = None,
) -> tuple[DeckList, Report]:
    """Read and judge a list without storing anything. `on`: None is the format's default date.

    Raises NotFound (format), UserError: what `decks.lists.read` and `format_files.snapshot_of` refuse.
    """
    judgement = list_judge(format=format, source=source, filename=filename, on=on, overrides=overrides)
    return judgement.deck_list, judgement.report


def list_judge(
    *,
    format: str,
    source: str | bytes,
    filename: str = "",
    on: date | None = None,
    overrides: dict[str, Any] | None = None,
) -> Judgement:
    """As `list_check`, with the identified deck as well."""
    law = selectors.format_of(format)
    deck_list = list_read(source=source, filename=filename)
    snapshot = format_files.snapshot_of(law, on, overrides=overrides, choices=deck_list.choices)
    return judge(deck_list, snapshot, selectors.catalog(law.game))


def deck_submit(
    *,
    owner: Any,
    name: str,
    format: str,
    source: str | bytes,
    filename: str = "",
    deck: Deck | None = None,
    on: date | None = None,
    now: datetime,
) -> Revision:
    """Store a list as a new deck, or as the next revision of `deck`, with the report on it.

    Illegal and unverified lists are stored too: the report says why. The same text sent again for the same
    deck stores nothing and gives the revision there is. `name` empty: the list's own name.
    Raises UserError (unreadable list, bad name), NotFound (format), Forbidden (another's deck), Conflict.
    """
    if deck is not None and deck.owner_id != owner.pk:
        raise Forbidden("forbidden", _("Only the deck’s owner can change it."))
    if deck is not None and deck.format != format:
        raise UserError("other-format", _("This deck is for a different format."), place="format")
    judgement = list_judge(format=format, source=source, filename=filename, on=on)
    title = _deck_name(name.strip() or (deck.name if deck else "") or judgement.deck_list.name)
    text = decode(source, limits())[0]
    try:
        with transaction.atomic():
            if deck is None:
                deck = Deck.objects.create(owner=owner, name=title, format=format, created_at=now)
                latest = None
            else:
                deck = Deck.objects.select_for_update().get(pk=deck.pk)
                latest = selectors.latest_revision(deck)
                if deck.name != title:
                    deck.name = title
                    deck.save(update_fields=["name"])
            if latest is not None and latest.source == text:
                revision = latest
            else:
                revision = _revision_create(deck, latest, judgement, text, now)
                audit(
                    "deck_submit",
                    actor=owner,
                    target=deck,
                    data={
                        "revision": revision.number,
                        "hash": revision.hash,
                        "verdict": judgement.report.verdict,
                    },
                )
            _report_store(revision, judgement.report, now)
    except IntegrityError as error:
        raise Conflict(
            "submitted-twice",
            _("Another version of this deck has just been submitted."),
            remedy=_("Check it, and submit again if yours is the right one."),
        ) from error
    return revision


def report_make(
    *, revision: Revision, on: date | None = None, now: datetime, overrides: dict[str, Any] | None = None
) -> LegalityReport:
    """The report on a stored list under its format on a date, made if it is not there yet.

    The list is taken as it was read when it was submitted; names are looked up in the catalog of today.
    """
    law = selectors.format_of(revision.deck.format)
    deck_list = stored_list(revision)
    snapshot = format_files.snapshot_of(law, on, overrides=overrides, choices=deck_list.choices)
    report = judge(deck_list, snapshot, selectors.catalog(law.game)).report
    with transaction.atomic():
        return _report_store(revision, report, now, overrides)


def stored_list(revision: Revision) -> DeckList:
    """The list of a revision as its reader gave it."""
    return deck_list_from_json(
        revision.entries,
        revision.notes,
        kind=revision.source_kind,
        name=revision.deck.name,
        choices=revision.choices,
    )


def list_upgrade(*, before: Revision, after: Revision) -> Upgrade | None:
    """What the changes between two lists of a deck cost; None where the format knows no such thing."""
    law = selectors.format_of(after.deck.format)
    new = stored_list(after)
    snapshot = format_files.snapshot_of(law, choices=new.choices)
    return upgrade_between(stored_list(before), new, snapshot, selectors.catalog(law.game))


def list_export(*, revision: Revision, kind: str) -> str:
    """The list as a file of `kind` (`decks.lists.WRITTEN`), its cards by title, with the identifiers we hold.

    A deck that other cards follow from (specialties) is written out, but for the kind that says it in one breath.
    """
    law = selectors.format_of(revision.deck.format)
    catalog = selectors.catalog(law.game)
    listed = stored_list(revision)
    snapshot = format_files.snapshot_of(law, choices=listed.choices)
    judged = judge(listed, snapshot, catalog)
    deck = judged.deck
    titles = {section.key: section.title for section in snapshot.sections}
    if snapshot.expands and kind != "specs":
        entries = tuple(
            ListEntry(entry.count, entry.name, "", titles[entry.section])
            for entry in expand(deck, snapshot, catalog)
        )
    elif snapshot.expands:
        entries = tuple(ListEntry(e.count, e.name, "", titles[e.section]) for e in judged.whole.entries)
    else:
        entries = tuple(
            written._replace(
                name=entry.name if entry.card else written.name, hint="" if entry.card else written.hint
            )
            for written, entry in zip(listed.entries, deck.entries, strict=False)
        )
    return write(
        replace(listed, entries=entries), kind, ids=catalog.ids, game_id=OCTGN_GAMES.get(law.game, "")
    )


# What OCTGN calls the games it has.
OCTGN_GAMES = {"coc-lcg": "43054c18-2362-43e0-a434-72f8d0e8477c"}


def _revision_create(
    deck: Deck, latest: Revision | None, judgement: Judgement, text: str, now: datetime
) -> Revision:
    return Revision.objects.create(
        deck=deck,
        number=latest.number + 1 if latest else 1,
        source=text,
        source_kind=judgement.deck_list.kind,
        entries=entries_json(judgement),
        notes=notes_json(judgement.deck_list),
        card_count=judgement.deck_list.count,
        choices=dict(judgement.deck_list.choices),
        hash=judgement.hash,
        submitted_at=now,
    )


def _report_store(
    revision: Revision, report: Report, now: datetime, overrides: dict[str, Any] | None = None
) -> LegalityReport:
    """The stored row of this report: the newest one, where that says the same of the same law and cards.

    A format that was changed and changed back gives a new row, as the newest is what everybody is shown.
    """
    Revision.objects.select_for_update(no_key=True).get(pk=revision.pk)  # one at a time
    newest: LegalityReport | None = revision.reports.order_by("-pk").first()
    law, cards = report.snapshot, report.catalog
    if newest is not None and (newest.snapshot, newest.catalog_version) == (law, cards):
        return newest
    stored: LegalityReport = LegalityReport.objects.create(
        revision=revision,
        snapshot=law,
        catalog_version=cards,
        overrides=overrides or {},
        verdict=report.verdict.value,
        findings=[finding.as_json() for finding in report.findings],
        checked_at=now,
    )
    return stored


def _deck_name(name: str) -> str:
    """Raises UserError `bad-name`."""
    shown = " ".join(name.split()) or str(_("Unnamed deck"))
    if not shown.isprintable():
        raise UserError("bad-name", _("The deck name has unprintable characters."), place="name")
    if len(shown) > DECK_NAME_MAX:
        raise UserError(
            "bad-name",
            _("A deck name can have at most %(most)s characters.") % {"most": DECK_NAME_MAX},
            place="name",
        )
    return shown


def lists_forget(*, owner: Any) -> int:
    """Throw a person's lists away, as part of forgetting the person, save those that events hold; how many decks.

    What an event holds keeps its cards and loses its deck's name.
    """
    held = import_string(settings.REVISIONS_HELD)()
    mine = Deck.objects.filter(owner=owner)
    kept = mine.filter(revisions__pk__in=held).distinct()
    mine.filter(pk__in=list(kept.values_list("pk", flat=True))).update(name=_("List"))
    return mine.exclude(revisions__pk__in=held).delete()[0]
