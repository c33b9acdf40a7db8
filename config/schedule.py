"""The scheduler's (Celery beat's) intervals, by a monotonic clock that no one can move.

By the machine's clock beat would ring no more once that is set back, until it is as late as it was before.
"""

import time
from datetime import UTC, datetime

from celery.schedules import schedule


def every(seconds: float) -> schedule:
    return schedule(seconds, nowfun=steady)


def steady() -> datetime:
    """A time that runs evenly, from whenever this machine started; good for differences alone."""
    return datetime.fromtimestamp(time.monotonic(), UTC)
