"""Questions of a scenario, as mappings or as sentences."""

import re
from collections.abc import Mapping
from typing import Any

from rules.engine.base.errors import DataError, called, unknown
from rules.engine.search.questions.holds import END
from rules.law import system_files
from rules.scenarios import sentences
from rules.scenarios.moves import ANSWERING, Moves

_MAY = re.compile(r"(?:may|can)\s+(?P<who>\S+)\s+(?P<what>.+?)\s*\??", re.IGNORECASE)
_PLAY = re.compile(
    rf"(?P<verb>use|play|trigger|answer with|respond with)\s+(?P<card>.+?){ANSWERING}(?P<again>\s+again)?",
    re.IGNORECASE,
)
_CHOOSE = re.compile(r"(?:choose|pick)\s+(?P<what>.+)", re.IGNORECASE)
_AGAIN = " again"
_ABOUT = ("on", "again", "told")  # what a use answers; whether it is asked about once more, or as it was told
_NOW = re.compile(r"(?:what )?now\??", re.IGNORECASE)
_NEXT = re.compile(r"(?:who (?:acts|is) )?next\??", re.IGNORECASE)


class Questions(Moves):
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
        if isinstance(entry, Mapping) and set(entry) == {"holds", "at"}:
            moment = self._word(entry["at"], f"{place}.at")
            condition = self._condition(entry["holds"], f"{place}.holds")
            return {"holds": condition, **({} if moment == END else {"at": moment})}
        if not isinstance(entry, Mapping) or len(entry) != 1:
            raise DataError(
                "bad-question",
                f"expected one question, found {called(entry)}",
                place=place,
                remedy="Write next, now, {legal: ..}, {order: ..}, {holds: ..}, {holds: .., at: ..} or {force: ..}.",
            )
        kind, value = next(iter(entry.items()))
        if kind in ("next", "now"):
            return {kind: True}
        if kind == "holds":
            return {"holds": self._condition(value, f"{place}.holds")}
        if kind == "order":
            if not isinstance(value, list) or len(value) < 2:
                raise DataError("bad-question", "order takes a list of cards", place=place)
            return {"order": [self._ordered(one, f"{place}.order[{i}]") for i, one in enumerate(value)]}
        if kind not in ("legal", "force"):
            raise unknown("question", kind, ("next", "now", "legal", "order", "holds", "force"), place=place)
        example = "{Bo: researcher}" if kind == "legal" else "{Bo: not researcher.exhausted}"
        if not isinstance(value, Mapping) or not value:
            raise DataError(
                "bad-question",
                f"name a player and what is to be done or reached: {{{kind}: {example}}}",
                place=place,
            )
        if self._is_canonical(value):
            return {kind: self._canonical_question(kind, value, place)}
        (name, what), *rest = value.items()
        who = self.player(name, place)
        if kind == "force":
            if rest:
                raise DataError("bad-question", f"one player at a time: {{force: {example}}}", place=place)
            return {"force": {"who": who, "holds": self._condition(what, f"{place}.force")}}
        choices = [
            {"choose": self._things(thing, place), "for": word}
            for word, thing in rest
            if word not in ("ability", *_ABOUT)
        ]
        if what == "choose" and choices:
            return {"legal": {"who": who, "choices": choices}}
        found: dict[str, Any] = {"who": who, "use": self.card(what, place)}
        if "ability" in value:
            found["ability"] = self._word(value["ability"], f"{place}.ability")
        found |= self._about_use(value, place)
        return {"legal": {**found, **({"choices": choices} if choices else {})}}

    def _ordered(self, one: Any, place: str) -> str | dict[str, Any]:
        """What an order is asked of: a card's ability, {card: .., ability: ..}, or what happens, {destroy: thug}."""
        if not isinstance(one, Mapping):
            return self.card(one, place)
        data = dict(one)
        card = data.pop("card", data.pop("use", None))
        if card is not None and not data.keys() - {"ability"}:
            word = {"ability": self._word(data["ability"], f"{place}.ability")} if "ability" in data else {}
            return {"use": self.card(card, place), **word} if word else self.card(card, place)
        what, to = data.pop("what", None), data.pop("to", None)
        if what is None and len(data) == 1:
            what, to = data.popitem()
        if what is None or data:
            raise DataError(
                "bad-question",
                "an order question lists cards, abilities or occurrences",
                place=place,
                remedy="Write medic, {card: medic, ability: its name} or {destroy: thug}.",
            )
        thing = (
            {}
            if to is None
            else {"to": to if isinstance(to, str) and to in self.players else self.card(to, place)}
        )
        return {"what": self._word(what, place), **thing}

    def _about_use(self, value: Mapping[str, Any], place: str) -> dict[str, Any]:
        """What the use that is asked about answers, and whether it is asked about once more; whether it is the one that
        was told (or one beside it), where the verbs say so."""
        found: dict[str, Any] = {}
        if "on" in value:
            found["on"] = self._answered(value["on"], f"{place}.on")
        for key in ("again", "told"):
            if key not in value:
                continue
            word = self._word(value[key], f"{place}.{key}")
            if word not in ("yes", "no"):
                raise DataError("bad-question", f"{key} must be yes or no", place=f"{place}.{key}")
            if word == "yes" or key == "told":
                found[key] = word
        return found

    def _canonical_question(self, kind: str, value: Mapping[str, Any], place: str) -> dict[str, Any]:
        """{who, use, ability, choices} of `legal`, {who, holds} of `force`."""
        of_legal = ("who", "use", "ability", *_ABOUT, "choices")
        known = of_legal if kind == "legal" else ("who", "holds")
        for key in value:
            if key not in known:
                raise unknown("key of a question", key, known, place=place)
        who = self.player(value["who"], place)
        if kind == "force":
            return {"who": who, "holds": self._condition(value.get("holds"), f"{place}.force")}
        found: dict[str, Any] = {"who": who}
        if "use" in value or not value.get("choices"):
            found["use"] = self.card(value.get("use"), place)
        if "ability" in value:
            found["ability"] = self._word(value["ability"], f"{place}.ability")
        found |= self._about_use(value, place)
        choices = value.get("choices") or []
        if not isinstance(choices, list) or not all(
            isinstance(choice, Mapping) and "choose" in choice for choice in choices
        ):
            raise DataError("bad-question", "choices must be a list of {choose: .., for: ..}", place=place)
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
        found = self._asked(self.player(who, place), what, place)
        told = self.verbs.get((found["who"], found.get("use", "")), "use")
        verb = sentences.verb(self.system, what.removesuffix(_AGAIN), asked=True)
        vague = "play" in (verb, told) and verb not in (told, "use")  # it may be a word for the same
        if (
            told not in ("", "use") and not vague and "again" not in found
        ):  # “uses” is said of whatever one does
            found["told"] = "yes" if verb == told else "no"
        elif (told, verb) == ("use", "play") and self._starts_in_play(found["use"]):
            found["told"] = "no"  # what lies in play was used there, and not played
        return found

    def _starts_in_play(self, key: str) -> bool:
        zone = self.cards[key].get("zone", "play") if key in self.cards else ""
        return isinstance(zone, str) and zone in system_files.system(self.system).zones_in_play

    def _asked(self, who: str, what: str, place: str) -> dict[str, Any]:
        words, again = (
            (what[: -len(_AGAIN)], {"again": "yes"}) if what.lower().endswith(_AGAIN) else (what, {})
        )
        own = sentences.meant(self.system, words, asked=True)
        if own is None:
            plays = _PLAY.fullmatch(what)
            if chooses := _CHOOSE.fullmatch(what):
                return {"who": who, "choices": [{"choose": self._things(chooses["what"], place)}]}
            if not plays:
                raise sentences.nearest(self.system, f"{who} {what}", place, asked=True)
            card, target = self._played(plays["card"], place)
            choices = {"choices": [{"choose": self._things(target, place)}]} if target else {}
            said = {"on": plays["on"]} if plays["on"] else {}
            said |= {"again": "yes"} if plays["again"] else {}
            by_rules = self._by_the_rules(plays["verb"], card)
            return {"who": who, "use": card, **by_rules, **self._about_use(said, place), **choices}
        sentence, places = own
        used = self._used(sentence, places, who, place)
        chosen = self._choices(places, place, sentence)
        if not used and len(chosen) > 1 and any(among == name for name, among in sentence.each):
            raise DataError(
                "bad-question",
                f"“may {who} {what}” asks about {len(chosen)} choices, one after another",
                place=place,
                remedy="Ask about the last of them, and tell the ones before it under did.",
            )
        if not used:
            return {"who": who, "choices": chosen}
        if len(used) > 1:
            raise DataError(
                "bad-question",
                f"“may {who} {what}” asks about {len(used)} moves at once",
                place=place,
                remedy="Ask about one of them, and tell the ones before it under did.",
            )
        move = used[0]
        if not sentence.ability:
            chosen = [self._as_the_card_calls_it(choice, used) for choice in chosen]
        kind = {"ability": sentence.kind} if sentence.kind else {}
        return {**move, **kind, **self._about_use(again, place), **({"choices": chosen} if chosen else {})}
