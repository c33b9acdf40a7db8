"""From a tree of meaning to words, by the same rules by which words are read.

A rule's template is matched against the tree; what its holes hold is said by the rules of their categories. Of
several ways the one that stands first in the grammar comes first.
"""

from collections.abc import Iterator, Mapping

from rules.wording.grammar import NONE, Grammar, Hole, Rule, Tree

WAYS = 12  # ways to say one part that are kept
STEPS = 20_000  # rules tried for one meaning


class Speaker:
    """The ways to say meanings, each part found once; the work for one meaning is bounded."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._memo: dict[tuple[str, Tree], tuple[tuple[str, ...], ...]] = {}
        self._open: set[tuple[str, Tree]] = set()
        self._steps = 0

    def said(self, category: str, tree: Tree) -> tuple[tuple[str, ...], ...]:
        """The ways to say a meaning as a phrase of a category, as the grammar's order has them."""
        key = (category, tree)
        if key in self._memo:
            return self._memo[key]
        if key in self._open or self._steps > STEPS:
            return ()
        self._open.add(key)
        found: list[tuple[str, ...]] = []
        for rule in self._rules(category, tree):
            for holes in matches(rule.meaning, tree):
                found += self._by_rule(rule, holes)
        self._open.discard(key)
        ways = tuple(dict.fromkeys(found))[:WAYS]
        self._memo[key] = ways
        return ways

    def _rules(self, category: str, tree: Tree) -> list[Rule]:
        """The rules whose meaning can be this: of the same head, or a phrase's own meaning."""
        head = tree if isinstance(tree, str) else tree[0]
        found = []
        for rule in self.grammar.by_category.get(category, ()):
            own = rule.meaning if isinstance(rule.meaning, str) else rule.meaning[0]
            if own == head or (isinstance(own, str) and own.startswith(("$", "*$"))):
                found.append(rule)
        return found

    def _by_rule(self, rule: Rule, holes: Mapping[str, Tree]) -> list[tuple[str, ...]]:
        self._steps += 1
        wanted = {symbol.name for symbol in rule.symbols if isinstance(symbol, Hole)}
        if any(value != NONE and name not in wanted for name, value in holes.items()):
            return []  # the rule leaves out what this meaning holds
        if any(name not in holes or (holes[name] == NONE and name in _optional(rule)) for name in wanted):
            return []
        ways: list[tuple[str, ...]] = [()]
        for symbol in rule.symbols:
            more = (
                ((symbol,),)
                if isinstance(symbol, str)
                else self.said(symbol.category, holes[symbol.name])[:4]
            )
            ways = [(*before, *piece) for before in ways for piece in more][:WAYS]
            if not ways:
                break
        return ways


def _optional(rule: Rule) -> frozenset[str]:
    """Holes that stand for lists that may be empty: an empty one is said by saying nothing."""
    return frozenset(
        symbol.name
        for symbol in rule.symbols
        if isinstance(symbol, Hole) and symbol.category in ("adjs", "posts")
    )


def matches(template: Tree, tree: Tree) -> Iterator[dict[str, Tree]]:
    """The ways in which a template can have been filled in to give a tree."""
    if isinstance(template, str):
        if template.startswith("$"):
            yield {template[1:]: tree}
        elif template == tree:
            yield {}
        return
    if isinstance(tree, tuple):
        yield from _parts(template, tree)


def _parts(template: tuple[Tree, ...], tree: tuple[Tree, ...]) -> Iterator[dict[str, Tree]]:
    if not template:
        if not tree:
            yield {}
        return
    first, rest = template[0], template[1:]
    if isinstance(first, str) and first.startswith("*$"):
        for cut in range(len(tree) + 1):  # a list's entries among others: every cut
            for more in _parts(rest, tree[cut:]):
                yield {first[2:]: ("list", *tree[:cut]), **more}
        return
    if not tree:
        return
    for found in matches(first, tree[0]):
        for more in _parts(rest, tree[1:]):
            if all(more.get(name, value) == value for name, value in found.items()):
                yield {**found, **more}
