"""Plain text: `3x Name`, `3 Name (Set 12)`, `Name x3`, several on one line, headings, totals, remarks.

Every line ends up as an entry or as a note with its number; no line is dropped.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile

from decks.lists import card_lines
from decks.lists.decoding import ungarbled
from decks.lists.figures import plain_figures
from decks.lists.model import NAMED_ABOVE, DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import refuse_too_many, split_name
from decks.lists.readers import tables
from decks.lists.vocabulary import CARDS, COPIES, Role, names_a_part, says_about, word_of

RANK = 100
READS = (Kind("text", "Text, one card per line, as people write it", ".txt"),)
KIND = READS[0].key
HEADING_MAX = 200
HEADING_WORDS = 6  # of a heading that is marked as a remark


def recognises(source: str, filename: str) -> bool:
    """Plain text is what nothing else is."""
    return True


def read(source: str, limits: Limits) -> DeckList:
    """Read a plain-text list. Raises ListError: too-many-lines, line-too-long, bad-count, deck-code, not-a-deck."""
    if "<" in source:
        source = _CELL_ENDS.sub("\t", _HEADING_IN_ANGLES.sub(_without_angles, source))
    if source.lstrip()[:1] == "<" and _PAGE.search(source):
        source = _LINE_ENDS.sub("\n", source)
    elif _OPENS_DATA.match(source):
        raise ListError(
            "not-a-deck",
            "This kind of data can’t be read as a decklist.",
            line=1,
            remedy="Send plain text (one card per line), or the file of a deck program (docs/formats.md names them).",
        )
    if _LINK.match(source[:2_000].strip()):
        raise ListError(
            "link-alone",
            "This is a link; we don’t open links.",
            line=1,
            remedy="Open it, export the deck as text there, and paste that.",
        )
    if card_lines.is_deck_code(source[:2_000].strip()):
        raise ListError(
            "deck-code",
            "This is a deck code; only the program that made it knows its cards.",
            line=1,
            remedy="Export the deck there as text, one card per line, and send that.",
        )
    source = plain_figures(source)
    mended = ungarbled(source)
    deck = _Assembly(_classified(mended or source, limits)).deck_list()
    if mended is None:
        return deck
    note = Note(NoteCode.ENCODING, "Garbled accents have been repaired.")
    return replace(deck, notes=(note, *deck.notes))


_OPENS_DATA = re.compile(r"\s*(?:[{<](?! ?\d{1,3} ?[}>])|\[\{)")
_HEADING_IN_ANGLES = re.compile(r"^[^\S\n]*<([^<>/\n]{2,40})>[^\S\n]*$", re.M)
_LINK = re.compile(r"^<?(?:https?://\S+|(?:[\w-]+\.)+[a-z]{2,6}/\S+)>?$", re.I)


def _without_angles(found: re.Match[str]) -> str:
    """“<Sideboard>”: a heading, and no mark of a page."""
    return f"[{found[1]}]" if names_a_part(found[1].strip()) else found[0]


def dump(deck: DeckList) -> str:
    """The list as plain text that `read` reads back to the same name and entries."""
    out = [f"Deck: {deck.name}", ""] if deck.name else []
    section = ""
    for entry in deck.entries:
        if entry.section != section:
            out += ["", f"{entry.section}:"] if out else [f"{entry.section}:"]
            section = entry.section
        out.append(f"{entry.count}x {entry.name}" + (f" ({entry.hint})" if entry.hint else ""))
    return "\n".join(out) + "\n"


_HEADING_END = re.compile(
    rf" ?(?:: ?\(?(\d+)(?: ?{CARDS})?\)?|:? ?[(\[](\d+)(?: ?/ ?\d+)?(?: ?{CARDS})?[)\]] ?:?|:)$", re.I
)
# “Pokémon - 12”, “크리처 15장”, “Lands 24”: only behind a word that is a heading.
_KNOWN_WITH_TOTAL = re.compile(rf"^([^\d:]{{2,60}}?)(?: ?[-–—=/|] ?| )\(?(\d{{1,3}})(?: ?{CARDS})?\)?$", re.I)
_CHOICE = re.compile(
    r"^(taboo)s?(?: list)? ?: ?(\S.{0,60})$", re.I
)  # which list of restrictions the deck keeps to
_DECORATED = re.compile(r"^(?:=+ ?(.+?) ?=+|\[ ?([^\[\]]+?) ?\]|\*\*(.+?)\*\*|_{1,3}(\w.*?)_{1,3})$")
# “--- Sideboard (15) ---”, “*** SIDE ***”: a line of signs with words in it parts what is above from what is below.
_RULE = r"[-–—―=*#+~/|<>_·•─━═■◆★☆]{2,20}"
_FRAMED = re.compile(rf"^{_RULE} ?([^\W_](?:.{{0,60}}\S)??) ?{_RULE}$")
_META = re.compile(r"^;; ?(identity|investigator|stronghold|agenda) ?: ?(\S.*)$", re.I)
_PAGE = re.compile(
    r"</li>|</p>|<br|</tr>|</div>|</h\d>|</(?:b|i|u|em|strong|summary)>", re.I
)  # a piece of a page, copied with its marks
_LINE_ENDS = re.compile(r"<(?:br|/li|/p|/div|/tr|/h[1-6])\b[^<>]{0,300}>", re.I)
_CELL_ENDS = re.compile(r"</t[dh]>\s{0,200}<t[dh]\b[^<>]{0,300}>", re.I)
# “Sideboard: none”
_NONE = re.compile(
    r"^[^:(]{1,40}(?: ?: ?|\()(?:none|nothing|nil|n/a|empty|keine?|leer|없음|aucune?|vide|ningun[oa]|nada|なし|无|無"
    r"|-+|—)\)?[.!]?$",
    re.I,
)
_ARROW = re.compile(r"\w.* (?:->|=>|→|⇒|➜|➔) \w")  # “Rats -> Dogs (2)” is no heading
_TABLE_ROW = re.compile(r"^\s*\|(?=[^\w\n]*\w)(.+)\|\s*$")
_ENUMERATED = re.compile(r"^(\d{1,3})[.)] ?\S")


@dataclass(slots=True)
class _Line:
    number: int
    text: str  # white space collapsed
    after_blank: bool
    entries: list[ListEntry] = field(default_factory=list)
    heading: str = ""  # on the same line, before its cards
    wrong: ListError | None = None  # why its count is none
    sums: bool = False  # it says how many cards the parts have


def _classified(source: str, limits: Limits) -> list[_Line]:
    """The lines that hold something, counted ones already read."""
    raw = re.split(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", source)
    if ">" in source and card_lines.quoted(raw):
        raw = list(map(card_lines.unquoted, raw))
    elif "#" in source and card_lines.remarked(raw):
        raw = list(map(card_lines.unremarked, raw))
    raw = _with_strokes_counted(raw) if "|" in source else raw
    raw = _with_blocks_remarked(raw) if "/*" in source else raw
    raw = _without_bullets(raw) if "\t" in source else raw
    raw = _with_their_counts(_as_rows_of_data(raw))
    raw = _without_columns(raw) if "|" in source or "\t" in source else raw
    refuse_too_many(len(raw) - 1, "lines", limits)
    columns = _columns_of_spaces(raw) or _columns_of_tabs(raw)
    lines = []
    cards = 0
    after_blank = True
    for number, written in enumerate(raw, start=1):
        if len(written) > limits.line_length:
            raise ListError(
                "line-too-long",
                f"The line is longer than {limits.line_length:,} characters.",
                line=number,
                remedy="Put one card per line.",
            )
        text = card_lines.plain(written) or (
            "" if "<" in written or "[" in written else " ".join(written.split())
        )
        parts = card_lines.segments(text) if text and number not in columns else []
        if beside := columns.get(number):
            lines += [_in_a_column(*one, number, after_blank, limits) for one in beside]
            cards += sum(len(line.entries) for line in lines[-len(beside) :])
        for part in parts:
            cells = written if len(parts) == 1 and "\t" in written else ""
            line = _read_line(part, cells, number, after_blank and part is parts[0], limits)
            lines.append(line)
            cards += len(line.entries)
            refuse_too_many(cards, "cards", limits)
        after_blank = not text
    if not cards and (wrong := next((line.wrong for line in lines if line.wrong), None)):
        raise wrong
    if sum(1 for line in lines if line.entries) <= FEW:
        _take_numbers_at_the_end(lines, limits)
    _without_set_codes(lines)
    _doubt_changes(lines)
    _give_totals_back(lines)
    return _without_enumeration(lines, limits)


WIDE = 300  # characters of a line with two columns
_TWO_COUNTED = re.compile(r"^ *(\d{1,2} ?[xX×]? ?[^\W\d]\S*(?: \S+)*?) {3,}(\d{1,2} ?[xX×]? ?[^\W\d].*)$")
_TWO_HEADINGS = re.compile(r"^ *([^\W\d].*?) {3,}([^\W\d].*)$")


def _columns_of_spaces(raw: list[str]) -> dict[int, list[tuple[str, str]]]:
    """Line -> (heading, card) of each column, where a page has two lists side by side with spaces between."""
    both = {
        at: found
        for at, line in enumerate(raw, start=1)
        if "   " in line and len(line) <= WIDE and (found := _TWO_COUNTED.match(line))
    }
    if len(both) < 2:
        return {}
    left = right = ""
    top = min(both)
    above = next((line for line in raw[: top - 1][::-1] if line.strip()), "")
    if len(above) <= WIDE and (titles := _TWO_HEADINGS.match(above)) and names_a_part(titles[1].strip(" :")):
        left, right = titles[1].strip(" :"), titles[2].strip(" :")
    offset = min(found.start(2) for found in both.values())
    columns = {at: [(left, found[1]), (right, found[2])] for at, found in both.items()}
    for at, line in enumerate(raw[top - 1 :], start=top):
        bare = line.strip()
        if at not in both and bare[:1].isdecimal():
            columns[at] = [(right if len(line) - len(line.lstrip()) >= offset - 2 else left, bare)]
    return columns


def _columns_of_tabs(raw: list[str]) -> dict[int, list[tuple[str, str]]]:
    """The same of a sheet with two lists side by side, each under the name of its part: counts in one column of each,
    names in the next."""
    rows = {
        at: [cell.strip() for cell in line.split("\t")]
        for at, line in enumerate(raw, start=1)
        if "\t" in line
    }
    top, parts = next(
        ((at, found) for at, cells in rows.items() if len(found := _parts_named(cells)) > 1), (0, {})
    )
    columns: dict[int, list[tuple[str, str]]] = {}
    for at, cells in rows.items():
        pairs = [
            (title, f"{cells[place]}x {cells[place + 1]}")
            for place, title in parts.items()
            if at > top
            and tables.is_count(" ".join(cells[place : place + 1]))
            and any(cells[place + 1 : place + 2])
        ]
        if len(pairs) == sum(1 for cell in cells if tables.is_count(cell)) and pairs:
            columns[at] = pairs
    return columns if len(columns) > 2 else {}


def _parts_named(cells: list[str]) -> dict[int, str]:
    """The columns over which a row names parts of a list: {0: "Main", 2: "Side"}."""
    said = {at: cell.strip(" :") for at, cell in enumerate(cells) if cell}
    return said if all(map(names_a_part, said.values())) else {}


def _in_a_column(heading: str, card: str, number: int, after_blank: bool, limits: Limits) -> _Line:
    line = _read_line(card_lines.plain(card), "", number, after_blank, limits)
    line.heading = heading if line.entries else ""
    return line


def _with_blocks_remarked(raw: list[str]) -> list[str]:
    """Each line between “/*” and “*/”, on lines of their own, as the remark that it is."""
    if not any(line.strip()[:2] == "/*" for line in raw):
        return raw
    out, inside = [], False
    for line in raw:
        bare = line.strip()
        inside = inside or (bare[:2] == "/*" and "*/" in (bare[-2:], *(one.strip()[-2:] for one in raw)))
        out.append(f"# {line}" if inside and bare else line)
        inside = inside and bare[-2:] != "*/"
    return out


# How a word processor's bullets come out: a letter of a font of signs, and a tab.
_BULLET_AND_TAB = re.compile(r"^\s*[\ue000-\uf8ffo§üØvq•·◦▪–-]\t+(?=\S)")


def _without_bullets(raw: list[str]) -> list[str]:
    marked = sum(1 for line in raw if "\t" in line and _BULLET_AND_TAB.match(line))
    if marked < 3 or 2 * marked < sum(1 for line in raw if line.strip()):
        return raw
    return [_BULLET_AND_TAB.sub("", line) for line in raw]


_STROKES = re.compile(r"^\s*(\|{1,5}) ?(?=[^\W\d][^|]*$)")


def _with_strokes_counted(raw: list[str]) -> list[str]:
    """“||| Rats”, “|| Dogs”: strokes that tally the copies, where they differ from card to card."""
    barred = [(at, line) for at, line in enumerate(raw) if line[:9].lstrip()[:1] == "|"]
    found = {at: len(one[1]) for at, line in barred if (one := _STROKES.match(line))}
    if len(found) < 3 or len({*found.values()}) < 2:
        return raw
    return [_STROKES.sub(f"{found[at]}x ", line) if at in found else line for at, line in enumerate(raw)]


# “- name: Rats” and “count: 3” on lines of their own, as YAML has it.
_NAME_OF_DATA = re.compile(r"^\s*(?:- )?\"?(?:name|card|title)\"?: (?=\S)(.+?),?$")
_COUNT_OF_DATA = re.compile(r"^\s*(?:- )?\"?(?:count|quantity|qty|copies|amount|number)\"?: (\d{1,3}),?$")


def _as_rows_of_data(raw: list[str]) -> list[str]:
    """The lines with each such pair on one: “3x Rats”."""
    said = {at: line.rstrip() for at, line in enumerate(raw) if ": " in line and len(line) <= WIDE}
    if 2 * len(said) < len(raw):
        return raw
    names = {at: found[1].strip("'\"") for at, line in said.items() if (found := _NAME_OF_DATA.match(line))}
    counts = {at: found[1] for at, line in said.items() if (found := _COUNT_OF_DATA.match(line))}
    begun = [at for at, line in enumerate(raw) if line.lstrip()[:2] == "- "] or sorted({*names, *counts})[::2]
    pairs = {at: at + 1 for at in begun if at in names and at + 1 in counts}
    pairs |= {at + 1: at for at in begun if at in counts and at + 1 in names}
    if len(counts) < 3 or len(pairs) < len(counts):
        return raw
    out = list(raw)
    for name, count in pairs.items():
        out[name], out[count] = f"{counts[count]}x {names[name]}", ""
    return out


def _with_their_counts(raw: list[str]) -> list[str]:
    """The lines of a page that puts each count on a line of its own, “3” over “Rats”, with count and name on one."""
    said = [at for at, line in enumerate(raw) if line.strip()]
    alone = {at for at in said if _COUNT_ALONE.match(raw[at])}
    if len(alone) < 3 or 3 * len(alone) < len(said):
        return raw
    out = list(raw)
    names = {later: at for at, later in pairwise(said) if at in alone and later not in alone}
    if said[0] not in alone and said[-1] in alone and len(names) < len(alone):
        names = {at: later for at, later in pairwise(said) if at not in alone and later in alone}
    if len(names) < len(alone) or any(_OWN_COUNT.match(raw[at].strip()) for at in names):
        return raw
    for name, count in names.items():
        out[name] = f"{raw[count].strip(' xX×')}x {raw[name].strip()}"
        out[count] = ""
    return out


_COUNT_ALONE = re.compile(r"^\s*[xX×]? ?\d{1,2} ?[xX×]?\s*$")
_OWN_COUNT = re.compile(r"^\d{1,2} ?[xX×]? ?[^\W\d]|.*[xX×] ?\d{1,2}$")


def _without_columns(raw: list[str]) -> list[str]:
    """The lines with those of a sheet among them, “2 | Rats | Core”, as “2x Rats (Core)”.

    Where a sheet is all there is, its own reader has it. Two columns are read as they stand.
    """
    rows = {
        at: [card_lines.plain(cell) for cell in (row[1].split("|") if row else line.split("\t"))]
        for at, line in enumerate(raw)
        if (row := _TABLE_ROW.match(line)) or line.count("\t") > 1
    }
    if len(rows) < 3:
        return raw
    sheet = ["\t".join(cells) for cells in rows.values()]
    named = tables.columns_named(sheet[0])
    columns = named or tables.columns_seen("\n".join(sheet))
    if columns is None or "name" not in columns:
        return raw
    count, name = columns["count"], columns["name"]
    out = list(raw)
    for at, cells in list(rows.items())[1 if named else 0 :]:
        if len(cells) > max(count, name) and tables.is_count(cells[count]) and cells[name]:
            behind = next((cell for cell in cells[name + 1 :] if any(map(str.isalpha, cell))), "")
            out[at] = f"{cells[count].strip('xX× ')}x {cells[name]}" + (f" ({behind})" if behind else "")
    return out


def _read_line(text: str, cells: str, number: int, after_blank: bool, limits: Limits) -> _Line:
    """One line, or one part of it with a heading of its own. cells: the line as it stood, when tabs part it."""
    heading, cards = card_lines.headed(text)
    if cells and not heading:
        cards = "\t".join(cell for part in cells.strip().split("\t") if (cell := card_lines.plain(part)))
    line = _Line(number, " ".join(text.split()), after_blank)
    again = card_lines.NUMBER_BEHIND.search(text) is not None  # most lines have one number, in front
    if again and card_lines.is_summary(text):
        line.sums = True
        return line
    if text[-1] in ":：" and card_lines.WROTE.match(text):
        return line
    if (
        again
        and (either := _EITHER.search(text))
        and text.count("(", 0, either.start()) <= text.count(")", 0, either.start())
    ):
        line.wrong = ListError("bad-count", "It isn’t clear which of the cards is in the deck.", line=number)
        return line
    if again and (changed := _CHANGED.search(text)) and any(map(str.isalpha, text[: changed.start()])):
        line.wrong = ListError("bad-count", "This is a change, not a card in the deck.", line=number)
        return line
    if ("~" in text or "[" in text or "<" in text) and card_lines.STRUCK.search(text):
        line.wrong = ListError(
            "bad-count", "It is struck out, so it isn’t clear whether it is in the deck.", line=number
        )
        return line
    try:
        line.entries = list(card_lines.counted(cards, limits, number))
    except ListError as error:
        if error.code not in ("bad-count", "line-too-long"):
            raise
        line.wrong = error
    line.heading = heading if line.entries else ""
    return line


# “3x Rats instead of 3x Dogs”, “2x Rats or 2x Dogs”
_EITHER = re.compile(
    r" (?:instead of|rather than|or|oder|statt|anstatt|ou|au lieu de|o|en vez de|en lugar de|대신|또는|または)"
    r" ?(?=\d{1,2} ?[xX×] ?[^\W\d])",
    re.I,
)
_CHANGED = re.compile(r" (?:->|=>|→|⇒|➜|➔) ?\d{1,2} ?[xX×]? ?[^\W\d]")  # “2x Rats → 2x Dogs”


def _doubt_changes(lines: list[_Line]) -> None:
    """“+1 Rats” among lines without a sign says what changes, and maybe not what is in the deck."""
    counted = [line for line in lines if line.entries or line.wrong]
    signed = [line for line in counted if line.entries and _SIGNED.match(line.text)]
    if len(signed) < len(counted):
        for line in signed:
            line.entries = []
            line.wrong = ListError(
                "bad-count", "This is a change, not a number of copies in the deck.", line=line.number
            )


_SIGNED = re.compile(r"^\+ ?\d")


# “Arven SVI 166”, “Lightning Strike XLN 149”, “Pidgey MEW 16 PH”: a set and a number behind the name.
_SET_CODE = re.compile(
    r"^(.*\S) ((?:[A-Z][A-Z0-9]{1,3}(?:-[A-Z]{1,3})?|PR-[A-Z]{2,3}) [A-Z]{0,3}\d{1,3}[a-z]?(?: PH)?)$"
)
MOST = (3, 5)  # of so many names, so many have it: then it is how this list is written


def _without_set_codes(lines: list[_Line]) -> None:
    """Where most names end in a set's code and a number, these are no part of the names."""
    cards = [entry for line in lines for entry in line.entries]
    coded = sum(1 for entry in cards if not entry.hint and _SET_CODE.match(entry.name))
    if coded < MOST[0] or MOST[1] * coded < MOST[0] * len(cards):
        return
    for line in lines:
        for at, entry in enumerate(line.entries):
            if not entry.hint and (found := _SET_CODE.match(entry.name)):
                line.entries[at] = entry._replace(name=found[1], hint=found[2])


def _take_numbers_at_the_end(lines: list[_Line], limits: Limits) -> None:
    """“Rats - 3”, “Dogs (2)”, “Cats: 1”: a list that has all its counts there. A number that is the sum of those
    below it is a heading's."""
    found = {line.number: card_lines.count_behind(line.text) for line in lines if not line.entries}
    numbers = [
        one[1] if (one := found.get(line.number)) else sum(entry.count for entry in line.entries)
        for line in lines
    ]
    behind = sum(1 for one in found.values() if one)
    if 2 * behind < len(lines) or (behind < MOST[0] and len(found) < len(lines)):
        return
    for place, line in enumerate(lines):
        one = found.get(line.number)
        if (
            one
            and not names_a_part(one[0])
            and not card_lines.TOTAL.match(line.text)
            and not _CHOICE.match(line.text)
            and not _is_sum(lines, numbers, place)
        ):
            line.entries = [card_lines.entry(str(one[1]), one[0], limits, line.number)]


FEW = 2  # counted lines above the others, such as an identity's


def _is_sum(lines: list[_Line], numbers: list[int], place: int) -> bool:
    """Whether the number is that of at least two lines below it, up to a blank line, or up to any when it is large."""
    below = 0
    for later in range(place + 1, len(lines)):
        if later > place + 2 and below == numbers[place] and (lines[later].after_blank or below > LARGE):
            return True
        if not numbers[later] or below >= numbers[place] or (later > place + 1 and lines[later].after_blank):
            return False
        below += numbers[later]
    return len(lines) > place + 2 and below == numbers[place]


LARGE = 9  # copies of one card that no list has, or hardly any


def _give_totals_back(lines: list[_Line]) -> None:
    """“Unterstützung (8장)” over “Rats 3장” and the others that make eight: the one line whose number is in brackets,
    or is more than copies of a card can be, is the heading of those below it, and no card."""
    for place, line in enumerate(lines):
        total = _total_in_brackets(line)
        if total is None or not line.after_blank:
            continue
        below = list(takewhile(lambda one: one.entries and not one.after_blank, lines[place + 1 :]))
        alike = any(_total_in_brackets(one) is not None for one in below)
        if len(below) > 1 and (total > LARGE or not alike) and total == _sums(below)[-1]:
            line.entries = []


def _total_in_brackets(line: _Line) -> int | None:
    """The number at the end, in brackets, that was read as the line's count."""
    one = line.entries[0].count if len(line.entries) == 1 and line.text[-1] in ")]" else None
    found = _BRACKETED.match(line.text) if one is not None else None
    return one if found and one == int(found[1]) and not card_lines.COUNTED_INSIDE.search(line.text) else None


_BRACKETED = re.compile(rf"^\D.*[(\[](\d{{1,3}}) ?(?:{COPIES})?[)\]]$", re.I)


def _without_enumeration(lines: list[_Line], limits: Limits) -> list[_Line]:
    """“1. Rats”, “2. Dogs”, “3. Cats” are numbered lines, one copy each, not six cards. Each part may begin again."""
    numbered = [(line, found[1]) for line in lines if (found := _ENUMERATED.match(line.text))]
    if _is_numbered([int(number) for _line, number in numbered]):
        for line, _number in numbered:
            line.text = re.sub(r"^\d{1,3}[.)] ?", "", line.text)
            if card_lines.counted_inside(line.text):
                line.entries = list(card_lines.counted(line.text, limits, line.number))
            else:
                line.entries = [card_lines.entry("1", line.text, limits, line.number)]
    return lines


def _is_numbered(numbers: list[int]) -> bool:
    """Whether they count from 1 (or 0) on; several times only if they come further than copies do."""
    starts = [at for at, (one, two) in enumerate(pairwise(numbers), start=1) if two != one + 1]
    longest = max((end - start for start, end in pairwise([0, *starts, len(numbers)])), default=0)
    begins = all(numbers[at] in (0, 1) for at in (0, *starts)) if numbers else False
    return begins and longest > (MANY if starts or numbers[0] == 0 else 2)


MANY = 4  # copies of a card that lists number


_LISTS_SEVERAL = re.compile(r"^[^\W\d][^:.!?,]{1,40}: [^:,]+(?:,[^:,]+)+$")  # “Provinces: Rats, Dogs, Cats”


_MARKS = "#/-;!>"  # of a remark


def _bare(text: str) -> str:
    return text.lstrip("#/-;!>*~+= ")


def _may_head(words: str) -> bool:
    """Whether a remark is short enough for a heading, and no sentence, sum or address."""
    short = len(words.split()) <= HEADING_WORDS and words[:1].isalpha() and words[-1:] not in ".!?,"
    return short and "://" not in words and not card_lines.TOTAL.match(words)


def _says_something(text: str) -> bool:
    """“Packs: Core Set to Dunwich”, “Player: Ann”: a word and what it is; a heading has nothing behind its colon."""
    before, colon, behind = text.partition(":")
    return bool(colon and before.strip() and behind.strip())


# --- the lines together ------------------------------------------------------------------------------


# “Category: Sideboard”, over its cards
_LABELLED = re.compile(
    r"^(?:category|section|group|zone|kategorie|catégorie|categoría|분류|구역) ?: ?(\S.{0,60})$", re.I
)
_COUNTED_WITH_X = re.compile(r"\s*\d+\s*[x×]", re.I)
_NUMBERED_PART = re.compile(r"^(?:\d{1,2}[.)]|[(\[]\d{1,2}[)\]]) ?[^\W\d]")
BLOCK = 60  # lines that a total may be of


def _sums(lines: list[_Line]) -> list[int]:
    """The copies on the first line, on the first two, and so on, up to the first line that holds no card."""
    held = takewhile(lambda line: line.entries, lines)
    return list(accumulate(sum(entry.count for entry in line.entries) for line in held))


class _Assembly:
    """Walks the lines once, keeping the section and the declared totals."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.name = ""
        self.titled = False  # a line says that this is the name
        self.section = ""
        self.declared: list[tuple[int, int, int]] = []  # (line, total, entries before it)
        self.opened: list[int] = []  # entries before each heading
        self.choices: dict[str, str] = {}
        self.total: tuple[int, int] | None = None
        self.close = False  # cards stand right under the line that is being read

    def deck_list(self) -> DeckList:
        if any(line.entries for line in self.lines):
            for position, line in enumerate(self.lines):
                self.close = self._is_counted(position + 1) and not self.lines[position + 1].after_blank
                self._take(line, next_is_counted=self._is_counted(position + 1))
            self._check_totals()
        else:
            self._take_all_as_single_copies()
        return DeckList(
            tuple(self.entries),
            tuple(sorted(self.notes, key=lambda n: n.line or 0)),
            KIND,
            self.name,
            self.choices,
        )

    def _is_counted(self, position: int) -> bool:
        return position < len(self.lines) and bool(self.lines[position].entries)

    def _take(self, line: _Line, *, next_is_counted: bool) -> None:
        if line.entries and (part := self._numbered_heading(line)):
            self._open(line, *part)
        elif line.entries and self._is_subtotal(line):
            word = word_of(line.entries[0].name)
            if word is not None and word.role in (Role.PART, Role.ASIDE) and next_is_counted:
                self._open(line, line.entries[0].name, line.entries[0].count)
            else:
                self._note(NoteCode.COMMENT, line, "A total, as the list says.")
        elif line.entries:
            section, total = card_lines.own_total(line.heading) if line.heading else (self.section, None)
            if total is not None:
                self._compare(line.number, total, line.entries)
            self.entries += [
                entry if entry.section or not section else entry._replace(section=section)
                for entry in line.entries
            ]
            if not line.after_blank and len(self.entries) == len(line.entries):
                self._doubt_the_name(line)
        elif line.sums:
            self._note(NoteCode.COMMENT, line, "The sizes of the parts, as the list says.")
        elif line.wrong is not None:
            self._note(NoteCode.UNREAD_LINE, line, line.wrong.message)
        elif _NONE.match(line.text) and names_a_part(re.split(r" ?[:(]", line.text)[0]):
            self._note(NoteCode.COMMENT, line, "Nothing there, as the list says.")
        elif found := _META.match(line.text):
            self.entries.append(
                ListEntry(1, *split_name(found[2], Limits(), line.number), found[1].strip(), line.number)
            )
        elif found := _CHOICE.match(line.text):
            self._choose(line, found[1], found[2])
        elif heading := self._marked(line, next_is_counted):
            self._open(line, *heading)
        elif (
            card_lines.REMARK.search(line.text)
            or card_lines.WROTE.match(line.text)
            or not re.search(r"\w", line.text)
        ):
            self._remark(line, over_cards=self.close)
        elif card_lines.is_deck_code(line.text):
            self._note(NoteCode.COMMENT, line, "A deck code; its cards were not read.")
        elif card_lines.FOOTER.match(line.text) or card_lines.TALLY.match(line.text):
            self._note(NoteCode.COMMENT, line, "What the decklist says about itself.")
        elif next_is_counted and (heading := self._total_of_those_below(line)):
            self._open(line, *heading)
        elif found := card_lines.TOTAL.match(line.text) or card_lines.CARDS.match(line.text):
            self.total = (line.number, int(found[1]) if len(found[1]) < 10 else 0)
            self._note(NoteCode.COMMENT, line, "The size of the deck, as it says.")
        elif not self.titled and not self.entries and (name := self._named(line)):
            if self.name:  # the first line was only taken for it
                self._note(NoteCode.UNREAD_LINE, self.lines[0], "This line has no count.")
            self.name, self.titled = name, True
        elif next_is_counted and (labelled := _LABELLED.match(line.text)):
            self._open(line, labelled[1], None)
        elif heading := self._heading(line):
            self._open(line, *heading)
        else:
            self._take_uncounted(line, next_is_counted)

    def _total_of_those_below(self, line: _Line) -> tuple[str, int] | None:
        """“Cards: 60” under “Plots: 7” and its seven, or over sixty others: the heading of those. So is “Sideboard,
        15 in all”, unless so many of the sideboard stand above."""
        found = card_lines.TOTAL.match(line.text)
        label = card_lines.without_sum(line.text[: found.start(1)]) if found else ""
        word = word_of(label) if found else None
        if not found or word is None or len(found[1]) > 3:
            return None
        beside = word.role in (Role.PART, Role.ASIDE) and word is not word_of(self.section)
        if not self.section and not beside:
            return None
        above = self.declared[-1] if self.declared else None
        full = above is not None and above[1] == sum(one.count for one in self.entries[above[2] :])
        at = next(place for place, other in enumerate(self.lines) if other is line)
        below = _sums(self.lines[at + 1 : at + 1 + BLOCK])
        opens = beside or int(found[1]) in below or (full and line.after_blank)
        return (label, int(found[1])) if opens else None

    def _named(self, line: _Line) -> str:
        """The deck's name on a line that says so: “Deck: Rats”, or “Name Rats” under “About”."""
        if found := card_lines.NAMED.match(line.text):
            return found[1]
        above = self.lines[0].text.lower() if line is not self.lines[0] else ""
        return line.text[5:].strip() if above == "about" and line.text[:5] == "Name " else ""

    def _marked(self, line: _Line, next_is_counted: bool) -> tuple[str, int | None] | None:
        """“## Characters (20)”, “// Sideboard”, “--- Side ---”: a heading behind a remark's mark, or between signs.

        A remark that begins with a word for cards beside the deck opens them too, if cards follow at once; so does a
        short one that opens a block below others.
        """
        text = line.text
        if text[0].isalnum():
            return None
        framed = _FRAMED.match(text)
        bare = framed[1] if framed else _bare(text)
        found = _HEADING_END.search(bare)
        section = (bare[: found.start()] if found else bare).strip(" *_")
        if not names_a_part(section) and not text.startswith("##") and not framed:
            first = (
                word_of(section.split(" ")[0]) if card_lines.REMARK.search(text) and next_is_counted else None
            )
            beside = first is not None and first.role in (Role.PART, Role.ASIDE)
            if not beside and not (next_is_counted and self._opens_a_block(line, section)):
                return None
        digits = found and (found[1] or found[2])
        return (section, int(digits) if digits and len(digits) < 10 else None) if section else None

    def _opens_a_block(self, line: _Line, words: str) -> bool:
        """“# lent to Bo” right over cards, with others above, behind a blank line or in a list whose headings are all
        marked so: more than a remark on them."""
        if not self.entries or not card_lines.REMARK.search(line.text):
            return False
        marked = (one.text for one in self.notes if one.code is NoteCode.HEADING)
        if not line.after_blank and not any(one[:1] == line.text[:1] for one in marked):
            return False
        return _may_head(words)

    def _remark(self, line: _Line, *, over_cards: bool) -> None:
        """“# lent to Bo” right over cards may be their heading, as far as a reader knows."""
        words = _bare(line.text).rstrip(" :*_") if over_cards and line.text[0] in _MARKS else ""
        word, colon, _said = words.partition(":")
        opens = words if words and _may_head(words) and not (colon and says_about(word)) else ""
        self.notes.append(Note(NoteCode.COMMENT, "A remark.", line.number, line.text, opens))

    def _numbered_heading(self, line: _Line) -> tuple[str, int | None] | None:
        """“2. Sideboard:” is the second heading; “15 card sideboard” says how many there are, and so does “5x Side”
        over five."""
        one = line.entries[0]
        if len(line.entries) > 1 or line.heading:
            return None
        if not (said := card_lines.part_said(one.name)):
            return None
        if _NUMBERED_PART.match(line.text):
            return said, None
        at = next(place for place, other in enumerate(self.lines) if other is line)
        if said != one.name.strip(" :") or one.count in _sums(self.lines[at + 1 : at + 1 + BLOCK]):
            return said, one.count
        return None

    def _is_subtotal(self, line: _Line) -> bool:
        """“16 Creatures” under so many of them, or over: no card. “1x Treachery” is one: nobody writes a sum so."""
        one = line.entries[0]
        if one.hint or len(line.entries) > 1 or line.heading or not names_a_part(one.name):
            return False
        if _COUNTED_WITH_X.match(line.text):
            return False
        at = next(place for place, other in enumerate(self.lines) if other is line)
        above, below = self.lines[max(0, at - BLOCK) : at][::-1], self.lines[at + 1 : at + 1 + BLOCK]
        return any(one.count in _sums(block) for block in (above, below))

    def _doubt_the_name(self, line: _Line) -> None:
        """The first line has no count and the cards follow at once: it may be a card whose count was forgotten."""
        before = [one for one in self.lines if one.number < line.number]
        if len(before) == 1 and self.name == before[0].text:
            self._note(NoteCode.UNCOUNTED_LINE, before[0], NAMED_ABOVE)

    def _heading(self, line: _Line) -> tuple[str, int | None] | None:
        """(section, declared total) when the line cannot be anything but a heading."""
        text = line.text
        if len(text) > HEADING_MAX or _ARROW.search(text):
            return None
        if (found := _KNOWN_WITH_TOTAL.match(text)) and names_a_part(found[1]):
            return found[1], int(found[2])
        if found := _DECORATED.match(text):
            text = next(group for group in found.groups() if group) + ":"
        found = _HEADING_END.search(text)
        section = text[: found.start()].rstrip(" :") if found else ""
        if found is None or not re.search(r"[^\W\d]", section):
            return None
        digits = found[1] or found[2]
        if found[1] and says_about(section) and not names_a_part(section):
            return None  # “Experience: 0”, “Table: 12”
        return section, int(digits) if digits and len(digits) < 10 else None

    def _open(self, line: _Line, section: str, total: int | None) -> None:
        self.section = section
        self.opened.append(len(self.entries))
        if total is not None:
            self.declared.append((line.number, total, len(self.entries)))
        message = f"The heading of “{section}”."
        self.notes.append(Note(NoteCode.HEADING, message, line.number, line.text, opens=section))

    def _take_uncounted(self, line: _Line, next_is_counted: bool) -> None:
        """A line without a count: the deck's name, a heading, prose, or a card whose count was forgotten."""
        if card_lines.UNSETTLED.match(line.text) or card_lines.UNSETTLED_BEHIND.match(line.text):
            self._note(NoteCode.UNREAD_LINE, line, "It isn’t clear how many copies.")
        elif names_a_part(line.text):
            self._open(line, line.text, None)
        elif not self.name and not self.entries and not self.section and line is self.lines[0]:
            self.name = line.text
        elif next_is_counted and self._leads(line) and not _says_something(line.text):
            self.section = line.text
            self.opened.append(len(self.entries))
            self._note(NoteCode.UNCOUNTED_LINE, line, "Read as a heading.")
        elif self._signs(line):
            self._note(NoteCode.COMMENT, line, "Who wrote it.")
        elif _LISTS_SEVERAL.match(line.text):
            self._note(NoteCode.UNREAD_LINE, line, "This line has no count.")
        elif len(line.text) > 70 or (line.text.endswith((".", "!", "?")) and line.text.count(" ") > 2):
            self._note(NoteCode.COMMENT, line, "Read as a remark.")
        else:
            self._note(NoteCode.UNREAD_LINE, line, "This line has no count.")

    def _leads(self, line: _Line) -> bool:
        """Whether a line over counted ones can be their heading: it opens a block, and none that it closes."""
        if line.after_blank:
            return True
        at = next(place for place, other in enumerate(self.lines) if other is line)
        return not self.entries and not self.lines[at + 1].after_blank

    def _signs(self, line: _Line) -> bool:
        """A name under “Best regards”, or under the two strokes that part a mail from its signature."""
        before = [one.text for one in self.lines if one.number < line.number]
        if not self.entries or not before:
            return False
        return before[-1] in ("--", "—") or card_lines.GREETING.match(before[-1]) is not None

    def _take_all_as_single_copies(self) -> None:
        """No line has a count: a list of names, one copy each."""
        limits = Limits()
        for place, line in enumerate(self.lines, start=1):
            if card_lines.REMARK.search(line.text) or not re.search(r"\w", line.text):
                below = self.lines[place].text if place < len(self.lines) else ""
                self._remark(line, over_cards=below[:1].isalnum() and not names_a_part(below))
            elif found := card_lines.TOTAL.match(line.text) or card_lines.CARDS.match(line.text):
                self.total = (line.number, int(found[1]) if len(found[1]) < 10 else 0)
                self._note(NoteCode.COMMENT, line, "The size of the deck, as it says.")
            elif found := _CHOICE.match(line.text):
                self._choose(line, found[1], found[2])
            elif not self.entries and (found := card_lines.NAMED.match(line.text)):
                self.name = found[1]
            elif names_a_part(line.text) and len(self.lines) > 1:
                self._open(line, line.text, None)
            elif heading := self._heading(line):
                self._open(line, *heading)
            elif (
                not self.name and line is self.lines[0] and len(self.lines) > 2 and self.lines[1].after_blank
            ):
                self.name = line.text
            else:
                name, hint = split_name(line.text, limits, line.number)
                self.entries.append(ListEntry(1, name, hint, self.section, line.number))
        if self.entries:
            self.notes.append(Note(NoteCode.COMMENT, "No line has a count: every name was read as one copy."))

    def _check_totals(self) -> None:
        """A heading's number may be that of its own cards or of several headings under it ("Dynasty (40)")."""
        for number, total, start in self.declared:
            ends = [end for end in self.opened if end > start] + [len(self.entries)]
            if not any(total == sum(entry.count for entry in self.entries[start:end]) for end in ends):
                self._compare(number, total, self.entries[start : ends[0]])
        if self.total and not self._is_of_the_last_blocks(self.total[1]):
            self._compare(*self.total, self.entries)

    def _is_of_the_last_blocks(self, total: int) -> bool:
        """Whether it leaves out what stands under the first headings, such as an agenda and the plots."""
        return any(total == sum(entry.count for entry in self.entries[start:]) for start in self.opened)

    def _compare(self, number: int, declared: int, entries: Iterable[ListEntry]) -> None:
        found = sum(entry.count for entry in entries)
        if found != declared:
            self.notes.append(
                Note(NoteCode.WRONG_TOTAL, f"It says {declared} cards; the lines make {found}.", number)
            )

    def _choose(self, line: _Line, word: str, value: str) -> None:
        self.choices[word.lower()] = value
        self._note(NoteCode.COMMENT, line, "The restriction list the deck uses.")

    def _note(self, code: NoteCode, line: _Line, message: str) -> None:
        self.notes.append(Note(code, message, line.number, line.text))
