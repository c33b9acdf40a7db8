"""The JSON Schema of scenario files (draft 2020-12), for editors and other programs.

It is printed by `manage.py scenario_schema` and served at /api/v1/scenario-schema; no copy of it is kept.
It is made from the same tables the reader and the compiler go by: the systems' properties, zones, kinds and readings,
and the shapes of abilities and instructions (rules.engine.compiler.shapes). It knows forms and words, not meanings:
what it refuses the reader refuses too, but only the reader says whether a card exists or an expression makes sense.
"""

from collections.abc import Mapping
from typing import Any

from rules.engine.base.names import NAME
from rules.engine.compiler import shapes
from rules.engine.definitions.model import Property, System
from rules.engine.search.questions import KINDS
from rules.engine.setup.scenario_scene import MAX_NUMBER
from rules.law import system_files
from rules.scenarios import limits

Json = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NAME = f"^{NAME}$"
_WORD: Json = {"type": ["string", "number", "boolean"]}
_YES_NO: Json = {"enum": [True, False, "yes", "no"]}
_WORDS: Json = {"type": ["string", "array"], "items": {"type": "string"}}
_THINGS: Json = {"type": ["string", "number", "boolean", "array"], "items": _WORD}


def schema() -> Json:
    """The whole document. A pure function of the shipped systems."""
    systems = system_files.systems()
    return {
        "$schema": DRAFT,
        "$id": "urn:headjudge:scenario",
        "title": "A Headjudge scenario",
        "description": "What is on the board, what was done, and what is asked: docs/scenarios.md.",
        "type": "object",
        "required": ["system"],
        "additionalProperties": False,
        "properties": _top(systems),
        "allOf": [
            {
                "if": {"properties": {"system": {"pattern": f"^{system.key}(/|$)"}}, "required": ["system"]},
                "then": {"$ref": f"#/$defs/{system.key}"},
            }
            for system in systems
        ],
        "$defs": {
            **_facts_by_type(),
            "block": _block(),
            "instruction": {"anyOf": [{"enum": sorted(shapes.INSTRUCTIONS)}, {"type": "object"}]},
            "ability": _of_shape(shapes.ABILITY),
            "always": _of_shape(shapes.ALWAYS),
            "cannot": _of_shape(shapes.CANNOT),
            "immune": _of_shape(shapes.IMMUNE),
            "unread": _of_shape(shapes.UNREAD),
            "grant": _of_shape(shapes.GRANT),
            "move": {
                "type": ["string", "object"],
                "maxLength": limits.MAX_SENTENCE,
                "minProperties": 1,
                "additionalProperties": {"anyOf": [_THINGS, {"type": "null"}]},
            },
            "question": _question(),
            **{system.key: _of_system(system) for system in systems},
        },
    }


def _top(systems: list[System]) -> Json:
    keys = [word for system in systems for word in (system.key, f"{system.key}/{system.version}")]
    several = {"type": ["array", "object", "null"]}
    return {
        "title": {**_or_null(_WORD), "description": "a name for people"},
        "system": {"enum": keys, "description": "the timing rules"},
        "players": {
            **several,
            "minItems": 1,
            "maxItems": limits.MAX_PLAYERS,
            "minProperties": 1,
            "maxProperties": limits.MAX_PLAYERS,
            "items": {"type": ["string", "number"]},
            "uniqueItems": True,
            "propertyNames": {"pattern": _NAME},
            "description": "in seat order; the first is active unless `active` says otherwise",
        },
        "seats": {
            **_or_null(_WORDS),
            "description": "the order of the seats, if that of `players` could get lost",
        },
        "active": {**_or_null(_WORD), "description": "whose turn it is"},
        "at": {
            "type": ["string", "object", "null"],
            "properties": {"chart": {"type": "string"}, "with": {"type": ["object", "null"]}},
            "description": "the point in the game",
        },
        "game": {"type": ["object", "null"], "description": "facts of the game itself"},
        "cards": {
            "type": ["object", "null"],
            "maxProperties": limits.MAX_CARDS,
            "propertyNames": {"pattern": _NAME, "maxLength": limits.MAX_NAME},
            "description": "your short name for each card -> what and where it is",
        },
        "did": {
            "anyOf": [
                {"type": "array", "maxItems": limits.MAX_MOVES, "items": {"$ref": "#/$defs/move"}},
                {"$ref": "#/$defs/move"},
                {"type": "null"},
            ],
            "description": "the moves already made, in order",
        },
        "ask": {
            "anyOf": [
                {
                    "type": "array",
                    "maxItems": limits.MAX_QUESTIONS,
                    "items": {"$ref": "#/$defs/question"},
                },
                {"$ref": "#/$defs/question"},
                {"type": "null"},
            ],
            "description": "what you want to know",
        },
        "wants": {
            "type": ["object", "null"],
            "additionalProperties": _THINGS,
            "description": "what a player intends to use",
        },
        "pinned": {
            "type": ["object", "null"],
            "additionalProperties": _WORD,
            "description": "the head judge's choice for an open reading",
        },
        "expect": {"description": "for a test case: the expected answers, in the order of the questions"},
        "cites": {**_or_null(_WORDS), "description": "the rules the answer must cite"},
        "twins": {"description": "the same with one thing changed, and a different answer"},
        "note": {},
        "source": {},
    }


def _question() -> Json:
    known: Json = {kind: {} for kind in KINDS}
    return {
        "type": ["string", "object"],
        "maxLength": limits.MAX_SENTENCE,
        "minProperties": 1,
        "maxProperties": 2,  # a condition, and at which moment
        "additionalProperties": False,
        "dependentRequired": {"at": ["holds"]},
        "properties": {
            **known,
            "at": {"type": "string"},
            "holds": {"type": ["string", "boolean"]},
            "order": {"type": "array", "minItems": 2},
            "legal": {"type": "object", "minProperties": 1},
            "force": {"type": "object", "minProperties": 1},
        },
    }


def _of_system(system: System) -> Json:
    """What the system's own words allow."""
    facts = {of: _facts(system, of) for of in ("card", "player", "game")}
    kinds = [*system.kinds, *system.families]
    ability = {
        "properties": {
            "kind": {"enum": list(system.ability_kinds)},
            "at": {"enum": sorted({*system.points, *system.same_points})},
            "of": _words_of(kinds),
            "zones": _words_of(list(system.zones)),
            "flags": _words_of(list(system.flags)),
        }
    }
    of_stat = {"properties": {"stat": {"enum": [n for n, p in system.properties.items() if p.stat]}}}
    card = {
        "anyOf": [
            {"type": "string", "description": "the name of a library card"},
            {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    **facts["card"],
                    "is": {**_WORD, "examples": sorted(str(c["name"]) for c in _library(system))},
                    "of": _or_null(_named()),
                    "name": _WORD,
                    "text": {
                        "description": "the printed English: understood, unless the card says what it does"
                    },
                    "reading": {"type": ["integer", "array"], "items": {"type": "integer"}},
                    "abilities": _list_of("ability", ability),
                    "always": _list_of("always", of_stat),
                    "cannot": _list_of("cannot", {"properties": {"kind": _words_of(kinds)}}),
                    "immune": _list_of("immune", {}),
                    "unread": _list_of("unread", {}),
                    "grants": _list_of("grant", {}),
                    "makes": {"type": "array", "items": {"type": "object", "required": ["name", "type"]}},
                },
            },
        ]
    }
    starts = [*system.starts, *(name for name in system.charts if name not in system.starts)]
    return {
        "properties": {
            "at": {"anyOf": [{"enum": starts}, {"type": ["object", "null"]}]},
            "game": {"properties": facts["game"], "additionalProperties": False},
            "players": {
                "additionalProperties": {
                    "type": ["object", "null"],
                    "properties": facts["player"],
                    "additionalProperties": False,
                }
            },
            "cards": {"additionalProperties": card},
            "pinned": {
                "properties": {
                    key: {"enum": list(reading.options), "description": reading.ask}
                    for key, reading in system.readings.items()
                },
                "additionalProperties": False,
            },
        }
    }


def _library(system: System) -> list[Mapping[str, Any]]:
    return list(system_files.library(system.key).values())


def _facts(system: System, of: str) -> Json:
    return {name: _fact(prop) for name, prop in system.properties.items() if prop.of == of}


def _fact(prop: Property) -> Json:
    if prop.symbols:
        return _told({"enum": sorted(prop.symbols)}, open_too=True)
    return {"$ref": f"#/$defs/fact-{prop.type}"}


def _told(value: Json, *, open_too: bool) -> Json:
    """A value, `?` where all values are known, or what the players say it is."""
    disputed = {
        "type": "object",
        "properties": {
            "disputed": {
                "type": "array",
                "minItems": 2,
                "items": {"anyOf": [value, {"enum": [None, "nothing"]}]},
            }
        },
        "required": ["disputed"],
        "additionalProperties": False,
    }
    stated = [value, {"type": "null"}, disputed, *([{"const": "?"}] if open_too else [])]
    found = {
        "type": "object",
        "properties": {"found": {"anyOf": stated}, "because": {"type": ["string", "number"]}},
        "required": ["found"],
        "additionalProperties": False,
    }
    return {"anyOf": [*stated, found]}


def _facts_by_type() -> Json:
    """What a fact of each type may be, for those whose values are no closed list."""
    values: Json = {
        "number": {"type": "integer", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
        "yes-no": _YES_NO,
        "symbol": _WORD,
        "text": _WORD,
        "player": _named(),
        "card": _named(),
        "cards": {"type": ["string", "array"], "items": _named()},
        "list": {
            "type": ["string", "number", "boolean", "array"],
            "items": {"type": ["string", "number", "boolean", "null"]},
        },
        "filter": {"type": "string"},
    }
    return {f"fact-{type_}": _told(value, open_too=type_ == "yes-no") for type_, value in values.items()}


def _named() -> Json:
    return {"type": "string", "pattern": _NAME}


def _words_of(known: list[str]) -> Json:
    return {"anyOf": [{"enum": known}, {"type": "array", "items": {"enum": known}}]}


def _list_of(shape: str, more: Json) -> Json:
    return {"type": ["array", "null"], "items": {"allOf": [{"$ref": f"#/$defs/{shape}"}, more]}}


def _or_null(value: Json) -> Json:
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    return {**value, "type": [*types, "null"]}


def _block() -> Json:
    one = {"$ref": "#/$defs/instruction"}
    return {"anyOf": [one, {"type": "array", "items": one}, {"type": "null"}]}


# A word of rules.engine.compiler.shapes as JSON Schema.
_SHAPES: Mapping[str, Json] = {
    "any": {},
    "word": {"type": "string"},
    "words": _WORDS,
    "text": {"type": ["string", "number"]},
    "number": {"type": "integer"},
    "yes-no": _YES_NO,
    "expression": {"type": ["string", "integer", "boolean"]},
    "expressions": {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}},
    "filter": {"type": "string"},
    "record": {"type": ["string", "null"]},
    "optional": {"type": ["string", "integer", "boolean", "null"]},
    "list": {"type": "array", "minItems": 1},
    "block": {"$ref": "#/$defs/block"},
    "blocks": {"type": "array", "items": {"$ref": "#/$defs/block"}},
    "blocks-by-label": {"type": "object", "additionalProperties": {"$ref": "#/$defs/block"}},
    "choices": {"type": "object", "additionalProperties": {"type": ["string", "object"]}},
}


def _of_shape(shape: shapes.Shape) -> Json:
    properties: Json = {}
    required = []
    for key, wanted in shape.items():
        if isinstance(wanted, Mapping):
            properties[key] = _of_shape(wanted)
            continue
        properties[key] = _SHAPES[wanted.removesuffix("!")]
        if wanted.endswith("!"):
            required.append(key)
    found: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": required} if required else found
