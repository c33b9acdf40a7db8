"""Leases: a job is taken by one worker for a while, and had back from one that died (docs/jobs.md).

Every kind of job has rows with `state`, `token`, `lease_until` and `sent_at`; this is what a sweep asks of them.
Times are compared with a clock that may have been moved, and that differs between machines.
"""

from datetime import datetime, timedelta

from django.db.models import Q

CLOCKS_DIFFER = timedelta(seconds=30)  # at most, between the machines of one service
SWEEP_AT_ONCE = 200  # one sweep stays well under a second; the next one takes the rest


def lease_is_over(now: datetime, seconds: float) -> Q:
    """Leases are given for so many seconds. Also one that runs longer than any that is given: the clock was ahead."""
    longest = timedelta(seconds=seconds)
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + longest + CLOCKS_DIFFER)


def not_heard(now: datetime, seconds: float) -> Q:
    """Rung for so many seconds ago, or, as the clock had it, in time to come."""
    return Q(sent_at__lte=now - timedelta(seconds=seconds)) | told_ahead(now)


def told_ahead(now: datetime) -> Q:
    """Rung for by a clock that was ahead, and has been set back since."""
    return Q(sent_at__gt=now + CLOCKS_DIFFER)
