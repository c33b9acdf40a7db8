"""A pairing's digits as sentences a player can read.

`_` turns an English text into the reader's language; left out, the sentences are English.
"""

from collections.abc import Callable
from typing import Protocol

from tournament.swiss.i18n import gettext_noop

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


AWARDED = gettext_noop("A bye awarded in advance.")


def sentence_by_hand(digits: HasDigits, first: int, second: int | None, _: Say = gettext_noop) -> str:
    """What a table seated by hand is, and what the rules would have avoided about it."""
    if second is None:
        parts = [_("Paired by hand: a bye at %(points)s") % {"points": _points(first, _)}]
    else:
        scores = {"more": _points(max(first, second), _), "less": min(first, second)}
        parts = [_("Paired by hand: %(more)s vs. %(less)s") % scores, _meetings(digits, _)]
    return _with_costs(parts, digits, _)


def sentence_repaired(digits: HasDigits, first: int, second: int | None, _: Say = gettext_noop) -> str:
    """What a table is that changed after the round was published, because a result had been wrong."""
    if second is None:
        parts = [
            _("Changed after a result was corrected: a bye at %(points)s") % {"points": _points(first, _)}
        ]
    else:
        scores = {"more": _points(max(first, second), _), "less": min(first, second)}
        parts = [
            _("Changed after a result was corrected: %(more)s vs. %(less)s") % scores,
            _meetings(digits, _),
        ]
    return _with_costs(parts, digits, _)


def _with_costs(parts: list[str], digits: HasDigits, _: Say) -> str:
    if digits.bye_height:
        parts.append(_("%(points)s above the lowest score") % {"points": _points(digits.bye_height, _)})
    if digits.second_bye:
        parts.append(
            _("this player has had a bye %(times)s before") % {"times": _times(digits.second_bye, _)}
        )
    if digits.refloat:
        parts.append(_("a player is paired up or down again"))
    if digits.club:
        parts.append(_("they are from the same club"))
    return "; ".join(parts) + "."


_RULES = {
    "rematch": gettext_noop("rematches in the round: %(after)s instead of %(before)s"),
    "second_bye": gettext_noop("previous byes of the player with the bye: %(after)s instead of %(before)s"),
    "bye_height": gettext_noop(
        "the bye would go to a player %(after)s points above the lowest score instead of %(before)s"
    ),
    "distance": gettext_noop("the sum of squared score differences: %(after)s instead of %(before)s"),
    "refloat": gettext_noop("players paired up or down again: %(after)s instead of %(before)s"),
    "club": gettext_noop("tables with players from the same club: %(after)s instead of %(before)s"),
}


def sentence_why_not(digit: str | None, before: int, after: int, met: int, _: Say = gettext_noop) -> str:
    """Why a table is not in the round: the first rule it would change, and what it would cost there.

    met: how often the two have met before.
    """
    told = _("The two have met before.") + " " if met else ""
    if digit is None:
        return told + _(
            "With this table the round would be just as good by every rule; the choice was random."
        )
    if digit == "ahead":
        left = _(
            "With this table, only %(after)s instead of %(before)s of the remaining rounds could be paired "
            "without a rematch or a second bye."
        )
        return told + left % {"before": before, "after": after}
    change = {"change": _(_RULES[digit]) % {"before": before, "after": after}}
    if after < before:
        return told + (
            _(
                "With this table: %(change)s. This would be a better round, which the search among nearby "
                "opponents missed."
            )
            % change
        )
    return told + _("With this table: %(change)s.") % change


def _game(digits: HasDigits, first: int, second: int, _: Say) -> str:
    if first == second:
        parts = [_("Both have %(points)s") % {"points": _points(first, _)}]
    else:
        scores = {"more": _points(max(first, second), _), "less": min(first, second)}
        parts = [_("%(more)s vs. %(less)s, the closest the whole round allows") % scores]
    if digits.rematch:
        met = {"times": _times(digits.rematch, _)}
        parts.append(
            _("they have met %(times)s before, because no round without a rematch is possible") % met
        )
    else:
        parts.append(_meetings(digits, _))
    if digits.refloat:
        parts.append(_("a player is paired up or down again, because every other choice would be worse"))
    if digits.club:
        parts.append(_("they are from the same club, because every other choice would be worse"))
    return "; ".join(parts) + "."


def _meetings(digits: HasDigits, _: Say) -> str:
    if not digits.rematch:
        return _("they haven’t met before")
    return _("they have met %(times)s before") % {"times": _times(digits.rematch, _)}


def _bye(digits: HasDigits, score: int, _: Say) -> str:
    parts = [_("A bye at %(points)s") % {"points": _points(score, _)}]
    if digits.bye_height:
        parts.append(
            _(
                "%(points)s above the lowest score, because everyone below would have a second bye or "
                "cause a rematch"
            )
            % {"points": _points(digits.bye_height, _)}
        )
    else:
        parts.append(_("the lowest score of the round"))
    if digits.second_bye:
        parts.append(
            _("not the first bye, because giving it to a player with fewer byes would cause more rematches")
        )
    else:
        parts.append(_("this player’s first bye"))
    return "; ".join(parts) + "."


def _times(count: int, _: Say) -> str:
    return _("once") if count == 1 else _("%(n)s times") % {"n": count}


def _points(count: int, _: Say) -> str:
    return _("1 point") if count == 1 else _("%(n)s points") % {"n": count}
