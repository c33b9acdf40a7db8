"""May a move be made: now, later, once more, with these choices."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.engine.base.errors import DataError, unknown
from rules.engine.base.messages import Message, both, listed
from rules.engine.definitions.model import Ability
from rules.engine.definitions.values import WHATEVER, Candidate, Decision, Obj, Reason
from rules.engine.language.expressions import tree_of
from rules.engine.language.grammar import parts_of
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.targeting import NO_SUCH_CHOICE
from rules.engine.machine.trace import CONDITION
from rules.engine.operations.windows import Window
from rules.engine.scene.scene import Scene
from rules.engine.search.questions.question import NOT_LEGAL, Question, is_untold, untold
from rules.engine.search.script import answers, chosen_by, is_left_open
from rules.engine.setup.moves import answered_instead, choices_of, with_names


def _readings_of(ability: Ability) -> set[str]:
    """The readings that its condition hangs on."""
    found: set[str] = set()
    for text, _ in ability.condition.said if ability.condition is not None else ():
        found |= {part[2][0][1] for part in parts_of(tree_of(text)) if part[:2] == ("call", "reading")}
    return found


NOT_AS_CHOSEN = "not as chosen"  # it may be used, and what was told to be chosen for it may not


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
        # where the card lies when it is asked about, and where that was seen to be after the moves
        self.lies: str = ask["legal"].get("lies", "")
        self.seen_in: set[str] = set()
        self.told = ask["legal"].get("told", "")  # is it the use that was told, or (“no”) one beside it?
        chosen = ask["legal"].get("choices", ())
        if len(chosen) == 1 and "for" not in chosen[0] and not self.on:
            self.on = answered_instead(scene, self.use, self.ability, chosen[0]) or []
            chosen = () if self.on else chosen
        self.choices = [
            (choice.get("for", ""), self._ids(choice))
            for choice in with_names(scene, self.use, self.ability, chosen)
        ]
        # the turn in which a line stops at a window that doesn't ask for it, or where whoever begins can only pass
        self.behind: int | None = None
        self.at_any_time = False  # may it be used there whoever is asked first?
        self.barred: Reason | None = None  # it may be used, but what is asked about may not be chosen for it
        self.lay: list[Any] = []  # where the cards that it is about were when it could first have been made
        self.barred_anyhow = False  # did anything stand against it whatever is chosen?
        own = [one for card, one in scene.abilities if card.id == self.use and not one.of_rules]
        meant = [one for one in own if not self.ability or one.called(self.ability)]
        coming = [one for one in meant if self._is_its_own(one)]
        self.compulsory = (
            bool(coming)
            and all(one.kind.must for one in meant)
            and self.told != "yes"
            and not self._is_to_be_played(meant)
            and not self._only_the_rules_ask(meant)
        )
        # does it come of itself, and is all that it does left to its player?
        self.left_open = self.compulsory and all(is_left_open(one) for one in meant)
        # has the card a text that somebody may use, which what the rules let one do with it is not?
        self.has_text = any(not one.kind.must for one in own)
        # is the word that says which ability one for what the card itself has?
        self.of_its_own = bool(self.ability) and any(one.called(self.ability) for one in own)
        self.voluntary = not self.compulsory and self._is_anybodys_choice()
        self.orderers: dict[str, None] = {}  # who decides when what is compulsory comes
        self.owners: dict[str, None] = {}  # whose use it is, by their ids
        self._check_ability(place)
        self._check_choices(place)
        # what the rules let one do with the card, by its names, beside which something else is asked about
        self.beside = self._told_by_the_rules() if self.told == "no" else frozenset()
        # is it about what is done from now on, whatever was done before?
        self.anew = self.again or bool(self.beside) or (self.told == "no" and self._was_used_in_play())
        self.done = self.settles = not self.anew and self._is_last_use()
        # is it the last use that was told, of which nobody told what was chosen for it?
        self.completes = bool(self.choices) and not (self.done or self.anew) and self._ends_with_it()
        self.own_again = self.again and not self.ability and self._used_its_text()

    def answering(self) -> "Legal | None":
        """The question in which what the use is told on is not what pays for it, but what it answers."""
        legal = self.ask["legal"]
        chosen = legal.get("choices", ())
        if len(chosen) != 1 or "for" in chosen[0] or self.on:
            return None
        on = answered_instead(self.scene, self.use, self.ability, chosen[0], paying=True)
        if on is None:
            return None
        asked = {"legal": {key: said for key, said in legal.items() if key != "choices"} | {"on": on}}
        return Legal(self.scene.asking(self.scene.did, asked), asked, self.place)

    def paying(self) -> "Legal | None":
        """The question in which what the use is told on is all that pays for it, and not what it affects."""
        legal = self.ask["legal"]
        named = [
            dict(choice)
            for choice in with_names(
                self.scene, self.use, self.ability, legal.get("choices", ()), payment_alone=True
            )
        ]
        if self.on or [(one.get("for", ""), self._ids(one)) for one in named] == self.choices:
            return None
        asked = {"legal": {**legal, "choices": named}}
        return Legal(self.scene.asking(self.scene.did, asked), asked, self.place)

    def by_the_rules(self) -> "Iterator[Legal]":
        """The questions in which not the card's own text is meant, but what the rules let one answer with it."""
        for name in [] if self.ability or self.again else self.scene.answers_by_the_rules(self.use):
            if self.choices and not self._takes_choices(name):
                continue
            asked = {"legal": {**self.ask["legal"], "ability": name}}
            yield Legal(self.scene.asking(self.scene.did, asked), asked, self.place)

    def where_it_lies(self) -> "Legal | None":
        """Of what would come of itself, but not where the moves have brought the card: the question about what the
        rules let one do with it there (play it, from the hand to which it came back)."""
        if not self.compulsory or self.ability or self.again or self.lies or len(self.seen_in) != 1:
            return None
        asked = {"legal": {**self.ask["legal"], "lies": next(iter(self.seen_in))}}
        found = Legal(self.scene.asking(self.scene.did, asked), asked, self.place)
        return None if found.compulsory else found

    def _zone(self) -> Any:
        """Where the card lies, as the scenario has it or as is asked."""
        start = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        return self.lies or start

    def _is_its_own(self, ability: Ability) -> bool:
        """Is the ability printed on the card, or has the card it from elsewhere as the scenario begins? What it may
        come to have counts only where the rules let nobody do anything with the card."""
        if ability.gained is None or not self._rules_let():
            return True
        return self.scene.has_from_the_start(self.scene.objects[self.use], ability)

    def _only_the_rules_ask(self, meant: list[Ability]) -> bool:
        """Are there choices in what is asked about, for which only what the rules let one do with the card asks?"""
        asked = any(name for one in meant for name in choices_of(one))
        return bool(self.choices) and not asked and not self.ability and self._rules_let(choosing=True)

    def _rules_let(self, *, choosing: bool = False) -> bool:
        """Do the rules let a player do something with the card where it lies, something that asks for choices?"""
        zone = self._zone()
        return any(
            card.id == self.use and one.of_rules and not one.kind.must and zone in one.zones
            for card, one in self.scene.abilities
            if not choosing or any(choices_of(one))
        )

    def _takes_choices(self, ability: str) -> bool:
        """Does what the rules let one do with the card choose something, under the names that are asked about?"""
        names = {
            name
            for card, one in self.scene.abilities
            if card.id == self.use and one.called(ability)
            for name in choices_of(one)
        }
        return bool(names) and all(not name or name in names for name, _ in self.choices)

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
        if not said and self.told != "yes" and of_rules != self._is_played(last):
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

    def _used_its_text(self) -> bool:
        """Was the card's own text used, as told, when its player used it last? What the rules let one do with it since
        (play it, from the hand to which it came back) is not that once more."""
        number, said = self._told_last
        if not (number and self.has_text):
            return False
        return not (self._is_of_rules(said) if said else self._is_played(number))

    @property
    def _told_last(self) -> tuple[int, str]:
        """The place (from 1) of the last use of the card by its player that is told, and its ability; 0: of none."""
        uses = [
            (number, move.get("ability", ""))
            for number, move in enumerate(self.scene.did, 1)
            if (move["who"], move.get("use")) == (self.who, self.use)
        ]
        return uses[-1] if uses else (0, "")

    def _ends_with_it(self) -> bool:
        last = self.scene.did[-1] if self.scene.did else {}
        meant = (last.get("who"), last.get("use")) == (self.who, self.use)
        return meant and self.ability in ("", last.get("ability", "")) and not self.on

    def _was_used_in_play(self) -> bool:
        """Was its own text used where it lay in play as the scenario begins? What is played lies elsewhere."""
        zone = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        return zone in self.scene.system.zones_in_play and self._used_its_text()

    def _told_by_the_rules(self) -> frozenset[str]:
        """What the last use that was told may have been of what the rules let one do with the card; empty: it was of
        the card's own text."""
        number, said = self._told_last
        if not number or self._used_its_text():
            return frozenset()
        zone = self.scene.facts[self.scene.objects[self.use].base + self.scene.zone_slot]
        of_rules = [one for card, one in self.scene.abilities if card.id == self.use and one.of_rules]
        return frozenset(one.name for one in of_rules if (one.called(said) if said else zone in one.zones))

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
        zone = self._zone()
        used = not self.lies and any(move.get("use") == self.use for move in self.scene.did)
        if used or any(zone in one.zones for one in own):
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
            if self.done and m.script >= self.scene.last_use:
                return NOT_AS_CHOSEN
            return "no" if self._is_next(m) else "illegal"
        if why == "loop":  # who goes on and on has not been asked; who stops is on another line
            return why
        unclear = decision.untold if decision is not None else None
        unclear = unclear or m.unread_use(self.who, self.use)
        if why == "stop" and decision is not None and not (self.done or self.compulsory):
            others = getattr(decision.who, "id", "") != self.who
            self.at_any_time = others and self._is_of(getattr(m.code[m.pc], "anytime", ()))
            window = m.code[m.pc]
            in_turn = (
                others and isinstance(window, Window) and window.is_still_to_ask(m, self.who, self._kinds())
            )
            only_passes = others and decision.options == [None] and m.turn == m.told and not self.scene.did
            if (
                self.at_any_time
                or in_turn
                or only_passes
                or m.waits_for_a_window(self.ask["legal"], decision.subject)
            ):
                self.behind = m.turn
        return "no" if unclear is None else untold(unclear)

    def _is_of(self, kinds: Sequence[str]) -> bool:
        """May an ability of one of these kinds be meant?"""
        return any(kind in kinds for kind in self._kinds())

    def _kinds(self) -> set[str]:
        """The kinds of what may be meant."""
        return {
            one.kind.name
            for card, one in self.scene.abilities
            if card.id == self.use and (not self.ability or one.called(self.ability))
        }

    def _is_next(self, m: Machine) -> bool:
        """Is the move that cannot be made the very one that is asked about?"""
        move = self.scene.did[m.script] if m.script < len(self.scene.did) else {}
        return (move.get("who"), move.get("use")) == (self.who, self.use) or self.done

    def offered(self, m: Machine, decision: Decision) -> Any:
        """None where nothing is asked of a player, or the moves are not yet made."""
        if m.script < len(self.scene.did) or decision.kind in ("reading", "fact"):
            return None
        if self.compulsory:
            self.seen_in.add(m.zone(self.scene.objects[self.use]))
        offered = [
            option
            for option in decision.options
            if isinstance(option, Candidate)
            and option.obj.id == self.use
            and self._decides(decision, option)
            and not (self.compulsory and option.ability.of_rules)
            and not (self.voluntary and option.ability.kind.must)
            and option.meant(self.ability)
            and not (self.own_again and option.ability.of_rules)
            and not (option.ability.of_rules and option.ability.name in self.beside)
            and answers(m, option, self.on)
            and (not self.choices or self._may_choose(m, option))
        ]
        doubts = [m.doubt(option) for option in offered] if m.scene.strangers else []
        if doubts and None not in doubts:
            return next(untold(one) for one in doubts if one is not None)
        return bool(offered)

    def note_refusal(self, m: Machine, option: Candidate, reason: Reason) -> None:
        """Remember what stands against the very choices that are asked about, where nothing at all may be chosen; not
        once something stood against the use whatever is chosen."""
        user = getattr(option.you, "id", "")
        asked = (user, option.obj.id) == (self.who, self.use) and option.meant(self.ability)
        if m.script < len(self.scene.did) or not asked or not answers(m, option, self.on):
            return
        self.barred_anyhow |= CONDITION <= reason.depth <= WHATEVER
        if reason.depth > WHATEVER and not self.barred_anyhow:
            against = m.choosable(option, self.choices)
            self._bar(m, against)
            self.barred_anyhow = against is None  # it is no matter of these choices

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
        against = m.choosable(option, self.choices)
        if against is None:
            self.barred = None
        self._bar(m, against)
        return against is None

    def _bar(self, m: Machine, against: Reason | None) -> None:
        """What stands against the choices where the cards still lie as they did is told, not what has come of them
        since; that an ability has no such choice, only where none has."""
        cards = [self.use, *(one for _, ids in self.choices for one in ids if one in self.scene.objects)]
        lies = [m.facts[self.scene.objects[card].base + self.scene.zone_slot] for card in cards]
        self.lay = self.lay or lies
        said = self.barred is not None and self.barred.text != NO_SUCH_CHOICE
        if against is not None and not (said and (lies != self.lay or against.text == NO_SUCH_CHOICE)):
            self.barred = against

    def fold(self, value: Any, marks: tuple[str, ...], seen: Any) -> Any:
        if is_untold(seen):  # it is offered where it may not be possible
            return value if value == "yes" else seen
        if value == NOT_AS_CHOSEN:
            return value
        return "yes" if seen or any(self._meant(mark) for mark in marks) else value

    def _meant(self, mark: str) -> bool:
        if self.again or (self.anew and not self.compulsory):
            return False
        if (self.choices or self.on) and not self.done:
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
        if answer == "yes" and (self.done or self.completes):
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
        if self.left_open and len(owners) == 1:
            text = "{what} comes up by itself, and whether to carry it out is {owner}’s choice"
            return Message(text, what=what, owner=owners[0])
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
        return made and not (self.anew or self.done or self.completes)

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
        moves = choices if asked.completes else [move, *choices]
        super().__init__(asked.scene.going_on(moves), asked.ask, asked.place)
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
        """The question in the scene in which the choices are made; if they are the last that was told, it is about
        those. Raises DataError."""
        if self._were_told():
            return Chosen(self.scene, self.ask, self.place, making=True)
        scene = self.scene.going_on([{"who": self.who, **choice} for choice in self.choices])
        return Chosen(scene, self.ask, self.place, making=True)

    def _were_told(self) -> bool:
        last = self.scene.did[len(self.scene.did) - len(self.choices) :]
        return len(last) == len(self.choices) and all(
            told["who"] == self.who
            and "choose" in told
            and set(chosen_by(told)) == set(chosen_by(choice))
            and told.get("for", choice.get("for")) == choice.get("for", told.get("for"))
            for told, choice in zip(last, self.choices, strict=True)
        )

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
