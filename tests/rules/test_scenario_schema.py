"""The JSON Schema of scenario files: what the reader takes it takes, and what is not of the form it refuses."""

import json
from io import StringIO
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command

from config.errors import UserError
from rules import scenarios
from rules.law import system_files
from rules.scenarios.schema import schema
from tests.rules.worked import ORIGINALS, situation

VALID = jsonschema.Draft202012Validator(schema())


def faults(data: Any) -> list[str]:
    return [f"{fault.json_path}: {fault.message}" for fault in VALID.iter_errors(data)]


def test_it_is_a_schema_of_its_draft() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("key", system_files.keys())
def test_every_case_file_validates_and_so_does_its_canonical_form(key: str) -> None:
    for case in ORIGINALS:
        if case.name.startswith(f"{key}/"):
            data = json.loads(json.dumps(dict(case.data)))
            assert (case.name, faults(data), faults(situation(case))) == (case.name, [], [])


BAD: list[dict[str, Any]] = [
    {"players": ["Ann", "Bo"]},  # no system
    {"system": "coc-lgc"},
    {"system": "coc-lcg/faq-9"},
    {"system": "coc-lcg", "crads": {}},
    {"system": "coc-lcg", "players": []},
    {"system": "coc-lcg", "players": {"Ann": {"wounds": 1}}},
    {"system": "coc-lcg", "active": ["Ann", "Bo"], "players": {"Ann": 3}},
    {"system": "coc-lcg", "cards": ["thug"]},
    {"system": "coc-lcg", "cards": {"a b": {"type": "event"}}},
    {"system": "coc-lcg", "cards": {"thug": {"type": "charakter"}}},
    {"system": "coc-lcg", "cards": {"thug": {"zone": "graveyard"}}},
    {"system": "coc-lcg", "cards": {"thug": {"wounds": "many"}}},
    {"system": "coc-lcg", "cards": {"thug": {"exhausted": {"disputed": ["yes"]}}}},
    {"system": "coc-lcg", "cards": {"thug": {"abilities": [{"kind": "reponse"}]}}},
    {"system": "coc-lcg", "cards": {"thug": {"abilities": [{"kind": "action", "cots": []}]}}},
    {"system": "coc-lcg", "cards": {"thug": {"abilities": [{"of": "wound"}]}}},
    {"system": "coc-lcg", "cards": {"thug": {"abilities": [{"kind": "response", "of": "wond"}]}}},
    {"system": "coc-lcg", "at": "tea time"},
    {"system": "coc-lcg", "pinned": {"first-response": "nobody"}},
    {"system": "coc-lcg", "ask": [{"why": "not"}]},
    {"system": "coc-lcg", "ask": ["next"] * 21},
]


@pytest.mark.parametrize("data", BAD, ids=json.dumps)
def test_what_is_not_of_the_form_is_refused_by_the_schema_and_by_the_reader(data: dict[str, Any]) -> None:
    assert faults(data)
    with pytest.raises(UserError) as caught:
        scenarios.read(json.dumps(data))
    assert caught.value.place


def test_the_command_prints_it() -> None:
    out = StringIO()
    call_command("scenario_schema", stdout=out)
    assert json.loads(out.getvalue()) == schema()
