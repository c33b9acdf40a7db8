"""Draws a system's timing charts: turns procedures into the rows of a page.

Bookkeeping (variables, counters) is left out; a procedure without a name of its own is drawn where it is run.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from rules.engine.definitions.model import System
from rules.law import system_files
from rules.scenarios.anonymous import says

DEEPEST = 7  # of procedures drawn inside others
LONGEST = 90  # characters of a condition that is shown as it is written
_WAITS = re.compile(r"(?:not )?waits\('[\w-]+'\)")
_READING = re.compile(r"reading\('([\w-]+)'\)\s*(!?=)\s*'([\w-]+)'")


@dataclass(frozen=True)
class Row:
    """One step. shape: as in a timeline. chart: the named chart that it runs. code: a condition as the file has it."""

    shape: str
    text: str
    cites: tuple[str, ...] = ()
    chart: str = ""
    code: str = ""
    readings: tuple[str, ...] = ()
    children: tuple["Row", ...] = ()
    here: bool = False


@dataclass(frozen=True)
class Chart:
    key: str
    title: str
    cites: tuple[str, ...]
    rows: tuple[Row, ...]
    starts: tuple[str, ...] = ()  # the moments of a scenario that begin with it
    here: bool = False


@dataclass
class _Drawing:
    system: System
    inside: list[str] = field(default_factory=list)  # the procedures being drawn, outermost first


def charts(key: str) -> tuple[Chart, ...]:
    """The named charts of a system, in the order of its file; the words between the file's in the reader's language."""
    return _charts(key, get_language() or "")


@cache
def _charts(key: str, _language: str) -> tuple[Chart, ...]:
    system = system_files.system(key)
    found = []
    for name, data in system.source["charts"].items():
        unit = system.charts[name]
        if not unit.says:
            continue
        rows = tuple(_rows(_Drawing(system, [name]), _steps(data)))
        starts = tuple(
            word
            for word, start in system.starts.items()
            if (start["chart"] if isinstance(start, dict) else start) == name
        )
        if rows:
            found.append(Chart(name, _sentence(unit.says), unit.cites, rows, starts))
    return tuple(found)


def standing(key: str, trace: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """The charts that a trace ends in, innermost first, each with the step marked where it stands."""
    texts = [_sentence(step["text"]) for step in _last(trace)]
    known = {chart.title: chart for chart in reversed(charts(key))}
    found = [known[text] for text in reversed(texts) if text in known]
    return [replace(chart, rows=_marked(chart.rows, texts), here=True) for chart in dict.fromkeys(found)]


def _last(trace: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The steps that are open at the end of a trace, outermost first."""
    while trace:
        yield trace[-1]
        trace = trace[-1]["children"]


def _marked(rows: Iterable[Row], texts: Sequence[str]) -> tuple[Row, ...]:
    return tuple(replace(row, here=row.text in texts, children=_marked(row.children, texts)) for row in rows)


def _steps(data: Any) -> list[Any]:
    steps = data.get("steps", []) if isinstance(data, Mapping) else data
    return steps if isinstance(steps, list) else [steps]


def _rows(drawing: _Drawing, steps: Iterable[Any]) -> Iterator[Row]:
    for step in steps if isinstance(steps, list) else [steps]:
        if isinstance(step, str):
            step = {step: None}
        if isinstance(step, Mapping) and step:
            yield from _row(drawing, step)


def _row(drawing: _Drawing, step: Mapping[str, Any]) -> Iterator[Row]:
    word = next(name for name in step if name != "cite")
    cites = (step["cite"],) if isinstance(step.get("cite"), str) else tuple(step.get("cite") or ())
    value = step[word]
    draw = _DRAWN.get(word)
    if draw is not None:
        for row in draw(drawing, value, step):
            yield replace(row, cites=tuple(dict.fromkeys((*cites, *row.cites)))) if cites else row
    elif word in _SAID:
        yield Row(
            _SAID[word][0], _SAID[word][1]() if not step.get("says") else _sentence(step["says"]), cites
        )


def _run(drawing: _Drawing, name: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    unit = drawing.system.charts.get(str(name))
    if unit is None:
        return
    said = str(step.get("says") or unit.says)
    if said:
        yield Row("initiate", _sentence(said), chart=str(name) if unit.says else "")
    elif name not in drawing.inside and len(drawing.inside) < DEEPEST:
        inner = _Drawing(drawing.system, [*drawing.inside, str(name)])
        yield from _rows(inner, _steps(drawing.system.source["charts"][name]))


def _window(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    said = _sentence(value["says"]) if value.get("says") else _titles(drawing, value["of"])
    closes = _CLOSES.get(str(value.get("closes")), lambda: "")()
    yield Row(
        "window", said, readings=_readings(value), code="", children=(Row("step", closes),) if closes else ()
    )


def _must(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    said = _sentence(value["says"]) if value.get("says") else _titles(drawing, value["of"])
    yield Row("checkpoint", said, readings=_readings(value))


def _if(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    then, other = tuple(_rows(drawing, step.get("then", []))), tuple(_rows(drawing, step.get("else", [])))
    if not then and not other:
        return
    code, readings = _condition(drawing, str(value))
    if not code and not other:  # only that something waits for what is drawn below: that goes without saying
        yield from then
        return
    children = (*then, Row("fork", _("Else"), children=other)) if other else then
    yield Row("fork", _("If"), code=code, readings=readings, children=children)


def _loop(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    inner = tuple(_rows(drawing, step.get("do", [])))
    if inner:
        code, readings = _condition(drawing, str(value))
        text = (
            _("For each")
            if "for" in step
            else _("As long as")
            if code
            else _("As long as anything is waiting")
        )
        yield Row("loop", text, code=code, readings=readings, children=inner)


def _inside(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    yield from _rows(drawing, value.get("do", []) if isinstance(value, Mapping) else value)


def _do(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    kind = drawing.system.kinds.get(str(value))
    if kind is not None:
        yield Row("occurrence", _sentence(says(kind)), kind.cites)


def _choose(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    if isinstance(value, Mapping) and value.get("as"):
        yield Row("decision", _("A choice: %(what)s") % {"what": str(value["as"]).replace("-", " ")})


def _may(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    said = _("May %(what)s") % {"what": step["says"]} if step.get("says") else _("May")
    yield Row("decision", said, children=tuple(_rows(drawing, value)))


def _one_of(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    options = tuple(
        Row("step", _sentence(label), children=tuple(_rows(drawing, steps))) for label, steps in value.items()
    )
    yield Row("decision", _("One of these"), children=options)


def _point(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    yield Row("step", _("Everything that says “%(word)s” triggers here") % {"word": value})


def _note(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    yield Row("step", re.sub(r"\{[^}]*\}", "…", str(value)))


def _pay(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    yield Row("step", _("Pays %(what)s") % {"what": value})


def _expire(drawing: _Drawing, value: Any, step: Mapping[str, Any]) -> Iterator[Row]:
    yield Row("step", _("Effects lasting until the end of the %(period)s end") % {"period": value})


_DRAWN: Mapping[str, Any] = {
    "run": _run, "window": _window, "must": _must, "if": _if, "while": _loop, "for": _loop, "gate": _inside,
    "then": _inside, "together": _inside, "each-part": _inside, "do": _do, "choose": _choose, "may": _may,
    "one-of": _one_of, "point": _point, "note": _note, "pay": _pay, "expire": _expire,
}  # fmt: skip

_SAID: Mapping[str, Any] = {
    "targets": ("decision", lambda: _("Its choices are made")),
    "costs": ("step", lambda: _("Its costs are paid")),
    "plan": ("step", lambda: _("Its result is determined")),
    "execute": ("occurrence", lambda: _("Its effect resolves")),
    "part": ("occurrence", lambda: _("One part of its effect")),
    "commit": ("occurrence", lambda: _("It happens")),
    "check": ("checkpoint", lambda: _("The rules check for consequences")),
    "put": ("step", lambda: _("It waits")),
    "take": ("initiate", lambda: _("What is waiting resolves")),
    "batch": ("step", lambda: _("What is waiting becomes one batch")),
    "defer": ("step", lambda: _("Chances to respond are put off to a later window")),
    "again": ("step", lambda: _("The chance to respond is open again")),
    "recheck": ("checkpoint", lambda: _("Is it still legal?")),
    "cancel": ("occurrence", lambda: _("It is cancelled")),
    "replace": ("occurrence", lambda: _("Something else happens instead")),
    "lapse": ("step", lambda: _("Unused chances to respond are gone")),
    "end": ("end", lambda: _("The game ends")),
}

_CLOSES: Mapping[str, Any] = {
    "all-pass": lambda: _("It closes when all players pass in a row."),
    "each-done": lambda: _("It closes when each player is done."),
    "first-use": lambda: _("It closes after the first use."),
}


def _titles(drawing: _Drawing, kinds: Any) -> str:
    words = [kinds] if isinstance(kinds, str) else list(kinds)
    known = drawing.system.ability_kinds
    return _sentence(", ".join(known[word].title if word in known else word for word in words))


def _readings(value: Mapping[str, Any]) -> tuple[str, ...]:
    found = re.findall(r"reading\('([\w-]+)'\)", " ".join(str(one) for one in value.values()))
    return tuple(dict.fromkeys(found))


def _condition(drawing: _Drawing, code: str) -> tuple[str, tuple[str, ...]]:
    """A condition as it is shown: readings in their words, others as they are written when they are short; that
    something waits for the window below it goes without saying."""
    readings = tuple(dict.fromkeys(key for key, _relation, _option in _READING.findall(code)))
    rest = _WAITS.sub("", code).strip()
    rest = "" if rest in ("or", "and") else rest
    rest = re.sub(
        r"^(and|or)\s+|\s+(and|or)$", "", re.sub(r"\b(and|or)\s+(?=(and|or)\b)", "", rest).strip()
    ).strip()
    shown = _READING.sub(lambda match: _read_so(drawing, match), rest)
    return (shown if len(shown) <= LONGEST or readings else "…"), readings


def _read_so(drawing: _Drawing, match: re.Match[str]) -> str:
    reading = drawing.system.readings.get(match[1])
    said = reading.options.get(match[3], match[3]) if reading else match[3]
    text = _("interpreted as: %(option)s") if match[2] == "=" else _("not interpreted as: %(option)s")
    return text % {"option": said}


def _sentence(text: Any) -> str:
    said = re.sub(r"\{[^}]*\}", "…", str(text))
    return said[:1].upper() + said[1:]
