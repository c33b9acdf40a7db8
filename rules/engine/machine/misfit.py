"""Why something is not among what may be chosen: the first part of the filter that it fails, in words.

Nothing is said that was not worked out here and now, and nothing that only a file would say.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, DataError, Need, Untold
from rules.engine.base.messages import both
from rules.engine.definitions.values import Obj
from rules.engine.language.expressions import card_scope, compile_tree, parts_of_filter, tree_of
from rules.engine.language.grammar import Parser, parts_of
from rules.engine.language.scopes import Scope
from rules.engine.machine.unmet import Part, fact_in_words

if TYPE_CHECKING:
    from rules.engine.machine.occurrences import Occurrences

Tree = tuple[Any, ...]


def misfit(m: "Occurrences", said: tuple[str, Scope], obj: Obj) -> str:
    """Empty if no part of the filter can be told from the others, or the one that fails has no words of its own."""
    try:
        (text, outer), of = _printed_on(m, said)
        found = parts_of_filter(text, outer)
        if found is None or outer.depth != len(of) or obj.kind != "card":
            return ""
        noun, condition, scope = found
        if noun.test is not None and not noun.test(m, (obj,)):
            return _elsewhere(m, noun.name, obj)
        return _Member(m, scope, obj, of).failing(condition)
    except (Need, Untold, DataError, *FAULTS):
        return ""


def _printed_on(m: "Occurrences", said: tuple[str, Scope]) -> tuple[tuple[str, Scope], tuple[Obj, ...]]:
    """The filter that is meant, and the card on which it stands: “this.attaches-to” is what is printed on this card."""
    text, scope = said
    tree = tree_of(text) if not Parser(text).at_filter(scope) else ("",)
    if tree[0] != "prop" or tree[2] not in m.system.properties or scope.depth:
        return said, ()
    card = compile_tree(tree[1], scope)(m, ())
    value = m.facts[card.base + m.system.properties[tree[2]].slot]
    printed = m.scene.said_filters.get(value) if callable(value) else None
    return ((printed, card_scope(m.system)), (card,)) if printed else (said, ())


def never_fits(m: "Occurrences", said: tuple[str, Scope], obj: Obj) -> bool:
    """Is it not among what may be chosen for something that stands on the card, whatever becomes of the card?"""
    text, outer = said
    found = parts_of_filter(text, outer)
    if found is None or outer.depth or obj.kind != "card":
        return False
    noun, condition, scope = found
    member = _Member(m, scope, obj)
    parts = condition[1:] if condition[0] == "and" else (condition,)
    parts = (*parts, *_parts_of_noun(m, noun.name))
    with suppress(Need, Untold, DataError, *FAULTS):
        return any(part[0] == "cmp" and _stands_on_it(m, part) and not member.read(part) for part in parts)
    return False


def _stands_on_it(m: "Occurrences", tree: Tree) -> bool:
    """Does a part of a filter speak of nothing but what nothing can change?"""
    names = [
        part[1] if part[0] == "name" else part[2] for part in parts_of(tree) if part[0] in ("name", "prop")
    ]
    return "type" in names and all(name in ("type", "it") for name in names)


def of_another_kind(m: "Occurrences", said: tuple[str, Scope], obj: Obj) -> bool:
    """Is it none of what the filter's noun means, wherever it is?"""
    found = parts_of_filter(*said)
    if found is None or found[0].test is None or obj.kind != "card":
        return False
    return not found[0].test(m, (obj,)) and not _elsewhere(m, found[0].name, obj)


def _elsewhere(m: "Occurrences", noun: str, obj: Obj) -> str:
    """That the card is not where what the noun means is; of something of another kind, what else it is says nothing."""
    member = _Member(m, Scope(m.system).bind("it", "card"), obj)
    failing = [part for part in _parts_of_noun(m, noun) if not member.read(part)]
    places = [part for part in failing if part[2:3] == (("name", "zone"),)]
    return (
        fact_in_words(m.scene, obj, m.system.properties["zone"], m.zone(obj))
        if places and places == failing
        else ""
    )


def _parts_of_noun(m: "Occurrences", noun: str) -> Sequence[Tree]:
    source = (m.system.source.get("nouns") or {}).get(noun)
    if not isinstance(source, str):
        return ()
    tree = tree_of(source)
    return tree[1:] if tree[0] == "and" else (tree,)


class _Member(Part):
    """Parts of one filter, as they are for one card."""

    def __init__(self, m: "Occurrences", scope: Scope, obj: Obj, of: tuple[Obj, ...] = ()) -> None:
        """of: what stands before the member in the filter's scope."""
        super().__init__(m, scope, (*of, obj))

    def so(self, tree: Tree, *, value: bool) -> str:
        if tree[0] == "or" and not value:
            nearest = max(map(self.held, tree[1:]))  # of several ways to fit, the one of which most is so
            ways = [part for part in tree[1:] if self.held(part) == nearest]
            parts = list(filter(None, (self._branch(part) for part in ways)))
            compared = {part[2] if part[0] == "cmp" else part for part in ways}
            if len(parts) > 3 or (len(parts) > 1 and len(compared) == 1):
                return ""  # it fits none of several: what would fit is told instead
            return both(parts)
        if tree[0] == "and" and value:
            return both(filter(None, (self.so(part, value=value) for part in tree[1:])))
        if tree[0] == "call" and tree[1] == "able":
            return self._not_able(tree) if not value and len(tree[2]) == 1 else ""
        if tree[:2] == ("call", "supposing"):
            (_, fact), supposed, test = tree[2]
            with self.m.supposing(self.m.system.game[fact], self.read(supposed)):
                return self.so(test, value=value)
        tree = self._spelt_out(tree)
        if tree[0] == "prop":
            inner = self._made_of(tree) if tree[2] not in self.m.system.derived_says else None
            if inner is not None:
                return inner[0].so(inner[1], value=value)
        return super().so(tree, value=value)

    def _branch(self, tree: Tree) -> str:
        """Why this way to fit fails, too; what there is nowhere can be told as it is meant."""
        failing = next((part for part in tree[1:] if not self.read(part)), tree) if tree[0] == "and" else tree
        if failing[0] == "quant":
            return super()._quoted(failing, value=False)
        return self.so(tree, value=False)

    def _quoted(self, tree: Tree, *, value: bool) -> str:
        return ""

    def _quoted_value(self, tree: Tree, value: Any) -> str:
        return ""

    def _is_one(self, tree: Tree, one: Obj, other: Obj | None) -> str:
        return ""

    def _fact(self, tree: Tree, *, yes_no: bool = False) -> str:
        return super()._fact(self._spelt_out(tree), yes_no=yes_no)

    def _includes(self, left: Tree, one: Any, *, value: bool) -> str:
        return super()._includes(self._spelt_out(left), one, value=value)

    def _spelt_out(self, tree: Tree) -> Tree:
        """“skill” as the card's own: “it.skill”."""
        if tree[0] == "name" and self._is_its_own(tree[1]):
            return ("prop", ("name", self.scope.bare), tree[1])
        return tree

    def _is_its_own(self, name: str) -> bool:
        language = self.scope.language
        derived = language.derived.get(name)
        prop = language.properties.get(name)
        return name not in self.scope.names and (
            (prop is not None and prop.of == "card") or (derived is not None and derived[2] == "card")
        )

    def _made_of(self, tree: Tree) -> "tuple[_Member, Tree] | None":
        """A derived value of a card as what it is worked out from, about that card."""
        source = (self.m.system.source.get("derived") or {}).get(tree[2])
        text = source.get("is") if isinstance(source, dict) else source
        if not isinstance(text, str) or not self._derives_of_card(tree[2]):
            return None
        card = self.read(tree[1])
        if not isinstance(card, Obj):
            return None
        scope = Scope(self.scope.language).bind("it", "card")
        return _Member(self.m, scope.with_names({"self": scope.names["it"]}), card), tree_of(text)

    def _derives_of_card(self, name: str) -> bool:
        found = self.scope.language.derived.get(name)
        return found is not None and found[2] == "card"

    def _not_able(self, tree: Tree) -> str:
        """What stands against it that such a thing happens to the card."""
        kind = self.m.system.kinds.get(tree[2][0][1])
        reason = None if kind is None else self.m.unable(kind, self.of[-1])
        return "" if reason is None else reason.text
