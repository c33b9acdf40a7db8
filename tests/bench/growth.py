"""How costs grow, as exponents: 1 is "twice as much takes twice as long", 2 "four times". With the players: tournament.

Cards in a deck, cards on the table of a dispute; abilities that trigger at the same moment, for which it is told how
many times as much one more takes; and what a full budget of positions takes of time and memory. Times are the
processor's, of one core.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import log

from decks.cards import catalog_files
from decks.judging.judgement import judge
from decks.law import format_files
from decks.legality import check, identify
from decks.lists import read
from rules import scenarios
from rules.scenarios.adjudicate import adjudicate
from tests.bench.rules import explore, forced_responses

Measurement = tuple[str, float, str, tuple[str, float] | None]
POSITIONS = 200_000


def measure() -> Iterator[Measurement]:
    yield from _cards_in_a_deck()
    yield from _cards_on_the_table()
    yield from _triggers()
    yield from _full_budget()


def _cards_in_a_deck() -> Iterator[Measurement]:
    """50 and 800 different titles, judged, and read from text and judged."""
    catalog, snapshot = catalog_files.shipped_index("coc-lcg"), format_files.snapshot("coc-lcg")
    titles = sorted({card.title for card in catalog_files.shipped()["coc-lcg"].cards})
    checked, whole = {}, {}
    for number in (50, 800):
        text = "".join(f"1x {title}\n" for title in titles[:number]).encode()
        deck = identify(read(text).entries, snapshot, catalog)
        checked[number] = _seconds(lambda deck=deck: check(deck, snapshot, catalog), 20)  # type: ignore[misc]
        whole[number] = _seconds(lambda text=text: judge(read(text), snapshot, catalog), 3)  # type: ignore[misc]
    yield "growth-cards-of-a-deck-check", _exponent(checked, 50, 800), "power", None
    yield "growth-cards-of-a-deck-read-and-check", _exponent(whole, 50, 800), "power", None


def _cards_on_the_table() -> Iterator[Measurement]:
    """A dispute about two cards, with 20 and 320 others in play that have nothing to do with it."""
    taken = {}
    for number in (20, 320):
        others = "".join(f"  c{at}: {{type: character, of: Ann, zone: play}}\n" for at in range(number))
        source = forced_responses(2, False).replace("did:", f"{others}did:")
        canonical = scenarios.read(source).canonical
        taken[number] = _seconds(lambda one=canonical: adjudicate(one, budget=POSITIONS), 3)  # type: ignore[misc]
    yield "growth-cards-in-play-answer", _exponent(taken, 20, 320), "power", None


def _triggers() -> Iterator[Measurement]:
    """Abilities that trigger at once and commute: from n to n + 1 their orders grow n + 1 times, these must not."""
    seconds, positions = {}, {}
    for number in (6, 12):
        seconds[number], graph = explore(forced_responses(number, False))
        positions[number] = float(graph.positions)
    for what, taken in (("time", seconds), ("positions", positions)):
        yield (
            f"growth-triggers-commuting-{what}",
            (taken[12] / taken[6]) ** (1 / 6),
            "times for each more",
            None,
        )


def _full_budget() -> Iterator[Measurement]:
    """As many positions as a dispute may have, of which no two are the same; in a process of its own."""
    for number, budget in ((8, 1_000_000), (9, POSITIONS)):
        code = f"from tests.bench.growth import tell; tell({number}, {budget})"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        seconds, positions, megabytes = map(float, told.split())
        if number == 8:
            yield "rules-explore-8-different-forced", seconds, "s", None
            yield "rules-explore-8-different-forced-positions", positions, "positions", None
        else:
            yield f"rules-explore-{POSITIONS}-positions", seconds, "s", None
            yield f"rules-explore-{POSITIONS}-positions-memory", megabytes, "MB", None


def tell(number: int, budget: int) -> None:
    """Print what exploring so many different Forced Responses takes: seconds, positions, MB of the whole process."""
    import resource

    seconds, graph = explore(forced_responses(number, True), budget)
    print(seconds, graph.positions, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _seconds(work: Callable[[], object], times: int) -> float:
    """The best of three rounds."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - start) / times)
    return best


def _exponent(taken: dict[int, float], small: int, large: int) -> float:
    return log(taken[large] / taken[small]) / log(large / small)
