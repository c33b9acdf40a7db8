"""What a tournament policy is made of. Values only: `policy_reading` checks them, `policy_files` finds them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tournament.swiss import Outcome, PairingPolicy, Scoring, TieBreak

STATUSES = ("official", "reconstruction", "house-default")
"""How sure something is: its publisher's text; put together from what others quote; what we play for want of it."""


@dataclass(frozen=True, slots=True)
class CutRule:
    """Who plays on. places: the first so many (0 and no `losses`: nobody); ties: and all level with the last;
    losses: instead, everybody with at most so many lost matches."""

    places: int = 0
    ties: bool = False
    losses: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a cut at all."""
        return bool(self.places) or self.losses is not None

    @property
    def document(self) -> dict[str, int | bool]:
        """Its plain form, as `policy_reading.cut_rule` reads it."""
        if self.losses is not None:
            return {"losses": self.losses}
        return {"places": self.places, "ties": self.ties}


@dataclass(frozen=True, slots=True)
class Rounds:
    """For at most `players` (None = any number): so many Swiss rounds, then the cut."""

    players: int | None
    rounds: int
    rule: CutRule

    @property
    def cut(self) -> int:
        """Places of the cut; 0 for none, or where records decide."""
        return self.rule.places


class BracketKind(StrEnum):
    SINGLE = "single-elimination"
    DOUBLE = "double-elimination"


@dataclass(frozen=True, slots=True)
class BracketPolicy:
    """How those who made the cut play. third_place: the losers of the semifinals play, too; choice: who chooses
    who begins (or the side, the seat): `higher-seed`, `lot` or `loser-of-last` (before: the higher seed)."""

    kind: BracketKind = BracketKind.SINGLE
    third_place: bool = False
    choice: str = "higher-seed"


@dataclass(frozen=True, slots=True)
class TimePolicy:
    """What happens when time is called.

    elimination_minutes: of a match of the bracket, 0 for no limit; procedure, elimination: to be read aloud;
    unfinished: what an unfinished Swiss match is, one of UNFINISHED; unreported: the outcome of a table that
    reported nothing when the round is ended by policy, "" to wait for it; extension_from: minutes an interruption
    lasts before the table gets them back.
    """

    elimination_minutes: int = 0
    procedure: str = ""
    elimination: str = ""
    unfinished: str = "judge"
    unreported: str = ""
    extension_from: int = 1


UNFINISHED = ("draw", "timed", "loss", "judge")


MISSED = ("losses", "byes", "nothing")


@dataclass(frozen=True, slots=True)
class LateEntries:
    """Who enters after round 1 is published. until: the last round one may still play first, None for any (1: nobody
    enters late); missed: what the rounds before count, one of MISSED; said: whether the policy speaks of it at all, so
    that another choice is an exception, an organizer's with a reason."""

    until: int | None = None
    missed: str = "losses"
    said: bool = False


class Effect(StrEnum):
    """What a penalty does to the match it is given in, or to the player's event."""

    NONE = "none"
    GAME = "game-loss"
    MATCH = "match-loss"
    REMOVAL = "removal"


@dataclass(frozen=True, slots=True)
class PenaltyLevel:
    """One step of severity. tracked: it counts when the same player offends again."""

    key: str
    title: str
    effect: Effect
    tracked: bool


@dataclass(frozen=True, slots=True)
class Infraction:
    """An offence. path: the level of the first, second ... offence of this kind; the last holds for all later ones.
    Empty: no penalty is foreseen, only the remedy. status: how sure the path is."""

    key: str
    title: str
    category: str
    path: tuple[str, ...]
    status: str


@dataclass(frozen=True, slots=True)
class PenaltyGuide:
    """Infractions and penalties. levels: mildest first; categories: key -> title, in the order of a judge's form."""

    title: str
    status: str
    source: str
    levels: tuple[PenaltyLevel, ...]
    categories: dict[str, str]
    infractions: tuple[Infraction, ...]

    def level(self, key: str) -> PenaltyLevel:
        return next(one for one in self.levels if one.key == key)

    def infraction(self, key: str) -> Infraction:
        return next(one for one in self.infractions if one.key == key)

    def suggested(self, infraction: str, earlier: int) -> PenaltyLevel | None:
        """The level for an offence after so many `earlier` ones of its kind whose penalty was tracked; None: none."""
        path = self.infraction(infraction).path
        return self.level(path[min(earlier, len(path) - 1)]) if path else None


@dataclass(frozen=True, slots=True)
class DeckCheckPolicy:
    """percent: of the decks to be checked over the event; extra_minutes: a table gets beside what the check took."""

    percent: int = 10
    extra_minutes: int = 3


@dataclass(frozen=True)
class Policy:
    """Every number an event is run by. `document` is its JSON form, which is what gets pinned."""

    key: str
    title: str
    version: str
    status: str
    source: str
    match: str
    scoring: Scoring
    rounds: tuple[Rounds, ...]
    tie_breaks: tuple[TieBreak, ...]
    round_minutes: int
    intentional_draw: str
    decklists: str
    pairing: PairingPolicy
    bracket: BracketPolicy
    time: TimePolicy
    penalties: PenaltyGuide | None
    deck_checks: DeckCheckPolicy
    late_entries: LateEntries
    document: dict[str, Any]

    def rounds_for(self, players: int) -> Rounds:
        """The row of the table for so many players."""
        return next(row for row in self.rounds if row.players is None or players <= row.players)

    @property
    def counts_games(self) -> bool:
        """Whether a match is several games whose score is reported."""
        return bool(self.scoring.games)

    def minutes(self, *, bracket: bool) -> int:
        """Of a round; in a bracket without a limit the Swiss rounds' minutes, should somebody start the clock."""
        return (bracket and self.time.elimination_minutes) or self.round_minutes

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The results this policy has points for."""
        return tuple(outcome for outcome in Outcome if outcome in self.scoring.points)
