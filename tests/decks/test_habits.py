"""One deck of each game, written as people write decks: whatever the habit, the verdict is the deck's."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from decks.cards import catalog_files, sources
from decks.cards.index import CardFacts, CatalogIndex
from decks.judging.judgement import Judgement, judge
from decks.law import format_files
from decks.lists import read
from tests.decks.conftest import FILLERS, some_cards

Rows = list[tuple[int, str]]


def judged(text: str | bytes, law: str, catalog: CatalogIndex | None = None, **overrides: Any) -> Judgement:
    listed = read(text)
    snapshot = format_files.snapshot(law, overrides=overrides, choices=listed.choices)
    return judge(listed, snapshot, catalog or known_to_us(snapshot.game))


@cache
def known_to_us(game: str) -> CatalogIndex:
    """A partial catalog, where what no one knows stays open, but for Codex."""
    return catalog_files.shipped_index(game) if game == "codex" else some_cards(game)


def told(judgement: Judgement) -> tuple[str, list[str]]:
    return judgement.report.verdict.value, sorted({finding.code for finding in judgement.report.findings})


LEGAL: tuple[str, list[str]] = ("legal", [])

# --- Call of Cthulhu LCG -------------------------------------------------------------------------------

DECK: Rows = [(3, name) for name in FILLERS[:16]] + [(2, FILLERS[16])]
PARTS = (("Characters", DECK[:10]), ("Support", DECK[10:14]), ("Events", DECK[14:]))

ONE_LINE_EACH = [
    "{n}x {name}", "{n} {name}", "{n}X {name}", "{n} x {name}", "{n}x{name}", "x{n} {name}", "{name} x{n}",
    "{name} (x{n})", "{name} ({n})", "{name} [{n}]", "{name} - {n}", "{name}: {n}", "{name}, {n}", "{name} {n}",
    "{name} ..... {n}", "{name} *{n}", "{name}\t{n}", "{n}\t{name}", "{n}. {name}", "{n}) {name}", "{n}: {name}",
    "{n}, {name}", "{n} - {name}", "{n}-{name}", "[{n}] {name}", "({n}) {name}", "| {n} | {name} |", "| {name} | {n} |",
    "- {n}x {name}", "* {name} x{n}", "•{n}x {name}", "- [ ] {n}x {name}", "{n} copies of {name}", "[b]{n}x[/b] {name}",
    "<li>{n}x {name}</li>", "{n}x {name} (Core Set F12)", "{n}x {name} F12", "{n}x {name} // strong", "{n}x {name} # ?",
    "{n}x **{name}**", "- **{n}x** {name}", "\u200f{n}x {name}\u200e", '{n}x "{name}"', "{n}× {name}", "０{n} {name}",
]  # fmt: skip


def lines(rows: Rows, line: str) -> str:
    return "\n".join(line.format(n=count, name=name) for count, name in rows)


def under_headings(heading: str, line: str, between: str = "\n") -> str:
    return between.join(
        heading.format(name=name, total=sum(n for n, _ in rows)) + "\n" + lines(rows, line)
        for name, rows in PARTS
    )


ARRANGED: list[Callable[[str], str]] = [
    lambda line: lines(DECK, line),
    lambda line: "My best deck\n\n" + lines(DECK, line),
    lambda line: "Deck: Best\nTotal: 50\n" + lines(DECK, line) + "\n\nI like it.\n",
    lambda line: "Best\nPlayer: Ann\nDate: 2013-10-01\n\n" + lines(DECK, line),
    lambda line: under_headings("{name} ({total})", line, "\n\n"),
    lambda line: under_headings("{name}: {total}", line),
    lambda line: under_headings("{name}:", line),
    lambda line: under_headings("{name}", line),
    lambda line: under_headings("### {name}", line),
    lambda line: under_headings("== {name} ==", line),
    lambda line: lines(DECK, line).upper(),
    lambda line: lines(DECK, line).replace("'", "’"),
]


@pytest.mark.parametrize("line", ONE_LINE_EACH)
def test_a_legal_deck_is_legal_in_every_habit(line: str) -> None:
    for number, arranged in enumerate(ARRANGED):
        judgement = judged(arranged(line), "coc-lcg")
        assert (told(judgement), judgement.deck_list.count) == (LEGAL, 50), (number, judgement.deck_list)


@pytest.mark.parametrize(
    "text",
    [
        ", ".join(f"{n}x {name}" for n, name in DECK),
        ", ".join(f"{n} {name}" for n, name in DECK),
        ", ".join(f"{name} x{n}" for n, name in DECK),
        " ".join(f"{n}x {name}" for n, name in DECK),
        " and ".join(f"{n}x {name}" for n, name in DECK),
        "\n".join(f"{at}. {n}x {name}" for at, (n, name) in enumerate(DECK, start=1)),
        "\n".join(f"{at}) {name} x{n}" for at, (n, name) in enumerate(DECK, start=1)),
        "\n".join(name for n, name in DECK for _ in range(n)),
        "\n".join(f"{name}: " + ", ".join(f"{n}x {card}" for n, card in rows) for name, rows in PARTS),
        "\n".join(f"{name}: " + ", ".join(f"{n} {card}" for n, card in rows) for name, rows in PARTS),
        "count,name,section,hint\r\n" + "\r\n".join(f'{n},"{name}",,' for n, name in DECK),
        "Qty;Card;Set\n" + "\n".join(f"{n};{name};Core" for n, name in DECK),
        "Name\tQuantity\n" + "\n".join(f"{name}\t{n}" for n, name in DECK),
        "| Qty | Card |\n|-----|------|\n" + "\n".join(f"| {n} | {name} |" for n, name in DECK),
        "<ul>" + "".join(f"<li>{n}x {name.replace(chr(39), '&#39;')}</li>" for n, name in DECK) + "</ul>",
        "Agency\n" + lines(DECK[:5], "{n}x {name}") + "\nMiskatonic University\n" + lines(DECK[5:], "{n}x {name}"),
        "Ann wrote:\n" + lines(DECK, "> * {n} of {name}") + "\n>\n",
        "[list]\n" + lines(DECK, "[*]{n}x [card]{name}[/card] [i](Core Set F12)[/i]") + "\n[/list]",
        "Hastur / Neutral -- total 50\n" + lines(DECK, "{name} ..... {n}"),
        "Qty\tCard\tType\n" + lines(DECK, "{n}\t{name}\tEvent") + "\n50\tTotal\t",
        lines(DECK, '"{name}";{n};"Core"'), lines(DECK, "\t{n}x\t{name}\t"),
        lines(DECK, "{n}\t{name}\tHastur\tEvent"),
        "| # | Card | Set |\n|---|:----|-----|\n" + lines(DECK, "| {n} | {name} | Core |"),
        "\n".join(f"{name} ({sum(n for n, _ in rows)}): " + ", ".join(f"{card} x{n}" for n, card in rows)
                  for name, rows in PARTS),
    ],
)  # fmt: skip
def test_a_legal_deck_is_legal_in_every_arrangement(text: str) -> None:
    assert told(judged(text, "coc-lcg")) == LEGAL


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Dynasty (5)\nHoldings (3)\n3x A\nPersonalities: 2\n2x B\nFate\n9x C", []),
        ("Skills (3)\n3x A\nWeakness\n1x B", []),
        ("Skills (4)\n3x A\n\nWeakness\n2x B", ["It says 4 cards; the lines make 3."]),
        ("Events (4): A x3, B x2", ["It says 4 cards; the lines make 5."]),
        ("Qty,Card\n3,A\n2,B\n6,Total", ["It says 6 cards; the lines make 5."]),
    ],
)
def test_a_total_is_that_of_a_heading_or_of_those_under_it(text: str, wrong: list[str]) -> None:
    assert [note.message for note in read(text).notes if note.code == "wrong-total"] == wrong


def test_a_sheet_with_two_columns_of_numbers_is_not_guessed_at() -> None:
    assert read("Rats;2;3\nDogs;1;3\nCats;4;2").kind == "text"


def whole_catalog() -> CatalogIndex:
    facts = [
        CardFacts(card.title, card.key, card.facts, ()) for card in catalog_files.shipped_index("coc-lcg")
    ]
    return CatalogIndex(facts, game="coc-lcg", name="", partial=False, version="1")


def test_a_counted_name_over_no_card_is_told_and_not_taken_for_an_empty_heading() -> None:
    text = lines(DECK, "{n}x {name}") + "\n\nGhoul Khanum: 3\n"
    verdict, codes = told(judged(text, "coc-lcg"))
    assert (verdict, codes) == ("unverified", ["unread-line"])
    assert told(judged(lines(DECK, "{n}x {name}") + "\n\nEvents: 0\n", "coc-lcg")) == LEGAL


def test_a_card_that_could_be_the_heading_of_as_many_under_it_is_asked_about() -> None:
    (count, name), *others = DECK
    text = f"{lines(others, '{n}x {name}')}\n\n{name}: {count}\n3x Ghoul Taint\n"
    judgement = judged(text, "coc-lcg")
    assert [one.text for one in judgement.deck.unread if one.code == "unread-line"] == [f"{name}: {count}"]


@pytest.mark.parametrize(
    ("heading", "section"),
    [("Sideboard", "sideboard"), ("Maybe:", "considered"), ("Raus (1)", "considered"), ("Events", "deck")],
)
def test_a_name_without_a_count_is_where_its_heading_says(heading: str, section: str) -> None:
    found = judged(f"{lines(DECK, '{n}x {name}')}\n\n{heading}\nEndless Interrogation\n", "coc-lcg")
    assert found.deck.entries[-1].section == section
    assert (told(found) == LEGAL) == (section == "considered")


def test_a_number_among_names_without_one_is_their_count() -> None:
    text = (
        "3 Shotgun Blast\n607 Walter Street\n7 Thomas Street (Core Set)\nMagah Bird 3\nzwei Byakhee Attack\n"
    )
    entries = judged(text, "coc-lcg", whole_catalog()).deck.entries
    assert [(one.count, one.name) for one in entries if one.card] == [
        (3, "Shotgun Blast"), (1, "607 Walter Street"), (1, "7 Thomas Street"), (3, "Magah Bird"),
        (2, "Byakhee Attack"),
    ]  # fmt: skip


def test_a_count_in_words_is_a_count() -> None:
    words = {3: "three {name}", 2: "two copies of {name}"}
    assert told(judged("\n".join(words[n].format(name=name) for n, name in DECK), "coc-lcg")) == LEGAL
    some = "\n".join([lines(DECK[1:], "{n}x {name}"), words[3].format(name=DECK[0][1])])
    assert told(judged(some, "coc-lcg")) == LEGAL


def test_a_word_that_nobody_knows_is_no_heading_of_the_deck() -> None:
    top, below = lines(DECK[:9], "{n}x {name}"), lines(DECK[9:], "{n}x {name}")
    assert told(judged(f"{top}\nVerschwörungen\n{below}", "coc-lcg")) == LEGAL
    for mark, catalog in (
        ("Zeugs:", None),
        ("Zeugs (23)", None),
        ("\nZeugs", None),
        ("Zeugs", whole_catalog()),
    ):
        found = judged(f"{top}\n{mark}\n{below}", "coc-lcg", catalog)
        assert told(found) == ("unverified", ["unknown-heading"]), mark
        assert found.report.findings[0].remedy.startswith("Write “Deck” over these cards")
    assert told(judged(f"{top}\nZeugs\n{below}", "coc-lcg")) == ("unverified", ["unread-line"])  # or a card
    near = f"{top}\n{DECK[0][1][:-1]}\n{below}"  # or one whose count is missing
    assert told(judged(near, "coc-lcg", whole_catalog())) == ("unverified", ["unread-line"])


def changed(old: str, new: str) -> str:
    text = lines(DECK, "{n}x {name}") + "\n"
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "verdict", "codes"),
    [
        (changed("3x Repo Man", "2x Repo Man"), "illegal", ["too-few-cards"]),
        (changed("3x Repo Man", "4x Repo Man"), "illegal", ["too-many-copies"]),
        (changed("3x Repo Man", "2x Repo Man\n2x Repo Man"), "illegal", ["too-many-copies"]),
        (changed("3x Repo Man", "2x Repo Man\n1x repo man"), "legal", []),
        (changed("3x Repo Man", "Repo Man"), "illegal", ["too-few-cards"]),  # one copy, and that is said
        (changed("3x Repo Man", "Repo Man - 3"), "legal", []),
        (changed("3x Repo Man", "Repo Man (3)"), "legal", []),
        (changed("3x Repo Man", "3x Magah Bird"), "illegal", ["banned"]),
        (changed("3x Repo Man", "3x Museum Curator"), "legal", []),
        (changed("3x Repo Man", "2x Museum Curator\n1x Itinerant Scholar"), "illegal", ["restricted"]),
        (changed("3x Repo Man", "3x Marcus Jamberg, Finder of Lost Things"), "legal", []),
        (changed("3x Repo Man", "3x Marcus Jamberg, Crazed Sailor"), "legal", ["unknown-subtitle"]),
        (changed("3x Repo Man", "3x Frozen in Time"), "illegal", ["wrong-type"]),
        (changed("3x Repo Man", "3x Decrepit Mausoleum"), "illegal", ["not-in-pool", "unknown-type"]),
        (changed("3x Repo Man", "3x Lightning Bolt"), "unverified", ["unknown-card"]),
        (changed("3x Repo Man", "3x Repo Mann"), "unverified", ["unknown-card"]),
        (
            changed("3x Repo Man", "2x Julia Brown (Insomniac)\n2x Julia Brown"),
            "illegal",
            ["too-many-copies"],
        ),
        (changed("3x Repo Man", "3x Jack Brady"), "legal", []),
        (changed("3x Repo Man", "3x DoppelgÃ¤nger"), "legal", []),
        (changed("3x Repo Man", "3x Doppelgaenger"), "legal", []),
        (changed("3x Repo Man", "3x Por XV 1419"), "legal", []),
        (changed("3x Repo Man", "3x repoman"), "legal", []),
        (changed("3x Repo Man", "3x The Repo Man"), "legal", []),
        (changed("\n2x", "\nTotal: 51\n2x"), "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "Sideboard\n1x Basilisk", "illegal", ["too-many-cards"]),
        (
            changed("3x Repo Man", "3x Repo Man") + "Sideboard (1):\n1x Basilisk",
            "illegal",
            ["too-many-cards"],
        ),
        (changed("3x Repo Man", "3x Repo Man") + "SB: 1x Basilisk", "illegal", ["too-many-cards"]),
        (changed("3x Repo Man", "3x Repo Man") + "// Sideboard\n1x Basilisk", "illegal", ["too-many-cards"]),
        (changed("3x Repo Man", "3x Repo Man") + "사이드보드:\n1x Basilisk", "illegal", ["too-many-cards"]),
        (changed("3x Repo Man", "3x Repo Man") + "Beilage:\n1x Basilisk", "illegal", ["too-many-cards"]),
        (changed("3x Repo Man", "3x Repo Man") + "; Sideboard: 1x Basilisk", "illegal", ["too-many-cards"]),
        (changed("3x Repo Man", "3x Repo Man") + "Maybeboard (3)\n3x Magah Bird", "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "고민 중:\n3x Magah Bird", "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "Peut-être\n3x Magah Bird", "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "Maybeboard:\n4x Nobody Knows", "legal", []),
        # Sure is only what is wrong whether these cards are in the deck or not.
        (
            changed("3x Repo Man", "3x Repo Man") + "Zeugs:\n3x Magah Bird",
            "unverified",
            ["banned", "unknown-heading"],
        ),
        (
            changed("3x Repo Man", "3x Magah Bird") + "Zeugs:\n1x Basilisk",
            "illegal",
            ["banned", "unknown-heading"],
        ),
        (changed("3x Repo Man", "Zeugs:\n3x Repo Man"), "unverified", ["unknown-heading"]),
        (
            changed("3x Repo Man", "3x Repo Man") + "Extra Deck:\n1x Basilisk",
            "unverified",
            ["unknown-heading"],
        ),
        (changed("3x Repo Man", "3x Repo Man\n-2x Basilisk"), "unverified", ["unread-line"]),
        (changed("3x Repo Man", "3 Stk. Repo Man"), "legal", []),
        (changed("3x Repo Man", "Repo Man 3장"), "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "Story Deck\n1x Frozen in Time", "legal", []),
        (changed("3x Repo Man", "3x Repo Man") + "1x Jaina Stormborne", "unverified", ["unknown-card"]),
        (changed("3x Repo Man", "Mystery Meat\n3x Repo Man"), "unverified", ["unread-line"]),
        (
            "Dynamite\n" + changed("3x Repo Man", "3x Repo Man"),
            "unverified",
            ["unread-line"],
        ),  # name, or card?
        ("Dynamite\n\n" + changed("3x Repo Man", "3x Repo Man"), "legal", []),
    ],
)
def test_what_is_wrong_with_a_deck_is_told_and_nothing_else(
    text: str, verdict: str, codes: list[str]
) -> None:
    assert told(judged(text, "coc-lcg")) == (verdict, codes)


SET_APART = ["Lent out", "In the binder", "Trade fodder", "여분", "Reserviert für Kai", "En duda", "予備の札"]
SHAPES = [
    "{w}", "{w}:", "{w} :", "[{w}]", "({w})", "<{w}>", "{w} (2)", "{w}(2)", "{w} (2):", "{w} [2]", "{w} 2", "{w} = 2",
    "{w} - 2", "{w} 2장", "2 {w}", "{w} x2", "1) {w}", "2. {w}", "A. {w}", "== {w} ==", "*{w}*", "**{w}**", "__{w}__",
    "- {w} -", "--{w}", "#{w}", "## {w}", "// {w}", "; {w}", "/* {w} */", "> {w}", "• {w}", "{w}...", "{w} ->",
    "『{w}』", "{w}\n-------",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_cards_under_a_heading_that_nobody_knows_never_join_the_deck_in_silence(
    shape: str, between: str
) -> None:
    """One of them is banned: the deck is illegal for it alone only if it says so of the heading's line as well."""
    for word in SET_APART:
        text = (
            lines(DECK, "{n}x {name}")
            + between
            + shape.format(w=word)
            + "\n1x Endless Interrogation\n1x Byakhee"
        )
        verdict, found = told(judged(text, "coc-lcg"))
        assert (verdict, found) != ("illegal", ["banned"]), text


# --- Codex ---------------------------------------------------------------------------------------------


def written_out(specs: str, starter: str, line: str = "{n}x {name}") -> str:
    catalog = catalog_files.shipped_index("codex")
    sets = [*specs.split("/"), f"{starter} Starter"]
    cards = [card for one in sets for card in catalog.with_fact("comes-with", one)]
    return lines([(int(card.facts["copies"]), card.title) for card in cards], line)


FULL = written_out("Fire/Growth/Finesse", "Red")
FULL_OF = dict(
    zip(
        ("Fire", "Growth", "Finesse", "Starter deck"),
        ("\n".join(FULL.split("\n")[at : at + 12]) for at in (0, 12, 24, 36)),
        strict=True,
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "[Fire/Growth/Finesse] + Red", "Fire/Growth/Finesse+red starter", "Fire/Growth/Finesse/Red",
        "[Fire]/Growth/Finesse", "Growth/Finesse/[Fire]", "Burn: [Fire]/Growth/Finesse", "Fire, Growth, Finesse + Red",
        "My deck\n[Fire/Growth/Finesse] + Red", "Fire, Growth, Finesse, Red starter", "Fire Growth Finesse Red",
        "Fire\nGrowth\nFinesse\nRed", "1x Fire\n1x Growth\n1x Finesse\n1x Red Starter Deck",
        "Specs: Fire, Growth, Finesse\nStarter: Red", "Spec 1: Fire\nSpec 2: Growth\nSpec 3: Finesse\nStarter: Red",
        "Heroes: Jaina, Argagarg, River\nStarter deck: Red", "Red starter: Fire/Growth/Finesse",
        "Starter: Red\nHeroes:\n- Jaina Stormborne\n- Argagarg Garg\n- River Montoya",
        "Player: Ann\nSpecs: Fire, Growth, Finesse\nStarter: Red", "Fire/Growth/Finesse (Red starter)",
        "Red starter. Fire, Growth, Finesse.", "Finesse, Fire & Growth with the red starter deck",
        "My deck is [color=red][Fire/Growth/Finesse][/color] with Red starter",
        "Ann's codex\nMixed: Fire / Growth / Finesse\nStarter: Red", "(Fire)/(Growth)/Finesse with Red starter",
        "My deck: [Fire]/[Growth]/[Finesse], starter: red",
        "Fire/Growth/Finesse with the Red starter", "［Fire／Growth／Finesse］＋Red",
        "Hi,\nmy deck for Saturday is:\n\n[Fire/Growth/Finesse] + Red\n\nthanks, Jo",
        "\n\n".join(f"{one}\n{FULL_OF[one]}" for one in FULL_OF),
        FULL, written_out("Fire/Growth/Finesse", "Red", "{name} x{n}"), "1x Jaina Stormborne\n" + FULL,
    ],
)  # fmt: skip
def test_a_codex_in_one_breath_or_with_its_82_cards_is_the_same_deck(text: str) -> None:
    judgement = judged(text, "codex")
    assert told(judgement) == LEGAL
    assert judgement.hash == judged("[Fire/Growth/Finesse] + Red", "codex").hash


@pytest.mark.parametrize(
    "text",
    [
        "Mono-Green", "mono green", "MonoGreen deck", "My codex: Mono-Green", "Mono-Green + Green starter",
        "Mono-Green\nStarter: Green", "Ann\n\nMono-Green",
    ],
)  # fmt: skip
def test_a_codex_of_one_colour_is_its_three_specialties(text: str) -> None:
    judgement = judged(text, "codex")
    assert told(judgement) == LEGAL
    assert judgement.hash == judged("[Balance/Feral/Growth] + Green", "codex").hash


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (written_out("Fire/Growth/Finesse", "Black"), ["wrong-starter"]),
        (written_out("Fire/Growth/Law", "Neutral"), ["wrong-starter"]),
        (written_out("Fire/Growth", "Red"), ["too-few-specialties"]),
        (written_out("Fire/Growth/Finesse/Law", "Red"), ["too-many-specialties"]),
        (FULL.replace("2x ", "1x ", 1), ["wrong-contents"]),
        (FULL.replace("2x ", "3x ", 1), ["wrong-contents"]),
        (FULL.split("\n", 1)[1], ["wrong-contents"]),
        ("\n".join(FULL.split("\n")[:36]), ["too-few-starters"]),
        (FULL + "\n2x Soul Stone", ["not-a-specialty"]),
        (FULL + "\n1x Lightning Bolt", ["unknown-card"]),
        ("Specs: Fire, Growth, Finesse\nStarter: Red, Green", ["too-many-starters"]),
        ("[Fire/Grwoth/Finesse] + Red", ["too-few-specialties", "unknown-card"]),
        ("[Fire/Growth/Finesse] + Red\n1x Nautical Dog", ["not-a-specialty"]),
        ("Mono-Green + Blue starter", ["wrong-starter"]),
        ("Mono-Green\nLaw", ["too-many-specialties"]),
    ],
)
def test_a_codex_that_is_not_whole(text: str, codes: list[str]) -> None:
    assert told(judged(text, "codex")) == ("illegal", codes)


def test_a_codex_that_is_not_whole_says_which_card() -> None:
    first = FULL.split("\n")[0].removeprefix("2x ")
    short = judged(FULL.replace("2x ", "1x ", 1), "codex")
    (finding,) = short.report.findings
    assert short.hash != judged(FULL, "codex").hash  # it is another deck
    assert (finding.cards[0].name, finding.have, finding.allowed) == (first, 23, 24)
    assert f"1 copy of {first} instead of 2" in finding.message
    assert finding.rule == "CODEX-DECK-05"


# --- Legend of the Five Rings --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crab(shared: Path) -> dict[str, Rows]:
    (path,) = (shared / "data/cards/l5r/egg_of_panku_decks").glob("*Crab*.l5d")
    rows: dict[str, Rows] = {}
    for entry in judged(path.read_bytes(), "l5r-ccg").deck.entries:
        rows.setdefault(entry.section, []).append((entry.count, entry.name))
    return rows


def l5r(crab: dict[str, Rows], frame: str, line: str = "{n} {name}") -> str:
    parts = {part.replace("-", "_"): lines(rows, line) for part, rows in crab.items()}
    return frame.format(**parts, castle=crab["pre-game"][0][1])


L5R_FRAMES = [
    "{pre_game}\n{dynasty}\n{fate}",
    "Stronghold\n{pre_game}\n\nDynasty (40)\n{dynasty}\n\nFate (40)\n{fate}",
    "Stronghold: {castle}\nDynasty:\n{dynasty}\nFate:\n{fate}",
    "{castle}\n\nDynasty Deck\n{dynasty}\nFate Deck\n{fate}",
    "Crab starter\nby Bob\n\nStronghold\n{castle}\n\n== Dynasty ==\n{dynasty}\n\n== Fate ==\n{fate}",
]


@pytest.mark.parametrize("frame", L5R_FRAMES)
@pytest.mark.parametrize("line", ["{n} {name}", "{n}x {name}", "{name} x{n}", "{name} - {n}", "- {n} {name}"])
def test_a_starter_deck_is_legal_in_every_habit(crab: dict[str, Rows], frame: str, line: str) -> None:
    assert told(judged(l5r(crab, frame, line), "l5r-ccg")) == LEGAL


def test_experienced_is_spelt_in_many_ways(crab: dict[str, Rows]) -> None:
    text = l5r(crab, L5R_FRAMES[0])
    assert "Clan - exp" in text
    for spelt in ("Clan (Experienced)", "Clan, Experienced", "Clan exp", "Clan - Experienced"):
        assert told(judged(text.replace("Clan - exp", spelt), "l5r-ccg")) == LEGAL, spelt


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("3 Hida Gojiro", "2 Hida Gojiro", ["too-few-cards"]),
        ("3 Hida Gojiro", "4 Hida Gojiro", ["too-many-copies"]),
        ("1 The Impregnable Fortress of the Crab", "", ["too-few-strongholds"]),
    ],
)
def test_a_starter_deck_made_wrong(crab: dict[str, Rows], old: str, new: str, codes: list[str]) -> None:
    text = l5r(crab, L5R_FRAMES[0])
    assert old in text
    assert told(judged(text.replace(old, new), "l5r-ccg")) == ("illegal", codes)


# --- Arkham --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arkham(shared: Path) -> CatalogIndex:
    source = sources.read(sources.gathered(shared / "data/cards/arkham_lcg/arkhamdb"))
    return CatalogIndex(source.cards, game="arkham", name="Arkham", partial=True, version="collected")


FIXTURES = {"base_case": "legal", "covenant": "legal", "mandy": "legal", "required_missing_signature": "illegal",
            "limit_dunwich_invalid": "illegal", "mandy_too_few_cards": "illegal"}  # fmt: skip
ARKHAM_FRAMES = [
    "{leader}\n\n{choices}{deck}",
    "Investigator: {leader}\n{choices}{deck}",
    "{leader}\nGuardian deck\n\nInvestigator: {leader}\n{choices}{deck}",
    "# mine\n{leader}\n\nInvestigator: {leader}\n{choices}{deck}",
    "1x {leader}\n{choices}{deck}",
    "{leader} (Core Set)\n\n{choices}{deck}",
    "My deck\n\nInvestigator: {leader}\n33 cards\nPacks: from Core Set to Core Set\n{choices}\n{deck}",
]


@pytest.mark.parametrize("name", FIXTURES)
@pytest.mark.parametrize(
    ("level", "line"),
    [
        ("({l})", "{n}x {name}"),
        ("[{l}]", "{n} {name}"),
        ("(Level {l})", "{name} x{n}"),
        ("({l} XP)", "{n}x {name} (Core Set)"),
        ("({l}) (The Dunwich Legacy)", "{n}x {name}"),
    ],
)
def test_an_investigators_deck_as_text_has_the_verdict_it_has_as_data(
    shared: Path, arkham: CatalogIndex, name: str, level: str, line: str
) -> None:
    folder = shared / "data/cards/arkham_lcg/decks_arkham_build_fixtures/validation"
    known = judged((folder / f"{name}.json").read_bytes(), "arkham", arkham)
    assert known.report.verdict == FIXTURES[name]
    cards = [
        (entry.count, entry.card.facts)
        for entry in known.deck.entries
        if entry.card and entry.section != "aside"
    ]
    leader = next(str(facts["called"]) for _n, facts in cards if facts["type"] == "investigator")
    rows = []
    for count, facts in cards:
        if facts["type"] != "investigator":
            said = f" {level.format(l=facts['level'])}" if facts.get("level") else ""
            rows.append((count, f"{facts['name']}{said}"))
    chosen = known.deck_list.choices
    words = {"deck_size_selected": "Deck size", "faction_selected": "Secondary class"}
    choices = "".join(f"{words[word]}: {chosen[word].capitalize()}\n" for word in words if word in chosen)
    overrides = {"list": chosen["taboo"]} if "taboo" in chosen else {}
    for frame in ARKHAM_FRAMES:
        text = frame.format(leader=leader, deck=lines(rows, line), choices=choices)
        assert told(judged(text, "arkham", arkham, **overrides)) == told(known), (frame, text)


@pytest.mark.parametrize(
    ("said", "key", "verdict"),
    [
        ("Taboo: 2019-09-27", "2", "legal"),
        ("taboo list: 2", "2", "legal"),
        ("Taboos: none", "none", "legal"),
        ("Taboo: 2031-01-01", "none", "unverified"),  # not silently without taboos
    ],
)
def test_a_list_in_words_names_the_taboos_it_keeps_to(
    shared: Path, arkham: CatalogIndex, said: str, key: str, verdict: str
) -> None:
    folder = shared / "data/cards/arkham_lcg/decks_arkham_build_fixtures/validation"
    deck = judged((folder / "base_case.json").read_bytes(), "arkham", arkham).deck
    text = lines([(one.count, one.name) for one in deck.entries if one.section != "aside"], "{n}x {name}")
    listed = read(f"{said}\n{text}")
    snapshot = format_files.snapshot("arkham", choices=listed.choices)
    assert snapshot.period.list_key == key
    assert judge(listed, snapshot, arkham).report.verdict == verdict


def test_a_level_that_a_card_does_not_have_is_not_another_level(arkham: CatalogIndex) -> None:
    judgement = judged("2x Deduction (2)\n2x Deduction\n2x Deduction (4)\n1x Charisma", "arkham", arkham)
    assert [entry.card and entry.card.title for entry in judgement.deck.entries] == [
        "Deduction (2)",
        "Deduction",
        None,
        "Charisma (3)",
    ]


@pytest.mark.parametrize(
    ("written", "entries"),
    [
        ("[ ] 2 Shotgun\n[x] 3x Dynamite\n[ ] Bloodbath x1", [(2, "Shotgun"), (3, "Dynamite"), (1, "Bloodbath")]),
        ("- 2x **Shotgun (2 influence each)**\n- 3x **Dynamite (Core Set)**", [(2, "Shotgun"), (3, "Dynamite")]),
        ("3x *Dynamite (Core Set)*\n2x __Shotgun [CS]__", [(3, "Dynamite"), (2, "Shotgun")]),
    ],
)  # fmt: skip
def test_a_list_to_tick_off_and_brackets_in_bold_type(written: str, entries: list[tuple[int, str]]) -> None:
    assert [(entry.count, entry.name) for entry in read(written).entries] == entries
