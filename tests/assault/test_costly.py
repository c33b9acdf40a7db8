"""Guests ask for costly answers from many addresses: they take turns, and everybody else is served meanwhile.

How long people wait is measured, not tested: `make assault ARGS="--what waits"`.
"""

import pytest

from tests.assault.costly import Costly
from tests.assault.people import Waits, visit
from tests.assault.test_stalled import port, run

__all__ = ["port"]  # the fixture
pytestmark = pytest.mark.system


async def _beside(port: int, answers: set[str]) -> Waits:
    async with Costly(port).under_way() as guests:
        waits = await visit(port, 12, people=5)
        answers |= set(guests.answers)
    return waits


def test_guests_who_ask_for_costly_answers_hold_nobody(port: int) -> None:
    answers: set[str] = set()
    waits = run(_beside(port, answers))
    assert {"200", "403"} == set(waits.answers), waits
    # 422: it takes longer than one request is allowed to
    assert "429" in answers and answers <= {"200", "422", "429"}, answers
