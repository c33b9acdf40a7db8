"""Why two players meet, and why not others: the pairing's own numbers, in words."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.cache import cache
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from tournament.models import Registration, Round
from tournament.selectors.rounds import why_words
from tournament.selectors.standings import paired_from, policy_of, stored_pairing
from tournament.swiss import CannotPair, player_above, why_not

DIGITS: dict[str, object] = {
    "rematch": gettext_lazy("previous meetings"),
    "second_bye": gettext_lazy("previous byes of the player"),
    "bye_height": gettext_lazy("points above the lowest score, for a bye"),
    "distance": gettext_lazy("difference of points, squared"),
    "refloat": gettext_lazy("players paired up or down again, as in the last round"),
    "club": gettext_lazy("pairings within a club"),
}
"""What each digit of a table's cost counts, most important first; the lot comes last and has no meaning."""


class Digit(NamedTuple):
    """What one rule counts in this table, and summed over the whole round."""

    counts: object
    table: int
    round: int


@dataclass(frozen=True, slots=True)
class Why:
    """A pairing, told. opponent: None for a bye; by_hand: the organizer seated the table; digits: most
    important first; other: whom `instead` is about."""

    player: Registration
    opponent: Registration | None
    sentence: str
    by_hand: bool
    digits: list[Digit]
    asked: bool = False
    other: Registration | None = None
    instead: str = ""


def why_paired(round: Round, player: int, other: int | None = None) -> Why:
    """Why the player is paired so; with `other`, why not with them (by default: who stands above the opponent).

    Costs one more pairing of the round, kept for an hour. Raises NotFound; UserError `same-table`.
    """
    names = {one.pk: one for one in Registration.objects.filter(seats__round=round)}
    if player not in names or (other is not None and other not in names):
        raise NotFound(_("player in this round"))
    told = [*round.explanation.get("by_hand", ()), *round.explanation["pairs"]]
    table = next((one for one in told if player in (one["first"], one["second"])), None)
    if table is None:  # entered late, and only counted in
        raise NotFound(_("player in this round"))
    against = table["second"] if table["first"] == player else table["first"]
    hand = table in round.explanation.get("by_hand", ())
    base = Why(names[player], names.get(against), why_words(table, by_hand=hand), hand, _digits(round, table))
    if "players" not in round.explanation or (hand and other is None):
        return base
    found = _instead(round, player, other)
    if found is None:
        return base
    chosen, sentence = found
    return Why(
        base.player,
        base.opponent,
        base.sentence,
        hand,
        base.digits,
        other is not None,
        names.get(chosen),
        sentence,
    )


def _digits(round: Round, table: dict[str, Any]) -> list[Digit]:
    digits, total = table.get("digits"), round.explanation.get("total")
    if not digits or not total:
        return []
    return [Digit(words, digits[key], total[key]) for key, words in DIGITS.items()]


def _instead(round: Round, player: int, other: int | None) -> tuple[int, str] | None:
    """(whom it is about, why not), None where the opponent already is the first in the standings."""
    key = f"why-not:{round.pk}:{round.edition}:{player}:{other}:{get_language()}"
    known: tuple[int, str] | str | None = cache.get(key, "unknown")
    if known == "unknown":
        known = _worked_out(round, player, other)
        cache.set(key, known, 3600)
    return known  # type: ignore[return-value]


def _worked_out(round: Round, player: int, other: int | None) -> tuple[int, str] | None:
    snapshot, pairing = paired_from(round), stored_pairing(round)
    try:
        chosen = player_above(snapshot, pairing, player) if other is None else other
        if chosen is None:
            return None
        return chosen, why_not(snapshot, policy_of(round.event).pairing, pairing, player, chosen, _).sentence
    except CannotPair as error:
        if other is None:
            return None
        raise UserError(
            "same-table",
            _("The pairing already put these two together, or one of them had an awarded bye."),
            place="other",
        ) from error
