"""What must hold, and what happened: conditions, and the occurrences that an ability answers."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, Verb
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.nouns import (
    all_named,
    all_of,
    amount_of,
    bracketed,
    bracketed_and,
    filter_of,
    group_of,
    measure_of,
    negated,
    of_player,
    on,
    other_than,
    predicate,
    tests_of,
)
from rules.wording.meaning.references import (
    ANYBODY,
    EVERYBODY,
    place_of,
    player,
    plural_of,
    reference,
    story_fact,
)

condition: Meanings[str] = Meanings("condition")
many: Meanings[str] = Meanings("number of cards")
happening: Meanings["Happening"] = Meanings("occurrence")
party: Meanings[list[str]] = Meanings("party")


_OUTER = "¤"  # in a filter within a condition: the card that the condition is about


@dataclass(frozen=True, slots=True)
class Happening:
    """A kind of occurrence and what must hold of it, its roles under `root` (`trigger.`, or nothing in a
    `cannot`).
    """

    kind: str
    tests: tuple[str, ...]


# --- conditions


@condition("fact")
def _fact(draft: Draft, phrase: str) -> str:
    entry = draft.lexicon.entry("conditions", phrase)
    if not isinstance(entry, Mapping):
        return str(entry)
    draft.zones += entry["zones"]  # it says where the card is
    return str(entry["if"])


@condition("and")
def _and(draft: Draft, a: Tree, b: Tree) -> str:
    return f"{_side(condition.of(draft, a))} and {_side(condition.of(draft, b))}"


@condition("or")
def _or(draft: Draft, a: Tree, b: Tree) -> str:
    return f"{_side(condition.of(draft, a))} or {_side(condition.of(draft, b))}"


def _side(test: str) -> str:
    return f"({test})" if " or " in test and not test.startswith(("any(", "none(", "count(")) else test


@condition("time")
def _time(draft: Draft, phrase: str) -> str:
    """`during a challenge in which ..`, `attacking in a military challenge`."""
    return draft.lexicon.phrase("times", phrase)


@condition("is-during")
def _is_during(draft: Draft, ref: Tree, state: Tree, phrase: str) -> str:
    """`attacking in a military challenge`: it is so then."""
    if state[0] == "word" and f"{state[1]}~in~{phrase}" in draft.lexicon.traits:
        raise Dead  # words for one thing
    return all_of([_is(draft, ref, state), _time(draft, phrase)])


@condition("is")
def _is(draft: Draft, ref: Tree, state: Tree) -> str:
    word = state[1] if state[0] == "not" else state
    if (
        ref == ("it",)
        and word[0] == "word"
        and f"it is {word[1]}" in draft.lexicon.data.get("conditions", {})
    ):
        raise Dead  # `it is day` speaks of nobody
    found = reference.of(draft, ref)
    return on(predicate.of(draft, state), found.expression)


@condition("controls")
def _controls(draft: Draft, who: Tree, number: Tree) -> str:
    if player.of(draft, who) == "next(you)" and number[:2] != ("at-least", "1") and _several_opponents(draft):
        raise Unsaid("how many one of several opponents has")
    return _how_many(draft, number, of_player(player.of(draft, who), "controller"))


def _several_opponents(draft: Draft) -> bool:
    return bool(draft.lexicon.data.get("opponents") == "several")


@condition("have")
def _have(draft: Draft, who: Tree, number: Tree) -> str:
    """What one has in play one controls; `in your discard pile` says itself whose it is."""
    placed = group_of(draft, number[2]).zone
    if not placed:
        return _controls(draft, who, number)
    return _how_many(draft, number, "")


@condition("more-than")
def _more_than(draft: Draft, who: Tree, group: Tree, than: Tree) -> str:
    """More of them than somebody else."""
    if than[0] in ("opponent", "opponents") and _several_opponents(draft):
        return _beside_opponents(draft, who, group, each=than[0] == "opponents", more=True)
    counts = []
    for one in (who, than):
        whose = player.of(draft, one)
        if whose in (ANYBODY, EVERYBODY):
            raise Unsaid("“more than any player”")
        found = group_of(draft, group).also(of_player(whose, "controller"))
        counts.append(f"count({filter_of(draft, found)})")
    return f"{counts[0]} > {counts[1]}"


def _beside_opponents(draft: Draft, who: Tree, group: Tree, *, each: bool, more: bool) -> str:
    """More of them, or fewer, than an opponent has, or than each of them. Raises Unsaid."""
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY, "next(you)"):
        raise Unsaid("more or fewer than any player")
    found = group_of(draft, group)
    all_named(draft, found)
    mine, theirs = (
        f"count({filter_of(draft, found.also(of_player(one, 'controller')), called='c')})"
        for one in (whose, "p")
    )
    if each:
        return f"none(player as p where p != {whose} and {theirs} {'>=' if more else '<='} {mine})"
    high, low = (mine, theirs) if more else (theirs, mine)
    return f"any(player as p where p != {whose} and {high} > {low})"


@condition("keeps-more")
def _keeps_more(draft: Draft, who: Tree, what: str, than: Tree) -> str:
    """`you have more power on your faction card than each opponent`. Raises Unsaid."""
    path = draft.lexicon.phrase("kept", what)
    one, other = player.of(draft, who), player.of(draft, than)
    if {one, other} & {ANYBODY, EVERYBODY} or one == other:
        raise Unsaid("who has more than any player")
    if not _several_opponents(draft) or "next(you)" not in (one, other):
        return f"{one}.{path} > {other}.{path}"
    if one == "next(you)":  # an opponent has more
        return f"any(player as p where p != {other} and p.{path} > {other}.{path})"
    if than[0] == "opponents":
        return f"none(player as p where p != {one} and p.{path} >= {one}.{path})"
    return f"any(player as p where p != {one} and {one}.{path} > p.{path})"


@condition("fewer-than")
def _fewer_than(draft: Draft, who: Tree, group: Tree, than: Tree) -> str:
    """`you control fewer characters than each opponent`. Raises Unsaid."""
    if not _several_opponents(draft) or than[0] not in ("opponent", "opponents"):
        return _more_than(draft, than, group, who)
    return _beside_opponents(draft, who, group, each=than[0] == "opponents", more=False)


@condition("more-of")
def _more_of(draft: Draft, group: Tree, other: Tree) -> str:
    """`there are more Winter plot cards than Summer plot cards`."""
    counts = []
    for one in (group, other):
        found = group_of(draft, one)
        all_named(draft, found)
        counts.append(f"count({filter_of(draft, found)})")
    return f"{counts[0]} > {counts[1]}"


@condition("controls-only")
def _controls_only(draft: Draft, who: Tree, group: Tree) -> str:
    """Nothing that is not one of them."""
    found = group_of(draft, group)
    if found.zone or not found.tests:
        raise Dead
    others = replace(found, tests=(negated(all_of(found.tests)),))
    return f"none({filter_of(draft, others.also(of_player(player.of(draft, who), 'controller')))})"


@condition("every")
def _every(draft: Draft, group: Tree, quality: Tree) -> str:
    """`every character you control has the .. affiliation`."""
    return f"none({filter_of(draft, group_of(draft, group).also(negated(predicate.of(draft, quality))))})"


@condition("there")
def _there(draft: Draft, number: Tree) -> str:
    return _how_many(draft, number, "")


def _how_many(draft: Draft, tree: Tree, whose: str, called: str = "") -> str:
    head, number, group_tree = tree
    group = group_of(draft, group_tree).also(whose)
    all_named(draft, group)
    if head.endswith("-other"):
        group = group.also(f"{SUBJECT} != {other_than(draft, group.noun)}")
    found = filter_of(draft, group)
    if called and re.search(r"\bit\b", found):  # `it` would be the outer card
        found = filter_of(draft, group, called=called)
    if not draft.kind and re.search(r"\bit\b", found):  # in a standing text `it` is the card that it is about
        found = filter_of(draft, group, called="c")
    head = head.removesuffix("-other")
    if head == "at-least" and number == "1":
        return f"any({found})"
    if head == "at-most" and number == "0":
        return f"none({found})"
    sign = {"at-least": ">=", "at-most": "<=", "just": "=", "under": "<", "over": ">"}[head]
    return f"count({found}) {sign} {number}"


@predicate("site")
def _site(draft: Draft, ref: Tree) -> str:
    """A story where this or that character is committed; when that has happened there, or was until it was over."""
    one = reference.of(draft, ref).expression
    return " or ".join(f"{SUBJECT} = {one}.{fact}" for fact in _standing_at(draft))


@predicate("site-of-whose")
def _site_of_whose(draft: Draft, who: Tree, number: Tree) -> str:
    return _at_it(draft, number, of_player(player.of(draft, who), "controller"))


@predicate("site-alone")
def _site_alone(draft: Draft, ref: Tree) -> str:
    """The story where it is committed, or was until that was over, and no other character of its controller."""
    one = reference.of(draft, ref).expression
    noun, facts = draft.lexicon.data["story"]["who"], _standing_at(draft)
    ways = []
    for fact in facts:
        there = bracketed(" or ".join(f"c.{where} = {one}.{fact}" for where in facts))
        others = f"{there} and c.controller = {one}.controller and c != {one}"
        ways.append(f"{SUBJECT} = {one}.{fact} and none({noun} as c where {others})")
    return " or ".join(f"({way})" for way in ways) if len(ways) > 1 else ways[0]


def _standing_at(draft: Draft) -> list[str]:
    """The facts that tell where a card is committed."""
    facts = [story_fact(draft)]
    return [*facts, str(draft.lexicon.data["story"]["stood"])] if draft.telling else facts


@predicate("site-of")
def _site_of(draft: Draft, number: Tree) -> str:
    return _at_it(draft, number, "")


@predicate("site-of-yours")
def _site_of_yours(draft: Draft, number: Tree) -> str:
    return _at_it(draft, number, f"{SUBJECT}.controller = you")


def _at_it(draft: Draft, number: Tree, also: str) -> str:
    """How many are committed to the story spoken of."""
    there = " or ".join(f"{SUBJECT}.{fact} = {_OUTER}" for fact in _standing_at(draft))
    return _how_many(draft, number, all_of([there, also]), "k").replace(_OUTER, SUBJECT)


def _hand_of(draft: Draft, who: Tree) -> str:
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("any player’s hand")
    return f"{whose}.{draft.lexicon.data['hand']}"


@condition("hand")
def _hand(draft: Draft, who: Tree, sign: str, number: Tree) -> str:
    amount = amount_of(draft, number)
    sign = {"at-most": "<=", "at-least": ">=", "over": ">"}[sign]
    if who[0] == "opponent" and _several_opponents(draft):
        held = f"p.{draft.lexicon.data['hand']}"
        return f"any(player as p where p != you and {held} {'=' if amount == '0' else sign} {amount})"
    return f"{_hand_of(draft, who)} {'=' if amount == '0' else sign} {amount}"


@condition("more-in-hand")
def _more_in_hand(draft: Draft, who: Tree, than: Tree) -> str:
    if than == ("opponents",) and who == ("you",) and _several_opponents(draft):
        hand = draft.lexicon.data["hand"]
        return f"none(player as p where p != you and p.{hand} >= you.{hand})"
    return f"{_hand_of(draft, who)} > {_hand_of(draft, than)}"


@condition("total")
def _total(draft: Draft, who: Tree, what: str, number: str) -> str:
    """So many on all his cards together."""
    whole = draft.lexicon.data.get("all-of-it")
    whose = of_player(player.of(draft, who), "controller")
    if whole is None or not whose:
        raise Unsaid("how many lie on all of a player’s cards")
    return f"sum({whole} as c where {on(whose, 'c')} : {on(measure_of(draft, what), 'c')}) >= {number}"


@condition("some-of-them")
def _some_of_them(draft: Draft, *groups: Tree) -> str:
    """`if either is a ..`: one or more of those that were chosen."""
    many = plural_of(draft, ("them",))
    tests = [all_of(tests_of(draft, group_of(draft, group))) for group in groups]
    either = " or ".join(bracketed_and(test) for test in tests)
    return f"any(card as c where c in {many.expression} and {bracketed(on(either, 'c'))})"


@condition("self-controlled")
def _self_controlled(draft: Draft) -> str:
    return "this.controller = you"


@condition("turn-of")
def _turn_of(draft: Draft, whose: Tree) -> str:
    who = player.of(draft, whose)
    if who in (ANYBODY, EVERYBODY):
        raise Dead
    return "you != active" if who == "next(you)" else f"{who} = active"


# --- occurrences


def verb_of(draft: Draft, tree: Tree) -> tuple[Verb, str, dict[str, Tree]]:
    """`(verb KEY [SUBJECT ROLE] (ROLE PHRASE) ...)`: the verb, the role of what it is done to, the rest."""
    _, key, *rest = tree
    subject = rest.pop(0) if rest and isinstance(rest[0], str) else ""
    return draft.lexicon.verbs[key], subject, {role: phrase for role, *phrase in rest}


def told(draft: Draft, tree: Tree, root: str) -> Happening:
    """An occurrence as it is told: `(passive VERB PARTY)`, `(active VERB WHO)`, `(subject VERB PARTY)`."""
    if tree[0] == "subject-being":
        found = told(draft, ("subject", tree[1], tree[3]), root)
        role = verb_of(draft, tree[1])[1]
        return replace(found, tests=(*found.tests, on(predicate.of(draft, tree[2]), root + role)))
    if tree[0] == "passive-either":
        return _either_happened(draft, tree[1], tree[2], tree[3], root)
    head, verb_tree, who = tree
    verb, subject, rest = verb_of(draft, verb_tree)
    if verb.lies:
        raise Unsaid("out of which place something went")
    tests: list[str] = [
        bracketed(" or ".join(f"{root}{role} = '{one}'" for one in value))
        if isinstance(value, list)
        else {"yes": f"{root}{role}", "no": f"not {root}{role}"}.get(value, f"{root}{role} = '{value}'")
        for role, value in verb.told.items()
    ]
    tests += [f"{root}{role}.{fact} = you" for role, fact in verb.whose.items()]
    by: list[str] = []
    draft.telling = root == "trigger."
    if head == "active":
        by = _by(draft, verb, who, root)
    else:
        said_of(draft, verb, who)
        tests += of_party(draft, who, root + subject)
        tests += _in_play(draft, verb, who, root + subject, tests)
        _noted(draft, verb, root + subject)
    for role, phrase in rest.items():
        if (
            verb.whence
            and phrase[0][-1][0] == "n"
            and any(post[0] == "place" for post in phrase[0][-1][3][1:])
        ):
            raise Dead
        tests += _role(draft, verb, role, phrase, root)
        if role == verb.moved:
            tests += _in_play(draft, verb, phrase[0], root + role, tests)
        _noted(draft, verb, root + role)
    if verb.sort and (verb.sort == "some") != _of_some_sort(verb, tests, root):
        raise Dead
    if verb.unplaced and any(".zone = " in test for test in tests):
        raise Dead  # it is no longer there
    draft.telling = False
    if head == "active":
        draft.players.append(root + verb.agent)
    if verb.also:
        return _one_or_other(draft, verb, tests, by, root)
    tests += by
    return Happening(verb.do, tuple(tests))


def _in_play(draft: Draft, verb: Verb, who: Tree, expression: str, tests: list[str]) -> list[str]:
    """`a character would be returned to your hand`: a character is a card in play, so what also happens to cards
    elsewhere is told of one there, unless the text says where it was."""
    if verb.do not in draft.lexicon.data.get("elsewhere", ()) or who[-1][0] != "n" or by_name(who[-1]):
        return []
    known = draft.lexicon.nouns.get(str(who[-1][1]))
    if known is None or not known.noun or known.place or not known.test:
        return []
    if any(f"{expression}.zone" in test for test in tests):
        return []
    if known.word.endswith(" card"):  # `a character card` may be one in a hand or a discard pile
        raise Unsaid("where a card was to which that happened")
    return [f"{expression}.zone = '{draft.lexicon.data.get('in-play', ('play',))[0]}'"]


def _of_some_sort(verb: Verb, tests: list[str], root: str) -> bool:
    """Is more told of the card than whose it is, and what the verb itself tells?"""
    ours = {f"{root}{role}" for role in verb.told}
    card = root + (verb.moved or "card")
    return any(
        test not in ours and not test.startswith((f"{card}.controller ", f"{card}.owner ", f"{root}how = "))
        for test in tests
        if test and test.startswith((f"{card}.", f"{card} ", "("))
    )


def _one_or_other(draft: Draft, verb: Verb, tests: list[str], by: list[str], root: str) -> Happening:
    """`plays a card`: what two occurrences tell, each of some sorts of card. Raises Unsaid."""
    if not root:
        raise Unsaid("what cannot happen in one of two ways")
    mine, other = f"{root}{verb.moved}", f"{root}{verb.also['role']}"
    if mine == other and "if" not in verb.also:  # `enters or leaves play`: of either the same is said
        return Happening(f"{verb.do} or {verb.also['do']}", (*tests, *by))
    either = mine if mine == other else f"if({root}kind = '{verb.do}', {mine}, {other})"
    roles = draft.lexicon.system.occurrences.get(verb.also["do"], frozenset())
    apart = [f"{root}{role} = '{value}'" for role, value in verb.told.items() if role not in roles]
    draft.memory = [
        replace(one, expression=either) if one.expression == mine else one for one in draft.memory
    ]
    draft.players = [one.replace(mine, either) for one in draft.players]
    draft.deeds = [(done, either if one == mine else one) for done, one in draft.deeds]
    told_of = [all_of([f"{root}kind = '{verb.do}'", *tests])]
    sort = on(_ours_of(verb.also["if"]), other)
    told_of.append(
        all_of(
            [
                f"{root}kind = '{verb.also['do']}'",
                sort,
                *[test.replace(mine, other) for test in tests if test not in apart],
            ]
        )
    )
    which = " or ".join(bracketed_and(one) for one in told_of)
    return Happening(f"{verb.do} or {verb.also['do']}", (which, *by))


def _ours_of(test: str) -> str:
    return re.sub(r"\bit\b", SUBJECT, test)


def _either_happened(draft: Draft, one: Tree, other: Tree, who: Tree, root: str) -> Happening:
    """`is sacrificed or killed`: one of two occurrences, of which the same must hold. Raises Dead, Unsaid."""
    found = [told(draft, ("passive", verb, who), root) for verb in (one, other)]
    subject = [verb_of(draft, verb)[1] for verb in (one, other)]
    if found[0].kind == found[1].kind:
        raise Dead
    if subject[0] != subject[1]:
        return _in_other_roles(draft, found, subject, root)
    there = {f"{root}{subject[0]}.zone = '{place}'" for place in draft.lexicon.data.get("in-play", ("play",))}
    tests = [frozenset(one.tests) - there for one in found]
    if tests[0] != tests[1]:
        raise Unsaid("one of two occurrences, under different conditions")
    longer = max(found, key=lambda happening: len(happening.tests))
    return Happening(" or ".join(sorted(happening.kind for happening in found)), longer.tests)


def _in_other_roles(draft: Draft, found: list["Happening"], subject: list[str], root: str) -> "Happening":
    """`would be wounded or made insane`: the card has another role in each. Raises Unsaid."""
    if not root:
        raise Unsaid("what cannot happen in one of two ways")
    one, other = (f"{root}{role}" for role in subject)
    if [test.replace(one, other) for test in found[0].tests] != list(found[1].tests):
        raise Unsaid("one of two occurrences, under different conditions")
    either = f"if({root}kind = '{found[0].kind}', {one}, {other})"
    draft.memory = [known for known in draft.memory if known.expression != one]
    draft.memory = [
        replace(known, expression=either) if known.expression == other else known for known in draft.memory
    ]
    ways = [all_of([f"{root}kind = '{way.kind}'", *way.tests]) for way in found]
    return Happening(
        f"{found[0].kind} or {found[1].kind}", (" or ".join(bracketed_and(way) for way in ways),)
    )


def _noted(draft: Draft, verb: Verb, expression: str) -> None:
    """So that it can be spoken of as what that was done to."""
    if expression.startswith("trigger."):
        draft.deeds.append((verb.done, expression))


def said_of(draft: Draft, verb: Verb, who: Tree) -> None:
    """Is the verb said of such a thing? Raises Dead."""
    if not verb.nouns and not verb.barred:
        return
    who = who[1] if who[0] == "from-place" else who
    last = who[-1]
    if who[0] == "story":
        last = ("n", draft.lexicon.data["story"]["nouns"][0])
    word: str | None = str(last[1]) if last[0] == "n" else str(last[-1])
    if draft.stands_for and who == ("one", ("self",)):
        return
    if who in (("one", ("self",)), ("one", ("this-card",))):
        word = draft.type
    elif last[0] in ("it", "him", "them"):  # a pronoun means what fits
        return
    if word is None:  # this card, of a type that nobody told
        return
    known = draft.lexicon.nouns.get(str(word))
    if last[0] == "n" and len(last) == 4 and by_name(last):  # a card of that name, whatever it is
        return
    if known is not None and any(known.test == draft.noun(one).test for one in verb.barred):
        raise Unsaid(f"{verb.do}, of {known.word}")
    if verb.nouns and (known is None or not any(known.test == draft.noun(one).test for one in verb.nouns)):
        raise Unsaid(f"{verb.do}, of what is no {' or '.join(verb.nouns)}")


def by_name(group: Tree) -> bool:
    """Is it spoken of by its name alone?"""
    return len(group[2]) == 1 and len(group[3]) == 2 and group[3][1][0] == "called"


def never_done(draft: Draft, do: str, word: str) -> None:
    """Is that deed one that is never done to such a thing, however it is spoken of? Raises Unsaid."""
    known = draft.lexicon.nouns.get(word)
    if known is None:
        return
    for verb in draft.lexicon.verbs.values():
        if verb.do == do and any(known.test == draft.noun(one).test for one in verb.barred):
            raise Unsaid(f"{do}, of {known.word}")


def _by(draft: Draft, verb: Verb, who: Tree, root: str) -> list[str]:
    """Who did it, where the occurrence tells."""
    if not verb.agent:
        raise Unsaid(f"who does it (“{verb.do}”)")
    agent = root + verb.agent
    whose = player.of(draft, who)
    draft.agents.append(agent)
    if whose == ANYBODY:
        return []
    if whose == "next(you)":
        return [f"{agent} != you"]
    return [f"{agent} = {whose}"]


def _role(draft: Draft, verb: Verb, role: str, phrase: list[Tree], root: str) -> list[str]:
    if role == "amount":
        if phrase[0] == ("num", "1"):
            return []
        return _same(draft, phrase[0], root)
    if role.endswith(">="):
        return [f"{root}{role[:-2]} >= {phrase[0]}"]
    if role == "from":
        whose, zone = phrase
        return [on(predicate.of(draft, ("place", whose, zone)), f"{root}card")]
    if role in draft.lexicon.data.get("player-roles", ("who",)):
        whose = player.of(draft, phrase[0])
        return (
            []
            if whose == ANYBODY
            else [f"{root}{role} = {whose}" if whose != "next(you)" else f"{root}{role} != you"]
        )
    if role == "icon":
        return [" or ".join(f"{root}icon = '{word.replace('~', '-')}'" for word in phrase[0][1:])]
    if role in draft.lexicon.data.get("related", {}):
        ref = reference.of(draft, phrase[0]).expression
        test = str(draft.lexicon.data["related"][role])
        return [re.sub(r"\b(it|at)\b", lambda m: ref if m.group() == "it" else f"{root}at", test)]
    said_of(draft, verb, phrase[0])
    implied = draft.lexicon.data.get("implied", {}).get(role)
    tests = of_party(draft, phrase[0], root + role)
    return [test for test in tests if not implied or test != on(draft.noun(implied).test, root + role)]


def _same(draft: Draft, amount: Tree, root: str) -> list[str]:
    return [f"{root}amount = {amount_of(draft, amount)}"]


def of_party(draft: Draft, tree: Tree, expression: str) -> list[str]:
    """What must hold of whom something happened to; it is spoken of from here on. Raises Dead, Unsaid."""
    tests = [on(test, expression) for test in party.of(draft, tree)]
    if expression.startswith("trigger.") and tree[0] not in ("one", "story"):
        group = tree[-1]
        traits = tuple(group_of(draft, group).tests) if group[0] == "n" else ()
        noun = group[1] if group[0] == "n" and not by_name(group) else ""
        draft.mention(Referent(expression, noun, "trigger", traits=traits))
        draft.players.append(f"{expression}.controller")
    return tests


@party("one")
def _one(draft: Draft, ref: Tree) -> list[str]:
    return [f"{SUBJECT} = {reference.of(draft, ref).expression}"]


@party("story")
def _the_story(draft: Draft, story: Tree) -> list[str]:
    return [f"{SUBJECT} = {place_of.of(draft, story)}"]


@predicate("kind")
def _kind(draft: Draft, group: Tree) -> str:
    return all_of(tests_of(draft, group_of(draft, group)))


@party("some")
def _some(draft: Draft, group: Tree) -> list[str]:
    return tests_of(draft, group_of(draft, group))


@party("some-other")
def _some_other(draft: Draft, group: Tree) -> list[str]:
    return [
        *tests_of(draft, group_of(draft, group)),
        f"{SUBJECT} != {other_than(draft, draft.noun(group[1]))}",
    ]


@party("some-of")
def _some_of(draft: Draft, whose: Tree, group: Tree) -> list[str]:
    return [*tests_of(draft, group_of(draft, group)), of_player(player.of(draft, whose), "controller")]


@party("self-or")
def _self_or(draft: Draft, group: Tree) -> list[str]:
    return tests_of(draft, group_of(draft, group))


def aimed_at(draft: Draft, tree: Tree) -> str:
    """Was one of these chosen for the effect? Raises Unsaid."""
    role = draft.lexicon.data.get("aimed")
    if role is None:
        raise Unsaid("what an effect targets")
    if tree[0] == "one":
        return f"{reference.of(draft, tree[1]).expression} in trigger.{role}"
    if tree[0] not in ("some", "some-of"):
        raise Unsaid("what an effect targets, told in this way")
    group = group_of(draft, tree[-1])
    if group.zone or group.noun.place:
        raise Unsaid("what an effect targets out of play")
    if tree[0] == "some-of":
        group = group.also(of_player(player.of(draft, tree[1]), "controller"))
    return f"any({filter_of(draft, group.also(f'{SUBJECT} in trigger.{role}'), called='c')})"


# --- what an ability answers


def answered(draft: Draft, tree: Tree) -> dict[str, Any]:
    """`at`, `of`, `if` of a triggered ability: `(after EVENT)`, `(when EVENT)`, `(would EVENT)`. Raises Dead,
    Unsaid.
    """
    head, event, *rest = tree
    if head == "initiates":
        return _initiated(draft, event)
    if head in ("after-while", "when-while"):  # `after you win a challenge in which you control ..`
        answers = answered(draft, (head.removesuffix("-while"), event))
        draft.tests.append(condition.of(draft, rest[0]))
        return answers
    if head in ("after-during", "when-during"):  # `during a challenge in which you control ..`
        answers = answered(draft, (head.removesuffix("-during"), event, rest[0]))
        draft.tests.append(condition.of(draft, rest[1]))
        return answers
    turn = rest if head == "when-on" else []
    draft.tests += [draft.lexicon.phrase("times", time) for time in rest if not turn]
    if event[0] == "aims":
        draft.tests += [one for one in _by_whom(player.of(draft, event[1])) if one]
        draft.tests.append(aimed_at(draft, event[2]))
        draft.players.append("trigger.by")
        return {"at": head, "of": draft.lexicon.data["aims"]}
    if event[0] == "triggers":
        draft.tests += of_party(draft, event[1], "trigger.source")
        return {"at": head, "of": draft.lexicon.data["aims"]}
    if event[0] == "moment":
        entry: Mapping[str, Any] = draft.lexicon.entry("moments", event[1])
        draft.tests += [entry["if"]] if "if" in entry else []
        draft.players += [entry["player"]] if "player" in entry else []
        return {"at": head, "of": entry["of"]}
    by: list[str] = []
    if event[0] == "through":
        event, *by = event[1:]
    found = told(draft, event, "trigger.")
    draft.tests += [test for test in found.tests if test]
    draft.tests += [test for one in by for test in brought_about(draft, found.kind, one, "trigger.")]
    if turn:  # `whenever a unit dies on an opponent's turn`
        draft.tests.append(condition.of(draft, ("turn-of", turn[0])))
        draft.players.append("active")
        head = "when"
    return {"at": head, "of": found.kind}


def _initiated(draft: Draft, tree: Tree) -> dict[str, Any]:
    """`when the effects of an opponent's event would initiate`. Raises Dead, Unsaid."""
    of, role = draft.lexicon.data["cancellable"]["effect"]
    source = f"trigger.{role}"
    draft.tests.append(str(draft.lexicon.data["effect-test"]))
    head, *parts = tree
    if head == "headed":
        draft.tests.append(f"trigger.ability-kind = '{draft.lexicon.entry('headings', parts[0])['kind']}'")
    elif head == "abilities":
        whose, kinds = parts
        draft.tests += _by_whom(player.of(draft, whose))
        either = [draft.noun(word).test for word in kinds[1:]]
        if not all(either):
            raise Dead
        draft.tests.append(bracketed(" or ".join(on(test, source) for test in either)))
    else:
        (told_of,) = parts
        if told_of[0] == "some-of":
            draft.tests += _by_whom(player.of(draft, told_of[1]))
            told_of = ("some", told_of[2])
        draft.tests += of_party(draft, told_of, source)
    draft.players.append("trigger.by")
    return {"at": "would", "of": of}


def _by_whom(whose: str) -> list[str]:
    if whose in (ANYBODY, EVERYBODY):
        return []
    return ["trigger.by != you" if whose == "next(you)" else f"trigger.by = {whose}"]


def brought_about(draft: Draft, kind: str, by: str, root: str) -> list[str]:
    """By what an occurrence comes about: an effect of a card, one that was triggered."""
    role = draft.lexicon.data.get("effects-tell")
    kinds = kind.split(" or ")
    if role is None or any(role not in draft.lexicon.system.occurrences.get(one, ()) for one in kinds):
        raise Unsaid(f"by what it happens (“{kind}”)")
    tests = [f"{root}{role} != nothing"]
    return [*tests, f"{root}{role} != '{draft.lexicon.data['unheaded']}'"] if by == "triggered" else tests


_OF_TRIGGER = re.compile(r"(?<![\w.-])trigger\.([a-z-]+)")


def kept(delayed: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A later effect in which what triggers this ability bears a name, for then something else triggers; the names."""
    told = json.dumps(delayed)
    if re.search(r"trigger\.[a-z-]+\.(?:controller|owner)", told):
        raise Unsaid("which player a later effect means")
    roles = dict.fromkeys(_OF_TRIGGER.findall(told))
    named = _OF_TRIGGER.sub(lambda m: f"the-{m[1]}", told)
    return json.loads(named), {f"the-{role}": f"trigger.{role}" for role in roles}


def opposite(test: str) -> str:
    return negated(test)
