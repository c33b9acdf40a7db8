"""A whole ability: from its tree to an entry of a card, every reading."""

import json
import re
from collections.abc import Mapping
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import Lexicon, zones_of
from rules.wording.meaning import decks, offers, sides, spans, tokens
from rules.wording.meaning.amounts import quantity_of
from rules.wording.meaning.continuous import standing
from rules.wording.meaning.deeds import costs_of
from rules.wording.meaning.draft import Card, Dead, Draft, Referent, Unsaid, ways
from rules.wording.meaning.effects import block
from rules.wording.meaning.events import aimed_at, answered, condition, of_party, party, verb_of
from rules.wording.meaning.nouns import all_of, bracketed, conjuncts, on
from rules.wording.meaning.references import player

HEADS = (decks, offers, sides, spans, tokens)  # modules whose meanings are known by their heads alone
Entry = dict[str, Any]  # keys of a card: abilities, always, cannot, immune, facts


def meanings(lexicon: Lexicon, tree: Tree, card: Card) -> list[Entry]:
    """What an ability's tree can mean, each meaning once. Raises Unsaid, TooMany."""
    found: dict[str, Entry] = {}
    for early in (
        False,
        True,
    ):  # what a condition in front speaks of is known behind it, where nothing else is
        for entry in ways(
            lambda path, early=early: Draft(lexicon, card, path, early=early),  # type: ignore[misc]
            lambda draft: _entry(draft, tree),
        ):
            found.setdefault(canonical(entry), entry)
        if found or tree[0] != "headed" or not any(one[0] == "only" for one in tree[2][1:]):
            break
    return list(found.values())


def canonical(entry: Any) -> str:
    """What two readings have to differ in to be two: not the order in which conditions are told."""
    return json.dumps(_sorted(entry), sort_keys=True)


def _sorted(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {key: _sorted(value) for key, value in entry.items()}
    if isinstance(entry, list):
        return [_sorted(one) for one in entry]
    if isinstance(entry, str) and " and " in entry:
        head, where, tests = (
            entry.partition(" where ") if " where " in entry.split("(")[0] else ("", "", entry)
        )
        parts = conjuncts(tests)
        if all(bracketed(part) == part for part in parts):  # (what is joined by `or` stands in brackets)
            return head + where + " and ".join(sorted(parts))
    return entry


def _entry(draft: Draft, tree: Tree) -> Entry:
    found = _told(draft, tree)
    if draft.lexicon.data.get("opponents") == "several" and "next(you)" in json.dumps(found):
        raise Unsaid("which of several opponents does this")
    found = {**found, **draft.borne}
    return {**found, "makes": draft.tokens} if draft.tokens else found


def _told(draft: Draft, tree: Tree) -> Entry:
    if tree[0] == "headed":
        return {"abilities": [_headed(draft, *tree[1:])]}
    if tree[0] == "headed-either":
        return _headed_either(draft, *tree[1:])
    if tree[0] == "headed-just":
        return {"abilities": [_headed_just(draft, *tree[1:])]}
    if tree[0] == "headed-while":
        return {"abilities": [_headed_while(draft, *tree[1:])]}
    if tree[0] == "cancelling-x":
        return {"abilities": [_cancelling_x(draft, *tree[1:])]}
    if tree[0] == "arrow":
        draft.kind = draft.lexicon.data["arrow"]
        return {"abilities": [_completed(draft, {"kind": draft.kind}, *tree[1:])]}
    if tree[0] == "preventing":
        return {"abilities": [_preventing(draft, *tree[1:])]}
    if tree[0] == "cancelling":
        return {"abilities": [_cancelling(draft, *tree[1:])]}
    if tree[0] == "consequence":
        return {"abilities": [_consequence(draft, *tree[1:])]}
    if tree[0] == "consequence-of":
        return {"abilities": [_consequence_of(draft, *tree[1:])]}
    if tree[0] == "bare":
        return {"abilities": [_bare(draft, *tree[1:])]}
    if draft.type in draft.lexicon.data.get("no-standing", ()) and tree[0] in (
        "standing",
        "barred",
        "barred-player",
        "player-fact",
    ):
        raise Unsaid(f"a continuous ability on a card of type {draft.type}")
    return standing.of(draft, tree)


def occasions(lexicon: Lexicon, heading: str, when: Tree, card: Card) -> list[Entry]:
    """What is known of an ability by its heading, and by what it answers, whatever it does. Raises Unsaid, TooMany."""

    def known(draft: Draft) -> Entry:
        ability = _occasion(draft, heading, when)
        return {**ability, "if": all_of(draft.tests)} if draft.tests else ability

    found = ways(lambda path: Draft(lexicon, card, path), known)
    return list({canonical(entry): entry for entry in found}.values())


def _headed(draft: Draft, heading: str, manners: Tree, when: Tree, body: Tree) -> Entry:
    ability = _occasion(draft, heading, when)
    if when[0] == "on" and body[-1][0] == "list" and body[-1][1][0] == "if":
        raise Dead  # `after .., if ..,` is a condition of the ability itself
    return _completed(draft, ability, manners, body)


def _occasion(draft: Draft, heading: str, when: Tree) -> Entry:
    """The kind of an ability, and what it answers."""
    kind = (
        draft.lexicon.entry("headings", heading)
        if heading != "unheaded"
        else {"kind": draft.lexicon.data["unheaded"]}
    )
    ability: Entry = {"kind": kind["kind"]}
    draft.kind = kind["kind"]
    if "of" in kind:
        if when[0] == "on":
            raise Dead
        ability["of"] = kind["of"]
        draft.players += [kind["player"]] if "player" in kind else []
    draft.tests += [kind["if"]] if "if" in kind else []
    if when[0] == "on":
        if kind.get("plain") or (heading == "unheaded" and when[1][0] == "if-so"):
            raise Dead  # it answers nothing: what looks like an event is a condition
        found = answered(draft, when[1])
        listens: Mapping[str, str] = draft.lexicon.data.get("would", {})
        at = kind.get("when", "after") if found["at"] == "when" else found["at"]
        if heading == "unheaded" and found["of"] == draft.lexicon.data.get("bare", {}).get(
            draft.type, {}
        ).get("of"):
            raise Dead  # what the whole text answers
        if at == "if-so":
            at = "after"
        if at == "would":
            if heading == "unheaded":
                ability["kind"] = draft.kind = draft.lexicon.data.get("would-kind", kind["kind"])
                kind = {"kind": ability["kind"]}
            if kind["kind"] not in listens:
                raise Unsaid("a reply to what would happen, in this form")
            at = listens[kind["kind"]]
        if (
            found["at"] == "when"
            and found["of"] == draft.lexicon.data.get("aims")
            and kind["kind"] in listens
        ):
            # that it was triggered is told behind the effect; what is answered as it is triggered comes before
            at, found["of"] = listens[kind["kind"]], draft.lexicon.data["cancellable"]["effect"][0]
            draft.tests.append(str(draft.lexicon.data["effect-test"]))
        if at not in kind.get("only", (at,)):
            raise Unsaid("a reply that comes at another point than its heading says")
        of = found["of"].split(" or ")
        ability |= {"at": at, "of": of if len(of) > 1 else of[0]}
        draft.answers, draft.point = found["of"], at
    if "of" not in ability and ability["kind"] in draft.lexicon.system.compulsory:
        raise Unsaid("a forced ability without a trigger")
    return ability


def _cancelling(draft: Draft, heading: str, manners: Tree, what: Tree, costs: Tree, *after: Tree) -> Entry:
    """`Exhaust ~ to cancel a wound dealt to ..`: what is cancelled is what it answers."""
    kind = draft.lexicon.entry("headings", heading)["kind"]
    listens = draft.lexicon.data.get("would", {})
    if kind not in listens:
        raise Unsaid("cancelling in reply to what has already happened")
    if what[0] == "headed-effect":
        of = draft.lexicon.data["cancellable"]["effect"][0]
        kinds = [draft.lexicon.entry("headings", one)["kind"] for one in what[1:]]
        either = " or ".join(f"trigger.ability-kind = '{one}'" for one in kinds)
        draft.tests += [str(draft.lexicon.data["effect-test"]), either]
    elif what[0] in ("effect-doing", "effect-removing"):
        of = draft.lexicon.data["cancellable"]["effect"][0]
        draft.tests += [str(draft.lexicon.data["effect-test"]), *_on_its_way(draft, *what)]
    elif what[0] == "effect-of-on":
        of = draft.lexicon.data["cancellable"]["effect"][0]
        draft.tests += [str(draft.lexicon.data["effect-test"])]
        draft.tests += of_party(draft, ("some", what[1]), "trigger.source")
        draft.tests.append(aimed_at(draft, what[2]))
    elif what[0] == "effect-on":
        of = draft.lexicon.data["cancellable"]["effect"][0]
        draft.tests += [str(draft.lexicon.data["effect-test"]), aimed_at(draft, what[1])]
    elif what[0] in ("any-effect", "effect-of"):
        of = draft.lexicon.data["cancellable"]["effect"][0]
        draft.tests += [str(draft.lexicon.data["effect-test"])]
        if what[0] == "effect-of":
            draft.tests += of_party(draft, ("some", what[1]), "trigger.source")
        elif player.of(draft, what[2]) != "any player":
            draft.tests.append("trigger.by != you")
        if what[0] == "any-effect":
            draft.mention(Referent("trigger.source", "card", "trigger"))
    else:
        of, role = draft.lexicon.data["cancellable"][what[0]]
        if what[0] == "effect":
            draft.tests += [str(draft.lexicon.data["effect-test"])]
        draft.tests += [one for one in of_party(draft, what[1], f"trigger.{role}") if one]
    draft.answers, draft.point = of, listens[kind]
    cost = costs_of(draft, costs)
    steps: list[Entry] = [spans.cancelling(what[0])]
    steps += block(draft, ("list", *after))
    ability: Entry = {"kind": kind, "at": listens[kind], "of": of}
    return _finished(draft, ability, manners, cost, steps)


def _preventing(draft: Draft, heading: str, costs: Tree, event: Tree) -> Entry:
    """`discard ~ from your hand to prevent a character from going insane`: it does not happen. Raises Dead, Unsaid."""
    ability = _occasion(draft, heading, ("on", ("would", event)))
    if not isinstance(ability["of"], str):
        raise Unsaid("one of two occurrences that is prevented")
    draft.agents = ["you"]
    return _finished(draft, ability, ("list",), costs_of(draft, costs), [spans.cancelling("all")])


def _on_its_way(draft: Draft, head: str, what: Tree, source: Tree = ()) -> list[str]:
    """`an effect that would destroy a ..`: what it has announced. Raises Unsaid."""
    if head == "effect-removing":
        family, group = "leaves-play", ("some", what)
        kinds = draft.lexicon.system.families.get(family)
        if kinds is None:
            raise Unsaid("what leaves play")
    else:
        verb, _, rest = verb_of(draft, what)
        if len(rest) != 1 or verb.told or verb.whose or verb.counter or verb.fact or verb.own:
            raise Unsaid("what an effect would do, told in this way")
        kinds = draft.lexicon.system.families.get(verb.do, (verb.do,))
        group = next(iter(rest.values()))[0]
        group = ("some", group[1]) if group[0] == "pick" else group
        if group[0] not in ("one", "some"):
            raise Unsaid("what an effect would do, told in this way")
    tests = [on(test, "c") for test in party.of(draft, group)]
    way = bracketed(" or ".join(f"any(in-play as p where p = c and pending('{kind}'))" for kind in kinds))
    from_ = of_party(draft, source, "trigger.source") if source else []
    noun = draft.lexicon.data["everything"]
    return [*from_, f"any({noun} as c where {all_of([*tests, way])})"]


def _cancelling_x(draft: Draft, heading: str, what: Tree, quantity: Tree) -> Entry:
    """`pay X to cancel an effect. X is the cost of that card`. Raises Dead."""
    ability = _cancelling(draft, heading, ("list",), what, ("list",))
    draft.x = quantity_of(draft, quantity)
    return {**ability, "cost": [{"pay": draft.lexicon.data["payment"], "amount": draft.x}]}


def _headed_either(draft: Draft, heading: str, cost: Tree, other: Tree, effects: Tree) -> Entry:
    """`exhaust ~ or pay 1 to ..`: one and the same, paid in one way or the other. Raises Dead, Unsaid."""
    found = []
    for paid in (cost, other):
        tree: Tree = ("headed", heading, ("list",), ("free",), ("for-cost", ("list", paid), effects))
        ways_ = meanings(draft.lexicon, tree, draft.card)
        if len(ways_) != 1 or set(ways_[0]) != {"abilities"}:
            raise Unsaid("a cost that is paid in one of two ways")
        found += ways_[0]["abilities"]
    if found[0].get("cost") == found[1].get("cost"):
        raise Dead
    return {"abilities": found}


def _headed_while(draft: Draft, heading: str, ref: Tree, state: Tree, verb: Tree, effects: Tree) -> Entry:
    """`while ~ is committed to a story, wound it to ..`: it is the one of which that was said."""
    ability = _occasion(draft, heading, ("free",))
    draft.tests.append(condition.of(draft, ("is", ref, state)))
    head, key, role = verb
    paid = ("list", ("spend", (head, key, (role, ("one", ref)))))
    return _completed(draft, ability, ("list",), ("for-cost", paid, effects))


def _headed_just(draft: Draft, heading: str, when: Tree, group: Tree, costs: Tree, verb: Tree) -> Entry:
    """`Response: restore a character that was just made insane`: what it touches is what it answers."""
    some: Tree = ("some", group)
    event: Tree = ("passive", when[1], some) if when[0] == "passive-of" else ("triggers", some)
    return _headed(
        draft,
        heading,
        ("list",),
        ("on", ("after", event)),
        ("for-cost", costs, ("list", ("act-answered", verb))),
    )


def _consequence(draft: Draft, heading: str, when: Tree, effects: Tree, costs: Tree = ("list",)) -> Entry:
    """`when you win a struggle .., instead of the normal struggle effects, ..`. Raises Dead, Unsaid."""
    words = draft.lexicon.data.get("consequence")
    kind = (
        draft.lexicon.entry("headings", heading)["kind"]
        if heading != "unheaded"
        else draft.lexicon.data["unheaded"]
    )
    listens = draft.lexicon.data.get("would", {})
    if words is None or kind not in listens:
        raise Unsaid("another consequence of a struggle")
    if answered(draft, when[1])["of"] != words["won"]:
        raise Dead
    draft.kind, draft.answers, draft.point = kind, words["of"], listens[kind]
    draft.agents = ["you"]
    cost = costs_of(draft, costs)
    steps = block(draft, effects)
    *first, last = steps
    test = last.get("if", "")
    if test.endswith(" != nothing") and set(last) == {"if", "then"} and len(last["then"]) == 1:
        (last,) = last["then"]  # chosen in the middle: if there is one
    if "do" not in last or any("choose" not in step for step in first):
        raise Unsaid("a choice that replaces what would happen")
    replaced: Entry = {"replace": "trigger", "with": [last]}
    ability: Entry = {"kind": kind, "at": listens[kind], "of": words["of"]}
    return _finished(
        draft, ability, ("list",), cost, [*first, {"if": test, "then": [replaced]} if test else replaced]
    )


def _consequence_of(draft: Draft, heading: str, when: Tree, word: str, costs: Tree, effects: Tree) -> Entry:
    """`after you win a combat struggle .., instead of wounding a character, ..`. Raises Dead, Unsaid."""
    icon = draft.lexicon.entry("consequence", "effects")[word.replace("~", " ")]
    ability = _consequence(draft, heading, when, effects, costs)
    if f"trigger.icon = '{icon}'" not in ability.get("if", ""):
        raise Dead
    return ability


def _bare(draft: Draft, manners: Tree, body: Tree) -> Entry:
    entry = dict(draft.lexicon.data["bare"][draft.type])
    entry.pop("whole", None)
    draft.answers = str(entry.get("of", ""))
    if "if" in entry:
        draft.tests.append(entry.pop("if"))
    offered = entry.pop("offered", None)  # the rules behind it, where the user chooses whether it takes place
    ability = _completed(draft, entry, manners, body)
    if offered and not (len(ability["do"]) == 1 and set(ability["do"][0]) == {"may"}):
        ability["do"] = [{"may": ability["do"], "cite": list(offered)}]
    return ability


def _completed(draft: Draft, ability: Entry, manners: Tree, body: Tree) -> Entry:
    """Conditions, choices, costs, limits and effects."""
    draft.agents = ["you"]
    if draft.early:
        draft.tests += [condition.of(draft, one[1]) for one in manners[1:] if one[0] == "only"]
        manners = ("list", *(one for one in manners[1:] if one[0] != "only"))
    cost, steps = _body(draft, body)
    return _finished(draft, ability, manners, cost, steps)


def _paid_from_a_hand(draft: Draft, cost: list[Entry]) -> None:
    """What is paid out of a hand has to be there, and a card that is used from there does not pay for itself. Raises
    Unsaid.
    """
    for one in cost:
        stock = draft.lexicon.data.get("paid-of", {}).get(one.get("do"))
        if stock is None:
            continue
        if draft.zones or draft.type is None or draft.type in draft.lexicon.data.get("no-standing", ()):
            raise Unsaid("a cost out of the hand in which the card itself may be")
        draft.tests.append(f"{stock} >= {one.get('amount', 1)}")


def _paid_from_a_card(draft: Draft, cost: list[Entry]) -> None:
    """What is paid from a card has to lie on it, all of it. Raises Unsaid."""
    for one in cost:
        fact = draft.lexicon.data.get("paid-from", {}).get(one.get("do"))
        amount = one.get("amount", 1)
        if fact is None or amount == 1:  # (that there is something, the occurrence itself asks)
            continue
        out_of = str(one.get("away", one["card"]))
        if out_of in draft.choose:
            raise Unsaid("several that are paid from a card that is chosen")
        draft.tests.append(f"{out_of}.{fact} >= {amount}")


def _finished(draft: Draft, ability: Entry, manners: Tree, cost: list[Entry], steps: list[Entry]) -> Entry:
    _paid_from_a_hand(draft, cost)
    _paid_from_a_card(draft, cost)
    limit: Entry | None = None
    for manner in manners[1:]:
        if manner[0] == "limit":
            limit = {"times": int(manner[1]), "per": manner[2]}
        elif manner[0] == "limit-by-name":
            limit = {"times": int(manner[1]), "per": manner[2], "by": "name"}
        elif manner[0] == "by-anybody":
            ability["you"] = "list(player)"
        elif manner[0] == "by-opponents":
            ability["you"] = "list(player as p where p != this.controller)"
        elif manner[0] == "from":
            draft.zones += zones_of(draft.lexicon.entry("zones", manner[1]))
        elif manner[0] == "only":
            draft.tests.append(condition.of(draft, manner[1]))
        else:
            draft.tests.append(draft.lexicon.phrase("times", manner[1]))
    if "x" in draft.choose and re.search(r"(?<![\w.-])x(?![\w-])", " ".join(draft.tests)):
        raise Unsaid("a condition on an X that is chosen later")
    if draft.tests:
        ability["if"] = all_of(draft.tests)
    if draft.choose:
        ability["choose"] = draft.choose
    if len(draft.choose) > 1 and draft.lexicon.data.get("choices") == "as carried out":
        raise Unsaid("choices made one after another during the effect")
    flags = [draft.lexicon.data["symbol"][1]] if draft.card.marked and draft.choose else []
    if "tired" in draft.lexicon.data and _tires(draft, cost):
        flags.append(draft.lexicon.data["tired"]["flag"])
    if flags:
        ability["flags"] = flags
    if cost:
        ability["cost"] = cost
    if limit:
        ability["limit"] = limit
    if draft.zones:
        ability["zones"] = list(dict.fromkeys(draft.zones))
    if not steps:
        raise Unsaid("an ability without an effect")
    told = json.dumps(steps)
    if lets := {name: what for name, what in draft.lets.items() if name in told}:
        steps = [{"let": lets}, *steps]
    _still_there(draft, ability, cost, steps)
    if (
        ability.get("at") == "after"
        and _cancels(steps)
        and ability["kind"] in draft.lexicon.data.get("would", {})
    ):
        ability["at"] = draft.lexicon.data["would"][
            ability["kind"]
        ]  # `when it is wounded, cancel ..`: before it is
    if ability.get("at") == "after" and _cancels(steps):
        raise Unsaid("cancelling what has already happened")
    if draft.card.marked and not draft.choose and "choose" in json.dumps(steps):
        raise Unsaid("a target chosen during the effect")
    if len(draft.parts) > 1 and sum(draft.parts) == len(steps):
        ability["parts"] = [[steps.pop(0) for _ in range(number)] for number in draft.parts]
        return ability
    ability["do"] = steps
    return ability


def _tires(draft: Draft, cost: list[Entry]) -> bool:
    """Does one pay with the card itself what a card that has only just come cannot pay?"""
    return any(
        one.get("do") == draft.lexicon.data["tired"]["cost"] and one.get("card") == "this" for one in cost
    )


def _cancels(steps: Any) -> bool:
    if isinstance(steps, dict):
        return steps.get("cancel") == "trigger" or any(_cancels(one) for one in steps.values())
    return isinstance(steps, list) and any(_cancels(one) for one in steps)


def _named_first(draft: Draft, ability: Entry, card: str, cost: list[Entry], steps: list[Entry]) -> None:
    """What this card is attached to, and what one pays with, is known by a name of its own: what it was can be asked
    for then, like all that is chosen.
    """
    name = "bearer"
    for row in (cost, steps):
        named = json.loads(re.sub(rf"(?<![\w.-]){re.escape(card)}(?![\w-])", name, json.dumps(row)))
        row[:] = named
    ability["choose"] = {name: f"{draft.lexicon.data['everything']} where it = {card}", **draft.choose}


def _still_there(draft: Draft, ability: Entry, cost: list[Entry], steps: list[Entry]) -> None:
    """What this card and what was chosen last were can be asked for when one has paid with it; what another card
    leads to, no more. Raises Unsaid.
    """
    for paid in cost:
        card = str(paid.get("card"))
        spoken = re.search(rf"(?<![\w.-]){re.escape(card)}\.", json.dumps(steps))
        if not spoken or "." not in card or paid.get("do") not in draft.lexicon.data.get("leaves", ()):
            continue
        if card == f"this.{draft.lexicon.data['host'].removeprefix('it.')}":
            _named_first(draft, ability, card, cost, steps)
        else:
            raise Unsaid("what a card was before it was used to pay")


def _body(draft: Draft, tree: Tree) -> tuple[list[Entry], list[Entry]]:
    head, *parts = tree
    if head == "where-x":
        try:
            draft.x = quantity_of(draft, parts[0])
            found = _body(draft, parts[1])
        except Dead:  # of what one pays with
            if draft.x:
                raise
            if parts[1][0] != "for-cost":
                return _x_afterwards(draft, parts[0], parts[1])
            if ("pay-x",) in parts[1][1][1:]:  # of what is chosen: as much is paid
                done_ = block(draft, parts[1][2])
                draft.x = quantity_of(draft, parts[0])
                return costs_of(draft, parts[1][1]), done_
            cost = costs_of(draft, parts[1][1])
            draft.x = quantity_of(draft, parts[0])
            found = cost, block(draft, parts[1][2])
        if not draft.uses_x:
            raise Unsaid("an X that the text doesn’t use")
        return found
    if head == "for-cost":
        cost = costs_of(draft, parts[0])
        return cost, _sentences(draft, parts[1])
    return [], _sentences(draft, parts[0])


def _x_afterwards(draft: Draft, quantity: Tree, body: Tree) -> tuple[list[Entry], list[Entry]]:
    """`if it has X or more tokens, .. that character. X is its cost`: of what the effect itself speaks of."""
    draft.x = "¤"
    cost, steps = _body(draft, body)
    if not draft.uses_x:
        raise Dead
    draft.x = quantity_of(draft, quantity)
    return cost, json.loads(json.dumps(steps, ensure_ascii=False).replace("¤", draft.x))


def _sentences(draft: Draft, steps: Tree) -> list[Entry]:
    """What is done; where each sentence is a part of its own, how many instructions each comes to is noted."""
    acts = steps[1:]
    if draft.lexicon.data.get("parts") != "sentences" or len(acts) < 2 or len(acts) != draft.card.sentences:
        return block(draft, steps)
    found: list[Entry] = []
    for one in acts:
        made = block(draft, ("list", one))
        draft.parts.append(len(made))
        found += made
    return found
