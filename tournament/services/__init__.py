"""Everything that changes an event. One service = one verb = one transaction = one audit row."""

from tournament.services.accounts import account_change, account_create, account_language
from tournament.services.arrangements import bye_award, bye_withdraw, table_keep
from tournament.services.bans import event_ban, event_unban
from tournament.services.calls import (
    call_claim,
    call_close,
    call_open,
    call_release,
    call_withdraw,
    table_call_open,
)
from tournament.services.checkin import checkin_close, checkin_open, player_check_in, player_check_out
from tournament.services.clock import CLOCK_KEEPERS, clock_add, clock_pause, clock_start, time_extend
from tournament.services.closing import account_close, account_reopen
from tournament.services.cuts import cut_announce
from tournament.services.deadlines import round_nudge, round_resolve
from tournament.services.deckchecks import (
    deck_check_draw,
    deck_check_finish,
    deck_check_start,
    table_check_draw,
    table_check_start,
)
from tournament.services.decklists import deck_register, decks_arrange, decks_lock, why_closed
from tournament.services.disputes import dispute_file
from tournament.services.drafts import round_discard, round_redraw, round_renew, seats_swap, table_move
from tournament.services.erasure import account_erase
from tournament.services.events import event_change, event_create
from tournament.services.flights import flight_join, flights_merge
from tournament.services.import_jobs import (
    event_import_ask,
    event_import_confirm,
    event_import_discard,
    event_import_look,
    import_claim,
    import_fail,
    import_work,
    imports_sweep,
    players_import_ask,
)
from tournament.services.imports import event_import, players_enter
from tournament.services.penalties import penalty_issue, penalty_revoke
from tournament.services.policies import may_publish, policy_publish, policy_read
from tournament.services.registration import (
    codes_renew,
    player_admit,
    player_change,
    player_claim,
    player_drop,
    player_register,
    player_return,
    player_unclaim,
)
from tournament.services.remarks import remark_make, statement_make
from tournament.services.results import result_decide, result_enter, result_report
from tournament.services.rounds import round_draft, round_finish, round_pair, round_publish, round_unpublish
from tournament.services.rulings import (
    PenaltyGiven,
    appeal_decide,
    appeal_early,
    appeal_make,
    reading_pin,
    ruling_give,
    ruling_judge,
    ruling_placed,
    ruling_publish,
    ruling_reverse,
    ruling_unpublish,
)
from tournament.services.staff import (
    event_watch,
    invite_accept,
    invite_make,
    invite_of,
    invite_revoke,
    staff_add,
    staff_remove,
)
from tournament.services.stages import cut_decline, event_close, stage_open, stage_round, stage_withdraw
from tournament.services.tokens import token_make, token_revoke, token_use
from tournament.services.webhooks import (
    deliveries_sweep,
    delivery_claim,
    delivery_note,
    delivery_resend,
    envelope,
    webhook_add,
    webhook_remove,
)

__all__ = [
    "CLOCK_KEEPERS",
    "PenaltyGiven",
    "account_change",
    "account_close",
    "account_create",
    "account_erase",
    "account_language",
    "account_reopen",
    "appeal_decide",
    "appeal_early",
    "appeal_make",
    "bye_award",
    "bye_withdraw",
    "call_claim",
    "call_close",
    "call_open",
    "call_release",
    "call_withdraw",
    "checkin_close",
    "checkin_open",
    "clock_add",
    "clock_pause",
    "clock_start",
    "codes_renew",
    "cut_announce",
    "cut_decline",
    "deck_check_draw",
    "deck_check_finish",
    "deck_check_start",
    "deck_register",
    "decks_arrange",
    "decks_lock",
    "deliveries_sweep",
    "delivery_claim",
    "delivery_note",
    "delivery_resend",
    "dispute_file",
    "envelope",
    "event_ban",
    "event_change",
    "event_close",
    "event_create",
    "event_import",
    "event_import_ask",
    "event_import_confirm",
    "event_import_discard",
    "event_import_look",
    "event_unban",
    "event_watch",
    "flight_join",
    "flights_merge",
    "import_claim",
    "import_fail",
    "import_work",
    "imports_sweep",
    "invite_accept",
    "invite_make",
    "invite_of",
    "invite_revoke",
    "may_publish",
    "penalty_issue",
    "penalty_revoke",
    "player_admit",
    "player_change",
    "player_check_in",
    "player_check_out",
    "player_claim",
    "player_drop",
    "player_register",
    "player_return",
    "player_unclaim",
    "players_enter",
    "players_import_ask",
    "policy_publish",
    "policy_read",
    "reading_pin",
    "remark_make",
    "result_decide",
    "result_enter",
    "result_report",
    "round_discard",
    "round_draft",
    "round_finish",
    "round_nudge",
    "round_pair",
    "round_publish",
    "round_redraw",
    "round_renew",
    "round_resolve",
    "round_unpublish",
    "ruling_give",
    "ruling_judge",
    "ruling_placed",
    "ruling_publish",
    "ruling_reverse",
    "ruling_unpublish",
    "seats_swap",
    "staff_add",
    "staff_remove",
    "stage_open",
    "stage_round",
    "stage_withdraw",
    "statement_make",
    "table_call_open",
    "table_check_draw",
    "table_check_start",
    "table_keep",
    "table_move",
    "time_extend",
    "token_make",
    "token_revoke",
    "token_use",
    "webhook_add",
    "webhook_remove",
    "why_closed",
]
