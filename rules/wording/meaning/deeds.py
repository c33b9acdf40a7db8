"""Verbs with their objects, done by somebody; and what is paid."""

import json
import re
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import Verb
from rules.wording.meaning.draft import Dead, Draft, Referent, Unsaid
from rules.wording.meaning.events import never_done, said_of, verb_of
from rules.wording.meaning.nouns import amount_of
from rules.wording.meaning.objects import PICKS, Steps, Touched, object_of
from rules.wording.meaning.references import ANYBODY, EVERYBODY, player


def done(draft: Draft, tree: Tree, who: str, able: bool = False) -> Steps:
    """A verb with its objects, done by somebody. Raises Dead, Unsaid."""
    verb, _, rest = verb_of(draft, tree)
    draft.agents.append(who)
    try:
        return _carried_out(draft, verb, rest, who, able)
    finally:
        draft.agents.pop()


def _carried_out(draft: Draft, verb: Verb, rest: dict[str, Any], who: str, able: bool) -> Steps:
    if verb.on and draft.type not in verb.on:
        raise Dead
    if verb.plain and draft.answers:
        raise Unsaid("something that must be done later")
    if verb.fact:
        return _set(draft, verb, rest)
    if verb.counter:
        return _counted(draft, verb, rest)
    if who == EVERYBODY and (one_each := _one_each(draft, verb, rest, able)) is not None:
        return one_each
    step: dict[str, Any] = {"do": verb.do}
    before = len(draft.pending)
    touched: list[Touched] = []
    place = rest.pop("from", [("you",), verb.place] if verb.place else None)
    for role, phrase in rest.items():
        if role == "amount":
            amount = amount_of(draft, phrase[0], verb.most)
            if amount != "1":
                step["amount"] = int(amount) if amount.isdigit() else amount
            continue
        if role in ("who",):
            step[role] = _player_role(draft, step, phrase[0])
            continue
        draft.things = bool(verb.nouns)
        tree = _owned(draft, verb, _from(phrase[0], place if role == verb.moved else None), who)
        said_of(draft, verb, tree)
        own = tree in (
            ("one", ("it",)),
            ("one", ("him",)),
        )  # (`its owner's` may be of what is done something to)
        given = draft.paying and "away" in rest and role != "away"  # who gets it pays nothing
        draft.paying = draft.paying and not given
        draft.busy = [known.expression for known in touched if known.expression and own]
        one = object_of.of(draft, tree)
        draft.busy = []
        draft.paying = draft.paying or given
        if verb.lies and not _lies(draft, one, verb.lies):
            raise Dead
        if (
            verb.fixed.get("what") == "trigger"
            and one.expression == "this"
            and "trigger.card = this" not in draft.tests
        ):
            raise Dead  # saved is what would have left
        _fitting(draft, verb, tree, one)
        if not verb.lies:  # (what is never done to one in play may be done where it lies)
            never_done(draft, verb.do, one.noun)
        if one.expression and any(one.expression == known.expression for known in touched):
            raise Dead  # nothing is done with a thing to itself
        touched.append(one)
        words = draft.lexicon.data.get("search", {})
        if one.seen and verb.do == words.get("into-deck"):
            raise Dead  # it is there
        if one.each == "seen" and verb.do in (words.get("to-top"), words.get("to-bottom")):
            raise Dead  # what goes back is put there in some order
        if one.each:
            if "each" in step:
                raise Unsaid("a deed for each card of two groups")
            step["each"] = one.each
        step[role] = one.expression or "it"
        draft.deeds += [(verb.done, one.expression)] if one.expression else []
        if verb.do in draft.lexicon.data.get("leaves", ()) and not draft.paying:
            draft.gone.append(one.expression)
    draft.things = True
    for role, value in verb.fixed.items():
        step[role] = _of_agent(draft, step, str(value), who) if str(value).startswith("agent.") else value
    if verb.agent and "." not in verb.agent and verb.agent not in step:
        step[verb.agent] = _agent_role(step, who)
    elif not verb.agent and (who == ANYBODY or (who == EVERYBODY and "each" not in step)):
        raise Unsaid("several players choosing at the same time")
    steps = [*draft.pending[before:]]
    del draft.pending[before:]
    if able and not _with_what_is_able(steps, verb, step):
        step["if-able"] = "yes"
    _where_it_may_lie(draft, steps, verb, step)
    optional = [one.expression for one in touched if one.optional]
    draft.optional += optional
    ordered = _ordered(step, verb)
    bearer = draft.lexicon.data.get("bearer", {})
    if draft.paying and step.get("card") == "this" and verb.do == bearer.get("zone"):
        draft.paid_into = verb.do
    words = draft.lexicon.data.get("search", {})
    if verb.do in (words.get("to-top"), words.get("to-bottom")) and draft.lexicon.data.get(
        "held", "-"
    ) in json.dumps(steps):
        inner = {**{key: value for key, value in ordered.items() if key != "each"}, "card": "one"}
        return [*steps, {"for": ordered["each"], "as": "one", "order": draft.agent, "do": [inner]}]
    if optional and not draft.paying:
        test = " and ".join(f"{name} != nothing" for name in optional)
        return [*steps, {"if": test, "then": [ordered]}]
    return [*steps, ordered]


def _with_what_is_able(steps: Steps, verb: Verb, step: dict[str, Any]) -> bool:
    """`must choose and kneel a character, if able`: one with which it can be done is chosen, if there is one."""
    if len(steps) != 1 or set(steps[0]) != {"choose"} or {"count", "up-to"} & set(steps[0]["choose"]):
        return False
    choice = steps[0]["choose"]
    if step.get(verb.moved) != choice["as"] or " zone = '" in choice["from"] or " as " in choice["from"]:
        return False
    joint = "and" if " where " in choice["from"] else "where"
    choice["from"] = f"{choice['from']} {joint} able('{verb.do}')"
    return True


def _where_it_may_lie(draft: Draft, steps: Steps, verb: Verb, step: dict[str, Any]) -> None:
    """`attach a Weapon from your hand to a character`: what is chosen last has to fit what was chosen before; where a
    card is chosen on the way, the character has to be one to which some such card may be attached. Raises Unsaid."""
    card, onto = str(step.get("card")), str(step.get("onto"))
    where = draft.lexicon.data.get("attachable")
    if where is None or "onto" not in step or draft.lexicon.data.get("unattachable", {}).get(verb.do) != "":
        return  # (what an effect makes an attachment is bound by nothing of its own)
    way = {entry["choose"]["as"]: entry["choose"] for entry in steps if "choose" in entry}
    order = [*draft.choose, *way]
    if card not in order:
        return

    def fits(one: str, on: str) -> str:
        there = re.sub(r"\bit\b", on, where).replace("this.", one)
        return f"({one}attaches-to = nothing or {there})"

    def narrow(name: str, test: str, called: str = "") -> None:
        choice = way.get(name, draft.choose.get(name))
        found = str(choice["from"] if isinstance(choice, dict) else choice)
        if " as " in found:
            raise Unsaid("an attachment that an effect attaches")
        head, *tests = found.split(" where ", 1)
        found = f"{head}{called and f' as {called}'} where {' and '.join([*tests, test])}"
        if isinstance(choice, dict):
            choice["from"] = found
        else:
            draft.choose[name] = found

    if onto in order[order.index(card) :]:
        narrow(onto, fits(f"{card}.", "it"))
        return
    if card in way and onto in draft.choose:
        narrow(onto, f"any({way[card]['from']} and {fits('', 'one')})", "one")
    narrow(card, fits("", onto))


def _lies(draft: Draft, one: Touched, zone: str) -> bool:
    """Does the text say that it lies there?"""
    known = [known.zone for known in draft.memory if known.expression == one.expression]
    if known and one.expression:
        return known[-1] == zone
    where = [draft.zones] if one.expression == "this" else []
    return f" zone = '{zone}'" in one.each or [zone] in where


def _fitting(draft: Draft, verb: Verb, tree: Tree, one: Touched) -> None:
    """Can a pronoun mean that, where the verb is said of some things only? Raises Dead."""
    known = draft.lexicon.nouns.get(one.noun)
    if tree[0] != "one" or tree[1][0] not in ("it", "him") or not verb.nouns or known is None:
        return
    if not any(known.test == draft.noun(word).test for word in verb.nouns):
        raise Dead


def _one_each(draft: Draft, verb: Verb, rest: dict[str, Any], able: bool) -> Steps | None:
    """`Each player sacrifices a character`: all choose, you first, then it happens to all of them at once; `all his
    characters`: to all of everybody's."""
    if len(rest) == 1 and "card" in rest and rest["card"][0][0] in ("each", "each-of"):
        draft.agents.append("everybody's own")
        found = object_of.of(draft, rest["card"][0])
        draft.agents.pop()
        all_: dict[str, Any] = {"do": verb.do, "each": found.each, "card": "it", **verb.fixed}
        if verb.acts:
            if " zone = '" not in found.each:
                raise Unsaid("who of several players does this")
            all_[verb.agent] = "it.owner"
        return [{**all_, "if-able": "yes"} if able else all_]
    picks = [role for role, phrase in rest.items() if role != "amount" and phrase[0][0] in PICKS]
    if len(picks) != 1 or len(rest) != 1:
        return None
    role = picks[0]
    if draft.lexicon.data.get("opponents") == "several":
        return chosen_by_each(draft, verb, rest[role][0], role, able=able)
    named: list[tuple[str, bool]] = []
    steps: Steps = []
    draft.middle += 1
    for who in ("you", "next(you)"):
        draft.agents.append(who)
        draft.players.append(who)
        object_of.of(draft, _owned(draft, verb, rest[role][0], who))
        draft.agents.pop()
        steps.append({"choose": draft.pending.pop()["choose"]})
        named.append((draft.memory[-1].expression, draft.memory[-1].plural))
    draft.middle -= 1
    test = " or ".join(f"it in {name}" if many else f"it = {name}" for name, many in named)
    step: dict[str, Any] = {"do": verb.do, "each": f"card where {test}", role: "it", **verb.fixed}
    return [*steps, {**step, "if-able": "yes"} if able else step]


def chosen_by_each(
    draft: Draft, verb: Verb, thing: Tree, role: str, *, able: bool, players: str = "player"
) -> Steps:
    """Each of several players chooses one of his own, the first player first; then it is done to all of them."""
    draft.middle += 1
    draft.agents.append("chooser")
    draft.players.append("chooser")
    object_of.of(draft, _owned(draft, verb, thing, "chooser"))
    draft.players.pop()
    draft.agents.pop()
    draft.middle -= 1
    choice = draft.pending.pop()["choose"]
    if "= chooser" not in choice["from"] or "count" in choice or "zone = '" in choice["from"]:
        raise Unsaid("several players choosing among the same cards")
    said_of(draft, verb, thing)
    step: dict[str, Any] = {
        "do": verb.do,
        "each": f"card where it in {choice['as']}",
        role: "it",
        **verb.fixed,
    }
    among = f"{choice['from']} and able('{verb.do}')" if able else choice["from"]
    return [{"choose": {"as": choice["as"], "each": players, "from": among}}, step]


def _set(draft: Draft, verb: Verb, rest: dict[str, Any]) -> Steps:
    """A deed that is no occurrence: a fact of the card becomes something else."""
    before = len(draft.pending)
    one = object_of.of(draft, rest["of"][0])
    steps = draft.pending[before:]
    del draft.pending[before:]
    if one.optional:
        raise Unsaid("an effect on a card that may not be there")
    if one.each:
        return [
            *steps,
            {"for": one.each, "as": "who", "do": [{"set": verb.fact, "of": "who", "to": verb.to}]},
        ]
    return [*steps, {"set": verb.fact, "of": one.expression, "to": verb.to}]


def _counted(draft: Draft, verb: Verb, rest: dict[str, Any]) -> Steps:
    """Tokens put on a card, or taken from it: a fact that goes up or down; as a cost they are paid."""
    before = len(draft.pending)
    whose = rest["of"][0] if "of" in rest else ("one", ("self",))  # `remove a rune`: its own
    said_of(draft, verb, whose)
    one = object_of.of(draft, whose)
    _fitting(draft, verb, whose, one)
    steps = draft.pending[before:]
    del draft.pending[before:]
    amount = amount_of(
        draft,
        rest.get("amount", [("num", "1")])[0],
        f"{one.expression}.{verb.counter}" if verb.sign < 0 else "",
    )
    number: Any = int(amount) if amount.isdigit() else amount
    if one.each or one.optional:
        raise Unsaid("tokens on several cards")
    if draft.paying:
        if verb.sign > 0:
            return [*steps, {"add": verb.counter, "of": one.expression, "by": number}]
        return [*steps, {"pay": verb.counter, "of": one.expression, "amount": number}]
    by = number if verb.sign > 0 else -number if isinstance(number, int) else f"0 - {number}"
    return [*steps, {"add": verb.counter, "of": one.expression, "by": by}]


def _ordered(step: dict[str, Any], verb: Verb) -> dict[str, Any]:
    """`do` first, `each` next, as a hand writes it."""
    first: dict[str, Any] = {key: step[key] for key in ("do", "each") if key in step}
    return {**first, **{key: value for key, value in step.items() if key not in first}}


def _from(tree: Tree, place: Any) -> Tree:
    """`put a card into play from your hand`: where it comes from is said of the card."""
    if place is None:
        return tree
    if place[0] == ("unsaid",):  # `from shadows`: of this card it is one's own, of another anybody's
        place = (("you",) if tree == ("one", ("self",)) else ("anybody",), *place[1:])
    if tree[0] not in ("pick", "pick-other", "picks", "up-to", "any-number", "each"):
        if len(place) > 2 and tree[0] == "one":
            raise Dead
        if tree == ("one", ("self",)):
            return ("from-place", tree, *place)
        if tree[0] == "one" and tree[1][0] == "that":
            return ("out-of-place", tree, *place)
        raise Unsaid("where the card comes from")
    *head, group = tree
    _, noun, adjectives, posts = group
    whose, zone, *more = place  # `from your hand with a lower cost`: what follows is said of the card
    after = more[0][1:] if more else ()
    return (*head, ("n", noun, adjectives, (*posts, ("place", whose, zone), *after)))


def _owned(draft: Draft, verb: Verb, tree: Tree, who: str) -> Tree:
    """What one can only do to one's own is one's own."""
    if verb.own and who == "chooser" and tree[0] == "pick-either" and _plain(tree):
        either = ("or", *(("kind", group) for group in tree[1:]))
        return ("pick", ("n", "card", ("list", either), ("list", ("controlled", ("agent",)))))
    if not verb.own or tree[0] not in ("pick", "pick-other", "picks", "picks-other", "up-to", "any-number"):
        return tree
    *head, group = tree
    _, noun, adjectives, posts = group
    if any(
        post[0] in ("controlled", "owned", "place")
        or (post[:1] == ("resource-on",) and post[1][0] == "some-of")
        for post in posts[1:]
    ):
        return tree
    return (*head, ("n", noun, adjectives, (*posts, ("controlled", ("agent",)))))


def _plain(tree: Tree) -> bool:
    """`a character or location`: of neither anything more is said."""
    return all(len(group[2]) == 1 and len(group[3]) == 1 for group in tree[1:])


@player("agent")
def _agent(draft: Draft) -> str:
    return draft.agent


def _agent_role(step: dict[str, Any], who: str) -> str:
    if who == EVERYBODY:
        if "each" in step:
            raise Unsaid("each player and each card at once")
        step["each"] = "player"
        return "it"
    if who == ANYBODY:
        raise Dead
    return who


def _player_role(draft: Draft, step: dict[str, Any], tree: Tree) -> str:
    if tree == ("he",) and draft.agent == EVERYBODY:  # each player, of his own
        return _agent_role(step, EVERYBODY)
    if tree == ("opponents",) and draft.lexicon.data.get("opponents") == "several" and "each" not in step:
        step["each"] = "player where it != you"
        return "it"
    who = player.of(draft, tree)
    if who == ANYBODY and draft.agent == "you" and not draft.middle and not draft.paying:
        who = draft.name()  # `of a player's deck`: you choose whose
        draft.choose[who] = "player"
        draft.mention(Referent(who, "player", "player"))
        draft.players.append(who)
    return _agent_role(step, who)


def costs_of(draft: Draft, tree: Tree) -> Steps:
    """What is paid, `[ .. ]`. Raises Unsaid."""
    draft.paying = True
    found: Steps = []
    for cost in tree[1:]:
        found += _cost(draft, cost)
    draft.paying = False
    return found


def _cost(draft: Draft, tree: Tree) -> Steps:
    head, *parts = tree
    payment = draft.lexicon.data["payment"]
    if head == "pay":
        return [{"pay": payment, "amount": int(parts[0])}]
    if head == "pay-x":
        if draft.x:  # the text says what it is
            draft.uses_x = True
            return [{"pay": payment, "amount": draft.x}]
        draft.choose["x"] = {"from": f"range(0, {_purse(draft)})"}
        draft.x = "x"
        return [{"pay": payment, "amount": "x"}]
    if head == "spend":
        return [paid for step in done(draft, parts[0], "you") for paid in _each_named(step)]
    if head == "spend-chosen":  # `choose a character and return it`
        if parts[0][0] not in PICKS:
            raise Dead
        object_of.of(draft, parts[0])
        return done(draft, parts[1], "you")
    if head == "spend-self":
        return [_to_self(draft, parts[0])]
    if head == "spend-both":
        return [_to_self(draft, parts[0]), _to_self(draft, parts[1])]
    raise Unsaid(f"the cost “{head}”")


def _each_named(step: dict[str, Any]) -> Steps:
    """`Kneel this card and attached character` as two payments, each of which has to be made: done to “each” of them,
    it would be done to those to which it can be."""
    kind, _, test = str(step.get("each", "")).partition(" where ")
    named = [one.partition("it = ")[2] for one in test.split(" or ") if one.startswith("it = ")]
    if kind != "card" or len(named) < 2 or " or ".join(f"it = {one}" for one in named) != test:
        return [step]
    return [
        {role: one if value == "it" else value for role, value in step.items() if role != "each"}
        for one in named
    ]


def _of_agent(draft: Draft, step: dict[str, Any], value: str, who: str) -> str:
    """What is the agent's own: of each of several opponents his. Raises Dead."""
    if who == "next(you)" and draft.lexicon.data.get("opponents") == "several":
        step["each"], who = "player where it != you", "it"
    elif who == EVERYBODY:
        step["each"], who = "player", "it"
    if who in ("you", ANYBODY):
        raise Dead  # there are other words for it
    return value.replace("agent", who, 1)


def _purse(draft: Draft) -> str:
    """The most that one can pay: where nobody told what one has, it is enough for any X on a card."""
    fact = f"you.{draft.lexicon.data['purse']}"
    enough = draft.lexicon.data.get("enough")
    return f"if({fact} = nothing, {enough}, {fact})" if enough else fact


def _to_self(draft: Draft, tree: Tree) -> dict[str, Any]:
    """`Exhaust to ...`: this card."""
    _, key, role = tree
    return done(draft, ("verb", key, (role, ("one", ("bearer",)))), "you")[-1]
