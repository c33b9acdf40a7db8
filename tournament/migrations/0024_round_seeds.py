import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournament", "0023_ways_in")]

    operations = [
        migrations.RenameModel("Lot", "RoundSeed"),
        migrations.AlterField(
            "RoundSeed",
            "event",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="round_seeds", to="tournament.event"
            ),
        ),
        migrations.AlterField(
            "RoundSeed",
            "sequence",
            models.PositiveSmallIntegerField(help_text="1, 2, ... among the random seeds of one round."),
        ),
    ]
