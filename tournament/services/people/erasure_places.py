"""Removes a person's names from everything people wrote, wherever it is stored; what was said about them stays.

A name of several words, or an address, is looked for in every row. A name of one word may be somebody else's, or an
ordinary word: it is looked for where the person took part (their events), and in what they wrote themselves.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from config.fields import JSONText
from config.models import KeptAnswer
from decks import models as decks
from rules import models as rules
from rules.scenarios.reading import canonical_hash
from tournament import models as events
from tournament.models import AuditRow, Erasure, Event, Registration, User

SHORTEST = 2  # letters of a name that is looked for


@dataclass(frozen=True, slots=True)
class Place:
    """Fields in which people's words are kept. of: ways to the event; by: ways to who wrote it."""

    model: type[models.Model]
    fields: tuple[str, ...]
    of: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


_ROUND = "match__round__event"
_DISPUTE = f"match_dispute__{_ROUND}"
_RULED = (f"given__{_ROUND}", f"dispute__{_DISPUTE}")
_OF_RULING = tuple(f"ruling__{way}" for way in _RULED)
PLACES = [
    Place(events.Event, ("name", "start", "venue", "fee", "description", "format_changes"), of=("pk",)),
    Place(events.Invite, ("note",), of=("event",)),
    Place(events.Ban, ("reason",), of=("event",)),
    Place(events.PolicyVersion, ("title", "note"), by=("author",)),
    Place(events.Series, ("name",), by=("made_by",)),
    Place(events.AuditReason, ("text",), of=("row__event",), by=("row__actor",)),
    Place(events.Registration, ("deck_override",), of=("event",)),
    Place(events.RegisteredList, ("override",), of=("registration__event",)),
    Place(events.AwardedBye, ("reason",), of=("registration__event",)),
    Place(events.RoundSeed, ("reason",), of=("event",)),
    Place(events.FileImport, ("source", "failure", "seen"), of=("event",), by=("asked_by",)),
    Place(events.Round, ("title", "explanation"), of=("event",)),
    Place(events.ClockEntry, ("reason",), of=("round__event",)),
    Place(events.Extension, ("reason",), of=(_ROUND,)),
    Place(events.Report, ("reason",), of=(_ROUND,), by=("by",)),
    Place(events.DeckCheck, ("seen", "note"), of=("registration__event",)),
    Place(events.Penalty, ("reason", "note"), of=("registration__event",)),
    Place(events.JudgeCall, ("words", "place", "outcome"), of=("event",)),
    Place(events.Statement, ("text",), of=(_ROUND,), by=("by",)),
    Place(events.Remark, ("text",), of=("event",), by=("by",)),
    Place(events.PinnedReading, ("reason",), of=("event",)),
    Place(events.ApiToken, ("name",)),
    Place(events.Delivery, ("body", "failure"), of=("webhook__event",)),
    Place(rules.Ruling, ("question", "facts", "verdict", "explanation", "remedy", "candidate", "happens", "words"),
          of=_RULED, by=("judge",)),
    Place(rules.Appeal, ("words",), of=_OF_RULING, by=("by",)),
    Place(rules.LawMark, ("reason",), of=_OF_RULING, by=("by",)),
    Place(rules.CardGroup, ("name",)),
    Place(rules.Precedent, ("question", "facts", "verdict", "explanation", "words"), of=_OF_RULING),
    Place(rules.Table, ("title", "scenario", "found", "lines")),
    Place(decks.Deck, ("name",), by=("owner",)),
    Place(decks.Revision, ("source", "notes", "choices"), by=("deck__owner",)),
    Place(decks.LegalityReport, ("overrides",), by=("revision__deck__owner",)),
    Place(decks.FormatVersion, ("title", "note"), by=("author",)),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """What a person was called, and what stands for it from now on: in a sentence, and as one word in a scenario."""

    names: tuple[str, ...]
    pseudonym: str
    word: str

    def without(self, text: str, *, single: bool = True, word: bool = False) -> str:
        """The text with the names taken out. single: those of one word, too."""
        for name in self.names:
            if single or _is_unmistakable(name):
                text = _pattern(name).sub(self.word if word else self.pseudonym, text)
        return text

    def within(self, value: Any, *, single: bool = True, word: bool = False) -> Any:
        """The same for plain JSON, keys as well."""
        return _mapped(value, lambda text: self.without(text, single=single, word=word))


def names_of(person: User, pseudonym: str, word: str) -> Names:
    """Everything the person was called here: the account's names and address, and what their entries were called."""
    told = {person.display_name, person.get_full_name(), person.username, person.email}
    entries = dict(Registration.objects.filter(user=person).values_list("pk", "name"))
    told |= set(entries.values())
    for row in _changes(entries):
        told |= set(row.data.get("name", ()))
    told |= {_plain(name) for name in told}
    found = {name.strip() for name in told if len(name.strip()) >= SHORTEST}
    return Names(tuple(sorted(found, key=lambda name: (-len(name), name))), pseudonym, word)


def events_of(person: User) -> QuerySet[Event]:
    """Where the person took part in whatever way."""
    part = [
        Registration.objects.filter(user=person).values("event"),
        events.Staff.objects.filter(user=person).values("event"),
        events.Invitation.objects.filter(user=person).values("event"),
        events.Ban.objects.filter(user=person).values("event"),
        AuditRow.objects.filter(actor=person, event__isnull=False).values("event"),
    ]
    return Event.objects.filter(pk__in={pk for rows in part for pk in rows.values_list("event", flat=True)})


def words_forget(person: User, names: Names) -> int:
    """Take the names out of every place, in the transaction of the erasure; how many rows were changed."""
    where = list(events_of(person).values_list("pk", flat=True))
    KeptAnswer.objects.filter(user=person).delete()
    # While this row is there, the database lets the audit log's words be rewritten; nobody else ever sees it.
    opening = Erasure.objects.create(person=person)
    changed = sum(_swept(place, person, where, names) for place in PLACES)
    changed += _audit_log(person, where, names) + _situations(person, where, names) + _answers(names)
    opening.delete()
    return changed


def _swept(place: Place, person: User, where: list[int], names: Names) -> int:
    near = _any(Q(**{f"{way}__in": where}) for way in place.of) | _any(Q(**{way: person}) for way in place.by)
    own = set(_rows(place.model).filter(near).values_list("pk", flat=True)) if near else set()
    changed = 0
    for field in place.fields:
        for pk, value in _holding(_rows(place.model), field, names):
            told = names.within(value, single=pk in own)
            if told != value:
                changed += (
                    _rows(place.model).filter(pk=pk).update(**{field: _fitting(place.model, field, told)})
                )
    return changed


def _audit_log(person: User, where: list[int], names: Names) -> int:
    """What the audit log wrote down as data. Most of it is numbers and words of ours; names stand under a few keys."""
    entries = dict(Registration.objects.filter(user=person).values_list("pk", "name"))
    private = {row.pk for row in _changes(entries)}
    changed = 0
    found = dict(_holding(_rows(AuditRow), "data", names))
    found |= dict(_rows(AuditRow).filter(pk__in=private).values_list("pk", "data"))
    near = set(_rows(AuditRow).filter(Q(event__in=where) | Q(actor=person)).values_list("pk", flat=True))
    for pk, data in found.items():
        told = {
            key: names.within(value, single=pk in near and key in ("name", "club", "players"))
            for key, value in data.items()
        }
        if pk in private:
            told |= {key: ["", ""] for key in ("club", "pronouns") if key in told}
        if told != data:
            changed += _rows(AuditRow).filter(pk=pk).update(data=told)
    return changed


def _situations(person: User, where: list[int], names: Names) -> int:
    """Disputes and their answers, in which a player may be called by name: renamed alike, and hashed anew."""
    near = Q(**{f"{_DISPUTE}__in": where}) | Q(filed_by=person)
    own = set(rules.Dispute.objects.filter(near).values_list("pk", flat=True))
    touched = {pk for field in ("title", "source", "scenario", "found")
               for pk, _value in _holding(_rows(rules.Dispute), field, names)}  # fmt: skip
    touched |= {
        job.dispute_id
        for field in ("scenario", "answer", "failure")
        for job in rules.Adjudication.objects.filter(
            pk__in=[pk for pk, _value in _holding(_rows(rules.Adjudication), field, names)]
        ).only("dispute_id")
    }
    changed = 0
    for dispute in rules.Dispute.objects.filter(pk__in=touched):
        changed += _situation(dispute, names, single=dispute.pk in own)
    return changed


def _situation(dispute: rules.Dispute, names: Names, *, single: bool) -> int:
    def without(value: Any) -> Any:
        return names.within(value, single=single, word=True)

    before = (dispute.title, dispute.source, dispute.scenario, dispute.found)
    dispute.title = names.without(dispute.title, single=single)[:200]
    dispute.source, dispute.scenario, dispute.found = map(without, before[1:])
    dispute.scenario_hash = canonical_hash(dispute.scenario)
    changed = before != (dispute.title, dispute.source, dispute.scenario, dispute.found)
    if changed:
        dispute.save(update_fields=["title", "source", "scenario", "scenario_hash", "found"])
    for job in dispute.adjudications.all():
        told, former = (
            without([job.scenario, job.answer, job.failure]),
            [job.scenario, job.answer, job.failure],
        )
        if told != former:
            job.scenario, job.answer, job.failure = told
            job.scenario_hash = canonical_hash(job.scenario)
            if job.answer is not None and "scenario_hash" in job.answer:
                job.answer["scenario_hash"] = job.scenario_hash
            job.save(update_fields=["scenario", "scenario_hash", "answer", "failure"])
            changed = True
    return int(changed)


def _answers(names: Names) -> int:
    """Answers kept for requests that may be sent again: the answer stays, as a sentence or a value of its own."""
    changed = 0
    for pk, content in _holding(_rows(KeptAnswer), "content", names):
        told = names.without(content, single=False)
        for name in names.names:
            for escaped in (True, False):
                told = told.replace(json.dumps(name, ensure_ascii=escaped), json.dumps(names.pseudonym))
        if told != content:
            changed += _rows(KeptAnswer).filter(pk=pk).update(content=told)
    return changed


def _changes(entries: dict[int, str]) -> QuerySet[AuditRow]:
    """The audit log of what these entries were called before."""
    return AuditRow.objects.filter(
        verb="player_change",
        target_type=Registration._meta.label_lower,
        target_id__in=[str(pk) for pk in entries],
    )


def _rows(model: type[models.Model]) -> "QuerySet[Any]":
    """Rows past what the models refuse: those that are only added are rewritten here and nowhere else."""
    return models.QuerySet(model)


def _holding(rows: "QuerySet[Any]", field: str, names: Names) -> list[tuple[int, Any]]:
    """(key, value) of the rows that may hold one of the names: the longest word of it, also as JSON escapes it."""
    rows = rows.annotate(as_text=Cast(field, TextField()))
    wanted = {max(re.split(r"[\s_-]+", name), key=len) for name in names.names}
    wanted |= {json.dumps(one)[1:-1] for one in wanted}
    found = rows.filter(_any(Q(as_text__icontains=one) for one in sorted(wanted)))
    return list(found.order_by("pk").values_list("pk", field))


def _any(of: Iterable[Q]) -> Q:
    found = Q()
    for one in of:
        found |= one
    return found


def _fitting(model: type[models.Model], field: str, value: Any) -> Any:
    """Cut to what the column takes: a pseudonym may be longer than the name was."""
    column = model._meta.get_field(field)
    most = None if isinstance(column, models.JSONField | JSONText) else getattr(column, "max_length", None)
    return value[:most] if most else value


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {change(key): _mapped(one, change) for key, one in value.items()}
    if isinstance(value, list):
        return [_mapped(one, change) for one in value]
    return change(value) if isinstance(value, str) else value


def _is_unmistakable(name: str) -> bool:
    return "@" in name or " " in name


def _pattern(name: str) -> "re.Pattern[str]":
    """The name as a whole, however it is written: capitals, several blanks, joined as one word of a scenario."""
    words = r"[\s_-]+".join(map(re.escape, name.split()))
    before = r"(?<!\w)" if _is_spaced(name[0]) else ""
    after = r"(?!\w)" if _is_spaced(name[-1]) else ""
    return re.compile(before + words + after, re.IGNORECASE)


def _is_spaced(letter: str) -> bool:
    """Of a script that puts blanks between words: Korean puts its particles right behind a name."""
    return letter.isascii() or unicodedata.category(letter) in ("Lu", "Ll", "Lt")


def _plain(name: str) -> str:
    """Without accents, as texts to be searched are kept."""
    return "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
