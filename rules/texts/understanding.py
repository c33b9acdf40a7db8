"""A printed text as what a card of the library or of a scenario says: what was understood as data, the rest as text
that nobody understood (`unread`, docs/wording.md).

understood("coc-lcg", "Action: Exhaust ~ to draw a card.", name="Old Clerk", type_="character")
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from rules.engine.base.errors import DataError
from rules.texts import lexicons
from rules.wording.gates import failures
from rules.wording.meaning.continuous import joined
from rules.wording.meaning.draft import Card, Unsaid
from rules.wording.reading import LISTS as LISTS
from rules.wording.reading import AbilityRead, Trouble, read, take

SHOWN = 60  # characters of words that are told as not understood


@dataclass(frozen=True, slots=True)
class Passage:
    """One ability of a text: its words, what it can mean (library data, one entry a reading), and which was taken.

    taken: the number of the reading from 1; 0 where nothing is understood, or where several are and nobody chose.
    unread: what a card says of the passage as long as no reading of it is taken.
    """

    start: int
    end: int
    words: str
    readings: tuple[Mapping[str, Any], ...]
    taken: int
    trouble: Trouble | None
    phrases: tuple[tuple[str, int, int], ...]
    unread: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Understood:
    """A text, passage by passage, and the data that it comes to: keys of a card."""

    text: str
    passages: tuple[Passage, ...]
    data: Mapping[str, Any]

    @property
    def whole(self) -> bool:
        """Is every word understood, in the one reading that was taken?"""
        return all(passage.taken for passage in self.passages)

    @property
    def asks(self) -> bool:
        """Is there a passage with several readings of which nobody chose one?"""
        return any(len(passage.readings) > 1 and not passage.taken for passage in self.passages)


def understood(
    key: str,
    text: str,
    *,
    name: str = "",
    type_: str | None = None,
    xs: Iterable[str] = (),
    chosen: Sequence[int] = (),
    gates: bool = False,
) -> Understood:
    """What a text comes to. Raises DataError for a text that cannot be cut into abilities (too long, a quotation left
    open), and for a choice among readings that is none.

    chosen: of the passages with several readings, in their order, which one (from 1).
    gates: hold each passage against the checks of `rules.wording.gates` too; one that fails is not understood. Slow.
    """
    if key not in lexicons.word_systems():
        return _all_unread(text)
    found = read(lexicons.lexicon_of(key), text, name=name, type_=type_, xs=xs)
    if found.trouble is not None:
        remedy = "Close it." if found.trouble.code == "open-quote" else "Paste one card's text."
        raise DataError(found.trouble.code, found.trouble.says, remedy=remedy)
    passages = []
    for ability in found.abilities:
        readings = tuple(one for one in ability.readings if _playable(key, name, type_, one) is None)
        if len(readings) < len(ability.readings):
            readings = ()  # what the engine refuses may have been meant
        trouble = ability.trouble or _trouble(ability, readings)
        if gates and trouble is None and (trouble := _fails(key, ability, found.card)) is not None:
            readings = ()
        passages.append(Passage(
            ability.start, ability.end, text[ability.start : ability.end], readings, 0, trouble,
            ability.phrases, tuple(_unread(key, text, ability, readings, type_)) if len(readings) != 1 else (),
        ))  # fmt: skip
    taken = chosen_among([len(one.readings) for one in passages], chosen)
    passages = [replace(one, taken=number) for one, number in zip(passages, taken, strict=True)]
    for i in _at_odds([one.readings[one.taken - 1] if one.taken else {} for one in passages]):
        ability = found.abilities[i]
        trouble = _in_trouble(ability, "told-twice", "the text says this in two ways")
        unread = tuple(_unread(key, text, ability, (), type_))
        passages[i] = replace(passages[i], readings=(), taken=0, trouble=trouble, unread=unread)
    told = data_of((one.readings[one.taken - 1] if one.taken else None, one.unread) for one in passages)
    return Understood(text, tuple(passages), told)


def _at_odds(entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Which of a text's passages tell one fact in different ways: none of them can be taken."""
    found: set[int] = set()
    for fact in {fact for entry in entries for fact in entry if fact not in LISTS}:
        telling = [i for i, entry in enumerate(entries) if fact in entry]
        try:
            reduce(joined, (entries[i][fact] for i in telling), None)
        except Unsaid:
            found |= set(telling)
    return sorted(found)


def chosen_among(readings: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Which reading of each passage is taken (from 1; 0: none), by how many each has and what was chosen of those that
    have several, in their order. Raises DataError for a choice that is none."""
    choices = list(chosen)
    taken = [_chosen(choices, several) if several > 1 else several for several in readings]
    if choices:
        raise DataError("wrong-reading", "there are fewer passages with several readings", place="reading")
    return taken


def data_of(
    passages: Iterable[tuple[Mapping[str, Any] | None, Iterable[Mapping[str, Any]]]],
) -> dict[str, Any]:
    """The keys of a card that its passages come to: of each the reading that is taken, or else what is said of it as
    not understood. Raises DataError where two readings that were chosen tell one fact in different ways."""
    data: dict[str, Any] = {}
    untold: list[dict[str, Any]] = []
    for reading, unread in passages:
        try:
            take(data, dict(reading or {}))
        except Unsaid as error:
            remedy = "Choose another reading, or 0 for none."
            raise DataError("wrong-reading", error.what, place="reading", remedy=remedy) from error
        if reading is None:
            untold += [dict(one) for one in unread]
    return {**data, "unread": untold} if untold else data


def _all_unread(text: str) -> Understood:
    """A text of a game whose texts cannot be read."""
    says = "card texts of this game cannot be read yet"
    return unread_whole(text, Trouble("no-words", 0, len(text), first_words(text), says))


def unread_whole(text: str, trouble: Trouble) -> Understood:
    """A text of which nothing is taken, and why."""
    if not text.strip():
        return Understood(text, (), {})
    says: dict[str, Any] = {"says": first_words(text)}
    return Understood(text, (Passage(0, len(text), text, (), 0, trouble, (), (says,)),), {"unread": [says]})


def first_words(text: str) -> str:
    """As many of a text's words as are told of what is not understood."""
    words = " ".join(text.split())
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1].rstrip()}…"


def _chosen(choices: list[int], readings: int) -> int:
    if not choices:
        return 0
    number = choices.pop(0)
    if not 0 <= number <= readings:
        text = f"there are {readings} readings, and no number {number}"
        raise DataError("wrong-reading", text, place="reading", remedy=f"Write 1 to {readings}.")
    return number


def _playable(key: str, name: str, type_: str | None, entry: Mapping[str, Any]) -> DataError | None:
    return lexicons.compiles(key, name or "this card", {"type": type_, **entry} if type_ else dict(entry))


def _trouble(ability: AbilityRead, readings: Sequence[Any]) -> Trouble | None:
    if readings:
        return None
    return _in_trouble(ability, "not-playable", "the timing rules cannot play what it says")


def _in_trouble(ability: AbilityRead, code: str, says: str) -> Trouble:
    return Trouble(code, ability.start, ability.end, ability.words[0], says)


def _fails(key: str, ability: AbilityRead, card: Card) -> Trouble | None:
    """The first check of the grammar that an understood ability fails."""
    for _gate, what in failures(lexicons.lexicon_of(key), ability, card):
        return _in_trouble(ability, "check-failed", what)
    return None


def _unread(
    key: str, text: str, ability: AbilityRead, readings: Sequence[Mapping[str, Any]], type_: str | None
) -> Iterator[dict[str, Any]]:
    """What is told of a passage that is not understood, or of which nobody says what it means."""
    trouble = ability.trouble
    says = first_words(text[trouble.start if trouble else ability.start : ability.end])
    known: list[Mapping[str, Any]] = [*ability.known]
    for reading in readings:
        if set(reading) != {"abilities"}:
            known = []
            break
        known += [
            {key: one[key] for key in ("kind", "at", "of", "if", "zones") if key in one}
            for one in reading["abilities"]
        ]
    zones = _zones(key, ability)
    where = {"zones": zones} if zones else {}
    found = [{"says": says, **one, **where} for one in known]
    kinds = {one["kind"] for one in known}
    for entries in (found, [{"says": says, "kind": kind, **where} for kind in sorted(kinds)]):
        card = {"type": type_, "unread": entries} if type_ else {"unread": entries}
        if entries and lexicons.compiles(key, "this card", card) is None:
            yield from entries
            return
    yield {"says": says, **where}


def _zones(key: str, ability: AbilityRead) -> list[str]:
    """Every zone, where the words speak of one: the text may work there."""
    lexicon = lexicons.lexicon_of(key)
    row = f" {' '.join(ability.words)} "
    named = any(f" {word.lower()} " in row for word in lexicon.data.get("zones", {}))
    return sorted(lexicon.system.zones) if named else []
