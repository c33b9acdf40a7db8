from django.apps import AppConfig


class TournamentConfig(AppConfig):
    name = "tournament"

    def preload(self) -> None:
        """Read the shipped policies, for every page of an event."""
        from tournament.policy import policy_files

        policy_files.policies()
