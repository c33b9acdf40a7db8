from django.apps import AppConfig


class RulesConfig(AppConfig):
    name = "rules"

    def preload(self) -> None:
        """Compile every system and its library: the first dispute of a game would wait half a second for them."""
        from rules.law import system_files

        for one in system_files.systems():
            system_files.library(one.key)
