"""Decklists as an organizer is sent them, in the forms of a dozen programs and mails. What each deck holds and its
verdict were written down first; these are the ones that came out otherwise."""

import json
from datetime import date
from itertools import zip_longest

import pytest

from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import ListError, read
from tests.decks.test_strange_lists import (
    BURN,
    CULT,
    LEGAL,
    ROLAND,
    RUNNER,
    SIDE,
    Say,
    held,
    judged,
    lines,
    made,
    told,
)
from tests.decks.test_worked_lists import BY_NAME, whole

DECK = f"Deck\n{lines(BURN)}\n\nSideboard\n{lines(SIDE)}\n\n"
HELD = "2x Black Lotus\n"


@pytest.mark.parametrize("heading", ["Für Klaus:", "Unused pool", "Haves:", "[For Ann]", "MB:"])
def test_an_unknown_heading_below_the_deck_is_never_its_name(heading: str) -> None:
    """It was taken for the deck's name, and its cards were in the deck in silence."""
    found = judged(f"{DECK}{heading}\n{HELD}", "magic")
    assert told(found) == ("unverified", ["unknown-heading"])


@pytest.mark.parametrize("heading", ["Still missing", "Proxies:", "IN:"])
def test_cards_named_again_under_an_unknown_heading_condemn_no_deck(heading: str) -> None:
    found = judged(f"{DECK}{heading}\n4x Goblin Guide\n", "magic")
    assert told(found)[0] == "unverified"


NETRUNNER = f"{RUNNER[0][1]}\n\n{lines(RUNNER[1:])}"
ARKHAM = f"Roland Banks\n\n{lines(ROLAND[1:])}"
FORMS = [
    "{}",
    "{}:",
    "{} (2)",
    "[{}]",
    "# {}",
    "// {}",
    "; {}",
    "--- {} ---",
    "~ {} ~",
    "({})",
    "{}?",
    "<b>{}</b>",
    "【{}】",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("words", ["Leftovers from Piet", "Swap pile", "빌려줄 것"])
@pytest.mark.parametrize(
    ("law", "deck", "card"),
    [
        ("netrunner-standard", NETRUNNER, "2x Diesel"),
        ("coc-lcg", lines(CULT), "2x Magah Bird"),
        ("arkham", ARKHAM, "2x Shrivelling"),
    ],
)
def test_cards_under_a_heading_nobody_knows_are_asked_about(
    law: str, deck: str, card: str, words: str, form: str
) -> None:
    """Above “Deck” the first line was taken for the deck's name; behind a remark's mark it was a remark."""
    heading = form.format(words)
    for text in (
        f"{deck}\n\n{heading}\n{card}\n",
        f"{heading}\n{card}\n\nDeck\n{deck}\n",
        f"# Deck\n{deck}\n# {words}\n{card}\n",
    ):
        verdict, codes = told(judged(text, law))
        assert (verdict, "unknown-heading" in codes) == ("unverified", True), text


KINDS = f"Characters\n{lines(CULT[:8])}\n\nEvents\n{lines(CULT[8:])}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"Lent to Bo\n2x Magah Bird\n\n{KINDS}",
        f"Lent to Bo\n2x Magah Bird\n\nDeck\n{KINDS}",
        f"# Lent to Bo\n2x Magah Bird\n\n{KINDS}",
        f"Cult of 2013\n\nLent to Bo!\n2x Magah Bird\n\n{KINDS}",
        f"{KINDS}\nLent to Bo 2장\n2x Magah Bird\n",
        f"{KINDS}\nCategory: Lent to Bo\n2x Magah Bird\n",
        f"# Round 3 changes\n2x Magah Bird\n\n{KINDS}",
        f"{KINDS}\nLent to Bo\t2\n2x Magah Bird\n",
        f"{KINDS}\n2 Lent to Bo\n2x Magah Bird\n",
    ],
)
def test_a_heading_nobody_knows_is_not_the_decks_name_where_others_follow(text: str) -> None:
    """Over the first cards it was the deck's name, above “Deck” without cards of its own, too; and with the sum of its
    cards it was a card."""
    verdict, codes = told(judged(text, "coc-lcg"))
    assert (verdict, codes) == ("unverified", ["unknown-heading"])


def test_a_title_with_a_blank_line_below_is_one() -> None:
    assert told(judged(f"Cult of 2013\n\n{KINDS}", "coc-lcg")) == LEGAL


def test_between_the_parts_of_a_deck_an_unknown_heading_is_no_title_either() -> None:
    """Behind the plots it was the title of all that follows."""
    deck = BY_NAME["Thrones wolves of a box"]["text"]
    for heading in ("Noch besorgen", "=> Left at home", "(Collection)"):
        at = deck.index("\n\n", deck.index("Plots"))
        text = f"{deck[:at]}\n\n{heading}\n2x The Roseroad{deck[at:]}"
        snapshot = format_files.snapshot("agot2", date(2026, 7, 1))
        report = judge(read(text), snapshot, catalog_files.shipped_index("agot2")).report
        assert "unknown-heading" in {one.code for one in report.findings}, heading


def test_a_programs_remarks_over_the_cards_say_nothing_of_where_they_are() -> None:
    text = "// NAME : Burn\n// FORMAT : Modern\n" + lines(BURN, lambda n, name: f"{n} [M10] {name}")
    text += "\n" + lines(SIDE, lambda n, name: f"SB: {n} [M10] {name}")
    for one in (text, text.replace("FORMAT : Modern", "lent to Bo")):
        assert held(judged(one, "magic"), "sideboard") == made(SIDE)
    assert told(judged(text, "magic")) == LEGAL


def test_a_heading_in_angles_is_no_page() -> None:
    text = f"<메인 덱>\n{lines(BURN)}\n\n<사이드보드>\n{lines(SIDE)}\n"
    found = judged(text, "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


@pytest.mark.parametrize("words", ["Leftovers from Piet", "Lent out", "Prestato"])
def test_cards_under_a_line_nobody_knows_condemn_no_deck_where_cards_are_missing(words: str) -> None:
    found = judged(f"{ARKHAM}\n{words}\n2x Shrivelling\n", "arkham")
    assert told(found)[0] == "unverified"


@pytest.mark.parametrize(
    "remark",
    ["# 1 drops", "// Cost 2", "# Removal", "# Syndicate", "# added after the event in Ulm, see mail."],
)
def test_a_remark_of_what_cards_are_or_a_sentence_asks_nothing(remark: str) -> None:
    text = lines(CULT[:5]) + f"\n\n{remark}\n" + lines(CULT[5:])
    assert (told(judged(text, "coc-lcg")), held(judged(text, "coc-lcg"))) == (LEGAL, made(CULT))


REMARKS = [
    "# lent to Bo", "// borrowed:", "; from Piet", "# Lent by Bo:", "Lent by Bo:", "-- swap pile", "# need to buy",
    "# 빌려줄 것",
]  # fmt: skip


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize(
    ("law", "deck", "card"),
    [
        ("netrunner-standard", NETRUNNER, "2x Diesel"),
        ("coc-lcg", lines(CULT), "2x Magah Bird"),
        ("arkham", ARKHAM, "2x Shrivelling"),
        ("magic", f"{lines(BURN)}\n\nSideboard\n{lines(SIDE)}", "2x Black Lotus"),
    ],
)
def test_a_remark_right_over_cards_that_may_say_they_are_elsewhere_is_asked_about(
    law: str, deck: str, card: str, remark: str
) -> None:
    """In a list without such headings it was a remark, and the cards were in the deck."""
    verdict, codes = told(judged(f"{deck}\n{remark}\n{card}\n", law))
    assert (verdict, "unknown-heading" in codes) == ("unverified", True)


def test_a_remark_between_the_cards_of_a_deck_condemns_none() -> None:
    found = judged(f"{lines(CULT[:5])}\n# missing\n{lines(CULT[5:])}\n", "coc-lcg")
    assert told(found) == ("unverified", ["unknown-heading"])
    assert [(one.line, one.text) for one in found.deck.unread] == [(6, "missing")]


def test_names_without_counts_under_such_a_remark_are_asked_about_too() -> None:
    names = "\n".join(name for n, name in CULT for _ in range(n))
    assert told(judged(f"{names}\n# lent to Bo\nMagah Bird\n", "coc-lcg"))[0] == "unverified"


@pytest.mark.parametrize(
    "remark",
    [
        "# Characters (15)", "// Support", "; removal", "# 1 drops", "// Cost 2", "# Cthulhu", "# Core Set", "# ---",
        "//", "# added after the event in Ulm, see mail.", "# why not more of them?", "# see https://example.org/x",
        "# total 50", "# this one here was a hard choice for me", "# thanks to Bo\n",
    ],
)  # fmt: skip
def test_a_remark_right_over_cards_that_says_what_they_are_asks_nothing(remark: str) -> None:
    found = judged(f"{lines(CULT[:5])}\n{remark}\n{lines(CULT[5:])}\n", "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


@pytest.mark.parametrize("above", ["", "My cult\n"])
@pytest.mark.parametrize("remark", ["# my deck", "// Friday league", "# lent to Bo", "; exported list\n"])
def test_a_remark_over_the_whole_list_asks_nothing(remark: str, above: str) -> None:
    found = judged(f"{above}{remark}\n{lines(CULT)}", "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


@pytest.mark.parametrize("leader", ["1x Roland Banks\n", "1x Roland Banks\n\n", "Roland Banks\n"])
@pytest.mark.parametrize("remark", ["# my list", "// Friday league"])
def test_nor_does_one_below_what_leads_the_deck(leader: str, remark: str) -> None:
    found = judged(f"{leader}{remark}\n{lines(ROLAND[1:])}", "arkham")
    assert (told(found), held(found)) == (LEGAL, made(ROLAND))


def test_a_remark_within_the_sideboard_leaves_its_cards_there() -> None:
    text = f"{lines(BURN)}\n\nSideboard\n{lines(SIDE[:1])}\n// removal\n{lines(SIDE[1:])}\n"
    found = judged(text, "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


DOTS: dict[str, Say] = {
    "behind": lambda n, name: f"{name} ..... x{n}",
    "and a bare number": lambda n, name: f"{name} ..... {n}",
    "the count at both ends": lambda n, name: f"{n}x {name} ..... x{n}",
    "a bare count at both ends": lambda n, name: f"{n} {name} …… {n}x",
    "one sign for three": lambda n, name: f"{n} {name} . . . . x{n}",
}


@pytest.mark.parametrize("habit", DOTS)
def test_dots_may_lead_to_the_count(habit: str) -> None:
    """With the count in front, too, each card was an unknown one."""
    found = judged(lines(CULT, DOTS[habit]), "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


def test_two_counts_of_one_card_that_differ_are_asked_about() -> None:
    (n, name), *others = CULT
    verdict, codes = told(judged(f"{lines(others)}\n{n}x {name} ..... x{n - 1}\n", "coc-lcg"))
    assert (verdict, "unread-line" in codes) == ("unverified", True)


ASKED = [
    "{n} {name} (?)", "{n}x {name} [?]", "{n}x? {name}", "{n} (?) {name}", "{n}x {name} (2?)", "{n}x {name} - ?",
    "{n}x {name} (maybe?)", "{n}x {name} (not sure)", "{name} (?) x{n}", "{name} ({n}?)", "{name} x{n} (?)",
    "{name} {n}?", "? {n}x {name}", "{n}x {name} *?*",
]  # fmt: skip


@pytest.mark.parametrize("form", ASKED)
def test_a_count_or_card_that_is_in_doubt_is_asked_about(form: str) -> None:
    """The first five were in the deck, and “Name (3?)” was one copy."""
    n, name = CULT[3]
    others = lines([one for one in CULT if one[1] != name])
    verdict, codes = told(judged(f"{others}\n{form.format(n=n, name=name)}\n", "coc-lcg"))
    assert (verdict, "unread-line" in codes) == ("unverified", True)


@pytest.mark.parametrize("between", ["\n", "\n\n", " or ", " and ", "; "])
def test_several_decks_in_one_text_are_refused(between: str) -> None:
    """Both were one deck, *illegal*."""
    for one, two in (
        ("[Fire]/Growth/Finesse", "[Past]/Anarchy/Blood"),
        ("Ann: [Fire]/Law/Blood", "Bo: [Past]/Law/Blood"),
    ):
        with pytest.raises(ListError, match="several decks") as refused:
            read(f"{one}{between}{two}")
        assert refused.value.line == 1 + between.count("\n")


def test_what_leads_a_deck_may_stand_above_it() -> None:
    text = f"Gabe of Worlds\n1x {RUNNER[0][1]}\n\nDeck\n{lines(RUNNER[1:])}\n"
    assert (told(judged(text, "netrunner-standard")), held(judged(text, "netrunner-standard"))) == (
        LEGAL,
        made(RUNNER),
    )


def test_a_category_that_its_program_keeps_out_of_the_deck_is_beside_it() -> None:
    rows = lines(BURN, lambda n, name: f"{n}x {name} (2x2) 117 [Burn]")
    found = judged(f"{rows}\n1x Thoughtseize (ths) 107 [Wants{{noDeck}}]\n", "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))


@pytest.mark.parametrize(
    "behind", [" (2X2:117) *F-pre* #burn #fast", " (2X2) 117 0.05tix", " (M10) 146 *F* # mine", " - 1.25 Tix"]
)
def test_what_programs_write_behind_a_name_is_no_part_of_it(behind: str) -> None:
    found = judged(lines(BURN, lambda n, name: f"{n} {name}{behind}"), "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))


@pytest.mark.parametrize("between", [":", " ", ""])
def test_of_a_name_in_two_languages_the_one_that_is_a_card_counts(between: str) -> None:
    found = judged(lines(BURN, lambda n, name: f"{n}{between}《稲妻/{name}》"), "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))


@pytest.mark.parametrize(
    "line",
    [
        "On Mon, 3 Jan 2022 at 10:11, Judge <j@example.org> wrote:",
        "Am 3.1.2022 um 10:11 schrieb Ann:",
        "Le lun. 3 janv. 2022 à 10:11, Ann <ann@example.org> a écrit :",
        "El lun, 3 ene 2022 a las 10:11, Ann (<ann@example.org>) escribió:",
        "2022년 1월 3일 (월) 오전 10:11, Ann <ann@example.org>님이 작성:",
    ],
)
def test_the_line_over_a_quoted_mail_is_a_remark(line: str) -> None:
    """“10:11, Judge” was eleven copies of a card."""
    quoted = "".join(f"> {one}\n" for one in DECK.split("\n"))
    found = judged(f"Hi,\n\n{line}\n{quoted}\n-- \nAnn\n", "magic")
    assert (told(found), held(found)) == (LEGAL, made(BURN))


def test_a_sheet_may_name_its_columns_again_over_the_next_part() -> None:
    def sheet(rows: list[tuple[int, str]]) -> str:
        return "| Qty | Card | Price |\n|--:|:--|--:|\n" + lines(
            rows, lambda n, name: f"| {n} | {name} | $1 |"
        )

    found = judged(f"{sheet(BURN)}\n\n**Sideboard**\n\n{sheet(SIDE)}\n", "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


def test_a_part_with_nothing_in_it_asks_nothing() -> None:
    assert told(judged(f"{lines(CULT)}\n\nGeschichten (0)\n", "coc-lcg")) == LEGAL


@pytest.mark.parametrize(
    "words", ["Programme", "Programas", "프로그램", "プログラム", "Matériel", "Ressourcen"]
)
def test_kinds_of_cards_are_headings_in_other_languages(words: str) -> None:
    text = f"{RUNNER[0][1]}\n\n{words}\n{lines(RUNNER[1:])}\n"
    found = judged(text, "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


def test_the_number_of_a_line_in_front_makes_no_remark_of_it() -> None:
    """All cards were remarks, and the deck had none."""
    text = "".join(f"#{at:03} {n}x{name}\n" for at, (n, name) in enumerate(CULT))
    found = judged(text, "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


def test_several_cards_behind_their_part_are_read_however_long_the_line_is() -> None:
    """The five provinces of one line were a remark, and the deck had none."""
    snapshot = format_files.snapshot("l5r-lcg-any", date(2018, 1, 15))
    text = (
        "Stronghold: Golden Plains Outpost\n"
        "Provinces: Ancestral Lands, Fertile Fields, Endless Plains, Meditations on the Tao, Pilgrimage\n\n"
        "Dynasty Deck:\n3x Moto Youth\n"
    )
    found = judge(read(text), snapshot, catalog_files.shipped_index("l5r-lcg"))
    assert [one.count for one in found.deck.entries if one.section == "provinces"] == [1] * 5


def test_a_name_and_a_wish_may_stand_around_a_deck_in_one_line() -> None:
    found = judged("Ann — [Fire]/Growth/Finesse — good luck", "codex")
    assert told(found) == LEGAL
    assert held(found) == {"fire": 1, "growth": 1, "finesse": 1, "red starter": 1}


@pytest.mark.parametrize("total", ["Total : 60 cartes", "Karten insgesamt: 60", "Total Cards: 60"])
def test_a_total_that_is_right_is_told_too(total: str) -> None:
    found = judged(f"{lines(BURN)}\n\n{total}\n", "magic")
    assert len(BURN) + 2 in {one.line for one in found.deck_list.notes}


COUNTS: dict[str, Say] = {
    "a word for the count": lambda n, name: f"Qty {n}: {name}",
    "strokes": lambda n, name: f"{'|' * n} {name}",
    "a chat": lambda n, name: f"[12:31, 3.1.2022] Ann: {n}x {name}",
    "a set and a number in cells": lambda n, name: f"{n}\t{name}\tCore\t{n + 10}",
    "a sign behind": lambda n, name: f"{n}x {name} (Core) ☠",
    "rings behind": lambda n, name: f"{n}x {name} (Core)  ○○",
    "a picture behind": lambda n, name: f"{n}x {name} 🦄",
}


@pytest.mark.parametrize("habit", COUNTS)
def test_a_count_in_another_form_is_that_count(habit: str) -> None:
    """Of the first two, each card was one copy."""
    found = judged(lines(CULT, COUNTS[habit]), "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


def test_part_of_a_card_is_no_number_of_copies() -> None:
    """“1.5x” was the first line's number, and five copies."""
    found = judged(f"{lines(CULT)}\n1.5x Magah Bird\n", "coc-lcg")
    assert (told(found), held(found)) == (("unverified", ["unread-line"]), made(CULT))
    numbered = "\n".join(f"{at}.{n}x {name}" for at, (n, name) in enumerate(CULT, start=1))
    assert told(judged(numbered, "coc-lcg"))[0] != "illegal"


def test_a_card_with_a_question_mark_behind_it_is_asked_about() -> None:
    found = judged(f"{lines(CULT)}\n1x Magah Bird?\n", "coc-lcg")
    assert (told(found), held(found)) == (("unverified", ["unread-line"]), made(CULT))


@pytest.mark.parametrize(
    "line",
    ["Sent from my iPhone", "Von meinem iPhone gesendet", "나의 iPhone에서 보냄", "Get Outlook for iOS"],
)
def test_what_a_telephone_adds_is_a_remark(line: str) -> None:
    assert told(judged(f"{lines(CULT)}\n\n{line}\n", "coc-lcg")) == LEGAL


@pytest.mark.parametrize(
    "text",
    [
        f"<details><summary>Deck</summary>\n\n{lines(CULT)}\n</details>",
        "||Qty||Card||\n" + lines(CULT, lambda n, name: f"|{n}|{name}|"),
    ],
)
def test_marks_of_a_page_around_a_deck_are_no_data(text: str) -> None:
    found = judged(text, "coc-lcg")
    assert (told(found), held(found)) == (LEGAL, made(CULT))


@pytest.mark.parametrize("heading", ["Rookery Plots", "Rookery (plots)", "Rookery cards: 1"])
def test_words_behind_what_a_format_sets_aside_change_nothing(heading: str) -> None:
    """The rookery's plots joined the plot deck."""
    wolves = whole(BY_NAME["Thrones wolves of a box"])["text"]
    snapshot, catalog = format_files.snapshot("agot2", date(2016, 4, 7)), catalog_files.shipped_index("agot2")
    found = judge(read(f"{wolves}\n{heading}\n1x A Clash of Kings\n"), snapshot, catalog)
    assert told(found) == LEGAL


UNDER_NAMES = {
    "sections": [{"name": "Main", "cards": [{"amount": n, "name": name} for n, name in BURN]}],
    "sideboard": [{"amount": n, "name": name} for n, name in SIDE],
}


def test_cards_within_a_named_part_of_a_list_of_parts_are_read() -> None:
    """“Main” was one card, and the deck's cards were lost in silence."""
    found = judged(json.dumps({"name": "Burn", **UNDER_NAMES}), "magic", "burn.json")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


def test_the_words_about_one_card_are_no_cards() -> None:
    leader = {"leader": {"id": "SOR_005", "count": 1}, "deck": [{"id": "SOR_046", "count": 3}]}
    found = read(json.dumps(leader), filename="x.json")
    assert [(one.count, one.id, one.section) for one in found.entries] == [
        (1, "sor_005", "leader"),
        (3, "sor_046", ""),
    ]


def test_two_lists_side_by_side_under_their_names_are_two_parts() -> None:
    """Both were one card's name: “Lightning Bolt 4 Smash to Smithereens”."""
    pairs = zip_longest(BURN, SIDE, fillvalue=("", ""))
    rows = "\n".join(f"{n}\t{name}\t{m}\t{other}" for (n, name), (m, other) in pairs)
    found = judged(f"Main\t\tSideboard\t\n{rows}\n", "magic")
    assert (told(found), held(found), held(found, "sideboard")) == (LEGAL, made(BURN), made(SIDE))


def test_a_sheet_without_counts_has_one_copy_a_row() -> None:
    """Its colors and stars were cards, 99 copies of each."""
    rows = "\n".join(f'"{name}",1,Instant,,2x2,117,common' for n, name in BURN for _ in range(n))
    found = judged(f"name,CMC,Type,Color,Set,Collector Number,Rarity\n{rows}\n", "magic", "burn.csv")
    assert (told(found), held(found)) == (LEGAL, made(BURN))
    assert "one copy" in found.deck_list.notes[0].message


def test_a_quotation_mark_that_nothing_closes_is_told_with_its_line() -> None:
    sheet = "Qty,Card\n" + lines(BURN, lambda n, name: f"{n},{name}")
    with pytest.raises(ListError, match="not closed") as refused:
        read(sheet.replace("4,Lightning", '4,"Lightning'), filename="x.csv")
    assert (refused.value.code, refused.value.line) == ("bad-table", 2)
    found = judged(sheet.replace("20,Mountain", '20,"Mountain\n'), "magic", "x.csv")
    assert [(one.line, one.code) for one in found.deck.unread] == [(12, "unread-line")]


def test_a_count_that_is_none_is_refused_with_its_card() -> None:
    file = '<cockatrice_deck version="1"><zone name="main"><card number="NaN" name="Rats"/></zone></cockatrice_deck>'
    with pytest.raises(ListError, match=r"^Rats: “NaN” is not a number"):
        read(file, filename="x.cod")


FORM = "Name: Ann Smith\nEvent: Store Open\nDate: 3.1.2016\n\n"


def test_the_name_of_an_event_is_no_card() -> None:
    """“Event” is a kind of card too, and the deck held an unknown one."""
    found = judged(f"{FORM}{RUNNER[0][1]}\n\n{lines(RUNNER[1:])}", "netrunner-standard")
    assert (told(found), held(found)) == (LEGAL, made(RUNNER))


BEHIND_X: dict[str, Say] = {
    "its set in square brackets": lambda n, name: f"{name} ×{n} [Core]",
    "a tick": lambda n, name: f"{name} x{n} ✓",
    "a remark": lambda n, name: f"{name} x{n} // good",
}


@pytest.mark.parametrize("habit", BEHIND_X)
@pytest.mark.parametrize("numbered", [False, True])
def test_what_is_said_behind_a_count_hides_it_from_nobody(habit: str, numbered: bool) -> None:
    """Names of one word were one copy, as were all behind a number."""
    rows = [BEHIND_X[habit](n, name) for n, name in CULT]
    text = "\n".join(f"{at}. {row}" for at, row in enumerate(rows, start=1)) if numbered else "\n".join(rows)
    assert (told(judged(text, "coc-lcg")), held(judged(text, "coc-lcg"))) == (LEGAL, made(CULT))


COUNTS_BEHIND: dict[str, Say] = {
    "brackets": lambda n, name: f"{name} ({n})",
    "a colon": lambda n, name: f"{name}: {n}",
    "a comma": lambda n, name: f"{name}, {n}",
    "brackets behind a box": lambda n, name: f"- [x] {name} ({n})",
}


@pytest.mark.parametrize("habit", COUNTS_BEHIND)
@pytest.mark.parametrize(
    ("law", "rows", "beside"),
    [("netrunner-standard", RUNNER, (2, "Diesel")), ("arkham", ROLAND, (1, "Shrivelling"))],
)
def test_counts_behind_the_names_are_read_where_the_first_line_has_its_own(
    law: str, rows: list[tuple[int, str]], beside: tuple[int, str], habit: str
) -> None:
    """“Beat Cop (2)” was its other level, “Yog.0 (1)” a heading, and what was only considered was in the deck."""
    say = COUNTS_BEHIND[habit]
    text = f"1x {rows[0][1]}\n\nDeck\n{lines(rows[1:], say)}\n\nMaybe\n{say(*beside)}\n"
    found = judged(text, law)
    assert (told(found), held(found)) == (LEGAL, made(rows))


def test_the_number_of_a_printing_is_no_level() -> None:
    found = judged(f"Roland Banks\n\n{lines(ROLAND[1:], lambda n, name: f'{n}x {name} #12')}", "arkham")
    assert (told(found), held(found)) == (LEGAL, made(ROLAND))


@pytest.mark.parametrize(
    "line", ["Anbei meine Liste:", "Here is my deck:", "Voici ma liste :", "My final list"]
)
def test_the_line_that_announces_a_deck_opens_it(line: str) -> None:
    found = judged(f"Hallo,\n\n{line}\n\nRoland Banks\n\n{lines(ROLAND[1:])}", "arkham")
    assert (told(found), held(found)) == (LEGAL, made(ROLAND))
    below = judged(f"Deck\n{lines(CULT)}\n\nMy buy list:\n3x Magah Bird\n", "coc-lcg")
    assert told(below)[0] == "unverified"


def test_a_list_of_which_no_line_could_be_read_is_not_surely_empty() -> None:
    rows = lines(ROLAND[1:], lambda n, name: f"+{n} {name}")
    assert told(judged(f"1x Roland Banks\n\n{rows}", "arkham"))[0] == "unverified"
