"""Reading disputes, adjudications, rulings and precedents. Views get these objects only through `access_*`.

May import models and everything below them. Start reading at `disputes`.
"""

from rules.selectors.disputes import (
    Standing,
    access_adjudication,
    access_dispute,
    access_table,
    answer_open,
    disputes_of,
    match_of,
    standing,
    tables_of,
)
from rules.selectors.imported import (
    Reading,
    imported_card,
    imported_like,
    imported_named,
    imported_read,
)
from rules.selectors.precedents import (
    Asked,
    Hit,
    access_precedent,
    closest_cards,
    hit_of,
    nearest,
    rulings_citing,
    search,
)
from rules.selectors.review import (
    Changed,
    access_law_run,
    changes_of,
    may_review,
    must_review,
    rulings_to_review,
    run_counts,
)
from rules.selectors.rulings import RULINGS, judged_disputes, judged_rulings, law_now

__all__ = [
    "RULINGS",
    "Asked",
    "Changed",
    "Hit",
    "Reading",
    "Standing",
    "access_adjudication",
    "access_dispute",
    "access_law_run",
    "access_precedent",
    "access_table",
    "answer_open",
    "changes_of",
    "closest_cards",
    "disputes_of",
    "hit_of",
    "imported_card",
    "imported_like",
    "imported_named",
    "imported_read",
    "judged_disputes",
    "judged_rulings",
    "law_now",
    "match_of",
    "may_review",
    "must_review",
    "nearest",
    "rulings_citing",
    "rulings_to_review",
    "run_counts",
    "search",
    "standing",
    "tables_of",
]
