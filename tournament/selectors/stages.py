"""The cut and the bracket of an event: who advances and why, every game's state, the final places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.errors import Conflict, NotFound
from tournament.bracket_words import cut_sentence, game_title, source_words
from tournament.models import AuditRow, Event, Match, Registration, Round, Stage, StageEntry
from tournament.policy import policy_files
from tournament.policy.kinds import CutRule
from tournament.policy.model import BracketKind, BracketPolicy
from tournament.selectors.access import Person, require
from tournament.selectors.matches import MatchState, match_state
from tournament.selectors.querysets import MATCHES
from tournament.selectors.standings import Standing, first_day_rounds, policy_of, standings
from tournament.swiss import Outcome, Row, cut_by_points, cut_by_record, cut_to, cut_with_ties, seeded_random
from tournament.swiss import brackets as pure

WON = frozenset({Outcome.WIN, Outcome.TIMED_WIN})
LOST = frozenset({Outcome.LOSS, Outcome.TIMED_LOSS})
DECISIVE = WON | LOST
"""Results after which somebody goes on."""


# --- the cut --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CutRow:
    """A player at the cut. code: in, out, declined, dropped; why: where somebody level in points is on the other side
    of the line, what decided."""

    standing: Standing
    code: str
    seed: int | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class CutPreview:
    """The cut as it would be made now, or as `stage` was opened. `line` says how the line came about."""

    rule: CutRule
    rows: tuple[CutRow, ...]
    line: str

    @property
    def seeds(self) -> tuple[int, ...]:
        """Who plays on, by registration, in order of seed."""
        return tuple(row.standing.registration.pk for row in self.rows if row.code == "in")

    @property
    def bracket_size(self) -> int:
        return 1 << (len(self.seeds) - 1).bit_length() if len(self.seeds) > 1 else 0

    @property
    def byes(self) -> int:
        """How many of the best do not play in the first round."""
        return self.bracket_size - len(self.seeds)


def cut_rule_of(event: Event) -> CutRule:
    """The cut the event was announced with; before round 1 the policy's for the players there are."""
    if event.cut is not None:
        return policy_files.cut_rule(event.cut)
    active = event.registrations.filter(state=Registration.State.ACTIVE).count()
    return policy_of(event).rounds_for(active).rule


def bracket_policy_of(event: Event) -> BracketPolicy:
    """How those who made the cut play: the policy's way, or the kind the event announced instead."""
    law = policy_of(event).bracket
    if event.bracket_kind in ("", law.kind):
        return law
    kind = BracketKind(event.bracket_kind)
    return replace(law, kind=kind, third_place=law.third_place and kind is BracketKind.SINGLE)


@dataclass(frozen=True, slots=True)
class Announced:
    """What an event says of its cut. fixed: as announced, else as attendance would have it now; changes: rows of the
    audit log that tell how it was changed after round 1, and why."""

    rule: CutRule
    bracket: BracketPolicy
    fixed: bool
    changes: tuple[AuditRow, ...]

    @property
    def words(self) -> str:
        return cut_sentence(self.rule)


def announced(event: Event) -> Announced:
    """The cut as players are told of it."""
    changes = event.audit_rows.filter(verb="cut_announce").exclude(said=None).order_by("pk")
    return Announced(
        cut_rule_of(event),
        bracket_policy_of(event),
        event.cut is not None,
        tuple(changes.select_related("actor", "said")),
    )


def swiss_is_over(event: Event) -> bool:
    """Whether the announced rounds have been played."""
    if event.state == Event.State.FINISHED:
        return True
    return (
        event.planned_rounds is not None
        and event.rounds.filter(stage=None, finished_at__isnull=False).count() >= event.planned_rounds
    )


def cut_is_due(event: Event) -> bool:
    """Whether the Swiss rounds are over and a bracket is to follow."""
    return (
        event.state == Event.State.RUNNING
        and event.final_id is None  # a flight's cut is made in its final
        and cut_rule_of(event).any
        and swiss_is_over(event)
        and not event.stages.exists()
    )


def access_cut(event: Event) -> CutPreview:
    """The event's own cut. Raises Conflict `has-flights` for a final, whose bracket its flights seed."""
    if event.flights.exists():
        raise Conflict(
            "has-flights",
            _("This event’s bracket is seeded from its flights, so it has no cut of its own."),
            remedy=_("See the flights."),
        )
    return cut_preview(event)


def cut_preview(event: Event) -> CutPreview:
    """The cut by the standings as they are now, in a constant number of queries.

    Who has dropped or declines keeps the rank and loses the place to the next.
    """
    return _preview(cut_rule_of(event), standings(event), _code)


def second_day_is_due(event: Event) -> bool:
    """Whether the first day is over and who plays the second is not settled yet."""
    rounds = first_day_rounds(event)
    return (
        bool(rounds)
        and event.state == Event.State.RUNNING
        and event.second_day_at is None
        and event.rounds.filter(stage=None, finished_at__isnull=False).count() >= rounds
    )


def second_day_preview(event: Event) -> CutPreview:
    """Who would play the second day by the standings as they are now, as `cut_preview`. Raises NotFound for an event
    of one day."""
    if not first_day_rounds(event):
        raise NotFound(_("second day"))
    rule = policy_of(event).two_days.rule
    return _preview(rule, standings(event), lambda row: "dropped" if row.dropped else "in")


def second_day_rows(event: Event) -> list[CutRow]:
    """Who plays the second day and who does not, after the first day's cut, in order of the standings."""
    on = set(event.registrations.filter(second_day=True).values_list("pk", flat=True))
    rows = standings(event)
    return [
        CutRow(row, "in" if row.registration.pk in on else "dropped" if row.dropped else "out", None)
        for row in rows
    ]


def _preview(rule: CutRule, rows: Sequence[Standing], code_of: Callable[[Standing], str]) -> CutPreview:
    staying = [row for row in rows if code_of(row) == "in"]
    chosen = {pk: seed for seed, pk in enumerate(_chosen(rule, staying), start=1)}
    in_rows = [row for row in staying if row.registration.pk in chosen]
    out_rows = [row for row in staying if row.registration.pk not in chosen]
    last_in, first_out = (in_rows[-1] if in_rows else None), (out_rows[0] if out_rows else None)
    return CutPreview(
        rule,
        tuple(
            _cut_row(row, code_of(row), rule, chosen.get(row.registration.pk), last_in, first_out)
            for row in rows
        ),
        _line_words(rule, last_in, first_out, len(chosen)),
    )


def _chosen(rule: CutRule, rows: Sequence[Standing]) -> tuple[int, ...]:
    plain = [Row(row.rank, row.registration.pk, row.points, (), row.record) for row in rows]
    if rule.losses is not None:
        return cut_by_record(plain, rule.losses)
    if rule.points is not None:
        return cut_by_points(plain, rule.points)
    return cut_with_ties(plain, rule.places) if rule.ties else cut_to(plain, rule.places)


def _code(row: Standing) -> str:
    if row.dropped:
        return "dropped"
    if row.registration.state == Registration.State.OUT:
        return "out"
    return "in" if row.registration.plays_on else "declined"


def _cut_row(
    row: Standing,
    code: str,
    rule: CutRule,
    seed: int | None,
    last_in: Standing | None,
    first_out: Standing | None,
) -> CutRow:
    if code != "in":
        return CutRow(row, code, None)
    why = ""
    by_place = rule.losses is None and rule.points is None and not rule.ties
    if last_in is not None and first_out is not None and by_place:
        level = row.points == last_in.points == first_out.points
        if level:
            why = _beside(row, first_out if seed else last_in)
    elif rule.losses is not None:
        why = ngettext("%(n)s match loss", "%(n)s match losses", row.lost) % {"n": row.lost}
    return CutRow(row, "in" if seed else "out", seed, why)


def _decided_by(better: Standing, worse: Standing) -> str:
    """The first number in which two differ, with both values."""
    if (found := _differ(better, worse)) is None:
        return _("tied on every number; the earlier registration ranks higher")
    return _("%(name)s: %(better)s vs. %(worse)s") % dict(
        zip(("name", "better", "worse"), found, strict=True)
    )


def _beside(row: Standing, across: Standing) -> str:
    """The same of one player and the nearest on the other side of the line, who is named."""
    if (found := _differ(row, across)) is None:
        return _("tied on every number; the earlier registration ranks higher")
    return _("%(name)s: %(own)s; %(other)s has %(others)s") % {
        **dict(zip(("name", "own", "others"), found, strict=True)),
        "other": across.registration.name,
    }


def _differ(one: Standing, other: Standing) -> tuple[str, str, str] | None:
    """The first number in which two differ: its name, and both values as people read them, or as fractions where they
    read the same. None: in none."""
    for own, others in zip(one.values, other.values, strict=True):
        if own.exact != others.exact:
            name = _(own.tie_break.name)
            if own.text == others.text:
                return name, str(own.exact), str(others.exact)
            return name, own.text, others.text
    return None


def _line_words(rule: CutRule, last_in: Standing | None, first_out: Standing | None, count: int) -> str:
    if last_in is None:
        return _("No one makes the cut.")
    if rule.losses is None and rule.points is not None:
        return cut_sentence(rule)
    if rule.losses is not None:
        return ngettext(
            "Every player with at most %(n)s match loss advances.",
            "Every player with at most %(n)s match losses advances.",
            rule.losses,
        ) % {"n": rule.losses}
    if first_out is None:
        return _("Every player still in the event advances.")
    if rule.ties:
        return _(
            "The top %(places)s and everyone tied with the last of them on points: %(count)s players."
        ) % {
            "places": rule.places,
            "count": count,
        }
    if last_in.points != first_out.points:
        return _("%(last)s makes the cut last, with %(points)s points. %(first)s has %(fewer)s.") % {
            "last": last_in.registration.name,
            "points": last_in.points,
            "first": first_out.registration.name,
            "fewer": first_out.points,
        }
    return _("%(last)s and %(first)s have %(points)s points each. %(why)s.") % {
        "last": last_in.registration.name,
        "first": first_out.registration.name,
        "points": last_in.points,
        "why": _decided_by(last_in, first_out),
    }


# --- the bracket ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a game: who sits there, or in words who will. won: None while open."""

    seed: int | None
    registration: Registration | None
    words: str
    won: bool | None
    begins: bool

    @property
    def name(self) -> str:
        return self.registration.name if self.registration else self.words


@dataclass(frozen=True, slots=True)
class Tie:
    """One game of the bracket. state: waiting for its players, ready, a match's state, or not needed."""

    game: pure.Game
    title: str
    sides: tuple[Side, Side]
    match: Match | None
    match_state: MatchState | None
    state: str
    wave: int

    @property
    def open(self) -> bool:
        return self.state not in {"not-needed", "played"}


@dataclass(frozen=True)
class BracketView:
    """A stage with every game; `next_wave` can be published now, unless a round of it is being played."""

    stage: Stage
    bracket: pure.Bracket
    standing: tuple[pure.Standing, ...]
    ties: tuple[Tie, ...]
    entries: dict[int, Registration]
    rounds: tuple[Round, ...]

    @property
    def next_wave(self) -> int | None:
        """The first wave with a game that is needed and not seated; None when all are."""
        return next((tie.wave for tie in self.ties if tie.match is None and tie.state != "not-needed"), None)

    @property
    def champion(self) -> Registration | None:
        seed = pure.champion(self.standing)
        return self.entries[seed] if seed else None

    def waves(self) -> list[tuple[int, list[Tie]]]:
        return [
            (wave, [tie for tie in self.ties if tie.wave == wave])
            for wave in range(1, self.bracket.waves + 1)
        ]


@lru_cache(maxsize=256)
def bracket_of(kind: str, entrants: int, third_place: bool) -> pure.Bracket:
    if kind == Stage.Kind.DOUBLE:
        return pure.double_elimination(entrants)
    return pure.single_elimination(entrants, third_place=third_place)


def stages_of(event: Event) -> QuerySet[Stage]:
    """The event's stages with their entries at hand."""
    entries = StageEntry.objects.select_related("registration").order_by("seed")
    return event.stages.select_related("event").prefetch_related(Prefetch("entries", entries))


def current_stage(event: Event) -> Stage | None:
    return stages_of(event).order_by("-number").first()


def access_stage(
    user: Person, slug: str, number: int, roles: Sequence[str] | frozenset[str] | None = None
) -> Stage:
    """A stage by its number, for everybody; with `roles`, only for who holds one. Raises NotFound, Forbidden."""
    event = Event.objects.filter(slug=slug).first()
    stage = stages_of(event).filter(number=number).first() if event is not None else None
    if stage is None:
        raise NotFound(_("stage"))
    if roles is not None:
        require(user, stage.event, roles)
    return stage


def bracket_view(stage: Stage) -> BracketView:
    """The stage's bracket as it stands, in at most seven queries."""
    entries = {entry.seed: entry.registration for entry in stage.entries.all()}
    bracket = bracket_of(stage.kind, len(entries), stage.third_place)
    matches = {match.game: match for match in MATCHES.filter(round__stage=stage)}
    states = {game: match_state(match) for game, match in matches.items()}
    won = {game: side for game, state in states.items() if game and (side := winner_of(state))}
    standing = pure.state(bracket, won)
    rounds = tuple(stage.rounds.defer("explanation"))
    seeds = {round.pk: round.seed for round in rounds}
    ties = tuple(
        _tie(stage, bracket, one, standing, entries, matches.get(one.game.number), states, seeds)
        for one in standing
    )
    return BracketView(stage, bracket, standing, ties, entries, rounds)


def winner_of(state: MatchState) -> int | None:
    """The side that won a settled match; None while it is open, and for a draw."""
    if not state.settled:
        return None
    return 1 if state.outcome in WON else 2 if state.outcome in LOST else None


def beginner(stage: Stage, one: pure.Standing, standing: Sequence[pure.Standing], lot: int) -> int | None:
    """The seed that chooses who begins (the side, the seat): by the stage's rule; None while a side is unknown."""
    if one.one is None or one.two is None:
        return None
    if stage.choice == "lot":
        return (one.one, one.two)[seeded_random.number(lot, "choice", one.game.number, bits=1)]
    if stage.choice == "loser-of-last":
        lost_last = [seed for seed in (one.one, one.two) if _lost_last(seed, one, standing)]
        if len(lost_last) == 1:
            return lost_last[0]
    return min(one.one, one.two)


def _lost_last(seed: int, before: pure.Standing, standing: Sequence[pure.Standing]) -> bool:
    """Whether the seed lost the last game it played before this one."""
    played = [
        one
        for one in standing[: before.game.number - 1]
        if one.winner is not None and seed in (one.one, one.two)
    ]
    return bool(played) and played[-1].loser == seed


def _tie(
    stage: Stage,
    bracket: pure.Bracket,
    one: pure.Standing,
    standing: Sequence[pure.Standing],
    entries: dict[int, Registration],
    match: Match | None,
    states: dict[int | None, MatchState],
    lots: dict[int, int],
) -> Tie:
    state = states.get(one.game.number)
    begins = beginner(stage, one, standing, lots.get(match.round_id, 0)) if match else None
    sides = tuple(
        Side(
            seed,
            entries.get(seed or 0),
            source_words(bracket, source),
            None if one.winner is None else one.winner == seed,
            seed is not None and seed == begins,
        )
        for seed, source in ((one.one, one.game.one), (one.two, one.game.two))
    )
    if not one.needed:
        code = "not-needed"
    elif one.winner is not None:
        code = "played"
    elif state is not None:
        code = state.state
    else:
        code = "ready" if one.ready else "coming"
    return Tie(
        one.game, game_title(bracket, one.game), (sides[0], sides[1]), match, state, code, one.game.wave
    )


def changed_since_the_cut(view: BracketView) -> list[str]:
    """What a correction in the Swiss rounds would change in the cut, were it made now. The bracket stays."""
    if view.stage.event.flights.exists():  # each flight's own page has its cut as it would be now
        return []
    now = cut_preview(view.stage.event)
    names = {row.standing.registration.pk: row.standing.registration.name for row in now.rows}
    gone = {row.standing.registration.pk for row in now.rows if row.code in {"dropped", "declined"}}
    then = [view.entries[seed].pk for seed in sorted(view.entries)]
    stayed = [pk for pk in then if pk not in gone]  # who left since is no correction
    out = [pk for pk in stayed if pk not in now.seeds]
    new = [pk for pk in now.seeds if pk not in then]
    said = [_("%(name)s would not make the cut.") % {"name": names[pk]} for pk in out]
    said += [
        _("%(name)s would make the cut.") % {"name": names[pk]}
        for pk in new[: max(0, len(new) - len(gone & set(then)))]
    ]
    if not said and stayed != [pk for pk in now.seeds if pk in stayed]:
        said.append(_("The seeding would be different."))
    return said


# --- final places ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Somebody's place in the whole event: the bracket before the Swiss rounds. words: how far in the bracket."""

    place: int
    seed: int | None
    standing: Standing
    words: str = ""


def final_standings(event: Event) -> list[Place]:
    """The bracket's places over the Swiss places; without a bracket, the Swiss standings."""
    rows = standings(event)
    stage = current_stage(event)
    if stage is None:
        return [Place(row.rank, None, row) for row in rows]
    view = bracket_view(stage)
    by_player = {row.registration.pk: row for row in rows}
    found = [
        Place(place, seed, by_player[view.entries[seed].pk], _how_far(view, place, seed))
        for place, seed in pure.places(view.bracket, view.standing)
    ]
    inside = {one.standing.registration.pk for one in found}
    outside = [row for row in rows if row.registration.pk not in inside]
    for index, row in enumerate(outside):
        level = index > 0 and outside[index - 1].rank == row.rank
        place = found[-1].place if level else len(inside) + index + 1
        found.append(Place(place, None, row))
    return found


def _how_far(view: BracketView, place: int, seed: int) -> str:
    if place == 1 and view.champion is not None:
        return _("won the bracket")
    lost = [one.game for one in view.standing if one.loser == seed and one.game.part is not pure.Part.THIRD]
    wanted = 2 if view.bracket.double else 1
    if len(lost) < wanted:
        return _("still in")
    return _("knocked out in: %(game)s") % {"game": game_title(view.bracket, lost[-1])}
