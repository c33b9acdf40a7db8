"""The API's document: committed, compared, whole."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema

from config.api import ApiView
from tests.access import table
from tournament.api_reference import reference

FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def document() -> Any:
    return SchemaGenerator().get_schema(public=True)


def operations(document: Any) -> list[tuple[str, str, Any]]:
    return [(method, path, one) for path, item in document["paths"].items() for method, one in item.items()]


def test_the_committed_document_is_what_the_code_says(document: Any) -> None:
    now = OpenApiYamlRenderer().render(document, renderer_context={}).decode()
    assert FILE.read_text() == now, (
        "The API has changed. Look at what it changes for those who use it, then write it down:\n"
        "  manage.py spectacular --file docs/openapi.yaml"
    )


def test_the_document_is_valid_openapi_31(document: Any) -> None:
    validate_schema(document)
    assert document["openapi"].startswith("3.1")


def test_every_operation_says_what_it_does_and_how_it_refuses(document: Any) -> None:
    for method, path, one in operations(document):
        assert one.get("description"), f"{method} {path} has no words"
        assert {"4XX", "503"} <= set(one["responses"]), f"{method} {path}"
        assert set(one["responses"]) & {"200", "201", "202", "204"}, f"{method} {path}"


def test_every_view_of_the_api_takes_the_same_care() -> None:
    """Keys, tags and scopes come with config.api.ApiView; a view that is none of it would have none of them."""
    for route, view in table._routes(table.get_resolver(), ""):
        found = getattr(view, "cls", None)
        if route.startswith("api/v1/") and route != "api/v1/schema":
            assert found is not None and issubclass(found, ApiView), (
                f"{route}: derive it from config.api.ApiView"
            )


def test_a_change_documented_without_a_body_refuses_one(document: Any) -> None:
    """Who writes a reason where nobody reads it hears so."""
    without = [
        (method, path)
        for method, path, one in operations(document)
        if method in ("post", "put", "patch") and "requestBody" not in one
    ]
    assert len(without) > 10
    for method, path in without:
        address = re.sub(r"{\w+}", "1", path)  # slugs, too, may be numbers
        handler = getattr(resolve(address).func.cls, method)  # type: ignore[attr-defined]
        assert handler.takes_no_body, f"{method} {path}: config.api.bodiless"


def test_every_list_comes_in_pages(document: Any) -> None:
    whole = {"/over-time", "/suggestions"}  # one answer in several parts
    for method, path, one in operations(document):
        schemas = [
            kind.get("schema", {}) for kind in one["responses"].get("200", {}).get("content", {}).values()
        ]
        if method == "get" and not path.endswith(tuple(whole)):
            assert not any(schema.get("type") == "array" for schema in schemas), f"{path} comes in one piece"


@pytest.mark.django_db
def test_the_page_names_every_operation(document: Any) -> None:
    page = Client().get("/api/docs").content.decode()
    for _method, path, one in operations(document):
        assert f'id="{one["operationId"]}"' in page, path
    assert sum(len(section.operations) for section in reference()) == len(operations(document))
    assert "<script>" not in page
    assert Client().get("/api/docs?q=no+such+words").status_code == 200
