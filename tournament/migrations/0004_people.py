"""Owners, invitations, waiting lists and check-in. Who made an event owns it; entries get their numbers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROLES = [
    ("owner", "Owner"),
    ("organizer", "Organizer"),
    ("head-judge", "Head Judge"),
    ("judge", "Judge"),
    ("scorekeeper", "Scorekeeper"),
    ("spectator", "Spectator"),
]


def number_entries(apps, schema_editor):
    Registration = apps.get_model("tournament", "Registration")
    counts = {}
    for entry in Registration.objects.order_by("event_id", "registered_at", "pk").iterator():
        counts[entry.event_id] = counts.get(entry.event_id, 0) + 1
        Registration.objects.filter(pk=entry.pk).update(number=counts[entry.event_id])


def makers_own(apps, schema_editor):
    Event, Staff = apps.get_model("tournament", "Event"), apps.get_model("tournament", "Staff")
    for event in Event.objects.iterator():
        Staff.objects.filter(event=event, user_id=event.created_by_id, role="organizer").delete()
        Staff.objects.get_or_create(event=event, user_id=event.created_by_id, role="owner")


class Migration(migrations.Migration):
    dependencies = [("tournament", "0003_intentional_draws")]

    operations = [
        migrations.AddField("event", "venue", models.CharField(blank=True, max_length=200)),
        migrations.AddField(
            "event",
            "description",
            models.TextField(blank=True, help_text="What players should know, in the organizer's words."),
        ),
        migrations.AddField(
            "event",
            "capacity",
            models.PositiveIntegerField(
                null=True, help_text="The player cap; later registrations join the waiting list. Empty: no limit."
            ),
        ),
        migrations.AddField(
            "event", "registration_opens", models.DateTimeField(null=True, help_text="Empty: at once.")
        ),
        migrations.AddField(
            "event",
            "registration_closes",
            models.DateTimeField(null=True, help_text="Empty: when round 1 is paired."),
        ),
        migrations.AddField(
            "event",
            "checkin_opened_at",
            models.DateTimeField(null=True, help_text="Empty: nobody need check in."),
        ),
        migrations.AddField("event", "checkin_closed_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "event",
            "checkin_code",
            models.CharField(
                blank=True, max_length=8, help_text="Posted in the hall: who types it is here."
            ),
        ),
        migrations.AlterField("staff", "role", models.CharField(choices=ROLES, max_length=12)),
        migrations.AddField(
            "registration",
            "number",
            models.PositiveIntegerField(
                default=0,
                help_text="1, 2, ... in the order of entering: the waiting list's order, "
                "and two at once cannot both be next.",
            ),
            preserve_default=False,
        ),
        migrations.AddField("registration", "pronouns", models.CharField(blank=True, max_length=40)),
        migrations.AddField("registration", "checked_in_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "registration",
            "codes",
            models.PositiveSmallIntegerField(
                default=0, help_text="How often its codes were renewed; the former ones are void."
            ),
        ),
        migrations.AlterField(
            "registration",
            "state",
            models.CharField(
                choices=[
                    ("active", "Active"),
                    ("waiting", "Waiting"),
                    ("withdrawn", "Withdrawn"),
                    ("dropped", "Dropped"),
                ],
                default="active",
                max_length=10,
            ),
        ),
        migrations.RunPython(number_entries, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            "registration",
            models.UniqueConstraint(fields=("event", "number"), name="entries_are_numbered"),
        ),
        migrations.CreateModel(
            name="Invite",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("role", models.CharField(choices=ROLES, max_length=12)),
                (
                    "token_hash",
                    models.CharField(help_text="SHA-256 of the link's secret.", max_length=64, unique=True),
                ),
                (
                    "note",
                    models.CharField(blank=True, help_text="For whom it is, for the organizers.", max_length=80),
                ),
                ("most_uses", models.PositiveSmallIntegerField()),
                ("uses", models.PositiveSmallIntegerField(default=0)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(null=True)),
                ("made_at", models.DateTimeField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invites",
                        to="tournament.event",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-made_at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("uses__lte", models.F("most_uses"))),
                        name="no_more_uses_than_allowed",
                    )
                ],
            },
        ),
        migrations.RunPython(makers_own, migrations.RunPython.noop, elidable=True),
    ]
