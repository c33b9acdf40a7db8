"""Expressions in plain words: “each character you control with a printed cost of at most 3”.

Where an expression has no words of its own, it is quoted as it is written: never half of it, never another meaning.
"""

import re
from collections.abc import Mapping
from typing import Any

from rules.engine.base.messages import Message, both, denied, either, named
from rules.engine.definitions.model import System
from rules.engine.language.grammar import Parser, parts_of

Tree = tuple[Any, ...]
_ROLE = re.compile(r"{\^?([\w-]+)}")

IT, YOU = ("name", "it"), ("name", "you")
_IS_ONE = (("cmp", "=", IT), ("cmp", "in", IT))
_OPPOSITE = {
    "has": "has not",
    "in": "not in",
    "=": "!=",
    "!=": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
_COMPARED = {
    "=": "{one} is {other}",
    "!=": "{one} is not {other}",
    "<": "{one} is less than {other}",
    "<=": "{one} is at most {other}",
    ">": "{one} is more than {other}",
    ">=": "{one} is at least {other}",
    "in": "{one} is among {other}",
    "not in": "{one} is not among {other}",
    "has": "{one} include {other}",
    "has not": "{one} do not include {other}",
}
_WITH = {
    "=": "{noun} with {property} {value}",
    "!=": "{noun} with {property} other than {value}",
    "<": "{noun} with {property} less than {value}",
    "<=": "{noun} with {property} at most {value}",
    ">": "{noun} with {property} more than {value}",
    ">=": "{noun} with {property} at least {value}",
    "has": "{noun} whose {property} include {value}",
    "has not": "{noun} whose {property} do not include {value}",
}


class Phrases:
    """Words for expressions of a system and its cards.

    names: what people call bound names and roles, such as {"trigger.card": "that card"}; another name stands for
    itself.
    """

    def __init__(self, system: System, names: Mapping[str, str] | None = None) -> None:
        self.system, self.names = system, names or {}

    def each(self, condition: str) -> str:
        """The cards for which a condition on `it` holds. Raises DataError where it is none."""
        parser = Parser(condition)
        tree = parser.expression(0)
        parser.expect_end()
        if not self._is_condition(tree):
            return self.value(tree)
        noun = self.noun(("card", None, tree))
        return noun if tree[:3] == ("cmp", "=", IT) else Message("each {noun}", noun=noun)

    def of(self, text: str) -> str:
        """A condition, a value or a filter. Raises DataError where it is none."""
        parser = Parser(text)
        if parser.peek()[0] == "name" and parser.peek()[1] in self.system.nouns:
            filtered = parser.filter(0)
            if parser.peek()[0] == "end":
                return self.noun(filtered)
            parser = Parser(text)
        tree = parser.expression(0)
        parser.expect_end()
        return self.condition(tree) if self._is_condition(tree) else self.value(tree)

    # --- filters

    def noun(self, filtered: Tree) -> str:
        """“character you control that is exhausted”."""
        name, alias, condition = filtered
        if name == "card" and condition is not None and condition[:3] in _IS_ONE:
            return self.value(condition[3])
        if alias is not None and condition is not None:
            plain = _of_it(condition, alias)
            if ("name", alias) not in parts_of(plain):
                alias, condition = None, plain
        noun, parts = self._with_type(name, _conjuncts(condition))
        if alias is not None:
            noun = Message("{noun} “{name}”", noun=noun, name=alias)
        rest: list[str] = []
        for part in sorted(parts, key=_late):
            described = self._described(noun, part)
            noun = described or noun
            rest += [] if described else [self._within(part, "and", so=True)]
        return Message("{noun}, if {condition}", noun=noun, condition=both(rest)) if rest else noun

    def _with_type(self, name: str, parts: list[Tree]) -> tuple[str, list[Tree]]:
        """“card where type = 'event'” is an event."""
        for part in parts:
            if (
                part[:2] == ("cmp", "=")
                and _own(part[2]) == "type"
                and part[3][0] == "const"
                and name == "card"
            ):
                return self.system.word(part[3][1]), [one for one in parts if one is not part]
        return _NOUNS.get(name) or self.system.word(name), parts

    def _described(self, noun: str, part: Tree, *, so: bool = True) -> str:
        """A noun with one condition more; "" where it can't be said so."""
        if part[0] == "not":
            return self._described(noun, part[1], so=not so)
        if name := self._yes_no(part):
            state = self.system.word(name)
            return (
                Message("{noun} that is {state}", noun=noun, state=state)
                if so
                else Message("{noun} that is not {state}", noun=noun, state=state)
            )
        return self._described_by(noun, part, so=so) if part[0] == "cmp" else ""

    def _described_by(self, noun: str, part: Tree, *, so: bool) -> str:
        _, operator, left, right = part
        operator = operator if so else _OPPOSITE[operator]
        if left == IT and operator in ("in", "not in"):
            template = "{noun} among {those}" if operator == "in" else "{noun} that is not among {those}"
            return Message(template, noun=noun, those=self.value(right))
        own = _own(left)
        if own in ("controller", "owner") and operator == "=":
            return self._belonging(noun, own, right)
        if own == "zone" and operator == "=" and right[0] == "const":
            return Message("{noun} {place}", noun=noun, place=self.system.zone_names.get(right[1], right[1]))
        if left[0] == "call" and left[1] == "printed" and operator in _WITH and _own(left[2][0]):
            property = Message("printed {property}", property=self.system.word(_own(left[2][0])))
            return Message(_WITH[operator], noun=noun, property=property, value=self.value(right))
        if (
            own in self.system.properties
            and operator in _WITH
            and own not in ("controller", "owner", "zone", "type")
        ):
            if right == ("name", "nothing"):
                return ""
            return Message(
                _WITH[operator], noun=noun, property=self.system.word(own), value=self.value(right)
            )
        return ""

    def _belonging(self, noun: str, how: str, who: Tree) -> str:
        if self._is_you(who):
            return (
                Message("{noun} you control", noun=noun)
                if how == "controller"
                else Message("{noun} you own", noun=noun)
            )
        values = {"noun": noun, "who": self.value(who)}
        return (
            Message("{noun} {who} controls", **values)
            if how == "controller"
            else Message("{noun} {who} owns", **values)
        )

    # --- conditions

    def condition(self, tree: Tree, *, so: bool = True) -> str:
        """What must be so, as a clause; what must not be, where `so` is False."""
        kind = tree[0]
        if kind == "not":
            return self.condition(tree[1], so=not so)
        if (
            kind == "or"
            and so
            and all(part[:2] == ("cmp", "=") and part[2] == tree[1][2] for part in tree[1:])
        ):
            return Message(
                _COMPARED["="],
                one=self.value(tree[1][2]),
                other=either(self.value(part[3]) for part in tree[1:]),
            )
        if kind in ("and", "or"):
            parts = [self._within(part, kind, so=so) for part in tree[1:]]
            return both(parts) if so == (kind == "and") else either(parts)
        if name := self._yes_no(tree):
            return self._state(tree, name, so=so)
        if kind == "quant" and tree[1] in ("any", "none"):
            noun = self.noun(tree[2])
            if so == (tree[1] == "any"):
                vowel = noun[:1].lower() in "aeiou"
                return Message("there is an {noun}" if vowel else "there is a {noun}", noun=noun)
            return Message("there is no {noun}", noun=noun)
        if kind == "cmp":
            return self._comparison(tree, so=so)
        said = self.value(tree)
        return said if so else Message("it is not so that {condition}", condition=said)

    def _within(self, part: Tree, around: str, *, so: bool) -> str:
        said = self.condition(part, so=so)
        other = {"and": "or", "or": "and"}[around]
        return (
            Message("({part})", part=said)
            if part[0] == other or (part[0] == "not" and part[1][0] in ("and", "or"))
            else said
        )

    def _comparison(self, tree: Tree, *, so: bool) -> str:
        _, operator, left, right = tree
        if right == ("name", "nothing") and operator in ("=", "!="):
            return self._there(left, so=so == (operator == "!="))
        operator = operator if so else _OPPOSITE[operator]
        if (
            operator == "="
            and left[0] == "prop"
            and left[2] in ("controller", "owner")
            and self._is_you(right)
        ):
            template = "you control {one}" if left[2] == "controller" else "you own {one}"
            return Message(template, one=self.value(left[1]))
        if _last(left) == "zone" and right[0] == "const" and operator in ("=", "!="):
            place = self.system.zone_names.get(right[1], right[1])
            one = self.value(left[1]) if left[0] == "prop" else Message("it")
            template = "{one} is {place}" if operator == "=" else "{one} is not {place}"
            return Message(template, one=one, place=place)
        return Message(_COMPARED[operator], one=self.value(left), other=self.value(right))

    def _there(self, tree: Tree, *, so: bool) -> str:
        """What is or isn't nothing."""
        if tree[0] == "prop" or (tree[0] == "name" and tree[1] in self.system.properties):
            it = self.value(tree[1]) if tree[0] == "prop" else Message("it")
            template = "{it} has a {property}" if so else "{it} has no {property}"
            return Message(template, it=it, property=self.system.word(tree[-1]))
        template = "{one} has been chosen" if so else "{one} has not been chosen"
        return Message(template, one=self.value(tree))

    def _state(self, tree: Tree, name: str, *, so: bool) -> str:
        it = self.value(tree[1]) if tree[0] == "prop" else Message("it")
        prop = self.system.properties.get(name)
        if prop is not None and prop.says:
            return named(prop.says if so else denied(prop.says), {"it": it})
        return fact_is(it, self.system.word(name), so=so)

    def _is_you(self, tree: Tree) -> bool:
        return tree == YOU and "you" not in self.names

    def _yes_no(self, tree: Tree) -> str:
        """The name of what is or isn't so of somebody; "" for anything else."""
        name = tree[-1] if tree[0] in ("name", "prop") else ""
        if tree[0] == "name" and name in self.names:
            return ""
        if name in self.system.derived:
            return name if self.system.derived[name][1] == "yes-no" else ""
        prop = self.system.properties.get(name)
        return name if prop is not None and prop.type == "yes-no" else ""

    def _is_condition(self, tree: Tree) -> bool:
        if tree[0] in ("and", "or", "not", "cmp"):
            return True
        return bool(self._yes_no(tree)) or (tree[0] == "quant" and tree[1] in ("any", "none"))

    # --- values

    def value(self, tree: Tree) -> str:
        kind = tree[0]
        if kind == "const":
            return str(tree[1]) if tree[2] == "number" else self.system.word(tree[1])
        if kind == "name":
            return self._called(tree[1])
        if kind == "prop":
            return self._property(tree)
        if kind == "quant":
            return self._folded(tree)
        if kind == "arith":
            return self._sum(tree)
        if kind == "call":
            return self._call(tree)
        return self._quoted(tree)

    def _called(self, name: str) -> str:
        if name in self.names:
            return self.names[name]
        if name in _NAMED:
            return _NAMED[name]
        word = self.system.word(name)
        if name in self.system.game:
            player = self.system.game[name].type == "player"
            return Message("the {property} player" if player else "the {property}", property=word)
        if name in self.system.properties or name in self.system.derived:
            return Message("its {property}", property=word)
        return Message("“{name}”", name=word)

    def _property(self, tree: Tree) -> str:
        _, owner, name = tree
        if (said := self.names.get(written(tree))) is not None:
            return said
        word = self.system.word(name)
        if self._is_you(owner):
            return Message("your {property}", property=word)
        it = self.value(owner)
        if it == "it":
            return Message("its {property}", property=word)
        return Message("{it}'s {property}", it=it, property=word)

    def _folded(self, tree: Tree) -> str:
        _, name, filtered, body = tree
        if name == "count":
            return Message("the number of: {noun}", noun=self.noun(filtered))
        if name == "the":
            return Message("the {noun}", noun=self.noun(filtered))
        if name == "list":
            return Message("each {noun}", noun=self.noun(filtered))
        if name in _FOLDED:
            return Message(_FOLDED[name], value=self.value(body), noun=self.noun(filtered))
        return self._quoted(tree)

    def _sum(self, tree: Tree) -> str:
        _, sign, left, right = tree
        if sign == "-" and left == ("const", 0, "number"):
            return Message("−{number}", number=self.value(right))
        return Message(_SUMS[sign], one=self.value(left), other=self.value(right))

    def _call(self, tree: Tree) -> str:
        _, name, arguments = tree
        if name == "next" and arguments == [YOU]:
            return Message("the opponent")
        if name == "next" and len(arguments) == 1:
            return Message("the opponent of {who}", who=self.value(arguments[0]))
        if name == "printed" and len(arguments) == 1 and arguments[0][0] == "prop":
            _, owner, prop = arguments[0]
            word = Message("printed {property}", property=self.system.word(prop))
            it = self.value(owner)
            if it == "it":
                return Message("its {property}", property=word)
            return Message("{it}'s {property}", it=it, property=word)
        if name == "pending" and len(arguments) == 1 and (kind := self.system.kinds.get(arguments[0][1])):
            patient = kind.role_names[kind.patient] if kind.patient is not None else ""
            if set(_ROLE.findall(kind.says)) == {patient}:
                return Message("“{what}” is due", what=named(kind.says, {patient: Message("it")}))
        if name in ("min", "max") and len(arguments) == 2:
            template = (
                "the lower of {one} and {other}" if name == "min" else "the higher of {one} and {other}"
            )
            return Message(template, one=self.value(arguments[0]), other=self.value(arguments[1]))
        if name == "if" and len(arguments) == 3:
            condition, one, other = arguments
            return Message(
                "({one} if {condition}, otherwise {other})",
                one=self.value(one), condition=self.condition(condition), other=self.value(other),
            )  # fmt: skip
        return self._quoted(tree)

    def _quoted(self, tree: Tree) -> str:
        return Message("“{part}”", part=written(tree))


_NAMED = {
    "you": Message("you"),
    "this": Message("this card"),
    "it": Message("it"),
    "nothing": Message("nothing"),
}
_NOUNS = {"in-play": Message("card in play"), "seen": Message("card looked at")}
_FOLDED = {
    "sum": "the total of {value}, over each {noun}",
    "most": "the highest {value}, over each {noun}",
    "least": "the lowest {value}, over each {noun}",
}
_SUMS = {"+": "{one} + {other}", "-": "{one} − {other}", "*": "{one} × {other}"}


def _of_it(tree: Tree, alias: str) -> Tree:
    """A condition on what is called by an alias, as one on `it`; what is “the one that is this” is this."""
    if tree == ("name", alias):
        return IT
    if tree[0] == "quant":
        _, name, (_, other, condition), body = tree
        same = ("cmp", "=", ("name", other), ("name", alias))
        rest = [part for part in _conjuncts(condition) if part != same]
        if name == "any" and body is None and other is not None and len(rest) < len(_conjuncts(condition)):
            renamed = [_of_it(_of_it(part, other), alias) for part in rest]
            return renamed[0] if len(renamed) == 1 else ("and", *renamed)
        return tree
    return tuple(
        _of_it(part, alias)
        if isinstance(part, tuple)
        else [_of_it(one, alias) for one in part]
        if isinstance(part, list)
        else part
        for part in tree
    )


def _conjuncts(condition: Tree | None) -> list[Tree]:
    if condition is None:
        return []
    return list(condition[1:]) if condition[0] == "and" else [condition]


def _own(tree: Tree) -> str:
    """The property of the card a filter looks at: `it.cost` and `cost` are "cost"; "" for anything else."""
    if tree[0] == "name":
        return str(tree[1])
    return str(tree[2]) if tree[0] == "prop" and tree[1] == IT else ""


def _late(part: Tree) -> int:
    """Where it stands behind the noun: “you control”, then “in hand”, then what is longer."""
    if part[0] != "cmp":
        return 2 if part[0] in ("name", "prop") else 4
    return {"controller": 0, "owner": 0, "zone": 1}.get(_own(part[2]), 3)


def _last(tree: Tree) -> str:
    return str(tree[-1]) if tree[0] in ("name", "prop") else ""


def fact_is(it: Any, state: str, *, so: bool) -> str:
    """“Thug is exhausted”, “Thug is not exhausted”."""
    if so:
        return Message("{it} is {state}", it=it, state=state)
    return Message("{it} is not {state}", it=it, state=state)


def written(tree: Tree) -> str:
    """An expression as it is written in a file."""
    kind, *parts = tree
    if kind == "const":
        return f"'{parts[0]}'" if parts[1] == "symbol" else str(parts[0])
    if kind == "name":
        return str(parts[0])
    if kind == "prop":
        return f"{written(parts[0])}.{parts[1]}"
    if kind == "not":
        return f"not {_inner(parts[0])}"
    if kind in ("and", "or"):
        return f" {kind} ".join(_inner(part) for part in parts)
    if kind in ("cmp", "arith"):
        return f"{_inner(parts[1])} {parts[0]} {_inner(parts[2])}"
    if kind == "quant":
        name, (noun, alias, condition), body = parts
        within = noun + (f" as {alias}" if alias else "")
        within += f" where {written(condition)}" if condition is not None else ""
        return f"{name}({within}{f' : {written(body)}' if body is not None else ''})"
    name, arguments = parts
    return f"{name}({', '.join(written(one) for one in arguments)})"


def _inner(tree: Tree) -> str:
    return f"({written(tree)})" if tree[0] in ("and", "or", "cmp", "arith") else written(tree)
