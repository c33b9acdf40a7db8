"""Effects that hold for a while, come later, stand in the place of others, or go through a deck."""

import re
from dataclasses import replace
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, zones_of
from rules.wording.meaning.changes import Change, Grant, changes_of, told_of
from rules.wording.meaning.deeds import done
from rules.wording.meaning.draft import Card, Dead, Draft, Referent, Unsaid
from rules.wording.meaning.effects import act, block, must_choose
from rules.wording.meaning.events import by_name, condition, kept, never_done
from rules.wording.meaning.nouns import Group, all_of, filter_of, group_of, in_place, tests_of
from rules.wording.meaning.objects import Steps, chosen, object_of
from rules.wording.meaning.references import is_story, place_of, player, plural_of, reference, two_chosen


@act("act-for")
def _act_for(draft: Draft, verb: Tree, until: str) -> Steps:
    return _until(draft, verb, until)


@act("chosen-for")
def _chosen_for(draft: Draft, verb: Tree, until: str) -> Steps:
    must_choose(verb)
    return _until(draft, verb, until)


def _until(draft: Draft, tree: Tree, until: str) -> Steps:
    """A deed that holds for a while only: where the occurrence has a role for that."""
    verb = draft.lexicon.verbs[tree[1]]
    if not verb.until:
        raise Dead
    steps = done(draft, tree, "you")
    last = steps[-1]
    (last["then"][0] if "then" in last else last)[verb.until] = until
    return steps


@act("three-for")
def _three_for(draft: Draft, first: Tree, second: Tree, third: Tree, until: str) -> Steps:
    """`restore, ready, and take control of that character until ..`: one after another. Raises Dead."""
    _, _, *roles = third
    if len(roles) != 1 or roles[0][1][0] != "one":
        raise Dead
    thing = roles[0][1]
    both = [step for verb in (first, second) for step in done(draft, (*verb[:2], (verb[2], thing)), "you")]
    return [*both, *_until(draft, third, until)]


@act("lasting")
def _lasting(draft: Draft, subject: Tree, changes: Tree, until: str) -> Steps:
    if subject[0] == "one":
        one = reference.of(draft, subject[1])
        return changed(draft, one.expression, one.noun, changes, until)
    if subject[0] == "story":
        return changed(
            draft, place_of.of(draft, subject[1]), draft.lexicon.data["story"]["nouns"][0], changes, until
        )
    if subject[0] == "several":
        if subject[1][0] == "those" and not any(one.plural for one in draft.memory):
            two = two_chosen(draft, subject[1][1])  # chosen one by one
            return [step for one in two for step in changed(draft, one, subject[1][1], changes, until)]
        many = plural_of(draft, subject[1])
        return changed(draft, many.expression, many.noun, changes, until)
    if subject[0] not in _EACHES:
        raise Unsaid("which cards this applies to")
    if changes[1][0] in draft.lexicon.data.get("also-later", ()):
        return _for_whatever_fits(draft, subject, changes, until)
    touched = object_of.of(draft, _EACHES[subject[0]](subject))
    inner = changed(draft, "who", touched.noun, changes, until)
    return [{"for": touched.each, "as": "who", "do": inner}]


def _for_whatever_fits(draft: Draft, subject: Tree, changes: Tree, until: str) -> Steps:
    """`this turn, your Ninja units have haste`: those too that are such only later. Raises Unsaid."""
    from rules.wording.meaning.continuous import standing

    found = standing.of(draft, ("standing", subject, changes, ("always",)))
    entries = found.pop("always", [])
    if found or any(one[0] != changes[1][0] for one in changes[1:]):
        raise Unsaid("what those have too that come later")
    if any(not isinstance(entry.get("by", 0), int) for entry in entries):
        raise Unsaid("a number that is counted for those too that come later")
    return [{"lasting": {"for": entry.pop("of"), **entry, "until": until}} for entry in entries]


@act("lasting-own-printed")
def _lasting_own_printed(draft: Draft, subject: Tree, stat: str, other: str, until: str) -> Steps:
    """`gets -X skill, where X is its printed skill`. Raises Dead."""
    if stat != other:
        raise Dead
    return _lasting(draft, subject, ("list", ("no-printed", stat)), until)


@act("lasting-two")
def _lasting_two(draft: Draft, one: Tree, changes: Tree, other: Tree, more: Tree, until: str) -> Steps:
    """`that character gains .. and this one loses ..`."""
    return [*_lasting(draft, one, changes, until), *_lasting(draft, other, more, until)]


_EACHES = {
    "each": lambda tree: tree,
    "each-other": lambda tree: tree,
    "each-of": lambda tree: tree,
}


@act("lasting-pick")
def _lasting_pick(draft: Draft, subject: Tree, changes: Tree, until: str) -> Steps:
    before = len(draft.pending)
    if subject[0] in ("one", "several", *_EACHES):
        return _lasting(draft, subject, changes, until)
    touched = object_of.of(draft, subject)
    steps = draft.pending[before:]
    del draft.pending[before:]
    target = draft.memory[-1].expression
    lasting = changed(draft, target, touched.noun, changes, until)
    return (
        [*steps, {"if": f"{target} != nothing", "then": lasting}] if touched.optional else [*steps, *lasting]
    )


def changed(draft: Draft, of: str, noun: str, changes: Tree, until: str) -> Steps:
    found: Steps = []
    draft.grantee = "self" if of == "this" else "other"
    for change in changes_of(draft, changes, noun):
        if isinstance(change, Change):
            found.append({"lasting": {"of": of, **told_of(change, of), "until": until}})
        elif isinstance(change, Grant):
            found.append({"grant": {"to": of, "ability": change.ability, "until": until}})
        else:
            raise Unsaid("immunity for a limited time")
    return found


@act("lasting-instead")
def _lasting_instead(
    draft: Draft, subject: Tree, less: str, stat: str, more: str, other: str, test: Tree, until: str
) -> Steps:
    """`gets +1 skill. +2 skill instead if ..`: the one or the other. Raises Dead, Unsaid."""
    if stat != other or less == more:
        raise Dead
    before = len(draft.pending)
    if subject[0] in ("one", "pick", "pick-other", "pick-of"):
        touched = object_of.of(draft, subject)
    else:
        raise Unsaid("more for several instead")
    steps = draft.pending[before:]
    del draft.pending[before:]
    if touched.optional:
        raise Unsaid("an effect on a card that may not be there")
    holds = condition.of(draft, test)
    ways = [
        changed(draft, touched.expression, touched.noun, ("list", ("add", stat, number)), until)
        for number in (more, less)
    ]
    return [*steps, {"if": holds, "then": ways[0], "else": ways[1]}]


@act("untiring-there")
def _untiring_there(draft: Draft, place: Tree, until: str) -> Steps:
    """Of all characters, those that come later too."""
    words = draft.lexicon.data["story"]
    every = draft.noun(words["who"]).test.replace(SUBJECT, "it")
    lasting = {"for": every, "stat": words["untiring-at"], "by": place_of.of(draft, place), "until": until}
    return [{"lasting": lasting}]


@act("cancel-consequence")
def _cancel_consequence(draft: Draft) -> Steps:
    if draft.answers != draft.lexicon.data["consequence"]["of"]:
        raise Dead
    return [{"cancel": "trigger"}]


@act("icons-traded")
def _icons_traded(draft: Draft, head: str, until: str) -> Steps:
    """Each of two has the icons that the other had. Raises Dead."""
    one, other = two_chosen(draft, head)
    icons = [icon["stat"] for icon in draft.lexicon.icons.values()]
    known = {f"{name}-{icon}": f"{name}.{icon}" for name in (one, other) for icon in icons}
    traded = [
        {"lasting": {"of": to, "stat": icon, "by": f"{away}-{icon} - {to}-{icon}", "until": until}}
        for to, away in ((one, other), (other, one))
        for icon in icons
    ]
    return [{"let": known}, *traded]


@act("posed")
def _posed(draft: Draft, head: str, build: Tree, until: str) -> Steps:
    """`turn ~ into a character with ..`: a character, for a while."""
    words = draft.lexicon.data["posing"]
    if draft.noun(head).test != draft.noun(words["as"]).test or draft.type == words["as"]:
        raise Dead
    pose = {"lasting": {"of": "this", "stat": words["fact"], "to": "yes", "until": until}}
    return [pose, *(_made(step) for step in changed(draft, "this", words["as"], build, until))]


def _made(step: dict[str, Any]) -> dict[str, Any]:
    """What is made a character `with 3 skill` has that skill, once or twice: nothing is added to what it had."""
    told = step.get("lasting", {})
    if not isinstance(told.get("by"), int):
        return step
    return {"lasting": {("to" if key == "by" else key): value for key, value in told.items()}}


@act("posed-in")
def _posed_in(draft: Draft, subtype: str, head: str, build: Tree, later: str) -> Steps:
    """`put ~ into play as a Monster character with ..`, until it is sacrificed. Raises Dead."""
    entry = draft.lexicon.entry("later", later)
    verb = draft.lexicon.data["search"]["to-play"]
    sacrificed = next((one.do for one in draft.lexicon.verbs.values() if one.says == "sacrifice {card}"), "")
    if draft.type not in draft.lexicon.data["no-standing"] or not sacrificed:
        raise Dead
    draft.zones.append(draft.lexicon.data["played-from"])  # in play its text does nothing more
    later_ = {
        "kind": draft.lexicon.data["delayed-kind"], "at": "after", "of": entry["of"],
        "do": [{"do": sacrificed, "card": "this"}], "once": "yes", "until": entry["until"],
    }  # fmt: skip
    _, *changes = _posed(draft, head, ("list", *build[1:], ("subtype", subtype)), "leaves")
    enter = {"do": verb, "card": "this", "by": "you", "guise": draft.lexicon.data["posing"]["guise"]}
    return [enter, {"then": changes}, {"delayed": later_}]


@act("another-instead")
def _another_instead(draft: Draft, group: Tree, head: str, verb: Tree) -> Steps:
    """`choose another character instead. That character goes insane`. Raises Dead, Unsaid."""
    touched = object_of.of(draft, ("pick-other", group))
    if touched.optional or draft.noun(head).test != draft.noun(group[1]).test:
        raise Dead
    steps = _instead(draft, ("befall-able", ("one", ("that", head)), verb))
    if steps[0]["with"][0].get("do") != draft.answers:
        raise Dead
    return steps


@act("wounds-instead")
def _wounds_instead(draft: Draft, head: str) -> Steps:
    """`place the wound tokens on ~ instead of on the wounded character`. Raises Dead."""
    words = draft.lexicon.data["all-of-them"]["wounds"]
    verb = next(
        (one for one in draft.lexicon.verbs.values() if one.says == "give {to} {amount} wounds"), None
    )
    if verb is None or draft.answers != draft.lexicon.data["cancellable"]["wound"][0]:
        raise Dead
    if reference.of(draft, ("that", head)).expression != f"trigger.{words['role']}":
        raise Dead
    place = {"do": verb.do, words["role"]: "this", "amount": "trigger.amount"}
    return [{"replace": "trigger", "with": [place]}]


@act("search-several")
def _search_several(draft: Draft, most: Tree, group: Tree, shown: str, where: Any) -> Steps:
    """As many as one likes, or up to so many. What goes on top is put there when the deck has been shuffled."""
    verbs = draft.lexicon.data["search"]
    found = in_place(draft, group_of(draft, group), ("you",), "deck")
    count = {"count": int(most[1])} if most[0] == "up-to" else {"count": f"count({filter_of(draft, found)})"}
    touched = chosen(draft, found, {**count, "up-to": "yes"})
    choice = draft.pending.pop()
    steps: Steps = [{"do": verbs["search"], "who": "you"}, choice]
    if shown == "shown":
        steps.append({"do": verbs["reveal"], "each": touched.each, "card": "it"})
    if where == "hand":
        return [*steps, {"do": verbs["to-hand"], "each": touched.each, "card": "it"}]
    if where == "top":
        put = {"do": verbs["to-top"], "card": "one"}
        shuffle = {"do": verbs["shuffle"], "who": "you"}
        return [*steps, shuffle, {"for": touched.each, "as": "one", "order": "you", "do": [put]}]
    if draft.type != draft.lexicon.data["story"]["who"]:
        raise Dead
    fits = f"{touched.each} and this in attaches-to"
    return [*steps, {"do": verbs["to-play"], "each": fits, "card": "it", "by": "you", "onto": "this"}]


@act("icons-given")
def _icons_given(draft: Draft, subject: Tree, until: str) -> Steps:
    """`sacrifice a character to give its printed icons to another`: of what was just spoken of."""
    one = reference.of(draft, ("it",))
    touched = object_of.of(draft, subject)
    if touched.optional or not touched.expression:
        raise Unsaid("icons given to several characters")
    icons = [icon["stat"] for icon in draft.lexicon.icons.values()]
    return [
        {
            "lasting": {
                "of": touched.expression,
                "stat": icon,
                "by": f"printed({one.expression}.{icon})",
                "until": until,
            }
        }
        for icon in icons
    ]


@act("permit")
def _permit(draft: Draft, phrase: str, until: str) -> Steps:
    entry = draft.lexicon.entry("permits", phrase)
    return [{"lasting": {"of": entry["of"], "stat": entry["stat"], "by": 1, "until": until}}]


@act("player-fact-for")
def _player_fact_for(draft: Draft, who: Tree, words: str, until: str) -> Steps:
    """`that player plays with his hand revealed`, for a while."""
    from rules.wording.meaning.continuous import of_players

    entry = of_players(draft, who, words)
    of = entry.pop("of")
    if of.startswith("it = "):
        return [{"lasting": {"of": of.removeprefix("it = "), **entry, "until": until}}]
    each = f"player where {of}" if of == "it != you" else "player"
    return [{"for": each, "as": "one", "do": [{"lasting": {"of": "one", **entry, "until": until}}]}]


@act("world-for")
def _world_for(draft: Draft, words: str, until: str) -> Steps:
    """What holds of all cards of a sort, for a while: of those that come later too."""
    entry = dict(draft.lexicon.entry("world", words))
    return [{"lasting": {"for": entry.pop("of"), **entry, "until": until}}]


@act("top-or-bottom")
def _top_or_bottom(draft: Draft, thing: Tree) -> Steps:
    """`put it on the top or bottom of its owner's deck`: one way or the other."""
    words = draft.lexicon.data["search"]
    one = object_of.of(draft, thing)
    if thing[0] != "one" or "to-top" not in words or "to-bottom" not in words:
        raise Unsaid("several cards that go to one end of a deck or the other")
    ways = {label: [{"do": words[verb], "card": one.expression}] for label, verb in _ENDS.items()}
    return [{"one-of": ways}]


_ENDS = {"on top": "to-top", "on the bottom": "to-bottom"}


@act("close")
def _close(draft: Draft, tree: Tree, until: str) -> Steps:
    from rules.wording.meaning.continuous import closed

    where, changes = closed(draft, tree)
    return [{"lasting": {"of": where, **told_of(one, where), "until": until}} for one in changes]


@act("clear-tokens")
def _clear_tokens(draft: Draft, subject: Tree) -> Steps:
    """All success tokens of a story, whosever they are."""
    sides = draft.lexicon.data.get("story", {}).get("sides")
    if sides is None:
        raise Unsaid("tokens on a story")
    if subject[0] == "story":
        of = place_of.of(draft, subject[1])
        return [{"set": side, "of": of, "to": 0} for side in sides]
    one = object_of.of(draft, subject)
    if not one.noun or not is_story(draft, one.noun):
        raise Dead
    if not one.each:
        return [{"set": side, "of": one.expression, "to": 0} for side in sides]
    return [{"for": one.each, "as": "who", "do": [{"set": side, "of": "who", "to": 0} for side in sides]}]


@act("forbid")
def _forbid(draft: Draft, subject: Tree, barred: Tree, until: str) -> Steps:
    from rules.wording.meaning.continuous import prohibited

    if subject[0] not in ("one", *_EACHES):
        raise Unsaid("a prohibition for several cards")
    both = barred[1:] if barred[0] == "either" else (barred,)
    entries = [prohibited(draft, subject, one) for one in both]
    steps: Steps = [{"forbid": {**entry, "until": until}} for entry in entries]
    named, known = kept({"steps": steps})
    return [*([{"let": known}] if known else []), *named["steps"]]


@act("forbid-during")
def _forbid_during(draft: Draft, subject: Tree, barred: Tree, time: str, until: str) -> Steps:
    """`that character cannot stand during the standing phase this round`."""
    steps = _forbid(draft, subject, barred, until)
    below = f"this.{draft.lexicon.data['host'].removeprefix('it.')}"
    for step in steps:
        if "forbid" in step:
            holds = all_of([step["forbid"]["if"], draft.lexicon.phrase("times", time)])
            if below in holds:  # the one to which it is attached now
                draft.lets["the-bearer"] = below
            step["forbid"]["if"] = holds.replace(below, "the-bearer")
    return steps


@act("no-use")
def _no_use(draft: Draft, group: Tree, until: str) -> Steps:
    """`no event cards can be played this phase`."""
    from rules.wording.meaning.continuous import unusable

    return [{"forbid": {**unusable(draft, ("of-card", group)), "until": until}}]


@act("lasting-unsaid")
def _lasting_unsaid(draft: Draft, tree: Tree) -> Steps:
    """What lasts as long as the game's rules have it where nothing is said: for what a headed ability does."""
    lasts = draft.lexicon.data.get("lasts")
    if lasts is None or draft.kind in ("", draft.lexicon.data.get("unheaded")):
        raise Unsaid("how long this lasts")
    return act.of(draft, (*tree, lasts))


def cancelling(what: str) -> dict[str, Any]:
    """One wound is one of those dealt; an effect, or wounds, are all of it."""
    return {"cancel": "trigger", "amount": 1} if what == "wound" else {"cancel": "trigger"}


@act("cancel")
def _cancel(draft: Draft, what: str) -> Steps:
    if not draft.lexicon.cancels(what, draft.answers):
        raise Dead
    return [cancelling(what)]


@act("cancel-on")
def _cancel_on(draft: Draft, what: str, head: str) -> Steps:
    if reference.of(draft, ("that", head)).expression != "trigger.to":
        raise Dead
    return _cancel(draft, what)


@act("search-discard")
def _search_discard(draft: Draft, group: Tree, shown: Tree, found: Tree) -> Steps:
    return _searched(
        draft, group, shown, found, {"do": draft.lexicon.data["search"]["to-discard"], "card": "FOUND"}
    )


@act("instead")
def _instead(draft: Draft, what: Tree) -> Steps:
    """In place of what would happen: deeds only, with nothing to choose on the way."""
    if draft.point not in draft.lexicon.data.get("would", {}).values():
        raise Dead
    steps = act.of(draft, what)
    if any("do" not in step for step in steps):
        raise Unsaid("a choice that replaces what would happen")
    return [{"replace": "trigger", "with": steps}]


@act("instead-of")
def _instead_of(draft: Draft, deed: str, what: Tree) -> Steps:
    """`return it to your hand instead of destroying it`: of what would happen. Raises Dead."""
    if deed != draft.answers:
        raise Dead
    return _instead(draft, what)


@act("change-icon")
def _change_icon(draft: Draft, ref: Tree, old: str, new: Tree, until: str) -> Steps:
    one = reference.of(draft, ref)
    lost = ("list", ("lose-icons", ("list", old)), ("icons", new))
    has = f"{one.expression}.{draft.lexicon.icons[old.replace('~', ' ')]['stat']} > 0"  # else there is none to change
    return [{"if": has, "then": changed(draft, one.expression, one.noun, lost, until)}]


@act("in-order", "in-order-able")
def _in_order(draft: Draft, who: Tree, verb: Tree, able: bool = False) -> Steps:
    """`put 2 cards on top of your deck in any order`: one after another, as the one who does it orders them."""
    words = draft.lexicon.data.get("search", {})
    steps = done(draft, verb, player.of(draft, who))
    last = steps[-1]
    if "for" in last and last.get("order") == draft.agent and not able:
        return steps  # ordered as they are
    if last.get("do") not in (words.get("to-top"), words.get("to-bottom")) or "each" not in last or able:
        raise Unsaid("several that are dealt with in an order of one’s choice")
    inner = {**{key: value for key, value in last.items() if key != "each"}, "card": "one"}
    return [*steps[:-1], {"for": last["each"], "as": "one", "order": draft.agent, "do": [inner]}]


@act("move-self")
def _move_self(draft: Draft, group: Tree) -> Steps:
    """An attachment moves to another card to which it could be attached."""
    where = draft.lexicon.data.get("attachable")
    if where is None or "attach" not in draft.lexicon.system.occurrences:
        raise Unsaid("an attachment that moves")
    host = draft.lexicon.data["host"].removeprefix("it.")
    found = group_of(draft, group).also(re.sub(r"\bit\b", SUBJECT, where), f"{SUBJECT} != this.{host}")
    touched = chosen(draft, found)
    if touched.optional:
        raise Unsaid("an attachment that moves")
    return [{"do": "attach", "card": "this", "onto": touched.expression}]


@act("move-attached")
def _move_attached(draft: Draft, thing: Tree, group: Tree) -> Steps:
    """`move a Tome attached to .. to another character`: to one to which it could be attached."""
    where, host = draft.lexicon.data.get("attachable"), draft.lexicon.data["host"].removeprefix("it.")
    if where is None or "attach" not in draft.lexicon.system.occurrences or thing[0] != "pick":
        raise Unsaid("an attachment that moves")
    if not any(post[0] in ("on", "on-one") for post in thing[1][3][1:]):
        raise Dead
    one = object_of.of(draft, thing)
    lies = where.replace("this", one.expression)
    onto = group_of(draft, group).also(
        re.sub(r"\bit\b", SUBJECT, lies), f"{SUBJECT} != {one.expression}.{host}"
    )
    touched = chosen(draft, onto)
    if one.optional or touched.optional:
        raise Unsaid("an attachment that moves")
    return [{"do": "attach", "card": one.expression, "onto": touched.expression}]


@act("attach-self")
def _attach_self(draft: Draft, thing: Tree, counted: Tree) -> Steps:
    """`attach ~ to a story. Counts as an Environment support card with the text ".."`: what it is there, and does."""
    if draft.card.lent or draft.borne:
        raise Dead
    before = len(draft.pending)
    one = object_of.of(draft, thing)
    steps = draft.pending[before:]
    del draft.pending[before:]
    if one.each or not one.expression:
        raise Unsaid("a card attached to several others")
    _, subtypes, texts = counted
    words = draft.lexicon.data["borne"]
    named = [draft.lexicon.subtypes[word][1] for word in subtypes[1:]]
    card = Card("support", lies_on=one.noun)
    for text in texts[1:]:
        found = draft.decide(_borne_text(draft, text, card))
        if set(found) - {"always", "cannot", "subtypes"}:
            raise Unsaid("an ability of a card that an effect attaches")
        named += found.get("subtypes", [])
        for key, test in (("always", "while"), ("cannot", "if")):
            rows = [
                {**row, test: all_of([*filter(None, [row.get(test)]), words["while"]])}
                for row in found.get(key, ())
            ]
            if rows:
                draft.borne[key] = [*draft.borne.get(key, ()), *rows]
    if named:  # (else it is what the game's rules have it)
        named = [*words.get("also", ()), *named]
        draft.borne |= {words["mark"]: "yes", words["subtypes"]: list(dict.fromkeys(named))}
    attach = {"do": "attach", "card": "this", "onto": one.expression, "from": "this"}
    return [*steps, {"if": f"{one.expression} != nothing", "then": [attach]} if one.optional else attach]


@act("attach-self-from")
def _attach_self_from(draft: Draft, head: str, thing: Tree, counted: Tree) -> Steps:
    """`unattach ~ from that domain and attach it to ..`: of what lies there as a resource. Raises Dead."""
    if (
        head not in draft.lexicon.data["bearer"]["nouns"]
        or draft.lexicon.data["bearer"]["zone"] not in draft.zones
    ):
        raise Dead
    return _attach_self(draft, thing, counted)


def _borne_text(draft: Draft, text: Tree, card: Card) -> list[dict[str, Any]]:
    from rules.wording.meaning.abilities import meanings

    if text[0] == "fixed":
        return [dict(draft.lexicon.entry("texts", text[1]))]
    return meanings(draft.lexicon, text, card)


@act("count-at")
def _count_at(draft: Draft, ref: Tree, place: Tree, until: str) -> Steps:
    """Its skill and icons count at a story where it is not committed."""
    fact = draft.lexicon.data["story"]["counts"]
    spoken = place[0] in place_of.heads
    story = place_of.of(draft, place) if spoken else object_of.of(draft, place).expression
    if not story:
        raise Unsaid("counting at several stories")
    one = reference.of(draft, ref).expression
    return [{"lasting": {"of": one, "stat": fact, "by": story, "until": until}}]


@act("later")
def _later(draft: Draft, when: str, steps: Tree) -> Steps:
    return _delayed(draft, when, "", steps)


@act("later-if")
def _later_if(draft: Draft, when: str, test: Tree, steps: Tree) -> Steps:
    return _delayed(draft, when, condition.of(draft, test), steps, test[1] if test[0] == "is" else None)


def _delayed(draft: Draft, when: str, test: str, steps: Tree, subject: Tree | None = None) -> Steps:
    entry = draft.lexicon.entry("later", when)
    if subject is not None:  # `if ~ is still in play, return her`: of whom that is said
        found = reference.of(draft, subject)
        draft.mention(Referent(found.expression, found.noun, "choice"))
    draft.middle += 1
    ability: dict[str, Any] = {"kind": draft.lexicon.data["delayed-kind"], "at": "after", "of": entry["of"]}
    tests = [one for one in (entry.get("if", ""), test) if one]
    if tests:
        ability["if"] = all_of(tests)
    ability["do"] = block(draft, steps)
    draft.middle -= 1
    delayed = {**ability, "once": "yes", "until": entry["until"]}
    named, known = kept(delayed)
    return [*([{"let": known}] if known else []), {"delayed": named}]


@act("shuffled")
def _shuffled(draft: Draft, search: Tree) -> Steps:
    """What was searched is shuffled, whatever was found."""
    verbs = draft.lexicon.data["search"]
    return [*act.of(draft, search), {"do": verbs["shuffle"], "who": "you"}]


@act("search-hand")
def _search_hand(draft: Draft, group: Tree, shown: Tree, found: Tree) -> Steps:
    return _searched(
        draft, group, shown, found, {"do": draft.lexicon.data["search"]["to-hand"], "card": "FOUND"}
    )


@act("search-hand-either")
def _search_hand_either(draft: Draft, one: Tree, other: Tree, shown: Tree, found: Tree) -> Steps:
    """`search your deck for an event or a Tome`: one of either. Raises Dead."""
    step = {"do": draft.lexicon.data["search"]["to-hand"], "card": "FOUND"}
    groups = [group_of(draft, tree) for tree in (one, other)]
    if any(group.zone or group.noun.place for group in groups):
        raise Dead
    either = " or ".join(f"({all_of(tests_of(draft, group))})" for group in groups)
    if found[0] == "that" or shown[0] == "that":
        raise Dead
    return _searched(draft, one, shown, found, step, Group(draft.noun("card"), (either,), word="card"))


@act("search-play")
def _search_play(draft: Draft, group: Tree, shown: Tree, found: Tree) -> Steps:
    step = {"do": draft.lexicon.data["search"]["to-play"], "card": "FOUND", "by": "you"}
    return _searched(draft, group, shown, found, step)


@act("search-or-play")
def _search_or_play(draft: Draft, group: Tree, shown: Tree, found: Tree, test: Tree, way: str) -> Steps:
    """`add it to your hand. Put it into play instead if ..`: the one or the other. Raises Dead, Unsaid."""
    words = draft.lexicon.data["search"]
    never_done(draft, words["to-play"], str(group[1]))
    steps = _search_hand(draft, group, shown, found)
    *_, last = steps
    *first, take = last["then"]
    holds = condition.of(draft, test)
    play = {"do": words["to-play"], "card": take["card"], "by": "you"}
    then: Steps = [{"one-of": {"take": [take], "play": [play]}}] if way == "may" else [play]
    return [*steps[:-1], {**last, "then": [*first, {"if": holds, "then": then, "else": [take]}]}]


@act("search-piles")
def _search_piles(draft: Draft, places: Tree, group: Tree, found: Tree) -> Steps:
    """`search your hand, deck, and discard pile for a card and put it into play`. Raises Dead, Unsaid."""
    zones = [zone for place in places[1:] for zone in zones_of(draft.lexicon.entry("zones", place))]
    owned = draft.lexicon.data["owned-zones"]
    among = group_of(draft, group)
    if among.zone or len(set(zones)) < len(zones) or not set(zones) <= set(owned) or "deck" not in zones:
        raise Dead
    last = {"do": draft.lexicon.data["search"]["to-play"], "card": "FOUND", "by": "you"}
    placed = replace(among.also(f"{SUBJECT}.owner = you"), zone="|".join(zones))
    return _searched(draft, group, ("hidden",), found, last, placed)


@act("search-borne")
def _search_borne(draft: Draft, group: Tree, found: Tree, onto: Tree, head: str) -> Steps:
    """`search your deck for a card and attach it to a domain as a resource`. Raises Dead, Unsaid."""
    bearer = draft.lexicon.data["bearer"]
    before = len(draft.pending)
    one = object_of.of(draft, onto)
    steps = draft.pending[before:]
    del draft.pending[before:]
    if draft.noun(head).place != bearer["zone"] or one.noun not in bearer["nouns"]:
        raise Dead
    if steps or one.each or one.optional:
        raise Unsaid("where what is found goes")
    step = {"do": bearer["zone"], "card": "FOUND", "onto": one.expression}
    return _searched(draft, group, ("hidden",), found, step)


@act("each-searches")
def _each_searches(draft: Draft, way: str, group: Tree, shown: str, where: str) -> Steps:
    """Each player searches his deck, you first."""
    verbs = draft.lexicon.data["search"]
    known: Tree = ("it",) if shown == "shown" else ("hidden",)
    steps: Steps = []
    draft.middle += 1
    for who in ("you", "next(you)"):
        last: dict[str, Any] = {"do": verbs["to-hand" if where == "hand" else "to-play"], "card": "FOUND"}
        last |= {} if where == "hand" else {"by": who}
        draft.agents.append(who)
        searched = _searched(draft, group, known, ("it",), last, whose=who)
        searched += [{"do": verbs["shuffle"], "who": who}] if way == "may-shuffled" else []
        draft.agents.pop()
        offer: dict[str, Any] = {"may": searched}
        steps += searched if way == "must" else [offer if who == "you" else {**offer, "by": who}]
    draft.middle -= 1
    draft.optional = []
    draft.all_searched = way
    return steps


@act("shuffle-searched")
def _shuffle_searched(draft: Draft) -> Steps:
    """`shuffle the decks`, after each player searched his. Raises Dead."""
    if draft.all_searched != "must":
        raise Dead
    return [{"do": draft.lexicon.data["search"]["shuffle"], "each": "player", "who": "it"}]


def _searched(
    draft: Draft,
    group: Tree,
    shown: Tree,
    called: Tree,
    last: dict[str, Any],
    among: Group | None = None,
    whose: str = "you",
) -> Steps:
    """A deck searched for one card, which is shown and goes where it goes; `called`: how the text speaks of it
    then; `among`: instead of the one group.
    """
    verbs = draft.lexicon.data["search"]
    for spoken in (shown, called):
        if spoken[0] == "that" and draft.noun(spoken[1]).test != draft.noun(group[1]).test:
            raise Dead
    if not by_name(group):
        never_done(draft, last["do"], str(group[1]))
    steps = [{"do": verbs["reveal"], "card": "FOUND"}, last] if shown[0] != "hidden" else [last]
    found = among if among is not None and among.zone else None
    if found is None:
        found = in_place(
            draft, among or group_of(draft, group), ("you",) if whose == "you" else ("he",), "deck"
        )
    touched = chosen(draft, found)
    choice = draft.pending.pop()
    draft.optional.append(touched.expression)
    then = [
        {key: touched.expression if value == "FOUND" else value for key, value in step.items()}
        for step in steps
    ]
    return [
        {"do": verbs["search"], "who": whose},
        choice,
        {"if": f"{touched.expression} != nothing", "then": then},
    ]
