"""`manage.py perft FILE ...`: exact counts of a scenario's lines, positions and end states, to catch regressions."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config import given_files
from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.search.explore import Explorer
from rules.engine.search.questions import questions_of
from rules.management import add_budget


class Command(BaseCommand):
    help = "Count every legal line of scenario files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+")
        add_budget(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        for name in options["files"]:
            try:
                scene = scenarios.build(
                    scenarios.read(given_files.content(name, settings.SCENARIO_MAX_BYTES)).canonical
                )
            except UserError as error:
                place = f" ({error.place})" if error.place else ""
                self.stderr.write(f"{name}: {error.message}{place} {error.remedy}".strip())
                raise SystemExit(2) from error
            started = time.perf_counter()
            try:
                graph = Explorer(scene, questions_of(scene), budget=options["budget"]).explore()
            except BudgetExceeded:
                self.stdout.write(f"{name}: more than {options['budget']} positions")
                continue
            except Unworkable as fault:
                self.stdout.write(f"{name}: not modelled: {fault}")
                continue
            spent = time.perf_counter() - started
            rate = graph.positions / spent if spent else 0
            self.stdout.write(
                f"{name}: {graph.lines} lines, {graph.positions} positions, {graph.ends} ends, "
                f"{len(graph.loops)} loops, {spent * 1000:.1f} ms, {rate:.0f} positions/s"
            )
