"""Reminders on every page of an event: a player's missing result, judge calls for staff."""

from typing import Any

from django import template
from django.utils import timezone

from tournament.selectors.calls import unclaimed
from tournament.selectors.deadlines import owed_report

register = template.Library()


@register.inclusion_tag("tournament/_owed.html", takes_context=True)
def owed(context: dict[str, Any]) -> dict[str, Any]:
    event, request = context.get("event"), context.get("request")
    if event is None or request is None or context.get("step") is not None:  # the page asks by itself
        return {"match": None}
    return {"match": owed_report(request.user, event, timezone.now()), "event": event}


@register.inclusion_tag("tournament/_calls_badge.html", takes_context=True)
def calls_badge(context: dict[str, Any], oob: bool = False) -> dict[str, Any]:
    """How many judge calls nobody has taken; `oob`: sent beside a part that renews itself."""
    return {"waiting": unclaimed(context["event"]), "oob": oob}
