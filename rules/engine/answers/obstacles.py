"""Why a use that is asked about cannot be: what stands against it on one line, in the order in which it is told."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from rules.engine.answers.telling import with_article
from rules.engine.base.errors import Need, Unworkable
from rules.engine.base.messages import Message, both, clauses
from rules.engine.definitions.model import Ability, Grant, OccurrenceKind, Unit
from rules.engine.definitions.values import WHATEVER, Candidate, Obj, Reason
from rules.engine.machine.eligibility import ELSEWHERE_NOW
from rules.engine.machine.trace import CONDITION, ELSEWHERE, OWN_TEXT, number_of
from rules.engine.machine.unmet import unmet

if TYPE_CHECKING:
    from rules.engine.answers.replay import Replay
    from rules.engine.scene.scene import Scene

NOTHING_HAPPENED = "nothing happened that it responds to"
NO_WINDOW = "no window came up in which {who} may use {kind}"
NO_WINDOW_YET = "no window in which {who} may use {kind} comes before the next action"
BEGINS_ELSEWHERE = (
    "no window in which {who} may use {kind} comes from where the scenario begins"
    " (for one, write “at: {point}”)"
)
GAME_OVER_FIRST = "the game is over before {who} may use {kind}"

MOST_ABILITIES = 3  # of one card, each with its own reason

Choices = Sequence[tuple[str, tuple[str, ...]]]


def asks(scene: "Scene", start: Unit, kind: str) -> bool:
    """Does a procedure, or what it and the abilities here may lead to, ask for abilities of a kind?"""
    seen: set[Unit] = set()
    waiting: list[Any] = [start, *(unit for _, one in scene.abilities for unit in (*one.parts, one.cost))]
    while waiting:
        unit = waiting.pop()
        if isinstance(unit, OccurrenceKind):
            unit = unit.steps
        if not isinstance(unit, Unit) or unit in seen:
            continue
        seen.add(unit)
        for operation in unit.code:
            if kind in operation.asks_for:
                return True
            waiting += operation.leads_to(scene.system)
    return False


class Obstacles:
    """What stands against `who` using a card (or one ability of it, or with such choices) on a line that was replayed.

    `first` is the reason that is told: that of the first test in `ORDER` which finds one. What stands against the use
    whoever's turn it is comes before whose turn it is; what came up and was refused, before what never came up.
    """

    def __init__(
        self,
        line: "Replay",
        who: str,
        card: str,
        ability: str = "",
        choices: Choices = (),
        *,
        beside: frozenset[str] = frozenset(),
    ) -> None:
        """beside: what the rules let one do with the card, by its names, and what is not asked about where no ability
        is named."""
        self.line, self.scene, self.machine, self.tracer = line, line.scene, line.machine, line.tracer
        self.who, self.card, self.ability, self.choices = who, card, ability, choices
        self.beside = frozenset() if self._is_named else beside
        self.obj = self.scene.objects[card]
        self.refusals = self.scene.system.refusals
        self.key = (who, card, ability)

    def first(self) -> Reason:
        """The reason to tell; where the question means several abilities, each with its own, if these differ."""
        own = [one for one in self.meant if not one.kind.must and not one.of_rules]
        titles = [one.name or one.kind.title for one in own]
        # where one of them works elsewhere, what is asked about is playing the card
        elsewhere = any(one.zones.isdisjoint(self.zones) for one in own)
        if self.ability or elsewhere or not 1 < len(set(titles)) == len(own) <= MOST_ABILITIES:
            return self._first()
        reasons = [self._of(one)._first() for one in own]
        if len({reason.text for reason in reasons}) == 1:
            return reasons[0]
        each = zip(titles, reasons, strict=True)
        said = clauses(
            Message("as “{ability}”: {reason}", ability=title, reason=reason.text) for title, reason in each
        )
        return Reason(said, tuple(dict.fromkeys(cite for reason in reasons for cite in reason.cites)))

    def _first(self) -> Reason:
        found = next(filter(None, (test(self) for test in self.ORDER)), None)
        return found or self.no_window()

    def _of(self, ability: Ability) -> "Obstacles":
        return Obstacles(self.line, self.who, self.card, number_of(ability), self.choices)

    # --- the tests, as they are tried

    def lacks_ability(self) -> Reason | None:
        """A text gives it the ability while something is so, which it is not."""
        if not all(one.of_rules for one in self.meant):
            return None
        elsewhere = bool(
            self.ability or (self.met and self.met.depth)
        )  # what the rules let one do may be meant
        for owner, ability in self.scene.abilities:
            gained = ability.gained
            if owner is not self.obj or gained is None or gained.grant is None:
                continue
            if self.machine.has(self.obj, ability):
                continue
            grant, source = gained.grant, gained.source
            if elsewhere and (
                source is not self.obj or not ability.called(self.ability or ability.kind.name)
            ):
                continue
            if source is self.obj and self.machine.silent(source):
                return self.machine.why_silent(source)
            if found := self._not_given_now(source, grant, self.obj):
                return found
        return None

    def _not_given_now(self, source: Obj, grant: Grant, to: Obj) -> Reason | None:
        """What a text gives to a card while something is so that isn't: that it lacks it now."""
        if grant.condition is None or not self.machine.lasts(source, grant):
            return None
        if not grant.covers(self.machine, (source, to)):
            return None
        if part := unmet(self.machine, grant, (source, to)):
            return Reason(Message("{card} does not have the ability now ({part})", card=to, part=part), ())
        return Reason(Message("{card} does not have the ability now", card=to), ())

    def gives_ability(self) -> Reason | None:
        """Its player can do nothing with it where it is, but its text gives an ability to others, or would to one."""
        zone, _ = self.zones
        if zone not in self.scene.system.zones_in_play or any(zone in one.zones for one in self.meant):
            return None
        if self.others or (self.met is not None and self.met.depth):
            return None
        given = [
            (owner, one, gained.grant)
            for owner, one in self.scene.abilities
            if (gained := one.gained) is not None and gained.grant is not None
            if gained.source is self.obj is not owner and not one.kind.must
            if not self._is_named or one.called(self.ability)
            if self._covers(gained.grant, owner)
        ]
        having = dict.fromkeys(owner.label for owner, one, _ in given if self.machine.has(owner, one))
        if 0 < len(having) <= MOST_ABILITIES:
            text = "{card} is {zone}, and its text gives the ability to {cards}"
            place = self.scene.system.zone_names[zone]
            return Reason(Message(text, card=self.obj, zone=place, cards=both(having)), ())
        if having or len(given) != 1:
            return None
        ((owner, _, grant),) = given
        return self._not_given_now(self.obj, grant, owner)

    def _covers(self, grant: Grant, owner: Obj) -> bool:
        try:
            return bool(grant.covers(self.machine, (self.obj, owner)))
        except (Need, Unworkable):
            return False

    def bars_choices(self) -> Reason | None:
        """What was chosen for it cannot be, where nobody was asked about it."""
        if not self.choices or not self.unprompted or self.met is not None or self.controllers:
            return None
        found = self.at_any_time
        return found if found is not None and found.depth != ELSEWHERE else None

    def was_refused(self) -> Reason | None:
        """It came up, and this stood against it."""
        found = self.met if self.has_text or not self.beside else self._met_beside()
        if found is None and self.beside and not self.has_text and self.obj not in self.scene.unread:
            return self._without_ability()
        # that the card cannot be played again says nothing of its text
        if found is None or (not found.depth and self.has_own):
            return None
        if found.depth == ELSEWHERE and self.unprompted:
            later = self.at_any_time
            return later if later is not None and later.depth > ELSEWHERE else found
        if getattr(found.text, "template", "") == ELSEWHERE_NOW and self.has_moved and self.meant:
            return self._came_later() or found
        if found.depth == CONDITION and self.has_moved:
            return self._last_answered() or found
        return found

    def has_left(self) -> Reason | None:
        """Its player was asked about what the rules let one do with it, and it is not where its own text works."""
        asked = self.key in self.tracer.furthest and self.met is None
        return self._standing() if asked and self._has_left() else None

    def is_anothers(self) -> Reason | None:
        """Somebody else may use it."""
        others = self.others
        if others and self.unasked is not None:
            return self.unasked
        if (others := others or self.controllers) and self.who not in others:
            return self._told("user", Message("it is {who}'s to use", who=others[0]))
        return None

    def has_none(self) -> Reason | None:
        if self.meant:
            return None
        if self._is_named and not self.ability.startswith("#"):
            word = self.scene.system.word(self.ability)
            return Reason(Message("“{ability}” can’t be done with {card}", ability=word, card=self.obj), ())
        return self._without_ability()

    def was_possible(self) -> Reason | None:
        """It could be used, and that is over."""
        if self.who not in self.users:
            return None
        if not self.unprompted:
            return self._told("window", Message("the opportunity to use it is over"))
        text = "{who} could use it before, but it is not {who}'s turn to act now"
        return self.at_any_time or self._not_now(Message(text, who=self.who))

    def was_replaced(self) -> Reason | None:
        if not any(self.tracer.turned.intersection(one.of) for one in self.meant):
            return None
        return self._told("replaced", Message("what it responds to was replaced"))

    def nothing_happened(self) -> Reason | None:
        if all(one.of and not self.line.occasions(one).intersection(one.of) for one in self.meant):
            forked = self.line.forked and not self.has_moved  # on another line it may happen
            standing = self._standing() if forked else None
            return standing or self._told("trigger", Message(NOTHING_HAPPENED))
        return None

    def _standing(self) -> Reason | None:
        """What stands against each of them as things are now, whatever it answers."""
        found = None
        for one in self.meant:
            reason = self.machine.refusal_whatever(
                Candidate(one, self.obj, self.scene.objects[self.who], None, None, 0)
            )
            if reason is None:
                return None
            found = found or reason
        return found

    def out_of_turn(self) -> Reason | None:
        """It could be used here, were it the player's turn; else what stood against it for those who were not asked."""
        if self.key in self.tracer.elsewhere:
            return self._not_now(Message("it is not {who}'s turn to act", who=self.who))
        return self.unasked

    def no_window(self) -> Reason:
        kind = self.meant[0].kind
        text, point = NO_WINDOW, self._begin_at(kind.name)
        if point:
            text = BEGINS_ELSEWHERE
        elif self.machine.ended == "game" and not self.line.ends_otherwise:
            text = GAME_OVER_FIRST
        elif self.line.stopped:  # what comes after the next action is not looked at
            text = NO_WINDOW_YET
        return self._told("window", Message(text, who=self.who, kind=with_article(kind.title), point=point))

    def _begin_at(self, kind: str) -> str:
        """From which point of the game such a kind is asked for, if it never is from where the scenario begins."""
        system = self.scene.system
        charts = {
            word: system.charts.get(chart) for word, chart in system.starts.items() if isinstance(chart, str)
        }
        if asks(self.scene, self.scene.start, kind):
            return ""
        return next((word for word, unit in charts.items() if unit and asks(self.scene, unit, kind)), "")

    ORDER: ClassVar[tuple[Callable[["Obstacles"], Reason | None], ...]] = (
        lacks_ability,
        gives_ability,
        bars_choices,
        was_refused,
        has_left,
        is_anothers,
        has_none,
        was_possible,
        was_replaced,
        nothing_happened,
        out_of_turn,
    )

    # --- what they look at

    @cached_property
    def meant(self) -> list[Ability]:
        """The abilities that the question may mean, narrowed as far as something is left."""
        own = self.has_text and not self._only_rules_let
        # what it never had is none of its own
        found = [
            one
            for owner, one in self.scene.abilities
            if owner is self.obj
            and (self._is_called(one) if self._is_named else not (own and one.of_rules))
            and (one.gained is None or (self.card, one.id) in self.tracer.met)
        ]
        now, then = self.zones
        if in_place := [one for one in found if {now, then} & one.zones]:
            found = in_place  # not what it could do in a place where it never was
        elif now in self.scene.system.zones_in_play and all(one.of_rules for one in found):
            found = []
        if not own:
            found = [one for one in found if one.of_rules] or found
        if any(not one.of_rules for one in found):  # a word for a kind means the card's own ability
            found = [one for one in found if not one.of_rules or one.name == self.ability]
        found = [one for one in found if self._is_given(one)] or found
        if not self._is_named:  # what comes of itself says nothing of what its player may use
            found = [one for one in found if not one.kind.must] or found
        return found

    @cached_property
    def met(self) -> Reason | None:
        """The most telling refusal at a window where the player was asked: of the card's own text if that came up, or
        its card left the place where it works."""
        found = self.tracer.furthest.get(self.key)
        if not self.has_text or self.ability:
            return found
        said = self.tracer.furthest.get((self.who, self.card, OWN_TEXT))
        if self._has_left():  # what the rules let one do with it where it is now is not what was asked
            return said
        return said if said is not None and said.depth > ELSEWHERE else found

    @cached_property
    def unasked(self) -> Reason | None:
        """What stood against it at a window where somebody else was asked."""
        found = self.tracer.unasked.get(self.key)
        return found if found is not None and found.depth else None

    @cached_property
    def at_any_time(self) -> Reason | None:
        """What stands against the use as things are now, whoever's turn it is: it is asked about for that, and the turn
        comes round again."""
        you, first = self.scene.objects[self.who], None
        if self.line.illegal is not None:
            return None
        for one in self.meant:
            candidate = Candidate(one, self.obj, you, None, None, 0)
            try:
                reason = self.machine.refusal(candidate)
                if self.choices and (reason is None or reason.depth > WHATEVER):
                    reason = self.machine.choosable(candidate, self.choices) or reason
            except (Need, Unworkable):
                return None
            if reason is None:
                return None
            first = first or reason
        return first

    @cached_property
    def users(self) -> set[str]:
        """Who could use it at some moment of the line."""
        numbers = {one.id for one in self.meant}
        return {user for user, used, number in self.line.offered if used == self.card and number in numbers}

    @cached_property
    def others(self) -> list[str]:
        """Who else was asked about it, or could use it, where it is not the player's own."""
        if self._is_own or self.key in self.tracer.elsewhere or self.met is not None:
            return []
        asked = [who for who, *use in self.tracer.furthest if use == [self.card, self.ability]]
        return asked + (sorted(self.users) if self.who not in self.users else [])

    @cached_property
    def controllers(self) -> list[str]:
        """Whose the abilities are to use, when they are their controller's and that is somebody else."""
        controller = self._controller
        if controller is None or any(one.user is not None for one in self.meant):
            return []
        has_text = self.meant or self.obj in self.scene.unread
        return [controller.id] if has_text and controller.id != self.who else []

    @property
    def unprompted(self) -> bool:
        """Is it used of its player's own accord, and not in answer to something?"""
        return bool(self.meant) and not any(one.of for one in self.meant)

    @property
    def has_text(self) -> bool:
        """Has the card an ability of its own, beside what the rules let every card do?"""
        return any(not one.of_rules for owner, one in self.scene.abilities if owner is self.obj)

    @property
    def _only_rules_let(self) -> bool:
        """Where the card is now, does nothing of its own work, which would only come of itself elsewhere?"""
        now, _ = self.zones
        own = [one for owner, one in self.scene.abilities if owner is self.obj and not one.of_rules]
        return not self.ability and all(one.kind.must and now not in one.zones for one in own)

    @property
    def has_own(self) -> bool:
        return self.has_text and not all(one.of_rules for one in self.meant)

    @property
    def zones(self) -> tuple[str, str]:
        """Where the card is now, and where it was as the scenario begins."""
        slot = self.obj.base + self.scene.zone_slot
        return self.machine.facts[slot], self.scene.facts[slot]

    @property
    def has_moved(self) -> bool:
        now, then = self.zones
        return now != then

    @property
    def _is_named(self) -> bool:
        return self.ability not in ("", OWN_TEXT)

    def _is_called(self, ability: Ability) -> bool:
        return ability.called(self.ability) or number_of(ability) == self.ability

    def _is_given(self, ability: Ability) -> bool:
        """Do the rules let somebody do that with such a card? An attachment is not played as other cards are."""
        try:
            return ability.given is None or bool(ability.given(self.machine, (self.obj,)))
        except (Need, Unworkable):
            return True

    @property
    def _controller(self) -> Obj | None:
        found = self.machine.facts[self.obj.base + self.scene.controller_slot]
        return found if isinstance(found, Obj) else None

    @property
    def _is_own(self) -> bool:
        """Is one of the abilities the player's own to use, as its card's controller?"""
        controller = self._controller
        return (
            controller is not None
            and controller.id == self.who
            and any(one.user is None for one in self.meant)
        )

    def _has_left(self) -> bool:
        """Was the card, as the scenario begins, where a text of its own works, and is it there no more?"""
        now, then = self.zones
        own = [one for owner, one in self.scene.abilities if owner is self.obj and not one.of_rules]
        return any(then in one.zones for one in own) and not any(now in one.zones for one in own)

    def _came_later(self) -> Reason | None:
        """Of a card that was elsewhere at the time, and is now where its ability works."""
        zone, _ = self.zones
        if not all(one.of and zone in one.zones for one in self.meant):
            return None
        text = "{card} was not yet {zone} when what it responds to happened"
        return self._told("zone", Message(text, card=self.obj, zone=self.scene.system.zone_names[zone]))

    def _last_answered(self) -> Reason | None:
        """Why a card that has left did not answer the last thing that it might have: that it was elsewhere, though what
        came before did not fit."""
        key = (self.who, self.card, self.ability or (OWN_TEXT if self.has_own else ""))
        *_, last = (None, *self.tracer.answering.get(key, {}).values())
        return last if last is not None and getattr(last.text, "template", "") == ELSEWHERE_NOW else None

    def _met_beside(self) -> Reason | None:
        """What stood against anything else that the rules let one do with a card without a text, where it is."""
        others = [
            self.tracer.furthest.get((self.who, self.card, number_of(one)))
            for one in self.meant
            if one.name not in self.beside
        ]
        return next((one for one in others if one is not None), None)

    def _without_ability(self) -> Reason:
        return Reason(Message("{card} has no ability that could be used", card=self.obj), ())

    def _not_now(self, text: str) -> Reason:
        return Reason(text, self.meant[0].kind.cites or self.refusals.get("window", ()))

    def _told(self, rule: str, text: str) -> Reason:
        kind = self.meant[0].kind.cites if rule == "trigger" and self.meant else ()
        return Reason(text, self.refusals.get(rule, kind))
