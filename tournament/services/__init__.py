"""Everything that changes an event. One service = one verb = one transaction = one audit row."""

from tournament.services.deckchecks import deck_check_draw, deck_check_finish, deck_check_start
from tournament.services.decklists import deck_register, decks_arrange, decks_lock, why_closed
from tournament.services.disputes import dispute_file
from tournament.services.events import event_create, staff_add
from tournament.services.registration import player_drop, player_register
from tournament.services.results import result_decide, result_report
from tournament.services.rounds import round_finish, round_pair

__all__ = [
    "deck_check_draw",
    "deck_check_finish",
    "deck_check_start",
    "deck_register",
    "decks_arrange",
    "decks_lock",
    "dispute_file",
    "event_create",
    "player_drop",
    "player_register",
    "result_decide",
    "result_report",
    "round_finish",
    "round_pair",
    "staff_add",
    "why_closed",
]
