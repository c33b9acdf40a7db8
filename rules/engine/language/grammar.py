"""The grammar of expressions: text becomes nested tuples.

    expr   = or ;   or = and {"or" and} ;   and = not {"and" not} ;   not = ["not"] cmp ;
    cmp    = sum [("=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "has") sum] ;
    sum    = term {("+" | "-") term} ;      term = path {"*" path} ;       path = atom {"." NAME} ;
    atom   = NUMBER | "-" path | "'" SYMBOL "'" | NAME | "(" expr ")" | quant | FUNC "(" [expr {"," expr}] ")" ;
    quant  = ("any" | "none" | "all" | "count" | "the" | "list") "(" filter ")"
           | ("sum" | "least" | "most") "(" filter ":" expr ")" ;
    filter = NOUN ["as" NAME] ["where" expr] ;

Length and depth are bounded, and so is how many filters stand within each other, as each looks at every card for
each card of the one around it: so that nothing here can be made to run long.
"""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import DataError, called, unknown
from rules.engine.base.names import NAME

if TYPE_CHECKING:
    from rules.engine.language.scopes import Scope

MAX_DEPTH = 40
MAX_FILTERS = 3  # within each other; more would look at hundreds of millions of cards where there are 200

_TOKEN = re.compile(
    rf"""\s*(?:(?P<num>[0-9]+)|'(?P<sym>(?:[^']|''|(?<=[A-Za-z])'(?=[A-Za-z]))*)'|(?P<name>{NAME})|(?P<op><=|>=|!=|[=<>+\-*.,:()]))"""
)
_QUANTIFIERS = {"any", "none", "all", "count", "the", "list"}
_FOLDS = {"sum", "least", "most"}
_FUNCTIONS = {
    "if", "min", "max", "next", "stat", "was", "fully", "pending", "prevented", "waits", "reading", "known", "used",
    "users", "heard", "answered", "reads", "range", "printed", "possible", "able",
    "happened", "supposing", "pays",
}  # fmt: skip
_CALLED = _QUANTIFIERS | _FOLDS | _FUNCTIONS
_QUOTES = (
    "Put words in single quotes: 'play'. Write an apostrophe at the end of a word twice: 'Elders'' Rite'."
)
_COMPARING = "Compare with =, !=, <, <=, > or >=. For lists, use in and has."
_WORDS = {"and", "or", "not", "in", "has", "where", "as"}


class Parser:
    """Reads one expression or filter."""

    def __init__(self, text: str) -> None:
        self.filters = 0  # around what is read
        self.tokens: list[tuple[str, str]] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match or match.end() == position:
                rest = text[position:].lstrip()
                if rest.startswith(("'", '"')):
                    raise DataError("bad-expression", f"a quote is not closed: {rest[:20]}", remedy=_QUOTES)
                raise DataError("bad-expression", f"can’t read {rest[:12]!r}")
            kind = match.lastgroup or "op"
            value = match.group(kind)
            if kind == "sym":
                value = value.replace("''", "'")
            if kind == "name" and value in _WORDS:
                kind = "op"
            self.tokens.append((kind, value))
            position = match.end()
        self.index = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.index] if self.index < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.index += 1
        return token

    def accept(self, *operators: str) -> str | None:
        kind, value = self.peek()
        if kind == "op" and value in operators:
            self.index += 1
            return value
        return None

    def expect(self, operator: str) -> None:
        if not self.accept(operator):
            raise DataError(
                "bad-expression", f"expected {operator!r}, found {called(self.peek()[1] or 'the end')}"
            )

    def expect_end(self) -> None:
        if self.peek()[0] != "end":
            word = self.peek()[1]
            near = get_close_matches(word, _WORDS, n=1, cutoff=0.6)
            remedy = f"Did you mean {near[0]}?" if near else ""
            if word in ("is", "equals", "isnt", "are"):
                remedy = _COMPARING
            elif self.index and self.tokens[self.index - 1][1] in _QUANTIFIERS:
                remedy = f"Write it in parentheses: {self.tokens[self.index - 1][1]}({word})."
            raise DataError("bad-expression", f"unexpected {called(word)}", remedy=remedy)

    def name(self) -> str:
        kind, value = self.take()
        if kind != "name":
            raise DataError("bad-expression", f"expected a name, found {called(value or 'the end')}")
        return value

    def at_filter(self, scope: "Scope") -> bool:
        """A filter starts with a noun; alone, one that is not shadowed by a bound name."""
        kind, value = self.peek()
        following = self.tokens[1] if len(self.tokens) > 1 else ("end", "")
        if (
            kind == "name"
            and following in (("op", "where"), ("op", "as"))
            and value not in scope.language.nouns
        ):
            raise unknown("noun", value, scope.language.nouns)
        if kind != "name" or value not in scope.language.nouns:
            return False
        return following[1] in ("as", "where") or (following[0] == "end" and value not in scope.names)

    def expression(self, depth: int) -> tuple[Any, ...]:
        if depth > MAX_DEPTH:
            raise DataError("bad-expression", "nested too deeply")
        return self._several("or", self.conjunction, depth)

    def conjunction(self, depth: int) -> tuple[Any, ...]:
        return self._several("and", self.negation, depth)

    def _several(self, word: str, part: Callable[[int], tuple[Any, ...]], depth: int) -> tuple[Any, ...]:
        parts = [part(depth)]
        while self.accept(word):
            parts.append(part(depth))
        return parts[0] if len(parts) == 1 else (word, *parts)

    def negation(self, depth: int) -> tuple[Any, ...]:
        if depth > MAX_DEPTH:
            raise DataError("bad-expression", "nested too deeply")
        if self.accept("not"):
            return ("not", self.negation(depth + 1))
        left = self.sum(depth)
        operator = self.accept("=", "!=", "<", "<=", ">", ">=", "in", "has")
        return ("cmp", operator, left, self.sum(depth)) if operator else left

    def sum(self, depth: int) -> tuple[Any, ...]:
        left = self.term(depth)
        while operator := self.accept("+", "-"):
            left = ("arith", operator, left, self.term(depth))
        return left

    def term(self, depth: int) -> tuple[Any, ...]:
        left = self.path(depth)
        while self.accept("*"):
            left = ("arith", "*", left, self.path(depth))
        return left

    def path(self, depth: int) -> tuple[Any, ...]:
        value = self.atom(depth)
        while self.accept("."):
            value = ("prop", value, self.name())
        return value

    def atom(self, depth: int) -> tuple[Any, ...]:
        kind, value = self.take()
        if kind == "num":
            return ("const", int(value), "number")
        if kind == "sym":
            return ("const", value, "symbol")
        if kind == "op" and value == "-":
            return ("arith", "-", ("const", 0, "number"), self.path(depth + 1))
        if kind == "op" and value == "(":
            inner = self.expression(depth + 1)
            self.expect(")")
            return inner
        if kind != "name":
            remedy = "Use a single = to compare." if value == "=" else ""
            raise DataError("bad-expression", f"unexpected {called(value or 'end')}", remedy=remedy)
        if self.peek() == ("op", "("):
            if value not in _CALLED:
                raise unknown("function", value, _CALLED)
            self.take()
            return self.call(value, depth + 1)
        return ("name", value)

    def call(self, name: str, depth: int) -> tuple[Any, ...]:
        if name in _QUANTIFIERS or name in _FOLDS:
            filtered = self.filter(depth)
            body: Any = None
            if name in _FOLDS:
                self.expect(":")
                body = self.within(depth)
            self.expect(")")
            return ("quant", name, filtered, body)
        arguments: list[Any] = []
        if not self.accept(")"):
            arguments.append(self.expression(depth))
            while self.accept(","):
                arguments.append(self.expression(depth))
            self.expect(")")
        return ("call", name, arguments)

    def filter(self, depth: int) -> tuple[Any, ...]:
        noun = self.name()
        alias = self.name() if self.accept("as") else None
        condition = self.within(depth + 1) if self.accept("where") else None
        return (noun, alias, condition)

    def within(self, depth: int) -> tuple[Any, ...]:
        """An expression that is worked out for each card of a filter."""
        self.filters += 1
        if self.filters > MAX_FILTERS:
            raise DataError(
                "bad-expression",
                f"more than {MAX_FILTERS} filters within each other",
                remedy="Ask about fewer at once.",
            )
        found = self.expression(depth)
        self.filters -= 1
        return found


def parts_of(tree: Any) -> Iterator[tuple[Any, ...]]:
    """Every part of an expression's tree, itself first."""
    if isinstance(tree, tuple):
        yield tree
    if isinstance(tree, tuple | list):
        for part in tree:
            yield from parts_of(part)
