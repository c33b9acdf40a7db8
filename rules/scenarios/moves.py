"""Moves: what was done and what players want to do, as mappings or as sentences."""

import re
from collections.abc import Mapping
from typing import Any

from rules.engine.base.errors import DataError, called, unknown
from rules.engine.machine.piles import ANOTHER
from rules.engine.setup.moves import choices_of_rules
from rules.law import system_files
from rules.scenarios import sentences
from rules.scenarios.limits import MAX_SENTENCE, MAX_TIMES
from rules.scenarios.sentences import Sentence
from rules.scenarios.situation import CHANCE, Situation

_SAYS = re.compile(r"(?P<who>\S+)\s+(?P<what>.+?)\.?", re.IGNORECASE)
ANSWERING = r"(?:\s*,?\s+(?:answering|in answer to|in response to)\s+(?P<on>.+?))?"
_PLAYS = re.compile(
    rf"(?P<verb>plays|uses|triggers|answers with|responds with)\s+(?P<card>.+?){ANSWERING}", re.IGNORECASE
)
_CHOOSES = re.compile(r"(?:chooses|picks|names|says)\s+(?P<what>.+)", re.IGNORECASE)
_REPEATS = re.compile(r"repeats\s+(?:it|this|the loop|that)(?:\s+(?P<times>[\d_,]+) times)?", re.IGNORECASE)
_ON = "on|at|onto|choosing|targeting"


class Moves(Situation):
    def _did(self, entry: Any, place: str) -> list[dict[str, Any]]:
        """{Ann: shotgun, target: researcher}, or "Ann plays shotgun on researcher" -> a use and its choices."""
        if isinstance(entry, str):
            self._short(entry, place)
            moves = self._said(entry.strip(), place)
            verb = sentences.verb(self.system, entry.strip().partition(" ")[2].strip())
        else:
            moves, verb = self._as_data(entry, place), ""
        for move in moves:
            if "use" in move:
                self.verbs[move["who"], move["use"]] = move.get("ability", verb)
        return moves

    def _as_data(self, entry: Any, place: str) -> list[dict[str, Any]]:
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
            if "on" in entry:
                moves[0]["on"] = self._answered(entry["on"], f"{place}.on")
        for name, value in items[1:]:
            if name in ("ability", "on"):
                continue
            # `option`: one of several labelled ways to go on
            labelled = name == "option"
            chosen = self._word(value, f"{place}.option") if labelled else self._things(value, place)
            named = {"for": str(name)} if who != CHANCE or self._rules_ask_for(str(name)) else {}
            moves.append({"who": who, "choose": chosen, **named})
            if what == "choose" and "on" in entry:
                moves[-1]["on"] = self._answered(entry["on"], f"{place}.on")
        return moves

    def _rules_ask_for(self, name: str) -> bool:
        """Is it what the system calls a choice of its own? What chance decides may be called otherwise."""
        return name in choices_of_rules(system_files.system(self.system))

    def _answered(self, value: Any, place: str) -> list[str]:
        """What a use answers: a kind of occurrence, whom or what it happens to, or both (“destroy thug”)."""
        if isinstance(value, list):
            return [word for one in value for word in self._answered(one, place)]
        word = self._word(value, place).strip()
        system = system_files.system(self.system)
        kinds = {*system.kinds, *system.families}
        if word in kinds:
            return [word]
        try:
            return [word if word in self.players else self.card(word, place)]
        except DataError:
            first, _, rest = word.partition(" ")
            if first in kinds and rest:
                return [first, *self._answered(rest, place)]
            known = [*self.cards, *self.players, *kinds]
            raise unknown("trigger", word, known, place=place) from None

    def _is_canonical(self, entry: Mapping[str, Any]) -> bool:
        """Is it written as the canonical form has it? Else its first word is a player (and `who` may be a choice)."""
        named = {CHANCE, *(name.casefold() for name in self.players)}
        return "who" in entry and not any(key.casefold() in named for key in entry)

    def _canonical_move(self, entry: Mapping[str, Any], place: str) -> dict[str, Any]:
        """A move as the canonical form has it: {who, use, ability}, {who, pass}, {who, choose, for}, {who, repeat}."""
        known = ("who", "use", "ability", "on", "pass", "choose", "for", "rules", "does", "with", "repeat")
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
        words = {k: self._word(entry[k], f"{place}.{k}") for k in ("ability", "for", "does") if k in entry}
        on = {"on": self._answered(entry["on"], f"{place}.on")} if "on" in entry else {}
        if "with" in entry:
            move["with"] = "use"
        if "rules" in entry:
            names = entry["rules"] if isinstance(entry["rules"], list) else [entry["rules"]]
            move["rules"] = [self._word(one, f"{place}.rules") for one in names]
        return {**move, **words, **on}

    def _said(self, entry: str, place: str) -> list[dict[str, Any]]:
        """A move as a sentence: one that every game knows, or one of the system's own (rules.scenarios.sentences)."""
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
            used = self._used(sentence, places, who, place)
            choices = [{"who": who, **choice} for choice in self._choices(places, place, sentence)]
            if used and not sentence.ability:
                choices = [self._as_the_card_calls_it(choice, used) for choice in choices]
            return [move for card in used for move in (card, *choices)] if used else choices
        if plays := _PLAYS.fullmatch(what):
            card, target = self._played(plays["card"], place)
            chosen = [{"who": who, "choose": self._things(target, place), "with": "use"}] if target else []
            on = {"on": self._answered(plays["on"], place)} if plays["on"] else {}
            return [{"who": who, "use": card, **self._by_the_rules(plays["verb"], card), **on}, *chosen]
        if chooses := _CHOOSES.fullmatch(what):
            chosen_words = chooses["what"]
            if len(chosen_words) > 2 and chosen_words[0] == chosen_words[-1] and chosen_words[0] in "'\"":
                return [{"who": who, "choose": chosen_words[1:-1], "for": "option"}]
            says = what.casefold().startswith("says")
            if chosen_words == "nothing" and not says and chosen_words not in self.cards:
                return [{"who": who, "choose": []}]
            return [{"who": who, "choose": self._things(chosen_words, place)}]
        raise sentences.nearest(self.system, entry, place)

    def _by_the_rules(self, verb: str, key: str) -> dict[str, str]:
        """What the rules let one do with a card that lies where its own text can be used too, if that is what the verb
        says: who plays a card from his hand does not use its Response there."""
        card, system = self.cards[key], system_files.system(self.system)
        printed = self.printed(card, key)
        said = card.get("abilities", printed.get("abilities"))
        own = [one for one in said if isinstance(one, Mapping)] if isinstance(said, list) else []
        for sentence in sentences.of_system(self.system):
            zone = sentence.zone
            if not zone or zone != card.get("zone") or not sentence.says(verb):
                continue
            if zone in system.default_zones.get(str(printed.get("type")), ()):
                continue
            flags = {flag for _, one in system.rulebook if one.name == sentence.ability for flag in one.flags}
            if any(zone in one.get("zones", ()) for one in own) and not any(
                flags.intersection(one.get("flags", ())) for one in own
            ):
                return {"ability": sentence.ability}
        return {}

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
            if (
                self.printed(card, key).get("type") == sentence.type
                and card.get("controller", card.get("of")) == who
            ):
                return [{"who": who, "use": key, **ability}]
        raise DataError(
            "missing-card",
            f"{who} has no {sentence.type} on the board",
            place=place,
            remedy=f"Add one to cards: {{type: {sentence.type}, of: {who}}}.",
        )

    def _as_the_card_calls_it(self, choice: dict[str, Any], used: list[dict[str, Any]]) -> dict[str, Any]:
        """A choice of a card's own text, unnamed where the card has none of the sentence's name."""
        named = set()
        for move in used:
            card = self.cards[move["use"]]
            printed = system_files.find_card(self.system, card["is"]) if "is" in card else {}
            abilities = card.get("abilities", printed.get("abilities"))
            for one in abilities if isinstance(abilities, list) else ():
                chosen = one.get("choose") if isinstance(one, Mapping) else None
                named |= set(chosen) if isinstance(chosen, Mapping) else set()
        if not named or choice.get("for") in named:
            return choice
        return {word: value for word, value in choice.items() if word != "for"}

    def _choices(self, places: Mapping[str, Any], place: str, sentence: Sentence) -> list[dict[str, Any]]:
        """What a sentence of the system says is chosen, and for which choice; where it says so, a player stands for a
        card of theirs."""
        stands = {
            card["of"]: key
            for key, card in self.cards.items()
            if sentence.player and card.get("of") and self.printed(card, key).get("type") == sentence.player
        }
        chosen = {
            name: self._things(stands.get(value, value), place)
            for name, value in places.items()
            if name != "card"
        }
        found = []
        for name, thing in chosen.items():
            among = dict(sentence.each).get(name)
            times = chosen[among] if among is not None and isinstance(chosen[among], list) else [thing]
            for one in times:
                choice = {"choose": one if among == name else thing}
                told: dict[str, Any] = {} if sentence.rules is None else {"rules": list(sentence.rules)}
                told |= {"does": sentence.does} if sentence.does else {}
                found.append({**choice, **told} if name == sentences.ANY else {**choice, "for": name})
        return found

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
            message = "the rules of this game don’t let players repeat a cycle by naming a number"
            raise DataError("no-repeating", message, place=place, remedy="Write out the moves.")
        word = str(times)
        if times is not None and not (word.isdecimal() and 1 <= int(word) <= MAX_TIMES):
            remedy = f"Give a whole number from 1 to {MAX_TIMES}: {{Ann: repeat, times: 20}}."
            raise DataError(
                "bad-move", f"{called(times)} is not a valid number of times", place=place, remedy=remedy
            )
        return {"who": who, "repeat": None if times is None else int(word)}

    def _thing(self, word: Any, place: str) -> str:
        """A card or player that is chosen, or yes, no, a number."""
        word = self._word(word, place)
        if word in self.cards:
            return self.card(word, place)
        if word in self.players or word in ("yes", "no"):
            return str(word)
        if str(word).isdigit() or (word == ANOTHER and system_files.system(self.system).piles):
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
