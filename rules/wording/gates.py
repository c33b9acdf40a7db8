"""Gates that an understood ability has to pass: no word of it is idle.

A word is idle when the text means the same without it, or with its opposite in its place. Words that a rule of the
grammar holds beside others of the same meaning are idle by declaration: `rules/wording/english/idle.txt` lists them,
signed; a test counts it.
"""

from collections.abc import Iterator, Sequence

from rules.wording.lexicon import Lexicon
from rules.wording.lexing import Token
from rules.wording.meaning.abilities import canonical
from rules.wording.meaning.draft import Card
from rules.wording.reading import AbilityRead, ability

# Words that may never be idle: their loss or exchange must change the meaning, or the text is read no more.
BEARING = frozenset(
    {
        "another", "other", "non-", "not", "no", "up", "then", "able", "instead", "until", "once", "twice", "while",
        "opponent", "lower", "less", "higher", "more", "least", "most", "exhausted", "ready", "insane", "x", "for",
        "with",        "without", "named", "committed", "during", "after", "control", "same", "that",
    }
)  # fmt: skip

SWAPS = (
    ("wound", "exhaust"), ("destroy", "sacrifice"), ("ready", "exhaust"), ("insane", "exhausted"), ("lower", "higher"),
    ("fewer", "more"), ("gains", "loses"), ("gain", "lose"), ("phase", "turn"), ("a", "another"), ("2", "3"),
    ("you_control", "an_opponent_controls"), ("character", "support"), ("deck", "hand"), ("1", "2"), ("3", "4"),
    ("+1", "+2"), ("+1", "-1"), ("with", "without"), ("after", "would"), ("hand", "discard_pile"),
    ("your", "an_opponent_'s"),
)  # fmt: skip


def failures(lexicon: Lexicon, read: AbilityRead, card: Card) -> Iterator[tuple[str, str]]:
    """Gates that an ability fails: (gate, what). An ability that is declined passes none and fails none."""
    yield from without_effect(lexicon, read, card)


def without_effect(lexicon: Lexicon, read: AbilityRead, card: Card) -> Iterator[tuple[str, str]]:
    """Words that bear meaning, and a change of which changes nothing."""
    known = meaning_of(read)
    words = list(read.words)
    for i, word in enumerate(words):
        relative = (
            word == "that"
            and words[i + 1 : i + 2]
            and words[i + 1] in ("he", "she", "it", "you", "an", "is", "are", "your", "~", "attached")
        )
        rest = [one for one in words[i + 1 :] if one != ","]
        looked = {"look", "reveal", "search"} & set(words[:i])
        if word == "then" and looked and {"shuffle", "shuffles", "any", "bottom"} & set(rest):
            continue  # what was searched is shuffled, and what was looked at goes back, in any case
        if word == "then" and looked and "hand" in words[:i] and rest[:3] == ["choose", "and", "discard"]:
            continue  # a card of a hand is chosen where the hand was looked at
        if word == "then" and words[max(0, i - 2) : i] == ["able", "."]:
            continue  # what was done as far as it could be was done in full
        again = i and words[i - 1] in ("the", "that") and word in ("insane", "exhausted", "ready")
        again = again or (
            word == "committed" and words[i + 1 : i + 2] == ["at"]
        )  # where it is committed, it is
        again = again or (word == "same" and i and words[i - 1] == "that")  # `that same story`
        if (
            again
        ):  # `that insane character`: which one is meant, said once more; another word would not be read
            continue
        if word in BEARING and not relative and same(lexicon, [*words[:i], *words[i + 1 :]], card, known):
            yield "no idle word", f"{word!r} can be left out: {' '.join(words)}"
    for old, new in (*SWAPS, *((b, a) for a, b in SWAPS)):
        if new == "another" and "other" in words:  # `a character other than ~`
            continue
        out, into = old.split("_"), new.split("_")
        for i in range(len(words) - len(out) + 1):
            if i and words[i - 1] in ("attached", "this"):  # whatever it is, under its own name
                continue
            if i and words[i - 1] in ("draw", "draws") and {old, new} == {"a", "another"}:
                continue  # what is drawn is another one in any case
            if words[i : i + len(out)] == out and same(
                lexicon, [*words[:i], *into, *words[i + len(out) :]], card, known
            ):
                yield "substitution", f"{old!r} and {new!r} mean the same: {' '.join(words)}"


def meaning_of(read: AbilityRead) -> frozenset[str]:
    return frozenset(canonical(entry) for entry in read.readings)


def same(lexicon: Lexicon, words: Sequence[str], card: Card, known: frozenset[str]) -> bool:
    """Do these words mean what those did?"""
    tokens = [Token(word, i, i + 1) for i, word in enumerate(words)]
    return meaning_of(ability(lexicon, tokens, card)) == known
