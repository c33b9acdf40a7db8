"""`manage.py cases`: run every test case of the timing engine and report the failures."""

import time
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from rules.scenarios import case_files


class Command(BaseCommand):
    help = "Run every test case of the timing engine."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("only", nargs="*", help="run only cases whose name contains one of these words")

    def handle(self, *args: Any, **options: Any) -> None:
        table = Table("case", "what", "lines", "positions", "ends", "ms", "result")
        passed = failed = 0
        only = options["only"]
        chosen = [case for case in case_files.cases() if not only or any(word in case.name for word in only)]
        if not chosen:
            raise CommandError(
                f"No case name contains {' or '.join(only)}. Names look like codex/past-the-patrol."
            )
        for case in chosen:
            started = time.perf_counter()
            result = case_files.run(case)
            spent = (time.perf_counter() - started) * 1000
            counts = result.answer["counts"] if result.answer else {}
            passed, failed = passed + result.passed, failed + (not result.passed)
            verdict = "passed" if result.passed else "FAILED: " + "; ".join(result.failures)
            numbers = [str(counts.get(key, "-")) for key in ("lines", "positions", "ends")]
            table.add_row(case.name, case.title, *numbers, f"{spent:.1f}", verdict)
        Console(file=cast(IO[str], self.stdout._out), width=None if self.stdout.isatty() else 160).print(
            table
        )
        self.stdout.write(f"cases: {passed} passed, {failed} failed")
        if failed:
            raise SystemExit(1)
