"""`manage.py restore FILE`: the database of a backup in place of the present one, at once or not at all."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backup import restore
from config.errors import UserError
from config.soundness import Level, checks


class Command(BaseCommand):
    help = "Put the database of the backup FILE in place of the present one, once it has been found sound."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask: the present database is given up")
        parser.add_argument("--anyway", action="store_true", help="even if the doctor finds it unsound")

    def handle(self, *args: Any, **options: Any) -> None:
        if (
            not options["yes"]
            and input("Everything in the present database is given up. Type yes: ") != "yes"
        ):
            raise CommandError("Nothing was changed.")
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
                f"The backup’s database is not sound; nothing was changed.\n{told}\n"
                "Take another backup, or restore this one nevertheless with --anyway."
            )
