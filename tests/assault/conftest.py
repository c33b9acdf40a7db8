"""The installations of tests/system, in both shapes."""

from tests.system.conftest import migrated, migrated_postgres, postgres_copy, service

__all__ = ["migrated", "migrated_postgres", "postgres_copy", "service"]
