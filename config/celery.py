"""The Celery application; its settings are the CELERY_* ones in config.settings.

Results are never kept in Celery: the job's own row is the result. Imported by workers, by the clock, and by whoever
rings for a job (config.jobs.verbs); not by commands that need none of it, as loading Celery takes longer than they do.
"""

import os

from celery import Celery, signals
from kombu.transport import TRANSPORT_ALIASES

from config.schedule import every

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

TRANSPORT_ALIASES["filesystem"] = "config.file_broker:Transport"

app = Celery("headjudge")
app.config_from_object("django.conf:settings", namespace="CELERY")  # read when first needed
app.autodiscover_tasks()


@app.on_after_configure.connect
def _evenly(sender: Celery, **given: object) -> None:
    """The clock rings by a time that nobody can move."""
    told = sender.conf.beat_schedule
    sender.conf.beat_schedule = {
        name: {**one, "schedule": every(one["schedule"])} for name, one in told.items()
    }


@signals.worker_ready.connect
def _worker(**given: object) -> None:
    """Processes say that they are at work."""
    from config.operations import Heart  # needs Django

    Heart("worker")


@signals.beat_init.connect
def _clock(**given: object) -> None:
    from config.operations import Heart

    Heart("clock")
