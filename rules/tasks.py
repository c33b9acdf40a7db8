"""What workers do. Thin: claim, let the engine think, store; the row decides what is true (docs/jobs.md)."""

import logging
import time
from collections.abc import Callable

from celery import shared_task
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
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
    try:
        if system_file(job.system).hash != job.system_hash:
            raise UserError("law-changed", _("The rules file changed while this waited. Ask again."))
        answer = engine.adjudicate(job.scenario, budget=job.budget, progress=_progress(job))
    except engine.Cancelled:
        log.info("adjudication %s is no longer ours", pk)
    except UserError as error:
        reason = f"{error.message} ({error.place})" if error.place else error.message
        services.adjudication_fail(pk=pk, token=job.token, reason=reason, now=timezone.now())
    except Exception:
        log.exception("adjudication %s failed", pk)
        reason = _("The engine could not finish because of a fault of ours. It has been logged (%(pk)s).")
        services.adjudication_fail(pk=pk, token=job.token, reason=reason % {"pk": pk}, now=timezone.now())
    else:
        services.adjudication_finish(pk=pk, token=job.token, answer=answer, now=timezone.now())
        log.info(
            "adjudication %s: %s after %s positions", pk, answer["status"], answer["counts"]["positions"]
        )


def _progress(job: Adjudication) -> Callable[[int], bool]:
    """The engine calls this often; the row is written a few times a second at most."""
    noted = time.monotonic()

    def progress(positions: int) -> bool:
        nonlocal noted
        if time.monotonic() - noted < PROGRESS_SECONDS:
            return True
        noted = time.monotonic()
        return services.adjudication_progress(
            pk=job.pk, token=job.token, positions=positions, now=timezone.now()
        )

    return progress


@shared_task(name="rules.sweep")
def sweep() -> None:
    services.jobs_sweep(now=timezone.now())
