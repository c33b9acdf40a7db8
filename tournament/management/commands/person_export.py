"""`manage.py person_export USERNAME`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from tournament.models import User
from tournament.selectors.personal import personal_data


class Command(BaseCommand):
    help = "Print everything stored about a person, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["username"]).first()
        if person is None:
            raise CommandError(f"No account has the user name {options['username']}.")
        self.stdout.write(
            json.dumps(personal_data(person), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
        )
