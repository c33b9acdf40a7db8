"""Which part of a condition fails, in words with the facts as they are: “what it responds to happens to Thug, not to
Medic”.

A part that has no words of its own is told as it is meant (`Phrases`). Nothing is said that was not worked out here and
now.
"""

from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, DataError, Need, Untold
from rules.engine.base.messages import Message, both, denied, either, listed, named
from rules.engine.definitions.model import Property
from rules.engine.definitions.phrases import Phrases, fact_is
from rules.engine.definitions.values import Obj
from rules.engine.language.expressions import compile_tree, tree_of
from rules.engine.language.grammar import parts_of
from rules.engine.language.scopes import Scope
from rules.engine.scene.scene import Scene

if TYPE_CHECKING:
    from rules.engine.definitions.model import Grant, Requirement
    from rules.engine.machine.occurrences import Occurrences

Tree = tuple[Any, ...]
MOST_NAMED = 3  # so many cards are named in place of what they have in common

_NOT = {
    "=": "{fact}, not {other}",
    "<=": "{fact}, not at most {other}",
    ">=": "{fact}, not at least {other}",
    "<": "{fact}, not less than {other}",
    ">": "{fact}, not more than {other}",
}


def fact_in_words(scene: Scene, obj: Obj, prop: Property, value: Any) -> str:
    """Samurai is bowed; Ann has 2 resources; Ghoul is in the encounter discard pile."""
    if prop.name == "zone":
        return Message("{it} is {state}", it=obj, state=scene.system.zone_names.get(value, value))
    if prop.type == "yes-no":
        if prop.says:
            return named(prop.says if value else denied(prop.says), {"it": obj})
        return fact_is(obj, scene.system.word(prop.name), so=bool(value))
    if value is None and prop.says and prop.type in ("card", "player"):
        return named(denied(prop.says), {"it": obj, "value": Message("anything")})
    if value in (None, ()) and prop.type in ("card", "player", "symbol", "list"):
        return Message("{it} has no {property}", it=obj, property=scene.system.word(prop.name))
    if prop.says:
        return named(prop.says, {"it": obj, "value": value})
    what = scene.system.word(prop.name)
    return Message("{it}'s {property} is {value}", it=obj, property=what, value=scene.system.said(value))


def unmet(m: "Occurrences", condition: "Requirement | Grant", of: tuple[Obj, ...] = ()) -> str:
    """The first part of a failing condition that fails, in words; empty if none can be made out.

    of: what the condition's own names stand for.
    """
    for text, scope in condition.said:
        try:
            found = Part(m, scope, of).failing(tree_of(text))
        except (Need, Untold, *FAULTS):
            continue
        if found:
            return found
    return ""


def parts_held(m: "Occurrences", condition: "Requirement", of: tuple[Obj, ...] = ()) -> int:
    """How many of the parts that `and` joins hold before the first that fails."""
    for text, scope in condition.said:
        tree = tree_of(text)
        with suppress(Need, Untold, *FAULTS):
            return Part(m, scope, of).held(tree)
    return 0


def _is_long(tree: Tree) -> bool:
    """Would its words hold alternatives, or who is left out?"""
    return any(part[0] == "or" or part[:2] == ("cmp", "!=") for part in parts_of(tree) if part)


class Part:
    """Parts of one condition, as they are in one position."""

    def __init__(self, m: "Occurrences", scope: Scope, of: tuple[Obj, ...] = ()) -> None:
        self.m, self.scope, self.of = m, scope, of

    def read(self, tree: Tree) -> Any:
        return compile_tree(tree, self.scope)(self.m, self.of)

    def held(self, tree: Tree) -> int:
        """How many of the parts that `and` joins hold before the first that fails."""
        return sum(1 for _ in takewhile(self.read, tree[1:])) if tree[0] == "and" else 0

    def failing(self, tree: Tree) -> str:
        return "" if self.read(tree) else self.so(tree, value=False)

    def so(self, tree: Tree, *, value: bool) -> str:
        """What is so, where the truth of this part is `value`."""
        kind = tree[0]
        if kind == "not":
            return self.so(tree[1], value=not value)
        if kind in ("and", "or"):
            if value == (kind == "and"):  # all of them together
                parts = tree[1:]
                if kind == "or":  # of several ways the one that was nearest
                    nearest = max(map(self.held, parts))
                    parts = tuple(part for part in parts if self.held(part) == nearest)
                return both(self.so(part, value=value) for part in parts)
            decisive = next(part for part in tree[1:] if bool(self.read(part)) == value)
            return self.so(decisive, value=value)
        if kind == "quant" and value == (tree[1] != "none") and tree[1] in ("any", "none") and _is_long(tree):
            found = self.read(("quant", "list", *tree[2:]))  # who they are says more than what they are
            if 0 < len(found) <= MOST_NAMED and all(isinstance(one, Obj) for one in found):
                return Message("because of {cards}", cards=both(one.label for one in found))
        found = self._compared(tree, value=value) if kind == "cmp" else self._fact(tree, yes_no=True)
        if found:
            return found
        if tree[:2] == ("prop", ("name", "trigger")):
            if says := self.m.system.role_says.get(tree[2]):
                return says if value else denied(says)
            role, one = self.m.system.word(tree[2]), Message("yes") if value else Message("no")
            return Message("in what it responds to, “{role}” is {one}", role=role, one=one)
        return self._quoted(tree, value=value)

    def _quoted(self, tree: Tree, *, value: bool) -> str:
        """A part that is told as it is meant, its names with who and what they are."""
        return self._phrases(tree).condition(tree, so=value)

    def _phrases(self, tree: Tree) -> Phrases:
        """Words in which the names of the tree are who and what they stand for."""
        labels: dict[str, str] = {}
        facts = (self.m.system.game, self.m.system.properties, self.m.system.derived)
        for name in {
            part[1]
            for part in parts_of(tree)
            if part[0] == "name" and not any(part[1] in known for known in facts)
        }:
            with suppress(DataError, Need, Untold, *FAULTS):  # one that is bound within the tree
                if isinstance(one := self.read(("name", name)), Obj):
                    labels[name] = one.label
        for part in parts_of(tree):
            if part[:2] == ("prop", ("name", "trigger")):
                with suppress(DataError, Need, Untold, *FAULTS):
                    one = self.read(part)
                    if isinstance(one, Obj):
                        labels[f"trigger.{part[2]}"] = one.label
                    elif isinstance(one, list | tuple) and all(isinstance(each, Obj) for each in one):
                        labels[f"trigger.{part[2]}"] = listed(each.label for each in one) or Message(
                            "nothing"
                        )
        return Phrases(self.m.system, labels)

    def _compared(self, tree: Tree, *, value: bool) -> str:
        _, operator, left, right = tree
        if operator == "has":
            return self._includes(left, self.read(right), value=value)
        if operator == "in":
            return ""
        fact = self._fact(left)
        one, other = self.read(left), self.read(right)
        if one is None and left[:2] == ("prop", ("name", "trigger")):
            return self.m.system.role_says.get(left[2], "")
        if isinstance(one, Obj) and not fact:
            if right[0] == "name" and (said := self._says_who(right[1])):
                return named(said if value == (operator == "=") else denied(said), {"value": one})
            if value == (operator == "="):  # it is that one
                other = None
            elif not isinstance(other, Obj):
                return ""
            return self._is_one(left, one, other)
        if not fact and (one is None or isinstance(one, list | tuple | Obj)):
            return ""
        if not fact and not (fact := self._quoted_value(left, one)):
            return ""
        if value or operator == "!=" or other is None or isinstance(one, bool):
            return fact  # what is, is told; what it should not be goes without saying
        return Message(_NOT[operator], fact=fact, other=self._other(left, other))

    def _includes(self, left: Tree, one: Any, *, value: bool) -> str:
        """That a list of a card's does or does not include something."""
        if isinstance(one, list | tuple) and one and all(isinstance(each, str) for each in one):
            one = either(self.m.system.word(each) for each in one)  # one of these would do
        if left[0] != "prop" or not isinstance(obj := self.read(left[1]), Obj) or not isinstance(one, str):
            return ""
        text = "{it}'s {property} include {value}" if value else "{it}'s {property} do not include {value}"
        return Message(text, it=obj, property=self.m.system.word(left[2]), value=one)

    def _says_who(self, name: str) -> str:
        """The words of the game's fact that names a player: “{value} is the active player”."""
        prop = self.m.system.game.get(name) if name not in self.scope.names else None
        return prop.says if prop is not None and prop.type == "player" else ""

    def _quoted_value(self, tree: Tree, value: Any) -> str:
        """The value of what has no words of its own."""
        said = self.m.system.said(value)
        if tree[:2] == ("prop", ("name", "trigger")):
            role = self.m.system.word(tree[2])
            return Message("in what it responds to, “{role}” is {one}", role=role, one=said)
        return Message("{part} is {value}", part=self._phrases(tree).value(tree), value=said)

    def _other(self, left: Tree, other: Any) -> Any:
        if left[-1] == "zone":
            return self.m.system.zone_names.get(other, other)
        return self.m.system.said(other)

    def _is_one(self, tree: Tree, one: Obj, other: Obj | None) -> str:
        """Who or what it is, and who or what it is not (None: it is told alone)."""
        if tree[0] != "prop" or tree[1] != ("name", "trigger"):
            if other is not None and tree in (("name", "this"), ("name", "you")):
                return Message("{one} is not {other}", one=one, other=other)
            part = self._phrases(tree).value(tree)
            if other is None:
                return Message("{part} is {value}", part=part, value=one)
            return Message("{part} is {one}, not {other}", part=part, one=one, other=other)
        trigger = self.m.cur.trigger if self.m.cur is not None else None
        assert trigger is not None  # a role of it was read
        kind = self.m.cells[trigger].kind
        if kind.patient is not None and kind.role_names[kind.patient] == tree[2]:
            if other is None:
                return Message("what it responds to happens to {one}", one=one)
            return Message("what it responds to happens to {one}, not to {other}", one=one, other=other)
        role = self.m.system.word(tree[2])
        if other is None:
            return Message("in what it responds to, “{role}” is {one}", role=role, one=one)
        text = "in what it responds to, “{role}” is {one}, not {other}"
        return Message(text, role=role, one=one, other=other)

    def _fact(self, tree: Tree, *, yes_no: bool = False) -> str:
        """A property of a card or a player that can be named, as it is (or as it is printed)."""
        if tree[:2] == ("call", "printed") and isinstance(card := self.read(tree[2][0][1]), Obj):
            what = self.m.system.word(tree[2][0][2])
            said = self.m.system.said(self.read(tree))
            return Message("{it}'s printed {property} is {value}", it=card, property=what, value=said)
        if tree[0] != "prop" or tree[1] == ("name", "trigger"):
            return ""
        prop = self.m.system.properties.get(tree[2])
        if says := self.m.system.derived_says.get(tree[2]):
            value = self.read(tree)
            if not isinstance(value, bool):
                return "" if yes_no else named(says, {"it": self.read(tree[1]), "value": value})
            return named(says if value else denied(says), {"it": self.read(tree[1])})
        if prop is None or (yes_no and prop.type != "yes-no"):
            return ""
        obj = self.read(tree[1])
        if not isinstance(obj, Obj):
            return ""
        value = self.read(tree)
        if isinstance(value, list | tuple) or (value is None and not prop.told):
            return ""  # what only the rules keep in mind has no words
        fact = fact_in_words(self.m.scene, obj, prop, value)
        if value != self.m.as_it_is(obj, prop):  # it left play
            return Message("{fact} (as it last was)", fact=fact)
        return fact
