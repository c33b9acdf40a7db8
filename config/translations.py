"""The catalogs of translated texts: what the code says, what a translator made of it, what Django reads.

Each app keeps its own in APP/locale/LANGUAGE/LC_MESSAGES: `django.po` is for people, `django.mo` is made of it. Both
are in the repository, and Babel (from PyPI) makes them, so that neither a server nor a translator needs the gettext
programs. `manage.py messages` is the face of this module, docs/translating.md tells a translator what to do.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import yaml
from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.apps import apps
from django.conf import settings
from django.utils.translation.template import templatize

Found = tuple[int, str, tuple[str, ...], list[str]]  # line, function, its texts, remarks for the translator

KEYWORDS: dict[str, Any] = {
    "_": None,
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|%%")
# Written once and then the same: a date or a name that changes with each run would say nothing.
_BIRTH = datetime(2026, 11, 21, tzinfo=UTC)
_HEAD: dict[str, Any] = {
    "project": "Headjudge",
    "version": "1",
    "creation_date": _BIRTH,
    "revision_date": _BIRTH,
    "last_translator": "Headjudge",
    "language_team": "Headjudge",
    "msgid_bugs_address": "docs/translating.md",
    "header_comment": "# A translation of Headjudge; docs/translating.md explains how to maintain this file.",
    "fuzzy": False,
}
_TEXT = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"\b(n?p?gettext|_)\(({_TEXT}(?:,\s*{_TEXT})*)(?:,\s*count)?\)")


def translated_apps() -> list[str]:
    """The apps of this project, in the order in which Django asks their catalogs."""
    return [one.name for one in apps.get_app_configs() if Path(one.path).parent == settings.BASE_DIR]


def languages() -> list[str]:
    """Every language that has catalogs: all but the one the texts are written in."""
    return [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def po_path(app: str, language: str) -> Path:
    return settings.BASE_DIR / app / "locale" / language / "LC_MESSAGES" / "django.po"


def extracted(app: str) -> Catalog:
    """Every text that the app's Python and templates mark for translation."""
    catalog = Catalog(charset="utf-8")
    folder = settings.BASE_DIR / app
    found = extract_from_dir(
        folder,
        method_map=[
            ("**/locale/**", "ignore"),
            ("**.py", "python"),
            ("**.html", f"{__name__}:from_template"),
            ("policies/**.yaml", f"{__name__}:from_policy"),
        ],
        keywords=KEYWORDS,
        comment_tags=("Translators:",),
        strip_comment_tags=True,
    )
    for name, _line, texts, remarks, context in sorted(found, key=lambda one: one[:2]):
        catalog.add(texts, None, [(f"{app}/{name}", 0)], auto_comments=remarks, context=context)
    return catalog


def from_template(
    file: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """Babel's kind of extractor for Django's templates: Django rewrites the tags as calls, which are read here."""
    for number, line in enumerate(templatize(file.read().decode()).splitlines(), start=1):
        for call in _CALL.finditer(line):
            texts = ast.literal_eval(f"({call[2]},)")
            yield number, call[1] if call[1] != "_" else "gettext", texts, []


def from_policy(
    file: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """What pages say of a shipped policy in the reader's language: the match, the end of time, the infractions."""
    data = yaml.safe_load(file)
    time = data.get("time", {})
    texts = [data.get("match"), time.get("procedure"), time.get("elimination")]
    texts += data.get("categories", {}).values()
    texts += [one["title"] for part in ("levels", "infractions") for one in data.get(part, ())]
    for text in filter(None, texts):
        yield 0, "gettext", (text,), []


def brought_up_to_date(app: str, language: str) -> Catalog:
    """The app's catalog with the texts of today: new ones untranslated, translations of texts that went dropped."""
    catalog = read_catalog(app, language)
    catalog.update(extracted(app), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    return catalog


def read_catalog(app: str, language: str) -> Catalog:
    path = po_path(app, language)
    if not path.exists():
        return Catalog(locale=language, charset="utf-8", **_HEAD)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def po_bytes(catalog: Catalog) -> bytes:
    return _written(
        lambda file: write_po(
            file, catalog, width=100, omit_header=False, sort_by_file=True, include_lineno=False
        )
    )


def mo_bytes(catalog: Catalog) -> bytes:
    """What Django reads. A text without a translation is left out: it is shown in English."""
    ready = Catalog(locale=catalog.locale, charset="utf-8", **_HEAD)
    for message in catalog:
        if message.id and all(_forms(message.string)) and not message.fuzzy:
            ready.add(message.id, message.string, context=message.context)
    return _written(lambda file: write_mo(file, ready))


def _written(write: Callable[[IO[bytes]], None]) -> bytes:
    buffer = BytesIO()
    write(buffer)
    return buffer.getvalue()


def faults(catalog: Catalog) -> Iterator[str]:
    """What a translator still has to do, a sentence each."""
    for message in catalog:
        if not message.id:
            continue
        texts, ids = _forms(message.string), _forms(message.id)
        if not all(texts):
            yield f"not translated: {ids[0]!r}"
        elif message.fuzzy:
            yield f"fuzzy: {ids[0]!r}"
        else:
            # The singular may do without the number; a translation without a singular says it as the plural does.
            known = [_placeholders(text) for text in ids]
            for text in texts:
                if _placeholders(text) not in known:
                    yield f"the placeholders differ from the English text: {text!r}"


def _forms(text: Any) -> list[str]:
    """One text, or one for each number; an untranslated one is empty."""
    return [text or ""] if isinstance(text, str | None) else list(text)


def _placeholders(text: str) -> list[str]:
    return sorted({found[0] for found in PLACEHOLDER.finditer(text)})
