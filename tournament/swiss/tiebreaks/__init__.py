"""Tie-breakers: one small class each, with a key, a name, a formula in words, and the parts of a value.

Pure. Start reading at `base`, then `points`. `ALL` is every tie-breaker by its key, in the order a form shows them.
"""

from tournament.swiss.tiebreaks.base import ALL, Breakdown, Made, Part, TieBreak

from tournament.swiss.tiebreaks.points import (  # isort: skip
    ExtendedStrengthOfSchedule,
    MatchPoints,
    StrengthOfSchedule,
    SumOfOpponents,
    SumOfOpponentsSums,
)
from tournament.swiss.tiebreaks.chess import (  # isort: skip
    Buchholz,
    BuchholzCut,
    BuchholzMedian,
    BuchholzVirtual,
    SonnebornBerger,
)
from tournament.swiss.tiebreaks.head_to_head import HeadToHead  # isort: skip
from tournament.swiss.tiebreaks.percentages import GameWin, OpponentGameWin, OpponentMatchWin  # isort: skip
from tournament.swiss.tiebreaks.random_draw import RandomDraw  # isort: skip

__all__ = [
    "ALL",
    "Breakdown",
    "Buchholz",
    "BuchholzCut",
    "BuchholzMedian",
    "BuchholzVirtual",
    "ExtendedStrengthOfSchedule",
    "GameWin",
    "HeadToHead",
    "Made",
    "MatchPoints",
    "OpponentGameWin",
    "OpponentMatchWin",
    "Part",
    "RandomDraw",
    "SonnebornBerger",
    "StrengthOfSchedule",
    "SumOfOpponents",
    "SumOfOpponentsSums",
    "TieBreak",
]
