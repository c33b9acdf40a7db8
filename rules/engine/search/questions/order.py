"""In which order things come."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from rules.engine.base.errors import DataError, unknown
from rules.engine.base.messages import Message, both, clauses, then
from rules.engine.definitions.values import Decision
from rules.engine.machine.interpreter import Machine
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import UNEXPLORED
from rules.engine.search.questions.question import NOT_LEGAL, Question, is_untold

ACTION = "|:"  # among what was used: the next of these begins an action
WAITS, DONE = "+", "="  # a use begins to wait for its turn; it takes effect


class Came(NamedTuple):
    """One of the things that `Order` asks about has come. how: "" used or happened, or WAITS, or DONE. beside: the
    first of the things that came at the same time, where there are others."""

    thing: int
    how: str
    beside: int | None = None


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
            parts = mark.split(";") if mark.startswith("#") else [mark]
            here = [i for i, thing in enumerate(self.things) if any(self._is(thing, part) for part in parts)]
            found += [Came(i, how, here[0] if len(here) > 1 else None) for i in here]
        return self._in_order((*found, *value)) if found else value

    @staticmethod
    def _in_order(found: tuple[Came | None, ...]) -> tuple[Came | None, ...]:
        """Each of them once. Before the None stand those that came in an earlier action, and not since."""
        begun = max((i for i, one in enumerate(found) if one is None), default=-1)
        now: dict[tuple[int, str], Came] = {}
        earlier: dict[tuple[int, str], Came] = {}
        for i, one in enumerate(found):
            if one is not None:
                (now if i > begun else earlier).setdefault((one.thing, one.how), one)
        before = [one for key, one in earlier.items() if key not in now]
        return (*before, *([None] if begun >= 0 else []), *now.values())

    def _is(self, thing: Mapping[str, Any], mark: str) -> bool:
        who, what, *words = mark.split(":", 4)
        if who.startswith("#"):  # it happened
            kinds = self.scene.system.families.get(thing.get("what", ""), (thing.get("what"),))
            kind, *outside = who[1:].split("!")  # the families to which it does not belong
            here = kind in kinds and thing.get("what") not in outside
            return here and (not thing.get("to") or thing["to"] in what.split(","))
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
        for at, group in groupby(value, key=lambda one: one and (one.beside, one.beside is None and one)):
            came = [self.words[one.thing] for one in group if one is not None and not one.how]
            earlier = earlier and at is not None
            if came:
                words = came[0] if len(came) == 1 else Message("{things} at the same time", things=both(came))
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
