"""Where people want to be alerted, and the alerts being sent."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.jobs.model import Job
from tournament.models.events import Event
from tournament.models.matches import Match


class AlertAddress(models.Model):
    """A way to somebody who is not looking at the page: their confirmed mail address, or one browser of theirs."""

    class Way(models.TextChoices):
        MAIL = "mail"
        PUSH = "push"

    class Kind(models.TextChoices):
        PAIRED = "paired"
        FIVE = "five"
        TIME = "time"
        JUDGE = "judge"
        RULING = "ruling"
        APPEAL = "appeal"
        INVITE = "invite"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="alert_addresses"
    )
    way = models.CharField(max_length=4, choices=Way.choices)
    kinds = models.JSONField(help_text="Of AlertAddress.Kind: what the person chose.")
    site = models.CharField(
        max_length=300, help_text="The address of this installation, as the person reaches it: for links."
    )
    language = models.CharField(max_length=10, help_text="Of the page it was chosen on.")
    endpoint = models.CharField(
        max_length=500, blank=True, help_text="Where a browser's push service takes messages for it."
    )
    service = models.CharField(
        max_length=255, blank=True, help_text="The endpoint's host; empty: our mail server."
    )
    public_key = models.CharField(
        max_length=100, blank=True, help_text="The browser's, to encrypt for it alone (RFC 8291)."
    )
    shared_secret = models.CharField(max_length=30, blank=True, help_text="The browser's (RFC 8291).")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(way="mail"), name="one_mail_of_alerts_per_person"
            ),
            models.UniqueConstraint(
                fields=["endpoint"], condition=Q(way="push"), name="a_browser_is_one_persons"
            ),
            models.CheckConstraint(
                condition=Q(way="mail", endpoint="") | (Q(way="push") & ~Q(endpoint="")),
                name="only_a_browser_has_an_endpoint",
            ),
        ]


class Alert(Job):
    """One thing to tell at one address: job and result in one (docs/jobs.md). Its words are made when it is sent."""

    address = models.ForeignKey(AlertAddress, on_delete=models.CASCADE, related_name="alerts")
    kind = models.CharField(max_length=6, choices=AlertAddress.Kind.choices)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, null=True, related_name="alerts")
    event = models.ForeignKey(
        Event,
        on_delete=models.CASCADE,
        null=True,
        related_name="alerts",
        help_text="Of what is no match's: an invitation, a judge who comes to who sits at no table.",
    )
    about = models.PositiveBigIntegerField(
        default=0, help_text="Which of the calls, rulings or extensions; 0 where there is one."
    )
    failure = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")
    made_at = models.DateTimeField()

    class Meta(Job.Meta):
        ordering = ["-pk"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["address", "kind", "match", "about"], name="an_alert_is_told_once_per_address"
            ),
            models.UniqueConstraint(
                fields=["address", "event"],
                condition=Q(kind="invite"),
                name="an_event_invites_once_per_address",
            ),
            models.UniqueConstraint(
                fields=["address", "about"],
                condition=Q(kind="judge", match=None),
                name="a_judge_without_a_table_is_told_once",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("invite", "judge"), match=None, event__isnull=False)
                | (~Q(kind="invite") & Q(match__isnull=False, event=None)),
                name="an_alert_is_of_a_match_or_an_event",
            ),
        ]
