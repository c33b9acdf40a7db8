"""A worker reads imported card texts; each catalog is a job (docs/jobs.md).

What is read is stored some cards at a time, fenced by the token of the claim: if the worker dies, the next one goes on
with the cards that still wait. Nothing is read twice, and no card keeps the others from being read.
"""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from config import jobs
from config.audit import audit
from decks.cards.index import CardFacts
from decks.models import Card, Catalog, TextReading
from rules import services as rules
from rules.law import system_files

State = TextReading.State
AT_ONCE = 20  # cards between two looks whether the job is still ours; far below a lease
TURN_SECONDS = 5.0  # then it makes room for others who wait in its lane


def texts_keep(*, catalog: Catalog, cards: Sequence[CardFacts], by: Any, now: datetime) -> int:
    """Keep the texts of imported cards, with the facts that the catalog has of them now, and have a worker read those
    that are new or changed; how many they are. 0 where the game has no timing system. Inside the import's transaction.
    """
    system = system_files.of_game(catalog.game)
    if not system:
        return 0
    rows = {card.key: card.rows for card in cards}
    if not any(rows.values()) and not rules.cards_kept(system=system):
        return 0
    stored = Card.objects.filter(catalog=catalog).values_list("key", "title", "facts")
    changed = rules.cards_keep(
        system=system, cards=[(title, rows[key], facts) for key, title, facts in stored if key in rows]
    )
    if changed or _left_over(catalog, system):
        texts_read(catalog=catalog, by=by, now=now)
    return changed


def _left_over(catalog: Catalog, system: str) -> bool:
    """Does something wait for which no worker will come, as after a fault?"""
    coming = TextReading.objects.filter(catalog=catalog, state__in=[State.QUEUED, State.RUNNING])
    return not coming.exists() and bool(rules.cards_waiting(system=system))


def texts_read(*, catalog: Catalog, by: Any, now: datetime) -> None:
    """Have a worker read what waits of a catalog's texts. Inside a transaction."""
    job = TextReading.objects.create(
        catalog=catalog, asked_by=by, asked_at=now, lane=jobs.Lane.FILES, queued_at=now, sent_at=now
    )
    audit("texts_read", actor=by, target=catalog)
    jobs.ring(TEXTS, job.pk)


def texts_read_again(*, now: datetime) -> list[str]:
    """Have the texts read again that were read under another grammar, as after an upgrade; of which games."""
    found = []
    for catalog in Catalog.objects.filter(readings__isnull=False).distinct().order_by("game"):
        system = system_files.of_game(catalog.game)
        if system and _left_over(catalog, system):
            with transaction.atomic():
                texts_read(catalog=catalog, by=None, now=now)
            found.append(catalog.game)
    return found


# --- one job -------------------------------------------------------------------------------------------


def _work(job: TextReading) -> None:
    system, began = system_files.of_game(job.catalog.game), time.monotonic()

    def stored(number: int) -> None:
        if not jobs.note(TEXTS, job, timezone.now(), done=F("done") + number):
            raise jobs.NotOurs

    while system and rules.cards_read(system=system, most=AT_ONCE, stored=stored):
        if time.monotonic() - began > TURN_SECONDS:
            jobs.step_back(TEXTS, job, timezone.now(), jobs.Lane.FILES)
    jobs.finish(TEXTS, job, timezone.now())


def _ended(job: TextReading, now: datetime) -> None:
    data = {"failure": job.failure} if job.state == State.FAILED else {"done": job.done}
    audit(
        "texts_fail" if job.state == State.FAILED else "texts_finish",
        actor=None,
        target=job.catalog,
        data=data,
    )


TEXTS = jobs.Kind(
    name="decks.texts",
    word="texts",
    model=TextReading,
    owner="catalog",
    work=_work,
    lease="IMPORT_LEASE_SECONDS",
    related=("catalog",),
    ended=_ended,
)
