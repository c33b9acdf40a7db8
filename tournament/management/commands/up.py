"""`manage.py up`: the whole service on one machine; `make run` calls it.

Prepares what is missing (tables, pages' files, card facts, a demo event), then keeps a web server and a
worker alive until Ctrl-C.
"""

import time
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.embedded import (
    CannotStart,
    FolderLock,
    cannot_use,
    children,
    fingerprint,
    fit_to_start,
    free_address,
    usable,
)
from config.supervisor import Supervisor
from decks.services import catalog_load_shipped, texts_read_again
from rules.services import law_changed
from tournament.demo import event as demo_event

READY_SECONDS = 60.0


class Command(BaseCommand):
    help = "Start the service on this machine: web server, worker, demo event. Ctrl-C stops it."
    requires_system_checks = []  # a second start is quick; CI and `check --deploy` run them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (asked for)  # nosec B104
        name = everywhere.get(host, host)
        address = f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
        lock = FolderLock(settings.VAR_DIR)
        try:
            usable(settings.VAR_DIR)
            lock.take(address)
            numeric = free_address(host, port)
            fit_to_start(numeric)
            self._prepare()
        except CannotStart as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(str(cannot_use(error))) from None
        except OperationalError as error:
            where = settings.DATABASES["default"]["NAME"]
            raise CommandError(f"The database {where} can’t be used: {error}.") from None
        connection.close()
        with Supervisor(children(numeric, port, settings.VAR_DIR), self.stdout.write) as supervisor:
            self._wait_until_ready(supervisor, address)
            if not supervisor.stopping:
                self._greet(address, host)
            supervisor.run()
            self.stdout.write("Stopping ...")
        self.stdout.write("Stopped.")

    def _prepare(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            self.stdout.write("Preparing the database ...")
            call_command("migrate", verbosity=0, interactive=False)
        self._collect_static()
        catalog_load_shipped(now=timezone.now())
        texts_read_again(now=timezone.now())
        law_changed(now=timezone.now())
        if not demo_event.anything_there():
            self.stdout.write("Loading the demo event ...")
            demo_event.load(now=timezone.now())

    def _collect_static(self) -> None:
        """Only when a file changed since: it takes seconds."""
        root = Path(settings.STATIC_ROOT)
        files = [
            Path(storage.path(name))
            for finder in get_finders()
            for name, storage in finder.list(ignore_patterns=[])
        ]
        mark, seal = root / ".collected", fingerprint(files)
        if mark.exists() and mark.read_text() == seal:
            return
        self.stdout.write("Preparing the pages' files ...")
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
        mark.write_text(seal)

    def _wait_until_ready(self, supervisor: Supervisor, address: str) -> None:
        started, said = time.monotonic(), False

        def not_ready() -> bool:
            nonlocal said
            for child in supervisor.children:
                if child.deaths >= 3:
                    raise CommandError(
                        f"The {child.name} doesn’t start. The end of its log, {child.log}:\n{_end(child.log)}"
                    )
            if not said and time.monotonic() - started > READY_SECONDS:
                said = True
                self.stdout.write(f"The web server isn’t answering yet; see {settings.VAR_DIR / 'log'}.")
            try:
                with urllib.request.urlopen(f"{address}/healthz", timeout=2):  # noqa: S310 (ours)  # nosec B310
                    return False
            except OSError:
                return True

        supervisor.run(while_true=not_ready)

    def _greet(self, address: str, host: str) -> None:
        lines = [f"Headjudge is at {address}", "", *demo_event.guide(), ""]
        if host not in ("127.0.0.1", "localhost", "::1"):
            lines += [
                f"It listens on {host}, so everyone who can reach this machine can use these logins.",
                "For a real event, see Deploy in README.md.",
                "",
            ]
        self.stdout.write(
            "\n".join([*lines, f"Data and logs: {settings.VAR_DIR}    Ctrl-C stops the service."])
        )
        self.stdout.flush()


def _end(log: Path | None) -> str:
    return "" if log is None else "\n".join(log.read_text(errors="replace").splitlines()[-5:])
