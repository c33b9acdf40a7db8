"""An exploration that piles up without end stops at its bounds, and says what was going on."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
import yaml

from rules import scenarios
from rules.engine.answers import replay
from rules.engine.search import explore
from rules.scenarios import reading
from rules.scenarios.adjudicate import Cancelled, adjudicate
from tests.bench import boards
from tests.bench.rules import forced_responses
from tests.rules import worked
from tests.rules.scenarios import SHOTGUN
from tests.rules.worked import CASES, NAMED, situation

FEEDING = """
system: coc-lcg
cards:
  lamp: {name: Lamp, type: character, of: Ann, abilities:
    [{kind: response, at: after, of: exhaust, cost: [{do: ready, card: this}], do: [{do: exhaust, card: this}]}]}
  wick: {name: Wick, type: character, of: Ann, abilities:
    [{kind: response, at: after, of: ready, cost: [{do: exhaust, card: this}], do: [{do: ready, card: this}]}]}
  spark: {type: event, of: Ann, zone: hand, abilities: [{kind: action, do: [{do: exhaust, card: lamp}]}]}
did: [Ann plays spark]
ask: [{force: {who: Ann, holds: lamp.exhausted}}]
"""


def test_what_piles_up_ends_at_the_bound_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_OPEN", 4_000)
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=100_000)
    assert found["status"] == "undecided"
    assert "memory limit" in found["sentence"]
    assert 10 < found["counts"]["positions"] < 1_000


def test_what_takes_too_long_ends_at_the_bound_of_time() -> None:
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=100_000, seconds=0.0)
    assert found["status"] == "undecided"
    assert "time" in found["sentence"]


def test_what_goes_on_is_told() -> None:
    found = adjudicate(scenarios.read(FEEDING).canonical, budget=60)
    assert found["status"] == "undecided"
    assert "Ann uses Lamp 30 times" in found["sentence"], found["sentence"]


# --- what is known all the same


def told(source: str, ask: str, budget: int = 100_000) -> list[dict[str, Any]]:
    canonical = scenarios.read(f"{source}ask: {ask}\n").canonical
    found: list[dict[str, Any]] = adjudicate(canonical, budget=budget)["questions"]
    return found


def test_what_is_so_now_is_known_however_long_play_goes_on() -> None:
    """Nobody can explore every line here; what may be done now does not hang on them."""
    source = FEEDING[: FEEDING.index("ask:")]
    asks = "[now, may Ann use lamp?, may Ann use wick?, {legal: {who: Ann, use: spark}}, next]"
    now, may, later, moved, next_ = told(source, asks, 60)
    assert (now["status"], now["answer"]) == ("determined", "Ann may choose: Lamp, pass")
    assert (may["status"], may["answer"]) == ("determined", "yes")
    assert may["when"] == {"now": True, "first": "", "again": "unknown"}
    assert (moved["status"], moved["answer"]) == ("determined", "yes")
    assert (next_["status"], next_["answer"]) == ("undecided", None)
    assert (later["status"], later["answer"]) == ("undecided", None)
    assert "Ann may not use Wick at once after these moves. On some lines of play: yes." in later["sentence"]


def test_what_somebody_can_make_sure_of_whatever_is_not_explored_is_known() -> None:
    """Every order is Ann's to choose, so the first that turns out well is enough; Bo has no say."""
    source = forced_responses(6, differ=True)
    ann, bo = told(source, "[{force: {who: Ann, holds: turn > 0}}, {force: {who: Bo, holds: turn > 0}}]", 20)
    assert (ann["status"], ann["answer"]) == ("determined", "yes")
    assert (bo["status"], bo["answer"]) == ("undecided", None)


def test_a_long_exploration_ends_when_nothing_that_is_asked_can_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = told(forced_responses(5, differ=True), "[now]")
    monkeypatch.setattr(explore, "SETTLED_AFTER", 40)
    canonical = scenarios.read(f"{forced_responses(5, differ=True)}ask: [now]").canonical
    found = adjudicate(canonical, budget=100_000)
    assert found["questions"] == whole
    assert (found["status"], found["counts"]["lines"]) == ("determined", None)
    assert 40 <= found["counts"]["positions"] < 80
    more = scenarios.read(f"{forced_responses(5, differ=True)}ask: [now, {{holds: turn > 0}}]").canonical
    assert adjudicate(more, budget=100_000)["counts"]["lines"] == 120


def test_where_the_moves_may_not_even_be_possible_nothing_is_known() -> None:
    source = (
        FEEDING[: FEEDING.index("did:")]
        + "did: [Ann plays spark, {Ann: lamp}, {Ann: wick}, Bo plays spark]\n"
    )
    assert {one["status"] for one in told(source, "[now, may Ann use lamp?]", 1)} == {"undecided"}


def known_before_the_end(canonical: Any, budgets: Iterable[int], most: int = 2_000) -> tuple[int, int]:
    """Compare what is known when the bound is reached with the whole answer; (answers, unanswered) of all budgets."""
    whole = adjudicate(canonical, budget=most)
    known = unknown = 0
    for budget in budgets:
        if budget >= (whole["counts"]["positions"] or 0):
            continue
        for full, part in zip(
            whole["questions"], adjudicate(canonical, budget=budget)["questions"], strict=True
        ):
            if part["status"] == "undecided":
                assert part["answer"] is None
                unknown += 1
                continue
            known += 1
            for key in ("status", "answer", "depends", "why_not"):
                assert part[key] == full[key], (budget, full, part)
            if "when" in part and part["when"]["again"] == "unknown":
                assert {**part["when"], "again": full["when"]["again"]} == full["when"]
            else:
                assert part.get("when") == full.get("when")
    return known, unknown


@pytest.mark.parametrize("part", range(4))
def test_what_is_known_before_the_end_is_the_answer(part: int) -> None:
    known = unknown = 0
    for case in CASES[part :: 4 if worked.EVERY else 48]:
        more, less = known_before_the_end(situation(case), (1, 2, 3, 5, 9))
        known, unknown = known + more, unknown + less
    assert known and unknown > 20  # how many depends on which cases the part has


def test_so_is_what_each_player_can_make_sure_of_where_all_choose_at_once() -> None:
    """Each is explored apart, and that may reach the bound as well."""
    known, unknown = known_before_the_end(situation(NAMED["agot/plots-at-once~7"]), range(1, 9))
    assert known and unknown


@pytest.mark.parametrize("number", [0, 3, 5, 6, 8, 18, 20, 24, 26, 29, 31])
def test_the_same_of_boards_of_real_cards(number: int) -> None:
    known_before_the_end(scenarios.read(boards.source(number)).canonical, (2, 7, 20, 60, 200))


def test_the_same_of_a_board_whose_positions_take_long() -> None:
    """Two and a half minutes, were it explored as far as the others."""
    canonical = scenarios.read(boards.source(68)).canonical
    known_before_the_end(canonical, (2, 7), most=2_000 if worked.EVERY else 20)


def without_assumptions(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers; what is assumed of what comes later is said only where that was explored."""
    return [
        {**one, "sentence": one["sentence"].partition(" Assumed, as the scenario does not say:")[0]}
        for one in found["questions"]
    ]


def test_what_ends_early_has_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = 0
    for case in [case for case in CASES if case.data.get("ask") and "now" in str(case.data["ask"])][::6]:
        told = situation(case)
        whole = adjudicate(told, budget=2_000)
        with monkeypatch.context() as eager:
            eager.setattr(explore, "SETTLED_AFTER", 0)
            eager.setattr(explore, "PROGRESS_EVERY", 1)
            early = adjudicate(told, budget=2_000)
        assert without_assumptions(early) == without_assumptions(whole), case.name
        ended += early["counts"]["lines"] is None
    assert ended > 3


def test_what_may_be_used_for_ever_does_not_fill_the_line_that_is_told() -> None:
    """Under this reading the same response answers the same play again and again, and the question asks about it."""
    canonical = {**reading.read(SHOTGUN).canonical, "pinned": {"response-reuse": "unlimited"}}
    found = adjudicate(canonical, budget=5_000)
    assert [one["answer"] for one in found["questions"]] == ["yes", "Bo"]
    assert found["status"] == "determined"
    told = json.dumps(found["trace"])
    assert 10 < told.count("Bo uses Field Researcher") <= replay.MOST_USES


def test_a_budget_is_looked_at_within_a_long_expression() -> None:
    """Three filters within each other, for each of many cards, in the one step before the first decision."""
    cards = {f"c{n}": {"type": "character", "of": "Ann"} for n in range(60)}
    long = "count(character where count(character where count(character where wounds = 0) > 0) > 0) > 0"
    asked = []

    def progress(positions: int) -> bool:
        asked.append(positions)
        return False

    scenario = {"system": "coc-lcg", "players": ["Ann", "Bo"], "cards": cards, "ask": [{"holds": long}]}
    with pytest.raises(Cancelled):
        adjudicate(scenarios.read(yaml.safe_dump(scenario)).canonical, budget=100, progress=progress)
    assert asked == [0] or asked == [1]


def test_a_budget_is_looked_at_while_continuous_effects_ask_for_each_other() -> None:
    weak = {"stat": "skill", "of": "type = 'character' and skill <= 3", "by": -1}
    cards: dict[str, Any] = {f"mud{n}": {"type": "support", "of": "Bo", "always": [weak]} for n in range(12)}
    cards["cop"] = {"type": "character", "of": "Ann", "skill": 3}
    asked = []

    def progress(positions: int) -> bool:
        asked.append(positions)
        return False

    scenario = {
        "system": "coc-lcg",
        "players": ["Ann", "Bo"],
        "cards": cards,
        "ask": [{"holds": "cop.skill = 0"}],
    }
    with pytest.raises(Cancelled):
        adjudicate(scenarios.read(json.dumps(scenario)).canonical, budget=100, progress=progress)
    assert len(asked) == 1


def test_the_line_that_is_told_keeps_to_the_budget_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's budget ends within one position; the line that is told then looked at conditions for minutes."""
    long = "count(character where count(character where count(character where wounds = 0) > 0) > 0) > 0"
    heard = {"kind": "response", "at": "after", "of": "exhaust", "if": long, "do": []}
    cards: dict[str, Any] = {f"c{n}": {"type": "character", "of": "Ann"} for n in range(30)}
    cards["bell"] = {"type": "support", "of": "Bo", "abilities": [heard]}
    cards["lamp"] = {
        "type": "support",
        "of": "Ann",
        "abilities": [{"kind": "action", "do": [{"do": "exhaust", "card": "c0"}]}],
    }
    scenario = {"system": "coc-lcg", "players": ["Ann", "Bo"], "cards": cards, "did": ["Ann uses lamp"]}
    canonical = scenarios.read(yaml.safe_dump({**scenario, "ask": ["next"]})).canonical
    monkeypatch.setattr("rules.scenarios.adjudicate.TELLING_SECONDS", 0)
    found = adjudicate(canonical, budget=100, seconds=0)
    assert (found["status"], found["stopped"], found["trace"]) == ("undecided", "seconds", [])
    assert found["sentence"].endswith("Not decided within the limit of 0 seconds.")
    monkeypatch.undo()
    assert adjudicate(canonical, budget=100, seconds=0)["trace"], "what is known is told for some seconds"
