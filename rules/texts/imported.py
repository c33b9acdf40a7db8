"""Card data that an operator imports with texts: what its rows tell of a card, and what the card's text means.

A row is what a source says of one printing: column -> value. What comes of a card's rows is a `Meaning`, plain JSON, so
that it can be stored; `card_of` makes of it a card as a scenario has it. Nothing of a text is guessed: what is not
understood, and what the data does not tell, stands in the card as `unread` (docs/wording.md).
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rules.engine.base.errors import DataError
from rules.engine.definitions.model import Property
from rules.law import system_files
from rules.texts import lexicons
from rules.texts.library import held, misprints
from rules.texts.printed import PrintedText, printed_text
from rules.texts.understanding import (
    Understood,
    chosen_among,
    data_of,
    understood,
    unread_whole,
)
from rules.wording.lexing import LONGEST
from rules.wording.reading import Trouble

Row = Mapping[str, Any]
Meaning = dict[str, Any]
"""called: the name on the card. text: as it was read. facts: what is printed on it, in the system's words.

passages: [{start, end, readings: [data], taken (from 1; 0: none), trouble or None, unread: [entries]}].
more: entries of `unread` for what the rows do not tell. remarks: [{code, details}], why it is not wholly understood:
`waiting` (no worker has read it yet), `two-texts`, `held`, `no-type`, `no-text`, `untold`, `told-twice`, `facts`,
`fault`, or the code of a text that cannot be cut into abilities.
"""

_PLAIN = {"name": ["title", "name"], "type": ["type"], "text": ["text"]}  # of a game without a words file
_NOT_PRINTED = ("name", "zone", "owner", "controller", "type")


@dataclass(frozen=True, slots=True)
class Imported:
    """A card as it is stored. meaning: None as long as no worker has read the rows under today's grammar."""

    name: str
    rows: Sequence[Row]
    facts: Mapping[str, Any] = field(default_factory=dict)
    meaning: Meaning | None = None

    def told(self, system: str) -> Meaning:
        """What is understood of it; before it was read, that nothing of its text is."""
        return self.meaning or unread_of(system, self.name, self.rows, self.facts, "waiting")


@cache
def grammar(key: str) -> str:
    """By what texts of a system are read: changes with the grammar, the words, the system and the engine."""
    rules = Path(__file__).parents[1]
    digest = hashlib.sha256(system_files.system(key).hash.encode())
    for folder, pattern in (("wording", "**/*"), ("texts", "*.py"), ("library/understood", "*.yaml")):
        for path in sorted((rules / folder).glob(pattern)):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()


# --- from rows to a meaning ------------------------------------------------------------------------------


def meaning_of(key: str, title: str, rows: Sequence[Row], facts: Mapping[str, Any]) -> Meaning:
    """What a card means under a system by what its rows say. Never raises for what a file holds.

    facts: those of the catalog, which the system shares as far as they have the same name and fit.
    """
    prints = _prints(key, title, rows, facts)
    found = [_of_print(key, title, one) for one in prints]
    same = all((one["facts"], _data(one, ())) == (found[0]["facts"], _data(found[0], ())) for one in found)
    if len(found) > 1 and not (same and whole(found[0])):
        return unread_of(key, title, rows, facts, "two-texts")
    return found[0]


def unread_of(
    key: str, title: str, rows: Sequence[Row], facts: Mapping[str, Any], why: str, details: str = ""
) -> Meaning:
    """The card with its printed facts and a text of which nothing is taken, and why."""
    prints = _prints(key, title, rows, facts)
    first = prints[0]
    shared = {
        fact: value
        for fact, value in first.facts.items()
        if all(one.facts.get(fact) == value for one in prints)
    }
    if first.type and all(one.type == first.type for one in prints):
        shared = {"type": first.type, **shared}
    text = "\n\n".join(dict.fromkeys(one.text for one in prints if one.text.strip()))[:LONGEST]
    return _playable(key, title, _unread(first.name, text, shared, why, details))


def _prints(key: str, title: str, rows: Sequence[Row], facts: Mapping[str, Any]) -> list[PrintedText]:
    """What the rows tell, one for each way in which the card is printed."""
    columns = _columns(key)
    types = frozenset(system_files.system(key).properties["type"].symbols)
    lexicon = lexicons.lexicon_of(key) if key in lexicons.word_systems() else None
    subtypes = lexicons.subtypes(lexicon) if lexicon is not None else ()
    found: dict[str, PrintedText] = {}
    for row in rows:
        told = _with_columns(row, columns)
        card = printed_text(told, columns, types, subtypes, misprints(key))
        type_ = card.type or next((one for one in _listed(facts.get("type")) if one in types), None)
        printed, untold = _facts(key, columns, card, told, facts)
        text = card.text.strip()
        one = PrintedText(card.name or title, type_, text, card.xs, printed, card.printing, untold)
        found.setdefault(repr((type_, text.split(), sorted(printed.items(), key=str), untold)), one)
    return list(found.values())


@cache
def _columns(key: str) -> Mapping[str, Any]:
    if key not in lexicons.word_systems():
        return _PLAIN
    printed = dict(lexicons.lexicon_of(key).data.get("printed") or _PLAIN)
    # Cards of one name that are told apart by more in their titles say in `called` what is printed on them.
    return {**printed, "name": list(dict.fromkeys(["called", *printed["name"], "title"]))}


def _with_columns(row: Row, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the columns that a words file speaks of, however their case and their spaces are written."""
    flat: dict[str, Any] = {}
    for word, value in row.items():
        if isinstance(value, Mapping):
            flat |= {f"{word}.{inner}": one for inner, one in value.items()}
        else:
            flat[word] = value
    known = {_squeezed(word): word for word in flat}
    for column in _named(columns):
        same = known.get(_squeezed(column))
        if column not in flat and same is not None:
            flat[column] = flat[same]
    return flat


def _named(columns: Mapping[str, Any]) -> Iterator[str]:
    for word in ("name", "type", "text", "print"):
        yield from columns.get(word, ())
    yield from columns.get("symbol", {})
    for told in (*columns.get("facts", {}).values(), *columns.get("untold", ())):
        yield told["column"]
    for keys in columns.get("x", {}).values():
        yield from keys


def _squeezed(column: str) -> str:
    return re.sub(r"[\s_-]+", "", column).casefold()


def _facts(
    key: str, columns: Mapping[str, Any], card: PrintedText, row: Row, catalog: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What is printed beside the text, in the system's words, and what of it nobody tells."""
    untold = list(card.untold)
    found: dict[str, Any] = {}
    for name, prop in system_files.system(key).properties.items():
        if prop.of != "card" or prop.shed or not prop.told or name in _NOT_PRINTED:
            continue
        value = _fitting(prop, catalog[name]) if name in catalog else None
        value = card.facts.get(name) if value is None else value
        if isinstance(value, str) and prop.type == "text":
            said: str = value
            value = _in_words(key, columns, name, said)
            if value is None:
                untold.append(f"{name} {said}")
        if value is not None:
            found[name] = value
    for word, told in columns.get(
        "facts", {}
    ).items():  # a mark that a file has no column for is on few cards
        if not {"is", "leading"} & set(told) and told["column"] not in row and word not in found:
            untold.append(word)
    return found, tuple(dict.fromkeys(untold))


def _listed(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value or "")]


def _fitting(prop: Property, value: Any) -> Any:
    """A fact of a catalog as the system has it; None where it does not fit."""
    if prop.type == "number":
        return (
            value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**6 else None
        )
    if prop.type == "yes-no":
        return "yes" if value is True or value == "yes" else None
    if prop.type == "list":
        return [str(one) for one in value] if isinstance(value, list | tuple) and value else None
    if prop.type == "symbol":
        return value if isinstance(value, str) and value in prop.symbols else None
    return value if prop.type == "text" and isinstance(value, str) and value else None


def _in_words(key: str, columns: Mapping[str, Any], fact: str, value: str) -> str | None:
    """A word as the system's cards have it (“Agency” is “The Agency”); None where the words are known and this is none
    of them."""
    renamed = columns.get("facts", {}).get(fact, {}).get("values", {})
    ways = [value, f"The {value}", value.removeprefix("The ")]
    value = str(next((renamed[one] for one in ways if one in renamed), value))
    if key not in lexicons.word_systems():
        return value
    lists = [one["values"] for one in lexicons.lexicon_of(key).data.get("lists", ()) if one["fact"] == fact]
    known: dict[str, str] = {}
    for values in lists:
        pairs = values.items() if isinstance(values, Mapping) else ((one, one) for one in values)
        known |= {str(word).casefold(): str(ours) for word, ours in pairs}
    return known.get(value.casefold()) if known else value


# --- one print -------------------------------------------------------------------------------------------


def _of_print(key: str, title: str, card: PrintedText) -> Meaning:
    reason = held(key).get(card.name, held(key).get(title))
    facts = {"type": card.type, **card.facts} if card.type else dict(card.facts)
    if card.type is None or reason is not None or len(card.text) > LONGEST:
        why = "held" if reason is not None else "too-long" if len(card.text) > LONGEST else "no-type"
        return _playable(key, title, _unread(card.name, card.text[:LONGEST], facts, why, reason or ""))
    try:
        found = understood(key, card.text, name=card.name, type_=card.type, xs=card.xs, gates=True)
    except DataError as error:
        return _playable(key, title, _unread(card.name, card.text, facts, error.code, error.message))
    meaning = _meaning(card.name, found, facts)
    untold = [*card.untold, *(f"{fact} X" for fact in sorted(card.xs) if f"{fact} X" not in card.untold)]
    if untold:
        _remark(meaning, "untold", ", ".join(untold), *untold)
    if _does_nothing(key, card, found):
        _remark(meaning, "no-text", "", "its text")
    return _playable(key, title, meaning)


def _does_nothing(key: str, card: PrintedText, found: Understood) -> bool:
    """An event without a text, or an attachment that only says to what: half of the text is missing."""
    if key not in lexicons.word_systems() or not found.whole:
        return False
    bare = card.type in lexicons.lexicon_of(key).data.get("no-standing", ())
    return set(found.data) == {"attaches-to"} or (bare and "abilities" not in found.data)


def _unread(called: str, text: str, facts: Mapping[str, Any], why: str, details: str) -> Meaning:
    first = re.search(r"\S+", text)
    start, end = first.span() if first else (0, 0)
    found = unread_whole(text, Trouble(why, start, end, text[start:end][:40], details))
    return {**_meaning(called, found, facts), "remarks": [{"code": why, "details": details}]}


def _meaning(called: str, found: Understood, facts: Mapping[str, Any]) -> Meaning:
    passages = [
        {
            "start": one.start,
            "end": one.end,
            "readings": [dict(reading) for reading in one.readings],
            "taken": one.taken,
            "trouble": {**asdict(one.trouble), "near": [*one.trouble.near]}
            if one.trouble is not None
            else None,
            "unread": [dict(entry) for entry in one.unread],
        }
        for one in found.passages
    ]
    return {
        "called": called, "text": found.text, "facts": dict(facts), "passages": passages, "more": [], "remarks": [],
    }  # fmt: skip


def _remark(meaning: Meaning, code: str, details: str, *says: str) -> None:
    meaning["remarks"].append({"code": code, "details": details})
    meaning["more"] += [{"says": one} for one in says]


def _playable(key: str, title: str, meaning: Meaning) -> Meaning:
    """The meaning, if the engine takes the card; else with a text of which nothing is taken, or without its facts."""
    facts, data = meaning["facts"], _data(meaning, ())
    twice = sorted(fact for fact in set(facts) & set(data) if not _agree(facts[fact], data[fact]))
    fault = lexicons.compiles(key, title, _joined(facts, data))
    if not twice and fault is None:
        return meaning
    code, details = ("told-twice", ", ".join(twice)) if twice else ("facts", str(fault))
    text, called = meaning["text"], meaning["called"]
    bare = {"type": facts["type"]} if "type" in facts else {}
    for kept in (facts, bare):
        unread = _unread(called, text, kept, code, details)
        unread["more"] = [*meaning["more"], *([{"says": "its facts"}] if kept != facts else [])]
        if lexicons.compiles(key, title, _joined(kept, _data(unread, ()))) is None:
            break
    return unread


def _agree(fact: Any, said: Any) -> bool:
    """May both stand, what is printed beside the text and what the text says? Lists add up; else they must be one."""
    if isinstance(fact, list) and isinstance(said, list):
        return True
    return bool(fact == ("yes" if said is True else said))


# --- from a meaning to a card ------------------------------------------------------------------------------


def card_of(title: str, meaning: Meaning, chosen: Sequence[int] = ()) -> dict[str, Any]:
    """The card as a scenario has one that is described in place. Raises DataError for a choice of a reading that is
    none (`chosen`: of the passages with several, in their order, from 1)."""
    return {"name": title, **_joined(meaning["facts"], _data(meaning, chosen))}


def whole(meaning: Meaning) -> bool:
    """Is every word of it understood, and everything told?"""
    return not meaning["remarks"] and all(one["taken"] for one in meaning["passages"])


def _data(meaning: Meaning, chosen: Sequence[int]) -> dict[str, Any]:
    passages = meaning["passages"]
    taken = chosen_among([len(one["readings"]) for one in passages], chosen)
    found = data_of(
        (one["readings"][number - 1] if number else None, one["unread"])
        for one, number in zip(passages, taken, strict=True)
    )
    unread = [*found.pop("unread", ()), *meaning["more"]]
    return {**found, "unread": unread} if unread else found


def _joined(facts: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Facts and text; a subtype may stand in both."""
    both = {
        fact: list(dict.fromkeys([*facts[fact], *data[fact]]))
        for fact in set(facts) & set(data)
        if isinstance(facts[fact], list) and isinstance(data[fact], list)
    }
    return {**facts, **data, **both}
