"""What was acknowledged is there, once, whatever was killed whenever; `make assault` does it for longer."""

import pytest

from tests.assault.kills import assault
from tests.system.service import Service

pytestmark = [pytest.mark.system, pytest.mark.django_db]

SECONDS = 12
SEED = 1928  # `make assault` takes another one each time


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice(service: Service) -> None:
    found = assault(service, seconds=SECONDS, seed=SEED)
    assert found.sound, str(found)
    # Else it proves nothing.
    assert sum(found.kills.values()) >= 4 and len(found.ledger.taken) > 4 and found.told > 0, str(found)
