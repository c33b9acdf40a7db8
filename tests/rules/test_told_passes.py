"""What is told and what is asked agree, on lines of play drawn from a seed.

A line told with every pass, also of players who had nothing to use, is answered like the line itself; and what a player
may use is what can be told as the next move.
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
# Codex has no window but the active player's; the smaller boards are of games in which many lines take too long, or
# which have no boards that are measured
PLAYED = ("coc-lcg", "coc-ccg", "l5r", "arkham")
SMALLER = {"agot": 8, "magic": 5}  # so many cards
ONE_SIZE = len(boards.SIZES) * len(GAMES)  # boards of ten cards are so far apart
BOARDS = [(game, ONE_SIZE * row + GAMES.index(game)) for row in range(6) for game in PLAYED]
BOARDS += [(game, seed) for seed in range(6) for game in SMALLER]
BEGINS = {"agot": "challenges phase"}  # where several windows follow
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


def begun(moves: list[tuple[Move, bool]], most: int) -> list[Move]:
    """The first moves of a line, of those who were asked, up to one that is no pass."""
    found = [move for move, asked in moves if asked][:most]
    while found and "pass" in found[-1]:
        found.pop()
    return found


def answers(canonical: dict[str, Any], did: list[Move]) -> list[tuple[str, Any, list[str]]]:
    """Of each question: its status, its answer, what it depends on."""
    told = adjudicate({**canonical, "did": did}, budget=BUDGET)
    return [
        (one["status"], one["answer"], [str(by["decision"]) for by in one["depends"]])
        for one in told["questions"]
    ]


def board_of(game: str, number: int) -> dict[str, Any]:
    """The scenario, without moves."""
    source = boards.made(game, SMALLER[game], number) if game in SMALLER else boards.source(number)
    begins = {"at": BEGINS[game]} if game in BEGINS else {}
    return {**json.loads(source), **begins, "did": []}


@pytest.mark.parametrize(("game", "number"), BOARDS)
def test_the_pass_of_a_player_with_nothing_to_use_leads_to_no_other_sure_answer(
    game: str, number: int
) -> None:
    written = board_of(game, number)
    zones = [{"holds": f"{card}.zone = 'play'"} for card in list(written["cards"])[:4]]
    canonical = scenarios.read(json.dumps({**written, "ask": ["next", *zones]})).canonical
    for attempt in range(LINES):
        board, told = line(canonical, random.Random(f"passes {number} {attempt}"))
        plain = [move for move, asked in told if asked]
        whole = [move for move, _ in told]
        if whole == plain:
            continue
        for found, wanted in zip(answers(board, whole), answers(board, plain), strict=True):
            unsure = "insufficient" in (found[0], wanted[0])  # it asks for a fact, and is no other answer
            assert found == wanted or unsure or str(TOLD_PASSES.ask) in found[2], (whole, found, wanted)


def test_boards_have_lines_on_which_somebody_is_passed_over() -> None:
    """Else the test above compares nothing."""
    passed_over = 0
    for game, number in BOARDS:
        canonical = scenarios.read(json.dumps(board_of(game, number))).canonical
        told = [line(canonical, random.Random(f"passes {number} {attempt}"))[1] for attempt in range(LINES)]
        passed_over += sum(any(not asked for _, asked in one) for one in told)
    assert passed_over >= 5


ASKED = [("agot", 8), ("coc-lcg", 8), ("coc-ccg", 8), ("l5r", 8), ("magic", 5)]
AFTER = (0, 1, 2, 4, 8)  # so many moves


@pytest.mark.parametrize(("game", "size"), ASKED)
def test_what_may_be_used_is_what_can_be_told_as_the_next_move(game: str, size: int) -> None:
    """`may` looks up to the next action, and behind a window that does not ask for it. So a use that is the other
    player's turn to answer with, or that comes by itself, may be told all the same."""
    begins = {"agot": "challenges phase", "coc-lcg": "operations phase"}
    compared = 0
    for seed in range(6):
        written = json.loads(boards.made(game, size, seed)) | {"did": []}
        written |= {"at": begins[game]} if game in begins else {}
        chance = random.Random(f"asked {seed}")
        board, moves = line(scenarios.read(json.dumps({**written, "ask": ["next"]})).canonical, chance)
        did = begun(moves, chance.choice(AFTER))
        used = {(move["who"], move.get("use")) for move in did}
        users = [(who, card) for card in chance.sample(list(written["cards"]), 4) for who in ("Ann", "Bo")]
        asks = [{"legal": {"who": who, "use": card}} for who, card in users if (who, card) not in used]
        found = adjudicate({**board, "did": did, "ask": [{"next": True}, *asks]}, budget=BUDGET)["questions"]
        for ask, one in zip(asks, found[1:], strict=True):
            told = adjudicate({**board, "did": [*did, ask["legal"]], "ask": [ask]}, budget=BUDGET)[
                "questions"
            ][0]
            if {one["status"], told["status"]} != {"determined"}:
                continue
            compared += 1
            mandatory = "when" not in one and "happen" in one["text"]
            theirs = found[0]["answer"] != ask["legal"]["who"]  # it is not this player who acts next
            if not mandatory and not (theirs and told["answer"] == "yes"):
                assert one["answer"] == told["answer"], (did, ask, one["sentence"], told["sentence"])
    assert compared >= 20
