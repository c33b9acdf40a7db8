"""`manage.py prepare`: prepare a production service before it starts; docker-compose runs it once."""

from typing import Any

from django.core.checks import Error, run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from decks.services import catalog_load_shipped, texts_read_again
from rules.services import law_changed


class Command(BaseCommand):
    help = "Refuse a configuration unfit for production; migrate the database; load the shipped card data."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        problems = [
            found for found in run_checks(include_deployment_checks=True) if found.level >= Error("").level
        ]
        if problems:
            raise CommandError("\n".join(f"{found.msg} {found.hint or ''}".strip() for found in problems))
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        catalog_load_shipped(now=timezone.now())
        texts_read_again(now=timezone.now())
        law_changed(now=timezone.now())  # a new version asks every recorded dispute again, a few at a time
