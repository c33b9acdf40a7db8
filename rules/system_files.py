"""The shipped timing systems and card library, read from YAML once and compiled."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from rules.engine.compiler import compile_system
from rules.engine.errors import DataError, unknown
from rules.engine.model import System

FOLDER = Path(__file__).parent


def _engine_version() -> str:
    """Of the engine's own sources: an answer from before any change of it is not taken for today's."""
    digest = hashlib.sha256()
    for path in sorted((FOLDER / "engine").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


ENGINE_VERSION = _engine_version()


def keys() -> list[str]:
    """The keys of the shipped systems: "coc-lcg", ..."""
    return sorted(path.stem for path in (FOLDER / "systems").glob("*.yaml"))


def systems() -> list[System]:
    return [system(key) for key in keys()]


@cache
def system(key: str) -> System:
    """The compiled system. Its hash covers its own file and its game's library. Raises DataError when unknown."""
    if key not in keys():
        raise unknown("system", key, keys(), place="system")
    path = FOLDER / "systems" / f"{key}.yaml"
    content = path.read_bytes()
    data = strict_yaml.load(content, name=path.name)
    digest = hashlib.sha256(ENGINE_VERSION.encode() + content)
    for file in _library_files(data.get("library", ())):
        digest.update(file.read_bytes())
    try:
        return compile_system(data, digest=digest.hexdigest())
    except DataError as error:
        raise error.at(path.name) from error


def _library_files(folders: Any) -> list[Path]:
    names = [folders] if isinstance(folders, str) else list(folders)
    return sorted(path for name in names for path in (FOLDER / "library" / name).glob("*.yaml"))


@cache
def library(key: str) -> Mapping[str, Mapping[str, Any]]:
    """Folded card name -> the card's data, for the games a system plays (`library: coc` in its file)."""
    cards: dict[str, Mapping[str, Any]] = {}
    for path in _library_files(system(key).source.get("library", ())):
        for name, data in (strict_yaml.load(path.read_bytes(), name=path.name) or {}).items():
            cards[fold(name)] = {**data, "name": name}
    return cards


def find_card(key: str, name: str) -> Mapping[str, Any] | None:
    """A library card by name, however its case and punctuation are written; None when there is none."""
    return library(key).get(fold(name))


def fold(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
