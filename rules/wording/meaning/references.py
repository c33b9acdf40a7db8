"""Who and what a pronoun, or a thing that is known already, means: players, cards, stories."""

from rules.wording.grammar import Tree
from rules.wording.meaning.draft import Dead, Draft, Meanings, Referent, Unsaid

player: Meanings[str] = Meanings("player")


reference: Meanings[Referent] = Meanings("reference")


place_of: Meanings[str] = Meanings("story")


EVERYBODY = "each player"  # every player at once


ANYBODY = "any player"  # whoever it is


TOP = "top"  # how the top card of a deck is called that was looked at


@player("you")
def _you(draft: Draft) -> str:
    return "you"


@player("opponent", "opponents")
def _opponent(draft: Draft) -> str:
    if not draft.players and draft.lexicon.data.get("two-players"):
        draft.players.append("next(you)")  # whom `their` means then
    return "next(you)"


@player("anybody")
def _anybody(draft: Draft) -> str:
    return ANYBODY


@player("everybody")
def _everybody(draft: Draft) -> str:
    return EVERYBODY


@player("active")
def _active(draft: Draft) -> str:
    return "active"


@player("that-player")
def _that_player(draft: Draft) -> str:
    if not draft.players:
        raise Dead
    return draft.players[-1]


@player("his-opponent")
def _his_opponent(draft: Draft) -> str:
    """An opponent of the one who does it. Raises Dead."""
    other = {"you": "next(you)", "next(you)": "you"}.get(draft.agent)
    if other is None or draft.lexicon.data.get("opponents") == "several":
        raise Dead
    return other


@player("story-winner")
def _story_winner(draft: Draft) -> str:
    """`the player who won this story`, in what winning it does. Raises Dead."""
    bare = draft.lexicon.data.get("bare", {}).get(draft.type, {})
    if draft.answers != draft.lexicon.data["story"]["won"] or bare.get("of") != draft.answers:
        raise Dead
    return "you"


@player("that-opponent")
def _that_opponent(draft: Draft) -> str:
    """The player spoken of last; of two players there is no other opponent."""
    if not draft.players and draft.lexicon.data.get("opponents") != "several":
        return "next(you)"
    return _that_player(draft)


@player("defending-player")
def _defending_player(draft: Draft) -> str:
    """Whom the system knows as that; else whoever is attacked in what is spoken of."""
    known = draft.lexicon.data.get("defending-player")
    return str(known) if known else _that_player(draft)


@player("attacking-player")
def _attacking_player(draft: Draft) -> str:
    known = draft.lexicon.data.get("attacking-player")
    if known is None:
        raise Unsaid("who attacks")
    return str(known)


@player("he")
def _he(draft: Draft) -> str:
    """The one who does what is spoken of; else the player spoken of last."""
    if draft.agent == "everybody's own":
        return ANYBODY
    if draft.agent in (ANYBODY, EVERYBODY):
        raise Unsaid("what each player has")
    if draft.agent != "you":
        return draft.agent
    if not draft.players:
        raise Dead
    return draft.players[-1]


@player("player-word")
def _player_word(draft: Draft, word: str) -> str:
    """A player whom what is answered makes known: the loser of a struggle."""
    entry = draft.lexicon.entry("players", word)
    for one in entry if isinstance(entry, list) else [entry]:
        if draft.answers in one["of"]:
            who = str(one["is"])
            draft.players = [*(known for known in draft.players if known != who), who]  # spoken of
            return who
    raise Dead


@player("controller")
def _controller(draft: Draft, ref: Tree) -> str:
    found = reference.of(draft, ref)
    if "story" in draft.lexicon.data and is_story(draft, found.noun):
        raise Dead  # nobody controls one
    return f"{found.expression}.controller"


@player("owner")
def _owner(draft: Draft, ref: Tree) -> str:
    return f"{reference.of(draft, ref).expression}.owner"


@reference("self")
def _self(draft: Draft) -> Referent:
    if draft.card.lent == "other":
        raise Unsaid("the card that gives the ability")
    found = Referent("this", draft.type or "", "self")
    draft.mention(found)
    return found


@reference("bearer")
def _bearer(draft: Draft) -> Referent:
    """The card that has the ability, whichever gave it: `exhaust to ..`."""
    found = Referent("this", draft.type or "", "self")
    draft.mention(found)
    return found


@reference("this-card")
def _this_card(draft: Draft) -> Referent:
    """This card itself; once the top card of a deck was looked at, that one."""
    top = [one for one in draft.memory if one.expression == TOP]
    return top[-1] if top else _self(draft)


@reference("it")
def _it(draft: Draft) -> Referent:
    """Any single card spoken of: what the effect chose, what the trigger was about; what was paid with; this card."""
    return _pronoun(draft, things=draft.things)


@reference("compared")
def _compared(draft: Draft) -> Referent:
    """`with lower printed cost`: than what one has paid with; else than what `it` means. Raises Dead."""
    paid = [one for one in draft.memory if one.origin == "cost" and not one.plural]
    spoken = [one for one in draft.memory if one.origin == "choice"]
    return paid[-1] if paid and not spoken else _it(draft)


@reference("him")
def _him(draft: Draft) -> Referent:
    """The same, but nothing that is no person: a story, a domain."""
    return _pronoun(draft, things=False)


def _pronoun(draft: Draft, *, things: bool) -> Referent:
    if draft.memory and draft.memory[-1].expression == "chosen":
        raise Dead  # what each player chose is several
    single = [
        one
        for one in reversed(draft.memory)
        if not one.plural and (things or not _apart(draft, one)) and one.expression not in draft.busy
    ]
    for origins in (("choice",), ("trigger", "self", "host", "cost")):
        if near := [one for one in single if one.origin in origins]:
            return draft.decide(near)
    raise Dead


def _apart(draft: Draft, one: Referent) -> bool:
    known = draft.lexicon.nouns.get(one.noun)
    return known is not None and any(
        known.test == draft.noun(word).test for word in draft.lexicon.data.get("apart", ())
    )


@reference("that")
def _that(draft: Draft, head: str) -> Referent:
    """The last of that noun that was spoken of, but never this card."""
    fits = [
        one for one in draft.memory if not one.plural and one.origin != "self" and _is_a(draft, one, head)
    ]
    for origin in ("choice", "trigger", "cost", "host"):
        if near := [one for one in fits if one.origin == origin]:
            return near[-1]
    raise Dead


@reference("answered")
def _answered(draft: Draft) -> Referent:
    """What the ability answers was about this."""
    fits = [one for one in draft.memory if one.origin == "trigger" and not one.plural]
    if len(fits) != 1:
        raise Dead
    return fits[0]


@reference("that-copy")
def _that_copy(draft: Draft) -> Referent:
    """The other card of this name that was spoken of."""
    fits = [one for one in draft.memory if "§.name = this.name" in one.traits and not one.plural]
    if not fits:
        raise Dead
    return fits[-1]


def two_chosen(draft: Draft, head: str) -> tuple[str, str]:
    """The two that were chosen, one by one. Raises Dead."""
    chosen = [one.expression for one in draft.memory if one.origin == "choice" and _is_a(draft, one, head)]
    if len(chosen) != 2 or any(one.plural for one in draft.memory):
        raise Dead
    return chosen[0], chosen[1]


@reference("the-other")
def _the_other(draft: Draft, head: str) -> Referent:
    """Of two that were chosen, the one that was not taken of them. Raises Dead."""
    if not draft.two or two_chosen(draft, head) != draft.two[:2]:
        raise Dead
    one, other, taken = draft.two
    return Referent(f"if({taken} = {one}, {other}, {one})", head, "choice")


@reference("that-being")
def _that_being(draft: Draft, word: str, head: str) -> Referent:
    """`that Monster character`: the last one that was spoken of as such."""
    trait = draft.lexicon.traits[word]
    fits = [
        one
        for one in draft.memory
        if trait in one.traits and not one.plural and one.origin != "self" and _is_a(draft, one, head)
    ]
    if not fits:
        raise Dead
    return fits[-1]


@reference("that-done")
def _that_done(draft: Draft, deed: str, head: str) -> Referent:
    """`the destroyed character`: the one to which that was done."""
    done = [expression for known, expression in draft.deeds if known == deed]
    fits = [
        one for one in draft.memory if one.expression in done and not one.plural and _is_a(draft, one, head)
    ]
    if not fits:
        raise Dead
    return fits[-1]


@reference("that-done-being")
def _that_done_being(draft: Draft, deed: str, word: str, head: str) -> Referent:
    """`the sacrificed Criminal character`: the one to which that was done, and that was spoken of as such."""
    found = reference.of(draft, ("that-done", deed, head))
    if draft.lexicon.traits[word] not in found.traits:
        raise Dead
    return found


def _is_a(draft: Draft, one: Referent, head: str) -> bool:
    wanted, known = draft.noun(head), draft.lexicon.nouns.get(one.noun)
    if (
        known is not None
        and wanted.test
        and not wanted.noun
        and _told_to_be(known.test, one.traits, wanted.test)
    ):
        return True  # `that attachment`, of an Attachment support card
    if known is None:  # of one kind or another: a card
        return not wanted.test and one.origin == "choice"
    return known.test == wanted.test or (
        not wanted.test and known.noun not in draft.lexicon.data.get("apart", ())
    )


def _told_to_be(test: str, traits: tuple[str, ...], wanted: str) -> bool:
    """Was all of that said of it?"""
    return " or " not in wanted and set(wanted.split(" and ")) <= {*test.split(" and "), *traits}


@reference("this-one")
def _this_one(draft: Draft, head: str) -> Referent:
    """`this character`: the card itself; in an ability that was given, the card that has it."""
    noun = draft.noun(head)
    if noun.noun in draft.lexicon.data.get("apart", ()):
        raise Dead  # `this story` has its own rules
    if draft.card.lent != "other" and (draft.type is None or f"'{draft.type}'" not in noun.test):
        raise Dead
    found = Referent("this", head, "self")
    draft.mention(found)
    return found


@reference("host")
def _host(draft: Draft, head: str) -> Referent:
    if draft.card.lent == "other":  # it has the ability itself
        found = Referent("this", head, "host")
        draft.mention(found)
        return found
    found = Referent("this.host", head, "host")
    draft.mention(found)
    return found


def plural_of(draft: Draft, tree: Tree) -> Referent:
    """Several that were chosen: `(those NOUN)`, `(them)`."""
    if tree[0] == "pair":
        raise Unsaid("this of two cards together")
    many = [one for one in draft.memory if one.plural]
    if tree[0] == "those":
        many = [one for one in many if isinstance(tree[1], str) and _is_a(draft, one, tree[1])]
    if not many:
        raise Dead
    return many[-1]


def story_fact(draft: Draft) -> str:
    if "story" not in draft.lexicon.data:
        raise Unsaid("where a card is committed")
    return str(draft.lexicon.data["story"]["fact"])


def is_story(draft: Draft, word: str) -> bool:
    """Is that noun one of those that characters are committed to?"""
    known = draft.lexicon.nouns.get(word)
    return known is not None and any(
        known.test == draft.noun(one).test for one in draft.lexicon.data["story"]["nouns"]
    )


@place_of("it-story")
def _it_story(draft: Draft) -> str:
    """`committed to it`: the story that was just spoken of. Raises Dead."""
    single = [one for one in draft.memory if not one.plural and one.origin in ("choice", "trigger")]
    if not single or not is_story(draft, single[-1].noun):
        raise Dead
    return single[-1].expression


@place_of("that-story")
def _that_story(draft: Draft) -> str:
    for one in reversed(draft.memory):
        if is_story(draft, one.noun) and one.origin in ("choice", "trigger", "host") and not one.plural:
            return one.expression
    if "at" in draft.lexicon.system.occurrences.get(draft.answers, ()):
        return "trigger.at"
    for one in reversed(draft.memory):
        if one.origin in ("choice", "trigger") and not one.plural:
            if one.expression in draft.gone:
                if one.expression not in draft.choose or draft.middle:
                    raise Unsaid("where a card was before it left play")
                name = f"{one.expression}-{story_fact(draft)}"
                draft.lets[name] = f"{one.expression}.{story_fact(draft)}"  # as it was when the effect began
                return name
            return f"{one.expression}.{story_fact(draft)}"
    for one in reversed(draft.memory):
        if one.origin in ("host", "self"):
            return f"{one.expression}.{story_fact(draft)}"
    raise Dead


@place_of("same-story")
def _same_story(draft: Draft) -> str:
    """Of the character just spoken of, or of this card: both stand."""
    single = [
        one
        for one in draft.memory
        if not one.plural
        and one.origin in ("trigger", "choice", "self", "host")
        and not one.zone
        and not is_story(draft, one.noun)  # neither a story is at a story, nor what is not in play
    ]
    found = [f"{one.expression}.{story_fact(draft)}" for one in reversed(single)]
    who = draft.lexicon.data["story"].get("who", draft.type)
    own = [f"this.{story_fact(draft)}"] if draft.type in (None, who) else []  # others are at no story
    return draft.decide(found or own)


@place_of("story-of")
def _story_of(draft: Draft, ref: Tree) -> str:
    return f"{reference.of(draft, ref).expression}.{story_fact(draft)}"


@place_of("this-story")
def _this_story(draft: Draft) -> str:
    """This card itself; on a card that is attached to stories, the one it lies on; of a character, where it is
    committed.
    """
    words = draft.lexicon.data["story"]
    if draft.type in words["nouns"]:
        return "this"
    if draft.card.lies_on and is_story(draft, draft.card.lies_on):
        return "this.host"
    if draft.card.lent or draft.type == words.get("who"):
        return f"this.{story_fact(draft)}"
    for one in reversed(draft.memory):
        if is_story(draft, one.noun) and one.origin == "choice" and not one.plural:
            return one.expression
    raise Unsaid("which story “this story” means on such a card")


@place_of("host-story")
def _host_story(draft: Draft) -> str:
    return "this.host"
