"""How much of a game's printed texts is understood, by kind of ability, and whether what was understood passes
the gates.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rules.texts import lexicons
from rules.texts.printed import PrintedText
from rules.wording.gates import failures
from rules.wording.meaning.draft import Card
from rules.wording.reading import DECLINED, SEVERAL, UNDERSTOOD, AbilityRead, read


@dataclass
class Coverage:
    """Counts of abilities by kind and outcome, of whole cards, of what stopped the others."""

    abilities: Counter[tuple[str, str]] = field(default_factory=Counter)
    cards: Counter[str] = field(default_factory=Counter)
    stops: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: list[tuple[str, str, str]] = field(default_factory=list)  # card, gate, what

    def count(self, outcome: str) -> int:
        return sum(number for (_, found), number in self.abilities.items() if found == outcome)

    @property
    def total(self) -> int:
        return sum(self.abilities.values())


def coverage(key: str, cards: Iterable[PrintedText], *, gates: bool = True) -> Coverage:
    """Every ability of every card read; those with one reading held against the gates. Raises DataError."""
    lexicon = lexicons.lexicon_of(key)
    found = Coverage()
    for card in cards:
        reading = read(lexicon, card.text, name=card.name, type_=card.type, xs=card.xs)
        outcomes = {ability.outcome for ability in reading.abilities} | (
            {DECLINED} if reading.trouble else set()
        )
        found.cards[
            next(one for one in (DECLINED, SEVERAL, UNDERSTOOD) if one in outcomes or one == UNDERSTOOD)
        ] += 1
        for ability in reading.abilities:
            found.abilities[kind_of(ability), ability.outcome] += 1
            if ability.trouble is not None:
                found.stops[ability.trouble.code, ability.trouble.word.lower()] += 1
            if gates and ability.outcome != DECLINED:
                found.failed += [(card.name, *one) for one in _gates(key, card, ability, reading.card)]
    return found


def _gates(key: str, card: PrintedText, ability: AbilityRead, read_as: Card) -> Iterable[tuple[str, str]]:
    for entry in ability.readings:
        error = lexicons.compiles(key, card.name, {"type": card.type, **entry} if card.type else entry)
        if error is not None:
            yield "plays", str(error)
    yield from failures(lexicons.lexicon_of(key), ability, read_as)


def kind_of(ability: AbilityRead) -> str:
    """What kind of ability a text is: its heading, or that it has none."""
    head = " ".join(ability.words[: ability.words.index(":")]) if ":" in ability.words[:4] else ""
    return head or "standing"
