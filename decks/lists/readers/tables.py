"""A sheet as text: `count,name,section` in lines, commas, semicolons, tabs or upright bars between; what spreadsheets,
pages in Markdown and our own CSV export write. The columns are known by their headings, else by their content."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name
from decks.lists.vocabulary import Role, Word, word_of

RANK = 90
READS = (Kind("csv", "A sheet with columns for count and name", ".csv"),)
KIND = READS[0].key
# fmt: off
WORDS = {  # what the columns are called, in small letters
    "count": {
        "count", "qty", "quantity", "number", "copies", "amount", "x", "#", "no", "nr", "anzahl", "menge", "stück",
        "cantidad", "quantité", "quantite", "nombre", "nb", "qté", "quantità", "quantidade", "ilość", "aantal",
        "수량", "장수", "매수", "개수", "枚数", "数量", "數量", "количество", "qtd", "qtd.", "qtde", "quant.", "cant.",
        "cant", "anz.", "anz", "nb.", "nbre", "qta", "q.tà", "장", "매", "枚", "张", "張",
    },
    "name": {
        "name", "card", "title", "card name", "cardname", "card title", "karte", "kartenname", "carte", "nom", "carta",
        "karta", "카드", "카드명", "카드 이름", "이름", "カード", "カード名", "名前", "卡名", "卡牌",
    },
    "section": {
        "section", "board", "zone", "part", "deck", "type", "category", "bereich", "teil", "kategorie", "zona",
        "sección", "구분", "분류", "구역", "덱", "区分", "種別", "分类", "分類",
    },
    "hint": {
        "hint", "set", "pack", "set name", "edition", "descriptor", "erweiterung", "extension", "expansión",
        "세트", "확장", "セット", "系列",
    },
    "id": {"id", "code", "guid"},
    "beside": {"sideboarded", "in sideboard", "is sideboard", "sideboard"},  # yes or no
    "within": {  # yes or no
        "in deck", "in the deck", "included", "im deck", "dabei", "dans le deck", "en el mazo", "nel mazzo",
        "no baralho", "덱 포함", "포함", "採用", "采用",
    },
}
ROWS_NUMBER = {"no", "nr", "number", "#", "x"}  # a count only where no other column says one
# fmt: on
_DELIMITERS = "\t;,"
_BARRED = re.compile(r"^\s*\|.*\|\s*$")
_RULED = re.compile(r"^[\s:|-]+$")  # |---|---| under the headings of a Markdown table
_COUNT = re.compile(r"^(?:[xX×] ?)?\d{1,2}(?: ?[xX×])?$")
_BLANK_LINES = re.compile(r"(?:[^\S\r\n]*(?:\r\n|\r|\n))*")
_SUM = re.compile(r"^(?:total|sum|cards|cards? in all)\b", re.I)


def _with_single_bars(source: str) -> str:
    """A wiki writes two bars around the names of the columns."""
    return source.replace("||", "|") if source.lstrip()[:2] == "||" else source


def recognises(source: str, filename: str) -> bool:
    if not any(sign in source for sign in f"{_DELIMITERS}|"):
        return False
    source = _with_single_bars(source)
    first = next((line for line in source[:5_000].splitlines() if line.strip()), "")
    if columns_named(first) is not None or columns_seen(source) is not None or _names_alone(source):
        return True
    return bool(_boards(_rows_seen(source, _delimiter(first))))


def read(source: str, limits: Limits) -> DeckList:
    """Read a sheet whose first line names its columns. Raises ListError: bad-table (with the line), bad-count,
    too-many-lines, line-too-long."""
    source = _with_single_bars(source)
    begin = _BLANK_LINES.match(source)  # a column in front may be empty: only whole lines are skipped
    start = begin.end() if begin else 0
    skipped = source.count("\n", 0, start)
    first = source[start:].split("\n", 1)[0]
    delimiter = _delimiter(first)
    boards = _boards(_rows_seen(source[start:], delimiter))
    columns = columns_named(first)
    if boards and (columns is None or any(section == "" for section in boards.values())):
        columns = {word: at for word, at in columns_of(first).items() if word in ("name", "hint", "id")}
    entries: list[ListEntry] = []
    notes: list[Note] = []
    wrong: ListError | None = None
    under = ""  # the heading on a row of its own that the cards stand under
    second = _second_list(source[start:], delimiter)
    rows = csv.reader(io.StringIO(source[start:], newline=""), delimiter=delimiter)
    try:
        if columns is not None:
            notes.append(Note(NoteCode.COMMENT, "The names of the columns.", skipped + 1, first[:500]))
            next(rows)
        elif _names_alone(source[start:]):
            columns = columns_of(first)
            notes.append(
                Note(
                    NoteCode.COMMENT,
                    "No column counts copies: every row was read as one copy.",
                    skipped + 1,
                    first[:500],
                )
            )
            next(rows)
        elif (columns := columns_seen(source)) is not None:
            told = f"A sheet: counts in column {columns['count'] + 1}, names in column {columns['name'] + 1}."
            notes.append(Note(NoteCode.COMMENT, told))
        else:
            raise ListError(
                "bad-table",
                "The first line doesn’t name a column for counts and one for names.",
                line=skipped + 1,
            )
        ended = skipped + rows.line_num
        width = len(next(csv.reader([first], delimiter=delimiter), ())) if ended > skipped else 0
        widest = 0
        for row in rows:
            line = skipped + rows.line_num
            widest = max(widest, len(row))
            if not any(cell.strip() for cell in row) or (delimiter == "|" and _RULED.match("".join(row))):
                continue
            refuse_too_many(len(entries) + 1, "cards", limits, line)
            if columns_of_cells(row).keys() >= {"count", "name"}:  # over another sheet right below
                notes.append(Note(NoteCode.COMMENT, "The names of the columns.", line, ", ".join(row)[:500]))
                continue
            said = {word: _cell(row, at) for word, at in columns.items()}
            said["name"] = said.get("name") or said.get("id", "")
            if "count" not in columns and not boards:
                said["count"] = "1" if said["name"] else ""
            began, ended = ended + 1, line
            if "\n" in "".join(row):
                text = "A quotation mark is not closed: the row goes on over several lines."
                wrong = wrong or ListError("bad-table", text, line=began, remedy="Close it, or take it away.")
                notes.append(Note(NoteCode.UNREAD_LINE, text, began, " ".join(", ".join(row).split())[:500]))
                continue
            if boards and "count" not in columns:
                _of_boards(row, boards, said, entries, notes, line, limits)
                continue
            if said["count"].isdecimal() and (
                _SUM.match(said["name"]) or _is_sum_alone(row, said["count"], entries)
            ):
                held = sum(entry.count for entry in entries)
                if len(said["count"]) > 6 or int(said["count"]) != held:
                    text = f"It says {said['count'][:9]} cards; the lines make {held}."
                    notes.append(Note(NoteCode.WRONG_TOTAL, text, line))
                continue
            if any(_SUM.match(cell.strip()) for cell in row) and not any(
                map(said["count"].startswith, "123456789")
            ):
                notes.append(
                    Note(NoteCode.COMMENT, "A total, as the sheet says.", line, ", ".join(row)[:500])
                )
                continue
            if not _COUNT.match(said["count"]) and (heading := _heading(row)):
                under = "" if heading.role is Role.MAIN else heading.title
                notes.append(
                    Note(NoteCode.HEADING, f"The heading of “{heading.title}”.", line, ", ".join(row))
                )
                continue
            if not said["name"] or not said["count"]:
                notes.append(
                    Note(NoteCode.UNREAD_LINE, "A count or a name is missing.", line, ", ".join(row)[:500])
                )
                continue
            name, hint = split_name(said["name"], limits, line)
            try:
                count = checked_count(said["count"].strip("xX× ").removesuffix(".0"), limits, line)
            except ListError as error:
                wrong = wrong or error
                notes.append(Note(NoteCode.UNREAD_LINE, error.message, line, ", ".join(row)[:500]))
                continue
            behind = " ".join(part for part in (hint, said.get("hint", "")) if part)
            section = _section(row, said, columns)[: limits.name_length] or under
            entries.append(ListEntry(count, name, behind[: limits.name_length], section, line, _id(said)))
            if any(_cell(row, at).strip("0") for at in boards):
                text = (
                    "Two columns count copies, and it isn’t clear whether those of one are among the others."
                )
                notes.append(Note(NoteCode.UNREAD_LINE, text, line, ", ".join(row)[:500]))
            if second is None and width and any(cell.strip() for cell in row[width:]):
                text = "The row has more cells than the heading: put one card in each row."
                notes.append(Note(NoteCode.UNREAD_LINE, text, line, ", ".join(row[width:])[:500]))
            if second is not None and any(cell.strip() for cell in row[second : second + 2]):
                text = "There is another count and name next to it: put one card in each row."
                notes.append(Note(NoteCode.UNREAD_LINE, text, line, ", ".join(row[second:])[:500]))
    except csv.Error as error:
        raise ListError(
            "bad-table",
            f"The sheet can’t be read ({error}).",
            line=skipped + rows.line_num,
            remedy="Save it as CSV.",
        ) from error
    if wrong and not entries:
        raise wrong
    if 0 < widest < width:
        text = "The heading has more cells than any row."
        notes.append(Note(NoteCode.COMMENT, text, skipped + 1, first[:500]))
    return DeckList(tuple(entries), tuple(notes), KIND)


def _section(row: list[str], said: Mapping[str, str], columns: Mapping[str, int]) -> str:
    """The part of the list that the row names: in a column of its own, or as “side”, “maybe”, “out” in any other."""
    if (told := said.get("beside", "").lower()) and told not in NO:  # “yes”, “x”, “✓”
        return "Sideboard"
    if said.get("within", "").lower() in NO:
        return "Considered"
    for at, cell in enumerate(row):
        word = word_of(cell.strip()) if cell.strip() and at not in columns.values() else None
        if word is not None and word.role in (Role.PART, Role.ASIDE):
            return word.title
    return said.get("section", "")


def _heading(row: list[str]) -> Word | None:
    """“Sideboard” alone on a row, over the cards that follow."""
    said = [cell.strip() for cell in row if cell.strip()]
    word = word_of(said[0].rstrip(":")) if len(said) == 1 else None
    return word if word is not None and word.role is not Role.THEME else None


def _boards(rows: list[list[str]]) -> dict[int, str]:
    """The columns that count copies for a part of the list, “Card, Main, Side”: place -> heading, "" the deck's."""
    named = columns_of_cells(rows[0]) if rows else {}
    if "name" not in named:
        return {}
    found: dict[int, str] = {}
    for at, title in enumerate(rows[0]):
        word = word_of(title.strip(" \"'\r\ufeff"))
        cells = [cell for row in rows[1:] if (cell := _cell(row, at))]
        if (
            word
            and word.role in (Role.MAIN, Role.PART, Role.ASIDE)
            and cells
            and all(map(_COUNT.match, cells))
        ):
            found[at] = "" if word.role is Role.MAIN else word.title
    return found


def _of_boards(
    row: list[str],
    boards: Mapping[int, str],
    said: Mapping[str, str],
    entries: list[ListEntry],
    notes: list[Note],
    line: int,
    limits: Limits,
) -> None:
    """The row's copies for each part of the list. Raises ListError."""
    if _SUM.match(said["name"]):
        return
    name, hint = split_name(said["name"], limits, line) if said["name"] else ("", "")
    behind = " ".join(part for part in (hint, said.get("hint", "")) if part)[: limits.name_length]
    counts = {at: cell for at in boards if (cell := _cell(row, at).strip("xX× "))}
    if not name or not counts or not all(cell.isdecimal() for cell in counts.values()):
        text = "A count or a name is missing."
        notes.append(Note(NoteCode.UNREAD_LINE, text, line, ", ".join(row)[:500]))
        return
    made = [
        ListEntry(checked_count(cell, limits, line), name, behind, boards[at], line, _id(said))
        for at, cell in counts.items()
    ]
    entries += [one for one in made if one.count] or made[:1]  # of no copy the list is told


def _rows_seen(source: str, delimiter: str) -> list[list[str]]:
    """The first rows of a sheet; none where they cannot be read."""
    lines = [line for line in source[:20_000].splitlines() if line.strip()][:SEEN]
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return []


def _is_sum_alone(row: list[str], count: str, entries: list[ListEntry]) -> bool:
    """Whether nothing but the sum of the lines above is in the row."""
    alone = sum(1 for cell in row if cell.strip()) == 1
    return alone and len(entries) > 1 and int(count[:6]) == sum(entry.count for entry in entries)


def _id(said: Mapping[str, str]) -> str:
    id = said.get("id", "").lower()
    return id if len(id) <= 80 and id.isprintable() else ""


def _cell(row: list[str], at: int) -> str:
    cell = " ".join(row[at].split()) if at < len(row) else ""
    return cell[1:] if cell[:2] in ("'=", "'+", "'-", "'@") else cell  # as our export protects it


def _delimiter(line: str) -> str:
    return "|" if _BARRED.match(line) else max(_DELIMITERS, key=line.count)


def columns_seen(source: str) -> dict[str, int] | None:
    """Which columns hold counts and names in a sheet without headings; None unless every line begins to look like one.

    The one column of small numbers is the counts; the first of text in which hardly anything comes twice, the names.
    """
    lines = [line for line in source[:20_000].splitlines() if line.strip()][:SEEN]
    if len(lines) < 3 or not (delimiter := _delimiter(lines[0])) or delimiter not in lines[0]:
        return None
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if not _RULED.match("".join(row))]
    except csv.Error:
        return None
    width = len(rows[0]) if rows else 0
    if width < 2 or any(len(row) != width for row in rows):
        return None
    columns = [[row[at].strip() for row in rows] for at in range(width)]
    counts = [at for at, cells in enumerate(columns) if all(map(_COUNT.match, cells))]
    names = [at for at, cells in enumerate(columns) if at not in counts and _is_names(cells)]
    if (
        len(counts) > 1 and names
    ):  # “3, Rats, Core, 113”: the one before the names, unless it numbers the rows
        counts = [at for at in counts if at < names[0] and not _numbers_the_rows(columns[at])]
    return {"count": counts[0], "name": names[0]} if len(counts) == 1 and names else None


def _numbers_the_rows(cells: Sequence[str]) -> bool:
    said = [int(digits) for cell in cells if (digits := cell.strip("xX× ")).isdecimal()]
    return len(said) > 2 and all(later == one + 1 for one, later in pairwise(said))


def _names_alone(source: str) -> bool:
    """Whether a sheet of three columns or more names one for the cards and none for counts: a row is one copy."""
    rows = _rows_seen(
        source, _delimiter(next((line for line in source[:5_000].splitlines() if line.strip()), ""))
    )
    if len(rows) < 3 or len(rows[0]) < LEAST_COLUMNS or any(len(row) != len(rows[0]) for row in rows):
        return False
    columns = columns_of_cells(rows[0])
    return "name" in columns and not columns.keys() & {"count", "beside", "within"}


LEAST_COLUMNS = 3


def _second_list(source: str, delimiter: str) -> int | None:
    """The column at which another list of counts and names stands beside the first: two decks side by side."""
    lines = [line for line in source[:20_000].splitlines() if line.strip()][:SEEN]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return None
    cells = [
        [row[at].strip() if at < len(row) else "" for row in rows]
        for at in range(max(map(len, rows), default=0))
    ]
    counts, names = WORDS["count"], WORDS["name"]
    twice = [
        at
        for at, column in enumerate(cells[:-1])
        if column[0].lower() in counts and cells[at + 1][0].lower() in names
    ]
    if len(twice) > 1:
        return twice[1]
    pairs = [
        at
        for at in range(len(cells) - 1)
        if (held := [row for row in zip(cells[at], cells[at + 1], strict=True) if any(row)])
        and len(held) > 1
        and all(_COUNT.match(count) and " " in name for count, name in held)
    ]
    return pairs[1] if len(pairs) > 1 else None


def is_count(cell: str) -> bool:
    return _COUNT.match(cell) is not None


NO = ("no", "n", "false", "0", "nein", "non", "não", "nao", "아니오", "아니요", "いいえ", "否", "-")
YES = ("yes", "y", "true", "ja", "oui", "sí", "si", "예", "はい", "是")
SEEN = 40  # lines that are looked at


def _is_names(cells: Sequence[str]) -> bool:
    worded = all(any(map(str.isalpha, cell)) for cell in cells)
    return worded and 5 * len(set(cells)) >= 4 * len(cells)


def columns_named(first: str) -> dict[str, int] | None:
    """What stands in which column, from the first line; None unless it names a count, and a name or an identifier."""
    found = columns_of(first)
    return found if "count" in found and found.keys() & {"name", "id"} else None


def columns_of(first: str) -> dict[str, int]:
    """What stands in which column, as far as the first line says."""
    return columns_of_cells(first.split(_delimiter(first))) if len(first) <= 1_000 else {}


def columns_of_cells(cells: Sequence[str]) -> dict[str, int]:
    titles = [cell.strip(" \"'\r\ufeff").lower().replace("_", " ") for cell in cells]
    found: dict[str, int] = {}
    for word, names in WORDS.items():
        places = [place for place, title in enumerate(titles) if title in names]
        places.sort(key=lambda place: word == "count" and titles[place] in ROWS_NUMBER)
        if places:
            found[word] = places[0]
    return found if len(titles) > 1 else {}
