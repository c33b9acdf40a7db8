"""Changes of a card: numbers, icons, keywords, subtypes, a blank text, an immunity."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT
from rules.wording.meaning.draft import Card, Dead, Draft, Meanings, Unsaid
from rules.wording.meaning.nouns import all_of, count_of, group_of, of_player, on, tests_of, the_x
from rules.wording.meaning.references import is_story, place_of, player, reference, story_fact

change: Meanings[list["Change | Immunity | Grant"]] = Meanings("change")


@dataclass(frozen=True, slots=True)
class Change:
    stat: str
    by: str = ""
    to: str = ""
    during: str = ""  # when alone it holds, where the change itself says so


@dataclass(frozen=True, slots=True)
class Immunity:
    to: str


@dataclass(frozen=True, slots=True)
class Grant:
    """An ability that a card gains."""

    ability: dict[str, Any]


def told_of(one: Change, of: str) -> dict[str, Any]:
    """A change of that card as the data language has it."""
    if one.during:
        raise Unsaid("a change for a while that holds only at times")
    if one.to:
        return {"stat": one.stat, "to": one.to}
    by = on(one.by, of)
    return {"stat": one.stat, "by": int(by) if by.lstrip("-").isdigit() else by}


def changes_of(draft: Draft, tree: Tree, noun: str) -> list[Change | Immunity | Grant]:
    """All changes `[ .. ]` of a card of that noun. Raises Unsaid."""
    found: list[Change | Immunity | Grant] = []
    for one in tree[1:]:
        if one[0] == "gifts-per":
            each = count_of(draft, one[2])
            found += [_per(plain, each) for plain in changes_of(draft, one[1], noun)]
        elif one[0] in ("gifts", "has", "losses"):
            found += changes_of(draft, one[1], noun)
        elif one[0] in ("icons", "icons-times", "lose-icons", "lose-all", "struggles", "struggles-lost"):
            found += _icons(draft, one, noun)
        else:
            found += change.of(draft, one)
    return found


def _per(plain: "Change | Immunity | Grant", each: str) -> "Change | Immunity | Grant":
    """A change as often as there are of them: what stands before `for each` is all meant."""
    if isinstance(plain, Change) and plain.to:
        return plain  # a quality that one has or has not
    if not isinstance(plain, Change):
        raise Unsaid("an ability gained once for each of something")
    return Change(plain.stat, by=_product(int(plain.by), each))


def _icons(draft: Draft, tree: Tree, noun: str) -> list[Change | Immunity | Grant]:
    """Icons; of a story they are other numbers."""
    head, row, *rest = tree
    if head in ("struggles", "struggles-lost"):
        if not _on_story(draft, noun):
            raise Dead
        number = -1 if head == "struggles-lost" else int(rest[0])
        return [Change(draft.lexicon.icons[row.replace("~", " ")]["story"], by=str(number))]
    key = "story" if _on_story(draft, noun) else "stat"
    names = row[1:] if isinstance(row, tuple) else (row,)
    counts: dict[str, int] = {}
    for name in names:
        counts[draft.lexicon.icons[name.replace("~", " ")][key]] = (
            counts.get(draft.lexicon.icons[name.replace("~", " ")][key], 0) + 1
        )
    if head == "lose-all":
        if key == "story":
            raise Unsaid("all icons of a story lost")
        return [_lost(draft, stat, "0") for stat in counts]
    if rest and rest[0] == "x":
        return [Change(stat, by=the_x(draft)) for stat in counts]
    times = int(rest[0]) if head == "icons-times" else 1
    sign = -1 if head == "lose-icons" else 1
    return [Change(stat, by=str(sign * times * n)) for stat, n in counts.items()]


def _on_story(draft: Draft, noun: str) -> bool:
    stories = draft.lexicon.data.get("story", {}).get("nouns", ())
    whose = draft.lexicon.nouns.get(noun)
    return whose is not None and any(whose.test == draft.noun(one).test for one in stories)


def _product(number: int, each: str) -> str:
    if not each:
        return str(number)
    if number == 1:
        return each
    return (
        f"0 - {each}" if number == -1 else f"{number} * {each}" if number > 0 else f"0 - {-number} * {each}"
    )


@change("add")
def _add(draft: Draft, stat: str, number: str) -> list[Change | Immunity | Grant]:
    return [Change(_stat(draft, stat), by=number)]


@change("more")
def _more(draft: Draft, stat: str, number: str) -> list[Change | Immunity | Grant]:
    return _add(draft, stat, number)


@change("less")
def _less(draft: Draft, stat: str, number: str) -> list[Change | Immunity | Grant]:
    return _add(draft, stat, f"-{number}")


@change("add-x")
def _add_x(draft: Draft, stat: str) -> list[Change | Immunity | Grant]:
    return [Change(_stat(draft, stat), by=the_x(draft))]


@change("less-x")
def _less_x(draft: Draft, stat: str) -> list[Change | Immunity | Grant]:
    return [Change(_stat(draft, stat), by=f"0 - {the_x(draft)}")]


def _stat(draft: Draft, word: str) -> str:
    entry = draft.lexicon.stats[word.replace("~", " ")]
    if "stat" not in entry:
        raise Unsaid(f"a change of “{word}”")
    return str(entry["stat"])


def fact_of(entry: Mapping[str, str]) -> str:
    """The fact that a keyword is."""
    return entry["stat"] if "stat" in entry else entry["fact"]


@change("keyword")
def _keyword(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    entry = draft.lexicon.keywords[word.replace("~", " ")]
    return [Change(fact_of(entry), to=entry["to"])]


@change("keyword-by")
def _keyword_by(draft: Draft, word: str, number: str) -> list[Change | Immunity | Grant]:
    return [Change(fact_of(draft.lexicon.keywords[word.replace("~", " ")]), by=number)]


@change("lose-keyword")
def _lose_keyword(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    entry = draft.lexicon.keywords[word.replace("~", " ")]
    if entry.get("lost") == "no":
        raise Unsaid(f"“{word.replace('~', ' ')}” lost, which may have been gained as well")
    if entry.get("lost") == "one":
        return [Change(fact_of(entry), by="-1")]
    return [_lost(draft, fact_of(entry), "no" if "to" in entry else "0")]


@change("lose-keywords")
def _lose_keywords(draft: Draft) -> list[Change | Immunity | Grant]:
    entries = {entry["stat"]: entry for entry in draft.lexicon.keywords.values() if "stat" in entry}
    if any(entry.get("lost") == "no" for entry in entries.values()):
        raise Unsaid("all keywords lost, of which some may have been gained as well")
    return [_lost(draft, stat, "no" if "to" in entry else "0") for stat, entry in entries.items()]


@change("lose-every")
def _lose_every(draft: Draft) -> list[Change | Immunity | Grant]:
    return [_lost(draft, entry["stat"], "0") for entry in draft.lexicon.icons.values()]


def _lost(draft: Draft, stat: str, without: str) -> Change:
    """All of it lost, what it has gained too: where a fact of the card says so, else as it is set."""
    fact = draft.lexicon.data.get("loses-all")
    return Change(fact, by=f"'{stat}'") if fact else Change(stat, to=without)


def _printed(stat: str, of: str, sign: str) -> Change:
    return Change(stat, by=f"{sign}printed({of}.{stat})")


@change("lose-printed")
def _lose_printed(draft: Draft) -> list[Change | Immunity | Grant]:
    """Only what is printed on it: what it has gained it keeps."""
    return [_printed(entry["stat"], SUBJECT, "0 - ") for entry in draft.lexicon.icons.values()]


@change("lose-printed-of")
def _lose_printed_of(draft: Draft, icon: str) -> list[Change | Immunity | Grant]:
    return [_printed(draft.lexicon.icons[icon.replace("~", " ")]["stat"], SUBJECT, "0 - ")]


@change("printed-of")
def _printed_of(draft: Draft, head: str) -> list[Change | Immunity | Grant]:
    """As many icons as are printed on another."""
    one = reference.of(draft, ("that", head)).expression
    return [_printed(entry["stat"], one, "") for entry in draft.lexicon.icons.values()]


@change("icons-of")
def _icons_of(draft: Draft, ref: Tree) -> list[Change | Immunity | Grant]:
    """As many icons as another has now."""
    one = reference.of(draft, ref).expression
    return [Change(entry["stat"], by=f"{one}.{entry['stat']}") for entry in draft.lexicon.icons.values()]


@change("icons-of-obj")
def _icons_of_obj(draft: Draft, thing: Tree) -> list[Change | Immunity | Grant]:
    """The same of one that is chosen for it."""
    from rules.wording.meaning.objects import object_of

    one = object_of.of(draft, thing)
    if not one.expression or one.optional:
        raise Unsaid("whose icons these are")
    return [
        Change(entry["stat"], by=f"{one.expression}.{entry['stat']}")
        for entry in draft.lexicon.icons.values()
    ]


@change("no-printed")
def _no_printed(draft: Draft, stat: str) -> list[Change | Immunity | Grant]:
    """Its printed number is 0: what was added to it stays."""
    return [_printed(_stat(draft, stat), SUBJECT, "0 - ")]


@change("subtype")
def _subtype(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    fact, value = draft.lexicon.subtypes[word]
    return [Change(fact, by=f"'{value}'")]


@change("kind")
def _kind(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    """`are Illusions`: of such a subtype as well."""
    if word not in draft.lexicon.subtypes:
        raise Dead
    return _subtype(draft, word)


@change("both")
def _both(draft: Draft, first: str, second: str) -> list[Change | Immunity | Grant]:
    """`+1/+1`: of the two numbers of a card."""
    one, other = draft.lexicon.data["both"]
    return [Change(stat, by=by) for stat, by in ((one, first), (other, second)) if by != "0"]


@change("phrase")
def _phrase(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    """A quality for which English has a sentence and the system a fact."""
    try:
        facts = draft.lexicon.entry("qualities", word)
        return [Change(fact, to="yes") for fact in (facts if isinstance(facts, list) else [str(facts)])]
    except KeyError:
        raise Unsaid(f"the quality “{word}”") from None


@change("phrase-during")
def _phrase_during(draft: Draft, word: str, time: str) -> list[Change | Immunity | Grant]:
    """`does not kneel when declared as an attacker in a military challenge`: then alone."""
    holds = draft.lexicon.phrase("times", time)
    return [replace(one, during=holds) for one in _phrase(draft, word) if isinstance(one, Change)]


@change("everywhere")
def _everywhere(draft: Draft) -> list[Change | Immunity | Grant]:
    """Its skill and icons count at every other story, too."""
    return [Change(draft.lexicon.data["story"]["everywhere"], by="1")]


@change("phrase-two")
def _phrases(draft: Draft, first: str, second: str) -> list[Change | Immunity | Grant]:
    return [*_phrase(draft, first), *_phrase(draft, second)]


@change("phrase-at")
def _phrase_at(draft: Draft, word: str, place: Tree) -> list[Change | Immunity | Grant]:
    """`does not count its icons at that story`: there alone."""
    fact = draft.lexicon.data.get("qualities-at", {}).get(word)
    if fact is None:
        raise Unsaid(f"the quality “{word}” at one place")
    story = place_of.of(draft, place)
    return [Change(fact, by=story, during="" if draft.kind else f"{story} != nothing")]


@change("counting-at")
def _counting_at(draft: Draft, what: str, stories: Tree) -> list[Change | Immunity | Grant]:
    """`counts its icons at each conspiracy`: where it is not committed, and nothing else of it. Raises Unsaid."""
    words = draft.lexicon.data["story"]
    rest = draft.lexicon.data.get("qualities-at", {})["idle-icons" if what == "skill" else "idle-skill"]
    return [
        Change(words["counts"], by=_stories(draft, stories, other=stories[0] == "other")),
        Change(rest, by=_stories(draft, stories, other=True)),
    ]


@change("tireless-at")
def _tireless_at(draft: Draft, stories: Tree) -> list[Change | Immunity | Grant]:
    """`may commit to conspiracies while exhausted`."""
    if stories[0] == "other":
        raise Dead
    every = draft.noun(draft.lexicon.data["story"]["nouns"][0]).test
    if draft.noun(stories[1]).test == every and stories[2:] == (("list",), ("list",)):
        raise Dead  # to all of them: a quality of its own
    fact = draft.lexicon.data.get("qualities-at", {}).get("tireless")
    if fact is None:
        raise Unsaid("where it can commit while exhausted")
    return [Change(fact, by=_stories(draft, stories, other=False))]


def _stories(draft: Draft, tree: Tree, *, other: bool) -> str:
    """All stories of a sort; `other`: but the one where the card is committed. Raises Dead, Unsaid."""
    group = group_of(draft, tree[1] if tree[0] == "other" else tree)
    if not is_story(draft, group.word) or group.zone:
        raise Dead
    if draft.kind:
        raise Unsaid("several stories, for a while")
    tests = [on(test, "s") for test in tests_of(draft, group)]
    tests += [f"s != {SUBJECT}.{story_fact(draft)}"] if other else []
    return f"list({draft.lexicon.data['everything']} as s where {all_of(tests)})"


@change("bound-to")
def _bound_to(draft: Draft, place: Tree) -> list[Change | Immunity | Grant]:
    """`must commit to that story`: in the commit steps that are still to come. Raises Dead."""
    if draft.kind and not draft.answers:
        raise Dead  # what answers nothing has it done at once
    return _phrase_at(draft, "bound", place)


@change("phrase-two-at")
def _phrases_at(draft: Draft, first: str, second: str, place: Tree) -> list[Change | Immunity | Grant]:
    return [*_phrase_at(draft, first, place), *_phrase_at(draft, second, place)]


@change("blank-but")
def _blank_but(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    """`as though it were blank (except for subtypes)`."""
    return [Change(draft.lexicon.phrase("blank-but", word), to="yes")]


@change("falls")
def _falls(draft: Draft, word: str) -> list[Change | Immunity | Grant]:
    """`characters with printed skill 1 or lower are destroyed`: by themselves, while the text stands. Raises Dead."""
    if draft.kind or draft.type in draft.lexicon.data.get("bare", {}):
        raise Dead  # what an effect does, once
    return [Change(draft.lexicon.phrase("falls", word), to="yes")]


@change("blank")
def _blank(draft: Draft) -> list[Change | Immunity | Grant]:
    return [Change(draft.lexicon.data["blank"], to="yes")]


@change("immune")
def _immune(draft: Draft, sources: Tree) -> list[Change | Immunity | Grant]:
    head, *parts = sources
    if head == "sources-of" and (who := of_player(player.of(draft, parts[0]), "controller")):
        return [Immunity(on(who, "it"))]
    if head == "sources-by":
        group = group_of(draft, parts[1])
        theirs = of_player(player.of(draft, parts[0]), "controller")
        tests = tests_of(draft, group)
        if not theirs or not tests or group.zone or group.noun.place:
            raise Dead
        return [Immunity(all_of([on(test, "it") for test in (*tests, theirs)]))]
    if head.startswith("sources-triggered"):
        return _immune_to_triggered(draft, head, parts[0])
    if head != "sources":
        raise Unsaid("immunity to everything")
    tests = tests_of(draft, group_of(draft, parts[0]))
    if not tests:
        raise Unsaid("immunity to everything")
    return [Immunity(" and ".join(on(test, "it") for test in tests))]


def _immune_to_triggered(draft: Draft, head: str, of: Tree) -> list[Change | Immunity | Grant]:
    """To the effects that somebody triggers, of anybody, of a player, of some cards."""
    triggered = draft.lexicon.data.get("triggered")
    if triggered is None:
        raise Unsaid("immunity to everything")
    if head == "sources-triggered":
        tests = [of_player(player.of(draft, of), "controller")]
    else:
        tests = tests_of(draft, group_of(draft, of))
    return [Immunity(all_of([*[on(test, "it") for test in tests if test], triggered]))]


@change("granted")
def _granted(draft: Draft, ability: Tree) -> list[Change | Immunity | Grant]:
    """An ability in quotation marks: in it `this` is the card that gains it."""
    from rules.wording.meaning.abilities import meanings

    if not draft.grantee or draft.card.lent:
        raise Unsaid("which card gains the ability")
    card = Card(draft.type if draft.grantee == "self" else None, marked=draft.card.marked, lent=draft.grantee)
    entry = draft.decide(meanings(draft.lexicon, ability, card))
    if set(entry) != {"abilities"}:
        raise Unsaid("a continuous ability that a card gains")
    return [Grant(one) for one in entry["abilities"]]
