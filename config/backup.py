"""Backs up the whole database to one file and restores it, between SQLite and PostgreSQL in either direction.

The file is a zip: a table a member, a row a line of JSON, and `manifest.json`, written last: what made it, the shape
of the database (its migrations), and each table's columns, rows, SHA-256 and content. It is read in one snapshot, so
writers go on meanwhile. Restoring builds a database beside the present one, reads it back and compares it with the file
row by row, brings it to this version's shape, lets it be checked, and only then puts it in its place, at once: whoever
looks sees the former or the restored one, never a part.

The SHA-256 is of the bytes in this file; the content is of the rows alone. Only the content can be compared between
databases: PostgreSQL's `jsonb` keeps the keys of an object in an order of its own, and sorts texts by its collation.
"""

import base64
import hashlib
import json
import os
import secrets
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config import archives, given_files
from config.consistent_reads import one_moment
from config.database_errors import HOW_TO_PREPARE
from config.errors import Conflict, UserError
from config.new_database import build

KIND = "headjudge-backup"
FORMAT = 1
MANIFEST = "manifest.json"
BATCH = 500
# Of a file that claims to be a backup. Ours unpack to five times their size, twenty where rows are much alike.
MOST_TIMES, BLANK = 100, 50_000_000  # bytes
MOST_MEMBERS = 1_000
MOST_MANIFEST = 10_000_000
MOST_ROW = 200_000_000  # the largest one holds a file on its way in
MOST_PARTS = 10_000_000  # values of a row, which take some hundred bytes of memory each

Say = Callable[[str], None]
Manifest = dict[str, Any]


# --- writing -----------------------------------------------------------------------------------------------


def backup(file: Path, say: Say = lambda text: None) -> Manifest:
    """Write the database to `file`, readable by its owner alone; its manifest. A former file stays until the new one
    is whole.

    Raises UserError `cannot-write`; Conflict `not-migrated`.
    """
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Conflict(
            "not-migrated",
            "The database schema doesn’t match this version.",
            remedy=f"{HOW_TO_PREPARE} Or make the backup with the version that wrote it.",
        )
    part = file.with_name(f".{file.name}.backup-part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive, one_moment():
                manifest = _write(archive, sorted(map(list, executor.loader.applied_migrations)), say)
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UserError(
            "cannot-write", f"The backup cannot be written: {error.strerror or error}.", place=str(file),
            remedy="Name an existing, writable folder with enough space.",
        ) from error  # fmt: skip
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return manifest


def _write(archive: zipfile.ZipFile, migrations: list[list[str]], say: Say) -> Manifest:
    tables = []
    for model in _models(current_apps):
        columns = [field.attname for field in model._meta.concrete_fields]
        digest, content, count = hashlib.sha256(), Content(), 0
        with archive.open(f"tables/{model._meta.label_lower}.jsonl", "w", force_zip64=True) as member:
            for row in _stored(model, columns):
                line = _line(row)
                member.write(line)
                digest.update(line)
                content.add(row)
                count += 1
        tables.append(
            {
                "model": model._meta.label_lower,
                "columns": columns,
                "rows": count,
                "sha256": digest.hexdigest(),
                "content": str(content),
            }
        )
        say(f"{model._meta.label_lower}: {count}")
    manifest: Manifest = {
        "kind": KIND,
        "format": FORMAT,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "database": connection.vendor,
        "migrations": migrations,
        "tables": tables,
    }
    archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return manifest


class Content:
    """What a table holds, as one number: the same rows give the same, in whatever order they, and the keys of the
    JSON in them, are read. A number is its value: `jsonb` makes 10000000000000000 of 1e16."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, row: Iterable[Any]) -> None:
        plain = _valued(json.loads(_line(row)))
        line = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(line.encode()).digest())) % 2**256

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self._sum == other._sum

    def __str__(self) -> str:
        return f"{self._sum:064x}"

    __hash__ = None  # type: ignore[assignment]  # it changes


def _valued(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _valued(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_valued(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _stored(model: type[models.Model], columns: list[str]) -> Iterator[tuple[Any, ...]]:
    rows: models.QuerySet[Any, Any] = models.QuerySet(model).order_by("pk").values_list(*columns)
    return rows.iterator(chunk_size=1000)


def _line(row: Iterable[Any]) -> bytes:
    text = json.dumps(list(row), default=_plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _models(apps: Apps | Any) -> list[type[models.Model]]:
    """Every model with a table, those of connecting tables too; in the order of their names."""
    found = apps.get_models(include_auto_created=True)
    return sorted((one for one in found if one._meta.managed and not one._meta.proxy), key=_label)


def _label(model: type[models.Model]) -> str:
    return model._meta.label_lower


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    raise TypeError(f"{type(value).__name__} has no place in a backup")


# --- reading -----------------------------------------------------------------------------------------------


@contextmanager
def opened(file: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """A backup that this version can read: whole, and no newer than it.

    Raises UserError `no-file`, `no-backup`, `damaged`, `newer`, `too-large`.
    """
    try:
        with given_files.opened(file, remedy="Check the name.") as raw, archives.archive(raw) as archive:
            yield archive, _manifest(archive, file)
    except (OSError, archives.BadArchive) as error:
        raise _no_backup(file) from error


def _manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    members = {one.filename: one for one in archives.members(archive, MOST_MEMBERS)}
    packed, size = file.stat().st_size, sum(one.file_size for one in members.values())
    if size > BLANK + MOST_TIMES * packed:
        raise UserError(
            "too-large", f"The backup says that it holds {size:,} bytes, in a file of {packed:,}: no backup does.",
            place=str(file), remedy="Nothing was changed. Name a file that “backup” wrote.",
        )  # fmt: skip
    try:
        manifest = json.loads(archives.content(archive, members[MANIFEST], MOST_MANIFEST))
        tables = [_told(table) for table in manifest["tables"]]
        migrations = [(str(app), str(name)) for app, name in manifest["migrations"]]
        kind, number = manifest["kind"], manifest["format"]
        whole = {MANIFEST, *(_member(table) for table in tables)} == set(members)
        if kind != KIND or type(number) is not int or number < 1 or type(manifest["made_at"]) is not str:
            raise _no_backup(file)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, archives.BadArchive) as error:
        raise _no_backup(file) from error
    known = set(MigrationExecutor(connection).loader.disk_migrations)
    if number > FORMAT or (newer := [one for one in migrations if one not in known]):
        what = f"format {number}" if number > FORMAT else f"migration {newer[0][0]}.{newer[0][1]}"
        raise UserError(
            "newer", f"The backup was made by a newer version of Headjudge ({what}).", place=str(file),
            remedy="Install that version or a newer one, and restore with it.",
        )  # fmt: skip
    if not whole or len(tables) != len(members) - 1:
        raise _damaged(MANIFEST)
    for table in tables:
        for _row in _rows(archive, table):
            pass
    checked: Manifest = manifest
    return checked


def _told(table: Any) -> dict[str, Any]:
    """What the manifest says of a table, of the kinds that it must be. Raises KeyError, TypeError."""
    texts = [table["model"], table["sha256"], *table["columns"]]
    if not all(isinstance(one, str) for one in texts) or type(table["rows"]) is not int:
        raise TypeError
    return dict(table)


def _member(table: dict[str, Any]) -> str:
    return f"tables/{table['model']}.jsonl"


def _no_backup(file: Path) -> UserError:
    return UserError(
        "no-backup", "This is not a complete Headjudge backup.", place=str(file),
        remedy="Name a file that “backup” wrote.",
    )  # fmt: skip


def _rows(archive: zipfile.ZipFile, table: dict[str, Any]) -> Iterator[list[Any]]:
    """The table's rows; raises UserError `damaged` when they are not those that were written."""
    name, digest, count = _member(table), hashlib.sha256(), 0
    try:
        with archive.open(name) as member:
            while line := member.readline(MOST_ROW):
                digest.update(line)
                count += 1
                if sum(map(line.count, (b",", b"[", b"{"))) > MOST_PARTS:
                    raise _damaged(f"{name}, line {count}")
                yield json.loads(line)
    except (KeyError, ValueError, OSError, EOFError, RecursionError, zipfile.BadZipFile, zlib.error) as error:
        raise _damaged(f"{name}, line {count}" if count else name) from error
    if (digest.hexdigest(), count) != (table["sha256"], table["rows"]):
        raise _damaged(name)


def _damaged(place: str) -> UserError:
    return UserError(
        "damaged",
        "The backup is damaged.",
        place=place,
        remedy="Nothing was changed. Use another copy of the file.",
    )


# --- restoring ---------------------------------------------------------------------------------------------


def restore(file: Path, check: Callable[[], None], say: Say = lambda text: None) -> Manifest:
    """Put the database of the backup in place of the present one, at once.

    check: called while the restored database stands beside; whatever it raises leaves everything as it was.
    Raises UserError as `opened`, `does-not-fit`, `not-the-same`.
    """
    with opened(file) as (archive, manifest), _beside() as put_in_place:
        say("Building the database next to the current one ...")
        _load(archive, manifest)
        say("Migrating it to this version ...")
        with _fitting():
            call_command("migrate", verbosity=0, interactive=False)
        ContentType.objects.clear_cache()
        say("Checking it ...")
        with _fitting():
            check()
        say("Swapping it in ...")
        put_in_place()
    return manifest


@contextmanager
def _fitting() -> Iterator[None]:
    """Raises UserError `does-not-fit` for what the rows of a file that nobody here wrote can set off inside."""
    try:
        yield
    except (
        DatabaseError,
        ValidationError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
    ) as error:
        said = " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise UserError(
            "does-not-fit", f"The backup’s rows don’t fit the database: {said.partition(chr(10))[0][:200]}",
            remedy="Nothing was changed. Use another copy of the file.",
        ) from error  # fmt: skip


def _load(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """An empty database of the shape that the backup had, filled."""
    executor = MigrationExecutor(connection)
    applied = {(app, name) for app, name in manifest["migrations"]}
    nodes = executor.loader.graph.node_map
    targets = [
        one for one in sorted(applied) if not any(child.key in applied for child in nodes[one].children)
    ]
    if applied == set(nodes):
        build(connection)
    else:
        executor.migrate(targets)
    apps = executor.loader.project_state(targets).apps
    known = {_label(model): model for model in _models(apps)}
    _must_be_all(known, manifest["tables"])
    with _fitting(), transaction.atomic():
        for table in manifest["tables"]:
            model = known[table["model"]]
            models.QuerySet(model).delete()
            _fill(model, table["columns"], _rows(archive, table))
            _compare(model, table["columns"], _rows(archive, table))
        with connection.cursor() as cursor:
            for sql in connection.ops.sequence_reset_sql(no_style(), list(known.values())):
                cursor.execute(sql)
        connection.check_constraints()


def _must_be_all(known: Mapping[str, type[models.Model]], tables: list[dict[str, Any]]) -> None:
    """Every table of that version, and every column: what is missing would come back empty. Raises UserError
    `damaged`."""
    told = {table["model"]: table for table in tables}
    for name in sorted(known.keys() ^ told.keys()):
        raise _damaged(name)
    for name, model in known.items():
        columns = told[name]["columns"]
        if sorted(columns) != sorted(field.attname for field in model._meta.concrete_fields):
            raise _damaged(name)


def _fill(model: type[models.Model], columns: list[str], rows: Iterator[list[Any]]) -> None:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in columns]
    size = min(BATCH, connection.ops.bulk_batch_size(fields, [None] * BATCH))
    batch: list[models.Model] = []

    def insert() -> None:
        # As saving one does it, so that times set by themselves stay as they were (`raw`).
        model._base_manager._insert(batch, fields=fields, using="default", raw=True)  # type: ignore[attr-defined]
        batch.clear()

    for row in rows:
        given = zip(fields, row, strict=True)
        batch.append(
            model(
                **{field.attname: None if value is None else field.to_python(value) for field, value in given}
            )
        )
        if len(batch) >= size:
            insert()
    if batch:
        insert()


def _compare(model: type[models.Model], columns: list[str], given: Iterator[list[Any]]) -> None:
    """That the table holds what the file holds. Raises UserError `not-the-same`."""
    wanted, found = Content(), Content()
    for row in given:
        wanted.add(row)
    for stored in _stored(model, columns):
        found.add(stored)
    if found != wanted:
        raise UserError(
            "not-the-same", "The rows read back from the new database are not those of the backup.",
            place=_label(model), remedy="Nothing was changed. Tell the makers of Headjudge which table it was.",
        )  # fmt: skip


@contextmanager
def _beside() -> Iterator[Callable[[], None]]:
    """Every query goes to a new, empty database while inside; what is yielded puts that one in place."""
    with _sqlite_beside() if connection.vendor == "sqlite" else _postgres_beside() as put_in_place:
        yield put_in_place


@contextmanager
def _pointing(**changed: Any) -> Iterator[None]:
    """The connection's settings with something else, and as before afterwards."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(changed)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@contextmanager
def _sqlite_beside() -> Iterator[Callable[[], None]]:
    """A file beside; SQLite's own backup copies it over the present one in one transaction, under a running service."""
    present = Path(connection.settings_dict["NAME"])
    beside = present.with_name(f"{present.name}.restoring")

    def put_in_place() -> None:
        connection.close()
        with (
            closing(sqlite3.connect(beside)) as made,
            closing(sqlite3.connect(present, timeout=20)) as target,
        ):
            made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            made.backup(target)

    _remove(beside)
    try:
        with _pointing(NAME=str(beside)):
            yield put_in_place
    finally:
        _remove(beside)


def _remove(file: Path) -> None:
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm", f"{file.name}-journal"):
        file.with_name(name).unlink(missing_ok=True)


@contextmanager
def _postgres_beside() -> Iterator[Callable[[], None]]:
    """A schema beside; it takes the name of the present one once nobody is in the middle of a transaction there."""
    beside = f"restoring_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        present = cursor.fetchone()[0] or "public"
        cursor.execute(f"CREATE SCHEMA {beside}")

    def put_in_place() -> None:
        quote = connection.ops.quote_name
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY tablename", [present]
            )
            tables = [f"{quote(present)}.{quote(name)}" for (name,) in cursor.fetchall()]
            if tables:
                cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
            cursor.execute(f"ALTER SCHEMA {quote(present)} RENAME TO {beside}_before")
            cursor.execute(f"ALTER SCHEMA {beside} RENAME TO {quote(present)}")
            cursor.execute(f"DROP SCHEMA {beside}_before CASCADE")

    options = {**connection.settings_dict["OPTIONS"], "options": f"-c search_path={beside}"}
    try:
        with _pointing(OPTIONS=options):
            yield put_in_place
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP SCHEMA IF EXISTS {beside} CASCADE")
