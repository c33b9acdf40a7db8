"""From a system file's data and cards' data to compiled charts and abilities. Every name is resolved here, once."""

from collections.abc import Mapping
from typing import Any

from rules.engine.compiler.cards import CardCompiler
from rules.engine.compiler.systems import SystemCompiler
from rules.engine.model import CardDefinition, System


def compile_system(data: Mapping[str, Any], *, digest: str) -> System:
    """Compile one system file's data. Raises DataError with the place of the first fault."""
    return SystemCompiler(data, digest).compile()


def compile_card(system: System, name: str, data: Mapping[str, Any]) -> CardDefinition:
    """Compile a card's facts and abilities for a system. Raises DataError."""
    return CardCompiler(system).compile(name, data)
