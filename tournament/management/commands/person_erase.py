"""`manage.py person_erase USERNAME`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.errors import UserError
from tournament import services
from tournament.models import User


class Command(BaseCommand):
    help = "Erase a person. Results stay under a pseudonym. This can't be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["username"]).first()
        if person is None:
            raise CommandError(f"No account has the user name {options['username']}.")
        try:
            pseudonym = services.account_erase(person=person, by=None, now=timezone.now())
        except UserError as error:
            raise CommandError(f"{error.message} {error.remedy}") from None
        self.stdout.write(f"{options['username']} has been erased. Results stay under the name {pseudonym}.")
