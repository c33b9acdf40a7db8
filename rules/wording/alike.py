"""When two ways to write an ability as data say the same: names of choices, remarks, the order of conditions
aside.
"""

import json
import re
from typing import Any

from rules.wording.meaning.abilities import canonical

_REMARKS = ("cite", "because", "name", "text", "says")
_NAMES = ("target", "second", "third", "fourth", "fifth", "sixth")


def normal(entry: Any) -> Any:
    """An entry without remarks, its choices named in the order in which they are made, `0 - 2` as `-2`."""
    plain = _plain(entry)
    for ability in plain.get("abilities", ()) if isinstance(plain, dict) else ():
        names = [name for name in _choices(ability) if name != "x"]
        text = json.dumps(ability)
        for i, name in enumerate(names):
            text = re.sub(rf"(?<![\w.'-]){re.escape(name)}(?![\w'-])", f"§{i}", text)
        for i in range(len(names)):
            text = text.replace(f"§{i}", _NAMES[i] if i < len(_NAMES) else f"choice-{i}")
        ability.clear()
        ability.update(json.loads(text))
    return plain


def alike(one: Any, other: Any) -> bool:
    return canonical(normal(one)) == canonical(normal(other))


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        found = {key: _plain(value) for key, value in data.items() if key not in _REMARKS}
        return found["from"] if set(found) == {"from"} else found
    if isinstance(data, list):
        return [_plain(one) for one in data]
    if isinstance(data, str) and (match := re.fullmatch(r"0 - (\d+)", data)):
        return -int(match[1])
    return {True: "yes", False: "no"}[data] if isinstance(data, bool) else data


def _choices(data: Any) -> list[str]:
    """Names of choices, in the order in which they are told."""
    found: list[str] = []
    if isinstance(data, dict):
        choose = data.get("choose")
        if isinstance(choose, dict):
            found += [choose["as"]] if "as" in choose and "from" in choose else list(choose)
        for key, value in data.items():
            if key != "choose":
                found += _choices(value)
    if isinstance(data, list):
        for one in data:
            found += _choices(one)
    return list(dict.fromkeys(found))


def renamed(entry: dict[str, Any], like: Any) -> dict[str, Any]:
    """A card's text with the names of choices and abilities that another writing of it has, one by one in their
    order.
    """
    found = json.loads(json.dumps(entry))
    for ability, model in zip(found.get("abilities", ()), like.get("abilities", ()), strict=False):
        own = [name for name in _choices(ability) if name != "x"]
        theirs = [name for name in _choices(model) if name != "x"]
        text = json.dumps(ability)
        for i, name in enumerate(own):
            text = re.sub(rf"(?<![\w.'-]){re.escape(name)}(?![\w'-])", f"§{i}", text)
        for i, name in enumerate(own):
            text = text.replace(f"§{i}", theirs[i] if i < len(theirs) else name)
        ability.clear()
        ability.update(
            json.loads(text), **{key: model[key] for key in ("name", "because", "cite") if key in model}
        )
    return dict(found)
