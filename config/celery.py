"""The Celery application; its settings are the CELERY_* ones of config.settings.

Results are never kept in Celery: the job's own row is the result.
"""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

TRANSPORT_ALIASES["filesystem"] = "config.file_broker:Transport"

app = Celery("headjudge")
app.config_from_object("django.conf:settings", namespace="CELERY")  # read when first needed
app.autodiscover_tasks()


@app.on_after_finalize.connect
def _operations(sender: Celery, **given: object) -> None:
    """Processes say that they are at work."""
    from config import operations  # noqa: F401 (its signals)
