"""Filing a dispute, and asking the engine without filing anything."""

import time
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import UserError
from rules import adjudicate as engine
from rules import scenario as scenarios
from rules.models import Dispute
from rules.services.adjudications import queue


def dispute_file(*, by: Any, title: str, source: str, now: datetime) -> Dispute:
    """Store the situation written in `source` (a scenario, YAML or JSON) and queue its adjudication.

    Raises UserError (`too-large`, `title-missing`, or what the scenario reader found, with its place).
    """
    title = title.strip()
    if not title:
        raise UserError("title-missing", _("The dispute has no title."), place="title")
    if len(title) > 200:
        raise UserError("title-too-long", _("The title is longer than 200 characters."), place="title")
    scenario = scenario_read(source)
    with transaction.atomic():
        dispute = Dispute.objects.create(
            title=title,
            filed_by=by,
            source=source,
            scenario=scenario.canonical,
            scenario_hash=scenario.hash,
            filed_at=now,
        )
        job = queue(dispute, scenario, now)
        audit("dispute_file", actor=by, target=dispute, data={"adjudication": job.pk, "system": job.system})
    return dispute


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
    return scenarios.read(source)


def scenario_under(*, dispute: Dispute, system: str) -> scenarios.Scenario:
    """The dispute's own scenario under another system; UserError where that one cannot express it."""
    return scenarios.Scenario(scenarios.under(dispute.scenario, system=system))


def scenario_adjudicate(*, source: str) -> dict[str, Any]:
    """Answer a scenario at once and store nothing, for whoever waits at the other end of a request.

    Bounded by ADJUDICATION_INLINE_BUDGET positions (then the answer is `undecided`) and
    ADJUDICATION_INLINE_SECONDS (then UserError `too-long`).
    """
    scenario = scenario_read(source)
    deadline = time.monotonic() + settings.ADJUDICATION_INLINE_SECONDS
    try:
        return engine.adjudicate(
            scenario.canonical,
            budget=settings.ADJUDICATION_INLINE_BUDGET,
            progress=lambda positions: time.monotonic() < deadline,
        )
    except engine.Cancelled as error:
        raise UserError(
            "too-long",
            _("This takes longer than one request may take."),
            remedy=_("File it as a dispute; a worker then takes its time."),
            status=422,
        ) from error
