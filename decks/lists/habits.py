"""How people write one line of a list: `3x Name`, `Name x3`, `3. Name`, several cards, marks of other programs."""

import html
import re
from collections.abc import Iterator

from decks.lists.counting import checked_count, split_name
from decks.lists.model import Limits, ListEntry, ListError

_BULLET = re.compile(r"^(?:[-*] \[[ xX]?\] (?=\S)|[-–—•*·+»▪◦] (?=\S)|[•·»▪◦–—]+(?=[\dxX×]))")
# [b]...[/b], <li>...</li>: marks of a forum or of a page round a line.
_MARKUP = re.compile(
    r"\[/?(?:b|i|u|s|list|\*|code|quote|center|size|color|url|card|font|img|h[1-6]|[uo]l|li|t[dhr]|table|spoiler)"
    r"(?:=[^\[\]]{0,200})?\]"
    r"|</?(?:b|i|u|em|strong|li|ul|ol|p|br|span|div|a|td|tr|table|h[1-6])\b[^<>]{0,300}>",
    re.I,
)
_STRONG_COUNT = re.compile(r"^((?:[-*•] )?)(\*\*|__)([xX×]?\d{1,3} ?[xX×]?)\2")  # “- **3x** Name”
_TABLE_ROW = re.compile(r"^\|(.*)\|$")
_PREFIX = re.compile(r"^([+-]?\d+)(?: ?[xX×] | ?× ?|[xX])(?=\S)(.+)$")
_PREFIX_REVERSED = re.compile(r"^[xX×] ?([+-]?\d+) (.+)$")
_SUFFIX = re.compile(r"^(.*\S)(?: [xX×] ?([+-]?\d+)| ?\([xX×] ?([+-]?\d+)\))((?: ?\([^()]*\))?)$")
_SUFFIX_GLUED = re.compile(r"^(.*\w(?<![xX×\d]))(?:[x×]| ?\[[xX×]| ?\*)(\d{1,3})\]?$")
_BARE = re.compile(r"^(?:([+-]?\d+)|\(([+-]?\d+)\)|\[([+-]?\d+)\]) ?(?<=[\s)\]])(\S.*)$")
_PUNCTUATED = re.compile(r"^(\d{1,3})(?:[.):;,=*|–-]| ?[–=|:]) ?(?=[^\W\d]|[.\"'“*])(\S.*)$")
_OF = re.compile(r"^(?:(?i:cop(?:y|ies) of|cop(?:y|ies)|pcs\.?|pieces? of)|of) (?=\S)")
_AFTER_TAB = re.compile(r"^([^\t]*[^\W\d][^\t]*)\t+([+-]?\d+)$")
_NUMBERED = re.compile(r"^(\d{1,3})[.)] ?(?=\S)")  # the first of "1. 3x Name"
COUNTED_INSIDE = re.compile(r"^\d{1,3} ?[xX×] ?\S|[xX×] ?\d{1,3}$")

_NEXT_COUNT = re.compile(r" ?[,;] ?(?=[+-]?\d+(?: ?[xX×] |[xX×]| )\S)")
_NEXT_SUFFIX = re.compile(r"(?:(?<=[xX×]\d)|(?<=[xX×]\d\d)) ?[,;] ?(?=\S)")
# "3x A 2x B", "3x A and 2x B", "3x A / 2x B": only a count with its x begins another card without a comma.
_NEXT_COUNT_X = re.compile(r"(?: (?:and|und|&|\+|/|\|))? (?=\d{1,3} ?[xX×] ?[^\W\d])")
# "SB: 3x A", "Characters: 3x A, 2x B": a heading and its cards on one line.
_HEADED = re.compile(r"^(?=[^\W\d])([^:]{2,40}?) ?: ?(?=\d{1,3}(?: ?[xX×] ?|, ?| )[^\W\d])(.+)$")
# "Characters (5): A x3, B x2", "Events: A x3": the same with the counts behind.
_HEADED_BEHIND = re.compile(r"^(?=[^\W\d])([^:()]{2,40}?(?: ?\(\d{1,3}\))?) ?: ?(\S.*)$")
_OWN_TOTAL = re.compile(r" ?\((\d{1,3})\)$")

# How a mail begins and ends.
_GREETING = (
    r"^(?:hi|hello|hey|greetings|(?:many )?thanks|thank you|cheers|(?:best |kind )?regards|best wishes)"
    r"(?: (?:all|there|everyone|again|so much|a lot|in advance))?(?:[,.!].{0,40})?$"
)
REMARK = re.compile(
    rf"^(?:#|//|--|;|!|>)|^deck created with|https?://|^\d+ cards? (?:required|needed|min)|{_GREETING}", re.I
)
TOTAL = re.compile(
    r"^(?:(?:.{0,60}\W)?total(?: cards?)?|cards?(?: total)?|deck size) ?[:=]? ?\(?(\d+)\)?(?: cards?)?(?: in all)?$",
    re.I,
)
CARDS = re.compile(
    r"^(?:deck ?:? ?)?\(?(\d+) (?:cards?(?: (?:total|in all))?|(?:sum )?total(?: cards?)?)\)?(?:[,;] .{0,60})?$",
    re.I,
)
_AT_THE_END = re.compile(
    r"(?: ?[-–—:;=*|,.…]+ ?| ?[(\[]| )[xX×]?(\d{1,3})[)\]]?(?: (?:copies|cards?|pcs\.?))?$"
)
_NAMED = re.compile(r"^(?:deck ?name|deck|name|title) ?: ?(?=\S)(.+)$", re.I)


# Words that are headings wherever they stand alone, whatever the game.
# fmt: off
PARTS = frozenset({
    "deck", "main deck", "mainboard", "main", "maindeck", "draw deck", "side", "sideboard", "side deck",
    "story deck", "dynasty", "dynasty deck", "fate", "fate deck", "stronghold", "strongholds", "pre-game",
    "characters", "character", "supports", "support", "support cards", "support card", "events", "event",
    "conspiracies", "conspiracy", "assets", "asset", "skills", "skill", "treacheries", "treachery",
    "weaknesses", "weakness", "basic weakness", "signatures", "signature cards", "investigator", "holdings",
    "holding", "personalities", "personality", "regions", "region", "celestials", "celestial", "strategies",
    "strategy", "items", "item", "followers", "follower", "spells", "spell", "rings", "ring", "sensei",
    "specs", "specialties", "heroes", "starter", "starter deck", "codex", "units", "unit",
    "buildings", "upgrades", "plots", "locations", "attachments", "permanents", "permanent",
    "extra deck",
})
# fmt: on


def plain(written: str) -> str:
    """The line without the marks of a page or a forum, white space collapsed."""
    if "<" in written or "[" in written:
        written = _MARKUP.sub("", written)
    if "&" in written and ";" in written:
        written = html.unescape(written)
    text = " ".join(written.split())
    if "**" in text or "__" in text:
        text = _STRONG_COUNT.sub(r"\1\3", text)
    if text[:1] == "|" and (row := _TABLE_ROW.match(text)):
        text = "\t".join(cell.strip() for cell in row[1].split("|") if cell.strip())
    if (
        len(text) > 2
        and text[0] in '"“'
        and text[-1] in '"”'
        and text[1:-1].isascii()
        and '"' not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text


def quoted(lines: list[str]) -> bool:
    """Whether the list stands in an answer to a mail: “> 3x Name”, line by line."""
    said = [line for line in lines if line.strip()]
    return len(said) > 2 and 2 * sum(line.lstrip()[:1] == ">" for line in said) > len(said)


def unquoted(line: str) -> str:
    return line.lstrip("> \t")


def own_total(heading: str) -> tuple[str, int | None]:
    """“Characters (27)” is “Characters”, and says that there are 27."""
    found = _OWN_TOTAL.search(heading)
    return (heading[: found.start()], int(found[1])) if found else (heading, None)


def headed(text: str) -> tuple[str, str]:
    """(heading, the cards behind it) of a line that has both; the heading is empty on any other line."""
    if ":" not in text or text[0].isdecimal():
        return "", text
    if _SUFFIX.match(text):
        found = _HEADED_BEHIND.match(text)
        if found and (own_total(found[1])[1] is not None or found[1].lower() in PARTS):
            return found[1], found[2]
        return "", text
    found = _HEADED.match(text)
    if found is None or (_NAMED.match(text) and not _PREFIX.match(found[2])):
        return "", text
    section = found[1].strip()
    return ("Sideboard" if section.lower() in ("sb", "side") else section), found[2]


def counted(text: str, limits: Limits, line: int) -> Iterator[ListEntry]:
    """The counted cards on one line (`plain`); nothing when the line holds no count. Raises ListError."""
    if "\t" in text:
        if found := _AFTER_TAB.match(text):
            yield entry(found[2], found[1], limits, line)
            return
        text = " ".join(text.split())
    if not text:
        return
    plainly = _PREFIX.match(text) if text[0].isdecimal() and "," not in text and ";" not in text else None
    if plainly and not _NEXT_COUNT_X.search(plainly[2]):
        yield entry(plainly[1], plainly[2], limits, line)  # what most lines are
        return
    text = _BULLET.sub("", text)
    if (numbered := _NUMBERED.match(text)) and COUNTED_INSIDE.search(text[numbered.end() :]):
        text = text[numbered.end() :]
    if REMARK.match(text) or TOTAL.match(text) or CARDS.match(text):
        return
    for part in _parts(text):
        if len(part) > 2 * limits.name_length:
            raise ListError(
                "line-too-long", "One entry is too long.", line=line, remedy="Put one card per line."
            )
        if pair := _count_and_name(part.strip(" ,;")):
            yield entry(*pair, limits, line)


def _parts(text: str) -> list[str]:
    if _PREFIX.match(text):
        return [one for part in _NEXT_COUNT.split(text) for one in _NEXT_COUNT_X.split(part)]
    if _BARE.match(text) and not _NEXT_SUFFIX.search(text):
        return _NEXT_COUNT.split(text)
    return _NEXT_SUFFIX.split(text)


def _count_and_name(part: str) -> tuple[str, str] | None:
    """A count with an x wins over a bare number, so that “7 Thomas Street x2” is two copies."""
    if found := _PREFIX.match(part) or _PREFIX_REVERSED.match(part):
        return found[1], found[2]
    if found := _SUFFIX.match(part):
        return found[2] or found[3], found[1] + found[4]
    if found := _BARE.match(part):
        return found[1] or found[2] or found[3], _OF.sub("", found[4])
    if found := _PUNCTUATED.match(part):
        return found[1], found[2]
    if found := _SUFFIX_GLUED.match(part):
        return found[2], found[1]
    return None


def count_behind(text: str) -> tuple[str, int] | None:
    """(name, count) of a line with its number at the end: “Name - 3”, “Name (3)”, “Name: 3”, “Name 3”; else None."""
    if len(text) > LONGEST or (found := _AT_THE_END.search(text, max(0, len(text) - 40))) is None:
        return None
    name = text[: found.start()]
    if not name or name[-1].isdecimal() or not any(map(str.isalpha, name)):
        return None
    return name, int(found[1])


LONGEST = 300  # characters of a line with one card


def entry(digits: str, written: str, limits: Limits, line: int) -> ListEntry:
    """One entry. Raises ListError: bad-count, line-too-long."""
    count = checked_count(digits, limits, line)
    name, hint = split_name(written, limits, line)
    return ListEntry(count, name, hint, line=line)
