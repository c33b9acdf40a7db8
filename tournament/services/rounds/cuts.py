"""Announces the cut before it is made: how many advance, and into which bracket."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from tournament.models import Event, User
from tournament.policy import policy_files
from tournament.selectors import ORGANIZERS, require
from tournament.selectors.stages import swiss_is_over
from tournament.services.checks import one_of, text
from tournament.services.locks import lock_event


def cut_announce(
    *,
    event: Event,
    cut: Mapping[str, Any] | None,
    bracket_kind: str = "",
    reason: str = "",
    by: User,
    now: datetime,
) -> Event:
    """Say who plays on after the Swiss rounds, and how, instead of what the policy's table says.

    cut: {places, ties} or {losses}; None, before round 1 only, leaves it to the table. bracket_kind:
    "single-elimination", "double-elimination" or "" as the policy says. Before round 1 it is part of the announcement;
    later it takes a reason that everybody can read, and a cut that was made stays.
    Raises Forbidden; UserError `bad-policy`, `missing`, `unknown`; Conflict `stage-open`, `event-over`, `swiss-over`.
    """
    require(by, event, ORGANIZERS)
    rule = None if cut is None else policy_files.cut_rule(dict(cut))
    if bracket_kind:
        one_of(bracket_kind, "bracket_kind", Event.BracketKind.values)
    with transaction.atomic():
        event = lock_event(event)
        _must_be_open(event)
        if event.state == Event.State.RUNNING:
            reason = text(reason, "reason", most=300)
            if rule is None:
                raise UserError("missing", _("Say how many advance: a number, or none."), place="cut")
            if not rule.any and swiss_is_over(event):
                raise Conflict(
                    "swiss-over",
                    _("The Swiss rounds are over."),
                    place="cut",
                    remedy=_("End the event without a bracket instead."),
                )
        else:
            reason = ""
        before = {"cut": event.cut, "bracket_kind": event.bracket_kind}
        after = {"cut": rule and rule.document, "bracket_kind": bracket_kind}
        if before == after:
            return event
        event.cut, event.bracket_kind = after["cut"], bracket_kind
        event.save(update_fields=["cut", "bracket_kind"])
        data = {"before": before, "after": after}
        audit("cut_announce", actor=by, target=event, event=event, reason=reason, data=data)
    return event


def _must_be_open(event: Event) -> None:
    if event.state == Event.State.FINISHED:
        raise Conflict("event-over", _("The event is over."))
    if event.stages.exists():
        raise Conflict(
            "stage-open",
            _("The cut has already been made."),
            remedy=_("Until a bracket result is reported, you can undo the cut and announce a new one."),
        )
