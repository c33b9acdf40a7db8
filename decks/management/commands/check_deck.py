"""manage.py check_deck FILE... [--format coc-lcg] [--on DATE] [--list 3.0] [--cards PATH] [--previous FILE] [--json]:
is this deck legal? Of several files, or of a folder's, one line each.

Exit code: 0 legal, 1 illegal, 2 a list cannot be read, 3 unverified (our data cannot decide); of several the worst:
2 before 1 before 3.
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

from config.errors import UserError
from decks import selectors
from decks.cards import catalog_files
from decks.cards.catalog_files import CatalogData
from decks.cards.index import CatalogIndex
from decks.judging.judgement import Judgement, entries_json, judge, notes_json, upgrade_between, upgrade_json
from decks.judging.reading import list_read
from decks.law import format_files
from decks.law.model import Format
from decks.legality import Finding, Report, Severity, Snapshot, Upgrade, Verdict
from decks.lists import DeckList, fold
from decks.management import printing

EXIT = {Verdict.LEGAL: 0, Verdict.ILLEGAL: 1, Verdict.UNVERIFIED: 3}
CANNOT_READ = 2


class Command(BaseCommand):
    help = "Check decklist files: every finding with its rule and how to fix it. Exit code 0: legal, 1: illegal, "
    help += "2: unreadable, 3: unverified."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            nargs="+",
            help="decklists of any supported kind, or folders of them; - reads standard input",
        )
        parser.add_argument(
            "--format", default="coc-lcg", help="key of a format, or a format's file (default: coc-lcg)"
        )
        parser.add_argument("--on", default="", metavar="DATE", help="the legality date, such as 2013-10-18")
        parser.add_argument(
            "--list", default="", metavar="KEY", help="use this restriction list on any date, such as 3.0"
        )
        parser.add_argument(
            "--cards", default="", metavar="PATH", help="use only these card facts: a folder, zip or CSV"
        )
        parser.add_argument(
            "--complete", action="store_true", help="with --cards: they are every card of the game"
        )
        parser.add_argument(
            "--previous",
            default="",
            metavar="FILE",
            help="the previous version of the deck: also check what the changes cost",
        )
        parser.add_argument(
            "--earned",
            type=int,
            metavar="N",
            help="with --previous: the amount available (default: as the decklist says)",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        asked = options["file"]
        try:
            if len(asked) > 1 or _is_folder(asked[0]):
                self._several(_files_of(asked), options)
            self._one(asked[0], options)
        except UserError as error:
            if options["json"]:
                self.stdout.write(json.dumps(error.as_json(), ensure_ascii=False, indent=2))
            else:
                self.stderr.write(printing.told(error))
            sys.exit(CANNOT_READ)

    def _one(self, file: str, options: dict[str, Any]) -> None:
        deck_list = _deck_list(file)
        law = _Law(options)
        snapshot = law.snapshot(deck_list)
        judgement = _with(judge(deck_list, snapshot, law.catalog(snapshot)), law.doubts)
        upgrade = None
        if options["previous"]:
            before = _deck_list(options["previous"])
            catalog = law.catalog(snapshot)
            upgrade = upgrade_between(before, deck_list, snapshot, catalog, earned=options["earned"])
            judgement = _with_upgrade(judgement, upgrade, snapshot)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(judgement, upgrade), ensure_ascii=False, indent=2))
        else:
            printing.one(judgement, snapshot, self._out)
        sys.exit(EXIT[judgement.report.verdict])

    def _several(self, files: list[str], options: dict[str, Any]) -> None:
        """Each list for itself: one that cannot be read is named and keeps no other from being judged."""
        if options["previous"]:
            raise UserError("one-deck-only", "--previous works with one deck only.", remedy="Name one file.")
        law = _Law(options)
        rows: list[printing.Row] = []
        for file in files:
            try:
                deck_list = _deck_list(file)
                snapshot = law.snapshot(deck_list)
                judgement = _with(judge(deck_list, snapshot, law.catalog(snapshot)), law.doubts)
                rows.append(printing.Row(file, judgement, None))
            except UserError as error:
                rows.append(printing.Row(file, None, error))
        if options["json"]:
            answers = [
                {"file": row.file} | (_as_json(row.judgement, None) if row.judgement else row.as_error())
                for row in rows
            ]
            self.stdout.write(json.dumps(answers, ensure_ascii=False, indent=2))
        else:
            printing.several(rows, self._out)
        codes = {EXIT[row.judgement.report.verdict] if row.judgement else CANNOT_READ for row in rows}
        sys.exit(next(code for code in (CANNOT_READ, 1, 3, 0) if code in codes))

    @property
    def _out(self) -> IO[str]:
        return cast(IO[str], self.stdout._out)


class _Law:
    """What the options say to judge by, read once for all the lists."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.own: Format | None = None
        self.doubts: tuple[Finding, ...] = ()
        self.catalogs: dict[str, CatalogIndex] = {}
        try:
            self.day = date.fromisoformat(options["on"]) if options["on"] else None
        except ValueError as error:
            raise UserError(
                "bad-date",
                f"“{options['on']}” is not a date.",
                place="--on",
                remedy="Write it as 2013-10-18.",
            ) from error
        key = options["format"]
        if key.endswith((".yaml", ".yml")):
            text = _bytes_of(key)
            from decks import services  # half of what the command would load, and few people need it

            self.own = services.format_read(text=text, name=Path(key).name)
            self.doubts = _unknown_titles(self.own, self._of(self.own.game), text)

    def snapshot(self, deck_list: DeckList) -> Snapshot:
        key, choices = self.options["format"], deck_list.choices
        overrides = {"list": self.options["list"]} if self.options["list"] else None
        if self.own is not None:
            return format_files.snapshot_of(self.own, self.day, overrides=overrides, choices=choices)
        try:
            return selectors.snapshot(key, self.day, overrides=overrides, choices=choices)
        except DatabaseError:
            return format_files.snapshot(key, self.day, overrides=overrides, choices=choices)

    def catalog(self, snapshot: Snapshot) -> CatalogIndex:
        return self._of(snapshot.game)

    def _of(self, game: str) -> CatalogIndex:
        if game not in self.catalogs:
            self.catalogs[game] = _catalog(game, self.options["cards"], complete=self.options["complete"])
        return self.catalogs[game]


def _unknown_titles(law: Format, catalog: CatalogIndex, text: bytes) -> tuple[Finding, ...]:
    """A title that no card has would ban nothing, in silence: refused where we hold every card, else a doubt.

    Raises UserError `unknown-title` with the line.
    """
    shipped = (format_files.format_of(key) for key in format_files.formats())
    theirs = {key for one in shipped if one.game == law.game for key in one.named}
    findings = []
    for title in law.titles_unknown_to(catalog) if len(catalog) else ():
        if fold(title) in theirs:
            continue
        near = catalog.suggest(fold(title))
        lines = text.decode(errors="replace").splitlines()
        line = next((number for number, one in enumerate(lines, start=1) if title in one), None)
        if not catalog.partial:
            raise UserError(
                "unknown-title",
                f"No card is named “{title}”.",
                place=f"line {line}" if line else "",
                remedy=f"Did you mean {', '.join(near)}?" if near else "Check the spelling.",
            )
        said = f"The format names “{title}”, but no card in our data has this name, so the rule may have no effect."
        remedy = "Check the spelling, or import the game’s other cards."
        findings.append(Finding("unknown-title", Severity.UNVERIFIED, said, remedy=remedy, suggestions=near))
    return tuple(findings)


def _with(judgement: Judgement, findings: tuple[Finding, ...]) -> Judgement:
    if not findings:
        return judgement
    report = judgement.report
    together = Report.of([*report.findings, *findings], report.snapshot, report.catalog)
    return replace(judgement, report=together)


def _files_of(asked: list[str]) -> list[str]:
    """The files, and those of the folders, hidden ones left out. Raises UserError `too-many-files`, `no-file`."""
    files: list[str] = []
    for one in asked:
        if one == "-" or not _is_folder(one):
            files.append(one)
            continue
        held = sorted(
            str(path)
            for path in Path(one).rglob("*")
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(one).parts)
        )
        if not held:
            raise UserError("no-file", f"{one} contains no files.", remedy="Give a folder with decklists.")
        files += held
    if len(files) > MOST_FILES:
        raise UserError(
            "too-many-files",
            f"There are {len(files):,} files; at most {MOST_FILES:,} can be checked at once.",
            remedy="Check smaller folders, one after the other.",
        )
    return files


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):  # no such file
        return False


MOST_FILES = 2_000


def _deck_list(file: str) -> DeckList:
    data = sys.stdin.buffer.read() if file == "-" else _bytes_of(file)
    return list_read(source=data, filename="" if file == "-" else file)


def _bytes_of(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        shown = " ".join(file.split())
        shown = shown if len(shown) < 80 else f"{shown[:80]}…"
        why = error.strerror if isinstance(error, OSError) else "no such file"
        remedy = "Give the name of a file, or - and the decklist on standard input."
        raise UserError("no-file", f"“{shown}” can’t be opened: {why}.", remedy=remedy) from error


def _with_upgrade(judgement: Judgement, upgrade: Upgrade | None, snapshot: Snapshot) -> Judgement:
    if upgrade is None:
        raise UserError(
            "no-upgrades",
            f"Decks of {snapshot.title} don’t grow by experience.",
            place="--previous",
            remedy="Leave --previous out.",
        )
    return _with(judgement, upgrade.findings)


def _catalog(game: str, path: str, *, complete: bool) -> CatalogIndex:
    if path:
        from decks.cards import sources  # rarely needed, and slow to load

        source = sources.read(sources.gathered(Path(path)))
        data = CatalogData(game, path, partial=not complete, cards=source.cards)
        return data.index()
    try:
        return selectors.catalog(game)
    except DatabaseError:
        return catalog_files.shipped_index(game)


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
