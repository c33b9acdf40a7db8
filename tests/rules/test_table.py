"""The table: laying out, playing on, going back, branching, and what is told of it as a scenario."""

import random
import re
from datetime import datetime
from typing import Any

import pytest
from django.utils import translation

from config.errors import Conflict, NotFound, UserError
from rules import scenarios, services
from rules.law import system_files
from rules.models import Table
from rules.scenarios import anonymous, case_files, writing
from rules.scenarios.defaults import habits
from rules.selectors import access_table, tables_of
from rules.table import draft, playing, stepping, table_words
from tests.rules.worked import NAMED, ORIGINALS, sample, situation

KEYS = system_files.keys()


@pytest.fixture
def table(judge: Any, now: datetime) -> Table:
    """Shotgun Blast in Ann's hand, Field Researcher and a thug at Bo's side, nothing played."""
    table = services.table_open(by=judge, system="coc-lcg", now=now)
    services.table_put_library_card(table=table, name="shotgun blast", side="Ann", now=now)
    services.table_put_library_card(table=table, name="Field Researcher", side="Bo", now=now)
    services.table_put_card(table=table, card={"name": "Thug", "type": "character", "of": "Bo"}, now=now)
    return table


def choose(table: Table, line: int, step: int, words: str, now: datetime) -> tuple[int, int]:
    session, _ = playing.play(table.scenario, playing.steps_of(table.lines, line, step))
    number = session.options().index(words)
    return services.table_choose(table=table, line=line, step=step, number=number, words=words, now=now)


# --- scenario files --------------------------------------------------------------------------------------


def test_what_is_written_reads_as_the_same_situation() -> None:
    for case in ORIGINALS:
        told = situation(case)
        assert scenarios.read(writing.write(told)).hash == scenarios.canonical_hash(told), case.name


def test_a_fact_the_judge_found_is_a_fact_and_says_so() -> None:
    text = "system: coc-lcg\ncards: {thug: {type: character, of: Bo, exhausted: {found: yes, because: it lay so}}}\n"
    read = scenarios.read(text)
    assert read.canonical["cards"]["thug"]["exhausted"] == "yes"
    assert read.found == {"cards.thug.exhausted": "it lay so"}
    assert read.hash == scenarios.read(text.replace("{found: yes, because: it lay so}", "yes")).hash
    written = writing.write(read.canonical, found=read.found)
    assert scenarios.read(written).found == read.found


def test_a_found_fact_takes_no_other_word() -> None:
    with pytest.raises(UserError) as caught:
        scenarios.read(
            "system: coc-lcg\ncards: {thug: {type: character, exhausted: {found: yes, becaus: x}}}"
        )
    assert caught.value.place == "cards.thug.exhausted"
    assert "because" in caught.value.remedy


def test_lines_played_at_random_are_told_as_moves_that_play_them_again() -> None:
    """Nearly all: what two options with one name answer cannot be told apart by a move, and then it says so."""
    dice = random.Random(7)
    exact, cases = 0, sample(ORIGINALS, 450, "table")
    for case in cases:
        laid = {**situation(case), "did": []}
        session = stepping.Session(laid)
        while not session.over and len(session.choices) < 8:
            session.choose(dice.randrange(len(session.options())))
        did, fits = stepping.moves(laid, session.taken)
        exact += fits
        if fits:
            assert stepping._parting({**stepping.as_played(laid), "did": did}, session.taken) is None
    assert exact / len(cases) > 0.93


def test_the_moves_of_a_case_become_a_line_at_the_table() -> None:
    told = situation(NAMED["arkham/guard-dog-chain"])
    steps = stepping.steps_of_moves(told)
    assert [words for _, words in steps] == [
        ".45 Automatic: play it", "Guard Dog", "Guard Dog", "Agnes Baker", "Ghoul Minion",
    ]  # fmt: skip
    again = playing.told({**told, "did": []}, [{"name": "", "steps": steps}], 0, 5, keep=False)
    assert again.exact
    assert again.canonical["did"] == told["did"] or len(again.canonical["did"]) == len(told["did"])


# --- laying out ------------------------------------------------------------------------------------------


def test_a_card_lies_where_such_cards_usually_lie() -> None:
    laid = draft.new("coc-lcg")
    assert draft.card_of_library(laid, "Shotgun Blast", "Ann") == {
        "is": "Shotgun Blast",
        "of": "Ann",
        "zone": "hand",
    }
    assert draft.card_of_library(laid, "Field Researcher", "Bo") == {"is": "Field Researcher", "of": "Bo"}
    arkham = draft.new("arkham")
    assert draft.card_of_library(arkham, "Goat Spawn", "Ann") == {"is": "Goat Spawn"}  # nobody's


@pytest.mark.parametrize("key", KEYS)
def test_every_type_of_the_library_has_its_habit(key: str) -> None:
    known = habits(key)
    assert known
    zones = system_files.system(key).zones
    assert all(habit.zone in ("", *zones) for habit in known.values())


def test_two_copies_have_two_words(table: Table, now: datetime) -> None:
    key = services.table_put_library_card(table=table, name="Field Researcher", side="Ann", now=now)
    assert key == "field-researcher-2"
    assert set(table.scenario["cards"]) == {"shotgun-blast", "field-researcher", "thug", "field-researcher-2"}


def test_a_card_that_is_taken_off_leaves_nothing_attached_to_it(table: Table, now: datetime) -> None:
    key = services.table_put_card(table=table, card={"name": "Rope", "type": "support", "of": "Ann"}, now=now)
    services.table_change_card(table=table, key=key, facts={"host": "field-researcher"}, found={}, now=now)
    services.table_ask(table=table, question={"legal": {"who": "Bo", "use": "field-researcher"}}, now=now)
    services.table_remove_card(table=table, key="field-researcher", now=now)
    assert "host" not in table.scenario["cards"][key]
    assert table.scenario["ask"] == [{"next": True}]


def test_an_unknown_card_gets_the_nearest_known(table: Table, now: datetime) -> None:
    with pytest.raises(UserError) as caught:
        services.table_put_library_card(table=table, name="Feild Researcher", side="Bo", now=now)
    assert "Field Researcher" in caught.value.remedy


def test_a_fact_that_cannot_be_is_refused_and_nothing_is_kept(table: Table, now: datetime) -> None:
    before = table.scenario
    with pytest.raises(UserError):
        services.table_change_card(
            table=table, key="field-researcher", facts={"wounds": "many"}, found={}, now=now
        )
    table.refresh_from_db()
    assert table.scenario == before


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("Ann Lee", "Bo Ray"), ["Ann", "Bo"]),
        (("Ann Lee", "Ann Ray"), ["Ann-Lee", "Ann-Ray"]),
        (("김민수", "Jérôme Petit"), ["김민수", "Jérôme"]),
        (("佐々木 太郎", "佐々木 花子"), ["佐々木-太郎", "佐々木-花子"]),
        (("प्रिया शर्मा", "7"), ["प्रिया", "Seat-2"]),
        (("Pass", "★"), ["Seat-1", "Seat-2"]),
    ],
)
def test_people_keep_their_names_at_the_board(names: tuple[str, str], words: list[str]) -> None:
    assert draft.seat_words(names) == words
    assert draft.new("coc-lcg", words)["seats"] == words


def test_the_players_get_other_names_everywhere(table: Table, now: datetime) -> None:
    services.table_seat(table=table, players=["Dana", "Eli"], now=now)
    assert table.scenario["seats"] == ["Dana", "Eli"]
    assert table.scenario["active"] == "Dana"
    assert [card["of"] for card in table.scenario["cards"].values()] == ["Dana", "Eli", "Eli"]


@pytest.mark.parametrize("key", KEYS)
def test_every_effect_of_the_form_makes_a_card_that_can_be_read(key: str) -> None:
    words, laid = anonymous.words(key), draft.new(key)
    given = {"name": "Nameless", "type": words.types[0].value, "of": "Ann", "kind": words.kinds[0].value}
    for effect in words.effects:
        for target in ("this", *(one.value for one in words.targets[:2])):
            card = anonymous.card(key, {**given, "effect": effect.value, "target": target})
            draft.put_card(laid, card)


def test_an_anonymous_card_that_answers_plays_as_one_of_the_library() -> None:
    """Prevents its own wound, as a Disrupt: the same as written in a scenario file."""
    card = anonymous.card(
        "coc-lcg",
        {"name": "Stubborn", "type": "character", "of": "Bo", "kind": "disrupt", "event": "wound", "point": "would",
         "whose": "this", "effect": "cancel"},
    )  # fmt: skip
    assert card["abilities"] == [
        {
            "kind": "disrupt",
            "at": "would",
            "of": "wound",
            "if": "trigger.to = this",
            "do": [{"cancel": "trigger"}],
        }
    ]
    draft.put_card(draft.new("coc-lcg"), card)


# --- playing ---------------------------------------------------------------------------------------------


def test_a_choice_goes_on_and_another_one_branches(table: Table, now: datetime) -> None:
    assert choose(table, 0, 0, "Shotgun Blast", now) == (0, 1)
    assert choose(table, 0, 1, "Field Researcher", now) == (0, 2)
    assert choose(table, 0, 0, "pass", now) == (1, 1)  # a what-if: the first line stays
    assert [len(line["steps"]) for line in table.lines] == [2, 1]
    assert playing.parting(table.lines, 0, 1) == 0
    assert choose(table, 1, 0, "Shotgun Blast", now) == (0, 1)  # that line is there already
    assert len(table.lines) == 2


def test_a_choice_that_is_not_offered_any_more_is_a_conflict(table: Table, now: datetime) -> None:
    services.table_remove_card(table=table, key="shotgun-blast", now=now)
    with pytest.raises(Conflict):
        services.table_choose(table=table, line=0, step=0, number=0, words="Shotgun Blast", now=now)


def test_a_line_goes_on_as_far_as_it_can_after_the_table_was_changed(table: Table, now: datetime) -> None:
    choose(table, 0, 0, "Shotgun Blast", now)
    choose(table, 0, 1, "Field Researcher", now)
    services.table_change_card(
        table=table, key="field-researcher", facts={"zone": "discard"}, found={}, now=now
    )
    session, broken = playing.play(table.scenario, table.lines[0]["steps"])
    assert broken is not None
    assert (broken.step, broken.words) == (1, "Field Researcher")
    assert session.choices == (0,)


def test_what_changed_since_the_start_is_told(table: Table, now: datetime) -> None:
    choose(table, 0, 0, "Shotgun Blast", now)
    choose(table, 0, 1, "Field Researcher", now)
    session, _ = playing.play(table.scenario, table.lines[0]["steps"])
    while not session.over and session.kind != "use":
        session.choose(0)
    found = {(obj.id, fact) for obj, fact, _old, _new in session.changes()}
    assert ("shotgun-blast", "zone") in found


def test_why_somebody_may_not_is_answered_with_its_rule(table: Table, now: datetime) -> None:
    answer = services.table_why(table=table, line=0, step=0, who="Bo", card="shotgun-blast")
    [question] = answer["questions"]
    assert question["answer"] == "no"
    assert question["why_not"][0]["reason"]


# --- filing ----------------------------------------------------------------------------------------------


def test_what_is_played_is_filed_with_its_questions_and_only_once(
    table: Table, judge: Any, now: datetime
) -> None:
    choose(table, 0, 0, "Shotgun Blast", now)
    choose(table, 0, 1, "Field Researcher", now)
    given = {"line": 0, "step": 2, "keep": False, "by": judge, "title": "A shot", "now": now}
    dispute = services.table_file(table=table, **given)
    assert dispute.title == "A shot"
    assert dispute.table == table
    assert [move.get("use") for move in dispute.scenario["did"]] == ["shotgun-blast", None]
    assert services.table_file(table=table, **given) == dispute
    assert scenarios.read(dispute.source).hash == dispute.scenario_hash


def test_the_judges_marks_go_into_the_dispute(table: Table, judge: Any, now: datetime) -> None:
    services.table_change_card(
        table=table,
        key="field-researcher",
        facts={"exhausted": "yes"},
        found={"exhausted": "both cameras"},
        now=now,
    )
    dispute = services.table_file(table=table, line=0, step=0, keep=False, by=judge, title="x", now=now)
    assert dispute.found == {"cards.field-researcher.exhausted": "both cameras"}
    services.table_change_card(
        table=table, key="field-researcher", facts={"exhausted": "yes"}, found={"exhausted": None}, now=now
    )
    assert table.found == {}


def test_a_reading_chosen_on_the_way_stays_open_unless_it_is_kept(table: Table, now: datetime) -> None:
    answers = {"kind": "response", "at": "after", "of": "destroy", "do": [{"do": "draw", "who": "you"}]}
    witness = {"name": "Witness", "type": "support", "of": "Ann", "abilities": [answers]}
    services.table_put_card(table=table, card=witness, now=now)
    choose(table, 0, 0, "Shotgun Blast", now)
    choose(table, 0, 1, "Field Researcher", now)
    session, _ = playing.play(table.scenario, table.lines[0]["steps"])
    assert session.about()["decider"] == "rules"
    choose(table, 0, 2, session.options()[1], now)
    assert playing.told(table.scenario, table.lines, 0, 3, keep=False).canonical["pinned"] == {}
    kept = playing.told(table.scenario, table.lines, 0, 3, keep=True)
    assert list(kept.canonical["pinned"]) == ["first-response"]
    assert kept.exact


def test_a_table_is_its_owners_alone(table: Table, judge: Any, ann: Any) -> None:
    assert access_table(judge, table.pk) == table
    assert list(tables_of(ann)) == []
    with pytest.raises(NotFound):
        access_table(ann, table.pk)


def test_a_file_is_laid_out_with_its_moves_played(judge: Any, now: datetime) -> None:
    source = (case_files.FOLDER / "arkham" / "guard-dog-chain.yaml").read_text()
    table = services.table_open(by=judge, source=source, now=now)
    assert len(table.lines[0]["steps"]) == 5
    assert table.title.startswith("Roland plays")
    assert table.scenario["did"] == []


@pytest.mark.parametrize("key", KEYS)
def test_zones_and_moments_of_a_board_are_said_in_korean(key: str) -> None:
    """As answers have them: a judge lays out the table in the words in which the engine answers."""
    law = system_files.system(key)
    english = [
        *law.zone_names.values(),
        *(name for word, name in system_files.moments(key).items() if name != word),
    ]
    with translation.override("ko"):
        korean = [table_words.in_words(law, name) for name in english]
        assert [one.text for one in table_words.zones(law)] == korean[: len(law.zone_names)]
    assert [one for one in korean if not re.search("[가-힣]", one)] == []


def test_a_card_of_a_board_is_said_in_korean(table: Table, now: datetime) -> None:
    services.table_change_card(table=table, key="thug", facts={"exhausted": "yes"}, found={}, now=now)
    for language, words in (("en", ["exhausted"]), ("ko", ["소진"])):
        with translation.override(language):
            sides = table_words.sides(table.scenario, table.found)
            assert [one.words for side in sides for one in side.cards if one.name == "Thug"] == [words]
