"""`manage.py event_import event.json --owner organizer`: an event of a file, with progress (docs/events.md)."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from config.errors import UserError
from tournament.files.encoding import text_of
from tournament.files.trf import is_trf
from tournament.models import User
from tournament.services import event_import


class Command(BaseCommand):
    help = (
        "Make an event of a file that event_export wrote, of a TRF or of an NRTM file: all of it, or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--owner", required=True, help="User name of who is to own it.")
        parser.add_argument(
            "--policy", default="", metavar="KEY", help="What a TRF or NRTM file is run by (single-game)."
        )
        parser.add_argument("--slug", default="", help="Another address than the file's.")

    def handle(self, *args: Any, path: Path, owner: str, slug: str, policy: str, **options: Any) -> None:
        person = User.objects.filter(username=owner).first()
        if person is None:
            raise CommandError(f"There is no account {owner}.")
        try:
            source, guessed = text_of(path.read_bytes())
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error}") from error
        if guessed and not is_trf(source):
            raise CommandError(f"{path} is not in UTF-8. Save it as UTF-8.")
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("reading", total=None)

            def heard(key: str, done: int, total: int) -> None:
                bar.update(task, description=key or "done", completed=done, total=total)

            try:
                event = event_import(
                    source=source,
                    slug=slug,
                    policy_key=policy,
                    by=person,
                    now=timezone.now(),
                    progress=heard,
                )
            except UserError as error:
                raise CommandError(f"{error.message} {error.remedy}".strip()) from error
        self.stdout.write(f"{event.name} is at /events/{event.slug}/.")
