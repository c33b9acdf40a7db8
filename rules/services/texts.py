"""A printed text read for a person or a program: what was understood, in words and as data. Nothing is stored."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import DataError, unknown
from rules.law import system_files
from rules.texts import lexicons
from rules.texts.telling import told
from rules.texts.understanding import Passage, understood


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


def _passage(system: str, passage: Passage) -> dict[str, Any]:
    trouble = passage.trouble
    return {
        "start": passage.start,
        "end": passage.end,
        "words": passage.words,
        "taken": passage.taken,
        "readings": [
            {"meaning": [{"depth": one.depth, "text": one.text} for one in told(system, data)], "data": data}
            for data in passage.readings
        ],
        "trouble": None
        if trouble is None
        else {
            "code": trouble.code,
            "start": trouble.start,
            "end": trouble.end,
            "word": trouble.word,
            "says": _trouble_says(trouble.code) or trouble.says,
            "near": list(trouble.near),
        },
    }


def _trouble_says(code: str) -> str:
    """Why a passage isn't understood, for a person."""
    return {
        "unknown-word": _("This word is in no card text that can be read yet."),
        "unexpected-word": _("The words up to here are understood; this one can’t go on from them yet."),
        "unfinished": _("The text ends too early."),
        "unsaid": _("The words are understood, but the timing rules have no way to say what they mean yet."),
        "not-playable": _("The words are understood, but the timing rules can’t play what they say yet."),
        "nothing-meant": _("Nothing named before can be what this speaks of."),
        "too-many-readings": _("From here on there are more readings than could be shown."),
        "too-long": _("This ability has more words than can be read at once."),
        "no-words": _("Card texts of this game can’t be read yet."),
    }.get(code, "")
