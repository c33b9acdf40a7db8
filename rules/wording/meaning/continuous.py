"""Standing texts: what holds as long as the card is there."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT
from rules.wording.meaning.amounts import quantity_of
from rules.wording.meaning.changes import Change, Grant, changes_of, told_of
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.events import brought_about, condition, of_party, said_of, told, verb_of
from rules.wording.meaning.nouns import (
    Group,
    _total,
    all_of,
    amount_of,
    bracketed_and,
    filter_of,
    group_of,
    negated,
    of_player,
    on,
    other_than,
    predicate,
    tests_of,
)
from rules.wording.meaning.references import ANYBODY, EVERYBODY, place_of, player, reference, story_fact

standing: Meanings[dict[str, Any]] = Meanings("standing text")
covered: Meanings[list[str]] = Meanings("whom it covers")


@covered("one")
def _one(draft: Draft, ref: Tree) -> list[str]:
    return [f"{SUBJECT} = {reference.of(draft, ref).expression}"]


@covered("each")
def _each(draft: Draft, group: Tree) -> list[str]:
    return tests_of(draft, group_of(draft, group), placed=True)


@covered("each-other")
def _each_other(draft: Draft, group: Tree) -> list[str]:
    return [*_each(draft, group), f"{SUBJECT} != {other_than(draft, draft.noun(group[1]))}"]


@covered("each-of")
def _each_of(draft: Draft, whose: Tree, group: Tree) -> list[str]:
    return [*_each(draft, group), of_player(player.of(draft, whose), "controller")]


@covered("each-of-other")
def _each_of_other(draft: Draft, whose: Tree, group: Tree) -> list[str]:
    return [*_each_of(draft, whose, group), f"{SUBJECT} != {other_than(draft, draft.noun(group[1]))}"]


@covered("each-but")
def _each_but(draft: Draft, group: Tree) -> list[str]:
    """`only characters with skill 3 or higher count ..`: those that are no such characters."""
    found = group_of(draft, group)
    if not found.tests or found.zone or found.noun.place:
        raise Dead
    return [*tests_of(draft, replace(found, tests=()), placed=True), negated(all_of(found.tests))]


@covered("each-of-two")
def _each_of_two(draft: Draft, whose: Tree, group: Tree, other: Tree) -> list[str]:
    """`your Soldiers and Mystics`: those of the one kind and those of the other."""
    if f"{group[1]}~and~{other[1]}" in draft.lexicon.nouns:
        raise Dead  # one noun
    sides = [covered.of(draft, ("each-of", whose, one)) for one in (group, other)]
    shared = [test for test in sides[0] if test in sides[1]]
    apart = [all_of([test for test in side if test not in shared]) for side in sides]
    if not all(apart):
        raise Dead
    return [" or ".join(bracketed_and(side) for side in apart), *shared]


@covered("union")
def _union(draft: Draft, a: Tree, b: Tree) -> list[str]:
    if b[-1][0] == "n" and a[-1][0] == "n" and len(b[-1][3]) > 1 and len(a[-1][3]) == 1:
        raise Unsaid("whether what follows the second of two groups is said of the first as well")
    return [f"({all_of(covered.of(draft, a))}) or ({all_of(covered.of(draft, b))})"]


def _spoken_of(draft: Draft, subject: Tree) -> None:
    """In `gets +1 skill for each wound on it`, it is whom the text is about."""
    if subject[0] == "one":
        found = reference.of(draft, subject[1])
        draft.mention(Referent(found.expression, found.noun, "choice"))


def _noun(subject: Tree) -> str:
    """The noun by which a subject is called."""
    last = subject[-1]
    if subject[0] == "one" and last[0] in ("host", "that"):
        return str(last[1])
    return str(last[1]) if isinstance(last, tuple) and last[0] == "n" else ""


@standing("standing")
def _standing(draft: Draft, subject: Tree, changes: Tree, when: Tree) -> dict[str, Any]:
    try:
        holds = _while(draft, when)
        tests = covered.of(draft, subject)
    except Dead:  # `~ .. if it has no wounds`
        tests = covered.of(draft, subject)
        holds = _while(draft, when)
    _spoken_of(draft, subject)
    always, immune, grants = [], [], []
    draft.grantee = "self" if tests == [f"{SUBJECT} = this"] else "other"
    for change in changes_of(draft, changes, _noun(subject)):
        if isinstance(change, Change):
            entry: dict[str, Any] = told_of(replace(change, during=""), "it")
            if tests != [f"{SUBJECT} = this"]:
                entry["of"] = on(all_of(tests), "it")
            if holds or change.during:
                entry["while"] = all_of([holds, change.during])
            always.append(entry)
        elif isinstance(change, Grant):
            given: dict[str, Any] = {"to": on(all_of(tests), "it"), "ability": change.ability}
            grants.append({**given, "while": holds} if holds else given)
        else:
            entry = {"to": all_of([change.to, holds])}
            if tests != [f"{SUBJECT} = this"]:
                entry["of"] = on(all_of(tests), "it")
            immune.append(entry)
    if away := [zone for zone in re.findall(r"this\.zone = '([\w-]+)'", holds) if zone != "play"]:
        if always or immune or len(away) > 1 or tests != [f"{SUBJECT} = this"]:
            raise Unsaid("a continuous ability of a card that is not in play")
        return {"abilities": [_only_there(dict(grant["ability"]), holds, away) for grant in grants]}
    found = (("always", always), ("immune", immune), ("grants", grants))
    return {key: value for key, value in found if value}


def _only_there(ability: dict[str, Any], holds: str, zones: list[str]) -> dict[str, Any]:
    """An ability that a card has where it lies, and nowhere else."""
    return {**ability, "if": all_of([str(ability.get("if", "")), holds]), "zones": zones}


def _while(draft: Draft, tree: Tree) -> str:
    if tree[0] == "always":
        return ""
    if tree[0] == "while":
        return condition.of(draft, tree[1])
    if tree[0] == "station":
        return draft.lexicon.phrase("stations", tree[1])
    if tree[0] == "while-both":
        return all_of([one for one in (_while(draft, part) for part in tree[1:]) if one])
    return draft.lexicon.phrase("times", tree[1])


@standing("standing-two")
def _standing_two(
    draft: Draft, one: Tree, changes: Tree, other: Tree, more: Tree, when: Tree
) -> dict[str, Any]:
    """`~ gains .. and other characters gain ..`."""
    first, second = _standing(draft, one, changes, when), _standing(draft, other, more, when)
    return {key: [*first.get(key, []), *second.get(key, [])] for key in {**first, **second}}


@standing("standing-x")
def _standing_x(draft: Draft, subject: Tree, stat: str, quantity: Tree) -> dict[str, Any]:
    """`gets +X ATK where X is ..`."""
    found = _standing(draft, subject, ("list", ("gifts", ("list", ("add", stat, "1")))), ("always",))
    for entry in found["always"]:
        entry["by"] = quantity_of(draft, quantity)
    return found


@standing("standing-instead")
def _standing_instead(draft: Draft, subject: Tree, gained: Tree, more: Tree, test: Tree) -> dict[str, Any]:
    """`gains one icon. Several instead if ..`: the one or the others."""
    holds = condition.of(draft, test)
    entries = []
    for change, when in ((gained, negated(holds)), (more, holds)):
        found = _standing(draft, subject, ("list", change), ("always",))
        entries += [{**entry, "while": when} for entry in found["always"]]
    return {"always": entries}


@standing("printed-x")
def _printed_x(draft: Draft, quantity: Tree) -> dict[str, Any]:
    """`X is the number of ..`, on a card whose printed number is X."""
    found = [stat for stat in draft.lexicon.data.get("printed-x", ()) if stat in draft.card.xs]
    if len(found) != 1:
        raise Unsaid("an X that may not be a printed number of this card")
    return {"always": [{"stat": found[0], "by": quantity_of(draft, quantity)}]}


@standing("standing-while")
def _standing_while(draft: Draft, subject: Tree, changes: Tree, state: Tree) -> dict[str, Any]:
    """`get +1 skill while committed to a story`: each of them while it is so itself."""
    own = predicate.of(draft, state)
    late = draft.lexicon.entry("pursuing", state[1])["late"] if state[0].startswith("pursuing") else ()
    found = _standing(draft, subject, changes, ("always",))
    for entry in found.get("always", []):
        if entry["stat"] in late:  # it counts before anybody is attacked
            raise Unsaid("a value that counts while it attacks")
        entry["of"] = all_of([entry.get("of", "it = this"), on(own, "it")])
    for entry in found.get("grants", []):
        entry["to"] = all_of([entry["to"], on(own, "it")])
    for entry in found.get("immune", []):
        entry["of"] = all_of([entry.get("of", "it = this"), on(own, "it")])
    return found


@standing("barred")
def _barred(draft: Draft, subject: Tree, barred: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    both = barred[1:] if barred[0] == "either" else (barred,)
    found = [prohibited(draft, subject, one) for one in both]
    if bound := draft.lexicon.data.get("story", {}).get(
        "goes-to"
    ):  # who commits at the same time is barred, too
        for entry in found:
            entry["if"] = re.sub(rf"(?<= = this)\.{story_fact(draft)}$", f".{bound}", entry["if"])
    for entry in found:
        if holds:
            entry["if"] = all_of([entry["if"], holds])
    return {"cannot": found}


@standing("barred-unless")
def _barred_unless(
    draft: Draft, subject: Tree, barred: Tree, test: Tree, when: Tree = ("always",)
) -> dict[str, Any]:
    """`cannot .. unless ..`: as long as that is not so. Raises Unsaid."""
    found = _barred(draft, subject, barred, when)
    holds = condition.of(draft, test)
    for entry in found["cannot"]:
        entry["if"] = all_of([entry["if"], negated(holds)])
    return found


@standing("barred-on-own-turn")
def _barred_on_own_turn(draft: Draft, subject: Tree, barred: Tree) -> dict[str, Any]:
    """`attached character cannot .. on its controller's turn`."""
    found = _barred(draft, subject, barred, ("always",))
    _spoken_of(draft, subject)
    turn = condition.of(draft, ("turn-of", ("controller", ("it",))))
    return {"cannot": [{**entry, "if": all_of([entry["if"], turn])} for entry in found["cannot"]]}


@standing("barred-while")
def _barred_while(draft: Draft, subject: Tree, barred: Tree, state: Tree) -> dict[str, Any]:
    """`characters cannot .. while committed to ..`: each of them while it is so itself. Raises Dead."""
    own = predicate.of(draft, state)
    found = _barred(draft, subject, barred, ("always",))
    for entry in found["cannot"]:
        role = (
            "source"
            if barred == ("used",)
            else verb_of(draft, barred[1])[1]
            if barred[0] == "subject"
            else ""
        )
        if not role:
            raise Unsaid("what cannot happen to it in some state")
        entry["if"] = all_of([entry["if"], on(own, role)])
    return found


def prohibited(draft: Draft, subject: Tree, barred: Tree) -> dict[str, Any]:
    """`cannot`: what cannot happen to whom."""
    by: list[str] = []
    if barred[0] == "through":
        barred, *by = barred[1:]
    if barred[0] == "untargeted":
        words = draft.lexicon.data.get("untargeted")
        if words is None:
            raise Unsaid("what cannot be targeted")
        whose = of_player(player.of(draft, barred[1]), words["by"]).removeprefix(f"{SUBJECT}.")
        tests = [on(test, words["of"]) for test in covered_or_chosen(draft, subject)]
        because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
        return {"kind": words["kind"], "if": all_of([*tests, whose]), "because": because}
    if barred == ("used",):  # its abilities, by whomever
        words = draft.lexicon.data.get("unusable")
        if words is None:
            raise Unsaid("abilities that cannot be used")
        tests = [on(test, "source") for test in covered_or_chosen(draft, subject)]
        because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
        return {"kind": words["kind"], "if": all_of([*tests, words["test"]]), "because": because}
    head, tree = barred
    verb, role, _ = verb_of(draft, tree)
    if not verb.forbidden:
        raise Dead
    said_of(draft, verb, subject)
    tests = covered_or_chosen(draft, subject)
    if verb.do in draft.lexicon.data.get("arriving", ()):
        tests = [test for test in tests if not test.startswith(f"{SUBJECT}.zone = ")]
    draft.stands_for = True
    found = told(draft, (head, tree, ("one", ("self",))), "")
    draft.stands_for = False
    rest = [test for test in found.tests if test != f"{role} = this"]  # (the subject is told here in full)
    kind, also = _begun(draft, verb.do)
    return {
        "kind": kind,
        "if": all_of(
            [
                also,
                *[on(test, role) for test in tests],
                *rest,
                *[test for one in by for test in brought_about(draft, verb.do, one, "")],
            ]
        ),
        "because": draft.lexicon.data.get("barred-because", "a card's text says that it cannot"),
    }


def covered_or_chosen(draft: Draft, subject: Tree) -> list[str]:
    return covered.of(draft, subject)


@standing("standing-all")
def _standing_all(draft: Draft, parts: Tree) -> dict[str, Any]:
    """Several standing texts in one sentence."""
    found: dict[str, Any] = {}
    for part in parts[1:]:
        for key, value in standing.of(draft, part).items():
            found[key] = [*found.get(key, []), *value] if isinstance(value, list) else value
    return found


def _unable_of(draft: Draft, subject: Tree, word: str, role: str, group: Tree) -> dict[str, Any]:
    """`unstoppable by units`, `when attacking a base`: what cannot happen to it, by whom or on which way."""
    entry = draft.lexicon.entry("unable", word)
    if role not in entry:
        raise Unsaid(f"“{word}” in this way")
    tests = [on(test, entry["of"]) for test in covered.of(draft, subject)]
    tests += [on(test, entry[role]) for test in tests_of(draft, group_of(draft, group))]
    because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
    return {"kind": entry["kind"], "if": all_of(tests), "because": because}


@standing("unable")
def _unable(draft: Draft, subject: Tree, word: str, group: Tree) -> dict[str, Any]:
    return {"cannot": [_unable_of(draft, subject, word, "by", group)]}


@standing("unable-while")
def _unable_while(draft: Draft, subject: Tree, word: str, group: Tree, test: Tree) -> dict[str, Any]:
    entry = _unable_of(draft, subject, word, "by", group)
    return {"cannot": [{**entry, "if": all_of([entry["if"], condition.of(draft, test)])}]}


@standing("unable-pursuing")
def _unable_pursuing(draft: Draft, subject: Tree, word: str, group: Tree) -> dict[str, Any]:
    return {"cannot": [_unable_of(draft, subject, word, "on-way", group)]}


@predicate("pursuing")
def _pursuing(draft: Draft, word: str, group: Tree) -> str:
    """While it is attacking such a thing."""
    victim = f"{SUBJECT}.{draft.lexicon.entry('pursuing', word)['fact']}"
    return all_of(
        [f"{victim} != nothing", *[on(test, victim) for test in tests_of(draft, group_of(draft, group))]]
    )


@predicate("pursuing-any")
def _pursuing_any(draft: Draft, word: str) -> str:
    return f"{SUBJECT}.{draft.lexicon.entry('pursuing', word)['fact']} != nothing"


@predicate("pursuing-one")
def _pursuing_one(draft: Draft, word: str, ref: Tree) -> str:
    """`units attacking it`."""
    fact = draft.lexicon.entry("pursuing", word)["fact"]
    return f"{SUBJECT}.{fact} = {reference.of(draft, ref).expression}"


@standing("barred-player")
def _barred_player(draft: Draft, who: Tree, barred: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    if barred[0] == "either":
        both = [_barred_player(draft, who, one, when) for one in barred[1:]]
        return {"cannot": [entry for one in both for entry in one["cannot"]]}
    who = ("anybody",) if who == ("everybody",) else who
    found = told(draft, (barred[0], barred[1], who), "")
    because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
    kind, also = _begun(draft, found.kind)
    test = all_of([*found.tests, also, holds]) or "yes"
    return {"cannot": [{"kind": kind, "if": test, "because": because}]}


def _begun(draft: Draft, kind: str) -> tuple[str, str]:
    """That a card was used is told when it has been: what cannot be is that it is used."""
    words = draft.lexicon.data.get("unusable", {})
    return (words["kind"], words["test"]) if kind == words.get("of") else (kind, "")


@standing("permitted")
def _permitted(draft: Draft, phrase: str, when: Tree) -> dict[str, Any]:
    """`you may initiate an additional .. challenge during ..`: a number of what is yours is one more."""
    entry = draft.lexicon.entry("permits", phrase)
    more = {"stat": entry["stat"], "by": 1, "of": f"it = {entry['of']}"}
    holds = _while(draft, when)
    return {"always": [{**more, "while": holds} if holds else more]}


def of_players(draft: Draft, who: Tree, words: str) -> dict[str, Any]:
    """What holds of players, as a change of theirs: `of` says whose. Raises Unsaid."""
    entry = draft.lexicon.entry("player-facts", words)
    whose = player.of(draft, who)
    if whose == ANYBODY:
        raise Unsaid("which player this holds of")
    of = {EVERYBODY: "yes", "next(you)": "it != you"}.get(whose, f"it = {whose}")
    return {**entry, "of": of}


@standing("player-fact")
def _player_fact(draft: Draft, who: Tree, words: str, when: Tree) -> dict[str, Any]:
    """`each opponent plays with his hand revealed`."""
    holds = _while(draft, when)
    entry = of_players(draft, who, words)
    return {"always": [{**entry, "while": holds} if holds else entry]}


@standing("hand-cap")
def _hand_cap(draft: Draft, who: Tree, number: str, *again: str) -> dict[str, Any]:
    """`cannot have more than 5 cards in his hand`; what he does with more, the rules say as well. Raises Dead."""
    whose = player.of(draft, who)
    if whose in (ANYBODY, EVERYBODY, "next(you)") or any(one != number for one in again):
        raise Dead
    return {"always": [{"stat": draft.lexicon.data["hand-cap"], "to": number, "of": f"it = {whose}"}]}


@standing("unusable")
def _unusable(draft: Draft, what: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    entry = unusable(draft, what)
    return {"cannot": [{**entry, "if": all_of([entry["if"], holds])}]}


def unusable(draft: Draft, what: Tree) -> dict[str, Any]:
    """What nobody can trigger: abilities of some cards, or of a kind."""
    words = draft.lexicon.data.get("unusable")
    if words is None:
        raise Unsaid("abilities that cannot be used")
    if what[0] == "of-kind":
        tests = [f"ability-kind = '{draft.lexicon.entry('headings', what[1])['kind']}'"]
    else:
        group = group_of(draft, what[1])
        tests = [on(test, "source") for test in (group.noun.test, *group.tests)]
    because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
    return {"kind": words["kind"], "if": all_of([*tests, words["test"]]), "because": because}


@standing("no-attachments")
def _no_attachments(draft: Draft, subject: Tree, group: Tree) -> dict[str, Any]:
    """`cannot have Attachment cards attached`: however they would come there."""
    found = group_of(draft, group)
    if found.zone or found.noun.place:
        raise Dead
    tests = [on(test, "onto") for test in covered.of(draft, subject)]
    tests += [on(test, "card") for test in (found.noun.test, *found.tests) if test]
    because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
    barred = []
    for kind, becomes in draft.lexicon.data["unattachable"].items():
        so = f"card.subtypes has '{becomes}'"  # by this it becomes one, whatever it was
        barred.append(
            {"kind": kind, "if": all_of([test for test in tests if test != so]), "because": because}
        )
    return {"cannot": barred}


@standing("ordered")
def _ordered(draft: Draft, word: str, test: Tree) -> dict[str, Any]:
    """`if it is day, sacrifice ~`: whenever that is so, by itself."""
    fact = draft.lexicon.phrase("standing-orders", word)
    return {"always": [{"stat": fact, "to": "yes", "of": "it = this", "while": condition.of(draft, test)}]}


@standing("adjusted")
def _adjusted(draft: Draft, less: str, parts: Tree, when: Tree) -> dict[str, Any]:
    """`reduce the .. value on .. by 3, and the .. value on .. by 1`."""
    always: list[Any] = []
    for _, whose, group, stat, number, *least in parts[1:]:
        changes: Tree = ("list", (less, stat, number))
        found = _standing(draft, ("each-of", whose, group), changes, when)["always"]
        if least and less != "less":
            raise Dead
        always += [{**one, "floor": int(least[0])} if least else one for one in found]
    return {"always": always}


@standing("standing-where")
def _standing_where(draft: Draft, quantity: Tree, text: Tree) -> dict[str, Any]:
    """A standing text in which X is what the next sentence says. Raises Dead, Unsaid."""
    draft.x = "¤"
    found = standing.of(draft, text)
    if not draft.uses_x:
        raise Dead
    said = json.dumps(found, ensure_ascii=False)
    return dict(json.loads(said.replace("¤", quantity_of(draft, quantity))))


@standing("world")
def _world(draft: Draft, words: str, when: Tree) -> dict[str, Any]:
    """What holds of all cards of a sort."""
    holds = _while(draft, when)
    entry = dict(draft.lexicon.entry("world", words))
    return {"always": [{**entry, "while": holds} if holds else entry]}


@standing("world-at")
def _world_at(draft: Draft, words: str, story: Tree) -> dict[str, Any]:
    """The same, of those that are committed to a story."""
    entry = dict(draft.lexicon.entry("world", words))
    there = on(predicate.of(draft, ("at", story)), "it")
    return {"always": [{**entry, "of": all_of([entry["of"], there])}]}


@standing("enters-while")
def _enters_while(draft: Draft, state: str, when: Tree) -> dict[str, Any]:
    """`enters play exhausted if ..`: from wherever it comes."""
    entry = {"stat": "enters", "to": f"'{_enters(draft, state)['enters']}'", "of": "it = this"}
    zones = [str(zone) for zone in draft.lexicon.data["arrives-from"]]
    return {"always": [{**entry, "zones": zones, "while": _while(draft, when)}]}


@standing("enter-of-player")
def _enter_of_player(draft: Draft, who: Tree, number: Tree, group: Tree, state: str) -> dict[str, Any]:
    """`if a player has no .., that player's characters enter play exhausted`: of each player. Raises Unsaid."""
    total = _total(draft, ("n", *number[2][1:3], ("list", ("place", ("you",), number[2][3][1][2]))))
    if player.of(draft, who) != ANYBODY or not total:
        raise Unsaid("how many of something a player has")
    sign = {"at-least": ">=", "at-most": "=" if number[1] == "0" else "<=", "just": "="}[number[0]]
    found = group_of(draft, group)
    if found.zone or found.noun.place:
        raise Dead
    has = f"{total.replace('you.', f'{SUBJECT}.controller.')} {sign} {number[1]}"
    own = " and ".join(
        f"printed({SUBJECT}.enters) != '{one}'" for one in draft.lexicon.data["enters"] if one != state
    )
    of = on(all_of([found.noun.test, *found.tests, has, own]), "it")
    return {"always": [{"stat": "enters", "to": f"'{_enters(draft, state)['enters']}'", "of": of}]}


@standing("enters")
def _enters(draft: Draft, state: str) -> dict[str, Any]:
    states = draft.lexicon.data.get("enters", {})
    if state not in states:
        raise Unsaid("this way of entering play")
    return {"enters": states[state]}


def closed(draft: Draft, tree: Tree) -> tuple[str, list[Change]]:
    """A story, and what changes of it when some of its struggles do not resolve."""
    _, kinds, place = tree
    fact = draft.lexicon.data.get("story", {}).get("closed")
    if fact is None:
        raise Unsaid("struggles that don’t resolve")
    where = place_of.of(draft, place)
    icons = kinds[1][1:] if kinds[0] == "icons" else list(draft.lexicon.icons)
    return where, [Change(fact, by=f"'{icon}'") for icon in icons]


@standing("closing")
def _closing(draft: Draft, tree: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    where, changes = closed(draft, tree)
    entries = [
        {**told_of(one, "it"), "of": f"it = {where}", **({"while": holds} if holds else {})}
        for one in changes
    ]
    return {"always": entries}


@standing("counting")
def _counting(draft: Draft, tree: Tree, when: Tree) -> dict[str, Any]:
    """Struggles in which skill, or another icon, counts instead of icons."""
    head, *icons, story = tree
    fact = draft.lexicon.data.get("story", {}).get(head)
    if fact is None:
        raise Unsaid("struggles decided by something else than their icons")
    holds = _while(draft, when)
    change: dict[str, Any] = {"to": "yes"}
    if icons:
        fought, counted = (draft.lexicon.icons[icon.replace("~", " ")]["stat"] for icon in icons)
        if fought == counted:
            raise Dead
        fact, change = fact[counted], {"by": f"'{fought}'"}
    where = place_of.of(draft, story)
    entry = {"stat": fact, **change, "of": f"it = {where}"}
    return {"always": [{**entry, "while": holds} if holds else entry]}


@standing("fixed")
def _fixed(draft: Draft, phrase: str) -> dict[str, Any]:
    """A text that a game prints in one wording only."""
    return dict(draft.lexicon.entry("texts", phrase))


@standing("attach")
def _attach(draft: Draft, host: Tree) -> dict[str, Any]:
    if host[0] == "either-some":
        return _attach_to_either(draft, *host[1:])
    group = group_of(draft, host[-1])
    if host[0] == "some-of":
        group = group.also(of_player(player.of(draft, host[1]), "controller"))
    if "attaches-to" not in draft.lexicon.system.facts:
        raise Unsaid("what the card is attached to")
    return {"attaches-to": filter_of(draft, group)}


@standing("contributes")
def _contributes(
    draft: Draft, subject: Tree, number: str, stat: str, total: str, when: Tree
) -> dict[str, Any]:
    """What a card adds to a total of its controller. Raises Unsaid."""
    if subject not in (("one", ("self",)), ("one", ("it",))):
        raise Unsaid("what other cards add to a total")
    entry = draft.lexicon.entry("totals", total)
    if entry["of"] != stat.replace("~", " "):
        raise Dead
    holds = _while(draft, when)
    change: dict[str, Any] = {"stat": entry["stat"], "of": "it = you", "by": int(number)}
    return {"always": [{**change, "while": holds} if holds else change]}


@standing("contributes-own")
def _contributes_own(draft: Draft, subject: Tree, stat: str, total: str, when: Tree) -> dict[str, Any]:
    """`contributes his STR to your side during ..`: where it does not count by itself. Raises Dead, Unsaid."""
    entry = draft.lexicon.entry("totals", total)
    own = _contributes(draft, subject, "1", stat, total, when)["always"][0]
    if (idle := entry.get("idle")) is None:
        raise Dead
    of_it = re.sub(r"\bit\b", "this", str(entry["own"]))
    return {"always": [{**own, "by": of_it, "while": all_of([idle, own.get("while", "")])}]}


@standing("contributes-even")
def _contributes_even(
    draft: Draft, subject: Tree, stat: str, total: str, state: Tree, when: Tree
) -> dict[str, Any]:
    """`contributes its STR to your total even while kneeling`: when else it would not. Raises Dead, Unsaid."""
    entry = draft.lexicon.entry("totals", total)
    own = _contributes(draft, subject, "1", stat, total, when)["always"][0]
    without = re.sub(r"\bit\b", SUBJECT, str(entry.get("without", "")))
    if predicate.of(draft, state) != without:
        raise Dead
    of_it = re.sub(r"\bit\b", "this", str(entry["own"]))
    return {"always": [{**own, "by": of_it, "while": all_of([on(without, "this"), own.get("while", "")])}]}


@standing("deck-rule")
def _deck_rule(draft: Draft, how: str, group: Tree, deck: str) -> dict[str, Any]:
    """Which cards a deck may hold, of interest to who builds one. Raises Dead, Unsaid."""
    fact = draft.lexicon.data["deck-rules"]
    found = group_of(draft, group)
    if found.zone or found.owned or not (found.noun.test or found.tests):
        raise Dead
    cards = on(all_of([found.noun.test, *found.tests]), "it")
    return {fact: [f"{deck.replace('~', ' ')}: {how.replace('~', ' ')} ({cards})"]}


@standing("deck-number")
def _deck_number(draft: Draft, how: str, number: str, group: Tree, deck: str) -> dict[str, Any]:
    return _deck_rule(draft, how.replace("N", number), group, deck)


@standing("deck-size")
def _deck_size(draft: Draft, how: str, number: str, deck: str) -> dict[str, Any]:
    """`your minimum deck size is 75 cards`."""
    least = {"least": "at least ", "exactly": ""}[how]
    return {draft.lexicon.data["deck-rules"]: [f"{deck.replace('~', ' ')}: {least}{number} cards"]}


@standing("deck-copies")
def _deck_copies(draft: Draft, number: str, group: Tree, deck: str) -> dict[str, Any]:
    """`your deck cannot include more than 1 copy of each attachment`."""
    return _deck_rule(draft, f"at~most~{number}~of~each", group, deck)


def _attach_to_either(draft: Draft, *trees: Tree) -> dict[str, Any]:
    """`Knight character or Old Clerk only`. Raises Dead, Unsaid."""
    groups = [group_of(draft, tree) for tree in trees]
    if (
        any(group.zone or group.noun.place for group in groups)
        or "attaches-to" not in draft.lexicon.system.facts
    ):
        raise Unsaid("what the card is attached to")
    either = " or ".join(bracketed_and(all_of(tests_of(draft, group))) for group in groups)
    return {"attaches-to": filter_of(draft, Group(draft.noun("card"), (either,), word="card"))}


@standing("keywords")
def _keywords(draft: Draft, words: Tree) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words[1:]:
        if word[0] == "fixed":
            for key, value in _fixed(draft, word[1]).items():
                same = isinstance(value, list) and all(isinstance(one, str) for one in value)
                more = [*found.get(key, []), *value] if isinstance(value, list) else value
                found[key] = list(dict.fromkeys(more)) if same else more
    plain = ("list", *(word for word in words[1:] if word[0] != "fixed"))
    for change in changes_of(draft, plain, ""):
        if not isinstance(change, Change):
            raise Unsaid("an ability that isn’t a keyword, used as one")
        value = {"yes": True}.get(change.to, int(change.by) if change.by else change.to)
        found[change.stat] = joined(found.get(change.stat), value)
    return found


def joined(known: Any, value: Any) -> Any:
    """A fact that a text tells twice: numbers add up (`Resist 1`, and again `Resist 1`), lists too, each value once.
    Raises Unsaid where it tells it in two ways."""
    if known is None or (known == value and isinstance(known, bool | str)):
        return value
    if isinstance(known, list) and isinstance(value, list):
        return [*known, *(one for one in value if one not in known)]
    if any(isinstance(one, bool) or not isinstance(one, int) for one in (known, value)):
        raise Unsaid("a fact that the text tells in two ways")
    return known + value


@standing("priced")
def _priced(draft: Draft, price: Tree, when: Tree) -> dict[str, Any]:
    """What cards cost to play: out of a hand, with the least they can come to."""
    if price[0] == "first":
        return _first_price(draft, *price[1:], when=when)
    if price[0] == "first-as":
        return _first_price(draft, *price[2:], when=when, way=price[1])
    if price[0] == "self-price":
        return _price_of_itself(draft, *price[1:], when=when)
    if price[0] == "sort-price":
        return _price_of_a_sort(draft, *price[1:], when=when)
    head, subject, amount, *least = price
    payer = {"yours": "you", "whose": ""}.get(subject[0])
    if subject[0] == "whose":
        payer = player.of(draft, subject[1])
    subject = subject if payer is None else subject[-1]
    holds = _while(draft, when)
    by = amount if head == "costs" else amount_of(draft, amount)
    entry: dict[str, Any] = {"stat": draft.lexicon.data["price"]}
    zone = draft.lexicon.data["played-from"]
    if subject[0] == "self":
        entry["zones"] = [zone]
    else:
        group = group_of(draft, subject[1])
        if group.zone not in ("", zone) or group.noun.place:
            raise Unsaid("the cost of cards in such a place")
        tests = [test.replace(f"{SUBJECT}.controller", f"{SUBJECT}.owner") for test in group.tests]
        owned = of_player(payer, "owner") if payer else ""
        tests += [owned] if owned and owned not in tests else []
        entry["of"] = on(all_of([group.noun.test, *tests, f"{SUBJECT}.zone = '{zone}'"]), "it")
    if head == "costs":
        entry["to"] = by
    else:
        entry["by"] = _signed(by, head == "cheaper")
    if least and least[0] != "none":
        entry["floor"] = int(least[0])
    if holds:
        entry["while"] = holds
    return {"always": [entry]}


def _price_of_itself(
    draft: Draft, way: str, less: str, amount: Tree, least: str, *, when: Tree
) -> dict[str, Any]:
    """`reduce the cost to marshal ~`: of a card that comes in that way. Raises Dead."""
    own = draft.lexicon.entry("plays-as", way)
    if isinstance(own, Mapping):  # it has a price of its own, where it comes from
        found = _priced(draft, ("cheaper" if less == "less" else "dearer", ("self",), amount, least), when)
        zone = str(own["if"]).partition("it.zone = '")[2].partition("'")[0]
        found["always"][0] |= {"stat": own["price"], "zones": [zone]}
        return found
    sort = draft.lexicon.phrase("plays-as", way)
    if draft.type is None or (sort and not _is_so(sort, draft.type)):
        raise Dead
    head = "cheaper" if less == "less" else "dearer"
    return _priced(draft, (head, ("self",), amount, least), when)


def _price_of_a_sort(
    draft: Draft, way: str, less: str, group: Tree, amount: Tree, *, when: Tree
) -> dict[str, Any]:
    """`reduce the cost of each .. you marshal`: of the sorts that come in that way."""
    found = _priced(
        draft, ("cheaper" if less == "less" else "dearer", ("yours", ("all", group)), amount), when
    )
    if isinstance(draft.lexicon.entry("plays-as", way), Mapping):
        raise Unsaid("what cards of a sort cost that come in such a way")
    sort = draft.lexicon.phrase("plays-as", way)
    for entry in found["always"]:
        if sort and "it.type = " not in entry["of"]:
            entry["of"] = all_of([sort, entry["of"]])
    return found


def _is_so(sort: str, type_: str) -> bool:
    """Does a condition on the type of a card hold of that type? `it.type != 'event'`."""
    sign, value = sort.removeprefix("it.type ").split(" ", 1)
    return (value == f"'{type_}'") == (sign == "=")


def _first_price(
    draft: Draft, tree: Tree, period: str, by: str, least: str, *, when: Tree, way: str = ""
) -> dict[str, Any]:
    """What the first card of a kind costs that you play in a period: as long as none was played."""
    holds = _while(draft, when)
    played = draft.lexicon.data.get("plays")
    if way:
        played = (played or {}).get(way)
    group = group_of(draft, tree)
    if played is None or "of" not in played or group.zone or group.noun.word not in played["of"]:
        raise Unsaid("a cost of the first card of this sort")
    tests = [group.noun.test, *group.tests, f"{SUBJECT}.owner = you"]
    if way and not group.noun.test:
        tests = [draft.lexicon.phrase("plays-as", way).replace("it.", f"{SUBJECT}."), *tests]
    span = "" if period == "turn" else f", '{period}'"
    times = f"happened('{played['do']}', c{span})"
    earlier = all_of([_in_print(test) for test in tests])
    none = f"none(card as c where {on(earlier, 'c')} and {times} > 0)"
    entry: dict[str, Any] = {
        "stat": draft.lexicon.data["price"],
        "of": on(all_of([*tests, f"{SUBJECT}.zone = '{draft.lexicon.data['played-from']}'"]), "it"),
        "by": -int(by),
    }
    if least != "none":
        entry["floor"] = int(least)
    entry["while"] = all_of([none, holds])
    return {"always": [entry]}


def _in_print(test: str) -> str:
    """A condition on a card that was played, whatever has been made of it in play since."""
    return re.sub(rf"(?<!\()({SUBJECT}\.(?!owner\b|type\b)[\w-]+)", r"printed(\1)", test)


def _signed(amount: str, less: bool) -> Any:
    if amount.isdigit():
        return -int(amount) if less else int(amount)
    return f"0 - {amount}" if less else amount


__all__ = ["of_party", "prohibited", "standing"]
