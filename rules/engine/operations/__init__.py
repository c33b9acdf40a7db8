"""The instructions of charts and effects, compiled.

Each evaluates all it needs before it writes anything, so it can be restarted after an open fact or reading was asked
for. `run(m)` performs one instruction and returns None, or the Decision somebody must take first; `take(m, decision,
index)` performs it with that decision answered.
"""

from rules.engine.operations.base import OK, Operation, combos
from rules.engine.operations.choices import Choose, May, OneOf
from rules.engine.operations.control import Call, ForNext, Jump, JumpUnless, JumpUnlessOk, Let, Note, Stop
from rules.engine.operations.facts import Edit, Expire, MakeDelayed, MakeLasting, Pay, PayDone, Write
from rules.engine.operations.occurrences import (
    Alter,
    Cancel,
    CheckAgain,
    Commit,
    Do,
    DoDone,
    Plan,
    Point,
    Replace,
    ReplaceDone,
    Steps,
    Together,
)
from rules.engine.operations.uses import Costs, CostsDone, Count, Execute, NextPart, RunPart, Targets
from rules.engine.operations.windows import (
    Again,
    Batch,
    CloseGate,
    Defer,
    Hush,
    Must,
    OpenGate,
    Put,
    TakeWaiting,
    Window,
)

__all__ = [
    "OK",
    "Again",
    "Alter",
    "Batch",
    "Call",
    "Cancel",
    "CheckAgain",
    "Choose",
    "CloseGate",
    "Commit",
    "Costs",
    "CostsDone",
    "Count",
    "Defer",
    "Do",
    "DoDone",
    "Edit",
    "Execute",
    "Expire",
    "ForNext",
    "Hush",
    "Jump",
    "JumpUnless",
    "JumpUnlessOk",
    "Let",
    "MakeDelayed",
    "MakeLasting",
    "May",
    "Must",
    "NextPart",
    "Note",
    "OneOf",
    "OpenGate",
    "Operation",
    "Pay",
    "PayDone",
    "Plan",
    "Point",
    "Put",
    "Replace",
    "ReplaceDone",
    "RunPart",
    "Steps",
    "Stop",
    "TakeWaiting",
    "Targets",
    "Together",
    "Window",
    "Write",
    "combos",
]
