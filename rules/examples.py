"""A situation to begin with, so that nobody has to write their first one from nothing."""

import re
from pathlib import Path

EXAMPLE = Path(__file__).parent / "cases" / "coc-lcg" / "shotgun-and-researcher.yaml"
_FOR_THE_ENGINE = ("title:", "expect:", "cites:", "twins:")  # what a case file has beyond the situation
_SYSTEM_LINE = re.compile(r"^system:.*$", re.MULTILINE)


def example_scenario() -> str:
    """Shotgun Blast on Field Researcher, as a case file states it; without what it expects of the engine."""
    kept, keeping = [], True
    for line in EXAMPLE.read_text().splitlines():
        if line[:1] not in (" ", "-"):
            keeping = not line.startswith(("#", *_FOR_THE_ENGINE))
        if keeping:
            kept.append(line)
    return "\n".join(kept) + "\n"


def under_system(source: str, key: str) -> str:
    """The same situation under another system; `key` empty leaves it as it is. Only the system's line changes."""
    if not key:
        return source
    line = f"system: {key}"
    if _SYSTEM_LINE.search(source):
        return _SYSTEM_LINE.sub(line, source, count=1)
    return f"{line}\n{source}"
