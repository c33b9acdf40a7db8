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
        ("rules-one-line-traced-p95", "The same, 95th percentile", "< 10 ms"),
        ("rules-one-line-untraced", "Cases per second, one line, without a trace", "≥ 1,000"),
        ("rules-answer-a-case-median", "Every line of a case explored, answered and explained, median", ""),
        ("rules-answer-a-case-p95", "The same, 95th percentile", ""),
        ("boards-all", "A thousand seeded boards of real cards (tests/bench/boards.py), explored", "a fifth of before"),
        ("boards-median", "One of them, median", "< 20 ms"),
        ("boards-p95", "95th percentile of them", "< 300 ms"),
        ("boards-worst", "The slowest of them; each is stopped after 5 s", ""),
        ("boards-late", "Boards not finished in 5 s or 20,000 positions", "< 5 of 1,000"),
        ("boards-endless", "Boards on which something may be used without end, which is said at once", ""),
        ("boards-rate", "Positions per second, beside perft of Kiwipete at depth 3", ""),
        ("boards-*", "More of them", ""),
        ("rules-explore-8-commuting-forced", "Eight simultaneous abilities that commute (40,320 orders)", "< 100 ms"),
        ("rules-explore-12-commuting-forced", "Twelve of them (479,001,600 orders)", "< 1,000 ms"),
        ("rules-explore-10-triggers-on-the-stack", "Ten triggers at once in Magic (3,628,800 orders)", "< 1,000 ms"),
        ("rules-explore-8-different-forced", "Eight abilities for which every order ends differently", "< 7 s, aim 3"),
        ("rules-explore-8-different-forced-positions", "Positions explored for that", ""),
        ("rules-explore-6-different-rate", "Positions per second when no two are alike", "≥ 0.1x"),
        ("rules-explore-200000-positions", "A full budget of positions", ""),
        ("rules-explore-200000-positions-memory", "Memory of the process that explored it", "< 600 MB"),
        ("rules-load-all-systems", "Loading every system and library", "< 500 ms"),
        ("disputes-*", "Disputes, from filing to the answer, real processes", ""),
        ("dispute-filed-*", "The same, embedded, one after another", ""),
    ],
    "Decks": [
        ("decks-check", "A resolved 50-card deck checked", "≥ 40,000, ≥ 2x the peer"),
        ("decks-o8d-read-and-check", "`.o8d` read, resolved and checked", "≥ 10,000"),
        ("decks-text-read-and-check", "Text read, resolved and checked", ""),
        ("decks-check-illegal", "An illegal deck checked, with every finding", ""),
        ("check-deck-*", "`manage.py check_deck` of fifty cards, warm, CPU of the whole process", "< 0.5 s"),
        ("catalogs-first-load", "The card data of all games loaded into an empty database", "< 60 s"),
        ("catalogs-later-load", "The same at every later start", "nothing"),
        ("catalogs-all-in-memory", "The catalogs of all games read from the database by a process, CPU", "< 2 s"),
        ("worker-all-games-memory", "Memory of a process with all catalogs, formats and systems", "< 400 MB"),
        ("decks-recheck-*-two-workers-*", "Every stored deck rechecked by two workers", "< 60 s for 100,000"),
        ("decks-recheck-memory-growth", "How much a worker's memory grew meanwhile", "flat"),
        ("decks-submit-p95", "A deck submitted over HTTP, p95, compared with a bare view", "≤ 3x"),
        ("decks-hostile-text", "A hostile decklist of the largest size refused", ""),
        ("decks-fuzzed", "Damaged decklists read without an exception", "100,000"),
    ],
    "Events": [
        ("pair-2048", "Round 6 of 2,048 players paired", "< 0.5 s"),
        ("pair-512 vs networkx-dense", "512 players, compared with networkx on all pairs", "≥ 50x faster"),
        ("pair-512 vs py4swiss*", "512 players, compared with py4swiss", ""),
        ("pair-256", "256 players", ""),
        ("pair-1024", "1,024 players", ""),
        ("repair-1024-tables", "The smallest repair of a published round of 1,024 tables after a correction", "< 1 s"),
        ("standings-2048x11", "Standings, four tie-breakers, 2,048 players after 11 rounds", "< 0.2 s"),
        ("standings-256x11", "256 players", ""),
        ("publish-round-512-sqlite", "Publishing a 512-player round, end to end, SQLite", "< 1 s"),
        ("publish-round-512-postgresql", "The same on PostgreSQL", "< 1 s"),
        ("publish-round-512-queries", "Database queries for that", "doesn't grow with the players"),
        ("publish-round-64-queries", "Database queries for 64 players", "the same"),
        ("event-of-*", "A simulated event, every action through the services", ""),
    ],
    "How costs grow (the exponent: 1 is proportional, 2 is quadratic)": [
        ("pair-exponent-256-to-2048", "Pairing, with the players", ""),
        ("standings-exponent-256-to-2048", "Standings, with the players", ""),
        ("growth-cards-of-a-deck-check", "Checking a deck, with its different cards (50 to 800)", ""),
        ("growth-cards-of-a-deck-read-and-check", "Reading and checking it", ""),
        ("growth-stored-decks-recheck", "Rechecking all stored decks, with the decks", ""),
        ("growth-cards-in-play-answer", "Answering a dispute, with the cards in play (20 to 320)", ""),
        ("growth-triggers-commuting-time", "Exploring, for each more ability that triggers at once (6 to 12)", ""),
        ("growth-triggers-commuting-positions", "Positions explored for that", ""),
    ],
    "Pages, start and load": [
        ("page-*", "Pages of a 512-player event, median", ""),
        ("poll-*", "A phone's poll", ""),
        ("polls-of-1000-phones", "Polls of a thousand phones", ""),
        ("up-*", "The embedded service: start and stop", ""),
        ("embedded-128-*", "`make soak`: 128 players on the embedded default, everyone polling", "no errors"),
        ("servers-1000-*", "`make soak`: a round of 1,000 players on PostgreSQL, everyone polling", "no errors"),
        ("assault-minutes", "How long the last `make assault` was, both shapes together", "60"),
        ("assault-*-lost-or-twice", "`make assault`: runs that lost what was acknowledged, or did it twice", "0"),
        ("assault-*-kills", "Processes killed, and connections cut", ""),
        ("assault-*-acknowledged", "Changes that clients were told were done, and found", ""),
        ("assault-*-stalled-p95", "Pages beside 500 stalled connections, p95, and calm", "< 2x calm"),
        ("assault-*-stalled-worst", "The longest anybody waited for one", "< 1,000 ms"),
        ("assault-*-costly-p95", "Pages beside 24 guests' costly requests, p95, and calm", ""),
        ("assault-*-costly-worst", "The longest anybody waited for one", "< 1,000 ms"),
        ("assault-*-disputes-p95", "Simple disputes beside one account's 50 worst, p95, and calm", "< 2 s, servers 1"),
        ("assault-*-memory", "Memory of the web server after both", "flat"),
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


HEAD = "| measurement | what | figure | target | compared with | run |"
RULE = "|---|---|---|---|---|---|"
INTRODUCTION = """
# Measured

One command measured every figure and wrote this page; no figure is written by hand (`tests/bench/figures.py`).

```sh
make bench          # everything but the soak: about ten minutes on an idle machine
make soak           # 1,000 phones on PostgreSQL, 128 embedded, six writers on SQLite: about five minutes
make bench ARGS="tournament rules"          # some parts only; other rows keep their figure and their run
make bench ARGS="--look tournament"         # print, write nothing
```

The same run measures other programs for comparison. networkx and python-chess are test dependencies;
throneteki-deck-helper (npm) and py4swiss (PyPI) are fetched into `var/peers` the first time, and left out if they
aren't available. A ratio above 1 means that Headjudge is better. PostgreSQL and Redis are the ones the tests use
(`tests/conftest.py`). Times of pure code are processor time on one core, so other work on the machine counts less.
Times over HTTP or through a database are clock time, so look at the load first.
"""


def _runs(kept: dict[str, dict[str, Any]]) -> Iterator[str]:
    if not kept:
        yield "Nothing has been measured on this version yet."
        return
    yield "| run | machine | runnable processes before |"
    yield "|---|---|---|"
    for at, machine, load in sorted({(one["at"], one["machine"], one["load"]) for one in kept.values()}):
        yield f"| {at} UTC | {machine} | {load} |"


def _rows(left: dict[str, dict[str, Any]], name: str, what: str, goal: str) -> Iterator[str]:
    """The rows of a wanted name, removed of what is left."""
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
