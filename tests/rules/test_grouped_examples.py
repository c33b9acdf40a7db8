"""The list of a system's worked examples, grouped by the chapter of the law."""

import re

import pytest
from django.test import Client

from rules.law.system_files import keys
from rules.reference import citations

pytestmark = pytest.mark.django_db


def shown(client: Client, key: str, **query: str) -> list[tuple[str, list[str]]]:
    """(title, the cases) of each group on the page."""
    page = client.get(f"/rules/{key}/cases/", query).content.decode()
    groups = page.split("<section id=")[1:]
    return [
        (re.findall(r"<h2[^>]*>([^<]*)<", one)[0], re.findall(rf'href="/rules/{key}/cases/([^"?/]+)"', one))
        for one in groups
    ]


@pytest.mark.parametrize("key", sorted(keys()))
def test_every_example_stands_in_one_group(client: Client, key: str) -> None:
    groups = shown(client, key)
    assert sorted(name for _title, names in groups for name in names) == sorted(
        citations.short(case) for case in citations.worked(key)
    )
    titles = [title for title, _names in groups]
    assert len(set(titles)) == len(titles) > 3


def test_examples_are_grouped_by_the_chapter_of_the_first_rule_they_cite(client: Client) -> None:
    groups = dict(shown(client, "coc-lcg"))
    assert "shotgun-and-researcher" in groups["Timing structure"]
    assert list(groups)[-2:] == ["Other rules", "No particular rule"]
    assert {"Card effects", "Terms and costs", "Resolving stories"} <= set(groups)
    assert "Spells, abilities and effects" in dict(shown(client, "magic"))


@pytest.mark.parametrize("key", sorted(keys()))
def test_no_group_is_a_bare_number(client: Client, key: str) -> None:
    assert not [title for title, _names in shown(client, key) if re.search(r"\d", title)]


def test_the_search_keeps_the_groups(client: Client) -> None:
    groups = shown(client, "coc-lcg", q="shotgun-and-researcher")
    assert groups == [("Timing structure", ["shotgun-and-researcher"])]
    assert shown(client, "coc-lcg", q="no such words") == []
