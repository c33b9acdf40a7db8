"""Tokens on the sides of a story, won stories, and hands that go back into their decks."""

from typing import Any

from rules.wording.grammar import Tree
from rules.wording.lexicon import SUBJECT, zones_of
from rules.wording.meaning.draft import Dead, Draft, Referent, Unsaid
from rules.wording.meaning.effects import act, choose_player
from rules.wording.meaning.nouns import all_of, group_of
from rules.wording.meaning.objects import PICKS, Steps, chosen, object_of
from rules.wording.meaning.references import ANYBODY, EVERYBODY, is_story, place_of, player, reference

STORY: Tree = ("n", "story", ("list",), ("list",))


def _on_side(draft: Draft, story: str, seat: str) -> str:
    """How many tokens lie on the side of a player of that seat."""
    first, second = draft.lexicon.data["story"]["sides"]
    return f"if({seat} = 1, {story}.{first}, {story}.{second})"


def _side(draft: Draft, test: str) -> str:
    """A player is chosen, whose side is meant."""
    name = draft.name()
    found = f"player where {test}" if test else "player"
    if draft.middle:
        draft.pending.append({"choose": {"as": name, "from": found}})
    else:
        draft.choose[name] = found
    draft.mention(Referent(name, "player", "player"))
    return name


def _story_with_tokens(draft: Draft, tree: Tree) -> str:
    """A story spoken of, or one that is chosen, on which there is a token. Raises Dead, Unsaid."""
    if tree[0] != "pick":
        one = object_of.of(draft, tree)
        if tree[0] in PICKS or not one.expression or not is_story(draft, one.noun):
            raise Dead
        return one.expression
    group = group_of(draft, tree[1])
    if not is_story(draft, group.word):
        raise Dead
    some = " + ".join(f"{SUBJECT}.{side}" for side in draft.lexicon.data["story"]["sides"])
    return chosen(draft, group.also(f"{some} > 0")).expression


@act("token-off")
def _token_off(draft: Draft, tree: Tree) -> Steps:
    """`discard a success token from that story`: of whichever player, the one who does it says."""
    if draft.agent != "you":
        raise Unsaid("a token that another player takes from a side that no one names")
    verb = draft.lexicon.data["story"]["token-off"]
    before = len(draft.pending)
    story = _story_with_tokens(draft, tree)
    side = _side(draft, f"{_on_side(draft, story, 'seat')} > 0")
    steps = draft.pending[before:]
    del draft.pending[before:]
    remove = {"do": verb, "at": story, "by": side}
    return [*steps, {"if": f"{side} != nothing", "then": [remove]}] if draft.middle else [remove]


@act("token-moved")
def _token_moved(draft: Draft, where: str) -> Steps:
    """From a side of one story to a side of another: any, or the same player's."""
    if draft.middle:
        raise Unsaid("a token that is moved in the middle of an effect")
    verb = draft.lexicon.data["story"]["token-moved"]
    away = _story_with_tokens(draft, ("pick", STORY))
    of = _side(draft, f"{_on_side(draft, away, 'seat')} > 0")
    at = chosen(draft, group_of(draft, STORY).also(f"{SUBJECT} != {away}")).expression
    by = _side(draft, "") if where == "any" else of
    return [{"do": verb, "away": away, "of": of, "at": at, "by": by}]


@act("tokens-across")
def _tokens_across(draft: Draft) -> Steps:
    """All tokens of one side of a story go to its other side."""
    if draft.middle:
        raise Unsaid("tokens that are moved in the middle of an effect")
    story = _story_with_tokens(draft, ("pick", STORY))
    side = _side(draft, f"{_on_side(draft, story, 'seat')} > 0")
    much = _on_side(draft, story, f"{side}.seat")
    verb = draft.lexicon.data["story"]["token-moved"]
    return [{"do": verb, "away": story, "of": side, "at": story, "by": f"next({side})", "amount": much}]


@act("token-across")
def _token_across(draft: Draft) -> Steps:
    """One token of one side of a story goes to its other side."""
    (move,) = _tokens_across(draft)
    del move["amount"]
    return [move]


@act("tokens-off")
def _tokens_off(draft: Draft, number: str, place: Tree) -> Steps:
    """Several tokens of a story, one by one: whose each is, the one who does it says."""
    story = place_of.of(draft, place)
    if (
        draft.agent != "you"
        or draft.middle
        or story.startswith(f"this.{draft.lexicon.data['story']['fact']}")
    ):
        raise Unsaid("tokens that several players take from a story")
    steps: Steps = []
    draft.middle += 1
    for _ in range(int(number)):
        before = len(draft.pending)
        side = _side(draft, f"{_on_side(draft, story, 'seat')} > 0")
        steps += draft.pending[before:]
        del draft.pending[before:]
        remove = {"do": draft.lexicon.data["story"]["token-off"], "at": story, "by": side}
        steps.append({"if": f"{side} != nothing", "then": [remove]})
    draft.middle -= 1
    return steps


@act("unwin")
def _unwin(draft: Draft, head: str) -> Steps:
    """Each player chooses another of his won stories, which goes back into the story deck."""
    if not is_story(draft, head) or draft.type not in draft.lexicon.data["story"]["nouns"]:
        raise Dead
    won = zones_of(draft.lexicon.data["zones"]["won pile"])[0]
    every = draft.noun(STORY[1]).test  # all that lies there are stories
    tests = [draft.noun(head).test.replace(f"{SUBJECT}.", "")] if draft.noun(head).test != every else []
    steps: Steps = []
    names = []
    for who in ("you", "next(you)"):
        name = draft.name()
        among = all_of([f"zone = '{won}'", *tests, f"controller = {who}", "it != this"])
        found = f"card where {among}"
        choice: dict[str, Any] = {"as": name, "from": found}
        steps.append({"choose": choice if who == "you" else {**choice, "by": who}})
        draft.mention(Referent(name, head, "choice"))
        names.append(name)
    either = " or ".join(f"it = {name}" for name in names)
    verb = draft.lexicon.data["story"]["unwin"]
    return [*steps, {"do": verb, "each": f"card where {either}", "at": "it", "if-able": "yes"}]


@act("recommit")
def _recommit(draft: Draft, thing: Tree, head: str, where: Tree) -> Steps:
    """`uncommit that character and re-commit it to a different story`."""
    words = draft.lexicon.data["story"]
    one = object_of.of(draft, thing)
    if one.each or one.optional or reference.of(draft, ("that", head)).expression != one.expression:
        raise Dead
    there = object_of.of(draft, where)
    if there.each or there.optional or not is_story(draft, there.noun):
        raise Dead
    commit = {"do": words["commit"], "card": one.expression, "at": there.expression}
    return [{"do": words["leave"], "card": one.expression}, commit]


@act("shuffle-piles")
def _shuffle_piles(draft: Draft, who: Tree, zone: str) -> Steps:
    """A player, or each, shuffles his hand into his deck; how many cards it had is kept."""
    verb = draft.lexicon.data["search"].get("into-deck")
    place = zones_of(draft.lexicon.data["zones"][zone.replace("~", " ")])
    hand = draft.lexicon.data["hand"]
    if verb is None or place != zones_of(draft.lexicon.data["zones"]["hand"]):
        raise Unsaid("a pile that is shuffled into a deck")
    if who == ("chosen-player",):
        choose_player(draft, ("anybody",))
        whose = draft.players[-1]
    else:
        whose = player.of(draft, who)
    if whose == ANYBODY:
        raise Dead
    cards = f"card where zone = '{place[0]}'" + ("" if whose == EVERYBODY else f" and owner = {whose}")
    known = (
        {"held": f"you.{hand}", "held-2": f"next(you).{hand}"}
        if whose == EVERYBODY
        else {"held": f"{whose}.{hand}"}
    )
    draft.lets |= known
    draft.held = whose
    return [{"do": verb, "each": cards, "card": "it"}]


@act("hand-under")
def _hand_under(draft: Draft) -> Steps:
    """Your whole hand goes under your deck, as you order it; how many cards it had is kept."""
    if draft.agent != "you" or draft.held:
        raise Unsaid("a hand that goes under a deck")
    verb, noun = draft.lexicon.data["search"]["to-bottom"], draft.lexicon.data["held"]
    draft.lets["held"] = f"you.{draft.lexicon.data['hand']}"
    draft.held = "you"
    return [
        {"for": f"{noun} where owner = you", "as": "one", "order": "you", "do": [{"do": verb, "card": "one"}]}
    ]


@act("all-but")
def _all_but(draft: Draft, who: Tree, number: str, head: str) -> Steps:
    """Each player sacrifices as many as he has too many: which, he says."""
    if player.of(draft, who) != EVERYBODY:
        raise Unsaid("all but some, of one player")
    noun = draft.noun(head).noun
    verb = next((one.do for one in draft.lexicon.verbs.values() if one.says == "sacrifice {card}"), "")
    if not noun or not verb:
        raise Unsaid("all but some of such cards")
    steps: Steps = []
    names = []
    for whose in ("you", "next(you)"):
        own = f"{noun} where controller = {whose}"
        name = draft.name()
        draft.mention(Referent(name, head, "choice", plural=True))
        choice: dict[str, Any] = {"as": name, "from": own, "count": f"max(0, count({own}) - {number})"}
        steps.append({"choose": choice if whose == "you" else {**choice, "by": whose}})
        names.append(name)
    either = " or ".join(f"it in {name}" for name in names)
    return [*steps, {"do": verb, "each": f"card where {either}", "card": "it"}]


@act("draw-same")
def _draw_same(draft: Draft, who: Tree) -> Steps:
    """As many as there were in the hand that has gone. Raises Dead."""
    whose = player.of(draft, who)
    if whose != draft.held and not (draft.held == EVERYBODY and who == ("he",)):
        raise Dead
    if draft.held == EVERYBODY:
        much = "if(it = you, held, held-2)"
        return [{"do": "draw", "each": f"player where {much} > 0", "who": "it", "amount": much}]
    return [{"do": "draw", "who": whose, "amount": "held"}]
