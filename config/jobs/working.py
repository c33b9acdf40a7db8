"""What a worker does with a message: claim the job, do its work, finish or fail it."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.jobs import turns
from config.jobs.kinds import J, Kind
from config.jobs.model import Job, State
from config.jobs.verbs import NotOurs, claim, fail, send
from config.logs import job_id
from config.operations import note_fault

log = logging.getLogger(__name__)

_in_hand: dict[int, Job] = {}  # by thread: this process may have several
AT_A_STRETCH = 5.0  # seconds; then another lane's bell, heard by the same worker, is answered


def work_off(kind: Kind[J], pk: int) -> None:
    """Answer the bell that was rung for this job: do what waits in its lane, in turn. Nothing, if it waits no more."""
    lane = kind.rows.filter(pk=pk, state=State.QUEUED).values_list("lane", flat=True).first()
    until = time.monotonic() + AT_A_STRETCH
    while lane is not None and (job := _next(kind, lane)) is not None:
        perform(kind, job)
        if time.monotonic() > until:
            for first in turns.waiting(kind, lane, timezone.now())[:1]:
                send(kind, first)
            return


def _next(kind: Kind[J], lane: str) -> J | None:
    now = timezone.now()
    for pk in turns.waiting(kind, lane, now):
        if (job := claim(kind, pk, now)) is not None:
            return job
    return None


def perform(kind: Kind[J], job: J) -> None:
    """Do a claimed job. What goes wrong is a sentence in its row; what passes by itself is left to the sweep."""
    name = f"{kind.word}-{job.pk}"
    with job_id(name), _held(job):
        try:
            kind.work(job)
        except NotOurs:
            log.info("%s: another worker has taken this job over", name)
        except UserError as error:
            fail(kind, job, error, timezone.now())
        except (DatabaseError, InterfaceError):
            log.exception(
                "%s: the database refused a change; the job will be requeued when its lease runs out", name
            )
        except Exception as error:
            log.exception("%s failed", name)
            note_fault(name, error)
            fail(kind, job, _fault(kind, name), timezone.now())


@contextmanager
def _held(job: Job) -> Iterator[None]:
    _in_hand[threading.get_ident()] = job
    try:
        yield
    finally:
        del _in_hand[threading.get_ident()]


def others_in_hand(lane: str) -> bool:
    """Whether another thread of this process has a job in hand that is of another lane."""
    return any(job.lane != lane for job in list(_in_hand.values()))


def _fault(kind: Kind[Any], name: str) -> UserError:
    reason = _("This couldn’t be finished because of a server error. It has been logged (%(what)s).")
    return UserError("fault", reason % {"what": name}, remedy=kind.remedy())
