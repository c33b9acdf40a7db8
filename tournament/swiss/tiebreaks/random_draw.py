"""The last resort: a random number for each player."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournament.swiss import seeded_random
from tournament.swiss.i18n import gettext_noop
from tournament.swiss.records import Table
from tournament.swiss.tiebreaks.base import Breakdown, Made, TieBreak, Values


@dataclass(frozen=True)
class RandomDraw(TieBreak):
    key = "random"
    name = gettext_noop("Random draw")
    random = True
    short = "Draw"
    formula = gettext_noop(
        "A number between 0 and 1, drawn once for each player when round 1 is published. The higher "
        "number ranks first."
    )

    def values(self, table: Table) -> Values:
        return {
            id: Fraction(
                seeded_random.number(table.draw_seed, "standings", table.lots.get(id, id), bits=32), 2**32
            )
            for id in table.records
        }

    def parts(self, table: Table, id: int, tied: Sequence[int] = ()) -> Breakdown:
        return Breakdown(Made.NOTHING)
