"""Templates and styles that can be read: the formatter runs in `make lint`, and no line goes off the screen."""

from pathlib import Path

import pytest
from django.conf import settings

LONGEST = 140
FILES = [
    path
    for pattern in ("*/templates/**/*.html", "*/templates/**/*.svg", "*/static/**/*.css", "*/static/**/*.js")
    for path in sorted(Path(settings.BASE_DIR).glob(pattern))
    if "vendor" not in path.parts
    and path.relative_to(settings.BASE_DIR).parts[0] != "var"  # what a run puts there
]


def test_there_are_templates_styles_and_scripts() -> None:
    assert {path.suffix for path in FILES} == {".html", ".svg", ".css", ".js"}
    assert len(FILES) > 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_no_line_is_too_long_to_read(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, start=1) if len(line) > LONGEST] == []
