"""The documents name what is there: every path, command, link and `make` verb in README and docs exists."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

from tournament.management.commands import reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
SOURCES = ("py", "yaml", "yml", "toml", "md", "html", "css", "js", "sh")
# A path of ours: starts in one of our folders, or is a source file's name.
PATH = re.compile(
    rf"(?:(?:config|decks|docs|rules|tests|tournament|\.ci)/[\w./-]*|[\w./-]+\.(?:{'|'.join(SOURCES)}))"
)
MADE_WHEN_RUN = {"my-deck.txt", "var/"}


def quoted() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for found in QUOTED.finditer(prose):
            yield page.name, found[1]


@cache
def tracked() -> frozenset[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a checkout: nothing tells which files are ours")
    files = [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    folders = {str(parent) for name in files for parent in Path(name).parents}
    return frozenset(f"/{name}" for name in (*files, *folders))


def exists(path: str) -> bool:
    """Is it a file or folder of ours, named from the root or by the end of its path? Capitals stand for any name."""
    wanted = re.escape("/" + path.rstrip("/"))
    pattern = re.compile(re.sub(r"\b[A-Z]{3,}\b", r"[^/]+", wanted) + r"\Z")
    return any(pattern.search(name) for name in tracked())


def test_every_path_exists() -> None:
    missing = [
        f"{page}: {text}"
        for page, text in quoted()
        if PATH.fullmatch(text) and text not in MADE_WHEN_RUN and not exists(text)
    ]
    assert missing == []


def test_every_link_leads_somewhere() -> None:
    missing = [
        f"{page.name}: {link}"
        for page in PAGES
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert missing == []


def test_every_command_exists() -> None:
    ours = {name for name, app in get_commands().items()}
    named = [
        (page.name, found)
        for page in PAGES
        for found in re.findall(r"manage\.py ([a-z_]+)", page.read_text())
    ]
    assert len(named) > 20
    assert [f"{page}: {name}" for page, name in named if name not in ours] == []


def test_every_make_verb_exists() -> None:
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = [(page, text.split()[1]) for page, text in quoted() if re.match(r"make [a-z]+", text)]
    assert [f"{page}: make {verb}" for page, verb in named if verb not in verbs] == []


@pytest.mark.parametrize("page", reference.PAGES)
def test_the_tables_of_words_are_those_the_readers_know(page: str) -> None:
    assert reference.written(page) == (ROOT / "docs" / page).read_text(encoding="utf-8"), (
        "manage.py reference"
    )
