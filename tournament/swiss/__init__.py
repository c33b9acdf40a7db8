"""Swiss tournaments on plain values: pairing, results, standings. No framework, no clock; names no game.

May import only the standard library and rustworkx. Start reading at `pairing`, then `standings`.
"""

from tournament.swiss.alternatives import WhyNot, player_above, why_not
from tournament.swiss.brackets import Bracket, Part, double_elimination, single_elimination
from tournament.swiss.cut import cut_by_points, cut_by_record, cut_to, cut_with_ties
from tournament.swiss.days import SecondDay, standings_over_days
from tournament.swiss.pairing import (
    CannotPair,
    Digits,
    Pair,
    Pairing,
    PairingPolicy,
    Player,
    Snapshot,
    explained,
    pair,
)
from tournament.swiss.records import Played, Record, Scoring, Table
from tournament.swiss.results import BYE, Outcome, Result, Said, State, games_fit, result_of
from tournament.swiss.standings import Row, standings
from tournament.swiss.tiebreaks import ALL as TIE_BREAKS
from tournament.swiss.tiebreaks import TieBreak

__all__ = [
    "BYE",
    "TIE_BREAKS",
    "Bracket",
    "CannotPair",
    "Digits",
    "Outcome",
    "Pair",
    "Pairing",
    "PairingPolicy",
    "Part",
    "Played",
    "Player",
    "Record",
    "Result",
    "Row",
    "Said",
    "Scoring",
    "SecondDay",
    "Snapshot",
    "State",
    "Table",
    "TieBreak",
    "WhyNot",
    "cut_by_points",
    "cut_by_record",
    "cut_to",
    "cut_with_ties",
    "double_elimination",
    "explained",
    "games_fit",
    "pair",
    "player_above",
    "result_of",
    "single_elimination",
    "standings",
    "standings_over_days",
    "why_not",
]
