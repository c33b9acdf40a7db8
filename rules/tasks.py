"""What workers do. Thin: claim, let the engine think, store; the row decides what is true (docs/jobs.md)."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.logs import job_id
from config.operations import note_fault
from rules import adjudicate as engine
from rules import services
from rules.models import Adjudication
from rules.system_files import system as system_file

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.5  # between two notes; far below any lease


@shared_task(name="rules.adjudicate")
def adjudicate(pk: int) -> None:
    """Answer the queued adjudication `pk`; does nothing when it is answered, cancelled or in other hands."""
    job = services.adjudication_claim(pk=pk, now=timezone.now())
    if job is None:
        return

    def give_up(reason: str) -> None:
        services.adjudication_fail(pk=pk, token=job.token, reason=reason, now=timezone.now())

    with job_id(f"adjudication-{pk}"), _told(f"adjudication {pk}", give_up):
        _must_be_the_same_law(job)
        partials = services.partials_of(job)
        alone = None if partials else settings.ADJUDICATION_SPLIT_AFTER or None
        noted = _progress(_noted(job))
        try:
            answer = engine.adjudicate(
                job.scenario, budget=job.budget, progress=noted, alone=alone, partials=partials
            )
        except engine.Large:
            if parts := engine.parts_of(job.scenario):
                services.adjudication_split(pk=pk, token=job.token, parts=parts, now=timezone.now())
                log.info("adjudication %s: split into %s parts", pk, len(parts))
                return
            answer = engine.adjudicate(job.scenario, budget=job.budget, progress=noted)
        services.adjudication_finish(pk=pk, token=job.token, answer=answer, now=timezone.now())
        counts = answer["counts"]["positions"]
        log.info("adjudication %s: %s after %s positions", pk, answer["status"], counts)


@shared_task(name="rules.explore_part")
def explore_part(pk: int) -> None:
    """Explore the queued part `pk` of a large adjudication."""
    part = services.part_claim(pk=pk, now=timezone.now())
    if part is None:
        return
    job = part.adjudication

    def give_up(reason: str) -> None:
        services.part_fail(part=part, reason=reason, now=timezone.now())

    def noted(positions: int) -> bool:
        return services.part_progress(part=part, positions=positions, now=timezone.now())

    with job_id(f"adjudication-{job.pk}"), _told(f"adjudication {job.pk}, part {part.number}", give_up):
        _must_be_the_same_law(job)
        found = engine.explore_part(job.scenario, part.choices, budget=job.budget, progress=_progress(noted))
        services.part_finish(part=part, found=found, now=timezone.now())
        log.info("adjudication %s, part %s: %s", job.pk, part.number, found["state"])


@contextmanager
def _told(what: str, give_up: Callable[[str], None]) -> Iterator[None]:
    """What goes wrong inside is a sentence in the job's row; what passes by itself is left to the sweep."""
    try:
        yield
    except engine.Cancelled:
        log.info("%s is no longer ours", what)
    except UserError as error:
        give_up(f"{error.message} ({error.place})" if error.place else error.message)
    except (DatabaseError, InterfaceError):
        log.exception("%s: the database refused; its lease runs out, and it is taken up again", what)
    except Exception as error:
        log.exception("%s failed", what)
        note_fault(what, error)
        reason = _("The engine could not finish because of a fault of ours. It has been logged (%(what)s).")
        give_up(reason % {"what": what})


def _must_be_the_same_law(job: Adjudication) -> None:
    if system_file(job.system).hash != job.system_hash:
        raise UserError("law-changed", _("The rules file changed while this waited. Ask again."))


def _noted(job: Adjudication) -> Callable[[int], bool]:
    return lambda positions: services.adjudication_progress(
        pk=job.pk, token=job.token, positions=positions, now=timezone.now()
    )


def _progress(note: Callable[[int], bool]) -> Callable[[int], bool]:
    """The engine calls this often; the row is written a few times a second at most."""
    noted = time.monotonic()

    def progress(positions: int) -> bool:
        nonlocal noted
        if time.monotonic() - noted < PROGRESS_SECONDS:
            return True
        noted = time.monotonic()
        return note(positions)

    return progress


@shared_task(name="rules.sweep")
def sweep() -> None:
    services.jobs_sweep(now=timezone.now())
    services.parts_sweep(now=timezone.now())
    services.law_runs_sweep(now=timezone.now())
