"""What can be asked of a scene. Each question says what an end of a line answers, and how the way there adds to it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rules.engine.account.wording import as_it_is, condition_in_words
from rules.engine.base.errors import FAULTS, DataError, Need, Untold, Unworkable, unknown
from rules.engine.base.messages import Message, both, clauses, listed, then
from rules.engine.definitions.model import Ability
from rules.engine.definitions.values import WHATEVER, Candidate, Decision, Obj, Reason
from rules.engine.language.expressions import tree_of
from rules.engine.language.grammar import parts_of
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.trace import CONDITION, DECIDERS, option_text
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import UNEXPLORED
from rules.engine.search.script import answers
from rules.engine.setup.moves import choices_of, with_names

UNTOLD = "untold"


def untold(found: Untold) -> tuple[str, str, str, str]:
    """The value of every question on a line that ends in the unknown: (UNTOLD, fact | text | order, which, place)."""
    return (UNTOLD, found.what, found.fact, found.place)


def is_untold(value: Any) -> bool:
    return isinstance(value, tuple) and value[:1] == (UNTOLD,)


class Question:
    """`text` as a person would ask it. Values are short strings (or `untold`); the same from all lines is an answer."""

    kind = ""
    # May lines that differ only in an order which nobody can tell be explored as one (search.reduction)? Only where the
    # answer hangs on the end, on what was used, and on what the first open decision offers.
    reducible = False
    # Does the answer say nothing but its value and who decides it? Then no more is explored than that needs.
    settles = False

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        self.scene = scene
        self.ask = ask
        self.place = place

    @property
    def text(self) -> str:
        raise NotImplementedError

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        """The value for a line that is over here; why: stop | done | game | illegal | loop | runaway."""
        return None

    def offered(self, m: Machine, decision: Decision) -> Any:
        """What the open decision says about the question: is what is asked about among the options here?"""
        return None

    def hangs_on_offers(self, decision: Decision) -> bool:
        """May what is offered here be told apart by more than whether it is offered?"""
        return False

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        """The value of a longer line, from the value of its rest and what happened before."""
        return value

    def claim(self, answer: str) -> str:
        """The answer as one sentence without its full stop, for an answer that all lines share."""
        return answer

    def sentence(self, answer: str) -> str:
        return Message("{claim}.", claim=self.claim(answer))

    def label(self, key: str) -> str:
        obj = self.scene.objects.get(key)
        return obj.label if obj else key


OVER = Message("the part of the game described is over")
GAME_OVER = Message("the game is over")
_WHY_OVER = {"game": GAME_OVER, "done": OVER}
_NOBODY = {Message("nobody: {why}", why=why): why for why in (GAME_OVER, OVER)}
_NOTHING = {Message("nothing: {why}", why=why): why for why in (GAME_OVER, OVER)}
NOT_LEGAL = "{question} Not answered: one of the moves given is not legal"


class Next(Question):
    kind = "next"
    reducible = True

    @property
    def text(self) -> str:
        return Message("Who acts next?")

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why == "stop" and decision is not None and isinstance(decision.who, Obj):
            return decision.who.label
        return next((said for said, over in _NOBODY.items() if over == _WHY_OVER.get(why)), why)

    def claim(self, answer: str) -> str:
        if answer in _NOBODY:
            return Message("Nobody acts next: {why}", why=_NOBODY[answer])  # type: ignore[index]
        return Message("Next to act: {who}", who=answer)


class Now(Question):
    """What may and must happen at the first open decision after the scripted moves."""

    kind = "now"
    reducible = True
    settles = True

    @property
    def text(self) -> str:
        return Message("What may happen now?")

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if decision is not None and decision.untold is not None:
            return untold(decision.untold)
        if decision is None:
            over = GAME_OVER if why == "game" else OVER
            return next(said for said, why in _NOTHING.items() if why == over)
        return describe_options(decision)

    def offered(self, m: Machine, decision: Decision) -> Any:
        if decision.kind in ("reading", "fact") or decision.untold or m.script < len(self.scene.did):
            return None  # how the rules or the facts are taken is nobody's move
        return describe_options(decision)

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return seen or value  # the earliest decision that the scenario does not make

    def claim(self, answer: str) -> str:
        if answer in _NOTHING:
            return Message("Nothing is left to decide: {why}", why=_NOTHING[answer])  # type: ignore[index]
        no_player = answer.startswith(("chance ", "the rules ", "the facts "))
        return Message("{^said}", said=answer) if no_player else answer


_OFFERED = {
    "may": "{who} may {do}: {options}",
    "order": "{who} chooses the order of {options}",
    "target": "{who} chooses among {options}",
    "choose": "{who} chooses among {options}",
}
_OF_NO_PLAYER = {
    "order": "{decider} chooses the order of {options}",
    "choose": "{decider} chooses among {options}",
}
_SETS = "{who} chooses {number} of {options}"
OFFERS = (_SETS, *_OFFERED.values(), *_OF_NO_PLAYER.values())  # templates, for the catalog


def describe_options(decision: Decision) -> str:
    options = listed(option_text(option) for option in decision.options)
    sets = [option for option in decision.options if option.__class__ is tuple and len(option) > 1]
    if sets and isinstance(decision.who, Obj):
        members = list(dict.fromkeys(member for one in sets for member in one))
        if decision.options == list(combinations(members, len(sets[0]))):
            of = listed(option_text(member) for member in members)
            return Message(_SETS, who=decision.who, number=len(sets[0]), options=of)
        options = clauses(
            both(map(option_text, option)) if option in sets else option_text(option)
            for option in decision.options
        )
    if not isinstance(decision.who, Obj):
        template = _OF_NO_PLAYER.get(decision.kind, "{decider} may choose: {options}")
        return Message(template, decider=DECIDERS.get(decision.who, decision.who), options=options)
    if decision.options == [None]:
        return Message("{who} can only pass", who=decision.who)
    template = _OFFERED.get(decision.kind, "{who} may choose: {options}")
    return Message(template, who=decision.who, do=decision.subject, options=options)


def _readings_of(ability: Ability) -> set[str]:
    """The readings that its condition hangs on."""
    found: set[str] = set()
    for text, _ in ability.condition.said if ability.condition is not None else ():
        found |= {part[2][0][1] for part in parts_of(tree_of(text)) if part[:2] == ("call", "reading")}
    return found


class Legal(Question):
    """Is the move offered when everything is done that the scenario says? Its last use is itself such a move."""

    kind = "legal"
    reducible = True

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.who, self.use = ask["legal"]["who"], ask["legal"]["use"]
        self.ability = ask["legal"].get("ability", "")
        self.on: list[str] = list(ask["legal"].get("on", ()))
        self.again = bool(ask["legal"].get("again"))  # once more, whatever was done
        self.choices = [
            (choice.get("for", ""), self._ids(choice))
            for choice in with_names(scene, self.use, self.ability, ask["legal"].get("choices", ()))
        ]
        # the turn in which a line stops at a window that doesn't ask for it, or where whoever begins can only pass
        self.behind: int | None = None
        self.at_any_time = False  # may it be used there whoever is asked first?
        self.barred: Reason | None = None  # it may be used, but what is asked about may not be chosen for it
        self.barred_anyhow = False  # did anything stand against it whatever is chosen?
        own = [one for card, one in scene.abilities if card.id == self.use and not one.of_rules]
        meant = [one for one in own if not self.ability or one.called(self.ability)]
        self.compulsory = (
            bool(meant) and all(one.kind.must for one in meant) and not self._is_to_be_played(meant)
        )
        # has the card a text that somebody may use, which what the rules let one do with it is not?
        self.has_text = any(not one.kind.must for one in own)
        # is the word that says which ability one for what the card itself has?
        self.of_its_own = bool(self.ability) and any(one.called(self.ability) for one in own)
        self.voluntary = not self.compulsory and self._is_anybodys_choice()
        self.orderers: dict[str, None] = {}  # who decides when what is compulsory comes
        self.owners: dict[str, None] = {}  # whose use it is, by their ids
        self._check_ability(place)
        self._check_choices(place)
        self.done = self.settles = not self.again and self._is_last_use()

    def _is_anybodys_choice(self) -> bool:
        """Is it about something that its player may leave undone, so that what comes of itself is not it?"""
        every = [
            one
            for card, one in self.scene.abilities
            if card.id == self.use
            and (one.called(self.ability) if self.ability else not one.of_rules)
            and not (self.of_its_own and one.of_rules)
        ]
        # an ability that must or may be used, as it is read, is one
        hang_on = {reading for one in every if one.kind.must for reading in _readings_of(one)}
        return any(not one.kind.must and not hang_on & _readings_of(one) for one in every)

    def _is_last_use(self) -> bool:
        """Is what is asked about the very use that the scenario says was made last, as it was made?"""
        did, last = self.scene.did, self.scene.last_use
        if not last or (did[last - 1]["who"], did[last - 1]["use"]) != (self.who, self.use):
            return False
        said = did[last - 1].get("ability", "")
        if said and said != self.ability and (self.ability or self._is_of_rules(said)):
            return False  # what the rules let one do with the card is not its own text
        of_rules = bool(self.ability) and self._is_of_rules(self.ability)
        if not said and of_rules != self._is_played(last):
            return False
        made = []
        for move in did[last:]:
            if "choose" not in move or move["who"] != self.who:
                break
            made.append((move.get("for", ""), set(self._ids(move))))
        as_made = all(
            any(set(ids) == those and (not name or not other or name == other) for other, those in made)
            for name, ids in self.choices
        )
        return as_made and set(self.on) <= set(did[last - 1].get("on", ()))

    def _is_of_rules(self, ability: str) -> bool:
        """Is it something that the rules let one do with the card, which has a text of its own beside it?"""
        own = [one for card, one in self.scene.abilities if card.id == self.use and not one.of_rules]
        return bool(own) and not any(one.called(ability) for one in own)

    def _is_played(self, number: int) -> bool:
        """Can the use told at this place (from 1), as the card lies in the scenario, only be what the rules let one do
        with it (to play it), though the card has a text of its own that is used elsewhere?"""
        zone = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        own = [one for card, one in self.scene.abilities if card.id == self.use and not one.of_rules]
        moved = any(move.get("use") == self.use for move in self.scene.did[: number - 1])
        return self.has_text and not moved and not any(zone in one.zones for one in own if not one.kind.must)

    def _is_to_be_played(self, own: list[Ability]) -> bool:
        """Does its own text work elsewhere, and do the rules let somebody use the card where it lies (to play it)?"""
        zone = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        if any(move.get("use") == self.use for move in self.scene.did) or any(
            zone in one.zones for one in own
        ):
            return False
        return any(
            zone in one.zones and one.of_rules and not one.kind.must
            for card, one in self.scene.abilities
            if card.id == self.use
        )

    @staticmethod
    def _ids(choice: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(choice["choose"]) if isinstance(choice["choose"], list) else (str(choice["choose"]),)

    def _check_ability(self, place: str) -> None:
        """Has the card an ability of that name? “It may not be used” would be sure, and about nothing."""
        obj = self.scene.objects[self.use]
        own = [ability for card, ability in self.scene.abilities if card is obj]
        if not self.ability or self.scene.copies or obj in self.scene.unread:
            return
        if any(ability.called(self.ability) for ability in own):
            return
        having = {card: None for card, one in self.scene.abilities if one.called(self.ability)}
        of_rules = any(ability.name == self.ability for _, ability in self.scene.system.rulebook)
        if of_rules and (not having or any(self._type_of(card) == self._type_of(obj) for card in having)):
            return  # of what the rules let one do with some cards of its type, that this is none of them is an answer
        words = [ability.name or ability.kind.name for ability in own if not ability.kind.must]
        found = unknown(f"ability of {obj.label}", self.ability, words, place=f"{place}.legal")
        others = sorted({card.label for card in having})
        if 0 < len(others) <= 5:
            found.remedy = f"It is an ability of {' and of '.join(others)}: ask about that card."
        raise found

    def _type_of(self, card: Obj) -> Any:
        return self.scene.facts[card.base + self.scene.system.properties["type"].slot]

    def _check_choices(self, place: str) -> None:
        """Does the card choose anything of that name when it is used?"""
        obj = self.scene.objects[self.use]
        if obj in self.scene.unread:
            return  # nobody knows what it chooses
        names = [
            name
            for owner, ability in self.scene.abilities
            if owner is obj and (not self.ability or ability.called(self.ability))
            for name in choices_of(ability)
        ]
        for name, _ in self.choices:
            if not names:
                text = f"{obj.label} chooses nothing when it is used; ask what holds in the end"
                raise DataError("unknown-choice", text, place=f"{place}.legal")
            if name and name not in names:
                raise unknown("choice", name, names, place=f"{place}.legal")

    @property
    def chooses_on(self) -> bool:
        """May what is asked about be chosen only while a text of the card's own is carried out, and not when it is
        used?"""
        own = [
            one
            for card, one in self.scene.abilities
            if card.id == self.use and not one.of_rules and not one.kind.must
            if not self.ability or one.called(self.ability)
        ]
        later = {name for one in own for name in choices_of(one)} - {
            target.name for one in own for target in one.targets
        }
        return any(name in later if name else later for name, _ in self.choices)

    @property
    def text(self) -> str:
        again = self._used_before()
        if self.compulsory:  # nobody is asked for permission
            text = "Does {what} happen once more?" if again else "Does {what} happen?"
            return Message(text, what=self.what)
        text = "May {who} use {what} once more?" if again else "May {who} use {what}?"
        return Message(text, who=self.who, what=self.what)

    @property
    def what(self) -> str:
        said: str = self.label(self.use)
        if self.ability:
            said = Message("{card} ({ability})", card=said, ability=self.scene.system.word(self.ability))
        if self.choices:
            chosen = both(self.label(one) for _, ids in self.choices for one in ids)
            said = Message("{what} on {chosen}", what=said, chosen=chosen)
        if self.on:
            answered = " ".join(self.label(word) for word in self.on)
            said = Message("{what}, answering {trigger}", what=said, trigger=answered)
        return Message("{what} again", what=said) if self.again else said

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why == "illegal" and not (self.done and m.script < self.scene.last_use):
            return "no" if self._is_next(m) else "illegal"
        if why == "loop":  # who goes on and on has not been asked; who stops is on another line
            return why
        unclear = decision.untold if decision is not None else None
        unclear = unclear or m.unread_use(self.who, self.use)
        if why == "stop" and decision is not None and not (self.done or self.compulsory):
            others = getattr(decision.who, "id", "") != self.who
            self.at_any_time = others and self._is_of(getattr(m.code[m.pc], "anytime", ()))
            only_passes = others and decision.options == [None] and m.turn == m.told and not self.scene.did
            if self.at_any_time or only_passes or m.waits_for_a_window(self.ask["legal"], decision.subject):
                self.behind = m.turn
        return "no" if unclear is None else untold(unclear)

    def _is_of(self, kinds: Sequence[str]) -> bool:
        """May an ability of one of these kinds be meant?"""
        return any(
            one.kind.name in kinds and (not self.ability or one.called(self.ability))
            for card, one in self.scene.abilities
            if card.id == self.use
        )

    def _is_next(self, m: Machine) -> bool:
        """Is the move that cannot be made the very one that is asked about?"""
        move = self.scene.did[m.script] if m.script < len(self.scene.did) else {}
        return (move.get("who"), move.get("use")) == (self.who, self.use) or self.done

    def offered(self, m: Machine, decision: Decision) -> bool | None:
        """None where nothing is asked of a player, or the moves are not yet made."""
        if m.script < len(self.scene.did) or decision.kind in ("reading", "fact"):
            return None
        return any(
            isinstance(option, Candidate)
            and option.obj.id == self.use
            and self._decides(decision, option)
            and not (self.compulsory and option.ability.of_rules)
            and not (self.voluntary and option.ability.kind.must)
            and option.meant(self.ability)
            and answers(m, option, self.on)
            and (not self.choices or self._may_choose(m, option))
            for option in decision.options
        )

    def note_refusal(self, m: Machine, option: Candidate, reason: Reason) -> None:
        """Remember what stands against the very choices that are asked about, where nothing at all may be chosen; not
        once something stood against the use whatever is chosen."""
        user = getattr(option.you, "id", "")
        asked = (user, option.obj.id) == (self.who, self.use) and option.meant(self.ability)
        if m.script < len(self.scene.did) or not asked or not answers(m, option, self.on):
            return
        self.barred_anyhow |= CONDITION <= reason.depth <= WHATEVER
        if reason.depth > WHATEVER and not self.barred_anyhow:
            self.barred = m.choosable(option, self.choices) or self.barred

    def hangs_on_offers(self, decision: Decision) -> bool:
        """What may be chosen for it, and what it answers, can change from one position to the next."""
        return bool(self.choices or self.on) and any(
            isinstance(option, Candidate) and option.obj.id == self.use for option in decision.options
        )

    def _decides(self, decision: Decision, option: Candidate) -> bool:
        """Is it the player's who is asked about? What is compulsory comes, whoever says when."""
        if decision.kind == "order" and isinstance(decision.who, Obj):
            self.orderers.setdefault(decision.who.label)
        if self.compulsory and option.you is not None:
            self.owners.setdefault(option.you.id)
        return self.compulsory or bool(option.you.id == self.who)

    def _may_choose(self, m: Machine, option: Candidate) -> bool:
        self.barred = m.choosable(option, self.choices)
        return self.barred is None

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return "yes" if seen or any(self._meant(mark) for mark in marks) else value

    def _meant(self, mark: str) -> bool:
        if self.again or ((self.choices or self.on) and not self.done):
            return False  # what was used, or answered, or chosen then is not what is asked about
        who, use, *words = mark.split(":", 4)
        if who.startswith(("#", "|", "+", "=")):
            return False  # something that happened, an action that began, a use that waited
        if (
            not self.ability
            and (self.has_text or self.compulsory)
            and words[:1] == ["rules"]
            and not self.done
        ):
            return False  # what the rules let one do with the card is not its own text, unless it is what was told
        must = bool(words) and self.scene.system.ability_kinds[words[1]].must
        if self.compulsory:
            who = who.lstrip("~")  # what came before the last use that was told came all the same
        elif who != self.who or (must and self.voluntary and not self.done):
            return False  # an ability that came of itself is no use of another one that its player may use
        meant = use == self.use
        if self.ability:
            meant = use.lstrip("-") == self.use and self.ability in words[1:]
            if self.of_its_own and words[:1] == ["rules"]:
                meant = False  # what the rules let one do with the card is of that kind, too
        if meant and self.compulsory:
            self.owners.setdefault(who)
        return bool(meant)

    def claim(self, answer: str) -> str:
        if answer == "illegal":
            return Message(NOT_LEGAL, question=self.text)
        if self.compulsory:
            return self._comes(answer)
        if answer == "yes" and self.done:
            return Message("{who}'s use of {what} was legal", who=self.who, what=self.what)
        what = Message("{what} once more", what=self.what) if self._used_before() else self.what
        if answer == "yes":
            return Message("{who} may use {what}", who=self.who, what=what)
        return Message("{who} may not use {what}", who=self.who, what=what)

    def _comes(self, answer: str) -> str:
        """Of what is mandatory: does it happen?"""
        again, what = self._used_before(), self.what
        if answer != "yes":
            no = Message("{what} does not happen", what=what)
            return Message("{what} does not happen once more", what=what) if again else no
        said = Message("{what} happens once more: it is mandatory", what=what)
        said = said if again else Message("{what} happens: it is mandatory", what=what)
        owners = [self.label(one) for one in self.owners if one]
        if owners and self.who not in self.owners:
            text = "{said}; it is {owner}'s ability, not {who}'s to use"
            said = Message(text, said=said, owner=both(owners), who=self.who)
        if len(self.orderers) != 1:
            return said
        return Message("{said}, and {who} chooses when", said=said, who=next(iter(self.orderers)))

    def _used_before(self) -> bool:
        """Was it used among the moves that were told, though what is asked about is not the last of them?"""
        own = not (self.ability and self._is_of_rules(self.ability))
        made = any(
            (move["who"], move.get("use")) == (self.who, self.use)
            and set(self.on) <= set(move.get("on", ()))  # what answered something else is another use
            and self._is_meant(move.get("ability", ""), own=own, number=number)
            for number, move in enumerate(self.scene.did, 1)
        )
        return made and not (self.again or self.done)

    def _is_meant(self, said: str, *, own: bool, number: int) -> bool:
        """Is the told use of the card, of this ability (or of none by name), the one that is asked about? own: it is
        the card's own text that is asked about."""
        if said:
            return said == self.ability or not (self.ability or self._is_of_rules(said))
        if self.ability and not self._is_used_where_it_lay(number):
            return False
        return own and not self._is_played(number)

    def _is_used_where_it_lay(self, number: int) -> bool:
        """Can the use told at this place (from 1) be of the ability that is asked about, as the card lies in the
        scenario? What was used before may have moved it."""
        zone = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        moved = any(move.get("use") == self.use for move in self.scene.did[: number - 1])
        asked = (
            one for card, one in self.scene.abilities if card.id == self.use and one.called(self.ability)
        )
        return moved or any(zone in one.zones for one in asked)


class Told(Legal):
    """May a use be made, with choices that come up only while it is carried out? Found out by an exploration in which
    it is the next move told."""

    def __init__(self, asked: Legal) -> None:
        said = asked.ask["legal"]
        move = {key: said[key] for key in ("who", "use", "ability", "on") if said.get(key)}
        choices = [{"who": asked.who, **choice} for choice in said.get("choices", ())]
        super().__init__(asked.scene.going_on([move, *choices]), asked.ask, asked.place)
        self.asked, self.done = asked, True

    @property
    def text(self) -> str:
        return self.asked.text

    def claim(self, answer: str) -> str:
        return self.asked.claim(answer)

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        return "yes" if why != "illegal" and self._made(m) else "no"

    def _made(self, m: Machine) -> bool:
        return m.script >= len(self.scene.did)

    def offered(self, m: Machine, decision: Decision) -> None:
        """Where it could be used, it is remembered why not with what is to be chosen for it."""
        if not self.choices or m.script >= len(self.scene.did) or not self._is_next(m):
            return
        for option in decision.options:
            if not isinstance(option, Candidate) or (option.obj.id, option.you.id) != (self.use, self.who):
                continue
            if option.meant(self.ability):
                self._may_choose(m, option)

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        return value


class Behind(Told):
    """May a use be made behind the window at which the lines of its question stop, in the same turn?"""

    def _made(self, m: Machine) -> bool:
        return super()._made(m) and m.told == self.asked.behind


class Chosen(Question):
    """May these choices be made, without a use that they belong to (who blocks whom)? Found out by making them: by an
    exploration of its own, in which they are the last moves (`making`)."""

    kind = "legal"
    reducible = True

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str, *, making: bool = False) -> None:
        super().__init__(scene, ask, place)
        self.who, self.choices, self.making = ask["legal"]["who"], ask["legal"]["choices"], making

    def made(self) -> "Chosen":
        """The question in the scene in which the choices are made. Raises DataError."""
        scene = self.scene.going_on([{"who": self.who, **choice} for choice in self.choices])
        return Chosen(scene, self.ask, self.place, making=True)

    @property
    def text(self) -> str:
        return Message("May {who} choose {what}?", who=self.who, what=self.what)

    @property
    def what(self) -> str:
        found = []
        for choice in self.choices:
            many = choice["choose"] if isinstance(choice["choose"], list) else [choice["choose"]]
            chosen = both(map(self.label, many))
            if "for" in choice:
                name = self.scene.system.word(choice["for"])
                chosen = Message("{chosen} as “{choice}”", chosen=chosen, choice=name)
            found.append(chosen)
        return listed(dict.fromkeys(found))

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if not self.making:
            return "illegal" if why == "illegal" else None
        return "no" if why == "illegal" or m.script < len(self.scene.did) else "yes"

    def claim(self, answer: str) -> str:
        if answer == "yes":
            return Message("{who} may choose {what}", who=self.who, what=self.what)
        return Message("{who} may not choose {what}", who=self.who, what=self.what)


ACTION = "|:"  # among what was used: the next of these begins an action
WAITS, DONE = "+", "="  # a use begins to wait for its turn; it takes effect


class Came(NamedTuple):
    """One of the things that `Order` asks about has come. how: "" used or happened, or WAITS, or DONE."""

    thing: int
    how: str


class Order(Question):
    """In which order abilities are used, or come by themselves, and occurrences happen. Everything is told as often as
    it comes; what the rules let one do with a card (to play it, to commit it) is none of its abilities, but what it
    pays for when that comes of itself (its bowing for Gold) is."""

    kind = "order"
    reducible = True

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        # cards with a text of their own: what the rules let one do with such a card is not that
        self.texts = {card.id for card, ability in scene.abilities if not ability.of_rules}
        self.paying = {
            (card.id, ability.name)
            for card, ability in scene.abilities
            if ability.of_rules and ability.kind.must and ability.cost is not None
        }
        self.things = [self._thing(one, f"{place}.order[{i}]") for i, one in enumerate(ask["order"])]
        # cards that have an ability of their own called so
        self.own = {
            (card.id, thing["ability"])
            for thing in self.things
            if thing.get("ability")
            for card, ability in scene.abilities
            if card.id == thing["use"] and not ability.of_rules and ability.called(thing["ability"])
        }
        self.words = [self._words(thing) for thing in self.things]

    def _thing(self, one: Any, place: str) -> dict[str, Any]:
        """An ability of a card, {use, ability}, or an occurrence, {what, to}. Raises DataError."""
        thing = dict(one) if isinstance(one, Mapping) else {"use": one}
        if "what" in thing:
            kinds = {*self.scene.system.kinds, *self.scene.system.families}
            if thing["what"] not in kinds:
                raise unknown("occurrence kind", thing["what"], kinds, place=place)
            self._check_subject(thing, place)
            return thing
        own = [ability for card, ability in self.scene.abilities if card.id == thing["use"]]
        word = thing.get("ability", "")
        if word and not self.scene.copies and not any(ability.called(word) for ability in own):
            words = [ability.name or ability.kind.name for ability in own]
            raise unknown(f"ability of {self.label(thing['use'])}", word, words, place=place)
        return thing

    def _check_subject(self, thing: Mapping[str, Any], place: str) -> None:
        """Can it happen to what is named? Else the question would match nothing, and say so as if it were an answer."""
        if not thing.get("to"):
            return
        system, obj = self.scene.system, self.scene.objects[thing["to"]]
        kinds = system.families.get(thing["what"], (thing["what"],))
        types = {role.type for kind in kinds for role in system.kinds[kind].roles.values()}
        if not types & {obj.kind, "object"}:
            fits = " or ".join(sorted(types & {"card", "player"})) or "nobody"
            text = f"“{thing['what']}” happens to a {fits}, and {obj.label} is a {obj.kind}"
            raise DataError("bad-question", text, place=place, remedy=f"Name a {fits}.")

    def _words(self, thing: Mapping[str, Any]) -> str:
        word = self.scene.system.word
        if "what" in thing:
            what = word(thing["what"])
            return (
                Message("{what} ({to})", what=what, to=self.label(thing["to"])) if thing.get("to") else what
            )
        card = self.label(thing["use"])
        if not thing.get("ability"):
            return card
        return Message("{card} ({ability})", card=card, ability=word(thing["ability"]))

    @property
    def idle(self) -> list[str]:
        """Those that can never come: cards that have no ability, so that none of theirs is used."""
        having = {card.id for card, ability in self.scene.abilities if not ability.of_rules}
        return [
            words
            for thing, words in zip(self.things, self.words, strict=True)
            if "use" in thing
            and not thing.get("ability")
            and thing["use"] not in having
            and not self.scene.copies
        ]

    @property
    def text(self) -> str:
        return Message("In which order do {things} happen?", things=both(self.words))

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        return why if why == "illegal" else ()

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        if is_untold(value) or value in ("illegal", UNEXPLORED):
            return value
        found: list[Came | None] = []
        for mark in marks:
            if mark == ACTION:
                found.append(None)
            how = mark[0] if mark[0] in (WAITS, DONE) else ""
            found += [Came(i, how) for i, thing in enumerate(self.things) if self._is(thing, mark)]
        return self._in_order((*found, *value)) if found else value

    @staticmethod
    def _in_order(found: tuple[Came | None, ...]) -> tuple[Came | None, ...]:
        """Each of them once. Before the None stand those that came in an earlier action, and not since."""
        begun = max((i for i, one in enumerate(found) if one is None), default=-1)
        now = dict.fromkeys(one for one in found[begun + 1 :])
        before = [one for one in dict.fromkeys(found[: max(begun, 0)]) if one is not None and one not in now]
        return (*before, *([None] if begun >= 0 else []), *now)

    def _is(self, thing: Mapping[str, Any], mark: str) -> bool:
        who, what, *words = mark.split(":", 4)
        if who.startswith("#"):  # it happened
            kinds = self.scene.system.families.get(thing.get("what", ""), (thing.get("what"),))
            return who[1:] in kinds and (not thing.get("to") or thing["to"] in what.split(","))
        if what.lstrip("-") != thing.get("use"):
            return False
        if word := thing.get("ability"):
            rules = words[:1] == ["rules"] and word != words[-1]  # called so by its kind alone
            return word in words[1:] and not (rules and (what.lstrip("-"), word) in self.own)
        card = what.lstrip("-")
        return words[:1] != ["rules"] or card not in self.texts or (card, words[-1]) in self.paying

    def said(self, value: tuple[Came | None, ...]) -> str:
        """As people say it: one after another."""
        if not any(one is not None for one in value):
            if any("what" in one for one in self.things):
                return Message("none of them happens")
            return Message("none of them is used")
        told, earlier = [], None in value
        for one in value:
            if one is None:
                earlier = False
            elif not one.how:
                words = self.words[one.thing]
                told.append(Message("{what} (in an earlier action)", what=words) if earlier else words)
        return clauses([then(told), *self._carried_out([one for one in value if one is not None])])

    def _carried_out(self, came: list[Came]) -> list[str]:
        """Where uses wait (on a stack): in which order they take effect, unless it is the order they came in."""
        waits = {one.thing for one in came if one.how == WAITS}
        used = [one.thing for one in came if not one.how]
        done = [one.thing for one in came if one.how == DONE or (not one.how and one.thing not in waits)]
        if done == used:
            return []
        told: list[str] = []
        if never := both(self.words[one] for one in used if one not in done):
            several = len(used) - len(done) > 1
            told = [Message("{things} do not take effect", things=never)]
            told = told if several else [Message("{thing} does not take effect", thing=never)]
        if len(done) > 1:
            told.append(Message("taking effect: {things}", things=then(self.words[one] for one in done)))
        return told

    def claim(self, answer: str) -> str:
        if answer == "illegal":
            return Message(NOT_LEGAL, question=self.text)
        idle: list[str] = [Message("{card} has no ability", card=words) for words in self.idle]
        if answer == self.said(()):
            said = Message("{^said}", said=answer)
            return Message("{said}: {why}", said=said, why=clauses(idle)) if idle else said
        never = [words for words in self.words if words not in answer and words not in self.idle]
        idle = [Message("{card} has no ability", card=words) for words in self.idle if words not in answer]
        idle += [
            Message("{card} is not used", card=words)
            if "what" not in thing
            else Message("{what} does not happen", what=words)
            for thing, words in zip(self.things, self.words, strict=True)
            if words in never
        ]
        order = Message("Order: {order}", order=answer)
        return Message("{said} ({besides})", said=order, besides=clauses(idle)) if idle else order


END, NOW, EVER = "end", "now", "ever"  # moments; any other is the first occurrence of a kind
NOT_REACHED = Message("not reached")
OPEN = "open"
OPEN_THEN = Message("a fact that is disputed or unknown when it happens")
IN_THE_END = Message("in the end")


class Holds(Question):
    """Is a condition true: where the lines end, right after the moves (`now`), at any time from then on (`ever`), or
    just after the first occurrence of a kind from then on. A moment that a line does not come to is not reached."""

    kind = "holds"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, ask, place)
        self.test = scene.expression(ask["holds"], f"{place}.{self.kind}")
        self.condition = ask["holds"]
        self.words = condition_in_words(scene, self.condition)
        self.unknown: list[tuple[str, str, str, str]] = []  # what its marks name by number
        self.moment: str = ask.get("at", END)
        known = (END, NOW, EVER, *scene.system.kinds, *scene.system.families)
        if self.moment not in known:
            found = unknown("moment", self.moment, known, place=f"{place}.at")
            found.remedy = (
                f"{found.remedy} A moment is now, ever or something that happens; to look into a phase, begin there."
            ).strip()
            raise found
        self.number = place  # how marks tell it from other questions
        self.reducible, self.settles = self.moment == END, self.moment != END
        self.ends: frozenset[str] = frozenset()  # why the lines are over, once they are known

    @property
    def _when(self) -> str:
        """The moment, as people say it."""
        if self.moment == NOW:
            return Message("right after these moves")
        if self.moment == EVER:
            return Message("at some time from here on")
        if self.moment != END:
            return Message("at the next “{moment}”", moment=self.scene.system.word(self.moment))
        if self.ends == {"stop"}:
            return Message("when the next action is due")
        if self.ends == {
            "done"
        }:  # what comes after the procedure in which the scenario begins is not looked at
            part = self.scene.start.says
            return Message("when “{part}” is over", part=part) if part else Message("when this part is over")
        return Message("when the game is over") if self.ends == {"game"} else IN_THE_END

    @property
    def text(self) -> str:
        when = IN_THE_END if self.moment == END else self._when
        return Message("Is it true {when} that {facts}?", when=when, facts=self.words)

    def at_end(self, m: Machine, why: str, decision: Decision | None) -> Any:
        if why in ("loop", "runaway", "illegal"):
            return why
        if self.moment not in (END, NOW, EVER):
            return NOT_REACHED
        return self._value(m)

    def _value(self, m: Machine) -> Any:
        try:
            return "yes" if self.test(m, ()) else "no"
        except Untold as found:
            return untold(found)
        except FAULTS as fault:
            text = "“{condition}” needs something that has no value"
            raise Unworkable(Message(text, condition=str(self.condition))) from fault

    def offered(self, m: Machine, decision: Decision) -> Any:
        if self.moment not in (NOW, EVER) or m.script < len(self.scene.did):
            return None
        if decision.kind in ("reading", "fact") or decision.untold:
            return None
        return self._value(m)

    def happened(self, m: Machine, kinds: Iterable[str], *, over: bool) -> str | None:
        """What is marked when occurrences of these kinds have just happened; over: with what follows from them at once
        (damage, and the life lost by it)."""
        if self.moment == NOW or over == (self.moment == EVER) or m.script < len(self.scene.did):
            return None
        if self.moment != EVER:
            family = self.scene.system.families.get(self.moment, (self.moment,))
            if not any(kind in family for kind in kinds):
                return None
        return self._mark(m)

    def passed(self, m: Machine) -> str | None:
        """What is marked where everybody would pass aloud, had they anything to use: `now` comes no later than that."""
        return self._mark(m) if self.moment == NOW and m.script >= len(self.scene.did) else None

    def begun(self, m: Machine) -> str | None:
        """What is marked before anything happens: with no move told, that is `now`. Asks for facts that are not
        settled."""
        return self._marked(self._value(m)) if self.moment == NOW else None

    def _mark(self, m: Machine) -> str:
        try:
            return self._marked(self._value(m))
        except Need:  # nothing on the way has asked for a fact that is not settled
            return self._marked(OPEN)

    def _marked(self, value: Any) -> str:
        if not isinstance(value, str):  # a mark is a string: it tells which of the unknowns it is
            if value not in self.unknown:
                self.unknown.append(value)
            value = f"{OPEN}{self.unknown.index(value)}"
        return f"?{self.number}:{value}"

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        if self.moment == END:
            return value
        met = [mark.rpartition(":")[2] for mark in marks if mark.startswith(f"?{self.number}:")]
        opened = [value.removeprefix(OPEN) for value in met if value.startswith(OPEN)]
        if opened and not (self.moment == EVER and "yes" in met):
            return (
                self.unknown[int(opened[0])] if opened[0] else (UNTOLD, "fact", OPEN_THEN, "cards or players")
            )
        if self.moment == NOW:
            return seen or (met[0] if met else value)
        if self.moment == EVER:  # once true is enough
            return "yes" if "yes" in (seen, *met) else value
        return met[0] if met else value

    def instead(self, m: Machine) -> str:
        """What is so at this end, of the facts that the condition speaks of; empty if it names none."""
        return as_it_is(self.scene, m, self.condition) if self.moment == END else ""

    def claim(self, answer: str) -> str:
        if answer == "illegal":
            text = "The moves cannot be made as given, so it is undecided whether {facts}"
            return Message(text, facts=self.words)
        if answer == NOT_REACHED:
            return Message(
                "No “{moment}” comes before play stops, so nothing is said of whether then {facts}",
                moment=self.scene.system.word(self.moment),
                facts=self.words,
            )
        if self.moment == EVER and answer == "no":
            return self._never()
        if answer == "yes":
            return Message("{^when}, it is true that {facts}", when=self._when, facts=self.words)
        return Message("{^when}, it is not true that {facts}", when=self._when, facts=self.words)

    def _never(self) -> str:
        """Not at any time as far as the lines were followed, which is said: more may come behind their ends."""
        if self.ends == {"game"}:
            return Message("At no time from here on is it true that {facts}", facts=self.words)
        if self.ends == {"stop"}:
            return Message("At no time up to the next action is it true that {facts}", facts=self.words)
        return Message(
            "At no time up to the end of what is told here is it true that {facts}", facts=self.words
        )


class Force(Holds):
    """Can a player make sure of it, whatever the others do? Settled by and/or search over the graph."""

    kind = "force"

    def __init__(self, scene: Scene, ask: dict[str, Any], place: str) -> None:
        super().__init__(scene, {"holds": ask["force"]["holds"]}, place)
        self.ask = ask
        self.who = ask["force"]["who"]
        # where players choose at the same time, whoever is to make sure of it does so first of all: one at a time
        self.alone = scene.footprint.secret and any(who != self.who for who in scene.makes_sure)

    def apart(self) -> "Force":
        """The question in a scene in which nobody else is to make sure of anything."""
        return Force(self.scene.asked_of(self.who), self.ask, self.place)

    @property
    def text(self) -> str:
        return Message("Can {who} make sure that {facts}?", who=self.who, facts=self.words)

    def claim(self, answer: str) -> str:
        # how far it looks; where lines end in several ways, `in the end` says nothing
        when = self._when if len(self.ends) == 1 and self._when != IN_THE_END else ""
        if answer == "yes":
            sure = Message("{who} can make sure that {facts}", who=self.who, facts=self.words)
        else:
            sure = Message("{who} cannot make sure that {facts}", who=self.who, facts=self.words)
        return Message("{sure} {when}", sure=sure, when=when) if when else sure


KINDS: dict[str, Callable[[Scene, dict[str, Any], str], Question]] = {
    cls.kind: cls for cls in (Next, Now, Legal, Order, Holds, Force)
}


def questions_of(scene: Scene) -> list[Question]:
    """The questions of a scene, their expressions compiled. Raises DataError with the place."""
    found = [_question(scene, dict(ask), f"ask[{i}]") for i, ask in enumerate(scene.asks)]
    scene.moments = tuple(one for one in found if isinstance(one, Holds) and one.moment != END)
    return found


def _question(scene: Scene, ask: dict[str, Any], place: str) -> Question:
    if "legal" not in ask or "use" in ask["legal"]:
        return KINDS[next(iter(ask))](scene, ask, place)
    found = Chosen(scene, ask, place)
    found.made()  # its faults are the writer's
    return found
