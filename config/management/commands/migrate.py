"""`manage.py migrate`: as Django's, but an empty database is built in one step (config/new_database.py)."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from config.new_database import build

IN_PART = ("app_label", "fake", "fake_initial", "plan", "check_unapplied", "prune")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if not any(options[one] for one in IN_PART) and not connection.introspection.table_names():
            if options["verbosity"]:
                self.stdout.write("Building an empty database.")
            build(connection)
        super().handle(*args, **options)
