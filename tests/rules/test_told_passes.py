"""A line of play told with every pass, also of players who had nothing to use, is answered like the line itself.

Lines are drawn from a seed, on the boards that are measured too.
"""

import random
from typing import Any

import pytest

from rules import scenarios
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.trace import Tracer
from rules.scenarios.adjudicate import adjudicate
from rules.table import stepping
from tests.bench import boards

Move = dict[str, Any]

ONE_SIZE = 3 * len(boards.GAMES)  # boards of ten cards are so far apart
BOARDS = [ONE_SIZE * row + game for row in range(2) for game in range(len(boards.GAMES))]
LINES = 2  # of each board
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
        decision = machine.run()
        found += [(move, False) for move in heard.over]
        heard.over.clear()
        if decision is None:
            break
        number = chance.randrange(len(decision.options))
        if len(decision.options) > 1 and chance.random() < 0.5:
            number = chance.randrange(len(decision.options) - 1)  # passing is the last
        taken = stepping.taken(machine, decision, number)
        if taken.move is not None:
            found.append((taken.move, True))
        else:
            pinned[taken.key] = taken.value
        machine.take(decision, number)
    while found and "pass" in found[-1][0]:  # else where the last of them were said is open
        found.pop()
    return {**canonical, "pinned": pinned}, found


def answers(canonical: dict[str, Any], did: list[Move]) -> list[tuple[str, Any, list[Any]]]:
    told = adjudicate({**canonical, "did": did}, budget=BUDGET)
    return [
        (one["status"], one["answer"], [(by["who"], str(by["decision"])) for by in one["depends"]])
        for one in told["questions"]
    ]


@pytest.mark.parametrize("number", BOARDS, ids=lambda number: f"{list(boards.GAMES)[number % len(boards.GAMES)]}-{number}")
def test_the_pass_of_a_player_with_nothing_to_use_changes_no_answer(number: int) -> None:
    canonical = scenarios.read(boards.source(number)).canonical
    ask = ["now", "next", *({"holds": f"{card}.zone = 'play'"} for card in list(canonical["cards"])[:4])]
    for attempt in range(LINES):
        board, told = line({**canonical, "ask": ask}, random.Random(f"passes {number} {attempt}"))
        asked = [move for move, was_asked in told if was_asked]
        everything = [move for move, _ in told]
        uses = [move for move, was_asked in told if not (was_asked and "pass" in move)]
        own = answers(board, asked)
        assert answers(board, everything) == own, everything
        assert answers(board, uses) == answers(board, [move for move in uses if "pass" not in move]), uses
