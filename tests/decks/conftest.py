"""Lists and formats the tests of decks speak about."""

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from decks.cards.catalog_files import FOLDER, CatalogData, read_csv
from decks.cards.index import CatalogIndex

PROJECT = Path(__file__).resolve().parents[2]

# A date on which FAQ 3.0's list is surely in force.
FAQ_30 = date(2013, 10, 1)

# Titles of the shipped catalog on none of the lists, for filling decks up.
FILLERS = (
    "Local Sheriff",
    "Repo Man",
    "Clover Club Bouncer",
    "Expendable Muscle",
    "Shotgun",
    "Shotgun Blast",
    "Chess Prodigy",
    "Omega Alumnus",
    "Hapless Graduate Student",
    "Notebook Sketches",
    "Rabbit's Foot",
    "Dynamite",
    "Bloodbath",
    "Inside Information",
    "Victoria Glasser",
    "Living Mummy",
    "Young Deep One",
    "Slavering Gug",
)


def some_cards(game: str) -> CatalogIndex:
    """The cards of a game that we keep by hand alone, as a catalog that knows it is partial."""
    name = f"{game}.csv"
    cards = read_csv((FOLDER / name).read_bytes(), name=name)
    return CatalogData(game, game, partial=True, cards=cards).index()


@pytest.fixture(scope="session")
def fill() -> Callable[[str, int], str]:
    """fill("1x Magah Bird", 50) -> that list, filled up to 50 cards with cards nobody minds."""

    def filled(lines: str, size: int) -> str:
        from decks.lists import read

        missing = size - read(lines).count
        out = [lines]
        for name in FILLERS:
            if missing > 0:
                out.append(f"{min(3, missing)}x {name}")
                missing -= min(3, missing)
        assert missing <= 0, "not enough fillers"
        return "\n".join(out)

    return filled


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of collected real data beside the project; a test that needs it is skipped without it."""
    for folder in (os.environ.get("HEADJUDGE_SHARED", ""), PROJECT.parent / "shared"):
        if folder and Path(folder, "data", "cards").is_dir():
            return Path(folder)
    pytest.skip("the collected decks are not here (../shared or HEADJUDGE_SHARED)")


@pytest.fixture
def api(db: None) -> Any:
    from rest_framework.test import APIClient

    return APIClient()
