"""The situation of a scenario: players and cards with their facts, and the point at which it begins."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.engine.base.errors import DataError, called, unknown
from rules.engine.base.names import NAME
from rules.law import system_files
from rules.scenarios.limits import (
    MAX_CARDS,
    MAX_NAME,
    MAX_PLAYERS,
)
from rules.texts.imported import Imported, card_of
from rules.texts.understanding import LISTS, Understood, understood

_ID = re.compile(NAME)

FindImported = Callable[[str, str], Imported | None]  # system, name -> the card, if one was imported

MOST_MADE = 100  # tokens of a sort at a time
MORE_TOKENS = 3  # how many tokens of a sort there are beyond those that are made at a time
CHANCE = "chance"  # the decider of what is drawn or revealed; a move may say what it was
RESERVED = (
    CHANCE,
    "pass",
    "choose",
    "ability",
    "option",
    "on",
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
        raise DataError("wrong-type", f"{data} is not a number", place=place)
    if isinstance(data, str | int | float) or data is None:
        return data
    raise DataError(
        "wrong-type",
        f"expected a word or a number, found {called(data)}",
        place=place,
        remedy="Put it in quotes.",
    )


def understood_card(
    system: str, printed: Mapping[str, Any], *, name: str, text: str, chosen: Sequence[int] = ()
) -> Understood:
    """A text as what a card with these printed facts says. Raises DataError."""
    xs = [word for word, value in printed.items() if str(value).lower() == "x"]
    type_ = printed.get("type")
    return understood(system, text, name=name, type_=type_, xs=xs, chosen=chosen)


def readings_chosen(value: Any, place: str) -> list[int]:
    """The numbers of a `reading`, one or a list. Raises DataError."""
    chosen = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in chosen):
        raise DataError("wrong-type", "expected the number of a reading", place=place)
    return chosen


class Situation:
    """Reads the situation; everything else speaks of its players and cards."""

    system: str  # its key
    players: dict[str, dict[str, Any]]
    cards: dict[str, dict[str, Any]]

    def __init__(self, data: Any, imported: FindImported | None = None) -> None:
        if not isinstance(data, Mapping):
            raise DataError("wrong-type", "a scenario is a mapping with the keys system, players, cards ...")
        self.data = _plain(data, "")
        self.found: dict[str, str] = {}
        self.verbs: dict[tuple[str, str], str] = {}  # (player, card) -> what its last told use was told as
        self.imported = imported

    def _facts(self, facts: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The facts, with those that the judge found ({found: yes, because: ...}) as plain values."""
        plain: dict[str, Any] = {}
        for word, value in facts.items():
            if isinstance(value, Mapping) and "found" in value:
                for key in value:
                    if key not in ("found", "because"):
                        raise unknown("key", key, ("found", "because"), place=f"{place}.{word}")
                self.found[f"{place}.{word}"] = self._word(
                    value.get("because", ""), f"{place}.{word}.because"
                )
                value = value["found"]
            plain[word] = value
        return plain

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
                raise DataError("bad-name", "a player’s name is used twice", place="players")
            for i, name in enumerate(data):
                if isinstance(name, bool) or not isinstance(name, str | int | float):
                    raise DataError(
                        "bad-name",
                        f"{called(name)} can’t be the name of a player",
                        place=f"players[{i}]",
                        remedy="Use one word of letters and digits: Ann.",
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
            if not _ID.fullmatch(name) or name in RESERVED or len(name) > MAX_NAME:
                raise DataError(
                    "bad-name",
                    f"{called(name)} can’t be the name of a player",
                    place="players",
                    remedy="Use one word of letters and digits: Ann.",
                )
            if facts is not None and not isinstance(facts, Mapping):
                raise DataError(
                    "wrong-type",
                    f"expected a mapping of facts, found {called(facts)}",
                    place=f"players.{name}",
                    remedy="Write {} if there is nothing to say.",
                )
            players[str(name)] = self._facts(facts or {}, f"players.{name}")
        most = system_files.most_players(self.system)
        if most is not None and len(players) > most:
            raise DataError(
                "too-many-players",
                f"{len(players)} players are told, and this system knows games of {most}",
                place="players",
                remedy="Name only those whom the question is about.",
            )
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
                remedy="Write {shotgun: {is: Shotgun Blast, of: Ann}}: your short name for each card.",
            )
        if len(data) > MAX_CARDS:
            raise DataError("too-many", f"{len(data)} cards are more than {MAX_CARDS}", place="cards")
        cards: dict[str, dict[str, Any]] = {}
        for key, entry in data.items():
            if not _ID.fullmatch(key) or key in self.players or key in RESERVED or len(key) > MAX_NAME:
                raise DataError(
                    "bad-name",
                    f"{called(key)} can’t be the name of a card",
                    place="cards",
                    remedy="Use one word of letters and digits that is no player’s name: shotgun.",
                )
            if isinstance(entry, str):
                entry = {"is": entry}
            if not isinstance(entry, Mapping):
                raise DataError("wrong-type", "a card is a mapping: {is: ..., of: ...}", place=f"cards.{key}")
            facts = self._with_words(self._facts(entry, f"cards.{key}"), f"cards.{key}")
            cards[key] = self._read_text(key, self._described(key, facts))
        return cards | self._everybodys(cards) | self._tokens(cards)

    def _with_words(self, facts: Mapping[str, Any], place: str) -> dict[str, Any]:
        """A card's facts, what names it as words."""
        words = {
            word: self._word(facts[word], f"{place}.{word}")
            for word in ("is", "name", "type")
            if word in facts
        }
        return {**facts, **words}

    def _described(self, key: str, facts: dict[str, Any]) -> dict[str, Any]:
        """A card named after one that was imported, described as that is understood now: the scenario means the same
        whatever is imported later. A text, or what it does, told here stands for the imported one."""
        name = facts.get("is")
        if (
            self.imported is None
            or name is None
            or system_files.fold(name) in system_files.cards(self.system)
        ):
            return facts
        found = self.imported(self.system, name)
        if found is None:
            return facts
        meaning, told = found.told(self.system), {word: facts[word] for word in facts if word != "is"}
        if str(told.get("text") or "").strip() or any(word in told for word in (*LISTS, "unread")):
            return {"name": found.name, **meaning["facts"], **told}
        place = f"cards.{key}.reading"
        chosen = readings_chosen(told.pop("reading", None), place)
        try:
            return {**card_of(found.name, meaning, chosen), **told}
        except DataError as error:
            raise error.at(f"cards.{key}") from error

    def _read_text(self, key: str, facts: dict[str, Any]) -> dict[str, Any]:
        """The card with its printed text understood, unless the scenario says what the text does: then it only quotes.

        Its `reading` says which of several is meant. A text on a card of the library stands for what the library says.
        """
        place = f"cards.{key}"
        text = self._word(facts.get("text") or "", f"{place}.text")
        if not text.strip() or any(word in facts for word in (*LISTS, "unread")):
            self._check_quoted(key, facts, text)
            return facts
        chosen = readings_chosen(facts.pop("reading", None), f"{place}.reading")
        name = str(facts.get("is", facts.get("name", key)))
        printed = self.printed(facts, key)
        try:
            found = understood_card(self.system, printed, name=name, text=text, chosen=chosen)
        except DataError as error:
            raise error.at(
                place if error.place else f"{place}.{'is' if 'is' in facts else 'text'}"
            ) from error
        blank: dict[str, Any] = {word: [] for word in LISTS} if "is" in facts else {}
        both = {  # what the text says the card has comes to what is told of it
            word: [*dict.fromkeys([*(told if isinstance(told := facts[word], list) else [told]), *said])]
            for word, said in found.data.items()
            if word in facts and word not in LISTS and isinstance(said, list)
        }
        return {**blank, **found.data, **facts, **both}

    def _check_quoted(self, key: str, facts: Mapping[str, Any], text: str) -> None:
        """Raises DataError where a text that is taken for a quotation says more than the data beside it: another list
        of what a card does would be dropped in silence."""
        if not text.strip() or "unread" in facts:
            return
        name = str(facts.get("is", facts.get("name", key)))
        try:
            found = understood_card(self.system, self.printed(facts, key), name=name, text=text)
        except DataError:
            return  # a text that nobody understood, or in several ways, is one that the data stands for
        told = [word for word in LISTS if word in facts]
        more = [word for word in LISTS if found.data.get(word) and word not in facts]
        if more and not found.data.get("unread"):
            raise DataError(
                "text-and-data",
                f"the text also says what belongs under {' and '.join(more)}, which {' and '.join(told)} would hide",
                place=f"cards.{key}.text",
                remedy="Give the text alone, or all that the card does as data.",
            )

    def _everybodys(self, cards: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """The cards that the system gives to every player who was not told to have one of the type in play; with what
        is told of them by their own ids."""
        found = {}
        for word, given in (system_files.system(self.system).source.get("everybody") or {}).items():
            types = {key: self._type_of(key, card) for key, card in cards.items()}
            for seat, player in enumerate(self.players, start=1):
                own = [
                    key
                    for key, card in cards.items()
                    if card.get("of") == player and card.get("zone", "play") == "play"
                ]
                key = f"{word}-{seat}"
                told = cards.get(key, {})
                if "type" in told or "is" in told:  # a card of the scenario that bears that id
                    key, told = f"{key}-untold", {}
                if told or all(types[one] != given["type"] for one in own):
                    facts = {word: value for word, value in given.items() if word != "taken"}
                    name = given["name"].format(player=player)
                    found[key] = {**facts, "of": player, "name": name, **told}
        return found

    def _tokens(self, cards: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Tokens that the cards here make, not made yet: for each, some more than are made at a time."""
        given = system_files.system(self.system).source.get("tokens") or {}
        found: dict[str, dict[str, Any]] = {}
        for key, card in cards.items():
            owner = card.get("of")
            known = isinstance(owner, str) and owner in self.players
            for i, token in enumerate(self._made_by(key, card) if known else ()):
                place = f"cards.{key}.makes[{i}]"
                if not isinstance(token, Mapping) or "name" not in token:
                    raise DataError("wrong-type", "a token is a mapping: {name: ..., type: ...}", place=place)
                facts = self._with_words(
                    {word: value for word, value in token.items() if word != "made"}, place
                )
                name = re.sub(r"\W+", "-", facts["name"].lower()).strip("-")
                for number in range(1, _number_made(token, f"cards.{key}.makes") + MORE_TOKENS + 1):
                    own = f"{name}-{self._seat(owner)}-{number}"
                    if own not in cards:
                        found[own] = {**facts, **given, "of": owner}
        return found

    def _made_by(self, key: str, card: Mapping[str, Any]) -> list[Any]:
        """The tokens that a card makes, as they are told or printed."""
        made = card["makes"] if "makes" in card else self.printed(card, key).get("makes")
        return made if isinstance(made, list) else []

    def _seat(self, player: Any) -> int:
        return list(self.players).index(player) + 1

    def _type_of(self, key: str, card: Mapping[str, Any]) -> Any:
        return self.printed(card, key).get("type")

    def printed(self, card: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """What is printed on a card of the scenario: in the library, or as the scenario says. Raises DataError."""
        if "is" not in card:
            return card
        try:
            return system_files.find_card(self.system, card["is"])
        except DataError as error:
            raise error.at(f"cards.{key}.is") from error

    def card(self, word: Any, place: str) -> str:
        """A card by its id, or by its name when only one card has it."""
        return self._called(self._word(word, place).strip(), place)

    def _called(self, word: str, place: str) -> str:
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
                "ambiguous-card",
                f"{called(word)} could be {' or '.join(found)}",
                place=place,
                remedy="Use its id.",
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


def _number_made(token: Mapping[str, Any], place: str) -> int:
    made = str(token.get("made", 1))
    if not made.isdecimal() or int(made) > MOST_MADE:
        expected = f"expected how many are made, at most {MOST_MADE}, found {called(made)}"
        raise DataError("wrong-type", expected, place=place)
    return int(made)
