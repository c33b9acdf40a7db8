"""`manage.py rulings_review`: list the rulings that cite a rule whose text has changed."""

import json
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from config.errors import UserError
from rules import services
from rules.law.system_files import keys
from rules.selectors import rulings_to_review


class Command(BaseCommand):
    help = "List the rulings that cite a changed rule. --ask-again asks every recorded dispute again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--system", default="", choices=["", *keys()], help="only those under this system"
        )
        parser.add_argument("--json", action="store_true", help="for programs")
        parser.add_argument(
            "--ask-again",
            action="store_true",
            help="also ask again every dispute answered under a different version; the workers answer",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = rulings_to_review(system=options["system"])
        started = self._ask_again(options["system"]) if options["ask_again"] else []
        if options["json"]:
            told = [
                {
                    "ruling": one.ruling.pk,
                    "verdict": one.ruling.verdict,
                    "rules": [{"rule": rule, "quoted": said, "now": now} for rule, said, now in one.rules],
                }
                for one in found
            ]
            self.stdout.write(
                json.dumps({"rulings": told, "asked_again": started}, ensure_ascii=False, indent=2)
            )
            return
        table = Table("ruling", "verdict", "rule", "quoted", "now")
        for one in found:
            for rule, said, now in one.rules:
                table.add_row(
                    str(one.ruling.pk), one.ruling.verdict, rule, said, now or "the rule was removed"
                )
        console = Console(file=cast(IO[str], self.stdout._out), width=None if self.stdout.isatty() else 160)
        if found:
            console.print(table)
        self.stdout.write(f"rulings to review: {len(found)}")
        for key in started:
            self.stdout.write(f"asked again: the disputes of {key}")

    def _ask_again(self, only: str) -> list[str]:
        started = []
        for key in [only] if only else keys():
            try:
                services.law_run_start(system=key, by=None, now=timezone.now())
                started.append(key)
            except UserError as error:
                if error.code not in ("nothing-recorded", "under-way"):
                    raise CommandError(error.message) from error
        return started
