"""From a system file's data and cards' data to compiled charts and abilities. Every name is resolved here, once.

May import every room from `operations` down. Start reading at `systems`, then `cards`.
"""

import itertools
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from rules.engine.compiler.cards import CardCompiler
from rules.engine.compiler.systems import SystemCompiler
from rules.engine.definitions.model import CardDefinition, System


def compile_system(data: Mapping[str, Any], *, digest: str) -> System:
    """Compile one system file's data. Raises DataError with the place of the first fault."""
    return SystemCompiler(data, digest).compile()


def card_numbers() -> Iterator[int]:
    """Numbers for what the cards of one scene are made of: the same in every process, none of them the system's."""
    return itertools.count(1_000_000)


def compile_card(
    system: System, name: str, data: Mapping[str, Any], numbers: Iterator[int] | None = None
) -> CardDefinition:
    """Compile a card's facts and abilities for a system; cards that lie in one scene share their `card_numbers`.

    Raises DataError.
    """
    return CardCompiler(system, card_numbers() if numbers is None else numbers).compile(name, data)


def library_card(system: System, name: str, data: Mapping[str, Any]) -> CardDefinition:
    """A card of the system's library, compiled when it is first met. Its numbers hang on its name alone, so they are
    the same in every process, whatever was met before. Raises DataError."""
    found = system.cards.get(name)
    if found is None:
        first = int.from_bytes(blake2b(name.encode(), digest_size=6).digest()) << 16
        found = system.cards[name] = compile_card(system, name, data, itertools.count(max(first, 1 << 32)))
    return found
