"""Hands a canonical scenario to the engine and returns the answer as plain JSON."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from config.operations import resident_bytes
from rules import scenarios
from rules.engine.answers import other_readings
from rules.engine.answers.answer import answer
from rules.engine.base.errors import BudgetExceeded, Unworkable
from rules.engine.scene.scene import Scene
from rules.law import system_files

log = logging.getLogger(__name__)


Progress = Callable[[int], bool] | None


class Cancelled(Exception):
    """Whoever asked does not want the answer any more."""


class OutOfBudget(BudgetExceeded):
    """A budget besides that of positions is used up: the answer is `undecided`."""

    def __init__(self, what: str, most: float) -> None:
        super().__init__("time" if what == "seconds" else what, _WHY[what] % most)
        self.what = what


TELLING_SECONDS = 5  # after a budget is used up: so long what is known is written, with a line of play

_WHY = {
    "seconds": "Not decided within the limit of %g seconds.",
    "memory": "Not decided within the limit of %g MB of memory.",
}


def adjudicate(
    canonical: Mapping[str, Any],
    *,
    budget: int,
    seconds: float | None = None,
    megabytes: float | None = None,
    progress: Progress = None,
    spare: Progress = None,
) -> dict[str, Any]:
    """Explore the scenario (rules.scenarios.reading canonical form) and answer its questions.

    budget: positions that may be visited, seconds that may pass, and megabytes that this process may grow by; beyond
    any of them the answer is `undecided`. `stopped` says by what, if it was time or memory.
    progress: called now and then with the positions visited so far; answering False raises Cancelled.
    spare: if given, the situation is asked again under each reading that was not taken, to say what that would change
    (`rules.engine.answers.other_readings`). It is called meanwhile as `progress` is, and answers False when there is no
    more time: what was not asked stays unexplored, and the answer stands.
    Raises DataError when the scenario does not fit the system (it was read under another version).
    """

    started, stopped, bytes_before = time.monotonic(), "", resident_bytes()
    since = 0.0

    def keep_to_the_budget() -> None:
        if seconds is not None and time.monotonic() - started > seconds:
            raise OutOfBudget("seconds", seconds)
        if megabytes is not None and resident_bytes() - bytes_before > megabytes * 1_000_000:
            raise OutOfBudget("memory", megabytes)

    def report(positions: int) -> None:
        nonlocal stopped, since
        if stopped and time.monotonic() - since < TELLING_SECONDS:
            return
        try:
            keep_to_the_budget()
            if progress is not None and not progress(positions):
                raise Cancelled
        except OutOfBudget as error:
            stopped, since = error.what, since or time.monotonic()
            raise

    def fault(found: Unworkable) -> None:
        # Where it came from matters only where something else was the cause: else the answer says it all.
        log.warning("not modelled: %s", found, exc_info=found if found.__cause__ is not None else None)

    scene = scenarios.build(canonical)
    found = answer(scene, budget=budget, progress=report, fault=fault)
    if stopped:
        found["stopped"] = stopped
    if spare is not None:
        positions_before = found["counts"]["positions"] or 0

        def further(positions: int) -> None:
            try:
                keep_to_the_budget()
            except OutOfBudget as error:
                raise other_readings.OutOfTime from error
            if not spare(positions_before + positions):
                raise other_readings.OutOfTime

        def under(reading: str, option: str) -> Scene:
            return scenarios.build({**canonical, "pinned": {**canonical["pinned"], reading: option}})

        def having(counts: other_readings.Counts) -> Scene:
            players = {name: dict(told or {}) for name, told in canonical["players"].items()}
            for player, count, number in counts:
                players.setdefault(player.id, {})[count.name] = number
            return scenarios.build({**canonical, "players": players})

        other_readings.weigh(found, scene, under, having, budget=budget, progress=further)
    found["scenario_hash"] = scenarios.canonical_hash(canonical)
    found["engine"] = system_files.ENGINE_VERSION
    return found
