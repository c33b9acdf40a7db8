"""A row of the audit log as a sentence: who did what, to whom or at which table, with a link."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db.models import Model
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from config.errors import UserError
from decks import selectors as deck_selectors
from tournament.bracket_words import cut_sentence, round_words
from tournament.forms.people import ROLES, SettingsForm
from tournament.models import (
    AuditRow,
    Ban,
    DeckCheck,
    Event,
    Invitation,
    JudgeCall,
    Match,
    Penalty,
    Registration,
    Round,
    Series,
    Staff,
    User,
    Webhook,
)
from tournament.policy.policy_files import cut_rule
from tournament.selectors.audit_log import LogPage, Things
from tournament.selectors.policies import policies
from tournament.swiss import Outcome
from tournament.templatetags.ui import OUTCOME_WORDS, VERBS, status_word, verb_words
from tournament.words import call_from, outcome_of

OWN: dict[str, object] = {
    "player_register": gettext_lazy("entered"),
    "player_withdraw": gettext_lazy("withdrew"),
    "player_drop": gettext_lazy("dropped"),
    "player_return": gettext_lazy("came back"),
    "player_change": gettext_lazy("edited their registration"),
    "player_check_in": gettext_lazy("checked in"),
    "deck_register": gettext_lazy("submitted their decklist"),
}
"""What players do for themselves; done by somebody else it is said otherwise (ui.VERBS)."""
HOW: dict[str, object] = {
    "agreed": gettext_lazy("agreed"),
    "conceded": gettext_lazy("conceded"),
    "no-show": gettext_lazy("was absent"),
}


class LogLine(NamedTuple):
    """who did what; about: whom or what it concerns; address: the page where it is seen; more: particulars. The last
    three may be empty."""

    row: AuditRow
    who: str
    did: str
    about: str
    address: str
    more: str


def log_lines(event: Event, found: LogPage) -> list[LogLine]:
    return [_line(event, row, found.things) for row in found.rows]


def verbs_like(query: str) -> list[str]:
    """The verbs whose words, as they are shown, hold these letters."""
    said = [*VERBS.items(), *OWN.items()]
    return [verb for verb, words in said if query.casefold() in str(words).casefold()]


def _line(event: Event, row: AuditRow, things: Things) -> LogLine:
    thing = things.get((row.target_type, row.target_id))
    who = str(row.actor or _("The service"))
    own = isinstance(thing, Registration) and row.actor_id is not None and thing.user_id == row.actor_id
    if own and row.verb in OWN:
        about, address, did = "", "", str(OWN[row.verb])
    else:
        about, address = _about(
            event, row, thing or things.get((User._meta.label_lower, str(row.data.get("user"))))
        )
        did = verb_words(row.verb)
    more = _MORE[row.verb](row.data, thing) if row.verb in _MORE else ""
    return LogLine(row, who, did, about, address, more)


def _about(event: Event, row: AuditRow, thing: Model | None) -> tuple[str, str]:
    """(whom or what, its page)"""
    slug, data = event.slug, row.data
    match thing:
        case Registration():
            return thing.name, reverse("player", args=[slug, thing.pk])
        case Match():
            return _table(thing), _page_of_match(row, thing)
        case Round():
            page = "round-pairings" if thing.published_at else ""
            return round_words(thing), reverse(page, args=[slug, thing.number]) if page else ""
        case JudgeCall():
            return call_from(thing), reverse("call", args=[slug, thing.pk])
        case Penalty():
            return thing.registration.name, reverse("player-penalties", args=[slug, thing.registration_id])
        case DeckCheck():
            return thing.registration.name, reverse("deck-check-page", args=[slug, thing.pk])
        case Staff() | Ban():
            return str(thing.user), ""
        case Webhook():
            return urlsplit(thing.address).hostname or "", ""  # the rest may hold a key
        case User():
            return str(thing), ""
        case Series():
            return thing.name, reverse("series", args=[thing.slug])
    if data.get("table"):
        return _("table %(n)s") % {"n": data["table"]}, ""
    if data.get("number") and row.target_type == Round._meta.label_lower:
        return _("Round %(n)s") % {"n": data["number"]}, ""
    return "", ""


def _page_of_match(row: AuditRow, match: Match) -> str:
    if dispute := row.data.get("dispute"):
        return reverse("dispute", args=[dispute])
    if ruling := row.data.get("ruling"):
        return reverse("ruling", args=[ruling])
    return reverse("match", args=[match.pk])


def _table(match: Match) -> str:
    """Who sits there, in which round, where."""
    names = " \u2013 ".join(seat.registration.name for seat in match.seats.all())
    table = _("table %(n)s") % {"n": match.table} if match.table else ""
    return " · ".join(filter(None, (names, round_words(match.round), table)))


# --- particulars: verb -> (the row's data, its thing) -> words ----------------------------------------------

Data = Mapping[str, Any]


def _result(data: Data, thing: Model | None) -> str:
    names = [seat.registration.name for seat in thing.seats.all()] if isinstance(thing, Match) else []
    outcome = Outcome(data["outcome"])
    said = outcome_of(names, outcome) if len(names) == 2 else str(OUTCOME_WORDS[outcome])
    return ", ".join(filter(None, (said, str(HOW.get(data.get("how", ""), "")))))


def _minutes(data: Data, thing: Model | None) -> str:
    minutes = data.get("minutes") or 0
    return _("%(n)s min") % {"n": f"{minutes:+}"} if minutes else ""


def _penalty(data: Data, thing: Model | None) -> str:
    if not isinstance(thing, Penalty):
        return ""
    return ": ".join(_(one) for one in (thing.infraction_title, thing.level_title) if one)


def _verdict(data: Data, thing: Model | None) -> str:
    return status_word(data["verdict"]) if data.get("verdict") else status_word("no-deck")


def _role(data: Data, thing: Model | None) -> str:
    role = data["role"]
    return _("Player") if role == Invitation.PLAYER else str(ROLES[Staff.Role(role)])


def _round_number(data: Data, thing: Model | None) -> str:
    return _("Round %(n)s") % {"n": data["number"]}


def _waits(data: Data, thing: Model | None) -> str:
    return _("on the waiting list") if data.get("state") == Registration.State.WAITING else ""


def _mended(data: Data, thing: Model | None) -> str:
    return "; ".join(f"{before or '–'} → {after or '–'}" for before, after in data.values())


def _settings(data: Data, thing: Model | None) -> str:
    said = []
    for field, (before, after) in data.items():
        label = SettingsForm.base_fields[field].label if field in SettingsForm.base_fields else field
        told = "" if field == "description" else f": {_value(field, before)} → {_value(field, after)}"
        said.append(f"{label}{told}")
    return "; ".join(said)


def _value(field: str, value: Any) -> str:
    """A setting as a form shows it."""
    if value in (None, ""):
        return "–"
    if field == "format":
        known = deck_selectors.formats().get(value)
        return known.title if known else str(value)
    if field == "policy_key":
        policy = policies().get(value)
        return _(policy.title) if policy else str(value)
    if field == "list_visibility":
        return str(dict(SettingsForm.base_fields[field].choices).get(value, value))  # type: ignore[attr-defined]
    if field.endswith("_on"):
        return formats.date_format(date.fromisoformat(value), "j M Y")
    if field.startswith("registration_"):
        return formats.date_format(datetime.fromisoformat(value), "j M, H:i")
    return str(value)


def _cut(data: Data, thing: Model | None) -> str:
    try:
        return (
            cut_sentence(cut_rule(data["after"]["cut"])) if data["after"]["cut"] else _("as the policy says")
        )
    except UserError:
        return ""


def _swapped(data: Data, thing: Model | None) -> str:
    return ", ".join(data["players"])


def _moved(data: Data, thing: Model | None) -> str:
    return _("table %(n)s") % {"n": " → ".join(map(str, data["tables"]))}


def _repaired(data: Data, thing: Model | None) -> str:
    return _("tables %(n)s") % {"n": ", ".join(map(str, data["tables"]))}


def _resolved(data: Data, thing: Model | None) -> str:
    tables = ", ".join(map(str, data["tables"]))
    return f"{_('tables')} {tables}: {OUTCOME_WORDS.get(data['outcome'], data['outcome'])}"


def _differences(data: Data, thing: Model | None) -> str:
    count = data["differences"]
    return (
        ngettext("%(n)s difference", "%(n)s differences", count) % {"n": count} if count else _("it matches")
    )


def _seeds(data: Data, thing: Model | None) -> str:
    count = len(data["seeds"])
    return ngettext("%(n)s player", "%(n)s players", count) % {"n": count}


def _closed(data: Data, thing: Model | None) -> str:
    return _("%(gone)s withdrawn, %(came)s from the waiting list") % {
        "gone": data["withdrawn"],
        "came": data["promoted"],
    }


def _fixed_table(data: Data, thing: Model | None) -> str:
    return _("table %(n)s") % {"n": data["table"]} if data.get("table") else _("no longer fixed")


def _missed(data: Data, thing: Model | None) -> str:
    words = {"losses": _("losses"), "byes": _("byes"), "nothing": _("they don’t count")}
    numbers = _("Round %(n)s") % {"n": ", ".join(map(str, data["numbers"]))} if data.get("numbers") else ""
    return ": ".join(filter(None, (numbers, words.get(data["missed"], ""))))


def _reading(data: Data, thing: Model | None) -> str:
    return " = ".join(filter(None, (data["reading"], data["option"])))


def _locked(data: Data, thing: Model | None) -> str:
    return "" if thing is not None else _("for everyone")


def _file(data: Data, thing: Model | None) -> str:
    return _("a list of players") if data["kind"] == "players" else _("an entire event")


def _place(data: Data, thing: Model | None) -> str:
    return str(data["place"])


_MORE: dict[str, Callable[[Data, Model | None], str]] = {
    "result_report": _result,
    "result_decide": _result,
    "clock_add": _minutes,
    "time_extend": _minutes,
    "call_close": _minutes,
    "penalty_issue": _penalty,
    "penalty_revoke": _penalty,
    "deck_register": _verdict,
    "staff_add": _role,
    "staff_remove": _role,
    "staff_invite": _role,
    "invitation_accept": _role,
    "invitation_decline": _role,
    "invitation_refuse": _role,
    "invitation_withdraw": _role,
    "invite_make": _role,
    "invite_revoke": _role,
    "invite_accept": _role,
    "bye_award": _round_number,
    "bye_withdraw": _round_number,
    "player_register": _waits,
    "player_return": _waits,
    "player_change": _mended,
    "event_change": _settings,
    "cut_announce": _cut,
    "seats_swap": _swapped,
    "table_move": _moved,
    "round_repair": _repaired,
    "round_resolve": _resolved,
    "deck_check_finish": _differences,
    "stage_open": _seeds,
    "checkin_close": _closed,
    "table_keep": _fixed_table,
    "missed_settle": _missed,
    "reading_pin": _reading,
    "decks_lock": _locked,
    "decks_unlock": _locked,
    "import_ask": _file,
    "import_fail": _place,
}
