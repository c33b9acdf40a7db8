"""manage.py import_cards GAME PATH: add or update card facts and texts. Running it twice changes nothing more.

PATH is a folder of card files of a program that docs/formats.md names (Card data), a zip of them, a bulk file of
MTGJSON or Scryfall, or a CSV (docs/formats.md).
"""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from config.errors import UserError
from decks import services
from decks.cards import sources


class Command(BaseCommand):
    help = "Import card facts: OCTGN sets (folder), ArkhamDB packs and taboos (folder), a zip of these, a bulk file of "
    help += "MTGJSON or Scryfall, or a CSV."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="key of the game, such as coc-lcg")
        parser.add_argument("path", help="a folder, a zip archive or one file")
        parser.add_argument(
            "--complete",
            action="store_true",
            help="the source has every card of the game: a missing name is then illegal, not unverified",
        )
        parser.add_argument("--json", action="store_true", help="print the summary as JSON")

    def handle(self, *, game: str, path: str, complete: bool, **options: Any) -> None:
        console = Console(stderr=True)
        try:
            files = sources.gathered(Path(path))
            services.catalog_load_missing(game=game, new=True, now=timezone.now())
            with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
                bar = progress.add_task(f"{len(files)} files", total=None)
                summary = services.cards_import_files(
                    game=game,
                    files=files,
                    complete=complete,
                    now=timezone.now(),
                    progress=lambda done, total: progress.update(bar, completed=done, total=total),
                )
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            raise CommandError(f"{error.message}{place} {error.remedy}".strip(), returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(summary.as_json(), ensure_ascii=False))
            return
        lists = (
            f" {len(summary.lists)} dated lists, {summary.new_lists} of them new or changed;"
            if summary.lists
            else ""
        )
        self.stdout.write(
            f"{summary.game}: {summary.new} new, {summary.changed} changed, {summary.unchanged} unchanged;{lists} "
            f"version {summary.version}."
        )
        if summary.texts:
            self.stdout.write(f"Card texts that are new or changed: {summary.texts}. A worker reads them.")
