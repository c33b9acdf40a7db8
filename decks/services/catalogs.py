"""Card data: imports other programs' files, loads what we ship."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Forbidden, UserError
from decks import selectors
from decks.cards import catalog_files, sources
from decks.cards.catalog_files import CatalogData
from decks.cards.index import CardFacts, CatalogIndex
from decks.judging.judgement import deck_list_from_json, judge
from decks.law import format_files
from decks.law.model import Format
from decks.models import Card, Catalog, Deck, Printing, Revision
from decks.services import formats, rechecks
from decks.services.texts import texts_keep


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Titles by what an import did with them. texts: how many cards a worker reads anew."""

    game: str
    new: int
    changed: int
    unchanged: int
    version: str
    lists: tuple[str, ...] = ()
    new_lists: int = 0
    texts: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def cards_upload(
    *, game: str, name: str, data: bytes, complete: bool, by: Any, now: datetime
) -> ImportSummary:
    """Import an uploaded file or zip archive. Raises UserError, Forbidden: card data is everybody's."""
    if not by.is_superuser:
        raise Forbidden(
            "forbidden",
            _("Only an administrator of this service can import card data."),
            remedy=_("Ask an administrator, or run `%(program)s import_cards`.")
            % {"program": settings.PROGRAM},
        )
    files = sources.unpacked(name, data)
    return cards_import_files(game=game, files=files, complete=complete, by=by, now=now)


Progress = Callable[[int, int], None]


def cards_import_files(
    *,
    game: str,
    files: Mapping[str, bytes],
    complete: bool = False,
    by: Any = None,
    now: datetime,
    progress: Progress | None = None,
) -> ImportSummary:
    """Import files of a known source (`catalog_sources`), all of them or nothing.

    complete: the game has no other cards. Dated lists among the files become lists of the game's format.
    progress(done, total) is called now and then. Raises UserError with the file and the place.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", game) or len(game) > 50:
        raise UserError(
            "bad-game", _("A game’s key can only have lowercase letters, digits and hyphens."), place="game"
        )
    source = sources.read(files)
    known = catalog_files.shipped().get(game)
    laws = [law.title for law in format_files.formats().values() if law.game == game]
    name = known.name if known else (laws or [game])[0]
    with transaction.atomic():
        before = selectors.catalog(game).version
        cards = known.in_our_words(source.cards) if known else source.cards
        data = CatalogData(game, name, partial=not complete, cards=cards, fills=source.fills)
        summary = cards_import(data=data, by=by, now=now, progress=progress)
        if source.as_of and source.as_of <= now.date():
            Catalog.objects.filter(game=game).update(as_of=source.as_of)
        if summary.version != before:
            _judge_again(game, by=by, now=now)
        if source.laws:
            titles, added = formats.laws_import(laws=source.laws, by=by, now=now)
            return replace(summary, lists=titles, new_lists=added)
        if not source.lists:
            return summary
        held = selectors.stored_cards(game)
        titles, added = formats.lists_import(
            game=game, lists=sources.arkhamdb.lists_of(source.lists, held), by=by, now=now
        )
        return replace(summary, lists=titles, new_lists=added)


@transaction.atomic
def cards_import(
    *, data: CatalogData, by: Any = None, now: datetime, progress: Progress | None = None
) -> ImportSummary:
    """Add or update the cards of one source; cards it does not name stay, facts it does not name stay.

    Doing it twice changes nothing the second time. A catalog stays complete once an import said it is.
    """
    catalog, _created = Catalog.objects.select_for_update().get_or_create(
        game=data.game,
        defaults={"name": data.name, "partial": data.partial, "version": "", "imported_at": now},
    )
    stored = {card.key: card for card in Card.objects.filter(catalog=catalog)}
    new, changed = [], []
    for done, card in enumerate(data.cards, start=1):
        if progress and done % 100 == 0:
            progress(done, len(data.cards))
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
        catalog.as_of = now.date()
        catalog.save()
        audit(
            "cards_import",
            actor=by,
            target=catalog,
            data={"new": len(new), "changed": len(touched), "version": version},
        )
    texts = texts_keep(catalog=catalog, cards=data.cards, by=by, now=now)
    unchanged = len(data.cards) - len(new) - len(touched)
    return ImportSummary(catalog.game, len(new), len(touched), unchanged, version, texts=texts)


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
                card_id=pks[card.key],
                set_name=p.set_name,
                number=p.number,
                descriptor=p.descriptor,
                code=p.code,
            ),
        )
        for card in cards
        for p in card.printings
        if (pks[card.key], p.set_name, p.number, p.descriptor, p.code) not in there
    ]
    Printing.objects.bulk_create([printing for _key, printing in missing], batch_size=500)
    return {key for key, _printing in missing}


def catalog_load_missing(*, game: str, new: bool = False, now: datetime) -> None:
    """The shipped cards of a game of which this database has none yet: what comes is compared with them.

    new: the game may be one that no format has yet, unless it looks like the key of another. Raises UserError
    `unknown-game`.
    """
    if Catalog.objects.filter(game=game).exists():
        return
    if game in catalog_files.shipped():
        catalog_load_shipped(now=now, game=game)
        return
    known = sorted({law.game for law in format_files.formats().values()})
    if game not in {*known, *(law.game for law in selectors.formats().values())}:
        near = get_close_matches(game, known, n=2)
        if new and not near:
            return
        raise UserError(
            "unknown-game",
            _("No format is of a game “%(game)s”.") % {"game": game[:50]},
            place="game",
            remedy=_("Did you mean %(near)s?") % {"near": ", ".join(near)}
            if near
            else _("Use one of: %(names)s.") % {"names": ", ".join(known)},
        )


def catalog_load_shipped(*, now: datetime, game: str = "") -> list[ImportSummary]:
    """Load the shipped card files that are new to this database; what was imported since is not undone. game: of this
    one alone."""
    summaries = []
    loaded = dict(Catalog.objects.values_list("game", "shipped_version"))
    for shipped in catalog_files.shipped().values():
        if loaded.get(shipped.game) == shipped.digest or game not in ("", shipped.game):
            continue
        before = Catalog.objects.filter(game=shipped.game).values_list("version", flat=True).first()
        with transaction.atomic():
            summaries.append(cards_import(data=shipped.data, now=now))
            Catalog.objects.filter(game=shipped.game).update(
                shipped_version=shipped.digest, as_of=shipped.as_of
            )
            if before and before != summaries[-1].version:
                _judge_again(shipped.game, by=None, now=now)
    return summaries


def _judge_again(game: str, *, by: Any, now: datetime) -> None:
    """Other facts, other verdicts: every deck of the game's formats is judged again by the workers."""
    for law in selectors.formats().values():
        if law.game == game and Deck.objects.filter(format=law.key).exists():
            text = selectors.format_text(law.key)
            rechecks.recheck_start(format=law.key, text=text, what_if=False, by=by, now=now)


# --- what an import would change -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeckChange:
    """A stored list that other card facts judge otherwise. before, after: (verdict, codes of the findings) on a day."""

    deck: str
    owner: str
    format: str
    on: str
    before: tuple[str, tuple[str, ...]]
    after: tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do. cards: title -> {fact: (before, after)}, nothing under it for a new card.

    decks: of the stored lists those whose verdict or reasons would change; judged: how many were looked at; coming: of
    those that stand in no event, which a new list judges otherwise from its day on.
    """

    summary: ImportSummary
    cards: Mapping[str, Mapping[str, tuple[Any, Any]]]
    decks: tuple[DeckChange, ...]
    judged: int
    coming: tuple[DeckChange, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def cards_preview(*, game: str, files: Mapping[str, bytes], complete: bool = False, now: datetime) -> Preview:
    """What `cards_import_files` would change: it is done, looked at, and undone. Raises UserError as it does."""
    with transaction.atomic():
        catalog, laws = selectors.catalog(game), _laws(game)
        summary = cards_import_files(game=game, files=files, complete=complete, now=now)
        newer, changed = selectors.catalog(game), _laws(game)
        lists = list(_stored(changed))
        held = set(import_string(settings.REVISIONS_HELD)().values_list("pk", flat=True))
        decks: list[DeckChange] = []
        coming: list[DeckChange] = []
        for one in lists:
            law, next_law = laws.get(one.deck.format), changed[one.deck.format]
            day = _day(one, next_law)
            days = [(day, decks)]
            if law is not None and one.pk not in held:  # an event's day stays as it is
                days += [(new, coming) for new in _new_days(law, next_law)[-1:] if new > day]
            for on, found in days:
                was = _judged(one, law or next_law, catalog, on)
                comes = _judged(one, next_law, newer, on)
                if was != comes:
                    deck = one.deck
                    found.append(
                        DeckChange(
                            deck.name, deck.owner.get_username(), deck.format, on.isoformat(), was, comes
                        )
                    )
        transaction.set_rollback(True)
    return Preview(summary, _changes(catalog, newer), tuple(decks), len(lists), tuple(coming))


def _laws(game: str) -> dict[str, Format]:
    return {key: law for key, law in selectors.formats().items() if law.game == game}


def _new_days(law: Format, changed: Format) -> list[date]:
    """From which days lists apply that did not before."""
    known = {one.since for one in law.timeline}
    return [one.since for one in changed.timeline if one.since not in known]


def _stored(laws: Iterable[str]) -> Iterator[Revision]:
    """The lists that a change of the game's cards concerns."""
    for key in laws:
        yield from rechecks.wanted(key).select_related("deck__owner").order_by("pk")


def _day(revision: Revision, law: Format) -> date:
    """The day of a stored list's newest report."""
    report = revision.reports.first()
    return date.fromisoformat(report.snapshot.split("/")[1]) if report else law.default_on


def _judged(revision: Revision, law: Format, catalog: CatalogIndex, on: date) -> tuple[str, tuple[str, ...]]:
    """(verdict, codes) of a stored list on a day, by the event's choices of its newest report."""
    report = revision.reports.first()
    listed = deck_list_from_json(
        revision.entries, revision.notes, kind=revision.source_kind, name="", choices=revision.choices
    )
    overrides = rechecks.still_known(law, report.overrides) if report else {}
    snapshot = format_files.snapshot_of(law, on, overrides=overrides, choices=listed.choices)
    found = judge(listed, snapshot, catalog).report
    return found.verdict.value, tuple(dict.fromkeys(one.code for one in found.findings))


def _changes(before: CatalogIndex, after: CatalogIndex) -> dict[str, dict[str, tuple[Any, Any]]]:
    out: dict[str, dict[str, tuple[Any, Any]]] = {}
    for card in after:
        known = before.get(card.key)
        if known is None:
            out[card.title] = {}
        elif known.facts != card.facts:
            words = sorted({*known.facts, *card.facts})
            out[card.title] = {
                word: (known.facts.get(word), card.facts.get(word))
                for word in words
                if known.facts.get(word) != card.facts.get(word)
            }
    return out
