"""One account files fifty of the worst disputes; everybody else is answered meanwhile, and no server is restarted.

How long they wait is measured, not tested: `make assault ARGS="--what waits"`.
"""

import pytest

from tests.assault.disputes import WORST, Innocents, file_the_worst, installation, ready
from tests.assault.people import visit
from tests.assault.test_stalled import run
from tests.system.service import Service

pytestmark = [pytest.mark.system, pytest.mark.django_db]


def test_nobody_waits_behind_somebody_who_asks_for_much(service: Service) -> None:
    service.environment |= {"READY_MAX_QUEUE_SECONDS": "0.1"}
    with installation(service, players=5) as (crowd, port):
        filed = file_the_worst(crowd, port)
        answered = Innocents(crowd, port, people=3).ask_for(seconds=6)
        ended = "SELECT count(*) FROM rules_adjudication WHERE dispute_id IN (%s) AND finished_at IS NOT NULL"
        [[over]] = service.rows(ended % ", ".join(map(str, filed)))
        assert set(answered.answers) == {"done"}, (answered, service.logs())
        assert len(answered.seconds) >= 3
        assert over < WORST // 2, "they were answered before what was filed before theirs"
        status, told = ready(crowd)
        assert status == 200 and told["ready"] and told["slow"], told
        seen = run(visit(port, 2, people=3))
        assert set(seen.answers) <= {"200", "403"}, seen
