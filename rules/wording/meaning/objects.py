"""What an effect touches: one thing by its expression, or each of a filter; what is chosen, and when."""

from dataclasses import dataclass
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, Noun, zones_of
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.nouns import (
    Group,
    all_of,
    filter_of,
    group_of,
    of_player,
    predicate,
    tests_of,
    the_x,
)
from rules.wording.meaning.references import (
    ANYBODY,
    EVERYBODY,
    is_story,
    place_of,
    player,
    plural_of,
    reference,
    two_chosen,
)

Steps = list[dict[str, Any]]


object_of: Meanings["Touched"] = Meanings("object")


@dataclass(frozen=True, slots=True)
class Touched:
    """What an effect touches: one thing by its expression, or each of a filter."""

    expression: str = ""
    each: str = ""
    noun: str = ""
    optional: bool = False  # it may be nothing: chosen in mid-effect
    seen: bool = False  # it lies in a deck and was looked at


@object_of("one")
def _one(draft: Draft, ref: Tree) -> Touched:
    found = reference.of(draft, ref)
    return Touched(found.expression, noun=found.noun)


@object_of("several")
def _several(draft: Draft, refs: Tree) -> Touched:
    if refs[0] == "pair":
        both = [reference.of(draft, one) for one in refs[1:]]
        if len({one.expression for one in both}) < 2:
            raise Dead
        return Touched(
            each=f"card where {' or '.join(f'it = {one.expression}' for one in both)}", noun="card"
        )
    found = plural_of(draft, refs)
    return Touched(each=f"card where it in {found.expression}", noun=found.noun)


@object_of("story")
def _story(draft: Draft, story: Tree) -> Touched:
    return Touched(place_of.of(draft, story), noun=draft.lexicon.data["story"]["nouns"][0])


def nobodys(draft: Draft, group: Group) -> bool:
    """Stories have no controller: whoever pays with what lies there pays from any of them."""
    return "story" in draft.lexicon.data and is_story(draft, group.word)


@object_of("pick")
def _pick(draft: Draft, group: Tree) -> Touched:
    return chosen(draft, group_of(draft, group))


@object_of("pick-either")
def _pick_either(draft: Draft, one: Tree, other: Tree) -> Touched:
    """`a unit or non-Peace hero`: what is said of the first is not said of the second, nor the other way round."""
    if f"{one[1]}~or~{other[1]}" in draft.lexicon.nouns and len(other[2]) == 1:
        raise Dead  # one noun, and what stands around it is of both
    if one[1] in draft.lexicon.traits:
        raise Dead  # `a Monster or Creature character`
    apiece = len(one[2]) == len(other[2]) == 2  # `a Cultist character or Mask card`: each with its own
    if len(one[2]) + len(one[3]) > 2 + apiece or len(other[3]) > 1:
        raise Unsaid("which of the two this describes")
    return _of_either(draft, one, other)


@object_of("pick-one-of")
def _pick_one_of(draft: Draft, one: Tree, other: Tree) -> Touched:
    """`a resource or a support card`: each with its own article, and with what is said of it."""
    if len(one[3]) + len(other[3]) > 2:
        raise Unsaid("which of the two this describes")
    return _of_either(draft, one, other)


@object_of("pick-or-self")
def _pick_or_self(draft: Draft, group: Tree) -> Touched:
    """`a Knight or ~`: this card, whatever it is, or one of those. Raises Dead."""
    found = group_of(draft, group)
    if found.zone or found.noun.place or draft.paying:
        raise Dead
    either = f"({all_of(tests_of(draft, found))}) or ({SUBJECT} = this)"
    return chosen(draft, Group(Noun("", "", either), ()))


@object_of("pick-apart")
def _of_either(draft: Draft, one: Tree, other: Tree) -> Touched:
    """One of two groups, each with what is said of it."""
    groups = [group_of(draft, tree) for tree in (one, other)]
    apart = any(group.zone or group.noun.place for group in groups)  # they are not both in play
    sides = [all_of(tests_of(draft, group, placed=apart)) for group in groups]
    either = " or ".join(f"({side})" for side in sides)
    noun = Noun("", "card", "") if apart else Noun("", "", either)
    return chosen(draft, Group(noun, (either,) if apart else ()))


@object_of("pick-other")
def _pick_other(draft: Draft, group: Tree) -> Touched:
    return chosen(draft, _other(draft, group_of(draft, group)))


@object_of("pick-of")
def _pick_of(draft: Draft, whose: Tree, group: Tree) -> Touched:
    if group[1] in draft.lexicon.data.get("stand-for", {}):
        raise Dead  # a player has one, and there are words for it
    if whose == ("opponents",) and draft.lexicon.data.get("opponents") == "several":
        raise Unsaid("one card of each of several opponents")
    return chosen(draft, group_of(draft, group).also(of_player(player.of(draft, whose), "controller")))


@object_of("pick-other-of")
def _pick_other_of(draft: Draft, whose: Tree, group: Tree) -> Touched:
    own = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return chosen(draft, _other(draft, own))


@object_of("pick-of-two")
def _pick_of_two(draft: Draft, head: str) -> Touched:
    """`one of those characters`, of two that were chosen one after the other. Raises Dead."""
    one, other = two_chosen(draft, head)
    name = draft.name()
    draft.pending.append({"choose": {"as": name, "from": f"card where it = {one} or it = {other}"}})
    draft.two = (one, other, name)
    return Touched(name, noun=head, optional=True)


@object_of("picks")
def _picks(draft: Draft, number: str, group: Tree) -> Touched:
    return chosen(draft, group_of(draft, group), {"count": int(number)})


@object_of("picks-other")
def _picks_other(draft: Draft, number: str, group: Tree) -> Touched:
    return chosen(draft, _other(draft, group_of(draft, group)), {"count": int(number)})


def _at_most(draft: Draft, count: Any) -> dict[str, Any]:
    """As many as that, or fewer; in some games none as well."""
    most = {"count": count, "up-to": "yes"}
    return most if draft.lexicon.data.get("up-to") == "none as well" else {**most, "at-least": 1}


@object_of("picks-having")
def _picks_having(draft: Draft, number: str, group: Tree, quality: Tree) -> Touched:
    """`two characters, each with at least one icon`."""
    found = group_of(draft, group).also(predicate.of(draft, quality))
    return chosen(draft, found, {"count": int(number)})


@object_of("picks-x-other")
def _picks_x_other(draft: Draft, group: Tree) -> Touched:
    """X of them, apart from this card: how many there can be is how many there are. Raises Unsaid."""
    found = _other(draft, group_of(draft, group))
    if found.zone:
        raise Dead  # other than what went there
    if draft.paying:
        found = found.also("" if found.owned else f"{SUBJECT}.controller = {draft.agent}")
    return chosen(draft, found, {"count": the_x(draft, f"count({filter_of(draft, found)})")})


def sought(draft: Draft, choice: dict[str, Any]) -> dict[str, Any]:
    """What is chosen when a deck is searched: something, or nothing where the game says that one may find nothing."""
    if draft.lexicon.data.get("searched-for") != "none as well":
        return choice
    return {"choose": {**choice["choose"], "up-to": "yes"}}


@object_of("up-to")
def _up_to(draft: Draft, number: str, group: Tree) -> Touched:
    return chosen(draft, group_of(draft, group), _at_most(draft, int(number)))


@object_of("up-to-other")
def _up_to_other(draft: Draft, number: str, group: Tree) -> Touched:
    return chosen(draft, _other(draft, group_of(draft, group)), _at_most(draft, int(number)))


@object_of("up-to-of")
def _up_to_of(draft: Draft, number: str, whose: Tree, group: Tree) -> Touched:
    own = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return chosen(draft, own, _at_most(draft, int(number)))


@object_of("picks-of")
def _picks_of(draft: Draft, number: str, whose: Tree, group: Tree) -> Touched:
    own = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return chosen(draft, own, {"count": int(number)})


@object_of("picks-x")
def _picks_x(draft: Draft, group: Tree) -> Touched:
    return chosen(draft, group_of(draft, group), {"count": the_x(draft)})


@object_of("picks-x-of")
def _picks_x_of(draft: Draft, whose: Tree, group: Tree) -> Touched:
    own = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return chosen(draft, own, {"count": the_x(draft)})


@object_of("up-to-x")
def _up_to_x(draft: Draft, group: Tree) -> Touched:
    return chosen(draft, group_of(draft, group), {"count": the_x(draft), "up-to": "yes"})


@object_of("any-number")
def _any_number(draft: Draft, group: Tree) -> Touched:
    found = group_of(draft, group)
    return chosen(draft, found, _at_most(draft, f"count({filter_of(draft, found)})"))


@object_of("each")
def _each(draft: Draft, group: Tree) -> Touched:
    found = group_of(draft, group)
    if draft.paying and not found.owned and not found.zone and not nobodys(draft, found):
        found = found.also(f"{SUBJECT}.controller = {draft.agent}")  # one pays with what is one's own
    return Touched(each=filter_of(draft, found), noun=found.word)


@object_of("each-other")
def _each_other(draft: Draft, group: Tree) -> Touched:
    found = _other(draft, group_of(draft, group))
    return Touched(each=filter_of(draft, found), noun=found.word)


@object_of("each-of")
def _each_of(draft: Draft, whose: Tree, group: Tree) -> Touched:
    found = group_of(draft, group).also(of_player(player.of(draft, whose), "controller"))
    return Touched(each=filter_of(draft, found), noun=found.word)


def _other(draft: Draft, group: Group) -> Group:
    """Than the thing last named, or than this card: both stand where both were named."""
    if "story" in draft.lexicon.data and is_story(draft, group.word) and (where := _stands_at(draft)):
        return group.also(f"{SUBJECT} != {where}")
    named = [
        one
        for one in draft.memory
        if not one.plural
        and one.origin in ("trigger", "choice", "cost")
        and (one.noun == group.word or not group.noun.test)  # (`card` is any of them)
    ]
    below = [one for one in draft.memory if one.expression in draft.lets and one.noun == group.word]
    if below and not named:  # `to another domain`: than the one where it lies
        return group.also(f"{SUBJECT} != {draft.lets[below[-1].expression]}")
    paid = bool(named) and named[-1].origin == "cost" and all(one.origin != "self" for one in draft.memory)
    own = _could_be_this(draft, group) and not paid  # `kneel a Knight to stand another Knight`: than that one
    ways = ([named[-1].expression] if named else []) + (["this"] if own else [])
    if not ways and draft.paid_into == group.word:
        ways = ["this"]  # it has just become one
    return group.also(f"{SUBJECT} != {draft.decide(ways)}")


def _stands_at(draft: Draft) -> str:
    """`commit it to a different story`: than the one where it stood, if no story was spoken of. Raises Unsaid."""
    known = [one for one in draft.memory if not one.plural and one.origin in ("choice", "trigger")]
    if (
        not known
        or any(is_story(draft, one.noun) for one in draft.memory)
        or draft.type in draft.lexicon.data["story"]["nouns"]
    ):
        return ""
    one = known[-1]
    if one.noun != draft.lexicon.data["story"]["who"] or one.origin != "choice" or one.zone:
        return ""
    name = f"{one.expression}-story"
    draft.lets[name] = f"{one.expression}.{draft.lexicon.data['story']['fact']}"
    if draft.middle or draft.agent != "you":
        return name
    return draft.lets[name]


def _could_be_this(draft: Draft, group: Group) -> bool:
    return (
        draft.type is None
        or not group.noun.test
        or f"'{draft.type}'" in group.noun.test
        or group.noun.noun == ""
    )


def chosen(draft: Draft, group: Group, how: dict[str, Any] | None = None) -> Touched:
    """A choice: in front of the ability, or where it is reached. Raises Unsaid."""
    agent = draft.agent
    if agent in (ANYBODY, EVERYBODY) or group.apiece:
        raise Unsaid("several players choosing at the same time")
    if draft.paying and not group.owned and not group.zone and not nobodys(draft, group):
        group = group.also(f"{SUBJECT}.controller = {agent}")
    if draft.paying and not group.owned and group.zone in draft.lexicon.data.get("areas", {}).values():
        group = group.also(f"{SUBJECT}.owner = {agent}")  # out of play, too, one pays with what is one's own
        if draft.type is None or draft.type in draft.lexicon.data.get("no-standing", ()):
            group = group.also(f"{SUBJECT} != this")  # what is used from there does not pay for itself
    unnamed = (
        group.zone == draft.lexicon.data.get("played-from") and not group.noun.test and len(group.tests) < 2
    )
    data = draft.lexicon.data
    held = data.get("held", "")
    if (
        unnamed
        and how is not None
        and (draft.paying or agent != "you" or not held or group.tests[:1] != (f"{SUBJECT}.owner = {agent}",))
    ):
        raise Unsaid("several cards of a hand, since a scenario may leave them unnamed")
    theirs = f"{SUBJECT}.owner != you" in group.tests and bool(group.zone)
    if theirs and how is not None and data.get("opponents") == "several":
        raise Unsaid("several cards of one of several opponents")
    name = draft.name()
    hiding = data.get("hidden-zones", ("hand", "deck"))
    hidden = not draft.paying and any(zone in hiding for zone in group.zone.split("|"))
    found = filter_of(draft, group)
    several = how is not None
    if unnamed and several:
        found = f"{held} where owner = {agent}"  # those that nobody named, too
    if agent == "you" and not draft.middle and not hidden:
        draft.choose[name] = {"from": found, **how} if how else found
        optional = False
    else:
        step: dict[str, Any] = {"as": name, "from": found, **(how or {})}
        step.pop("at-least", None)
        if agent != "you":
            step["by"] = agent
        draft.pending.append({"choose": step})
        optional = True
    bearer = data.get("bearer", {})
    below = group.below or (
        bearer["nouns"][0] if group.noun.place and group.noun.place == bearer.get("zone") else ""
    )
    if below and not several:  # `that domain`: where it lay when it was chosen
        draft.lets[f"{name}-host"] = f"{name}.{data['host'].removeprefix('it.')}"
        draft.mention(Referent(f"{name}-host", below, "host"))
    draft.mention(
        Referent(
            name,
            group.word,
            "cost" if draft.paying else "choice",
            plural=several,
            traits=group.tests,
            zone=group.zone,
        )
    )
    if not several and (whose := data.get("stand-for", {}).get(group.word)):
        draft.players.append(f"{name}.{whose}")  # whom `that player` means then
    if several:
        return Touched(each=f"card where it in {name}", noun=group.word)
    return Touched(name, noun=group.word, optional=optional)


@object_of("from-place")
def _self_from(draft: Draft, tree: Tree, whose: Tree, zone: str) -> Touched:
    """This card out of a zone: that is where its ability works."""
    if player.of(draft, whose) != "you":
        raise Dead
    draft.zones += zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    return object_of.of(draft, tree)


@object_of("out-of-place")
def _that_from(draft: Draft, tree: Tree, whose: Tree, zone: str) -> Touched:
    """`put that character into play from your discard pile`, to which it has just come: your own. Raises Unsaid."""
    if player.of(draft, whose) != "you" or draft.point != "after":
        raise Unsaid("where the card comes from")
    found = object_of.of(draft, tree)
    place = zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    arrives = draft.lexicon.data.get("arrives-in", {}).get(draft.answers)
    if not found.expression.startswith("trigger.") or arrives not in place:
        raise Unsaid("where the card comes from")
    draft.tests.append(f"{found.expression}.owner = you")
    return found


PICKS = frozenset(
    [
        "pick",
        "pick-either",
        "pick-one-of",
        "pick-apart",
        "pick-or-self",
        "pick-other",
        "pick-of",
        "pick-other-of",
        "pick-of-two",
        "picks",
        "picks-other",
        "up-to",
        "up-to-other",
        "any-number",
        "up-to-of",
        "picks-of",
        "picks-x",
        "picks-having",
        "picks-x-other",
        "picks-x-of",
        "up-to-x",
    ]
)


@object_of("last")
def _last(draft: Draft) -> Touched:
    """What was chosen just now."""
    one = draft.memory[-1]
    return Touched(each=f"card where it in {one.expression}") if one.plural else Touched(one.expression)


@object_of("each-two")
def _each_two(draft: Draft, group: Tree, other: Tree) -> Touched:
    """All of the one and all of the other, at once."""
    if f"{group[1]}~and~{other[1]}" in draft.lexicon.nouns:
        raise Dead  # one noun, and what stands around it is of both
    sides = [all_of(tests_of(draft, group_of(draft, one), placed=True)) for one in (group, other)]
    whole = draft.lexicon.data["everything"]
    if any(SUBJECT + "." not in side or f"{SUBJECT}," in side for side in sides):
        raise Unsaid("this combination of two groups")
    return Touched(
        each=f"{whole} where " + " or ".join(f"({side.replace(SUBJECT + '.', '')})" for side in sides)
    )
