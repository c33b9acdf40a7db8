"""What if: two answers side by side, and the first step at which their lines part."""

from typing import Any

Json = dict[str, Any]


def difference(before: Json, after: Json) -> Json:
    """Compare two answers (docs/answers.md).

    Returns {"same": bool, "questions": [{text, before, after}] whose answers differ, "parting": None or
    {"under": the text of the step both are in, "before": step or None, "after": step or None}}.
    """
    questions = [
        {"text": one["text"], "before": _said(one), "after": _said(two)}
        for one, two in zip(before["questions"], after["questions"], strict=False)
        if _said(one) != _said(two)
    ]
    parting = _parting(before["trace"], after["trace"], "")
    return {"same": not questions and parting is None, "questions": questions, "parting": parting}


def _said(question: Json) -> str:
    return str(question["answer"] if question["answer"] is not None else question["status"])


def _parting(before: list[Json], after: list[Json], under: str) -> Json | None:
    """The first step that differs, looked for in the order in which the line is told."""
    for i in range(max(len(before), len(after))):
        one = before[i] if i < len(before) else None
        two = after[i] if i < len(after) else None
        if one is None or two is None or _shown(one) != _shown(two):
            return {"under": under, "before": _bare(one), "after": _bare(two)}
        if (found := _parting(one["children"], two["children"], one["text"])) is not None:
            return found
    return None


def _shown(step: Json) -> tuple[Any, ...]:
    """What a reader sees of a step itself; which rules it cites may differ between systems."""
    options = [(option["text"], option["chosen"]) for option in step["options"]]
    refused = [(refusal["text"], refusal["reason"]) for refusal in step["refused"]]
    return (
        step["kind"],
        step["who"],
        step["text"],
        [change["text"] for change in step["changes"]],
        options,
        refused,
    )


def _bare(step: Json | None) -> Json | None:
    return None if step is None else {key: value for key, value in step.items() if key != "children"}
