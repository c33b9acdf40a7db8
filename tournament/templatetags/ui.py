"""The visual language's small parts: shapes, status chips, rule IDs. /style shows them all.

A status is never color alone: `chip` puts a shape, a word and a tone together, and this table is the only
place where they are matched.
"""

from datetime import datetime, timedelta
from math import ceil
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from rules.spoken import Spoken
from tournament.bracket_words import round_words
from tournament.models import Round
from tournament.words import SUBJECT_WORDS

register = template.Library()

VERBS: dict[str, object] = {
    "event_create": gettext_lazy("announced the event"),
    "penalty_issue": gettext_lazy("gave a penalty"),
    "penalty_revoke": gettext_lazy("revoked a penalty"),
    "event_import": gettext_lazy("imported the event from a file"),
    "reason_erase": gettext_lazy("erased the reason of an entry"),
    "event_change": gettext_lazy("changed the settings"),
    "event_watch": gettext_lazy("follows the event"),
    "event_unwatch": gettext_lazy("stopped following the event"),
    "staff_add": gettext_lazy("added to event staff"),
    "staff_remove": gettext_lazy("removed a role"),
    "staff_invite": gettext_lazy("invited to event staff"),
    "player_invite": gettext_lazy("invited an account to a registration"),
    "invitation_accept": gettext_lazy("accepted an invitation"),
    "invitation_decline": gettext_lazy("declined an invitation"),
    "invitation_refuse": gettext_lazy("declined an invitation for good"),
    "invitation_withdraw": gettext_lazy("withdrew an invitation"),
    "invite_make": gettext_lazy("created an invitation"),
    "invite_revoke": gettext_lazy("revoked an invitation"),
    "invite_accept": gettext_lazy("accepted an invitation"),
    "account_close": gettext_lazy("closed an account"),
    "code_make": gettext_lazy("gave a one-time code to log in"),
    "code_use": gettext_lazy("logged in with a one-time code"),
    "link_use": gettext_lazy("logged in by a link"),
    "email_tell": gettext_lazy("gave an address"),
    "email_confirm": gettext_lazy("confirmed an address"),
    "email_forget": gettext_lazy("removed an address"),
    "password_choose": gettext_lazy("chose a new password"),
    "account_reopen": gettext_lazy("reopened an account"),
    "person_forget": gettext_lazy("erased a person, now under a pseudonym"),
    "player_withdraw": gettext_lazy("withdrew a player"),
    "player_promote": gettext_lazy("moved a player up from the waiting list"),
    "player_admit": gettext_lazy("admitted a player ahead of the waiting list"),
    "player_change": gettext_lazy("edited a registration"),
    "player_claim": gettext_lazy("claimed a registration"),
    "player_unclaim": gettext_lazy("unlinked a registration from its account"),
    "codes_renew": gettext_lazy("renewed a registration’s codes"),
    "checkin_open": gettext_lazy("opened check-in"),
    "checkin_close": gettext_lazy("closed check-in"),
    "player_check_in": gettext_lazy("checked a player in"),
    "player_check_out": gettext_lazy("undid a check-in"),
    "players_check_in": gettext_lazy("checked several players in"),
    "players_check_out": gettext_lazy("undid several check-ins"),
    "player_register": gettext_lazy("registered a player"),
    "player_drop": gettext_lazy("dropped a player"),
    "deck_register": gettext_lazy("submitted a decklist"),
    "decks_lock": gettext_lazy("locked decklists"),
    "decks_unlock": gettext_lazy("unlocked decklists"),
    "decks_arrange": gettext_lazy("changed the decklist settings"),
    "deck_check_start": gettext_lazy("started a deck check"),
    "deck_check_finish": gettext_lazy("ended a deck check"),
    "player_return": gettext_lazy("reinstated a player"),
    "missed_settle": gettext_lazy("decided the rounds a player missed"),
    "bye_award": gettext_lazy("awarded a bye"),
    "bye_withdraw": gettext_lazy("undid an awarded bye"),
    "table_keep": gettext_lazy("fixed a player’s table"),
    "round_pair": gettext_lazy("paired and published"),
    "round_draft": gettext_lazy("paired"),
    "round_renew": gettext_lazy("paired again with the same random seed"),
    "round_redraw": gettext_lazy("paired with a new random seed"),
    "round_discard": gettext_lazy("discarded the draft"),
    "round_publish": gettext_lazy("published"),
    "round_unpublish": gettext_lazy("unpublished"),
    "round_repair": gettext_lazy("changed tables after a corrected result"),
    "round_nudge": gettext_lazy("sent a reminder to report"),
    "round_resolve": gettext_lazy("resolved unreported tables"),
    "seats_swap": gettext_lazy("swapped two players"),
    "table_move": gettext_lazy("moved a table"),
    "clock_start": gettext_lazy("started the clock"),
    "clock_pause": gettext_lazy("stopped the clock"),
    "clock_add": gettext_lazy("changed the time for everyone"),
    "time_extend": gettext_lazy("gave a time extension"),
    "round_finish": gettext_lazy("ended a round"),
    "second_day_open": gettext_lazy("made the cut to the second day"),
    "second_day_withdraw": gettext_lazy("undid the cut to the second day"),
    "stage_open": gettext_lazy("made the cut and opened the bracket"),
    "flight_join": gettext_lazy("made the event a flight"),
    "flight_leave": gettext_lazy("gave the event its own bracket"),
    "flights_merge": gettext_lazy("merged the flights"),
    "stage_withdraw": gettext_lazy("undid the cut"),
    "stage_round": gettext_lazy("published a bracket round"),
    "cut_decline": gettext_lazy("declined a spot in the bracket"),
    "cut_accept": gettext_lazy("accepted the spot after all"),
    "cut_announce": gettext_lazy("changed the cut"),
    "event_ban": gettext_lazy("banned"),
    "series_add": gettext_lazy("added the event to a series"),
    "series_leave_out": gettext_lazy("removed the event from a series"),
    "event_unban": gettext_lazy("lifted a ban"),
    "webhook_add": gettext_lazy("added a webhook"),
    "webhook_remove": gettext_lazy("removed a webhook"),
    "delivery_resend": gettext_lazy("resent a message"),
    "import_ask": gettext_lazy("uploaded a file"),
    "import_fail": gettext_lazy("could not read a file"),
    "event_close": gettext_lazy("closed the event without a bracket"),
    "policy_publish": gettext_lazy("published a policy"),
    "event_finish": gettext_lazy("closed the event"),
    "result_report": gettext_lazy("reported a result"),
    "result_decide": gettext_lazy("decided a result"),
    "call_open": gettext_lazy("called a judge"),
    "call_claim": gettext_lazy("took a judge call"),
    "call_release": gettext_lazy("handed a judge call back"),
    "call_close": gettext_lazy("closed a judge call"),
    "call_withdraw": gettext_lazy("canceled a judge call"),
    "match_dispute_file": gettext_lazy("asked the engine"),
    "statement_make": gettext_lazy("made a statement"),
    "remark_consult": gettext_lazy("consulted about a table"),
    "remark_note": gettext_lazy("made a note"),
    "ruling_give": gettext_lazy("gave a ruling"),
    "appeal_make": gettext_lazy("appealed a ruling"),
    "reading_pin": gettext_lazy("chose an interpretation of the rules"),
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
    "override": Look("stamp", "", gettext_lazy("Admitted by event staff")),
    # a match
    "waiting": Look("dot", "", gettext_lazy("Waiting")),
    "reported": Look("half", "mine", gettext_lazy("One report")),
    "confirmed": Look("check", "good", gettext_lazy("Confirmed")),
    "conflict": Look("alert", "look", gettext_lazy("Conflict")),
    "decided": Look("stamp", "good", gettext_lazy("Decided by event staff")),
    "bye": Look("dash", "", gettext_lazy("Bye")),
    # a round
    "draft": Look("half", "look", gettext_lazy("Not published")),
    "by-hand": Look("stamp", "look", gettext_lazy("By hand")),
    # an event, a registration
    "event-registration": Look("dot", "mine", gettext_lazy("Registration open")),
    "event-running": Look("half", "good", gettext_lazy("In progress")),
    "event-finished": Look("check", "", gettext_lazy("Ended")),
    "in": Look("check", "good", gettext_lazy("Advances")),
    "out": Look("dash", "", gettext_lazy("Out")),
    "declined": Look("cross", "", gettext_lazy("Declined")),
    "coming": Look("dot", "", gettext_lazy("To come")),
    "not-needed": Look("dash", "", gettext_lazy("Not needed")),
    "active": Look("check", "", gettext_lazy("Playing")),
    "dropped": Look("dash", "", gettext_lazy("Dropped")),
    "withdrawn": Look("dash", "", gettext_lazy("Withdrawn")),
    "matches": Look("check", "good", gettext_lazy("Matches")),
    "differs": Look("cross", "bad", gettext_lazy("Doesn’t match")),
    "taken-back": Look("dash", "", gettext_lazy("Revoked")),
    "in-line": Look("wait", "look", gettext_lazy("Waiting list")),
    "here": Look("check", "good", gettext_lazy("Here")),
    # an answer of the engine
    "determined": Look("check", "good", gettext_lazy("Determined")),
    "depends": Look("fork", "look", gettext_lazy("Depends")),
    "insufficient": Look("ask", "look", gettext_lazy("A fact is missing")),
    "not-modelled": Look("blank", "", gettext_lazy("Not supported")),
    "loop": Look("loop", "look", gettext_lazy("Loop")),
    "undecided": Look("wait", "", gettext_lazy("Undecided")),
    # a run of the engine
    "queued": Look("wait", "", gettext_lazy("Queued")),
    "running": Look("wait", "mine", gettext_lazy("Running")),
    "done": Look("check", "good", gettext_lazy("Answered")),
    "failed": Look("cross", "bad", gettext_lazy("Failed")),
    "cancelled": Look("dash", "", gettext_lazy("Canceled")),
    # a judge call
    "call-open": Look("wait", "look", pgettext_lazy("a judge call", "No one yet")),
    "call-claimed": Look("half", "mine", gettext_lazy("On the way")),
    "call-ruled": Look("stamp", "good", gettext_lazy("Ruled")),
    "call-appealed": Look("alert", "look", gettext_lazy("Appealed")),
    "call-final": Look("stamp", "good", pgettext_lazy("a judge call", "Final")),
    "call-advice": Look("ask", "look", gettext_lazy("Asks for advice")),
    "call-closed": Look("check", "good", gettext_lazy("Close the call")),
    "call-withdrawn": Look("dash", "", gettext_lazy("Revoked")),
    # a ruling, a reading
    "ruled": Look("stamp", "good", gettext_lazy("Ruled")),
    "open": Look("dot", "look", gettext_lazy("No rulings yet")),
    "agrees": Look("check", "good", gettext_lazy("Agrees with the engine")),
    "disagrees": Look("cross", "look", gettext_lazy("Differs from the engine")),
    "floor": Look("stamp", "", gettext_lazy("Floor ruling")),
    "appealed": Look("alert", "look", gettext_lazy("Appealed")),
    "final": Look("stamp", "good", gettext_lazy("Final for the event")),
    "none": Look("rules", "", gettext_lazy("Precedent only")),
    "corrected": Look("dash", "", gettext_lazy("Corrected by its judge")),
    "upheld": Look("check", "good", gettext_lazy("Upheld on appeal")),
    "overturned": Look("cross", "look", gettext_lazy("Overturned on appeal")),
    "verified": Look("check", "good", gettext_lazy("Verified")),
    "superseded": Look("dash", "look", gettext_lazy("Superseded")),
    "reversed": Look("cross", "bad", gettext_lazy("Reversed")),
    "published": Look("events", "mine", pgettext_lazy("a precedent", "Published")),
    "same-situation": Look("check", "mine", gettext_lazy("The same situation")),
    "same-cards": Look("decks", "", gettext_lazy("The same cards")),
    "engine-differs": Look("fork", "look", gettext_lazy("The engine disagrees")),
    "answer-changed": Look("fork", "look", gettext_lazy("A different answer")),
    "house-default": Look("blank", "look", gettext_lazy("House default")),
    "reconstruction": Look("half", "", gettext_lazy("Reconstruction")),
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
def tongue(text: object) -> SafeString:
    """` lang="en"` for what the engine or its data says in English only, on a page in whatever language."""
    return SafeString("") if isinstance(text, Spoken) else SafeString('lang="en"')


@register.simple_tag
def clock_face(clock: Any, now: datetime, extension: int | None = 0, timezone: str = "UTC") -> SafeString:
    """What is left of a round, by the server's time, and until when; app.js lets the figures run.

    clock: selectors.Clock; extension: the table's own minutes.
    """
    more = extension or 0
    left = clock.left(now, more)
    ends = clock.ends_at(more)
    at = f"{ends.astimezone(ZoneInfo(timezone)):%H:%M}" if ends else ""
    if not clock.began:
        note = _("not started")
    elif not clock.running:
        note = _("stopped")
    elif left <= timedelta():
        note = _("time was called at %(at)s") % {"at": at}
    else:
        note = _("until %(at)s") % {"at": at}
    called = clock.began and left <= timedelta()
    return format_html(
        '<span class="clock{}" role="timer"{}>{}<b>{}</b>{} <small>{}</small></span>',
        " look-ink" if called else "",
        format_html(' data-ends="{}" data-now="{}"', _millis(ends), _millis(now))
        if ends and not called
        else "",
        shape("alert") if called else "",
        _("Time") if called else _minutes(left),
        format_html(" <i>{}{}′</i>", "+" if more > 0 else "−", abs(more)) if more else "",
        note,
    )


def _minutes(left: timedelta) -> str:
    """Whole seconds, rounded up: 00:00 is reached when time is called, not before."""
    seconds = max(0, ceil(left.total_seconds()))
    return f"{seconds // 60}:{seconds % 60:02}"


def _millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


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
def round_title(round: Round) -> str:
    """“Round 3”, “Quarterfinals”."""
    return round_words(round)


@register.filter
def said(text: str) -> str:
    """A text that data, a pure package or the service itself keeps in English, in the reader's language where the
    catalogs have it (a tie-breaker's name, an infraction); else as it is."""
    return _(text) if text else ""


@register.simple_tag
def tongue_of(text: str) -> SafeString:
    """` lang="en"` where `said` finds no translation of the text."""
    return SafeString('lang="en"') if said(text) == text else SafeString("")


@register.filter
def has(container: object, item: object) -> bool:
    """`{% if roles|has:"judge" %}`"""
    return item in container  # type: ignore[operator]


OUTCOME_WORDS: dict[str, object] = {
    "win": gettext_lazy("won"),
    "timed-win": gettext_lazy("won on time"),
    "draw": gettext_lazy("a draw"),
    "timed-loss": gettext_lazy("lost on time"),
    "loss": gettext_lazy("lost"),
    "double-loss": gettext_lazy("both lost"),
    "bye": gettext_lazy("bye"),
}


@register.filter
def subject_word(subject: str) -> str:
    """What a judge call is about."""
    return str(SUBJECT_WORDS.get(subject, subject))


@register.filter
def outcome_word(code: str) -> str:
    return str(OUTCOME_WORDS.get(code, code))


@register.filter
def at(rows: Any, key: object) -> Any:
    """`{{ minutes|at:match.pk }}`"""
    return rows.get(key)


def _look(status: str) -> Look:
    return LOOKS.get(status) or Look("dot", "", status)
