"""Reading scenario files (docs/scenarios.md): what a judge writes, a case file is, a dispute stores.

`read` accepts the friendly forms and gives the canonical one: every default filled in, every name resolved,
so that equal situations have equal hashes.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import strict_yaml
from config.errors import UserError
from rules import sentences, system_files
from rules.engine.errors import DataError, called, unknown
from rules.engine.questions import questions_of
from rules.engine.scene import Scene
from rules.sentences import Sentence

MAX_CARDS = 400
MAX_PLAYERS = 8
MAX_MOVES = 200
MAX_TIMES = 10**12  # how often a loop may be repeated
MAX_QUESTIONS = 20
MAX_NAME = 60
MAX_SENTENCE = 300  # characters of a move or a question

_KEYS = (
    "title", "system", "pinned", "players", "seats", "active", "at", "game", "cards", "did", "wants", "ask", "expect",
    "note", "cites", "source", "twins",
)  # fmt: skip
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_SAYS = re.compile(r"(?P<who>\S+)\s+(?P<what>.+?)\.?", re.IGNORECASE)
_PLAYS = re.compile(r"(?:plays|uses|triggers|answers with|responds with)\s+(?P<card>.+)", re.IGNORECASE)
_CHOOSES = re.compile(r"(?:chooses|picks|names|says)\s+(?P<what>.+)", re.IGNORECASE)
_REPEATS = re.compile(r"repeats\s+(?:it|this|the loop|that)(?:\s+(?P<times>[\d_,]+) times)?", re.IGNORECASE)
_MAY = re.compile(r"(?:may|can)\s+(?P<who>\S+)\s+(?P<what>.+?)\s*\??", re.IGNORECASE)
_PLAY = re.compile(r"(?:use|play|trigger|answer with|respond with)\s+(?P<card>.+)", re.IGNORECASE)
_ON = "on|at|onto|choosing|targeting"
_NOW = re.compile(r"(?:what )?now\??", re.IGNORECASE)
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


_ORDERED = ("choose", "one-of")  # maps whose order says something: choices are made in printed order


def canonical_hash(canonical: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical form; the order of keys does not count, except where it says something."""
    text = json.dumps(in_order(canonical), separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def in_order(data: Any, *, ordered: bool = False) -> Any:
    """The data with its keys sorted, except where their order says something."""
    if isinstance(data, Mapping):
        keys = list(data) if ordered else sorted(data)
        return {
            key: in_order(data[key], ordered=key in _ORDERED and not _is_choice(data[key])) for key in keys
        }
    return [in_order(one) for one in data] if isinstance(data, list | tuple) else data


def _is_choice(data: Any) -> bool:
    """Is it the instruction `choose: {as: ..., from: ...}`, and no map of several choices? Its keys have no order."""
    return isinstance(data, Mapping) and "as" in data


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
_RESERVED = (
    CHANCE,
    "pass",
    "choose",
    "ability",
    "option",
    "who",
)  # words with a meaning of their own in a move


def _plain(data: Any, place: str) -> Any:
    """The data with words as keys; refused: dates, sets, bytes and numbers that are none. Raises DataError."""
    if isinstance(data, Mapping):
        found: dict[str, Any] = {}
        for key, value in data.items():
            word = str(key)
            if word in found:
                raise DataError("bad-yaml", f"the key {called(word)} stands twice", place=place)
            found[word] = _plain(value, f"{place}.{word}" if place else word)
        return found
    if isinstance(data, list):
        return [_plain(entry, f"{place}[{i}]") for i, entry in enumerate(data)]
    if isinstance(data, float) and not math.isfinite(data):
        raise DataError("wrong-type", f"{data} is no number", place=place)
    if isinstance(data, str | int | float) or data is None:
        return data
    raise DataError(
        "wrong-type",
        f"expected a word or a number, found {called(data)}",
        place=place,
        remedy="Put it in quotes.",
    )


class _Reader:
    def __init__(self, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise DataError("wrong-type", "a scenario is a mapping with the keys system, players, cards ...")
        self.data = _plain(data, "")

    def read(self) -> Scenario:
        data = self.data
        for key in data:
            if key not in _KEYS:
                raise unknown("key", key, _KEYS, place=key)
        key, _, version = self._text("system").partition("/")
        if not key:
            raise DataError(
                "missing-key", "say which system: " + ", ".join(system_files.keys()), place="system"
            )
        system = system_files.system(key)
        if version and version != system.version:
            raise unknown("version", version, [system.version], place="system")
        self.system = key
        self.players = self._players(self._given("players", ["Ann", "Bo"]))
        self.cards = self._cards(self._given("cards", {}))
        active = self._given("active", next(iter(self.players)))
        if isinstance(active, list | Mapping):
            raise DataError(
                "two-active-players", "there is one active player", place="active", remedy="Name one player."
            )
        active = self.player(active, "active")
        did = self._list("did", MAX_MOVES)
        moves = [move for i, entry in enumerate(did) for move in self._did(entry, f"did[{i}]")]
        asked = self._given("ask", ["next"])
        asks = asked if isinstance(asked, list) else [asked]
        if len(asks) > MAX_QUESTIONS:
            raise DataError("too-many", f"more than {MAX_QUESTIONS} questions", place="ask")
        canonical = {
            "system": key,
            "pinned": {k: self._word(v, f"pinned.{k}") for k, v in self._mapping("pinned").items()},
            "players": self.players,
            "seats": self._seats(),
            "active": active,
            "at": self._start(next(iter(system.starts), next(iter(system.charts)))),
            "game": dict(self._mapping("game")),
            "cards": self.cards,
            "did": moves,
            "wants": self._wants(),
            "ask": [self._ask(entry, f"ask[{i}]") for i, entry in enumerate(asks)],
        }
        return Scenario(canonical, self._text("title"), self._expected(), self._words("cites"))

    def _given(self, key: str, default: Any) -> Any:
        """What stands under a key; an empty place counts as left out."""
        value = self.data.get(key)
        return default if value is None else value

    def _text(self, key: str) -> str:
        return self._word(self._given(key, ""), key)

    def _word(self, value: Any, place: str) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if not isinstance(value, str | int | float):
            raise DataError("wrong-type", f"expected a word, found {called(value)}", place=place)
        return str(value)

    def _words(self, key: str) -> list[str]:
        value = self._given(key, [])
        entries = value if isinstance(value, list) else [value]
        return [self._word(entry, f"{key}[{i}]") for i, entry in enumerate(entries)]

    def _mapping(self, key: str) -> Mapping[str, Any]:
        value = self._given(key, {})
        if not isinstance(value, Mapping):
            raise DataError("wrong-type", f"expected a mapping, found {called(value)}", place=key)
        return value

    def _list(self, key: str, most: int) -> list[Any]:
        value = self._given(key, [])
        value = value if isinstance(value, list) else [value]
        if len(value) > most:
            raise DataError("too-many", f"more than {most} entries", place=key)
        return value

    def _expected(self) -> list[Any]:
        expect = self._given("expect", [])
        entries = expect if isinstance(expect, list) else [expect]
        for i, entry in enumerate(entries):
            if not isinstance(entry, Mapping):
                raise DataError(
                    "wrong-type", "expected answers by question: {next: Ann}", place=f"expect[{i}]"
                )
        return entries

    def _start(self, default: str) -> str | dict[str, Any]:
        start = self._given("at", default)
        if not isinstance(start, Mapping):
            return self._word(start, "at")
        for key in start:
            if key not in ("chart", "with"):
                raise unknown("key", key, ("chart", "with"), place="at")
        if "chart" not in start:
            raise DataError("missing-key", "name the chart: {chart: ..., with: {...}}", place="at")
        given = start.get("with") or {}
        if not isinstance(given, Mapping):
            raise DataError("wrong-type", f"expected a mapping, found {called(given)}", place="at.with")
        return {
            "chart": self._word(start["chart"], "at.chart"),
            "with": {
                key: value if isinstance(value, int) else self._word(value, f"at.with.{key}")
                for key, value in given.items()
            },
        }

    def _players(self, data: Any) -> dict[str, dict[str, Any]]:
        if isinstance(data, list):
            if len(set(map(str, data))) < len(data):
                raise DataError("bad-name", "a player is named twice", place="players")
            for i, name in enumerate(data):
                if isinstance(name, bool) or not isinstance(name, str | int | float):
                    raise DataError(
                        "bad-name",
                        f"{called(name)} cannot name a player",
                        place=f"players[{i}]",
                        remedy="Use one word of plain letters and digits: Ann.",
                    )
            data = {str(name): {} for name in data}
        if not isinstance(data, Mapping) or not 1 <= len(data) <= MAX_PLAYERS:
            raise DataError(
                "wrong-type",
                f"name the players in seat order (1 to {MAX_PLAYERS})",
                place="players",
                remedy="Write [Ann, Bo].",
            )
        players = {}
        for name, facts in data.items():
            if not _ID.fullmatch(name) or name in _RESERVED or len(name) > MAX_NAME:
                raise DataError(
                    "bad-name",
                    f"{called(name)} cannot name a player",
                    place="players",
                    remedy="Use one word of plain letters and digits: Ann.",
                )
            if facts is not None and not isinstance(facts, Mapping):
                raise DataError(
                    "wrong-type",
                    f"expected a mapping of facts, found {called(facts)}",
                    place=f"players.{name}",
                    remedy="Write {} when there is nothing to say.",
                )
            players[str(name)] = dict(facts or {})
        return players

    def _seats(self) -> list[str]:
        """The order of the seats: that of `players`, unless it is told apart (a mapping's order may get lost)."""
        seats = [
            self.player(name, f"seats[{i}]") for i, name in enumerate(self._words("seats") or self.players)
        ]
        if sorted(seats) != sorted(self.players):
            raise DataError("bad-seats", "name every player once", place="seats")
        return seats

    def _cards(self, data: Any) -> dict[str, dict[str, Any]]:
        if not isinstance(data, Mapping):
            raise DataError(
                "wrong-type",
                f"expected a mapping of cards, found {called(data)}",
                place="cards",
                remedy="Write {shotgun: {is: Shotgun Blast, of: Ann}}: a word of yours for each card.",
            )
        if len(data) > MAX_CARDS:
            raise DataError("too-many", f"{len(data)} cards are more than {MAX_CARDS}", place="cards")
        cards: dict[str, dict[str, Any]] = {}
        for key, entry in data.items():
            if not _ID.fullmatch(key) or key in self.players or key in _RESERVED or len(key) > MAX_NAME:
                raise DataError(
                    "bad-name",
                    f"{called(key)} cannot name a card",
                    place="cards",
                    remedy="Use one word of plain letters and digits that no player has: shotgun.",
                )
            if isinstance(entry, str):
                entry = {"is": entry}
            if not isinstance(entry, Mapping):
                raise DataError("wrong-type", "a card is a mapping: {is: ..., of: ...}", place=f"cards.{key}")
            named = {
                word: self._word(entry[word], f"cards.{key}.{word}")
                for word in ("is", "name")
                if word in entry
            }
            cards[key] = {**entry, **named}
        return cards

    def card(self, word: Any, place: str) -> str:
        """A card by its id, or by its name when only one card has it."""
        word = self._word(word, place).strip()
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
        if word in self.players:
            return str(word)
        for name in self.players:
            if name.casefold() == str(word).casefold():
                return name
        raise unknown("player", word, self.players, place=place)

    def _did(self, entry: Any, place: str) -> list[dict[str, Any]]:
        """{Ann: shotgun, target: researcher}, or "Ann plays shotgun on researcher" -> a use and its choices."""
        if isinstance(entry, str):
            self._short(entry, place)
            return self._said(entry.strip(), place)
        if not isinstance(entry, Mapping) or not entry:
            raise DataError(
                "bad-move",
                f"expected a move, found {called(entry)}",
                place=place,
                remedy='Write "Ann plays shotgun on researcher" or {Ann: shotgun, target: researcher}.',
            )
        if self._is_canonical(entry):
            return [self._canonical_move(entry, place)]
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
                moves[0]["ability"] = self._word(entry["ability"], f"{place}.ability")
        for name, value in items[1:]:
            if name == "ability":
                continue
            # `option`: one of several labelled ways to go on
            labelled = name == "option"
            chosen = self._word(value, f"{place}.option") if labelled else self._things(value, place)
            moves.append({"who": who, "choose": chosen, "for": str(name)})
        return moves

    def _is_canonical(self, entry: Mapping[str, Any]) -> bool:
        """Is it written as the canonical form has it? Else its first word is a player (and `who` may be a choice)."""
        named = {CHANCE, *(name.casefold() for name in self.players)}
        return "who" in entry and not any(key.casefold() in named for key in entry)

    def _canonical_move(self, entry: Mapping[str, Any], place: str) -> dict[str, Any]:
        """A move as the canonical form has it: {who, use, ability}, {who, pass}, {who, choose, for}, {who, repeat}."""
        known = ("who", "use", "ability", "pass", "choose", "for", "repeat")
        for key in entry:
            if key not in known:
                raise unknown("key of a move", key, known, place=place)
        if sum(key in entry for key in ("use", "pass", "choose", "repeat")) != 1:
            raise DataError("bad-move", "a move is one of use, pass, choose and repeat", place=place)
        who = CHANCE if entry["who"] == CHANCE else self.player(entry["who"], f"{place}.who")
        if "repeat" in entry:
            return self._repeat(who, entry["repeat"], place)
        if "pass" in entry:
            return {"who": who, "pass": True}
        move: dict[str, Any] = {"who": who}
        if "use" in entry:
            move["use"] = self.card(entry["use"], f"{place}.use")
        else:
            labelled = entry.get("for") == "option"
            chosen = entry["choose"]
            move["choose"] = self._word(chosen, place) if labelled else self._things(chosen, place)
        return {**move, **{k: self._word(entry[k], f"{place}.{k}") for k in ("ability", "for") if k in entry}}

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
            printed = system_files.find_card(self.system, card["is"]) if "is" in card else card
            if printed.get("type") == sentence.type and card.get("controller", card.get("of")) == who:
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
            parts = sentences.listed(self._word(value, place))
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
        word = self._word(word, place)
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

    def _short(self, text: str, place: str) -> None:
        if len(text) > MAX_SENTENCE:
            raise DataError("too-long", f"a sentence of more than {MAX_SENTENCE} characters", place=place)

    def _ask(self, entry: Any, place: str) -> dict[str, Any]:
        if isinstance(entry, str):
            self._short(entry, place)
            text = entry.strip()
            if _NEXT.fullmatch(text):
                return {"next": True}
            if _NOW.fullmatch(text):
                return {"now": True}
            if match := _MAY.fullmatch(text):
                return {"legal": self._may(match["who"], match["what"], place)}
            raise unknown("question", entry, ("next", "now", "may Bo use researcher?"), place=place)
        if not isinstance(entry, Mapping) or len(entry) != 1:
            raise DataError(
                "bad-question",
                f"expected one question, found {called(entry)}",
                place=place,
                remedy="Write next, now, {legal: ..}, {order: ..}, {holds: ..} or {force: ..}.",
            )
        kind, value = next(iter(entry.items()))
        if kind in ("next", "now"):
            return {kind: True}
        if kind == "holds":
            return {"holds": self._condition(value, f"{place}.holds")}
        if kind == "order":
            if not isinstance(value, list) or len(value) < 2:
                raise DataError("bad-question", "order takes a list of cards", place=place)
            return {"order": [self.card(one, place) for one in value]}
        if kind not in ("legal", "force"):
            raise unknown("question", kind, ("next", "now", "legal", "order", "holds", "force"), place=place)
        example = "{Bo: researcher}" if kind == "legal" else "{Bo: not researcher.exhausted}"
        if not isinstance(value, Mapping) or not value:
            raise DataError("bad-question", f"say who and what: {{{kind}: {example}}}", place=place)
        if self._is_canonical(value):
            return {kind: self._canonical_question(kind, value, place)}
        (name, what), *rest = value.items()
        who = self.player(name, place)
        if kind == "force":
            if rest:
                raise DataError("bad-question", f"one player at a time: {{force: {example}}}", place=place)
            return {"force": {"who": who, "holds": self._condition(what, f"{place}.force")}}
        found: dict[str, Any] = {"who": who, "use": self.card(what, place)}
        if "ability" in value:
            found["ability"] = self._word(value["ability"], f"{place}.ability")
        choices = [
            {"choose": self._things(thing, place), "for": word} for word, thing in rest if word != "ability"
        ]
        return {"legal": {**found, **({"choices": choices} if choices else {})}}

    def _canonical_question(self, kind: str, value: Mapping[str, Any], place: str) -> dict[str, Any]:
        """{who, use, ability, choices} of `legal`, {who, holds} of `force`."""
        known = ("who", "use", "ability", "choices") if kind == "legal" else ("who", "holds")
        for key in value:
            if key not in known:
                raise unknown("key of a question", key, known, place=place)
        who = self.player(value["who"], place)
        if kind == "force":
            return {"who": who, "holds": self._condition(value.get("holds"), f"{place}.force")}
        found: dict[str, Any] = {"who": who, "use": self.card(value.get("use"), place)}
        if "ability" in value:
            found["ability"] = self._word(value["ability"], f"{place}.ability")
        choices = value.get("choices") or []
        if not isinstance(choices, list) or not all(
            isinstance(choice, Mapping) and "choose" in choice for choice in choices
        ):
            raise DataError("bad-question", "choices are a list of {choose: .., for: ..}", place=place)
        if choices:
            found["choices"] = [
                {
                    "choose": self._things(choice["choose"], place),
                    **({"for": self._word(choice["for"], place)} if "for" in choice else {}),
                }
                for choice in choices
            ]
        return found

    def _condition(self, value: Any, place: str) -> str:
        if not isinstance(value, str | bool):
            raise DataError(
                "bad-question", f"expected a condition in quotes, found {called(value)}", place=place
            )
        return str(value) if isinstance(value, str) else ("yes" if value else "no")

    def _may(self, who: str, what: str, place: str) -> dict[str, Any]:
        """“may Bo use researcher on thug?”, “may Ann commit clerk to tower?” -> the move that is asked about."""
        who = self.player(who, place)
        own = sentences.meant(self.system, what, asked=True)
        if own is None:
            plays = _PLAY.fullmatch(what)
            if not plays:
                raise sentences.nearest(self.system, f"{who} {what}", place, asked=True)
            card, target = self._played(plays["card"], place)
            choices = {"choices": [{"choose": self._things(target, place)}]} if target else {}
            return {"who": who, "use": card, **choices}
        sentence, places = own
        (move, *_) = self._used(sentence, places, who, place)
        chosen = self._choices(places, place)
        return {**move, **({"choices": chosen} if chosen else {})}
