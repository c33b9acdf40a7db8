"""Writes a canonical scenario as a person would write it (docs/scenarios.md).

What `rules.scenarios.reading.read` makes of the text is the same canonical scenario again, with the same hash.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from rules.engine.base.messages import mapped
from rules.law import system_files

WIDTH = 100
_KEY_ORDER = (
    "title", "system", "players", "seats", "active", "at", "game", "pinned", "cards", "did", "wants", "ask",
    "expect", "cites",
)  # fmt: skip


def write(
    canonical: Mapping[str, Any],
    *,
    title: str = "",
    found: Mapping[str, str] | None = None,
    expect: Sequence[Mapping[str, Any]] = (),
    cites: Sequence[str] = (),
    comment: str = "",
) -> str:
    """The scenario as YAML. `found`: paths of facts that the judge found, with the reason ("cards.clerk.exhausted").

    With `expect` (and `cites`) it is a case (docs/scenarios.md, Cases).
    """
    data = _told(canonical, found or {})
    data |= {"title": title, "expect": [dict(one) for one in expect], "cites": list(cites)}
    lines = [f"# {line}" for line in comment.splitlines()]
    for key in _KEY_ORDER:
        value = data.get(key)
        if value not in (None, "", [], {}):
            lines.append(_entry(key, value))
    return "\n".join(lines) + "\n"


def _told(canonical: Mapping[str, Any], found: Mapping[str, str]) -> dict[str, Any]:
    """The canonical scenario without what would be filled in anyway, with the judge's marks on what was found."""
    data = dict(canonical)
    system = system_files.system(data["system"])
    data["system"] = f"{system.key}/{system.version}"
    data["players"] = {
        name: _marked(facts, f"players.{name}", found) for name, facts in data["players"].items()
    }
    data["cards"] = {key: _marked(card, f"cards.{key}", found) for key, card in data["cards"].items()}
    data["game"] = _marked(data.get("game", {}), "game", found)
    if list(data.get("seats") or ()) == list(data["players"]):
        data.pop("seats", None)
    if not any(data["players"].values()):
        data["players"] = list(data["players"])
    data["did"] = [_move(move) for move in data.get("did", ())]
    data["ask"] = [_question(one) for one in data.get("ask", ())]
    return data


def _marked(facts: Mapping[str, Any], place: str, found: Mapping[str, str]) -> dict[str, Any]:
    marked = {}
    for word, value in facts.items():
        path = f"{place}.{word}"
        if path in found:
            because = {"because": found[path]} if found[path] else {}
            value = {"found": value, **because}
        marked[word] = value
    return marked


def _move(move: Mapping[str, Any]) -> Any:
    """A sentence where one says it exactly; else the move as data."""
    if "pass" in move:
        return f"{move['who']} passes"
    if set(move) == {"who", "use"}:
        return f"{move['who']} uses {move['use']}"
    return dict(move)


def _question(question: Mapping[str, Any]) -> Any:
    kind, value = next(iter(question.items()))
    if kind in ("next", "now"):
        return kind
    if kind == "legal" and set(value) == {"who", "use"}:
        return f"may {value['who']} use {value['use']}?"
    if kind == "force":
        return {"force": {value["who"]: value["holds"]}}
    return dict(question)


def _entry(key: str, value: Any) -> str:
    if key in ("did", "ask", "expect"):
        return f"{key}:\n" + "\n".join(f"  - {_flow(one)}" for one in value)
    if key == "cards":
        width = max(len(name) for name in value) + 1
        rows = [f"  {f'{name}:':<{width}} {_card(card)}" for name, card in value.items()]
        rows = [re.sub(r" +\n", "\n", row) for row in rows]
        return "cards:\n" + "\n".join(rows)
    return f"{key}: {_flow(value)}"


def _card(card: Mapping[str, Any]) -> str:
    """One line for a card of the library; an anonymous one with abilities has a line for each part."""
    if not any(
        isinstance(value, list) and value and isinstance(value[0], Mapping) for value in card.values()
    ):
        return _flow(card)
    rows = []
    for word, value in card.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            rows += [f"    {word}:", *(f"      - {_flow(one)}" for one in value)]
        else:
            rows.append(f"    {word}: {_flow(value)}")
    return "\n" + "\n".join(rows)


def _flow(value: Any) -> str:
    plain = mapped(value, lambda one: str.__str__(one) if isinstance(one, str) else one)
    text = yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**9)
    return text.removesuffix("\n").removesuffix("\n...")
