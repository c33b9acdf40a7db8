"""/style: every component of the visual language on one page, for developers. Add new ones here first."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.errors import Conflict
from rules.timeline import timeline
from tournament.templatetags.ui import LOOKS


def _step(id: str, kind: str, who: str | None, text: str, *cites: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": kind, "who": who, "text": text, "cites": list(cites), **more}


TRACE = [
    _step(
        "1",
        "initiate",
        "Ann",
        "plays an event on Bo's character",
        "LAW-1",
        children=[
            _step("1.1", "step", "Ann", "pays 2", changes=[{"text": "a domain of 2 is drained"}]),
            _step(
                "1.2",
                "window",
                None,
                "Disrupts",
                "LAW-2",
                children=[
                    _step(
                        "1.2.1",
                        "decision",
                        "Bo",
                        "passes",
                        options=[{"text": "Ward", "chosen": False}, {"text": "pass", "chosen": True}],
                        refused=[
                            {
                                "text": "Counter-spell",
                                "reason": "Bo has 1 to spend; it costs 2.",
                                "cites": ["LAW-1"],
                            }
                        ],
                    ),
                    _step("1.2.2", "decision", "Ann", "passes"),
                ],
            ),
            _step("1.3", "occurrence", None, "The character is destroyed", "LAW-2"),
            _step("1.4", "check", None, "Nothing else was to happen"),
            _step("1.5", "end", None, "The action is over"),
        ],
    ),
]
LAW = {
    "LAW-1": {"text": "Who cannot pay cannot play.", "document": "An example", "section": "costs"},
    "LAW-2": {
        "text": "Everybody may answer before it happens.",
        "document": "An example",
        "section": "windows",
    },
}
ROWS = [
    (1, "Mina Calderón", 9, "0.6250", "3–0–0", "confirmed"),
    (2, "Dana Okafor", 7, "0.5833", "2–1–0", "conflict"),
    (3, "Jun-ho Park-Lindqvist of the very long name", 6, "0.5208", "2–0–1", "waiting"),
]


def style(request: HttpRequest) -> HttpResponse:
    problem = Conflict(
        "already-reported",
        "Table 14 has two different reports.",
        place="round 3, table 14",
        remedy="Talk to your opponent, then report again, or call a judge.",
    )
    context = {"looks": LOOKS, "rows": ROWS, "problem": problem, "timeline": timeline(TRACE), "law": LAW}
    return render(request, "tournament/style.html", context)
