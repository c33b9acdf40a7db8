"""`manage.py simulate`: play a whole random event through the services, and report on it.

Played in a folder of its own, thrown away afterwards, so that the same seed plays the same event; `--keep` plays it
into the configured database, to look at it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config.errors import UserError
from tournament.management.commands.demo import SERVERS
from tournament.policy import policy_files
from tournament.simulator import USUAL, Broken, Plan, Simulator
from tournament.swiss.simulation import Chances

START = datetime(2026, 1, 3, 9, 0, tzinfo=UTC)


class Command(BaseCommand):
    help = "Simulate a whole event through the services."
    requires_system_checks = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--players", type=int, default=64)
        parser.add_argument("--rounds", type=int, help="default: the policy's table")
        parser.add_argument("--cut", help="8, “8 + ties”, “x-2” for at most two losses, or “none”")
        parser.add_argument("--policy", default="coc-lcg")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--drops", type=float, default=USUAL.drops, help="share of players who drop each round"
        )
        parser.add_argument(
            "--late", type=float, default=USUAL.late, help="share of late registrations each round"
        )
        parser.add_argument(
            "--conflicts",
            type=float,
            default=USUAL.conflicts,
            help="share of tables in conflict",
        )
        parser.add_argument(
            "--corrections",
            type=float,
            default=USUAL.corrections,
            help="share of past results corrected",
        )
        parser.add_argument("--json", action="store_true", help="print the report as one JSON document")
        parser.add_argument("--keep", action="store_true", help="play into the configured database")
        parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["keep"] or options["here"]):
            self._elsewhere()
            return
        if options["here"]:
            _make_tables()
        simulator = Simulator(_plan(options), start=START)
        began = time.monotonic()
        try:
            for told in simulator.rounds():
                if not options["json"]:
                    self._line(told.title, told.counts, time.monotonic() - began)
        except (UserError, Broken) as error:
            raise CommandError(str(error)) from error
        report = simulator.report() | {"seconds": round(time.monotonic() - began, 1)}
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1))
        else:
            self._report(report)

    def _elsewhere(self) -> None:
        """The settings are read already, for the person's own folder: play in a process with another one."""
        with tempfile.TemporaryDirectory(prefix="headjudge-simulate-") as folder:
            environment = {key: value for key, value in os.environ.items() if key not in SERVERS}
            command = [sys.executable, "-m", "config", *sys.argv[1:], "--here"]
            played = subprocess.run(  # noqa: S603 (ourselves)
                command,
                env={**environment, "HEADJUDGE_VAR": folder, "LOG_LEVEL": "ERROR"},
                cwd=settings.BASE_DIR,
                check=False,
            )
        if played.returncode:
            raise CommandError("The simulation failed; the reason is printed above.")

    def _line(self, title: str, counts: Any, seconds: float) -> None:
        said = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
        self.stdout.write(f"{seconds:7.1f} s  {title:<24} {said}")

    def _report(self, report: dict[str, Any]) -> None:
        self.stdout.write("\n" + ", ".join(f"{name} {count}" for name, count in report["counts"].items()))
        for one in report["places"]:
            self.stdout.write(f"{one['place']:>4}  {one['name']:<24} {one['points']:>4} points")
        self.stdout.write(f"Seed {report['seed']}, digest {report['digest']}, {report['seconds']} s")


def _make_tables() -> None:
    """In a folder that is thrown away, the tables as they are now: migrating there takes longer than playing."""
    if connection.introspection.table_names():
        return
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)


def _plan(options: dict[str, Any]) -> Plan:
    if not 2 <= options["players"] <= 5000:
        raise CommandError("--players: from 2 to 5000.")
    return Plan(
        players=options["players"],
        seed=options["seed"],
        rounds=options["rounds"],
        cut=_cut(options["cut"]),
        policy=options["policy"],
        chances=Chances(
            drops=options["drops"],
            late=options["late"],
            conflicts=options["conflicts"],
            slips=USUAL.slips,
            corrections=options["corrections"],
        ),
    )


def _cut(said: str | None) -> dict[str, Any] | None:
    try:
        return None if said is None else policy_files.cut_of_words(said)
    except UserError as error:
        raise CommandError(f"--cut: {error.message} {error.remedy}") from error
