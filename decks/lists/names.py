"""Counts and names in a decklist, checked the same way by every reader."""

import re

from decks.lists.model import Limits, ListError

# Signs that deck-building programs put before a name: * unique, brackets for faction icons.
_GLYPHS = re.compile(r"^(?:[\[\]{}<>^*_?]+\s+)+|^(?:[\[\]{}<>^*_?]+)(?=\w)")
# "(Core Set)", "[12]", "(Dreamlands F117)", "#12" at the end.
_HINT = re.compile(r"\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|\s#(\d+))\s*$")
# "(SET) 123", "(PLST) MH2-45", "(SLD) 12★", "(PXLN) 7s": a collector's number behind the set.
_NUMBERED = re.compile(r"\s*\(([^()]*)\) ((?:[A-Z0-9]{1,6}-)?[A-Z]{0,3}\d{1,4}[a-z]{0,2}[★†]?)$")
# "// fast", "# fast", "<- fast", "-- fast", "<R>", " *", "F117" at the end: a remark, or a bare number in a set.
_REMARKED = re.compile(r"\s+(?://+|/\*|#(?!\d)|--+|<-+|←|<(?=\w)|\*+$)\s*(.*?)(?:>|\*/)?$")
_FAQ_NUMBER = re.compile(r"\s+(F\d{1,3})$")
# “[CS] Name”, “[CS:12] Name”, “[CS#12] Name”: the set before the name; “(2) Name”: its cost.
_BEFORE = re.compile(r"^(?:\[([A-Z0-9]{0,6}(?:[:#]\w{1,5})?)\]|\((\d{1,2})\)) ?(?=\S)")
# “*F*”, “*list*”, “^Have,#37d67a^”: foil, the printing, and the color that somebody marked it with.
_MARKED = re.compile(r"(?:\s*\*[A-Za-z-]{1,8}\*|\s*\^[^^]{0,60}\^)+$")
# “**Name (Core Set)**”: the end of bold type or italics, behind a bracket.
# “Name (Core Set) ○○”, “Name ☠”: signs that a site puts behind a name.
_SIGNS_BEHIND = re.compile(
    "(?<=\\S)(?: [\u2190-\u21ff\u2600-\u2604\u2607-\u27bf\u25a0-\u25ff\U0001f000-\U0001faff]["
    "\ufe0e\ufe0f\u25a0-\u25ff]{0,9}){1,9}$"
)
_TYPE_END = re.compile(r"(?<=[)\]])[*_]{1,3}$")
# A level or a price said in words or dots: "(Level 2)", "[2 XP]", "(lvl. 3)", "••", "●●●●● ●".
_LEVEL = re.compile(r"^(?:level|lvl|lv|l)?\.? ?(\d) ?(?:xp|exp)?$", re.I)
_LEVEL_BEHIND = re.compile(r"(?<=\S) (?:level|lvl|lv)\.? ?(\d)$", re.I)  # “Name lvl 2”
_DOTS = re.compile(r"(?<=[^\s•●])\s*([•●](?:[•● ]{0,60}[•●])?)$")


def refuse_too_many(count: int, what: str, limits: Limits, line: int | None = None) -> None:
    """Raises ListError `too-many-lines` for more than one deck can have of `what`: lines, cards."""
    if count > limits.lines:
        raise ListError(
            "too-many-lines",
            f"The decklist has more than {limits.lines:,} {what}.",
            line=line,
            remedy="Send one deck only.",
        )


def checked_count(digits: str, limits: Limits, line: int | None) -> int:
    """The number of copies. Raises ListError `bad-count` unless it is whole and from 0 to limits.count."""
    plain = digits.removeprefix("+")
    if plain.isdecimal() and len(plain) <= 6 and int(plain) <= limits.count:
        return int(plain)
    shown = digits if len(digits) <= 20 else f"{digits[:20]}…"
    raise ListError(
        "bad-count",
        f"“{shown}” is not a number of copies.",
        line=line,
        remedy=f"Write a whole number from 1 to {limits.count}.",
    )


def split_name(written: str, limits: Limits, line: int | None) -> tuple[str, str]:
    """(name, hint): the name without leading signs, and what stood in brackets behind it.

    Raises ListError `line-too-long` for a name no card has.
    """
    name, before, hint = written.strip(), "", ""
    if name[-1:] in "*_":
        name = _TYPE_END.sub("", name)
    if name[-1:] > "\u218f" and " " in name:
        name = _SIGNS_BEHIND.sub("", name)
    if name[:1] in "[(" and (found := _BEFORE.match(name)):
        name, before = name[found.end() :], found[1] or found[2] or ""
    if name and not name[0].isalnum():
        name = without_signs(name).strip()
    if name[-1:] in "*^" or "*" in name[-8:]:
        name = _without_marks(name)
    if " " in name and not name[-1].isalpha():
        name = _DOTS.sub(lambda dots: f" ({len(dots[1].replace(' ', ''))})", name)
    if _MAY_REMARK.search(name):
        name, hint = _without_remark(name)
        name = _without_marks(name) if name[-1:] == "*" else name
    if name.endswith((")", "]")) or "#" in name:
        name, inner = _without_hints(name)
        hint = f"{inner} {hint}".strip()
    name = _without_marks(name) if name[-1:] == "*" else name
    if (
        (name[-1:].isalnum() or name[-1:] in "★†")
        and ")" in name
        and (numbered := _NUMBERED.search(name))
        and numbered.start() > 0
    ):
        name, hint = name[: numbered.start()], f"{numbered[1].strip()} {numbered[2]} {hint}".strip()
    if name[-1:].isdecimal() and (level := _LEVEL_BEHIND.search(name)):
        name, hint = name[: level.start()], f"{level[1]} {hint}".strip()
    if name and (name[0] in _AROUND or name[-1] in _AROUND):
        name = name.strip(_AROUND) or name
    if len(name) > limits.name_length:
        raise ListError(
            "line-too-long",
            f"A card’s name can’t be longer than {limits.name_length} characters.",
            line=line,
            remedy="Put one card per line.",
        )
    return name, f"{hint} {before}".strip() if before else hint  # what stands behind may go on with the name


def without_signs(name: str) -> str:
    """The name without the signs that programs put before it.

    >>> without_signs("* Lucas Tetlow"), without_signs("{{{ College Prospect"), without_signs(".45 Pistols")
    ('Lucas Tetlow', 'College Prospect', '.45 Pistols')
    """
    return _GLYPHS.sub("", name)


_AROUND = "*_ -–—"  # marks of bold type, and a dash between count and name
_MAY_REMARK = re.compile(r"//|/\*|#|--|<|←|\*$|F\d{1,3}$")


def _without_marks(name: str) -> str:
    """The name without “*F*” and “^Have^” behind it."""
    marked = _MARKED.search(name)
    return name[: marked.start()] if marked and marked.start() > 0 else name


def _without_remark(name: str) -> tuple[str, str]:
    """(name, what was remarked behind it); a name is not all remark."""
    if (found := _REMARKED.search(name) or _FAQ_NUMBER.search(name)) and found.start() > 0:
        return name[: found.start()], found[1].strip()
    return name, ""


def _without_hints(name: str) -> tuple[str, str]:
    hints = []
    while (found := _HINT.search(name)) and found.start() > 0:
        said = next(group for group in found.groups() if group is not None).strip()
        numbered = f"#{said}" if found[3] else ""  # of a printing, and no level
        hints.append(numbered or (level[1] if (level := _LEVEL.match(said)) else said))
        name = name[: found.start()].rstrip()
    return name, " ".join(hint for hint in reversed(hints) if hint)
