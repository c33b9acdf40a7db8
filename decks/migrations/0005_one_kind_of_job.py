"""Every kind of job has the same columns (config.jobs.model)."""

from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from config.migration_steps import check_references_now


def say_when(apps, schema_editor):
    chunks = apps.get_model("decks", "RecheckChunk").objects
    asked = apps.get_model("decks", "Recheck").objects.filter(pk=OuterRef("recheck")).values("asked_at")
    chunks.update(queued_at=Subquery(asked))
    chunks.filter(state__in=["done", "failed"]).update(finished_at=F("sent_at"))
    check_references_now(schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('decks', '0004_catalog_as_of'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='recheckchunk',
            name='decks_reche_state_4b9ce2_idx',
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='due_at',
            field=models.DateTimeField(help_text='Not before; empty: at once.', null=True),
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='finished_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='lane',
            field=models.CharField(default='rechecks', help_text='The queue it stands in (config.jobs.Lane).', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='queued_at',
            field=models.DateTimeField(default=timezone.now, help_text='When it began to wait.'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='started_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='recheckchunk',
            name='stepped_back',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often it made room for others and began anew.'),
        ),
        migrations.AlterField(
            model_name='recheckchunk',
            name='runs',
            field=models.PositiveSmallIntegerField(default=0, help_text='How many times a worker has started it.'),
        ),
        migrations.AlterField(
            model_name='recheckchunk',
            name='sent_at',
            field=models.DateTimeField(help_text='When the broker was last told.'),
        ),
        migrations.AlterField(
            model_name='recheckchunk',
            name='state',
            field=models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10),
        ),
        migrations.AlterField(
            model_name='recheckchunk',
            name='token',
            field=models.CharField(blank=True, help_text='Of the claim; drawn anew at each.', max_length=32),
        ),
        migrations.RunPython(say_when, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name='recheckchunk',
            index=models.Index(fields=['state', 'lane'], name='decks_reche_state_37fc3a_idx'),
        ),
        migrations.AddIndex(
            model_name='recheckchunk',
            index=models.Index(fields=['lane', 'started_at'], name='decks_reche_lane_49790a_idx'),
        ),
        migrations.AddConstraint(
            model_name='recheckchunk',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('state', 'running')), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_until__isnull', True)), _connector='OR'), name='only_a_running_recheckchunk_has_a_lease'),
        ),
        migrations.AddConstraint(
            model_name='recheckchunk',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed', 'cancelled'))), models.Q(models.Q(('state__in', ('done', 'failed', 'cancelled')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='an_ended_recheckchunk_says_when'),
        ),
    ]
