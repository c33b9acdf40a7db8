"""Tells which source the files come from, and collects the files of a folder or archive within limits."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from config import archives, given_files, strict_json, strict_yaml
from config.errors import UserError
from config.text import refuse_bad_text
from decks.cards.catalog_files import MAX_BYTES, read_csv
from decks.cards.index import CardFacts
from decks.cards.sources import arkhamdb, fiveringsdb, magic, netrunner, octgn, throneteki, yasuki
from decks.cards.sources.shapes import check

SUFFIXES = (".xml", ".json", ".csv", ".yaml", ".yml")
MAX_FILES = 5_000  # a source may keep every card in a file of its own
MAX_MEMBERS = 20_000  # of an archive, with pictures
MAX_WALKED = 200_000  # files of a folder, with pictures
MAX_TOTAL = 60_000_000
MAX_LOCAL = 500_000_000  # on the command line, where the operator decides: the bulk files of a large game


@dataclass(frozen=True, slots=True)
class Source:
    """What the files say. lists: dated lists as parts of a format file, raw; fills: facts only fill blanks.

    laws: key -> document of a format file that the source makes whole, its lists and their dates; as_of: the day whose
    cards it has, where it says so.
    """

    cards: tuple[CardFacts, ...]
    kind: str
    lists: tuple[Mapping[str, Any], ...] = ()
    fills: bool = False
    laws: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    as_of: date | None = None


def gathered(path: Path) -> dict[str, bytes]:
    """The card files of a folder (with its folders), of a zip archive, or the one file: name -> content.

    Raises UserError `no-file` (also for a file in it that must not be read, and a folder), `too-large`, `bad-catalog`.
    """
    if not given_files.is_folder(path):
        return unpacked(given_files.shown(path.name), _bounded(path, MAX_LOCAL), most=MAX_LOCAL)
    out: dict[str, bytes] = {}
    left = MAX_LOCAL
    walked = sorted(given_files.files_in(path, MAX_WALKED), key=lambda one: one[0])
    for one, fault in walked:
        if one.suffix.lower() not in SUFFIXES and (fault is None or not given_files.is_folder(one)):
            continue
        if fault is not None:
            raise fault
        if len(out) >= MAX_FILES:
            raise _too_large(given_files.shown(path))
        out[given_files.shown(one.relative_to(path))] = data = _bounded(one, left)
        left -= len(data)
    if not out:
        raise UserError("no-file", f"{given_files.shown(path)} has no card file ({', '.join(SUFFIXES)}).")
    return out


def unpacked(name: str, data: bytes, *, most: int = MAX_BYTES) -> dict[str, bytes]:
    """The file, or the card files of a zip archive, read no further than the bounds. most: bytes of a file.

    Raises UserError `no-file`, `too-large`, `bad-catalog`.
    """
    if not data.startswith(b"PK\x03\x04"):
        return {name: data}
    out: dict[str, bytes] = {}
    left = max(most, MAX_TOTAL)
    try:
        with archives.archive(io.BytesIO(data)) as opened:
            for one in archives.members(opened, MAX_MEMBERS):
                if not one.filename.lower().endswith(SUFFIXES):
                    continue
                if len(out) >= MAX_FILES:
                    raise _too_large(name)
                out[one.filename] = content = archives.content(opened, one, min(most, left))
                left -= len(content)
    except archives.TooLarge as error:
        raise _too_large(name) from error
    except archives.BadArchive as error:
        place = f"{name}, {error.member}" if error.member else name
        raise UserError(
            "bad-catalog", f"{place} {error.why}.", place=place, remedy="Create the archive again."
        ) from error
    if not out:
        raise UserError("no-file", f"{name} has no card file ({', '.join(SUFFIXES)}).")
    return out


def read(files: Mapping[str, bytes]) -> Source:
    """The cards and lists of files of one source. Raises UserError with the file and the place in it."""
    if all(octgn.recognises(name, data) for name, data in files.items()):
        return Source(octgn.read(files), "octgn", fills=True)
    if all(name.lower().endswith(".csv") for name in files):
        return Source(tuple(_csv(files)), "csv")
    parsed = {name: _json(name, data) for name, data in files.items() if name.lower().endswith(".json")}
    parsed |= {
        name: strict_yaml.load(data, name=name) for name, data in files.items() if _is_set_in_yaml(name, data)
    }
    for source in (netrunner, throneteki, fiveringsdb, yasuki, magic):
        check(parsed, source.SHAPES)
        if any(rows and source.recognises(name, rows) for name, rows in parsed.items()):
            with _fitting(parsed):
                cards = source.read(parsed)
                kind = source.__name__.rpartition(".")[2]
                day = magic.day_of(parsed) if source is magic else None
                return Source(cards, kind, laws=source.laws_of(parsed, cards), as_of=day)
    check(parsed, arkhamdb.SHAPES)
    known = {name: rows for name, rows in parsed.items() if rows and arkhamdb.recognises(name, rows)}
    if known:
        lists = tuple(row for rows in known.values() for row in rows if "date_start" in row)
        with _fitting(parsed):
            return Source(arkhamdb.read(known), "arkhamdb", lists)
    raise UserError(
        "bad-catalog",
        f"{', '.join(sorted(files)[:3])}: this is no kind of card data we can read.",
        remedy="Use OCTGN's set files, the card files of ArkhamDB, NetrunnerDB, throneteki, fiveringsdb, Game on, "
        "Yasuki!, MTGJSON or Scryfall, or a CSV with a column “title”.",
    )


@contextmanager
def _fitting(parsed: Mapping[str, Any]) -> Iterator[None]:
    """Refuses files of a program that do not fit together."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"[:200]
        raise UserError(
            "bad-catalog",
            f"The files don’t fit together, or are not as their program writes them ({said}).",
            place=", ".join(sorted(parsed)[:3]),
            remedy="Get them again from their program.",
        ) from error


def _is_set_in_yaml(name: str, data: bytes) -> bool:
    """The other YAML files that lie beside cards are not read."""
    return name.lower().endswith((".yaml", ".yml")) and data.lstrip(b"\xef\xbb\xbf").startswith(b"set:")


def _csv(files: Mapping[str, bytes]) -> Iterator[CardFacts]:
    for name, data in files.items():
        yield from read_csv(data, name=name)


def _json(name: str, data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig")
        document = strict_json.loads(text)
        refuse_bad_text(document)
        return document
    except strict_json.Repeated as error:
        raise UserError(
            "bad-catalog", f"{name}: “{error.name}” stands twice in one object.", place=name
        ) from error
    except UnicodeDecodeError as error:
        raise UserError(
            "bad-encoding", f"{name} is not UTF-8 text.", place=f"{name}, byte {error.start}"
        ) from error
    except json.JSONDecodeError as error:
        raise UserError(
            "bad-catalog", f"{name} is not complete JSON: {error.msg}.", place=f"{name}, line {error.lineno}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise UserError("bad-catalog", f"{name} can’t be read as JSON.", place=name) from error


def _bounded(path: Path, most: int) -> bytes:
    try:
        return given_files.content(path, most, remedy="Name a folder, a zip archive or a file of card data.")
    except UserError as error:
        raise _too_large(given_files.shown(path)) if error.code == "too-large" else error from error


def _too_large(name: str) -> UserError:
    return UserError("too-large", f"{name} is larger than any card data should be.", place=name, status=413)
