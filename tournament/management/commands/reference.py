"""`manage.py reference`: the tables in docs/formats.md and docs/tournament.md, from the schemas and the registries."""

import re
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.schema import rows, table
from decks.law.words import CONSTRUCTION, FORMAT, LISTED
from decks.lists.registry import READ
from tournament.policy.kinds import options
from tournament.policy.model import POLICY
from tournament.swiss import TIE_BREAKS

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {
    "formats.md": {
        "format": table(FORMAT.words),
        "construction": table(CONSTRUCTION.words),
        "lists": table({one.key: one for one in LISTED}),
        "readers": rows(
            ("kind", "written by", "file"), ((one.key, one.title, f"`{one.extension}`") for one in READ)
        ),
    },
    "tournament.md": {
        "policy": table(POLICY.words, kinds=True),
        "tie-breakers": rows(
            ("key", "value", "options"),
            ((key, kind.formula, ", ".join(options(kind))) for key, kind in TIE_BREAKS.items()),
        ),
    },
}


def written(page: str) -> str:
    """The page with its tables as the schemas have them, each between `<!-- words: NAME -->` and `<!-- end -->`."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, made in PAGES[page].items():
        begin = f"<!-- words: {name} -->"
        pattern = re.compile(re.escape(begin) + r".*?<!-- end -->", re.DOTALL)
        text, count = pattern.subn(lambda _found: f"{begin}\n{made}\n<!-- end -->", text)  # noqa: B023
        if count != 1:
            raise CommandError(f"docs/{page} has no one place “{begin}”.")
    return text


class Command(BaseCommand):
    help = "Write the tables of words in the documents from what the files' readers know."

    def handle(self, *args: Any, **options: Any) -> None:
        for page in PAGES:
            (DOCS / page).write_text(written(page), encoding="utf-8")
