"""A card's ability in English: the way back, by the same rules.

What the data says is raised to a tree of meaning (`raising`), the tree is said by the grammar (`generation`), and
what was said is read again: only a sentence that means just this is given.
"""

from itertools import islice
from typing import Any

from rules.wording.alike import normal
from rules.wording.generation import Speaker
from rules.wording.lexicon import Lexicon
from rules.wording.lexing import Token
from rules.wording.meaning.abilities import canonical
from rules.wording.meaning.draft import Card
from rules.wording.raising import Unraised, trees
from rules.wording.reading import ability

TRIES = 24  # sentences that are read again, for one ability


class Unwritten(ValueError):
    """No sentence of ours means just this."""


def write(
    lexicon: Lexicon, entry: dict[str, Any], *, name: str = "this card", type_: str | None = None
) -> str:
    """The sentence of one ability (an entry as `read` gives it: one of `abilities`, `always` .. each). Raises
    Unwritten.
    """
    wanted = canonical(normal(entry))
    try:
        raised = list(trees(lexicon, entry))
    except Unraised as error:
        raise Unwritten(str(error)) from error
    speaker = Speaker(lexicon.grammar)
    for tree in raised:
        category = "bare" if tree[0] == "bare" else "ability"
        for words in islice(speaker.said(category, tree), TRIES):
            tokens = [Token(word, i, i + 1) for i, word in enumerate(words)]
            again = ability(lexicon, tokens, Card(type_))
            if [canonical(normal(one)) for one in again.readings] == [wanted]:
                return spoken(words, name)
    raise Unwritten("no sentence of ours means just this")


_CLOSE = {",", ".", ":", "'s", "'"}
_AGREE = {"are": "is", "get": "gets", "gain": "gains", "lose": "loses", "have": "has", "control": "controls"}


def spoken(words: tuple[str, ...], name: str) -> str:
    """Words as a sentence: capitals, commas, articles, the card's name."""
    text = ""
    for i, word in enumerate(words):
        shown = name if word == "~" else word
        if word == "a" and i + 1 < len(words) and words[i + 1][0] in "aeiou" and words[i + 1] != "unique":
            shown = "an"
        single = (i > 1 and words[i - 2] in ("attached", "that", "opponent")) or (
            i > 0 and words[i - 1] in ("~", "opponent")
        )
        if single and word in _AGREE:
            shown = _AGREE[word]
        if word == "has" and i > 0 and words[i - 1] == "you":
            shown = "have"
        if text and word not in _CLOSE and not text.endswith("non-"):
            text += " "
        begins = not text or text.rstrip().endswith((".", ":"))
        text += shown[:1].upper() + shown[1:] if begins else shown
    return text + "."
