"""An exploration is one worker's: what was handed out in parts is queued again, whole."""

from django.db import migrations, models
from django.db.models import Q

from config.migration_steps import check_references_now


def queue_again(apps, schema_editor):
    apps.get_model("rules", "Adjudication").objects.filter(state="split").update(state="queued")
    check_references_now(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("rules", "0007_words_of_rulings")]

    operations = [
        migrations.DeleteModel(name="AdjudicationPart"),
        migrations.RunPython(queue_again, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint(model_name="adjudication", name="an_ended_adjudication_says_when"),
        migrations.AlterField(
            model_name="adjudication",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "Queued"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | Q(state__in=["done", "failed", "cancelled"], finished_at__isnull=False),
                name="an_ended_adjudication_says_when",
            ),
        ),
    ]
