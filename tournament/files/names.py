"""Lists of players as organizers have them: pasted names, or a CSV file from wherever they registered."""

from collections.abc import Iterator
from dataclasses import dataclass

from tournament.files.tables import table_rows

MOST_LINES = 5_000
_HEADS = {
    "name": {"name", "player", "full name", "display name", "spieler", "nom", "jugador"},
    "first": {"first name", "firstname", "vorname", "given name"},
    "last": {"last name", "lastname", "surname", "nachname", "family name"},
    "club": {"club", "team", "verein", "city"},
    "pronouns": {"pronouns"},
}


@dataclass(frozen=True, slots=True)
class Named:
    """One line. line: from 1; problem: why it cannot be entered ("" if it can): empty, twice, long, unprintable, or
    columns: more than name, club and pronouns, and no heading that says which."""

    line: int
    name: str
    club: str = ""
    pronouns: str = ""
    problem: str = ""


class NamesError(Exception):
    """The list cannot be read at all: too-long."""


def read_names(text: str) -> list[Named]:
    """The players of a text: a name a line, or columns name, club, pronouns by comma, semicolon or tab.

    A first line that names columns says which is which; otherwise they come in that order. Raises NamesError,
    UserError `bad-file` with the line of a quotation mark that is left open.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MOST_LINES:
        raise NamesError("too-long")
    first = next((line for line in lines if line.strip()), "")
    mark = next((one for one in ("\t", ";", ",") if one in first), ",")
    rows = list(table_rows(text, mark))
    columns = _columns(rows)
    seen: set[str] = set()
    found = []
    for number, row in _numbered(rows, skip_head=columns is not None):
        one = _named(number, row, columns, seen)
        seen.add(one.name.casefold())
        found.append(one)
    return found


def _numbered(rows: list[tuple[int, list[str]]], *, skip_head: bool) -> Iterator[tuple[int, list[str]]]:
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if skip_head:
            skip_head = False
            continue
        yield number, row


def _columns(rows: list[tuple[int, list[str]]]) -> dict[str, int] | None:
    """Which column is which, when the first line says so."""
    head = next((row for _line, row in rows if any(cell.strip() for cell in row)), [])
    found: dict[str, int] = {}
    for index, cell in enumerate(head):
        for key, words in _HEADS.items():
            if " ".join(cell.casefold().split()) in words:
                found.setdefault(key, index)
    return found if "name" in found or {"first", "last"} <= set(found) else None


def _named(number: int, row: list[str], columns: dict[str, int] | None, seen: set[str]) -> Named:
    guessed, columns = columns is None, columns or {"name": 0, "club": 1, "pronouns": 2}

    def cell(key: str) -> str:
        index = columns.get(key, len(row))
        return " ".join(row[index].split()) if index < len(row) else ""

    name = cell("name") or f"{cell('first')} {cell('last')}".strip()
    club, pronouns = cell("club"), cell("pronouns")
    problem = ""
    if not name:
        problem = "empty"
    elif len(name) > 80 or len(club) > 80 or len(pronouns) > 40:
        problem = "long"
    elif not (name + club + pronouns).isprintable():
        problem = "unprintable"
    elif guessed and any(row[3:]):
        problem = "columns"
    elif name.casefold() in seen:
        problem = "twice"
    return Named(number, name, club, pronouns, problem)
