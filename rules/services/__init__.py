"""Everything that writes disputes, adjudications and rulings; one function a business verb."""

from rules.services.adjudications import (
    adjudication_cancel,
    adjudication_claim,
    adjudication_fail,
    adjudication_finish,
    adjudication_progress,
    adjudication_queue,
    jobs_sweep,
)
from rules.services.disputes import dispute_file, scenario_adjudicate, scenario_read, scenario_under
from rules.services.rulings import ruling_file

__all__ = [
    "adjudication_cancel",
    "adjudication_claim",
    "adjudication_fail",
    "adjudication_finish",
    "adjudication_progress",
    "adjudication_queue",
    "dispute_file",
    "jobs_sweep",
    "ruling_file",
    "scenario_adjudicate",
    "scenario_read",
    "scenario_under",
]
