"""Builds an empty database in one step, as the last migration leaves it.

Django would replay every migration there ever was, and most of that time goes into picturing each version in between.
Both ways end in the same database: tests/system/test_upgrade.py compares them. What models don't say (a trigger) is
taken from the migrations: every RunPython and RunSQL that isn't marked `elidable`, the mark by which `squashmigrations`
tells them apart too.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import RunPython, RunSQL
from django.db.migrations.executor import MigrationExecutor


def build(connection: BaseDatabaseWrapper) -> None:
    """Every table, and the record that every migration is applied: all of it or nothing."""
    executor = MigrationExecutor(connection)
    state = executor.loader.project_state()
    models: list[Any] = [executor.recorder.Migration, *state.apps.get_models()]
    with connection.schema_editor() as editor:
        for model in models:
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for migration, _backwards in executor.migration_plan(executor.loader.graph.leaf_nodes()):
            for operation in migration.operations:
                if isinstance(operation, RunPython | RunSQL) and not operation.elidable:
                    operation.database_forwards(migration.app_label, editor, state, state)
            executor.recorder.record_applied(migration.app_label, migration.name)
