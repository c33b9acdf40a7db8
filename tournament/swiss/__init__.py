"""Swiss tournaments on plain values: pairing, results, standings. No framework, no clock, no game's name."""

from tournament.swiss.alternatives import WhyNot, player_above, why_not
from tournament.swiss.cut import Cut, cut_by_record, cut_to, cut_with_ties
from tournament.swiss.pairing import CannotPair, Digits, Pair, Pairing, PairingPolicy, Player, Snapshot, pair
from tournament.swiss.results import BYE, Outcome, Result, Said, State, result_of
from tournament.swiss.standings import Played, Record, Row, Scoring, Table, standings
from tournament.swiss.tiebreaks import ALL as TIE_BREAKS
from tournament.swiss.tiebreaks import TieBreak

__all__ = [
    "BYE",
    "TIE_BREAKS",
    "CannotPair",
    "Cut",
    "Digits",
    "Outcome",
    "Pair",
    "Pairing",
    "PairingPolicy",
    "Played",
    "Player",
    "Record",
    "Result",
    "Row",
    "Said",
    "Scoring",
    "Snapshot",
    "State",
    "Table",
    "TieBreak",
    "WhyNot",
    "cut_by_record",
    "cut_to",
    "cut_with_ties",
    "pair",
    "player_above",
    "result_of",
    "standings",
    "why_not",
]
