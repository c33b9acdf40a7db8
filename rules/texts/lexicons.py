"""Card texts of a system: its words file joined with its timing rules, and the check that what was read can be
played.

lexicon_of("coc-lcg") the words and the grammar, read once compiles("coc-lcg", data) does the engine take what was
understood?
"""

from functools import cache
from pathlib import Path
from typing import Any

from config import strict_yaml
from rules.engine.base.errors import DataError
from rules.engine.compiler.cards import CardCompiler
from rules.law import system_files
from rules.wording.lexicon import Lexicon, SystemWords

WORDS = Path(__file__).parents[1] / "wording" / "words"
ENGLISH = Path(__file__).parents[1] / "wording" / "english"


def word_systems() -> list[str]:
    """Keys of the systems whose cards' texts can be read."""
    return sorted(path.stem for path in WORDS.glob("*.yaml"))


@cache
def lexicon_of(key: str) -> Lexicon:
    """The words of a system. Raises DataError for a system without; WordsError for a file that is wrong."""
    path = WORDS / f"{key}.yaml"
    if not path.exists():
        known = ", ".join(word_systems())
        raise DataError(
            "no-words", f"card texts of {key} cannot be read", remedy=f"Systems with words: {known}."
        )
    data = strict_yaml.load(path.read_bytes(), name=path.name, shipped=True)
    english = {file.name: file.read_text("utf-8") for file in sorted(ENGLISH.glob("*.grammar"))}
    return Lexicon(data, system_words(key), english)


def system_words(key: str) -> SystemWords:
    """What of a system a words file may name."""
    system = system_files.system(key)
    occurrences = {name: frozenset(kind.role_names) for name, kind in system.kinds.items()}
    for family, members in system.families.items():
        occurrences[family] = frozenset.intersection(*(occurrences[member] for member in members))
    facts = (
        frozenset(system.properties)
        | frozenset(system.derived)
        | {"zone", "name", "host", "owner", "controller"}
    )
    stats = frozenset(name for name, prop in system.properties.items() if prop.stat)
    return SystemWords(
        key, occurrences, stats, facts, frozenset(system.nouns), frozenset(system.zones),
        frozenset(system.ability_kinds), frozenset(system.flags),
        frozenset(name for name, kind in system.ability_kinds.items() if kind.must),
        {family: tuple(sorted(members)) for family, members in system.families.items()},
    )  # fmt: skip


def compiles(key: str, name: str, data: dict[str, Any]) -> DataError | None:
    """What the engine says against a card with that text; None when it takes it."""
    try:
        CardCompiler(system_files.system(key)).compile(name, data)
    except DataError as error:
        return error
    return None


def subtypes(lexicon: Lexicon) -> tuple[str, ...]:
    """The subtypes that a game's texts know, those of several words among them."""
    lists = [one["values"] for one in lexicon.data.get("lists", ()) if one.get("subtype")]
    return tuple(str(value) for values in lists for value in values)
