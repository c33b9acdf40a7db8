"""manage.py import_cards GAME PATH: add or update card facts from a CSV file; twice is as good as once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config.errors import UserError
from decks import catalog_files, services
from decks.catalog_files import CatalogData


class Command(BaseCommand):
    help = "Import card facts from a CSV file (columns: title, set, number, type, faction ...)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="key of the game, such as coc-lcg")
        parser.add_argument("path", help="the CSV file")
        parser.add_argument(
            "--complete",
            action="store_true",
            help="the game has no other cards: a name that is missing is then illegal, not unverified",
        )

    def handle(self, *, game: str, path: str, complete: bool, **options: Any) -> None:
        try:
            data = _data(game, Path(path), complete)
            summary = services.cards_import(data=data, now=timezone.now())
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            raise CommandError(f"{error.message}{place} {error.remedy}".strip(), returncode=2) from error
        self.stdout.write(
            f"{summary.game}: {summary.new} new, {summary.changed} changed, {summary.unchanged} unchanged; "
            f"version {summary.version}."
        )


def _data(game: str, path: Path, complete: bool) -> CatalogData:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError("no-file", f"{path} cannot be opened: {error.strerror}.") from error
    known = catalog_files.shipped().get(game)
    named = CatalogData(game, known.name if known else game, partial=not complete, cards=())
    return replace(named, cards=catalog_files.read_csv(content, name=path.name))
