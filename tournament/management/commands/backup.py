"""`manage.py backup FILE`: write the whole database to one file, while the service runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backup import backup
from config.errors import UserError


class Command(BaseCommand):
    help = (
        "Write the whole database to FILE, as of one moment, while the service runs. Keep the file private."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        say = self.stdout.write if options["verbosity"] > 1 else lambda text: None
        try:
            manifest = backup(options["file"], say)
        except UserError as error:
            raise CommandError(
                f"{error.message} ({error.place}) {error.remedy}".replace(" ()", "")
            ) from error
        rows = sum(table["rows"] for table in manifest["tables"])
        size = options["file"].stat().st_size
        told = f"{size / 1_000_000:.1f} MB" if size >= 1_000_000 else f"{size / 1_000:.0f} kB"
        self.stdout.write(f"{options['file']}: {rows} rows, {told}, of {manifest['made_at']}.")
