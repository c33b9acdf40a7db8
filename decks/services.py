"""What can be done with decks. Only this module writes."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from decks import catalog_files, format_files, selectors
from decks.catalog_files import CatalogData
from decks.catalog_index import CardFacts
from decks.judgement import Judgement, deck_list_from_json, entries_json, judge, notes_json
from decks.legality import Report
from decks.lists import DeckList, Limits, ListError, decode
from decks.lists import read as read_list
from decks.models import Card, Catalog, Deck, LegalityReport, Printing, Revision

DECK_NAME_MAX = 120


# --- lists and decks ---------------------------------------------------------------------------------


def list_check(
    *,
    format: str,
    source: str | bytes,
    filename: str = "",
    on: date | None = None,
    overrides: dict[str, Any] | None = None,
) -> tuple[DeckList, Report]:
    """Read and judge a list without storing anything. `on`: None is the format's default date.

    Raises NotFound (format), UserError: what `decks.lists.read` and `format_files.snapshot` refuse.
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
    snapshot = format_files.snapshot(format, on, overrides=overrides)
    deck_list = list_read(source=source, filename=filename)
    return judge(deck_list, snapshot, selectors.catalog(format_files.format_of(format).game))


def list_read(*, source: str | bytes, filename: str = "") -> DeckList:
    """The list, with the reader's refusals as UserError (413 when it is too large, else 400)."""
    try:
        return read_list(source, filename=filename, limits=_limits())
    except ListError as error:
        raise UserError(
            error.code,
            error.message,
            place=f"line {error.line}" if error.line else "",
            remedy=error.remedy,
            status=413 if error.code in ("too-large", "too-many-lines") else 400,
        ) from error


def _limits() -> Limits:
    return Limits(size=settings.UPLOAD_MAX_BYTES)


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
        raise Forbidden("forbidden", _("Only its owner can change this deck."))
    if deck is not None and deck.format != format:
        raise UserError("other-format", _("This deck is of another format."), place="format")
    judgement = list_judge(format=format, source=source, filename=filename, on=on)
    title = _deck_name(name.strip() or (deck.name if deck else "") or judgement.deck_list.name)
    text = decode(source, _limits())[0]
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
            _("Another version of this deck was submitted at the same moment."),
            remedy=_("Look at it, and submit again if yours is the right one."),
        ) from error
    return revision


def report_make(
    *, revision: Revision, on: date | None = None, now: datetime, overrides: dict[str, Any] | None = None
) -> LegalityReport:
    """The report on a stored list under its format on a date, made if it is not there yet.

    The list is taken as it was read when it was submitted; names are looked up in the catalog of today.
    """
    snapshot = format_files.snapshot(revision.deck.format, on, overrides=overrides)
    deck_list = deck_list_from_json(
        revision.entries, revision.notes, kind=revision.source_kind, name=revision.deck.name
    )
    report = judge(
        deck_list, snapshot, selectors.catalog(format_files.format_of(revision.deck.format).game)
    ).report
    with transaction.atomic():
        return _report_store(revision, report, now)


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
        hash=judgement.hash,
        submitted_at=now,
    )


def _report_store(revision: Revision, report: Report, now: datetime) -> LegalityReport:
    """The stored row of this report; the database keeps one per revision, snapshot and catalog version."""
    stored, _created = LegalityReport.objects.get_or_create(
        revision=revision,
        snapshot=report.snapshot,
        catalog_version=report.catalog,
        defaults={
            "verdict": report.verdict.value,
            "findings": [finding.as_json() for finding in report.findings],
            "checked_at": now,
        },
    )
    return stored


def _deck_name(name: str) -> str:
    """Raises UserError `bad-name`."""
    shown = " ".join(name.split()) or str(_("Deck without a name"))
    if not shown.isprintable():
        raise UserError("bad-name", _("The deck's name holds unprintable characters."), place="name")
    if len(shown) > DECK_NAME_MAX:
        raise UserError(
            "bad-name",
            _("A deck's name has at most %(most)s characters.") % {"most": DECK_NAME_MAX},
            place="name",
        )
    return shown


# --- catalog -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Titles by what an import did with them."""

    game: str
    new: int
    changed: int
    unchanged: int
    version: str


@transaction.atomic
def cards_import(*, data: CatalogData, by: Any = None, now: datetime) -> ImportSummary:
    """Add or update the cards of one source; cards it does not name stay, facts it does not name stay.

    Doing it twice changes nothing the second time. A catalog stays complete once an import said it is.
    """
    catalog, _created = Catalog.objects.select_for_update().get_or_create(
        game=data.game,
        defaults={"name": data.name, "partial": data.partial, "version": "", "imported_at": now},
    )
    stored = {card.key: card for card in Card.objects.filter(catalog=catalog)}
    new, changed = [], []
    for card in data.cards:
        row = stored.get(card.key)
        if row is None:
            new.append(Card(catalog=catalog, title=card.title, key=card.key, facts=dict(card.facts)))
        else:
            merged = {**card.facts, **row.facts} if data.fills else {**row.facts, **card.facts}
            title = row.title if data.fills else card.title
            if merged != row.facts or row.title != title:
                row.facts, row.title = merged, title
                changed.append(row)
    Card.objects.bulk_create(new, batch_size=500)
    Card.objects.bulk_update(changed, ["facts", "title"], batch_size=500)
    touched = {card.key for card in changed} | _printings_add(catalog, data.cards)
    touched -= {card.key for card in new}
    partial = catalog.partial and data.partial
    version = selectors.stored_version(catalog.game, partial=partial)
    if version != catalog.version:
        catalog.version, catalog.partial, catalog.name, catalog.imported_at = version, partial, data.name, now
        catalog.save()
        audit(
            "cards_import",
            actor=by,
            target=catalog,
            data={"new": len(new), "changed": len(touched), "version": version},
        )
    return ImportSummary(
        catalog.game, len(new), len(touched), len(data.cards) - len(new) - len(touched), version
    )


def _printings_add(catalog: Catalog, cards: tuple[CardFacts, ...]) -> set[str]:
    """Add the printings that are not there; the keys of the cards that got one."""
    pks = dict(Card.objects.filter(catalog=catalog).values_list("key", "pk"))
    there = set(
        Printing.objects.filter(card__catalog=catalog).values_list(
            "card_id", "set_name", "number", "descriptor", "code"
        )
    )
    missing = [
        (
            card.key,
            Printing(
                card_id=pks[card.key], set_name=p.set_name, number=p.number, descriptor=p.descriptor, code=p.code
            ),
        )
        for card in cards
        for p in card.printings
        if (pks[card.key], p.set_name, p.number, p.descriptor, p.code) not in there
    ]
    Printing.objects.bulk_create([printing for _key, printing in missing], batch_size=500)
    return {key for key, _printing in missing}


def catalog_load_shipped(*, now: datetime) -> list[ImportSummary]:
    """Load the shipped card files that are new to this database; what was imported since is not undone."""
    summaries = []
    for data in catalog_files.shipped().values():
        if Catalog.objects.filter(game=data.game, shipped_version=data.version).exists():
            continue
        with transaction.atomic():
            summaries.append(cards_import(data=data, now=now))
            Catalog.objects.filter(game=data.game).update(shipped_version=data.version)
    return summaries
