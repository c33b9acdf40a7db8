"""`manage.py doctor`: check every invariant of the database and the installation."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config.invariants import Finding, Level, checks, examined

SIGN = {Level.ERROR: "✗", Level.WARNING: "!"}


class Command(BaseCommand):
    help = (
        "Check the database and the installation. Exit code 0: no error (there may be warnings); 1: errors."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as one JSON document")
        parser.add_argument(
            "--only", action="append", metavar="CHECK", help="run only this check; can be repeated"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = options["only"] or []
        known = {check.key: check for check in checks()}
        if unknown := [key for key in wanted if key not in known]:
            raise CommandError(f"There is no check “{unknown[0]}”. The checks are: {', '.join(known)}.")
        began, found, left = time.monotonic(), [], []
        for check, mine in examined([known[key] for key in wanted] or known.values()):
            if mine is None:
                left.append(check.key)
                continue
            found += mine
            if not options["json"]:
                self._tell(check.key, check.title, mine)
        errors = sum(one.level is Level.ERROR for one in found)
        if options["json"]:
            told = {
                "sound": not errors,
                "database": connection.vendor,
                "checks": [key for key in wanted or known if key not in left],
                "not_made": left,
                "findings": [one.as_json() for one in found],
            }
            self.stdout.write(json.dumps(told, indent=1, ensure_ascii=False))
        else:
            if left:
                self.stdout.write(
                    f"- {'skipped':<16} {len(left)} checks of stored data: fix the errors above first."
                )
            count = f"{errors} errors, {len(found) - errors} warnings" if found else "All is well"
            self.stdout.write(f"\n{count} ({time.monotonic() - began:.1f} s).")
        if errors:
            raise SystemExit(1)

    def _tell(self, key: str, title: str, found: list[Finding]) -> None:
        sign = "✓" if not found else SIGN[max((one.level for one in found), key=list(SIGN)[::-1].index)]
        self.stdout.write(f"{sign} {key:<16} {title}")
        for one in found:
            where = f" ({one.place})" if one.place else ""
            self.stdout.write(f"    {SIGN[one.level]} {one.message}{where}")
            if one.remedy:
                self.stdout.write(f"      {one.remedy}")
