"""A sheet as text: `count,name,section` in lines, commas, semicolons, tabs or upright bars between; what spreadsheets,
pages in Markdown and our own CSV export write. The columns are known by their headings, else by their content."""

import csv
import io
import re
from collections.abc import Sequence

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, split_name

RANK = 90
READS = (Kind("csv", "A sheet with columns for count and name", ".csv"),)
KIND = READS[0].key
# fmt: off
WORDS = {  # what the columns are called, in small letters
    "count": {
        "count", "qty", "quantity", "number", "copies", "amount", "x", "#", "no", "nr", "anzahl", "menge", "stück",
        "cantidad", "quantité", "quantite", "nombre", "nb", "qté", "quantità", "quantidade", "ilość", "aantal",
        "수량", "장수", "매수", "개수", "枚数", "数量", "數量", "количество",
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
    "beside": {"sideboarded", "in sideboard", "is sideboard"},  # yes or no
}
# fmt: on
_DELIMITERS = "\t;,"
_BARRED = re.compile(r"^\s*\|.*\|\s*$")
_RULED = re.compile(r"^[\s:|-]+$")  # |---|---| under the headings of a Markdown table
_COUNT = re.compile(r"^(?:[xX×] ?)?\d{1,2}(?: ?[xX×])?$")
_BLANK_LINES = re.compile(r"(?:[^\S\r\n]*(?:\r\n|\r|\n))*")
_SUM = re.compile(r"^(?:total|sum|cards|cards? in all)\b", re.I)


def recognises(source: str, filename: str) -> bool:
    first = next((line for line in source[:5_000].splitlines() if line.strip()), "")
    return columns_named(first) is not None or columns_seen(source) is not None


def read(source: str, limits: Limits) -> DeckList:
    """Read a sheet whose first line names its columns. Raises ListError: bad-table (with the line), bad-count,
    too-many-lines, line-too-long."""
    begin = _BLANK_LINES.match(source)  # a column in front may be empty: only whole lines are skipped
    start = begin.end() if begin else 0
    skipped = source.count("\n", 0, start)
    first = source[start:].split("\n", 1)[0]
    delimiter = _delimiter(first)
    columns = columns_named(first)
    entries: list[ListEntry] = []
    notes: list[Note] = []
    wrong: ListError | None = None
    second = _second_list(source[start:], delimiter)
    rows = csv.reader(io.StringIO(source[start:], newline=""), delimiter=delimiter)
    try:
        if columns is not None:
            notes.append(Note(NoteCode.COMMENT, "The names of the columns.", skipped + 1, first[:500]))
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
        for row in rows:
            line = skipped + rows.line_num
            if not any(cell.strip() for cell in row) or (delimiter == "|" and _RULED.match("".join(row))):
                continue
            if len(entries) >= limits.lines:
                raise ListError(
                    "too-many-lines", f"The sheet has more than {limits.lines:,} cards.", line=line
                )
            said = {word: _cell(row, at) for word, at in columns.items()}
            said["name"] = said.get("name") or said.get("id", "")
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
            beside = said.get("beside", "").lower() in YES
            section = "Sideboard" if beside else said.get("section", "")[: limits.name_length]
            entries.append(ListEntry(count, name, behind[: limits.name_length], section, line, _id(said)))
            if second is not None and any(cell.strip() for cell in row[second : second + 2]):
                text = "Another count and name stand beside it: put one card in each row."
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
    return DeckList(tuple(entries), tuple(notes), KIND)


def _is_sum_alone(row: list[str], count: str, entries: list[ListEntry]) -> bool:
    """Whether nothing but the sum of the lines above is in the row."""
    alone = sum(1 for cell in row if cell.strip()) == 1
    return alone and len(entries) > 1 and int(count[:6]) == sum(entry.count for entry in entries)


def _id(said: dict[str, str]) -> str:
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
    return {"count": counts[0], "name": names[0]} if len(counts) == 1 and names else None


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


YES = ("yes", "y", "true", "ja", "oui", "sí", "si", "예", "はい", "是")
SEEN = 40  # lines that are looked at


def _is_names(cells: Sequence[str]) -> bool:
    worded = all(any(map(str.isalpha, cell)) for cell in cells)
    return worded and 5 * len(set(cells)) >= 4 * len(cells)


def columns_named(first: str) -> dict[str, int] | None:
    """What stands in which column, from the first line; None unless it names a count, and a name or an identifier."""
    if len(first) > 1_000:
        return None
    cells = [cell.strip(" \"'\r\ufeff").lower() for cell in first.split(_delimiter(first))]
    found: dict[str, int] = {}
    for word, names in WORDS.items():
        at = next((place for place, cell in enumerate(cells) if cell in names), None)
        if at is not None:
            found[word] = at
    return found if "count" in found and found.keys() & {"name", "id"} and len(cells) > 1 else None
