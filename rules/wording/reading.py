"""A card's text read: each ability with every meaning it can have, or with the first word that was not understood.

read(lexicon, "Action: Exhaust ~ to draw a card.", name="..", type_="character")
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rules.wording.chart import Chart, Explosion, Patience, Phrase
from rules.wording.grammar import Tree
from rules.wording.lexicon import Lexicon
from rules.wording.lexing import JOINS, Piece, TextError, Token
from rules.wording.meaning.abilities import Entry, canonical, meanings, occasions
from rules.wording.meaning.continuous import joined
from rules.wording.meaning.draft import Card, TooMany, Unsaid
from rules.wording.spelling import nearest

LONGEST = 160  # words of one ability
LISTS = ("abilities", "always", "cannot", "immune", "grants", "makes")  # what a card's text is, as data
UNDERSTOOD, SEVERAL, DECLINED = "understood", "several readings", "declined"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an ability is not understood: a code, where in the text (characters), the word, what could be meant
    instead.
    """

    code: str  # unknown-word, unexpected-word, unsaid, nothing-meant, too-many-readings, too-long, open-quote
    start: int
    end: int
    word: str
    says: str
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AbilityRead:
    """One ability of a text: where it stands, what it can mean (library data, one entry a reading), or what
    stopped it.
    """

    start: int
    end: int
    words: tuple[str, ...]
    readings: tuple[Entry, ...] = ()
    trouble: Trouble | None = None
    phrases: tuple[tuple[str, int, int], ...] = ()  # what each phrase became: category, and where
    known: tuple[
        Entry, ...
    ] = ()  # of one that is declined: kind, and what it may answer; () where not even these

    @property
    def outcome(self) -> str:
        if self.trouble is not None or not self.readings:
            return DECLINED
        return UNDERSTOOD if len(self.readings) == 1 else SEVERAL


@dataclass(frozen=True, slots=True)
class CardRead:
    abilities: tuple[AbilityRead, ...]
    trouble: Trouble | None = None  # of the text as a whole
    card: Card = field(default_factory=Card)  # as what its abilities were read

    @property
    def understood(self) -> bool:
        return self.trouble is None and all(one.outcome == UNDERSTOOD for one in self.abilities)

    def data(self) -> dict[str, Any]:
        """The card's text as library data. Raises ValueError where a word is not understood or means several
        things, or two abilities tell one fact in two ways.
        """
        if not self.understood:
            raise ValueError("not understood")
        found: dict[str, Any] = {}
        try:
            for ability in self.abilities:
                take(found, ability.readings[0])
        except Unsaid as error:
            raise ValueError(error.what) from error
        return found


def take(data: dict[str, Any], entry: Entry) -> None:
    """Add to a card what one of its abilities means. Raises Unsaid where they tell one fact in two ways."""
    for key, value in entry.items():
        if key in LISTS:
            data.setdefault(key, []).extend(value)
        else:
            data[key] = joined(data.get(key), value)


def read(
    lexicon: Lexicon, text: str, *, name: str = "", type_: str | None = None, xs: Iterable[str] = ()
) -> CardRead:
    """A text, with every meaning of each of its abilities; never raises for what a person wrote.

    name: how the card is called, as it calls itself so; type_: the kind of card, where it is known; xs: which of its
    printed numbers are X (cost, skill).
    """
    try:
        own = [
            one
            for one in names_of(name)
            if one == name or one.lower().replace(" ", "~") not in lexicon.traits
        ]
        tokens = lexicon.lexer.tokens(text, own)  # (in a text of The Night, night is the word of the game)
    except TextError as error:
        trouble = Trouble(error.code, error.start, error.end, text[error.start : error.end][:40], error.text)
        return CardRead((), trouble)
    found: list[AbilityRead] = []
    patience = Patience()
    pieces = _pieces(lexicon, tokens, type_)
    card = Card(type_, frozenset(xs), lies_on=_lies_on(lexicon, pieces))
    for piece in pieces:
        found += _piece(lexicon, piece, card, patience)
    return CardRead(tuple(found), card=card)


def _pieces(lexicon: Lexicon, tokens: Sequence[Token], type_: str | None) -> list[Piece]:
    """A text's abilities; on cards whose whole text is one, all of it."""
    pieces = lexicon.lexer.pieces(tokens)
    if not lexicon.data.get("bare", {}).get(type_, {}).get("whole") or any(piece.headed for piece in pieces):
        return pieces
    stop = Token(".", 0, 0)
    row = [token for piece in pieces for token in (*piece.tokens, stop)][:-1]
    return [Piece(tuple(row), True, any(piece.marked for piece in pieces))] if row else []


def _lies_on(lexicon: Lexicon, pieces: Sequence[Piece]) -> str:
    """The noun of what a card says that it is attached to: `Attach to a story.`"""
    for piece in pieces:
        first = piece.words[: piece.words.index(".")] if "." in piece.words else piece.words
        read_ = Chart(lexicon.grammar, first).readings("ability") if first[:1] == ("attach",) else []
        for tree, _ in read_:
            if tree[0] == "attach":
                return str(tree[1][-1][1])
    return ""


def names_of(name: str) -> tuple[str, ...]:
    """What a card calls itself: its name, the part before a comma, without its article."""
    names = [name, name.split(",")[0], name.removeprefix("The "), name and f"The {name}"]
    return tuple(
        dict.fromkeys(one.strip() for one in names if len(one.strip()) > 2 or (one == name and len(name) > 1))
    )


def _piece(lexicon: Lexicon, piece: Piece, card: Card, patience: Patience) -> list[AbilityRead]:
    """A paragraph as one ability; one without a heading else as a row of them, a sentence each."""
    card = replace(card, marked=piece.marked)
    whole = ability(lexicon, piece.tokens, card, patience)
    if whole.outcome == DECLINED:
        whole = replace(whole, known=_known(lexicon, piece.words, card, patience))
    if whole.outcome != DECLINED or piece.headed or "→" in piece.words:
        return [whole]
    sentences = _sentences(piece.tokens)
    if len(sentences) == 1:
        return [whole]
    card = replace(card, alone=False)
    return _held([ability(lexicon, one, card, patience) for one in sentences])


_GOES_ON = frozenset({*JOINS, "it", "its", "that", "those", "he", "she", "his", "her", "him"})


def _known(lexicon: Lexicon, words: Sequence[str], card: Card, patience: Patience) -> tuple[Entry, ...]:
    """What is sure of an ability that is not understood: its kind, and what it may answer.

    Nothing is, unless all that follows its heading belongs to it: one sentence, and those that go on from it.
    """
    bare = lexicon.data.get("bare", {}).get(card.type, {})
    if card.alone and bare.get("whole"):
        return ({key: value for key, value in bare.items() if key != "whole"},)
    words = words[words.index(".") + 1 :] if words[:1] == ("play",) and "." in words else words
    chart = Chart(lexicon.grammar, words, patience)
    heads: list[tuple[int, Tree]] = []
    heading = ""
    try:
        heads = [(end, tree) for end, tree, _ in chart.at("heading", 0) if words[end : end + 1] == (":",)]
        start, heading = (heads[0][0] + 1, str(heads[0][1])) if heads else (0, "unheaded")
        rest = words[start:]
        later = [words[i + 1] for i in range(start, len(words) - 1) if words[i] == "."]
        if ":" in rest or not set(later) <= _GOES_ON or (not heads and "unheaded" not in lexicon.data):
            return ()
        told = [
            tree
            for end, tree, _ in chart.at("trigger", start)
            if words[end : end + 1] == (",",) and words[end + 1 : end + 2] not in (("or",), ("and",))
        ]
        if not heads and not told:
            return ()
        trees: list[Tree] = [("on", tree) for tree in told] or [("free",)]
        return tuple(entry for tree in trees for entry in occasions(lexicon, heading, tree, card))
    except (Explosion, TooMany, Unsaid):
        kind = lexicon.entry("headings", heading).get("kind") if heads else None
        return ({"kind": kind},) if kind else ()


def _held(row: list[AbilityRead]) -> list[AbilityRead]:
    """Of several sentences: what is done is understood only when what follows is, for that may belong to it."""
    held: list[AbilityRead] = []
    for read_ in reversed(row):
        after = held[-1] if held else None
        does = any("abilities" in entry for entry in read_.readings)
        if does and after is not None and after.trouble is not None:
            read_ = replace(read_, readings=(), trouble=after.trouble)
        held.append(read_)
    return held[::-1]


def _sentences(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    found: list[list[Token]] = [[]]
    quoted = False
    for token in tokens:
        quoted ^= token.word == '"'
        if token.word == "." and not quoted:
            found.append([])
        else:
            found[-1].append(token)
    return [one for one in found if one]


def ability(
    lexicon: Lexicon, tokens: Sequence[Token], card: Card, patience: Patience | None = None
) -> AbilityRead:
    """One ability, in every reading."""
    words = tuple(token.word for token in tokens)
    start, end = (tokens[0].start, tokens[-1].end) if tokens else (0, 0)
    if not tokens:
        return AbilityRead(start, end, words)
    if len(tokens) > LONGEST:
        last = tokens[LONGEST]
        says = f"an ability of more than {LONGEST} words"
        return AbilityRead(
            start, end, words, trouble=Trouble("too-long", last.start, last.end, last.word, says)
        )
    card = replace(card, sentences=words.count(".") + 1)
    chart = Chart(lexicon.grammar, words, patience)
    wanted = ["ability"] + (["bare"] if card.alone and card.type in lexicon.data.get("bare", {}) else [])
    unsaid = None
    readings: list[Entry] = []
    phrases: tuple[tuple[str, int, int], ...] = ()
    try:
        parsed = [one for category in wanted for one in chart.readings(category)]
        for tree, phrase in parsed:
            try:
                seen = {canonical(one) for one in readings}
                more = [m for m in meanings(lexicon, tree, card) if canonical(m) not in seen]
            except Unsaid as error:
                unsaid = error.what
                continue
            readings += more
            if more and not phrases:
                phrases = tuple(_told(phrase, tokens))
    except (Explosion, TooMany) as error:
        at = tokens[min(getattr(error, "at", 0), len(tokens) - 1)]
        says = "more readings than could be shown begin here"
        return AbilityRead(
            start, end, words, trouble=Trouble("too-many-readings", at.start, at.end, at.word, says)
        )
    if readings:
        return AbilityRead(start, end, words, tuple(readings), phrases=phrases)
    return AbilityRead(start, end, words, trouble=_trouble(lexicon, chart, tokens, unsaid, bool(parsed)))


def _told(phrase: Phrase, tokens: Sequence[Token]) -> list[tuple[str, int, int]]:
    """The phrases of an ability, the larger before the smaller."""
    found = [(phrase.category, tokens[phrase.start].start, tokens[phrase.end - 1].end)]
    for part in phrase.parts:
        found += _told(part, tokens)
    return found


def _trouble(
    lexicon: Lexicon, chart: Chart, tokens: Sequence[Token], unsaid: str | None, parsed: bool
) -> Trouble:
    if unsaid is not None:
        says = f"the engine can’t express this yet: {unsaid}"
        return Trouble("unsaid", tokens[0].start, tokens[-1].end, unsaid, says)
    if parsed:
        says = "a word such as “it” refers to nothing named before"
        return Trouble("nothing-meant", tokens[0].start, tokens[-1].end, tokens[0].word, says)
    at = min(chart.furthest, len(tokens) - 1)
    token = tokens[at]
    if chart.furthest >= len(tokens):
        return Trouble("unfinished", token.start, token.end, token.word, "the text ends too early")
    known = lexicon.grammar.words
    if token.word not in known:
        near = nearest(token.word, known)
        return Trouble(
            "unknown-word",
            token.start,
            token.end,
            token.word,
            "not a word used in this game’s card texts",
            near,
        )
    return Trouble(
        "unexpected-word", token.start, token.end, token.word, "no known phrase continues with this word"
    )
