"""Reading scenario files (docs/scenarios.md): what a judge writes, a case file is, a dispute stores.

`read` accepts the friendly forms and gives the canonical one: every default filled in, every name resolved,
so that equal situations have equal hashes.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import strict_yaml
from config.errors import UserError
from rules import sentences, system_files
from rules.engine.errors import DataError, unknown
from rules.engine.questions import questions_of
from rules.engine.scene import Scene
from rules.sentences import Sentence

MAX_CARDS = 400
MAX_PLAYERS = 8
MAX_MOVES = 200
MAX_TIMES = 10**12  # how often a loop may be repeated
MAX_QUESTIONS = 20

_KEYS = (
    "title", "system", "pinned", "players", "active", "at", "game", "cards", "did", "wants", "ask", "expect", "note",
    "cites", "source", "twins",
)  # fmt: skip
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_SAYS = re.compile(r"(?P<who>\S+)\s+(?P<what>.+?)\.?", re.IGNORECASE)
_PLAYS = re.compile(r"(?:plays|uses|triggers|answers with|responds with)\s+(?P<card>.+)", re.IGNORECASE)
_CHOOSES = re.compile(r"(?:chooses|picks|names|says)\s+(?P<what>.+)", re.IGNORECASE)
_REPEATS = re.compile(r"repeats\s+(?:it|this|the loop|that)(?:\s+(?P<times>[\d_,]+) times)?", re.IGNORECASE)
_MAY = re.compile(r"(?:may|can)\s+(?P<who>\S+)\s+(?P<what>.+?)\s*\??", re.IGNORECASE)
_PLAY = re.compile(r"(?:use|play|trigger|answer with|respond with)\s+(?P<card>.+)", re.IGNORECASE)
_ON = "on|at|onto|choosing|targeting"
_NEXT = re.compile(r"(?:who (?:acts|is) )?next\??", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as read. `canonical` is plain JSON; `hash` is the SHA-256 of it."""

    canonical: dict[str, Any]
    title: str = ""
    expect: list[Any] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)

    @property
    def system(self) -> str:
        return str(self.canonical["system"])

    @property
    def hash(self) -> str:
        return canonical_hash(self.canonical)


def canonical_hash(canonical: Mapping[str, Any]) -> str:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read(text: str | bytes) -> Scenario:
    """Read YAML or JSON text. Raises UserError with code, place and remedy; a scenario that is read can be run."""
    data = strict_yaml.load(text, name="The scenario", max_bytes=settings.SCENARIO_MAX_BYTES)
    try:
        scenario = _Reader(data).read()
        build(scenario.canonical)
    except DataError as error:
        raise UserError(
            error.code, _sentence(error.message), place=error.place, remedy=error.remedy
        ) from error
    except RecursionError as error:
        raise UserError("too-deep", "The scenario is nested too deeply.") from error
    return scenario


def build(canonical: Mapping[str, Any]) -> Scene:
    """The scene of a canonical scenario. Raises DataError."""
    key = canonical["system"]
    scene = Scene(system_files.system(key), canonical, lambda name: system_files.find_card(key, name))
    questions_of(scene)  # their faults are the writer's too
    return scene


def changed(canonical: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The situation with some facts otherwise: {"cards.researcher.blank": "yes", "active": "Bo"}. Raises UserError."""
    copy: dict[str, Any] = json.loads(json.dumps(canonical))
    for path, value in changes.items():
        *outer, last = path.split(".")
        at: Any = copy
        for key in outer:
            if not isinstance(at, dict) or key not in at:
                known = at if isinstance(at, dict) else ()
                error = unknown("key", key, known, place=path)
                raise UserError(error.code, _sentence(error.message), place=path, remedy=error.remedy)
            at = at[key]
        at[last] = value
    return _checked(copy)


def _checked(canonical: dict[str, Any]) -> dict[str, Any]:
    try:
        build(canonical)
    except DataError as error:
        raise UserError(
            error.code, _sentence(error.message), place=error.place, remedy=error.remedy
        ) from error
    return canonical


def under(
    canonical: Mapping[str, Any], *, system: str | None = None, pinned: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The same situation under another system, or with readings pinned: a what-if. Raises UserError."""
    copy: dict[str, Any] = json.loads(json.dumps(canonical))
    if system is not None and system != copy["system"]:
        copy["system"] = system
        copy["pinned"] = {}
    copy["pinned"] = {**copy["pinned"], **(pinned or {})}
    return _checked(copy)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


CHANCE = "chance"  # the decider of what is drawn or revealed; a move may say what it was


class _Reader:
    def __init__(self, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise DataError("wrong-type", "a scenario is a mapping with the keys system, players, cards ...")
        self.data = data

    def read(self) -> Scenario:
        data = self.data
        for key in data:
            if key not in _KEYS:
                raise unknown("key", key, _KEYS)
        key, _, version = str(data.get("system", "")).partition("/")
        if not key:
            raise DataError(
                "missing-key", "say which system: " + ", ".join(system_files.keys()), place="system"
            )
        system = system_files.system(key)
        if version and version != system.version:
            raise unknown("version", version, [system.version], place="system")
        self.system = key
        self.players = self._players(data.get("players", ["Ann", "Bo"]))
        self.cards = self._cards(data.get("cards", {}))
        active = data.get("active", next(iter(self.players)))
        if isinstance(active, list):
            raise DataError(
                "two-active-players", "there is one active player", place="active", remedy="Name one player."
            )
        if active not in self.players:
            raise unknown("player", active, self.players, place="active")
        did = self._list("did", MAX_MOVES)
        moves = [move for i, entry in enumerate(did) for move in self._did(entry, f"did[{i}]")]
        asked = data.get("ask", ["next"])
        asks = asked if isinstance(asked, list) else [asked]
        if len(asks) > MAX_QUESTIONS:
            raise DataError("too-many", f"more than {MAX_QUESTIONS} questions", place="ask")
        start = data.get("at", next(iter(system.starts), next(iter(system.charts))))
        if isinstance(start, Mapping) and "chart" not in start:
            raise DataError("missing-key", "name the chart: {chart: ..., with: {...}}", place="at")
        canonical = {
            "system": key,
            "pinned": {str(k): str(v) for k, v in self._mapping("pinned").items()},
            "players": self.players,
            "active": active,
            "at": dict(start) if isinstance(start, Mapping) else str(start),
            "game": dict(self._mapping("game")),
            "cards": self.cards,
            "did": moves,
            "wants": self._wants(),
            "ask": [self._ask(entry, f"ask[{i}]") for i, entry in enumerate(asks)],
        }
        expect = data.get("expect", [])
        return Scenario(
            canonical,
            str(data.get("title", "")),
            expect if isinstance(expect, list) else [expect],
            [str(cite) for cite in data.get("cites", [])],
        )

    def _mapping(self, key: str) -> Mapping[str, Any]:
        value = self.data.get(key) or {}
        if not isinstance(value, Mapping):
            raise DataError("wrong-type", f"{key} must be a mapping", place=key)
        return value

    def _list(self, key: str, most: int) -> list[Any]:
        value = self.data.get(key) or []
        value = value if isinstance(value, list) else [value]
        if len(value) > most:
            raise DataError("too-many", f"more than {most} entries", place=key)
        return value

    def _players(self, data: Any) -> dict[str, dict[str, Any]]:
        if isinstance(data, list):
            data = {str(name): {} for name in data}
        if not isinstance(data, Mapping) or not 1 <= len(data) <= MAX_PLAYERS:
            raise DataError(
                "wrong-type", f"name the players in seat order (1 to {MAX_PLAYERS})", place="players"
            )
        players = {}
        for name, facts in data.items():
            if not _ID.fullmatch(str(name)) or str(name) == CHANCE:
                raise DataError(
                    "bad-name", f"{name!r} is not one word", place="players", remedy="Use one word: Ann."
                )
            if facts is not None and not isinstance(facts, Mapping):
                raise DataError("wrong-type", "expected a mapping of facts", place=f"players.{name}")
            players[str(name)] = dict(facts or {})
        return players

    def _cards(self, data: Any) -> dict[str, dict[str, Any]]:
        if not isinstance(data, Mapping):
            raise DataError("wrong-type", "cards is a mapping: id -> card", place="cards")
        if len(data) > MAX_CARDS:
            raise DataError("too-many", f"{len(data)} cards are more than {MAX_CARDS}", place="cards")
        cards: dict[str, dict[str, Any]] = {}
        for key, entry in data.items():
            key = str(key)
            if not _ID.fullmatch(key) or key in self.players:
                raise DataError(
                    "bad-name",
                    f"{key!r} cannot name a card",
                    place="cards",
                    remedy="Use one word no player has: shotgun.",
                )
            if isinstance(entry, str):
                entry = {"is": entry}
            if not isinstance(entry, Mapping):
                raise DataError("wrong-type", "a card is a mapping: {is: ..., of: ...}", place=f"cards.{key}")
            cards[key] = json.loads(json.dumps(entry))
        return cards

    def card(self, word: Any, place: str) -> str:
        """A card by its id, or by its name when only one card has it."""
        word = str(word).strip()
        if word in self.cards:
            return word
        folded = system_files.fold(word)
        found = [
            key
            for key, card in self.cards.items()
            if system_files.fold(str(card.get("is", card.get("name", "")))) == folded
            or system_files.fold(key) == folded
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise DataError(
                "ambiguous-card", f"{word!r} could be {' or '.join(found)}", place=place, remedy="Use its id."
            )
        names = [str(card.get("is", key)) for key, card in self.cards.items()]
        raise unknown("card", word, [*self.cards, *names], place=place)

    def player(self, word: Any, place: str) -> str:
        for name in self.players:
            if name.casefold() == str(word).casefold():
                return name
        raise unknown("player", word, self.players, place=place)

    def _did(self, entry: Any, place: str) -> list[dict[str, Any]]:
        """{Ann: shotgun, target: researcher}, or "Ann plays shotgun on researcher" -> a use and its choices."""
        if isinstance(entry, str):
            return self._said(entry.strip(), place)
        if not isinstance(entry, Mapping) or not entry:
            raise DataError("bad-move", "a move is {Ann: shotgun, target: researcher}", place=place)
        items = list(entry.items())
        what = items[0][1]
        moves: list[dict[str, Any]]
        who = CHANCE if items[0][0] == CHANCE and what == "choose" else self.player(items[0][0], place)
        if what == "pass":
            return [{"who": who, "pass": True}]
        if what == "repeat":
            return [self._repeat(who, entry.get("times"), place)]
        if what == "choose":
            moves = []
        else:
            moves = [{"who": who, "use": self.card(what, place)}]
            if "ability" in entry:
                moves[0]["ability"] = str(entry["ability"])
        for name, value in items[1:]:
            if name == "ability":
                continue
            if name == "option":  # one of several labelled ways to go on
                moves.append({"who": who, "choose": str(value), "for": "option"})
                continue
            moves.append({"who": who, "choose": self._things(value, place), "for": str(name)})
        return moves

    def _said(self, entry: str, place: str) -> list[dict[str, Any]]:
        """A move as a sentence: one that every game knows, or one of the system's own (rules.sentences)."""
        match = _SAYS.fullmatch(entry)
        if not match:
            raise sentences.nearest(self.system, entry, place)
        who, what = self.player(match["who"], place), match["what"]
        if what.casefold() == "passes":
            return [{"who": who, "pass": True}]
        if repeats := _REPEATS.fullmatch(what):
            times = repeats["times"] and re.sub("[_,]", "", repeats["times"])
            return [self._repeat(who, times, place)]
        if own := sentences.meant(self.system, what):
            sentence, places = own
            choices = [{"who": who, **choice} for choice in self._choices(places, place)]
            used = self._used(sentence, places, who, place)
            return [move for card in used for move in (card, *choices)] if used else choices
        if plays := _PLAYS.fullmatch(what):
            card, target = self._played(plays["card"], place)
            chosen = [{"who": who, "choose": self._things(target, place)}] if target else []
            return [{"who": who, "use": card}, *chosen]
        if chooses := _CHOOSES.fullmatch(what):
            chosen_words = chooses["what"]
            if len(chosen_words) > 2 and chosen_words[0] == chosen_words[-1] and chosen_words[0] in "'\"":
                return [{"who": who, "choose": chosen_words[1:-1], "for": "option"}]
            return [{"who": who, "choose": self._things(chosen_words, place)}]
        raise sentences.nearest(self.system, entry, place)

    def _used(
        self, sentence: Sentence, places: Mapping[str, Any], who: str, place: str
    ) -> list[dict[str, Any]]:
        """The uses that a sentence of the system speaks of: of the cards named, or of any card of its type."""
        ability = {"ability": sentence.ability} if sentence.ability else {}
        if "card" in places:
            found = self._things(places["card"], place)
            cards = found if isinstance(found, list) else [found]
            return [{"who": who, "use": self.card(card, place), **ability} for card in cards]
        if not sentence.type:
            return []
        for key, card in self.cards.items():
            if card.get("type") == sentence.type and card.get("controller", card.get("of")) == who:
                return [{"who": who, "use": key, **ability}]
        raise DataError(
            "missing-card",
            f"{who} has no {sentence.type} on the table",
            place=place,
            remedy=f"Add one to cards: {{type: {sentence.type}, of: {who}}}.",
        )

    def _choices(self, places: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
        """What a sentence of the system says is chosen, and for which choice."""
        return [
            {"choose": self._things(value, place), **({} if name == sentences.ANY else {"for": name})}
            for name, value in places.items()
            if name != "card"
        ]

    def _played(self, text: str, place: str) -> tuple[str, str]:
        """The card and what it is played on: “shotgun on researcher”. A card's name may hold such a word itself."""
        error: DataError | None = None
        for card, target in sentences.splits(text, _ON):
            try:
                return self.card(card, place), target
            except DataError as caught:
                error = caught
        assert error is not None
        raise error

    def _things(self, value: Any, place: str) -> str | list[str]:
        """One that is chosen, or several: a list, or “thug, clerk and maid”."""
        if isinstance(value, list):
            return [self._thing(one, place) for one in value]
        try:
            return self._thing(value, place)
        except DataError:
            parts = sentences.listed(str(value))
            if len(parts) < 2:
                raise
            return [self._thing(part, place) for part in parts]

    def _repeat(self, who: str, times: Any, place: str) -> dict[str, Any]:
        """The cycle just shown, so many times more (COC-F-1.16)."""
        if not system_files.system(self.system).loops.named:
            message = "the rules of this game do not let a player repeat a cycle by naming a number"
            raise DataError("no-repeating", message, place=place, remedy="Write out the moves.")
        word = str(times)
        if times is not None and not (word.isdecimal() and 1 <= int(word) <= MAX_TIMES):
            remedy = f"Name a whole number from 1 to {MAX_TIMES}: {{Ann: repeat, times: 20}}."
            raise DataError("bad-move", f"{times!r} is not a number of times", place=place, remedy=remedy)
        return {"who": who, "repeat": None if times is None else int(word)}

    def _thing(self, word: Any, place: str) -> str:
        """A card or player that is chosen, or yes, no, a number."""
        if word in self.cards or word in self.players or word in ("yes", "no"):
            return str(word)
        if str(word).isdigit():
            return str(word)
        try:
            return self.card(word, place)
        except DataError:
            if str(word) in {str(name) for name in self.players}:
                return str(word)
            raise

    def _wants(self) -> dict[str, list[str]]:
        wants = {}
        for name, cards in self._mapping("wants").items():
            listed = cards if isinstance(cards, list) else [cards]
            wants[self.player(name, "wants")] = [self.card(card, f"wants.{name}") for card in listed]
        return wants

    def _ask(self, entry: Any, place: str) -> dict[str, Any]:
        if isinstance(entry, str):
            text = entry.strip()
            if _NEXT.fullmatch(text):
                return {"next": True}
            if text in ("now", "what now?"):
                return {"now": True}
            if match := _MAY.fullmatch(text):
                return {"legal": self._may(match["who"], match["what"], place)}
            raise unknown("question", entry, ("next", "now", "may Bo use researcher?"), place=place)
        if not isinstance(entry, Mapping) or len(entry) != 1:
            raise DataError(
                "bad-question",
                "a question is one of next, now, {legal: ..}, {order: ..}, {holds: ..}",
                place=place,
            )
        kind, value = next(iter(entry.items()))
        if kind in ("next", "now"):
            return {kind: True}
        if kind == "holds":
            return {"holds": str(value)}
        if kind == "order":
            if not isinstance(value, list) or len(value) < 2:
                raise DataError("bad-question", "order takes a list of cards", place=place)
            return {"order": [self.card(one, place) for one in value]}
        if kind in ("legal", "force") and isinstance(value, Mapping) and value:
            who, what = next(iter(value.items()))
            who = self.player(who, place)
            if kind == "force":
                return {"force": {"who": who, "holds": str(what)}}
            ability = {"ability": str(value["ability"])} if "ability" in value else {}
            chosen = [
                {"choose": self._things(thing, place), "for": str(name)}
                for name, thing in list(value.items())[1:]
                if name != "ability"
            ]
            choices = {"choices": chosen} if chosen else {}
            return {"legal": {"who": who, "use": self.card(what, place), **ability, **choices}}
        raise unknown("question", kind, ("next", "now", "legal", "order", "holds", "force"), place=place)

    def _may(self, who: str, what: str, place: str) -> dict[str, Any]:
        """“may Bo use researcher on thug?”, “may Ann commit clerk to tower?” -> the move that is asked about."""
        who = self.player(who, place)
        own = sentences.meant(self.system, what, asked=True)
        if own is None:
            plays = _PLAY.fullmatch(what)
            if not plays:
                raise sentences.nearest(self.system, f"{who} {what}", place)
            card, target = self._played(plays["card"], place)
            choices = {"choices": [{"choose": self._things(target, place)}]} if target else {}
            return {"who": who, "use": card, **choices}
        sentence, places = own
        (move, *_) = self._used(sentence, places, who, place)
        chosen = self._choices(places, place)
        return {**move, **({"choices": chosen} if chosen else {})}
