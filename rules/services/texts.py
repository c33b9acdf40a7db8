"""Reads a printed text for a person or program and says what was understood, in words and as data. Stores nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import DataError, unknown
from rules.law import system_files
from rules.selectors import imported_card
from rules.texts import lexicons
from rules.texts.imported import card_of, whole
from rules.texts.telling import told
from rules.texts.understanding import Passage, chosen_among, understood


def card_text_read(
    *, system: str, text: str, name: str = "", type: str = "", readings: Sequence[int] = ()
) -> dict[str, Any]:
    """A text, passage by passage.

    Raises UserError for a game whose texts cannot be read, a type of card that it does not have, a text that cannot be
    cut into abilities, and a choice among readings that is none.

    {whole: is every word understood? asks: is there a choice to make? card: the card's keys as a scenario has them,
    passages: [{start, end, words, taken (from 1; 0: none), readings: [{meaning: [{depth, text}], data}],
    trouble: {code, start, end, word, says, near} or None}]}. Places are characters of the text.
    """
    try:
        types = system_files.system(system).properties["type"].symbols
        lexicons.lexicon_of(system)
        if type and type not in types:
            raise unknown("type", type, sorted(types), place="type")
        found = understood(system, text, name=name, type_=type or None, chosen=readings)
    except DataError as error:
        place = error.place or ("system" if error.code in ("no-words", "unknown-system") else "text")
        raise UserError(
            error.code, scenarios.told(error.message), place=place, remedy=error.remedy
        ) from error
    return {
        "system": system,
        "whole": found.whole,
        "asks": found.asks,
        "passages": [_passage(system, one) for one in found.passages],
        "card": dict(found.data),
    }


def card_import_read(*, system: str, name: str, readings: Sequence[int] = ()) -> dict[str, Any] | None:
    """What an imported card says and means (`card_text_read`); None where no card of the name was imported.

    {name, text, whole, asks, passages, card: as a scenario has it, remarks: [{code, says}], why not all is understood}.
    Raises UserError for a choice among readings that is none.
    """
    found = imported_card(system, name)
    if found is None:
        return None
    meaning = found.told(system)
    try:
        card = card_of(found.name, meaning, readings)
        taken = chosen_among([len(one["readings"]) for one in meaning["passages"]], readings)
    except DataError as error:
        raise UserError(
            error.code, scenarios.told(error.message), place=error.place, remedy=error.remedy
        ) from error
    passages = [
        _told(system, one["start"], one["end"], meaning["text"], number, one["readings"], one["trouble"])
        for one, number in zip(meaning["passages"], taken, strict=True)
    ]
    told_above = {one["code"] for one in meaning["remarks"]}
    for one in passages:
        if one["trouble"] is not None and one["trouble"]["code"] in told_above:
            one["trouble"]["says"] = ""  # the remark says it
    return {
        "name": found.name,
        "text": meaning["text"],
        "whole": whole(meaning),
        "asks": any(len(one["readings"]) > 1 and not one["taken"] for one in passages),
        "passages": passages,
        "card": card,
        "remarks": [
            {"code": one["code"], "says": _remark_says(one["code"], one["details"])}
            for one in meaning["remarks"]
        ],
    }


def _passage(system: str, passage: Passage) -> dict[str, Any]:
    trouble = asdict(passage.trouble) if passage.trouble is not None else None
    start, end, words = passage.start, passage.end, passage.words
    return {**_told(system, start, end, "", passage.taken, passage.readings, trouble), "words": words}


def _told(
    system: str,
    start: int,
    end: int,
    text: str,
    taken: int,
    readings: Sequence[Mapping[str, Any]],
    trouble: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "words": text[start:end],
        "taken": taken,
        "readings": [
            {"meaning": [{"depth": one.depth, "text": one.text} for one in told(system, data)], "data": data}
            for data in readings
        ],
        "trouble": None
        if trouble is None
        else {
            "code": trouble["code"],
            "start": trouble["start"],
            "end": trouble["end"],
            "word": trouble["word"],
            "says": _trouble_says(trouble["code"]) or trouble["says"],
            "near": list(trouble["near"]),
        },
    }


def _remark_says(code: str, details: str) -> str:
    """Why an imported card isn't wholly understood, for a person."""
    says = {
        "waiting": _("No worker has read this text yet."),
        "two-texts": _("The card data has two cards with this name, or two different texts for it."),
        "held": _("Someone compared this text with the card and held it back: %(details)s."),
        "no-type": _(
            "The card data doesn’t say which type of card this is, or these rules have no such type."
        ),
        "no-text": _("The card data has no text for this card, or only part of it."),
        "untold": _("The card data doesn’t say: %(details)s."),
        "told-twice": _("The text and the card data both say: %(details)s."),
        "facts": _("These rules can’t use what the card data says: %(details)s."),
        "fault": _("This text couldn’t be read because of a server error. It has been logged."),
        "too-long": _("The text is longer than any card text that can be read."),
        "open-quote": _("A quotation begins in the text and doesn’t end."),
    }.get(code, details)
    return says.replace("%(details)s", details)


def _trouble_says(code: str) -> str:
    """Why a passage isn't understood, for a person."""
    return {
        "unknown-word": _("This word is in no card text that can be read yet."),
        "unexpected-word": _("The words up to here are understood, but not yet how this one continues them."),
        "unfinished": _("The text ends too early."),
        "unsaid": _("The words are understood, but the timing rules have no way to say what they mean yet."),
        "check-failed": _("The words are understood, but a check of their meaning failed."),
        "not-playable": _("The words are understood, but the timing rules can’t play what they say yet."),
        "told-twice": _("The text says this in two different ways."),
        "nothing-meant": _("Nothing mentioned before fits what this refers to."),
        "too-many-readings": _("From here on there are more readings than could be shown."),
        "too-long": _("This ability has more words than can be read at once."),
        "no-words": _("Card texts of this game can’t be read yet."),
    }.get(code, "")
