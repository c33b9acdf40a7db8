"""An upgrade of the previous version's filled database, in the middle of its work: jobs of every kind queued, being
worked on, in parts, done, failed and cancelled, a file shown, an answer kept, reasons in the audit log."""

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.system.service import Service, eventually
from tests.system.venue import BEAT, WORKER

pytestmark = pytest.mark.system

# Written by the version before 2026-11-23 (rules 0007, tournament 0019, decks 0003, config 0001).
FORMER = Path(__file__).parent / "filled-2026-11-22.hj"


def former(model: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(FORMER) as archive:
        told = json.loads(archive.read("manifest.json"))
        [columns] = [table["columns"] for table in told["tables"] if table["model"] == model]
        lines = archive.read(f"tables/{model}.jsonl").splitlines()
    return [dict(zip(columns, json.loads(line), strict=True)) for line in lines]


def states(service: Service, table: str) -> Counter[str]:
    return Counter(state for (state,) in service.rows(f"SELECT state FROM {table}"))


def test_what_was_under_way_is_done_by_the_next_version(service: Service) -> None:
    service.environment |= {"WEBHOOK_HOSTS": "127.0.0.1:9", "WEBHOOK_NETWORKS": "127.0.0.0/8"}
    service.manage("restore", "--yes", str(FORMER))  # which migrates it, and asks the doctor
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
