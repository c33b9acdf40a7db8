"""A deck said in one breath: `[Fire/Growth/Finesse] + Red starter`; `[Fire/Blood]/Growth`: the starter deck is that of
the names in brackets."""

import re
import unicodedata

from decks.lists import card_lines
from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode

RANK = 70
READS = (Kind("specs", "A deck in one line: [Fire/Growth/Finesse] + Red", ".txt"),)
KIND = READS[0].key
SPECS, STARTER = "Specs", "Starter"
_NAME = re.compile(r"^([^\[\]/+:]{1,80}): *(?=\S)")
_STARTER_WORD = re.compile(r"[\s(]+(?:starter(?:\s+deck)?|deck)\)?$", re.I)
_WITH = re.compile(r"[,;]? (?:with|and)(?: an?| the)? (?=[\w' -]{1,60} (?:starter|deck)\W*$)", re.I)
_ITEM = re.compile(r"^[^\W\d][\w' .,-]{0,60}$")
_OTHER = re.compile(r"[/\[:\d]")  # stands in no name of a deck of this kind
MAX_ITEMS = 8


def recognises(source: str, filename: str) -> bool:
    if len(source) > 600:
        return False
    lines = [_plain(line) for line in source.splitlines() if line.strip()]
    said = [line for line in lines if _parts(line)]
    return (
        len(said) == 1 and len(lines) < 3 and not any(_OTHER.search(one) for one in lines if one != said[0])
    )


def read(source: str, limits: Limits) -> DeckList:
    """Read the one line; a second one is the deck's name. Raises ListError `not-a-deck`."""
    lines = [(at, _plain(line)) for at, line in enumerate(source.splitlines(), start=1) if line.strip()]
    at, line = next(((at, line) for at, line in lines if _parts(line)), (1, ""))
    parts = _parts(line)
    if parts is None:
        raise ListError("not-a-deck", "This is not “[A/B/C] + colour”.", line=1)
    specs, starter = parts
    entries = [ListEntry(1, spec, "", SPECS if starter else "", at) for spec in specs]
    if starter:
        entries.append(ListEntry(1, starter, "", STARTER, at))
    others = [(number, text) for number, text in lines if number != at]
    notes = tuple(Note(NoteCode.COMMENT, "The deck's name.", number, text) for number, text in others)
    named = found[1].strip() if (found := _NAME.match(line)) else ""
    name = named or (others[0][1] if others else _owner(line.partition("[")[0]))
    return DeckList(tuple(entries), notes, KIND, name[: limits.name_length])


def dump(deck: DeckList) -> str:
    """The deck said in one breath."""
    specs = "/".join(entry.name for entry in deck.entries if not _is_starter(entry))
    starter = next((entry.name for entry in deck.entries if _is_starter(entry)), "")
    return f"[{specs}]" + (f" + {starter}" if starter else "") + "\n"


def _plain(line: str) -> str:
    """The line without a forum's marks, and with a Western keyboard's: Eastern marks are as wide as a letter."""
    return card_lines.plain(unicodedata.normalize("NFKC", line))


def _is_starter(entry: ListEntry) -> bool:
    return entry.section.lower().startswith(STARTER.lower())


def _parts(line: str) -> tuple[list[str], str] | None:
    """(the names, the starter deck or nothing) of a line of this kind; None of any other."""
    if len(line) > 300 or line.count("+") > 1 or line.count("[") > 1 or line.count("[") != line.count("]"):
        return None
    named = _NAME.match(line)
    line = _WITH.sub(" + ", line) if "+" not in line else line
    said, _, after = _NAME.sub("", line).partition("+")
    if named and not after and _STARTER_WORD.search(named[1]):
        after = named[1]
    before, opened, rest = said.partition("[")
    before = "" if _owner(before) else before
    inner, _, behind = rest.partition("]")
    if (opened and not inner.strip()) or ("/" not in said and not opened):
        return None
    within = _items(inner)
    loose = _items(before) + _items(behind)
    starter = _STARTER_WORD.sub("", after.strip(" .")).strip()
    if not starter and (own := [item for item in loose if _STARTER_WORD.search(item)]):
        loose.remove(own[0])
        starter = _STARTER_WORD.sub("", own[0]).strip()
    items = [*_items(before), *within, *_items(behind)]
    items = [item for item in items if item in within or item in loose]
    if not starter and len(within) > 2 and len(loose) == 1:  # “[Fire/Growth/Finesse]/Red”
        starter = loose.pop()
    items = [item for item in items if item in within or item in loose]
    if not starter and within and loose:
        starter = f"{within[0]} starter"
    fits = all(_ITEM.match(item) for item in items) and (not starter or _ITEM.match(starter))
    several = len(items) > 1 or bool(starter and opened)
    return (
        (items, starter)
        if fits and several and len(items) <= MAX_ITEMS and (opened or starter or len(items) > 2)
        else None
    )


def _owner(before: str) -> str:
    """“Ann” of “Ann [Fire]/Growth/Blood”: words before the bracket that no stroke parts from it are a name."""
    words = _NAME.sub("", before).strip()
    return "" if re.search(r"[/,]", words) or not _ITEM.match(words) else words


def _items(text: str) -> list[str]:
    return [" ".join(item.split()) for item in re.split(r"[/,]", text) if item.strip()]
