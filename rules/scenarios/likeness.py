"""What makes two situations alike: the same structure whoever plays it, the same cards, the same occurrences."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NOT_THE_SITUATION = ("ask", "pinned", "wants")  # what is asked of it, and how the law is read


def form_of(canonical: Mapping[str, Any]) -> str:
    """The hash of a canonical scenario's situation: players by their seat from the active one, cards by what they are.

    Two judges who name players and cards differently have the same form.
    """
    seats = list(canonical.get("seats", ()))
    active = canonical.get("active")
    start = seats.index(active) if active in seats else 0
    names = {name: f"<{i}>" for i, name in enumerate(seats[start:] + seats[:start])}
    situation = {key: value for key, value in canonical.items() if key not in _NOT_THE_SITUATION}
    situation["seats"] = len(seats)
    cards = _renamed(situation.get("cards", {}), names)
    order = sorted(cards, key=lambda key: (json.dumps(cards[key], sort_keys=True), list(cards).index(key)))
    names |= {key: f"#{i}" for i, key in enumerate(order)}
    told = json.dumps(_renamed(situation, names), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


def _renamed(data: Any, names: Mapping[str, str]) -> Any:
    if isinstance(data, Mapping):
        return {names.get(key, key): _renamed(value, names) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_renamed(one, names) for one in data]
    return names.get(data, data) if isinstance(data, str) else data


def cards_of(canonical: Mapping[str, Any]) -> list[str]:
    """The names of the cards that lie in the situation, each once; cards without a name of their own are left out."""
    cards = canonical.get("cards", {}).values()
    return list(dict.fromkeys(str(name) for card in cards if (name := card.get("is") or card.get("name"))))


def happens_of(answer: Mapping[str, Any] | None, names: list[str]) -> list[str]:
    """What happened in the answer's line, each once and without the names of cards and without numbers:
    "takes wound", "is destroyed"."""
    said = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    strip = re.compile(rf"(?:{said})|\d+" if said else r"\d+")
    found = (strip.sub(" ", step["text"]) for step in _occurrences((answer or {}).get("trace") or []))
    return sorted({" ".join(text.split()) for text in found} - {""})


def _occurrences(steps: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for step in steps:
        if step["kind"] == "occurrence":
            yield step
        yield from _occurrences(step["children"])


def folded(text: str) -> str:
    """Words as they are searched: without case, punctuation as blanks."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
