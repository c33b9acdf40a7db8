"""`manage.py reason_erase NUMBER ...`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.errors import UserError
from tournament import services
from tournament.models import AuditRow


class Command(BaseCommand):
    help = "Erase the words of reasons in the audit log. What was done stays in it. It cannot be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "rows", nargs="+", type=int, help="The ids of entries, as the API's event log has them."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = AuditRow.objects.in_bulk(options["rows"])
        if unknown := [str(pk) for pk in options["rows"] if pk not in found]:
            raise CommandError(f"The log has no entry {', '.join(unknown)}. Nothing was erased.")
        for pk in dict.fromkeys(options["rows"]):
            try:
                services.reason_erase(row=found[pk], by=None, now=timezone.now())
            except UserError as error:
                raise CommandError(f"{pk}: {error.message}") from None
            self.stdout.write(f"The reason of entry {pk} is erased.")
