"""A Game of Thrones 2: boxed and champions' decks, each agenda's rule broken once, every list entry by entry."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from decks.cards import catalog_files, sources
from decks.judging.judgement import judge
from decks.law import format_files
from decks.lists import read

WORKED = strict_yaml.load((Path(__file__).parent / "worked" / "agot2.yaml").read_text(), name="agot2.yaml")
CORE = {one["name"] for one in WORKED if one["name"].endswith("(Core)")}
# What throneteki-deck-helper 2.7.0 lets through by the list of July 2026, besides the rules.
LEGAL_IN_2026 = {
    "Wolves of Winter (WotN)",
    "Family, Duty, Honor (WotN)",
    "Taking the Black (WotW)",
    "His Viper Eyes (SoD)",
    "House Lannister Intro Deck",
    "House Baratheon Intro Deck",
}


def text_of(deck: dict[str, Any], **changes: str) -> str:
    said = {**deck, **changes}
    out = [f"Faction\n1x {said['faction']}", f"Agenda\n1x {said['agenda']}" if said["agenda"] else ""]
    for heading, rows in (("Deck", said["cards"]), ("Plots", said["plots"])):
        out.append("\n".join([heading, *(row.replace(" ", "x ", 1) for row in rows)]))
    return "\n\n".join(out)


def told(text: str, law: str = "agot2", on: str = "2026-08-01") -> tuple[str, set[str]]:
    listed = read(text)
    snapshot = format_files.snapshot(law, date.fromisoformat(on), choices=listed.choices)
    report = judge(listed, snapshot, catalog_files.shipped_index("agot2")).report
    return report.verdict.value, {finding.code for finding in report.findings}


@pytest.mark.parametrize("deck", WORKED, ids=lambda deck: deck["name"])
def test_a_boxed_deck_by_the_rules_of_its_day_and_by_the_list_of_2026(deck: dict[str, Any]) -> None:
    """Four decks of the first box have fewer than 60 cards, and loyal ones of both factions."""
    basic = ("illegal", {"too-few-cards", "not-allowed-here"}) if deck["name"] in CORE else ("legal", set())
    verdict, codes = told(text_of(deck), on=str(deck["on"]))
    assert (verdict, codes - {"too-few-banner-cards"}) == basic
    assert (told(text_of(deck), "agot2-joust")[0] == "legal") == (deck["name"] in LEGAL_IN_2026)


def deck(faction: str, agenda: str, *cards: str, size: int = 60, plots: tuple[str, ...] = ()) -> str:
    """A deck of these cards, filled up with unremarkable ones of its faction and neutral plots."""
    index = catalog_files.shipped_index("agot2")
    leader = index.named(faction)
    assert leader is not None
    rows = list(cards)
    have = sum(int(row.split("x ")[0]) for row in rows)
    for card in sorted(index, key=lambda card: card.title):
        facts = card.facts
        plain = (
            facts.get("type") in ("location", "character")
            and facts.get("limited") is None
            and facts["called"] == card.title
            and "versions" not in facts
        )
        own = (
            facts.get("faction") == leader.facts["faction"]
            and facts.get("limit") == 3
            and not facts.get("loyal")
        )
        if plain and own and have < size and not any(card.title in row for row in rows):
            rows.append(f"{min(3, size - have)}x {card.title}")
            have += min(3, size - have)
    assert have == size, have
    filling = ["Trading with the Pentoshi", "Marched to the Wall", "Calm Over Westeros", "Confiscation",
               "Building Orders", "Summons", "Filthy Accusations"]  # fmt: skip
    said = list(plots)
    for one in filling:
        if sum(int(row.split("x ")[0]) for row in said) < 7 and not any(one in row for row in plots):
            said.append(f"1x {one}")
    return "\n".join(
        [f"Faction\n1x {faction}\n", f"Agenda\n1x {agenda}\n", "Deck", *rows, "", "Plots", *said]
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (deck("House Stark", "Fealty", "3x Hedge Knight"), ""),
        (deck("House Stark", "Fealty", "3x Hedge Knight", size=59), "too-few-cards"),
        (deck("House Stark", "Fealty", "4x Hedge Knight"), "too-many-copies"),
        (deck("House Stark", "Fealty", "3x Great Kraken"), "not-allowed-here"),
        (deck("House Stark", "Banner of the Kraken", "3x Great Kraken"), "too-few-banner-cards"),
        (deck("House Stark", "Alliance", size=74), "too-few-cards"),
        (deck("House Stark", "The Long Voyage", size=60), "too-few-cards"),
        (deck("House Stark", "Kings of Summer", plots=("1x Famine",)), "too-many-winter-plots"),
        (deck("House Stark", "Kings of Winter", plots=("1x Summer Harvest",)), "too-many-summer-plots"),
        (deck("House Stark", '"The Rains of Castamere"'), "too-few-scheme-plots"),
        (deck("House Stark", "The Conclave"), "too-few-maesters"),
        (deck("House Stark", "The White Book"), "too-few-kingsguard"),
        (deck("House Stark", "The Free Folk (MoD)"), "not-allowed-here"),
        (deck("House Stark", "Battle of the Trident"), "too-many-other-plots"),
        (deck("House Stark", "Fealty\n1x Banner of the Kraken"), "too-many-cards"),
        (deck("House Stark", "Fealty", plots=("2x Summons", "2x Confiscation")), "too-few-different-plots"),
        (deck("House Stark", "Fealty", plots=("1x Summons",)).replace("1x Building Orders\n", ""), "too-few-cards"),
        (deck("House Stark", "Fealty", "1x Treaty"), "too-many-cards"),  # an agenda, wherever it stands
    ],
)  # fmt: skip
def test_each_rule_is_found(text: str, code: str) -> None:
    verdict, found = told(text)
    assert (code in found) if code else (verdict, found) == ("legal", set())
    assert verdict == ("illegal" if code else "legal")


def test_copies_count_by_name_whatever_the_version() -> None:
    rows = ("2x Littlefinger (Core Set)", "2x Littlefinger (AtG)")
    assert told(deck("House Stark", "Fealty", *rows)) == ("illegal", {"too-many-copies"})


def test_a_name_of_several_cards_is_asked_about_where_a_list_speaks_of_one() -> None:
    bare = deck("House Stark", "Fealty", "1x Robb Stark", "1x Skagos (R)")
    assert told(bare, "agot2") == ("legal", set())
    assert told(bare, "agot2-joust") == ("unverified", {"which-version"})
    assert told(bare.replace("Robb Stark", "Robb Stark (Core)"), "agot2-joust") == (
        "illegal",
        {"excluded-together"},
    )
    assert told(bare.replace("Robb Stark", "Robb Stark (AtSK)"), "agot2-joust") == ("legal", set())
    assert told(bare.replace("1x Skagos (R)", "1x Winterfell Steward"), "agot2-joust") == ("legal", set())


@pytest.mark.parametrize(
    ("faction", "name", "expected"),
    [
        ("House Baratheon", "Ser Barristan Selmy (True Steel)", ("legal", set())),
        (
            "House Baratheon",
            "Ser Barristan Selmy (Lions of Casterly Rock)",
            ("illegal", {"not-allowed-here"}),
        ),
        ("House Baratheon", "Ser Barristan Selmy", ("unverified", {"which-version"})),
        ("House Greyjoy", "Ser Barristan Selmy", ("illegal", {"not-allowed-here"})),
    ],
)
def test_the_set_behind_a_name_tells_which_card_of_several_is_meant(
    faction: str, name: str, expected: tuple[str, set[str]]
) -> None:
    """Its three cards are of two factions: without the set nobody knows, unless none of them fits."""
    assert told(deck(faction, "Fealty", f"1x {name}")) == expected


def test_more_names_of_several_cards_than_can_be_read_in_every_way_are_asked_about() -> None:
    names = ("Drogon", "Rhaegal", "Viserion", "Jhogo", "Magister Illyrio", "Ser Barristan Selmy")
    rows = (*(f"1x {name}" for name in names), "3x Dothraki Outriders", "3x Braided Warrior")
    verdict, codes = told(deck("House Stark", "Banner of the Dragon", *rows))
    assert (verdict, "which-version" in codes) == ("unverified", True)


def test_two_of_a_pod_and_two_restricted_are_found() -> None:
    law = format_files.format_of("agot2-joust").snapshot(date(2026, 8, 1))
    assert [rule.code for rule in law.restrictions].count("excluded-together") == 25
    index = catalog_files.shipped_index("agot2")
    pair = ("1x " + index.of_id("01146").title, "1x " + index.of_id("17125").title)  # type: ignore[union-attr]
    assert "excluded-together" in told(deck("House Stark", "Fealty", *pair), "agot2-joust")[1]


# --- every list, entry by entry ------------------------------------------------------------------------


def test_every_published_list_is_ours_entry_by_entry(shared: Path) -> None:
    """32 lists for joust and melee. A code the data has no card for makes its date doubtful."""
    folder = shared / "data" / "cards" / "agot2"
    index = catalog_files.shipped_index("agot2")
    seen = set()
    doubtful = set()
    for way in ("joust", "melee"):
        for suffix in ("", "-valyrian"):
            law = strict_yaml.load((format_files.FOLDER / f"agot2-{way}{suffix}.yaml").read_text(), name=way)
            doubtful |= {entry["list"] for entry in law["timeline"] if "doubt" in entry}
            for row in json.loads((folder / "restricted-list.json").read_text()):
                if row["code"] not in law["lists"]:
                    continue
                seen.add(row["code"])
                (said,) = (one for one in row["formats"] if one["name"] == way)
                ours = law["lists"][row["code"]]
                banned = titles(index, [*row["bannedCards"], *said.get("banned", [])])
                assert set(ours.get("banned", {}).get("titles", ())) == banned
                assert (
                    set(ours.get("restricted", {}).get("titles", ()))
                    == titles(index, said["restricted"]) - banned
                )
                assert [set(pod["titles"]) for pod in ours.get("exclusive", [])] == [
                    titles(index, pod["cards"]) for pod in said.get("pods", [])
                ]
                assert sum("beside" in pod for pod in ours.get("exclusive", [])) == sum(
                    "restricted" in pod for pod in said.get("pods", [])
                )
    assert (len(seen), doubtful) == (32, {"gotstandard1.13"})


def titles(index: Any, codes: list[str]) -> set[str]:
    return {card.title for code in codes if (card := index.of_id(code)) is not None}


def test_the_shipped_cards_and_formats_are_what_anybody_gets_from_the_source(shared: Path) -> None:
    source = sources.read(sources.gathered(shared / "data" / "cards" / "agot2"))
    assert catalog_files.lines_of(source.cards) == (catalog_files.FOLDER / "agot2.jsonl").read_text()
    for key, document in source.laws.items():
        shipped = (format_files.FOLDER / f"{key}.yaml").read_text()
        assert strict_yaml.dump(document) == shipped.partition("\n")[2], key


def test_every_card_the_format_names_is_a_card() -> None:
    index = catalog_files.shipped_index("agot2")
    for key in ("agot2", "agot2-joust", "agot2-melee-valyrian"):
        assert [t for k, t in format_files.format_of(key).named.items() if index.get(k) is None] == []
    for quota in format_files.format_of("agot2").building["quotas"]:
        for test in quota.when.tests if quota.when else ():
            assert test.fact != "title" or all(index.named(title) for title in test.values)


def test_the_json_of_its_deck_site_names_the_faction_and_each_card_says_where_it_belongs() -> None:
    """Codes alone: plots go to the plot deck, the agenda is no card of the draw deck."""
    index = catalog_files.shipped_index("agot2")
    text = deck("House Stark", "Fealty")
    ids = index.ids
    slots = {ids[entry.key]: entry.count for entry in read(text).entries if entry.name != "House Stark"}
    source = {"name": "Wolves", "faction_code": "stark", "faction_name": "House Stark", "slots": slots}
    assert told(json.dumps(source)) == ("legal", set())


def test_every_card_of_a_shared_name_is_found_by_its_set_and_none_is_taken_without() -> None:
    index = catalog_files.shipped_index("agot2")
    snapshot = format_files.snapshot("agot2", date(2026, 8, 1))
    shared = [card for card in index if "versions" in card.facts]
    tried = 0
    for card in shared:
        bare = judge(read(f"Faction: House Stark\n\n1x {card.title}"), snapshot, index)
        assert not {entry.name for entry in bare.deck.entries} & set(card.facts["versions"]), card.title
        for version in card.facts["versions"]:
            one = index.named(version)
            assert one is not None
            said = f"Faction: House Stark\n\n1x {card.title} ({one.facts['set'][0]})"
            names = [entry.name for entry in judge(read(said), snapshot, index).deck.entries]
            assert names == ["House Stark", version], said
            tried += 1
    assert (len(shared), tried) == (225, 519)
