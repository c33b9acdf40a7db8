"""`manage.py check --deploy` refuses embedded defaults in production."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register


@register(Tags.security, deploy=True)
def production_shape(app_configs: Any, **kwargs: Any) -> list[Error]:
    errors = []
    if not settings.PRODUCTION:
        errors.append(Error("PRODUCTION is off.", hint="Set PRODUCTION=1.", id="headjudge.E000"))
    if not settings.SECRET_KEY or (settings.VAR_DIR / "secret_key").exists():
        errors.append(Error("No secret key was given.", hint="Set SECRET_KEY.", id="headjudge.E001"))
    if settings.EMBEDDED_BROKER:
        errors.append(
            Error(
                "The broker is the embedded one.",
                hint="Set CELERY_BROKER_URL=redis://...",
                id="headjudge.E002",
            )
        )
    if settings.EMBEDDED_DATABASE:
        errors.append(
            Error(
                "The database is the embedded one.",
                hint="Set DATABASE_URL=postgres://...",
                id="headjudge.E003",
            )
        )
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        errors.append(Error("Any host name is accepted.", hint="Set ALLOWED_HOSTS.", id="headjudge.E004"))
    return errors
