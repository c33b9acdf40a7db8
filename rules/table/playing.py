"""Lines of play on a board: the current step, what was decided, where two lines diverge, a line as moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from config.errors import Conflict
from rules import scenarios
from rules.engine.base.errors import DataError
from rules.scenarios import limits, writing
from rules.table import stepping
from rules.table.stepping import Session

MAX_STEPS = limits.MAX_MOVES  # decisions of one line
MAX_LINES = 12

Line = dict[str, Any]  # {"name": str, "steps": [[number, words], ...]}


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that does not go on as it was played: at which step, and what was chosen there."""

    step: int
    words: str


@dataclass(frozen=True, slots=True)
class Told:
    """A line as a scenario: its canonical form, and whether its moves make exactly the line's decisions."""

    canonical: dict[str, Any]
    exact: bool

    def text(self, found: Mapping[str, str], title: str = "") -> str:
        """The scenario file."""
        return writing.write(self.canonical, found=found, title=title)


def play(laid: Mapping[str, Any], steps: Sequence[Sequence[Any]]) -> tuple[Session, Broken | None]:
    """Play the steps as far as they go: an option by its words, and by its number where several have the same."""
    try:
        session = Session(dict(laid))
    except DataError as error:
        raise Conflict(
            error.code, scenarios.told(error.message), place=error.place, remedy=error.remedy
        ) from error
    for at, (number, words) in enumerate(steps):
        options = session.options()
        if 0 <= number < len(options) and options[number] == words:
            session.choose(number)
        elif words in options:
            session.choose(options.index(words))
        else:
            return session, Broken(at, str(words))
    return session, None


def steps_of(lines: Sequence[Line], line: int, step: int | None = None) -> list[list[Any]]:
    """The first `step` steps of a line; all of them without. A line that is not there has none."""
    steps = lines[line]["steps"] if 0 <= line < len(lines) else []
    return list(steps if step is None else steps[: max(step, 0)])


def chosen(
    laid: Mapping[str, Any], lines: Sequence[Line], line: int, step: int, number: int, words: str
) -> tuple[list[Line], int]:
    """The lines after taking an option at a step of one: it goes on, or a new one branches off. Raises Conflict."""
    before = steps_of(lines, line, step)
    session, broken = play(laid, before)
    options = session.options()
    if broken or len(before) != step or not 0 <= number < len(options) or options[number] != words:
        raise Conflict(
            "not-offered", _("“%(words)s” is no longer an option here.") % {"words": words[:120]},
            remedy=_("The board has changed since. Choose one of the options shown now."),
        )  # fmt: skip
    if step >= MAX_STEPS:
        raise Conflict("too-long", _("A line of play can have at most %(most)s steps.") % {"most": MAX_STEPS})
    taken = [number, words]
    all_steps = steps_of(lines, line)
    if all_steps[step : step + 1] == [taken]:
        return list(lines), line
    after = [dict(one) for one in lines]
    if len(all_steps) == step and after:
        after[line] = {**after[line], "steps": [*before, taken]}
        return after, line
    same = next((i for i, one in enumerate(lines) if one["steps"][: step + 1] == [*before, taken]), None)
    if same is not None:
        return after, same
    if len(after) >= MAX_LINES:
        raise Conflict(
            "too-many-lines", _("This board already has %(most)s lines of play.") % {"most": MAX_LINES},
            remedy=_("Delete one of them first."),
        )  # fmt: skip
    return [*after, {"name": "", "steps": [*before, taken]}], len(after)


def parting(lines: Sequence[Line], one: int, other: int) -> int:
    """The number of steps that two lines have in common."""
    first, second = steps_of(lines, one), steps_of(lines, other)
    same = 0
    while same < min(len(first), len(second)) and first[same][1] == second[same][1]:
        same += 1
    return same


def told(laid: Mapping[str, Any], lines: Sequence[Line], line: int, step: int, *, keep: bool) -> Told:
    """The situation with a line's first steps as its moves. keep: with the readings pinned as the line has them."""
    session, broken = play(laid, steps_of(lines, line, step))
    pins = {one.key: one.value for one in session.taken if one.decider == "rules"} if keep else {}
    canonical = {**laid, "pinned": {**laid["pinned"], **pins}}
    rest = [one for one in session.taken if not (keep and one.decider == "rules")]
    moves, exact = stepping.moves(canonical, rest)
    canonical["did"] = moves
    if any("pass" in move for move in moves):
        canonical = stepping.as_played(canonical)
    return Told(canonical, exact and broken is None)


def line_of(canonical: Mapping[str, Any]) -> Line | None:
    """The moves of a scenario as a line at the table; None when it has none, or they cannot be made."""
    steps = stepping.steps_of_moves(canonical)
    return {"name": "", "steps": [list(step) for step in steps]} if steps else None
