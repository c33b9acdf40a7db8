"""From a canonical scenario to a scene: objects, facts, who listens to what, what was done and what is asked.

Made once per adjudication; positions of the machine refer to it and never change it.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice, pairwise, permutations, takewhile
from typing import Any

from rules.engine.base.errors import FAULTS, DataError, Need, Untold, called, unknown
from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, either
from rules.engine.compiler import card_numbers, compile_card, library_card
from rules.engine.compiler.data import counted
from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.instructions import Operation
from rules.engine.definitions.model import (
    Ability,
    Always,
    CardDefinition,
    Gained,
    Immunity,
    OccurrenceKind,
    Prohibition,
    Property,
    System,
    Unit,
)
from rules.engine.definitions.values import Obj
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import card_scope, compile_filter
from rules.engine.language.folding import folding
from rules.engine.language.scopes import Name
from rules.engine.machine.piles import ANOTHER
from rules.engine.scene.scene import Same, Scene
from rules.engine.setup.moves import answered_instead, check_moves, choices_of, choices_of_rules, with_names

Library = Callable[[str], Mapping[str, Any]]

MAX_NUMBER = 1_000_000

_IN_PLAY = "Write zone: play, or leave it out."
_NOT_PRINTED = ("zone", "owner", "controller", "incarnation")
_TEXT = ("abilities", "always", "cannot", "immune", "grants", "text", "unread", "makes")
_CARD_WORDS = ("is", "of", "name", *_TEXT)


class ScenarioScene(Scene):
    """The scene of a canonical scenario: every word of it checked and put in its place."""

    def __init__(self, system: System, scenario: Mapping[str, Any], library: Library) -> None:
        """`scenario` is canonical (rules.scenarios); `library` gives a card's data by name. Both raise DataError."""
        self.system = system
        self.scenario = scenario
        self.said_filters = {}
        width = system.width
        self.inc_slot = system.properties["incarnation"].slot
        self.zone_slot = system.properties["zone"].slot
        self.controller_slot = system.properties["controller"].slot
        self.owner_slot = system.properties["owner"].slot
        self.host_slot = system.properties["host"].slot
        self.face_slot = system.properties["face"].slot
        self.shed = tuple(prop for prop in system.properties.values() if prop.shed)
        self.bonds = tuple(
            prop
            for prop in system.properties.values()
            if prop.of == "card" and prop.type == "card" and (prop.shed or prop.name == "host")
        )
        self.printed = tuple(
            prop
            for prop in system.properties.values()
            if prop.of == "card" and prop.printed and not prop.shed and prop.name not in _NOT_PRINTED
        )

        self.objects: dict[str, Obj] = {}
        self.players = [
            self._object(name, name, "player") for name in scenario.get("seats") or scenario["players"]
        ]
        self.cards: list[Obj] = []
        self._definitions(scenario, library)
        self.game = self._object("#game", "the game", "game")
        self.strangers = self._strangers()
        index = len(self.objects) + len(self.strangers)
        label = Message("a card that has left play")
        self.former = Obj(index, index * width, "#former", label, "card", None)
        self.facts: list[Any] = [None] * (width * (index + 1))
        self.readings_base = len(self.facts)
        self.reading_slots: dict[str, int] = {}
        self.defaulted: list[tuple[str, str]] = []
        self._fill_facts()
        self._fill_readings()
        asks: Sequence[Mapping[str, Any]] = scenario.get("ask", ())
        words = {ask["at"] for ask in asks if "at" in ask}
        ordered = (one for ask in asks for one in ask.get("order", ()) if not isinstance(one, str))
        words |= {one["what"] for one in ordered if "what" in one}
        self.sorted_by = tuple(sorted(system.family_tests.keys() & words))
        self._index_abilities()

        self._take_moves(scenario.get("did", ()))
        self.wants: dict[str, list[str]] = dict(scenario.get("wants", {}))
        self.asks: list[Mapping[str, Any]] = list(scenario.get("ask", ()))
        asked = [
            thing
            for ask in self.asks
            for thing in (ask["order"] if "order" in ask else [ask["legal"]] if "legal" in ask else [])
        ]
        # the cards whose uses, and the kinds of occurrence whose happening, some question asks about
        self.watched = frozenset(
            one if isinstance(one, str) else one["use"]
            for one in asked
            if isinstance(one, str) or "use" in one
        )
        self.watched_kinds = frozenset(
            kind
            for one in asked
            if not isinstance(one, str) and "what" in one
            for kind in system.families.get(one["what"], (one["what"],))
        )
        # who is to make sure of something: of choices made at once theirs come first
        self.makes_sure = tuple(dict.fromkeys(ask["force"]["who"] for ask in self.asks if "force" in ask))
        self.choices_of_rules = choices_of_rules(system)
        self.lone_passes = False
        self.lapsed: dict[tuple[str, str], str | list[str]] = {}
        self.moments: tuple[Any, ...] = ()  # questions about what is so when something has happened
        self.same = Same()
        self.touched: set[str] = set()  # readings that some line consulted
        self.taken: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
        self.granted: dict[str, tuple[str, ...]] = {}
        self.presumed: set[int] = set()
        self.used: set[tuple[str, str]] = set()
        self.start, self.arguments = self._start()
        check_moves(self)
        self._moves_told = self.did
        self._take_moves(self._with_names(self.did))
        self.asked_from = len(self.did)
        told = self.abilities if self.did else ()
        self.chooses = {ability.id: frozenset(choices_of(ability)) for _, ability in told}
        self.specialiser = None
        self.number_slots = tuple(
            obj.base + prop.slot
            for obj in self.objects.values()
            for prop in system.properties.values()
            if prop.type == "number"
            and prop.of == obj.kind
            and isinstance(self.facts[obj.base + prop.slot], int)
        )

    def _take_moves(self, did: Iterable[Mapping[str, Any]]) -> None:
        self.did: list[Mapping[str, Any]] = list(did)
        self.idle_passes = self._idle_passes()
        self.last_use = max((i for i, move in enumerate(self.did, start=1) if "use" in move), default=0)
        self.last_repeat = max((i + 1 for i, move in enumerate(self.did) if "repeat" in move), default=0)

    def _with_names(self, did: Sequence[Mapping[str, Any]], **payment: bool) -> Iterator[Mapping[str, Any]]:
        """The moves, what is chosen for a use by name where it goes without saying."""
        rest = list(did)
        while rest:
            move = rest.pop(0)
            if rest and (on := self._told_on(move, rest[0])) is not None:
                move = {**move, "on": on}
                rest.pop(0)
            yield move
            if "use" in move:
                chosen = list(
                    takewhile(lambda one: "choose" in one and one["who"] == move["who"], rest)  # noqa: B023
                )
                del rest[: len(chosen)]
                ability = move.get("ability", "")
                yield from with_names(self, move["use"], ability, chosen, told=True, **payment)

    def paying_first(self) -> "ScenarioScene | None":
        """The same scene in which, of several choices told for a use without a name, the first is what pays; None: it
        is the same anyway."""
        if not any("choose" in move for move in self.did):
            return None
        other = self._with_moves(self._moves_told, payment_first=True)
        return None if other.did == self.did else other

    def paying_alone(self) -> "Iterator[Scene]":
        """The same scene in which all that is told of a use without a name is what pays for it, and not what it
        affects; what that is was not told."""
        other = self._with_moves(self._moves_told, payment_alone=True)
        if other.did != self.did:
            yield other

    def passing_alone(self) -> "ScenarioScene | None":
        """The same scene of one player, whose passes may be said where there is nothing to use: so they are meant where
        the moves can be made only then."""
        if len(self.players) > 1 or not any("pass" in move for move in self.did):
            return None
        other = self._with_moves(self.did)
        other.lone_passes = True
        return other

    def choosing_later(self) -> Iterator["Scene"]:
        """The same scene with a choice that follows its use told behind what others did then: what a use asks for only
        as it takes effect is chosen after it was answered, though people say it with the use; or never, where it was
        cancelled."""
        for at, move in enumerate(self.did):
            if "use" not in move:
                continue
            names = self._chosen_in_effect(move["use"])
            chosen = [
                {**one, "for": next(iter(names))} if len(names) == 1 and "for" not in one else one
                for one in takewhile(lambda one: "choose" in one, self.did[at + 1 :])
            ]
            begin, end = at + 1, at + 1 + len(chosen)
            answers = list(takewhile(lambda one: "pass" in one or one["who"] != move["who"], self.did[end:]))  # noqa: B023
            for first in range(len(chosen)):
                later = chosen[first:]
                if any(one["who"] != move["who"] or one.get("for") not in (None, *names) for one in later):
                    continue
                for behind in range(end + 1, end + 1 + len(answers)) if names else ():
                    order = [*self.did[: begin + first], *self.did[end:behind], *later, *self.did[behind:]]
                    yield self._with_moves(order)
                if answers and all("for" in one for one in later):  # one of the answers was the end of it
                    other = self._with_moves([*self.did[: begin + first], *self.did[end:]])
                    other.lapsed = {(one["who"], one["for"]): one["choose"] for one in later}
                    yield other

    def chosen_otherwise(self) -> Iterator["Scene"]:
        """The same scene in which several cards told together with a use (“on Maid and Clerk”) are its choices in
        another order."""
        for at, move in enumerate(self.did):
            told = takewhile(lambda one: one.get("with") and "for" not in one, self.did[at + 1 :])
            chosen = list(told) if "use" in move else []
            for order in islice(permutations(chosen), 1, None):
                yield self._with_moves([*self.did[: at + 1], *order, *self.did[at + 1 + len(chosen) :]])

    def by_the_rules(self) -> Iterator["Scene"]:
        """The same scene in which a use whose ability is not told is not the card's own text, but what the rules let
        its player answer with it."""
        for at, move in enumerate(self.did):
            if "use" in move and "ability" not in move:
                for name in self.answers_by_the_rules(move["use"]):
                    yield self._with_moves([*self.did[:at], {**move, "ability": name}, *self.did[at + 1 :]])

    def answers_by_the_rules(self, card: str) -> list[str]:
        """The names of what the rules let a player answer with a card that has a text of its own."""
        its = [one for obj, one in self.abilities if obj.id == card]
        if all(one.of_rules for one in its):
            return []
        found = (one.name for one in its if one.of_rules and one.of and one.name and not one.kind.must)
        return list(dict.fromkeys(found))

    def answering_those(self) -> Iterator["Scene"]:
        """The same scene in which what a use was told on is not what it asks for (what pays for it), but what it
        answers."""
        for at, (move, following) in enumerate(pairwise(self.did)):
            if (on := self._told_on(move, following, paying=True)) is not None:
                yield self._with_moves([*self.did[:at], {**move, "on": on}, *self.did[at + 2 :]])

    def _told_on(
        self, move: Mapping[str, Any], following: Mapping[str, Any], *, paying: bool = False
    ) -> list[str] | None:
        """What a use answers, where it is told with what follows it as made “on” that; None: that is a choice."""
        if "use" not in move or "on" in move or not following.get("with") or following["who"] != move["who"]:
            return None
        return answered_instead(self, move["use"], move.get("ability", ""), following, paying=paying)

    def _chosen_in_effect(self, card: str) -> set[str]:
        """The names of the choices that a card asks for only while its abilities take effect."""
        own = [ability for obj, ability in self.abilities if obj.id == card]
        return {
            name for one in own for name in self.chooses[one.id] - {target.name for target in one.targets}
        }

    def going_on(self, moves: Sequence[Mapping[str, Any]]) -> "Scene":
        """The same scene in which these moves, which are asked about, were made as well. Raises DataError."""
        other = self._with_moves([*self.did, *moves])
        other.asked_from = len(self.did)
        other.idle_passes = self.idle_passes  # what is asked about says nothing of where a told pass was said
        return other

    def asking(self, did: Sequence[Mapping[str, Any]], ask: Mapping[str, Any]) -> "Scene":
        """The same scene after these moves, and one question about it. Raises DataError."""
        other = self._with_moves(did)
        other.asks, other.moments, other.wants = [ask], (), {}
        return other

    def under(self, reading: str, option: str) -> "Scene":
        """The same scene with a reading of the rules taken so."""
        other = copy.copy(self)
        other.same, other.facts = Same(), list(self.facts)
        other.facts[self.reading_slots[reading]] = option
        return other

    def _with_moves(self, did: Sequence[Mapping[str, Any]], **payment: bool) -> "ScenarioScene":
        """The same scene after other moves. payment: which of what is told of a use pays for it (`with_names`)."""
        other = copy.copy(self)
        other.same = Same()
        other._moves_told = list(did)
        other._take_moves(did)
        check_moves(other)
        other._take_moves(other._with_names(did, **payment))
        other.chooses = {ability.id: frozenset(choices_of(ability)) for _, ability in other.abilities}
        return other

    def asked_of(self, who: str) -> "Scene":
        """The same scene, in which nobody else than this player is to make sure of anything."""
        other = copy.copy(self)
        other.same, other.makes_sure, other.moments = Same(), (who,), ()
        return other

    # --- objects and facts

    def _object(self, key: str, label: str, kind: str, definition: CardDefinition | None = None) -> Obj:
        index = len(self.objects)
        obj = Obj(index, index * self.system.width, key, label, kind, definition)
        self.objects[key] = obj
        return obj

    def _definitions(self, scenario: Mapping[str, Any], library: Library) -> None:
        names = [str(data.get("is", data.get("name", key))) for key, data in scenario["cards"].items()]
        numbers, language = card_numbers(), self._language(scenario)
        self._numbers = numbers
        for (key, data), name in zip(scenario["cards"].items(), names, strict=True):
            place = f"cards.{key}"
            own = {k: data[k] for k in _TEXT if k in data}
            printed: Mapping[str, Any] = {}
            if "is" in data:
                try:
                    printed = library(data["is"])
                except DataError as error:
                    raise error.at(f"{place}.is") from error
            elif "type" in data:
                own["type"] = data["type"]
            try:
                if not own and printed.get("name") == name:
                    definition = library_card(self.system, name, printed)
                else:
                    definition = compile_card(language, name, {**printed, **own, "name": name}, numbers)
            except DataError as error:
                raise error.at(place) from error
            label = name if names.count(name) == 1 else f"{name} ({data.get('of') or key})"
            if (
                names.count(name) > 1
                and sum(d.get("of") == data.get("of") for d in scenario["cards"].values()) > 1
            ):
                label = f"{name} ({key})"
            self.cards.append(self._object(key, label, "card", definition))

    def _strangers(self) -> dict[tuple[Obj, str], Obj]:
        """(player, zone) -> the object that stands for all cards there that nobody named: where cards are counted, or
        somebody may look at them."""
        found: dict[tuple[Obj, str], Obj] = {}
        footprint = self.system.footprint.joined(Footprint())
        for card in self.cards:
            for ability in card.definition.abilities:
                footprint.take(ability)
        piles = [
            pile.zone
            for pile in self.system.piles.values()
            if pile.counts is not None or (pile.ordered and footprint.looks)
        ]
        for zone in piles:
            for player in self.players:
                index = len(self.objects) + len(found)
                label = f"another card of {player.label}'s {zone}"
                found[player, zone] = Obj(
                    index, index * self.system.width, ANOTHER, label, "card", None, True
                )
        return found

    def _language(self, scenario: Mapping[str, Any]) -> System:
        """The system's, in which a card's text may also name the scenario's cards and players."""
        objects, language = self.objects, copy.copy(self.system)

        def thing(key: str, type_: str) -> Name:
            return Name(folding(lambda m, b: objects[key], lambda known, b: objects[key]), type_)

        language.things = {
            **{key: thing(key, "card") for key in scenario["cards"]},
            **{player.id: thing(player.id, "player") for player in self.players},
        }
        return language

    def _fill_facts(self) -> None:
        scenario, system = self.scenario, self.system
        for obj in self.objects.values():
            for prop in system.properties.values():
                self.facts[obj.base + prop.slot] = prop.default
        for seat, player in enumerate(self.players, start=1):
            self._set(player, "seat", seat, "players")
            for key, value in scenario["players"][player.id].items():
                self._set(player, key, value, f"players.{player.id}.{key}")
        for card in self.cards:
            data = scenario["cards"][card.id]
            self.facts[card.base + self.inc_slot] = 0
            self._set(card, "name", card.definition.title, f"cards.{card.id}.name")
            for key, value in card.definition.facts.items():
                self._set(card, key, value, f"cards.{card.id}.{key}")
            self._forget_what_it_lacks(card)
            owner = data.get("of")
            if owner is not None:
                self._set(card, "owner", owner, f"cards.{card.id}.of")
                self._set(card, "controller", owner, f"cards.{card.id}.of")
            for key, value in data.items():
                if key not in _CARD_WORDS:
                    self._set(card, key, value, f"cards.{card.id}.{key}")
                    self._check_has(card, key, value)
        self._take_for_granted()
        self._check_places()
        self._check_in_play()
        for (player, zone), stranger in self.strangers.items():
            given = {"zone": zone, "owner": player, "controller": player, "incarnation": 0}
            for prop in system.properties.values():
                unknown = (
                    prop.of == "card" and prop.printed and not prop.shed and prop.name not in _NOT_PRINTED
                )
                value = Open((), "unknown") if unknown else given.get(prop.name, prop.default)
                self.facts[stranger.base + prop.slot] = value
        for prop in system.properties.values():
            self.facts[self.former.base + prop.slot] = prop.default
        self.facts[self.former.base + self.inc_slot] = 0
        self.facts[self.former.base + self.zone_slot] = None
        for prop in system.game.values():  # a clock or lead that nobody set starts with the active player
            if prop.type == "player" and prop.name != "active" and prop.name not in scenario.get("game", {}):
                self._set(self.game, prop.name, scenario["active"], "active")
        self._set(self.game, "active", scenario["active"], "active")
        for key, value in scenario.get("game", {}).items():
            self._set(self.game, key, value, f"game.{key}")

    def _take_for_granted(self) -> None:
        """What the game takes to be so of a card that everybody has, where nobody told of it."""
        given = (self.system.source.get("everybody") or {}).values()
        by_name = {one["name"].format(player=player.id): one for one in given for player in self.players}
        for card in self.cards:
            said = self.scenario["cards"][card.id]
            one = by_name.get(said.get("name"), {})
            for key, value in one.get("taken", {}).items() if said.get("type") == one.get("type") else ():
                if key not in said:
                    self._set(card, key, value, f"cards.{card.id}.{key}")
                    slot = card.base + self.system.properties[key].slot
                    self.facts[slot] = Open((self.facts[slot],), "taken")

    def _check_in_play(self) -> None:
        """What a card loses when it leaves play is not on one that is in a hand or a deck, nor is anything attached."""
        piles, zones = self.system.piles, self.system.zones_in_play
        for card in self.cards:
            said, zone = self.scenario["cards"][card.id], self.facts[card.base + self.zone_slot]
            place = f"cards.{card.id}"
            if zone in piles or zone == "hand":
                for prop in self.shed:
                    value = self.facts[card.base + prop.slot]
                    if (
                        prop.name in said
                        and prop.type in ("number", "yes-no")
                        and value not in (prop.default, None)
                    ):
                        text = f"{card.label} is {self.system.zone_names[zone]}, where it has no {prop.name}"
                        raise DataError("not-in-play", text, place=f"{place}.{prop.name}", remedy=_IN_PLAY)
            host = self.facts[card.base + self.host_slot]
            if zone in zones and isinstance(host, Obj):
                under = self.facts[host.base + self.zone_slot]
                if under not in zones:
                    text = f"{host.label} is {self.system.zone_names[under]}, where nothing is attached to it"
                    raise DataError("not-in-play", text, place=f"{place}.host", remedy=_IN_PLAY)

    def _check_places(self) -> None:
        """Two cards do not lie on the same place of a deck."""
        taken: dict[Any, Obj] = {}
        for card in self.cards:
            pile = self.system.piles.get(self.facts[card.base + self.zone_slot])
            place = self.facts[card.base + pile.place.slot] if pile is not None and pile.ordered else 0
            if pile is None or not place:
                continue
            other = taken.setdefault((pile.zone, self.facts[card.base + self.owner_slot], place), card)
            if other is not card:
                text = f"{other.label} lies there already: {pile.place.name} {place}"
                remedy = (
                    "Count from the top: 1, 2, 3; from the bottom: -1, -2. Left out, a card lies somewhere."
                )
                raise DataError("taken", text, place=f"cards.{card.id}.{pile.place.name}", remedy=remedy)

    def _set(self, obj: Obj, key: str, value: Any, place: str) -> None:
        prop = self.system.properties.get(key)
        if prop is None or prop.of != obj.kind:
            known = [name for name, p in self.system.properties.items() if p.of == obj.kind]
            known += _CARD_WORDS if obj.kind == "card" else ()
            raise unknown("property", key, known, place=place)
        self.facts[obj.base + prop.slot] = self._value(prop, value, place)

    def _forget_what_it_lacks(self, card: Obj) -> None:
        """What only cards of other types have is nothing of this one, and not untold."""
        type_ = self.facts[card.base + self.system.properties["type"].slot]
        for prop in self.system.properties.values():
            slot = card.base + prop.slot
            if prop.of_types and type_ not in prop.of_types and self.facts[slot].__class__ is Open:
                self.facts[slot] = None

    def _check_has(self, card: Obj, key: str, value: Any) -> None:
        """Refuses a fact that means nothing of a card of its type: it would be passed over in silence."""
        system, prop = self.system, self.system.properties[key]
        types, type_ = prop.of_types, self.facts[card.base + self.system.properties["type"].slot]
        if value in (None, 0, "no") or not types or not isinstance(type_, str) or type_ in types:
            return
        remedy = f"Leave it out: only cards of the type {either(sorted(types))} have it."
        if prop.stat and prop.type == "number":
            remedy = "Write what it does: always: [{stat: " + key + ", by: 1, of: it = this.host}]."
        raise DataError(
            "no-such-fact",
            Message(
                "{it} has no {property} of its own: it is of the type {type}",
                it=card,
                property=system.word(key),
                type=system.word(type_),
            ),
            place=f"cards.{card.id}.{key}",
            remedy=remedy,
        )

    def _value(self, prop: Property, value: Any, place: str) -> Any:
        """A fact as the machine holds it: words become players, cards, yes or no; disputed ones stay open."""
        if isinstance(value, str) and value == "?":
            if not prop.unknown().options:
                example = "{disputed: [0, 1]}" if prop.type == "number" else "{disputed: [first, second]}"
                raise DataError(
                    "open-fact",
                    f"an unknown {prop.type} needs its possible values",
                    place=place,
                    remedy=f"Write {example}.",
                )
            return prop.unknown()
        if isinstance(value, Mapping):
            return self._disputed(prop, value, place)
        return prop.default if value is None else self._settled(prop, value, place)

    def _disputed(self, prop: Property, value: Mapping[str, Any], place: str) -> Open:
        told = value.get("disputed")
        if set(value) != {"disputed"} or not isinstance(told, list) or len(told) < 2:
            raise DataError(
                "wrong-type",
                "a fact is one value, or the values that the players disagree about",
                place=place,
                remedy="Write {disputed: [first, second]}.",
            )
        if prop.type == "filter":
            raise DataError("open-fact", "this is printed on the card, so it can’t be disputed", place=place)
        may_be_none = prop.default is None and prop.type in ("symbol", "card", "player")
        options = (
            None if may_be_none and one in (None, "nothing") else self._settled(prop, one, place)
            for one in told
        )
        return Open(tuple(dict.fromkeys(options)), "disputed")

    def _settled(self, prop: Property, value: Any, place: str) -> Any:
        def wrong(expected: str) -> DataError:
            return DataError("wrong-type", f"expected {expected}, found {called(value)}", place=place)

        if prop.type in ("list", "cards"):
            entries = value if isinstance(value, list | tuple) else (value,)
            return tuple(self._member(prop, entry, place) for entry in entries)
        if isinstance(value, Mapping | list | tuple) or value is None:
            raise wrong({"yes-no": "yes or no", "number": "a whole number"}.get(prop.type, f"a {prop.type}"))
        if prop.type == "yes-no":
            if value is True or value == "yes":
                return True
            if value is False or value == "no":
                return False
            raise wrong("yes or no")
        if prop.type == "number":
            if isinstance(value, bool) or not isinstance(value, int):
                raise wrong("a whole number")
            if abs(value) > MAX_NUMBER:
                raise DataError("too-large", f"a number above {MAX_NUMBER:,}", place=place)
            if value < 0 and not prop.negative:
                raise DataError("too-small", f"{value} is below zero, which this can’t be", place=place)
            return value
        if prop.type in ("player", "card"):
            return self._named(prop.type, value, place)
        if prop.type == "filter":
            found = compile_filter(value, card_scope(self.system), place=place)[0]
            self.said_filters[found] = value
            return found
        if prop.symbols and value not in prop.symbols:
            raise unknown(prop.name, value, prop.symbols, place=place)
        return value

    def _member(self, prop: Property, entry: Any, place: str) -> Any:
        if prop.type == "cards":
            return self._named("card", entry, place)
        if isinstance(entry, Mapping | list | tuple):
            raise DataError("wrong-type", f"expected words, found {called(entry)}", place=place)
        return entry

    def _named(self, kind: str, word: Any, place: str) -> Obj:
        found = self.objects.get(word) if isinstance(word, str) else None
        if found is None or found.kind != kind:
            raise unknown(kind, word, [o.id for o in self.objects.values() if o.kind == kind], place=place)
        return found

    def _fill_readings(self) -> None:
        """Readings are facts of the rules: pinned, or the default, or open when contested."""
        pinned = self.scenario.get("pinned", {})
        for key in pinned:
            if key not in self.system.readings:
                raise unknown("reading", key, self.system.readings, place="pinned")
        for key, reading in self.system.readings.items():
            self.reading_slots[key] = len(self.facts)
            if key in pinned:
                if pinned[key] not in reading.options:
                    raise unknown("option", pinned[key], reading.options, place=f"pinned.{key}")
                self.facts.append(pinned[key])
            elif reading.contested:
                first = [reading.default]
                self.facts.append(
                    Open((*first, *(o for o in reading.options if o != reading.default)), "contested")
                )
            else:
                self.facts.append(reading.default)

    # --- who listens

    def _index_abilities(self) -> None:
        self.untriggered: dict[str, list[tuple[Obj, Ability]]] = {}
        self.listeners: dict[tuple[str, str], list[tuple[Obj, Ability]]] = {}
        self.listening: dict[tuple[str, str], tuple[str, ...]] = {}
        self.always: dict[str, list[tuple[Obj, Always]]] = {}
        self.prohibitions: list[tuple[Obj, Prohibition]] = []
        self.immunities: list[tuple[Obj, Immunity]] = []
        self.abilities: list[tuple[Obj, Ability]] = []
        self.gained = self._gained()
        blank = _Blank(self)
        for card in self.cards:
            abilities = list(card.definition.abilities)
            abilities += self._given_by_rules(blank, card)
            abilities += self.gained.get(card, ())
            for ability in abilities:
                self.abilities.append((card, ability))
                if not ability.of:
                    self.untriggered.setdefault(ability.kind.name, []).append((card, ability))
                for kind in ability.of:
                    self.listeners.setdefault((ability.point, kind), []).append((card, ability))
            for effect in card.definition.always:
                self.always.setdefault(effect.property.name, []).append((card, effect))
            self.prohibitions += [(card, prohibition) for prohibition in card.definition.cannot]
            self.immunities += [(card, immunity) for immunity in card.definition.immune]
        self.unread = {card: card.definition.unread for card in self.cards if card.definition.unread}
        self.returns = any(
            self._brings(ability) for _, ability in self.abilities if not ability.of_rules
        )  # that the rules let one play cards is in the course of the game
        self.reads = frozenset(role for _, ability in self.abilities for role in ability.reads)
        for key, found in self.listeners.items():
            self.listening[key] = tuple(dict.fromkeys(ability.kind.name for _, ability in found))
        self._copies()
        footprint = self.system.footprint.joined(Footprint())
        for _, ability in self.abilities:
            footprint.take(ability)
        self.settle(self.closed(footprint))
        self.computed = tuple(
            name
            for name, prop in sorted(self.system.properties.items())
            if prop.of == "card" and name in self.worked_out
        )
        recalls = self.system.recalls.union(*(card.definition.recalls for card in self.cards))
        self.recalled = tuple((name, self.system.derived[name][0]) for name in sorted(recalls))
        # kind of occurrence -> the words under which somebody asks how often it happened, each with a period
        self.counted: dict[str, tuple[tuple[str, str], ...]] = {}
        asked = self.system.counts.union(
            counted(self.scenario.get("ask")), *(card.definition.counts for card in self.cards)
        )
        periods = {*self.system.periods, "game"}
        for word, said in sorted(asked):
            period = self.system.same_periods.get(said, said)
            if period not in periods:
                continue
            alone = (word,) if word in self.system.kinds else ()
            for kind in alone or self.system.families.get(word, ()):
                entry = (word, period)
                self.counted[kind] = tuple(dict.fromkeys((*self.counted.get(kind, ()), entry)))

    def _brings(self, led: Any) -> bool:
        """May what an ability, a kind of occurrence or an instruction does bring a card into play?"""
        if isinstance(led, Ability):
            units = [*led.parts, *([led.cost] if led.cost is not None else [])]
            return any(self._brings(operation) for unit in units for operation in unit.code)
        if isinstance(led, OccurrenceKind):
            return any(self._brings(edit) for edit in led.edits)
        if isinstance(led, Operation):
            found = getattr(led, "enters", False)
            return found or any(self._brings(one) for one in led.leads_to(self.system))
        return False

    def _gained(self) -> dict[Obj, list[Ability]]:
        """The abilities that cards may have from elsewhere: each card's, whether it has them now or not."""
        footprint = self.system.footprint.joined(Footprint())
        granted = []
        for card in self.cards:
            for ability in card.definition.abilities:
                footprint.take(ability)
            for grant in card.definition.grants:
                number = next(self._numbers)  # a card of the same name grants one of its own
                granted.append(replace(grant.ability, id=number, gained=Gained(card, grant)))
                footprint.take(grant.ability)
        found = [*footprint.gained, *granted]
        return dict.fromkeys(self.cards, found) if found else {}

    def has_from_the_start(self, card: Obj, ability: Ability) -> bool:
        """Does some card's text give the card this ability as the scenario begins, as far as its facts tell? What they
        leave open may be so."""
        gained = ability.gained
        if gained is None or gained.grant is None:
            return gained is None
        grant, env = gained.grant, (gained.source, card)
        tests = [one for one in (grant.covers, grant.condition) if one is not None]
        return all(True in self._possible_answers(_Blank(self), test, env) for test in tests)

    def _given_by_rules(self, blank: "_Blank", card: Obj) -> list[Ability]:
        found = []
        for test, ability in self.system.rulebook:
            answers = self._possible_answers(blank, test, (card,))
            if answers == {True, False}:  # it hangs on a fact that is open: one more condition
                ability = replace(ability, given=test)
            if True in answers:
                found.append(ability)
        return found

    def _possible_answers(self, blank: "_Blank", test: Compiled, env: tuple[Any, ...]) -> set[bool]:
        """What the test may come to, whatever is true of the facts that are open."""
        try:
            return {bool(test(blank, env))}
        except (Untold, *FAULTS):  # what the printed facts alone do not tell is asked when it is to be used
            return {True, False}
        except Need as need:
            told = self.facts[need.slot]
            found = set()
            for option in told.options:
                self.facts[need.slot] = option
                found |= self._possible_answers(blank, test, env)
            self.facts[need.slot] = told
            return found

    def _idle_passes(self) -> dict[int, str]:
        """The scripted passes, by place, that may be those of a player with nothing to use: somebody else goes on."""
        found = {}
        following: str | None = None
        for i in range(len(self.did) - 1, -1, -1):
            move = self.did[i]
            if "pass" not in move:
                following = move["who"]
            elif following not in (None, move["who"]):
                found[i] = move["who"]
        return found

    def _copies(self) -> None:
        """Cards that are copies of others from the start have what is printed on their models."""
        self.originals = list(self.facts)
        self.copied = False
        for card in self.cards:
            model = self.facts[card.base + self.face_slot]
            if model is not None:
                self.copied = True
                for prop in self.printed:
                    self.facts[card.base + prop.slot] = self.originals[model.base + prop.slot]

    # --- where it begins

    def _unknown_point(self, name: str) -> DataError:
        """All points of this game, and one of them first where it is surely meant: another game's words are no help."""
        points = [*(self.system.starts or self.system.charts)]
        found = unknown("point", name, points, place="at")
        sure = get_close_matches(name, points, n=1, cutoff=0.8)
        found.remedy = f"Known: {', '.join(points)}."
        if sure:
            found.remedy = f"Did you mean {sure[0]}? {found.remedy}"
        return found

    def _start(self) -> tuple[Unit, dict[str, Any]]:
        """The chart it begins with and its arguments: what the system's word for it says, then the scenario."""
        at = self.scenario["at"]
        name = at["chart"] if isinstance(at, Mapping) else at
        word: Any = self.system.starts.get(name, name)
        start: Mapping[str, Any] = word if isinstance(word, Mapping) else {"chart": word}
        unit = self.system.charts.get(start["chart"])
        if unit is None:
            raise self._unknown_point(str(name))
        arguments = dict(start.get("with") or {})
        for key, value in ((at.get("with") or {}) if isinstance(at, Mapping) else {}).items():
            if key not in unit.params:
                raise unknown("argument", key, unit.params, place="at.with")
            arguments[key] = self.objects.get(str(value), value)
        return unit, arguments


class _Blank:
    """Enough of a machine to evaluate which rulebook abilities a card gets: printed facts only."""

    watch = tracer = None  # nobody looks at how

    def __init__(self, scene: Scene) -> None:
        self.scene, self.facts = scene, scene.facts
        self.cards, self.players = scene.cards, scene.players
        self.controller_slot = scene.controller_slot

    def controller(self, obj: Obj) -> Any:
        return self.facts[obj.base + self.controller_slot]

    def stat(self, obj: Obj, prop: Property) -> Any:
        return self.fact(obj, prop)

    def fact(self, obj: Obj, prop: Property) -> Any:
        value = self.facts[obj.base + prop.slot]
        return value.read(self, obj.base + prop.slot) if value.__class__ is Open else value
