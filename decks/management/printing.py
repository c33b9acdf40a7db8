"""Prints results in a terminal: one deck with its findings, or many decks in a table."""

from collections import Counter
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

from config.errors import UserError
from decks.judging.judgement import Judgement
from decks.legality import Snapshot


class Row(NamedTuple):
    """One file of several: how it was judged, or why it could not be."""

    verdict: str
    cards: str
    file: str
    wrong: str


def row(file: str, found: Judgement | UserError) -> Row:
    if isinstance(found, UserError):
        return Row("unread", "", file, told(found))
    findings = (one.code for one in found.report.findings if one.severity != "note")
    return Row(
        found.report.verdict.value, str(found.deck_list.count), file, ", ".join(dict.fromkeys(findings))
    )


def told(error: UserError) -> str:
    """The error in one line: where, what, what to do."""
    place = f"{error.place}: " if error.place else ""
    return " ".join(part for part in (f"{place}{error.message}", error.remedy) if part)


def several(rows: Iterable[Row], out: IO[str]) -> None:
    """A line a file, the verdict first, then how many of each."""
    verdicts: Counter[str] = Counter()
    if out.isatty():
        from decks.management import tables  # it takes a tenth of the command's time to load

        rows = list(rows)
        tables.decks(rows, out)
    for row in rows:
        verdicts[row.verdict] += 1
        if not out.isatty():
            print(f"{row.verdict.upper():10} {row.cards:>4}  {row.file}  {row.wrong}".rstrip(), file=out)
    summed = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
    print(f"{verdicts.total()} decks: {summed}.", file=out)


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
