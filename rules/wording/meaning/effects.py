"""What an ability does, as instructions."""

import json
import re
from itertools import takewhile
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, unit_of
from rules.wording.meaning.deeds import chosen_by_each, done
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.events import condition, verb_of
from rules.wording.meaning.nouns import amount_of, on, value_of
from rules.wording.meaning.objects import PICKS, Steps, object_of
from rules.wording.meaning.references import ANYBODY, EVERYBODY, player, reference, two_chosen

act: Meanings[Steps] = Meanings("effect")


@act("base")
def _base(draft: Draft, whose: Tree, amount: Tree) -> Steps:
    """A player's base is hurt."""
    verb = draft.lexicon.data.get("base")
    who = player.of(draft, whose)
    if verb is None or who in (ANYBODY, EVERYBODY):
        raise Unsaid("whose base this means")
    number = amount_of(draft, amount)
    much = {} if number == "1" else {"amount": int(number) if number.isdigit() else number}
    return [{"do": verb, "who": who, **much}]


@act("base-per")
def _base_per(draft: Draft, whose: Tree, number: str, per: Tree) -> Steps:
    """As much as there are of them: of each player his own."""
    if player.of(draft, whose) != EVERYBODY:
        return _base(draft, whose, ("times", number, per))
    draft.agents.append("it")
    amount = amount_of(draft, ("times", number, per))
    draft.agents.pop()
    return [{"do": draft.lexicon.data["base"], "each": "player", "who": "it", "amount": amount}]


@act("act")
def _act(draft: Draft, who: Tree, verb: Tree) -> Steps:
    if (chosen := _each_opponent_chooses(draft, who, verb, able=False)) is not None:
        return chosen
    return of_each_opponent(draft, who, done(draft, verb, player.of(draft, who)))


@act("befall-per")
def _befall_per(draft: Draft, obj: Tree, verb: Tree, per: Tree) -> Steps:
    """`gains 1 power for each ..`: as much of it as there are of them. Raises Dead."""
    amounts = [part for part in verb[2:] if isinstance(part, tuple) and part[0] == "amount"]
    if len(amounts) != 1 or amounts[0][1][0] != "num":
        raise Dead
    if per[0] == "capped":  # `to a maximum of 3 power`: of what the verb counts
        if amounts[0][1][1] != "1" or unit_of(draft.lexicon.verbs[verb[1]].says) != per[3]:
            raise Dead
        per = per[:3]
    times = ("amount", ("times", amounts[0][1][1], per))
    return act.of(draft, ("befall", obj, tuple(times if part == amounts[0] else part for part in verb)))


@act("able")
def _able(draft: Draft, who: Tree, verb: Tree) -> Steps:
    return done(draft, verb, player.of(draft, who), able=True)


@act("act-per")
def _act_per(draft: Draft, who: Tree, verb: Tree, per: Tree) -> Steps:
    """As much of it as there are of them: `draw a card for each ..`."""
    amounts = [part for part in verb[2:] if isinstance(part, tuple) and part[0] == "amount"]
    if len(amounts) != 1 or amounts[0][1][0] != "num":
        raise Dead
    times = ("amount", ("times", amounts[0][1][1], per))
    if player.of(draft, who) == EVERYBODY:  # each as often as he has some
        each = done(draft, tuple(times if part == amounts[0] else part for part in verb), "it")
        if len(each) != 1 or each[0].get("who") != "it":
            raise Unsaid("what each player does as often as there are some of his")
        return [{**each[0], "each": "player"}]
    return done(draft, tuple(times if part == amounts[0] else part for part in verb), player.of(draft, who))


@act("chosen")
def _chosen(draft: Draft, who: Tree, verb: Tree) -> Steps:
    must_choose(verb)
    if (chosen := _each_opponent_chooses(draft, who, verb, able=False)) is not None:
        return chosen
    return of_each_opponent(draft, who, done(draft, verb, player.of(draft, who)))


def _each_opponent_chooses(draft: Draft, who: Tree, verb: Tree, *, able: bool) -> Steps | None:
    """`each opponent must choose and kneel a character he controls`, where there are several of them."""
    if who != ("opponents",) or draft.lexicon.data.get("opponents") != "several":
        return None
    known, _, rest = verb_of(draft, verb)
    picks = [role for role, phrase in rest.items() if role != "amount" and phrase[0][0] in PICKS]
    if len(picks) != 1 or len(rest) != 1 or known.fact or known.counter or known.acts:
        return None
    return chosen_by_each(
        draft, known, rest[picks[0]][0], picks[0], able=able, players="player where it != you"
    )


def of_each_opponent(draft: Draft, who: Tree, steps: Steps) -> Steps:
    """What each of several opponents does: the same occurrence for each of them."""
    several = draft.lexicon.data.get("opponents") == "several"
    if who != ("opponents",) or not several or len(steps) != 1 or "each" in steps[0]:
        return steps
    roles = [role for role, value in steps[0].items() if value == "next(you)"]
    if len(roles) != 1 or json.dumps(steps).count("next(you)") != 1 or "do" not in steps[0]:
        return steps
    (step,) = steps
    return [{"do": step["do"], "each": "player where it != you", **step, roles[0]: "it"}]


@act("chosen-able")
def _chosen_able(draft: Draft, who: Tree, verb: Tree) -> Steps:
    must_choose(verb)
    if (chosen := _each_opponent_chooses(draft, who, verb, able=True)) is not None:
        return chosen
    return done(draft, verb, player.of(draft, who), able=True)


def must_choose(verb: Tree) -> None:
    """`choose and wound` chooses: what is each of a kind, or known, cannot be chosen."""
    phrases = [part[1] for part in verb[2:] if isinstance(part, tuple) and len(part) > 1]
    amounts = [part for part in verb[2:] if isinstance(part, tuple) and part[0] == "amount"]
    if phrases == [("one", ("it",))]:  # `choose and wound it`: what it means is known
        return
    if not amounts and not any(phrase[0] in PICKS for phrase in phrases if isinstance(phrase, tuple)):
        raise Dead


@act("choose")
def _choose(draft: Draft, who: Tree, thing: Tree) -> Steps:
    if thing[0] not in PICKS and thing[0] != "pick-seen":
        raise Dead
    before = len(draft.pending)
    draft.agents.append(player.of(draft, who))
    found = object_of.of(draft, thing)
    draft.agents.pop()
    draft.optional += [found.expression] if found.optional else []
    steps = draft.pending[before:]
    del draft.pending[before:]
    return steps


@act("choose-and-able")
def _choose_and_able(draft: Draft, who: Tree, thing: Tree, verb: Tree) -> Steps:
    return _choose_and(draft, who, thing, verb, able=True)


@act("choose-and")
def _choose_and(draft: Draft, who: Tree, thing: Tree, verb: Tree, able: bool = False) -> Steps:
    """`each player chooses a character and returns it`: chosen by whoever does it. Raises Dead."""
    head, key, *roles = verb
    if thing[0] not in PICKS or len(roles) != 1 or roles[0][1:] != (("one", ("it",)),):
        raise Dead
    return done(draft, (head, key, (roles[0][0], thing)), player.of(draft, who), able)


@act("you-and-that")
def _you_and_that(draft: Draft, verb: Tree) -> Steps:
    """`you and that player each draw 2 cards`: you first."""
    return [step for who in ("you", player.of(draft, ("that-player",))) for step in done(draft, verb, who)]


@act("each-chooses")
def _each_chooses(draft: Draft, thing: Tree) -> Steps:
    """Each player chooses, you first; what is said of the chosen cards is said of all of them. Raises Dead, Unsaid."""
    if thing[0] not in ("pick", "up-to") or "chosen" in draft.choose:
        raise Unsaid("several players choosing at the same time")
    if draft.lexicon.data.get("opponents") == "several":
        return _all_choose(draft, thing)
    steps: Steps = []
    names: list[str] = []
    draft.middle += 1
    for who in ("you", "next(you)"):
        draft.agents.append(who)
        draft.players.append(who)
        found = object_of.of(draft, thing)
        draft.players.pop()
        draft.agents.pop()
        if not draft.pending:
            raise Dead
        steps.append(draft.pending.pop())
        names.append(draft.memory[-1].expression)
    draft.middle -= 1
    either = " or ".join(f"it = {name}" if thing[0] == "pick" else f"it in {name}" for name in names)
    draft.memory = [one for one in draft.memory if one.expression not in names]
    draft.mention(Referent("chosen", found.noun, "choice", plural=True))
    return [*steps, {"let": {"chosen": f"list(card where {either})"}}]


def _all_choose(draft: Draft, thing: Tree) -> Steps:
    """The same where there are several players: the first player first, each of his own. Raises Unsaid."""
    draft.middle += 1
    draft.agents.append("chooser")
    draft.players.append("chooser")
    found = object_of.of(draft, thing)
    draft.players.pop()
    draft.agents.pop()
    draft.middle -= 1
    choice = draft.pending.pop()["choose"]
    name = choice.pop("as")
    if "= chooser" not in choice["from"] or " zone = '" in choice["from"]:
        raise Unsaid("several players choosing among the same cards")
    choice.pop("by", None)
    draft.memory = [one for one in draft.memory if one.expression != name]
    draft.mention(Referent("chosen", found.noun, "choice", plural=True))
    return [{"choose": {"as": "chosen", "each": "player", **choice}}]


@act("give-control")
def _give_control(draft: Draft, thing: Tree, who: Tree) -> Steps:
    """`give control of ~ to an opponent`: of several one is chosen. Raises Dead, Unsaid."""
    verb = next((one for one in draft.lexicon.verbs.values() if one.says == "take control of {card}"), None)
    if verb is None or thing[0] not in ("one", "pick", "pick-of", "pick-other"):
        raise Unsaid("what is given to another player")
    if who == ("opponent",) and draft.lexicon.data.get("opponents") == "several":
        if draft.middle:
            raise Unsaid("any player’s choice during the effect")
        choose_player(draft, who)
        to = draft.players[-1]
    else:
        to = player.of(draft, who)
    if to in (ANYBODY, EVERYBODY, "you"):
        raise Dead
    before = len(draft.pending)
    one = object_of.of(draft, thing)
    steps = draft.pending[before:]
    del draft.pending[before:]
    if steps or one.optional:
        raise Unsaid("what is given to another player")
    return [{"do": verb.do, "card": one.expression, verb.agent: to}]


def _lesser(draft: Draft, head: str, fact: str) -> tuple[str, str]:
    """Of two that were chosen, the one of which a number is less, and that they differ in it. Raises Dead."""
    one, other = two_chosen(draft, head)
    first, second = on(fact, one), on(fact, other)
    return f"if({first} < {second}, {one}, {other})", f"{first} != {second}"


@act("lesser")
def _done_to_the_lesser(draft: Draft, verb: Tree, head: str, stat: str) -> Steps:
    """`wound the character with the lower skill`; to neither, if they are alike."""
    which, differ = _lesser(draft, head, value_of(draft, stat))
    known = draft.lexicon.verbs[verb[1]]
    if known.agent or len(verb) != 3:
        raise Unsaid("what is done to one of two")
    return [{"if": differ, "then": [{"do": known.do, verb[2]: which, **known.fixed}]}]


@act("lesser-returned")
def _lesser_returned(draft: Draft, head: str, icon: str) -> Steps:
    fact = f"{SUBJECT}.{draft.lexicon.icons[icon.replace('~', ' ')]['stat']}"
    which, differ = _lesser(draft, head, fact)
    verb = next(
        (one.do for one in draft.lexicon.verbs.values() if one.says == "return {card} to its owner's hand"),
        "",
    )
    if not verb:
        raise Unsaid("what is done to one of two")
    return [{"if": differ, "then": [{"do": verb, "card": which}]}]


@act("most-in-hand")
def _most_in_hand(draft: Draft, verb: Tree) -> Steps:
    """Who has more cards in hand does it; nobody, if they have as many."""
    if draft.lexicon.data.get("opponents") == "several":
        raise Unsaid("who of several players has the most cards")
    hand = draft.lexicon.data["hand"]
    who = f"if(you.{hand} > next(you).{hand}, you, next(you))"
    return [{"if": f"you.{hand} != next(you).{hand}", "then": done(draft, verb, who)}]


@act("choose-two")
def _choose_two(draft: Draft, one: Tree, other: Tree) -> Steps:
    you: Tree = ("you",)
    return [*_choose(draft, you, one), *_choose(draft, you, other)]


@act("choose-player")
def choose_player(draft: Draft, who: Tree) -> Steps:
    name = draft.name()
    draft.choose[name] = "player" if player.of(draft, who) == ANYBODY else "player where it != you"
    draft.mention(Referent(name, "player", "player"))
    draft.players.append(name)
    return []


@act("both")
def _both(draft: Draft, who: Tree, first: Tree, second: Tree, thing: Tree) -> Steps:
    """`exhaust and wound a character`: one after another to the same."""
    whose = player.of(draft, who)
    steps = done(draft, (*first[:2], (first[2], thing)), whose)
    again = thing if thing[0] in ("one", "several", "each", "each-other", "each-of") else ("last",)
    return steps + done(draft, (*second[:2], (second[2], again)), whose)


@act("befall")
def _befall(draft: Draft, thing: Tree, verb: Tree) -> Steps:
    return _happens(draft, thing, verb)


@act("befall-able")
def _befall_able(draft: Draft, thing: Tree, verb: Tree) -> Steps:
    return _happens(draft, thing, verb, able=True)


@act("befall-by")
def _befall_by(draft: Draft, who: Tree, thing: Tree, verb: Tree, able: bool = False) -> Steps:
    """`that player chooses a character to go insane`: somebody else chooses."""
    if thing[0] not in PICKS:
        raise Dead
    return _happens(draft, thing, verb, able, player.of(draft, who))


@act("befall-by-able")
def _befall_by_able(draft: Draft, who: Tree, thing: Tree, verb: Tree) -> Steps:
    return _befall_by(draft, who, thing, verb, able=True)


@act("all-measured")
def _all_measured(draft: Draft, what: str, ref: Tree) -> Steps:
    """`remove all wounds from ~`: as many as there are. Raises Unsaid."""
    verb = draft.lexicon.data.get("all-of-them", {}).get(what.replace("~", " "))
    if verb is None:
        raise Unsaid("all of what lies on a card")
    one = reference.of(draft, ref).expression
    return [{"do": verb["do"], verb["role"]: one, "amount": f"{one}.{verb['fact']}"}]


@act("discard-hand")
def _discard_hand(draft: Draft, who: Tree) -> Steps:
    """As many cards as there are in it."""
    whose = player.of(draft, who)
    verb = draft.lexicon.data.get("discard-hand")
    if whose in (ANYBODY,) or verb is None:
        raise Unsaid("whose hand this means")
    hand = draft.lexicon.data["hand"]
    if whose == EVERYBODY:
        return [{"do": verb, "each": "player", "who": "it", "amount": f"it.{hand}"}]
    return [{"do": verb, "who": whose, "amount": f"{whose}.{hand}"}]


@act("undergo")
def _undergo(draft: Draft, thing: Tree, verb: Tree) -> Steps:
    return _happens(draft, thing, verb)


def _happens(draft: Draft, thing: Tree, tree: Tree, able: bool = False, who: str = "you") -> Steps:
    """`that character goes insane`: the same verbs, their object first. What only answers (`leaves play`) is no
    effect.
    """
    head, key, subject, *rest = tree
    verb = draft.lexicon.verbs[key]
    if verb.told_only or verb.counter:
        raise Dead
    return done(draft, (head, key, (subject, thing), *rest), who, able)


@act("if", "if-so")
def _if(draft: Draft, test: Tree, steps: Tree) -> Steps:
    holds = condition.of(draft, test)
    not_aimed(draft, steps)
    draft.middle += 1
    then = block(draft, steps)
    draft.middle -= 1
    if any("delayed" in step for step in then):
        raise Unsaid("whether the condition of a later effect is checked now or then")
    return [{"if": holds, "then": then}]


@act("as-much-instead")
def _as_much_instead(draft: Draft, deed: Tree, number: str, unit: str, test: Tree) -> Steps:
    """`gain 1 gold. 2 gold instead if ..`: the same deed, as much of it. Raises Dead, Unsaid."""
    verb = next((part for part in deed[1:] if isinstance(part, tuple) and part[0] == "verb"), None)
    if verb is None or unit_of(draft.lexicon.verbs[verb[1]].says) != unit:
        raise Dead
    if any(head in str(deed) for head in ("'pick", "'up-to", "'any-number")):
        raise Unsaid("an amount that changes with a condition, of what is chosen")
    much = ("amount", ("num", number))
    more = tuple(much if isinstance(part, tuple) and part[0] == "amount" else part for part in verb)
    if more == verb:
        raise Dead
    instead = tuple(more if part == verb else part for part in deed)
    return act.of(draft, ("if-else", test, ("list", instead), ("list", deed)))


@act("limit-instead")
def _limit_instead(draft: Draft, sentence: Tree, stat: str, number: str, test: Tree) -> Steps:
    """`choose a character with cost 1 or lower. Cost 4 or lower instead if ..`: another limit then. Raises Dead."""
    limits: list[Tree] = []

    def found(tree: Tree) -> Tree:
        if not isinstance(tree, tuple):
            return tree
        if tree[:2] == ("at-most", stat) and tree[2][0] == "num":
            limits.append(tree)
            return ("at-most", stat, ("num-if", test, number, tree[2][1]))
        return tuple(found(part) for part in tree)

    changed = found(sentence)
    if len(limits) != 1 or limits[0][2][1] == number:
        raise Dead
    return block(draft, changed)


def not_aimed(draft: Draft, steps: Tree) -> None:
    """Where what a text says one chooses is aimed at in front, it is not chosen under a condition. Raises Unsaid."""
    if _chosen_when_reached(draft) and any(step[0] in _AIMED for step in steps[1:]):
        raise Unsaid("a target that depends on a condition")


_AIMED = ("choose", "chosen", "chosen-able", "choose-player", "choose-player-to", "chosen-for")


@act("if-else")
def _if_else(draft: Draft, test: Tree, steps: Tree, other: Tree) -> Steps:
    holds = condition.of(draft, test)
    not_aimed(draft, ("list", *steps[1:], *other[1:]))
    draft.middle += 1
    then, otherwise = block(draft, steps), block(draft, other)
    draft.middle -= 1
    return [{"if": holds, "then": then, "else": otherwise}]


@act("able-or-else")
def _able_or_else(draft: Draft, thing: Tree, verb: Tree, other: Tree) -> Steps:
    """`it goes insane, if able. Otherwise, ..`: the other, where that was not done. Raises Unsaid."""
    steps = _happens(draft, thing, verb)
    if len(steps) != 1 or "each" in steps[0] or thing[0] != "one":
        raise Unsaid("what is done where something could not be")
    one, deed = reference.of(draft, thing[1]).expression, steps[0]["do"]
    draft.middle += 1
    otherwise = act.of(draft, other)
    draft.middle -= 1
    able = f"any({draft.lexicon.data['everything']} where it = {one} and able('{deed}'))"
    return [{"if": able, "then": steps, "else": otherwise}]


@act("act-answered")
def _act_answered(draft: Draft, verb: Tree) -> Steps:
    """Done to what is answered."""
    head, key, role = verb
    return done(draft, (head, key, (role, ("one", ("answered",)))), "you")


@act("then")
def _then(draft: Draft, steps: Tree) -> Steps:
    """Only when what was before was done in full; in some games it merely comes after."""
    inner = block(draft, steps)
    return inner if draft.lexicon.data.get("then") == "merely after" else [{"then": inner}]


@act("if-done")
def _if_done(draft: Draft, steps: Tree) -> Steps:
    return [{"then": block(draft, steps)}]


def block(draft: Draft, steps: Tree) -> Steps:
    """Effects one after another `[ .. ]`."""
    found: Steps = []
    if len(steps) == 2 and steps[1][0] == "if-so" and not draft.middle:
        done_if = block(draft, steps[1][2])
        test = condition.of(draft, steps[1][1])
        if any(_speaks_of(test, name) for name in draft.choose):
            raise Unsaid("a condition on what is chosen")
        draft.tests.append(test)  # of the one thing it does: when it can be used at all
        return done_if
    outside = set(draft.optional)
    at_first: set[str] | None = None
    for at, step in enumerate(steps[1:], 2):
        inside = set(draft.optional) - outside
        if found and step[0] == "lasting-unsaid" and _stands_alone(step[1][1]):
            raise Unsaid("whether this is part of the ability’s effect or a separate text")
        if step[0] in ("look", "show") and step[1] == "1":
            return [*found, *act.of(draft, step), *_of_the_top_one(draft, ("list", *steps[at:]))]
        later = at_first is not None and step[0] != "if-done" and _chosen_when_reached(draft)
        before = draft.kept() if later else None
        did = act.of(draft, step)
        if at_first is not None and set(draft.choose) - at_first and _chosen_when_reached(draft):
            if before is None:
                raise Unsaid("a choice that is made when the effect comes to it")
            draft.restore(before)  # it is chosen when the effect comes to it
            draft.middle += 1
            did = act.of(draft, step)
            draft.middle -= 1
            if set(draft.choose) - at_first:
                raise Unsaid("a choice that is made when the effect comes to it")
        at_first = at_first if at_first is not None or not did else set(draft.choose)
        for made in did:
            if (
                step[0] == "then"
                and found
                and found[-1].get("do") == draft.lexicon.data.get("story", {}).get("unwin", "")
            ):
                raise Unsaid("whether all of it was done, where one player could not")
            missing = sorted(name for name in inside if _speaks_of(made, name))
            test = " and ".join(f"{name} != nothing" for name in missing)
            if test and set(made) == {"then"} and found and found[-1].get("if") == test:
                found.append(made)  # it follows what was done with it
                continue
            found += [{"if": test, "then": [made]}] if test else _after_search(draft, found, made)
    return found


def _chosen_when_reached(draft: Draft) -> bool:
    return bool(draft.lexicon.data.get("later-choices") == "when reached")


def _stands_alone(subject: Tree) -> bool:
    """Could a sentence about these be a standing text? `Old Clerk gains ..`, `all Cultists gain ..`"""
    return subject == ("one", ("self",)) or str(subject[0]).startswith(("each", "union"))


def _of_the_top_one(draft: Draft, rest: Tree) -> Steps:
    """What is done once the top card was looked at, if there is one: `then` asks for no more."""
    draft.middle += 1
    inner = block(draft, rest) if len(rest) > 1 else []
    draft.middle -= 1
    if inner and set(inner[0]) == {"then"}:
        inner = [*inner[0]["then"], *inner[1:]]
    return [{"for": "seen", "as": "top", "do": inner}] if inner else []


def _after_search(draft: Draft, before: Steps, step: dict[str, Any]) -> Steps:
    """`Then shuffle your deck` after a search: it is shuffled whatever was found. What was looked at goes back whatever
    was taken.
    """
    words = draft.lexicon.data.get("search", {})
    if draft.deck and set(step) == {"then"} and not any("look" in one for one in step["then"]):
        if all("look" in one or one.get("do") == words.get("reveal") for one in before):
            return list(step["then"])
        if any(_goes_back(draft, one) for one in step["then"]):
            if not all(_goes_back(draft, one) for one in step["then"]):
                raise Unsaid("an effect that depends on whether a card was taken")
            return list(step["then"])
    searched = any(one.get("do") == words.get("search") for one in before)
    shuffle = {"do": words.get("shuffle"), "who": "you"}
    everybody = {"do": words.get("shuffle"), "each": "player", "who": "it"}
    at_once = searched and set(step) == {"then"} and step["then"][0] == shuffle
    at_once = at_once or (bool(draft.all_searched) and step == {"then": [everybody]})
    if at_once:
        return list(step["then"])
    if set(step) == {"then"} and len(names := _chosen_by_each(before)) > 1:  # and that each of them could
        return [{"then": [{"if": " and ".join(f"{one} != nothing" for one in names), **step}]}]
    return [step]


def _chosen_by_each(before: Steps) -> list[str]:
    """What several players chose one after another, where the last instruction does something to all of it."""
    did = str(before[-1].get("each", "")) if before and "do" in before[-1] else ""
    choices = takewhile(lambda one: "choose" in one, reversed(before[:-1]))
    names = [str(one["choose"]["as"]) for one in choices]
    return names[::-1] if did and all(re.search(rf"\bit (=|in) {one}\b", did) for one in names) else []


def _goes_back(draft: Draft, step: dict[str, Any]) -> bool:
    """Does an instruction put back what was looked at and not taken?"""
    shuffle = draft.lexicon.data.get("search", {}).get("shuffle")
    return step.get("for") == "seen" or (shuffle is not None and step.get("do") == shuffle)


def _speaks_of(step: Any, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", str(step)) is not None


@act("draw-up-to")
def _draw_up_to(draft: Draft, who: Tree, number: str) -> Steps:
    """`draws until he has 8 cards in hand`: as many as are missing."""
    hand = draft.lexicon.data["hand"]
    whose = player.of(draft, who)
    if whose == EVERYBODY:
        each = f"player where {hand} < {number}"
        return [{"do": "draw", "each": each, "who": "it", "amount": f"{number} - it.{hand}"}]
    if whose == ANYBODY:
        raise Dead
    draw = {"do": "draw", "who": whose, "amount": f"{number} - {whose}.{hand}"}
    return [{"if": f"{whose}.{hand} < {number}", "then": [draw]}]


@act("both-at-once")
def _both_at_once(draft: Draft, a: Tree, b: Tree) -> Steps:
    """`deal 1 damage to a unit and 1 damage to your base`: one verb, both at once."""
    steps = [step for one in (a, b) for step in done(draft, one, "you")]
    if any("do" not in step for step in steps):
        raise Unsaid("a choice between two simultaneous effects")
    return [{"together": steps}]


@act("either-thing")
def _either_thing(draft: Draft, a: Tree, b: Tree) -> Steps:
    """`return a unit to its owner's hand or a hero to its command zone`: one of either, the same is done to it."""
    verbs = [draft.lexicon.verbs[tree[1]] for tree in (a, b)]
    roles = [tree[2:] for tree in (a, b)]
    if verbs[0].do != verbs[1].do or verbs[0].fixed != verbs[1].fixed or any(len(one) != 1 for one in roles):
        raise Unsaid("one of two effects, depending on what is chosen")
    (role, one), (same, other) = roles[0][0], roles[1][0]
    if role != same or (one[0], other[0]) != ("pick", "pick"):
        raise Unsaid("one of two effects, depending on what is chosen")
    return done(draft, ("verb", a[1], (role, ("pick-apart", one[1], other[1]))), "you")


@act("to-both")
def _to_both(draft: Draft, verb: Tree, a: Tree, b: Tree) -> Steps:
    """`wound a character you control and a character ..`: both at once."""
    steps = [step for one in (a, b) for step in done(draft, (*verb[:2], (verb[2], one)), "you")]
    if any("do" not in step for step in steps):
        raise Unsaid("a choice between two simultaneous effects")
    return [{"together": steps}]
