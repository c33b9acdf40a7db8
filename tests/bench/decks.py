"""Decks: reading a list, telling its cards apart, judging it. CPU time of one process, best of several rounds."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from decks import catalog_files, format_files
from decks.judgement import judge
from decks.legality import check, identify
from decks.lists import ListError, read

DEMO = Path(__file__).resolve().parents[2] / "tournament" / "demo"
ROUNDS = 5


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    catalog = catalog_files.shipped_index("coc-lcg")
    snapshot = format_files.snapshot("coc-lcg")
    text = (DEMO / "ann.txt").read_bytes()
    listed = read(text)
    deck = identify(listed.entries, snapshot, catalog)
    o8d = _as_o8d([(entry.count, entry.name) for entry in listed.entries])
    yield "decks-check", _rate(lambda: check(deck, snapshot, catalog), 2_000), "decks/s", None
    yield (
        "decks-text-read-and-check",
        _rate(lambda: judge(read(text), snapshot, catalog), 400),
        "decks/s",
        None,
    )
    yield "decks-o8d-read-and-check", _rate(lambda: judge(read(o8d), snapshot, catalog), 400), "decks/s", None
    hostile = ("a:" * 90 + "\n").encode() * 1_900  # nearly headings, nearly as many as may be
    yield "decks-hostile-text", _milliseconds(lambda: _refused(hostile)), "ms", None


def _rate(work: Callable[[], object], times: int) -> float:
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(times):
            work()
        best = max(best, times / (time.process_time() - start))
    return best


def _milliseconds(work: Callable[[], object]) -> float:
    return 1_000 / _rate(work, 3)


def _refused(source: bytes) -> None:
    try:
        read(source)
    except ListError:
        return


def _as_o8d(cards: list[tuple[int, str]]) -> bytes:
    lines = "".join(
        f'<card qty="{count}" id="45f006f4-02ed-4b8d">{escape(name)}</card>\n' for count, name in cards
    )
    return (
        f'<deck game="43054c18"><section name="Draw Deck" shared="False">\n{lines}</section></deck>'.encode()
    )
