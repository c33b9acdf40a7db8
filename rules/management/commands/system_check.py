"""`manage.py system_check KEY`: compile a timing system with its library, and point out likely mistakes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rules.engine.base.errors import DataError
from rules.law import lint, system_files
from rules.scenarios.reading import told


class Command(BaseCommand):
    help = "Check a timing system's file and every card of its library, and report likely mistakes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", nargs="*", help="systems to check (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        for key in options["key"] or system_files.keys():
            try:
                found = lint.findings(key)
                cards = len(system_files.library(key))
            except DataError as error:
                raise CommandError(f"{error.place}: {told(error.message)} {error.remedy}".strip()) from error
            self.stdout.write(f"{key}: the system and its {cards} library cards can be read.")
            for one in found:
                self.stdout.write(f"  likely mistake: {one}")
