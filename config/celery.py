"""The Celery application. Results are never kept in Celery: the job's own row is the result."""

import os
from pathlib import Path

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # noqa: E402 (needs the variable above)

app = Celery("headjudge")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_serializer="json",
    accept_content=["json"],
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_schedule={"sweep": {"task": "rules.sweep", "schedule": settings.JOB_SWEEP_SECONDS}},
)

if settings.EMBEDDED_BROKER:
    _queue = Path(settings.VAR_DIR) / "queue"
    for _name in ("messages", "control"):
        (_queue / _name).mkdir(parents=True, exist_ok=True)
    app.conf.broker_transport_options = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "control_folder": str(_queue / "control"),
        "store_processed": False,
        "polling_interval": 0.05,
    }
    app.conf.worker_prefetch_multiplier = 4
else:
    # Longer than any job may run: a message is redelivered only when its worker is surely gone.
    app.conf.broker_transport_options = {"visibility_timeout": 3600}

app.autodiscover_tasks()
