"""`manage.py demo`: play the main job from start to end as a story; `make demo` calls it.

Played in a folder of its own, thrown away afterwards: a person's data is neither read nor written.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.embedded import children, start_words
from config.supervisor import Supervisor
from tournament.demo.story import Chapter, Story

WORKER_SECONDS = 45.0
SERVERS = ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "PRODUCTION", "SECRET_KEY")


class Command(BaseCommand):
    help = "Play an event from a decklist to a ruling, with a real worker, and print it as a story."
    requires_system_checks = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--json", action="store_true", help="print one JSON document instead of the story"
        )
        parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["here"]:
            self._elsewhere(options["json"])
            return
        started = time.monotonic()
        tell = AsJson() if options["json"] else Told()
        call_command("migrate", verbosity=0, interactive=False)
        workers = [child for child in children("", 0, settings.VAR_DIR) if child.name != "web server"]
        with Supervisor(workers, say=lambda line: print(line, file=sys.stderr)) as supervisor:
            for chapter in Story(lambda condition: _wait(supervisor, condition)).chapters():
                tell.chapter(chapter)
        tell.end(time.monotonic() - started)

    def _elsewhere(self, as_json: bool) -> None:
        """The settings are read already, for the person's own folder: play in a process with another one."""
        with tempfile.TemporaryDirectory(prefix="headjudge-demo-") as folder:
            environment = {key: value for key, value in os.environ.items() if key not in SERVERS}
            command = [sys.executable, "-m", "config", "demo", "--here"]
            played = subprocess.run(  # noqa: S603 (ourselves)
                command + (["--json"] if as_json else []),
                env={**environment, "HEADJUDGE_VAR": folder, "LOG_LEVEL": "ERROR"},
                cwd=settings.BASE_DIR,
                check=False,
            )
        if played.returncode:
            raise CommandError("The demo failed; the reason is printed above.")


def _wait(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WORKER_SECONDS
    supervisor.run(while_true=lambda: not condition() and time.monotonic() < deadline)
    if supervisor.stopping:
        sys.exit("Stopped.")
    if not condition():
        log = Path(settings.VAR_DIR) / "log" / "worker.log"
        sys.exit(f"The worker gave no answer in {WORKER_SECONDS:g} s. Its output:\n{log.read_text()[-2000:]}")


class Told:
    """For people: colors and tables on a terminal, plain text elsewhere (rich tells the two apart)."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)
        self.number = 0

    def chapter(self, chapter: Chapter) -> None:
        from rich import box
        from rich.markup import escape
        from rich.padding import Padding
        from rich.table import Table

        self.number += 1
        self.console.print(f"\n[bold]{self.number}. {escape(chapter.title)}[/bold]")
        for line in chapter.text:
            self.console.print(Padding(escape(line), (0, 0, 0, 3)))
        if chapter.rows:
            table = Table(box=box.SIMPLE_HEAD, pad_edge=True)
            for head in chapter.heads:
                table.add_column(escape(head))
            for row in chapter.rows:
                table.add_row(*(escape(cell) for cell in row))
            self.console.print(table)

    def end(self, seconds: float) -> None:
        self.console.print(f"\nThat took {seconds:.1f} s. To try it yourself: {start_words()}")


class AsJson:
    """For programs: one document at the end."""

    def __init__(self) -> None:
        self.chapters: list[dict[str, Any]] = []

    def chapter(self, chapter: Chapter) -> None:
        self.chapters.append({"title": chapter.title, "text": list(chapter.text), **chapter.facts})

    def end(self, seconds: float) -> None:
        print(json.dumps({"chapters": self.chapters, "seconds": round(seconds, 1)}, indent=2))
