"""manage.py check_deck FILE... [--format coc-lcg] [--on DATE] [--list 3.0] [--cards PATH] [--previous FILE]
[--json]: is this deck legal? For several files or a folder, one line per deck.

Exit code: 0 legal, 1 illegal, 2 a list cannot be read, 3 unverified (our data cannot decide); of several the worst:
2 before 1 before 3.
Needs no database: with one, its cards are used; without, the shipped ones.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from textwrap import indent
from typing import IO, TYPE_CHECKING, Any, cast

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from config import given_files, strict_yaml
from config.errors import UserError
from decks import selectors
from decks.cards import catalog_files
from decks.cards.catalog_files import CatalogData
from decks.cards.index import CatalogIndex
from decks.judging.judgement import Judgement, judge, list_json, upgrade_between, upgrade_json
from decks.judging.reading import limits, list_read
from decks.law import format_files
from decks.law.model import Format
from decks.legality import Finding, Report, Severity, Snapshot, Upgrade, Verdict
from decks.lists import DeckList, fold
from decks.management import printing

if TYPE_CHECKING:
    from decks.cards.sources.files import Source

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
            "--cards",
            default="",
            metavar="PATH",
            help="use only these card facts, and the formats that come with them: a folder, zip or CSV",
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
            if len(asked) > 1 or given_files.is_folder(asked[0]):
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
        judgement = law.judged(deck_list, snapshot)
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

    def _several(self, files: list[tuple[str, UserError | None]], options: dict[str, Any]) -> None:
        """Each list for itself: one that cannot be read is named and keeps no other from being judged."""
        if options["previous"]:
            raise UserError("one-deck-only", "--previous works with one deck only.", remedy="Name one file.")
        law = _Law(options)
        codes: set[int] = set()

        def judged() -> Iterator[tuple[str, Judgement | UserError]]:
            for file, fault in files:
                found = fault or _judged(file, law)
                codes.add(CANNOT_READ if isinstance(found, UserError) else EXIT[found.report.verdict])
                yield given_files.shown(file), found

        if options["json"]:  # one after the other: a folder of long lists is no answer to keep whole
            before = "["
            for file, found in judged():
                said = found.as_json() if isinstance(found, UserError) else _as_json(found, None)
                text = json.dumps({"file": file} | said, ensure_ascii=False, indent=2)
                self._out.write(f"{before}\n{indent(text, '  ')}")
                before = ","
            self._out.write("\n]\n")
        else:
            printing.several((printing.row(*one) for one in judged()), self._out)
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
        self.source = _source(options["cards"]) if options["cards"] else None
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
            text = given_files.content(key, limits().size)
            from decks import services  # half of what the command would load, and few people need it

            self.own = services.format_read(text=text, name=Path(key).name)
            self.doubts = _unknown_titles(self.own, self._of(self.own.game), text)
        elif self.source is not None and key in self.source.laws:  # the source has the lists of its day, too
            self.own = format_files.parsed(strict_yaml.dump(self.source.laws[key]), name=key)

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

    def judged(self, deck_list: DeckList, snapshot: Snapshot) -> Judgement:
        return _with(judge(deck_list, snapshot, self.catalog(snapshot)), self.doubts)

    def _of(self, game: str) -> CatalogIndex:
        if game not in self.catalogs:
            self.catalogs[game] = self._catalog(game)
        return self.catalogs[game]

    def _catalog(self, game: str) -> CatalogIndex:
        if self.source is not None:
            partial = not self.options["complete"]
            return CatalogData(game, self.options["cards"], partial=partial, cards=self.source.cards).index()
        try:
            return selectors.catalog(game)
        except DatabaseError:
            return catalog_files.shipped_index(game)


def _source(path: str) -> "Source":
    from decks.cards import sources  # rarely needed, and slow to load

    return sources.read(sources.gathered(Path(path)))


def _judged(file: str, law: _Law) -> Judgement | UserError:
    try:
        deck_list = _deck_list(file)
        return law.judged(deck_list, law.snapshot(deck_list))
    except UserError as error:
        return error


def _unknown_titles(law: Format, catalog: CatalogIndex, text: bytes) -> tuple[Finding, ...]:
    """A title that no card has would ban nothing, in silence, and a fact or a value of none would do nothing: refused
    where we hold every card, else a doubt.

    Raises UserError `unknown-title` or `unknown-fact` with the line.
    """
    if not len(catalog):
        return ()
    unknown = law.unknown_to(catalog, map(format_files.format_of, format_files.formats()))
    lines = text.decode(errors="replace").splitlines()
    findings = []
    for said in (*unknown.titles, *unknown.facts):
        title = said in unknown.titles
        code = "unknown-title" if title else "unknown-fact"
        near = catalog.suggest(fold(said)) if title else ()
        if not catalog.partial:
            word = said if title else said.partition(": ")[2] or said
            line = next(
                (at for at, one in enumerate(lines, start=1) if word in one or f" {fold(word)}" in fold(one)),
                None,
            )
            raise UserError(
                code,
                f"No card is named “{said}”." if title else f"No card has “{said}”.",
                place=f"line {line}" if line else "",
                remedy=f"Did you mean {', '.join(near)}?" if near else "Check the spelling.",
            )
        what = "this name" if title else "it"
        message = (
            f"The format names “{said}”, but no card in our data has {what}, so the rule may have no effect."
        )
        remedy = "Check the spelling, or import the game’s other cards."
        findings.append(Finding(code, Severity.UNVERIFIED, message, remedy=remedy, suggestions=near))
    return tuple(findings)


def _with(judgement: Judgement, findings: tuple[Finding, ...]) -> Judgement:
    if not findings:
        return judgement
    report = judgement.report
    together = Report.of([*report.findings, *findings], report.snapshot, report.catalog)
    return replace(judgement, report=together)


def _files_of(asked: list[str]) -> list[tuple[str, UserError | None]]:
    """The files, and those of the folders, each with why it must not be read.

    Raises UserError `too-many-files`, `no-file`.
    """
    files: list[tuple[str, UserError | None]] = []
    for one in asked:
        if one == "-" or not given_files.is_folder(one):
            files.append((one, None))
            continue
        held = sorted((str(path), fault) for path, fault in given_files.files_in(one, MOST_FILES))
        if not held:
            shown = given_files.shown(one)
            raise UserError("no-file", f"{shown} contains no files.", remedy="Give a folder with decklists.")
        files += held
    if len(files) > MOST_FILES:
        raise UserError(
            "too-many-files",
            f"There are {len(files):,} files; at most {MOST_FILES:,} can be checked at once.",
            remedy="Check smaller folders, one after the other.",
        )
    return files


MOST_FILES = 2_000


def _deck_list(file: str) -> DeckList:
    data = given_files.content(file, limits().size)
    return list_read(source=data, filename="" if file == "-" else file)


def _with_upgrade(judgement: Judgement, upgrade: Upgrade | None, snapshot: Snapshot) -> Judgement:
    if upgrade is None:
        raise UserError(
            "no-upgrades",
            f"Decks of {snapshot.title} don’t grow by experience.",
            place="--previous",
            remedy="Leave --previous out.",
        )
    return _with(judgement, upgrade.findings)


def _as_json(judgement: Judgement, upgrade: Upgrade | None) -> dict[str, Any]:
    told = list_json(judgement) | judgement.report.as_json()
    return told | ({"upgrade": upgrade_json(upgrade)} if upgrade else {})
