"""The picture of a trace: rows in order, nested as deep as the game nests."""

from typing import Any

from django.template.loader import render_to_string

from rules.timeline import timeline


def nested(depth: int) -> dict[str, Any]:
    children = [nested(depth - 1)] if depth else []
    return {
        "id": f"d{depth}",
        "kind": "window",
        "who": "Ann",
        "text": f"window {depth}",
        "children": children,
    }


def test_a_trace_may_nest_deeper_than_a_template_can() -> None:
    page = render_to_string(
        "rules/_timeline.html", {"timeline": timeline([nested(120), nested(0)]), "law": {}}
    )
    assert page.count("window ") >= 122
    assert page.count("<ol") == page.count("</ol>")
    assert page.count("<li") == page.count("</li>")


def test_every_sequence_ends_with_its_last_row() -> None:
    a, b, c = (nested(0) | {"id": name} for name in "abc")
    rows = timeline([{**nested(0), "id": "outer", "children": [a, {**b, "children": [c]}]}]).flat
    assert [(row.step["id"], len(row.closes)) for row in rows] == [("outer", 0), ("a", 0), ("b", 0), ("c", 2)]
