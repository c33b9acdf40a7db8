"""Verdicts for a person at a terminal: one deck with its findings, or many decks in a table."""

from dataclasses import dataclass
from typing import IO, Any

from config.errors import UserError
from decks.judging.judgement import Judgement
from decks.legality import Snapshot


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


def several(rows: list[Row], out: IO[str]) -> None:
    """A line a file, the verdict first, then how many of each."""
    if out.isatty():
        from decks.management import tables  # it takes a tenth of the command's time to load

        tables.decks(list(map(_row, rows)), out)
    else:
        for row in rows:
            verdict, cards, file, wrong = _row(row)
            print(f"{verdict.upper():10} {cards:>4}  {file}  {wrong}".rstrip(), file=out)
    verdicts = [_row(row)[0] for row in rows]
    summed = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in sorted(set(verdicts)))
    print(f"{len(rows)} decks: {summed}.", file=out)


def _row(row: Row) -> tuple[str, str, str, str]:
    """(verdict, number of cards, file, what is wrong)"""
    judgement = row.judgement
    verdict = judgement.report.verdict.value if judgement else "unread"
    return verdict, str(judgement.deck_list.count) if judgement else "", row.file, _wrong(row)


def _wrong(row: Row) -> str:
    if row.judgement is None:
        return told(row.error) if row.error else ""
    findings = row.judgement.report.findings
    return ", ".join(dict.fromkeys(one.code for one in findings if one.severity != "note"))


def one(judgement: Judgement, snapshot: Snapshot, out: IO[str]) -> None:
    """The verdict first, then one row a finding; plain text when nobody looks."""
    report, deck_list = judgement.report, judgement.deck_list
    print(
        f"{report.verdict.value.upper()}  {deck_list.name or 'a deck'}: {deck_list.count} cards, "
        f"{snapshot.title} on {snapshot.on.isoformat()} ({snapshot.period.list_name})",
        file=out,
    )
    if report.findings and out.isatty():
        from decks.management import tables

        tables.findings([(one, _remedy(one)) for one in report.findings], out)
    else:
        for finding in report.findings:
            cited = f" [{finding.rule}, {finding.source}]" if finding.rule else ""
            print(
                f"  {finding.severity.value} {finding.code}: {finding.message} {_remedy(finding)}{cited}",
                file=out,
            )
    for note in deck_list.notes:
        if note.code in ("wrong-total", "encoding"):
            print(f"  line {note.line or '-'}: {note.message}", file=out)


def _remedy(finding: Any) -> str:
    if finding.suggestions:
        return f"{finding.remedy} {', '.join(finding.suggestions)}."
    return str(finding.remedy)
