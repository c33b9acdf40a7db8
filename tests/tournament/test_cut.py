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
    assert (2 in cut_by_record(rows("wwwwwww", record), 2).seeds) == qualifies


def test_a_record_cut_to_no_power_of_two_has_play_ins_for_the_last() -> None:
    """Eleven qualify for eight places: the last six play for three, the best of them against the worst."""
    cut = cut_by_record(rows(*["wwwwwww"] * 11, "lllwwww"), 2)
    assert cut.seeds == tuple(range(1, 12)) and cut.bracket == 8
    assert cut.seeded == (1, 2, 3, 4, 5)
    assert cut.play_ins == ((6, 11), (7, 10), (8, 9))


@pytest.mark.parametrize("count", range(1, 34))
def test_after_the_play_ins_the_bracket_is_full(count: int) -> None:
    cut = cut_by_record(rows(*["w"] * count), 0)
    assert len(cut.seeded) + len(cut.play_ins) == cut.bracket
    assert cut.bracket & (cut.bracket - 1) == 0
    assert sorted([*cut.seeded, *(id for match in cut.play_ins for id in match)]) == sorted(cut.seeds)


def test_who_has_dropped_does_not_play_on() -> None:
    cut = cut_by_record(rows("ww", "ww", "wl"), 1, active=lambda player: player != 2)
    assert cut.seeds == (1, 3)


def test_nobody_qualifying_is_said() -> None:
    with pytest.raises(ValueError, match="nobody"):
        cut_by_record(rows("ll", "ll"), 1)


def test_a_graduated_cut_takes_all_tied_with_the_last() -> None:
    found = rows("www", "wwl", "wwl", "wwl", "wll")
    assert cut_to(found, 2) == (1, 2)
    assert cut_with_ties(found, 2) == (1, 2, 3, 4)
    assert cut_with_ties(found, 1) == (1,)
    assert cut_with_ties(found, 4) == (1, 2, 3, 4)
    assert cut_with_ties(found, 9) == (1, 2, 3, 4, 5)
