"""Netrunner: real decks by the law of their day, and each rule broken once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from config import strict_yaml
from config.errors import UserError
from decks import selectors, services
from decks.cards import catalog_files, sources
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import Cap, sealed
from decks.legality.snapshot import Budget
from decks.lists import fold, read
from decks.models import FormatVersion

WORKED = strict_yaml.load(
    (Path(__file__).parent / "worked" / "netrunner.yaml").read_text(), name="netrunner.yaml"
)
BY_NAME = {one["name"]: one for one in WORKED}


def told(
    text: str, law: str = "netrunner-standard", on: str = "2016-11-05", **overrides: Any
) -> tuple[str, list[str]]:
    listed = read(text)
    snapshot = format_files.snapshot(law, date.fromisoformat(on), overrides=overrides, choices=listed.choices)
    report = judge(listed, snapshot, catalog_files.shipped_index("netrunner")).report
    return report.verdict.value, sorted({finding.code for finding in report.findings})


def text_of(deck: Mapping[str, Any], leader: str = "") -> str:
    rows = "\n".join(f"{card.replace(' ', 'x ', 1)}" for card in deck["cards"].split(", "))
    return f"Identity\n1x {leader or deck['leader']}\n\nDeck\n{rows}\n"


def changed(name: str, *changes: tuple[str, str]) -> str:
    text = text_of(BY_NAME[name])
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("deck", WORKED, ids=lambda deck: deck["name"])
def test_a_real_deck_has_the_verdict_of_its_day(deck: Mapping[str, Any]) -> None:
    assert told(text_of(deck), deck["format"], str(deck["on"])) == (deck["verdict"], [])


def test_a_set_that_the_source_leaves_out_of_its_pool_is_in_it_from_its_release() -> None:
    deck = text_of(BY_NAME["Worlds 2019, Asa Group"])
    assert told(deck, on="2019-09-30") == ("legal", [])
    assert told(deck, on="2019-03-17")[1] == ["not-yet-released", "restricted"]


HB, CI, GABE = "Worlds 2013, Haas-Bioroid", "Worlds 2017, Cerebral Imaging", "Worlds 2012, Criminal"
CTM, WHIZZ = "Worlds 2016, Controlling the Message", "Worlds 2016, Whizzard"


@pytest.mark.parametrize(
    ("text", "on", "codes"),
    [
        # Ninja is the Criminal's own, Gordian Blade costs influence, and none is left
        (changed(GABE, ("1x Ninja", "1x Gordian Blade")), "2012-11-10", ["over-influence"]),
        (changed(GABE, ("1x Stimhack\n", "")), "2012-11-10", ["too-few-cards"]),
        (changed(GABE, ("3x Sure Gamble", "4x Sure Gamble")), "2012-11-10", ["too-many-copies"]),
        (changed(GABE, ("3x Easy Mark", "3x Hedge Fund")), "2012-11-10", ["wrong-side"]),
        (changed(GABE, ("1x Gabriel Santiago: Consummate Professional", "")), "2012-11-10", ["too-few-identities"]),
        (changed(GABE, ("3x Easy Mark", "3x Hostage")), "2012-11-10", ["not-yet-released"]),
        (changed(HB, ("3x Accelerated Beta Test", "2x Accelerated Beta Test")), "2013-11-09",
         ["too-few-agenda-points"]),
        (changed(HB, ("3x Accelerated Beta Test", "3x Project Beale")), "2013-11-09", ["foreign-agenda"]),
        # the first list lowers the influence of the identity by one for each of its copies
        (text_of(BY_NAME["Worlds 2015, Whizzard"]), "2016-03-01", ["over-influence"]),
        (text_of(BY_NAME[CTM]), "2017-05-01", ["over-influence"]),  # the list of April 2017 costs more
        (text_of(BY_NAME[WHIZZ]), "2018-01-10", ["banned", "not-in-pool"]),
        (text_of(BY_NAME["Worlds 2012, Weyland"]), "2019-01-10", ["not-in-pool"]),
        (changed(CI, ("3x Jeeves Model Bioroids", "3x Product Recall")), "2017-11-04", []),
    ],
)  # fmt: skip
def test_each_rule_is_found_by_its_own_finding(text: str, on: str, codes: list[str]) -> None:
    verdict, found = told(text, on=on)
    assert found == codes
    assert verdict == ("illegal" if codes else "legal")


def test_an_alliance_card_costs_nothing_with_six_of_its_faction() -> None:
    """Three Product Recall come for nothing beside six Haas-Bioroid cards; beside three they do not."""
    index = catalog_files.shipped_index("netrunner")
    deck = changed("Worlds 2013, NBN", ("3x Closed Accounts", "3x Product Recall"))
    six = deck.replace("3x Wall of Static", "").replace("3x Green Level Clearance", "6x Adonis Campaign")
    each = {
        title: int(index.named(title).facts["influence"])  # type: ignore[union-attr]
        for title in ("Product Recall", "Adonis Campaign")
    }
    spent = over_influence(deck) - 3 * each["Product Recall"]
    assert over_influence(deck.replace("3x Green Level Clearance", "3x Adonis Campaign")) == (
        spent - 3 * green(index) + 3 * each["Product Recall"] + 3 * each["Adonis Campaign"]
    )
    assert over_influence(six) == spent - 3 * green(index) + 6 * each["Adonis Campaign"]


def green(index: Any) -> int:
    return int(index.named("Green Level Clearance").facts["influence"])


def over_influence(text: str) -> int:
    """What the deck spends, whether it may or not."""
    listed = read(text)
    snapshot = format_files.snapshot("netrunner", date(2017, 1, 1))
    (budget,) = snapshot.budgets
    tight = sealed(replace(snapshot, budgets=(replace(budget, maximum=0, maximum_fact=""),)))
    report = judge(listed, tight, catalog_files.shipped_index("netrunner")).report
    return next(finding.have or 0 for finding in report.findings if finding.code == "over-influence")


def test_the_professor_pays_for_no_first_copy() -> None:
    programs = ["Corroder", "Mimic", "Yog.0", "Ninja", "Femme Fatale", "Sneakdoor Beta", "Medium", "Parasite"]
    fill = ["Diesel", "Modded", "Sure Gamble", "Kati Jones", "Daily Casts", "Dirty Laundry", "Armitage Codebusting",
            "R&D Interface", "Test Run", "Clone Chip", "The Maker's Eye", "Tinkering", "Rabbit Hole"]  # fmt: skip
    rows = [f"1x {one}" for one in programs] + [f"3x {one}" for one in fill]
    rows = [row for row in rows if row != "3x Kati Jones"] + ["1x Kati Jones"]
    text = "Identity\n1x The Professor: Keeper of Knowledge\n\nDeck\n" + "\n".join(rows)
    assert told(text, "netrunner", "2017-01-01") == ("legal", [])
    second = text.replace("1x Corroder", "2x Corroder")
    assert told(second, "netrunner", "2017-01-01") == ("illegal", ["over-influence"])


def test_ampere_takes_one_copy_of_each_and_two_agendas_of_a_faction() -> None:
    agendas = ["Accelerated Beta Test", "Project Vitruvius", "Nisei MK II", "Fetal AI", "AstroScript Pilot Program",
               "Project Beale", "Hostile Takeover", "Project Atlas", "Global Food Initiative"]  # fmt: skip
    corp = [
        card.title
        for card in catalog_files.shipped_index("netrunner")
        if card.facts["side"] == "corp"
        and card.facts["type"] in ("ice", "asset")
        and not card.facts.get("influence")
    ]
    text = "Identity\n1x Ampère: Cybernetics For Anyone\n\nDeck\n"
    text += "\n".join(f"1x {one}" for one in [*agendas, *corp[:36]])
    found = told(text, "netrunner", "2025-10-03")[1]
    assert not {"foreign-agenda", "too-many-agendas", "too-many-copies", "over-influence"} & set(found)
    assert (
        "too-many-agendas"
        in told(text + "\n1x Project Yagi-Uda\n1x House of Knives", "netrunner", "2025-10-03")[1]
    )
    assert (
        "too-many-copies"
        in told(text.replace(f"1x {corp[0]}", f"2x {corp[0]}"), "netrunner", "2025-10-03")[1]
    )


def test_points_of_the_eternal_list_count_a_title_once() -> None:
    points = format_files.format_of("netrunner-eternal").snapshot(date(2025, 8, 1)).restrictions
    (budget,) = (one for one in points if getattr(one, "code", "") == "too-many-points")
    assert isinstance(budget, Budget)
    assert (budget.per_copy, budget.maximum) == (False, 7)


# --- every list, entry by entry, against the community's data --------------------------------------------


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "cards" / "netrunner"


def squeezed(text: str) -> str:
    return fold(text).replace(" ", "")


def test_every_published_list_is_ours_entry_by_entry_and_so_is_every_change(folder: Path) -> None:
    """45 lists. Of two that follow each other, what came and what went is the same in both."""
    compared = 0
    for path in sorted(folder.glob("v2/restrictions/*/*.json")):
        said = json.loads(path.read_text())
        law = format_files.documents(
            (format_files.FOLDER / f"netrunner-{said['format_id']}.yaml").read_text(), name=path.name
        )[0]
        key = said["id"].replace("_", "-")
        ours = [one for name, one in law["lists"].items() if name == key or name.startswith(f"{key}-with-")]
        assert ours, path.name
        for one in ours:
            for word in ("banned", "restricted"):
                assert {squeezed(t) for t in one.get(word, {}).get("titles", ())} == {
                    squeezed(t.replace("_", " ")) for t in said.get(word, ())
                }, (path.name, word)
            for word, block, inner in (
                ("points", "points", "points"),
                ("universal_faction_cost", "surcharge", "extra"),
                ("global_penalty", "surcharge", "extra"),
            ):
                if word in said:
                    theirs = {
                        squeezed(t.replace("_", " ")): int(n) for n, ids in said[word].items() for t in ids
                    }
                    assert {squeezed(t): n for t, n in one[block][inner].items()} == theirs, (path.name, word)
            assert ("banned-kinds" in one) == ("subtypes" in said)
        compared += 1
    assert compared == 45


def test_the_timeline_rises_to_the_day_of_each_list(folder: Path) -> None:
    law = format_files.format_of("netrunner-standard")
    days = [change.since for change in law.timeline]
    assert days == sorted(set(days)) and len(days) == 33
    assert days[-3:] == [date(2025, 4, 24), date(2025, 8, 1), date(2025, 10, 3)]  # the data says 2024
    assert law.snapshot(date(2017, 9, 30)).period.list_key == "napd-mwl-1-2-with-pre-rotation"
    assert law.snapshot(date(2017, 10, 1)).period.list_key == "napd-mwl-2-0-with-rotation-2017"


def test_the_shipped_cards_and_formats_are_what_anybody_gets_from_the_source(folder: Path) -> None:
    source = sources.read(sources.gathered(folder))
    assert catalog_files.lines_of(source.cards) == (catalog_files.FOLDER / "netrunner.jsonl").read_text()
    assert sum(len(card.printings) for card in source.cards) == 2394
    for key, document in source.laws.items():
        shipped = (format_files.FOLDER / f"{key}.yaml").read_text()
        assert strict_yaml.dump(document) == shipped.partition("\n")[2], key


def test_every_card_the_base_format_names_is_a_card() -> None:
    index = catalog_files.shipped_index("netrunner")
    for key in ("netrunner", "netrunner-standard", "netrunner-eternal"):
        assert [
            title for fold_, title in format_files.format_of(key).named.items() if index.get(fold_) is None
        ] == []


@pytest.mark.django_db
def test_a_preview_tells_what_a_coming_list_changes_for_decks_of_no_event(
    folder: Path, now: datetime, ann: Any
) -> None:
    services.catalog_load_shipped(now=now)
    for title in ("Sure Gamble", "Hedge Fund"):
        services.deck_submit(
            owner=ann, name=title, format="netrunner-standard", source=f"3x {title}", now=now
        )
    files = dict(sources.gathered(folder))
    restrictions, formats = "v2/restrictions/standard", "v2/formats/standard.json"
    said = json.loads(files[f"{restrictions}/standard_ban_list_25_10.json"])
    said |= {"id": "standard_ban_list_27_01", "name": "Ban List 27.01", "date_start": "2027-01-01"}
    said["banned"].append("sure_gamble")
    files[f"{restrictions}/standard_ban_list_27_01.json"] = json.dumps(said).encode()
    law = json.loads(files[formats])
    last = law["snapshots"][-1]
    law["snapshots"].append(
        last | {"id": "standard_99", "date_start": "2027-01-01", "restriction_id": said["id"]}
    )
    files[formats] = json.dumps(law).encode()
    preview = services.cards_preview(game="netrunner", files=files, now=now)
    assert (preview.decks, preview.judged) == ((), 2)
    (change,) = preview.coming
    assert (change.deck, change.on) == ("Sure Gamble", "2027-01-01")
    assert "banned" in change.after[1] and "banned" not in change.before[1]
    assert not FormatVersion.objects.exists()


@pytest.fixture(autouse=True)
def nothing_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests store other texts under the same number and second, which nobody else does."""
    monkeypatch.setattr(selectors, "_parsed", {})


@pytest.mark.django_db
def test_a_newer_list_comes_with_the_cards(folder: Path, now: datetime) -> None:
    services.catalog_load_shipped(now=now)
    files = sources.gathered(folder)
    again = services.cards_import_files(game="netrunner", files=files, now=now)
    assert (again.new, again.changed, again.new_lists) == (0, 0, 0)
    assert not FormatVersion.objects.exists()
    name = "v2/restrictions/standard/standard_ban_list_25_10.json"
    said = json.loads(files[name])
    said["banned"].append("sure_gamble")
    summary = services.cards_import_files(
        game="netrunner", files=files | {name: json.dumps(said).encode()}, now=now
    )
    assert summary.new_lists == 1
    law = selectors.format_of("netrunner-standard")
    (banned,) = (one for one in law.snapshot(date(2025, 10, 4)).restrictions if isinstance(one, Cap))
    assert "sure gamble" in banned.maximum


def test_a_list_that_names_no_card_is_refused(folder: Path) -> None:
    files = sources.gathered(folder)
    name = "v2/restrictions/standard/standard_ban_list_25_10.json"
    files[name] = files[name].replace(b'"banned": [', b'"banned": ["no_such_card", ')
    with pytest.raises(UserError, match="no_such_card"):
        sources.read(files)
