"""Every kind of job has the same columns (config.jobs.model)."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rules', '0008_no_parts_of_explorations'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='adjudication',
            name='an_ended_adjudication_says_when',
        ),
        migrations.RemoveIndex(
            model_name='adjudication',
            name='rules_adjud_state_ba3800_idx',
        ),
        migrations.AddField(
            model_name='adjudication',
            name='due_at',
            field=models.DateTimeField(help_text='Not before; empty: at once.', null=True),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='lane',
            field=models.CharField(default='disputes', help_text='The queue it stands in (config.jobs.Lane).', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='adjudication',
            name='stepped_back',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often it made room for others and began anew.'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='urgency',
            field=models.PositiveSmallIntegerField(choices=[(0, 'Round'), (1, 'Somebody'), (2, 'Nobody')], default=1),
        ),
        migrations.AlterField(
            model_name='adjudication',
            name='queued_at',
            field=models.DateTimeField(help_text='When it began to wait.'),
        ),
        migrations.AlterField(
            model_name='adjudication',
            name='runs',
            field=models.PositiveSmallIntegerField(default=0, help_text='How many times a worker has started it.'),
        ),
        migrations.AlterField(
            model_name='adjudication',
            name='token',
            field=models.CharField(blank=True, help_text='Of the claim; drawn anew at each.', max_length=32),
        ),
        migrations.AddIndex(
            model_name='adjudication',
            index=models.Index(fields=['state', 'lane'], name='rules_adjud_state_068d77_idx'),
        ),
        migrations.AddIndex(
            model_name='adjudication',
            index=models.Index(fields=['lane', 'started_at'], name='rules_adjud_lane_c08e75_idx'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='an_ended_adjudication_says_when'),
        ),
    ]
