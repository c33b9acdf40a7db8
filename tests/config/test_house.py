"""The rules of the house that import-linter cannot see."""

import ast
import re
import sys
from pathlib import Path

import pytest

from decks.law import format_files
from rules.law import system_files

ROOT = Path(__file__).resolve().parents[2]
PURE = ("rules/engine", "decks/legality", "tournament/swiss")
RULE_ID = re.compile(r"\b[A-Z0-9]+-[A-Z]?-?\d[\w.]*")


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def test_the_engine_imports_the_standard_library_alone() -> None:
    for path in files("rules/engine"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names or name.startswith("rules.engine"), f"{path}: {name}"


@pytest.mark.parametrize("package", PURE)
def test_no_game_is_named_where_games_are_data(package: str) -> None:
    """A rule's id in a comment is its source; the game's name would be a special case. The kernel cites docs/engine.md,
    which has the ids."""
    names = {
        word for system in system_files.systems() for word in (system.key, system.title, system.game_name)
    }
    names |= set(format_files.formats())
    names |= {name.split("-")[0] for name in names if "-" in name}
    forbidden = re.compile(
        r"\b(" + "|".join(re.escape(name) for name in sorted(names)) + r")\b", re.IGNORECASE
    )
    for path in files(package):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            found = forbidden.search(line if package == "rules/engine" else RULE_ID.sub("", line))
            assert not found, f"{path}:{number} names {found[0] if found else ''}"
