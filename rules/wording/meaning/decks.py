"""What lies on top of a deck: looked at, picked from, put back."""

from collections.abc import Mapping
from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, zones_of
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid
from rules.wording.meaning.effects import act, choose_player
from rules.wording.meaning.events import condition, kept, never_done
from rules.wording.meaning.nouns import (
    _inside,
    all_of,
    amount_of,
    conjuncts,
    group_of,
    of_player,
    on,
    predicate,
    tests_of,
    the_x,
)
from rules.wording.meaning.objects import Steps, Touched, object_of, sought
from rules.wording.meaning.references import ANYBODY, EVERYBODY, TOP, player, reference

SEEN = "seen"  # the data language's name for what was looked at

deck: Meanings[str] = Meanings("deck")


@act("look")
def _look(draft: Draft, number: str, whose: Tree) -> Steps:
    return _looked(draft, number, whose, shown=False)


@act("show")
def _show(draft: Draft, number: str, whose: Tree) -> Steps:
    return _looked(draft, number, whose, shown=True)


def _looked(draft: Draft, number: str, whose: Tree, shown: bool) -> Steps:
    """The top cards of somebody's deck; revealing shows them to everybody."""
    who = player.of(draft, whose)
    if who == EVERYBODY or draft.deck:
        raise Unsaid("looking at several decks")
    if who == ANYBODY:
        if draft.middle:
            raise Unsaid("any player’s choice during the effect")
        choose_player(draft, whose)
        who = draft.players[-1]
    count: Any = the_x(draft) if number == "x" else int(number)
    step: dict[str, Any] = {"look": count} if who == "you" else {"look": count, "of": who}
    draft.deck = who
    if who != "you":
        draft.players.append(who)
    reveal = draft.lexicon.data.get("search", {}).get("reveal")
    if shown and reveal is None:
        raise Unsaid("revealed cards")
    if number == "1":
        draft.mention(Referent(TOP, "card", "choice"))
    return [step, *([{"do": reveal, "each": SEEN, "card": "it"}] if shown else [])]


def _several_seen(draft: Draft) -> None:
    """Was there something looked at that can be spoken of? Raises Dead, Unsaid."""
    if not draft.deck:
        raise Dead
    if draft.put_back:
        raise Unsaid("a card that was put back")


@object_of("pick-seen")
def _pick_seen(draft: Draft, group: Tree) -> Touched:
    """One of those that were looked at: chosen when that is reached."""
    _several_seen(draft)
    name = draft.name()
    step: dict[str, Any] = {"as": name, "from": _among(draft, group)}
    if draft.agent != "you":
        step["by"] = draft.agent
    draft.pending.append({"choose": step})
    draft.mention(Referent(name, str(group[1]), "choice"))
    return Touched(name, noun=str(group[1]), optional=True, seen=True)


def _some_seen(draft: Draft, group: Tree) -> tuple[dict[str, Any], str]:
    """Any number of those that were looked at, chosen when that is reached: the choice, and which they are."""
    _several_seen(draft)
    name = draft.name()
    step: dict[str, Any] = {
        "as": name,
        "from": _among(draft, group),
        "count": f"count({SEEN})",
        "up-to": "yes",
    }
    if draft.agent != "you":
        step["by"] = draft.agent
    draft.mention(Referent(name, str(group[1]), "choice", plural=True))
    return {"choose": step}, f"{SEEN} where it in {name}"


@act("some-under")
def _some_under(draft: Draft, group: Tree, place: Tree) -> Steps:
    """They go under the deck one after another, as the one who does it orders them."""
    choice, them = _some_seen(draft, group)
    if deck.of(draft, place) not in ("", draft.deck) or draft.agent not in ("you", draft.deck):
        raise Dead
    verb = draft.lexicon.data["search"]["to-bottom"]
    return [choice, {"for": them, "as": "one", "order": draft.agent, "do": [{"do": verb, "card": "one"}]}]


@act("some-dropped")
def _some_dropped(draft: Draft, group: Tree) -> Steps:
    choice, them = _some_seen(draft, group)
    return [choice, {"do": draft.lexicon.data["search"]["to-discard"], "each": them, "card": "it"}]


@act("take-seen-of")
def _take_seen_of(draft: Draft, group: Tree) -> Steps:
    """`if one of those cards is a .., put it in your hand`: one of them, if there is any."""
    if draft.deck != "you":
        raise Unsaid("another player’s card in your hand")
    found = object_of.of(draft, ("pick-seen", group))
    choice = draft.pending.pop()
    draft.optional.append(found.expression)
    take = {"do": draft.lexicon.data["search"]["to-hand"], "card": found.expression}
    return [choice, {"if": f"{found.expression} != nothing", "then": [take]}]


@object_of("each-seen")
def _each_seen(draft: Draft, group: Tree) -> Touched:
    _several_seen(draft)
    return Touched(each=_among(draft, group), noun=str(group[1]), seen=True)


def _among(draft: Draft, tree: Tree) -> str:
    group = group_of(draft, tree)
    if group.zone or group.noun.place:
        raise Dead
    tests = tests_of(draft, group)
    if any(f"{SUBJECT}," in test or "count(" in test for test in tests):
        raise Unsaid("this choice among the cards looked at")
    return f"{SEEN} where {all_of([_inside(test) for test in tests])}" if tests else SEEN


@act("rest-on-top")
def _rest_on_top(draft: Draft, cards: Tree, place: Tree) -> Steps:
    return _put(draft, cards, place, "to-top")


@act("rest-under")
def _rest_under(draft: Draft, cards: Tree, place: Tree) -> Steps:
    return _put(draft, cards, place, "to-bottom")


@act("rest-stays")
def _rest_stays(draft: Draft, cards: Tree, place: Tree) -> Steps:
    """What goes back in the order it lay in has never left its place. Raises Dead, Unsaid."""
    if cards != ("rest",):
        raise Unsaid("where the remaining cards go")
    if deck.of(draft, place) not in ("", draft.deck):
        raise Dead
    draft.put_back = True
    return []


def _put(draft: Draft, cards: Tree, place: Tree, verb: str) -> Steps:
    """Those that are still there, one after another, as the one who does it orders them."""
    _several_seen(draft)
    verbs = draft.lexicon.data.get("search", {})
    if cards != ("rest",) or verb not in verbs or draft.agent not in ("you", draft.deck):
        raise Unsaid("where the remaining cards go")
    whose = deck.of(draft, place)
    if whose not in ("", draft.deck):
        raise Dead
    draft.put_back = True
    return [{"for": SEEN, "as": "rest", "order": draft.agent, "do": [{"do": verbs[verb], "card": "rest"}]}]


@act("rest-shuffled")
def _rest_shuffled(draft: Draft, cards: Tree, place: Tree) -> Steps:
    """They lie in that deck still: it is shuffled."""
    _several_seen(draft)
    if cards != ("rest",) or deck.of(draft, place) not in ("", draft.deck):
        raise Unsaid("where the remaining cards go")
    draft.put_back = True
    return [{"do": draft.lexicon.data["search"]["shuffle"], "who": draft.deck}]


@deck("its-deck")
def _its_deck(draft: Draft) -> str:
    return ""


@deck("deck-of")
def _deck_of(draft: Draft, whose: Tree) -> str:
    who = player.of(draft, whose)
    return "" if who == ANYBODY else who


@act("shuffle-deck-of")
def _shuffle_deck_of(draft: Draft, whose: Tree) -> Steps:
    """The deck of another player, which was looked at. Raises Dead."""
    who = player.of(draft, whose)
    if not draft.deck or draft.deck == "you" or who not in (draft.deck, "next(you)"):
        raise Dead
    draft.put_back = True
    return [{"do": draft.lexicon.data["search"]["shuffle"], "who": draft.deck}]


@act("seek")
def _seek(
    draft: Draft, number: str, whose: Tree, group: Tree, shown: Tree, where: str, called: Tree
) -> Steps:
    """The top cards of a deck searched for one, which goes where it goes."""
    verbs = draft.lexicon.data["search"]
    for spoken in (shown, called):
        if spoken[0] == "that" and draft.noun(spoken[1]).test != draft.noun(group[1]).test:
            raise Dead
    steps = _looked(draft, number, whose, shown=False)
    if any(steps[0]["look"] == name for name in draft.choose):
        raise Unsaid("as many cards as one chooses")
    found = object_of.of(draft, ("pick-seen", group))
    choice = sought(draft, draft.pending.pop())
    draft.optional.append(found.expression)
    last: dict[str, Any] = {
        "do": verbs["to-hand" if where == "hand" else "to-play"],
        "card": found.expression,
    }
    never_done(draft, last["do"], str(group[1]))
    if where != "hand":
        last["by"] = "you"
    elif draft.deck != "you":
        raise Unsaid("another player’s card in your hand")
    then = [{"do": verbs["reveal"], "card": found.expression}, last] if shown[0] != "hidden" else [last]
    return [*steps, choice, {"if": f"{found.expression} != nothing", "then": then}]


@act("seek-either")
def _seek_either(
    draft: Draft, number: str, whose: Tree, one: Tree, other: Tree, shown: Tree, where: str, called: Tree
) -> Steps:
    """`for an attachment or a location`: one of either. Raises Dead, Unsaid."""
    if shown[0] == "that" or called[0] == "that":
        raise Dead
    for tree in (one, other):
        never_done(
            draft, draft.lexicon.data["search"]["to-hand" if where == "hand" else "to-play"], str(tree[1])
        )
    either = ("or", ("kind", one), ("kind", other))
    return _seek(draft, number, whose, ("n", "card", ("list", either), ("list",)), shown, where, called)


@act("take-seen")
def _take_seen(draft: Draft) -> Steps:
    """`add 1 to your hand`, of those that were looked at."""
    if draft.deck != "you":
        raise Unsaid("another player’s card in your hand")
    found = object_of.of(draft, ("pick-seen", ("n", "card", ("list",), ("list",))))
    choice = draft.pending.pop()
    draft.optional.append(found.expression)
    take = {"do": draft.lexicon.data["search"]["to-hand"], "card": found.expression}
    return [choice, {"if": f"{found.expression} != nothing", "then": [take]}]


@act("draw-seen")
def _draw_seen(draft: Draft, ref: Tree) -> Steps:
    """`reveal the top card of your deck. If it is a location, draw it`: it is the one that is drawn. Raises Dead."""
    if reference.of(draft, ref).expression != TOP or draft.deck != "you" or draft.agent != "you":
        raise Dead
    draft.put_back = True
    return [{"do": "draw", "who": "you"}]


@act("drop")
def _drop(draft: Draft, whose: Tree, after: Tree) -> Steps:
    """The top card of a deck is discarded; what follows asks what it was."""
    look, *_ = _looked(draft, "1", whose, shown=False)
    verb = draft.lexicon.data.get("search", {}).get("from-top")
    if verb is None:
        raise Unsaid("a card discarded from a deck")
    draft.deeds.append(("discarded", TOP))
    draft.put_back = True
    draft.middle += 1
    inner = act.of(draft, after)
    draft.middle -= 1
    return [look, {"for": SEEN, "as": TOP, "do": [{"do": verb, "who": draft.deck}, *inner]}]


@act("drop-of-that")
def _drop_of_that(draft: Draft, amount: Tree) -> Steps:
    """From the top of the deck that was chosen. Raises Dead."""
    known = draft.players[-1] if draft.players else ""
    if known not in draft.choose:
        raise Dead
    number = amount_of(draft, amount)
    much: Any = int(number) if number.isdigit() else number
    return [{"do": draft.lexicon.data["search"]["from-top"], "who": known, "amount": much}]


@act("drop-then")
def _drop_then(draft: Draft, whose: Tree, after: Tree) -> Steps:
    """The same, where what follows speaks of that card. Raises Dead."""
    steps = _drop(draft, whose, ("then", after))
    if TOP not in str(steps[1]["do"][1:]):
        raise Dead  # it does not: two effects, one after the other
    return steps


@condition("dropped")
def _dropped(draft: Draft, group: Tree) -> str:
    """`if you discarded a ..`: of the top card of a deck. Raises Dead."""
    if ("discarded", TOP) not in draft.deeds:
        raise Dead
    return on(predicate.of(draft, ("kind", group)), TOP)


@act("shuffle-pile")
def _shuffle_pile(draft: Draft, whose: Tree, zone: str) -> Steps:
    """All cards of a pile go into the deck of whom they belong to. Raises Unsaid."""
    verb = draft.lexicon.data["search"].get("into-deck")
    who = player.of(draft, whose)
    if verb is None or who == EVERYBODY or draft.agent != "you":
        raise Unsaid("a pile that is shuffled into a deck")
    if who == ANYBODY:
        choose_player(draft, whose)
        who = draft.players[-1]
    place = zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    if len(place) != 1 or place[0] == "deck":
        raise Dead
    return [{"do": verb, "each": f"card where zone = '{place[0]}' and owner = {who}", "card": "it"}]


def _hand_of(draft: Draft, whose: Tree) -> str:
    """The cards of somebody's hand, those that nobody named too. Raises Unsaid."""
    noun, who = draft.lexicon.data.get("held", ""), player.of(draft, whose)
    if not noun or who == EVERYBODY or (who == ANYBODY and draft.middle):
        raise Unsaid("a hand that is looked at")
    if who == ANYBODY:
        choose_player(draft, whose)
        who = draft.players[-1]
    draft.players.append(who)
    return f"{noun} where owner = {who}"


@act("discard-of-hand")
def _discard_of_hand(draft: Draft, whose: Tree, number: str) -> Steps:
    """You look at a hand and choose what is discarded from it."""
    if draft.agent != "you":
        raise Unsaid("who looks at the hand")
    cards = _hand_of(draft, whose)
    name = draft.name()
    draft.mention(Referent(name, "card", "choice", plural=number != "1"))
    words = draft.lexicon.data["search"]
    discard = words["from-hand" if "from-hand" in words else "to-discard"]
    if number == "1":
        then: dict[str, Any] = {"do": discard, "card": name}
        return [{"choose": {"as": name, "from": cards}}, {"if": f"{name} != nothing", "then": [then]}]
    choice = {"as": name, "from": cards, "count": int(number)}
    return [{"choose": choice}, {"do": discard, "each": f"card where it in {name}", "card": "it"}]


@act("discard-of-shown")
def _discard_of_shown(draft: Draft, whose: Tree, number: str) -> Steps:
    """A hand is shown, and you choose what is discarded from it."""
    before = len(draft.players)
    shown = _reveal_hand(draft, whose)
    draft.players[before:] = draft.players[-1:]
    return [*shown, {"then": _discard_of_hand(draft, ("that-player",), number)}]


@act("reveal-hand")
def _reveal_hand(draft: Draft, who: Tree) -> Steps:
    """As far as there are any: who has none can reveal none."""
    cards = _hand_of(draft, who)
    return [{"do": draft.lexicon.data["search"]["reveal"], "each": cards, "card": "it", "if-able": "yes"}]


@act("next-price-as")
def _next_price_as(draft: Draft, way_played: str, way: str, group: Tree, until: str, amount: Tree) -> Steps:
    """The same, of a card that comes in one of the game's ways: some sorts of card never come so."""
    steps = _next_price(draft, way, group, until, amount, "none")
    entry = draft.lexicon.entry("plays-as", way_played)
    if isinstance(entry, Mapping):  # it has a price of its own, where it comes from
        lasting = steps[0]["lasting"]
        told = [one for one in conjuncts(lasting["for"]) if not one.startswith("it.zone ")]
        lasting |= {"stat": entry["price"], "for": all_of([str(entry["if"]), *told])}
        return steps
    if sort := draft.lexicon.phrase("plays-as", way_played):
        lasting = steps[0]["lasting"]
        told = conjuncts(lasting["for"])
        lasting["for"] = (
            all_of([sort, *told]) if not any("it.type = " in one for one in told) else lasting["for"]
        )
    return steps


@act("each-price-as")
def _each_price_as(draft: Draft, way_played: str, way: str, group: Tree, until: str, amount: Tree) -> Steps:
    """The same of all such cards, as long as that lasts."""
    steps = _next_price_as(draft, way_played, way, group, until, amount)
    steps[0]["lasting"].pop("next")
    return steps


@act("price-for")
def _price_for(draft: Draft, way: str, priced: Tree, amount: Tree, until: str) -> Steps:
    """What all cards of a sort cost, of anybody or of one player, for a while. Raises Unsaid."""
    whose = ""
    if priced[0] == "whose":
        whose = of_player(player.of(draft, priced[1]), "owner")
        priced = priced[2]
    if priced[0] != "all":
        raise Unsaid("what this card costs, for a while")
    found = group_of(draft, priced[1])
    by = amount_of(draft, amount)
    if found.zone or found.noun.place or found.owned or not by.isdigit():
        raise Unsaid("the cost of cards in such a place")
    tests = [test for test in (found.noun.test, *found.tests, whose) if test]
    whom = on(all_of([*tests, _still_to_be_played(draft)]), "it")
    number = int(by) if way != "less" else -int(by)
    lasting = {"for": whom, "stat": draft.lexicon.data["price"], "by": number, "until": until}
    named, known = kept({"lasting": lasting})  # (what triggered it is over when the cost is asked for)
    return [*([{"let": known}] if known else []), named]


@act("next-price-of-anybody")
def _next_price_of_anybody(draft: Draft, way: str, group: Tree, until: str, amount: Tree) -> Steps:
    """What the next card of a kind costs, whoever plays it."""
    return _next_price(draft, way, group, until, amount, "none", whose="")


@act("next-price")
def _next_price(
    draft: Draft, way: str, group: Tree, until: str, amount: Tree, least: str, whose: str = "you"
) -> Steps:
    """What the next card of a kind costs you, and that one alone."""
    found = group_of(draft, group)
    if found.zone or found.noun.place:
        raise Unsaid("the cost of cards in such a place")
    tests = [test for test in (found.noun.test, *found.tests) if test]
    if any(f"{SUBJECT}.controller" in test for test in tests):
        raise Unsaid("whose cards this means")
    by = amount_of(draft, amount)
    number = int(by) if by.isdigit() else by
    tests += [of_player(whose, "owner")] if whose else []
    whom = on(all_of([*tests, _still_to_be_played(draft)]), "it")
    entry: dict[str, Any] = {
        "for": whom,
        "stat": draft.lexicon.data["price"],
        "by": number if way != "less" else -number if isinstance(number, int) else f"0 - {by}",
    }
    if least != "none":
        entry["floor"] = int(least)
    return [{"lasting": {**entry, "next": "yes", "until": until}}]


def _still_to_be_played(draft: Draft) -> str:
    """What is in play is not played any more: what playing costs is nothing to it."""
    there = draft.lexicon.data.get("in-play", ("play",))[0]
    return f"{SUBJECT}.zone != '{there}'"


@act("up-on-deck")
def _up_on_deck(draft: Draft, ref: Tree) -> Steps:
    """`place this card face up on your deck`: its own player's deck, where everybody sees it. Raises Dead."""
    fact = draft.lexicon.data["face-up"]
    one = reference.of(draft, ref)
    if one.expression != "this" or draft.type not in draft.lexicon.data.get("no-standing", ()):
        raise Dead
    put = {"do": draft.lexicon.data["search"]["to-top"], "card": "this"}
    return [put, {"then": [{"set": fact, "of": "this", "to": "yes"}]}]
