"""Translation catalogs: extracts texts from code, merges them into django.po, compiles django.mo.

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
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.apps import apps
from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation.template import templatize

Found = tuple[int, str, tuple[str, ...], list[str]]  # line, function, its texts, remarks for the translator

KEYWORDS: dict[str, Any] = {
    "_": None,
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|\{\^?(?P<place>[\w-]+)(?:\|[^{}]*)?\}")
# Catalogs of texts that stand in data files, beside an app's own: (app, domain) -> who lists them, by file.
DATA = {("rules", "systems"): "rules.law.texts.texts_by_file"}
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
_TEMPLATE = re.compile(r"(?<!\{)\{\^?[a-z]+\}(?!\})")
_TEXT = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"\b(n?p?gettext|_)\(({_TEXT}(?:,\s*{_TEXT})*)(?:,\s*count)?\)")


def translated_apps() -> list[str]:
    """The apps of this project, in the order in which Django asks their catalogs."""
    return [one.name for one in apps.get_app_configs() if Path(one.path).parent == settings.BASE_DIR]


def languages() -> list[str]:
    """Every language that has catalogs: all but the one the texts are written in."""
    return [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def po_path(app: str, language: str, domain: str = "django") -> Path:
    return settings.BASE_DIR / app / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def catalogs() -> list[tuple[str, str]]:
    """Every catalog of a language: (app, domain)."""
    return [*((app, "django") for app in translated_apps()), *DATA]


def extracted(app: str) -> Catalog:
    """Every text that the app's Python and templates mark for translation."""
    catalog = Catalog(charset="utf-8")
    folder = settings.BASE_DIR / app
    found = extract_from_dir(
        folder,
        method_map=[
            ("**/locale/**", "ignore"),
            ("engine/**.py", f"{__name__}:from_messages"),
            ("table/stepping.py", f"{__name__}:from_messages"),
            ("services/tables.py", f"{__name__}:from_messages"),
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


def from_messages(
    file: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """The templates of a module of the engine (`rules.engine.base.messages`): what a Message is made of, and every
    other string with a named place. What the module marks in Django's way is found as anywhere else."""
    found_by_babel: Any = extract_python(file, keywords, comment_tags, options)  # type: ignore[arg-type]
    yield from found_by_babel
    file.seek(0)
    tree = ast.parse(file.read())
    silent = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Expr)
        for part in (ast.walk(node) if isinstance(node, ast.JoinedStr) else [node.value])
    }  # parts of strings that are put together, docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Message" and node.args:
            yield from ((one.lineno, "gettext", (str(one.value),), []) for one in _constants(node.args[0]))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            found = _TEMPLATE.search(node.value) and "\n" not in node.value
            yield from [(node.lineno, "gettext", (node.value,), [])] if found else []


def _constants(node: ast.expr) -> Iterator[ast.Constant]:
    """The string that an expression is, or those that it chooses from."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def from_policy(
    file: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """What pages say of a shipped policy in the reader's language: where it is from, the match, the end of time, the
    infractions."""
    data = yaml.safe_load(file)
    time = data.get("time", {})
    texts = [data.get("source"), data.get("match"), time.get("procedure"), time.get("elimination")]
    texts += data.get("categories", {}).values()
    texts += [one["title"] for part in ("levels", "infractions") for one in data.get(part, ())]
    for text in filter(None, texts):
        yield 0, "gettext", (text,), []


def extracted_from_data(app: str, domain: str, present: Catalog) -> Catalog:
    """The texts of data files. One text of several files stands once; where a translator gives one file's its own
    words, under the file's name as context, that stays as long as the file says it."""
    catalog = Catalog(charset="utf-8")
    for name, texts in import_string(DATA[app, domain])().items():
        own = {message.id for message in present if message.context == Path(name).stem}
        for text in texts:
            catalog.add(text, None, [(f"{app}/{name}", 0)])
            if text in own:
                catalog.add(text, None, [(f"{app}/{name}", 0)], context=Path(name).stem)
    return catalog


def brought_up_to_date(app: str, language: str, domain: str = "django") -> Catalog:
    """The app's catalog with the texts of today: new ones untranslated, translations of texts that went dropped."""
    catalog = read_catalog(app, language, domain)
    found = extracted(app) if domain == "django" else extracted_from_data(app, domain, catalog)
    catalog.update(found, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    return catalog


def read_catalog(app: str, language: str, domain: str = "django") -> Catalog:
    path = po_path(app, language, domain)
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
    return sorted({found["place"] or found[0] for found in PLACEHOLDER.finditer(text)})
