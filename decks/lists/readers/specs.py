"""A deck on one line: `[Fire/Growth/Finesse] + Red starter`. In `[Fire/Blood]/Growth` the names in brackets give the
starter deck."""

import re
import unicodedata

from decks.lists import card_lines
from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.vocabulary import says_about

RANK = 70
READS = (Kind("specs", "A deck in one line: [Fire/Growth/Finesse] + Red", ".txt"),)
KIND = READS[0].key
SPECS, STARTER = "Specs", "Starter"
_NAME = re.compile(r"^([^\[\]/+:]{1,80}): *(?=\S)")
_STARTER_WORD = re.compile(r"[\s(]+(?:starter(?:\s+deck)?|deck)\)?$", re.I)
_WITH = re.compile(r"[,;]? (?:with|and)(?: an?| the)? (?=[\w' -]{1,60} (?:starter|deck)\W*$)", re.I)
_ITEM = re.compile(r"^[^\W\d][\w' .,-]{0,60}$")
_OTHER = re.compile(r"[/\[:\d]")  # stands in no name of a deck of this kind
_SAYS = re.compile(r"^([^\W\d][\w' -]{0,40}?) ?: ?\S")  # “Player: Ann”, beside the deck
_OPENS = re.compile(
    r"^[^/\[:]{0,100}\b(?:deck|decklist|list) ?:$", re.I
)  # “Hello, here is my deck:”, above it
_SIGNED_UP = re.compile(r"^([^\W_][\w .'-]{0,60}?) \((\[[^()]*)\)$")  # “Ann ([Fire]/Growth/Blood)”
_ALL_OF_ONE = re.compile(r" \(mono[ -]?[a-z]+\)$", re.I)  # “[Anarchy]/Blood/Fire (mono red)”
# “+ Red”, “Starter: Red” or “Red starter deck”, on a line of its own below the names in brackets
_STARTER_LINE = re.compile(
    r"^(?:\+ ?(?P<added>[^+:/]{1,40}?)(?: starter(?: deck)?)?|starter(?: deck)? ?: ?(?P<said>[^+:/]{1,40}?)"
    r"|(?P<called>[^+:/]{1,40}?) starter(?: deck)?)[ .]*$",
    re.I,
)
MAX_ITEMS = 8
MAX_ABOUT = 12  # lines beside the deck


def recognises(source: str, filename: str) -> bool:
    if len(source) > 600:
        return False
    lines = [_plain(line) for line in source.splitlines() if line.strip()]
    said = [line for line in lines if _decks(line)]
    if len(lines) > MAX_ABOUT or not said:
        return False
    if _are_several(said):
        beside = (line for line in lines if line not in said)
        return all("[" in line for line in said) and not any(map(_OTHER.search, beside))
    at = lines.index(said[0])
    others = [
        one
        for place, one in enumerate(lines)
        if place != at
        and not _is_beside(one, place < at)
        and not (place > at and _starter_below(one, lines[at]))
    ]
    return len(others) < 2 and not any(_OTHER.search(one) for one in others)


def read(source: str, limits: Limits) -> DeckList:
    """Read the one line; a second one is the deck's name. Raises ListError `not-a-deck`."""
    written = [
        (at, _REMARK.split(_plain(line), maxsplit=1)) for at, line in enumerate(source.splitlines(), start=1)
    ]
    lines = [(at, parts[0]) for at, parts in written if parts[0].strip()]
    remarks = [(at, parts[1]) for at, parts in written if len(parts) > 1 and parts[1].strip()]
    decks = [(at, line) for at, line in lines if _decks(line)]
    if _are_several([line for _at, line in decks]):
        raise ListError(
            "several-decks",
            "These are several decks; a decklist has one.",
            line=decks[min(1, len(decks) - 1)][0],
            remedy="Send each deck by itself.",
        )
    at, line = decks[0] if decks else (1, "")
    parts = _parts(line)
    if parts is None:
        raise ListError("not-a-deck", "This is not “[A/B/C] + color”.", line=1)
    specs, starter = parts
    below = [(number, said) for number, text in lines if number > at and (said := _starter_below(text, line))]
    starters = below or ([(at, starter)] if starter else [])
    entries = [ListEntry(1, spec, "", SPECS if starters else "", at) for spec in specs]
    entries += [ListEntry(1, said, "", STARTER, number) for number, said in starters]
    read_too = {at, *(number for number, _said in below)}
    beside = [one for one in lines if one[0] not in read_too and _is_beside(one[1], one[0] < at)]
    others = [one for one in lines if one[0] not in read_too and one not in beside]
    remarks += [(at, found[0].strip()) for found in [_ALL_OF_ONE.search(line)] if found]
    told = [("The deck's name.", one) for one in others] + [("A remark.", one) for one in (*remarks, *beside)]
    notes = tuple(Note(NoteCode.COMMENT, said, number, text) for said, (number, text) in told)
    named = found[1].strip() if (found := _NAME.match(line)) else ""
    name = named or (others[0][1] if others else _owner(line.partition("[")[0]))
    return DeckList(tuple(entries), notes, KIND, name[: limits.name_length])


def dump(deck: DeckList) -> str:
    """The deck said in one breath."""
    specs = "/".join(entry.name for entry in deck.entries if not _is_starter(entry))
    starter = next((entry.name for entry in deck.entries if _is_starter(entry)), "")
    return f"[{specs}]" + (f" + {starter}" if starter else "") + "\n"


_REMARK = re.compile(r"(?:^|\s)(?://|#|--)(?=\s)", re.MULTILINE)  # “[Fire]/Growth/Finesse // my best”


_DASHED_NAME = re.compile(r"^([^\W\d][^\[\]/+:]{0,60}?) [–—-] (?=\[)")  # “Ann — [Fire]/Growth/Finesse”
# “[Fire]/Growth/Finesse — good luck”: where the brackets say the starter deck, nothing is missing before the dash
_SAID_AROUND = re.compile(r"^([^\]]*\]/)([^\[\]+–—]+?) [–—] ([^/\[\]+]+)$")


def _plain(line: str) -> str:
    """The line without a forum's marks, and with a Western keyboard's: Eastern marks are as wide as a letter."""
    text = card_lines.plain(unicodedata.normalize("NFKC", line))
    return _SAID_AROUND.sub(r"\1\2 -- \3", _DASHED_NAME.sub(r"\1: ", text)) if "[" in text else text


# “[Fire]/Growth/Blood or [Law]/Peace/Blood”
_BETWEEN_DECKS = re.compile(r" ?(?:[;,|&+]|\b(?:and|or|und|oder|vs)\b) ?(?=[^\[\]/]{0,40}\[)", re.I)


def _decks(line: str) -> list[str]:
    """The decks that a line says: one, or several with brackets of their own."""
    parts = _BETWEEN_DECKS.split(line) if line.count("[") > 1 and len(line) <= 300 else [line]
    return parts if all(map(_parts, parts)) else []


def _are_several(lines: list[str]) -> bool:
    return len(lines) > 1 or any(len(_decks(line)) > 1 for line in lines)


def _is_beside(line: str, above: bool) -> bool:
    """Whether the line says something of the player or the event, or announces the deck."""
    said = _SAYS.match(line)
    return bool((said and says_about(said[1])) or (above and _OPENS.match(line)))


def _starter_below(line: str, names: str) -> str:
    """The starter deck that a line below the names in brackets says; nothing where theirs says one itself."""
    found = _STARTER_LINE.match(line) if "[" in names and "+" not in names else None
    return next((part for part in found.groups() if part), "").strip() if found else ""


def _is_starter(entry: ListEntry) -> bool:
    return entry.section.lower().startswith(STARTER.lower())


def _parts(line: str) -> tuple[list[str], str] | None:
    """(the names, the starter deck or nothing) of a line of this kind; None of any other."""
    if len(line) > 300 or line.count("+") > 1 or line.count("[") > 1 or line.count("[") != line.count("]"):
        return None
    line = _ALL_OF_ONE.sub("", _SIGNED_UP.sub(r"\1 \2", line))
    named = _NAME.match(line)
    line = _WITH.sub(" + ", line) if "+" not in line else line
    said, _, after = _NAME.sub("", line).partition("+")
    before, opened, rest = said.partition("[")
    if named and not after and _STARTER_WORD.search(named[1]) and not _says_its_own(named[1], rest):
        after = named[1]
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


def _says_its_own(name: str, rest: str) -> bool:
    """“My deck: [Fire]/Growth/Blood”: brackets around some names say the starter deck, no deck's name does."""
    behind = rest.partition("]")[2].strip()
    return behind.startswith("/") and "starter" not in name.lower()


def _owner(before: str) -> str:
    """“Ann” of “Ann [Fire]/Growth/Blood”: words before the bracket that no stroke parts from it are a name."""
    words = _NAME.sub("", before).strip()
    return "" if re.search(r"[/,]", words) or not _ITEM.match(words) else words


def _items(text: str) -> list[str]:
    return [" ".join(item.split()) for item in re.split(r"[/,]", text) if item.strip()]
