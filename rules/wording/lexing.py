"""A text as words with their places, cut into abilities.

What is taken away or changed is all here: line ends, typographic quotes and dashes, glyphs for words, the card's own
name (`~`), `non-` and `'s` apart, capitals, brackets without what stands in them; of a pasted text also bold and
italic marks, bullets, a word parted at the end of a line, a dash for the colon of a heading, and lines at the top that
only say the card's name, how many, its type and its cost. Nothing else is dropped. What stands above a list (`While you
control:`) is said with each of its lines.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

LONGEST = 20_000  # characters of a text


@dataclass(frozen=True, slots=True)
class Token:
    """A word as the grammar knows it, and where it stands in the text (characters)."""

    word: str
    start: int
    end: int
    opens: bool = False  # it begins a line
    capital: bool = False  # it is written with a capital


@dataclass(frozen=True, slots=True)
class Piece:
    """One ability of a text: its words."""

    tokens: tuple[Token, ...]
    headed: bool
    marked: bool = False  # it bears the game's mark

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.word for token in self.tokens)


class TextError(ValueError):
    """A text that cannot be cut into words; `start`, `end`: where."""

    def __init__(self, code: str, text: str, start: int, end: int) -> None:
        super().__init__(text)
        self.code, self.text, self.start, self.end = code, text, start, end


_ALIKE = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "−": "-", "—": "-", "\xa0": " ", "…": "."}
)
_ENTITY = re.compile(r"&#x[dDaA];|&(?:gt|lt|amp|quot);")
_ENTITIES = {"&gt;": ">", "&lt;": "<", "&amp;": "&", "&quot;": '"'}
_WORD = re.compile(
    r"'s\b|non-(?=[ \t]*\S)|\+ (?=\d)\d+"
    r"|[+-](?:\d+|x\b)(?:/[+-](?:\d+|x\b))?|\d+/\d+|\d+|[^\W\d_]+(?:[-'.][^\W\d_]+)*|\S",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"</?(?:b|i|u|em|strong|br)\s*/?>|\*+|[•‣▪●]|(?m:^)[ \t]*·", re.IGNORECASE)
_PARTED = re.compile(r"(?!non-)\b([^\W\d_]+)-[ \t]*(\r?\n)[ \t]*([a-z]+)")
_RUN_ON = re.compile(r"(?<=[a-z])\.(?=[A-Z])")  # a full stop without a space behind it
JOINS = ("then", "if", "limit", "x", "this", "use")  # a sentence that begins so goes on with the one before


class Lexer:
    def __init__(
        self,
        glyphs: Mapping[str, str],
        headings: Mapping[str, object],
        reminders: bool,
        symbol: str = "",
        symbol_word: str = "",
        lines: bool = False,
        rules: Sequence[str] = (),
    ) -> None:
        """glyphs: what stands for a word; reminders: is a whole sentence in brackets a mere
        reminder (else what is in them counts)? rules: words of sentences in brackets that say what no rule of the game
        here says, so that they count; symbol: a mark that an ability may bear, beside its words; symbol_word: what it
        is within a sentence."""
        self._symbol, self._symbol_word = symbol, symbol_word
        self._rules = frozenset(rules)
        self._lines = lines  # is every line an ability of its own?
        self._glyphs = {_closed(glyph): Lexer.plain(word) for glyph, word in glyphs.items()}
        longest = sorted(glyphs, key=len, reverse=True)
        spaced = (r"\s*".join(map(re.escape, glyph.split())) for glyph in longest)
        self._glyph = re.compile("|".join(spaced), re.IGNORECASE) if longest else None
        self._headings = sorted((tuple(Lexer.plain(h)) for h in headings), key=len, reverse=True)
        self._reminders = reminders

    @staticmethod
    def plain(text: str) -> list[str]:
        """Words of our own files, as a text's words are."""
        return [word for match in _WORD.finditer(text.lower()) for word in _apart(match.group())]

    def tokens(self, text: str, names: Sequence[str] = ()) -> list[Token]:
        """The words of a text; `names`: how the card calls itself. Raises TextError."""
        if len(text) > LONGEST:
            raise TextError("too-long", f"the text has more than {LONGEST} characters", LONGEST, len(text))
        clean = _ENTITY.sub(lambda m: _ENTITIES.get(m.group(), "\n").ljust(len(m.group())), text)
        clean = clean.translate(_ALIKE)
        clean = _PARTED.sub(lambda m: (m[1] + m[3]).ljust(len(m.group()) - len(m[2])) + m[2], clean)
        clean = _MARKUP.sub(
            lambda m: ("\n" if "br" in m.group().lower() or m.group() in "•‣▪●" else "").ljust(
                len(m.group())
            ),
            clean,
        )
        own = [_spaced(name.translate(_ALIKE)) for name in sorted(names, key=len, reverse=True) if name]
        name = re.compile(rf"(?<!\w)(?:{'|'.join(own)})(?!\w)", re.IGNORECASE) if own else None
        found: list[Token] = []
        at = self._after_header(clean, name) if name else 0
        for line in re.finditer(r"[^\r\n]+", clean):
            opens = True
            at = max(at, line.start())
            while at < line.end():
                if clean[at].isspace():
                    at += 1
                    continue
                for words, end in self._next(clean, at, line.end(), name):
                    for word in words:
                        found.append(Token(word, at, end, opens, clean[at].isupper()))
                        opens = False
                    at = end
                    break
        found = _listed(self._spoken(self._with_colons(found)))
        quotes = [token for token in found if token.word == '"']
        if len(quotes) % 2:
            last = quotes[-1]
            raise TextError("open-quote", "a quotation is opened and not closed", last.start, last.end)
        return found

    @staticmethod
    def _after_header(text: str, name: re.Pattern[str]) -> int:
        """Where the text begins below a line that says only the card's name, and one of its type and cost."""
        header = re.compile(
            rf"\s*(?:\d+ ?x? +)?{name.pattern}[ \t]*(?:\([^()\n]*\))?[ \t]*(?:\r?\n|$)", re.IGNORECASE
        )
        if (match := header.match(text)) is None:
            return 0
        kind = re.compile(
            r"[ \t]*[^\W\d_]+[ \t]*[-,|:]?[ \t]*cost:?[ \t]*\d+[ \t]*(?:\r?\n|$)", re.IGNORECASE
        )
        below = kind.match(text, match.end())
        return below.end() if below else match.end()

    def _with_colons(self, tokens: Sequence[Token]) -> list[Token]:
        """`Action - ` at the beginning of a sentence is a heading, as `Action:` is."""
        found = list(tokens)
        for at, token in enumerate(tokens):
            if token.word == "-" and any(
                tuple(one.word for one in tokens[max(0, at - len(heading)) : at]) == heading
                and (
                    at == len(heading)
                    or tokens[at - len(heading)].opens
                    or tokens[at - len(heading) - 1].word in '."'
                )
                for heading in self._headings
            ):
                found[at] = replace(token, word=":")
        return found

    def _spoken(self, tokens: Sequence[Token]) -> list[Token]:
        """The game's mark, where it stands within a sentence, as the word that it is there."""
        found = list(tokens)
        if not self._symbol_word:
            return found
        for before, at, after in zip(tokens, range(1, len(tokens)), tokens[2:], strict=False):
            token = tokens[at]
            within = (
                not token.opens and not after.opens and before.word not in ".!?)" and after.word not in ".!?("
            )
            if token.word == self._symbol and within:
                found[at] = Token(self._symbol_word, token.start, token.end)
        return found

    def _next(
        self, text: str, at: int, end: int, name: re.Pattern[str] | None
    ) -> Iterator[tuple[list[str], int]]:
        """The next word, its own name first, a glyph next."""
        if name and (match := name.match(text, at)):
            yield ["~"], match.end()
        if self._glyph and (match := self._glyph.match(text, at)):
            yield self._glyphs[_closed(match.group())], match.end()
        match = _WORD.match(text, at, end)
        if match and (stop := _RUN_ON.search(match.group())):
            match = _WORD.match(text, at, at + stop.start())
        yield (_apart(match.group().lower()), match.end()) if match else ([], at + 1)

    def pieces(self, tokens: Sequence[Token]) -> list[Piece]:
        """A text's abilities: headed ones with all that belongs to them, standing ones a paragraph each."""
        pieces: list[list[Token]] = []
        headed: list[bool] = []
        for sentence in self._sentences(tokens):
            words = [token.word for token in sentence]
            opens = self._heading(words) is not None
            if (
                pieces
                and opens
                and not headed[-1]
                and pieces[-1][0].word == "play"
                and _sentences_in(pieces[-1]) == 1
            ):
                pieces[-1] += sentence
                headed[-1] = True
            elif opens or not pieces or self._apart(sentence, headed[-1]):
                pieces.append(list(sentence))
                headed.append(opens)
            else:
                pieces[-1] += sentence
        return [
            Piece(_trimmed(self._unmarked(piece)), is_headed, len(self._unmarked(piece)) < len(piece))
            for piece, is_headed in zip(pieces, headed, strict=True)
        ]

    def _unmarked(self, tokens: Sequence[Token]) -> list[Token]:
        return [token for token in tokens if not self._symbol or token.word != self._symbol]

    def _apart(self, sentence: Sequence[Token], headed: bool) -> bool:
        """Does a sentence begin an ability of its own?"""
        first = sentence[0]
        if self._lines and first.opens and first.word == "this":
            return True
        if first.word in JOINS:
            return first.opens and first.word in ("if", "this") and not headed
        return first.word == "play" or first.opens

    def _heading(self, words: Sequence[str]) -> int | None:
        """How many words a heading at the beginning takes, with its colon."""
        for heading in self._headings:
            if tuple(words[: len(heading)]) == heading and words[len(heading) : len(heading) + 1] == [":"]:
                return len(heading) + 1
        return None

    def _reminds(self, tokens: Sequence[Token]) -> bool:
        """Does a bracket hold a whole sentence?"""
        inside = []
        for token in tokens[1:]:
            if token.word == ")":
                break
            inside.append(token)
        if self._reminders and not self._rules.isdisjoint(token.word for token in inside):
            return False
        return not self._reminders or (bool(inside) and inside[-1].word in ".!" and inside[0].capital)

    def _starts(self, words: Sequence[str]) -> Iterator[int]:
        """Where headings begin: a longer one is never cut for the shorter in it."""
        at = 0
        while at < len(words):
            length = self._heading(words[at:])
            if length:
                yield at
            at += length or 1

    def _sentences(self, tokens: Sequence[Token]) -> Iterator[list[Token]]:
        """Sentences: up to a full stop, a heading or a new line that begins one; never within quotation marks."""
        current: list[Token] = []
        quoted = False
        depth = 0
        headings = set(self._starts([token.word for token in tokens]))
        for i, token in enumerate(tokens):
            if token.word == "(" and (depth or self._reminds(tokens[i:])):
                depth += 1
            if self._reminders and depth:
                depth -= token.word == ")"
                continue
            depth = max(0, depth - (token.word == ")"))
            if token.word in "()":
                continue
            if (
                current
                and not quoted
                and (i in headings or (token.opens and (self._lines or _begins(current[-1]))))
            ):
                yield current
                current = []
            quoted ^= token.word == '"'
            current.append(token if token.word != ";" else Token(":", token.start, token.end, token.opens))
            if token.word == "." and not quoted:
                yield current
                current = []
        if current:
            yield current


def _listed(tokens: Sequence[Token]) -> list[Token]:
    """`While you control:` and lines below it that begin with a dash: each of them says what follows the colon."""
    found: list[Token] = []
    lines = _lines_of(tokens)
    at = 0
    while at < len(lines):
        line, below = lines[at], at + 1
        while below < len(lines) and lines[below][0].word == "-" and len(lines[below]) > 1:
            below += 1
        words = [token.word for token in line]
        if below > at + 2 and [word for word in words if word not in "()"][-3:] in _ONE_OF:
            found += _one_of(line, lines[at + 1 : below])
            at = below
            continue
        listed = below > at + 1 and words[0] in ("while", "if") and words[-1] == ":" and words.count(":") == 1
        if not listed:
            found += line
            at += 1
            continue
        for number, item in enumerate(lines[at + 1 : below]):
            dash, *rest = item
            head = line[:-1]
            if number:  # what stands above, said once more
                head = [replace(token, start=dash.start, end=dash.start) for token in head]
            found += [*head, *(replace(token, opens=False) for token in rest)]
            if rest[-1].word not in ".!":
                found.append(Token(".", rest[-1].end, rest[-1].end))
        at = below
    return found


_ONE_OF = (["choose", "one", ":"], ["choose", "1", ":"])


def _one_of(head: Sequence[Token], items: Sequence[Sequence[Token]]) -> list[Token]:
    """`choose one:` and lines below it that begin with a dash: ways to go on, apart by commas and `or`."""
    found = list(head)
    for number, (dash, *rest) in enumerate(items, 1):
        while len(rest) > 1 and rest[-1].word == ".":
            rest.pop()
        between = [] if number == 1 else [","] if number < len(items) else [",", "or"]
        found += [Token(word, dash.start, dash.end) for word in between]
        found += [replace(token, opens=False) for token in rest]
    return [*found, Token(".", found[-1].end, found[-1].end)]


def _lines_of(tokens: Sequence[Token]) -> list[list[Token]]:
    lines: list[list[Token]] = []
    for token in tokens:
        if token.opens or not lines:
            lines.append([])
        lines[-1].append(token)
    return lines


def _spaced(name: str) -> str:
    """A name as a pattern: where it has a space, a line may end."""
    return r"\s+".join(re.escape(word) for word in name.split())


def _closed(glyph: str) -> str:
    """A sign of several words, however they are spaced."""
    return "".join(glyph.lower().split())


def _begins(last: Token) -> bool:
    """Is a new line a new sentence? Where the line before has ended, or cannot go on."""
    return last.word in (".", "!", "?")


def _sentences_in(tokens: Sequence[Token]) -> int:
    return sum(token.word == "." for token in tokens) or 1


def _trimmed(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Without the full stop at the end."""
    rest = list(tokens)
    while rest and rest[-1].word == ".":
        rest.pop()
    return tuple(rest)


def _apart(word: str) -> list[str]:
    """`non-` and `'s` are words of their own."""
    if word.startswith("+ "):
        return [f"+{word[2:]}"]
    if word == "non":
        return ["non-"]
    if word.endswith("'s") and len(word) > 2:
        return [word[:-2], "'s"]
    return [word]
