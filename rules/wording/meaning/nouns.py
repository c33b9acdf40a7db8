"""Noun phrases: who is spoken of, and what must hold of them.

A condition on a card is written with `§` for the card; `on` puts in its place whatever the card is there: the card of
a filter, a role of what happened, `this`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, Noun, zones_of
from rules.wording.meaning.draft import Dead, Draft, Meanings, Unsaid
from rules.wording.meaning.references import (
    ANYBODY,
    EVERYBODY,
    is_story,
    place_of,
    player,
    plural_of,
    reference,
    story_fact,
)

predicate: Meanings[str] = Meanings("quality")
ANYWHERE = "anywhere"  # a group that is not asked where it is


@dataclass(frozen=True, slots=True)
class Group:
    """The cards that a noun group means."""

    noun: Noun
    tests: tuple[str, ...]
    zone: str = ""  # where they are, when not in play
    word: str = ""
    apiece: bool = False  # one for each player is meant, of his own
    below: str = ""  # the noun of what it lies on

    def also(self, *tests: str) -> "Group":
        return replace(self, tests=(*self.tests, *(test for test in tests if test)))

    @property
    def owned(self) -> bool:
        """Does it say whose they are?"""
        return any(f"{SUBJECT}.controller" in test or f"{SUBJECT}.owner" in test for test in self.tests)


def bracketed(test: str) -> str:
    """A condition as one of several that must hold."""
    depth = 0
    for i, sign in enumerate(test):
        depth += (sign == "(") - (sign == ")")
        if not depth and test[i : i + 4] == " or ":
            return f"({test})"
    return test


def all_of(tests: Sequence[str]) -> str:
    known = [test for test in dict.fromkeys(tests) if test]
    return known[0] if len(known) == 1 else " and ".join(bracketed(test) for test in known)


def conjuncts(text: str) -> list[str]:
    """What a condition asks for, one by one."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, sign in enumerate(text):
        quoted ^= sign == "'"
        depth += (sign == "(") - (sign == ")")
        if not depth and not quoted and text[i : i + 5] == " and ":
            parts.append(text[start:i])
            start = i + 5
    parts.append(text[start:])
    if len(parts) == 1 and re.search(r" or ", text) and not text.startswith("("):
        return [text]
    return parts


def negated(test: str) -> str:
    """Its opposite, in the plainest words."""
    if " and " not in test and " or " not in test:
        for yes, no in ((" = ", " != "), (" != ", " = ")):
            if test.count(yes) == 1 and "(" not in test:
                return test.replace(yes, no)
        if test.startswith("not "):
            return test[4:]
        if re.fullmatch(r"[\w.§-]+", test):
            return f"not {test}"
        if test.startswith("any(") and test.endswith(")"):
            return "none(" + test[4:]
    return f"not ({test})"


def on(test: str, subject: str) -> str:
    """A condition, of that card."""
    return test.replace(SUBJECT, subject)


def filter_of(draft: Draft, group: Group, called: str = "") -> str:
    """A group as a filter of the data language; `called`: what one of them is called in it."""
    head, tests = _head(draft, group)
    if called:
        return f"{head} as {called} where {all_of([on(test, called) for test in tests])}"
    if not tests:
        return head
    if any(re.search(rf"\b(?:any|none|count|sum|least|most)\([^)]*{SUBJECT}", test) for test in tests):
        return f"{head} as c where {all_of([on(test, 'c') for test in tests])}"
    return f"{head} where {all_of([_inside(test) for test in tests])}"


def _inside(test: str) -> str:
    """In a filter a bare fact is the filtered card's."""
    test = re.sub(rf"printed\({SUBJECT}\.", "printed(it.", test)
    return test.replace(f"{SUBJECT}.", "").replace(SUBJECT, "it")


SOMEBODYS = f"{SUBJECT}.controller != nothing"  # nobody controls some of what is in play


def _head(draft: Draft, group: Group) -> tuple[str, list[str]]:
    noun = group.noun
    whole = draft.lexicon.data["everything"]
    theirs = [SOMEBODYS] if f"{SUBJECT}.controller != you" in group.tests else []
    if not group.zone and not noun.place and noun.noun:
        return noun.noun, [*group.tests, *(theirs if noun.noun == whole else [])]
    if not group.zone and noun.place:
        return noun.noun or "card", [*([] if noun.noun else [noun.test]), *group.tests]
    if not group.zone:
        return whole, [noun.test, *group.tests, *theirs]
    where = "" if group.zone == ANYWHERE else zone_test(group.zone)
    return "card", [test for test in (where, noun.test, *group.tests) if test]


def zone_test(zones: str) -> str:
    """Where a card is, of one zone or of several apart by bars."""
    return " or ".join(f"{SUBJECT}.zone = '{zone}'" for zone in zones.split("|"))


def tests_of(draft: Draft, group: Group, *, placed: bool = False) -> list[str]:
    """All that must hold of a card to be one of a group; `placed`: also that it is in play."""
    zone = group.zone or group.noun.place
    tests = [group.noun.test, *group.tests]
    if group.zone and not placed:
        tests.append(zone_test(group.zone))
    if placed:
        tests.append(f"{SUBJECT}.zone = '{zone or draft.lexicon.data.get('play', 'play')}'")
    return [test for test in dict.fromkeys(tests) if test]


def group_of(draft: Draft, tree: Tree) -> Group:
    """A noun group `(n HEAD ADJECTIVES MODIFIERS)`. Raises Dead, Unsaid."""
    _, head, adjectives, posts = tree
    group = Group(draft.noun(head), (), word=head)
    for adjective in adjectives[1:]:
        group = group.also(predicate.of(draft, adjective))
    for post in posts[1:]:
        if post[0] == "controlled" and {"resource-on", "on-one"} & {one[0] for one in posts[1:]}:
            raise Dead  # `a resource from a domain you control`: what is said last is said of the domain
        if post[0] == "place":
            group = in_place(draft, group, post[1], post[2])
        elif post[0] == "resource-on":
            group = _attached_as_resource(draft, group, post[1])
        elif post[0] == "happened":
            group = _with_past(draft, group, *post[1:])
        elif post[0] == "extreme-among":
            if post is not posts[-1]:
                raise Dead  # what follows is said of those among which it is
            group = _extreme_among(draft, group, *post[1:])
        elif post[0] == "extreme":
            group = _extreme(draft, group, post[1], post[2], alone=len(adjectives) + len(posts) == 3)
        elif post[0] != "in-play":
            if group.zone and post[0] in ("at", "at-some", "committed"):
                raise Dead  # what is not in play is committed nowhere
            group = group.also(predicate.of(draft, post))
        elif group.noun.place:
            raise Dead
    _coherent(draft, group, adjectives)
    return group


def _extreme(draft: Draft, group: Group, least: str, stat: str, *, alone: bool) -> Group:
    """Those with the lowest, or the highest, of a number: of all such cards in play; among which others is not said."""
    if not alone or not group.noun.noun:
        raise Unsaid("the lowest or highest among some of the cards")
    number = value_of(draft, stat)
    if number == f"printed({number[8:-1]})":
        return group.also(f"{number} = {least}({group.noun.noun} as c : {on(number, 'c')})")
    return group.also(f"{number} = {least}({group.noun.noun} : {number.replace(f'{SUBJECT}.', '')})")


def _extreme_among(draft: Draft, group: Group, least: str, stat: str, others: Tree) -> Group:
    """`with the highest printed cost among unique characters you control`: of those it is one. Raises Dead."""
    among = group_of(draft, others)
    if group.zone or among.zone or group.noun.place or among.noun.place or not among.noun.noun:
        raise Dead
    number = value_of(draft, stat)
    most = (
        f"{least}({filter_of(draft, among, called='k')} : {on(number, 'k')})"
        if among.tests
        else (f"{least}({among.noun.noun} as k : {on(number, 'k')})")
    )
    return group.also(among.noun.test, *among.tests, f"{number} = {most}")


def _with_past(draft: Draft, group: Group, verb: Tree, period: str) -> Group:
    """Those to which that has been done in a period, wherever they are by now. Raises Unsaid."""
    _, key, role, *rest = verb
    known = draft.lexicon.verbs[key]
    if (
        rest
        or known.told
        or known.whose
        or known.also
        or known.fact
        or known.counter
        or not isinstance(role, str)
    ):
        raise Unsaid("what was done before in such a way")
    if group.zone or group.noun.place or not group.noun.test:
        raise Dead
    if (fact := draft.lexicon.data.get("past", {}).get(known.do)) is not None:
        if fact["within"] != period:
            raise Unsaid("what was done before the present part of the turn")
        return replace(group.also(_ours(fact["if"])), zone=fact["zone"])
    when = "" if period == "turn" else f", '{period}'"
    times = f"happened('{known.do}', {SUBJECT}{when})"  # of a family, with its own condition
    return replace(group.also(f"{times} > 0"), zone=ANYWHERE)


def _coherent(draft: Draft, group: Group, adjectives: Tree) -> None:
    """A fact that has one value cannot have two."""
    words = [a[1] for a in adjectives[1:] if a[0] == "word" and a[1] in draft.lexicon.facts_of]
    if len(words) > 1 or (group.zone and group.noun.place):
        raise Dead
    plain = [a[1] for a in adjectives[1:] if a[0] == "word"] + [group.word]
    if any(f"{one}~{other}" in draft.lexicon.traits for one, other in pairwise(plain)):
        raise Dead  # one word for a quality: `Relic Hunter` is no Hunter that is a Relic


def in_place(draft: Draft, group: Group, whose: Tree, zone: str) -> Group:
    """Cards of a group in somebody's hand, deck, discard pile."""
    if group.zone or group.noun.place:
        raise Dead
    names = zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    name = "|".join(names)
    fact = "owner" if names[0] in draft.lexicon.data["owned-zones"] else "controller"
    who = player.of(draft, whose)
    return replace(group.also(of_player(who, fact)), zone=name, apiece=who == EVERYBODY)


def _attached_as_resource(draft: Draft, group: Group, host: Tree) -> Group:
    """Cards of a group that are resources of some domain."""
    bearer = draft.lexicon.data.get("bearer")
    below = group_of(draft, host[-1])
    apart = draft.lexicon.data.get("apart", ())
    if bearer is None or group.zone or not any(below.noun.test == draft.noun(one).test for one in apart):
        raise Dead
    if host[0] == "some-of":
        below = below.also(of_player(player.of(draft, host[1]), "controller"))
    if below.noun.word not in bearer["nouns"]:
        raise Dead
    fact = f"{SUBJECT}.{draft.lexicon.data['host'].removeprefix('it.')}"
    group = replace(group.also(*[on(test, fact) for test in below.tests]), below=below.word)
    return group if group.noun.place else replace(group, zone=bearer["zone"])


def of_player(who: str, fact: str) -> str:
    if who in (ANYBODY, EVERYBODY):
        return ""
    if who == "next(you)":
        return f"{SUBJECT}.{fact} != you"
    return f"{SUBJECT}.{fact} = {who}"


# --- conditions on a card


@predicate("word")
def _word(draft: Draft, word: str) -> str:
    return draft.lexicon.traits[word]


@predicate("not")
def _not(draft: Draft, inner: Tree) -> str:
    return negated(predicate.of(draft, inner))


@predicate("or", "both")
def _or(draft: Draft, *inner: Tree) -> str:
    return " or ".join(bracketed_and(predicate.of(draft, one)) for one in inner)


def bracketed_and(test: str) -> str:
    return f"({test})" if " and " in test and not test.startswith(("any(", "none(", "not (")) else test


@predicate("all")
def _all(draft: Draft, *inner: Tree) -> str:
    return all_of([predicate.of(draft, one) for one in inner])


@predicate("controlled", "had")
def _controlled(draft: Draft, who: Tree) -> str:
    return of_player(player.of(draft, who), "controller")


@predicate("owned")
def _owned(draft: Draft, who: Tree) -> str:
    return of_player(player.of(draft, who), "owner")


@predicate("in-play")
def _in_play(draft: Draft) -> str:
    return f"{SUBJECT}.zone = 'play'"


@predicate("place")
def _place(draft: Draft, whose: Tree, zone: str) -> str:
    names = zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    fact = "owner" if names[0] in draft.lexicon.data["owned-zones"] else "controller"
    return all_of([zone_test("|".join(names)), of_player(player.of(draft, whose), fact)])


@predicate("committed")
def _committed(draft: Draft) -> str:
    return f"{SUBJECT}.{story_fact(draft)} != nothing"


@predicate("alone")
def _alone(draft: Draft) -> str:
    """No other character of its controller is committed to the same story."""
    fact = story_fact(draft)
    others = f"c.{fact} = {SUBJECT}.{fact} and c.controller = {SUBJECT}.controller and c != {SUBJECT}"
    noun = draft.lexicon.data["story"]["who"]
    return f"{SUBJECT}.{fact} != nothing and none({noun} as c where {others})"


@predicate("alone-of")
def _alone_of(draft: Draft, sort: Tree, head: str) -> str:
    """`the only defending character committed to a story`: it is one, and no other of them is there. Raises Dead."""
    fact, noun = story_fact(draft), draft.noun(head)
    if noun.noun != draft.lexicon.data["story"]["who"]:
        raise Dead
    own = predicate.of(draft, sort)
    others = f"c.{fact} = {SUBJECT}.{fact} and {bracketed(on(own, 'c'))} and c != {SUBJECT}"
    return all_of([f"{SUBJECT}.{fact} != nothing", own, f"none({noun.noun} as c where {others})"])


@predicate("committed-only")
def _committed_only(draft: Draft) -> str:
    """No other character of its controller is committed anywhere."""
    fact, noun = story_fact(draft), draft.lexicon.data["story"]["who"]
    others = f"c != {SUBJECT} and c.controller = you and c.{fact} != nothing"
    return f"{SUBJECT}.{fact} != nothing and none({noun} as c where {others})"


@predicate("at-another")
def _at_another(draft: Draft) -> str:
    """`committed to any other story`, in the text of a story. Raises Dead."""
    if draft.type not in draft.lexicon.data["story"]["nouns"]:
        raise Dead
    return f"{SUBJECT}.{story_fact(draft)} != nothing and {SUBJECT}.{story_fact(draft)} != this"


@predicate("not-chosen")
def _not_chosen(draft: Draft) -> str:
    """Of those among which each player chose. Raises Dead."""
    if "chosen" not in [one.expression for one in draft.memory]:
        raise Dead
    return f"not ({SUBJECT} in chosen)"


@predicate("at-those")
def _at_those(draft: Draft, head: str) -> str:
    """`committed to those stories`: of several that were chosen. Raises Dead."""
    if not is_story(draft, head) or (
        draft.answers and draft.kind in draft.lexicon.data["story"].get("later", ())
    ):
        raise Dead
    return f"{SUBJECT}.{story_fact(draft)} in {plural_of(draft, ('those', head)).expression}"


@predicate("subtype-named")
def _subtype_named(draft: Draft) -> str:
    """`with that subtype`: the one that was named. Raises Dead."""
    words = draft.lexicon.data["named-subtype"]
    if draft.choose.get("option") != {"from": words["from"]}:
        raise Dead
    return f"{SUBJECT}.{words['fact']} has option"


@predicate("at")
def _at(draft: Draft, story: Tree) -> str:
    where = place_of.of(draft, story)
    words = draft.lexicon.data["story"]
    if where in ("this", "trigger.at") and draft.answers == words["won"]:
        return f"{SUBJECT}.{words['stood']} = {where}"  # winning it has uncommitted them
    if draft.answers and draft.kind in words.get("later", ()):
        return _at_or_stood_at(where, story_fact(draft), words["stood"])
    at = f"{SUBJECT}.{story_fact(draft)} = {where}"
    # two that are committed nowhere are at no story together
    return f"{at} and {where} != nothing" if where.endswith(f".{story_fact(draft)}") else at


@predicate("was-at")
def _was_at(draft: Draft, story: Tree) -> str:
    """`that was committed to that story`: told once that is over. Raises Dead."""
    if not draft.answers or draft.kind not in draft.lexicon.data["story"].get("later", ()):
        raise Dead
    return _at(draft, story)


def _at_or_stood_at(where: str, at: str, stood: str) -> str:
    """Committed there, or it was until that was over: what answers it may come when nobody is committed any more."""
    there = f"{SUBJECT}.{at} = {where} or {SUBJECT}.{stood} = {where}"
    if not where.endswith(f".{at}"):
        return there
    then = f"{where.removesuffix(f'.{at}')}.{stood}"
    # two that are committed nowhere are at no story together
    return f"(({there}) and {where} != nothing) or ({SUBJECT}.{stood} = {then} and {then} != nothing)"


def _kin(draft: Draft, ref: Tree, compared: str) -> str:
    """Of the same faction as another card, or of a different one; what has none is of neither."""
    kin = draft.lexicon.data.get("kin")
    if kin is None:
        raise Unsaid("of which faction another card is")
    own = f"{SUBJECT}.{kin['fact']}"
    other = f"{reference.of(draft, ref).expression}.{kin['fact']}"
    return f"{own} {compared} {other} and {own} != '{kin['none']}' and {own} != nothing"


@predicate("kin")
def _same_kin(draft: Draft, ref: Tree) -> str:
    return _kin(draft, ref, "=")


@predicate("kin-not")
def _other_kin(draft: Draft, ref: Tree) -> str:
    return _kin(draft, ref, "!=")


@predicate("kin-last")
def _kin_last(draft: Draft) -> str:
    """`from the same faction`: as the card that was just spoken of. Raises Dead."""
    single = [one for one in draft.memory if not one.plural]
    if not single or single[-1].origin not in ("choice", "trigger"):
        raise Dead
    return _kin(draft, ("it",), "=")


@predicate("participating")
def _participating(draft: Draft) -> str:
    """At the story of what is spoken of."""
    if "at" not in draft.lexicon.system.occurrences.get(draft.answers, ()):
        raise Dead
    return f"{SUBJECT}.{story_fact(draft)} = trigger.at"


@predicate("at-some")
def _at_some(draft: Draft, group: Tree) -> str:
    fact = story_fact(draft)
    if group == ("n", draft.lexicon.data["story"]["nouns"][0], ("list",), ("list",)):
        raise Dead  # `committed to a story` says no more than `committed`
    return all_of([f"{SUBJECT}.{fact} != nothing", *_under(draft, group, f"{SUBJECT}.{fact}")])


@predicate("on")
def _on(draft: Draft, ref: Tree) -> str:
    return f"{draft.lexicon.data['host'].replace('it', SUBJECT, 1)} = {reference.of(draft, ref).expression}"


@predicate("on-one")
def _on_one(draft: Draft, group: Tree) -> str:
    """Attached to one of those: in play, and no resource."""
    below = group_of(draft, group)
    apart = draft.lexicon.data.get("apart", ())
    if below.zone or below.noun.place or any(below.noun.test == draft.noun(one).test for one in apart):
        raise Dead
    return _on_some(draft, group)


@predicate("on-some")
def _on_some(draft: Draft, group: Tree) -> str:
    host = draft.lexicon.data["host"].replace("it", SUBJECT, 1)
    return all_of([f"{host} != nothing", *_under(draft, group, host)])


def _under(draft: Draft, group: Tree, subject: str) -> list[str]:
    return [on(test, subject) for test in tests_of(draft, group_of(draft, group))]


@predicate("bears")
def _bears(draft: Draft, group: Tree) -> str:
    host = draft.lexicon.data["host"].removeprefix("it.")
    whole = draft.lexicon.data["everything"]
    tests = [on(test, "a") for test in tests_of(draft, group_of(draft, group))]
    return f"any({whole} as a where {all_of([f'a.{host} = {SUBJECT}', *tests])})"


@predicate("measure-over")
def _measure_over(draft: Draft, what: str, number: str) -> str:
    return f"{measure_of(draft, what)} > {number}"


@predicate("bears-a")
def _bears_a(draft: Draft, group: Tree) -> str:
    """`a character with a Weapon attachment`: of what lies on other cards. Raises Dead."""
    if group[1] not in draft.lexicon.data.get("lying", ()):
        raise Dead
    return _bears(draft, group)


@predicate("shares")
def _shares(draft: Draft, fact: str, ref: Tree) -> str:
    """`that shares a Trait with him`: one or more of them."""
    return f"{SUBJECT}.{fact} has {reference.of(draft, ref).expression}.{fact}"


@predicate("but")
def _but(draft: Draft, ref: Tree) -> str:
    return f"{SUBJECT} != {reference.of(draft, ref).expression}"


@predicate("called-alike")
def _called_alike(draft: Draft) -> str:
    return f"{SUBJECT}.name = this.name"


@predicate("called")
def _called(draft: Draft, name: str) -> str:
    return f"{SUBJECT}.name = '{draft.lexicon.names[name]}'"


@predicate("called-as")
def _called_as(draft: Draft, head: str) -> str:
    return f"{SUBJECT}.name = {reference.of(draft, ('that', head)).expression}.name"


@predicate("icons-listed")
def _icons_listed(draft: Draft, number: str, row: Tree) -> str:
    """`at least 2 [Terror] [Terror] icons`: so many of them, shown as well. Raises Dead."""
    if len(set(row[1:])) != 1 or len(row) - 1 != int(number):
        raise Dead
    return f"{SUBJECT}.{draft.lexicon.icons[row[1].replace('~', ' ')]['stat']} >= {number}"


@predicate("side-most")
def _side_most(draft: Draft, who: Tree, what: str, number: str) -> str:
    return f"{_on_side(draft, who, what)} <= {number}"


@predicate("side-least")
def _side_least(draft: Draft, who: Tree, what: str, number: str) -> str:
    return f"{_on_side(draft, who, what)} >= {number}"


def _on_side(draft: Draft, who: Tree, what: str) -> str:
    """How many tokens of a player lie on his side of a story. Raises Dead, Unsaid."""
    words = draft.lexicon.data.get("story", {})
    whose = player.of(draft, who)
    if what.replace("~", " ") not in words.get("tokens", ()):
        raise Dead
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("tokens of each player")
    first, second = words["sides"]
    return f"if({whose}.seat = 1, {SUBJECT}.{first}, {SUBJECT}.{second})"


@predicate("measure-most")
def _measure_most(draft: Draft, what: str, number: str) -> str:
    return f"{measure_of(draft, what)} <= {number}"


@predicate("measure")
def _measure(draft: Draft, what: str, number: str) -> str:
    return f"{measure_of(draft, what)} >= {number}"


@predicate("measure-x")
def _measure_x(draft: Draft, what: str) -> str:
    """`has X or more tokens on it`."""
    return f"{measure_of(draft, what)} >= {the_x(draft)}"


@predicate("at-where")
def _at_where(draft: Draft, which: Tree) -> str:
    """Committed to a story of which something holds."""
    story = f"{SUBJECT}.{story_fact(draft)}"
    return all_of([f"{story} != nothing", on(predicate.of(draft, which), story)])


@predicate("attached")
def _attached(draft: Draft, sign: str, number: str, group: Tree) -> str:
    """So many of them lie there."""
    found = group_of(draft, group)
    if not found.noun.place or found.noun.word not in draft.lexicon.data.get("laid", ()):
        raise Dead
    host = draft.lexicon.data["host"].removeprefix("it.")
    tests = [on(test, "a") for test in found.tests]
    signs = {"at-least": ">=", "at-most": "<=", "under": "<", "just": "="}
    return f"count({found.noun.noun} as a where {all_of([f'a.{host} = {SUBJECT}', *tests])}) {signs[sign]} {number}"


@predicate("bearing")
def _bearing(draft: Draft) -> str:
    """To which this card is attached, where that is: as a resource it does what it does there."""
    noun = draft.lexicon.data["bearer"]
    draft.zones.append(noun["zone"])
    return f"{SUBJECT} = this.{draft.lexicon.data['host'].removeprefix('it.')}"


@predicate("bearing-of")
def _bearing_of(draft: Draft, ref: Tree) -> str:
    return (
        f"{SUBJECT} = {reference.of(draft, ref).expression}.{draft.lexicon.data['host'].removeprefix('it.')}"
    )


def measure_of(draft: Draft, what: str) -> str:
    """A count on a card, of `§`."""
    return _ours(str(draft.lexicon.entry("measures", what)))


def _ours(test: str) -> str:
    return re.sub(r"\bit\b", SUBJECT, test)


def value_of(draft: Draft, stat: str) -> str:
    """A number of a card, of `§`."""
    return _ours(str(draft.lexicon.stats[stat.replace("~", " ")]["value"]))


def _by_amount(sign: str) -> Callable[[Draft, str, Tree], str]:
    return lambda draft, stat, amount: f"{value_of(draft, stat)} {sign} {amount_of(draft, amount)}"


def _by_card(sign: str) -> Callable[[Draft, str, Tree], str]:
    def compared(draft: Draft, stat: str, ref: Tree, other: str = "") -> str:
        than = on(value_of(draft, other or stat), reference.of(draft, ref).expression)
        return f"{value_of(draft, stat)} {sign} {than}"

    return compared


predicate("at-most")(_by_amount("<="))
predicate("at-least")(_by_amount(">="))
predicate("exactly")(_by_amount("="))
predicate("under")(_by_amount("<"))
predicate("over")(_by_amount(">"))
predicate("below", "below-of")(_by_card("<"))
predicate("above")(_by_card(">"))
predicate("at-most-of")(_by_card("<="))
predicate("at-least-of")(_by_card(">="))


# --- amounts


def amount_of(draft: Draft, tree: Tree, most: str = "") -> str:
    """An amount as an expression; `most`: what an X can be that one chooses when one pays. Raises Unsaid."""
    head, *parts = tree
    if head == "num":
        return str(parts[0])
    if head == "x":
        return the_x(draft, most)
    if head == "icons-of":
        icon = draft.lexicon.icons[parts[0].replace("~", " ")]["stat"]
        return f"{reference.of(draft, parts[1]).expression}.{icon}"
    if head == "times":
        each = count_of(draft, parts[1])
        return each if parts[0] == "1" else f"{parts[0]} * {each}"
    if head == "num-if":
        from rules.wording.meaning.events import condition

        return f"if({condition.of(draft, parts[0])}, {parts[1]}, {parts[2]})"
    raise Unsaid(f"the amount “{head}”")


def the_x(draft: Draft, most: str = "") -> str:
    """What X is: as the text says, what one chooses to pay, else what was paid for an event that costs X. Raises
    Unsaid.
    """
    draft.uses_x = True
    if not draft.x and draft.paying and most and "cost" not in draft.card.xs:
        draft.choose = {"x": {"from": f"range(0, {most})"}, **draft.choose}
        draft.x = "x"
    if not draft.x:
        costs = draft.lexicon.data.get("costs-x", {})
        if "cost" not in draft.card.xs or draft.type not in costs:
            raise Unsaid("an X that the text doesn’t define")
        draft.choose = {"x": {"from": costs[draft.type]}, **draft.choose}
        draft.x = "x"
    return draft.x


def _total(draft: Draft, tree: Tree) -> str:
    """All cards of somebody's hand, all stories he has won: a number that the system keeps."""
    _, head, adjectives, posts = tree
    if len(adjectives) > 1 or len(posts) != 2 or posts[1][0] != "place":
        return ""
    zones = zones_of(draft.lexicon.data["zones"][posts[1][2].replace("~", " ")])
    pile = draft.lexicon.data.get("piles", {}).get(zones[0], {})
    if len(zones) > 1 or head not in [word.replace(" ", "~") for word in pile.get("of", ())]:
        return ""
    who = player.of(draft, posts[1][1])
    return "" if who in (ANYBODY, EVERYBODY) else f"{who}.{pile['total']}"


def all_named(draft: Draft, group: Group) -> None:
    """Can a group be counted: where a pile is told by a number, not all of its cards are there. Raises Unsaid."""
    piles = draft.lexicon.data.get("piles", ())
    if any(zone in piles for zone in group.zone.split("|")):
        raise Unsaid("the number of cards that a scenario may leave unnamed")


def count_of(draft: Draft, tree: Tree) -> str:
    """How many there are of a group: `(count N)`, without this card `(count-other N)`; of tokens on it
    `(measured M)`.
    """
    if tree[0] == "icons-printed":
        one = reference.of(draft, tree[1]).expression
        return (
            "(" + " + ".join(f"printed({one}.{icon['stat']})" for icon in draft.lexicon.icons.values()) + ")"
        )
    if tree[0] == "measured-on":
        return on(measure_of(draft, tree[1]), reference.of(draft, tree[2]).expression)
    if tree[0] == "measured-among":
        return _summed(draft, *tree[1:])
    if tree[0] == "measured-own":
        return measure_of(draft, tree[1])  # on whichever card it is
    if tree[0] == "capped":
        return f"min({tree[2]}, {count_of(draft, tree[1])})"
    if tree[0] == "borne-own":
        return _borne_count(draft, tree[1])
    if tree[0] == "icons-own":
        return f"{SUBJECT}.{draft.lexicon.icons[tree[1].replace('~', ' ')]['stat']}"
    if tree[0] == "measured":
        return on(measure_of(draft, tree[1]), reference.of(draft, ("it",)).expression)
    if tree[0] != "count-of" and (total := _total(draft, tree[1])):
        return total
    group = group_of(draft, tree[-1])
    if tree[0] == "count-of":  # `for each opponent's ..`
        group = group.also(of_player(player.of(draft, tree[1]), "controller"))
    all_named(draft, group)
    if tree[0] == "count-other":
        group = group.also(f"{SUBJECT} != {other_than(draft, group.noun)}")
    found = filter_of(draft, group)
    if " as " not in found and re.search(
        r"\bit\b", found
    ):  # it may be counted for each card of another filter
        found = filter_of(draft, group, called="c")
    return f"count({found})"


def _borne_count(draft: Draft, group: Tree) -> str:
    """`for each attachment it has`: that lies on `§`. Raises Dead."""
    host = draft.lexicon.data["host"].removeprefix("it.")
    lying = group_of(draft, group)
    if lying.zone or lying.noun.place:
        raise Dead
    return f"count({filter_of(draft, lying.also(f'{SUBJECT}.{host} = ¤'), called='a')})".replace("¤", SUBJECT)


def _summed(draft: Draft, what: str, whose: Tree, group: Tree) -> str:
    """All of them together: `for each rune on their units`."""
    own = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return f"sum({filter_of(draft, own, called='c')} : {on(measure_of(draft, what), 'c')})"


def other_than(draft: Draft, noun: Noun) -> str:
    """Than which card the others are: this one, or where this is no such card, the one that it is attached to."""
    hosts = [one.expression for one in draft.memory if one.origin == "host"]
    is_one = draft.type is None or not noun.test or f"'{draft.type}'" in noun.test or not noun.noun
    return hosts[-1] if hosts and not is_one else "this"


@predicate("same-controller")
def _same_controller(draft: Draft) -> str:
    """As of the card just spoken of."""
    known = [one for one in draft.memory if not one.plural and one.origin in ("choice", "trigger")]
    if not known:
        raise Dead
    return f"{SUBJECT}.controller = {known[-1].expression}.controller"
