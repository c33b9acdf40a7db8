"""A situation being laid out on a board: one change at a time, readable after each.

A draft is a canonical scenario without moves (`did` is empty: at the table these are choices, rules.table.stepping).
Every function gives a new one and raises UserError, with place and remedy, for what cannot be.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import DataError
from rules.engine.base.names import PART
from rules.engine.definitions.model import Property, System
from rules.law import system_files
from rules.scenarios import limits, situation
from rules.scenarios.defaults import habits
from rules.texts.imported import Imported, card_of
from rules.texts.understanding import LISTS

Draft = dict[str, Any]

MAX_FACT = 60  # characters of a word in a fact
_NUMBER = re.compile(r"-?\d{1,7}")
_WORDS_OF_CONDITIONS = (
    "and",
    "or",
    "not",
    "it",
    "this",
    "you",
    "count",
    "any",
    "none",
    "sum",
    "yes",
    "no",
    "nothing",
)


def new(system: str, players: Sequence[str] = ("Ann", "Bo")) -> Draft:
    """An empty table under a system, its players in seat order."""
    source = json.dumps({"system": system, "players": list(players), "ask": ["next"]})
    return scenarios.read(source).canonical


def seat_words(names: Sequence[str]) -> list[str]:
    """Words for people at a table, in their order: the first name, the whole one where two share it, or a seat."""
    parts = [re.findall(PART, unicodedata.normalize("NFKC", name)) for name in names]
    first = [one[0] if one else "" for one in parts]
    words: list[str] = []
    for seat, part in enumerate(parts):
        alone = [word.casefold() for word in first].count(first[seat].casefold()) == 1
        word = (first[seat] if alone else "-".join(part))[: limits.MAX_NAME]
        taken = {one.casefold() for one in words} | {*situation.RESERVED, *_WORDS_OF_CONDITIONS}
        words.append(word if word and word.casefold() not in taken else f"Seat-{seat + 1}")
    return words


def put_card(draft: Draft, card: Mapping[str, Any]) -> tuple[Draft, str]:
    """The draft with one card more, and the word it is called by. `card`: {is, of, zone ...} or an anonymous one."""
    copy = _copy(draft)
    key = _word_for(str(card.get("is") or card.get("name") or "card"), copy)
    copy["cards"][key] = dict(card)
    return _checked(copy), key


def card_of_library(draft: Draft, name: str, side: str) -> dict[str, Any]:
    """A library card as it is commonly laid out: whose, and where it lies unless somebody says otherwise."""
    try:
        printed = system_files.find_card(draft["system"], name)
    except DataError as error:
        raise UserError(error.code, scenarios.told(error.message), place="is", remedy=error.remedy) from error
    usual = habits(draft["system"]).get(str(printed.get("type", "")))
    card: dict[str, Any] = {"is": str(printed["name"])}
    if side in draft["players"] and (usual is None or usual.owned):
        card["of"] = side
    if usual is not None and usual.zone:
        card["zone"] = usual.zone
    return card


def card_of_import(draft: Draft, found: Imported, side: str) -> dict[str, Any]:
    """An imported card as it is commonly laid out: described as it is understood now, whatever is imported later."""
    card = card_of(found.name, found.told(draft["system"]))
    usual = habits(draft["system"]).get(str(card.get("type", "")))
    if side in draft["players"] and (usual is None or usual.owned):
        card["of"] = side
    if usual is not None and usual.zone:
        card["zone"] = usual.zone
    return card


def card_of_text(draft: Draft, given: Mapping[str, str], chosen: Sequence[int]) -> dict[str, Any]:
    """A card whose printed text was pasted: what is understood of it as data, the rest as text that may matter.

    given: name, type, of, text. A name of the library brings that card's printed facts.
    """
    system, name = draft["system"], given.get("name", "").strip()[:MAX_FACT]
    known = system_files.cards(system).get(system_files.fold(name))
    printed = known or {"type": given.get("type", "")}
    try:
        found = situation.understood_card(
            system, printed, name=name, text=given.get("text", ""), chosen=chosen
        )
    except DataError as error:
        place = error.place or "text"
        raise UserError(
            error.code, scenarios.told(error.message), place=place, remedy=error.remedy
        ) from error
    if not found.text.strip():
        raise UserError("text-missing", _("Paste the card’s text."), place="text")
    usual = habits(system).get(str(printed.get("type", "")))
    if known:
        card = {"is": str(known["name"]), **{word: [] for word in LISTS}}
    else:
        card = {"name": name or _("Pasted card"), "type": printed["type"]}
    if given.get("of") in draft["players"] and (usual is None or usual.owned):
        card["of"] = given["of"]
    if usual is not None and usual.zone:
        card["zone"] = usual.zone
    return {**card, "text": found.text, **found.data}


def change_card(draft: Draft, key: str, facts: Mapping[str, Any]) -> Draft:
    """The card with these facts; None takes a fact back to what it is when nobody says anything."""
    copy = _copy(draft)
    if key not in copy["cards"]:
        raise _no_such_card(key)
    card = {**copy["cards"][key], **facts}
    copy["cards"][key] = {word: value for word, value in card.items() if value is not None}
    return _checked(copy)


def remove_card(draft: Draft, key: str) -> Draft:
    """The draft without the card; what was attached to it, engaged with it or asked about it goes too."""
    copy = _copy(draft)
    if copy["cards"].pop(key, None) is None:
        raise _no_such_card(key)
    for card in copy["cards"].values():
        for word in [word for word, value in card.items() if value == key and word not in ("is", "name")]:
            del card[word]
    copy["ask"] = [one for one in copy["ask"] if not _mentions(one, key)]
    return _checked(copy)


def rename_players(draft: Draft, names: Sequence[str]) -> Draft:
    """The seats under these names, in order; more names are more seats, fewer take the last ones away."""
    old = list(draft["seats"])
    if len(set(names)) < len(names):
        raise UserError("bad-name", _("Two players have the same name."), place="players")
    copy = _copy(draft)
    renamed = dict(zip(old, names, strict=False))
    copy["players"] = {
        name: copy["players"].get(old[i], {}) if i < len(old) else {} for i, name in enumerate(names)
    }
    copy["seats"] = list(names)
    copy["active"] = renamed.get(copy["active"], names[0] if names else "")
    copy["cards"] = {key: _renamed(card, renamed, old) for key, card in copy["cards"].items()}
    copy["game"] = _renamed(copy["game"], renamed, old)
    copy["ask"] = [one for one in copy["ask"] if set(one) & {"next", "now", "holds", "order"}]
    return _reread(copy)


def set_moment(draft: Draft, *, at: str, active: str) -> Draft:
    copy = _copy(draft)
    if at != "as it is":
        copy["at"] = at
    copy["active"] = active
    return _checked(copy)


def set_facts(draft: Draft, owner: str, facts: Mapping[str, Any]) -> Draft:
    """Facts of a player, or of the game itself (`owner` empty); None takes one back."""
    copy = _copy(draft)
    held = copy["players"].setdefault(owner, {}) if owner else copy["game"]
    held |= facts
    for word in [word for word, value in held.items() if value is None]:
        del held[word]
    return _checked(copy)


def pin(draft: Draft, reading: str, option: str) -> Draft:
    """With a reading settled for this table; an empty option leaves it open again."""
    copy = _copy(draft)
    copy["pinned"].pop(reading, None)
    if option:
        copy["pinned"][reading] = option
    return _checked(copy)


def ask(draft: Draft, question: Mapping[str, Any]) -> Draft:
    """One question more; one that is asked already is not asked twice."""
    copy = _copy(draft)
    if question not in copy["ask"]:
        copy["ask"].append(dict(question))
    return _reread(copy)


def unask(draft: Draft, number: int) -> Draft:
    copy = _copy(draft)
    copy["ask"] = [one for i, one in enumerate(copy["ask"]) if i != number]
    return _reread(copy)


def value_of(system: System, prop: Property, text: str) -> Any:
    """What somebody typed or picked for a fact, as a scenario has it; empty is None: nobody says anything."""
    text = text.strip()
    if not text:
        return None
    if prop.type == "number":
        if not _NUMBER.fullmatch(text):
            raise UserError(
                "wrong-type",
                _("“%(text)s” isn’t a whole number.") % {"text": text[:MAX_FACT]},
                place=prop.name,
            )
        return int(text)
    if prop.type == "list":
        return [word for word in re.split(r"[,;]\s*", text) if word]
    return text[:MAX_FACT]


def _word_for(name: str, draft: Draft) -> str:
    """A word to call the card by: its last words, as people do (“Guard Dog” is guard-dog)."""
    word = re.sub(r"[^A-Za-z0-9]+", "-", name.casefold()).strip("-")
    word = re.sub(r"^[^a-z_]+", "", word)[: limits.MAX_NAME - 4] or "card"
    taken = {*draft["cards"], *(player.casefold() for player in draft["players"]), *_WORDS_OF_CONDITIONS}
    taken |= {*situation.RESERVED, *system_files.system(draft["system"]).nouns}
    if word not in taken:
        return word
    return next(f"{word}-{number}" for number in range(2, 10**6) if f"{word}-{number}" not in taken)


def _renamed(facts: Mapping[str, Any], renamed: Mapping[str, str], old: Sequence[str]) -> dict[str, Any]:
    """Facts that name a player, under the new name; of a player who is gone they go."""
    found = {}
    for word, value in facts.items():
        if word not in ("is", "name") and isinstance(value, str) and value in old:
            if value not in renamed:
                continue
            value = renamed[value]
        found[word] = value
    return found


def _mentions(question: Any, key: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", json.dumps(question)) is not None


def _no_such_card(key: str) -> UserError:
    return UserError(
        "unknown-card",
        _("No card “%(key)s” is on the board.") % {"key": key},
        place="cards",
        status=404,
    )


def _copy(draft: Mapping[str, Any]) -> Draft:
    copied: Draft = json.loads(json.dumps(draft))
    return copied


def _reread(draft: Draft) -> Draft:
    """Through the reader, where names may have changed."""
    return scenarios.read(json.dumps(draft)).canonical


def _checked(draft: Draft) -> Draft:
    return scenarios.checked(draft)
