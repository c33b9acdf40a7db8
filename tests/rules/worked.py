"""The worked cases (rules/cases), read from their files once for all the tests of a process.

| variable | tests of properties then look at |
|---|---|
| HEADJUDGE_TEST_CASES | `all`: every case; else a sample of them, the same one each time |
"""

import json
import os
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from rules import scenarios
from rules.scenarios import case_files
from rules.scenarios.case_files import Case

CASES = tuple(case_files.cases())
ORIGINALS = tuple(case for case in CASES if not case.twin_of)
NAMED = {case.name: case for case in CASES}
EVERY = os.environ.get("HEADJUDGE_TEST_CASES") == "all"


def sample(cases: Sequence[Case], most: int, seed: str) -> list[Case]:
    """So many of them, drawn by the seed from all systems alike, in the order of their names; or every one (above)."""
    if EVERY or most >= len(cases):
        return list(cases)
    return sorted(random.Random(seed).sample(cases, most), key=lambda case: case.name)


def situation(case: Case) -> dict[str, Any]:
    """The case's canonical form, to be changed as one likes: its file is read as text once."""
    told: dict[str, Any] = json.loads(_canonical(case.name))
    return told


@cache
def _canonical(name: str) -> str:
    return json.dumps(scenarios.read(case_files.text(NAMED[name])).canonical)
