"""`manage.py cards_understand SYSTEM --texts FOLDER`: write fully understood cards as library data.

It writes what cards mean and nothing of what is printed on them: `rules/library/understood/SYSTEM.jsonl`.
"""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from config.errors import UserError
from rules.engine.base.errors import DataError
from rules.law import system_files
from rules.texts import lexicons
from rules.texts.library import Judged, judged, misprints
from rules.texts.printed import printed_texts


class Command(BaseCommand):
    requires_system_checks = ()
    help = "Write what printed card texts mean as library data, for every card that passes all checks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", help="the system's key, such as coc-lcg")
        parser.add_argument(
            "--texts", required=True, help="a folder, or a file, of printed cards (CSV, JSON)"
        )
        parser.add_argument(
            "--to", help="the file to write; left out: that of the project's library; -: none"
        )
        parser.add_argument("--list", action="store_true", help="name every card that is left out, and why")

    def handle(self, *args: Any, **options: Any) -> None:
        key, folder = options["system"], Path(options["texts"])
        try:
            lexicon = lexicons.lexicon_of(key)
            types = frozenset(system_files.system(key).properties["type"].symbols)
        except DataError as error:
            self._refuse(f"{error} {error.remedy}".strip())
        printed = lexicon.data["printed"]
        try:
            cards = list(printed_texts(folder, printed, types, lexicons.subtypes(lexicon), misprints(key)))
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            self._refuse(f"{error.message}{place} {error.remedy}".strip())
        if not cards:
            self._refuse(f"{folder} holds no cards with a text.")
        found = judged(key, cards)
        self._write(key, found, options["to"])
        self._tell(found, options["list"])

    def _refuse(self, text: str) -> None:
        self.stderr.write(text)
        raise SystemExit(2)

    def _write(self, key: str, found: list[Judged], to: str | None) -> None:
        if to == "-":
            return
        path = Path(to) if to else system_files.FOLDER / "library" / "understood" / f"{key}.jsonl"
        rows = sorted((one for one in found if not one.why), key=lambda one: system_files.fold(one.name))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(
            json.dumps({"name": one.name, "print": one.printing, "card": one.card}, ensure_ascii=False) + "\n"
            for one in rows
        )
        path.write_text(text, "utf-8")
        self.stdout.write(f"{len(rows)} cards written to {path.name}")

    def _tell(self, found: list[Judged], every: bool) -> None:
        for why, number in Counter(one.why or "passed every check" for one in found).most_common():
            self.stdout.write(f"{number:6}  {why}")
        for one in found if every else ():
            if one.why:
                self.stdout.write(f"  {one.name}: {one.why}{f' ({one.details})' if one.details else ''}")
