"""The notation of the grammar, and a grammar ready to be parsed with.

One rule a line: `category: pattern = meaning`. In a pattern stand words as they are, `a|b` (either, it means the
same), `( ... )` (left out, it means the same), `<cat>` or `<name:cat>` (a phrase of that category). A meaning is a
tree of plain data with holes: `(head $name word)`, a list `[ $a $b ]`, a list's entries among others `*$a`, a
phrase's own meaning `$name`. Because it is data, it is filled in when a text is read. A line that begins with spaces
goes on with the one before; `#` begins a remark.

Words that a rule holds beside others with the same meaning bear none: they are *idle*, and `idle` lists them for
whoever signs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

NONE = ("list",)  # what stands in a hole of a part that was left out
Tree = Any  # a word, a number written as a word, or a tuple of trees whose first is its head


class GrammarError(ValueError):
    """A rule that cannot be read: a fault of the project's own files."""


@dataclass(frozen=True, slots=True)
class Hole:
    name: str
    category: str


@dataclass(frozen=True, slots=True)
class Rule:
    """`symbols`: words to be found as they are, and holes; `meaning`: a template; `number`: which line it came
    from.
    """

    category: str
    symbols: tuple[str | Hole, ...]
    meaning: Tree
    number: int
    source: str


_LINE = re.compile(r"(?P<category>[\w.-]+):\s+(?P<pattern>.+?)\s+=\s+(?P<meaning>.+)", re.DOTALL)
_PATTERN = re.compile(r"<(?:([\w-]+):)?([\w.-]+)>|([()])|([^\s()<>]+)")
_MEANING = re.compile(r"[()\[\]]|[^\s()\[\]]+")


def rules_of(text: str, start: int = 0) -> list[Rule]:
    """The rules of a grammar file, optional parts and alternatives multiplied out. Raises GrammarError."""
    found: list[Rule] = []
    lines: list[str] = []
    for line in text.splitlines():
        line = line.split("# ")[0].rstrip() if not line.startswith("#") else ""
        if line.startswith(" ") and lines:
            lines[-1] += line
        elif line:
            lines.append(line)
    for number, line in enumerate(lines, start):
        found += rules_of_line(line, number)
    return found


def rules_of_line(line: str, number: int) -> Iterator[Rule]:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise GrammarError(f"no rule: {line}")
    meaning = _meaning(match["meaning"])
    seen: set[tuple[str | Hole, ...]] = set()
    for category in match["category"].split("|"):
        for symbols in _variants(match["pattern"], line):
            if symbols not in seen:
                seen.add(symbols)
                yield Rule(category, symbols, meaning, number, line)


def _variants(pattern: str, line: str) -> Iterator[tuple[str | Hole, ...]]:
    """Every way to say a pattern: its alternatives, with and without what stands in brackets."""
    parts: list[list[list[Any]]] = [[]]
    for match in _PATTERN.finditer(pattern):
        name, category, bracket, word = match.groups()
        if bracket == "(":
            parts.append([])
        elif bracket == ")":
            inner = list(_flat(parts.pop()))
            parts[-1].append([*inner, ()] if inner == [(",",)] else [(), *inner])
        elif category:
            parts[-1].append([(Hole(name or category, category),)])
        else:
            parts[-1].append([tuple(one.split("_")) for one in word.split("|")])
    if len(parts) != 1:
        raise GrammarError(f"a bracket is left open: {line}")
    yield from _flat(parts[0])


def _flat(parts: Sequence[Sequence[tuple[Any, ...]]]) -> Iterator[tuple[Any, ...]]:
    for chosen in product(*parts):
        yield tuple(symbol for piece in chosen for symbol in piece)


def _meaning(text: str) -> Tree:
    """A template out of its notation."""
    stack: list[list[Tree]] = [[]]
    for sign in _MEANING.findall(text):
        if sign in "([":
            stack.append([] if sign == "(" else ["list"])
        elif sign in ")]":
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(sign)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise GrammarError(f"no meaning: {text}")
    return stack[0][0]


def fill(template: Tree, holes: Mapping[str, Tree]) -> Tree:
    """A template with its holes filled in."""
    if isinstance(template, str):
        return holes.get(template[1:], NONE) if template.startswith("$") else template
    filled: list[Tree] = []
    for part in template:
        if isinstance(part, str) and part.startswith("*$"):
            filled += holes.get(part[2:], NONE)[1:]
        else:
            filled.append(fill(part, holes))
    return tuple(filled)


class Grammar:
    """Rules by category, each found by the word it can begin with."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.by_category: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if not rule.symbols:
                raise GrammarError(f"a rule that holds nothing: {rule.source}")
            self.by_category.setdefault(rule.category, []).append(rule)
        wanted = {
            (symbol.category, rule.source)
            for rule in self.rules
            for symbol in rule.symbols
            if isinstance(symbol, Hole) and symbol.category not in self.by_category
        }
        if wanted:
            category, source = min(wanted)
            raise GrammarError(f"no rule makes a {category}: {source}")
        self._dispatch: dict[tuple[str, str], tuple[Rule, ...]] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that a text may hold."""
        return frozenset(s for rule in self.rules for s in rule.symbols if isinstance(s, str))

    @cached_property
    def first(self) -> Mapping[str, frozenset[str]]:
        """Category -> the words it can begin with."""
        found: dict[str, set[str]] = {category: set() for category in self.by_category}
        changed = True
        while changed:
            changed = False
            for rule in self.rules:
                first = rule.symbols[0]
                more = {first} if isinstance(first, str) else found[first.category]
                if not more <= found[rule.category]:
                    found[rule.category] |= more
                    changed = True
        return {category: frozenset(words) for category, words in found.items()}

    def beginning(self, category: str, word: str) -> tuple[Rule, ...]:
        """The rules of a category that a phrase beginning with this word can follow."""
        key = (category, word)
        if key not in self._dispatch:
            self._dispatch[key] = tuple(
                rule
                for rule in self.by_category[category]
                if (
                    rule.symbols[0] == word
                    if isinstance(rule.symbols[0], str)
                    else word in self.first[rule.symbols[0].category]
                )
            )
        return self._dispatch[key]


def idle(rules: Iterable[Rule]) -> dict[str, tuple[str, ...]]:
    """Words that a rule holds and that change nothing: `rule -> words`, of rules with one meaning in one category."""
    alike: dict[tuple[str, Tree, tuple[Hole, ...]], list[Rule]] = {}
    for rule in rules:
        holes = tuple(symbol for symbol in rule.symbols if isinstance(symbol, Hole))
        alike.setdefault(
            (rule.category, rule.meaning, tuple(sorted(holes, key=lambda h: h.name))), []
        ).append(rule)
    found: dict[str, tuple[str, ...]] = {}
    for (category, meaning, _), group in alike.items():
        if len(group) > 1:
            said: list[set[str]] = [{s for s in rule.symbols if isinstance(s, str)} for rule in group]
            loose = {word for words in said for word in words if any(word not in other for other in said)}
            if loose:
                found[f"{category} {told(meaning)}"] = tuple(sorted(loose))
    return found


def told(tree: Tree) -> str:
    """A meaning in its notation."""
    return tree if isinstance(tree, str) else f"({' '.join(told(part) for part in tree)})"
