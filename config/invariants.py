"""Invariants of an installation, and how a broken one is reported.

Each app lists its own checks in `APP.invariants.CHECKS`; `manage.py doctor` runs them all (`findings`). A check reads,
never writes, and yields a finding for each thing that is wrong.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import Error as CheckError
from django.core.checks import run_checks
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.module_loading import import_string

from config.database_errors import HOW_TO_PREPARE

FREE_DISK_BYTES = 200_000_000
STALE_FILE = timedelta(hours=1)
AHEAD = timedelta(minutes=5)  # more than clocks of one installation may differ by
MOST_TOLD = 20  # findings of one check; more say nothing new


class Level(StrEnum):
    """A warning is worth a look; an error is something that must never be."""

    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold: what, where (a table and row, a file, a setting), and what to do."""

    check: str
    level: Level
    message: str
    place: str = ""
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Found = Iterator[tuple[Level, str, str, str]]  # level, message, place, remedy


@dataclass(frozen=True, slots=True)
class Check:
    """key: stable, for programs; title: what is being made sure of, as a sentence."""

    key: str
    title: str
    look: Callable[[], Found]
    rows: bool = True  # it looks at tables
    ground: bool = False  # an error here makes looking at tables pointless

    def findings(self) -> list[Finding]:
        """The first MOST_TOLD; a check that cannot be made is a finding itself."""
        found: list[Finding] = []
        try:
            for level, message, place, remedy in self.look():
                found.append(Finding(self.key, level, message, place, remedy))
                if len(found) == MOST_TOLD:
                    break
        except Exception as error:  # whatever is broken, the other checks are still worth making
            message = f"This could not be checked ({type(error).__name__}: {str(error).splitlines()[0]})."
            found.append(
                Finding(self.key, Level.ERROR, message, "", "Fix the findings above first, if there are any.")
            )
        return found


def examined(wanted: Iterable[Check]) -> Iterator[tuple[Check, list[Finding] | None]]:
    """Each check with its findings; None where it was not made: the database cannot be read, or has another shape."""
    sunk = False
    for check in wanted:
        found = None if sunk and check.rows else check.findings()
        sunk = sunk or (check.ground and any(one.level is Level.ERROR for one in found or ()))
        yield check, found


def checks() -> list[Check]:
    """Every check, the ground first."""
    return [
        *CHECKS,
        *(
            one
            for app in ("rules", "decks", "tournament")
            for one in import_string(f"{app}.invariants.CHECKS")
        ),
    ]


# --- the ground: database, schema, settings, files -----------------------------------------------------------


def _database() -> Found:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for (line,) in cursor.execute("PRAGMA integrity_check(20)").fetchall():
                if line != "ok":
                    yield (
                        Level.ERROR,
                        f"The database file is damaged: {line}.",
                        _database_place(),
                        "Restore a backup.",
                    )
            mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal":
            message = f"The database keeps its journal as “{mode}”: readers and writers block each other."
            yield (
                Level.WARNING,
                message,
                _database_place(),
                "Restore the file from a backup made by “backup”.",
            )
    connection.check_constraints()  # every reference leads to a row; PostgreSQL checks only what was deferred


def _migrations() -> Found:
    executor = MigrationExecutor(connection)
    if not executor.loader.applied_migrations:
        yield (
            Level.ERROR,
            "The database is empty. Nothing has been set up in it yet.",
            "",
            HOW_TO_PREPARE,
        )
        return
    for migration, _backwards in executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield Level.ERROR, f"Migration {migration} has not been applied.", "", HOW_TO_PREPARE
    for app, name in sorted(set(executor.loader.applied_migrations) - set(executor.loader.disk_migrations)):
        message = f"Migration {app}.{name} has been applied, but this version of Headjudge doesn’t have it."
        yield (
            Level.ERROR,
            message,
            "",
            "Run the newer version that wrote this database, or restore an older backup.",
        )


def _constraints() -> Found:
    """The database itself closes the races: each rule that the models name must be there and in force."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        there = _rules_there(cursor)
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            if table in tables:  # else told as a migration that is missing
                for rule in model._meta.constraints:
                    if (table, rule.name[:63]) not in there:
                        message = f"The constraint “{rule.name}” is missing."
                        yield Level.ERROR, message, table, "Restore a backup made by “backup”."
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE NOT convalidated"
                " UNION SELECT indrelid::regclass::text, indexrelid::regclass::text FROM pg_index"
                " WHERE NOT indisvalid"
            )
            for table, name in cursor.fetchall():
                message = f"“{name}” exists but is not enforced."
                yield Level.ERROR, message, table, "Validate the constraint, or rebuild the index."


def _rules_there(cursor: Any) -> set[tuple[str, str]]:
    """(table, name) of every constraint and unique index. (Django's own reading of SQLite stumbles over ours.)"""
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE conrelid <> 0"
            " UNION SELECT indrelid::regclass::text, indexrelid::regclass::text FROM pg_index WHERE indisunique"
        )
        return {(table, name) for table, name in cursor.fetchall()}
    cursor.execute("SELECT tbl_name, type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    found = set()
    for table, kind, name, text in cursor.fetchall():
        names = [name] if kind == "index" else re.findall(r'CONSTRAINT "([^"]+)"', text)
        found |= {(table, one) for one in names}
    return found


def _settings() -> Found:
    for problem in run_checks(include_deployment_checks=settings.PRODUCTION):
        level = Level.ERROR if problem.level >= CheckError("").level else Level.WARNING
        yield level, problem.msg, str(problem.id or ""), problem.hint or ""
    if settings.JOB_LEASE_SECONDS < 2:
        message = "A worker’s lease is shorter than the time between two progress reports."
        yield Level.ERROR, message, "JOB_LEASE_SECONDS", "Set it to 10 or more."
    if settings.READY_MAX_QUEUE_SECONDS < settings.JOB_LEASE_SECONDS:
        message = "The service would be reported as slow before a dead worker’s job is requeued."
        yield Level.WARNING, message, "READY_MAX_QUEUE_SECONDS", "Set it above JOB_LEASE_SECONDS."


def _disk() -> Found:
    free = shutil.disk_usage(settings.VAR_DIR).free
    if free < FREE_DISK_BYTES:
        yield (
            Level.WARNING,
            f"{free // 1_000_000} MB are free on the disk.",
            str(settings.VAR_DIR),
            "Make room.",
        )
    now = timezone.now().timestamp()
    leftovers = [
        *Path(settings.VAR_DIR).glob("queue/messages/.*.part"),
        *Path(settings.VAR_DIR).glob("*.restoring*"),
        *Path(settings.VAR_DIR).glob(".*.backup-part"),
    ]
    for file in leftovers:
        if now - file.stat().st_mtime > STALE_FILE.total_seconds():
            yield Level.WARNING, "A file that was never completed is left over.", str(file), "Delete it."


def _broker() -> Found:
    """The broker is a doorbell: without it everything is late, and nothing is lost."""
    remedy = "Start it. Nothing is lost: waiting jobs are sent again."
    if settings.EMBEDDED_BROKER:
        return
    import redis

    try:
        redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=3, socket_connect_timeout=3).ping()
    except redis.RedisError as error:
        yield (
            Level.WARNING,
            f"The broker doesn’t answer ({type(error).__name__}).",
            "CELERY_BROKER_URL",
            remedy,
        )


def _clock() -> Found:
    """Times are told by the machine's clock; a row from the future says that it was moved."""
    model = apps.get_model(settings.AUDIT_MODEL)
    last = model._default_manager.order_by("-pk").values_list("pk", "at").first()
    if last is not None and last[1] - timezone.now() > AHEAD:
        when = f"{last[1]:%Y-%m-%d %H:%M} UTC"
        message = f"The latest record is from {when}. The clock was ahead then, or is behind now."
        yield Level.WARNING, message, f"{model._meta.db_table} {last[0]}", "Set the machine’s clock (NTP)."


def _database_place() -> str:
    return str(connection.settings_dict["NAME"])


CHECKS = [
    Check(
        "database",
        "The database is readable, and all its references exist.",
        _database,
        ground=True,
    ),
    Check("migrations", "The database schema is the one this version expects.", _migrations, ground=True),
    Check("constraints", "The database enforces every constraint of the models.", _constraints),
    Check("settings", "The settings are consistent.", _settings, rows=False),
    Check("disk", "There is space on the disk, and no half-written file.", _disk, rows=False),
    Check("broker", "The broker answers.", _broker, rows=False),
    Check("clock", "No row is dated in the future.", _clock),
]
