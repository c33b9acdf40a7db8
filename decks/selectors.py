"""Reading: who may see which deck, the catalog in memory, the latest reports."""

from collections.abc import Mapping
from datetime import date
from threading import Lock
from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from config.errors import NotFound
from decks import catalog_files, format_files
from decks.catalog_index import CardFacts, CatalogIndex, PrintingFacts, version_of
from decks.format_model import Format
from decks.legality import Snapshot
from decks.models import Card, Catalog, Deck, FormatVersion, LegalityReport, Printing, Revision

# --- decks -------------------------------------------------------------------------------------------


def access_deck(user: Any, pk: int) -> Any:
    """The deck, for its owner or a site administrator; for anybody else there is none.

    An event's staff sees registered lists through the event, not here. Raises NotFound.
    """
    deck = _decks().filter(pk=pk).first()
    if deck is None or not (user.is_authenticated and (deck.owner_id == user.pk or user.is_superuser)):
        raise NotFound("deck")
    return deck


def access_revision(user: Any, deck_pk: int, number: int) -> Revision:
    """One submitted list of a deck the asker may see, its deck loaded. Raises NotFound."""
    deck = access_deck(user, deck_pk)
    revision = deck.revisions.select_related("deck").filter(number=number).first()
    if revision is None:
        raise NotFound("revision")
    return revision


def decks_of(user: Any) -> QuerySet[Any]:
    """The user's decks, newest first, each with `.revision_number`, `.card_count`, `.submitted_at` and
    `.verdict` of its latest list (one query)."""
    return _decks().filter(owner=user)


def _decks() -> QuerySet[Any]:
    latest = Revision.objects.filter(deck=OuterRef("pk")).order_by("-number")
    report = LegalityReport.objects.filter(revision__deck=OuterRef("pk")).order_by(
        "-revision__number", "-checked_at", "-pk"
    )
    return Deck.objects.select_related("owner").annotate(
        revision_number=Subquery(latest.values("number")[:1]),
        card_count=Subquery(latest.values("card_count")[:1]),
        submitted_at=Subquery(latest.values("submitted_at")[:1]),
        verdict=Subquery(report.values("verdict")[:1]),
    )


def revisions_of(deck: Deck) -> QuerySet[Revision]:
    """The deck's lists, newest first, each with its reports loaded in `.latest_reports`, newest first."""
    reports = LegalityReport.objects.order_by("-checked_at", "-pk")
    return deck.revisions.prefetch_related(Prefetch("reports", queryset=reports, to_attr="latest_reports"))


def latest_revision(deck: Deck) -> Revision | None:
    return deck.revisions.order_by("-number").first()


def latest_report(revision: Revision) -> LegalityReport | None:
    """The newest report, from what is loaded if `revisions_of` loaded it."""
    if (loaded := getattr(revision, "latest_reports", None)) is not None:
        return loaded[0] if loaded else None
    return revision.reports.order_by("-checked_at", "-pk").first()


# --- formats -----------------------------------------------------------------------------------------

_parsed: dict[int, Format] = {}


def formats() -> dict[str, Format]:
    """The formats in force by key: what organizers stored stands before the shipped files (one query)."""
    newest = FormatVersion.objects.order_by("key", "-number")
    stored: dict[str, FormatVersion] = {}
    for version in newest.only("pk", "key", "number"):
        stored.setdefault(version.key, version)
    return {**format_files.formats(), **{key: _stored_format(version.pk) for key, version in stored.items()}}


def format_of(key: str) -> Format:
    """The format in force (one query). Raises NotFound with the known keys."""
    newest = FormatVersion.objects.filter(key=key).order_by("-number").values_list("pk", flat=True).first()
    return format_files.format_of(key) if newest is None else _stored_format(newest)


def _stored_format(pk: int) -> Format:
    known = _parsed.get(pk)
    if known is None:
        version = FormatVersion.objects.get(pk=pk)
        known = _parsed[pk] = format_files.parsed(version.text, name=version.key)
    return known


def format_text(key: str) -> str:
    """The file of the format in force, as it was written. Raises NotFound."""
    newest = FormatVersion.objects.filter(key=key).order_by("-number").first()
    if newest is not None:
        return newest.text
    format_files.format_of(key)
    return (format_files.FOLDER / f"{key}.yaml").read_text(encoding="utf-8")


def snapshot(
    key: str,
    on: date | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> Snapshot:
    """The format in force on a date, with an event's changes and a list's choices (`format_files.snapshot_of`)."""
    return format_files.snapshot_of(format_of(key), on, overrides=overrides, choices=choices)


# --- catalog -----------------------------------------------------------------------------------------

_loaded: dict[str, CatalogIndex] = {}
_loading = Lock()


def catalog(game: str) -> CatalogIndex:
    """The game's cards: the database's when it holds some, else the shipped file's.

    One query when this process has the present version in memory; three when it must load it.
    """
    row = Catalog.objects.filter(game=game).first()
    if row is None:
        return catalog_files.shipped_index(game)
    known = _loaded.get(game)
    if known and known.version == row.version:
        return known
    with _loading:
        known = _loaded.get(game)
        if known is None or known.version != row.version:
            known = _loaded[game] = CatalogIndex(
                stored_cards(game), game=game, name=row.name, partial=row.partial, version=row.version
            )
    return known


def stored_cards(game: str) -> list[CardFacts]:
    """Every card of the database's catalog with its printings (two queries)."""
    printings: dict[int, list[PrintingFacts]] = {}
    for card, *facts in Printing.objects.filter(card__catalog__game=game).values_list(
        "card_id", "set_name", "number", "descriptor", "code"
    ):
        printings.setdefault(card, []).append(PrintingFacts(*facts))
    return [
        CardFacts(title, key, facts, tuple(printings.get(pk, ())))
        for pk, title, key, facts in Card.objects.filter(catalog__game=game).values_list(
            "pk", "title", "key", "facts"
        )
    ]


def stored_version(game: str, *, partial: bool) -> str:
    return version_of(stored_cards(game), partial=partial)
