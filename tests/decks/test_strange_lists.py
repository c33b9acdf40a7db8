"""Lists as strangers sent them in November 2026: other keyboards, encodings, programs and habits. What each deck holds
and its verdict were written down first."""

import json
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Any

import pytest

from decks.cards import catalog_files, sources
from decks.cards.catalog_files import CatalogData
from decks.cards.index import CatalogIndex
from decks.judging.judgement import Judgement, judge
from decks.law import format_files
from decks.lists import ListError, fold, read
from tests.decks.test_worked_lists import BY_NAME, whole

Rows = list[tuple[int, str]]
Say = Callable[[int, str], str]
DAYS = {"netrunner-standard": date(2012, 11, 10), "coc-lcg": date(2016, 1, 1), "arkham": date(2026, 3, 1)}


def rows_of(name: str) -> Rows:
    """The list's cards; a first line without a count is the card that leads it."""
    said = [line for line in whole(BY_NAME[name])["text"].split("\n") if line]
    counted = [line if line[:1].isdecimal() else f"1x {line}" for line in said]
    return [(int(count), card) for count, card in (line.split("x ", 1) for line in counted)]


RUNNER = rows_of("Netrunner Criminal of Worlds 2012")
CULT = rows_of("Cthulhu Agency and Syndicate")
ROLAND = rows_of("Arkham Roland of the first box")
BURN: Rows = [
    (4, "Lightning Bolt"), (4, "Goblin Guide"), (4, "Monastery Swiftspear"), (4, "Lava Spike"), (4, "Rift Bolt"),
    (4, "Searing Blaze"), (4, "Skullcrack"), (4, "Eidolon of the Great Revel"), (4, "Boros Charm"),
    (4, "Inspiring Vantage"), (20, "Mountain"),
]  # fmt: skip
SIDE: Rows = [
    (4, "Smash to Smithereens"),
    (3, "Path to Exile"),
    (4, "Leyline of Sanctity"),
    (4, "Rest in Peace"),
]


@cache
def magic() -> CatalogIndex:
    data: dict[str, Any] = {
        name: [
            {
                "name": name,
                "faceName": name,
                "type": "Basic Land — Mountain" if name == "Mountain" else "Instant",
                "legalities": {},
                "printings": ["S0"],
            }
        ]
        for _count, name in (*BURN, *SIDE, (3, "Black Lotus"), (4, "Thoughtseize"))
    }
    file = json.dumps({"meta": {"date": "2026-01-09"}, "data": data}).encode()
    cards = sources.read({"AtomicCards.json": file}).cards
    return CatalogData("magic", "Magic", partial=False, cards=cards).index()


def judged(source: str | bytes, law: str, name: str = "") -> Judgement:
    listed = read(source, filename=name)
    snapshot = format_files.snapshot(law, DAYS.get(law), choices=listed.choices)
    catalog = magic() if law == "magic" else catalog_files.shipped_index(snapshot.game)
    return judge(listed, snapshot, catalog)


def held(judgement: Judgement, *parts: str) -> Counter[str]:
    """Copies by card, of these parts; of the deck and what leads it where none is named."""
    found: Counter[str] = Counter()
    for entry in judgement.deck.entries:
        beside = entry.section in ("considered", "aside", "sideboard")
        if entry.section in parts if parts else not beside:
            found[fold(entry.card.facts.get("called", entry.name) if entry.card else entry.name)] += (
                entry.count
            )
    return found


def made(rows: Rows) -> Counter[str]:
    found: Counter[str] = Counter()
    for count, name in rows:
        found[fold(name)] += count
    return found


def told(judgement: Judgement) -> tuple[str, list[str]]:
    return judgement.report.verdict.value, sorted(
        {one.code for one in judgement.report.findings if one.severity != "note"}
    )


def lines(rows: Rows, say: Say = lambda n, name: f"{n}x {name}") -> str:
    return "\n".join(say(count, name) for count, name in rows)


LEGAL: tuple[str, list[str]] = ("legal", [])
WORDS = {1: "한 장", 2: "두 장", 3: "세 장"}

# --- counts ---------------------------------------------------------------------------------------------

COUNTS: dict[str, Say] = {
    "a Russian x": lambda n, name: f"{n}х {name}",
    "a Greek x": lambda n, name: f"χ{n} {name}",
    "circled": lambda n, name: f"{'①②③'[n - 1]} {name}",
    "keys": lambda n, name: f"{n}\ufe0f\u20e3 {name}",
    "raised": lambda n, name: f"{name} ×{'¹²³'[n - 1]}",
    "Arabic": lambda n, name: f"{'٠١٢٣'[n]}x {name}",
    "full width": lambda n, name: f"{'０１２３'[n]}　ｘ　{name}",
    "Korean words": lambda n, name: f"{name} {WORDS[n]}",
    "Chinese words": lambda n, name: f"{'一两三'[n - 1]}张 {name}",
    "marks that nobody sees": lambda n, name: f"\u2063{n}x\u200b \u200d{name}\ufeff",
    "pieces": lambda n, name: f"{n}pcs {name}",
    "each": lambda n, name: f"{n} ea. {name}",
    "x in front, glued": lambda n, name: f"x{n}{name}",
    "braces": lambda n, name: f"{{{n}}} {name}",
    "angles": lambda n, name: f"<{n}> {name}",
    "bullets of a word processor": lambda n, name: f"\uf0b7\t{n}x {name}",
    "letters for bullets": lambda n, name: f"o\t{n} {name}",
    "a count in words behind it": lambda n, name: f"{n} ({['one', 'two', 'three'][n - 1]}) {name}",
    "a nought in front": lambda n, name: f"0{n}x {name}",
    "behind a colon": lambda n, name: f"{name}: {n}",
}


@pytest.mark.parametrize("habit", COUNTS)
def test_a_count_in_another_form_is_that_count(habit: str) -> None:
    found = judged(lines(RUNNER, COUNTS[habit]), "netrunner-standard")
    assert told(found) == LEGAL
    assert held(found) == made(RUNNER)


def test_a_title_that_ends_in_an_x_keeps_it() -> None:
    found = judged("Deus X 1\nCorroder 2\nNinja 1\n", "netrunner-standard")
    assert held(found) == {"deus x": 1, "corroder": 2, "ninja": 1}


@pytest.mark.parametrize("between", ["\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\r"])
def test_whatever_ends_a_line_ends_it(between: str) -> None:
    assert told(judged(between.join(lines(CULT).split("\n")), "coc-lcg")) == LEGAL


@pytest.mark.parametrize("start", [0, 1])
def test_numbered_lines_may_begin_again_or_at_nought(start: int) -> None:
    singles = [name for count, name in ROLAND for _ in range(count)]
    say = [f"{at}. {name}" for at, name in enumerate(singles[:18], start=start)]
    say += ["", "Others", *(f"{at}. {name}" for at, name in enumerate(singles[18:], start=start))]
    found = judged("\n".join(say), "arkham")
    assert (told(found), held(found)) == (LEGAL, made(ROLAND))


@pytest.mark.parametrize(
    "line",
    [
        "4x Lightning Bolt (3 main, 1 side)",
        "4 Lightning Bolt (1 in sideboard)",
        "4 Lightning Bolt [사이드 1]",
        "3+1 Lightning Bolt",
        "Lightning Bolt 3/1",
    ],
)
def test_copies_of_which_some_are_elsewhere_are_asked_about(line: str) -> None:
    found = judged(f"{line}\n{lines(BURN[1:])}", "magic")
    assert told(found)[0] == "unverified"
    assert "unread-line" in told(found)[1]


def test_a_change_is_no_card() -> None:
    found = judged(f"{lines(CULT)}\n\n2x Fixer → 2x Repo Man\nPatsy -> Magah Bird (2)\n", "coc-lcg")
    assert held(found) == made(CULT)
    assert told(found)[0] != "illegal"


BEHIND = [
    "# maybe cut one",
    "// great",
    "-- testing",
    "; swap it later",
    "/* core */",
    "*",
    "<- banned soon?",
]


def test_what_is_said_behind_a_card_is_no_part_of_its_name() -> None:
    said = "\n".join(f"{n}x {name}  {BEHIND[at % 7]}" for at, (n, name) in enumerate(RUNNER) if at)
    found = judged(f"1x {RUNNER[0][1]}\n{said}", "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


def test_a_name_on_two_lines_is_one() -> None:
    text = (
        lines(CULT)
        .replace("Government Exorcist", "Government\nExorcist")
        .replace("Lady Lu Chu", "Lady Lu\nChu")
    )
    found = judged(text, "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


@pytest.mark.parametrize("mark", [", ", " - ", " — ", " / ", " @ "])
def test_a_set_behind_a_name_is_no_part_of_it(mark: str) -> None:
    found = judged(lines(RUNNER, lambda n, name: f"{n}x {name}{mark}Core Set"), "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


@pytest.mark.parametrize("name", ["Meish?d? Wielder", "Meish\ufffdd\ufffd Wielder", "Meish??d?? Wielder"])
def test_letters_that_an_encoding_lost_are_found_where_one_card_fits(name: str) -> None:
    snapshot = format_files.snapshot("l5r-lcg-any", date(2018, 1, 15))
    found = judge(read(f"3x {name}\n"), snapshot, catalog_files.shipped_index("l5r-lcg"))
    assert [one.card.title for one in found.deck.entries if one.card] == ["Meishōdō Wielder"]


def test_a_role_in_brackets_behind_the_stronghold_is_in_the_deck() -> None:
    """It was left out in silence."""
    snapshot = format_files.snapshot("l5r-lcg-any", date(2018, 1, 15))
    text = "Stronghold: Golden Plains Outpost (Keeper of Void)\n\n3x Moto Youth\n"
    found = judge(read(text), snapshot, catalog_files.shipped_index("l5r-lcg"))
    assert [one.name for one in found.deck.entries] == [
        "Golden Plains Outpost",
        "Keeper of Void",
        "Moto Youth",
    ]


def test_a_korean_list_may_stand_on_one_line() -> None:
    found = judged("덱: " + ", ".join(f"{name} {n}장" for n, name in RUNNER), "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


def test_the_packs_of_a_deck_are_no_card() -> None:
    text = f"Packs: From Core Set to Core Set (2x)\n\n{lines(CULT)}"
    assert told(judged(text, "coc-lcg")) == LEGAL


def test_a_province_may_stand_behind_its_element() -> None:
    snapshot = format_files.snapshot("l5r-lcg-any", date(2018, 1, 15))
    text = "Provinces (2)\nAir - Manicured Garden\nVoid - Shameful Display (SH)\n\nDynasty\n3x Moto Youth\n"
    found = judge(read(text), snapshot, catalog_files.shipped_index("l5r-lcg"))
    assert [one.name for one in found.deck.entries] == ["Manicured Garden", "Shameful Display", "Moto Youth"]
    assert not found.deck.unread


@pytest.mark.parametrize(
    ("gone", "line"),
    [
        (["Sure Gamble"], "3x Sure Gamble instead of 3x Diesel"),
        (["Sure Gamble"], "3x Sure Gamble or Diesel"),
        (["Sure Gamble"], "3x Sure Gamble/Diesel"),
        (["Sure Gamble", "Infiltration"], "3x Sure Gamble, Infiltration"),
        (["Sure Gamble", "Infiltration"], "3x each: Sure Gamble, Infiltration"),
    ],
)
def test_one_of_several_cards_is_asked_about(gone: list[str], line: str) -> None:
    text = lines([row for row in RUNNER if row[1] not in gone])
    verdict, codes = told(judged(f"{text}\n{line}\n", "netrunner-standard"))
    assert (verdict, "unread-line" in codes, "unknown-card" in codes) == ("unverified", True, False)


def test_a_block_of_remarks_holds_no_card() -> None:
    found = judged(f"/*\n3x Diesel\n*/\n{lines(RUNNER)}", "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


# --- headings -------------------------------------------------------------------------------------------

BESIDE = [
    "<Sideboard>", "【サイドボード】", "《사이드보드》", "▼サイド", "{Sideboard}", "🔁 Sideboard", "※ 사이드보드",
    "Sideboard ->", "S I D E B O A R D", "Réserve\u00a0:", "≪サイド≫", "§ Sideboard", "Sideboard\t5",
    "사이드보드 총 5장", "Sideboard total: 5", "15 card sideboard", "5-card sideboard:", "5x Sideboard",
    "5 in the side:", "~~~ maybe ~~~", "Not in the deck yet:",
    "Alternative cards", "Maybe?", "[SB]", "Sideboard 5/5",
]  # fmt: skip


@pytest.mark.parametrize("heading", BESIDE)
def test_what_stands_under_it_is_not_in_the_deck(heading: str) -> None:
    found = judged(f"{lines(RUNNER)}\n\n{heading}\n3x Diesel\n2x Modded\n", "netrunner-standard")
    assert (told(found), held(found, "aside")) == (LEGAL, {"diesel": 3, "modded": 2})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1. Main deck:", "2. Sideboard:"),
        ("(1) Deck", "(2) Side"),
        ("A) Deck", "B) Sideboard"),
        ("① 덱", "② 사이드보드"),
    ],
)
def test_a_heading_may_have_its_number(first: str, second: str) -> None:
    found = judged(f"{first}\n{lines(RUNNER)}\n\n{second}\n3x Diesel\n", "netrunner-standard")
    assert (told(found), held(found, "aside")) == (LEGAL, {"diesel": 3})


@pytest.mark.parametrize(
    "say",
    [
        lambda n, name: f"SB {n} {name}",
        lambda n, name: f"[SB] {n} {name}",
        lambda n, name: f"Side {n}x {name}",
        lambda n, name: f"{n}x {name} *sb*",
        lambda n, name: f"{n}x {name} - sideboard",
        lambda n, name: f"{n}x {name} // side",
    ],
)
def test_a_card_may_say_itself_that_it_is_in_the_sideboard(say: Say) -> None:
    found = judged(f"{lines(BURN)}\n{lines(SIDE, say)}\n", "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


@pytest.mark.parametrize(
    "sizes", ["Main Deck: 60 Sideboard: 15", "60 main / 15 side", "Deck (60), Sideboard (15)"]
)
def test_the_sizes_of_the_parts_are_no_cards(sizes: str) -> None:
    found = judged(f"{sizes}\n\n{lines(BURN)}\n\nSideboard\n{lines(SIDE)}", "magic")
    assert (told(found), held(found, "sideboard")) == (LEGAL, made(SIDE))


@pytest.mark.parametrize(
    "nothing", ["Sideboard: none", "Sideboard: -", "사이드보드: 없음", "사이드(없음)", "Beilage: keine"]
)
def test_a_sideboard_of_nothing_holds_no_card(nothing: str) -> None:
    found = judged(f"{lines(BURN)}\n\n{nothing}\n", "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))


def test_two_lists_beside_each_other_are_read_by_their_headings() -> None:
    right = [f"{n} {name}" for n, name in SIDE]
    rows = [f"{f'{n} {name}':40}{right[at] if at < 4 else ''}".rstrip() for at, (n, name) in enumerate(BURN)]
    found = judged("\n".join([f"{'Main Deck':40}Sideboard", *rows]), "magic")
    assert (told(found), held(found, "sideboard")) == (LEGAL, made(SIDE))


def test_a_sideboard_on_top_may_end_at_the_blank_line() -> None:
    found = judged(f"Sideboard\n{lines(SIDE)}\n\n{lines(BURN)}", "magic")
    assert told(found)[0] == "unverified"


def test_what_is_to_be_bought_or_bonded_is_asked_about() -> None:
    deck = lines(ROLAND)
    assert told(judged(f"{deck}\n\nUpgrades:\n1x Lightning Gun (5)\n", "arkham"))[0] == "unverified"
    assert told(judged(f"{deck}\n\nBonded cards (3)\n3x Soothing Melody\n", "arkham")) == LEGAL


def test_deck_over_the_whole_list_does_not_say_where_a_plot_belongs() -> None:
    wolves = whole(BY_NAME["Thrones wolves of a box"])
    text = wolves["text"].replace("Plots: 7\n", "Deck\n").replace("\nCards: 60\n", "")
    listed = read(text)
    snapshot = format_files.snapshot(
        wolves["format"], date.fromisoformat(wolves["on"]), choices=listed.choices
    )
    found = judge(listed, snapshot, catalog_files.shipped_index("agot2"))
    assert told(found) == LEGAL


# --- files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "deck", "side"),
    [
        ("cp949", "덱 목록", "사이드보드"),
        ("cp932", "メインデッキ", "サイドボード"),
        ("gb18030", "主牌", "备牌"),
        ("cp1251", "Колода", "Сайдборд:"),
    ],
)
def test_the_encoding_is_the_one_in_which_the_headings_are_words(encoding: str, deck: str, side: str) -> None:
    text = f"{deck}\n{lines(RUNNER)}\n\n{side}\n3x Diesel\n"
    found = judged(text.encode(encoding), "netrunner-standard")
    assert (told(found), held(found, "aside")) == (LEGAL, {"diesel": 3})
    assert any(encoding in note.message for note in found.deck_list.notes)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_needs_no_mark_in_front(encoding: str) -> None:
    assert told(judged(lines(CULT).encode(encoding), "coc-lcg")) == LEGAL


def test_german_text_of_windows_stays_that() -> None:
    found = read("Anhänger\n3x Doppelgänger\n\nRäume für später\n1x Rats\n".encode("cp1252"))
    assert [one.name for one in found.entries] == ["Doppelgänger", "Rats"]


def row(count: int, name: str) -> dict[str, Any]:
    return {"quantity": count, "boardType": "x", "card": {"name": name, "set": "m10"}}


def of_archidekt(count: int, name: str, category: str) -> dict[str, Any]:
    card = {"id": 7, "edition": {"editioncode": "m10"}, "oracleCard": {"name": name}}
    return {"id": 4, "quantity": count, "categories": [category], "card": card}


def of_scryfall(count: int, name: str) -> dict[str, Any]:
    return {"count": count, "raw_text": f"{count} {name}", "card_digest": {"name": name}}


BOARDS = {"mainboard": BURN, "sideboard": SIDE, "maybeboard": [(3, "Black Lotus")]}
JSON: dict[str, Any] = {
    "boards": {
        "name": "Burn",
        "boards": {
            board: {"count": 9, "cards": {f"k{at}": row(*one) for at, one in enumerate(rows)}}
            for board, rows in BOARDS.items()
        },
    },
    "boards of an older version": {
        "name": "Burn",
        "createdByUser": {"userName": "ann"},
        "authors": [{"userName": "ann"}],
        "hubs": [{"name": "Burn"}],
        "mainboardCount": 60,
        "commanders": {},
    }
    | {board: {name: row(count, name) for count, name in rows} for board, rows in BOARDS.items()},
    "categories": {
        "name": "Burn",
        "categories": [{"name": "Burn", "includedInDeck": True}, {"name": "Shopping", "includedInDeck": False}],
        "cards": [of_archidekt(*one, "Burn") for one in BURN]
        + [of_archidekt(*one, "Sideboard") for one in SIDE]
        + [of_archidekt(3, "Black Lotus", "Shopping")],
    },
    "entries": {
        "name": "Burn",
        "entries": {board: [of_scryfall(*one) for one in rows] for board, rows in BOARDS.items()},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", JSON)
def test_json_of_a_site_is_read_by_its_parts(kind: str) -> None:
    found = judged(json.dumps(JSON[kind]), "magic", "deck.json")
    assert (told(found), held(found)) == (LEGAL, made(BURN))
    assert (held(found, "sideboard"), held(found, "aside")) == (made(SIDE), {"black lotus": 3})


@pytest.mark.parametrize(
    "more",
    [
        {"extras": ["3x Twilight Gate", "1x Nyarlathotep"]},
        {"events": [{"name": "Twilight Gate"}, {"name": "Nyarlathotep"}]},
        {"more": "3x Twilight Gate, 1x Nyarlathotep"},
    ],
)
def test_cards_beside_the_cards_are_not_left_out_in_silence(more: dict[str, Any]) -> None:
    deck = {"name": "x", "cards": [{"name": name, "count": count} for count, name in CULT], **more}
    assert told(judged(json.dumps(deck), "coc-lcg"))[0] != "legal"


SHEETS: dict[str, str] = {
    "Forge": f"[metadata]\nName=Burn\n[Main]\n{lines(BURN, lambda n, name: f'{n} {name}|M10|1')}\n"
    f"[Sideboard]\n{lines(SIDE, lambda n, name: f'{n} {name}|M11')}\n",
    "a sheet that names its separator": "sep=;\nAnzahl;Karte;Bereich\n"
    + lines(BURN, lambda n, name: f"{n};{name};Hauptdeck")
    + "\n"
    + lines(SIDE, lambda n, name: f"{n};{name};Beilage"),
    "a sheet of what to acquire": "Board,Qty,Name\n"
    + lines(BURN, lambda n, name: f"main,{n},{name}")
    + "\n"
    + lines(SIDE, lambda n, name: f"side,{n},{name}")
    + "\nacquire,4,Thoughtseize\n",
    "YAML": "name: Burn\ncards:\n"
    + lines(BURN, lambda n, name: f"  - name: {name}\n    count: {n}")
    + "\nsideboard:\n"
    + lines(SIDE, lambda n, name: f"  - count: {n}\n    name: {name}"),
}


@pytest.mark.parametrize("kind", SHEETS)
def test_files_of_other_programs(kind: str) -> None:
    found = judged(SHEETS[kind], "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


def test_a_page_with_its_body_is_a_list() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>{name}</td></tr>" for n, name in CULT)
    page = f"<html><body><table><tr><th>#</th><th>Card</th></tr>{rows}</table></body></html>"
    assert told(judged(page, "coc-lcg")) == LEGAL


# --- what was not understood ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "law"),
    [
        (lines(RUNNER, lambda n, name: f"{'I' * n} {name}"), "netrunner-standard"),
        (lines(CULT), "netrunner-standard"),  # another game
        ("Helden: Feuer, Wachstum, Finesse\nStarter: Rot", "codex"),
    ],
)
def test_a_list_of_which_most_names_are_unknown_is_not_illegal(text: str, law: str) -> None:
    verdict, codes = told(judged(text, law))
    assert (verdict, "mostly-unknown" in codes) == ("unverified", True)


def test_a_few_unknown_names_are_still_wrong() -> None:
    text = lines(CULT).replace("Fixer", "Fixxor the Unheard Of")
    assert told(judged(text, "coc-lcg")) == ("illegal", ["unknown-card"])


def test_a_document_is_refused() -> None:
    with pytest.raises(ListError) as refused:
        read("{\\rtf1\\ansi {\\fonttbl{\\f0 Arial;}}\\f0 3x Rats\\par}")
    assert refused.value.code in ("bad-json", "not-a-deck")


@pytest.mark.parametrize(
    "unit", ["|M10", "a -> ", "3 a   3 b   ", "1장,", "Sideboard: 15 ", "60 main / ", "? "]
)
def test_a_line_that_goes_on_for_ever_takes_no_time(unit: str) -> None:
    """The first took more than a minute of a processor."""
    before = time.process_time()
    for text in (unit * (120_000 // len(unit)), f"3x Rats\n{unit * (4_900 // len(unit))}\n" * 20):
        with suppress(ListError):
            read(text)
    assert time.process_time() - before < 5
