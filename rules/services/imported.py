"""Card texts that an operator imports: stored unchanged, then read by a worker, a few cards at a time.

Who imports decides when it is read: `decks.services.texts` has the job. What a card means is in force from the moment
it is stored; a scenario that named the card before keeps what it meant then.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction

from config.operations import note_fault
from rules.law import system_files
from rules.models import ImportedCard
from rules.texts import imported
from rules.texts.imported import Meaning
from rules.wording.lexing import LONGEST

MAX_ROWS = 40  # printings of a card whose texts are kept

log = logging.getLogger(__name__)


def cards_keep(
    *, system: str, cards: Sequence[tuple[str, Sequence[Mapping[str, Any]], Mapping[str, Any]]]
) -> int:
    """Keep cards of card data with texts: (name, its rows, the catalog's facts). Rows of none: those that are there
    stay, with these facts. A card that says something else than before waits to be read; how many do.

    To be called inside a transaction.
    """
    stored = {row.key: row for row in ImportedCard.objects.filter(system=system)}
    named: dict[str, tuple[str, list[Mapping[str, Any]], Mapping[str, Any]]] = {}
    for name, rows, facts in cards:  # two titles that sound alike are one name, of two cards
        named.setdefault(system_files.fold(name)[:200], (name, [], facts))[1].extend(rows)
    new, changed = {}, {}
    for key, (name, said, facts) in named.items():
        told = [_bounded(one) for one in said[:MAX_ROWS]]
        row = stored.get(key)
        if row is None:
            if told and key:
                new[key] = ImportedCard(system=system, key=key, name=name, rows=told, facts=dict(facts))
            continue
        told = told or row.rows
        if (row.name, row.rows, row.facts) != (name, told, dict(facts)):
            row.name, row.rows, row.facts = name, told, dict(facts)
            row.grammar, row.meaning, row.whole = "", None, False
            row.changes += 1
            changed[key] = row
    ImportedCard.objects.bulk_create(new.values(), batch_size=200)
    words = ["name", "rows", "facts", "grammar", "meaning", "whole", "changes"]
    ImportedCard.objects.bulk_update(changed.values(), words, batch_size=200)
    return len(new) + len(changed)


def cards_kept(*, system: str) -> bool:
    """Are there any imported cards with texts?"""
    return ImportedCard.objects.filter(system=system).exists()


def cards_waiting(*, system: str) -> int:
    """How many kept cards are not read under today's grammar."""
    return ImportedCard.objects.filter(system=system).exclude(grammar=imported.grammar(system)).count()


def cards_read(*, system: str, most: int, stored: Callable[[int], None]) -> int:
    """Read up to so many cards that wait; how many were read. What they mean is stored in one transaction, in which
    `stored` is called with their number: what it raises undoes it. A card that cannot be read is told so; it never
    keeps the others from being read."""
    today = imported.grammar(system)
    waiting = ImportedCard.objects.filter(system=system).exclude(grammar=today).order_by("pk")[:most]
    read = [(row, _meaning(system, row)) for row in waiting]
    with transaction.atomic():
        for row, meaning in read:
            # Imported anew meanwhile, it waits still: what was read is not what it says now.
            same = ImportedCard.objects.filter(pk=row.pk, changes=row.changes)
            same.update(grammar=today, meaning=meaning, whole=imported.whole(meaning))
        stored(len(read))
    return len(read)


def _meaning(system: str, row: ImportedCard) -> Meaning:
    try:
        return imported.meaning_of(system, row.name, row.rows, row.facts)
    except Exception as error:  # ours: the card waits for a better grammar, the others are read
        log.exception("imported card %s of %s cannot be read", row.pk, system)
        note_fault(f"imported card {row.pk}", error)
        return imported.unread_of(system, row.name, row.rows, row.facts, "fault")


def _bounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its longest texts cut: what is cut off is longer than any text that is read, and told as that."""
    return {
        str(word)[:200]: "" if value is None else value[: LONGEST + 1] if isinstance(value, str) else value
        for word, value in row.items()
    }
