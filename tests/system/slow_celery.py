"""The real Celery application with an engine that thinks for a while before it answers.

Only the time is made up: claims, leases, progress and answers are the product's own.
`celery -A tests.system.slow_celery worker`; SLOW_SECONDS says how long.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from config.celery import app  # noqa: F401 (Celery looks for it here)
from rules.scenarios import adjudicate as engine

_real = engine.adjudicate


def _slow(
    canonical: Mapping[str, Any],
    *,
    budget: int,
    seconds: float | None = None,
    megabytes: float | None = None,
    progress: Callable[[int], bool] | None = None,
    spare: Callable[[int], bool] | None = None,
) -> dict[str, Any]:
    until = time.monotonic() + float(os.environ.get("SLOW_SECONDS", "0.5"))
    positions = 0
    while time.monotonic() < until:
        time.sleep(0.02)
        positions += 500
        if progress is not None and not progress(positions):
            raise engine.Cancelled
    return _real(
        canonical, budget=budget, seconds=seconds, megabytes=megabytes, progress=progress, spare=spare
    )


engine.adjudicate = _slow
