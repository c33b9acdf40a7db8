"""What is seldom seen, with something in it: brackets of 32, a hall of 150 tables, lists judged again, a law that
changed, a file being read, a dispute that hangs on a reading and on a fact, a table in the middle of play."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet

from decks import services as deck_services
from decks.tasks import recheck as judge_again
from rules import services as rules_services
from rules import tasks as rules_tasks
from rules.models import Adjudication
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament.factories import LEGAL, make_event, make_staff
from tournament import services
from tournament.models import Event, FileImport, Match, User
from tournament.selectors import match_state, round_matches
from tournament.selectors.imports import PROGRESS_SECONDS, progress_key
from tournament.selectors.stages import current_stage
from tournament.services.outside.imports import names_read
from tournament.simulator import Plan, Simulator

WAVES = 3  # told of once the cut is made: the cut and two rounds of the bracket
FAMILY = [
    "김",
    "이",
    "박",
    "최",
    "정",
    "Okafor",
    "Lindqvist",
    "Marchetti",
    "Novák",
    "Ferreira",
    "Castellanos-Whitfield",
]
GIVEN = ["민준", "서연", "지우", "하준", "수아", "Dana", "Maximilian", "Zoë", "Tomáš", "Inês", "Guadalupe"]
HANGING = """\
title: Two responses to one shot, at somebody who may have been wounded before
system: coc-lcg
players: [Ann, Bo]
active: Ann
cards:
  shotgun: {is: Shotgun Blast, of: Ann, zone: hand}
  researcher: {is: Field Researcher, of: Bo, zone: play, toughness: {disputed: [0, 1]}}
  witness:
    {name: Witness, type: character, of: Ann, zone: play, abilities: [
      {kind: response, at: after, of: destroy, do: [{set: blank, of: this, to: yes}]}]}
did: [Ann plays shotgun on researcher]
wants: {Ann: [witness], Bo: [researcher]}
ask: [{holds: "researcher.zone = 'play'"}, {order: [researcher, witness]}, "may Bo use researcher?", next]
"""
KHOPESH = "Khopesh of the Abyss"
HOUSE = """\
extends: coc-lcg
key: kingsport
title: Kingsport house rules
law:
  HOUSE-01: {text: The house plays without it., document: Kingsport house rules}
lists:
  ours:
    title: Kingsport list
    document: Kingsport house rules
    %s
timeline:
  - {from: 2013-01-01, list: ours, basis: agreed}
"""


def play(people: dict[str, User], now: datetime) -> dict[str, Any]:
    """The words for the addresses of what is photographed here."""
    made: dict[str, Any] = {}
    for word, make in _CORNERS.items():
        with transaction.atomic():  # one write to the disk, and no worker takes a part of it
            made[word] = make(people, now)
    return made


def _bracket(policy: str, seed: int, now: datetime) -> str:
    """Seventy-two players, cut to 32, the bracket in progress."""
    plan = Plan(players=72, seed=seed, rounds=4, cut={"places": 32, "ties": False}, policy=policy)
    simulator = Simulator(plan, start=now - timedelta(hours=6), slug=f"cut-{seed}")
    waves = 0
    for _told in simulator.rounds():
        waves += current_stage(simulator.fresh()) is not None
        if waves == WAVES:
            break
    if stage := current_stage(simulator.fresh()):
        services.stage_round(stage=stage, seed=seed, by=simulator.organizer, now=now)
    return simulator.slug


def _hall(people: dict[str, User], now: datetime) -> str:
    """A hundred and fifty tables in the middle of round 1: some settled, one with more time, three calls."""
    by = people["organizer"]
    event = make_event(by, slug="hall", name="Kingsport National", starts_on=now.date(), planned_rounds=9)
    make_staff(event=event, user=people["judge"], role="judge", by=by, now=now)
    names = [f"{GIVEN[n % 11]} {FAMILY[(n + n // 11) % 11]} {n // 121 or ''}".strip() for n in range(300)]
    named = names_read("\n".join(names))
    services.players_enter(event=event, named=named, by=by, now=now)
    event.registrations.update(deck_override="List on paper, seen at the desk.")
    round = services.round_pair(event=event, by=by, seed=1, now=now)
    services.clock_start(round=round, by=by, now=now - timedelta(minutes=31, seconds=12))
    tables = [match for match in round_matches(round) if not match_state(match).settled]
    for count, match in enumerate(tables):
        if count % 5 < 2:
            services.result_decide(
                match=match, by=by, outcome=("win", "loss", "draw")[count % 3], reason="Slip", now=now
            )
    services.time_extend(match=tables[3], minutes=7, cause="judge-call", by=people["judge"], now=now)
    for place in (7, 64, 118):
        services.table_call_open(
            event=event,
            table=tables[place].table or 0,
            subject="rules",
            by=people["judge"],
            now=now - timedelta(minutes=place // 9),
        )
    return event.slug


def _recheck(people: dict[str, User], now: datetime) -> int:
    """A house format whose lists change: one deck becomes illegal, one legal, one is illegal for other reasons."""
    restricted = "restricted: {rule: HOUSE-01, titles: [Khopesh of the Abyss, %s]}"
    before = HOUSE % (restricted % "Shotgun")
    banned = "banned: {rule: HOUSE-01, titles: [Dynamite]}\n    "
    after = HOUSE % (banned + restricted % "Rabbit's Foot")
    deck_services.format_publish(text=before, by=people["organizer"], now=now)
    lists = {
        "ann": ("Blast and run", LEGAL),
        "bo": ("Mummies", LEGAL.replace("Dynamite", "Magah Bird").replace("Rabbit's Foot", KHOPESH)),
        "judge": ("Two of a kind", f"{LEGAL}\n3x {KHOPESH}"),
    }
    for who, (name, source) in lists.items():
        deck_services.deck_submit(owner=people[who], name=name, format="kingsport", source=source, now=now)
    _version, check = deck_services.format_publish(
        text=after, note="Dynamite is out", by=people["organizer"], now=now + timedelta(seconds=1)
    )
    assert check is not None
    for chunk in check.chunks.all():
        judge_again(chunk.pk)
    return int(check.pk)


def _import(people: dict[str, User], now: datetime) -> int:
    """A file that a worker seems to be reading, for as long as its lease."""
    job = FileImport.objects.create(
        kind="event",
        source="{}",
        asked_by=people["organizer"],
        asked_at=now,
        queued_at=now,
        sent_at=now,
        state="running",
        runs=1,
        token="x",
        lease_until=now + timedelta(seconds=settings.IMPORT_LEASE_SECONDS),
    )
    cache.set(progress_key(job.pk), (1840, 4312), PROGRESS_SECONDS)
    return job.pk


def _read(people: dict[str, User], now: datetime) -> int:
    event = Event.objects.get(slug="hall")
    return FileImport.objects.create(
        kind="players",
        source="",
        asked_by=people["organizer"],
        asked_at=now,
        queued_at=now,
        sent_at=now,
        state="done",
        runs=1,
        done=300,
        event=event,
        finished_at=now,
    ).pk


def _dispute(people: dict[str, User], now: datetime) -> int:
    dispute = rules_services.dispute_file(
        by=people["judge"], title="Two responses to one shot", source=HANGING, now=now
    )
    rules_tasks.adjudicate(dispute.adjudications.get().pk)
    return int(dispute.pk)


def _law_run(people: dict[str, User], now: datetime) -> int:
    """Three disputes answered and ruled on under a law that said something else: to be asked again."""
    judge, tables = people["judge"], Match.objects.filter(round__event__slug="hall").order_by("table")[:3]
    for number, match in enumerate(tables):
        filed = services.dispute_file(
            match=match,
            by=judge,
            title=("May Bo respond?", "Who acts next?", "Is the shot over?")[number],
            source=different(SHOTGUN, number + 1),
            now=now,
        )
        job = filed.dispute.adjudications.get()
        rules_tasks.adjudicate(job.pk)
        given = services.ruling_give(
            match=match,
            dispute=filed.dispute,
            verdict="Bo may use Field Researcher, and then it is Bo's turn to respond.",
            citations=["COC-T-31"] if number else ["COC-T-31", "COC-T-15"],
            by=judge,
            now=now,
        )
        _as_it_was(job.pk, given.ruling, number)
    run = rules_services.law_run_start(system="coc-lcg", by=people["organizer"], now=now)
    rules_services.law_runs_sweep(now=now)
    for item in run.items.exclude(after=None):
        rules_tasks.adjudicate(item.after_id or 0)
    rules_services.law_runs_sweep(now=now)
    return int(run.pk)


def _as_it_was(pk: int, ruling: Any, number: int) -> None:
    """Answered and quoted under a law of another wording, which this project never shipped."""
    job = Adjudication.objects.get(pk=pk)
    answer = {**(job.answer or {})}
    if number:
        first = {
            **answer["questions"][0],
            "answer": "no",
            "sentence": "No: Field Researcher's response answers only what happens in play.",
        }
        answer = {
            **answer,
            "sentence": "Bo may not use Field Researcher. Next: Ann.",
            "questions": [first, *answer["questions"][1:]],
        }
    Adjudication.objects.filter(pk=pk).update(system_hash="0" * 64, answer=answer)
    cited = [
        {
            **one,
            "sentence": "Responses go clockwise, beginning with the active player.",
            "sentence_hash": "0" * 64,
        }
        if one["rule"] == "COC-T-31"
        else one
        for one in ruling.citations
    ]
    QuerySet(type(ruling)).filter(pk=ruling.pk).update(citations=cited)


def _table(people: dict[str, User], now: datetime) -> int:
    source = (settings.BASE_DIR / "rules" / "cases" / "arkham" / "guard-dog-chain.yaml").read_text()
    table = rules_services.table_open(
        by=people["judge"], source=source, title="Attack of opportunity", now=now
    )
    return int(table.pk)


_CORNERS: dict[str, Callable[[dict[str, User], datetime], Any]] = {
    "single": lambda _people, now: _bracket("coc-lcg", 1, now),
    "double": lambda _people, now: _bracket("netrunner-nsg", 2, now),
    "hall": _hall,
    "recheck": _recheck,
    "import": _import,
    "read": _read,
    "hanging": _dispute,
    "law_run": _law_run,
    "table": _table,
}
