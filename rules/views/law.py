"""The rules reference: a system's rules, timing charts, vocabulary, citations and worked examples."""

from typing import Any

import yaml
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.errors import NotFound
from rules.engine.answers.assumed import cited
from rules.law.system_files import chapters, edition, keys, system, systems
from rules.reference import charts, citations, examples
from rules.reference.vocabulary import vocabulary
from rules.scenarios.case_files import Case
from rules.selectors import disputes_of, rulings_citing
from rules.table import table_words
from rules.views.answers import Shown


def system_list(request: HttpRequest) -> HttpResponse:
    mine = disputes_of(request.user)[:5] if request.user.is_authenticated else []
    found = [
        {"key": one.key, "title": one.title, "edition": edition(one.key), "law": one.law} for one in systems()
    ]
    return render(request, "rules/systems.html", {"systems": found, "disputes": mine})


def system_detail(request: HttpRequest, key: str) -> HttpResponse:
    """The law, rule by rule, with how often each is cited; the readings where it is open."""
    law = known(key)
    index = citations.index(key)
    settled = _settled(request, law)
    query = request.GET.get("q", "").strip()[:80]
    rules = [
        {
            "id": id,
            "says": rule.says,
            "document": rule.document,
            "section": rule.section,
            "cited": index[id].count,
        }
        for id, rule in law.law.items()
        if _has(query, id, rule.says, rule.document, rule.section)
    ]
    context = {
        "system": law,
        "edition": edition(key),
        "rules": rules,
        "readings": [
            (one, settled.get(one.key, []))
            for one in law.readings.values()
            if _has(query, one.ask, one.note, *one.options.values(), *one.cites)
        ],
        "cases": len(citations.worked(key)),
        "query": query,
    }
    part = request.headers.get("HX-Target") == "found"
    return render(request, "rules/_system_found.html" if part else "rules/system.html", context)


def _has(query: str, *texts: str | None) -> bool:
    """Whether every word of the query stands in one of the texts."""
    text = " ".join(one for one in texts if one).casefold()
    return all(word in text for word in query.casefold().split())


def _settled(request: HttpRequest, law: Any) -> dict[str, list[tuple[str, str]]]:
    """How the events that somebody plays or works at read what the law leaves open: reading -> [(event, words)]."""
    found = import_string(settings.EVENT_READINGS)(request.user, law.key)
    return {
        reading: [(event, law.readings[reading].options.get(option, option)) for event, option in pins]
        for reading, pins in found.items()
        if reading in law.readings
    }


def system_rule(request: HttpRequest, key: str, rule: str) -> HttpResponse:
    """One rule: its sentence, its source, and everything that cites it."""
    law = known(key)
    if rule not in law.law:
        raise NotFound(_("rule"))
    found = law.law[rule]
    context = {
        "system": law,
        "id": rule,
        "rule": found,
        "cited": citations.index(key)[rule],
        "hits": rulings_citing(request.user, key, rule),
        "beside": _beside(list(law.law), rule),
    }
    return render(request, "rules/rule.html", context)


def _beside(rules: list[str], rule: str) -> list[str]:
    """The rules before and after it, in the order of the law."""
    at = rules.index(rule)
    return [*rules[max(at - 3, 0) : at], *rules[at + 1 : at + 4]]


def system_charts(request: HttpRequest, key: str) -> HttpResponse:
    """The charts of a system, drawn from its data."""
    law = known(key)
    drawn = charts.charts(key)
    told = [{"cites": chart.cites, "below": _citing(chart.rows)} for chart in drawn]
    context = {"system": law, "charts": drawn, "law": cited(law, told)}
    return render(request, "rules/charts.html", context)


def system_words(request: HttpRequest, key: str) -> HttpResponse:
    """The words in which scenarios and cards of the system are written."""
    words = vocabulary(known(key).key)
    example = yaml.safe_dump(words["example"], sort_keys=False, default_flow_style=None, width=72).rstrip()
    return render(request, "rules/words.html", {"words": words, "example": example})


def case_list(request: HttpRequest, key: str) -> HttpResponse:
    """The worked cases of a system, by words in their titles."""
    law = known(key)
    query = request.GET.get("q", "").strip().casefold()
    found = [
        {"name": citations.short(case), "title": case.title}
        for case in citations.worked(key)
        if all(word in f"{case.name} {case.title} {_cards(case)}".casefold() for word in query.split())
    ]
    context = {"system": law, "groups": _by_chapter(key, found), "query": request.GET.get("q", "")}
    part = request.headers.get("HX-Target") == "cases"
    return render(request, "rules/_cases.html" if part else "rules/cases.html", context)


def _by_chapter(key: str, cases: list[dict[str, Any]]) -> list[tuple[str, bool, list[dict[str, Any]]]]:
    """(title, whether it is the law's own, its cases), in the order of the law."""
    chapter_of = citations.chapters(key)
    found: dict[str, list[dict[str, Any]]] = {}
    for chapter in dict.fromkeys(chapter_of.values()):
        if held := [case for case in cases if chapter_of[case["name"]] == chapter]:
            found[chapter] = held
    words = {"other": _("Other rules"), "": _("No particular rule")}
    titles = {one: table_words.in_words(system(key), title) for one, title in chapters(key).items()}
    numbered = {one: _("Section %(n)s") % {"n": one} for one in found if one.isdecimal()}
    named = words | numbered | titles
    return [(named.get(one, one), one not in named, held) for one, held in found.items()]


def case_page(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """A worked case with the engine's answer, its variations, and its file."""
    law = known(key)
    case = _case(key, name)
    read = examples.situation(case)
    shown = Shown("case-", read.canonical, examples.answer_of(case), every="every" in request.GET)
    context = {
        "system": law,
        "case": case,
        "name": name,
        "run": shown,
        "twins": [
            {"title": twin.title, "sentence": examples.answer_of(twin)["sentence"]}
            for twin in citations.twins(key, name)
        ],
        "law": shown.answer["rules"] if shown.answer else {},
        "file": (examples.FOLDER / key / f"{name}.yaml").read_text(),
    }
    return render(request, "rules/case.html", context)


def _case(key: str, name: str) -> Case:
    found = next((case for case in citations.worked(key) if citations.short(case) == name), None)
    if found is None:
        raise NotFound(_("worked example"))
    return found


def _cards(case: Case) -> str:
    cards = (case.data.get("cards") or {}).values()
    return " ".join(
        str(card.get("is", card.get("name", "")) if isinstance(card, dict) else card) for card in cards
    )


def _citing(rows: tuple[charts.Row, ...]) -> list[dict[str, Any]]:
    return [{"cites": row.cites, "below": _citing(row.children)} for row in rows]


def known(key: str) -> Any:
    """The system of that key. Raises NotFound."""
    if key not in keys():
        raise NotFound(_("timing system"))
    return system(key)
