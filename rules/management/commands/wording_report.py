"""`manage.py wording_report SYSTEM --texts FOLDER`: how many of a game's printed texts are understood."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from config.errors import UserError
from rules.engine.base.errors import DataError
from rules.law import system_files
from rules.texts import lexicons
from rules.texts.coverage import Coverage, coverage
from rules.texts.library import misprints
from rules.texts.printed import printed_texts
from rules.wording.reading import DECLINED, SEVERAL, UNDERSTOOD

_OUTCOMES = (UNDERSTOOD, SEVERAL, DECLINED)


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Report how much of printed card text is understood, by kind of ability, and what stopped the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", help="the system's key, such as coc-lcg")
        parser.add_argument(
            "--texts", required=True, help="a folder, or a file, of printed cards (CSV, JSON)"
        )
        parser.add_argument(
            "--no-gates", action="store_true", help="count only; don't check what was understood"
        )
        parser.add_argument("--stops", type=int, default=25, help="how many of the most common stops to list")

    def handle(self, *args: Any, **options: Any) -> None:
        key = options["system"]
        folder = Path(options["texts"])
        try:
            lexicon = lexicons.lexicon_of(key)
            types = frozenset(system_files.system(key).properties["type"].symbols)
        except DataError as error:
            self._refuse(f"{error} {error.remedy}".strip())
        try:
            cards = list(printed_texts(folder, lexicon.data["printed"], types, misprints=misprints(key)))
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            self._refuse(f"{error.message}{place} {error.remedy}".strip())
        if not cards:
            self._refuse(f"{folder} has no cards with text.")
        self._tell(coverage(key, cards, gates=not options["no_gates"]), options["stops"])

    def _refuse(self, text: str) -> None:
        self.stderr.write(text)
        raise SystemExit(2)

    def _tell(self, found: Coverage, stops: int) -> None:
        self.stdout.write(
            f"{'ability':24}{'one reading':>12}{'several':>9}{'declined':>10}{'understood':>12}"
        )
        kinds = Counter(kind for kind, _ in found.abilities.elements())
        for kind, _ in kinds.most_common(12):
            self._row(kind, [found.abilities[kind, one] for one in _OUTCOMES])
        self._row("all", [found.count(one) for one in _OUTCOMES])
        self._row("whole cards", [found.cards[one] for one in _OUTCOMES])
        self.stdout.write(f"checks failed: {len(found.failed)}")
        for card, gate, what in found.failed[:50]:
            self.stdout.write(f"  {card}: {gate}: {what}")
        self.stdout.write("declined, by the first word that was not used:")
        for (code, word), number in found.stops.most_common(stops):
            self.stdout.write(f"  {number:4}  {word}  ({code})")

    def _row(self, kind: str, numbers: list[int]) -> None:
        one, several, declined = numbers
        share = 100 * (one + several) / max(1, sum(numbers))
        self.stdout.write(f"{kind:24}{one:12}{several:9}{declined:10}{share:10.1f} %")
