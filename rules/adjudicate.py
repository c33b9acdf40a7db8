"""From the service to the engine: a canonical scenario in, an answer as plain JSON out; by one worker or by several.

By several: `adjudicate(canonical, alone=...)` raises Large where it pays; then `parts_of`, `explore_part` for each of
them wherever there is time, and `adjudicate(canonical, partials=...)` with what they found out: the same answer.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rules import scenario, system_files
from rules.engine.answer import answer
from rules.engine.errors import Unworkable
from rules.engine.questions import questions_of
from rules.engine.splitting import PARTS, Part, Partial, split
from rules.engine.splitting import explore_part as explore

log = logging.getLogger(__name__)


Progress = Callable[[int], bool] | None


class Cancelled(Exception):
    """Whoever asked does not want the answer any more."""


class Large(Exception):
    """More positions than one worker should visit alone."""


def adjudicate(
    canonical: Mapping[str, Any],
    *,
    budget: int,
    progress: Progress = None,
    alone: int | None = None,
    partials: Iterable[Partial] = (),
) -> dict[str, Any]:
    """Explore the scenario (rules.scenario canonical form) and answer its questions.

    budget: positions that may be visited; beyond it the answer is `undecided`.
    progress: called now and then with the positions visited so far; answering False raises Cancelled.
    alone: about so many positions may be visited, else Large is raised.
    partials: what `explore_part` found out; whatever is missing is explored here.
    Raises DataError when the scenario does not fit the system (it was read under another version).
    """
    told = _report(progress)

    def report(positions: int) -> None:
        told(positions)
        if alone is not None and positions >= alone:
            raise Large

    def fault(found: Unworkable) -> None:
        log.warning("not modelled: %s", found, exc_info=found)

    found = answer(scenario.build(canonical), budget=budget, progress=report, fault=fault, partials=partials)
    found["scenario_hash"] = scenario.canonical_hash(canonical)
    found["engine"] = system_files.ENGINE_VERSION
    return found


def parts_of(canonical: Mapping[str, Any], *, parts: int = PARTS) -> list[Part]:
    """The parts of an exploration, at least so many, as plain lists of numbers; empty: it cannot be split.

    Raises DataError.
    """
    scene = scenario.build(canonical)
    try:
        return split(scene, questions_of(scene), parts=parts)
    except Unworkable:  # the exploration of all meets it in its turn, and says so
        return []


def explore_part(
    canonical: Mapping[str, Any], part: Part, *, budget: int, progress: Progress = None
) -> Partial:
    """What can be found out about a part, as plain JSON (a few megabytes for 50,000 positions; it compresses well).

    Raises DataError, Cancelled.
    """
    scene = scenario.build(canonical)
    return explore(scene, questions_of(scene), part, budget=budget, progress=_report(progress))


def _report(progress: Progress) -> Callable[[int], None]:
    def report(positions: int) -> None:
        if progress is not None and not progress(positions):
            raise Cancelled

    return report
