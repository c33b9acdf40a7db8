"""A deck said in one breath: `[Fire/Growth/Finesse] + Red starter`. Names before the plus, a starter deck after it."""

import re

from decks.lists.model import DeckList, Limits, ListEntry, ListError

KIND = "specs"
SPECS, STARTER = "Specs", "Starter"
_SAID = re.compile(
    r"^(?:(?P<name>[^\[\]:]+):)?\s*\[?(?P<specs>[^\[\]/+]+(?:/[^\[\]/+]+)*)\]?\s*\+\s*(?P<starter>[^+/\[\]]+)$"
)
_BRACKETED = re.compile(
    r"^\[(?P<specs>[^\[\]/+\d]+(?:/[^\[\]/+\d]+)+)\](?:\s*/?\s*(?P<starter>[^+/\[\]\d]+))?$"
)


def recognises(source: str, filename: str) -> bool:
    line = source.strip()
    if len(line) > 300 or "\n" in line:
        return False
    return bool(_BRACKETED.match(line)) or (("/" in line or "[" in line) and bool(_SAID.match(line)))


def read(source: str, limits: Limits) -> DeckList:
    """Read the one line. Raises ListError `not-a-deck`."""
    line = source.strip()
    found = _BRACKETED.match(line) or _SAID.match(line)
    if found is None:
        raise ListError("not-a-deck", "This is not “[A/B/C] + colour”.", line=1)
    entries = [
        ListEntry(1, " ".join(spec.split()), "", SPECS, 1)
        for spec in found["specs"].split("/")
        if spec.strip()
    ]
    starter = re.sub(r"\s+(?:starter(?:\s+deck)?|deck)$", "", (found["starter"] or "").strip(), flags=re.I)
    if starter:
        entries.append(ListEntry(1, " ".join(starter.split()), "", STARTER, 1))
    name = (found.groupdict().get("name") or "").strip()
    return DeckList(tuple(entries), (), KIND, name)


def dump(deck: DeckList) -> str:
    """The deck said in one breath."""
    specs = "/".join(entry.name for entry in deck.entries if entry.section != STARTER)
    starter = next((entry.name for entry in deck.entries if entry.section == STARTER), "")
    return f"[{specs}]" + (f" + {starter}" if starter else "") + "\n"
