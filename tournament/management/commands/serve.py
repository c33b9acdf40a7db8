"""`manage.py serve`: the web server of a production service; docker-compose runs it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.embedded import CannotStart, free_address
from config.serving import web_processes
from config.supervisor import Supervisor


class Command(BaseCommand):
    help = "Serve pages and the API with several processes. A process that dies is restarted."
    requires_system_checks = []  # `prepare` runs them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=2, help="web processes, about one per core")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"] < 1:
            raise CommandError("At least one web process is needed. Use --workers 1 or more.")
        try:
            host = free_address(options["host"], options["port"])
        except CannotStart as error:
            raise CommandError(str(error)) from None
        with Supervisor(web_processes(host, options["port"], options["workers"]), self._say) as supervisor:
            supervisor.run()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
