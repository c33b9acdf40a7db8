"""Reads decks and card data: who can see which deck, the catalog in memory, the latest reports."""

from collections.abc import Mapping
from datetime import date
from threading import Lock
from typing import Any

from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery, Sum
from django.utils.translation import gettext as _

from config.errors import NotFound
from decks.cards import catalog_files
from decks.cards.index import CardFacts, CatalogIndex, PrintingFacts, version_of
from decks.law import format_files
from decks.law.model import Format
from decks.legality import Snapshot
from decks.lists import Changed, difference
from decks.models import (
    Card,
    Catalog,
    Deck,
    FormatVersion,
    LegalityReport,
    Printing,
    Recheck,
    RecheckChunk,
    Revision,
    VerdictChange,
)

# --- decks -------------------------------------------------------------------------------------------


def access_deck(user: Any, pk: int) -> Any:
    """The deck, for its owner or a site administrator; for anybody else there is none.

    An event's staff sees registered lists through the event, not here. Raises NotFound.
    """
    deck = _decks().filter(pk=pk).first()
    if deck is None or not (user.is_authenticated and (deck.owner_id == user.pk or user.is_superuser)):
        raise NotFound(_("deck"))
    return deck


def access_revision(user: Any, deck_pk: int, number: int) -> Revision:
    """One submitted list of a deck the asker may see, its deck loaded. Raises NotFound."""
    deck = access_deck(user, deck_pk)
    revision = deck.revisions.select_related("deck").filter(number=number).first()
    if revision is None:
        raise NotFound(_("revision"))
    return revision


def decks_of(user: Any) -> QuerySet[Any]:
    """The user's decks, newest first, each with `.revision_id`, `.revision_number`, `.card_count`, `.submitted_at` and
    `.verdict` of its latest list (one query)."""
    return _decks().filter(owner=user)


def _decks() -> QuerySet[Any]:
    latest = Revision.objects.filter(deck=OuterRef("pk")).order_by("-number")
    report = LegalityReport.objects.filter(revision__deck=OuterRef("pk")).order_by("-revision__number", "-pk")
    return Deck.objects.select_related("owner").annotate(
        revision_id=Subquery(latest.values("pk")[:1]),
        revision_number=Subquery(latest.values("number")[:1]),
        card_count=Subquery(latest.values("card_count")[:1]),
        submitted_at=Subquery(latest.values("submitted_at")[:1]),
        verdict=Subquery(report.values("verdict")[:1]),
    )


def revisions_of(deck: Deck) -> QuerySet[Revision]:
    """The deck's lists, newest first, each with its reports loaded in `.latest_reports`, newest first."""
    reports = LegalityReport.objects.order_by("-pk")
    return deck.revisions.prefetch_related(Prefetch("reports", queryset=reports, to_attr="latest_reports"))


def latest_revision(deck: Deck) -> Revision | None:
    return deck.revisions.order_by("-number").first()


def latest_report(revision: Revision) -> LegalityReport | None:
    """The newest report, from what is loaded if `revisions_of` loaded it."""
    if (loaded := getattr(revision, "latest_reports", None)) is not None:
        return loaded[0] if loaded else None
    return revision.reports.order_by("-pk").first()


def changes_between(before: Revision, after: Revision) -> tuple[Changed, ...]:
    """What changed from one list to another, card by card."""
    both = [
        [(one["count"], one["card"] or one["name"], one["section"]) for one in each.entries]
        for each in (before, after)
    ]
    return difference(*both)


# --- formats -----------------------------------------------------------------------------------------

_parsed: dict[tuple[Any, ...], Format] = {}
_IDENTITY = ("pk", "key", "number", "made_at")


def formats() -> dict[str, Format]:
    """The formats in force by key: what organizers stored stands before the shipped files (one query)."""
    newest: dict[str, tuple[Any, ...]] = {}
    for version in FormatVersion.objects.order_by("key", "-number").values_list(*_IDENTITY):
        newest.setdefault(version[1], version)
    return {**format_files.formats(), **{key: _stored_format(version) for key, version in newest.items()}}


def format_of(key: str) -> Format:
    """The format in force (one query). Raises NotFound with the known keys."""
    newest = FormatVersion.objects.filter(key=key).order_by("-number").values_list(*_IDENTITY).first()
    if newest is not None:
        return _stored_format(newest)
    try:
        return format_files.format_of(key)
    except NotFound:
        raise format_files.no_format(formats()) from None


def _stored_format(version: tuple[Any, ...]) -> Format:
    known = _parsed.get(version)
    if known is None:
        text = FormatVersion.objects.values_list("text", flat=True).get(pk=version[0])
        known = _parsed[version] = format_files.parsed(text, name=version[1])
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


def format_versions(key: str) -> QuerySet[FormatVersion]:
    """What was published of a format, newest first."""
    return FormatVersion.objects.filter(key=key).select_related("author").defer("text")


def rules_of_code(code: str) -> list[tuple[Format, str]]:
    """(format, rule id) of every rule that a finding of this code may cite, as far as the files say it."""
    found = []
    for law in formats().values():
        snapshot = format_files.snapshot_of(law)
        rules = [
            *((rule.code, rule.cite.rule) for rule in snapshot.exclusions),
            *((f"too-few-{rule.code}", rule.cite.rule) for rule in snapshot.quotas),
            *((f"too-many-{rule.code}", rule.cite.rule) for rule in snapshot.quotas),
            *((rule.code, rule.cite.rule) for rule in snapshot.matches),
            *((rule.code, rule.cite.rule) for rule in snapshot.budgets),
            *((rule.code, rule.cite.rule) for one in law.lists.values() for rule in one.restrictions),
            *(("not-allowed-here", rule.cite.rule) for rule in snapshot.accesses),
            *(("missing-required-card", rule.cite.rule) for rule in snapshot.requirements),
            ("too-many-copies", snapshot.copies.cite.rule),
            *(("too-few-cards", one.cite.rule) for one in snapshot.sections if one.minimum or one.size_fact),
            *(
                ("too-many-cards", one.cite.rule)
                for one in snapshot.sections
                if one.maximum is not None or one.size_fact
            ),
        ]
        found += [(law, rule) for rule in dict.fromkeys(rule for its, rule in rules if its == code)]
    return found


# --- rechecks ----------------------------------------------------------------------------------------


def rechecks() -> QuerySet[Recheck]:
    return Recheck.objects.select_related("asked_by").defer("text")


def access_recheck(user: Any, pk: int) -> Recheck:
    """A check of every deck, for anybody: whose decks changed is shown as `changes_of` says. Raises NotFound."""
    check = rechecks().filter(pk=pk).first()
    if check is None:
        raise NotFound(_("check"))
    return check


def recheck_progress(check: Recheck) -> dict[str, int]:
    """Lists judged so far, lists in parts that failed, verdicts changed."""
    parts = check.chunks.values_list("state").annotate(size=Sum("size")).order_by()
    by_state = dict(parts)
    return {
        "total": check.total,
        "done": by_state.get(RecheckChunk.State.DONE, 0),
        "failed": by_state.get(RecheckChunk.State.FAILED, 0),
        "changes": check.changes.count(),
    }


def changes_of(check: Recheck, user: Any, kind: str = "") -> QuerySet[VerdictChange]:
    """The changes the asker may see: those of own decks, and all for administrators. Whoever wrote the format learns
    how many there are; their findings would tell the cards of other people's lists.

    kind: "became-illegal", "became-legal" or everything.
    """
    found = check.changes.select_related("revision__deck__owner")
    if not (user.is_authenticated and user.is_superuser):
        found = found.filter(revision__deck__owner=user if user.is_authenticated else None)
    if kind == "became-illegal":
        return found.filter(after="illegal").exclude(before="illegal")
    if kind == "became-legal":
        return found.filter(after="legal").exclude(before="legal")
    return found


def notices_of(user: Any) -> QuerySet[VerdictChange]:
    """Changes of verdict the user has not put away, newest first."""
    return (
        VerdictChange.objects.filter(revision__deck__owner=user, recheck__what_if=False, seen_at=None)
        .exclude(before=F("after"))
        .select_related("revision__deck", "recheck")
        .defer("recheck__text")
        .order_by("-pk")
    )


def access_notice(user: Any, pk: int) -> VerdictChange:
    """A notice, for the deck's owner. Raises NotFound."""
    change = (
        VerdictChange.objects.select_related("revision").filter(pk=pk, revision__deck__owner=user).first()
    )
    if change is None:
        raise NotFound(_("notice"))
    return change


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


def catalogs() -> list[dict[str, Any]]:
    """The card data we hold by game: {game, name, cards, partial, imported_at, as_of, texts}; shipped where none is
    stored. texts: how far the imported texts are read (`rules.selectors.Reading`), None where there are none."""
    stored: dict[str, dict[str, Any]] = {
        row.game: {
            "game": row.game,
            "name": row.name,
            "cards": row.count,
            "partial": row.partial,
            "imported_at": row.imported_at,
            "as_of": row.as_of,
        }
        for row in Catalog.objects.annotate(count=Count("cards"))
    }
    shipped: dict[str, dict[str, Any]] = {
        game: {
            "game": game,
            "name": data.name,
            "cards": len(data.cards),
            "partial": data.partial,
            "imported_at": None,
            "as_of": data.as_of,
        }
        for game, data in catalog_files.shipped().items()
        if game not in stored
    }
    from rules.law import system_files  # half of what a command that checks one deck would load
    from rules.selectors import imported_read

    read = imported_read()
    return [
        {**row, "texts": read.get(system_files.of_game(game)) if read else None}
        for game, row in sorted({**shipped, **stored}.items())
    ]
