"""Work that outlives a request. The database row counts; the broker only tells workers to look (docs/jobs.md).

`model.Job` is the row, `kinds.Kind` what one kind of job is for, `verbs` what may be done to a row, `turns` whose row
is next, `working` what a worker does with it, `recovery` what happens when it dies. Imports no app: each app's
services make their kinds. Start at `verbs`.

May import no app. Start reading at `verbs`.
"""

from config.jobs.kinds import KINDS, Kind, Lane
from config.jobs.model import CLOCKS_DIFFER, Job
from config.jobs.recovery import sweep
from config.jobs.verbs import (
    NotOurs,
    cancel,
    claim,
    fail,
    finish,
    move,
    note,
    put_back,
    queue,
    ring,
    step_back,
)
from config.jobs.working import others_in_hand, perform, work_off

__all__ = [
    "CLOCKS_DIFFER",
    "KINDS",
    "Job",
    "Kind",
    "Lane",
    "NotOurs",
    "cancel",
    "claim",
    "fail",
    "finish",
    "move",
    "note",
    "others_in_hand",
    "perform",
    "put_back",
    "queue",
    "ring",
    "step_back",
    "sweep",
    "work_off",
]
