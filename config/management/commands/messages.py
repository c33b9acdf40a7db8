"""`manage.py messages`: bring the catalogs of translated texts up to date and compile them (docs/translating.md)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.translations import (
    DATA,
    brought_up_to_date,
    catalogs,
    faults,
    languages,
    mo_bytes,
    po_bytes,
    po_path,
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
            for app, domain in catalogs():
                catalog = brought_up_to_date(app, language, domain)
                path = po_path(app, language, domain)
                written = {path: po_bytes(catalog), path.with_suffix(".mo"): mo_bytes(catalog)}
                todo = list(faults(catalog))
                untranslated = [one for one in todo if one.startswith("not translated")]
                if (app, domain) in DATA:  # such a text is shown in English; how many there are is counted
                    todo = [one for one in todo if one not in untranslated]
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
                name = app if domain == "django" else f"{app}/{domain}"
                left_english = f", {len(untranslated)} shown in English" if (app, domain) in DATA else ""
                self.stdout.write(f"{language} {name}: {len(catalog)} texts, {len(todo)} to do{left_english}")
                for fault in todo:
                    self.stdout.write(f"  {fault}")
                left += len(todo)
        if check and left:
            raise CommandError(f"{left} things to do; docs/translating.md says how.")
