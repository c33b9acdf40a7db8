"""Decks: reading a list, telling its cards apart, judging it, storing it, judging all stored ones again.

CPU time of one process, best of several rounds, where nothing else is said. The peer is throneteki-deck-helper,
installed by npm into var/peers the first time and run in the same minute, on its 31 real decks where the collected
data is there.
"""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from math import log10
from pathlib import Path
from statistics import quantiles
from typing import Any
from xml.sax.saxutils import escape

from config import jobs
from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import check, identify
from decks.lists import ListError, read

DEMO = Path(__file__).resolve().parents[2] / "tournament" / "demo"
SHARED = Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
ROUNDS = 5
STORED = int(os.environ.get("HEADJUDGE_BENCH_DECKS", "100000"))
FUZZED = int(os.environ.get("HEADJUDGE_BENCH_FUZZ", "100000"))
# fmt: off
DIRT = (
    "\0", "\u202e", "\u200b", "\ufeff", "\ud800", "99999999x ", "-1 ", "x3", ": 3", "3x 3x", "1. ", "<", "<li>",
    "]]>", "&#0;", "&amp;", "{", "[[[", "[b]", "(((", "|", "\t", "\r", "\n\n", "##", "• ", ", ", '"', "é", "Ã¤",
)
# fmt: on
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


PEER = "throneteki-deck-helper@2.7.0"


def _throneteki() -> tuple[str, float] | None:
    """Decks a second of the peer, installed into a folder of its own the first time; None where it cannot be had."""
    folder = Path(os.environ["HEADJUDGE_PEERS"])
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node:
        return _without_peer("there is no node here")
    if not (folder / "node_modules" / PEER.partition("@")[0]).is_dir():
        if not npm:
            return _without_peer("there is no npm here")
        folder.mkdir(parents=True, exist_ok=True)
        said = [
            "--prefix",
            str(folder),
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--loglevel=error",
            PEER,
        ]
        try:
            subprocess.run([npm, "install", *said], capture_output=True, text=True, check=True, timeout=180)
        except (subprocess.SubprocessError, OSError) as error:
            return _without_peer(f"npm does not answer ({type(error).__name__})")
    data = SHARED / "data" / "cards" / "agot2"
    script = Path(__file__).with_name("throneteki.js")
    asked = [node, str(script), str(folder), *([str(data)] if data.is_dir() else [])]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    sample = "31 real decks" if data.is_dir() else "its own sample"
    return f"{PEER}, {sample}", float(done.stdout)


def _without_peer(why: str) -> tuple[str, float] | None:
    print(f"bench: skipped the comparison with {PEER}: {why}", flush=True)
    return None


def _fuzzed(times: int) -> int:
    """Lists of every kind, damaged, and plain nonsense, read and judged in all formats by turns: hypothesis looks for
    what raises anything but a ListError, and that ends the bench."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    seeds = [
        (DEMO / "ann.txt").read_text(),
        '{"investigator_code":"1","slots":{"1":2},"meta":"{}"}',
        "[A/B/C] + D",
        _as_o8d([(3, "Rats"), (1, "Dogs & Cats")]).decode(),
        "# Dynasty (1)\n# Fate (1)\n3 Rats",
        "count,name\n3,Rats\n",
        "Specs: Fire, Growth\nStarter: Red",
        "Rats - 3\nDogs (2)\nCats: 1",
    ]
    place = st.tuples(st.integers(0, 700), st.sampled_from(DIRT), st.integers(0, 9))
    damaged = st.builds(_damaged, st.sampled_from(seeds), st.integers(1, 700), st.lists(place, max_size=5))
    words = [*DIRT, "Fire", "Repo Man", "3", "x", " ", "\n", "Hastur", "Deck"]
    made = st.lists(st.sampled_from(words), max_size=40).map("".join)
    sources = st.one_of(damaged, made, st.text(max_size=300), st.binary(max_size=300))
    laws = {law.key: law for law in format_files.formats().values()}

    @settings(max_examples=times, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(sources, st.sampled_from(sorted(laws)))
    def fuzz(source: str | bytes, key: str) -> None:
        with suppress(ListError):
            deck_list = read(source)
            snapshot = format_files.snapshot_of(laws[key], choices=deck_list.choices)
            judge(deck_list, snapshot, catalog_files.shipped_index(laws[key].game))

    fuzz()
    return times


def _damaged(seed: str, length: int, places: list[tuple[int, str, int]]) -> str:
    source = seed[:length]
    for at, dirt, gone in places:
        at = min(at, len(source))
        source = source[:at] + dirt + source[at + gone :]
    return source


# --- with a database ------------------------------------------------------------------------------------------


def _stored() -> Iterator[tuple[str, float, str, tuple[str, float] | None]]:
    """Submitting over HTTP beside a bare view's writes, and every stored deck judged again by two workers."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.test import Client, override_settings

    from decks import services

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
    few = STORED // 10
    _multiply(revision, few)
    first, _said, _recheck = _rechecked(owner, ban="Dynamite")
    _multiply(revision, STORED - few)
    seconds, said, recheck = _rechecked(owner, ban="Repo Man")
    engine = settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]
    yield f"decks-recheck-{STORED}-two-workers-{engine}", seconds, "s", None
    yield "growth-stored-decks-recheck", log10(seconds / first), "power", None
    yield "decks-recheck-changes", float(recheck.changes.count()), "verdicts", None
    yield "decks-recheck-cpu", sum(float(text.split()[1]) for text in said), "s of CPU, both workers", None
    yield "decks-recheck-memory-growth", max(float(text.split()[0]) for text in said), "MB", None


def _rechecked(owner: Any, *, ban: str) -> tuple[float, list[str], Any]:
    """All judged again, one more card being restricted: (seconds, what both workers said, the recheck)."""
    from django.db import connection

    from decks import selectors, services

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # a filled database in the field has its statistics
    changed = selectors.format_text("coc-lcg").replace(
        "- Itinerant Scholar", f"- Itinerant Scholar\n        - {ban}", 1
    )
    recheck = services.recheck_start(format="coc-lcg", text=changed, what_if=False, by=owner, now=NOW)
    start = time.perf_counter()
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER], stdout=subprocess.PIPE, text=True)
        for _ in range(WORKERS)
    ]
    said = [worker.communicate()[0] for worker in workers]
    seconds = time.perf_counter() - start
    recheck.refresh_from_db()
    _must(all(worker.returncode == 0 for worker in workers) and recheck.finished_at is not None)
    return seconds, said, recheck


WORKERS = 2
WORKER = "import django; django.setup(); from tests.bench.decks import work_chunks; print(*work_chunks())"


def work_chunks() -> tuple[float, float]:
    """One worker's part: claim a chunk, judge it, until none is left. (MB that the process grew after its first five,
    seconds of CPU)"""
    from decks import services
    from decks.models import RecheckChunk

    done, before = 0, 0
    while True:
        waiting = (
            RecheckChunk.objects.filter(state=RecheckChunk.State.QUEUED)
            .order_by("?")
            .values_list("pk", flat=True)
        )
        if (pk := waiting.first()) is None:
            break
        if (chunk := jobs.claim(services.RECHECK, pk, NOW)) is not None:
            jobs.perform(services.RECHECK, chunk)
            done += 1
        if done == 5:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (after - before) / 1024 if before else 0.0, time.process_time()


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
