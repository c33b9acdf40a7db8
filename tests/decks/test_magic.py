"""Magic for an installation that imports its own card data: both bulk files give the same cards, formats and verdicts."""
# ruff: noqa: E501 (tables of one line each)

import json
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from config import strict_yaml
from config.errors import UserError
from decks import selectors
from decks.cards import catalog_files, sources
from decks.cards.index import CatalogIndex
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import read
from decks.services import catalogs

ALL = ("modern", "legacy", "vintage", "pauper")
# name, type line, what its text says of copies, where it is legal, banned, restricted
CARDS: list[tuple[str, str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = [
    ("Lightning Bolt", "Instant", "", ALL, (), ()),
    ("Black Lotus", "Artifact", "", (), ("legacy",), ("vintage",)),
    ("Lurrus of the Dream-Den", "Legendary Creature — Cat Nightmare", "", ("legacy", "vintage"), ("modern",), ()),
    ("Mountain", "Basic Land — Mountain", "", ("standard", *ALL), (), ()),
    ("Snow-Covered Mountain", "Basic Snow Land — Mountain", "", ALL, (), ()),
    ("Relentless Rats", "Creature — Rat", "A deck can have any number of cards named Relentless Rats.", ALL, (), ()),
    ("Seven Dwarves", "Creature — Dwarf", "A deck can have up to seven cards named Seven Dwarves.", ALL, (), ()),
    ("Fire // Ice", "Instant // Instant", "", ALL, (), ()),
    ("Delver of Secrets // Insectile Aberration", "Creature — Human Wizard // Creature — Human Insect", "", ALL, (), ()),
    ("+2 Mace", "Artifact — Equipment", "", ALL, (), ()),
    ("Goblin Guide", "Creature — Goblin Scout", "", ("modern", "legacy", "vintage"), (), ()),
]  # fmt: skip


def status_of(legal: tuple[str, ...], banned: tuple[str, ...], restricted: tuple[str, ...]) -> dict[str, str]:
    return (
        dict.fromkeys(legal, "legal")
        | dict.fromkeys(banned, "banned")
        | dict.fromkeys(restricted, "restricted")
    )


def scryfall(*, printings: int = 1) -> bytes:
    rows: list[dict[str, Any]] = []
    for name, line, text, *where in CARDS:
        said = {**dict.fromkeys(("standard", *ALL), "not_legal"), **status_of(*where)}
        for number in range(printings):
            rows.append(
                {
                    "object": "card", "name": name, "layout": "normal", "type_line": line, "oracle_text": text,
                    "legalities": said, "set": f"s{number}", "released_at": f"2026-0{number + 1}-09", "color_identity": [],
                }
            )  # fmt: skip
    rows += [
        {"name": "Goblin", "layout": "token", "type_line": "Token Creature — Goblin", "legalities": {"modern": "not_legal"}},
        {"name": "Lightning Bolt // Lightning Bolt", "layout": "art_series", "type_line": "Card // Card", "legalities": {}},
        {"name": "Tomorrow", "layout": "normal", "type_line": "Instant", "legalities": {"modern": "not_legal"}, "released_at": "2027-01-01"},
    ]  # fmt: skip
    return json.dumps(rows).encode()


def mtgjson() -> bytes:
    data = {}
    for name, line, text, *where in CARDS:
        lines = line.split(" // ")
        said = {key: word.title() for key, word in status_of(*where).items()}
        data[name] = [
            {
                "name": name,
                "faceName": face,
                "type": one,
                "text": text,
                "legalities": said,
                "printings": ["S0"],
            }
            for face, one in zip(name.split(" // "), lines, strict=True)
        ]
    return json.dumps({"meta": {"date": "2026-01-09", "version": "5.2.2"}, "data": data}).encode()


FILES = {"AtomicCards.json": mtgjson(), "oracle-cards.json": scryfall()}


@pytest.mark.parametrize("name", FILES)
def test_a_bulk_file_is_cards_without_texts(name: str) -> None:
    source = sources.read({name: FILES[name]})
    cards = {card.title: card.facts for card in source.cards if card.title != "Tomorrow"}
    assert sorted(cards) == sorted(one[0] for one in CARDS)
    assert [cards[title].get("limit") for title in ("Mountain", "Snow-Covered Mountain", "Relentless Rats", "Seven Dwarves", "Lightning Bolt")] == [999, 999, 999, 7, None]  # fmt: skip
    assert (cards["Fire // Ice"]["type"], cards["Fire // Ice"]["also"]) == (["instant"], ["Fire"])
    assert cards["Lurrus of the Dream-Den"]["type"] == ["creature"]
    assert "deck can have" not in repr(source)
    assert sorted(source.laws) == [
        f"magic-{key}" for key in ("legacy", "modern", "pauper", "standard", "vintage")
    ]
    assert source.laws["magic-legacy"]["lists"]["imported"]["banned"]["titles"] == ["Black Lotus"]
    assert source.laws["magic-vintage"]["lists"]["imported"]["limits"]["copies"] == {"Black Lotus": 1}
    assert {law["default-on"] for law in source.laws.values()} == {date(2026, 1, 9)}


def test_all_printings_of_a_card_are_one_card() -> None:
    [bolt] = [
        card
        for card in sources.read({"d.json": scryfall(printings=3)}).cards
        if card.title == "Lightning Bolt"
    ]
    assert [one.set_name for one in bolt.printings] == ["S0", "S1", "S2"]


def test_a_file_of_sets_is_refused_with_the_file_to_use() -> None:
    sets = json.dumps(
        {"meta": {"date": "2026-01-09"}, "data": {"LEA": {"cards": [], "name": "Alpha"}}}
    ).encode()
    with pytest.raises(UserError, match="holds sets") as refused:
        sources.read({"AllPrintings.json": sets})
    assert "AtomicCards" in refused.value.remedy


# Each worked out by 100.2a, 100.4a and the status of the card; the rest of the deck is Mountains.
DECKS: list[tuple[str, str, str, list[str]]] = [
    ("modern", "4 Lightning Bolt\n56 Mountain", "legal", []),
    ("modern", "4 Lightning Bolt (S0) 1\n4 Fire // Ice\n52 Mountain\n\nSideboard\n15 Snow-Covered Mountain", "legal", []),
    ("modern", "4 Fire/Ice\n4 Delver of Secrets\n52 Mountain", "legal", []),
    ("modern", "4 Fire\n56 Mountain", "legal", []),
    ("modern", "4 +2 Mace\n56 Mountain", "legal", []),
    ("modern", "30 Relentless Rats\n30 Mountain", "legal", []),
    ("modern", "7 Seven Dwarves\n53 Mountain", "legal", []),
    ("modern", "8 Seven Dwarves\n52 Mountain", "illegal", ["too-many-copies"]),
    ("modern", "5 Lightning Bolt\n55 Mountain", "illegal", ["too-many-copies"]),
    ("modern", "4 Lightning Bolt\n56 Mountain\n\nSideboard\n1 Lightning Bolt", "illegal", ["too-many-copies"]),
    ("modern", "4 Delver of Secrets // Insectile Aberration\n56 Mountain\nSideboard\n1 Delver of Secrets", "illegal", ["too-many-copies"]),
    ("modern", "4 Lightning Bolt\n55 Mountain", "illegal", ["too-few-cards"]),
    ("modern", "60 Mountain\n\nSideboard\n16 Snow-Covered Mountain", "illegal", ["too-many-cards"]),
    ("modern", "1 Lurrus of the Dream-Den\n59 Mountain", "illegal", ["banned"]),
    ("modern", "60 Mountain\n\nSideboard\n1 Lurrus of the Dream-Den", "illegal", ["banned"]),
    ("modern", "1 Black Lotus\n59 Mountain", "illegal", ["not-in-pool"]),
    ("legacy", "1 Black Lotus\n59 Mountain", "illegal", ["banned"]),
    ("legacy", "4 Lurrus of the Dream-Den\n56 Mountain", "legal", []),
    ("vintage", "1 Black Lotus\n59 Mountain", "legal", []),
    ("vintage", "1 Black Lotus\n59 Mountain\n\nSideboard\n1 Black Lotus", "illegal", ["limited"]),
    ("pauper", "1 Goblin Guide\n59 Mountain", "illegal", ["not-in-pool"]),
    ("standard", "1 Snow-Covered Mountain\n59 Mountain", "illegal", ["not-in-pool"]),
    ("modern", "1 Lightning Blot\n59 Mountain", "illegal", ["unknown-card"]),
]  # fmt: skip


@pytest.mark.django_db
def test_decks_of_the_imported_formats_have_their_verdicts(now: datetime) -> None:
    catalogs.cards_import_files(game="magic", files={"a.json": mtgjson()}, complete=True, now=now)
    wrong = []
    for key, text, verdict, codes in DECKS:
        listed = read(text)
        snapshot = selectors.snapshot(f"magic-{key}", date(2026, 1, 9), choices=listed.choices)
        report = judge(listed, snapshot, selectors.catalog("magic")).report
        found = (report.verdict.value, [one.code for one in report.findings])
        if found != (verdict, codes):
            wrong.append((key, text, found))
    assert wrong == []
    early = selectors.snapshot("magic-modern", date(2020, 1, 1))
    report = judge(read("1 Lurrus of the Dream-Den\n59 Mountain"), early, selectors.catalog("magic")).report
    assert report.verdict == "unverified"
    again = catalogs.cards_import_files(game="magic", files={"a.json": mtgjson()}, complete=True, now=now)
    assert (again.new, again.changed, again.new_lists) == (0, 0, 0)


@pytest.mark.django_db
def test_without_card_data_the_base_format_says_so() -> None:
    report = judge(read("60 Mountain"), selectors.snapshot("magic"), selectors.catalog("magic")).report
    assert "no-card-data" in [one.code for one in report.findings]


@pytest.mark.parametrize(
    ("main", "side", "sizes"),
    [
        (60, 15, {"deck": 60, "sideboard": 15}),
        (59, 15, {"deck": 59, "after the blank line": 15}),  # 74 cards in the deck, or too few
        (60, 16, {"deck": 76}),
        (30, 15, {"deck": 45}),
    ],
)
def test_a_few_cards_behind_one_blank_line_are_the_sideboard_of_a_whole_deck(
    main: int, side: int, sizes: dict[str, int]
) -> None:
    listed = read(f"{main - 4} Mountain\n4 Goblin Guide\n\n{side - 2} Swamp\n2 Shock\n")
    judgement = judge(listed, format_files.snapshot("magic"), catalog_files.shipped_index("magic"))
    found: dict[str, int] = {}
    for entry in judgement.deck_list.entries:
        called = entry.section.lower() or "deck"
        found[called] = found.get(called, 0) + entry.count
    assert found == sizes
    codes = {one.code: one.severity for one in judgement.report.findings}
    assert ("unknown-heading" in codes) == (main == 59)
    assert codes.get("too-few-cards") == {60: None, 59: None, 30: "illegal"}[main]


def test_two_blank_lines_part_no_sideboard() -> None:
    listed = read("20 Mountain\n\n36 Swamp\n\n4 Goblin Guide\n")
    entries = judge(
        listed, format_files.snapshot("magic"), catalog_files.shipped_index("magic")
    ).deck_list.entries
    assert {one.section for one in entries} == {""}


# --- real decks, under the lists of one day ------------------------------------------------------------

_worked: Any = strict_yaml.load(
    (Path(__file__).parent / "worked" / "magic.yaml").read_text(), name="magic.yaml"
)
REAL: list[dict[str, Any]] = _worked["decks"]
DAY = date(2024, 8, 30)


def rows(deck: dict[str, Any], part: str) -> list[tuple[str, str]]:
    return [(row.split(" ", 1)[0], row.split(" ", 1)[1]) for row in deck.get(part, "").split(", ") if row]


@cache
def imported() -> tuple[dict[str, Any], CatalogIndex]:
    """The formats and the cards of a bulk file that holds the cards of the real decks alone."""
    status: dict[str, dict[str, list[str]]] = _worked["status"]
    data = {}
    for name in sorted(
        {name for deck in REAL for part in ("cards", "side") for _n, name in rows(deck, part)}
    ):
        said = dict.fromkeys(status, "Legal")
        for key, kinds in status.items():
            for kind, names in kinds.items():
                if name in names:
                    said[key] = kind.title()
        basic = name in ("Island", "Swamp", "Mountain", "Plains", "Forest")
        line = f"Basic Land — {name}" if basic else "Instant"
        legal = {key: word for key, word in said.items() if word != "Not_Legal"}
        data[name] = [{"name": name, "type": line, "text": "", "legalities": legal, "printings": ["S0"]}]
    meta = {"date": DAY.isoformat(), "version": "5.2.2"}
    source = sources.read({"AtomicCards.json": json.dumps({"meta": meta, "data": data}).encode()})
    index = CatalogIndex(source.cards, game="magic", name="Magic", partial=False, version="real")
    return {
        key: format_files.parsed(strict_yaml.dump(law), name=key) for key, law in source.laws.items()
    }, index


def as_a_program_writes_it(deck: dict[str, Any]) -> str:
    main = [f"{count} [SET:{at}] {name}" for at, (count, name) in enumerate(rows(deck, "cards"), start=1)]
    side = [f"SB: {count} [SET:{at}] {name}" for at, (count, name) in enumerate(rows(deck, "side"), start=1)]
    layout = "LAYOUT MAIN:(1,1)(NONE,false,50)|([SET:1],[SET:1],[SET:2])"
    return "\n".join([f"NAME:{deck['name']}", "AUTHOR:somebody", *main, *side, layout])


def as_people_write_it(deck: dict[str, Any]) -> str:
    main = [f"{count} {name}" for count, name in rows(deck, "cards")]
    side = [f"{count} {name}" for count, name in rows(deck, "side")]
    return "\n".join([*main, *(["", "Réserve :", *side] if side else [])])


def told(text: str, key: str) -> tuple[str, set[str]]:
    laws, index = imported()
    listed = read(text)
    report = judge(listed, format_files.snapshot_of(laws[f"magic-{key}"], DAY), index).report
    return report.verdict.value, {one.code for one in report.findings}


@pytest.mark.parametrize("deck", REAL, ids=lambda deck: str(deck["name"]))
def test_a_real_deck_has_the_verdict_of_each_format_on_the_day(deck: dict[str, Any]) -> None:
    for key, code in deck["findings"].items():
        expected = ("illegal", {code}) if code else ("legal", set())
        assert told(as_a_program_writes_it(deck), key) == expected, key
        assert told(as_people_write_it(deck), key) == expected, key


GOBLINS = next(deck for deck in REAL if deck["name"] == "Goblins, 2011")


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("4 Teetering Peaks", "4 Teetering Peaks\n\nBeilage:\n1 Goblin Guide", {"too-many-copies"}),
        ("4 Goblin Guide", "4 Goblin Guide\n\nVielleicht:\n1 Goblin Guide\n4 Ponder", {"too-few-cards"}),
        ("4 Goblin Guide", "3 Goblin Guide", {"too-few-cards"}),
        ("4 Goblin Guide", "３ Goblin Guide\n1x GOBLIN GUIDE (ZEN) 126 *F*", set()),
        ("4 Teetering Peaks", "4 Teetering Peaks\n사이드보드\n16 Mountain", {"too-many-cards"}),
        ("4 Teetering Peaks", "4 Teetering Peaks\n備牌：\n4 Gitaxian Probe", {"banned"}),
    ],
)
def test_a_real_deck_altered(old: str, new: str, codes: set[str]) -> None:
    text = as_people_write_it(GOBLINS)
    assert old in text
    assert told(text.replace(old, new), "modern") == ("illegal" if codes else "legal", codes)


@pytest.mark.django_db
@pytest.mark.parametrize("name", FILES)
def test_a_deck_is_checked_by_a_bulk_file_alone(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The formats of its day come with its cards; no database has them."""
    cards, deck = tmp_path / name, tmp_path / "deck.txt"
    cards.write_bytes(FILES[name])
    deck.write_text("2 Black Lotus\n58 Mountain\n")
    asked = [str(deck), "--cards", str(cards), "--complete", "--json", "--on", "2026-01-09"]
    told = {}
    for law in ("magic", "magic-vintage", "magic-legacy"):
        with pytest.raises(SystemExit):
            call_command("check_deck", *asked, "--format", law)
        told[law] = [finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert told == {"magic": [], "magic-vintage": ["limited"], "magic-legacy": ["banned"]}
