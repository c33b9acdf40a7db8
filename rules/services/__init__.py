"""Everything that writes disputes, adjudications and rulings: one function per verb.

May import selectors and everything below them. Start reading at `disputes`, then `adjudications`.
"""

from rules.services.adjudications import (
    ADJUDICATION,
    adjudication_cancel,
    adjudication_queue,
)
from rules.services.disputes import (
    dispute_file,
    other_systems,
    scenario_adjudicate,
    scenario_read,
    scenario_under,
    scenario_what_if,
)
from rules.services.imported import cards_keep, cards_kept, cards_read, cards_waiting
from rules.services.law_runs import law_changed, law_run_start, law_runs_sweep
from rules.services.precedents import (
    card_group_save,
    precedent_publish,
    precedent_withdraw,
    ruling_group,
    ruling_mark,
    ruling_right,
)
from rules.services.rulings import appeal_file, ruling_file
from rules.services.tables import (
    scenario_play,
    table_ask,
    table_change_card,
    table_choose,
    table_clear,
    table_drop_line,
    table_file,
    table_filed,
    table_name,
    table_open,
    table_put_card,
    table_put_library_card,
    table_put_text,
    table_remove_card,
    table_seat,
    table_set_moment,
    table_told,
    table_unask,
    table_undo,
    table_why,
    tables_forget,
)
from rules.services.texts import card_import_read, card_text_read

__all__ = [
    "ADJUDICATION",
    "adjudication_cancel",
    "adjudication_queue",
    "appeal_file",
    "card_group_save",
    "card_import_read",
    "card_text_read",
    "cards_keep",
    "cards_kept",
    "cards_read",
    "cards_waiting",
    "dispute_file",
    "law_changed",
    "law_run_start",
    "law_runs_sweep",
    "other_systems",
    "precedent_publish",
    "precedent_withdraw",
    "ruling_file",
    "ruling_group",
    "ruling_mark",
    "ruling_right",
    "scenario_adjudicate",
    "scenario_play",
    "scenario_read",
    "scenario_under",
    "scenario_what_if",
    "table_ask",
    "table_change_card",
    "table_choose",
    "table_clear",
    "table_drop_line",
    "table_file",
    "table_filed",
    "table_name",
    "table_open",
    "table_put_card",
    "table_put_library_card",
    "table_put_text",
    "table_remove_card",
    "table_seat",
    "table_set_moment",
    "table_told",
    "table_unask",
    "table_undo",
    "table_why",
    "tables_forget",
]
