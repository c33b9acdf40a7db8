"""Files being imported: who can see them, and their progress."""

from django.core.cache import cache
from django.utils.translation import gettext as _

from config.errors import NotFound
from tournament.models import FileImport
from tournament.selectors.access import Person

PROGRESS_SECONDS = 600


def access_import(user: Person, pk: int) -> FileImport:
    """The job that this person asked for. Raises NotFound."""
    found = FileImport.objects.select_related("event").filter(pk=pk).defer("source")
    job = found.filter(asked_by=user).first() if user is not None and user.is_authenticated else None
    if job is None:
        raise NotFound(_("file import"))
    return job


def address_of(job: FileImport) -> str:
    """The address of the event to be; "" where it is not to be chosen (any more)."""
    if job.seen:
        return str(job.seen["slug"])
    taken = job.failure is not None and job.failure["code"] == "slug-taken"
    return job.slug if taken and job.source else ""


def progress_key(pk: int) -> str:
    return f"job:{pk}"


def import_progress(job: FileImport) -> tuple[int, int]:
    """(rows stored, rows in all); (0, 0) before it is known."""
    if job.state == FileImport.State.DONE:
        return job.done, job.done
    done, total = cache.get(progress_key(job.pk)) or (0, 0)
    return done, total
