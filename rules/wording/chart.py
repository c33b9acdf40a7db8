"""Every reading of a row of words: a packrat parser that keeps all results.

What a category can be from a place on is found out once; rules begin only where the next word allows it; meanings are
compared, so that two ways to the same meaning are one. The work is bounded: what would explode is refused, never cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.wording.grammar import Grammar, Hole, Rule, Tree, fill

STEPS = 8_000  # looks at a rule, for one ability; printed ones take up to 1,000
STEPS_OF_A_TEXT = 30_000  # for all of its abilities; printed texts take up to 2,000
RESULTS = 400  # meanings of one category from one place on


class Explosion(Exception):
    """More readings than anybody could be shown; `at`: the word from which on they multiply."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Patience:
    """The work that one text may take: what is left of it is shared by its abilities."""

    def __init__(self, steps: int = STEPS_OF_A_TEXT) -> None:
        self.steps = steps


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of words that was understood: which rule, and the phrases in its holes."""

    rule: Rule
    start: int
    end: int
    parts: tuple["Phrase", ...]

    @property
    def category(self) -> str:
        return self.rule.category


Result = tuple[int, Tree, tuple[Phrase, ...]]


class Chart:
    """One row of words and all that was found out about it."""

    def __init__(self, grammar: Grammar, words: Sequence[str], patience: Patience | None = None) -> None:
        self.grammar = grammar
        self.patience = patience or Patience()
        self.words = words
        self.furthest = 0  # the first word that no rule could go on with
        self.expected: set[str] = set()  # what could have stood there
        self._memo: dict[tuple[str, int], list[Result]] = {}
        self._steps = 0

    def readings(self, category: str) -> list[tuple[Tree, Phrase]]:
        """All meanings of the whole row as a phrase of that category. Raises Explosion."""
        return [(tree, parts[0]) for end, tree, parts in self.at(category, 0) if end == len(self.words)]

    def at(self, category: str, start: int) -> list[Result]:
        """Where phrases of a category that begin here can end, and what they mean."""
        key = (category, start)
        if key in self._memo:
            return self._memo[key]
        self._memo[key] = []  # (no rule of ours begins with itself)
        if start >= len(self.words):
            self._miss(start, category)
            return []
        found: dict[tuple[int, Tree], Result] = {}
        rules = self.grammar.beginning(category, self.words[start])
        if not rules:
            self._miss(start, category)
        for rule in rules:
            for end, holes, parts in self._match(rule, 0, start):
                meaning = fill(rule.meaning, holes)
                if (end, meaning) not in found:
                    found[end, meaning] = (end, meaning, (Phrase(rule, start, end, parts),))
                    if len(found) > RESULTS:
                        raise Explosion(start)
        self._memo[key] = list(found.values())
        return self._memo[key]

    def _match(
        self, rule: Rule, at: int, start: int
    ) -> list[tuple[int, dict[str, Tree], tuple[Phrase, ...]]]:
        """The ways in which a rule, from its symbol `at` on, can be said from a word on."""
        self._steps += 1
        self.patience.steps -= 1
        if self._steps > STEPS or self.patience.steps < 0:
            raise Explosion(start)
        symbols, words = rule.symbols, self.words
        while at < len(symbols):
            symbol = symbols[at]
            if isinstance(symbol, Hole):
                break
            if start >= len(words) or words[start] != symbol:
                self._miss(start, symbol)
                return []
            start, at = start + 1, at + 1
        else:
            if start > self.furthest:
                self.furthest, self.expected = start, set()
            return [(start, {}, ())]
        found = []
        for end, meaning, phrase in self.at(symbol.category, start):
            for last, holes, parts in self._match(rule, at + 1, end):
                found.append((last, {symbol.name: meaning, **holes}, phrase + parts))
        return found

    def _miss(self, at: int, symbol: str) -> None:
        if at > self.furthest:
            self.furthest, self.expected = at, set()
        if at == self.furthest:
            self.expected.add(symbol)
