"""What somebody may do, or has to choose among."""

from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import Noun
from rules.wording.meaning.deeds import done
from rules.wording.meaning.draft import Dead, Draft, Unsaid
from rules.wording.meaning.effects import act, block, choose_player, must_choose, not_aimed
from rules.wording.meaning.events import condition
from rules.wording.meaning.nouns import Group, all_of, amount_of, group_of, on, tests_of, value_of
from rules.wording.meaning.objects import PICKS, Steps, chosen, object_of
from rules.wording.meaning.references import ANYBODY, EVERYBODY, is_story, place_of, player, reference
from rules.wording.meaning.spans import changed


@act("one-of")
def _one_of(draft: Draft, subject: Tree, ways: Tree, until: str) -> Steps:
    return _one_of_pick(draft, subject, ways, until)


@act("lasting-and-one-of")
def _lasting_and_one_of(draft: Draft, subject: Tree, changes: Tree, ways: Tree, until: str) -> Steps:
    """`gets +1 STR and gains an icon of your choice`: the one, and one of the others."""
    if subject[0] != "one":
        raise Unsaid("one choice made for several cards")
    lasting = act.of(draft, ("lasting", subject, changes, until))
    return [*lasting, *_one_of(draft, subject, ways, until)]


def _told_apart(*ways: Steps) -> dict[str, Steps]:
    """Ways to go on, by what is done; a player who tells which one it was names it so."""
    labels = [_deed(one) for one in ways]
    if "" in labels or len(set(labels)) < len(labels):
        labels = ["the first", "the second", "the third"][: len(ways)]
    return dict(zip(labels, ways, strict=True))


def _deed(steps: Steps) -> str:
    """What the steps do first, in two or three words; empty where that cannot be said."""
    for step in steps:
        amount = step.get("amount", 1)
        if "do" in step:
            words = str(step["do"]).split("-")
            much = [str(amount)] if isinstance(amount, int) and amount > 1 else []
            return " ".join([words[0], *much, *words[1:]])
        if "pay" in step and isinstance(amount, int):
            return f"pay {amount}"
        if "lasting" in step:
            by = step["lasting"].get("by", 0)
            verb = "lose" if isinstance(by, int) and by < 0 else "gain"
            return f"{verb} {step['lasting']['stat'].replace('-', ' ')}"
        if "then" in step and (found := _deed(step["then"])):
            return found
    return ""


@act("one-of-pick")
def _one_of_pick(draft: Draft, subject: Tree, ways: Tree, until: str) -> Steps:
    """`gains an icon of your choice`: the changes are ways to go on, the one who does it says which."""
    if subject[0] in ("each", "each-other", "each-of"):  # one choice, for all of them
        way = {
            label: act.of(draft, ("lasting", subject, changes, until))
            for label, changes in _ways(draft, ways)
        }
        return [{"one-of": _told_apart(*way.values()) if ways[0] == "ways" else way}]
    if subject[0] not in ("one", "pick", "pick-other", "pick-of"):
        raise Unsaid("one choice made for several cards")
    steps: Steps = []
    target = subject
    if subject[0] != "one":
        before = len(draft.pending)
        object_of.of(draft, subject)
        steps = draft.pending[before:]
        del draft.pending[before:]
        if steps:
            raise Unsaid("a choice within a choice")
        one = draft.memory[-1]
    else:
        one = reference.of(draft, target[1])
    labelled = {
        label: changed(draft, one.expression, one.noun, changes, until)
        for label, changes in _ways(draft, ways)
    }
    return [*steps, {"one-of": _told_apart(*labelled.values()) if ways[0] == "ways" else labelled}]


@act("choose-subtype")
def _choose_subtype(draft: Draft) -> Steps:
    """A player names a subtype: one that can be named."""
    if draft.middle or draft.agent != "you" or "option" in draft.choose:
        raise Unsaid("a subtype that is named during the effect")
    draft.choose["option"] = {"from": draft.lexicon.data["named-subtype"]["from"]}
    return []


@act("lasting-named")
def _lasting_named(draft: Draft, subject: Tree, until: str) -> Steps:
    """`gains a subtype of your choice`."""
    _choose_subtype(draft)
    if subject[0] == "one":
        one = reference.of(draft, subject[1]).expression
    elif subject[0] in ("pick", "pick-other", "pick-of"):
        touched = object_of.of(draft, subject)
        one = touched.expression
        if touched.optional:
            raise Unsaid("a choice within a choice")
    else:
        raise Unsaid("one choice made for several cards")
    fact = draft.lexicon.data["named-subtype"]["fact"]
    return [{"lasting": {"of": one, "stat": fact, "by": "option", "until": until}}]


@act("change-icon-any")
def _change_icon_any(draft: Draft, ref: Tree, old: str, until: str) -> Steps:
    """`change one of its Arcane icons into the icon of your choice`."""
    icons = [word.replace(" ", "~") for word in draft.lexicon.icons]
    new = {word: ("list", word) for word in icons if word != old}
    ways = {
        f"into {word}": act.of(draft, ("change-icon", ref, old, tree, until)) for word, tree in new.items()
    }
    return [{"one-of": ways}]


def _gained(draft: Draft, keyword: str) -> Tree:
    counts = "by" in draft.lexicon.keywords[keyword.replace("~", " ")]
    return ("gifts", ("list", ("keyword-by", keyword, "1") if counts else ("keyword", keyword)))


def _said(change: Tree) -> str:
    """A keyword that is gained or lost, as one of several ways to go on."""
    verb = "gain" if change[0] == "gifts" else "lose"
    return f"{verb} {str(change[1][1][1]).replace('~', ' ')}"


def _ways(draft: Draft, tree: Tree) -> list[tuple[str, Tree]]:
    head, *parts = tree
    if head == "ways-of":
        return [(_said(one), ("list", one)) for one in parts[0][1:]]
    if head == "ways":
        return [
            (label, ("list", one))
            for label, one in zip(("the first", "the second"), parts[0][1:], strict=True)
        ]
    if head == "any-of":
        kinds = [word.replace(" ", "~") for word in draft.lexicon.entry("choosable", parts[0])]
        return [(f"gain {one.replace('~', ' ')}", ("list", _gained(draft, one))) for one in kinds]
    if head == "any-of-lost":
        kinds = [word.replace(" ", "~") for word in draft.lexicon.entry("choosable", parts[0])]
        return [
            (f"lose {one.replace('~', ' ')}", ("list", ("losses", ("list", ("lose-keyword", one)))))
            for one in kinds
        ]
    if head == "either-way":
        return [
            (f"gain {parts[0].replace('~', ' ')}", ("list", _gained(draft, parts[0]))),
            (
                f"lose {parts[0].replace('~', ' ')}",
                ("list", ("losses", ("list", ("lose-keyword", parts[0])))),
            ),
        ]
    if head == "any-of-either":
        return _ways(draft, ("any-of", *parts)) + _ways(draft, ("any-of-lost", *parts))
    icons = [word.replace(" ", "~") for word in draft.lexicon.icons]
    gained = [(f"gain {word}", ("list", ("icons", ("list", word)))) for word in icons]
    lost = [(f"lose {word}", ("list", ("lose-icons", ("list", word)))) for word in icons]
    if head == "struggle-ways":
        return [one for one in gained + lost if one[0].endswith(f" {parts[0]}")]
    return {"any-icon": gained, "any-icon-lost": lost, "any-icon-either": gained + lost}[head]


@act("skip-struggle", "skip-struggle-at")
def _skip_struggle(draft: Draft, place: Tree, until: str) -> Steps:
    """One struggle at a story, which does not resolve there."""
    return _one_struggle(draft, place, -1, until)


@act("more-struggle", "more-struggle-at")
def _more_struggle(draft: Draft, place: Tree, until: str) -> Steps:
    """One struggle at a story, which resolves once more there."""
    return _one_struggle(draft, place, 1, until)


def _one_struggle(draft: Draft, place: Tree, by: int, until: str) -> Steps:
    """Of those that the story has."""
    if place[0] in place_of.heads:
        story = place_of.of(draft, place)
    else:
        one = object_of.of(draft, place)
        if one.optional or one.each or not is_story(draft, one.noun):
            raise Unsaid("a struggle at several stories")
        story = one.expression
    name, noun = draft.name(), draft.noun(draft.lexicon.data["story"]["nouns"][0]).noun
    ways: dict[str, Steps] = {}
    for word, icon in draft.lexicon.icons.items():
        change = {"lasting": {"of": name, "stat": icon["story"], "by": by, "until": until}}
        there = {"choose": {"as": name, "from": f"{noun} where it = {story} and {icon['story']} > 0"}}
        ways[word] = [there, {"if": f"{name} != nothing", "then": [change]}]
    return [{"one-of": ways}]


@act("may-then")
def _may_then(draft: Draft, who: Tree, verb: Tree, steps: Tree) -> Steps:
    offered = _offered(draft, player.of(draft, who), verb)
    draft.middle += 1
    offered[0]["may"] += [{"then": block(draft, steps)}]
    draft.middle -= 1
    return offered


@act("may-pay")
def _may_pay(draft: Draft, who: Tree, number: str, steps: Tree) -> Steps:
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("an option that every player has")
    draft.middle += 1
    paid: Steps = [{"pay": draft.lexicon.data["payment"], "of": whose, "amount": int(number)}]
    offer: dict[str, Any] = {"may": [*paid, {"then": block(draft, steps)}]}
    draft.middle -= 1
    return [offer if whose == "you" else {**offer, "by": whose}]


@act("may")
def _may(draft: Draft, who: Tree, verb: Tree) -> Steps:
    return _offered(draft, player.of(draft, who), verb)


@act("may-chosen")
def _may_chosen(draft: Draft, who: Tree, verb: Tree) -> Steps:
    must_choose(verb)
    return _offered(draft, player.of(draft, who), verb)


def _offered(draft: Draft, who: str, verb: Tree) -> Steps:
    if who == EVERYBODY and not draft.paying and draft.lexicon.data.get("opponents") != "several":
        offers: Steps = []
        for one in ("you", "next(you)"):  # you first
            draft.players.append(one)  # whom `he` means then
            offers += _offered(draft, one, verb)
            draft.players.pop()
        return offers
    if who in (ANYBODY, EVERYBODY):
        raise Unsaid("an option that every player has")
    if draft.card.marked and who == "you" and not draft.middle and verb[-1][1][0] == "pick":
        most = ("up-to", "1", verb[-1][1][1])  # a target is chosen in front, or none
        return done(draft, (*verb[:-1], (verb[-1][0], most)), who)
    draft.middle += 1
    steps = done(draft, verb, who)
    draft.middle -= 1
    offer: dict[str, Any] = {"may": steps}
    return [offer if who == "you" else {**offer, "by": who}]


@act("may-do")
def _may_do(draft: Draft, effect: Tree) -> Steps:
    draft.middle += 1
    steps = act.of(draft, effect)
    draft.middle -= 1
    return [{"may": steps}]


@act("may-do-then")
def _may_do_then(draft: Draft, effect: Tree, steps: Tree) -> Steps:
    draft.middle += 1
    offered = [*act.of(draft, effect), {"then": block(draft, steps)}]
    draft.middle -= 1
    return [{"may": offered}]


@act("steal")
def _steal(draft: Draft, amount: Tree) -> Steps:
    return _steal_from(draft, ("that-player",), amount)


@act("steal-from")
def _steal_from(draft: Draft, who: Tree, amount: Tree) -> Steps:
    """What one loses the other gains, if it was lost."""
    verbs = draft.lexicon.data["steal"]
    number = amount_of(draft, amount)
    much = {} if number == "1" else {"amount": int(number) if number.isdigit() else number}
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("stealing from every player")
    return [
        {"do": verbs["lose"], "who": whose, **much},
        {"then": [{"do": verbs["gain"], "who": "you", **much}]},
    ]


@act("by-kind")
def _by_kind(draft: Draft, key: str, role: str, much: Tree, one: Tree, less: Tree, other: Tree) -> Steps:
    """`deal 3 damage to a unit or 2 damage to a building`: one thing of either kind, as much as its kind says."""
    if (one[0], other[0]) != ("pick", "pick"):
        raise Unsaid("one of two amounts")
    groups = [group_of(draft, tree[1]) for tree in (one, other)]
    tests = [all_of(tests_of(draft, group)) for group in groups]
    either = Group(Noun("", "", f"({tests[0]}) or ({tests[1]})"), ())
    touched = chosen(draft, either)
    if touched.optional:
        raise Unsaid("one of two amounts, chosen during the effect")
    amounts = [amount_of(draft, amount) for amount in (much, less)]
    verb = draft.lexicon.verbs[key]
    first = on(tests[0], touched.expression)
    amount = f"if({first}, {amounts[0]}, {amounts[1]})"
    return [{"do": verb.do, role: touched.expression, **verb.fixed, "amount": amount}]


@act("either")
def _either(draft: Draft, who: Tree, a: Tree, b: Tree) -> Steps:
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("several players choosing at the same time")
    draft.middle += 1
    ways = _told_apart(done(draft, a, whose), done(draft, b, whose))
    draft.middle -= 1
    step: dict[str, Any] = {"one-of": ways}
    return [step if whose == "you" else {**step, "by": whose}]


@act("either-for")
def _either_for(draft: Draft, who: Tree, a: Tree, b: Tree, until: str) -> Steps:
    """Of two deeds the second holds for a while. Raises Dead."""
    verb = draft.lexicon.verbs[b[1]]
    if not verb.until:
        raise Dead
    steps = _either(draft, who, a, b)
    _, held = steps[0]["one-of"].values()
    held[-1][verb.until] = until
    return steps


@act("one-way")
def _one_way(draft: Draft, *sentences: Tree) -> Steps:
    """`either: stand it, or draw a card`: whole effects, one of which is chosen. Raises Unsaid."""
    for one in sentences:
        not_aimed(draft, one)
    draft.middle += 1
    ways = _told_apart(*(block(draft, one) for one in sentences))
    draft.middle -= 1
    return [{"one-of": ways}]


@act("may-instead")
def _may_instead(draft: Draft, what: Tree, verb: Tree, test: Tree) -> Steps:
    """`kneel it. You may kill that character instead if ..`: one or the other then. Raises Dead, Unsaid."""
    *first, last = act.of(draft, what)
    if "do" not in last or "each" in last:
        raise Unsaid("what is done instead of something else")
    draft.middle += 1
    holds = condition.of(draft, test)
    other = act.of(draft, ("act", ("you",), verb))
    draft.middle -= 1
    if len(other) != 1 or other[0].get("card") != last.get("card") or other[0].get("do") == last["do"]:
        raise Dead  # it is done to the same card
    return [*first, {"if": holds, "then": [{"one-of": _told_apart([last], other)}], "else": [last]}]


@act("either-of-able")
def _either_of_able(draft: Draft, first: Tree, second: Tree, thing: Tree) -> Steps:
    return _either_of(draft, first, second, thing, able=True)


@act("either-of")
def _either_of(draft: Draft, first: Tree, second: Tree, thing: Tree, able: bool = False) -> Steps:
    """`ready or restore a character`: it is chosen, then one of the two."""
    if thing[0] not in ("one", "pick", "pick-other", "pick-of"):
        raise Unsaid("one choice made for several cards")
    target, before, name = thing, len(draft.pending), ""
    if thing[0] != "one":
        touched = object_of.of(draft, thing)
        target, name = ("last",), touched.expression if touched.optional else ""
    steps = draft.pending[before:]
    del draft.pending[before:]
    ways = {
        tree[1].split("~")[0]: done(draft, (*tree[:2], (tree[2], target)), "you", able)
        for tree in (first, second)
    }
    offer: Steps = [{"one-of": ways}]
    return [*steps, {"if": f"{name} != nothing", "then": offer} if name else offer[0]]


@act("pay-or")
def _pay_or(draft: Draft, who: Tree, number: str, verb: Tree) -> Steps:
    """`must either pay 2 or sacrifice a character`."""
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("several players choosing at the same time")
    draft.middle += 1
    pay = {"pay": draft.lexicon.data["payment"], "of": whose, "amount": int(number)}
    step: dict[str, Any] = {"one-of": {f"pay {number}": [pay], "the other": done(draft, verb, whose)}}
    draft.middle -= 1
    return [step if whose == "you" else {**step, "by": whose}]


@act("unless-does")
def _unless_does(draft: Draft, what: Tree, who: Tree, verb: Tree) -> Steps:
    """`unless its controller discards a card`: that player's choice."""
    steps = _threatened(draft, what)
    draft.middle += 1
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("“unless any player does it”")
    instead = done(draft, verb, whose)
    draft.middle -= 1
    return [{"one-of": {"do it": instead, "let it happen": steps}, "by": whose}]


def _threatened(draft: Draft, what: Tree) -> Steps:
    """What happens unless somebody does something: chosen first, for then that player knows to what. Raises Unsaid."""
    before = len(draft.pending)
    if what[0] == "befall" and what[1][0] in PICKS and not draft.middle:
        object_of.of(draft, what[1])
        what = ("befall", ("last",), what[2])
    if len(draft.pending) > before:
        raise Unsaid("a choice among cards of which nobody may know")
    draft.middle += 1
    steps = act.of(draft, what)
    draft.middle -= 1
    return steps


@act("choose-player-to")
def _choose_player_to(draft: Draft, who: Tree, verb: Tree) -> Steps:
    choose_player(draft, who)
    return done(draft, verb, draft.players[-1])


@act("unless")
def _unless(draft: Draft, what: Tree, who: Tree, number: str) -> Steps:
    """`unless its controller pays 1`: that player's choice."""
    steps = _threatened(draft, what)
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY):
        raise Unsaid("“unless any player pays”")
    pay = {"pay": draft.lexicon.data["payment"], "of": whose, "amount": int(number)}
    return [{"one-of": {f"pay {number}": [pay], "let it happen": steps}, "by": whose}]


@act("unless-value")
def _unless_value(draft: Draft, what: Tree, who: Tree, stat: str, ref: Tree) -> Steps:
    """`unless its owner pays the printed cost of that character`."""
    value = on(value_of(draft, stat), reference.of(draft, ref).expression)
    offer = _unless(draft, what, who, "0")[0]
    _, happens = offer["one-of"].items()
    paid = {"pay": draft.lexicon.data["payment"], "of": offer["by"], "amount": value}
    return [{**offer, "one-of": {"pay": [paid], happens[0]: happens[1]}}]
