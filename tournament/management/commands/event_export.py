"""`manage.py event_export kingsport event.json`: write a whole event to a file (docs/events.md)."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import UserError
from tournament.models import Event
from tournament.selectors.exports import file_of

FILES = ("event.json", "players.csv", "standings.csv", "results.csv", "nrtm.json", "event.trf")
BY_ENDING = {".json": "event.json", ".trf": "event.trf"}  # what a name of one's own means


class Command(BaseCommand):
    help = (
        "Write an event as a file: event.json (everything; so is any other .json), players.csv, standings.csv, "
        "results.csv, nrtm.json or event.trf (so is any other .trf)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="The event's address.")
        parser.add_argument("path", type=Path, help="The file to write; its name can say which kind.")
        parser.add_argument(
            "--as", dest="name", choices=FILES, help="Which kind of file, if its name doesn't say."
        )

    def handle(self, *args: Any, slug: str, path: Path, name: str | None, **options: Any) -> None:
        event = Event.objects.filter(slug=slug).first()
        if event is None:
            raise CommandError(f"No event has the address {slug}.")
        kind = name or (path.name if path.name in FILES else BY_ENDING.get(path.suffix.lower()))
        if kind is None:
            raise CommandError(
                f"“{path.name}” doesn't say what to write. Add --as and one of: {', '.join(FILES)}."
            )
        try:
            text, _media = file_of(event.created_by, event, kind)
        except UserError as error:
            raise CommandError(f"{error.message} {error.remedy}".strip()) from error
        path.write_text(text, encoding="utf-8", newline="")
        self.stdout.write(f"{path}: {len(text):,} characters.")
