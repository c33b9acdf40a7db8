"""Answers kept for requests grow old by the time in which the service runs, not by a clock that can be set."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("config", "0001_requests")]
    operations = [
        migrations.CreateModel(
            name="RunningTime",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seconds", models.BigIntegerField(default=0)),
                (
                    "counted_at",
                    models.DateTimeField(help_text="By the machine's clock, at the last sweep."),
                ),
            ],
        ),
        migrations.RemoveField(model_name="keptanswer", name="made_at"),
        migrations.AddField(
            model_name="keptanswer",
            name="made_at",
            field=models.BigIntegerField(
                db_index=True, default=0, help_text="By the running time (RunningTime.seconds)."
            ),
            preserve_default=False,
        ),
    ]
