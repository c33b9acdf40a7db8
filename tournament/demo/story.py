"""The main job, from a decklist to a ruling, as a story: what `manage.py demo` plays.

Everything goes through the services, as the pages and the API do; the disputes are answered by a real worker.
Each chapter tells what happened in words, perhaps with a table, and hands the facts on for programs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from config.errors import UserError
from decks.models import Card, Catalog, Revision
from decks.selectors import latest_report
from decks.services import catalog_load_shipped, deck_submit
from rules.models import Adjudication, Dispute
from rules.services import adjudication_queue, ruling_file, scenario_under
from tournament.demo import DISPUTE, FORMAT, FORMAT_ON, PASSWORD, POLICY, decklist
from tournament.models import Event, Match, Staff, User
from tournament.selectors import current_match, match_state, round_matches, standings
from tournament.services import (
    dispute_file,
    event_create,
    invitation_accept,
    player_register,
    result_decide,
    result_report,
    round_finish,
    round_pair,
    staff_invite,
)

Rows = Sequence[Sequence[str]]
Wait = Callable[[Callable[[], bool]], None]

PLAYERS = {"ann": "Ann Whitlock", "bo": "Bo Lindqvist", "cleo": "Cleo Marsh", "dov": "Dov Aster"}


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    text: Sequence[str]
    heads: Sequence[str] = ()
    rows: Rows = ()
    facts: dict[str, Any] = field(default_factory=dict)


class Story:
    """`wait(condition)` lets the worker work until the condition holds; it raises when that takes too long."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait

    def chapters(self) -> Iterator[Chapter]:
        yield self.catalog()
        yield self.people_and_lists()
        yield self.illegal_list()
        yield self.event()
        yield self.round()
        yield self.agreement()
        yield self.disagreement()
        yield self.standings()
        yield self.dispute()
        yield self.other_system()
        yield self.ruling()

    def catalog(self) -> Chapter:
        catalog_load_shipped(now=timezone.now())
        catalog = Catalog.objects.get(game=FORMAT)
        count = Card.objects.filter(catalog=catalog).count()
        told = f"{count} cards of {catalog.name}, with the facts that deck rules ask for."
        if catalog.partial:
            told += " The catalog is partial: a name it does not know is unverified, not illegal."
        return Chapter("The card catalog", [told], facts={"cards": count, "partial": catalog.partial})

    def people_and_lists(self) -> Chapter:
        self.organizer, self.judge = (
            self._user("organizer", "Oona Castell"),
            self._user("judge", "Jun Verhoeven"),
        )
        self.players = {key: self._user(key, name) for key, name in PLAYERS.items()}
        lists = {"ann": "ann", "bo": "bo", "cleo": "bo", "dov": "ann"}
        self.lists = {key: self._submit(self.players[key], lists[key]) for key in PLAYERS}
        verdicts = {key: self._verdict(revision) for key, revision in self.lists.items()}
        rows = [
            [str(self.players[key]), revision.deck.name, verdicts[key]]
            for key, revision in self.lists.items()
        ]
        told = "Four players submit a decklist of 50 cards each; each gets a report at once."
        return Chapter("Four lists", [told], ["Player", "List", "Verdict"], rows, {"verdicts": verdicts})

    def illegal_list(self) -> Chapter:
        revision = self._submit(self.players["ann"], "illegal")
        report = latest_report(revision)
        assert report is not None
        rows = [[one["code"], one["message"], one["rule"], one["remedy"]] for one in report.findings]
        told = (
            "Ann tries a different decklist. It is kept, and every problem is listed at once, with its rule "
            "and how to fix it."
        )
        facts = {"verdict": report.verdict, "findings": report.findings}
        self.illegal = revision
        return Chapter("An illegal list", [told], ["Finding", "What", "Rule", "How to fix it"], rows, facts)

    def event(self) -> Chapter:
        now = timezone.now()
        self.the_event = event_create(
            by=self.organizer,
            name="Demo Open",
            slug="demo-open",
            starts_on=now.date(),
            format=FORMAT,
            format_on=FORMAT_ON,
            policy_key=POLICY,
            now=now,
        )
        asked = staff_invite(
            event=self.the_event, user=self.judge, role=Staff.Role.HEAD_JUDGE, by=self.organizer, now=now
        )
        invitation_accept(invitation=asked, by=self.judge, now=now)
        refused = self._register_refused(self.the_event)
        for key, player in self.players.items():
            player_register(
                event=self.the_event, user=player, revision=self.lists[key], by=player, now=timezone.now()
            )
        told = [
            f"{self.organizer} opens {self.the_event}; {self.judge} is its head judge.",
            f"Ann's illegal decklist is refused: {refused.message}",
            "With legal decklists, all four players are in.",
        ]
        return Chapter("An event", told, facts={"event": self.the_event.slug, "refused": refused.as_json()})

    def _register_refused(self, event: Event) -> UserError:
        ann = self.players["ann"]
        try:
            player_register(event=event, user=ann, revision=self.illegal, by=ann, now=timezone.now())
        except UserError as error:
            return error
        raise AssertionError("an illegal list was admitted")

    def round(self) -> Chapter:
        self.round_1 = round_pair(event=self.the_event, by=self.organizer, seed=1, now=timezone.now())
        rows = [
            [str(match.table), *(seat.registration.name for seat in match.seats.all())]
            for match in round_matches(self.round_1)
        ]
        told = f"Round 1 is paired. Its seed, {self.round_1.seed}, is kept: the same players give the same round."
        facts = {"seed": self.round_1.seed, "tables": rows}
        return Chapter("Round 1", [told], ["Table", "Player", "Opponent"], rows, facts)

    def agreement(self) -> Chapter:
        self.match = self._match(self.players["ann"])
        winner, loser = self._sides(self.match)
        result_report(match=self.match, by=winner, outcome="win", now=timezone.now())
        between = match_state(self._fresh(self.match)).state
        result_report(match=self.match, by=loser, outcome="loss", now=timezone.now())
        state = match_state(self._fresh(self.match)).state
        told = f"{winner} reports a win, {loser} a loss: first it is {between}, then {state}."
        return Chapter("Both report the same", [told], facts={"states": [between, state]})

    def disagreement(self) -> Chapter:
        other = next(match for match in round_matches(self.round_1) if match.pk != self.match.pk)
        one, two = self._sides(other)
        for player in (one, two):
            result_report(match=other, by=player, outcome="win", now=timezone.now())
        before = match_state(self._fresh(other)).state
        reason = "The play log shows the third story won by side 2."
        result_decide(match=other, by=self.judge, outcome="loss", reason=reason, now=timezone.now())
        after = match_state(self._fresh(other)).state
        told = [
            f"{one} and {two} both report a win: {before}. Neither report overwrites the other; event staff decide.",
            f"{self.judge} decides for {two}: {after}. The reason is kept: “{reason}”",
        ]
        return Chapter("A disagreement", told, facts={"states": [before, after], "winner": two.username})

    def standings(self) -> Chapter:
        round_finish(round=self.round_1, by=self.organizer, now=timezone.now())
        places = standings(self.the_event)
        heads = ["Rank", "Player", "Points", *(value.tie_break.name for value in places[0].values[1:])]
        rows = [
            [str(one.rank), one.registration.name, str(one.points), *(value.text for value in one.values[1:])]
            for one in places
        ]
        told = "The round has ended. Tie-breakers are exact; each has its formula on a page."
        return Chapter("Standings", [told], heads, rows, {"standings": rows})

    def dispute(self) -> Chapter:
        self.match_dispute = dispute_file(
            match=self.match,
            by=self.judge,
            title="Bo answered Shotgun Blast with Field Researcher: who acts next?",
            source=DISPUTE,
            now=timezone.now(),
        )
        self.answered = self._answer(self.match_dispute.dispute.adjudications.get())
        told = [
            "Ann plays Shotgun Blast on Bo's Field Researcher; it is destroyed.",
            "Bo uses its Response, Ann passes with hers.",
            f"The judge files it. A worker answers under {self._law(self.answered)}:",
            *self._answers(self.answered),
        ]
        rows = [[step["who"] or "", step["text"], " ".join(step["cites"])] for step in _told(self.answered)]
        return Chapter("A dispute", told, ["Who", "What happened", "Rules"], rows, self._facts(self.answered))

    def other_system(self) -> Chapter:
        dispute: Dispute = self.match_dispute.dispute
        scenario = scenario_under(dispute=dispute, system="coc-ccg")
        job = adjudication_queue(dispute=dispute, scenario=scenario, by=self.judge, now=timezone.now())
        other = self._answer(job)
        told = [f"The same situation under {self._law(other)}:", *self._answers(other)]
        first, second = _next(self.answered), _next(other)
        if first == second:
            raise AssertionError("the two systems should differ in who acts next")
        told.append(f"So the next to act is {first} under one set of rules and {second} under the other.")
        rows = [[step["who"] or "", step["text"], " ".join(step["cites"])] for step in _told(other)]
        return Chapter(
            "The same under other rules", told, ["Who", "What happened", "Rules"], rows, self._facts(other)
        )

    def ruling(self) -> Chapter:
        cited = [cite for step in _told(self.answered)[-1:] for cite in step["cites"]]
        ruling = ruling_file(
            dispute=self.match_dispute.dispute,
            by=self.judge,
            verdict=f"Bo's Response stands; {_next(self.answered)} acts next.",
            explanation="A Response isn't an action, so the turn to act passes on as if it had not been used.",
            adjudication=self.answered,
            agrees=True,
            citations=cited,
            now=timezone.now(),
        )
        told = [
            f"{self.judge} agrees with the engine and rules: “{ruling.verdict}”",
            *(
                f"{one['rule']}: {one['sentence']} ({one['document']}, {one['section']})"
                for one in ruling.citations
            ),
            "The ruling keeps each sentence's hash: when the law changes, this ruling is found again.",
        ]
        return Chapter("The ruling", told, facts={"verdict": ruling.verdict, "citations": ruling.citations})

    # --- small helpers --------------------------------------------------------------------------------

    def _user(self, username: str, name: str) -> User:
        return User.objects.create_user(username, password=PASSWORD, display_name=name)

    def _submit(self, owner: User, name: str) -> Revision:
        now = timezone.now()
        return deck_submit(
            owner=owner,
            name="",
            format=FORMAT,
            source=decklist(name),
            filename=f"{name}.txt",
            on=FORMAT_ON,
            now=now,
        )

    def _verdict(self, revision: Revision) -> str:
        report = latest_report(revision)
        assert report is not None
        return str(report.verdict)

    def _match(self, player: User) -> Match:
        match = current_match(player, self.the_event)
        assert match is not None
        return match

    def _fresh(self, match: Match) -> Match:
        return Match.objects.get(pk=match.pk)

    def _sides(self, match: Match) -> tuple[User, User]:
        one, two = (seat.registration.user for seat in match.seats.select_related("registration__user"))
        assert one is not None and two is not None
        return one, two

    def _answer(self, job: Adjudication) -> Adjudication:
        def ended() -> bool:
            job.refresh_from_db()
            return job.finished_at is not None

        self.wait(ended)
        if job.state != Adjudication.State.DONE:
            raise AssertionError(f"the adjudication is {job.state}: {job.failure}")
        return job

    def _law(self, job: Adjudication) -> str:
        assert job.answer is not None
        return f"{job.answer['system']['title']} ({job.system_version})"

    def _answers(self, job: Adjudication) -> list[str]:
        assert job.answer is not None
        counts = job.answer["counts"]
        told = [f"{one['sentence']} [{one['status']}]" for one in job.answer["questions"]]
        for one in job.answer["assumptions"]:
            weight = "it was taken so"
            if one["explored"]:
                weight = "it matters here" if one["material"] else "it makes no difference here"
            told.append(f"{one['text']} The law is {one['status']} on this; {weight}.")
        told.append(f"Lines explored: {counts['lines']}; positions: {counts['positions']}.")
        return told

    def _facts(self, job: Adjudication) -> dict[str, Any]:
        assert job.answer is not None
        return {"system": job.system, "next": _next(job), "answer": job.answer}


def _next(job: Adjudication) -> str:
    """Who acts next, by the answer's first question."""
    assert job.answer is not None
    return str(job.answer["questions"][0]["answer"])


def _told(job: Adjudication) -> list[dict[str, Any]]:
    """The trace's steps that a person would tell: what was used, what occurred, how it ended."""
    assert job.answer is not None
    told = []

    def walk(steps: list[dict[str, Any]]) -> None:
        for step in steps:
            if step["kind"] in ("initiate", "occurrence", "end"):
                told.append(step)
            walk(step["children"])

    walk(job.answer["trace"])
    return told
