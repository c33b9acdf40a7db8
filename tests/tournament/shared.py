"""Published tables that are not ours to ship. Where they are absent, the tests on them are skipped."""

import os
from pathlib import Path

import pytest

FOLDER = (
    Path(os.environ.get("HEADJUDGE_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
    / "data"
    / "tournament"
)

needs_published_tables = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"The published tables are not in {FOLDER} (set HEADJUDGE_SHARED)."
)
