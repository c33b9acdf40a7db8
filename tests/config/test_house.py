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


ENTRY = re.compile(r"Start\s+reading\s+at\s+`([\w.]+)`")
NO_ROOM = re.compile(r"/(migrations|management|templatetags|formats|texts)(/|$)")


def test_a_package_says_where_to_start_reading() -> None:
    """For a newcomer: what it is for, what it may import, and a module or function that exists."""
    for app in ("config", "decks", "rules", "tournament"):
        for path in files(app):
            folder = path.parent
            if path.name != "__init__.py" or NO_ROOM.search(f"/{folder.relative_to(ROOT)}"):
                continue
            says = ENTRY.search(ast.get_docstring(ast.parse(path.read_text())) or "")
            if says is None and folder.name == app:
                continue  # the app itself: docs/architecture.md is its map
            assert says, f"{folder} doesn't say where to start reading"
            name = says[1].removeprefix(".".join(folder.relative_to(ROOT).parts) + ".").split(".")[0]
            assert (folder / name).exists() or (folder / f"{name}.py").exists(), f"{folder}: {name}"
