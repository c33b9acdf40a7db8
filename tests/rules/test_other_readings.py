"""Which readings of the rules an answer hangs on (rules.engine.answers.other_readings)."""

from typing import Any

import pytest

from rules.engine.answers import other_readings
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.reading import read
from tests.rules import worked


def canonical(name: str) -> dict[str, Any]:
    return worked.situation(worked.NAMED[name])


def always(positions: int) -> bool:
    return True


def weighed(name: str, **limits: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    found = adjudicate(canonical(name), **{"budget": 5_000, "spare": always, **limits})
    return found, {one["id"]: one for one in found["assumptions"] if one["kind"] == "reading"}


def test_a_reading_that_changes_the_answer_says_what_it_would_be() -> None:
    found, readings = weighed("coc-ccg/shotgun-and-researcher")
    assert found["questions"][0]["answer"] == "Ann"
    clock = readings["clock-moves"]
    assert clock["material"] and [one["option"] for one in clock["otherwise"]] == ["on-finishing"]
    assert clock["otherwise"][0]["sentence"] == "Next to act: Bo."


def test_a_reading_that_changes_nothing_is_said_to_make_no_difference() -> None:
    _, readings = weighed("coc-ccg/window-closes")
    same = [one for one in readings.values() if one["status"] != "contested" and one["material"] is False]
    assert same and all(one["explored"] and one["otherwise"] == [] for one in same)


def test_the_answer_says_that_it_hangs_on_what_the_documents_leave_open() -> None:
    found, readings = weighed("codex/two-batches")
    assert readings["queued-trigger"]["status"] == "inferred" and readings["queued-trigger"]["material"]
    assert found["doubt"].startswith("The documents leave one thing open")


def test_it_says_nothing_of_what_the_documents_settle() -> None:
    """That the answer would be another one without the rule is so of every rule."""
    found, readings = weighed("l5r/redirected-twice")
    assert readings["when-place"]["status"] == "official" and readings["when-place"]["material"]
    assert found["doubt"] == ""


def test_a_move_that_is_not_legal_under_the_other_reading_is_what_it_would_change() -> None:
    _, readings = weighed("arkham/a-cancelled-token~2")
    (change,) = readings["when-after"]["otherwise"]
    assert change["sentence"].startswith("Ann could not use Wendy Adams")


@pytest.mark.parametrize(
    "name",
    [
        "coc-ccg/disrupt-cancels",
        "coc-ccg/window-closes",
        "coc-ccg/response-reuse~2",
        "arkham/every-investigator-gets-the-opportunity~2",
        "coc-lcg/an-ability-from-an-attachment~4",
        "coc-lcg/reading-limit-scope~2",
        "arkham/forced-before-reactions",
        "l5r/assignment-redirected",
        "l5r/next-time-negated~2",
    ],
)
def test_what_is_told_of_a_reading_is_what_one_gets_who_pins_it(name: str) -> None:
    found, readings = weighed(name)
    looked_at = 0
    for key, one in readings.items():
        told = {change["option"]: change["sentence"] for change in one.get("otherwise", ())}
        for option in one["options"] if one["explored"] and "otherwise" in one else ():
            if option["id"] == one["value"]:
                continue
            looked_at += 1
            before = canonical(name)
            other = adjudicate({**before, "pinned": {**before["pinned"], key: option["id"]}}, budget=5_000)
            pairs = zip(found["questions"], other["questions"], strict=True)
            differing = [two for one, two in pairs if _value(one) != _value(two)]
            assert bool(differing) == (option["id"] in told)
            assert all(two["sentence"] in told[option["id"]] for two in differing)
    assert looked_at


def _value(question: dict[str, Any]) -> tuple[str, str]:
    return question["status"], question["answer"]


def test_the_other_readings_take_no_more_positions_than_they_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(other_readings, "ALTOGETHER", 4)
    found, readings = weighed("coc-ccg/shotgun-and-researcher")
    assert any(not one["explored"] for one in readings.values())
    assert all(one["material"] is None for one in readings.values() if not one["explored"])
    assert found["questions"][0]["answer"] == "Ann"


def test_an_answer_stands_though_no_time_is_left_for_other_readings() -> None:
    plain = adjudicate(canonical("coc-ccg/response-reuse~2"), budget=5_000)
    calls: list[int] = []

    def spare(positions: int) -> bool:
        calls.append(positions)
        return positions < plain["counts"]["positions"] + 20

    found, readings = weighed("coc-ccg/response-reuse~2", spare=spare)
    assert max(calls) >= plain["counts"]["positions"] + 20  # it was stopped on its way
    assert not readings["response-reuse"]["explored"]
    assert found["questions"] == plain["questions"] and "stopped" not in found


def test_a_large_answer_does_not_wait_for_other_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_readings, "LARGEST", 1)
    found, readings = weighed("coc-ccg/shotgun-and-researcher~2")
    assert found["counts"]["positions"] > 1 and "doubt" not in found
    assert not any(one["explored"] for one in readings.values())


def test_a_reading_that_somebody_pinned_is_not_asked_again() -> None:
    before = canonical("coc-ccg/shotgun-and-researcher")
    pinned = {**before, "pinned": {"clock-moves": "on-finishing"}}
    found = adjudicate(pinned, budget=5_000, spare=always)
    clock = next(one for one in found["assumptions"] if one["id"] == "clock-moves")
    assert clock["material"] is None and "otherwise" not in clock


@pytest.mark.parametrize(("bo", "told"), [("{gold: 0}", False), ("{gold: 0, hand: 0}", True)])
def test_a_hand_that_nobody_told_is_said_to_be_taken_as_empty_where_that_matters(bo: str, told: bool) -> None:
    source = """
system: agot
players: {Ann: {gold: 4}, Bo: %s}
at: challenges phase
cards:
  lion: {name: Lion, type: character, of: Ann, intrigue: yes, strength: 3}
  spy:
    name: Spy
    type: location
    of: Ann
    abilities:
      - {kind: reaction, at: after, of: win-challenge, do: [{do: discard-random, who: trigger.loser}]}
did: [Ann initiates an intrigue challenge with lion]
ask: [may Ann use spy?]
"""
    found = adjudicate(read(source % bo).canonical, budget=5_000, spare=always)
    counts = [one for one in found["assumptions"] if one["id"] == "players.Bo.hand"]
    assert found["questions"][0]["answer"] == "no"
    if told:
        assert not counts and found["doubt"] == ""
        return
    [count] = counts
    assert (count["kind"], count["material"]) == ("default", True)
    assert count["otherwise"][0]["sentence"].startswith("Ann may use Spy")
    assert found["doubt"].startswith("Assumed, as the scenario does not say: Bo has 0 unnamed cards in hand.")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("you.holding > Bo.holding", "Ann has 3 unnamed cards in hand"),
        ("Bo.holding > you.holding", "Bo has 3 unnamed cards in hand"),
        (
            "you.holding > 0 and Bo.holding > 0",
            "Ann has 3 unnamed cards in hand, Bo has 5 unnamed cards in hand",
        ),
    ],
)
def test_hands_that_a_text_compares_are_not_taken_to_be_equal(asked: str, said: str) -> None:
    source = """
system: coc-lcg
cards:
  scribe: {name: Scribe, type: character, of: Ann, abilities: [{kind: action, if: %s, do: [{do: exhaust, card: this}]}]}
ask: [may Ann use scribe?]
"""
    found = adjudicate(read(source % asked).canonical, budget=5_000, spare=always)
    assert found["questions"][0]["answer"] == "no"
    assert f"If {said}: Ann may use Scribe" in found["doubt"]


def test_what_hangs_on_an_unnamed_card_is_no_decision_to_come() -> None:
    source = """
system: coc-lcg
cards:
  altar:
    type: event
    of: Ann
    zone: hand
    abilities: [{kind: action, do: [{choose: {as: t, from: %s}}, {do: put-into-play, card: t, by: you}]}]
  bill: {name: Bill, type: character, of: Ann, zone: hand}
did: [Ann plays altar]
ask: [{holds: "bill.zone = 'play'"}]
"""
    which = "\"card where zone = 'hand' and type = 'character' and owner = you\""
    found = adjudicate(read(source % which).canonical, budget=5_000, spare=always)
    assert found["questions"][0]["answer"] == "yes"
    assert (
        "which of Ann's unnamed cards" in found["doubt"] and "decisions still to come" not in found["doubt"]
    )


def test_nothing_is_said_of_a_hand_that_makes_no_difference() -> None:
    found, _ = weighed("agot/military-claim")
    assert not [one for one in found["assumptions"] if "hand" in one["id"]]


def test_what_chance_decided_may_have_no_place_under_another_reading() -> None:
    source = """
system: arkham
players: {Ann: {resources: 1, cards: 0}}
cards:
  hall: {type: location, shroud: 3, clues: 2}
  wendy: {is: Wendy Adams, of: Ann, location: hall}
  junk: {type: event, of: Ann, zone: hand}
  minus2: {type: token, zone: bag, modifier: -2}
  zero: {type: token, zone: bag, modifier: 0}
did: [Ann investigates hall, {chance: choose, revealed: minus2}, Ann uses wendy, {chance: choose, revealed: zero}]
ask: [{holds: wendy.clues = 1}]
"""
    found = adjudicate(read(source).canonical, budget=5_000, spare=always)
    assert found["questions"][0]["answer"] == "yes"


def test_an_answer_over_several_readings_is_what_each_of_them_answers() -> None:
    """Nothing is sure that an explored reading, pinned, answers otherwise; nothing hangs on a reading of which each
    option answers the same. Options under which the told moves can't be made count for nothing."""
    looked_at = 0
    for case in worked.sample(worked.CASES, 400, "pinned"):
        told = worked.situation(case)
        found = adjudicate(told, budget=20_000)
        for reading in found["assumptions"]:
            if reading["kind"] != "reading" or not reading["explored"] or reading["status"] == "pinned":
                continue
            pins = [{**told["pinned"], reading["id"]: option["id"]} for option in reading["options"]]
            alone = [adjudicate({**told, "pinned": pinned}, budget=20_000) for pinned in pins]
            for i, question in enumerate(found["questions"]):
                answers = [_value(one["questions"][i]) for one in alone]
                if any(value == "illegal" for _, value in answers) or _cannot_be_made(alone):
                    continue
                looked_at += 1
                if question["status"] == "determined":
                    assert {value for _, value in answers} == {question["answer"]}, case.name
                elif question["status"] == "depends" and {status for status, _ in answers} == {"determined"}:
                    assert len(set(answers)) > 1, case.name
    assert looked_at > 5


def _cannot_be_made(answers: list[dict[str, Any]]) -> bool:
    """Can the told moves not be made in one of them?"""
    told = [(one["sentence"], one["questions"][0]["sentence"]) for one in answers]
    return any(first not in sentence for sentence, first in told)
