"""Lists of players as organizers have them: pasted names, or a CSV file from a registration form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.files.shape import wrong
from tournament.files.tables import table_rows

MOST_LINES = 5_000
_HEADS = {
    "name": {
        *(
            "name",
            "player",
            "players",
            "player name",
            "full name",
            "display name",
            "spieler",
            "nom",
            "jugador",
        ),
        *("joueur", "giocatore", "jogador", "gracz", "speler"),
        *("이름", "선수", "선수명", "플레이어", "名前", "プレイヤー"),
    },
    "first": {"first name", "firstname", "vorname", "given name"},
    "last": {"last name", "lastname", "surname", "nachname", "family name"},
    "club": {"club", "team", "verein", "city", "클럽", "팀", "소속"},
    "pronouns": {"pronouns", "대명사"},
}
_NUMBER = re.compile(r"\d{1,4}[.)]?(?:\s+|$)")


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
    UserError `bad-file` with the line of a quotation mark that is left open, or of “Alm, Ann”.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MOST_LINES:
        raise NamesError("too-long")
    first = next((line for line in lines if line.strip()), "")
    mark = next((one for one in ("\t", ";", ",") if one in first), ",")
    rows = list(table_rows(text, mark))
    columns = _columns(rows)
    if columns is None:
        rows = _without_numbers(rows)
        _ask_which_names(lines, rows)
    seen: set[str] = set()
    found = []
    for number, row in _numbered(rows, skip_head=columns is not None):
        one = _named(number, row, columns, seen)
        seen.add(one.name.casefold())
        found.append(one)
    return found


def _without_numbers(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Without the number that every line begins with: “1. Ann”, or a column of numbers."""
    if not all(_NUMBER.match(row[0]) for _line, row in rows if any(row)):
        return rows
    shorter = [(line, [_NUMBER.sub("", row[0], count=1), *row[1:]] if row else row) for line, row in rows]
    return [(line, row[1:] if row and not row[0] else row) for line, row in shorter]


def _ask_which_names(lines: list[str], rows: list[tuple[int, list[str]]]) -> None:
    """“Alm, Ann” is a last and a first name, or a name and a club: in a list of nothing else, a heading must say so.

    Raises UserError `bad-file`.
    """
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and all(re.fullmatch(r"\s*[^\s,]+, [^\s,]+\s*", line) for line in filled):
        raise wrong(
            _("line %(line)s") % {"line": rows[0][0]},
            _(
                "could be a last and a first name, or a name and a club: write “last name, first name” or "
                "“name, club” above"
            ),
        )


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
