"""Accounts, and the tokens their programs use."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    display_name = models.CharField(max_length=80, blank=True)
    pronouns = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=10, blank=True)
    email_confirmed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="A link that was sent to the address was opened; empty: it counts for nothing.",
    )

    without_staff = False
    """This request comes with a token that may not do staff's work: staff roles do not count for it."""

    def __str__(self) -> str:
        return self.display_name or self.username


class ApiToken(models.Model):
    """What a program of somebody's logs in with. Its secret is known to the program alone."""

    class Scope(models.TextChoices):
        """Besides reading what its owner may read, which every token may."""

        DECKS = "decks"
        PLAY = "play"
        STAFF = "staff"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80, help_text="What it is for, in its owner's words.")
    start = models.CharField(max_length=12, help_text="How the secret begins, to know it again.")
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret.")
    scopes = models.JSONField(default=list)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True, help_text="To the minute.")

    class Meta:
        ordering = ["-made_at", "-pk"]


class OneTimeSecret(models.Model):
    """Another way into an account than its password, or to confirm its address: works once, and not for long."""

    class Purpose(models.TextChoices):
        EMAIL = "email"
        LINK = "link"
        CODE = "code"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="one_time_secrets"
    )
    purpose = models.CharField(max_length=5, choices=Purpose.choices)
    secret_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret.")
    address = models.EmailField(blank=True, help_text="The address that is to be confirmed.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Who of the staff gave a code.",
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
