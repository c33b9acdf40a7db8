"""A situation to start from, so that no one has to write the first one from nothing; worked examples with their
answers."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import cache

from rules.law.system_files import system
from rules.scenarios import case_files, reading, writing
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.case_files import Case

FOLDER = Path(__file__).parents[1] / "cases"
EXAMPLE = FOLDER / "coc-lcg" / "shotgun-and-researcher.yaml"
_FOR_THE_ENGINE = ("title:", "expect:", "cites:", "twins:")  # what a case file has beyond the situation
_SYSTEM_LINE = re.compile(r"^system:.*$", re.MULTILINE)


def example_scenario() -> str:
    """Shotgun Blast on Field Researcher, as a case file states it; without what it expects of the engine."""
    kept, keeping = [], True
    for line in EXAMPLE.read_text().splitlines():
        if line[:1] not in (" ", "-"):
            keeping = not line.startswith(("#", *_FOR_THE_ENGINE))
        if keeping:
            kept.append(line)
    return "\n".join(kept) + "\n"


def under_system(source: str, key: str) -> str:
    """The same situation under another system; `key` empty leaves it as it is. Only the system's line changes."""
    if not key:
        return source
    line = f"system: {key}"
    if _SYSTEM_LINE.search(source):
        return _SYSTEM_LINE.sub(line, source, count=1)
    return f"{line}\n{source}"


def situation(case: Case) -> reading.Scenario:
    """The case as a scenario. Raises UserError."""
    return reading.read(case_files.text(case))


def answer_of(case: Case) -> dict[str, Any]:
    """What the engine answers to a worked case; worked out once for each version of law and engine."""
    read = situation(case)
    key = f"case-{system(read.system).hash[:24]}-{read.hash[:24]}"
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        found = adjudicate(read.canonical, budget=settings.ADJUDICATION_INLINE_BUDGET)
        cache.set(key, found, timeout=None)
    return found


def as_case(
    canonical: Mapping[str, Any],
    answer: Mapping[str, Any],
    *,
    title: str = "",
    found: Mapping[str, str] | None = None,
    note: str = "",
) -> str:
    """A case file ready to commit: the scenario with the answer it got as the one expected (docs/scenarios.md).

    note: what else its reader should know, as where a judge ruled otherwise."""
    expect: list[dict[str, Any]] = [
        {one["kind"]: one["answer"] if one["answer"] is not None else one["status"]}
        for one in answer["questions"]
    ]
    expect += [{"depends": one["who"]} for question in answer["questions"] for one in question["depends"]]
    counts = {key: value for key, value in answer["counts"].items() if value is not None and key in _COUNTS}
    expect.append({"status": answer["status"], **counts})
    return writing.write(
        canonical,
        title=title,
        found=found,
        expect=expect,
        cites=cited_rules(answer),
        comment="\n".join([_WHY.format(**_version(answer)), *textwrap.wrap(note, 100)]),
    )


_COUNTS = ("lines", "positions", "ends")
_WHY = "What the engine {engine} answers under {system}/{version}. Whether that is right is for you to say."


def _version(answer: Mapping[str, Any]) -> dict[str, str]:
    told = answer["system"]
    return {"engine": answer["engine"], "system": told["key"], "version": told["version"]}


def telling_rules(answer: Mapping[str, Any]) -> list[str]:
    """The rules by which the answer's line stops where it does: what a ruling most likely rests on."""
    trace: list[Mapping[str, Any]] = list(answer["trace"])
    last: Mapping[str, Any] | None = None
    while trace:
        last = trace[-1]
        trace = last["children"]
    return [rule for rule in (last or {}).get("cites", ()) if rule in answer["rules"]]


def cited_rules(answer: Mapping[str, Any]) -> list[str]:
    """The rules behind what was used and asked: those of the steps where somebody decided or something began."""
    found: list[str] = []

    def collect(steps: list[Mapping[str, Any]]) -> None:
        for step in steps:
            if step["kind"] in ("decision", "initiate", "occurrence"):
                found.extend(step["cites"])
            collect(step["children"])

    collect(answer["trace"])
    return [rule for rule in dict.fromkeys(found) if rule in answer["rules"]]
