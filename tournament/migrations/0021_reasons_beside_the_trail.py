"""What somebody gave as the reason stands beside the trail's row from now on."""

import django.db.models.deletion
from django.db import migrations, models

APART = """
INSERT INTO tournament_auditreason (row_id, text)
SELECT id, reason FROM tournament_auditrow WHERE reason <> '' ORDER BY id
"""


class Migration(migrations.Migration):
    dependencies = [("tournament", "0020_one_kind_of_job")]
    operations = [
        migrations.CreateModel(
            name="AuditReason",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                (
                    "row",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="said",
                        to="tournament.auditrow",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.RunSQL(APART, migrations.RunSQL.noop, elidable=True),
    ]
