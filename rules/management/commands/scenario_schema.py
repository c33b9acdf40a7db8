"""`manage.py scenario_schema`: the JSON Schema of scenario files, for editors and other programs."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from rules.scenarios.schema import schema


class Command(BaseCommand):
    help = "Print the JSON Schema (draft 2020-12) of scenario files, made from the shipped systems."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps(schema(), indent=1, ensure_ascii=False))
