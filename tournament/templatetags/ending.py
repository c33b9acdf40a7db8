"""How an event ended: who won it, and the page of its last standings."""

from dataclasses import dataclass

from django import template
from django.urls import reverse

from tournament.models import Event
from tournament.selectors.stages import current_stage, final_standings

register = template.Library()


@dataclass(frozen=True, slots=True)
class End:
    """url: its final standings. winner: a name, or nothing where the first place is shared or nobody played."""

    url: str
    winner: str


@register.simple_tag
def end_of(event: Event) -> End:
    """`{% end_of event as end %}`, of an event that is over."""
    first = [one for one in final_standings(event) if one.place == 1]
    winner = first[0].standing.registration.name if len(first) == 1 else ""
    page = "final-standings" if current_stage(event) is not None else "standings"
    return End(reverse(page, args=[event.slug]), winner)
