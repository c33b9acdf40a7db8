"""The sentences in which a scenario's moves and questions can be written (docs/scenarios.md).

Some every game understands (“Ann plays shotgun on researcher”, “Bo chooses thug and clerk”, “Bo passes”). A system's
file adds its own, in the words of its game:

    sentences:
      "commits {card} to {to}": {ability: commit it}      # a use of the card; `to` is a choice of that ability
      "drains {paying}": {}                               # without a card: the answer to a choice of that name
      "casts {card}": {}                                  # a use of the card's own text
      "wounds {any}": {does: wound, rules: [victim]}      # `any`: whatever a card calls it; of the rules', these
      "attacks {target} with {card}": {ability: attack, player: base}     # “Ann attacks Bo with knight”: Bo's base
      "blocks {foe} with {blockers}": {order: [blockers, foe]}            # chosen in this order, not as it is said
      "blocks {foe} with {blockers}": {each: {foe: blockers}}             # `foe` is chosen once for each of `blockers`
      "takes a mulligan": {with: domain, ability: take a mulligan}        # a use of any card of that type
      "plays {card}": {ability: play it, from: hand}      # so, of a card there whose own text can be used there too
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from rules.engine.base.errors import DataError, called, unknown
from rules.engine.setup.moves import choices_of_rules
from rules.law import system_files

ANY = "any"
_MEANING = ("ability", "kind", "with", "player", "order", "each", "from", "rules", "does")
_ADDS_E = re.compile("(ch|sh|ss|x|zz|cus)es$")  # the e is none of the verb's own: focuses, but not chooses
_PLACE = re.compile(r"\{([a-z-]+)\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """What may follow a player's name. `said`: its pattern in a move, `asked`: after “may Ann”."""

    text: str
    said: re.Pattern[str]
    asked: re.Pattern[str]
    places: tuple[str, ...]  # `card` is what is used; each other one the name of a choice
    ability: str = ""
    type: str = ""  # the card used is any of this type
    player: str = ""  # a player's name stands for their card of this type
    each: tuple[tuple[str, str], ...] = ()  # (a choice that is made once for each, of those chosen there)
    rules: tuple[str, ...] | None = None  # the choices of the rules that it may answer; None: any
    does: str = ""  # the kind of occurrence that the verb means
    kind: str = ""  # the kind of ability that is asked about with it
    zone: str = (
        ""  # only there, and of what has a text of its own that can be used there too, is it what is meant
    )

    def says(self, verb: str) -> bool:
        """Does it begin with the verb, as one tells or asks it?"""
        return verb.casefold() in (self.text.split()[0], _base(self.text).split()[0])


@cache
def of_system(key: str) -> tuple[Sentence, ...]:
    """The sentences of a system's file. Raises DataError with the place of a mistake."""
    system = system_files.system(key)
    found = []
    for text, meaning in (system.source.get("sentences") or {}).items():
        place = f"sentences.{text}"
        for word in meaning:
            if word not in _MEANING:
                raise unknown("key of a sentence", word, _MEANING, place=place)
        ability, type_, player = (str(meaning.get(word, "")) for word in ("ability", "with", "player"))
        names = [one.name for _, one in system.rulebook]
        if ability and ability not in names:
            raise unknown("ability of the rules", ability, names, place=place)
        for one in filter(None, (type_, player)):
            if one not in system.properties["type"].symbols:
                raise unknown("type", one, system.properties["type"].symbols, place=place)
        places = tuple(meaning.get("order") or _PLACE.findall(text))
        if sorted(places) != sorted(_PLACE.findall(text)):
            raise DataError("bad-sentence", "order must name each of its places once", place=place)
        each = tuple((meaning.get("each") or {}).items())
        for one in (name for pair in each for name in pair):
            if one not in places:
                raise unknown("place of the sentence", one, places, place=place)
        asked = _pattern(_base(text))
        zone = str(meaning.get("from", ""))
        if zone and zone not in system.zones:
            raise unknown("zone", zone, system.zones, place=place)
        rules = tuple(meaning["rules"]) if "rules" in meaning else None
        for one in rules or ():
            if one not in choices_of_rules(system):
                raise unknown("choice of the rules", one, sorted(choices_of_rules(system)), place=place)
        does = str(meaning.get("does", ""))
        if does and does not in system.kinds:
            raise unknown("occurrence", does, system.kinds, place=place)
        kind = str(meaning.get("kind", ""))
        if kind and kind not in system.ability_kinds:
            raise unknown("kind of ability", kind, system.ability_kinds, place=place)
        found.append(
            Sentence(
                text, _pattern(text), asked, places, ability, type_, player, each, rules, does, kind, zone
            )
        )
    return tuple(found)


def _pattern(text: str) -> re.Pattern[str]:
    """`commits {card} to {to}` as a pattern with a group for each place."""
    parts = _PLACE.split(text)
    written = "".join(
        f"(?P<{part.replace('-', '_')}>.+?)" if i % 2 else re.escape(part).replace(r"\ ", r"\s+")
        for i, part in enumerate(parts)
    )
    return re.compile(written + r"[.?]?", re.IGNORECASE)


def _base(text: str) -> str:
    """The verb as it follows “may”: commits -> commit, readies -> ready, attaches -> attach; evades keeps its e."""
    verb, _, rest = text.partition(" ")
    if verb.endswith("ies"):
        verb = f"{verb[:-3]}y"
    elif _ADDS_E.search(verb):
        verb = verb[:-2]
    else:
        verb = verb.removesuffix("s")
    return f"{verb} {rest}".rstrip()


def splits(text: str, words: str) -> Iterator[tuple[str, str]]:
    """The ways to cut a text in two at one of the words: “shotgun”, “researcher”; the whole text first."""
    yield text, ""
    for match in re.finditer(rf"\s+(?:{words})\s+", text, re.IGNORECASE):
        yield text[: match.start()], text[match.end() :]


def listed(text: str) -> list[str]:
    """“thug, clerk and maid” as its members."""
    return [part for part in re.split(r",\s*(?:and\s+)?|\s+and\s+", text.strip()) if part]


def nearest(key: str, text: str, place: str, *, asked: bool = False) -> DataError:
    """The error for a sentence that nobody understands, with what could be written instead."""
    if asked:
        remedy = 'Write "may Bo use researcher?" or "may Ann play shotgun on researcher?"; "next" asks who acts next.'
        return DataError("bad-question", f"can’t read “may {text}?”", place=place, remedy=remedy)
    own = [sentence.text for sentence in of_system(key)]
    verbs = [one.split()[0] for one in own] + ["plays", "uses", "chooses", "passes"]
    words = text.split()
    verb = words[1].lower() if len(words) > 1 else ""
    near = unknown("verb", verb, dict.fromkeys(verbs), place=place).remedy if verb not in verbs else ""
    meant_verb = next(
        iter(get_close_matches(verb, verbs, n=1, cutoff=0.6)), verb
    )  # of what follows, the nearest
    same = [one for one in own if one.split()[0] == meant_verb]
    remedy = f"Write: {words[0]} {same[0]}." if same else 'Write "Ann plays shotgun on researcher".'
    return DataError(
        "bad-move", f"cannot read {called(text)}", place=place, remedy=f"{near} {remedy}".strip()
    )


def verb(key: str, text: str, *, asked: bool = False) -> str:
    """What a sentence says is done with a card: the ability of the rules that it means, or its verb; “use” of the
    card's own text, by whatever word; “play” where the system doesn't say which of the rules' ways that is."""
    if own := meant(key, text, asked=asked):
        return own[0].ability or _base(own[0].text).split()[0]
    if text.casefold().startswith("play"):
        return next((one.ability for one in of_system(key) if one.zone and one.says("play")), "play")
    return "use"


def meant(key: str, text: str, *, asked: bool = False) -> tuple[Sentence, Mapping[str, Any]] | None:
    """The system's sentence that the text (after the player's name) is, and what stands in its places."""
    for sentence in of_system(key):
        if sentence.zone:
            continue
        pattern = sentence.asked if asked else sentence.said
        match = pattern.fullmatch(text.strip())
        if match:
            return sentence, {place: match[place.replace("-", "_")] for place in sentence.places}
    return None
