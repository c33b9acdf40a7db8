"""The built-in timing systems and card library: read from YAML once, and compiled."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from rules.engine.base.errors import DataError, called, unknown
from rules.engine.base.garbage import uncollected
from rules.engine.compiler import compile_card, compile_system, library_card
from rules.engine.definitions.model import System

FOLDER = Path(__file__).parents[1]


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
    with uncollected():
        return [system(key) for key in keys()]


@cache
def _content(key: str) -> tuple[bytes, Mapping[str, Any]]:
    """The system's file: its bytes and what it says."""
    if key not in keys():
        raise unknown("system", key, keys(), place="system")
    path = FOLDER / "systems" / f"{key}.yaml"
    content = path.read_bytes()
    return content, strict_yaml.load(content, name=path.name, shipped=True)


_FOR_PEOPLE = (
    "example",
    "moments",
    "catalogs",
    "most-players",
    "chapters",
)  # keys that the engine need not know


def edition(key: str) -> str:
    """The version of the law in words: its first document and which edition of it we hold."""
    document = next(iter(_content(key)[1].get("documents") or ()), None)
    if document is None:
        return str(_content(key)[1]["version"])
    return (
        f"{document['title']} ({document['edition']})" if document.get("edition") else str(document["title"])
    )


def most_players(key: str) -> int | None:
    """How many may play by what the system's file says; None: as many as like."""
    return _content(key)[1].get("most-players")


def example(key: str) -> Mapping[str, Any] | None:
    """A scenario that the system's file gives as its example; None when it gives none."""
    found = _content(key)[1].get("example")
    return found if isinstance(found, Mapping) else None


def moments(key: str) -> Mapping[str, str]:
    """The points at which a scenario may begin, by their names, in the order they are played; a point of `starts` that
    the file leaves out comes last, under its own word."""
    starts = system(key).starts
    named = _content(key)[1].get("moments") or {}
    return {
        **{word: str(name) for word, name in named.items() if word in starts},
        **{word: word for word in starts if word not in named},
    }


def chapters(key: str) -> Mapping[str, str]:
    """Title of each chapter of the law that its documents only number; empty when the system's file names none."""
    return {str(number): str(title) for number, title in (_content(key)[1].get("chapters") or {}).items()}


def of_catalog(catalog: str) -> str:
    """The system by which a catalog's game is played; empty when no file says so."""
    return next((key for key in keys() if catalog in (_content(key)[1].get("catalogs") or ())), "")


def of_game(game: str) -> str:
    """The system by which a game's cards are played, by the key of the game's catalog; empty where there is none."""
    return game if game in keys() else of_catalog(game)


@cache
def system(key: str) -> System:
    """The compiled system. Its hash covers its own file and its game's library. Raises DataError when unknown."""
    content, told = _content(key)
    data = {word: value for word, value in told.items() if word not in _FOR_PEOPLE}
    digest = hashlib.sha256(ENGINE_VERSION.encode() + content)
    for file in (*_library_files(data.get("library", ())), _understood_file(key)):
        digest.update(file.read_bytes() if file.exists() else b"")
    try:
        with uncollected():
            return compile_system(data, digest=digest.hexdigest())
    except DataError as error:
        raise error.at(f"{key}.yaml") from error


def _library_files(folders: Any) -> list[Path]:
    names = [folders] if isinstance(folders, str) else list(folders)
    return sorted(path for name in names for path in (FOLDER / "library" / name).glob("*.yaml"))


@cache
def library(key: str) -> Mapping[str, Mapping[str, Any]]:
    """Folded card name -> the card's data: the cards of its folders (`library: coc`) that work in this system. Every
    one of them is compiled: a card that cannot be read is found when the library is, not at somebody's table.

    Raises DataError with the card's name.
    """
    cards = {name: card for name, (card, works_in) in all_cards(key).items() if key in works_in}
    with uncollected():
        for card in cards.values():
            try:
                library_card(system(key), card["name"], card)
            except DataError as error:
                raise error.at(f"library.{card['name']}") from error
    return cards


@cache
def all_cards(key: str) -> Mapping[str, tuple[Mapping[str, Any], list[str]]]:
    """Folded card name -> its data and the systems it works in: all that play with its folder, unless it names some."""
    cards: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    with uncollected():
        for path in _library_files(system(key).source.get("library", ())):
            for name, data in _library_file(path).items():
                works_in = data.get("systems", [key])
                words = {word: value for word, value in data.items() if word != "systems"}
                cards[fold(name)] = ({**_citing(words, system(key).law), "name": name}, works_in)
    return cards


@cache
def _library_file(path: Path) -> Mapping[str, Any]:
    return strict_yaml.load(path.read_bytes(), name=path.name, shipped=True) or {}


def _citing(data: Any, law: Mapping[str, Any]) -> Any:
    """A card's data with those of its citations that this system's law holds: two games may play with one library."""
    if isinstance(data, Mapping):
        return {
            key: [rule for rule in _rules(value) if rule in law] if key == "cite" else _citing(value, law)
            for key, value in data.items()
        }
    return [_citing(entry, law) for entry in data] if isinstance(data, list) else data


def _rules(cited: Any) -> list[str]:
    return [cited] if isinstance(cited, str) else list(cited)


def _understood_file(key: str) -> Path:
    return FOLDER / "library" / "understood" / f"{key}.jsonl"


@cache
def understood(key: str) -> Mapping[str, Mapping[str, Any]]:
    """Folded card name -> its data, of the cards whose printed texts the grammar understood (`manage.py
    cards_understand`, docs/wording.md). A card that a hand wrote is not among them."""
    path = _understood_file(key)
    if not path.exists():
        return {}
    with uncollected(), path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    hand, changed = library(key), errata(key)
    return {
        fold(row["name"]): with_errata(row["card"], changed.get(row["name"], {})) | {"name": row["name"]}
        for row in rows
        if fold(row["name"]) not in hand
    }


@cache
def errata(key: str) -> Mapping[str, Mapping[str, Any]]:
    """Card name -> what the game's documents say of it instead of its print: facts, and what changes of its abilities,
    by their places; each with the rule that says so (`cite`)."""
    path = FOLDER / "library" / "understood" / "errata.yaml"
    return strict_yaml.load(path.read_bytes(), name=path.name, shipped=True).get(key, {})


def with_errata(card: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A card's data with what its errata change."""
    facts = {word: value for word, value in change.items() if word not in ("abilities", "cite")}
    abilities = [dict(ability) for ability in card.get("abilities", ())]
    for place, changes in change.get("abilities", {}).items():
        cites = [*abilities[place].get("cite", ()), *change.get("cite", ())]
        abilities[place] |= {**changes, "cite": cites}
    return {**card, **facts, **({"abilities": abilities} if abilities else {})}


@cache
def cards(key: str) -> Mapping[str, Mapping[str, Any]]:
    """Every card that can be named under a system: those that a hand wrote, and those that were understood."""
    return {**understood(key), **library(key)}


def find_card(key: str, name: str) -> Mapping[str, Any]:
    """A library card by name, however its case and punctuation are written. Raises DataError when there is none."""
    found = library(key).get(fold(name)) or understood(key).get(fold(name))
    if found is None and fold(name) in all_cards(key):
        raise _card_of_another_system(key, *all_cards(key)[fold(name)])
    if found is None:
        error = unknown("card", name, [str(card["name"]) for card in cards(key).values()])
        hint = "Or describe it yourself: name, type, abilities (manage.py vocabulary lists the words)."
        remedy = f"{error.remedy} {hint}" if error.remedy.startswith("Did") else hint
        raise DataError(error.code, f"no library card is named {called(name)}", remedy=remedy)
    return found


def _card_of_another_system(key: str, card: Mapping[str, Any], works_in: list[str]) -> DataError:
    """What is said of a library card that this system has no words for: which word, and where it works."""
    try:
        compile_card(system(key), card["name"], card)
        reason = ""
    except DataError as error:
        reason = f": {error.message}"
    remedy = f"Ask under {' or '.join(works_in)}, or describe the card yourself: name, type, abilities."
    message = (
        f"the library card {called(card['name'])} works in {' and '.join(works_in)}, not in {key}{reason}"
    )
    return DataError("card-of-another-system", message, remedy=remedy)


def forget() -> None:
    """Read everything anew when it is next asked for."""
    for cached in (_content, system, library, understood, cards, all_cards, _library_file):
        cached.cache_clear()


def sentence_hash(sentence: str) -> str:
    """By which a citation knows the sentence of a rule again."""
    return hashlib.sha256(sentence.encode()).hexdigest()


def fold(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
