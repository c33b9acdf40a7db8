"""A scenario made concrete: objects, facts, who listens to what, what was done and what is asked.

Built once per adjudication from the canonical scenario; positions of the machine refer to it and never change it.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import FAULTS, DataError, Need, Untold, called, unknown
from rules.engine.base.values import Obj, Open, Ref
from rules.engine.compiler import card_numbers, compile_card, library_card
from rules.engine.compiler.data import counted
from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.model import (
    Ability,
    Always,
    CardDefinition,
    Gained,
    Immunity,
    OccurrenceKind,
    Prohibition,
    Property,
    Requirement,
    System,
    Unit,
)
from rules.engine.language.combinators import Compiled
from rules.engine.language.expressions import card_scope, compile_filter, compile_typed
from rules.engine.language.folding import folding
from rules.engine.language.scopes import Name, Scope
from rules.engine.machine.piles import ANOTHER
from rules.engine.scene.moves import check_moves

if TYPE_CHECKING:
    from rules.engine.machine.interpreter import Machine
    from rules.engine.narrowing.partial_evaluation import Specialiser

Library = Callable[[str], Mapping[str, Any]]

MAX_NUMBER = 1_000_000
CHUNK = 16  # facts that a position knows by one number
LATELY = 1024  # registers remembered by which objects they are

_IN_PLAY = "Write zone: play, or leave it out."
_NOT_PRINTED = ("zone", "owner", "controller", "incarnation")
_TEXT = ("abilities", "always", "cannot", "immune", "grants", "text", "unread")
_CARD_WORDS = ("is", "of", "name", *_TEXT)


def given_if(test: Compiled, card: Obj, ability: Ability, cites: tuple[str, ...]) -> Ability:
    """An ability that the rules give to the card only where the test holds."""
    own = ability.condition

    def both(m: "Machine", b: tuple[Any, ...]) -> bool:
        return bool(test(m, (card,)) and (own is None or own.test(m, b)))

    because = own.because if own is not None else f"{card.label} can’t be used in this way"
    return replace(ability, condition=Requirement(both, because, own.cites if own is not None else cites))


class Scene:
    """Everything about a scenario that no line changes."""

    def __init__(self, system: System, scenario: Mapping[str, Any], library: Library) -> None:
        """`scenario` is canonical (rules.scenarios); `library` gives a card's data by name. Both raise DataError."""
        self.system = system
        self.scenario = scenario
        width = system.width
        self.inc_slot = system.properties["incarnation"].slot
        self.zone_slot = system.properties["zone"].slot
        self.controller_slot = system.properties["controller"].slot
        self.owner_slot = system.properties["owner"].slot
        self.host_slot = system.properties["host"].slot
        self.face_slot = system.properties["face"].slot
        self.shed = tuple(prop for prop in system.properties.values() if prop.shed)
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
        self.facts: list[Any] = [None] * (width * (len(self.objects) + len(self.strangers)))
        self.readings_base = len(self.facts)
        self.reading_slots: dict[str, int] = {}
        self.defaulted: list[tuple[str, str]] = []
        self._fill_facts()
        self._fill_readings()
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
        self.moments: tuple[Any, ...] = ()  # questions about what is so when something has happened
        self.same = Same()
        self.touched: set[str] = set()  # readings that some line consulted
        self.start, self.arguments = self._start()
        check_moves(self)
        self.specialiser: Specialiser | None = None  # rewritten procedures, in a narrowed scene
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

    def going_on(self, moves: Sequence[Mapping[str, Any]]) -> "Scene":
        """The same scene in which these moves were made as well. Raises DataError."""
        other = copy.copy(self)
        other.same = Same()
        other._take_moves([*self.did, *moves])
        check_moves(other)
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
        """(player, zone) -> the object that stands for all cards there that nobody named; only where somebody may
        look at them."""
        found: dict[tuple[Obj, str], Obj] = {}
        footprint = self.system.footprint.joined(Footprint())
        for card in self.cards:
            for ability in card.definition.abilities:
                footprint.take(ability)
        piles = [pile.zone for pile in self.system.piles.values() if pile.ordered]
        for zone in piles if footprint.looks else ():
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
            self._set(card, "name", card.definition.name, f"cards.{card.id}.name")
            for key, value in card.definition.facts.items():
                self._set(card, key, value, f"cards.{card.id}.{key}")
            owner = data.get("of")
            if owner is not None:
                self._set(card, "owner", owner, f"cards.{card.id}.of")
                self._set(card, "controller", owner, f"cards.{card.id}.of")
            for key, value in data.items():
                if key not in _CARD_WORDS:
                    self._set(card, key, value, f"cards.{card.id}.{key}")
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
        for prop in system.game.values():  # a clock or lead that nobody set starts with the active player
            if prop.type == "player" and prop.name != "active" and prop.name not in scenario.get("game", {}):
                self._set(self.game, prop.name, scenario["active"], "active")
        self._set(self.game, "active", scenario["active"], "active")
        for key, value in scenario.get("game", {}).items():
            self._set(self.game, key, value, f"game.{key}")

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
                if under in piles or under == "hand":
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
        options = tuple(dict.fromkeys(self._settled(prop, one, place) for one in told))
        return Open(options, "disputed")

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
            return value
        if prop.type in ("player", "card"):
            return self._named(prop.type, value, place)
        if prop.type == "filter":
            return compile_filter(value, card_scope(self.system), place=place)[0]
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
        self.reads = frozenset(role for _, ability in self.abilities for role in ability.reads)
        for key, found in self.listeners.items():
            self.listening[key] = tuple(dict.fromkeys(ability.kind.name for _, ability in found))
        self._copies()
        footprint = self.system.footprint.joined(Footprint())
        for _, ability in self.abilities:
            footprint.take(ability)
        self._use(self.closed(footprint))
        self.computed = tuple(
            name
            for name, prop in sorted(self.system.properties.items())
            if prop.of == "card"
            and (name in self.modified or prop.base is not None or prop.adds is not None or prop.fixed)
        )
        self.counted: dict[str, frozenset[str]] = {}
        asked = self.system.counts.union(
            counted(self.scenario.get("ask")), *(card.definition.counts for card in self.cards)
        )
        periods = {*self.system.periods, "game"}
        for kind, period in asked:
            if kind not in self.system.kinds or period not in periods:
                continue
            self.counted[kind] = self.counted.get(kind, frozenset()) | {period}

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

    def closed(self, footprint: Footprint) -> Footprint:
        """The same, with what follows from it here: what moving and copying change."""
        facts, cards, written = self.facts, self.cards, footprint.written
        if footprint.moves:
            written |= {self.zone_slot, self.inc_slot}
            for pile in self.system.piles.values():
                if pile.ordered:  # what leaves it brings the others nearer to its top
                    written |= {pile.place.slot, pile.settled.slot}
                if footprint.looks and pile.counts is not None:
                    written.add(pile.counts.slot)
            if footprint.attaches:
                written.add(self.host_slot)
            owner, controller = self.owner_slot, self.controller_slot
            if footprint.hands_over or any(
                facts[c.base + owner] is not facts[c.base + controller] for c in cards
            ):
                written.add(controller)
            for prop in self.shed:  # back to the default, which matters to those that have something else
                if any(facts[card.base + prop.slot] != prop.default for card in cards):
                    written.add(prop.slot)
        if footprint.copies:
            written |= {prop.slot for prop in self.printed} | {self.face_slot}
        return footprint

    def _use(self, footprint: Footprint) -> None:
        """Settle what hangs on what can happen here."""
        self.footprint = footprint
        self.bans = frozenset(footprint.bans)
        use = self.system.kinds.get("use")  # “this ability is used”: asked only where something may forbid it
        self.forbidden_means = tuple(one for one in self.system.means if self.forbids(one[1].kind))
        self.forbidden_use = use if use is not None and self.forbids(use) else None
        self.kinds_present = frozenset(footprint.kinds)
        self.gives_back = footprint.gives_back
        self.copies = footprint.copies or self.copied
        answered = {kind for point, kind in footprint.listened if point in self.system.later}
        self.remembered = frozenset(answered | footprint.told)
        self.modified = frozenset(footprint.lasting | set(self.always))
        self.dynamic_slots = self._dynamic_slots(footprint.written)
        self._takers = [taking(chunk) for chunk in batched(self.dynamic_slots, CHUNK)]

    def changing(self, facts: Sequence[Any]) -> tuple[int, ...]:
        """The facts that can differ between positions, as numbers: equal where those are, and small."""
        numbers = self.same.numbers
        return tuple([numbers.setdefault(take(facts), len(numbers)) for take in self._takers])

    def _given_by_rules(self, blank: "_Blank", card: Obj) -> list[Ability]:
        found = []
        for test, ability in self.system.rulebook:
            answers = self._possible_answers(blank, test, card)
            if answers == {True, False}:  # it hangs on a fact that is open: one more condition
                ability = given_if(test, card, ability, self.system.refusals.get("condition", ()))
            if True in answers:
                found.append(ability)
        return found

    def _possible_answers(self, blank: "_Blank", test: Compiled, card: Obj) -> set[bool]:
        """What the test may come to, whatever is true of the facts that are open."""
        try:
            return {bool(test(blank, (card,)))}
        except (Untold, *FAULTS):  # what the printed facts alone do not tell is asked when it is to be used
            return {True, False}
        except Need as need:
            told = self.facts[need.slot]
            found = set()
            for option in told.options:
                self.facts[need.slot] = option
                found |= self._possible_answers(blank, test, card)
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

    def narrowed(self, specialiser: "Specialiser", footprint: Footprint) -> "Scene":
        """The same scene, where only what the footprint says can happen."""
        scene = copy.copy(self)
        scene.specialiser = specialiser
        scene._use(footprint)
        return scene

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

    def forbids(self, kind: OccurrenceKind) -> bool:
        """May anything here say that an occurrence of this kind cannot be?"""
        return any(requirement.absolute for requirement in kind.possible) or any(
            kind.name in prohibition.tests
            for prohibition in (*(prohibition for _, prohibition in self.prohibitions), *self.bans)
        )

    def neighbours(self, m: "Machine", obj: Obj) -> list[Obj]:
        """A card's host and its attachments: they are remembered with it."""
        host = m.facts[obj.base + self.host_slot]
        found = [host] if isinstance(host, Obj) else []
        return found + [card for card in self.cards if m.says(type(m).hangs_on, card, obj)]

    def _dynamic_slots(self, written: Iterable[int]) -> list[int]:
        """The facts that can differ between positions: what some instruction writes, and what is open."""
        properties = sorted(
            (prop.slot, prop.of) for prop in self.system.properties.values() if prop.slot in written
        )
        slots = [
            obj.base + slot for obj in self.objects.values() for slot, of in properties if of == obj.kind
        ]
        slots += [
            slot
            for slot, value in enumerate(self.facts)
            if value.__class__ is Open and value.options and slot not in set(slots)
        ]
        return slots

    # --- where it begins

    def _start(self) -> tuple[Unit, dict[str, Any]]:
        """The chart it begins with and its arguments: what the system's word for it says, then the scenario."""
        at = self.scenario["at"]
        name = at["chart"] if isinstance(at, Mapping) else at
        word: Any = self.system.starts.get(name, name)
        start: Mapping[str, Any] = word if isinstance(word, Mapping) else {"chart": word}
        unit = self.system.charts.get(start["chart"])
        if unit is None:
            raise unknown("point", name, self.system.starts or self.system.charts, place="at")
        arguments = dict(start.get("with") or {})
        for key, value in ((at.get("with") or {}) if isinstance(at, Mapping) else {}).items():
            if key not in unit.params:
                raise unknown("argument", key, unit.params, place="at.with")
            arguments[key] = self.objects.get(str(value), value)
        return unit, arguments

    def expression(self, text: Any, place: str) -> Callable[..., Any]:
        """Compile a question's expression: cards and players by their ids, game variables, properties."""

        def constant(obj: Obj) -> Callable[..., Any]:
            return lambda m, b: obj

        names = {
            key: Name(constant(obj), obj.kind)
            for key, obj in self.objects.items()
            if obj.kind in ("card", "player")
        }
        language = copy.copy(self.system)
        language.derived = {
            **language.derived,
            **{name: language.derived[other] for name, other in language.asked.items()},
        }
        compiled, _ = compile_typed(text, Scope(language, names), place=place)
        return compiled


class Same:
    """Gives equal records, groups and uses one number, so that a position tells them apart without looking into them.

    They are never changed, large, and met again in thousands of positions.
    """

    __slots__ = ("_kept", "_lately", "_seen", "numbers")

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}  # by which object it is
        self.numbers: dict[Any, int] = {}  # by what it holds
        self._kept: list[Any] = []  # as long as an object is known by its identity it must stay
        self._lately: dict[tuple[int, ...], tuple[Any, ...]] = {}  # likewise, for a while

    def number(self, value: Any) -> int:
        """One number for equal values."""
        return self.numbers.setdefault(value, len(self.numbers))

    def __call__(self, cell: Any) -> int:
        found = self._seen.get(id(cell))
        if found is None:
            found = self._seen[id(cell)] = self.number(cell)
            self._kept.append(cell)
        return found

    def registers(
        self, values: tuple[Any, ...], look: Callable[[tuple[Any, ...]], tuple[Ref, ...]]
    ) -> tuple[int, tuple[Ref, ...]]:
        """The number of a machine's registers, and what `look` finds in them. From one position to the next they are
        mostly the same objects, frames under frames, which need not be looked into again."""
        which = tuple(map(id, values))
        found = self._lately.get(which)
        if found is None:
            if len(self._lately) >= LATELY:
                self._lately.clear()
            found = self._lately[which] = (self.number(values), look(values), values)
        return found[0], found[1]


def batched(values: Sequence[int], size: int) -> list[Sequence[int]]:
    return [values[start : start + size] for start in range(0, len(values), size)]


def taking(slots: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The facts at these slots."""
    if len(slots) < 2:
        return lambda facts: tuple([facts[slot] for slot in slots])
    return itemgetter(*slots)


class _Blank:
    """Enough of a machine to evaluate which rulebook abilities a card gets: printed facts only."""

    watch = None  # nobody looks at how

    def __init__(self, scene: Scene) -> None:
        self.facts = scene.facts
        self.cards, self.players = scene.cards, scene.players
        self.controller_slot = scene.controller_slot

    def controller(self, obj: Obj) -> Any:
        return self.facts[obj.base + self.controller_slot]

    def stat(self, obj: Obj, prop: Property) -> Any:
        return self.fact(obj, prop)

    def fact(self, obj: Obj, prop: Property) -> Any:
        value = self.facts[obj.base + prop.slot]
        if value.__class__ is Open:
            raise Need(obj.base + prop.slot)
        return value
