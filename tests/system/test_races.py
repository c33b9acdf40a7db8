"""People and workers acting in the same instant on one dispute, on SQLite and on PostgreSQL."""

from collections import Counter
from typing import Any

import pytest

from tests.rules.scenarios import SHOTGUN, different
from tests.system.service import Service

pytestmark = pytest.mark.system

PRELUDE = f"""
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone
from config import jobs
from config.errors import UserError
from rules import services
from rules.models import Adjudication, Dispute, Ruling

now = timezone.now()
judge = get_user_model().objects.create_user("judge")
sources = {[different(SHOTGUN, number) for number in range(10)]!r}

def file(source):
    return services.dispute_file(by=judge, title="Race", source=source, now=now)

def together(work, count=8):
    '''What `work` gave, or the code of its error, in so many threads that begin at once.'''
    barrier = Barrier(count)
    def one(number):
        connection.ensure_connection()
        barrier.wait()
        try:
            return work()
        except UserError as error:
            return error.code
        finally:
            connection.close()
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))
"""


def race(service: Service, code: str) -> Any:
    return service.python(PRELUDE + code)


def test_a_job_goes_to_one_worker(service: Service) -> None:
    claimed = race(
        service,
        """
told = []
for job in [file(source).adjudications.get() for source in sources]:
    told.append(sum(together(lambda: jobs.claim(services.ADJUDICATION, job.pk, now) is not None)))
    services.adjudication_cancel(adjudication=job, by=judge, now=now)  # a person has one in hand at a time
tell(told)
""",
    )
    assert claimed == [1] * 10
    assert service.rows("SELECT DISTINCT runs FROM rules_adjudication") == [(1,)]


@pytest.mark.parametrize("left", ["a dead worker", "an emptied broker"])
def test_of_sweeps_at_once_one_mends_a_job(service: Service, left: str) -> None:
    """As with several beats."""
    told = race(
        service,
        f"""
told, later = [], now + timedelta(minutes=1)
for source in sources[:4]:
    job = file(source).adjudications.get()
    if {left == "a dead worker"}:
        jobs.claim(services.ADJUDICATION, job.pk, now)
    told.append(sum(together(lambda: jobs.sweep(services.ADJUDICATION, later))))
    services.adjudication_cancel(adjudication=job, by=judge, now=later)
tell(told)
""",
    )
    assert told == [1] * 4
    put_back = service.rows("SELECT count(*) FROM tournament_auditrow WHERE verb = 'adjudication_requeue'")
    assert put_back == [(4 if left == "a dead worker" else 0,)]


def test_the_same_question_asked_at_once_is_one_row(service: Service) -> None:
    rows = race(
        service,
        """
told = []
for source in sources:
    dispute = file(source)
    other = services.scenario_under(dispute=dispute, system="coc-ccg")
    ask = lambda: services.adjudication_queue(dispute=dispute, scenario=other, by=judge, now=now).pk
    told.append(len(set(together(ask))))
tell(told)
""",
    )
    assert rows == [1] * 10
    assert service.rows("SELECT count(*) FROM rules_adjudication") == [(20,)]


def test_of_final_rulings_given_at_once_one_stands(service: Service) -> None:
    rulings = race(
        service,
        """
told = []
for source in sources[:5]:
    dispute = file(source)
    rule = lambda: services.ruling_file(
        dispute=dispute, by=judge, verdict="So be it.", event_side="final", now=now) and "filed"
    told.append(together(rule))
tell(told)
""",
    )
    assert [Counter(round) for round in rulings] == [Counter({"filed": 1, "final-ruling": 7})] * 5


def test_of_floor_rulings_given_at_once_each_corrects_the_one_before_and_one_stands(service: Service) -> None:
    race(
        service,
        """
for source in sources[:5]:
    dispute = file(source)
    rule = lambda: services.ruling_file(dispute=dispute, by=judge, verdict="So be it.", now=now) and "filed"
    together(rule)
""",
    )
    given = "SELECT dispute_id, count(*), count(supersedes_id) FROM rules_ruling GROUP BY dispute_id"
    told = service.rows(given)
    assert len(told) == 5 and all(filed == corrections + 1 for _, filed, corrections in told), told


def test_of_appeals_made_at_once_one_is_heard_and_of_its_outcomes_one_holds(service: Service) -> None:
    told = race(
        service,
        """
told = []
for dispute in [*map(file, sources[:3]), None, None]:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="So be it.", system="coc-lcg", now=now)
    appealed = together(lambda: services.appeal_file(ruling=ruling, by=judge, now=now) and "heard")
    decide = lambda: services.ruling_file(dispute=dispute, by=judge, verdict="It stays.", event_side="final",
        system="coc-lcg", supersedes=ruling, change="upheld", now=now) and "decided"
    told.append([appealed, together(decide)])
tell(told)
""",
    )
    for appealed, decided in told:
        assert Counter(appealed) == Counter({"heard": 1, "already-appealed": 7})
        assert Counter(decided) == Counter({"decided": 1, "superseded": 7})


def test_a_correction_and_an_appeal_at_once_do_not_pass_each_other(service: Service) -> None:
    told = race(
        service,
        """
told = []
for source in sources:
    dispute = file(source)
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="So be it.", now=now)
    works = iter([
        lambda: services.appeal_file(ruling=ruling, by=judge, now=now) and "appealed",
        lambda: services.ruling_file(dispute=dispute, by=judge, verdict="No.", now=now) and "corrected",
    ])
    told.append(sorted(together(lambda: next(works)(), count=2)))
tell(told)
""",
    )
    assert all(pair in (["appealed", "appealed"], ["corrected", "superseded"]) for pair in told), told


def test_finishing_and_cancelling_at_once_end_the_job_once(service: Service) -> None:
    ends = race(
        service,
        """
told = []
for source in sources:
    job = file(source).adjudications.get()
    job = jobs.claim(services.ADJUDICATION, job.pk, now)
    answer = {"counts": {"positions": 1}}
    def finish():
        try:
            jobs.finish(services.ADJUDICATION, job, now, answer=answer)
        except jobs.NotOurs:
            return False
        return True
    def cancel():
        services.adjudication_cancel(adjudication=Adjudication(pk=job.pk), by=judge, now=now)
        return True
    works = iter([finish, cancel] * 4)
    told.append(sum(result is True for result in together(lambda: next(works)())))
tell(told)
""",
    )
    assert ends == [1] * 10
    verbs = "('adjudication_finish', 'adjudication_cancel')"
    assert service.rows(f"SELECT count(*) FROM tournament_auditrow WHERE verb IN {verbs}") == [(10,)]
