"""An upgrade of the previous version's filled database. One is in the middle of its work: jobs of every kind queued,
being worked on, in parts, done, failed and cancelled, a file shown, an answer kept, reasons in the audit log. The other
has events of every kind: by each shipped policy, ended or in the bracket, over two days, the demo's, and the one that
tests/access asks its table of routes of."""

import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.system.service import Service, eventually
from tests.system.test_backup import tables
from tests.system.venue import BEAT, WORKER

pytestmark = pytest.mark.system

# Written by the version before 2026-11-23 (rules 0007, tournament 0019, decks 0003, config 0001).
FORMER = Path(__file__).parent / "filled-2026-11-22.hj"
# Written by the version of 2026-11-24 (3595169; rules 0009, tournament 0028, decks 0006, config 0002): its
# tests.access.world, `manage.py demo`, and events of tournament.simulator.
EVENTS = Path(__file__).parent / "filled-2026-11-24.hj"


def former(model: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(FORMER) as archive:
        told = json.loads(archive.read("manifest.json"))
        [columns] = [table["columns"] for table in told["tables"] if table["model"] == model]
        lines = archive.read(f"tables/{model}.jsonl").splitlines()
    return [dict(zip(columns, json.loads(line), strict=True)) for line in lines]


def states(service: Service, table: str) -> Counter[str]:
    return Counter(state for (state,) in service.rows(f"SELECT state FROM {table}"))


# Everything a database is made of, as its own catalog tells it; the order of columns and generated names are free.
CATALOG = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, character_maximum_length"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT conrelid::regclass::text, contype::text, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
    "SELECT tablename, regexp_replace(indexdef, 'INDEX \\S+ ON', 'INDEX ON') FROM pg_indexes"
    " WHERE schemaname = 'public'",
    "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)


def shape(service: Service) -> Counter[str]:
    """The lines of every statement that makes the database."""
    if "DATABASE_URL" in service.environment:
        return Counter(str(row) for query in CATALOG for row in service.rows(query))
    made: Counter[str] = Counter()
    for kind, table, sql in service.rows("SELECT type, tbl_name, sql FROM sqlite_master WHERE sql <> ''"):
        if kind == "table":
            columns = re.split(r", (?=\"|CONSTRAINT|UNIQUE|CHECK)", sql.partition("(")[2][:-1])
            made.update(f"{table}: {column}" for column in columns)
        else:
            made[re.sub(r'INDEX "\w+" ON', "INDEX ON", sql)] += 1
    return made


def test_what_was_under_way_is_done_by_the_next_version(service: Service) -> None:
    service.environment |= {"WEBHOOK_HOSTS": "127.0.0.1:9", "WEBHOOK_NETWORKS": "127.0.0.0/8"}
    built = shape(service)  # at once, as an empty database is
    service.manage("restore", "--yes", str(FORMER))  # which migrates it, and asks the doctor
    assert shape(service) == built and built.total() > 800
    before = Counter(row["state"] for row in former("rules.adjudication"))
    assert {"queued", "running", "split", "done", "failed", "cancelled"} <= set(before)
    reasons = {row["id"]: row["reason"] for row in former("tournament.auditrow") if row["reason"]}
    assert dict(service.rows("SELECT row_id, text FROM tournament_auditreason")) == reasons != {}
    assert service.rows("SELECT key FROM config_keptanswer") == [("former",)]

    pool = "prefork" if "DATABASE_URL" in service.environment else "threads"
    service.start(f"{WORKER} --pool {pool}")
    service.start(BEAT)
    open_jobs = " UNION ALL ".join(
        f"SELECT state FROM {table} WHERE state IN ('queued', 'running')"
        for table in ("rules_adjudication", "decks_recheckchunk", "tournament_fileimport")
    )
    assert eventually(lambda: service.rows(open_jobs) == [], 120), service.logs()
    waiting = "SELECT count(*) FROM tournament_delivery WHERE state IN ('queued', 'running') AND runs = 0"
    assert eventually(lambda: service.rows(waiting) == [(0,)]), service.logs()

    # Disputes that waited were filed under rules that this version has changed: they say so, and can be asked again.
    under_way = before["queued"] + before["running"] + before["split"]
    assert states(service, "rules_adjudication") == {
        "done": before["done"],
        "failed": before["failed"] + under_way,
        "cancelled": before["cancelled"],
    }


# What the words of the table's addresses stand for there (tests.access.world); what came later has no word.
WORDS = {
    "ban": 1, "browser": 1, "call": 1, "check": 1, "deck": 6, "delivery": 2, "dispute": 3, "entry": 6, "group": 1,
    "guest": 12, "import": 1, "invite": 1, "joined": 1, "law_run": 1, "match": 5, "penalty": 1, "recheck": 1,
    "ruled": 2, "ruled_run": 3, "ruling": 2, "run": 4, "secret": "ezXdgtaT1TZ5ojhzn97besVjJDCZ9RtA", "staff": 5,
    "table": 1, "taken": 2, "token": 1, "webhook": 1,
}  # fmt: skip
WALK = """
from django.test import Client
from tests.access import table
from tests.access.world import WHO
from tournament.models import Event, Registration, User
from tournament.selectors.codes import claim_code, presence_code

entry, guest = (Registration.objects.get(pk=words[one]) for one in ("entry", "guest"))
words |= {"claim": claim_code(guest), "presence": presence_code(entry)}
wrong, asked = [], 0
for who in ("player", "owner"):
    session = table.session_of(User.objects.filter(username=who).first())
    for row in table.rows():
        if row.method == "GET":
            status = table.answer(row, session, words).status_code
            asked += 1
            if status != row.statuses[WHO.index(who)]:
                wrong.append(f"{who}: {row.address}: {status}")
for event in Event.objects.all():
    owner = Client()
    owner.force_login(event.staff.filter(role="owner").first().user)
    pages = ["", "control", "players", "standings", "bracket", "pairings", "log", "export/event.json", "settings"]
    pages += [f"pairings/{round.number}" for round in event.rounds.all()]
    for page in pages:
        status = owner.get(f"/events/{event.slug}/{page}").status_code
        asked += 1
        if status >= 500:
            wrong.append(f"/events/{event.slug}/{page}: {status}")
tell([asked, wrong])
"""


def test_events_of_every_kind_are_what_they_were(service: Service, tmp_path: Path) -> None:
    """Every row holds what it held, but what Django keeps for itself; every page is shown to whom it was."""
    service.manage("restore", "--yes", str(EVENTS))
    service.manage("backup", str(tmp_path / "now.hj"))
    then, now = tables(EVENTS), tables(tmp_path / "now.hj")
    for model in then.keys() - {"auth.permission", "contenttypes.contenttype"}:
        kept = (
            [{word: row[word] for word in then[model][0]} for row in now[model]]
            if then[model]
            else now[model]
        )
        assert kept == then[model], model
    service.manage("collectstatic", "--noinput", "--verbosity", "0")
    asked, wrong = service.python(f"words = {WORDS!r}\n{WALK}")
    assert not wrong and asked > 400
