"""Computes the positions of shapes in pictures; templates only place them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

WIDTH = 1_000
SHORTEST = 24  # what an eye can still hit
# Legal stands high, illegal hangs low, what nobody knows lies between: told apart without color.
HEIGHTS = {"legal": (2, 20), "unverified": (17, 10), "illegal": (22, 20)}


def timeline(spans: Sequence[Any]) -> dict[str, Any] | None:
    """Spans of verdicts on a line of time; None when there is nothing to compare.

    {width, bars: [{x, width, span}], years: [{x, label}]}; very short spans are drawn wider than they lasted.
    """
    if len(spans) < 2:
        return None
    first = spans[0].since
    last = max((span.since for span in spans), default=first) + timedelta(days=365)
    days = [((span.until or last) - span.since).days + 1 for span in spans]
    total = sum(days)
    widths = [max(SHORTEST, round(WIDTH * part / total)) for part in days]
    scale = WIDTH / sum(widths)
    bars: list[dict[str, Any]] = []
    x = 0.0
    for span, width in zip(spans, widths, strict=True):
        y, height = HEIGHTS[span.verdict]
        bars.append(
            {"x": round(x, 1), "width": round(width * scale, 1), "y": y, "height": height, "span": span}
        )
        x += width * scale
    return {"width": WIDTH, "bars": bars}


def bars(rows: Sequence[tuple[str, int]], most: int = 12) -> list[dict[str, Any]]:
    """Rows of a bar chart, longest first: {label, value, share, width} with widths out of 100; the rest in one row."""
    total = sum(value for _label, value in rows)
    shown = list(rows[:most])
    if len(rows) > most:
        shown.append(("…", sum(value for _label, value in rows[most:])))
    longest = max((value for _label, value in shown), default=0) or 1
    return [
        {
            "label": label,
            "value": value,
            "share": round(100 * value / (total or 1)),
            "width": round(100 * value / longest, 1),
        }
        for label, value in shown
    ]
