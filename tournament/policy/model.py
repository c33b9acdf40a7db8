"""The schema of a tournament policy: every word once. `policy_files` finds and reads the files.

The file's reader, the form, the pages, the API and the table in docs/tournament.md come from what stands here
(`config.schema`): docs/changing.md says what adding a number takes.
"""

from collections.abc import Iterable
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from config.schema import (
    FILLED,
    TRUTH,
    Kind,
    Misfit,
    by_name,
    each,
    one_of,
    record,
    record_of,
    whole,
    word,
    words_of,
)
from tournament.policy.kinds import (
    CUT,
    GAME_POINTS,
    GAMES,
    KEY,
    PLAYERS,
    POINTS,
    TIE_BREAK,
    CutRule,
)
from tournament.swiss import Outcome, PairingPolicy, Scoring, TieBreak

STATUSES = ("official", "reconstruction", "house-default")
"""How sure something is: its publisher's text; put together from what others quote; what we play for want of it."""

STATUS: Kind[str] = one_of(dict.fromkeys(STATUSES))

ABOUT, TIME, BRACKET, PEOPLE = _("About the policy"), _("Time"), _("Bracket"), _("Players, decklists, judges")
DAYS = _("Two days")


@record
class Rounds:
    """For at most `players` (None = any number): so many Swiss rounds, then the cut."""

    players: int | None = word(PLAYERS, "for up to this many players; rows in rising order")
    rounds: int = word(whole(1, 30), "Swiss rounds")
    rule: CutRule = word(CUT, "who plays in the bracket; 0 for no bracket", key="cut")

    @property
    def cut(self) -> int:
        """Places of the cut; 0 for none, or where records decide."""
        return self.rule.places


class BracketKind(StrEnum):
    SINGLE = "single-elimination"
    DOUBLE = "double-elimination"


@record
class BracketPolicy:
    """How those who made the cut play."""

    kind: BracketKind = word(
        one_of(
            {"single-elimination": _("Single elimination"), "double-elimination": _("Double elimination")},
            BracketKind,
        ),
        "players are out after one match loss, or after two",
        default=BracketKind.SINGLE,
        required=True,
        label=_("Bracket"),
    )
    choice: str = word(
        one_of(
            {
                "higher-seed": _("the higher seed"),
                "loser-of-last": _("the loser of the previous game, otherwise the higher seed"),
                "lot": _("a random draw"),
            }
        ),
        "who chooses who goes first (or the side, the seat)",
        default="higher-seed",
        label=_("Who chooses who goes first"),
    )
    third_place: bool = word(
        TRUTH,
        "the losers of the semifinals play for third place; single elimination only",
        default=False,
        label=_("A match for third place"),
    )

    def __post_init__(self) -> None:
        if self.third_place and self.kind is BracketKind.DOUBLE:
            raise Misfit(
                "third-place", "is only for single elimination; double elimination has a third place anyway"
            )


@record
class TimePolicy:
    """What happens when time is called."""

    elimination_minutes: int = word(
        whole(0, 600),
        "length of a match of the bracket, 0 for no limit",
        default=0,
        label=_("Length of a bracket match in minutes (0: no limit)"),
    )
    extension_from: int = word(
        whole(0, 60),
        "minutes an interruption lasts before the table gets them back",
        default=1,
        label=_("Give back interruptions of at least (minutes)"),
    )
    unfinished: str = word(
        one_of(
            {
                "draw": _("a draw"),
                "timed": _("won or lost on time"),
                "loss": _("lost by both"),
                "judge": _("for a judge to decide"),
            }
        ),
        "how an unfinished Swiss match counts",
        default="judge",
        label=_("An unfinished match is"),
    )
    unreported: str = word(
        one_of(
            {
                "": _("stays open until it reports"),
                "double-loss": _("is lost by both players when the round ends"),
                "draw": _("is a draw when the round ends"),
            }
        ),
        "how a table without a report is scored when unreported tables are resolved; if left out, it waits",
        default="",
        label=_("A table that reports nothing"),
    )
    procedure: str = word(
        FILLED,
        "to be read aloud when time is called",
        default="",
        label=_("Announcement when time is called"),
        rows=3,
    )
    elimination: str = word(
        FILLED, "the same in the bracket", default="", label=_("When a bracket match ends on time"), rows=2
    )


_MISSED = {"losses": _("count as lost"), "byes": _("count as byes"), "nothing": _("do not count at all")}
MISSED = tuple(_MISSED)


@record
class LateEntries:
    """Who enters after round 1 is published, and what the rounds before count."""

    until: int | None = word(
        whole(1, 30),
        "the last round a new player may still play first (1: no one joins late)",
        default=None,
        label=_("Last round a late player can enter"),
        help=_("1: no late entries. If empty: any round."),
    )
    missed: str = word(
        one_of({"": _("are decided by event staff"), **_MISSED}),
        "how the rounds before count; an organizer can deviate, with a reason",
        default="",
        required=True,
        label=_("Rounds a late player missed"),
    )

    @property
    def said(self) -> bool:
        """Whether the policy speaks of late players at all; if not, it is the staff's choice, else `losses`."""
        return bool(self.missed)


@record
class TwoDays:
    """Swiss rounds on two days, with a cut between them."""

    rounds: int = word(
        whole(0, 29),
        "Swiss rounds of the first day; 0, or no fewer than the event has: there is no second",
        default=0,
        label=_("Swiss rounds of the first day (0: one day)"),
    )
    places: int = word(
        whole(0, 10_000),
        "how many play the second day; 0: points decide",
        default=0,
        label=_("Players who play the second day (0: by points)"),
    )
    ties: bool = word(
        TRUTH,
        "and everyone tied on points with the last of them",
        default=False,
        label=_("And everyone tied on points with the last of them"),
    )
    points: int = word(
        whole(0, 3_000),
        "instead of `places`: everyone with at least this many points",
        default=0,
        label=_("Or everyone with at least this many points (0: by places)"),
    )
    start: str = word(
        one_of(
            {
                "carried": _("with the points and tie-breakers of the first day"),
                "afresh": _("without points: only the second day’s rounds count for its players"),
            }
        ),
        "what the second day begins with",
        default="carried",
        label=_("The second day begins"),
    )

    def __post_init__(self) -> None:
        if self.rounds and bool(self.places) == bool(self.points):
            raise Misfit(
                "places", "must say who plays the second day, or points must: exactly one of the two"
            )

    @property
    def rule(self) -> CutRule:
        """Who plays the second day."""
        return CutRule(points=self.points) if self.points else CutRule(self.places, self.ties)


class Effect(StrEnum):
    """What a penalty does to the match it is given in, or to the player's event."""

    NONE = "none"
    GAME = "game-loss"
    MATCH = "match-loss"
    REMOVAL = "removal"


@record
class PenaltyLevel:
    """One step of severity."""

    key: str = word(KEY)
    title: str = word(FILLED)
    effect: Effect = word(
        one_of(dict.fromkeys(map(str, Effect)), Effect),
        "what it does to the match, or to the player's event",
        default=Effect.NONE,
    )
    tracked: bool = word(TRUTH, "it counts when the same player offends again", default=True)


@record
class Infraction:
    """An offense of which a guide says the penalty."""

    key: str = word(KEY)
    title: str = word(FILLED)
    category: str = word(FILLED, "one of the guide's categories")
    path: tuple[str, ...] = word(
        each(FILLED),
        "the level of the first, second ... offense of this kind; the last holds for all later ones. Empty: no "
        "penalty is foreseen, only the remedy",
    )
    status: str = word(STATUS, "how sure the path is, where that is not as sure as the guide", default="")


@record
class PenaltyGuide:
    """Infractions and penalties."""

    title: str = word(FILLED)
    status: str = word(STATUS)
    source: str = word(FILLED)
    levels: tuple[PenaltyLevel, ...] = word(each(record_of(PenaltyLevel), least=1), "mildest first")
    categories: dict[str, str] = word(
        by_name(FILLED, key=KEY, least=1), "key and title, in the order of a judge's form"
    )
    infractions: tuple[Infraction, ...] = word(each(record_of(Infraction), least=1))

    def __post_init__(self) -> None:
        _once("levels", self.levels)
        _once("infractions", self.infractions)
        levels = {one.key for one in self.levels}
        for place, one in enumerate(self.infractions, start=1):
            if one.category not in self.categories:
                raise Misfit(f"infractions[{place}].category", f"must be one of {', '.join(self.categories)}")
            if not levels.issuperset(one.path):
                raise Misfit(f"infractions[{place}].path", f"must be of the levels {', '.join(levels)}")

    def level(self, key: str) -> PenaltyLevel:
        return next(one for one in self.levels if one.key == key)

    def infraction(self, key: str) -> Infraction:
        return next(one for one in self.infractions if one.key == key)

    def suggested(self, infraction: str, earlier: int) -> PenaltyLevel | None:
        """The level for an offense after so many `earlier` ones of its kind whose penalty was tracked; None: none."""
        path = self.infraction(infraction).path
        return self.level(path[min(earlier, len(path) - 1)]) if path else None


def _guide(infractions: tuple[Infraction, ...], status: str, **said: Any) -> PenaltyGuide:
    """An infraction is as sure as its guide, unless it says otherwise."""
    surer = tuple(replace(one, status=one.status or status) for one in infractions)
    return PenaltyGuide(infractions=surer, status=status, **said)


def _once(place: str, rows: Iterable[Any]) -> None:
    keys = [one.key for one in rows]
    if len(set(keys)) != len(keys):
        raise Misfit(place, "contain the same one twice")


@record
class DeckCheckPolicy:
    """How many decks are checked, and what that costs."""

    percent: int = word(
        whole(0, 100),
        "of the decks, to be checked over the event",
        default=10,
        required=True,
        label=_("Decks to check during the event (percent)"),
    )
    extra_minutes: int = word(
        whole(0, 60),
        "minutes a table gets in addition to the time of the check",
        default=3,
        required=True,
        label=_("Extra minutes after a deck check, besides the time it took"),
    )


@record
class Policy:
    """Every number an event is run by. `document` is its JSON form, which is what gets pinned."""

    title: str = word(FILLED, label=_("Title"), heading=ABOUT)
    key: str = word(
        KEY,
        "its name in addresses and files",
        label=_("Key"),
        help=_("Lowercase letters, digits and dashes, for example our-league."),
        heading=ABOUT,
    )
    version: str = word(FILLED, label=_("Version"), heading=ABOUT)
    match: str = word(FILLED, label=_("Match format"), heading=ABOUT)
    source: str = word(
        FILLED, "where these numbers come from", label=_("Source of these numbers"), rows=3, heading=ABOUT
    )
    status: str = word(STATUS, "how certain it is: the publisher's text, compiled from quotes, or ours")
    points: dict[str, int] = word(POINTS, "match points; a result without them can’t be reported")
    points_per: str = word(
        one_of({"match": _("a match"), "game": _("a game: a match counts the sum of its games")}),
        "what the points of a win, a draw and a loss are for; with `game` (double-sided rounds) a match has the "
        "sum of its games",
        default="match",
        label=_("Points are for"),
    )
    games: dict[str, tuple[int, int, int]] = word(
        GAMES, "if a match has several games: what counts when no score was reported", factory=dict
    )
    game_points: tuple[int, int] = word(
        GAME_POINTS, "what a game is worth in game-win percentages", default=(3, 1)
    )
    rounds: tuple[Rounds, ...] = word(each(record_of(Rounds), least=1), "Swiss rounds and cut by attendance")
    tie_breaks: tuple[TieBreak, ...] = word(
        each(TIE_BREAK, least=1), "in the order they count", key="tie-breakers"
    )
    round_minutes: int = word(
        whole(1, 600), "length of a Swiss round", label=_("Length of a Swiss round (minutes)"), heading=TIME
    )
    time: TimePolicy = word(
        record_of(TimePolicy), "what happens when time is called", default=TimePolicy(), heading=TIME
    )
    bracket: BracketPolicy = word(
        record_of(BracketPolicy), "how the bracket is played", default=BracketPolicy(), heading=BRACKET
    )
    two_days: TwoDays = word(
        record_of(TwoDays),
        "Swiss rounds on two days, with a cut between them",
        default=TwoDays(),
        heading=DAYS,
    )
    intentional_draw: str = word(
        one_of(
            {
                "allowed": _("are allowed"),
                "needs-judge": _("must be agreed in front of a judge"),
                "forbidden": _("are forbidden"),
            }
        ),
        "who may report a draw agreed without playing: both players, a judge, or no one",
        label=_("Draws agreed without playing"),
        heading=PEOPLE,
    )
    decklists: str = word(
        one_of({"required": _("are required before round 1"), "optional": _("are optional")}),
        "whether round 1 needs every decklist",
        label=_("Decklists"),
        heading=PEOPLE,
    )
    avoid_club: bool = word(
        TRUTH,
        "whether players of one club are paired last",
        default=True,
        label=_("Avoid pairing players from the same club"),
        heading=PEOPLE,
    )
    deck_checks: DeckCheckPolicy = word(
        record_of(DeckCheckPolicy),
        "how many decks to check, and the extra time for it",
        default=DeckCheckPolicy(),
        heading=PEOPLE,
    )
    late_entries: LateEntries = word(
        record_of(LateEntries),
        "who may join after round 1 is published",
        default=LateEntries(),
        heading=PEOPLE,
    )
    penalties: PenaltyGuide | None = word(
        record_of(_guide, words_of(PenaltyGuide)),
        "the guide judges follow; a shipped policy names one in `tournament/policies/penalties/`",
        default=None,
    )
    document: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises Misfit where its words do not fit each other."""
        last, before = len(self.rounds), 0
        for place, row in enumerate(self.rounds, start=1):
            if (row.players is None) != (place == last):
                raise Misfit(
                    f"rounds[{place}]", "must say `players: more` if it is the last row, and only then"
                )
            if row.players is not None and row.players <= before:
                raise Misfit(f"rounds[{place}]", "must be for more players than the row before")
            before = row.players or 0
        _once("tie-breakers", self.tie_breaks)
        if missing := sorted(self.games.keys() - self.points.keys()):
            raise Misfit(f"games.{missing[0]}", "is a result without points")
        if self.points_per == "game" and (missing := sorted(self.points.keys() - self.games.keys())):
            raise Misfit("points-per", f"needs the games of every result; {missing[0]} has none")
        wanted = {"timed": "timed-win", "draw": "draw"}.get(self.time.unfinished, "win")
        if wanted not in self.points:
            raise Misfit("time.unfinished", "names a result without points")
        if self.time.unreported and self.time.unreported not in self.points:
            raise Misfit("time.unreported", "names a result without points")

    @property
    def scoring(self) -> Scoring:
        """What results are worth."""
        return Scoring(self.points, self.games, self.game_points, self.points_per == "game")

    @property
    def pairing(self) -> PairingPolicy:
        """How its rounds are paired."""
        return PairingPolicy(avoid_club=self.avoid_club)

    def rounds_for(self, players: int) -> Rounds:
        """The row of the table for so many players."""
        return next(row for row in self.rounds if row.players is None or players <= row.players)

    @property
    def counts_games(self) -> bool:
        """Whether a match is several games whose score is reported."""
        return bool(self.games)

    def minutes(self, *, bracket: bool) -> int:
        """Of a round; in a bracket without a limit the Swiss rounds' minutes, should somebody start the clock."""
        return (bracket and self.time.elimination_minutes) or self.round_minutes

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The results this policy has points for."""
        return tuple(outcome for outcome in Outcome if outcome in self.points)


POLICY = record_of(Policy)
