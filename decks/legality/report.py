"""The result of a check."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class Severity(StrEnum):
    """`illegal` is certain; `unverified` is what our data cannot decide; `note` only informs."""

    ILLEGAL = "illegal"
    UNVERIFIED = "unverified"
    NOTE = "note"


class Verdict(StrEnum):
    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNVERIFIED = "unverified"


class CardCount(NamedTuple):
    """A card of a finding, by the name a reader knows it by, and its copies in the deck."""

    name: str
    count: int  # type: ignore[assignment]  # every tuple has a method of this name


class Finding(NamedTuple):
    """One thing the check remarks.

    code: stable kebab-case word; have / allowed: numbers the rule compares (cards, copies, titles, points);
    rule, source: the rule's id and where it stands; line: in the submitted list, from 1.
    """

    code: str
    severity: Severity
    message: str
    cards: tuple[CardCount, ...] = ()
    have: int | None = None
    allowed: int | None = None
    rule: str = ""
    source: str = ""
    remedy: str = ""
    line: int | None = None
    suggestions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "cards": [{"name": card.name, "count": card.count} for card in self.cards],
            "have": self.have,
            "allowed": self.allowed,
            "rule": self.rule,
            "source": self.source,
            "remedy": self.remedy,
            "line": self.line,
            "suggestions": list(self.suggestions),
        }


_RANKS = {Severity.ILLEGAL: 0, Severity.UNVERIFIED: 1, Severity.NOTE: 2}


def _rank(finding: Finding) -> int:
    return _RANKS[finding.severity]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict and every finding, illegal ones first, each kind in the order of the deck.

    snapshot: its id; catalog: the version of the card data.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    snapshot: str
    catalog: str

    @classmethod
    def of(cls, findings: Iterable[Finding], snapshot: str, catalog: str) -> "Report":
        ordered = tuple(sorted(findings, key=_rank))
        if not ordered or ordered[0].severity is Severity.NOTE:
            verdict = Verdict.LEGAL
        elif ordered[0].severity is Severity.ILLEGAL:
            verdict = Verdict.ILLEGAL
        else:
            verdict = Verdict.UNVERIFIED
        return cls(verdict, ordered, snapshot, catalog)

    def as_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict.value,
            "snapshot": self.snapshot,
            "catalog": self.catalog,
            "findings": [finding.as_json() for finding in self.findings],
        }
