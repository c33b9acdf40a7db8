"""Tokens that a card makes."""

from typing import Any

from rules.wording.grammar import Tree
from rules.wording.meaning.changes import Change, changes_of
from rules.wording.meaning.deeds import done
from rules.wording.meaning.draft import Dead, Draft, Unsaid
from rules.wording.meaning.effects import act
from rules.wording.meaning.objects import Steps


@act("make")
def _make(draft: Draft, chart: str, number: str, token: Tree) -> Steps:
    return _made(draft, chart, int(number), token, number)


@act("make-up-to")
def _make_up_to(draft: Draft, chart: str, number: str, token: Tree, most: str) -> Steps:
    """`(limit: 3)`: only as many as bring them up to it."""
    name = _name(draft, token[3])
    whole = draft.lexicon.data["everything"]
    there = f"count({whole} as c where c.name = '{name}' and c.token and c.controller = {draft.agent})"
    return _made(draft, chart, int(number), token, f"min({number}, max(0, {most} - {there}))")


@act("no-more")
def _no_more(draft: Draft, verb: Tree, most: str) -> Steps:
    """`put a rune on this (limit: 4)`: not beyond that many."""
    steps = done(draft, verb, "you")
    if len(steps) != 1 or "add" not in steps[0] or steps[0]["by"] != 1:
        raise Unsaid("a limit on more than one rune at a time")
    return [{"if": f"{steps[0]['of']}.{steps[0]['add']} < {most}", "then": steps}]


def _name(draft: Draft, word: str) -> str:
    return draft.lexicon.subtypes[word][1]


def _made(draft: Draft, chart: str, number: int, token: Tree, many: str) -> Steps:
    """The chart that makes them, and the token itself as a card of its own. Raises Dead, Unsaid."""
    _, body, word, kind, gifts = token
    maker = draft.lexicon.data["maker"]
    if draft.lexicon.facts_of.get(word) != maker["fact"]:
        raise Dead
    if draft.agent != "you" or draft.card.lent:
        raise Unsaid("tokens made by another player")
    colour = draft.lexicon.traits[word].split("'")[1]
    fact, value = draft.lexicon.subtypes[kind]
    made: dict[str, Any] = {"name": value, "type": maker["type"], fact: [value], maker["fact"]: colour}
    made |= {stat: int(said) for stat, said in zip(maker["body"], body[1:], strict=True)}
    for change in changes_of(draft, gifts, ""):
        if not isinstance(change, Change):
            raise Unsaid("a token with more than keywords")
        made[change.stat] = {"yes": True}.get(change.to, int(change.by) if change.by else change.to)
    draft.tokens.append({**made, "made": number} if number > 1 else made)
    return [{"run": chart, "with": {"called": f"'{value}'", "number": many, "whose": "you"}}]
