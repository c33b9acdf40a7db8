"""Erasing a person reaches the trail: its words may be rewritten, and nothing else of it, while a row says so.

Who did what to what, when and in which event stays as it was written.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STAYS = ("id", "verb", "actor_id", "event_id", "target_type", "target_id", "request_id", "at")
SQLITE = """
CREATE TRIGGER audit_rows_are_not_changed BEFORE UPDATE ON tournament_auditrow
WHEN NOT EXISTS (SELECT 1 FROM tournament_erasure) OR {different}
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END
""".format(different=" OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in STAYS))
POSTGRES = """
CREATE OR REPLACE FUNCTION tournament_audit_row_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'UPDATE' AND EXISTS (SELECT 1 FROM tournament_erasure)
     AND ({new}) IS NOT DISTINCT FROM ({old}) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'audit rows are written once';
END $$
""".format(new=", ".join(f"NEW.{name}" for name in STAYS), old=", ".join(f"OLD.{name}" for name in STAYS))
BEFORE = {
    "postgresql": """
CREATE OR REPLACE FUNCTION tournament_audit_row_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'audit rows are written once'; END $$
""",
    "sqlite": """
CREATE TRIGGER audit_rows_are_not_changed BEFORE UPDATE ON tournament_auditrow
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END
""",
}


def allow(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRES)
    else:
        schema_editor.execute("DROP TRIGGER IF EXISTS audit_rows_are_not_changed")
        schema_editor.execute(SQLITE)


def forbid(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER IF EXISTS audit_rows_are_not_changed")
    schema_editor.execute(BEFORE[vendor])


class Migration(migrations.Migration):
    dependencies = [("tournament", "0017_audit_rows_stay")]
    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunPython(allow, forbid),
    ]
