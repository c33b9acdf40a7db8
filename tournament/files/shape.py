"""The contents of an event file, declared once for writing, reading and documenting it (docs/events.md).

Each kind of row is a list of objects. A field that names another row holds its place in that row's list, from 1.
Accounts are not in the file: who made something is, after reading, whoever reads it; players are guests again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from functools import cached_property
from types import NoneType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils.translation import gettext as _

from config.errors import UserError
from decks.models import LegalityReport, Revision
from tournament.models import (
    AwardedBye,
    ClockEntry,
    DeckCheck,
    Event,
    Extension,
    Match,
    Penalty,
    RegisteredList,
    Registration,
    Report,
    Round,
    RoundSeed,
    Seat,
    Stage,
    StageEntry,
)
from tournament.swiss import Digits, Pair

KIND, VERSION = "headjudge-event", 1
DIGEST = "digest"  # the key of what shows that a file was changed since it was written
# Of an event that another program's file tells; the largest ever held had some 8,000 players. They bound what one
# upload costs: about 200,000 rows in memory, some seconds.
MOST_PLAYERS, MOST_TABLES, MOST_ROUNDS = 20_000, 50_000, 999


@dataclass(frozen=True)
class Rows:
    """One kind of row. of: the way to the event; refs: field -> the kind it names; persons: accounts, not written;
    left: fields not written; later: what a field that older files lack holds then."""

    key: str
    model: type[models.Model]
    of: str
    refs: dict[str, str] = field(default_factory=dict)
    persons: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    later: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def own(self) -> list[models.Field[Any, Any]]:
        """The fields written as they are."""
        apart = {"id", "event", *self.refs, *self.persons, *self.left}
        return [one for one in self.model._meta.concrete_fields if one.name not in apart]

    @property
    def names(self) -> list[str]:
        return [*(one.name for one in self.own), *self.refs]


EVENT = Rows(
    "event",
    Event,
    "pk",
    persons=("created_by",),
    left=("final", "adjudication_budget"),
    later={"bracket_kind": "", "start": "", "fee": "", "second_day_at": None},
)

# The order is that of reading: what a row names stands before it.
KINDS = (
    Rows("lists", Revision, "", left=("deck",)),
    Rows("verdicts", LegalityReport, "", {"revision": "lists"}),
    Rows(
        "players",
        Registration,
        "event",
        {"revision": "lists", "report": "verdicts"},
        left=("user",),
        later={"second_day": False},
    ),
    Rows(
        "handed_in",
        RegisteredList,
        "registration__event",
        {"registration": "players", "revision": "lists", "report": "verdicts"},
        ("by",),
    ),
    Rows(
        "deck_checks",
        DeckCheck,
        "registration__event",
        {"registration": "players", "revision": "lists"},
        ("judge",),
    ),
    Rows("awarded_byes", AwardedBye, "registration__event", {"registration": "players"}, ("by",)),
    Rows(
        "penalties",
        Penalty,
        "registration__event",
        {"registration": "players", "revokes": "penalties"},
        ("by",),
    ),
    Rows("lots", RoundSeed, "event", persons=("by",)),
    Rows("stages", Stage, "event"),
    Rows("stage_entries", StageEntry, "stage__event", {"stage": "stages", "registration": "players"}),
    Rows("rounds", Round, "event", {"stage": "stages"}),
    Rows("clock", ClockEntry, "round__event", {"round": "rounds"}, ("by",)),
    Rows("matches", Match, "round__event", {"round": "rounds"}),
    Rows("seats", Seat, "round__event", {"round": "rounds", "match": "matches", "registration": "players"}),
    Rows("extensions", Extension, "match__round__event", {"match": "matches"}, ("by",)),
    Rows("reports", Report, "match__round__event", {"match": "matches", "seat": "seats"}, ("by",)),
)

LEFT_OUT = {
    "FileImport": "files on their way in",
    "Staff": "accounts of this installation",
    "Invitation": "accounts of this installation",
    "ApiToken": "keys to this installation",
    "OneTimeSecret": "keys to this installation",
    "Webhook": "links of this installation",
    "Delivery": "links of this installation",
    "AlertAddress": "accounts of this installation",
    "Alert": "accounts of this installation",
    "Ban": "accounts of this installation",
    "Invite": "links of this installation",
    "JudgeCall": "between those at a table and the staff; the minutes given are extensions",
    "MatchDispute": "disputes and rulings have files of their own",
    "GivenRuling": "disputes and rulings have files of their own",
    "Statement": "confidential: told to the judges of this event alone",
    "Remark": "confidential: told to the judges of this event alone",
    "PinnedReading": "settled anew by the head judge of the event that is read from the file",
    "Process": "what runs in this installation",
    "Fault": "what went wrong in this installation",
    "Erasure": "it is there only while somebody is being erased",
    "AuditRow": "the audit log of this installation; reading a file begins a new one",
    "AuditReason": "of the audit log",
    "Series": "events of this installation, together",
    "SeriesEvent": "events of this installation, together",
    "SamePlayer": "events of this installation, together",
}
DECK_FIELDS = ("name", "format", "created_at")


def players_in(explanation: Any, turn: Callable[[int], int]) -> Any:
    """A round's explanation with every player's number turned (rounds.explanation names players by number)."""
    if not isinstance(explanation, dict):
        raise ValueError("must be an object")
    told = dict(explanation)
    if "players" in told:
        told["players"] = [
            [turn(row[0]), row[1], [turn(one) for one in row[2]], *row[3:]] for row in told["players"]
        ]
    for part in ("pairs", "by_hand"):
        if part in told:
            told[part] = [
                {
                    **one,
                    "first": turn(one["first"]),
                    "second": None if one["second"] is None else turn(one["second"]),
                }
                for one in told[part]
            ]
    return told


def explains_a_round(told: dict[str, Any]) -> bool:
    """Whether pages can be made of a round's explanation: a bracket's pairs have sentences; what was paired by cost
    has besides whom it was paired from, and every digit."""
    pairs, by_hand = told.get("pairs"), told.get("by_hand", [])
    if not isinstance(pairs, list) or not isinstance(by_hand, list):
        return False
    tables = [*pairs, *by_hand]
    if not all(isinstance(one.get("sentence"), str) for one in tables):
        return False
    if "players" not in told:
        return True
    return (
        all(_is_player(row) for row in told["players"])
        and all(_is_pair(one) for one in tables)
        and _is_digits(told.get("total"))
        and isinstance(told.get("candidates"), int)
        and isinstance(told.get("rematches_allowed"), bool)
        and all(type(told.get(word, 0)) is int for word in ("to_come", "ahead"))
    )


def _is_player(row: list[Any]) -> bool:
    kinds: tuple[tuple[type, ...], ...] = (
        (int,), (int,), (list,), (int,), (int,), (str,), (int, NoneType), (bool,), (int,)
    )  # fmt: skip
    return 3 <= len(row) <= len(kinds) and all(map(isinstance, row, kinds))


def _is_pair(one: dict[str, Any]) -> bool:
    numbers = (one.get("table"), one.get("first_score"), one.get("second_score"))
    return (
        set(one) - {"repaired"} == {part.name for part in fields(Pair)}
        and all(isinstance(number, int | None) for number in numbers)
        and _is_digits(one["digits"])
    )


def _is_digits(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and set(told) == {digit.name for digit in fields(Digits)}
        and all(isinstance(count, int) for count in told.values())
    )


def row_of(kind: Rows, /, **given: Any) -> dict[str, Any]:
    """A row with what the model begins with where nothing is given."""
    begin = {one.name: plain(one.get_default()) for one in kind.own}
    return {**begin, **dict.fromkeys(kind.refs), **given}


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def value_of(one: models.Field[Any, Any], given: Any, place: str) -> Any:
    """What a field holds, checked as the model would. Raises UserError `bad-file` naming the place."""
    if isinstance(one, models.JSONField):
        if given is None and not one.null:
            raise wrong(place, _("must not be empty"))
        return given
    if given is None:
        if one.null:
            return None
        raise wrong(place, _("must not be empty"))
    wanted: tuple[type, ...] = (str,)
    if isinstance(one, models.BooleanField):
        wanted = (bool,)
    elif isinstance(one, models.IntegerField):
        wanted = (int,)
    if not isinstance(given, wanted) or (wanted == (int,) and isinstance(given, bool)):
        raise wrong(place, _("must be %(wanted)s") % {"wanted": _WORDS[wanted[0]]})
    if isinstance(given, str) and not given.strip() and not one.blank:
        raise wrong(place, _("must not be empty"))
    if wanted == (int,):
        ranges: dict[str, Any] = BaseDatabaseOperations.integer_field_ranges
        least, most = ranges[one.get_internal_type()]
        if not least <= given <= most:
            raise wrong(place, _("must be from %(least)s to %(most)s") % {"least": least, "most": most})
    try:
        value = one.clean(given, None)
    except ValidationError as error:
        raise wrong(place, " ".join(error.messages)) from error
    if isinstance(value, datetime) and value.tzinfo is None:
        raise wrong(place, _("must include its time zone, for example 2026-11-21T09:00:00+00:00"))
    return value


_WORDS = {str: _("text"), bool: _("true or false"), int: _("a whole number")}


def wrong(place: str, what: str) -> UserError:
    return UserError(
        "bad-file",
        f"{place}: {what}",
        place=place,
        remedy=_("Nothing was saved. Fix the file, or export it again."),
    )


def not_more(count: int, most: int) -> None:
    """Raises UserError `too-large`."""
    if count > most:
        raise UserError("too-large", _("The file has more than %(most)s rows.") % {"most": most}, status=413)


def doubles(kind: Rows, rows: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """(place of a row from 1, the rule's name) of rows that a unique constraint of the model forbids."""
    for rule in kind.model._meta.constraints:
        if not isinstance(rule, models.UniqueConstraint) or rule.condition is not None:
            continue
        if not set(rule.fields) <= {"event", *kind.names}:
            continue
        names = [name for name in rule.fields if name != "event"]
        seen: dict[tuple[Any, ...], int] = {}
        for index, row in enumerate(rows, start=1):
            key = tuple(row[name] for name in names)
            if None not in key and seen.setdefault(key, index) != index:
                yield index, str(rule.name)


def digest_of(document: Mapping[str, Any]) -> str:
    """16 hexadecimal digits over all that the file says, however its keys are ordered: one letter changed shows."""
    said = {key: value for key, value in document.items() if key != DIGEST}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def schema() -> dict[str, Any]:
    """The file as JSON Schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A whole event",
        "type": "object",
        "required": ["kind", "version", "event", *(kind.key for kind in KINDS)],
        "additionalProperties": False,
        "properties": {
            "kind": {"const": KIND},
            "version": {"const": VERSION},
            DIGEST: {"type": "string", "description": "Leave it out of a file that you write or change."},
            "event": _object(EVENT),
            **{kind.key: {"type": "array", "items": _object(kind)} for kind in KINDS},
        },
    }


def _object(kind: Rows) -> dict[str, Any]:
    shapes = {one.name: _shape(one) for one in kind.own}
    for name, key in kind.refs.items():
        null = kind.model._meta.get_field(name).null
        shapes[name] = {
            "type": ["integer", "null"] if null else "integer",
            "minimum": 1,
            "description": f"Place in {key}, from 1.",
        }
    if kind.key == "lists":
        shapes["deck"] = {
            "type": "object",
            "required": list(DECK_FIELDS),
            "additionalProperties": False,
            "properties": {name: {"type": "string"} for name in DECK_FIELDS},
        }
    return {
        "type": "object",
        "required": sorted(shapes),
        "additionalProperties": False,
        "properties": shapes,
    }


def _shape(one: models.Field[Any, Any]) -> dict[str, Any]:
    if isinstance(one, models.JSONField):
        return {"description": str(one.help_text)} if one.help_text else {}
    kind = "string"
    if isinstance(one, models.BooleanField):
        kind = "boolean"
    elif isinstance(one, models.IntegerField):
        kind = "integer"
    shape: dict[str, Any] = {"type": [kind, "null"] if one.null else kind}
    if one.choices:
        shape["enum"] = [choice for choice, _label in one.flatchoices] + ([None] if one.null else [])
        if one.blank:
            shape["enum"].append("")
    if isinstance(one, models.DateTimeField):
        shape["format"] = "date-time"
    elif isinstance(one, models.DateField):
        shape["format"] = "date"
    if one.help_text:
        shape["description"] = str(one.help_text)
    return shape
