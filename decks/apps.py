from django.apps import AppConfig


class DecksConfig(AppConfig):
    name = "decks"

    def preload(self) -> None:
        """Read the shipped formats: the first list of formats would wait half a second for them."""
        from decks.law import format_files

        format_files.formats()
