"""A dispute, answered by the real engine."""

from datetime import datetime
from typing import Any

import pytest

from rules import services, tasks
from rules.models import Adjudication, Dispute
from tests.rules.scenarios import SHOTGUN


@pytest.fixture
def dispute(judge: Any, now: datetime) -> Dispute:
    """Filed by the judge, belonging to no match."""
    return services.dispute_file(by=judge, title="Shotgun Blast", source=SHOTGUN, now=now)


@pytest.fixture
def answered(dispute: Dispute) -> Adjudication:
    job = dispute.adjudications.get()
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    return job
