"""Files a dispute, or asks the engine without filing one."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import UserError
from rules import scenarios
from rules.law import system_files
from rules.models import Adjudication, Dispute, Table
from rules.scenarios import adjudicate as engine
from rules.selectors import imported_card
from rules.services.adjudications import queue


def dispute_file(
    *,
    by: Any,
    title: str,
    source: str,
    now: datetime,
    table: Table | None = None,
    pinned: Mapping[tuple[str, str], str] | None = None,
    budget: int | None = None,
    urgent: bool = False,
) -> Dispute:
    """Store the situation written in `source` (a scenario, YAML or JSON) and queue its adjudication.

    `table`: the table on which it was laid out, when it was. `budget`: positions the engine may explore.
    `urgent`: a round waits for it. `pinned`:
    (system, reading) -> option, as somebody has settled it; what the situation itself settles stays.

    Raises UserError (`too-large`, `title-missing`, or what the scenario reader found, with its place).
    """
    title = title.strip()
    if not title:
        raise UserError("title-missing", _("The dispute has no title."), place="title")
    if len(title) > 200:
        raise UserError("title-too-long", _("The title is longer than 200 characters."), place="title")
    scenario = _with_readings(scenario_read(source), pinned or {})
    with transaction.atomic():
        dispute = Dispute.objects.create(
            title=title,
            filed_by=by,
            source=source,
            scenario=scenario.canonical,
            scenario_hash=scenario.hash,
            found=scenario.found,
            table=table,
            filed_at=now,
        )
        urgency = Adjudication.Urgency.ROUND if urgent else Adjudication.Urgency.SOMEBODY
        job = queue(dispute, scenario, now, budget or settings.ADJUDICATION_BUDGET, urgency)
        audit("dispute_file", actor=by, target=dispute, data={"adjudication": job.pk, "system": job.system})
    return dispute


def _with_readings(scenario: scenarios.Scenario, pinned: Mapping[tuple[str, str], str]) -> scenarios.Scenario:
    known = system_files.system(scenario.system).readings
    settled = {
        reading: option
        for (system, reading), option in pinned.items()
        if system == scenario.system
        and reading not in scenario.canonical["pinned"]
        and reading in known
        and option in known[reading].options
    }
    if not settled:
        return scenario
    return replace(scenario, canonical=scenarios.under(scenario.canonical, pinned=settled))


def scenario_read(source: str) -> scenarios.Scenario:
    """The scenario written in `source`; UserError (`too-large`, or the reader's own, with the place)."""
    limit = settings.SCENARIO_MAX_BYTES
    if len(source.encode("utf-8", "surrogatepass")) > limit:
        raise UserError(
            "too-large",
            _("The scenario is larger than %(limit)s bytes.") % {"limit": f"{limit:,}"},
            place="source",
            status=413,
        )
    return scenarios.read(source, imported=imported_card)


def scenario_under(*, dispute: Dispute, system: str) -> scenarios.Scenario:
    """The dispute's own scenario under another system; UserError where that one cannot express it."""
    return scenarios.Scenario(scenarios.under(dispute.scenario, system=system))


def scenario_what_if(*, adjudication: Adjudication, what: str, value: str) -> scenarios.Scenario:
    """What was asked with one thing taken otherwise: a reading pinned, or an open fact (`cards.clerk.exhausted`) set.

    Raises UserError for a reading, option or fact that is not there.
    """
    asked = adjudication.scenario
    if "." not in what:
        return scenarios.Scenario(scenarios.under(asked, pinned={what: value}))
    given: Any = int(value) if value.lstrip("-").isdecimal() else value
    return scenarios.Scenario(scenarios.changed(asked, {what: given}))


def other_systems(*, dispute: Dispute, asked: set[str]) -> list[Any]:
    """The systems, not asked yet, under which the dispute's own situation can be told."""
    found = []
    for system in system_files.systems():
        if system.key in asked:
            continue
        with suppress(UserError):
            scenarios.under(dispute.scenario, system=system.key)
            found.append(system)
    return found


def scenario_adjudicate(*, source: str) -> dict[str, Any]:
    """Answer a scenario at once and store nothing, for whoever waits at the other end of a request.

    Bounded by ADJUDICATION_INLINE_BUDGET positions (then the answer is `undecided`) and
    ADJUDICATION_INLINE_SECONDS (then UserError `too-long`, if nothing that is asked is known by then).
    """
    return at_once(scenario_read(source).canonical)


def at_once(canonical: dict[str, Any]) -> dict[str, Any]:
    """The answer to a canonical scenario within one request's bounds; UserError `too-long` beyond them."""
    deadline = time.monotonic() + settings.ADJUDICATION_INLINE_SECONDS
    found = engine.adjudicate(
        canonical,
        budget=settings.ADJUDICATION_INLINE_BUDGET,
        seconds=settings.ADJUDICATION_INLINE_SECONDS,
        spare=lambda positions: time.monotonic() < deadline,
    )
    if "stopped" in found and all(one["status"] == "undecided" for one in found["questions"]):
        raise UserError(
            "too-long",
            _("This takes longer than one request is allowed to."),
            remedy=_("File it as a dispute. A worker will then run it without a time limit per request."),
            status=422,
        )
    return found
