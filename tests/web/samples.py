"""An answer of the engine as pages meet it, written by hand: Shotgun Blast on Field Researcher.

Realistic in shape and size; the engine's own answers are tested where the engine is.
"""

from typing import Any


def step(id: str, kind: str, who: str | None, text: str, *cites: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "kind": kind,
        "who": who,
        "text": text,
        "cites": list(cites),
        "changes": [{"text": text} for text in more.get("changes", ())],
        "options": [{"text": text, "chosen": chosen} for text, chosen in more.get("options", ())],
        "refused": more.get("refused", []),
        "children": more.get("children", []),
    }


def _pass(id: str, who: str) -> dict[str, Any]:
    return step(id, "decision", who, "passes", options=[("pass", True)])


LAW = {
    "COC-T-17": "An action has seven steps, from its initiation to its end.",
    "COC-T-25": "The first step begins when the card is revealed or the ability is declared.",
    "COC-T-26e": "Costs are paid.",
    "COC-T-27": "Disrupts go clockwise; once everybody has passed the action executes and can no longer be disrupted.",
    "COC-T-28": "When it executes, cards that are destroyed leave play at once.",
    "COC-T-30": "After passive effects, forced responses go in the active player's order.",
    "COC-T-31": "Responses go clockwise, beginning left of the player who initiated.",
    "COC-T-32": "The window ends when all players pass in a row.",
    "COC-T-15": "A response to a card's own leaving works as if the card were still in play.",
    "COC-T-33": "The last step closes every opportunity.",
    "COC-T-03": "Players alternate taking actions; a response is not an action.",
}

RESPONSE = step(
    "1.6.1",
    "initiate",
    "Bo",
    "uses Field Researcher's response",
    "COC-T-15",
    children=[
        step(
            "1.6.1.1",
            "window",
            None,
            "Disrupts to this response",
            "COC-T-27",
            children=[_pass("1.6.1.1.1", "Bo"), _pass("1.6.1.1.2", "Ann")],
        ),
        step(
            "1.6.1.2",
            "occurrence",
            "Bo",
            "Bo's characters and supports become ready",
            "COC-T-28",
            changes=["Itinerant Scholar is ready", "Student Archaeologist is ready"],
        ),
        step("1.6.1.3", "end", None, "The response is over"),
    ],
)

TRACE = [
    step(
        "1",
        "initiate",
        "Ann",
        "plays Shotgun Blast on Field Researcher",
        "COC-T-17",
        "COC-T-25",
        children=[
            step("1.1", "step", "Ann", "pays 2", "COC-T-26e", changes=["Ann drains a domain of 2"]),
            step(
                "1.2",
                "window",
                None,
                "Disrupts",
                "COC-T-27",
                children=[
                    step(
                        "1.2.1",
                        "decision",
                        "Bo",
                        "passes",
                        options=[("pass", True)],
                        refused=[
                            {
                                "text": "Field Researcher",
                                "reason": "It is a response, and this window is for disrupts.",
                                "cites": ["COC-T-27"],
                            }
                        ],
                    ),
                    _pass("1.2.2", "Ann"),
                ],
            ),
            step(
                "1.3",
                "occurrence",
                None,
                "Field Researcher takes a wound and is destroyed",
                "COC-T-28",
                changes=["Field Researcher goes to Bo's discard pile"],
            ),
            step("1.5", "check", None, "No forced response waits", "COC-T-30"),
            step(
                "1.6",
                "window",
                None,
                "Responses",
                "COC-T-31",
                children=[
                    step(
                        "1.6.0",
                        "decision",
                        "Bo",
                        "chooses Field Researcher",
                        options=[("Field Researcher", True), ("pass", False)],
                    ),
                    RESPONSE,
                    step(
                        "1.6.2",
                        "decision",
                        "Ann",
                        "passes",
                        options=[("pass", True)],
                        refused=[
                            {
                                "text": "Power Drain",
                                "reason": "It is a disrupt to an event being played; the event has resolved.",
                                "cites": ["COC-T-27", "COC-T-28"],
                            }
                        ],
                    ),
                    _pass("1.6.3", "Bo"),
                ],
            ),
            step("1.7", "end", None, "Every opportunity is closed", "COC-T-33"),
        ],
    ),
    step("2", "decision", "Bo", "takes the next action", "COC-T-03"),
]

ANSWER: dict[str, Any] = {
    "status": "determined",
    "sentence": "Bo may use Field Researcher; the next action is Bo's.",
    "questions": [
        {
            "text": "May Bo use Field Researcher?",
            "status": "determined",
            "answer": "yes",
            "sentence": "Yes: its response answers its own leaving as if it were still in play.",
            "depends": [],
            "why_not": [],
        },
        {
            "text": "May Ann cancel Shotgun Blast with Power Drain in the response window?",
            "status": "determined",
            "answer": "no",
            "sentence": "No: the event has resolved.",
            "depends": [],
            "why_not": [
                {
                    "move": "Ann: Power Drain",
                    "reason": "It is a disrupt, and the window is for responses.",
                    "cites": ["COC-T-27"],
                }
            ],
        },
        {
            "text": "Who responds first?",
            "status": "depends",
            "answer": "Bo",
            "sentence": "Under the default reading Bo, who sits left of the initiator.",
            "depends": [
                {
                    "who": "the rules",
                    "decider": "rules",
                    "decision": "Who has the first chance to respond?",
                    "branches": [
                        {"option": "left of the initiator", "answer": "Bo"},
                        {"option": "the active player", "answer": "Ann"},
                    ],
                }
            ],
            "why_not": [],
        },
    ],
    "assumptions": [
        {
            "id": "first-response",
            "kind": "reading",
            "text": "The first chance to respond",
            "value": "left",
            "options": [
                {"id": "left", "text": "left of the initiator"},
                {"id": "active", "text": "the active player"},
            ],
            "status": "contested",
            "explored": True,
            "note": "Two places disagree.",
            "cites": ["COC-T-31"],
            "material": True,
        },
        {
            "id": "researcher.exhausted",
            "kind": "default",
            "text": "Field Researcher is ready when the action begins",
            "value": "ready",
            "options": [],
            "status": "default",
            "explored": False,
            "note": "",
            "cites": [],
            "material": False,
        },
    ],
    "counts": {"lines": 12, "positions": 31, "ends": 2},
    "system": {
        "key": "coc-lcg",
        "version": "faq-3.0",
        "title": "Call of Cthulhu LCG, FAQ 3.0",
        "hash": "5f" * 32,
    },
    "scenario_hash": "ab" * 32,
    "engine": "1",
    "trace": TRACE,
    "rules": {
        id: {"text": text, "document": "Call of Cthulhu LCG FAQ 3.0", "section": "Timing structure"}
        for id, text in LAW.items()
    },
}
