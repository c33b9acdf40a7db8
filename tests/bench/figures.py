"""What was measured last, and the page made of it: docs/benchmarks.md. No figure is ever written by hand."""

import json
import os
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("figures.json")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"

# What the figures are asked to be; a name that ends in * stands for all that begin so. (name, what it is, wanted)
WANTED: dict[str, list[tuple[str, str, str]]] = {
    "Rulings": [
        ("rules-one-line-traced-median", "One line of a case with its whole trace, median over all cases", "< 1 ms"),
        ("rules-one-line-traced-p95", "The same, the slowest of twenty", "< 10 ms"),
        ("rules-one-line-untraced", "Cases a second, one line, without trace", "≥ 1,000"),
        ("rules-answer-a-case-median", "Every line of a case explored, answered and explained, median", ""),
        ("rules-answer-a-case-p95", "The same, the slowest of twenty", ""),
        ("rules-explore-8-commuting-forced", "Eight simultaneous abilities that commute (40,320 orders)", "< 100 ms"),
        ("rules-explore-12-commuting-forced", "Twelve of them (479,001,600 orders)", "< 1,000 ms"),
        ("rules-explore-8-different-forced", "Eight of which every order ends differently", "< 7 s, aim 3"),
        ("rules-explore-8-different-forced-positions", "Positions of that", ""),
        ("rules-explore-6-different-rate", "Positions a second where none are alike", "≥ 10,000, aim 30,000"),
        ("rules-explore-200000-positions", "A full budget of positions", ""),
        ("rules-explore-200000-positions-memory", "Memory of the process that explored it", "< 600 MB"),
        ("rules-load-all-systems", "Loading every system and library", "< 500 ms"),
        ("disputes-*", "Disputes from filed to answered, real processes", ""),
        ("dispute-filed-*", "The same, embedded, one after another", ""),
    ],
    "Decks": [
        ("decks-check", "A resolved 50-card deck judged", "≥ 40,000, ≥ 2x the peer"),
        ("decks-o8d-read-and-check", "`.o8d` read, resolved, judged", "≥ 10,000"),
        ("decks-text-read-and-check", "Text read, resolved, judged", ""),
        ("decks-check-illegal", "An illegal deck judged, every finding", ""),
        ("decks-recheck-*-two-workers-*", "Every stored deck judged again by two workers", "< 60 s for 100,000"),
        ("decks-recheck-memory-growth", "How much a worker grew meanwhile", "flat"),
        ("decks-submit-p95", "A deck submitted over HTTP, p95, beside a bare view", "≤ 3x"),
        ("decks-hostile-text", "A hostile list of the largest size refused", ""),
        ("decks-fuzzed", "Damaged lists read without an exception", "100,000"),
    ],
    "Events": [
        ("pair-2048", "Round 6 of 2,048 players paired", "< 0.5 s"),
        ("pair-512 vs networkx-dense", "512 players beside networkx on all pairs", "≥ 50x faster"),
        ("pair-512 vs py4swiss*", "512 players beside py4swiss", ""),
        ("pair-256", "256 players", ""),
        ("pair-1024", "1,024 players", ""),
        ("standings-2048x11", "Standings, four tie-breakers, 2,048 players after 11 rounds", "< 0.2 s"),
        ("standings-256x11", "256 players", ""),
        ("publish-round-512-sqlite", "Publishing a 512-player round, end to end, SQLite", "< 1 s"),
        ("publish-round-512-postgresql", "The same on PostgreSQL", "< 1 s"),
        ("publish-round-512-queries", "Queries of that", "not with the players"),
        ("publish-round-64-queries", "Queries for 64 players", "the same"),
        ("event-of-*", "A whole event by lot, every press through the services", ""),
    ],
    "How costs grow (the exponent: 1 is in proportion, 2 with the square)": [
        ("pair-exponent-256-to-2048", "Pairing, with the players", ""),
        ("standings-exponent-256-to-2048", "Standings, with the players", ""),
        ("growth-cards-of-a-deck-check", "Judging a deck, with its different cards (50 to 800)", ""),
        ("growth-cards-of-a-deck-read-and-check", "Reading and judging it", ""),
        ("growth-stored-decks-recheck", "Judging all stored decks again, with the decks", ""),
        ("growth-cards-in-play-answer", "Answering a dispute, with the cards in play (20 to 320)", ""),
        ("growth-triggers-commuting-time", "Exploring, for each more ability that triggers at once (6 to 12)", ""),
        ("growth-triggers-commuting-positions", "Positions of that", ""),
    ],
    "Pages, start and load": [
        ("page-*", "Pages of a 512-player event, median", ""),
        ("poll-*", "A phone's poll", ""),
        ("polls-of-1000-phones", "What a thousand phones' polls take", ""),
        ("up-*", "The embedded service: start and stop", ""),
        ("embedded-128-*", "`make soak`: 128 players on the embedded default, everybody polling", "no errors"),
        ("servers-1000-*", "`make soak`: a round of 1,000 players on PostgreSQL, everybody polling", "no errors"),
        ("sqlite-six-writers-*", "`make soak`: six processes writing one row, SQLite", "none locked"),
    ],
}  # fmt: skip
OF_THE_MACHINE = ("machine-",)  # in every run's line already


def number(value: float) -> str:
    """Four figures that matter, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def run() -> dict[str, Any]:
    """When, on what, and how busy others kept it."""
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
    }


def keep(run: dict[str, Any], name: str, value: float, unit: str, peer: tuple[str, float] | None) -> None:
    """Note a measurement and write the page again: a bench that is stopped keeps what it has."""
    kept = read()
    key = f"{name} vs {peer[0]}" if peer and name == "pair-512" else name
    kept[key] = {"value": value, "unit": unit, "peer": list(peer) if peer else None, **run}
    kept = dict(sorted(kept.items()))
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(kept))


def read() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return found


def page(kept: dict[str, dict[str, Any]]) -> str:
    """The figures as docs/benchmarks.md. A row that was never measured is left out."""
    left = {name: one for name, one in kept.items() if not name.startswith(OF_THE_MACHINE)}
    lines = [INTRODUCTION.rstrip(), "", *_runs(kept), ""]
    for title, wanted in WANTED.items():
        if rows := [row for name, what, goal in wanted for row in _rows(left, name, what, goal)]:
            lines += [f"## {title}", "", HEAD, RULE, *rows, ""]
    if left:
        lines += ["## The rest", "", HEAD, RULE, *(_row(name, one, "", "") for name, one in left.items()), ""]
    return "\n".join(lines)


HEAD = "| measurement | what | figure | wanted | beside | run |"
RULE = "|---|---|---|---|---|---|"
INTRODUCTION = """
# Measured

Every figure here was measured by one command and written by it; nothing is written by hand (`tests/bench/figures.py`).

```sh
make bench          # everything but the soak: some ten minutes on an idle machine
make soak           # a round of 1,000 phones on PostgreSQL, of 128 embedded, six writers on SQLite: some five
make bench ARGS="tournament rules"          # some parts alone; other rows keep their figure and their run
make bench ARGS="--look tournament"         # print, write nothing
```

Peers are measured in the same run: networkx is a test dependency, throneteki-deck-helper (npm) and py4swiss (PyPI) are
fetched into `var/peers` the first time, and left out where they cannot be had. A ratio above 1 is in our favour.
PostgreSQL and Redis are those the tests use (`tests/conftest.py`). Times of pure code are the processor's, of one core,
so that other work counts less; what goes over HTTP or through a database is the clock's. Look at the load first.
"""


def _runs(kept: dict[str, dict[str, Any]]) -> Iterator[str]:
    if not kept:
        yield "Nothing was measured yet on this version."
        return
    yield "| run | machine | runnable processes before |"
    yield "|---|---|---|"
    for at, machine, load in sorted({(one["at"], one["machine"], one["load"]) for one in kept.values()}):
        yield f"| {at} UTC | {machine} | {load} |"


def _rows(left: dict[str, dict[str, Any]], name: str, what: str, goal: str) -> Iterator[str]:
    """The rows of a wanted name, taken out of what is left."""
    begin, star, end = name.partition("*")
    end = end.rpartition("*")[0] if end.endswith("*") else end
    for key in [one for one in left if one == name or (star and one.startswith(begin) and end in one)]:
        yield _row(key, left.pop(key), what, goal)


def _row(name: str, one: dict[str, Any], what: str, goal: str) -> str:
    beside = ""
    if one["peer"]:
        peer, theirs = one["peer"]
        # a rate is better when it is more, a time when it is less
        ratio = one["value"] / theirs if one["unit"].endswith("/s") else theirs / one["value"]
        beside = f"{peer}: {number(theirs)} {one['unit']}, ratio {number(ratio)}"
    figure = f"{number(one['value'])} {one['unit']}"
    return f"| `{name.partition(' vs ')[0]}` | {what} | {figure} | {goal} | {beside} | {one['at']} |"
