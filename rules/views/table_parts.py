"""What the pages of a board share: the current step, the decisions so far."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from rules.law.system_files import edition, system
from rules.models import Table
from rules.spoken import spoken
from rules.table import playing
from rules.table.stepping import Session


def home_of(table: Table) -> str:
    """The page of a board: at its match, or its owner's own."""
    return f"{table.filing_at}?table={table.pk}" if table.filing_at else reverse("table", args=[table.pk])


def frame(table: Table) -> dict[str, Any]:
    return {
        "table": table,
        "laid": table.scenario,
        "home": home_of(table),
        "law_title": system(table.scenario["system"]).title,
        "law_edition": edition(table.scenario["system"]),
    }


def standing_at(request: HttpRequest, table: Table) -> tuple[int, int]:
    """The line and step that the address names; without, the end of the line that was worked on last."""
    given = request.POST if request.method == "POST" else request.GET
    line = min(counted(given.get("line"), len(table.lines) - 1), max(len(table.lines) - 1, 0))
    steps = playing.steps_of(table.lines, line)
    return max(line, 0), min(counted(given.get("step"), len(steps)), len(steps))


def taken_so_far(session: Session) -> list[dict[str, Any]]:
    """The decisions so far, to go back to; `verb` tells using a card from choosing it."""
    return [
        {"step": i, "n": i + 1, "who": one.who, "verb": _verb(one.move or {}), "words": spoken(one.text)}
        for i, one in enumerate(session.taken)
    ]


def _verb(move: dict[str, Any]) -> str:
    return _("uses") if "use" in move else _("chooses") if "choose" in move else ""


def counted(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 7 else default
