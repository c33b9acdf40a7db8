"""A pairing's digits, said in sentences a player can read.

`_` turns an English text into the reader's language; left out, the sentences are English.
"""

from collections.abc import Callable
from typing import Protocol

from tournament.swiss.marking import gettext_noop

Say = Callable[[str], str]


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


def sentence_for(digits: HasDigits, first_score: int, second_score: int | None, _: Say = gettext_noop) -> str:
    """Why this pairing, as far as its own digits tell: scores, meetings, floats, club, byes."""
    if second_score is None:
        return _bye(digits, first_score, _)
    return _game(digits, first_score, second_score, _)


AWARDED = gettext_noop("A bye awarded beforehand.")


def sentence_by_hand(digits: HasDigits, first: int, second: int | None, _: Say = gettext_noop) -> str:
    """What a table seated by hand is, and what the rules would have avoided about it."""
    if second is None:
        parts = [_("Seated by hand: a bye at %(points)s") % {"points": _points(first, _)}]
    else:
        scores = {"more": _points(max(first, second), _), "less": min(first, second)}
        parts = [_("Seated by hand: %(more)s against %(less)s") % scores, _meetings(digits, _)]
    if digits.bye_height:
        parts.append(_("%(points)s above the lowest score") % {"points": _points(digits.bye_height, _)})
    if digits.second_bye:
        parts.append(
            _("this player has had a bye %(times)s before") % {"times": _times(digits.second_bye, _)}
        )
    if digits.refloat:
        parts.append(_("a player is moved the same way again"))
    if digits.club:
        parts.append(_("they are of one club"))
    return "; ".join(parts) + "."


_RULES = {
    "rematch": gettext_noop("repeated meetings in the round would be %(after)s instead of %(before)s"),
    "second_bye": gettext_noop(
        "the player with the bye would have had %(after)s before instead of %(before)s"
    ),
    "bye_height": gettext_noop(
        "the bye would go to a player %(after)s points above the lowest score instead of %(before)s"
    ),
    "distance": gettext_noop(
        "the round's score differences, squared and added up, would be %(after)s instead of %(before)s"
    ),
    "refloat": gettext_noop(
        "players moved up or down again as in the last round would be %(after)s instead of %(before)s"
    ),
    "club": gettext_noop("tables of club mates would be %(after)s instead of %(before)s"),
}


def sentence_why_not(digit: str | None, before: int, after: int, met: int, _: Say = gettext_noop) -> str:
    """Why a table is not in the round: the first rule it would change, and what it would cost there.

    met: how often the two have met before.
    """
    told = _("The two have met before.") + " " if met else ""
    if digit is None:
        return told + _("With this table the round would be as good by every rule; the lot decided.")
    if digit == "ahead":
        left = _(
            "With this table only %(after)s instead of %(before)s of the rounds to come could be paired without a "
            "repeated meeting or a second bye."
        )
        return told + left % {"before": before, "after": after}
    change = {"change": _(_RULES[digit]) % {"before": before, "after": after}}
    if after < before:
        return told + (
            _("With this table %(change)s: a better round, which the search among near opponents missed.")
            % change
        )
    return told + _("With this table %(change)s.") % change


def _game(digits: HasDigits, first: int, second: int, _: Say) -> str:
    if first == second:
        parts = [_("Both have %(points)s") % {"points": _points(first, _)}]
    else:
        scores = {"more": _points(max(first, second), _), "less": min(first, second)}
        parts = [_("%(more)s against %(less)s, the closest the whole round allows") % scores]
    if digits.rematch:
        met = {"times": _times(digits.rematch, _)}
        parts.append(
            _("they have met %(times)s before, because no round without a repeated meeting is left") % met
        )
    else:
        parts.append(_meetings(digits, _))
    if digits.refloat:
        parts.append(_("a player is moved the same way again, as every other choice would cost more"))
    if digits.club:
        parts.append(_("they are of one club, as every other choice would cost more"))
    return "; ".join(parts) + "."


def _meetings(digits: HasDigits, _: Say) -> str:
    if not digits.rematch:
        return _("they have not met before")
    return _("they have met %(times)s before") % {"times": _times(digits.rematch, _)}


def _bye(digits: HasDigits, score: int, _: Say) -> str:
    parts = [_("A bye at %(points)s") % {"points": _points(score, _)}]
    if digits.bye_height:
        parts.append(
            _(
                "%(points)s above the lowest score, as it would be a second bye or repeat a meeting for "
                "everybody below"
            )
            % {"points": _points(digits.bye_height, _)}
        )
    else:
        parts.append(_("the lowest score of the round"))
    if digits.second_bye:
        parts.append(
            _("not the first bye, as nobody with fewer could take it without repeating more meetings")
        )
    else:
        parts.append(_("the first bye of this player"))
    return "; ".join(parts) + "."


def _times(count: int, _: Say) -> str:
    return _("once") if count == 1 else _("%(n)s times") % {"n": count}


def _points(count: int, _: Say) -> str:
    return _("1 point") if count == 1 else _("%(n)s points") % {"n": count}
