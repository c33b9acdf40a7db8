"""All games at once: what the command line takes for one list, how long the card data takes to load, how much memory
processes hold that have judged decks of every format and answered disputes of every timing system.

CPU times are of whole processes, the median of several; memory is each process's own part of what it shares (PSS).
"""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml

from decks.cards import catalog_files
from decks.law import format_files
from rules.scenarios import case_files
from tests.bench.disputes import BEAT, WORKER
from tests.bench.shapes import servers
from tests.system.crowd import Crowd, gather, web
from tests.system.service import ROOT, Service, eventually, free_port
from tests.system.test_up import descendants

RUNS = 7
CARDS = 50
Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder))
        yield from _commands(service)
        service.close()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder))
        service.manage("migrate", "--verbosity", "0")
        threads = f"{WORKER} --pool threads --concurrency 18"
        yield from _memory("embedded", service, [threads, BEAT], web_workers=1)
        service.close()
    with servers() as other:
        if other is not None:
            yield from _memory(
                "servers", other, [f"{WORKER} --pool prefork --concurrency 2", BEAT], web_workers=2
            )


# --- the command line ---------------------------------------------------------------------------------------------


def _commands(service: Service) -> Iterator[Measurement]:
    """`manage.py check_deck` of a list of fifty cards, files and programs being warm; and what Django alone takes."""
    service.environment.pop("PYTHONDONTWRITEBYTECODE", None)
    service.manage("migrate", "--verbosity", "0")
    took: list[float] = service.python(LOAD)
    yield "catalogs-first-load", took[0], "s", None
    yield "catalogs-later-load", took[1], "s", None
    bare = statistics.median(_cpu(service, ["python", "-c", DJANGO]) for _ in range(RUNS))
    for game in catalog_files.shipped():
        path = service.folder / f"{game}.txt"
        path.write_text(_list(game))
        command = ["python", "manage.py", "check_deck", str(path), "--format", _format(game)]
        taken = statistics.median([_cpu(service, command) for _ in range(RUNS + 1)][1:])
        yield f"check-deck-{game}", taken, "s", ("Django alone, and one query", bare)


def _cpu(service: Service, command: list[str]) -> float:
    """Seconds of CPU of a process and its children."""
    process = subprocess.Popen(
        service.command(command), cwd=ROOT, env=service.environment, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1, 3), command
    return used.ru_utime + used.ru_stime


LOAD = """
import time
from django.utils import timezone
from decks.services import catalog_load_shipped
took = []
for _ in range(2):
    began = time.perf_counter()
    catalog_load_shipped(now=timezone.now())
    took.append(time.perf_counter() - began)
tell(took)
"""
DJANGO = "import django; django.setup(); from tournament.models import User; User.objects.first()"


def _list(game: str) -> str:
    """Fifty cards of the game's, each with its title."""
    cards = list(catalog_files.shipped_index(game))
    return "\n".join(f"1 {card.title}" for card in cards[:: max(1, len(cards) // CARDS)][:CARDS])


def _format(game: str) -> str:
    """The one of its formats that says most: its file is the longest to read."""
    keys = [key for key, law in format_files.formats().items() if law.game == game]
    return max(keys, key=lambda key: (format_files.FOLDER / f"{key}.yaml").stat().st_size)


# --- memory ---------------------------------------------------------------------------------------------------------


def _memory(shape: str, service: Service, workers: list[str], *, web_workers: int) -> Iterator[Measurement]:
    """Before and after every format judged and every timing system asked, in the web server and in a worker."""
    port = free_port()
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    crowd = gather(service, port, players=2)
    server = service.start(web(port, workers=web_workers))
    started = [service.start(worker) for worker in workers]
    assert eventually(lambda: crowd.organizer.ask("GET", "/healthz")[0] == 200), service.logs()
    for _ in range(web_workers * 4):  # whichever process takes it
        _ask_for_everything(crowd)
    for _ in range(2):  # whichever of the worker's processes takes it
        _ask_the_worker(service)
    waiting = "SELECT count(*) FROM {} WHERE finished_at IS NULL"
    assert eventually(
        lambda: all(
            service.rows(waiting.format(table)) == [(0,)] for table in ("rules_adjudication", "decks_recheck")
        ),
        300,
    ), service.logs()
    yield f"memory-{shape}-web-process", max(map(_own, descendants(server.pid))), "MB", None
    yield f"memory-{shape}-worker-process", max(map(_own, descendants(started[0].pid))), "MB", None
    everything = [pid for process in service.processes for pid in descendants(process.pid)]
    yield f"memory-{shape}-all-processes", sum(map(_own, everything)), "MB", None


def _ask_for_everything(crowd: Crowd) -> None:
    """A list of every format judged, a situation of every timing system answered, by the web server itself."""
    for key, law in format_files.formats().items():
        text = _list(law.game) or "1 Island"
        asked = {"format": key, "text": text, "on": law.default_on.isoformat()}
        _told(crowd, "/api/v1/validate", asked)
    for source in _situations():
        _told(crowd, "/api/v1/adjudicate", {"source": source})


def _told(crowd: Crowd, path: str, body: dict[str, str]) -> None:
    while (answer := crowd.organizer.ask("POST", path, body))[0] == 429:
        time.sleep(2)
    assert answer[0] == 200, answer
    crowd.organizer.hang_up()  # the next one may be another process's


def _situations() -> list[str]:
    """One of each timing system: its first case."""
    return [
        yaml.safe_dump(dict(next(case_files.cases(only=key)).data), allow_unicode=True)
        for key in sorted(path.name for path in case_files.FOLDER.iterdir() if path.is_dir())
    ]


def _ask_the_worker(service: Service) -> None:
    """The same as jobs: a deck of every format judged again, a dispute of every timing system."""
    lists = {key: _list(law.game) or "1 Island" for key, law in format_files.formats().items()}
    service.python(
        f"""
from django.utils import timezone
from decks import selectors
from decks.services import deck_submit, recheck_start
from rules.services import dispute_file
from tournament.models import User
now, by = timezone.now(), User.objects.get(username="organizer")
for key, source in {lists!r}.items():
    deck_submit(owner=by, name=key, format=key, source=source, now=now)
    recheck_start(format=key, text=selectors.format_text(key), what_if=True, by=by, now=now)
for source in {_situations()!r}:
    dispute_file(by=by, title="Bench", source=source, now=now)
"""
    )


def _own(pid: int) -> float:
    """Megabytes of a process, its part of what it shares with others among them (PSS)."""
    with suppress(OSError):  # it has just ended
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0
