"""Disputes as judges have them, made from a seed: real cards on the table, a thing that happens, what is asked then.

A board has 10, 20 or 40 cards of one system: its library's, and those that its worked cases describe. One of a few
things happens to one card or to all of them, and three things are asked. Boards differ by their number alone, so that
two versions of the engine, or two ways of exploring, are measured on the same thousand.

`python -m tests.bench.boards [--boards N] [--first N] [--keep FILE] [--budget N]` prints what exploring each took.
"""

import argparse
import json
import random
import resource
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.machine.interpreter import Runaway
from rules.engine.search.explore import Explorer
from rules.engine.search.graph import Graph
from rules.engine.search.questions import questions_of
from rules.law import system_files
from rules.scenarios import case_files
from tests.bench import kiwipete

Measurement = tuple[str, float, str, tuple[str, float] | None]

BOARDS = 1_000
BUDGET = 20_000  # positions
PATIENCE = 5.0  # seconds of the processor: nobody at a table waits longer
SIZES = (10, 20, 40)
_OF_A_CARD = ("is", "name", "type", "abilities", "always", "cannot", "immune")


@dataclass(frozen=True, slots=True)
class Game:
    """How a board of one system looks.

    event: the card that makes it happen; things: what it does, to all or to a chosen `t`; body: the type of the cards
    it happens to; there: what must lie there for anything to happen, and what each card has of it.
    """

    event: Mapping[str, Any]
    kind: str
    body: str
    things: tuple[Mapping[str, Any], ...]
    there: Mapping[str, Mapping[str, Any]]
    each: Mapping[str, Any]


def _game(
    type_: str,
    kind: str,
    body: str,
    *things: Mapping[str, Any],
    there: Mapping[str, Any] | None = None,
    each: Mapping[str, Any] | None = None,
) -> Game:
    return Game({"type": type_, "zone": "hand", "of": "Ann"}, kind, body, things, there or {}, each or {})


def _do(kind: str, role: str, **more: Any) -> dict[str, Any]:
    return {"do": kind, "role": role, **more}


GAMES: Mapping[str, Game] = {
    "coc-lcg": _game("event", "action", "character", _do("destroy", "card"), _do("wound", "to"), _do("return", "card")),
    "coc-ccg": _game("event", "action", "character", _do("destroy", "card"), _do("wound", "to"), _do("return", "card")),
    "codex": _game("spell", "action", "unit", _do("destroy", "card"), _do("damage", "to", amount=2, by="this")),
    "l5r": _game("strategy", "open", "personality", _do("destroy", "card"), _do("bow", "card")),
    "magic": _game(
        "sorcery", "spell", "creature", _do("destroy", "card", by="this"), _do("damage", "to", amount=3, by="this")
    ),
    "arkham": _game(
        "event",
        "free",
        "enemy",
        _do("damage", "to", amount=3),
        _do("exhaust", "card"),
        there={
            "hall": {"name": "Hall", "type": "location"},
            "roland": {"is": "Roland Banks", "of": "Ann", "location": "hall"},
        },
        each={"location": "hall"},
    ),
}  # fmt: skip


# Made on demand (`made`): the numbers above are those of the boards that are measured.
MORE: Mapping[str, Game] = {
    "agot": _game(
        "event",
        "action",
        "character",
        _do("kill", "card"),
        _do("kneel", "card"),
        there={
            "throne": {"type": "faction", "of": "Ann"},
            "shield": {"type": "faction", "of": "Bo"},
            "march": {"type": "plot", "of": "Ann", "claim": 1},
        },
    ),
}  # fmt: skip


def measure() -> Iterator[Measurement]:
    yield from figures(list(explored(range(BOARDS))))


@dataclass(frozen=True, slots=True)
class Explored:
    """What came of one board. end: done, late (the budget or the patience ended it), endless (something may be used
    without end, and piles up beyond what one answer may hold: that is said at once), or why it was not answered."""

    board: int
    system: str
    cards: int
    seconds: float
    positions: int
    lines: int
    ends: int
    end: str
    answers: str


class Late(Exception):
    """No calls waiting any longer."""


def explored(numbers: range, budget: int = BUDGET) -> Iterator[Explored]:
    for number in numbers:
        yield explore(number, budget)


def explore(number: int, budget: int = BUDGET) -> Explored:
    """Every line of one board, timed from the scene to the graph."""
    canonical = scenarios.read(source(number)).canonical
    started = time.process_time()

    def hurry(positions: int) -> None:
        if time.process_time() - started > PATIENCE:
            raise Late

    scene = scenarios.build(canonical)
    explorer = Explorer(scene, questions_of(scene), budget=budget, progress=hurry, ends_early=True)
    graph: Graph | None = None
    try:
        graph, end = explorer.explore(), "done"
    except BudgetExceeded as bound:
        end = "endless" if bound.of == "memory" else "late"
    except Late:
        end = "late"
    except (Unworkable, Runaway) as found:
        end = type(found).__name__
    seconds = time.process_time() - started
    told = "" if graph is None else repr(sorted(map(repr, graph.outcomes)))
    return Explored(
        number,
        scene.system.key,
        len(scene.cards),
        round(seconds, 5),
        explorer.positions,
        graph.lines if graph else 0,
        graph.ends if graph else 0,
        end,
        told,
    )


def figures(found: list[Explored]) -> Iterator[Measurement]:
    took = sorted(one.seconds for one in found)
    positions = sorted(one.positions for one in found)
    yield "boards-explored", len(found), "boards", None
    yield "boards-all", sum(took), "s", None
    yield "boards-median", statistics.median(took) * 1000, "ms", None
    yield "boards-p95", took[int(len(took) * 0.95)] * 1000, "ms", None
    yield "boards-worst", took[-1] * 1000, "ms", None
    yield "boards-late", sum(one.end == "late" for one in found), "boards", None
    yield "boards-endless", sum(one.end == "endless" for one in found), "boards", None
    yield "boards-positions", sum(positions), "positions", None
    yield "boards-positions-p95", positions[int(len(positions) * 0.95)], "positions", None
    yield "boards-positions-worst", positions[-1], "positions", None
    yield "boards-over-200-positions", sum(one > 200 for one in positions), "boards", None
    yield "boards-rate", sum(positions) / sum(took), "positions/s", kiwipete.rate()
    yield "boards-memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB", None


# --- making a board


@cache
def source(number: int) -> str:
    """The board's scenario, as JSON (which is YAML). The first that can be read of those that the number makes."""
    for attempt in count():
        told = json.dumps(_board(random.Random(f"board {number} {attempt}"), number))
        try:
            scenarios.build(scenarios.read(told).canonical)
        except UserError:
            continue
        return told
    raise AssertionError


@cache
def made(key: str, size: int, seed: int) -> str:
    """A board of one game and so many cards, as JSON: the first that can be read."""
    for attempt in count():
        told = json.dumps(_filled(random.Random(f"{key} {size} {seed} {attempt}"), key, size))
        try:
            scenarios.build(scenarios.read(told).canonical)
        except UserError:
            continue
        return told
    raise AssertionError


def _board(rng: random.Random, number: int) -> dict[str, Any]:
    return _filled(rng, list(GAMES)[number % len(GAMES)], SIZES[number // len(GAMES) % len(SIZES)])


def _filled(rng: random.Random, key: str, size: int) -> dict[str, Any]:
    game = GAMES.get(key) or MORE[key]
    seats = ["Ann", "Bo", "Cy", "Di"][: rng.choice([2, 2, 2, 3, 4])]
    cards: dict[str, dict[str, Any]] = {name: dict(card) for name, card in game.there.items()}
    pool = list(_pool(key))
    bodies = [card for card in pool if card["type"] == game.body]
    for at in range(size):
        card = dict(rng.choice(bodies if rng.random() < 0.7 else pool)["card"])
        if "is" not in card:
            card["name"] = card.get("name", f"Card {at}")
        cards[f"c{at}"] = {**card, "of": rng.choice(seats), "zone": "play", **game.each}
        if key == "arkham":
            cards[f"c{at}"].pop("of")
    at_all = rng.random() < 0.4
    cards["event"] = {"name": "The Event", **game.event, "abilities": [_happening(rng, game, all_=at_all)]}
    targets = [name for name, card in cards.items() if _type(key, card) == game.body]
    did: list[Any] = [
        {"Ann": "event"} if at_all or not targets else {"Ann": "event", "t": rng.choice(targets)}
    ]
    there = [name for name in cards if name != "event"]
    asks = [_question(rng, seats, there) for _ in range(3)]
    return {"system": key, "players": seats, "cards": cards, "did": did, "ask": asks}


def _happening(rng: random.Random, game: Game, *, all_: bool) -> dict[str, Any]:
    thing = dict(rng.choice(game.things))
    role = thing.pop("role")
    if all_:
        return {"kind": game.kind, "do": [{**thing, "each": game.body, role: "it"}]}
    return {"kind": game.kind, "choose": {"t": game.body}, "do": [{**thing, role: "t"}]}


def _question(rng: random.Random, seats: list[str], cards: list[str]) -> Any:
    one, other = rng.choice(cards), rng.choice(cards)
    stays = f"{one}.zone = 'play'"
    kinds: list[Any] = [
        "next",
        "now",
        f"may {rng.choice(seats)} use {one}?",
        {"holds": stays},
        {"force": {"who": rng.choice(seats), "holds": stays}},
        {"order": [one, other]} if one != other else "next",
    ]
    return rng.choice(kinds)


def _type(key: str, card: Mapping[str, Any]) -> str:
    printed = _library(key).get(str(card.get("is", "")).casefold(), {})
    return str(card.get("type") or printed.get("type"))


@cache
def _library(key: str) -> Mapping[str, Mapping[str, Any]]:
    return {str(card["name"]).casefold(): card for card in system_files.library(key).values()}


@cache
def _pool(key: str) -> tuple[dict[str, Any], ...]:
    """Cards that can lie in play: the library's, and those the worked cases describe that name no other card."""
    found = [{"is": card["name"]} for _, card in sorted(_library(key).items())]
    for case in case_files.cases():
        if case.data["system"].split("/")[0] == key and not case.twin_of:
            for card in case.data.get("cards", {}).values():
                if "is" not in card and card.get("zone", "play") == "play" and "type" in card:
                    printed = {k: v for k, v in card.items() if k in _OF_A_CARD or type(v) is int}
                    found.append(printed)
    pool = []
    for card in found:
        board = {"system": key, "cards": {"one": {**card, "zone": "play"}}, "ask": ["next"]}
        try:
            scenarios.build(scenarios.read(json.dumps(board)).canonical)
        except UserError:
            continue
        pool.append({"card": card, "type": _type(key, card)})
    return tuple(pool)


def main() -> None:
    told = argparse.ArgumentParser(description="explore seeded boards of real cards")
    told.add_argument("--boards", type=int, default=BOARDS)
    told.add_argument("--first", type=int, default=0)
    told.add_argument("--budget", type=int, default=BUDGET)
    told.add_argument("--keep", type=Path, help="write what came of each board there, as JSON")
    asked = told.parse_args()
    found = list(explored(range(asked.first, asked.first + asked.boards), asked.budget))
    for name, value, unit, _ in figures(found):
        print(f"{name} {value:.6g} {unit}")
    if asked.keep:
        asked.keep.write_text(json.dumps([asdict(one) for one in found], indent=0))


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
