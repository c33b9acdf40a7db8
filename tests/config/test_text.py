"""A text that cannot be encoded is refused with its place, wherever it stands; never stored, never a 500."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config import strict_yaml
from config.errors import UserError, as_user_error
from config.text import BadText, refuse_bad_text
from decks.services import list_read
from tests.access.test_document import FILE
from tests.access.test_fuzz import _parts
from tests.access.world import people, world

HALF = "\ud800"


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (HALF, ""),
        ({"name": f"Ann{HALF}"}, "name"),
        ({"players": [{"name": "Ann"}, {"name": HALF}]}, "players[1].name"),
        ({"players": [{HALF: 1}]}, r"players[0].\ud800"),
        ([[], [1, None, "\0"]], "[1][2]"),
        ({"a": {"b": {"\udfffc": []}}}, r"a.b.\udfffc"),
    ],
)
def test_the_place_of_the_first_bad_text_is_told(document: Any, place: str) -> None:
    with pytest.raises(BadText) as refused:
        refuse_bad_text(document)
    assert refused.value.place == place
    json.dumps(refused.value.as_json()).encode()


@pytest.mark.parametrize("document", [{}, [], "", "한국어 🎲", {"𐀀": ["\ufffd", "\ue000"]}, 7, None, b"\xff"])
def test_every_whole_text_is_let_through(document: Any) -> None:
    refuse_bad_text(document)


def test_yaml_says_the_line() -> None:
    with pytest.raises(UserError) as refused:
        strict_yaml.load('title: x\nplayers: ["a\\0b"]', name="The scenario")
    assert (refused.value.code, refused.value.place) == ("bad-yaml", "line 2, column 11")


@pytest.mark.parametrize("text", ['title: "\\ud800"', f"title: {HALF}"])
def test_yaml_takes_no_halves(text: str) -> None:
    with pytest.raises(UserError) as refused:
        strict_yaml.load(text, name="The scenario")
    assert refused.value.code == "bad-yaml"


def test_a_decklist_takes_none() -> None:
    with pytest.raises(UserError) as refused:
        list_read(source='{"name": "\\ud800", "slots": {"01001": 1}}', filename="deck.json")
    assert refused.value.code == "bad-text"


def test_one_that_slipped_through_is_not_taken_for_our_fault() -> None:
    try:
        HALF.encode()
    except UnicodeEncodeError as error:
        problem = as_user_error(error)
    assert problem is not None and (problem.status, problem.code) == (400, "bad-text")


def bodies(shape: Any, schemas: dict[str, Any], depth: int = 0) -> Any:
    """A body of the given shape in which every text is half a character."""
    if "$ref" in shape:
        return bodies(schemas[shape["$ref"].rpartition("/")[2]], schemas, depth + 1) if depth < 8 else HALF
    for several in ("oneOf", "anyOf", "allOf"):
        if several in shape:
            return bodies(shape[several][0], schemas, depth + 1)
    kind = next(iter(shape["type"])) if isinstance(shape.get("type"), list) else shape.get("type")
    if kind == "array":
        return [bodies(shape.get("items", {}), schemas, depth + 1)]
    if "properties" in shape:
        return {name: bodies(part, schemas, depth + 1) for name, part in shape["properties"].items()}
    return {"integer": 1, "boolean": True, "number": 1.5, "object": {HALF: HALF}}.get(kind, HALF)


@pytest.mark.django_db
def test_no_address_of_the_api_answers_500(settings: Any) -> None:
    """Names, values, choices, files: every change the document knows, asked by the event's owner and by nobody."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    words = world(person)
    document = strict_yaml.load(FILE.read_bytes(), name="openapi", shipped=True)
    schemas = document["components"]["schemas"]
    owner, nobody = Client(raise_request_exception=False), Client(raise_request_exception=False)
    owner.force_login(person["owner"])
    refused = 0
    for path, method, shape in _changes(document):
        address = path.format(**_parts(method, path, words))
        for body in (bodies(shape, schemas), {HALF: HALF}, [HALF], HALF):
            for client in (owner, nobody):
                answer = client.generic(method, address, json.dumps(body), "application/json")
                assert answer.status_code < 500, (method, address, body)
                if answer.status_code == 400:
                    assert answer.json()["code"] in ("bad-text", "bad-file"), (
                        method,
                        address,
                        answer.content,
                    )
                    refused += 1
    assert refused > 150


def _changes(document: Any) -> Iterator[tuple[str, str, Any]]:
    """(path, method, shape) of every operation that takes JSON."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}) if method != "parameters" else {}
            if shape := content.get("application/json", {}).get("schema"):
                yield path, method.upper(), shape
