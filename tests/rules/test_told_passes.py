"""A line of play told with every pass, also of players who had nothing to use, is answered like the line itself.

Lines are drawn from a seed, on the boards that are measured too.
"""

import json
import random
from typing import Any

import pytest

from rules import scenarios
from rules.engine.base.errors import Unworkable
from rules.engine.definitions.model import TOLD_PASSES
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.machine.trace import Tracer
from rules.scenarios.adjudicate import adjudicate
from rules.table import stepping
from tests.bench import boards

Move = dict[str, Any]

GAMES = [*boards.GAMES]
# Codex has no window but the active player's, and many lines of Magic's boards take too long.
PLAYED = ("coc-lcg", "coc-ccg", "l5r", "arkham")
ONE_SIZE = len(boards.SIZES) * len(GAMES)  # boards of ten cards are so far apart
BOARDS = [ONE_SIZE * row + GAMES.index(game) for row in range(6) for game in PLAYED]
LINES = 3  # of each board
LONGEST = 14
BUDGET = 1_500


class Listener(Tracer):
    """Hears who is passed over, because he has nothing to use where somebody else has."""

    def __init__(self) -> None:
        super().__init__()
        self.somebody = False
        self.over: list[Move] = []

    def waiting(self, options: Any) -> None:
        self.somebody = bool(options)
        super().waiting(options)

    def nobody(self, player: Any, refused: Any) -> None:
        if self.somebody:
            self.over.append({"who": player.id, "pass": True})
        super().nobody(player, refused)


def line(canonical: dict[str, Any], chance: random.Random) -> tuple[dict[str, Any], list[tuple[Move, bool]]]:
    """A line of play, as (move, was the player asked?), and the readings it came to, pinned."""
    pinned = dict(canonical.get("pinned", {}))
    scene = scenarios.build({**canonical, "did": []})
    heard = Listener()
    machine = Machine(scene, heard)
    machine.opened = heard.enter("step", None, scene.start.name, scene.start.cites)
    machine.enter(scene.start, scene.arguments)
    found: list[tuple[Move, bool]] = []
    for _ in range(LONGEST):
        try:
            decision = machine.run()
        except (Unworkable, Runaway):
            break
        found += [(move, False) for move in heard.over]
        heard.over.clear()
        if decision is None or decision.untold:
            break
        number = chance.randrange(len(decision.options))
        if len(decision.options) > 1 and chance.random() < 0.5:
            number = chance.randrange(len(decision.options) - 1)  # passing is the last
        taken = stepping.taken(machine, decision, number)
        if taken.move is not None:
            found.append((taken.move, True))
        elif decision.kind == "reading":
            pinned[taken.key] = taken.value
        try:
            machine.take(decision, number)
        except (Unworkable, Runaway):
            found.pop()
            break
    while found and "pass" in found[-1][0]:  # else where the last of them were said is open
        found.pop()
    return {**canonical, "pinned": pinned}, found


def answers(canonical: dict[str, Any], did: list[Move]) -> list[tuple[str, Any, list[str]]]:
    """Of each question: its status, its answer, what it depends on."""
    told = adjudicate({**canonical, "did": did}, budget=BUDGET)
    return [
        (one["status"], one["answer"], [str(by["decision"]) for by in one["depends"]])
        for one in told["questions"]
    ]


@pytest.mark.parametrize("number", BOARDS, ids=lambda number: f"{GAMES[number % len(GAMES)]}-{number}")
def test_the_pass_of_a_player_with_nothing_to_use_leads_to_no_other_sure_answer(number: int) -> None:
    written = json.loads(boards.source(number))
    zones = [{"holds": f"{card}.zone = 'play'"} for card in list(written["cards"])[:4]]
    canonical = scenarios.read(json.dumps({**written, "did": [], "ask": ["next", *zones]})).canonical
    for attempt in range(LINES):
        board, told = line(canonical, random.Random(f"passes {number} {attempt}"))
        plain = [move for move, asked in told if asked]
        whole = [move for move, _ in told]
        if whole == plain:
            continue
        for found, wanted in zip(answers(board, whole), answers(board, plain), strict=True):
            assert found == wanted or str(TOLD_PASSES.ask) in found[2], (whole, found, wanted)


def test_boards_have_lines_on_which_somebody_is_passed_over() -> None:
    """Else the test above compares nothing."""
    passed_over = 0
    for number in BOARDS:
        canonical = scenarios.read(boards.source(number)).canonical
        told = [line(canonical, random.Random(f"passes {number} {attempt}"))[1] for attempt in range(LINES)]
        passed_over += sum(any(not asked for _, asked in one) for one in told)
    assert passed_over >= 10
