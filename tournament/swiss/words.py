"""A pairing's digits, said in sentences a player can read."""

from typing import Protocol


class HasDigits(Protocol):
    @property
    def rematch(self) -> int: ...
    @property
    def second_bye(self) -> int: ...
    @property
    def bye_height(self) -> int: ...
    @property
    def refloat(self) -> int: ...
    @property
    def club(self) -> int: ...


def sentence_for(digits: HasDigits, first_score: int, second_score: int | None) -> str:
    """Why this pairing, as far as its own digits tell: scores, meetings, floats, club, byes."""
    return _bye(digits, first_score) if second_score is None else _game(digits, first_score, second_score)


_RULES = {
    "rematch": "repeated meetings in the round would be {after} instead of {before}",
    "second_bye": "the player with the bye would have had {after} before instead of {before}",
    "bye_height": "the bye would go to a player {after} points above the lowest score instead of {before}",
    "distance": "the round's score differences, squared and added up, would be {after} instead of {before}",
    "refloat": "players moved up or down again as in the last round would be {after} instead of {before}",
    "club": "tables of club mates would be {after} instead of {before}",
}


def sentence_why_not(digit: str | None, before: int, after: int, met: int) -> str:
    """Why a table is not in the round: the first rule it would change, and what it would cost there.

    met: how often the two have met before.
    """
    told = "The two have met before. " if met else ""
    if digit is None:
        return f"{told}With this table the round would be as good by every rule; the lot decided."
    change = _RULES[digit].format(before=before, after=after)
    if after < before:
        return (
            f"{told}With this table {change}: a better round, which the search among near opponents missed."
        )
    return f"{told}With this table {change}."


def _game(digits: HasDigits, first: int, second: int) -> str:
    if first == second:
        parts = [f"Both have {_points(first)}"]
    else:
        parts = [
            f"{_points(max(first, second))} against {min(first, second)}, the closest the whole round allows"
        ]
    if digits.rematch:
        met = "once" if digits.rematch == 1 else f"{digits.rematch} times"
        parts.append(f"they have met {met} before, because no round without a repeated meeting is left")
    else:
        parts.append("they have not met before")
    if digits.refloat:
        parts.append("a player is moved the same way again, as every other choice would cost more")
    if digits.club:
        parts.append("they are of one club, as every other choice would cost more")
    return "; ".join(parts) + "."


def _bye(digits: HasDigits, score: int) -> str:
    parts = [f"A bye at {_points(score)}"]
    if digits.bye_height:
        parts.append(
            f"{_points(digits.bye_height)} above the lowest score, as it "
            "would be a second bye or repeat a meeting for everybody below"
        )
    else:
        parts.append("the lowest score of the round")
    if digits.second_bye:
        parts.append("not the first bye, as nobody with fewer could take it without repeating more meetings")
    else:
        parts.append("the first bye of this player")
    return "; ".join(parts) + "."


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
