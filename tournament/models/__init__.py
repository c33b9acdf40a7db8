"""People, events, rounds, results, and the trail of who did what: one file a subject."""

from tournament.models.audit import AuditRow, Erasure
from tournament.models.entries import AwardedBye, Lot, RegisteredList, Registration
from tournament.models.events import Ban, Event, Invite, PolicyVersion, Staff
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
from tournament.models.people import ApiToken, User
from tournament.models.rounds import ClockEntry, Round, Rounds, Stage, StageEntry
from tournament.models.webhooks import Delivery, Webhook

__all__ = [
    "ApiToken",
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
    "Invite",
    "JudgeCall",
    "Lot",
    "Match",
    "MatchDispute",
    "Penalty",
    "PinnedReading",
    "PolicyVersion",
    "Process",
    "RegisteredList",
    "Registration",
    "Remark",
    "Report",
    "Round",
    "Rounds",
    "Seat",
    "Staff",
    "Stage",
    "StageEntry",
    "Statement",
    "User",
    "Webhook",
]
