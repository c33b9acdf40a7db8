"""Records what the service status page and `/metrics` show: server errors and running processes.

In the database, because that is what all processes of an installation share. Nothing here may make anything worse: what
cannot be written is left out.
"""

import logging
import os
import socket
import threading
from contextlib import suppress
from datetime import timedelta

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from config.logs import request_id

SEEN_EVERY_SECONDS = 10.0
GONE_AFTER = timedelta(seconds=45)  # a process that was not seen so long is taken for gone
FORGOTTEN_AFTER = timedelta(days=1)
FAULTS_KEPT = 1_000

log = logging.getLogger(__name__)


def note_fault(where: str, error: BaseException | None) -> None:
    """Write down an error that is ours. Its text is not kept: it may hold what is private."""
    model = apps.get_model(settings.FAULT_MODEL)
    with suppress(DatabaseError), transaction.atomic():
        row = model._default_manager.create(
            where=where[:200], message=type(error).__name__[:300], request_id=request_id.get()[:40]
        )
        if row.pk % 100 == 0:
            model._default_manager.filter(pk__lte=row.pk - FAULTS_KEPT).delete()


def resident_bytes() -> int:
    """Of memory that this process has; 0 where the system does not tell."""
    with suppress(OSError), open("/proc/self/statm") as file:  # noqa: PTH123 (no file of ours)
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


class Heart:
    """Renews this process's row until it is stopped."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.name = f"{kind} {socket.gethostname()} {os.getpid()}"
        self.started_at = timezone.now()
        self.stopped = threading.Event()
        threading.Thread(target=self._beat, daemon=True, name="heart").start()

    def _beat(self) -> None:
        while True:
            try:
                self._seen()
            except DatabaseError as error:  # seen again in a while
                log.warning("could not record that this process is running: %s", type(error).__name__)
            finally:
                connection.close()
            if self.stopped.wait(SEEN_EVERY_SECONDS):
                return

    def _seen(self) -> None:
        rows, now = apps.get_model(settings.PROCESS_MODEL)._default_manager, timezone.now()
        rows.update_or_create(
            name=self.name, defaults={"kind": self.kind, "started_at": self.started_at, "seen_at": now}
        )
        rows.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
