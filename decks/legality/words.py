"""How findings write numbers and names."""

from collections.abc import Iterable


def cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def titles(count: int) -> str:
    return ("no title", "one title")[count] if count < 2 else f"{count} titles"


def at_most(copies: int) -> str:
    return f"at most {copies}" if copies else "none"


def copies_of(count: int, name: str) -> str:
    return f"1 copy of {name}" if count == 1 else f"{count} copies of {name}"


def having(part: str, count: int, *, need: bool = True) -> str:
    """How a finding on a size begins: “The deck has 49 cards; it needs”, “The provinces have 6 cards; they may”."""
    has, it, needs = ("have", "they", "need") if part.endswith("s") else ("has", "it", "needs")
    return f"The {part} {has} {cards(count)}; {it} {needs if need else 'may have'}"


def too_few(have: int, what: str, minimum: int, *, exactly: bool) -> str:
    """`what` is a plural: “has 2 weapons; it needs exactly 3”, “needs at least 3 weapons; it has 1”."""
    limit = "exactly" if exactly else "at least"
    if have == 1:
        return f"The deck needs {limit} {minimum} {what}; it has 1."
    return f"The deck has {have} {what}; it needs {limit} {minimum}."


def too_many(have: int, what: str, maximum: int, *, exactly: bool) -> str:
    """`what` is a plural: “has 6 weapons; it may have at most 5”, “may have no weapons; it has 1”."""
    if maximum == 0:
        return f"The deck may have no {what}; it has {have}."
    limit = f"must have exactly {maximum}" if exactly else f"may have at most {maximum}"
    return f"The deck has {have} {what}; it {limit}."


def listed(names: Iterable[str], word: str = "and") -> str:
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def keep(names: list[str], maximum: int) -> str:
    if maximum == 0:
        return f"take out {listed(names)}"
    return f"keep {'one' if maximum == 1 else maximum} of them and take out the others"
