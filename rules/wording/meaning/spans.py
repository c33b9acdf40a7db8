"""Effects that hold for a while, come later, stand in the place of others, or go through a deck."""

from typing import Any

from rules.wording.grammar import Tree
from rules.wording.meaning.changes import Change, Grant, changes_of, told_of
from rules.wording.meaning.deeds import done
from rules.wording.meaning.draft import Dead, Draft, Unsaid
from rules.wording.meaning.effects import act, block, must_choose
from rules.wording.meaning.events import condition, never_done
from rules.wording.meaning.nouns import all_of, group_of, in_place
from rules.wording.meaning.objects import Steps, chosen, object_of
from rules.wording.meaning.references import is_story, place_of, plural_of, reference


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
        many = plural_of(draft, subject[1])
        return changed(draft, many.expression, many.noun, changes, until)
    if subject[0] not in _EACHES:
        raise Unsaid("which cards this applies to")
    touched = object_of.of(draft, _EACHES[subject[0]](subject))
    inner = changed(draft, "who", touched.noun, changes, until)
    return [{"for": touched.each, "as": "who", "do": inner}]


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
    if any("trigger." in entry["if"] for entry in entries):
        raise Unsaid("a prohibition that refers to what triggered it")
    return [{"forbid": {**entry, "until": until}} for entry in entries]


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


@act("change-icon")
def _change_icon(draft: Draft, ref: Tree, old: str, new: Tree, until: str) -> Steps:
    one = reference.of(draft, ref)
    lost = ("list", ("lose-icons", ("list", old)), ("icons", new))
    has = f"{one.expression}.{draft.lexicon.icons[old.replace('~', ' ')]['stat']} > 0"  # else there is none to change
    return [{"if": has, "then": changed(draft, one.expression, one.noun, lost, until)}]


@act("later")
def _later(draft: Draft, when: str, steps: Tree) -> Steps:
    return _delayed(draft, when, "", steps)


@act("later-if")
def _later_if(draft: Draft, when: str, test: Tree, steps: Tree) -> Steps:
    return _delayed(draft, when, condition.of(draft, test), steps)


def _delayed(draft: Draft, when: str, test: str, steps: Tree) -> Steps:
    entry = draft.lexicon.entry("later", when)
    draft.middle += 1
    ability: dict[str, Any] = {"kind": draft.lexicon.data["delayed-kind"], "at": "after", "of": entry["of"]}
    tests = [one for one in (entry.get("if", ""), test) if one]
    if tests:
        ability["if"] = all_of(tests)
    ability["do"] = block(draft, steps)
    draft.middle -= 1
    if "trigger." in str(ability["do"]) + test:
        raise Unsaid("a later effect on what triggers this")
    return [{"delayed": {**ability, "once": "yes", "until": entry["until"]}}]


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


@act("search-play")
def _search_play(draft: Draft, group: Tree, shown: Tree, found: Tree) -> Steps:
    step = {"do": draft.lexicon.data["search"]["to-play"], "card": "FOUND", "by": "you"}
    return _searched(draft, group, shown, found, step)


def _searched(draft: Draft, group: Tree, shown: Tree, called: Tree, last: dict[str, Any]) -> Steps:
    """A deck searched for one card, which is shown and goes where it goes; `called`: how the text speaks of it
    then.
    """
    verbs = draft.lexicon.data["search"]
    for spoken in (shown, called):
        if spoken[0] == "that" and draft.noun(spoken[1]).test != draft.noun(group[1]).test:
            raise Dead
    never_done(draft, last["do"], str(group[1]))
    steps = [{"do": verbs["reveal"], "card": "FOUND"}, last] if shown[0] != "hidden" else [last]
    found = in_place(draft, group_of(draft, group), ("you",), "deck")
    touched = chosen(draft, found)
    choice = draft.pending.pop()
    draft.optional.append(touched.expression)
    then = [
        {key: touched.expression if value == "FOUND" else value for key, value in step.items()}
        for step in steps
    ]
    return [
        {"do": verbs["search"], "who": "you"},
        choice,
        {"if": f"{touched.expression} != nothing", "then": then},
    ]
