"""`manage.py reference`: write the tables in docs/formats.md and docs/tournament.md from the schemas and registries."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.schema import rows, table
from decks.cards import catalog_files
from decks.law import format_files
from decks.law.words import CONSTRUCTION, FORMAT, LISTED
from decks.lists.registry import READ
from tournament.policy.kinds import options
from tournament.policy.model import POLICY
from tournament.swiss import TIE_BREAKS

DOCS = Path(__file__).parents[3] / "docs"


def _games() -> str:
    """What ships of every format: cards of its own, lists that restrict or correct a card, the days they change."""
    found = []
    for key, law in sorted(format_files.formats().items()):
        catalog = catalog_files.shipped().get(law.game)
        cards = sum("versions" not in card.facts for card in catalog.data.cards) if catalog else 0
        lists = sum(bool(one.restrictions or one.errata) for one in law.lists.values())
        days = (law.timeline[0].since, law.timeline[-1].since)
        doubt = sum(bool(one.doubt) for one in law.timeline)
        some = "" if catalog and not catalog.partial else ", partial" if catalog else ""
        found.append((key, f"{cards}{some}", str(lists), *map(str, days), str(doubt) if doubt else ""))
    head = ("format", "cards that ship", "lists", "from", "last change", "periods in doubt")
    return rows(head, found)


PAGES: dict[str, dict[str, str | Callable[[], str]]] = {
    "formats.md": {
        "games": _games,
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
    for name, table_of in PAGES[page].items():
        made = table_of() if callable(table_of) else table_of
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
