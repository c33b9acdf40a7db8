"""The catalogs: what Django reads was made of what people wrote, and it says what the English text says."""

from gettext import GNUTranslations
from io import BytesIO

import pytest
from django.conf import settings

from config import translations

CATALOGS = [
    (app, language)
    for language in translations.languages()
    for app in translations.translated_apps()
    if translations.po_path(app, language).exists()
]


def test_there_are_catalogs_of_every_language() -> None:
    assert translations.translated_apps() == ["config", "rules", "decks", "tournament"]
    assert {language for _app, language in CATALOGS} == set(dict(settings.LANGUAGES)) - {"en"}


@pytest.mark.parametrize(("app", "language"), CATALOGS)
def test_what_django_reads_was_made_of_what_people_wrote(app: str, language: str) -> None:
    made = translations.po_path(app, language).with_suffix(".mo").read_bytes()
    assert made == translations.mo_bytes(translations.read_catalog(app, language)), "run manage.py messages"


@pytest.mark.parametrize(("app", "language"), CATALOGS)
def test_a_translation_has_the_placeholders_of_the_english_text(app: str, language: str) -> None:
    catalog = translations.read_catalog(app, language)
    assert [fault for fault in translations.faults(catalog) if "placeholders" in fault] == []


def test_a_text_in_two_apps_has_one_translation() -> None:
    """Django merges the catalogs, and the first to know a text says it for all."""
    said: dict[object, set[object]] = {}
    for app, language in CATALOGS:
        for message in translations.read_catalog(app, language):
            if message.id and message.string:
                said.setdefault((language, message.context, message.id), set()).add(message.string)
    assert [key for key, strings in said.items() if len(strings) > 1] == []


def test_texts_are_found_in_code_and_in_templates() -> None:
    found = {message.id for message in translations.extracted("tournament")}
    assert {"Saved.", "Skip to the content"} <= found
    template = b"""{% load i18n %}{% translate "One" %}{% translate 'It"s' context "short" %}<p title="{{ _("Two") }}">
    {% blocktranslate count n=x trimmed %}{{ n }} card
    in hand{% plural %}{{ n }} cards in hand{% endblocktranslate %} 50% _(no) gettext("no")</p>"""
    texts = [
        (name, texts) for _line, name, texts, _ in translations.from_template(BytesIO(template), (), (), {})
    ]
    assert texts == [
        ("gettext", ("One",)),
        ("pgettext", ("short", 'It"s')),
        ("gettext", ("Two",)),
        ("ngettext", ("%(n)s card in hand", "%(n)s cards in hand")),
    ]


def test_a_text_without_a_translation_is_shown_in_english() -> None:
    catalog = translations.Catalog(locale="ko")
    catalog.add("Said", "말함")
    catalog.add("Not said")
    catalog.add(("%(n)s card", "%(n)s cards"))
    read = GNUTranslations(BytesIO(translations.mo_bytes(catalog)))
    assert (read.gettext("Said"), read.gettext("Not said")) == ("말함", "Not said")
    assert read.ngettext("%(n)s card", "%(n)s cards", 2) == "%(n)s cards"


def test_what_is_left_to_do_is_told() -> None:
    catalog = translations.Catalog(locale="ko")
    catalog.add("Not said")
    catalog.add("Round %(n)s", "%(number)s라운드")
    catalog.add("Draw", "무승부", flags=["fuzzy"])
    catalog.add(("One card", "%(n)s cards"), ("카드 %(n)s장",))
    assert [fault.partition(":")[0] for fault in translations.faults(catalog)] == [
        "not translated",
        "the placeholders differ from the English text",
        "fuzzy",
    ]


@pytest.mark.parametrize("language", translations.languages())
@pytest.mark.parametrize("app", translations.translated_apps())
def test_every_text_is_translated(app: str, language: str) -> None:
    """Extracted anew: nothing is missing from the catalog, nothing in it is untranslated, fuzzy or gone."""
    catalog = translations.brought_up_to_date(app, language)
    assert list(translations.faults(catalog)) == [], "docs/translating.md says what to do"
    assert translations.po_path(app, language).read_bytes() == translations.po_bytes(catalog), (
        "run manage.py messages"
    )
