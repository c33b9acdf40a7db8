"""Verdicts for a person at a terminal: one deck with its findings, or many decks in a table."""

from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from config.errors import UserError
from decks.judging.judgement import Judgement
from decks.legality import Snapshot

COLOURS = {"legal": "green", "illegal": "red", "unverified": "yellow", "note": "blue", "unread": "magenta"}


@dataclass(frozen=True, slots=True)
class Row:
    """One file of several: how it was judged, or why it could not be."""

    file: str
    judgement: Judgement | None
    error: UserError | None

    def as_error(self) -> dict[str, Any]:
        return self.error.as_json() if self.error else {}


def told(error: UserError) -> str:
    """The error in one line: where, what, what to do."""
    place = f"{error.place}: " if error.place else ""
    return " ".join(part for part in (f"{place}{error.message}", error.remedy) if part)


def several(rows: list[Row], console: Console) -> None:
    """A line a file, the verdict first, then how many of each."""
    table = Table(
        "verdict", "cards", "file", "what is wrong", box=None if not console.is_terminal else box.SIMPLE
    )
    counts: dict[str, int] = {}
    for row in rows:
        verdict = row.judgement.report.verdict.value if row.judgement else "unread"
        counts[verdict] = counts.get(verdict, 0) + 1
        cards = str(row.judgement.deck_list.count) if row.judgement else ""
        wrong = _wrong(row)
        if console.is_terminal:
            table.add_row(f"[bold {COLOURS[verdict]}]{verdict}[/]", cards, escape(row.file), escape(wrong))
        else:
            line = f"{verdict.upper():10} {cards:>4}  {row.file}  {wrong}".rstrip()
            console.print(escape(line), highlight=False, soft_wrap=True)
    if console.is_terminal:
        console.print(table)
    summed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    console.print(f"{len(rows)} decks: {summed}.", highlight=False)


def _wrong(row: Row) -> str:
    if row.judgement is None:
        return told(row.error) if row.error else ""
    findings = row.judgement.report.findings
    return ", ".join(dict.fromkeys(one.code for one in findings if one.severity != "note"))


def one(judgement: Judgement, snapshot: Snapshot, console: Console) -> None:
    """The verdict first, then one row a finding; plain text when nobody looks."""
    report, deck_list = judgement.report, judgement.deck_list
    colour = COLOURS[report.verdict.value]
    console.print(
        f"[bold {colour}]{report.verdict.value.upper()}[/]  {escape(deck_list.name or 'a deck')}: "
        f"{deck_list.count} cards, {escape(snapshot.title)} on {snapshot.on.isoformat()} "
        f"({escape(snapshot.period.list_name)})",
        highlight=False,
        soft_wrap=True,
    )
    if report.findings:
        console.print(_findings(judgement) if console.is_terminal else _lines(judgement), soft_wrap=True)
    remarks = [note for note in deck_list.notes if note.code in ("wrong-total", "encoding")]
    for note in remarks:
        console.print(f"  line {note.line or '-'}: {escape(note.message)}", highlight=False, soft_wrap=True)


def _findings(judgement: Judgement) -> Table:
    table = Table("line", "finding", "what to do", "rule", show_lines=True)
    for finding in judgement.report.findings:
        table.add_row(
            str(finding.line or ""),
            f"[bold {COLOURS[finding.severity.value]}]{finding.code}[/]\n{escape(finding.message)}",
            escape(_remedy(finding)),
            escape("\n".join(part for part in (finding.rule, finding.source) if part)),
        )
    return table


def _lines(judgement: Judgement) -> str:
    return "\n".join(
        escape(
            f"  {finding.severity.value} {finding.code}: {finding.message} {_remedy(finding)}"
            + (f" [{finding.rule}, {finding.source}]" if finding.rule else "")
        )
        for finding in judgement.report.findings
    )


def _remedy(finding: Any) -> str:
    if finding.suggestions:
        return f"{finding.remedy} {', '.join(finding.suggestions)}."
    return str(finding.remedy)
