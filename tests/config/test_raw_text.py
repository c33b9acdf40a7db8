"""No page says anything past gettext: templates, forms, messages and errors are read here for text that does."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "rules", "decks", "tournament")

# --- templates ------------------------------------------------------------------------------------------

UNSAID = re.compile(r"{%\s*block width\s*%}.*?{%\s*endblock\s*%}")  # a class, not a text
SAID = re.compile(
    r"{%\s*comment.*?endcomment\s*%}|{%\s*blocktrans(?:late)?\b.*?endblocktrans(?:late)?\s*%}|{#.*?#}", re.S
)
TAG = re.compile(r"{%.*?%}|{{.*?}}", re.S)
WORD = re.compile(r"[^\W\d_]{2,}")
SHOWN_ATTRIBUTES = {"title", "aria-label", "aria-description", "placeholder", "alt", "summary"}
SILENT = {"script", "style", "code", "pre"}
# Not for visitors: the page of the visual language, and attributes kept in a file of their own.
NOT_READ = {"tournament/style.html", "tournament/_live.html"}
# What is the same in every language: the service's name, its files and formats.
ALLOWED = {"Headjudge", "UTC", "SHA"}
TEMPLATES = sorted(
    path
    for app in APPS
    for path in (ROOT / app).rglob("templates/**/*.html")
    if "/".join(path.parts[-2:]) not in NOT_READ
)
FILE = re.compile(r"[\w-]*\.(?:json|csv|trf|yaml|py)\b")


class Reader(HTMLParser):
    """Collects what a person would see or hear of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in SILENT
        self.shown += [value or "" for name, value in attrs if name in SHOWN_ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if self.silent <= 0:
            self.shown.append(data)


def raw_texts(template: str) -> list[str]:
    reader = Reader()
    reader.feed(TAG.sub("", UNSAID.sub("", SAID.sub("", template))))
    found = [text.strip() for text in reader.shown]
    return [text for text in found if set(WORD.findall(FILE.sub("", text))) - ALLOWED]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_says_nothing_past_gettext(path: Path) -> None:
    assert raw_texts(path.read_text()) == []


def test_raw_text_is_found() -> None:
    assert raw_texts('<p>{% translate "Said" %}</p><p title="{{ x }}">Not said {{ n }}</p>') == ["Not said"]
    assert raw_texts(
        '<a aria-label="Close it" href="x">{% blocktranslate %}Shut{% endblocktranslate %}</a>'
    ) == ["Close it"]
    assert raw_texts("<code>manage.py</code><b>{{ n }} / 3</b>{# a remark #}") == []


# --- code -----------------------------------------------------------------------------------------------

# Commands and the API speak English, and so do the readers of data files, whose words are English too.
ENGLISH = re.compile(
    r"/(api|management|migrations|engine|texts|legality|lists|swiss|sources)/|/tests/|views/style\.py"
    r"|strict_yaml|config/(backup|given_files)|config/jobs/model\.py|(format|policy|catalog|system|case)_files\.py|(law|policy)/(reading|nodes|model)\.py|/models"
    r"|scenarios/(reading|writing|schema|limits|moves|questions|situation)\.py"
)
TRANSLATED_READER = {"decks/law/format_files.py"}
MODULES = sorted(
    path
    for app in APPS
    for path in (ROOT / app).rglob("*.py")
    if not ENGLISH.search(str(path)) or str(path.relative_to(ROOT)) in TRANSLATED_READER
)
ERRORS = {"UserError", "Forbidden", "Conflict"}
SHOWN_ARGUMENTS = {"label", "help_text", "remedy", "empty_label"}


def raw_strings(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of what is said to a person without gettext."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for said in _said(node):
                if text := _literal(said):
                    yield node.lineno, text


def _said(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that a person will read."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = getattr(call.func.value, "id", "") if isinstance(call.func, ast.Attribute) else ""
    said = [one.value for one in call.keywords if one.arg in SHOWN_ARGUMENTS]
    if name in ERRORS or owner == "messages":
        said += call.args[1:2]
    if name == "NotFound":
        said += call.args[:1]
    return said


def _literal(said: ast.expr) -> str:
    """The text, where it is written here and has words; empty when it comes from elsewhere (gettext)."""
    if isinstance(said, ast.BinOp):
        return _literal(said.left)
    if isinstance(said, ast.IfExp):
        return _literal(said.body) or _literal(said.orelse)
    if isinstance(said, ast.JoinedStr):
        return "".join(filter(None, map(_literal, said.values)))
    text = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
    return text if WORD.search(text) else ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_says_nothing_past_gettext(path: Path) -> None:
    assert list(raw_strings(path.read_text())) == []


def test_a_raw_string_is_found() -> None:
    assert list(raw_strings('UserError("code", f"No {x}.", remedy=_("Try again."))')) == [(1, "No ")]
    assert list(raw_strings('forms.CharField(label="Name")')) == [(1, "Name")]
    assert list(raw_strings('messages.success(request, _("Saved."))')) == []
    assert list(raw_strings('NotFound("deck")')) == [(1, "deck")]
