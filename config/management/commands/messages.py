"""`manage.py messages`: bring the catalogs of translated texts up to date and compile them (docs/translating.md)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.translations import (
    brought_up_to_date,
    faults,
    languages,
    mo_bytes,
    po_bytes,
    po_path,
    translated_apps,
)


class Command(BaseCommand):
    help = "Extract the texts of all apps, update each language's django.po and compile its django.mo."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="Write nothing; fail if anything is left to do."
        )

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        left = 0
        for language in languages():
            for app in translated_apps():
                catalog = brought_up_to_date(app, language)
                path = po_path(app, language)
                written = {path: po_bytes(catalog), path.with_suffix(".mo"): mo_bytes(catalog)}
                todo = list(faults(catalog))
                if check:
                    todo += [
                        f"out of date: {one.name}"
                        for one, content in written.items()
                        if not one.exists() or one.read_bytes() != content
                    ]
                elif len(catalog):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    for one, content in written.items():
                        one.write_bytes(content)
                self.stdout.write(f"{language} {app}: {len(catalog)} texts, {len(todo)} to do")
                for fault in todo:
                    self.stdout.write(f"  {fault}")
                left += len(todo)
        if check and left:
            raise CommandError(f"{left} things to do; docs/translating.md says how.")
