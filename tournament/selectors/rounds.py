"""Rounds: which are published, what each was paired from, and what was done to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournament.models import AuditRow, Event, Match, Registration, Round, RoundSeed
from tournament.selectors.standings import paired_from, snapshot
from tournament.swiss import Digits
from tournament.swiss.words import AWARDED, sentence_by_hand, sentence_for, sentence_repaired

STORY = (
    "round_pair", "round_draft", "round_renew", "round_redraw", "seats_swap", "table_move",
    "round_discard", "round_publish", "round_unpublish", "round_repair",
)  # fmt: skip
"""What everybody may read about how a round came about."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Whom a draft seats who plays no more, whom it does not seat who plays, and about whom something else (points,
    a result, a fixed table, a club) has changed: names. Falsy when the draft is up to date."""

    gone: list[str]
    new: list[str]
    different: list[str]

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.different)


def current_round(event: Event) -> Round | None:
    """The latest published round; how it was paired, as large as the round, is read when asked for."""
    return event.rounds.published().defer("explanation").order_by("-number").first()


def draft_of(event: Event) -> Round | None:
    """The round being prepared. For organizers."""
    return event.rounds.filter(published_at=None).order_by("-number").first()


def drift(draft: Round) -> Drift:
    """What has changed since the draft was paired: it is paired from players, points and meetings as they were."""
    then = {player.id: player for player in paired_from(draft).players}
    now = {player.id: player for player in snapshot(draft.event, draft.number).players}
    changed = [id for id in then.keys() & now.keys() if then[id] != now[id]]
    ids = {*(then.keys() ^ now.keys()), *changed}
    names = dict(Registration.objects.filter(pk__in=ids).order_by("name").values_list("pk", "name"))

    def named(wanted: set[int]) -> list[str]:
        return [name for pk, name in names.items() if pk in wanted]

    return Drift(named(then.keys() - now.keys()), named(now.keys() - then.keys()), named(set(changed)))


def round_story(round: Round) -> list[AuditRow]:
    """What was done before and after the publication, oldest first: random seeds and changes by hand, with reasons."""
    rows = round.event.audit_rows.filter(verb__in=STORY, data__number=round.number)
    return list(rows.select_related("actor", "said").order_by("pk"))


def round_seeds(round: Round) -> list[RoundSeed]:
    """The random seeds drawn for the round, the latest last."""
    return list(RoundSeed.objects.filter(event=round.event_id, number=round.number).select_related("by"))


def pairing_words(round: Round, matches: Iterable[Match]) -> dict[int, str]:
    """Why each match is as it is: match -> sentence."""
    told = told_words(round)
    return {match.pk: told.get(_who(match), "") for match in matches}


def told_words(round: Round) -> dict[frozenset[int | None], str]:
    """The sentences by who sits there (with None for a bye)."""
    return {
        frozenset((one["first"], one["second"])): why_words(one, by_hand=hand)
        for part, hand in (("pairs", False), ("by_hand", True))
        for one in round.explanation.get(part, ())
    }


def paired_in(round: Round) -> set[int | None]:
    """Who was there when the round was paired (None: there is a bye); who entered later is only counted in."""
    told = (*round.explanation.get("pairs", ()), *round.explanation.get("by_hand", ()))
    return {one[side] for one in told for side in ("first", "second")}


def why_words(told: dict[str, Any], *, by_hand: bool) -> str:
    """Why one table is as it is. The sentence was kept in English; in another language it is made anew of what was
    kept beside it, where there is enough (a bracket's, and an awarded bye's, are looked up)."""
    kept: str = told["sentence"]
    if get_language() == settings.LANGUAGE_CODE or not kept:
        return kept
    if kept == AWARDED or told.get("first_score") is None or not told.get("digits"):
        return _(kept)
    make = sentence_repaired if told.get("repaired") else sentence_by_hand if by_hand else sentence_for
    return make(Digits(**told["digits"]), told["first_score"], told["second_score"], _)


def by_hand(round: Round) -> set[frozenset[int | None]]:
    """The tables that the organizer seated, by who sits there."""
    return {frozenset((one["first"], one["second"])) for one in round.explanation.get("by_hand", ())}


def _who(match: Match) -> frozenset[Any]:
    players = [seat.registration_id for seat in match.seats.all()]
    return frozenset([*players, None] if len(players) == 1 else players)
