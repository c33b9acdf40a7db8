"""Results and the subjects of judge calls, in words."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.swiss import Outcome

CALL_SUBJECTS: list[tuple[str, object]] = [
    ("rules", gettext_lazy("A question about the rules")),
    ("result", gettext_lazy("The result or the time")),
    ("deck", gettext_lazy("A deck or a card")),
    ("private", gettext_lazy("A private question")),
]
ALERTS: list[tuple[str, object]] = [
    ("paired", gettext_lazy("A round is paired: my table")),
    ("five", gettext_lazy("The round ends in five minutes")),
    ("time", gettext_lazy("My table gets more time")),
    ("judge", gettext_lazy("A judge is coming")),
    ("ruling", gettext_lazy("A ruling at my table")),
    ("appeal", gettext_lazy("An appeal at my table was heard")),
    ("invite", gettext_lazy("Someone invites me to their event staff")),
]
"""What a person can be alerted of: the kinds in _my_alerts.html."""
SUBJECT_WORDS: dict[str, object] = {**dict(CALL_SUBJECTS), "other": gettext_lazy("Something else")}
"""Each with JudgeCall.Subject; `other` is said in own words."""


def call_from(call: Any) -> str:
    """What a judge call is told apart by: its table, or the player who called without one. call: JudgeCall."""
    return call.registration.name if call.table is None else _("table %(n)s") % {"n": call.table}


def result_words(state: Any) -> str:
    """A match's settled result as a sentence with names: won with the games, a draw, both lost. state: MatchState."""
    names = [seat.registration.name for seat in state.seats]
    if len(names) == 1:
        return _("%(name)s has a bye") % {"name": names[0]} if state.outcome is None else _("missed")
    if state.outcome is None:
        return _("no result yet")
    said = outcome_of(names, Outcome(state.outcome))
    if state.games is None:
        return said
    won, lost, drawn = state.games
    if Outcome(state.outcome) in (Outcome.LOSS, Outcome.TIMED_LOSS):
        won, lost = lost, won
    return f"{said} {won}–{lost}" + (f"–{drawn}" if drawn else "")


def outcome_of(names: Sequence[str], outcome: Outcome) -> str:
    """A result, seen from side 1, with the names of the two sides: “Ann won”."""
    words = {
        Outcome.WIN: _("%(name)s won") % {"name": names[0]},
        Outcome.TIMED_WIN: _("%(name)s won on time") % {"name": names[0]},
        Outcome.DRAW: _("a draw"),
        Outcome.TIMED_LOSS: _("%(name)s won on time") % {"name": names[1]},
        Outcome.LOSS: _("%(name)s won") % {"name": names[1]},
        Outcome.DOUBLE_LOSS: _("both lost"),
    }
    return words[outcome]
