"""How long the service has run, counted by its sweeps: a clock that jumps doesn't change it.

The machine's clock says how long ago the last sweep was; what it says beyond the sweeps' interval is a jump, or time in
which nothing ran. Several beats at once count no faster.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from config.models import RunningTime

ROW = 1


def running_seconds() -> int:
    """How long the installation has run, in seconds, as of the last sweep."""
    counted = RunningTime.objects.filter(pk=ROW).values_list("seconds", flat=True).first()
    return counted or 0


def count_on(now: datetime) -> int:
    """Count what went by since the last sweep; the running time."""
    with transaction.atomic():
        row, _new = RunningTime.objects.select_for_update().get_or_create(
            pk=ROW, defaults={"counted_at": now}
        )
        most = timedelta(seconds=2 * settings.SWEEP_REQUESTS_SECONDS)
        gone = min(max(now - row.counted_at, timedelta()), most)
        row.seconds += int(gone.total_seconds())
        row.counted_at = now
        row.save()
    return row.seconds
