"""The OpenAPI document for people: one entry per request, by subject."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

Schema = dict[str, Any]
BASE = "/api/v1"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: str
    required: bool
    words: str


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    words: str
    token: str  # the scope a token needs; "" where reading or no login is enough
    parameters: list[Field]
    body: list[Field]
    answers: list[tuple[str, str, list[Field]]]  # status, what it is, its fields

    @property
    def short(self) -> str:
        """The path below the API's own."""
        return self.path.removeprefix(BASE)


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    operations: list[Operation]


@lru_cache
def document() -> Schema:
    """The whole OpenAPI document."""
    found: Schema = SchemaGenerator().get_schema(public=True)
    return found


@lru_cache
def written() -> bytes:
    """The same as YAML, as it stands in docs/openapi.yaml."""
    text: bytes = OpenApiYamlRenderer().render(document(), renderer_context={})
    return text


@lru_cache
def reference() -> list[Section]:
    """Every request of the API, by the first word of its path; in each, in order of path."""
    sections: dict[str, list[Operation]] = {}
    for path, item in sorted(document()["paths"].items()):
        short = path.removeprefix(BASE)
        for method, operation in item.items():
            if isinstance(operation, dict) and "operationId" in operation:
                sections.setdefault(short.split("/")[1], []).append(_operation(method, path, operation))
    return [Section(name, operations) for name, operations in sections.items()]


def _operation(method: str, path: str, operation: Schema) -> Operation:
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        words=operation.get("description", ""),
        token=operation.get("x-token-scope", ""),
        parameters=[
            Field(
                one["name"],
                _kind(one.get("schema", {})),
                one.get("required", False),
                one.get("description", ""),
            )
            for one in operation.get("parameters", [])
            if one["in"] != "header"
        ],
        body=_fields(_content(operation.get("requestBody", {}))),
        answers=[
            (status, _kind(_content(answer)), _fields(_content(answer)))
            for status, answer in operation["responses"].items()
            if status.startswith("2")
        ],
    )


def _content(holder: Schema) -> Schema:
    """The schema of a body; of several kinds of body the first."""
    kinds = list(holder.get("content", {}).values())
    found: Schema = kinds[0].get("schema", {}) if kinds else {}
    return found


def _fields(schema: Schema) -> list[Field]:
    """The fields of an object, or of the rows of a page or a list of objects."""
    schema = _resolved(schema)
    if set(schema.get("properties", {})) >= {"count", "results"}:
        schema = _resolved(schema["properties"]["results"])
    if schema.get("type") == "array":
        schema = _resolved(schema.get("items", {}))
    required = set(schema.get("required", ()))
    return [
        Field(name, _kind(one), name in required, _words(one))
        for name, one in schema.get("properties", {}).items()
    ]


def _words(schema: Schema) -> str:
    """A field's own words; the list of a choice's values, which the kind says already, is left out."""
    words = schema.get("description", "")
    return re.sub(r"\n*\* `.*", "", words, flags=re.DOTALL).strip()


def _resolved(schema: Schema) -> Schema:
    reference = schema.get("$ref", "")
    if reference:
        found: Schema = document()["components"]["schemas"][reference.rpartition("/")[2]]
        return found
    parts = schema.get("allOf", [])
    return _resolved(parts[0]) if len(parts) == 1 else schema


def _kind(schema: Schema) -> str:
    """What a value is, in a few words: “integer or null”, “one of: win, draw, loss”."""
    if several := schema.get("oneOf") or schema.get("anyOf"):
        return " or ".join(dict.fromkeys(filter(None, (_kind(one) for one in several))))
    solved = _resolved(schema)
    if set(solved.get("properties", {})) >= {"count", "results"}:
        return "a page of " + _kind(_resolved(solved["properties"]["results"]).get("items", {}))
    if "enum" in solved:
        return "one of: " + ", ".join(
            "null" if one is None else str(one) or "(empty)" for one in solved["enum"]
        )
    kind = solved.get("type", "")
    if isinstance(kind, list):
        return " or ".join(_kind({**solved, "type": one}) for one in kind)
    if kind == "array":
        return "list of " + (_kind(solved.get("items", {})) or "values")
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    return str(solved.get("format") or kind)
