"""Every page as somebody reads it who chose Korean: no English is left but data, and what is marked as English."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import gettext, override

from config import translations
from tests.access import table
from tests.access.world import people, world
from tournament.models import User
from tournament.templatetags.ui import VERBS

ROOT = Path(__file__).resolve().parents[2]
DATA = ("rules/systems/*.yaml", "rules/library/**/*.yaml", "rules/cases/**/*.yaml", "decks/formats/*.yaml",
        "decks/catalog/*", "tournament/policies/**/*.yaml")  # fmt: skip
VOID = {
    "area",
    "base",
    "br",
    "col",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "use",
    "path",
    "rect",
    "circle",
}
SILENT = {"script", "style", "code", "pre", "textarea"}
SHOWN = ("title", "aria-label", "aria-description", "placeholder", "alt", "summary", "data-label")
NOT_READ = {"/style"}  # the visual language, for ourselves
OF_DATA = ("/rules/", "/decks/formats/", "/decks/findings/", "/policies/")
TYPED = [
    "Kingsport Open",
    "Shots",
    "Bot",
    "The shot",
    "May Bo respond?",
    "Who acts next?",
    "It stands.",
    "May one?",
    "Deck",
    "theft",
]
RUN = re.compile(r"[A-Za-z][A-Za-z0-9'’,:;()/&-]*(?: [A-Za-z0-9'’,:;()/&.-]+)*")
HANGUL = re.compile(r"[가-힣]")
SAME_IN_EVERY_LANGUAGE = re.compile(
    r"Headjudge|UTC(-8)?|E?SoS|TRF(16)?|NRTM|JSON|YAML|CSV|ArkhamDB|API|URL|she/her|Europe/Vienna|Asia/Seoul|"
    r"[\w.,/:-]*\.(csv|json|trf|o8d|l5d|dek|cod|txt|yaml|org)\b|testserver\S*|https?|English|"
    r"\b[a-z0-9]+(-[a-z0-9]+)+\b|\b[0-9a-fA-Z]{4}(-[0-9A-Z]{4})+\b|\b[0-9a-f]{10,}\b|\b[A-Z0-9]+(-[A-Za-z0-9.]+)+\b"
)


class Page(HTMLParser):
    """What is read on a page in its own language: texts and spoken attributes outside of every other `lang`."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.said: list[str] = []
        self.lang = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        told = dict(attrs)
        if tag == "html":
            self.lang = told.get("lang", "")
        quiet = told.get("lang", self.lang) != self.lang or tag in SILENT or told.get("name") == "language"
        if not quiet and not self.silent:
            self.said += [told[name] for name in SHOWN if told.get(name)]
        if tag not in VOID:
            self.open.append((tag, quiet))

    def handle_endtag(self, tag: str) -> None:
        while any(name == tag for name, _quiet in self.open) and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self.silent:
            self.said.append(data.strip())

    @property
    def silent(self) -> bool:
        return any(quiet for _tag, quiet in self.open)


@cache
def _data() -> str:
    files = sorted(path for pattern in DATA for path in ROOT.glob(pattern) if path.is_file())
    return _plain(" ".join(path.read_text(encoding="utf-8") for path in files))


def _plain(text: str) -> str:
    return re.sub(r"[^\w]+", " ", text).strip().casefold()


@cache
def _messages() -> set[str]:
    """Our English texts that are another text in Korean."""
    found = set()
    for app in translations.translated_apps():
        for message in translations.read_catalog(app, "ko"):
            english = message.id if isinstance(message.id, str) else message.id[0]
            korean = message.string if isinstance(message.string, str) else (message.string or [""])[0]
            if english and korean != english:
                found.add(_plain(english))
    return found


def english_in(page: Page, typed: str, *, of_data: bool = False) -> Iterator[str]:
    """Words that are English and neither data, nor typed by people (`typed`), nor the same in every language.

    A single word of ours may be data too, on a page that is `of_data`; in a Korean text it is what a translator kept.
    """
    for text in page.said:
        translated = HANGUL.search(text) is not None
        for run in RUN.findall(SAME_IN_EVERY_LANGUAGE.sub(" ", text)):
            words = _plain(run)
            if len(words) < 2 or f" {words} " in typed:
                continue
            ours = words in _messages() and (" " in words or not (translated or of_data))
            if ours or not (translated or of_data or all(_known(part, typed) for part in PARTS.split(run))):
                yield f"{run!r} of {text[:80]!r}"


PARTS = re.compile(r"[,:;()/·]")


def _known(part: str, typed: str) -> bool:
    words = _plain(part)
    return not re.search("[a-z]{2}", words) or f" {words} " in typed or words in _data()


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["nobody", "player", "judge", "owner"])
def test_a_page_in_korean_is_korean(who: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    words = world(person)
    names = [user.display_name for user in User.objects.all()]
    typed = f" {_plain(' '.join([*names, *TYPED]))} "
    session, found, english = table.session_of(person.get(who)), list[str](), 0
    for row in table.pages(who):
        if row.address in NOT_READ:
            continue
        data = row.address.startswith(OF_DATA)
        page = Page(table.answer(row, session, words, language="ko").content.decode())
        assert page.lang == "ko", row
        assert HANGUL.search(" ".join(page.said)), f"{row.address} says nothing"
        found += [f"{row.address}: {one}" for one in english_in(page, typed, of_data=data)]
        if (
            who == "owner"
        ):  # the same page in English is seen to be English: the search above finds what is there
            other = Page(table.answer(row, session, words).content.decode())
            english += any(english_in(other, typed, of_data=data))
    assert not found, "\n".join(found)
    assert who != "owner" or english == len(table.pages(who)) - len(NOT_READ)


def test_every_act_in_an_event_s_log_has_words() -> None:
    told = set()
    for path in (ROOT / "tournament" / "services").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "audit":
                continue
            if isinstance(node.args[0], ast.Constant) and any(one.arg == "event" for one in node.keywords):
                told.add(node.args[0].value)
    assert len(told) > 50
    assert told - set(VERBS) == set()
    with override("ko"):
        assert all(HANGUL.search(gettext(str(words))) for words in VERBS.values())
