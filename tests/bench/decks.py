"""Decks: reading a list, telling its cards apart, judging it, storing it, judging all stored ones again.

CPU time of one process, best of several rounds, where nothing else is said. The peer is throneteki-deck-helper, run in
the same minute when HEADJUDGE_PEERS names a folder with its node_modules and the collected data is there.
"""

import os
import random
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any
from xml.sax.saxutils import escape

from decks import catalog_files, format_files
from decks.judgement import judge
from decks.legality import check, identify
from decks.lists import ListError, read

DEMO = Path(__file__).resolve().parents[2] / "tournament" / "demo"
SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
ROUNDS = 5
STORED = int(os.environ.get("HEADJUDGE_BENCH_DECKS", "100000"))
FUZZED = int(os.environ.get("HEADJUDGE_BENCH_FUZZ", "100000"))
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def measure() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    catalog = catalog_files.shipped_index("coc-lcg")
    snapshot = format_files.snapshot("coc-lcg")
    text = (DEMO / "ann.txt").read_bytes()
    decks = [
        identify(read((DEMO / name).read_bytes()).entries, snapshot, catalog)
        for name in ("ann.txt", "bo.txt")
    ]
    illegal = identify(read((DEMO / "illegal.txt").read_bytes()).entries, snapshot, catalog)
    listed = read(text)
    o8d = _as_o8d([(entry.count, entry.name) for entry in listed.entries])
    each = [_rate(lambda deck=deck: check(deck, snapshot, catalog), 4_000) for deck in decks]  # type: ignore[misc]
    yield "decks-check", sum(each) / len(each), "decks/s", _throneteki()
    yield "decks-check-illegal", _rate(lambda: check(illegal, snapshot, catalog), 2_000), "decks/s", None
    yield (
        "decks-text-read-and-check",
        _rate(lambda: judge(read(text), snapshot, catalog), 400),
        "decks/s",
        None,
    )
    yield (
        "decks-o8d-read-and-check",
        _rate(lambda: judge(read(o8d), snapshot, catalog), 1_000),
        "decks/s",
        None,
    )
    hostile = ("a:" * 90 + "\n").encode() * 1_900  # nearly headings, nearly as many as may be
    yield "decks-hostile-text", _milliseconds(lambda: _refused(hostile)), "ms", None
    yield "decks-fuzzed", float(_fuzzed(FUZZED)), "lists", None
    yield from _stored()


def _throneteki() -> tuple[str, float] | None:
    """Decks a second of the peer; None where it is not installed."""
    folder, node = os.environ.get("HEADJUDGE_PEERS", ""), shutil.which("node")
    data = SHARED / "data" / "cards" / "agot2"
    if not folder or not node or not data.is_dir():
        return None
    script = Path(__file__).with_name("throneteki.js")
    done = subprocess.run([node, script, folder, data], capture_output=True, text=True, check=True)
    return "throneteki-deck-helper", float(done.stdout)


def _fuzzed(times: int) -> int:
    """Damaged lists read and judged; whatever is no ListError ends the bench."""
    lot = random.Random(1)
    seeds = [(DEMO / "ann.txt").read_text(), '{"investigator_code":"1","slots":{"1":2},"meta":"{}"}', "[A/B/C] + D",
             _as_o8d([(3, "Rats"), (1, "Dogs & Cats")]).decode(), "# Dynasty (1)\n# Fate (1)\n3 Rats"]  # fmt: skip
    dirt = [
        "\0",
        "\u202e",
        "\u200b",
        "99999999x ",
        "<",
        "]]>",
        "&#0;",
        "{",
        "[[[",
        "\ud800",
        "-1 ",
        "\r",
        "é",
        "(((",
        '"',
    ]
    snapshot, catalog = format_files.snapshot("coc-lcg"), catalog_files.shipped_index("coc-lcg")
    for _ in range(times):
        source = lot.choice(seeds)[: lot.randint(1, 700)]
        for _ in range(lot.randint(0, 4)):
            at = lot.randint(0, len(source))
            source = source[:at] + lot.choice(dirt) + source[at + lot.randint(0, 9) :]
        with suppress(ListError):
            judge(read(source), snapshot, catalog)
    return times


# --- with a database ------------------------------------------------------------------------------------------


def _stored() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    """Submitting over HTTP beside a bare view's writes, and every stored deck judged again by two workers' work."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.test import Client, override_settings

    from decks import selectors, services

    call_command("migrate", verbosity=0)
    services.catalog_load_shipped(now=NOW)
    owner = get_user_model().objects.create(username="bench")
    client = Client()
    client.force_login(owner)
    text = (DEMO / "ann.txt").read_text()
    form = {"name": "Bench", "format": "coc-lcg", "text": text, "do": "save"}
    ours = _p95(lambda: _must(client.post("/decks/new", form).status_code == 302))
    revision = owner.decks.first().revisions.first()  # type: ignore[union-attr]
    with override_settings(ROOT_URLCONF="tests.bench.bare"):
        bare = _p95(lambda: _must(client.post("/bare", form).status_code == 302))
    yield "decks-submit-p95", ours, "ms", ("a bare view with the same writes", bare)
    _multiply(revision, STORED)
    changed = selectors.format_text("coc-lcg").replace(
        "- Itinerant Scholar", "- Itinerant Scholar\n        - Dynamite", 1
    )
    recheck = services.recheck_start(format="coc-lcg", text=changed, what_if=False, by=owner, now=NOW)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for pk in recheck.chunks.values_list("pk", flat=True):
        chunk = services.chunk_claim(pk=pk, now=NOW)
        assert chunk is not None
        assert services.chunk_work(chunk=chunk, now=NOW)
    seconds = time.process_time() - start
    yield "decks-recheck", recheck.total / seconds, "decks/s per worker", None
    yield "decks-recheck-100000-two-workers", 100_000 * seconds / recheck.total / 2, "s", None
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    yield "decks-recheck-memory-growth", grown / 1024, "MB", None


def _must(happened: bool) -> None:
    assert happened


def _p95(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(60):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1_000)
    return quantiles(taken[10:], n=20)[-1]


def _copied(row: Any, **changes: Any) -> dict[str, Any]:
    return {
        field.attname: getattr(row, field.attname) for field in row._meta.fields if field.name != "id"
    } | changes


def _multiply(revision: Any, times: int) -> None:
    """So many decks with this list and its report, stored in a few large statements."""
    from decks.models import Deck, LegalityReport, Revision

    report = revision.reports.first()
    for start in range(0, times, 5_000):
        size = min(5_000, times - start)
        decks = Deck.objects.bulk_create(
            [
                Deck(owner_id=revision.deck.owner_id, name="D", format="coc-lcg", created_at=NOW)
                for _ in range(size)
            ]
        )
        copies = Revision.objects.bulk_create(
            [Revision(**_copied(revision, deck_id=deck.pk)) for deck in decks]
        )
        LegalityReport.objects.bulk_create(
            [LegalityReport(**_copied(report, revision_id=copy.pk)) for copy in copies]
        )


# --- measuring ------------------------------------------------------------------------------------------------


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
    """As OCTGN writes its files: one element a line."""
    lines = "".join(
        f'    <card qty="{count}" id="45f006f4-02ed-4b8d-b095-eb5efe58d106">{escape(name)}</card>\n'
        for count, name in cards
    )
    return (
        '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<deck game="43054c18-2362-43e0-a434-72f8d0e8477c">\n'
        f'  <section name="Draw Deck" shared="False">\n{lines}  </section>\n</deck>\n'
    ).encode()
