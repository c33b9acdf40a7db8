"""The demo: its people, decklists and dispute; the event that `up` loads and the story that `demo` plays.

May import services and everything below them. Start reading at `story`.
"""

from datetime import date
from pathlib import Path

FOLDER = Path(__file__).parent
PASSWORD = "headjudge"  # noqa: S105 (of the demo's accounts; `up` prints it)
FORMAT = POLICY = "coc-lcg"
FORMAT_ON = date(2013, 10, 1)  # lists are judged by FAQ 3.0, the law the disputes are answered by
DISPUTE = (FOLDER / "dispute.yaml").read_text()


def decklist(name: str) -> bytes:
    """A list of the demo: `ann` and `bo` are legal, `illegal` breaks four rules at once."""
    return (FOLDER / f"{name}.txt").read_bytes()
