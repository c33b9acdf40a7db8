"""The small words of the visual language: shapes, status chips, rule ids. /style shows them all.

A status is never colour alone: `chip` puts a shape, a word and a tone together, and this table is the only
place where they are matched.
"""

from typing import NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

register = template.Library()

VERBS: dict[str, object] = {
    "event_create": gettext_lazy("announced the event"),
    "staff_add": gettext_lazy("added somebody to the staff"),
    "player_register": gettext_lazy("registered a player"),
    "player_drop": gettext_lazy("dropped a player"),
    "deck_register": gettext_lazy("handed in a list"),
    "decks_lock": gettext_lazy("locked lists"),
    "decks_unlock": gettext_lazy("unlocked lists"),
    "decks_arrange": gettext_lazy("arranged the lists"),
    "deck_check_start": gettext_lazy("began a deck check"),
    "deck_check_finish": gettext_lazy("ended a deck check"),
    "round_pair": gettext_lazy("paired a round"),
    "round_finish": gettext_lazy("finished a round"),
    "event_finish": gettext_lazy("closed the event"),
    "result_report": gettext_lazy("reported a result"),
    "result_decide": gettext_lazy("decided a result"),
    "match_dispute_file": gettext_lazy("asked the engine"),
}


class Look(NamedTuple):
    shape: str
    tone: str  # good, bad, look (a judge's attention), mine (yours to do), or none
    word: object


LOOKS: dict[str, Look] = {
    # a list
    "legal": Look("check", "good", gettext_lazy("Legal")),
    "illegal": Look("cross", "bad", gettext_lazy("Illegal")),
    "unverified": Look("half", "look", gettext_lazy("Unverified")),
    "no-deck": Look("blank", "", gettext_lazy("No deck")),
    "override": Look("stamp", "look", gettext_lazy("Admitted by staff")),
    # a match
    "waiting": Look("dot", "", gettext_lazy("Waiting")),
    "reported": Look("half", "mine", gettext_lazy("One report")),
    "confirmed": Look("check", "good", gettext_lazy("Confirmed")),
    "conflict": Look("alert", "look", gettext_lazy("Conflict")),
    "decided": Look("stamp", "good", gettext_lazy("Decided by staff")),
    "bye": Look("dash", "", gettext_lazy("Bye")),
    # an event, a registration
    "event-registration": Look("dot", "mine", gettext_lazy("Registration open")),
    "event-running": Look("half", "good", gettext_lazy("Under way")),
    "event-finished": Look("check", "", gettext_lazy("Finished")),
    "active": Look("check", "", gettext_lazy("Playing")),
    "dropped": Look("dash", "", gettext_lazy("Dropped")),
    # an answer of the engine
    "determined": Look("check", "good", gettext_lazy("Determined")),
    "depends": Look("fork", "look", gettext_lazy("Depends")),
    "insufficient": Look("ask", "look", gettext_lazy("A fact is missing")),
    "not-modelled": Look("blank", "", gettext_lazy("Not modelled")),
    "loop": Look("loop", "look", gettext_lazy("Loop")),
    "undecided": Look("wait", "", gettext_lazy("Undecided")),
    # a run of the engine
    "queued": Look("wait", "", gettext_lazy("Queued")),
    "running": Look("wait", "mine", gettext_lazy("Running")),
    "done": Look("check", "good", gettext_lazy("Answered")),
    "failed": Look("cross", "bad", gettext_lazy("Failed")),
    "cancelled": Look("dash", "", gettext_lazy("Cancelled")),
    # a ruling, a reading
    "ruled": Look("stamp", "good", gettext_lazy("Ruled")),
    "open": Look("dot", "look", gettext_lazy("No ruling yet")),
    "agrees": Look("check", "good", gettext_lazy("Agrees with the engine")),
    "disagrees": Look("cross", "look", gettext_lazy("Differs from the engine")),
    "floor": Look("stamp", "", gettext_lazy("Floor ruling")),
    "appealed": Look("alert", "look", gettext_lazy("Appealed")),
    "final": Look("stamp", "good", gettext_lazy("Final for the event")),
    "official": Look("check", "good", pgettext_lazy("a reading of the rules", "Official")),
    "inferred": Look("half", "", pgettext_lazy("a reading of the rules", "Inferred")),
    "contested": Look("fork", "look", pgettext_lazy("a reading of the rules", "Contested")),
}


@register.simple_tag
def shape(name: str, label: str = "") -> SafeString:
    """The drawing alone; without `label` it is silent to a screen reader (a word stands beside it)."""
    if label:
        return format_html(
            '<svg class="i" role="img" aria-label="{}"><use href="#s-{}"></use></svg>', label, name
        )
    return format_html('<svg class="i" aria-hidden="true"><use href="#s-{}"></use></svg>', name)


@register.simple_tag
def status_shape(status: str) -> SafeString:
    return shape(_look(status).shape)


@register.filter
def status_word(status: str) -> str:
    return str(_look(status).word)


@register.filter
def verb_words(verb: str) -> str:
    """What an audit row's verb says to a person."""
    return str(VERBS.get(verb) or verb.replace("_", " "))


@register.simple_tag
def chip(status: str, word: str = "") -> SafeString:
    """Shape and word for a status of the table above; `word` replaces the usual one."""
    look = _look(status)
    return format_html('<span class="chip {}">{}{}</span>', look.tone, shape(look.shape), word or look.word)


@register.simple_tag
def cite(rule: str) -> SafeString:
    """A rule's id that opens its sentence; the page must hold the rules it cites (rules/_law.html)."""
    return format_html(
        '<button type="button" class="cite" popovertarget="law-{}" title="{}">{}</button>',
        rule,
        _("Read the rule"),
        rule,
    )


@register.filter
def has(container: object, item: object) -> bool:
    """`{% if roles|has:"judge" %}`"""
    return item in container  # type: ignore[operator]


def _look(status: str) -> Look:
    return LOOKS.get(status) or Look("dot", "", status)
