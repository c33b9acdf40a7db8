"""The demo: its people and lists, the event that `up` loads, and the story that `demo` plays."""

from pathlib import Path

PASSWORD = "headjudge"  # noqa: S105 (of the demo's accounts, printed when the service starts)
FORMAT = POLICY = "coc-lcg"


def decklist(name: str) -> bytes:
    """A list of the demo: `ann` and `bo` are legal, `illegal` breaks four rules at once."""
    return (Path(__file__).parent / f"{name}.txt").read_bytes()
