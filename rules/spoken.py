"""Translates what the engine says (`rules.engine.base.messages`) into the reader's language.

The engine's own texts are in the catalog of this app (`django.po`), those of the systems' files in one of their own
(`systems.po`); docs/translating.md says how both are kept. A text without a translation is shown whole in English,
with everything in it: never half a sentence. Printed names stay as they are.
"""

import re
from functools import lru_cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, gettext, to_locale

from rules.engine.base.messages import KEY, Message, filled, mapped, unpacked

FOLDER = Path(__file__).parent / "locale"
DOMAIN = "systems"


class Spoken(str):
    """Text in the reader's language: what is shown beside it may be English still."""

    __slots__ = ()


def spoken(value: Any) -> Any:
    """A text, or data with texts in it, as the reader of this page reads it. What is no message stays as it is."""
    if _is_english():
        return mapped(value, _english) if isinstance(value, dict | list | tuple) else _english(value)
    return mapped(value, said) if isinstance(value, dict | list | tuple) else said(value)


def answer_spoken(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """An answer as it was stored, or as the engine gave it, in the reader's language; its shape stays."""
    if stored is None:
        return None
    if _is_english():
        return {key: value for key, value in stored.items() if key != KEY}
    found: dict[str, Any] = spoken(unpacked(stored))
    return found


def _is_english() -> bool:
    return (get_language() or settings.LANGUAGE_CODE).startswith(settings.LANGUAGE_CODE)


def _english(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, Message) else value


def said(value: Any) -> Any:
    """One message in the language that is active; whole English where it has no translation."""
    if not isinstance(value, Message):
        return value
    template = translated(value.template, value.context, get_language() or "")
    if template is None:
        return str.__str__(value)
    values = {name: said(one) for name, one in value.arguments}
    return Spoken(with_particles(filled(template, values)))


def translated(template: str, context: str, language: str) -> str | None:
    """The template in another language; None where nobody has translated it."""
    if context:
        catalog = of_systems(language)
        for text in (catalog.pgettext(context, template), catalog.gettext(template)):
            if text != template:
                return text
    text = gettext(template)
    return text if text != template or not _has_words(template) else None


def _has_words(template: str) -> bool:
    """“{it}: {property}” needs no translation."""
    return re.search(r"[A-Za-z]", re.sub(r"\{[^}]*\}", "", template)) is not None


@lru_cache
def of_systems(language: str) -> NullTranslations:
    """The catalog of the systems' texts in a language; one that knows nothing where there is none."""
    return translation(DOMAIN, FOLDER, [to_locale(language)], fallback=True)


def like(text: str, part: str) -> str:
    """A part of a text, or more of its kind, known to be in the reader's language where the text is."""
    return Spoken(part) if isinstance(text, Spoken) else part


# --- Korean


_PARTICLE = re.compile(
    r"(?P<before>[^\s\"'“”‘’(){}\[\]])(?P<close>[\"'”’)\]]*)(?P<both>은\(는\)|이\(가\)|을\(를\)|과\(와\)|\(으\)로)"
)
_WITH_FINAL = {"은(는)": "은", "이(가)": "이", "을(를)": "을", "과(와)": "과", "(으)로": "으로"}
_WITHOUT_FINAL = {"은(는)": "는", "이(가)": "가", "을(를)": "를", "과(와)": "와", "(으)로": "로"}
_DIGITS_WITH_FINAL = "013678"  # as they are read: 영, 일, 삼, 육, 칠, 팔
_RIEUL = 8  # the final consonant after which it is 로


def with_particles(text: str) -> str:
    """Both forms of a particle, 은(는), become the one that its word takes. After a word whose last sound its letters
    do not tell (an English name), both stay."""
    return _PARTICLE.sub(_particle, text) if "(" in text else text


def _particle(match: re.Match[str]) -> str:
    before, both = match["before"], match["both"]
    stem = match["before"] + match["close"]
    if "가" <= before <= "힣":
        final = (ord(before) - ord("가")) % 28
    elif before.isdigit() and before.isascii():
        final = (_RIEUL if before in "178" else 1) if before in _DIGITS_WITH_FINAL else 0
    else:
        return match[0]
    if both == "(으)로" and final == _RIEUL:
        final = 0
    return stem + (_WITH_FINAL if final else _WITHOUT_FINAL)[both]
