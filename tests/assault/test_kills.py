"""What was acknowledged is there, once, whatever was killed whenever; `make assault` does it for longer."""

import os

import pytest

from tests.assault.kills import assault
from tests.system.service import Service

pytestmark = [pytest.mark.system, pytest.mark.django_db]

SECONDS = 12


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice(service: Service) -> None:
    seed = int.from_bytes(os.urandom(4))  # another one each time; it is told with what was found
    found = assault(service, seconds=SECONDS, seed=seed)
    assert found.sound, (seed, str(found))
    # Else it proves nothing.
    assert sum(found.kills.values()) >= 4 and len(found.ledger.taken) > 4 and found.told > 0, (
        seed,
        str(found),
    )
