"""Steps shared by the migrations of several apps."""

from typing import Any


def check_references_now(schema_editor: Any) -> None:
    """Check the foreign keys of rows that this migration wrote. PostgreSQL puts that off to the end of the
    transaction, and until then it refuses to change their table ("it has pending trigger events")."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
