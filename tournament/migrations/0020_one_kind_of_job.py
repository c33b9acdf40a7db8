"""Every kind of job has the same columns (config.jobs.model)."""

from django.db import migrations, models
from django.db.models import F
from django.utils import timezone

from config.migration_steps import check_references_now


def say_when(apps, schema_editor):
    apps.get_model("tournament", "FileImport").objects.update(queued_at=F("asked_at"))
    apps.get_model("tournament", "Delivery").objects.update(queued_at=F("due_at"))
    check_references_now(schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('tournament', '0019_shown_imports'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='fileimport',
            name='who_imports_has_a_lease',
        ),
        migrations.RemoveIndex(
            model_name='delivery',
            name='tournament__state_637dfe_idx',
        ),
        migrations.RemoveIndex(
            model_name='fileimport',
            name='tournament__state_106177_idx',
        ),
        migrations.RenameField(model_name='delivery', old_name='tries', new_name='runs'),
        migrations.AddField(
            model_name='delivery',
            name='lane',
            field=models.CharField(default='webhooks', help_text='The queue it stands in (config.jobs.Lane).', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='delivery',
            name='queued_at',
            field=models.DateTimeField(default=timezone.now, help_text='When it began to wait.'),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name='delivery',
            name='runs',
            field=models.PositiveSmallIntegerField(default=0, help_text='How many times a worker has started it.'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='started_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='delivery',
            name='stepped_back',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often it made room for others and began anew.'),
        ),
        migrations.AddField(
            model_name='fileimport',
            name='due_at',
            field=models.DateTimeField(help_text='Not before; empty: at once.', null=True),
        ),
        migrations.AddField(
            model_name='fileimport',
            name='lane',
            field=models.CharField(default='files', help_text='The queue it stands in (config.jobs.Lane).', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='fileimport',
            name='queued_at',
            field=models.DateTimeField(default=timezone.now, help_text='When it began to wait.'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='fileimport',
            name='started_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='fileimport',
            name='stepped_back',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often it made room for others and began anew.'),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='due_at',
            field=models.DateTimeField(help_text='Not before; empty: at once.', null=True),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='state',
            field=models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='token',
            field=models.CharField(blank=True, help_text='Of the claim; drawn anew at each.', max_length=32),
        ),
        migrations.AlterField(
            model_name='fileimport',
            name='runs',
            field=models.PositiveSmallIntegerField(default=0, help_text='How many times a worker has started it.'),
        ),
        migrations.AlterField(
            model_name='fileimport',
            name='sent_at',
            field=models.DateTimeField(help_text='When the broker was last told.'),
        ),
        migrations.AlterField(
            model_name='fileimport',
            name='state',
            field=models.CharField(choices=[('shown', 'Shown'), ('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10),
        ),
        migrations.AlterField(
            model_name='fileimport',
            name='token',
            field=models.CharField(blank=True, help_text='Of the claim; drawn anew at each.', max_length=32),
        ),
        migrations.RunPython(say_when, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['state', 'lane'], name='tournament__state_141f60_idx'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['lane', 'started_at'], name='tournament__lane_8e8bc4_idx'),
        ),
        migrations.AddIndex(
            model_name='fileimport',
            index=models.Index(fields=['state', 'lane'], name='tournament__state_9b39df_idx'),
        ),
        migrations.AddIndex(
            model_name='fileimport',
            index=models.Index(fields=['lane', 'started_at'], name='tournament__lane_14ce84_idx'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='an_ended_delivery_says_when'),
        ),
        migrations.AddConstraint(
            model_name='fileimport',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('state', 'running')), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True)), _connector='OR'), name='only_a_running_fileimport_has_a_lease'),
        ),
        migrations.AddConstraint(
            model_name='fileimport',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='an_ended_fileimport_says_when'),
        ),
    ]
