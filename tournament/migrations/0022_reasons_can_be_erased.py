"""The trail's rows and reasons are written once, as before; a reason can be rewritten or deleted in an erasure.

SQLite rebuilds the tables that change, which it does with no trigger that looks at them: they are made again after.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STAYS = ("id", "verb", "actor_id", "event_id", "target_type", "target_id", "request_id", "at")
ERASING = "EXISTS (SELECT 1 FROM tournament_erasure)"
SQLITE = {
    "audit_rows_are_not_changed": """BEFORE UPDATE ON tournament_auditrow WHEN NOT {erasing} OR {different}
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END""".format(
        erasing=ERASING, different=" OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in STAYS)
    ),
    "audit_rows_are_not_deleted": """BEFORE DELETE ON tournament_auditrow
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END""",
    "audit_reasons_are_not_changed": f"""BEFORE UPDATE ON tournament_auditreason
WHEN NOT {ERASING} OR NEW.id IS NOT OLD.id OR NEW.row_id IS NOT OLD.row_id
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END""",
    "audit_reasons_are_not_deleted": f"""BEFORE DELETE ON tournament_auditreason WHEN NOT {ERASING}
BEGIN SELECT RAISE(ABORT, 'audit rows are written once'); END""",
}
POSTGRES = f"""
CREATE FUNCTION tournament_audit_reason_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF {ERASING} THEN
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    IF (NEW.id, NEW.row_id) IS NOT DISTINCT FROM (OLD.id, OLD.row_id) THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'audit rows are written once';
END $$;
CREATE TRIGGER audit_reasons_stay BEFORE UPDATE OR DELETE ON tournament_auditreason
FOR EACH ROW EXECUTE FUNCTION tournament_audit_reason_stays();
"""


def release(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in SQLITE:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")


def protect(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRES)
        return
    for name, trigger in SQLITE.items():
        schema_editor.execute(f"CREATE TRIGGER {name} {trigger}")


class Migration(migrations.Migration):
    dependencies = [("tournament", "0021_reasons_beside_the_trail")]
    operations = [
        migrations.RunPython(release),
        migrations.AlterField(
            model_name="erasure",
            name="person",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RemoveField(model_name="auditrow", name="reason"),
        migrations.RunPython(protect),
    ]
