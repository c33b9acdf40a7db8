"""One call from the service to the engine: a canonical scenario in, an answer as plain JSON out."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from rules import scenario, system_files
from rules.engine.answer import answer
from rules.engine.errors import Unworkable

log = logging.getLogger(__name__)


class Cancelled(Exception):
    """Whoever asked does not want the answer any more."""


def adjudicate(
    canonical: Mapping[str, Any], *, budget: int, progress: Callable[[int], bool] | None = None
) -> dict[str, Any]:
    """Explore the scenario (rules.scenario canonical form) and answer its questions.

    budget: positions that may be visited; beyond it the answer is `undecided`.
    progress: called now and then with the positions visited so far; answering False raises Cancelled.
    Raises DataError when the scenario does not fit the system (it was read under another version).
    """

    def report(positions: int) -> None:
        if progress is not None and not progress(positions):
            raise Cancelled

    def fault(found: Unworkable) -> None:
        log.warning("not modelled: %s", found, exc_info=found)

    found = answer(scenario.build(canonical), budget=budget, progress=report, fault=fault)
    found["scenario_hash"] = scenario.canonical_hash(canonical)
    found["engine"] = system_files.ENGINE_VERSION
    return found
