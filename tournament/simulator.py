"""Plays a whole random event through the services: registration, pairing, reports in any order, conflicts, slips,
drops, late entries, corrections, the cut and the bracket. For tests, benchmarks and demonstrations.

The same seed on an empty database plays the same event. What must hold in every round is checked on the way; an event
that breaks it ends in `Broken`.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tournament import selectors, services
from tournament.models import Event, Match, Registration, Round, Seat, User
from tournament.selectors.stages import (
    bracket_view,
    cut_is_due,
    cut_preview,
    final_standings,
    second_day_preview,
    winner_of,
)
from tournament.selectors.standings import first_day_rounds
from tournament.swiss import Outcome, seeded_random
from tournament.swiss.simulation import Chances, hits, outcome

USUAL = Chances(drops=0.05, late=0.01, conflicts=0.04, slips=0.03, corrections=0.01)


class Broken(AssertionError):
    """Something that must hold in every event does not."""


@dataclass(frozen=True, slots=True)
class Plan:
    """rounds, cut: None leaves them to the policy; chances: of what may happen."""

    players: int
    seed: int
    rounds: int | None = None
    cut: dict[str, Any] | None = None
    policy: str = "coc-lcg"
    chances: Chances = USUAL
    clubs: int = 20


@dataclass
class Told:
    """What a round, or the whole event, was like."""

    title: str
    counts: Counter[str] = field(default_factory=Counter)
    event: Event | None = None


class Simulator:
    """`event()` plays it all; `rounds()` tells of each step as it is done."""

    def __init__(self, plan: Plan, *, start: datetime, slug: str = "") -> None:
        self.plan = plan
        self.now = start
        self.slug = slug or f"simulated-{plan.seed}"
        self.total: Counter[str] = Counter()

    def event(self) -> Event:
        """The event, played to its end."""
        for _told in self.rounds():
            pass
        return self.fresh()

    def rounds(self) -> Iterator[Told]:
        self.organizer = self._user("organizer")
        yield self._told("Entering", self._enter)
        planned = self.plan.rounds or selectors.policy_of(self.the_event).rounds_for(self.plan.players).rounds
        for number in range(1, planned + 1):
            yield self._told(f"Round {number}", lambda counts, n=number: self._swiss(n, counts))  # type: ignore[misc]
            if number == first_day_rounds(self.fresh()):
                yield self._told("The first day's cut", self._second_day)
        yield self._told("The last Swiss round is closed", self._close)
        if cut_is_due(self.fresh()):
            yield self._told("The cut", self._cut)
            while bracket_view(self.stage).next_wave is not None:
                yield self._told("", self._wave)
            yield self._told("The bracket is over", self._close)

    def fresh(self) -> Event:
        return Event.objects.get(pk=self.the_event.pk)

    def report(self) -> dict[str, Any]:
        """What happened, the first places, and a digest of every pairing, result and place."""
        event = self.fresh()
        places = final_standings(event)
        return {
            "event": event.slug,
            "seed": self.plan.seed,
            "counts": dict(sorted(self.total.items())),
            "places": [
                {"place": one.place, "name": one.standing.registration.name, "points": one.standing.points}
                for one in places[:8]
            ],
            "digest": self._digest(event),
        }

    # --- entering ---------------------------------------------------------------------------------------------

    def _enter(self, counts: Counter[str]) -> None:
        plan = self.plan
        self.the_event = services.event_create(
            by=self.organizer,
            name=f"Simulated event {plan.seed}",
            slug=self.slug,
            starts_on=self.now.date(),
            format="coc-lcg",
            format_on=self.now.date(),
            policy_key=plan.policy,
            planned_rounds=plan.rounds,
            cut=plan.cut,
            now=self.now,
        )
        users = User.objects.bulk_create(
            User(username=f"{self.slug}-{number}", display_name=f"Player {number:04}")
            for number in range(1, plan.players + 1)
        )
        for user in users:
            self._admit(
                services.player_register(
                    event=self.the_event, user=user, club=self._club(user.username), by=user, now=self.now
                )
            )
        counts["entries"] += len(users)

    def _admit(self, entry: Registration) -> None:
        """Where the policy wants lists, the organizer admits without one: lists are not this simulation's matter."""
        if selectors.policy_of(self.the_event).decklists == "required":
            services.deck_register(
                registration=entry, revision=None, override="simulated", by=self.organizer, now=self.now
            )

    def _club(self, name: str) -> str:
        return f"Club {seeded_random.number(self.plan.seed, 'club', name, bits=32) % self.plan.clubs + 1}"

    # --- a Swiss round ----------------------------------------------------------------------------------------

    def _swiss(self, number: int, counts: Counter[str]) -> None:
        event = self.fresh()
        if number > 1:
            self._come_and_go(event, number, counts)
        before = self._pairings(event)
        round = services.round_pair(
            event=event, by=self.organizer, seed=self._lot("pair", number), number=number, now=self.now
        )
        self._check(event, round)
        self._results(round, counts)
        if number > 1:
            self._correct(event, number, counts)
        if before != self._pairings(event)[: len(before)]:
            raise Broken("a past pairing was changed")

    def _come_and_go(self, event: Event, number: int, counts: Counter[str]) -> None:
        active = list(event.registrations.filter(state=Registration.State.ACTIVE).order_by("name"))
        left = len(active)
        for entry in active:
            if left > 4 and hits(self.plan.chances.drops, self.plan.seed, "drop", number, entry.name):
                services.player_drop(registration=entry, by=entry.user or self.organizer, now=self.now)
                counts["drops"] += 1
                left -= 1
            if event.second_day_at is None and hits(
                self.plan.chances.late, self.plan.seed, "late", number, entry.name
            ):
                name = f"Late {number}-{entry.name}"
                self._admit(
                    services.player_register(
                        event=event,
                        user=None,
                        name=name,
                        club=self._club(name),
                        by=self.organizer,
                        now=self.now,
                    )
                )
                counts["late entries"] += 1

    def _check(self, event: Event, round: Round) -> None:
        seated = list(
            Seat.objects.filter(round=round).values_list("registration", flat=True).order_by("registration")
        )
        active = event.registrations.filter(state=Registration.State.ACTIVE)
        if seated != list(active.values_list("pk", flat=True).order_by("pk")):
            raise Broken("not every active player sits exactly once")
        total = round.explanation["total"]
        if total["rematch"] and not round.explanation["rematches_allowed"]:
            raise Broken("two have met again, and nothing says why")
        self.total["rematches"] += total["rematch"]
        self.total["second byes"] += total["second_bye"]

    def _results(self, round: Round, counts: Counter[str]) -> None:
        """Reports come in an order of their own, one player after the other, not table by table."""
        matches = {match.pk: match for match in selectors.round_matches(round) if match.table is not None}
        possible = [
            one
            for one in selectors.policy_of(round.event).outcomes
            if one is not Outcome.DOUBLE_LOSS and (round.stage_id is None or one is not Outcome.DRAW)
        ]
        calls = [call for match in matches.values() for call in self._calls(round, match, possible, counts)]
        calls.sort(key=lambda call: call[0])
        for _at, call in calls:
            self.now += timedelta(seconds=1)
            call()
        for match in selectors.conflicts(round.event):
            self._decide(match, outcome(round.seed, possible, "decided", match.table or 0), "no agreement")
        counts["tables"] += len(matches)
        counts["byes"] += round.matches.filter(table=None).count()

    def _calls(
        self, round: Round, match: Match, possible: Sequence[Outcome], counts: Counter[str]
    ) -> Iterator[tuple[int, Callable[[], None]]]:
        if selectors.match_state(match).settled:
            counts["walkovers"] += 1
            return
        table = match.table or 0
        ended = outcome(round.seed, possible, table)
        at = [seeded_random.number(round.seed, "when", table, side, bits=32) for side in (1, 2)]
        users = [seat.registration.user for seat in match.seats.select_related("registration__user")]
        if None in users or hits(self.plan.chances.slips, round.seed, "slip", table):
            counts["slips"] += 1
            yield at[0], lambda: self._decide(match, ended, "match slip")
            return
        other = ended.mirrored
        if hits(self.plan.chances.conflicts, round.seed, "conflict", table):
            counts["conflicts"] += 1
            other = Outcome.WIN if other is not Outcome.WIN else Outcome.LOSS
        for when, user, said in zip(at, users, (ended, other), strict=True):
            assert user is not None
            yield when, lambda user=user, said=said: self._say(match, user, said)  # type: ignore[misc]

    def _say(self, match: Match, user: User, said: Outcome) -> None:
        services.result_report(
            match=match, by=user, outcome=said, games=self._games(match, said), now=self.now
        )

    def _decide(self, match: Match, said: Outcome, reason: str) -> None:
        games = self._games(match, said)
        services.result_decide(
            match=match, by=self.organizer, outcome=said, games=games, reason=reason, now=self.now
        )

    def _games(self, match: Match, said: Outcome) -> tuple[int, int, int] | None:
        """Games that fit the result, the same for both sides, where the policy has them counted."""
        policy = selectors.policy_of(match.round.event)
        if not policy.counts_games:
            return None
        if said is Outcome.DRAW:
            return (1, 1, 0)
        won, lost, drawn = 2, 0, 0
        if (match.table or 0) % 2:  # a close one
            won, lost, drawn = (1, 0, 1) if policy.scoring.most_games == 2 else (2, 1, 0)
        return (won, lost, drawn) if said in (Outcome.WIN, Outcome.TIMED_WIN) else (lost, won, drawn)

    def _correct(self, event: Event, number: int, counts: Counter[str]) -> None:
        past = Match.objects.filter(round__event=event, round__number__lt=number, table__isnull=False)
        for match in past.select_related("round__event").order_by("round__number", "table"):
            if hits(
                self.plan.chances.corrections,
                self.plan.seed,
                "correct",
                number,
                match.round.number,
                match.table or 0,
            ):
                self._decide(match, Outcome.WIN, "the slip was misread")
                counts["corrections"] += 1

    def _second_day(self, counts: Counter[str]) -> None:
        self._close(counts)
        seen = second_day_preview(self.fresh()).seeds
        services.second_day_open(event=self.fresh(), seen=seen, by=self.organizer, now=self.now)
        counts["second day"] += len(seen)

    # --- cut and bracket --------------------------------------------------------------------------------------

    def _close(self, counts: Counter[str]) -> None:
        round = self.the_event.rounds.order_by("-number").first()
        assert round is not None
        services.round_finish(round=round, by=self.organizer, now=self.now)

    def _cut(self, counts: Counter[str]) -> None:
        event = self.fresh()
        first = cut_preview(event)
        if len(first.seeds) > 2 and seeded_random.number(self.plan.seed, "decline", bits=1):
            entry = event.registrations.get(pk=first.seeds[1])
            services.cut_decline(registration=entry, by=entry.user or self.organizer, now=self.now)
            counts["declined"] += 1
        seen = cut_preview(event).seeds
        self.stage = services.stage_open(event=event, seen=seen, by=self.organizer, now=self.now)
        counts["in the cut"] += len(seen)

    def _wave(self, counts: Counter[str]) -> None:
        round = services.stage_round(
            stage=self.stage,
            seed=self._lot("wave", self.fresh().rounds.count()),
            by=self.organizer,
            now=self.now,
        )
        self._results(round, counts)
        for match in selectors.round_matches(round):
            if winner_of(selectors.match_state(match)) is None:
                raise Broken("a game of the bracket has no winner")

    # --- small helpers ----------------------------------------------------------------------------------------

    def _told(self, title: str, step: Callable[[Counter[str]], None]) -> Told:
        self.now += timedelta(minutes=10)
        told = Told(title)
        step(told.counts)
        self.total += told.counts
        told.event = self.fresh()
        if not title:
            last = told.event.rounds.order_by("-number").first()
            told.title = last.title if last else ""
        return told

    def _user(self, name: str) -> User:
        return User.objects.get_or_create(username=f"{self.slug}-{name}", defaults={"display_name": name})[0]

    def _lot(self, *labels: str | int) -> int:
        return seeded_random.number(self.plan.seed, *labels, bits=48)

    def _pairings(self, event: Event) -> list[Any]:
        return list(
            Seat.objects.filter(round__event=event)
            .order_by("round__number", "match__table", "side")
            .values_list("round__number", "match__table", "side", "registration__name")
        )

    def _digest(self, event: Event) -> str:
        entry: dict[int | None, int] = dict(event.registrations.values_list("pk", "number"))
        played = sorted(
            [one.round, entry[one.first], entry.get(one.second), one.outcome, one.games]
            for one in selectors.played(event)
        )
        places = [[one.place, one.standing.registration.name] for one in final_standings(event)]
        text = json.dumps([self._pairings(event), played, places])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
