"""`manage.py restore FILE`: replace the current database with a backup's, in one step or not at all."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backup import restore
from config.errors import UserError
from config.invariants import Level, checks


class Command(BaseCommand):
    help = "Replace the current database with the backup FILE, after checking that the backup is sound."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--yes", action="store_true", help="don't ask before the current database is replaced"
        )
        parser.add_argument("--anyway", action="store_true", help="even if the doctor finds errors in it")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["yes"] and not _agreed():
            raise CommandError("Nothing was changed. Without a terminal to ask at, add --yes.")
        self.anyway = options["anyway"]
        say = self.stdout.write if options["verbosity"] > 0 else lambda text: None
        try:
            manifest = restore(options["file"], self._check, say)
        except UserError as error:
            raise CommandError(
                f"{error.message} ({error.place}) {error.remedy}".replace(" ()", "")
            ) from error
        rows = sum(table["rows"] for table in manifest["tables"])
        self.stdout.write(f"Restored: {rows} rows, as they were at {manifest['made_at']}.")

    def _check(self) -> None:
        found = [one for check in checks() for one in check.findings() if one.level is Level.ERROR]
        if found and not self.anyway:
            told = "\n".join(f"  {one.message} ({one.place})" for one in found[:10])
            raise CommandError(
                f"The backup’s database has errors. Nothing was changed.\n{told}\n"
                "Use another backup, or restore this one with --anyway."
            )


def _agreed() -> bool:
    try:
        return input("Everything in the current database will be lost. Type yes to go on: ") == "yes"
    except EOFError:
        return False
