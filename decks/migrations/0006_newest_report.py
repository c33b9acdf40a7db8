"""The newest report of a list is the one stored last; a format changed back is reported anew."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("decks", "0005_one_kind_of_job")]
    operations = [
        migrations.AlterModelOptions(name="legalityreport", options={"ordering": ["-pk"]}),
        migrations.RemoveConstraint(model_name="legalityreport", name="one_report_per_snapshot_and_catalog"),
    ]
