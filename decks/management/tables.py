"""Draws results as tables in a terminal."""

from collections.abc import Iterable
from typing import IO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from decks.legality import Finding

COLORS = {"legal": "green", "illegal": "red", "unverified": "yellow", "note": "blue", "unread": "magenta"}


def decks(rows: Iterable[tuple[str, str, str, str]], out: IO[str]) -> None:
    """rows: (verdict, number of cards, file, what is wrong)"""
    table = Table("verdict", "cards", "file", "what is wrong", box=box.SIMPLE)
    for verdict, cards, file, wrong in rows:
        table.add_row(_marked(verdict, verdict), cards, escape(file), escape(wrong))
    Console(file=out).print(table)


def findings(rows: Iterable[tuple[Finding, str]], out: IO[str]) -> None:
    """rows: each finding with what to do"""
    table = Table("line", "finding", "what to do", "rule", show_lines=True)
    for finding, remedy in rows:
        table.add_row(
            str(finding.line or ""),
            f"{_marked(finding.severity.value, finding.code)}\n{escape(finding.message)}",
            escape(remedy),
            escape("\n".join(part for part in (finding.rule, finding.source) if part)),
        )
    Console(file=out).print(table)


def _marked(severity: str, text: str) -> str:
    return f"[bold {COLORS[severity]}]{text}[/]"
