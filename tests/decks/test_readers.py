"""Lists of other programs: read whole, written back, and whatever comes in, nothing but a word on it."""

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decks.cards import catalog_files
from decks.forms import ListForm
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import (
    KINDS,
    READ,
    DeckList,
    Limits,
    ListEntry,
    ListError,
    decode,
    difference,
    fold,
    read,
    write,
)
from decks.lists.readers import o8d

L5D = """
# Pre-Game (1)

# Stronghold (1)
1 The Golden Fort (1)

# Dynasty (4)

# Holdings (3)
2 Iron Mine
1 Copper Mine

# Personalities (2)
2 Hida Yakamo - exp
"""
LACKEY = """<deck version="0.8"><meta><game>l5r</game></meta>
<superzone name="Deck"><card><name id="L1">Iron Mine</name><set>IE</set></card>
<card><name id="L1">Iron Mine</name></card></superzone>
<superzone name="Sideboard"><card><name id="L2">Copper Mine</name></card></superzone></deck>"""
COD = """<?xml version="1.0"?><cockatrice_deck version="1"><deckname>Burn</deckname>
<zone name="main"><card number="4" name="Shock"/></zone>
<zone name="side"><card number="12" name="Duress"/></zone></cockatrice_deck>"""
MTGO = """<?xml version="1.0"?><Deck><Cards CatID="1" Quantity="4" Sideboard="false" Name="Shock"/>
<Cards Quantity="2" Sideboard="true" Name="Duress"/></Deck>"""
MTGA = "Deck\n4 Lightning Strike (XLN) 149\n12 Mountain (ZNR) 275\n\nSideboard\n2 Duress (XLN) 105\n"


def told(deck: DeckList) -> list[tuple[int, str, str]]:
    return [(entry.count, entry.name, entry.section) for entry in deck.entries]


@pytest.mark.parametrize(
    ("source", "kind", "entries"),
    [
        (
            L5D,
            "l5d",
            [
                (1, "The Golden Fort", "Stronghold"),
                (2, "Iron Mine", "Holdings"),
                (1, "Copper Mine", "Holdings"),
                (2, "Hida Yakamo - exp", "Personalities"),
            ],
        ),
        (LACKEY, "lackey", [(2, "Iron Mine", ""), (1, "Copper Mine", "Sideboard")]),
        (COD, "cod", [(4, "Shock", ""), (12, "Duress", "Sideboard")]),
        (MTGO, "mtgo", [(4, "Shock", ""), (2, "Duress", "Sideboard")]),
        (MTGA, "mtga", [(4, "Lightning Strike", ""), (12, "Mountain", ""), (2, "Duress", "Sideboard")]),
        (
            "4 Shock (M21) 159\n8 Swamp (M21) 266\n\n2 Duress (M21) 96",
            "mtga",
            [(4, "Shock", ""), (8, "Swamp", ""), (2, "Duress", "Sideboard")],
        ),
        (
            "3\tIron Mine\n1\tCopper Mine\nSideboard:\n2\tHouse",
            "text",
            [(3, "Iron Mine", ""), (1, "Copper Mine", ""), (2, "House", "Sideboard")],
        ),
        (
            "[Fire/Growth/Finesse] + Red starter",
            "specs",
            [(1, "Fire", "Specs"), (1, "Growth", "Specs"), (1, "Finesse", "Specs"), (1, "Red", "Starter")],
        ),
        (
            "Bo: Past / Law/ Blood + blue",
            "specs",
            [(1, "Past", "Specs"), (1, "Law", "Specs"), (1, "Blood", "Specs"), (1, "blue", "Starter")],
        ),
        (
            '{"id": 7, "name": "Stag", "faction_code": "stag", "faction_name": "House Stag", "slots": {"01001": 2}}',
            "arkhamdb",
            [(1, "House Stag", ""), (2, "01001", "")],
        ),
        ('{"version": "1.0", "record": {"name": "Dragon", "cards": {"mine": 3}}}', "json", [(3, "mine", "")]),
        (
            '{"data": [{"name": "CT", "cards": {"01014": 3}}], "total": 1, "success": true}',
            "json",
            [(3, "01014", "")],
        ),
        (
            '{"data": {"id": "x", "type": "decklists", "attributes": '
            '{"name": "CT", "identity_card_id": "chaos_theory", "card_slots": {"diesel": 3}}}}',
            "json",
            [(1, "chaos theory", ""), (3, "diesel", "")],
        ),
        (
            '{"name": "D", "stronghold": [{"count": 1, "card": {"name": "Keep"}}], '
            '"dynastyCards": [{"count": 3, "card": {"name": "Mine"}}]}',
            "json",
            [(1, "Keep", "stronghold"), (3, "Mine", "dynasty Cards")],
        ),
        (";; identity: Noise\n3 Cache", "text", [(1, "Noise", "identity"), (3, "Cache", "")]),
        ("Mine\n\nDeck\n2 Iron Mine", "text", [(2, "Iron Mine", "Deck")]),
        ("3 Iron Mine (Ivory) 12", "text", [(3, "Iron Mine", "")]),
    ],
)
def test_each_kind_is_found_by_itself_and_read_whole(source: str, kind: str, entries: list[Any]) -> None:
    deck = read(source)
    assert (deck.kind, told(deck)) == (kind, entries)
    assert kind in KINDS


def test_each_kind_stands_in_the_form() -> None:
    told_by_the_form = str(ListForm().fields["file"].help_text)
    assert [kind.key for kind in READ if kind.extension not in told_by_the_form] == []


def test_wrong_totals_of_nested_headings_are_noted() -> None:
    notes = [(note.line, note.message) for note in read(L5D).notes if note.code == "wrong-total"]
    assert notes == [(7, "It says 4 cards; the lines make 5.")]


ARKHAM = {
    "name": "Roland",
    "investigator_code": "01001",
    "investigator_name": "Roland Banks",
    "slots": {"01006": 1, "01020": 2, "01030": 0},
    "sideSlots": [],
    "ignoreDeckLimitSlots": {"01020": 1},
    "taboo_id": 8,
    "meta": json.dumps(
        {
            "alternate_back": "90024",
            "cus_01006": "0|1,5|2|0",
            "extra_deck": "01018,01018",
            "faction_selected": "seeker",
        }
    ),
}


def test_arkhamdbs_json_keeps_codes_choices_and_upgrades() -> None:
    deck = read(json.dumps(ARKHAM))
    assert deck.kind == "arkhamdb"
    assert deck.choices == {"faction_selected": "seeker", "taboo": "8"}
    assert [(entry.id, entry.count, entry.section, entry.free) for entry in deck.entries] == [
        ("90024", 1, "Investigator", 0),
        ("01001", 1, "Investigator front", 0),
        ("01006", 1, "Deck", 0),
        ("01020", 2, "Deck", 1),
        ("01018", 2, "Extra Deck", 0),
    ]
    assert deck.entries[2].upgrades == ((0, 1, ""), (5, 2, "0"))


@pytest.mark.parametrize("empty", [[], {}, None])
def test_an_empty_map_may_be_a_list(empty: Any) -> None:
    assert (
        read(
            json.dumps(ARKHAM | {"sideSlots": empty, "ignoreDeckLimitSlots": empty, "meta": empty or "{}"})
        ).count
        == 4
    )


def test_what_is_written_for_arkhamdb_is_read_back() -> None:
    deck = read(json.dumps(ARKHAM | {"meta": {"cus_01006": "0|1", "extra_deck": "01018"}}))
    again = read(write(deck, "arkhamdb"))
    assert (again.entries, dict(again.choices), again.name) == (deck.entries, dict(deck.choices), deck.name)


names = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters="<>&[](){}#*^_?:=-–—+'\""),
    min_size=1,
    max_size=20,
).filter(lambda name: any(c.isalpha() for c in name) and not name.lower().startswith("x"))


@given(st.lists(st.tuples(st.integers(1, 99), names), min_size=1, max_size=20))
def test_what_is_written_for_octgn_is_read_back(cards: list[tuple[int, str]]) -> None:
    deck = DeckList(tuple(ListEntry(n, name, "", "Draw Deck") for n, name in cards), (), "text", "Mine")
    text = write(deck, "o8d", ids={fold(name): "45f006f4-02ed" for _n, name in cards}, game_id="g")
    assert [(e.count, e.name, e.section) for e in read(text).entries] == [
        (n, name, "Draw Deck") for n, name in cards
    ]


@given(st.lists(st.tuples(st.integers(1, 99), names), min_size=1, max_size=20))
def test_octgns_files_are_read_alike_by_line_and_by_the_parser(cards: list[tuple[int, str]]) -> None:
    deck = DeckList(tuple(ListEntry(n, name, "", "Draw Deck") for n, name in cards), (), "text")
    text = write(deck, "o8d", game_id="g")
    quick = o8d._as_the_program_writes(text, Limits())
    assert quick is not None
    parser = o8d._Parser(Limits())
    parser.feed(text)
    parser.close()
    assert quick.entries == tuple(parser.entries)


def test_real_octgn_files_are_read_alike_by_line_and_by_the_parser(shared: Path) -> None:
    quickly = 0
    for path in (shared / "data" / "cards").rglob("*.o8d"):
        text, _notes = decode(path.read_bytes(), Limits())
        parser = o8d._Parser(Limits())
        parser.feed(text)
        parser.close()
        if quick := o8d._as_the_program_writes(text, Limits()):
            assert (quick.entries, quick.notes) == (tuple(parser.entries), tuple(parser.notes)), path.name
            quickly += 1
    assert quickly == 15


@pytest.mark.parametrize(
    "broken",
    [
        "<deck game='x'><section name='A' shared='False'></deck>",
        '<deck game="x">\n<card qty="1" id="">Rats</card>\n</deck>\n</deck>',
        '<deck game="x">\n<section name="A" shared="False">\n<card qty="1" id="">Rats</card>\n</section>',
        '<deck game="x">\n</section>\n</deck>',
        '<deck game="x">\n<section name="A">\n<section name="B">\n</section>\n</section>\n</deck>x',
    ],
)
def test_a_broken_octgn_file_is_never_taken_by_line(broken: str) -> None:
    assert o8d._as_the_program_writes(broken, Limits()) is None


def test_a_spreadsheet_gets_no_formulas() -> None:
    deck = DeckList((ListEntry(2, "=HYPERLINK(1)"), ListEntry(1, "Rats", "Core", "Deck")), (), "text")
    assert write(deck, "csv").splitlines() == [
        "count,name,section,hint",
        "2,'=HYPERLINK(1),,",
        "1,Rats,Deck,Core",
    ]


def test_a_difference_counts_every_card_once() -> None:
    before = [(3, "Rats", ""), (1, "Dogs", ""), (1, "Cat", "Side")]
    after = [(1, "rats", ""), (1, "Rats", ""), (1, "Cat", "")]
    assert [(one.name, one.section, one.before, one.after) for one in difference(before, after)] == [
        ("Cat", "", 0, 1),
        ("Dogs", "", 1, 0),
        ("Rats", "", 3, 2),
        ("Cat", "Side", 1, 0),
    ]


# --- whatever comes in ---------------------------------------------------------------------------------

SEEDS = [L5D, LACKEY, COD, MTGO, MTGA, json.dumps(ARKHAM), "[Fire/Growth/Finesse] + Red", "3x Rats (Core 1)\n* Dogs x2",
         '<deck game="x">\n<section name="A">\n<card qty="3" id="1">* Rats</card>\n</section>\n</deck>']  # fmt: skip
NASTY = st.sampled_from(
    [
        "\0",
        "\u202e",
        "\u200b",
        "99999999x ",
        "<",
        "]]>",
        "&#x0;",
        "&lol;",
        "{",
        "[" * 300,
        "\ud800",
        "-1 ",
        "\r\n",
        "１２x ",
        "é" * 50,
    ]
)


def mutated(data: st.DataObject) -> str:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.one_of(NASTY, st.text(max_size=8))) + text[at + cut :]
    return text


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_input_is_read_or_refused_in_words(data: st.DataObject) -> None:
    source = mutated(data)
    law, catalog = format_files.snapshot("coc-lcg"), catalog_files.shipped_index("coc-lcg")
    try:
        deck = read(source)
    except ListError as error:
        assert error.code
        assert str(error)
        return
    assert deck.entries
    assert all(entry.count >= 1 for entry in deck.entries)
    assert judge(deck, law, catalog).report.as_json()


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_words(data: bytes) -> None:
    try:
        read(data)
    except ListError as error:
        assert error.code


@pytest.mark.parametrize(
    "piece",
    ["1x a, ", "a:" * 90 + "\n", "[" * 40, "(((", "x3 x3 ", "# a (1)\n", '{"slots":', "<card qty='1'>", "1 a (AB) 1\n",
     "a/",
     "1x " + "é" * 60 + "\n",
     "<section name='a'>", ";; identity: a\n", "9" * 50 + "x a\n", "\u202e1x a\n", '<card qty="1" id="a">b</card>\n'],
)  # fmt: skip
@pytest.mark.parametrize(
    "before", ["", "<deck game='x'>", "{", "<cockatrice_deck>", "# Dynasty (1)\n# Fate (1)\n", "[a/"]
)
def test_time_grows_no_faster_than_the_input(piece: str, before: str) -> None:
    """Twenty times the input may take sixty times as long, not four hundred."""

    def seconds(size: int) -> float:
        text = (before + piece * (size // len(piece) + 1))[:size]
        best = 9.0
        for _ in range(2):
            start = time.process_time()
            with contextlib.suppress(ListError):
                read(text)
            best = min(best, time.process_time() - start)
        return best

    seconds(1_000)
    assert seconds(400_000) < 60 * max(seconds(20_000), 0.004)


@pytest.mark.parametrize(
    "source",
    [
        '{"Shock": 3, "Duress": 2}',
        '[{"name": "Shock", "count": 3}, {"card": {"name": "Duress"}, "Qty": "2"}]',
        '["3x Shock", "Duress x2"]',
        '[["Shock", 3], [2, "Duress"]]',
        '{"list": {"entries": [{"count": 3, "name": "Shock"}, {"count": 2, "name": "Duress"}]}}',
    ],
)
def test_cards_as_tools_write_them_in_json(source: str) -> None:
    deck = read(source)
    assert (deck.kind, told(deck)) == ("json", [(3, "Shock", ""), (2, "Duress", "")])


def test_json_keeps_its_sections_and_what_else_it_says() -> None:
    deck = read('{"name": "Burn", "author": "Ann", "cards": {"Shock": 3, "01001": 1}, "side": {"Duress": 2}}')
    assert deck.name == "Burn"
    assert told(deck) == [(3, "Shock", ""), (1, "01001", ""), (2, "Duress", "side")]
    assert [entry.id for entry in deck.entries] == ["", "01001", ""]
    assert [note.text for note in deck.notes] == ["author: Ann"]
    assert told(read('{"specs": ["Fire", "Law"], "starter": "Red"}')) == [
        (1, "Fire", "specs"),
        (1, "Law", "specs"),
        (1, "Red", "starter"),
    ]


def test_a_mistake_in_json_is_told_with_its_place() -> None:
    with pytest.raises(ListError) as raised:
        read('{"cards": [{"name": "Shock", "count": 3}, {"name": "Duress", "count": -1}]}')
    assert (raised.value.code, raised.value.message) == (
        "bad-count",
        "cards[2]: “-1” is not a number of copies.",
    )
    assert "999" in raised.value.remedy
    with pytest.raises(ListError, match="slots") as raised:
        read('{"slots": {"01001": 1.5}}')
    assert raised.value.remedy


def test_no_copy_of_a_card_is_no_card_and_said_so() -> None:
    for source in (
        "3x Shock\n0x Duress",
        "count,name\n3,Shock\n0,Duress",
        MTGO.replace('"2"', '"0"').replace("4", "3"),
    ):
        deck = read(source)
        assert [(entry.count, entry.name) for entry in deck.entries] == [(3, "Shock")]
        assert [note.text for note in deck.notes if note.message == "No copy."] == ["Duress"]


def test_a_sheet_of_codes_needs_no_names() -> None:
    for source in ("code,name,quantity\n01016,,2\n01017,,1", "code;quantity\n01016;2\n01017;1"):
        assert [(one.count, one.id) for one in read(source).entries] == [(2, "01016"), (1, "01017")]


DEK = '<Deck><Cards Quantity="3" Name="Rats"/><Cards Quantity="2" Sideboard="{}" Name="Cats"/></Deck>'
FLAGGED = '[{{"name": "Rats", "count": 3}}, {{"name": "Cats", "count": 2, {}}}]'


@pytest.mark.parametrize(
    ("source", "section"),
    [
        (DEK.format("1"), "Sideboard"),
        (DEK.format("Yes"), "Sideboard"),
        (DEK.format("False"), ""),
        (DEK.format("maybe"), "maybe"),
        (FLAGGED.format('"sideboard": true'), "Sideboard"),
        (FLAGGED.format('"isSideboard": true'), "Sideboard"),
        (FLAGGED.format('"isSideboard": false'), ""),
        (FLAGGED.format('"in_deck": false'), "Considered"),
        (FLAGGED.format('"inDeck": true'), ""),
    ],
)
def test_a_flag_that_a_card_is_beside_the_deck_is_not_left_out(source: str, section: str) -> None:
    assert [(one.count, one.name, one.section) for one in read(source).entries] == [
        (3, "Rats", ""),
        (2, "Cats", section),
    ]


def test_an_element_that_octgn_does_not_write_leaves_a_doubt() -> None:
    deck = '<deck><section name="Draw Deck"><card qty="3" id="">Rats</card>{}</section></deck>'
    for other in ('<Card qty="2" id="">Cats</Card>', "<entry>2x Cats</entry>"):
        notes = read(deck.format(other)).notes
        assert [one.code.value for one in notes] == ["unread-line"], other
