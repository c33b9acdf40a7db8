"""`manage.py event_import event.json --owner organizer`: import an event from a file, with progress
(docs/events.md)."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from config import given_files
from config.errors import UserError
from tournament.files.encoding import text_of
from tournament.models import User
from tournament.services import event_import
from tournament.services.outside.imports import (
    MOST_TOLD,
    event_checked,
    file_read,
    open_tables,
    rows_checked,
    standings_compared,
)


class Command(BaseCommand):
    help = "Create an event from a file: event.json, a TRF, an NRTM file, a TOM file (.tdf) or a table of results."
    differs = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--owner", required=True, help="User name of the owner.")
        parser.add_argument(
            "--policy",
            default="",
            metavar="KEY",
            help="The policy for another program’s file (default: single-game).",
        )
        parser.add_argument("--look", action="store_true", help="Show what is in the file; store nothing.")
        parser.add_argument(
            "--accept", action="store_true", help="Store it even if its standings differ from ours."
        )
        parser.add_argument("--slug", default="", help="A different address from the file's.")

    def handle(self, *args: Any, path: Path, owner: str, slug: str, policy: str, **options: Any) -> None:
        person = User.objects.filter(username=owner).first()
        if person is None:
            raise CommandError(f"No account has the user name {owner}.")
        try:
            data = given_files.content(path, settings.EVENT_FILE_MAX_BYTES, remedy="Give the name of a file.")
            source, guessed = text_of(data)
            self._shown(source, policy, guessed)
        except UserError as error:
            raise CommandError(_told(error), returncode=2) from error
        if options["look"]:
            return
        if self.differs and not options["accept"]:
            raise CommandError(
                "Nothing was stored. Choose the policy of the event (--policy), or add --accept.",
                returncode=3,
            )
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("reading", total=None)

            def heard(key: str, done: int, total: int) -> None:
                bar.update(task, description=key or "done", completed=done, total=total)

            try:
                event = event_import(
                    source=source, slug=slug, policy_key=policy, by=person, now=timezone.now(), progress=heard
                )
            except UserError as error:
                raise CommandError(_told(error), returncode=2) from error
        self.stdout.write(f"{event.name} is at /events/{event.slug}/.")

    def _shown(self, source: str, policy_key: str, guessed: str) -> None:
        """What is in the file and what to heed, before anything is stored."""
        read = file_read(source, policy_key=policy_key, now=timezone.now())
        rows = rows_checked(read.document)
        fields, policy = event_checked(read.document["event"])
        counts = {key: len(rows[key]) for key in ("players", "rounds", "matches", "reports")}
        self.stdout.write(
            f"{fields['name']}, {fields['starts_on']}: {counts['players']} players, {counts['rounds']} rounds, "
            f"{counts['matches']} tables, {counts['reports']} results; policy “{policy.title}”."
        )
        if left := open_tables(rows):
            self.stdout.write(f"  {left} tables have no result: their round is still in progress.")
        differ = standings_compared(read, policy)
        self.differs = bool(differ or read.remarks or guessed)
        if guessed:
            self.stdout.write(f"  Not in UTF-8: read as {guessed}. Check accented names.")
        for remark in read.remarks[:MOST_TOLD]:
            self.stdout.write(f"  {remark}")
        for one in differ[:MOST_TOLD]:
            self.stdout.write(
                f"  {one.player}: {one.what} is {one.said} in the file, {one.ours} computed here."
            )
        left = len(differ) + len(read.remarks) - len(differ[:MOST_TOLD]) - len(read.remarks[:MOST_TOLD])
        if left:
            self.stdout.write(f"  ... and {left} more.")
        elif read.claims and not differ:
            self.stdout.write("  The standings in the file match those computed here.")


def _told(error: UserError) -> str:
    said = error.message if error.message.startswith(error.place) else f"{error.place}: {error.message}"
    stop = "" if said.endswith((".", "!", "?")) else "."
    return f"{said}{stop} {error.remedy}".strip()
