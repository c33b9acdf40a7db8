"""A board in words, and the rows of its forms. Pure translation: drafts in, rows out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from rules.engine.definitions.model import Property, System
from rules.law import system_files
from rules.scenarios.defaults import habits
from rules.spoken import Spoken, spoken
from rules.table import draft

AGREED, FOUND, DISPUTED, UNKNOWN = "agreed", "found", "disputed", "unknown"
_EDITABLE = ("yes-no", "number", "symbol", "text", "card", "player", "list")
_ELSEWHERE = ("zone", "controller", "owner", "name", "type", "face", "incarnation", "seat", "active")
_NOT_FACTS = (
    "is",
    "of",
    "name",
    "text",
    "abilities",
    "always",
    "cannot",
    "immune",
    "grants",
    "makes",
    "zone",
    "controller",
    "type",
)


@dataclass(frozen=True)
class Option:
    value: str
    text: str


@dataclass(frozen=True)
class FactRow:
    """One fact as a form asks for it. kind: choice (`options`), number or text."""

    name: str
    label: str
    kind: str
    value: str = ""
    other: str = ""  # the second value of a disputed one
    mark: str = AGREED
    why: str = ""
    options: list[Option] = field(default_factory=list)
    may_be_unknown: bool = False
    printed: str = ""  # what the card itself says, unless somebody says otherwise

    @property
    def told(self) -> bool:
        return bool(self.value) or self.mark in (DISPUTED, UNKNOWN)

    @property
    def shown(self) -> str:
        """What stands in the box: what was said, else what is printed; of an unknown fact nothing."""
        return self.value or ("" if self.mark == UNKNOWN else self.printed)


@dataclass(frozen=True)
class CardLine:
    key: str
    name: str
    type: str
    words: list[str]
    anonymous: bool
    open: bool  # some fact of it is disputed or unknown


@dataclass(frozen=True)
class Side:
    """A player's cards, or (name empty) those that are nobody's."""

    name: str
    cards: list[CardLine]


def name_of(laid: Mapping[str, Any], key: str) -> str:
    """What a person calls a card of the table; with its word when two have the same name."""
    cards = laid["cards"]
    name = str(cards[key].get("is") or cards[key].get("name") or key)
    same = [one for one, card in cards.items() if (card.get("is") or card.get("name") or one) == name]
    return name if len(same) == 1 else f"{name} ({key})"


def type_of(laid: Mapping[str, Any], key: str) -> str:
    card = laid["cards"][key]
    if "is" not in card:
        return str(card.get("type", ""))
    found = system_files.cards(laid["system"]).get(system_files.fold(str(card["is"])))
    return str(card.get("type") or (found or {}).get("type", ""))


def in_words(system: System, said: str) -> str:
    """A word or a name of the system's file, in the reader's language."""
    found: str = spoken(system.word(said))
    return found


def zones(system: System) -> list[Option]:
    return [Option(zone, in_words(system, said)) for zone, said in system.zone_names.items()]


def sides(laid: Mapping[str, Any], found: Mapping[str, str]) -> list[Side]:
    """The cards by whose they are, in seat order; then nobody's."""
    owners = [*laid["seats"], ""]
    lines: dict[str, list[CardLine]] = {name: [] for name in owners}
    for key, card in laid["cards"].items():
        lines[str(card.get("of", ""))].append(_line(laid, found, key))
    return [Side(name, lines[name]) for name in owners]


def _line(laid: Mapping[str, Any], found: Mapping[str, str], key: str) -> CardLine:
    card, system = laid["cards"][key], system_files.system(laid["system"])
    zone = str(card.get("zone", "play"))
    words = [] if zone == "play" else [in_words(system, str(system.zone_names.get(zone, zone)))]
    if card.get("controller") and card["controller"] != card.get("of"):
        words.append(_("controlled by %(who)s") % {"who": card["controller"]})
    is_open = False
    for word, value in card.items():
        prop = system.properties.get(word)
        if word in _NOT_FACTS or prop is None:
            continue
        text = fact_words(laid, prop, value, in_words(system, label_of(prop)))
        if isinstance(value, Mapping) or value == "?":
            is_open = True
        elif f"cards.{key}.{word}" in found:
            text = _("%(fact)s (established by you)") % {"fact": text}
        words.append(text)
    if card.get("unread"):
        words.append(_("text not understood in part"))
    type = in_words(system, type_of(laid, key))
    return CardLine(key, name_of(laid, key), type, words, "is" not in card, is_open)


def fact_words(laid: Mapping[str, Any], prop: Property, value: Any, label: str) -> str:
    """A fact as it is said beside its card: “exhausted”, “2 damage”, “engaged with Roland Banks”. label: the property's
    name, in the reader's language; a language other than the file's gets “name: value”."""
    if isinstance(value, Mapping):
        values = _(" or ").join(_said(laid, one) for one in value.get("disputed", ()))
        return _("%(fact)s: %(values)s? (disputed)") % {"fact": label, "values": values}
    if value == "?":
        return _("%(fact)s: no one knows") % {"fact": label}
    if prop.type == "yes-no":
        return label if value in (True, "yes") else _("not %(fact)s") % {"fact": label}
    said = _said(laid, value)
    if isinstance(label, Spoken):
        return f"{label}: {said}"
    if prop.says and "|" not in prop.says:
        words = prop.says.replace("{it}", "").replace("{value}", said).strip()
        return words.removeprefix("is ").removeprefix("has ")
    return f"{said} {label}" if prop.type == "number" else f"{label}: {said}"


def _said(laid: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return name_of(laid, value) if isinstance(value, str) and value in laid["cards"] else str(value)


def label_of(prop: Property) -> str:
    return prop.name.replace("-", " ")


def card_facts(
    laid: Mapping[str, Any], found: Mapping[str, str], key: str
) -> tuple[list[FactRow], list[FactRow]]:
    """(the facts that are usually told of such a card, and those told of this one; all the others)."""
    system, card = system_files.system(laid["system"]), laid["cards"][key]
    usual = habits(system.key).get(type_of(laid, key))
    first = list(usual.facts) if usual else []
    rows = list(_rows(system, "card", card, laid, found, f"cards.{key}", skip=key))
    by_name = {row.name: row for row in rows}
    state = [row for row in rows if system.properties[row.name].shed and system.properties[row.name].told]
    shown = [by_name[name] for name in first if name in by_name]
    shown.sort(
        key=lambda row: not (system.properties[row.name].shed or system.properties[row.name].type == "card")
    )
    shown += [row for row in rows if row.told and row not in shown]
    if not shown:
        shown = state[:4]
    rest = [row for row in rows if row not in state]
    return shown, [row for row in (*state, *rest) if row not in shown]


def facts_of_a_card(laid: Mapping[str, Any]) -> list[FactRow]:
    """The facts that a card may have here, for one that is not on the table yet."""
    system = system_files.system(laid["system"])
    return list(_rows(system, "card", {}, laid, {}, "cards.?"))


def owner_facts(laid: Mapping[str, Any], found: Mapping[str, str], owner: str) -> list[FactRow]:
    """The facts of a player, or of the game itself (`owner` empty)."""
    system = system_files.system(laid["system"])
    told = laid["players"][owner] if owner else laid["game"]
    place = f"players.{owner}" if owner else "game"
    return list(_rows(system, "player" if owner else "game", told, laid, found, place))


def _rows(
    system: System, of: str, told: Mapping[str, Any], laid: Mapping[str, Any], found: Mapping[str, str], place: str,
    skip: str = "",
) -> Iterator[FactRow]:  # fmt: skip
    for prop in system.properties.values():
        if prop.of != of or prop.type not in _EDITABLE or prop.name in _ELSEWHERE:
            continue
        if not prop.told and prop.name not in told:
            continue
        value = told.get(prop.name)
        options = _options(laid, prop, skip)
        one, other, mark = "", "", AGREED
        if isinstance(value, Mapping):
            one, other, mark = _text(value["disputed"][0]), _text(value["disputed"][1]), DISPUTED
        elif value == "?":
            mark = UNKNOWN
        elif value is not None:
            one = _text(value)
        path = f"{place}.{prop.name}"
        if path in found and mark == AGREED:
            mark = FOUND
        printed = _printed(laid, told, prop.name)
        yield FactRow(
            prop.name, label_of(prop), _kind(prop), one, other, mark, found.get(path, ""), options,
            may_be_unknown=bool(prop.unknown().options), printed=printed,
        )  # fmt: skip


def without_printed(
    laid: Mapping[str, Any], key: str, facts: Mapping[str, Any], found: Mapping[str, str | None]
) -> dict[str, Any]:
    """Posted facts of a card. What is as printed need not be said, unless the judge found it."""
    card = laid["cards"][key]
    return {
        word: None
        if value is not None and found.get(word) is None and _text(value) == _printed(laid, card, word)
        else value
        for word, value in facts.items()
    }


def _printed(laid: Mapping[str, Any], card: Mapping[str, Any], fact: str) -> str:
    """A fact as the library has it printed on the card."""
    found = system_files.cards(laid["system"]).get(system_files.fold(str(card.get("is", "")))) or {}
    value = found.get(fact)
    return "" if value is None or isinstance(value, dict) else _text(value)


def _kind(prop: Property) -> str:
    if prop.type == "number":
        return "number"
    return "text" if prop.type in ("text", "list") and not prop.symbols else "choice"


def _options(laid: Mapping[str, Any], prop: Property, skip: str) -> list[Option]:
    if prop.type == "yes-no":
        return [Option("yes", _("yes")), Option("no", _("no"))]
    if prop.type == "card":
        return [Option(key, name_of(laid, key)) for key in laid["cards"] if key != skip]
    if prop.type == "player":
        return [Option(name, name) for name in laid["seats"]]
    return [Option(word, word.replace("-", " ")) for word in sorted(prop.symbols)]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def posted_facts(
    system: System, of: str, posted: Mapping[str, str], names: list[str] | None = None
) -> tuple[dict[str, Any], dict[str, str | None]]:
    """(facts, marks) from a form of such rows. Raises UserError at the fact's name."""
    facts: dict[str, Any] = {}
    marks: dict[str, str | None] = {}
    for prop in system.properties.values():
        if prop.of != of or f"fact-{prop.name}" not in posted:
            continue
        mark = posted.get(f"mark-{prop.name}", AGREED)
        value = draft.value_of(system, prop, posted[f"fact-{prop.name}"])
        if mark == UNKNOWN:
            value = "?"
        elif mark == DISPUTED:
            value = _disputed(system, prop, value, posted.get(f"other-{prop.name}", ""))
        facts[prop.name] = value
        reason = posted.get(f"why-{prop.name}", "").strip()[:200]
        marks[prop.name] = reason if mark == FOUND and value is not None else None
    return facts, marks


def _disputed(system: System, prop: Property, value: Any, other: str) -> Any:
    if prop.type == "yes-no":
        return {"disputed": ["yes", "no"]}
    second = draft.value_of(system, prop, other)
    if value is None or second is None or value == second:
        return value
    return {"disputed": [value, second]}
