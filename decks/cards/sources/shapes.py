"""What the rows of a program's card files always say: a damaged row is refused with its place, never another card, and
a file with one is not passed over as one of something else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from config.errors import UserError


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of row. marks: a row with more than half of these columns is one, and so is a row among such.

    columns: the kind of each column's value; behind it “?” where it may be missing or null, “~” where it may be null.
    part: the column that holds the rows, where they are not the document itself. unless: a row with this column is
    something else.
    """

    marks: frozenset[str]
    columns: Mapping[str, str]
    part: str = ""
    unless: str = ""


def check(files: Mapping[str, Any], shapes: tuple[Shape, ...]) -> None:
    """Raises UserError `bad-catalog` with the file and the row. files: already parsed."""
    for name, content in files.items():
        for shape in shapes:
            for number, row in _rows(content, shape):
                _check(name, number, row, shape)


def _rows(content: Any, shape: Shape) -> Iterator[tuple[int, Any]]:
    if shape.part:
        content = content.get(shape.part) if isinstance(content, dict) else None
    listed = content if isinstance(content, list) else [content]
    rows = [row for row in listed if not (shape.unless and isinstance(row, dict) and shape.unless in row)]
    like = sum(isinstance(row, dict) and 2 * len(shape.marks & row.keys()) > len(shape.marks) for row in rows)
    return enumerate(rows, start=1) if 2 * like > len(rows) else iter(())


def _check(file: str, number: int, row: Any, shape: Shape) -> None:
    called = next(
        (row[word] for word in ("name", "title", "code") if isinstance(row, dict) and row.get(word)), ""
    )
    place = f"{file}, {called}" if isinstance(called, str) and called else f"{file}, row {number}"
    if not isinstance(row, dict):
        raise _bad(place, "is no row with columns")
    for column, said in shape.columns.items():
        kind, rest = said.rstrip("?~"), said[len(said.rstrip("?~")) :]
        if column not in row:
            if rest != "?":
                raise _bad(place, f"has no “{column}”")
        elif row[column] is None and rest:
            continue
        elif not _KINDS[kind](row[column]):
            raise _bad(place, f"has no {kind} as its “{column}”")


def _bad(place: str, why: str) -> UserError:
    return UserError(
        "bad-catalog",
        f"{place} {why}.",
        place=place,
        remedy="Get the file again from its program, or leave it out.",
    )


def _is_day(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value))
    except ValueError:
        return False


_KINDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str) and bool(value.strip()),
    "words": lambda value: isinstance(value, str),
    "texts": lambda value: isinstance(value, list) and all(isinstance(one, str) and one for one in value),
    "number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "flag": lambda value: isinstance(value, bool),
    "day": _is_day,
    "list": lambda value: isinstance(value, list),
    "mapping": lambda value: isinstance(value, dict),
}
