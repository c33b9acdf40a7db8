"""Standing texts: what holds as long as the card is there."""

from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT
from rules.wording.meaning.amounts import quantity_of
from rules.wording.meaning.changes import Change, Grant, changes_of, told_of
from rules.wording.meaning.draft import Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.events import condition, of_party, told, verb_of
from rules.wording.meaning.nouns import (
    all_of,
    amount_of,
    filter_of,
    group_of,
    of_player,
    on,
    predicate,
    tests_of,
)
from rules.wording.meaning.references import player, reference

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
    return [*_each(draft, group), f"{SUBJECT} != this"]


@covered("each-of")
def _each_of(draft: Draft, whose: Tree, group: Tree) -> list[str]:
    return [*_each(draft, group), of_player(player.of(draft, whose), "controller")]


@covered("each-of-other")
def _each_of_other(draft: Draft, whose: Tree, group: Tree) -> list[str]:
    return [*_each_of(draft, whose, group), f"{SUBJECT} != this"]


@covered("union")
def _union(draft: Draft, a: Tree, b: Tree) -> list[str]:
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
    holds = _while(draft, when)
    tests = covered.of(draft, subject)
    _spoken_of(draft, subject)
    always, immune, grants = [], [], []
    draft.grantee = "self" if tests == [f"{SUBJECT} = this"] else "other"
    for change in changes_of(draft, changes, _noun(subject)):
        if isinstance(change, Change):
            entry: dict[str, Any] = told_of(change)
            if tests != [f"{SUBJECT} = this"]:
                entry["of"] = on(all_of(tests), "it")
            if holds:
                entry["while"] = holds
            always.append(entry)
        elif isinstance(change, Grant):
            given: dict[str, Any] = {"to": on(all_of(tests), "it"), "ability": change.ability}
            grants.append({**given, "while": holds} if holds else given)
        else:
            if holds:
                raise Unsaid("an immunity under a condition")
            entry = {"to": change.to, "because": "it is immune"}
            if tests != [f"{SUBJECT} = this"]:
                entry["of"] = on(all_of(tests), "it")
            immune.append(entry)
    found = (("always", always), ("immune", immune), ("grants", grants))
    return {key: value for key, value in found if value}


def _while(draft: Draft, tree: Tree) -> str:
    if tree[0] == "always":
        return ""
    if tree[0] == "while":
        return condition.of(draft, tree[1])
    return draft.lexicon.phrase("times", tree[1])


@standing("standing-two")
def _standing_two(
    draft: Draft, one: Tree, changes: Tree, other: Tree, more: Tree, when: Tree
) -> dict[str, Any]:
    """`~ gains .. and other characters gain ..`."""
    first, second = _standing(draft, one, changes, when), _standing(draft, other, more, when)
    return {key: [*first.get(key, []), *second.get(key, [])] for key in {**first, **second}}


@standing("printed-x")
def _printed_x(draft: Draft, quantity: Tree) -> dict[str, Any]:
    """`X is the number of ..`, on a card whose printed number is X."""
    found = [stat for stat in draft.lexicon.data.get("printed-x", ()) if stat in draft.card.xs]
    if len(found) != 1:
        raise Unsaid("an X that is not known to be printed")
    return {"always": [{"stat": found[0], "by": quantity_of(draft, quantity)}]}


@standing("standing-while")
def _standing_while(draft: Draft, subject: Tree, changes: Tree, state: Tree) -> dict[str, Any]:
    """`get +1 skill while committed to a story`: each of them while it is so itself."""
    own = predicate.of(draft, state)
    found = _standing(draft, subject, changes, ("always",))
    for entry in found.get("always", []):
        entry["of"] = all_of([entry.get("of", "it = this"), on(own, "it")])
    for entry in found.get("grants", []):
        entry["to"] = all_of([entry["to"], on(own, "it")])
    if "immune" in found:
        raise Unsaid("an immunity under a condition")
    return found


@standing("barred")
def _barred(draft: Draft, subject: Tree, barred: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    entry = prohibited(draft, subject, barred)
    if holds:
        entry["if"] = all_of([entry["if"], holds])
    return {"cannot": [entry]}


def prohibited(draft: Draft, subject: Tree, barred: Tree) -> dict[str, Any]:
    """`cannot`: what cannot happen to whom."""
    head, tree = barred
    verb, role, _ = verb_of(draft, tree)
    tests = covered_or_chosen(draft, subject)
    found = told(draft, (head, tree, ("one", ("self",))), "")
    rest = found.tests[1:]  # (the first is of the subject, told here in full)
    return {
        "kind": verb.do,
        "if": all_of([*[on(test, role) for test in tests], *rest]),
        "because": draft.lexicon.data.get("barred-because", "a card's text says that it cannot"),
    }


def covered_or_chosen(draft: Draft, subject: Tree) -> list[str]:
    return covered.of(draft, subject)


@standing("barred-player")
def _barred_player(draft: Draft, who: Tree, barred: Tree, when: Tree) -> dict[str, Any]:
    holds = _while(draft, when)
    found = told(draft, (barred[0], barred[1], who), "")
    because = draft.lexicon.data.get("barred-because", "a card's text says that it cannot")
    return {
        "cannot": [{"kind": found.kind, "if": all_of([*found.tests, holds]) or "yes", "because": because}]
    }


@standing("fixed")
def _fixed(draft: Draft, phrase: str) -> dict[str, Any]:
    """A text that a game prints in one wording only."""
    return dict(draft.lexicon.entry("texts", phrase))


@standing("attach")
def _attach(draft: Draft, host: Tree) -> dict[str, Any]:
    group = group_of(draft, host[-1])
    if host[0] == "some-of":
        group = group.also(of_player(player.of(draft, host[1]), "controller"))
    if "attaches-to" not in draft.lexicon.system.facts:
        raise Unsaid("what a card is attached to")
    return {"attaches-to": filter_of(draft, group)}


@standing("keywords")
def _keywords(draft: Draft, words: Tree) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words[1:]:
        if word[0] == "fixed":
            for key, value in _fixed(draft, word[1]).items():
                found[key] = [*found.get(key, []), *value] if isinstance(value, list) else value
    plain = ("list", *(word for word in words[1:] if word[0] != "fixed"))
    for change in changes_of(draft, plain, ""):
        if not isinstance(change, Change):
            raise Unsaid("what is no keyword as one")
        value = {"yes": True}.get(change.to, int(change.by) if change.by else change.to)
        found[change.stat] = joined(found.get(change.stat), value)
    return found


def joined(known: Any, value: Any) -> Any:
    """A fact that a text tells twice: numbers add up (`Resist 1`, and again `Resist 1`)."""
    numbers = not isinstance(known, bool) and isinstance(known, int) and isinstance(value, int)
    return known + value if numbers else value


@standing("priced")
def _priced(draft: Draft, price: Tree, when: Tree) -> dict[str, Any]:
    """What cards cost to play: out of a hand, with the least they can come to."""
    head, subject, amount, *least = price
    yours = subject[0] == "yours"
    subject = subject[1] if yours else subject
    holds = _while(draft, when)
    by = amount_of(draft, amount)
    entry: dict[str, Any] = {"stat": draft.lexicon.data["price"]}
    zone = draft.lexicon.data["played-from"]
    if subject[0] == "self":
        entry["zones"] = [zone]
    else:
        group = group_of(draft, subject[1])
        if group.zone not in ("", zone) or group.noun.place:
            raise Unsaid("what other cards cost there")
        tests = [test.replace(f"{SUBJECT}.controller", f"{SUBJECT}.owner") for test in group.tests]
        tests += [f"{SUBJECT}.owner = you"] if yours and f"{SUBJECT}.owner = you" not in tests else []
        entry["of"] = on(all_of([group.noun.test, *tests, f"{SUBJECT}.zone = '{zone}'"]), "it")
    entry["by"] = _signed(by, head == "cheaper")
    if least and least[0] != "none":
        entry["floor"] = int(least[0])
    if holds:
        entry["while"] = holds
    return {"always": [entry]}


def _signed(amount: str, less: bool) -> Any:
    if amount.isdigit():
        return -int(amount) if less else int(amount)
    return f"0 - {amount}" if less else amount


__all__ = ["of_party", "prohibited", "standing"]
