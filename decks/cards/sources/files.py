"""Which source the files are of, and the files of a folder or an archive, within bounds."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.errors import UserError
from config.text import refuse_bad_text
from decks.cards.catalog_files import MAX_BYTES, read_csv
from decks.cards.index import CardFacts
from decks.cards.sources import arkhamdb, fiveringsdb, magic, netrunner, octgn, throneteki

SUFFIXES = (".xml", ".json", ".csv")
MAX_FILES = 5_000  # a source may keep every card in a file of its own
MAX_TOTAL = 60_000_000
MAX_LOCAL = 500_000_000  # on the command line, where the operator decides: the bulk files of a large game


@dataclass(frozen=True, slots=True)
class Source:
    """What the files say. lists: dated lists as parts of a format file, raw; fills: facts only fill blanks.

    laws: key -> document of a format file that the source makes whole, its lists and their dates.
    """

    cards: tuple[CardFacts, ...]
    kind: str
    lists: tuple[Mapping[str, Any], ...] = ()
    fills: bool = False
    laws: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def gathered(path: Path) -> dict[str, bytes]:
    """The card files of a folder (with its folders), of a zip archive, or the one file: name -> content.

    Raises UserError `no-file`, `too-large`, `bad-catalog`.
    """
    try:
        if not path.is_dir():
            return unpacked(path.name, _bounded(path), most=MAX_LOCAL)
        found = sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
        if not found:
            raise UserError("no-file", f"{path} has no card file ({', '.join(SUFFIXES)}).")
        return _within({one.relative_to(path).as_posix(): _bounded(one) for one in found[: MAX_FILES + 1]})
    except OSError as error:
        raise UserError("no-file", f"{path} can’t be opened: {error.strerror}.") from error


def unpacked(name: str, data: bytes, *, most: int = MAX_BYTES) -> dict[str, bytes]:
    """The file, or the card files of a zip archive, read no further than the bounds. most: bytes of a file."""
    if not data.startswith(b"PK\x03\x04"):
        return {name: data}
    out: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or not entry.filename.lower().endswith(SUFFIXES):
                    continue
                with archive.open(entry) as file:
                    content = file.read(most + 1)  # what the archive says of the size is not trusted
                total += len(content)
                if len(content) > most or total > max(most, MAX_TOTAL) or len(out) >= MAX_FILES:
                    raise _too_large(name)
                out[entry.filename] = content
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise UserError(
            "bad-catalog", f"{name} is not a complete zip archive.", remedy="Create the archive again."
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
    for source in (netrunner, throneteki, fiveringsdb, magic):
        if any(rows and source.recognises(name, rows) for name, rows in parsed.items()):
            cards = source.read(parsed)
            return Source(cards, source.__name__.rpartition(".")[2], laws=source.laws_of(parsed, cards))
    known = {name: rows for name, rows in parsed.items() if rows and arkhamdb.recognises(name, rows)}
    if known:
        lists = tuple(row for rows in known.values() for row in rows if "date_start" in row)
        return Source(arkhamdb.read(known), "arkhamdb", lists)
    raise UserError(
        "bad-catalog",
        f"{', '.join(sorted(files)[:3])}: this is no kind of card data we can read.",
        remedy="Use OCTGN's set files, the card files of ArkhamDB, NetrunnerDB, throneteki, fiveringsdb, MTGJSON or "
        "Scryfall, or a CSV with a column “title”.",
    )


def _csv(files: Mapping[str, bytes]) -> Iterator[CardFacts]:
    for name, data in files.items():
        yield from read_csv(data, name=name)


def _json(name: str, data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig")
        document = json.loads(text)
        refuse_bad_text(document)
        return document
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


def _bounded(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_LOCAL + 1)
    if len(data) > MAX_LOCAL:
        raise _too_large(path.name)
    return data


def _within(files: dict[str, bytes]) -> dict[str, bytes]:
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_LOCAL:
        raise _too_large("the folder")
    return files


def _too_large(name: str) -> UserError:
    return UserError("too-large", f"{name} is larger than any card data should be.", status=413)
