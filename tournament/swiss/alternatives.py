"""Explains why a pairing isn't a different one: forces that table, pairs the rest again, compares the rounds."""

from dataclasses import dataclass, fields

from tournament.swiss.i18n import gettext_noop
from tournament.swiss.pairing import (
    CannotPair,
    Digits,
    Pairing,
    PairingPolicy,
    Snapshot,
    pair,
    standing_order,
)
from tournament.swiss.words import Say, sentence_why_not

RULES = tuple(field.name for field in fields(Digits) if field.name != "noise")


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What the round would have cost with this table in it.

    other: None for the bye; instead: the best round that has the table; digit: the first rule, in order of
    importance, in which the two rounds differ (None: they are equally good and the lot decided; `ahead`: how many
    rounds to come are left without a repeated meeting or bye);
    before, after: that rule's total in the round as paired and in `instead`.
    """

    player: int
    other: int | None
    instead: Pairing
    digit: str | None
    before: int
    after: int
    sentence: str


def why_not(
    snapshot: Snapshot,
    policy: PairingPolicy,
    pairing: Pairing,
    player: int,
    other: int | None,
    _: Say = gettext_noop,
) -> WhyNot:
    """Why `player` does not meet `other` (None: has no bye) in `pairing`, made of `snapshot` and `policy`.

    Costs one more pairing. Raises CannotPair when there is no such table, or when it is in the round.
    """
    if any({one.first, one.second} == {player, other} for one in pairing.pairs):
        raise CannotPair("this table is in the round")
    instead = pair(snapshot, policy, pairing.seed, forced=[(player, other)])
    digit, before, after = _first_difference(pairing.total, instead.total)
    if digit not in ("rematch", "second_bye") and instead.ahead < pairing.ahead:
        digit, before, after = "ahead", pairing.ahead, instead.ahead
    table = next(one for one in instead.pairs if {one.first, one.second} == {player, other})
    return WhyNot(
        player=player,
        other=other,
        instead=instead,
        digit=digit,
        before=before,
        after=after,
        sentence=sentence_why_not(digit, before, after, table.digits.rematch, _),
    )


def player_above(snapshot: Snapshot, pairing: Pairing, player: int) -> int | None:
    """Who stands directly above the player's opponent (above the bye: the last), the player left out.

    None when the opponent is the first. Raises CannotPair when the player is not in the round.
    """
    table = next((one for one in pairing.pairs if player in (one.first, one.second)), None)
    if table is None:
        raise CannotPair("this player is not in the round")
    opponent = table.second if table.first == player else table.first
    order = [id for id in standing_order(snapshot, pairing.seed) if id != player]
    above = order if opponent is None else order[: order.index(opponent)]
    return above[-1] if above else None


def _first_difference(paired: Digits, instead: Digits) -> tuple[str | None, int, int]:
    for rule in RULES:
        before, after = getattr(paired, rule), getattr(instead, rule)
        if before != after:
            return rule, before, after
    return None, 0, 0
