"""Turns an answer's trace into the rows of its timeline: lane, depth, and where each line starts.

Time runs down. The first lane is the game itself (steps nobody takes), then one lane a player. The heavy line
stands on the lane of whoever acts and hops when another does; a nested sequence is indented under the step
that it interrupted. Pure: the trace goes in (rules' Answer, `trace`), rows come out; templates draw them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SHAPES = {
    "initiate": "initiate",
    "window": "window",
    "decision": "decision",
    "occurrence": "occurrence",
    "check": "checkpoint",
    "step": "step",
    "idle": "step",
    "end": "end",
}
DEEPEST = 8  # deeper nesting keeps this indentation: a phone has no more room
WIDEST = 6  # lanes; further players share the last one


@dataclass
class Row:
    step: dict[str, Any]
    shape: str
    lane: int
    was: int
    depth: int
    first: bool = False
    last: bool = False
    closes: str = ""  # one letter for every sequence that ends with this row
    children: list["Row"] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    @property
    def quiet(self) -> bool:
        """Nothing came of it: a window nobody could use, a player with nothing to use."""
        return self.step.get("kind") == "idle" or (self.step.get("kind") == "window" and not self.children)

    @property
    def options(self) -> list[dict[str, Any]]:
        """The choices, without the question that all of them repeat ("Who responds first? Ann", "... Bo")."""
        options = self.step.get("options") or []
        questions = {option["text"].partition("? ")[0] for option in options if "? " in option["text"]}
        if len(questions) != 1:
            return list(options)
        return [
            {**option, "text": option["text"].removeprefix(f"{next(iter(questions))}? ")}
            for option in options
        ]

    @property
    def subject(self) -> str:
        """Who acts, unless the text says so already."""
        who = self.step.get("who") or ""
        if self.step.get("kind") == "initiate":
            return ""  # “Bo uses Medic”, “Goat Spawn (forced ability) happens”
        said = rf"(?<!\w){re.escape(who)}(?!\w)"  # wherever the reader's language puts it
        return "" if re.search(said, str(self.step.get("text", ""))) else who

    @property
    def hops(self) -> bool:
        return self.lane != self.was


@dataclass(frozen=True)
class Timeline:
    """`lanes`: the players' names, in the order of their lanes; lane 0 is the game and has no name here. `flat`: all
    rows as they follow each other, each knowing what ends with it: a trace may nest deeper than templates can."""

    lanes: list[str]
    rows: list[Row]
    kinds: list[str]
    flat: list[Row]

    @property
    def width(self) -> int:
        return min(len(self.lanes) + 1, WIDEST)


def timeline(trace: Sequence[dict[str, Any]], players: Sequence[str] = ()) -> Timeline:
    """`players` in seat order; whoever acts in the trace without being named there gets the next lane."""
    steps = list(_walk(trace))
    lanes = list(players)
    for step in steps:
        if step.get("who") and step["who"] not in lanes:
            lanes.append(step["who"])
    rows = _rows(trace, {name: min(i + 1, WIDEST - 1) for i, name in enumerate(lanes)}, 0)
    previous = None
    flat = list(_flat(rows))
    for row in flat:
        row.was = row.lane if previous is None else previous.lane
        previous = row
    if flat:
        flat[0].first = True
        flat[-1].last = True
    _close(rows)
    used = {step.get("kind", "step") for step in steps} - {"idle"}
    return Timeline(lanes, rows, [kind for kind in SHAPES if kind in used], flat)


def brief(trace: Sequence[dict[str, Any]], *, refused: bool = True) -> list[dict[str, Any]]:
    """The trace with what was decided, begun and happened only, and (with `refused`) where a move was refused: the
    chart's other steps, and windows that nobody used, make room for what is in them."""
    found: list[dict[str, Any]] = []
    for step in trace:
        inner = brief(step.get("children") or (), refused=refused)
        if _telling(step) or (refused and step.get("refused")):
            found.append({**step, "children": inner})
        else:
            found += inner
    return found


def _telling(step: dict[str, Any]) -> bool:
    if step.get("kind") in ("decision", "initiate", "occurrence", "end"):
        return True
    return bool(step.get("changes")) and step.get("kind") != "idle"


def _rows(steps: Sequence[dict[str, Any]], lane_of: dict[str, int], depth: int) -> list[Row]:
    return [_row(step, lane_of, depth) for step in steps]


def _row(step: dict[str, Any], lane_of: dict[str, int], depth: int) -> Row:
    return Row(
        step=step,
        shape=SHAPES.get(step.get("kind", ""), "step"),
        lane=lane_of.get(step.get("who") or "", 0),
        was=0,
        depth=min(depth, DEEPEST),
        children=_rows(step.get("children") or (), lane_of, depth + 1),
        changes=[change["text"] for change in step.get("changes") or ()],
    )


def _close(rows: Sequence[Row]) -> None:
    """Let the last row inside each sequence know that the sequence ends with it."""
    for row in rows:
        _close(row.children)
        last = row
        while last.children:
            last = last.children[-1]
        if last is not row:
            last.closes += "x"


def _walk(steps: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        yield step
        yield from _walk(step.get("children") or ())


def _flat(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        yield row
        yield from _flat(row.children)
