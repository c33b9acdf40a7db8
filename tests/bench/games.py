"""What the command line takes for one list of each game, and how long the card data of all takes to load.

CPU times are of whole processes, the median of several.
"""

import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from decks.cards import catalog_files
from decks.law import format_files
from tests.system.service import ROOT, Service

RUNS = 7
CARDS = 50
Measurement = tuple[str, float, str, tuple[str, float] | None]


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder))
        yield from _commands(service)
        service.close()


# --- the command line ---------------------------------------------------------------------------------------------


def _commands(service: Service) -> Iterator[Measurement]:
    """`manage.py check_deck` of a list of fifty cards, files and programs being warm; and what Django alone takes."""
    service.environment.pop("PYTHONDONTWRITEBYTECODE", None)
    service.manage("migrate", "--verbosity", "0")
    took: list[float] = service.python(LOAD)
    yield "catalogs-first-load", took[0], "s", None
    yield "catalogs-later-load", took[1], "s", None
    held: list[float] = service.python(HOLD)
    yield "catalogs-all-in-memory", held[0], "s", None
    yield "worker-all-games-memory", held[1], "MB", None
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
# A worker that has judged decks of every game, under every format, and read every game's rules and cards.
HOLD = """
import resource, time
from decks import selectors
from decks.cards import catalog_files
from decks.law import format_files
from rules.law import system_files
began = time.process_time()
for game in catalog_files.shipped():
    selectors.catalog(game)
took = time.process_time() - began
for law in format_files.formats():
    format_files.snapshot(law)
for one in system_files.systems():
    system_files.library(one.key)
tell([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024])
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
