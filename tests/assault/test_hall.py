"""The hall goes dark in every round: no report that was answered is lost, none stands twice, all find their tables.

Small and short here; `make assault ARGS="--what hall"` plays it with 200 phones and cuts of up to three minutes.
"""

import pytest

from tests.assault.hall import play
from tests.system.service import Service

pytestmark = pytest.mark.system


def test_the_hall_goes_dark(service: Service) -> None:
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    told = play(service, phones=30, rounds=2, dark=(3, 8), pause=1.5, seed=7, bound=30)
    assert told.reports == 60
