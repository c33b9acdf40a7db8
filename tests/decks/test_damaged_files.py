"""A file of each kind of decklist, damaged in ten ways: refused, told, not legal, or the same cards.

Never is it another deck in silence.
"""

import json
import re
from collections import Counter
from collections.abc import Callable

import pytest

from decks.cards import catalog_files
from decks.judging.judgement import Judgement, judge
from decks.law import format_files
from decks.lists import ListError, fold, read

from .conftest import FAQ_30, FILLERS

CTHULHU = [(3, title) for title in FILLERS[:16]] + [(2, FILLERS[16])]  # fifty cards: one less is too few
MORE = [(3, title) for title in FILLERS]  # four more: what is lost of one line is not seen by the size
Rows = list[tuple[int, str]]


def lines(row: Callable[[int, str], str], before: str = "", after: str = "") -> Callable[[Rows], str]:
    """A file with a line for each card."""
    return lambda rows: "\n".join(part for part in (before, *(row(*one) for one in rows), after) if part)


def sheet(rows: Rows) -> str:
    return lines(lambda count, title: f'{count};"{title}";Core Set', "Anzahl;Karte;Set")(rows)


def objects(rows: Rows) -> str:
    said = ",\n".join(json.dumps({"quantity": count, "name": title}) for count, title in rows)
    return f'{{"name": "Deck", "cards": [\n{said}\n]}}'


def mapping(rows: Rows) -> str:
    said = ",\n".join(f"{json.dumps(title)}: {count}" for count, title in rows)
    return f'{{"cards": {{\n{said}\n}}}}'


def codes(rows: Rows) -> str:
    ids = catalog_files.shipped_index("coc-lcg").ids
    said = ",\n".join(f'"{ids[fold(title)]}": {count}' for count, title in rows)
    return f'{{"id": 1, "name": "Deck", "slots": {{\n{said}\n}}}}'


KINDS: dict[str, tuple[str, Callable[[Rows], str]]] = {
    "text": ("deck.txt", lines(lambda count, title: f"{count}x {title}")),
    "text, count behind": ("deck.txt", lines(lambda count, title: f"{title} x{count}")),
    "mtga": ("deck.txt", lines(lambda count, title: f"{count} {title} (CS) 1", "Deck")),
    "csv": ("deck.csv", sheet),
    "json, objects": ("deck.json", objects),
    "json, a mapping": ("deck.json", mapping),
    "arkhamdb": ("deck.json", codes),
    "o8d": ("deck.o8d", lines(
        lambda count, title: f'<card qty="{count}" id="">{title}</card>',
        '<?xml version="1.0" encoding="utf-8"?>\n<deck game="43054c18-2362-43e0-a434-72f8d0e8477c">'
        '\n<section name="Draw Deck">',
        "</section>\n</deck>",
    )),
    "cod": ("deck.cod", lines(
        lambda count, title: f'<card number="{count}" name="{title}"/>',
        '<?xml version="1.0"?>\n<cockatrice_deck version="1">\n<zone name="main">',
        "</zone>\n</cockatrice_deck>",
    )),
    "mtgo": ("deck.dek", lines(
        lambda count, title: f'<Cards CatID="1" Quantity="{count}" Sideboard="false" Name="{title}" />',
        '<?xml version="1.0"?>\n<Deck>\n<NetDeckID>0</NetDeckID>',
        "</Deck>",
    )),
    "lackey": ("deck.dek", lambda rows: lines(
        lambda _count, title: f'<card><name id="A1">{title}</name><set>CS</set></card>',
        '<deck version="0.8">\n<superzone name="Deck">',
        "</superzone>\n</deck>",
    )([(1, title) for count, title in rows for _ in range(count)])),
    "l5d": ("deck.l5d", lines(lambda count, title: f"{count} {title}", "# Pre-Game (0)\n\n# Deck (50)")),
}  # fmt: skip
AT = 7  # the line that is damaged holds a card of the deck in every kind


def _line(source: str, change: Callable[[str], list[str]]) -> str:
    rows = source.split("\n")
    return "\n".join([*rows[:AT], *change(rows[AT]), *rows[AT + 1 :]])


def _first_digit(row: str, new: str) -> str:
    """The count of the line replaced; a line without one is a card a line, so it stands there once more."""
    for old in ("3", "2"):
        if old in row:
            return row.replace(old, new, 1)
    return row


def _in_name(row: str, new: str) -> str:
    letters = [at for at, sign in enumerate(row) if sign.isalpha()]
    name = max(row.split('"') if row.count('"') > 3 else [row], key=len)
    at = row.index(name) + len(name) // 2 if name != row else letters[len(letters) // 2]
    return row[:at] + new + row[at + 1 :]


DAMAGES: dict[str, Callable[[str], bytes]] = {
    "the second half lost": lambda source: source[: len(source) // 2].encode(),
    "the last signs lost": lambda source: source[:-9].encode(),
    "a count too high": lambda source: _line(source, lambda row: [_first_digit(row, "7")]).encode(),
    "a count below nothing": lambda source: _line(source, lambda row: [_first_digit(row, "-3")]).encode(),
    "a count lost": lambda source: _line(source, lambda row: [_first_digit(row, "")]).encode(),
    "a letter lost": lambda source: _line(source, lambda row: [_in_name(row, "")]).encode(),
    "the second sign lost": lambda source: _line(source, lambda row: [row[:1] + row[2:]]).encode(),
    "a letter of a key lost": lambda source: _line(
        source, lambda row: [re.sub(r"(q|Q|n)u?(antity|ty|mber)", r"\1\2", row, count=1).replace("qty", "qy")]
    ).encode(),
    "a byte that is no text": lambda source: _line(source, lambda row: [_in_name(row, "\udcff")]).encode(
        "utf-8", "surrogateescape"
    ),
    "a zero byte": lambda source: _line(source, lambda row: [_in_name(row, "\0")]).encode(),
    "a line twice": lambda source: _line(source, lambda row: [row, row]).encode(),
    "a line lost": lambda source: _line(source, lambda row: []).encode(),
    "the first line lost": lambda source: source.partition("\n")[2].encode(),
    "in UTF-16": lambda source: source.encode("utf-16"),
}


# What no file without a total can show where the deck stays large enough.
UNSEEN = ("the last signs lost", "a line lost", "the first line lost")


def judged(data: bytes, filename: str) -> Judgement:
    snapshot = format_files.snapshot("coc-lcg", FAQ_30)
    return judge(read(data, filename=filename), snapshot, catalog_files.shipped_index("coc-lcg"))


def content(judgement: Judgement) -> Counter[str]:
    counts: Counter[str] = Counter()
    for entry in judgement.deck.entries:
        counts[entry.key] += entry.count
    return counts


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_file_is_legal(kind: str) -> None:
    filename, written = KINDS[kind]
    judgement = judged(written(CTHULHU).encode(), filename)
    assert judgement.report.verdict == "legal", [found.message for found in judgement.report.findings]
    assert sum(content(judgement).values()) == 50


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deck", [CTHULHU, MORE], ids=["fifty", "more"])
def test_a_damaged_file_is_never_another_legal_deck_in_silence(kind: str, damage: str, deck: Rows) -> None:
    if deck is MORE and damage in UNSEEN:
        pytest.skip("a line less is a deck of its own")
    filename, written = KINDS[kind]
    source = written(deck)
    before = judged(source.encode(), filename)
    try:
        after = judged(DAMAGES[damage](source), filename)
    except ListError as error:
        assert error.message and error.code
        return
    if after.report.verdict == "legal" and content(after) != content(before):
        told = {note.message for note in after.deck_list.notes} - {
            note.message for note in before.deck_list.notes
        }
        assert told, (content(after) - content(before), content(before) - content(after))


STRAY: dict[str, Callable[[str], str]] = {
    "commented out": lambda row: f"<!-- {row} -->",
    "as plain data": lambda row: f"<![CDATA[{row}]]>",
    "without its beginning": lambda row: row.replace("<", "", 1).replace("</card>", ""),
}


@pytest.mark.parametrize("how", STRAY)
@pytest.mark.parametrize("kind", ["o8d", "cod", "mtgo", "lackey"])
def test_a_card_that_is_no_element_any_more_leaves_a_doubt(kind: str, how: str) -> None:
    """It was left out in silence."""
    filename, written = KINDS[kind]
    source = _line(written(MORE), lambda row: [STRAY[how](row)])
    try:
        found = judged(source.encode(), filename)
    except ListError as error:
        assert error.code == "bad-xml"
        return
    assert found.report.verdict == "unverified"


def test_a_comment_without_elements_asks_nothing() -> None:
    filename, written = KINDS["cod"]
    source = _line(written(MORE), lambda row: ["<!-- my list -->", row])
    assert judged(source.encode(), filename).report.verdict == "legal"


def test_a_row_that_lost_its_end_is_asked_about_and_a_card_without_a_number_refused() -> None:
    """The next row's card was left out, and the other was none."""
    rows = sheet(MORE).split("\n")
    joined = "\n".join([*rows[:AT], rows[AT] + rows[AT + 1], *rows[AT + 2 :]])
    assert judged(joined.encode(), "deck.csv").report.verdict == "unverified"
    headed = judged("\n".join([rows[0] + rows[1], *rows[2:]]).encode(), "deck.csv")
    assert "more cells" in " ".join(note.message for note in headed.deck_list.notes)
    with pytest.raises(ListError, match="slots"):
        read(_line(codes(MORE), lambda row: [re.sub(r"\d+(,?)$", r"null\1", row)]), filename="deck.json")
