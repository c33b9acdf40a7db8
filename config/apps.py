from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Shared code only (errors, audit, health); no models."""

    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401 (registers them)
