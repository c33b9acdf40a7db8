"""`manage.py push_key`: create the key that signs alerts to closed browsers (Web Push)."""

from typing import Any

from django.core.management.base import BaseCommand

from config.web_push import new_key


class Command(BaseCommand):
    help = "Make a key for alerts to closed browsers (WEB_PUSH_KEY). Nothing is stored."
    requires_system_checks = []  # a wrong key may stand in the settings

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"WEB_PUSH_KEY={new_key()}")
        self.stderr.write(
            "Put this line into the environment, with WEB_PUSH_CONTACT=mailto:you@example.org. Keep it secret. "
            "With a different key, everyone has to choose their alerts again."
        )
