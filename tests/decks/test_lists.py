"""Reading lists: every habit people and programs have, and nothing lost on the way."""

from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decks.lists import DeckList, ListEntry, ListError, NoteCode, dump, fold, read


def entries(source: str | bytes) -> list[tuple[int, str, str]]:
    return [(entry.count, entry.name, entry.hint) for entry in read(source).entries]


@pytest.mark.parametrize(
    ("line", "count", "name", "hint"),
    [
        ("3x Museum Curator", 3, "Museum Curator", ""),
        ("3 Museum Curator", 3, "Museum Curator", ""),
        ("3X Museum Curator", 3, "Museum Curator", ""),
        ("3 x Museum Curator", 3, "Museum Curator", ""),
        ("3× Museum Curator", 3, "Museum Curator", ""),
        ("3xMuseum Curator", 3, "Museum Curator", ""),
        ("x3 Museum Curator", 3, "Museum Curator", ""),
        ("(3) Museum Curator", 3, "Museum Curator", ""),
        ("Museum Curator x3", 3, "Museum Curator", ""),
        ("Museum Curator (x3)", 3, "Museum Curator", ""),
        ("Museum Curator\t3", 3, "Museum Curator", ""),
        ("3\tMuseum Curator", 3, "Museum Curator", ""),
        ("  3x   Museum    Curator  ", 3, "Museum Curator", ""),
        ("12x Rats", 12, "Rats", ""),
        ("- 3x Museum Curator", 3, "Museum Curator", ""),
        ("* Carl Stanford: Deathless Fanatic x2", 2, "Carl Stanford: Deathless Fanatic", ""),
        ("1x * Cthulhu", 1, "Cthulhu", ""),
        ("2x {{{ Descendant", 2, "Descendant", ""),
        ("3 Museum Curator (The Yuggoth Contract 70)", 3, "Museum Curator", "The Yuggoth Contract 70"),
        ("2x Shub-Niggurath (The Cacophony)", 2, "Shub-Niggurath", "The Cacophony"),
        ("2x Necronomicon (Al Azif) (Revelations)", 2, "Necronomicon", "Al Azif Revelations"),
        ("1 Hedge Fund [Core]", 1, "Hedge Fund", "Core"),
        ("1 Hedge Fund #12", 1, "Hedge Fund", "#12"),
        # Titles that look like counts or like several cards.
        ("2x 7 Thomas Street", 2, "7 Thomas Street", ""),
        ("7 Thomas Street x2", 2, "7 Thomas Street", ""),
        ("1 .45 Pistols", 1, ".45 Pistols", ""),
        ("3 Por XV 14:19", 3, "Por XV 14:19", ""),
        ("Hanyatl's 12:3 x2", 2, "Hanyatl's 12:3", ""),
        ("3x Broken Space, Broken Time", 3, "Broken Space, Broken Time", ""),
        ("2 Kidnapping 101", 2, "Kidnapping 101", ""),
        ("3 Xenomorph", 3, "Xenomorph", ""),
        ("2x Ia! Ia! Shudde M’ell", 2, "Ia! Ia! Shudde M’ell", ""),
    ],
)
def test_one_line_in_each_habit(line: str, count: int, name: str, hint: str) -> None:
    assert entries(line) == [(count, name, hint)]


@pytest.mark.parametrize(
    "line",
    [
        "3x Museum Curator, 1x Itinerant Scholar",
        "3x Museum Curator; 1x Itinerant Scholar",
        "3 Museum Curator, 1 Itinerant Scholar",
        "Museum Curator x3, Itinerant Scholar x1",
        "3x Museum Curator,1x Itinerant Scholar,",
    ],
)
def test_several_cards_on_a_line(line: str) -> None:
    assert entries(line) == [(3, "Museum Curator", ""), (1, "Itinerant Scholar", "")]


def test_a_comma_inside_a_title_does_not_split_it() -> None:
    for last in ("2 Dogs", "2x Dogs"):
        assert entries(f"1x Rats, 3x Broken Space, Broken Time, {last}") == [
            (1, "Rats", ""),
            (3, "Broken Space, Broken Time", ""),
            (2, "Dogs", ""),
        ]


CARD_GAME_DB = """\
Servants of the Goat

Total Cards: (9)

Character: (6)
3x Nug (Seekers of Knowledge)
3x Savio Corvi (Terror in Venice)

Event: (3)
3x Dark Rebirth (Terror in Venice)

Conspiracy: (0)

Deck Created with CardGameDB.com Call of Cthulhu Deckbuilder
"""


def test_the_deck_builders_sheet_with_headings_and_totals() -> None:
    deck = read(CARD_GAME_DB)
    assert (deck.name, deck.kind, deck.count) == ("Servants of the Goat", "text", 9)
    assert [(entry.section, entry.name, entry.line) for entry in deck.entries] == [
        ("Character", "Nug", 6),
        ("Character", "Savio Corvi", 7),
        ("Event", "Dark Rebirth", 10),
    ]
    assert [note.code for note in deck.notes] == ["comment", "heading", "heading", "heading", "comment"]


def test_wrong_totals_are_remarked_with_both_numbers() -> None:
    deck = read(CARD_GAME_DB.replace("(9)", "(51)").replace("(6)", "(7)"))
    assert [(note.line, note.message) for note in deck.notes if note.code is NoteCode.WRONG_TOTAL] == [
        (3, "It says 51 cards; the lines make 9."),
        (5, "It says 7 cards; the lines make 6."),
    ]


@pytest.mark.parametrize(
    "heading",
    ["Hastur: 20", "Hastur (20)", "Hastur:", "[Hastur]", "== Hastur ==", "Hastur : (20 cards)", "**Hastur**"],
)
def test_headings_name_the_section(heading: str) -> None:
    deck = read(f"1x Rats\n{heading}\n20x Dogs")
    assert [entry.section for entry in deck.entries] == ["", "Hastur"]
    assert not [note for note in deck.notes if note.code is NoteCode.WRONG_TOTAL]


def test_bare_headings_are_told_from_cards_by_where_they_stand() -> None:
    deck = read("My deck\n\nVillains\n1x Rats\n\nTheir pets\n2x Dogs\nNo Count Here\n1x Cats")
    assert (deck.name, [entry.section for entry in deck.entries]) == (
        "My deck",
        ["Villains", "Their pets", "Their pets"],
    )
    assert [(note.code, note.line) for note in deck.notes] == [
        ("uncounted-line", 3),
        ("uncounted-line", 6),
        ("unread-line", 8),
    ]


def test_remarks_are_kept_as_remarks() -> None:
    deck = read("# by Dana\n// tuned\n1x Rats\nhttps://example.org/deck\n-----\n")
    assert [note.text for note in deck.notes] == [
        "# by Dana",
        "// tuned",
        "https://example.org/deck",
        "-----",
    ]
    assert {note.code for note in deck.notes} == {NoteCode.COMMENT}


def test_names_alone_are_one_copy_each_and_that_is_said() -> None:
    deck = read("Museum Curator\nItinerant Scholar (Core Set)")
    assert [(entry.count, entry.name) for entry in deck.entries] == [
        (1, "Museum Curator"),
        (1, "Itinerant Scholar"),
    ]
    assert "one copy" in deck.notes[-1].message


# --- .o8d --------------------------------------------------------------------------------------------

O8D = """\ufeff<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<deck game="43054c18-2362-43e0-a434-72f8d0e8477c">
  <section name="Draw Deck" shared="False">
    <card qty="2" id="x">* Andrew Chapman</card>
    <card qty="1" id="y">&lt;&lt; Fishers from Outside</card>
    <card qty="3" id="z">[[ Sword of Y'ha-tallo</card>
  </section>
  <section name="Story Deck" shared="True" />
  <notes><![CDATA[tuned for speed]]></notes>
</deck>"""


@pytest.mark.parametrize(
    "source", [O8D, O8D.encode(), O8D.encode("utf-16"), O8D.replace("\n", "\r\n").encode()]
)
def test_an_octgn_deck_in_any_encoding(source: str | bytes) -> None:
    deck = read(source)
    assert deck.kind == "o8d"
    assert [(e.count, e.name, e.section, e.line) for e in deck.entries] == [
        (2, "Andrew Chapman", "Draw Deck", 4),
        (1, "Fishers from Outside", "Draw Deck", 5),
        (3, "Sword of Y'ha-tallo", "Draw Deck", 6),
    ]
    assert [note.text for note in deck.notes] == ["tuned for speed"]


def test_a_nameless_card_of_an_octgn_deck_is_not_dropped() -> None:
    deck = read('<deck><section name="A"><card qty="2"></card><card qty="1">Rats</card></section></deck>')
    assert [(note.code, note.line) for note in deck.notes] == [("unread-line", 1)]


# --- spelling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Doppelgänger", "DOPPELGANGER"),
        ("Rabbit’s Foot", "Rabbit's Foot"),
        ("Y'Golonac", "YGolonac"),
        ("Andrew-Chapman", "Andrew Chapman"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("Ælfric", "aelfric"),
        ("a\u200bb\u202ec", "abc"),
        ("Jack “Brass” Brady", 'Jack "Brass" Brady'),
        ("e\u0301tude", "étude"),
        ("Straße", "strasse"),
    ],
)
def test_spellings_of_one_name_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text(max_size=60))
def test_folding_is_done_once(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@given(st.text(max_size=60))
def test_a_name_never_folds_to_nothing(name: str) -> None:
    visible = "".join(name.split())
    if visible and visible.isprintable():
        assert fold(name)


# --- there and back ----------------------------------------------------------------------------------

WORD = st.text(alphabet="abcdefgäöüABCDEFGÅÉ'’.!", min_size=1, max_size=8).filter(
    lambda word: word.strip(".!'’") != ""
)
NAME = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
TITLED = st.builds(
    lambda name, mark, more: f"{name}{mark}{more}", NAME, st.sampled_from([", ", ": ", "-", " 14:19 "]), NAME
)
NUMBERED = st.builds(lambda number, name: f"{number} {name}", st.integers(1, 999), NAME)
ENTRY = st.builds(
    ListEntry,
    count=st.integers(1, 999),
    name=st.one_of(NAME, TITLED, NUMBERED),
    hint=st.one_of(st.just(""), NAME),
    section=st.sampled_from(["", "Characters", "Story Deck", "Side"]),
)


@given(
    st.lists(ENTRY, min_size=1, max_size=30).map(lambda found: sorted(found, key=lambda entry: entry.section))
)
def test_what_is_written_as_text_is_read_back(found: list[ListEntry]) -> None:
    again = read(dump(DeckList(tuple(found), (), "text", "Some deck")))
    assert again.name == "Some deck"
    assert [(e.count, e.name, e.hint, e.section) for e in again.entries] == [
        (e.count, e.name, e.hint, e.section) for e in found
    ]


@given(st.lists(ENTRY, min_size=1, max_size=30))
def test_what_octgn_writes_is_read(found: list[ListEntry]) -> None:
    cards = "".join(
        f"<section name={quoteattr(e.section)}><card qty='{e.count}' id='x'>{escape(e.name)}</card></section>"
        for e in found
    )
    again = read(f"<deck>{cards}</deck>".encode())
    assert [(e.count, e.name, e.section) for e in again.entries] == [
        (e.count, e.name, e.section) for e in found
    ]


# --- hostile -----------------------------------------------------------------------------------------


@given(st.one_of(st.binary(max_size=400), st.text(max_size=400)))
def test_whatever_comes_is_read_or_refused_and_no_line_is_lost(source: str | bytes) -> None:
    try:
        deck = read(source)
    except ListError as error:
        assert error.message
        return
    assert deck.entries
    assert all(1 <= entry.count <= 999 and entry.name for entry in deck.entries)


LINE = st.text(alphabet="0123 xX×,;:()[]#=-+*ab\t|<>/&.•\"_'é", min_size=1, max_size=40)


@given(st.lists(LINE, min_size=1, max_size=12))
def test_every_line_ends_up_as_an_entry_a_note_a_total_or_the_name(lines: list[str]) -> None:
    try:
        deck = read("\n".join(lines))
    except ListError:
        return
    told = {entry.line for entry in deck.entries} | {note.line for note in deck.notes}
    # ">" alone is an empty line of a mail that is quoted.
    left = [line for number, line in enumerate(lines, start=1) if line.strip("> \t") and number not in told]
    assert len(left) <= 2, "only the deck's name and its total may stand elsewhere"


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("", "empty-list", None),
        (" \n\t\n", "empty-list", None),
        ("# only a remark", "empty-list", None),
        ("-1x Dogs\nRats", "bad-count", 1),
        ("0x Rats", "empty-list", None),
        ("Rats x0", "empty-list", None),
        ("99999999999x Rats", "bad-count", 1),
        ("1000 Rats", "bad-count", 1),
        ("\n\n3x " + "a" * 201, "line-too-long", 3),
        ("1x Rats\n" + "a" * 5_001, "line-too-long", 2),
        ("1x Rats\n" * 2_001 + "1x Rats", "too-many-lines", None),
        ("1x a, " * 800 + "\n" + "1x a, " * 800 + "\n" + "1x a, " * 800, "too-many-lines", None),
        (b"a" * 1_000_001, "too-large", None),
        (b"\x7fELF\x01\x01", "binary-file", 1),
        (b"1x Rats\n1x D\x00gs", "binary-file", 2),
        ("1x Rats\n1x D\x1bgs", "binary-file", 2),
        (b"%PDF-1.4", "binary-file", None),
        (b"\x89PNG\r\n", "binary-file", None),
        (b"1x Rats\n1x D\x8dgs", "bad-encoding", 2),
        (b"\xff\xfe1", "bad-encoding", None),
        ("1x Rats\n1x \udcff", "bad-encoding", 2),
        ("<deck><section name='a'><card qty='1'>Rats</card>", "bad-xml", 1),
        ("<deck>\n<card qty='two'>Rats</card></deck>", "bad-count", 2),
        ("<deck>" + "<section>" * 20 + "</section>" * 20 + "</deck>", "bad-xml", 1),
        ("<deck>" + "<card qty='1'>Rats</card>" * 2_001 + "</deck>", "too-many-lines", 1),
        ('<!DOCTYPE d [<!ENTITY a "aa">]><deck><card qty="1">&a;</card></deck>', "bad-xml", None),
        ('<!DOCTYPE d SYSTEM "file:///etc/passwd"><deck><card qty="1">Rats</card></deck>', "bad-xml", None),
        ("<deck></deck>", "empty-list", None),
        ("<cockatrice><zone/></cockatrice>", "not-a-deck", 1),
        ('{"cards": {"01001": [2]}}', "not-a-deck", None),
        ('{"Rats": "1.5"}', "bad-count", None),
        ('[{"name": "Rats", "count": 1.5}]', "bad-count", None),
        ('[{"title": ""}]', "not-a-deck", None),
        ("[]", "empty-list", None),
        ("[" * 100 + "]" * 100, "not-a-deck", None),
        ('{"slots": {"01001": 2}', "bad-json", 1),
        ('{"slots": {"01001": 0}}', "empty-list", None),
        ('{"slots": {"01001": -1}}', "bad-count", None),
        ('{"slots": {"01001": 1.5}}', "bad-count", None),
        ('{"slots": [1]}', "not-a-deck", None),
        ('{"data": [{"cards": {"a": 1}}, {"cards": {"b": 1}}]}', "not-a-deck", None),
        ('{"slots": ' + "[" * 5_000, "bad-json", None),
        (
            "<cockatrice_deck><zone name='main'><card number='x' name='Rats'/></zone></cockatrice_deck>",
            "bad-count",
            None,
        ),
        ("<cockatrice_deck>\n<zone", "bad-xml", 2),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><cockatrice_deck>&b;</cockatrice_deck>", "bad-xml", None),
        ("# Dynasty (1)\n# Fate (0)\n0 Rats", "empty-list", None),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(
    source: str | bytes, code: str, line: int | None
) -> None:
    with pytest.raises(ListError) as raised:
        read(source)
    assert (raised.value.code, raised.value.line) == (code, line)


def test_windows_text_is_read_and_its_encoding_remarked() -> None:
    deck = read("1x Doppelgänger\n2x Rabbit’s Foot".encode("cp1252"))
    assert [entry.name for entry in deck.entries] == ["Doppelgänger", "Rabbit’s Foot"]
    assert deck.notes[0].code is NoteCode.ENCODING


def test_a_count_with_an_x_is_a_card_though_its_name_is_a_kind_of_card() -> None:
    """Treachery is a card of A Game of Thrones; “4 Characters” above four of them is their sum."""
    found = read("4 Characters\n3x Hedge Knight\n1x Tumblestone Knight\n1x Treachery\n1x Ward\n")
    assert [(one.count, one.name) for one in found.entries][-2:] == [(1, "Treachery"), (1, "Ward")]


def test_a_total_may_leave_out_what_stands_under_the_first_headings() -> None:
    """A builder counts the draw deck alone, not the agenda and the plots before it."""
    text = "Rats\n\nTotal Cards: (5)\n\nAgenda\n1x Rule\n\nPlot\n2x Ruse\n\nCharacter\n3x Rat\n2x Dog\n"
    assert not [one for one in read(text).notes if one.code == "wrong-total"]
    wrong = read(text.replace("(5)", "(6)")).notes
    assert [one.message for one in wrong if one.code == "wrong-total"] == [
        "It says 6 cards; the lines make 8."
    ]


def test_a_set_before_a_name_keeps_apart_no_halves_of_it() -> None:
    (entry,) = read("4 [A25] Fire // Ice").entries
    assert (entry.name, "fire ice" in entry.exact_readings) == ("Fire", True)
