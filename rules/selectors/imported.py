"""Cards that an operator imported with their texts, by name, and how far their texts have been read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from rules.law import system_files
from rules.models import ImportedCard
from rules.texts.imported import Imported, grammar


@dataclass(frozen=True, slots=True)
class Reading:
    """How many imported texts of a game there are: whole, in part understood, not read yet."""

    whole: int
    part: int
    waiting: int

    @property
    def all(self) -> int:
        return self.whole + self.part + self.waiting


def imported_card(system: str, name: str) -> Imported | None:
    """An imported card by its name, however its case and punctuation are written (one query). What was understood under
    another grammar than today's counts as not read: it may not fit the rules any more."""
    row = ImportedCard.objects.filter(system=system, key=system_files.fold(name)[:200]).first()
    return _imported(row) if row is not None else None


def imported_named(system: str, names: Iterable[str]) -> set[str]:
    """Those of the names, folded, that an imported card has (a query for every few hundred)."""
    keys = sorted({system_files.fold(name)[:200] for name in names})
    found: set[str] = set()
    for start in range(0, len(keys), 500):
        rows = ImportedCard.objects.filter(system=system, key__in=keys[start : start + 500])
        found |= set(rows.values_list("key", flat=True))
    return found


def imported_like(system: str, words: Sequence[str], most: int) -> list[Imported]:
    """Imported cards whose folded names hold all the folded words, those that begin with the first before the others;
    without those that the library has."""
    if not words:
        return []
    holds = Q(system=system)
    for word in words:
        holds &= Q(key__contains=word)
    rows = ImportedCard.objects.filter(holds).order_by("key")
    known = system_files.cards(system)
    first = [row for row in rows.filter(key__startswith=words[0])[: 4 * most] if row.key not in known]
    rest = rows.exclude(key__startswith=words[0])[: 4 * most] if len(first) < most else ()
    return [_imported(row) for row in [*first, *(row for row in rest if row.key not in known)][:most]]


def imported_read() -> dict[str, Reading]:
    """How far the imported texts are read, by system; systems without any are left out (one query)."""
    found: dict[str, list[int]] = {}
    rows = ImportedCard.objects.order_by().values_list("system", "grammar", "whole").annotate(n=Count("pk"))
    for system, by, whole, number in rows:
        counts = found.setdefault(system, [0, 0, 0])
        counts[2 if by != grammar(system) else 0 if whole else 1] += number
    return {system: Reading(*counts) for system, counts in found.items()}


def _imported(row: ImportedCard) -> Imported:
    read = row.meaning is not None and row.grammar == grammar(row.system)
    return Imported(row.name, row.rows, row.facts, row.meaning if read else None)
