"""Checks for `manage.py check --deploy`, `prepare` and `up`: a configuration unfit for a real event is refused, with
the reason."""

import re
from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.core.exceptions import ImproperlyConfigured

MIN_LENGTH, MIN_DIFFERENT = 50, 5  # characters of a secret key, as Django has them
# In small letters, without what stands between; a random key has such a word once in ten million.
FROM_GUIDES = (
    *("insecure", "changeme", "changethis", "replaceme", "secretkey", "yoursecret"),
    *("example", "placeholder", "password", "akeythatislong"),
)


@register(Tags.security, deploy=True)
def production_shape(app_configs: Any, **kwargs: Any) -> list[Error]:
    rows = [
        ("E000", not settings.PRODUCTION, "PRODUCTION is off.", "Set PRODUCTION=1."),
        ("E001", not _secret_key_given(), "No secret key is set.", "Set SECRET_KEY."),
        (
            "E002",
            settings.EMBEDDED_BROKER,
            "The broker is the embedded one, which is not for production.",
            "Set CELERY_BROKER_URL=redis://...",
        ),
        (
            "E003",
            settings.EMBEDDED_DATABASE,
            "The database is the embedded one, which is not for production.",
            "Set DATABASE_URL=postgres://...",
        ),
        (
            "E004",
            not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS,
            "ALLOWED_HOSTS allows every host name, or none.",
            "Set ALLOWED_HOSTS.",
        ),
        (
            "E005",
            settings.DEBUG,
            "DEBUG is on, which shows internal details to everyone.",
            "Set DEBUG=0.",
        ),
        (
            "E006",
            _secret_key_given() and weak_key(settings.SECRET_KEY),
            "The secret key is too short or publicly known.",
            "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'.",
        ),
        (
            "E007",
            settings.TRUSTED_PROXIES < 1,
            "No proxy’s headers are trusted, so everyone would appear to have the TLS proxy’s address.",
            "Set TRUSTED_PROXIES to the number of proxies in front of the service, at least 1.",
        ),
    ]
    return [Error(what, hint=remedy, id=f"headjudge.{code}") for code, wrong, what, remedy in rows if wrong]


@register
def alerts_can_be_sent(app_configs: Any, **kwargs: Any) -> list[Error]:
    """A key for alerts to closed browsers that is none, or without somebody to write to, would fail at each alert."""
    if not settings.WEB_PUSH_KEY:
        return []
    from config.web_push import is_contact, is_key  # only where it is used: a tenth of a second

    rows = [
        (
            "E008",
            is_key(settings.WEB_PUSH_KEY),
            "WEB_PUSH_KEY is not a key.",
            "Make one: manage.py push_key.",
        ),
        (
            "E009",
            is_contact(settings.WEB_PUSH_CONTACT),
            "WEB_PUSH_CONTACT names no one whom push services can write to.",
            "Set WEB_PUSH_CONTACT=mailto:you@example.org.",
        ),
    ]
    return [
        Error(what, hint=remedy, id=f"headjudge.{code}") for code, right, what, remedy in rows if not right
    ]


@register
def links_lead_here(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Letters hold links that log in. Whoever asks for one says under which name they reach this installation; where
    every name goes, they could have it lead to a site of their own."""
    sends_none = settings.EMAIL_BACKEND.endswith((".dummy.EmailBackend", ".locmem.EmailBackend"))
    if sends_none or "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        Error(
            "EMAIL_URL is set, but ALLOWED_HOSTS allows every host name, which mailed links would lead to.",
            hint="Set ALLOWED_HOSTS to the names and addresses under which people reach this installation.",
            id="headjudge.E010",
        )
    ]


def weak_key(key: str) -> bool:
    """Whether the key is too short to be random, or looks like one from a guide."""
    said = re.sub(r"[^a-z]", "", key.lower())
    return len(key) < MIN_LENGTH or len(set(key)) < MIN_DIFFERENT or any(word in said for word in FROM_GUIDES)


def _secret_key_given() -> bool:
    """Given, not generated: the embedded service makes one for itself."""
    try:
        return bool(settings.SECRET_KEY) and settings.SECRET_KEY_GIVEN
    except ImproperlyConfigured:  # Django's answer to an empty key
        return False
