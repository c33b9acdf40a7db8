"""A reason is true: were it lifted, the next obstacle would be another one; what is said to have been is so."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from rules.engine.definitions.values import Reason
from rules.engine.machine.eligibility import Eligibility
from rules.scenarios import reading
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.case_files import Case
from tests.rules.worked import CASES, NAMED, sample, situation

BUDGET = 300  # larger ones say nothing more about reasons
TESTS = (
    "_refused_place",
    "_refused_access",
    "_refused_trigger",
    "_refused_limit",
    "_refused_as_such",
    "_refused_by_rule",
    "_refused_targets",
    "_refused_designations",
    "_refused_cost",
)
REFUSED = sample([case for case in CASES if "'legal': 'no'" in str(case.data.get("expect"))], 330, "reasons")


def noes(told: dict[str, Any], answer: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The questions about a use that were answered with no, each with its reason."""
    for ask, question in zip(told["ask"], answer["questions"], strict=True):
        if "use" in ask.get("legal", {}) and question["answer"] == "no":
            yield ask, question["why_not"][0]


def steps(tree: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in tree:
        yield step
        yield from steps(step["children"])


class Lift:
    """The obstacles to a card's use that say this are none any more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, card: str, text: str) -> None:
        self.card, self.text, self.lifted = card, text, 0
        for name in TESTS:
            monkeypatch.setattr(Eligibility, name, self.around(getattr(Eligibility, name)))

    def around(self, test: Any) -> Any:
        def lifting(machine: Any, *given: Any) -> Reason | None:
            found: Reason | None = test(machine, *given)
            about = getattr(given[0], "obj", None) if given else None
            about = about or (machine.cur.obj if machine.cur else None)
            if found is not None and found.text == self.text and about is not None and about.id == self.card:
                self.lifted += 1
                return None
            return found

        return lifting


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_a_reason_that_is_lifted_is_not_given_again(case: Case) -> None:
    told = situation(case)
    answer = adjudicate(told, budget=BUDGET)
    shown = list(steps(answer["trace"]))
    for ask, why in noes(told, answer):
        for reason in parts(why["reason"]):
            check_reason(told, shown, ask, why["move"].split(" (")[0], reason)


def parts(reason: str) -> list[str]:
    """The reason of each ability, where a card has several."""
    return re.split(r"(?:^|; )as “[^”]*”: ", reason)[1:] or [reason]


def check_reason(
    told: dict[str, Any], shown: list[dict[str, Any]], ask: dict[str, Any], name: str, reason: str
) -> None:
    card = ask["legal"]["use"]
    if "already used" in reason:
        assert any(step["kind"] == "initiate" and name in step["text"] for step in shown), reason
    elif "could use it before" in reason or "the opportunity to use it" in reason:
        assert any(name in option["text"] for step in shown for option in step["options"]), reason
    elif reason == "what it responds to was replaced":
        assert any("replaced by" in step["text"] for step in shown), reason
    elif reason.endswith("'s to use"):
        other = reason.removeprefix("it is ").removesuffix("'s to use")
        assert other != ask["legal"]["who"]
    else:
        with pytest.MonkeyPatch.context() as monkeypatch:
            lift = Lift(monkeypatch, card, reason)
            again = adjudicate({**told, "ask": [ask]}, budget=BUDGET)
        if lift.lifted and (left := list(noes({"ask": [ask]}, again))):
            # what bars a card from being chosen is asked once more of the choice that the question names
            assert reason not in parts(left[0][1]["reason"]) or ask["legal"].get("choices")


def test_what_no_longer_holds_as_it_resolves_is_named() -> None:
    told = situation(NAMED["magic/intervening-if"])
    still = told["cards"]["tomb"]["abilities"][0]
    del still["because"]
    texts = [step["text"] for step in steps(adjudicate(told, budget=BUDGET)["trace"])]
    said = "its condition no longer holds (there is a creature Ann controls)"
    assert f"Tomb has no effect: {said}" in texts


@pytest.mark.parametrize(
    "effect", ["do: wound, each: t, to: it", "lasting: {stat: skill, of: t, by: 1, until: phase}"]
)
def test_of_two_targets_only_the_one_that_left_is_called_illegal(effect: str) -> None:
    told = reading.read(f"""
system: coc-lcg
cards:
  bolt: {{type: event, of: Ann, zone: hand, abilities: [{{kind: action, choose: {{t: {{from: character, count: 2}}}},
    do: [{{do: draw, who: you}}, {{{effect}}}]}}]}}
  alf: {{name: Alf, type: character, of: Bo}}
  bea: {{name: Bea, type: character, of: Bo}}
  exit: {{type: support, of: Bo, abilities: [{{kind: disrupt, of: draw, do: [{{do: return, card: alf}}]}}]}}
did: [Ann plays bolt on alf and bea, Bo uses exit]
""").canonical
    texts = [step["text"] for step in steps(adjudicate(told, budget=BUDGET)["trace"])]
    said = [text for text in texts if "legal" in text]
    assert len(said) == 2
    assert [text for text in said if "another target" in text] == [text for text in said if "Bea" in text]
    assert all("Alf" in text for text in said if "another target" not in text)
