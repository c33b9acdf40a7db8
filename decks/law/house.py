"""Edits a house format field by field: from its file to a form, and from the changed form to a file.

Only these parts are touched: title, sizes, copies, and the dated list of banned, restricted, limited and pointed cards.
Everything else that stands in the file, or in the format it extends, stays as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from config import strict_yaml

RULES = {
    "banned": ("HOUSE-BANNED", "Titles on the banned list can’t be played."),
    "restricted": ("HOUSE-RESTRICTED", "A deck can use only so many titles of the restricted list."),
    "limits": ("HOUSE-LIMITED", "A deck can have only so many copies of these titles."),
    "points": ("HOUSE-POINTS", "Titles cost points; a deck can spend only so many."),
}


@dataclass(frozen=True, slots=True)
class House:
    """What the form holds. sizes: section -> (at least, at most); None: no such bound.

    since: the first day of the list; points, limits: title -> number.
    """

    key: str
    title: str
    since: date
    copies: int
    sizes: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    banned: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    restricted_most: int = 1
    limits: Mapping[str, int] = field(default_factory=dict)
    points: Mapping[str, int] = field(default_factory=dict)
    points_most: int = 0


def house_of(said: Mapping[str, Any], *, on: date | None = None) -> House:
    """The form's values of a whole document (with what it extends), its list the one in force `on` that day
    (None: the latest)."""
    entries = [one for one in said["timeline"] if on is None or one["from"] <= on] or said["timeline"][:1]
    held = said["lists"].get(entries[-1]["list"], {})
    points = _block(held, "points")
    return House(
        key=said["key"],
        title=said["title"],
        since=entries[-1]["from"],
        copies=said["construction"]["copies"]["at-most"],
        sizes={one["key"]: _bounds(one) for one in sized(said)},
        banned=tuple(_block(held, "banned").get("titles", ())),
        restricted=tuple(_block(held, "restricted").get("titles", ())),
        restricted_most=_block(held, "restricted").get("at-most", 1),
        limits=dict(_block(held, "limits").get("copies", {})),
        points=dict(points.get("points", {})),
        points_most=points.get("at-most", 0),
    )


def sized(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sections whose size the format fixes, as it writes them."""
    return [
        one
        for one in said["construction"]["sections"]
        if not one.get("outside") and not one.get("size-fact") and not one.get("size-choice")
    ]


def text_of(house: House, own: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The file with the form's values. own: the document as it was written so far (at least what it `extends`);
    whole: the same with what it extends laid under it."""
    made: dict[str, Any] = dict(own)
    made |= {"key": house.key, "title": house.title}
    made["law"] = dict(own.get("law", {}))
    build = dict(own.get("construction", {}))
    if house.copies != whole["construction"]["copies"]["at-most"]:
        build["copies"] = {**build.get("copies", {}), "at-most": house.copies}
    sections = [_resized(one, house) for one in whole["construction"]["sections"]]
    if sections != whole["construction"]["sections"]:
        build["sections"] = sections
    if build:
        made["construction"] = build
    key = f"house-{house.since.isoformat()}"
    held = next((e["list"] for e in whole["timeline"] if e["from"] == house.since), None)
    before = [one for one in whole["timeline"] if one["from"] < house.since]
    below = whole["lists"].get(held or (before[-1] if before else whole["timeline"][0])["list"], {})
    made["lists"] = {**own.get("lists", {}), key: _list(house, below, made["law"], whole)}
    made["timeline"] = [*before, {"from": house.since, "list": key, "basis": f"set by {house.title}"}]
    made["default-on"] = max(house.since, whole["default-on"])
    if not made["law"]:
        del made["law"]
    order = (
        "extends",
        "key",
        "title",
        "game",
        "default-on",
        "law",
        "construction",
        "aliases",
        "shorthands",
        "packs",
        "lists",
        "timeline",
    )
    ordered = {word: made[word] for word in order if word in made}
    return strict_yaml.dump(ordered)


def _bounds(section: Mapping[str, Any]) -> tuple[int | None, int | None]:
    exactly = section.get("exactly")
    return section.get("at-least", exactly), section.get("at-most", exactly)


def _resized(section: dict[str, Any], house: House) -> dict[str, Any]:
    if section["key"] not in house.sizes or house.sizes[section["key"]] == _bounds(section):
        return section
    least, most = house.sizes[section["key"]]
    kept = {word: value for word, value in section.items() if word not in ("at-least", "at-most", "exactly")}
    if least is not None:
        kept["at-least"] = least
    if most is not None:
        kept["at-most"] = most
    return kept


def _block(held: Mapping[str, Any], word: str) -> dict[str, Any]:
    """The block of a list; of several the first, which is the one the form changes."""
    block = held.get(word) or {}
    return dict(block[0]) if isinstance(block, list) else dict(block)


def _list(
    house: House, below: Mapping[str, Any], law: dict[str, Any], whole: Mapping[str, Any]
) -> dict[str, Any]:
    """The list: what the one below it says besides, and the form's four blocks."""
    made = {word: value for word, value in below.items() if word not in RULES}
    made |= {"title": f"the list of {house.title}", "document": house.title}
    blocks: dict[str, dict[str, Any]] = {
        "banned": {"titles": list(house.banned)},
        "restricted": {"at-most": house.restricted_most, "titles": list(house.restricted)},
        "limits": {"copies": dict(house.limits)},
        "points": {"at-most": house.points_most, "points": dict(house.points)},
    }
    contents = {
        "banned": house.banned,
        "restricted": house.restricted,
        "limits": house.limits,
        "points": house.points,
    }
    for word, block in blocks.items():
        others = below[word][1:] if isinstance(below.get(word), list) else []
        if contents[word]:
            rule = _block(below, word).get("rule") or _own_rule(word, house, law, whole)
            others = [{"rule": rule, **block}, *others]
        if others:
            made[word] = others[0] if len(others) == 1 else others
    return made


def _own_rule(word: str, house: House, law: dict[str, Any], whole: Mapping[str, Any]) -> str:
    rule, text = RULES[word]
    if rule not in whole["law"]:
        law[rule] = {"text": text, "document": house.title}
    return rule
