"""Audit rows are neither changed nor deleted, by whatever program reaches the database.

What the models refuse (config.append_only), the database refuses too. A migration that rebuilds the table on SQLite must
make the triggers again: tests/system/test_audit.py sees to it.
"""

from django.db import migrations

SQLITE = """
CREATE TRIGGER audit_rows_are_not_{verb}d BEFORE {event} ON tournament_auditrow
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END
"""
POSTGRES = """
CREATE FUNCTION tournament_audit_row_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'audit rows are written once'; END $$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON tournament_auditrow
FOR EACH ROW EXECUTE FUNCTION tournament_audit_row_stays();
"""


def protect(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRES)
    else:
        for verb, event in (("change", "UPDATE"), ("delete", "DELETE")):
            schema_editor.execute(SQLITE.format(verb=verb, event=event))


def release(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION tournament_audit_row_stays CASCADE")
    else:
        for verb in ("change", "delete"):
            schema_editor.execute(f"DROP TRIGGER audit_rows_are_not_{verb}d")


class Migration(migrations.Migration):
    dependencies = [("tournament", "0016_operations")]
    operations = [migrations.RunPython(protect, release)]
