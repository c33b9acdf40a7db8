"""`manage.py check --deploy` refuses embedded defaults in production."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.core.exceptions import ImproperlyConfigured


@register(Tags.security, deploy=True)
def production_shape(app_configs: Any, **kwargs: Any) -> list[Error]:
    rows = [
        ("E000", not settings.PRODUCTION, "PRODUCTION is off.", "Set PRODUCTION=1."),
        ("E001", not _secret_key_given(), "No secret key was given.", "Set SECRET_KEY."),
        (
            "E002",
            settings.EMBEDDED_BROKER,
            "The broker is the embedded one.",
            "Set CELERY_BROKER_URL=redis://...",
        ),
        (
            "E003",
            settings.EMBEDDED_DATABASE,
            "The database is the embedded one.",
            "Set DATABASE_URL=postgres://...",
        ),
        (
            "E004",
            not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS,
            "Any host name is accepted, or none.",
            "Set ALLOWED_HOSTS.",
        ),
    ]
    return [Error(what, hint=remedy, id=f"headjudge.{code}") for code, wrong, what, remedy in rows if wrong]


def _secret_key_given() -> bool:
    """Given, not generated: the embedded service makes one for itself."""
    try:
        return bool(settings.SECRET_KEY) and settings.SECRET_KEY_GIVEN
    except ImproperlyConfigured:  # Django's answer to an empty key
        return False
