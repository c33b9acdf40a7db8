"""Scenarios: disputed situations as people write them and as the engine takes them (docs/scenarios.md).

May import the engine and the law (`rules.law`), never a table, a model or a page. Start reading at `reading.read`.
"""

from rules.scenarios.reading import (
    Scenario,
    build,
    canonical_hash,
    changed,
    checked,
    in_order,
    read,
    told,
    under,
)

__all__ = [
    "Scenario",
    "build",
    "canonical_hash",
    "changed",
    "checked",
    "in_order",
    "read",
    "told",
    "under",
]
