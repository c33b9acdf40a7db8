"""Quantities: what X is."""

from rules.wording.grammar import Tree
from rules.wording.meaning.draft import Dead, Draft
from rules.wording.meaning.nouns import count_of, measure_of, on, value_of
from rules.wording.meaning.references import player, reference


def quantity_of(draft: Draft, tree: Tree) -> str:
    """What X is, as an expression. Raises Unsaid, Dead."""
    if tree[0] == "number":
        return count_of(draft, ("count", tree[1]))
    if tree[0] == "phrase":
        return draft.lexicon.phrase("quantities", tree[1])
    if tree[0] == "hand-of":
        return f"{player.of(draft, tree[1])}.{draft.lexicon.data['hand']}"
    if tree[0] == "value-measured":
        return on(measure_of(draft, tree[1]), reference.of(draft, ("it",)).expression)
    if tree[0] == "value-measured-on":
        return on(measure_of(draft, tree[1]), reference.of(draft, tree[2]).expression)
    if tree[0] == "margin":
        icon = tree[1].replace("~", " ")
        if (
            draft.answers != draft.lexicon.data["story"]["won-struggle"]
            or f"trigger.icon = '{icon}'" not in draft.tests
        ):
            raise Dead
        return "trigger.margin"
    ref = reference.of(draft, tree[1])
    return on(value_of(draft, tree[2]), ref.expression)
