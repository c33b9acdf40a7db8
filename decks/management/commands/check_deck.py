"""manage.py check_deck FILE [--format coc-lcg] [--on DATE] [--list 3.0] [--cards PATH] [--previous FILE] [--json]:
is this deck legal?

Exit code: 0 legal, 1 illegal, 2 the list cannot be read, 3 unverified (our data cannot decide).
Needs no database: with one, its cards are used; without, the shipped ones.
"""

import json
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from config.errors import UserError
from decks import catalog_files, catalog_sources, format_files, selectors, services
from decks.catalog_files import CatalogData
from decks.catalog_index import CatalogIndex
from decks.judgement import Judgement, entries_json, judge, notes_json, upgrade_between, upgrade_json
from decks.legality import Report, Snapshot, Upgrade, Verdict
from decks.lists import DeckList

EXIT = {Verdict.LEGAL: 0, Verdict.ILLEGAL: 1, Verdict.UNVERIFIED: 3}
CANNOT_READ = 2
COLOURS = {"legal": "green", "illegal": "red", "unverified": "yellow", "note": "blue"}


class Command(BaseCommand):
    help = "Judge a decklist file: every finding with its rule and a remedy. Exit code 0 legal, 1 illegal, "
    help += "2 cannot be read, 3 unverified."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a list of any kind we read; - reads the standard input")
        parser.add_argument(
            "--format", default="coc-lcg", help="key of a format, or a format's file (default: coc-lcg)"
        )
        parser.add_argument(
            "--on", default="", metavar="DATE", help="judge as of this date, such as 2013-10-18"
        )
        parser.add_argument(
            "--list", default="", metavar="KEY", help="use this list whatever the date, such as 3.0"
        )
        parser.add_argument(
            "--cards", default="", metavar="PATH", help="use these card facts alone: a folder, zip or CSV"
        )
        parser.add_argument(
            "--complete", action="store_true", help="with --cards: the game has no other cards"
        )
        parser.add_argument(
            "--previous",
            default="",
            metavar="FILE",
            help="the version before: what the changes cost is judged",
        )
        parser.add_argument(
            "--earned",
            type=int,
            metavar="N",
            help="with --previous: what there was to spend (else as the list says)",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        try:
            deck_list = _deck_list(options["file"])
            snapshot = _snapshot(options["format"], options["on"], options["list"], deck_list)
            catalog = _catalog(snapshot, options["cards"], complete=options["complete"])
            judgement = judge(deck_list, snapshot, catalog)
            upgrade = None
            if options["previous"]:
                before = _deck_list(options["previous"])
                upgrade = upgrade_between(before, deck_list, snapshot, catalog, earned=options["earned"])
                judgement = _with_upgrade(judgement, upgrade, snapshot)
        except UserError as error:
            if options["json"]:
                self.stdout.write(json.dumps(error.as_json(), ensure_ascii=False, indent=2))
            else:
                place = f"{error.place}: " if error.place else ""
                self.stderr.write(
                    " ".join(part for part in (f"{place}{error.message}", error.remedy) if part)
                )
            sys.exit(CANNOT_READ)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(judgement, upgrade), ensure_ascii=False, indent=2))
        else:
            _print(judgement, snapshot, Console(file=cast(IO[str], self.stdout._out)))
        sys.exit(EXIT[judgement.report.verdict])


def _snapshot(key: str, on: str, list_key: str, deck_list: DeckList) -> Snapshot:
    try:
        day = date.fromisoformat(on) if on else None
    except ValueError as error:
        raise UserError(
            "bad-date", f"“{on}” is not a date.", place="--on", remedy="Write it as 2013-10-18."
        ) from error
    overrides = {"list": list_key} if list_key else None
    if key.endswith((".yaml", ".yml")):
        law = services.format_read(text=_bytes_of(key), name=Path(key).name)
        return format_files.snapshot_of(law, day, overrides=overrides, choices=deck_list.choices)
    try:
        return selectors.snapshot(key, day, overrides=overrides, choices=deck_list.choices)
    except DatabaseError:
        return format_files.snapshot(key, day, overrides=overrides, choices=deck_list.choices)


def _deck_list(file: str) -> DeckList:
    data = sys.stdin.buffer.read() if file == "-" else _bytes_of(file)
    return services.list_read(source=data, filename="" if file == "-" else file)


def _bytes_of(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UserError("no-file", f"{file} cannot be opened: {error.strerror}.") from error


def _with_upgrade(judgement: Judgement, upgrade: Upgrade | None, snapshot: Snapshot) -> Judgement:
    if upgrade is None:
        raise UserError(
            "no-upgrades",
            f"Decks of {snapshot.title} do not grow by experience.",
            place="--previous",
            remedy="Leave it out.",
        )
    report = judgement.report
    together = Report.of([*report.findings, *upgrade.findings], report.snapshot, report.catalog)
    return replace(judgement, report=together)


def _catalog(snapshot: Snapshot, path: str, *, complete: bool) -> CatalogIndex:
    if path:
        source = catalog_sources.read(catalog_sources.gathered(Path(path)))
        data = CatalogData(snapshot.game, path, partial=not complete, cards=source.cards)
        return data.index()
    try:
        return selectors.catalog(snapshot.game)
    except DatabaseError:
        return catalog_files.shipped_index(snapshot.game)


def _as_json(judgement: Judgement, upgrade: Upgrade | None) -> dict[str, Any]:
    return {
        "name": judgement.deck_list.name,
        "kind": judgement.deck_list.kind,
        "count": judgement.deck_list.count,
        "hash": judgement.hash,
        **judgement.report.as_json(),
        "entries": entries_json(judgement),
        "notes": notes_json(judgement.deck_list),
    } | ({"upgrade": upgrade_json(upgrade)} if upgrade else {})


def _print(judgement: Judgement, snapshot: Snapshot, console: Console) -> None:
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
