from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """What all apps share: errors, audit, health, and what is remembered about requests."""

    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401 (registers them)
