"""The command `headjudge`, as the wheel installs it; in a checkout `manage.py` is the same."""

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc

APPS = ("tournament", "decks", "rules", "config")
FIRST = (
    "up", "demo", "check_deck", "adjudicate", "card_text", "import_cards", "catalog_update", "event_import",
    "event_export", "simulate", "backup", "restore", "doctor", "person_export", "person_erase", "prepare", "serve",
)  # fmt: skip
"""The verbs in the order in which people come to need them; others follow."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Headjudge's or of Django's; without one, say what there is."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if given in ([], ["help"], ["--help"], ["-h"]):
        print(usage())
        return
    gc.set_threshold(100_000)  # what is loaded stays: to look for garbage in it, then or at the end, takes
    atexit.register(gc.freeze)  # a quarter of the time
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(["headjudge", *given])
    except Exception as error:
        sys.exit(_told(error))


def _told(error: Exception) -> str:
    """A database that was never prepared, in words; any other error is raised again."""
    from django.db import DatabaseError

    from config.database_errors import HOW_TO_PREPARE, unprepared

    if isinstance(error, DatabaseError) and unprepared(error):
        return f"The database isn’t prepared for this version. {HOW_TO_PREPARE}"
    raise error


def usage() -> str:
    """Every command of ours in one line each, and where its data is."""
    import django
    from django.conf import settings
    from django.core.management import get_commands

    django.setup()
    told = {
        name: line for name, app in get_commands().items() if app in APPS and (line := _told_of(name, app))
    }
    order = [*(name for name in FIRST if name in told), *sorted(told.keys() - set(FIRST))]
    width = max(map(len, order))
    lines = [f"  {name:<{width}}  {told[name]}" for name in order]
    return "\n".join(
        [
            "Headjudge runs card-game tournaments. To start it:  headjudge up",
            "",
            *lines,
            "",
            "headjudge COMMAND --help explains a command. headjudge help --commands lists Django's own.",
            f"Data and logs: {settings.VAR_DIR} (set HEADJUDGE_VAR to use a different folder).",
        ]
    )


def _told_of(name: str, app: object) -> str:
    """What the command says of itself, else what its module does; "" for one that needs what only developers have."""
    from django.core.management import load_command_class

    try:
        command = load_command_class(str(app), name)
    except ModuleNotFoundError:
        return ""
    told = str(getattr(command, "help", "")) or str(import_module(type(command).__module__).__doc__ or "")
    return cleandoc(told).split("\n")[0]


if __name__ == "__main__":
    main()
