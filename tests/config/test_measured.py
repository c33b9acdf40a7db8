"""What is said to be measured was, and an audit that could not look anything up does not call it clean."""

from typing import Any

import pytest

from tests import audit
from tests.bench import figures

RUN = {"at": "2026-11-22 10:45", "machine": "2 cores", "load": 0.1}


def test_the_page_is_what_was_kept() -> None:
    assert figures.PAGE.read_text() == figures.page(figures.read()), "make bench writes it; nobody else does"


def test_a_row_is_there_when_it_was_measured_and_not_before() -> None:
    kept = {"pair-2048": {"value": 0.2049, "unit": "s", "peer": None, **RUN}}
    page = figures.page(kept)
    assert (
        "| `pair-2048` | Round 6 of 2,048 players paired | 0.2049 s | < 0.5 s |  | 2026-11-22 10:45 |" in page
    )
    assert page.count("| `") == 1


def test_a_ratio_above_one_is_in_our_favour() -> None:
    kept: dict[str, Any] = {
        "decks-check": {"value": 50_000.0, "unit": "decks/s", "peer": ["peer", 10_000.0], **RUN},
        "pair-512 vs networkx-dense": {"value": 0.02, "unit": "s", "peer": ["networkx-dense", 2.0], **RUN},
    }
    page = figures.page(kept)
    assert "peer: 10000 decks/s, ratio 5 |" in page
    assert "networkx-dense: 2 s, ratio 100 |" in page


def test_what_nobody_named_is_shown_all_the_same() -> None:
    assert "## The rest" in figures.page({"a-new-one": {"value": 1.0, "unit": "s", "peer": None, **RUN}})


def test_an_audit_without_an_index_is_no_clean_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.verdict([{"name": "Django", "skip_reason": "not found on PyPI"}]) == 0
    assert "NOT DONE" in capsys.readouterr().out


def test_a_known_vulnerability_fails(capsys: pytest.CaptureFixture[str]) -> None:
    fault = {"id": "PYSEC-2026-1", "fix_versions": ["5.2.20"]}
    found: list[dict[str, Any]] = [
        {"name": "Django", "version": "5.2.19", "vulns": [fault]},
        {"name": "x", "skip_reason": "private"},
    ]
    assert audit.verdict(found) == 1
    said = capsys.readouterr().out
    assert "PYSEC-2026-1" in said
    assert "NOT looked up: x" in said
