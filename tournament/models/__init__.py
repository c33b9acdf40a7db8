"""People, events, rounds, results, and the audit log: one file per subject.

May import `policy` and `swiss`, never a selector or a service. Start reading at `events`.
"""

from tournament.models.alerts import Alert, AlertAddress
from tournament.models.audit import AuditReason, AuditRow, Erasure
from tournament.models.entries import AwardedBye, RegisteredList, Registration, RoundSeed
from tournament.models.events import Ban, Event, Invitation, Invite, PolicyVersion, Staff
from tournament.models.imports import FileImport
from tournament.models.judging import (
    DeckCheck,
    GivenRuling,
    JudgeCall,
    MatchDispute,
    Penalty,
    PinnedReading,
    Remark,
    Statement,
)
from tournament.models.matches import Extension, Match, Report, Seat
from tournament.models.operations import Fault, Process
from tournament.models.people import ApiToken, OneTimeSecret, User
from tournament.models.rounds import ClockEntry, Round, Rounds, Stage, StageEntry
from tournament.models.series import SamePlayer, Series, SeriesEvent
from tournament.models.webhooks import Delivery, Webhook

__all__ = [
    "Alert",
    "AlertAddress",
    "ApiToken",
    "AuditReason",
    "AuditRow",
    "AwardedBye",
    "Ban",
    "ClockEntry",
    "DeckCheck",
    "Delivery",
    "Erasure",
    "Event",
    "Extension",
    "Fault",
    "FileImport",
    "GivenRuling",
    "Invitation",
    "Invite",
    "JudgeCall",
    "Match",
    "MatchDispute",
    "OneTimeSecret",
    "Penalty",
    "PinnedReading",
    "PolicyVersion",
    "Process",
    "RegisteredList",
    "Registration",
    "Remark",
    "Report",
    "Round",
    "RoundSeed",
    "Rounds",
    "SamePlayer",
    "Seat",
    "Series",
    "SeriesEvent",
    "Staff",
    "Stage",
    "StageEntry",
    "Statement",
    "User",
    "Webhook",
]
