"""Card data: importing what other programs hold, loading what we ship."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Forbidden, UserError
from decks import catalog_files, catalog_sources, format_files, selectors
from decks.catalog_files import CatalogData
from decks.catalog_index import CardFacts
from decks.models import Card, Catalog, Printing
from decks.services import formats


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Titles by what an import did with them."""

    game: str
    new: int
    changed: int
    unchanged: int
    version: str
    lists: tuple[str, ...] = ()
    new_lists: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def cards_upload(
    *, game: str, name: str, data: bytes, complete: bool, by: Any, now: datetime
) -> ImportSummary:
    """Import an uploaded file or zip archive. Raises UserError, Forbidden: card data is everybody's."""
    if not by.is_superuser:
        raise Forbidden(
            "forbidden",
            _("Only the administrator of this service imports card data."),
            remedy=_("Ask for it; `manage.py import_cards` does the same."),
        )
    files = catalog_sources.unpacked(name, data)
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
            "bad-game", _("A game's key has only small letters, digits and hyphens."), place="game"
        )
    source = catalog_sources.read(files)
    known = catalog_files.shipped().get(game)
    laws = [law.title for law in format_files.formats().values() if law.game == game]
    name = known.name if known else (laws or [game])[0]
    with transaction.atomic():
        data = CatalogData(game, name, partial=not complete, cards=source.cards, fills=source.fills)
        summary = cards_import(data=data, by=by, now=now, progress=progress)
        if not source.lists:
            return summary
        cards = selectors.stored_cards(game)
        titles, added = formats.lists_import(
            game=game, lists=catalog_sources.arkhamdb.lists_of(source.lists, cards), by=by, now=now
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
