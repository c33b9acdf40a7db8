"""Describes one kind of job: its row, its work, its owner and its lane."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import models

from config.errors import UserError
from config.jobs.model import Job

J = TypeVar("J", bound=Job)


class Lane(models.TextChoices):
    """A queue of its own, so that nothing in it waits behind what is in another (docs/jobs.md)."""

    SWEEPS = "sweeps"
    MATCHES = "matches", "disputes of a round that is being played"
    DISPUTES = "disputes", "other disputes"
    LONG = "long", "disputes that take long, and those asked again under a new law"
    RECHECKS = "rechecks"
    FILES = "files"
    WEBHOOKS = "webhooks"
    MAIL = "mail", "alerts by mail"
    PUSH = "push", "alerts to browsers"


def sentence(error: UserError) -> dict[str, Any]:
    """The fields that say why a job failed, where the row keeps a sentence."""
    return {"failure": f"{error.message} ({error.place})" if error.place else error.message}


def nothing(*given: Any) -> None:
    """Where nothing else happens."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[J]):
    """What a kind of job is for.

    name: of the Celery task that answers its bell. word: what logs call one. owner: the path to who it is done for;
    nobody has more than `settings.JOBS_AT_ONCE_PER_OWNER` in hand in a lane. lease, resend: settings' names, seconds.
    work: does it and calls `finish`; a UserError it raises is why the job failed. told: the fields that keep such an
    error. ended, orphaned: called in the transaction in which the job ended, or waits again since its worker died.
    urgency: a field, the smaller the sooner. most_runs: after so many that ended with the worker it is given up.
    """

    name: str
    word: str
    model: type[J]
    owner: str
    work: Callable[[J], None]
    lease: str
    resend: str = "JOB_RESEND_SECONDS"
    urgency: str = ""
    related: tuple[str, ...] = ()
    most_runs: int = settings.JOB_MAX_RUNS
    told: Callable[[UserError], dict[str, Any]] = sentence
    ended: Callable[[J, datetime], None] = nothing
    orphaned: Callable[[J], None] = nothing
    remedy: Callable[[], str] = str  # what a person can do where a job failed by a fault of ours

    def __post_init__(self) -> None:
        KINDS[self.word] = self

    @property
    def rows(self) -> Any:
        """The model's manager."""
        return self.model._default_manager

    @property
    def lease_seconds(self) -> float:
        return float(getattr(settings, self.lease))

    @property
    def resend_seconds(self) -> float:
        return float(getattr(settings, self.resend))


KINDS: dict[str, Kind[Any]] = {}  # by its word; each app's services make theirs
