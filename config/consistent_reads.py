"""Runs several queries on one consistent state of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read inside is of one moment, and nobody who writes waits for it. Inside a transaction, that one is
    kept to."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":  # `atomic` would take the write lock (settings: IMMEDIATE)
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
