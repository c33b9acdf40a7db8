"""Records a judge's ruling, and the appeal against it. Rows are only added."""

import difflib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from rules.law.system_files import fold, keys, sentence_hash
from rules.law.system_files import system as system_file
from rules.models import Adjudication, Appeal, Dispute, Ruling, RulingCard
from rules.reference import examples
from rules.scenarios import likeness

Side, Change = Ruling.EventSide, Ruling.Change
GIVEN = (Side.FLOOR.value, Side.FINAL.value)
FACTS = ("agreed", "found", "assumed")
MOST_CARDS = 40


def ruling_file(
    *,
    dispute: Dispute | None = None,
    by: Any,
    verdict: str,
    explanation: str = "",
    adjudication: Adjudication | None = None,
    agrees: bool | None = None,
    event_side: str = Side.FLOOR,
    citations: Iterable[str] = (),
    question: str = "",
    facts: Iterable[Mapping[str, str]] = (),
    cards: Iterable[str] = (),
    remedy: str = "",
    system: str = "",
    supersedes: Ruling | None = None,
    change: str = "",
    now: datetime,
) -> Ruling:
    """Record what the judge decides. Rows are final: a correction or an appeal's outcome is a new row.

    dispute: what the engine was asked; none where the judge rules without asking. A dispute of a match puts the ruling
    there, and its event says who may (settings.RULING_PLACED).
    citations: rule ids of the system; each is stored with its document, section, version, sentence and the sentence's
    hash. facts: [{text, status}]. question and cards: the dispute's own where none are given.
    adjudication with agrees: how the judge stands to the engine; who disagrees explains, and the case is frozen.
    Another ruling on a dispute supersedes the one that stands, as the judge's correction.
    Raises UserError; Forbidden; Conflict `final-ruling`, `appealed`, `superseded`.
    """
    verdict, explanation = verdict.strip(), explanation.strip()
    _check_ruling(dispute, verdict, explanation, adjudication, agrees, event_side, change)
    canonical = dispute.scenario if dispute is not None else {}
    system = _system(system, canonical, adjudication)
    names = _cards(cards) or likeness.cards_of(canonical)
    told = {
        "question": _short(question or (dispute.title if dispute else ""), "question", 200),
        "facts": _facts(facts),
        "verdict": verdict,
        "explanation": explanation,
    }
    fields = {
        **told,
        "remedy": _short(remedy, "remedy", 300),
        "system": system,
        "adjudication": adjudication,
        "agrees": agrees,
        "event_side": event_side,
        "citations": [citation_of(rule, system, adjudication) for rule in dict.fromkeys(citations)],
        "form": likeness.form_of(canonical) if canonical else "",
        "happens": likeness.happens_of(adjudication.answer if adjudication else None, names),
        "candidate": _frozen(dispute, adjudication, told) if agrees is False else "",
        "words": words_of(told, names),
    }
    try:
        with transaction.atomic():
            if dispute is not None and not change:
                supersedes, change = _standing(dispute)
            if supersedes is not None and change == Change.CORRECTED:
                _must_stand(supersedes)
            ruling = Ruling.objects.create(
                dispute=dispute, judge=by, supersedes=supersedes, change=change, issued_at=now, **fields
            )
            RulingCard.objects.bulk_create(
                RulingCard(ruling=ruling, name=name, fold=fold(name)) for name in names
            )
            data = {"dispute": dispute and dispute.pk, "side": str(event_side), "change": str(change)}
            audit("ruling_file", actor=by, target=ruling, reason=verdict, data=data)
            import_string(settings.RULING_PLACED)(ruling=ruling, by=by)
    except IntegrityError as error:
        raise (_superseded() if change else _final()) from error
    return ruling


def appeal_file(*, ruling: Ruling, by: Any, words: str = "", now: datetime) -> Appeal:
    """Appeal against a floor ruling, once. That `by` may is the caller's to check.

    Raises Conflict `final-ruling`, `superseded`, `already-appealed`; UserError `too-long`.
    """
    words = _short(words, "words", 500)
    try:
        with transaction.atomic():
            now_standing = Ruling.objects.select_for_update().get(pk=ruling.pk)
            if now_standing.event_side != Side.FLOOR:
                raise _final()
            if now_standing.decided is not None:
                raise _superseded()
            appeal: Appeal = Appeal.objects.create(ruling=ruling, by=by, words=words, at=now)
            audit("appeal_file", actor=by, target=ruling)
    except IntegrityError as error:
        raise Conflict(
            "already-appealed",
            _("This ruling has already been appealed."),
            remedy=_("Leave the game as it is. The head judge will come."),
        ) from error
    return appeal


def _standing(dispute: Dispute) -> tuple[Ruling | None, str]:
    """The ruling on a dispute that another one takes the place of, and how."""
    # A lock on the dispute's row: a final ruling, an appeal and another ruling cannot pass each other.
    Dispute.objects.select_for_update().get(pk=dispute.pk)
    given = dispute.rulings.exclude(event_side=Side.NONE).prefetch_related("successors")
    standing = next((one for one in given if one.decided is None), None)
    return standing, Change.CORRECTED if standing else ""


def _must_stand(ruling: Ruling) -> None:
    """Hold a ruling that is to be corrected. Raises Conflict when it is final, appealed or no longer stands."""
    Ruling.objects.select_for_update().get(pk=ruling.pk)
    if ruling.event_side == Side.FINAL:
        raise _final()
    if ruling.successors.filter(change__in=Ruling.AT_THE_EVENT).exists():
        raise _superseded()
    if Appeal.objects.filter(ruling=ruling).exists():
        raise Conflict(
            "appealed",
            _("This ruling has been appealed. The appeal decides it."),
            remedy=_("The head judge will uphold or overturn it."),
        )


def words_of(told: Mapping[str, Any], names: Iterable[str]) -> str:
    """Everything said in a ruling or precedent, folded, to be searched."""
    said = [told["question"], told["verdict"], told["explanation"], *(one["text"] for one in told["facts"])]
    return likeness.folded(" ".join([*said, *names]))


def _system(given: str, canonical: Mapping[str, Any], adjudication: Adjudication | None) -> str:
    system = given or (adjudication.system if adjudication else str(canonical.get("system", "")))
    if system and system not in keys():
        raise UserError(
            "unknown-system",
            _("No timing system is named “%(key)s”.") % {"key": system},
            place="system",
            remedy=_("Choose from: %(names)s.") % {"names": ", ".join(keys())},
        )
    return system


def _cards(cards: Iterable[str]) -> list[str]:
    names = {fold(name): " ".join(name.split()) for name in cards if fold(name)}
    if len(names) > MOST_CARDS or any(len(name) > 120 for name in names.values()):
        raise UserError(
            "too-many-cards",
            _("Enter at most %(most)s cards, each with a name of at most 120 characters.")
            % {"most": MOST_CARDS},
            place="cards",
        )
    return list(names.values())


def _facts(facts: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    told = [{"text": one["text"].strip(), "status": one.get("status", "found")} for one in facts]
    for one in told:
        if one["status"] not in FACTS:
            raise UserError("bad-fact", _("A fact must be agreed, found or assumed."), place="facts")
    if len(told) > 40 or any(len(one["text"]) > 500 for one in told):
        raise UserError(
            "too-long", _("Enter at most 40 facts, each of at most 500 characters."), place="facts"
        )
    return [one for one in told if one["text"]]


def _short(text: str, place: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) > most:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": most}, place=place
        )
    return text


def _frozen(dispute: Dispute | None, adjudication: Adjudication | None, told: Mapping[str, Any]) -> str:
    """The case as the engine was asked and answered, for whoever looks why the judge ruled otherwise."""
    assert dispute is not None and adjudication is not None and adjudication.answer is not None
    note = f"A judge disagreed: {told['verdict']} Because: {told['explanation']}"
    return examples.as_case(
        adjudication.scenario, adjudication.answer, title=dispute.title, found=dispute.found, note=note
    )


def _superseded() -> Conflict:
    return Conflict(
        "superseded",
        _("A newer ruling has already replaced this one."),
        remedy=_("Check this match’s rulings again."),
    )


def _final() -> Conflict:
    return Conflict(
        "final-ruling",
        _("The final ruling has been given. It stands for this event, even if it’s wrong."),
        remedy=_("Have the precedent reviewed. The event’s result doesn’t change."),
    )


def _check_ruling(
    dispute: Dispute | None,
    verdict: str,
    explanation: str,
    adjudication: Adjudication | None,
    agrees: bool | None,
    event_side: str,
    change: str,
) -> None:
    if not verdict:
        raise UserError("verdict-missing", _("Say what the ruling is, in one sentence."), place="verdict")
    if len(verdict) > 300:
        raise UserError(
            "verdict-too-long",
            _("The verdict is longer than 300 characters."),
            place="verdict",
            remedy=_("Put the reasons in the explanation."),
        )
    if event_side not in (GIVEN if change not in Ruling.IN_THE_LAW else (Side.NONE,)):
        sides = ", ".join(GIVEN)
        raise UserError(
            "bad-side", _("A ruling must be one of: %(sides)s.") % {"sides": sides}, place="event_side"
        )
    if adjudication is None:
        if agrees is not None:
            raise UserError(
                "nothing-to-agree-with",
                _("No engine answer was named."),
                place="agrees",
                remedy=_("Name the answer (adjudication), or leave out whether you agree."),
            )
        return
    if (
        dispute is None
        or adjudication.dispute_id != dispute.pk
        or adjudication.state != Adjudication.State.DONE
    ):
        raise UserError(
            "not-an-answer",
            _("This isn’t one of the engine’s answers to this dispute."),
            place="adjudication",
        )
    if agrees is None:
        raise UserError("agreement-missing", _("Say whether you agree with the engine."), place="agrees")
    if not agrees and not explanation:
        raise UserError(
            "explanation-missing", _("Say why you disagree with the engine."), place="explanation"
        )


def citation_of(rule: str, system: str, adjudication: Adjudication | None = None) -> dict[str, str]:
    """The rule as it stood for this ruling: the answer's own sentence first, else the law now in force.

    Raises UserError `unknown-rule` with the nearest ones, `system-missing`.
    """
    if not system:
        raise UserError(
            "system-missing", _("Say which timing system the rule numbers belong to."), place="system"
        )
    law = system_file(system)
    answered = (adjudication.answer or {}).get("rules", {}) if adjudication else {}
    if rule in answered and adjudication is not None:
        text, document, section = (answered[rule][key] for key in ("text", "document", "section"))
        version = adjudication.system_version
    elif rule in law.law:
        found = law.law[rule]
        text, document, section, version = found.says, found.document, found.section, law.version
    else:
        near = difflib.get_close_matches(rule, law.law, n=3)
        raise UserError(
            "unknown-rule",
            _("%(system)s has no rule %(rule)s.") % {"system": law.title, "rule": rule},
            place="citations",
            remedy=_("Did you mean %(near)s?") % {"near": ", ".join(near)} if near else "",
        )
    return {
        "system": system,
        "rule": rule,
        "document": document,
        "section": section,
        "version": version,
        "sentence": text,
        "sentence_hash": sentence_hash(text),
    }
