"""The cut after the Swiss rounds: to a number, with all tied, by record."""

import pytest

from tournament.swiss import Outcome, Played, Row, Scoring, cut_by_record, cut_to, cut_with_ties, standings
from tournament.swiss.tiebreaks import MatchPoints

SCORING = Scoring(
    {"win": 3, "timed-win": 3, "draw": 1, "timed-loss": 0, "loss": 0, "double-loss": 0, "bye": 3}
)
OUTCOMES = {
    "w": Outcome.WIN,
    "d": Outcome.DRAW,
    "l": Outcome.LOSS,
    "t": Outcome.TIMED_LOSS,
    "x": Outcome.DOUBLE_LOSS,
}


def rows(*records: str) -> list[Row]:
    """Standings of players 1, 2, ... with these records (w, d, l; t lost on time, x both lost, b a bye).

    Opponents are strangers, each met once, who stand below everybody asked about.
    """
    played, stranger = [], 1000
    for player, record in enumerate(records, start=1):
        for number, code in enumerate(record, start=1):
            stranger += 1
            played.append(
                Played(number, player, None, None)
                if code == "b"
                else Played(number, player, stranger, OUTCOMES[code])
            )
    players = [*range(1, len(records) + 1), *range(1001, stranger + 1)]
    found = standings(players, played, SCORING, (MatchPoints(),))
    return [row for row in found if row.player < 1000]


@pytest.mark.parametrize(
    ("record", "qualifies"),
    [
        ("wwwwwll", True),  # 5-2-0
        ("wwwwwld", True),  # 5-1-1
        ("wwwwwdd", True),  # 5-0-2
        ("wwwwddd", True),  # 4-0-3
        ("wwwblld", True),  # a bye is no loss
        ("wwwwlll", False),  # 4-3-0
        ("wwwwllt", False),  # on time is lost as well
        ("wwwwllx", False),  # and so is a match both lost
    ],
)
def test_at_most_two_losses_qualify_whatever_the_points(record: str, qualifies: bool) -> None:
    assert (2 in cut_by_record(rows("wwwwwww", record), 2)) == qualifies


def test_a_record_cut_keeps_the_order_of_standing() -> None:
    assert cut_by_record(rows("ww", "wl", "ww"), 1) == (1, 3, 2)
    assert cut_by_record(rows("ll", "ll"), 1) == ()


def test_a_graduated_cut_takes_all_tied_with_the_last() -> None:
    found = rows("www", "wwl", "wwl", "wwl", "wll")
    assert cut_to(found, 2) == (1, 2)
    assert cut_with_ties(found, 2) == (1, 2, 3, 4)
    assert cut_with_ties(found, 1) == (1,)
    assert cut_with_ties(found, 4) == (1, 2, 3, 4)
    assert cut_with_ties(found, 9) == (1, 2, 3, 4, 5)
