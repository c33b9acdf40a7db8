"""Describes a card by a short form: its type, one ability of a known kind, a common effect.

What the form cannot say, a scenario file can (docs/systems.md); the card made here is an ordinary one of such a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError
from rules.engine.definitions.model import AbilityKind, OccurrenceKind, System
from rules.law import system_files
from rules.scenarios.defaults import common_effects, habits

THIS, ANSWERED, CANCEL = "this", "answered", "cancel"


@dataclass(frozen=True)
class Choice:
    value: str
    text: str
    common: bool = True


@dataclass(frozen=True)
class Words:
    """What the form offers, in the words of the field."""

    types: list[Choice]
    kinds: list[Choice]
    points: list[Choice]
    events: list[Choice]
    effects: list[Choice]
    targets: list[Choice]


def words(key: str) -> Words:
    """The choices of the form under a system."""
    system = system_files.system(key)
    common = common_effects(key)
    first = [word for word in common if word in system.kinds]
    rest = sorted(word for word in system.kinds if word not in first)
    events = [Choice(word, says(system.kinds[word]), word in first) for word in (*first, *rest)]
    nouns = [word for word in (system.source.get("nouns") or {}) if word in system.nouns]
    return Words(
        types=[Choice(word, word.replace("-", " ")) for word in _types(system)],
        kinds=[Choice(kind.name, _kind_said(kind)) for kind in system.ability_kinds.values()],
        points=[Choice(point, point.replace("-", " ")) for point in system.source.get("points", ())],
        events=events,
        effects=[one for one in events if _doable(system, system.kinds[one.value])],
        targets=[Choice(noun, _("a %(noun)s of your choice") % {"noun": noun.replace("-", " ")}) for noun in nouns],
    )  # fmt: skip


def _types(system: System) -> list[str]:
    """The types of card, those that disputes are usually about first."""
    known = habits(system.key)
    return sorted(
        system.properties["type"].symbols, key=lambda word: (-known[word].seen if word in known else 0, word)
    )


def _kind_said(kind: AbilityKind) -> str:
    return _("%(kind)s (must be used)") % {"kind": kind.title} if kind.must else kind.title


def says(kind: OccurrenceKind) -> str:
    """“{to} takes {amount} damage” as “… takes … damage”."""
    text = kind.says
    for name in kind.role_names:
        text = text.replace(f"{{{name}}}", "…")
    while "{" in text and "}" in text:
        start, end = text.index("{"), text.index("}")
        noun = text[start + 1 : end].split("|")[-1]
        text = f"{text[:start]}… {noun}{text[end + 1 :]}"
    return text or kind.name.replace("-", " ")


def _doable(system: System, kind: OccurrenceKind) -> bool:
    plain = ("card", "player", "number", "yes-no", "source")
    return not kind.instead and all(
        role.type in plain or role.default is not None for role in kind.roles.values()
    )


def card(key: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The card that the form describes. Raises UserError.

    given: name, type, of, zone; kind (empty: it has no ability), point, event, whose (this | any), effect (a word of
    the vocabulary, or `cancel`), target (this | answered | a noun), amount, cost.
    """
    system = system_files.system(key)
    name = given.get("name", "").strip()[:60]
    if not name:
        raise UserError("name-missing", _("Give the card a name. Any name will do."), place="name")
    found: dict[str, Any] = {"name": name, "type": given.get("type", "")}
    for word in ("of", "zone"):
        if given.get(word):
            found[word] = given[word]
    if given.get("kind"):
        found["abilities"] = [ability(system, given)]
    return found


def ability(system: System, given: Mapping[str, str]) -> dict[str, Any]:
    """One ability in the words of a card file."""
    made: dict[str, Any] = {"kind": given["kind"]}
    event, point = given.get("event", ""), given.get("point", "")
    if event:
        kind = system.kinds.get(event)
        if kind is None:
            raise UserError(
                "unknown-occurrence", _("Nothing is named “%(word)s”.") % {"word": event}, place="event"
            )
        made |= {"at": point or _usual_point(system, given["kind"]), "of": event}
        if given.get("whose") == THIS and kind.patient is not None:
            made["if"] = f"trigger.{kind.role_names[kind.patient]} = this"
    effect = given.get("effect", "")
    if not effect:
        raise UserError("effect-missing", _("Say what the ability does."), place="effect")
    if effect == CANCEL:
        if not event:
            raise UserError(
                "nothing-to-cancel", _("It cancels what it responds to. Say what that is."), place="event"
            )
        made["do"] = [{"cancel": "trigger"}]
        return made
    kind = system.kinds.get(effect)
    if kind is None:
        raise UserError(
            "unknown-effect", _("No effect is named “%(word)s”.") % {"word": effect}, place="effect"
        )
    if given.get("target") not in ("", None, THIS, ANSWERED):
        made["choose"] = {"target": given["target"]}
    made["do"] = [{"do": effect, **_roles(system, kind, given, event)}]
    return made


def _usual_point(system: System, kind: str) -> str:
    """Where such abilities answer unless somebody says otherwise: their kind's own point, else after it happened."""
    own = system.ability_kinds[kind].point if kind in system.ability_kinds else ""
    points = list(system.source.get("points", ()))
    return own or next((point for point in points if point in system.later), points[0] if points else "after")


def _roles(system: System, kind: OccurrenceKind, given: Mapping[str, str], event: str) -> dict[str, Any]:
    """Whom the effect happens to: the card chosen, else what is answered, else this card; players: whoever uses it."""
    target = given.get("target") or THIS
    whom = "target" if target not in (THIS, ANSWERED) else "this"
    if target == ANSWERED:
        answered = system.kinds[event].patient if event else None
        if answered is None:
            raise UserError(
                "nothing-answered",
                _("It doesn’t respond to anything that happens to a card."),
                place="target",
            )
        whom = f"trigger.{system.kinds[event].role_names[answered]}"
    roles: dict[str, Any] = {}
    for number, (name, role) in enumerate(kind.roles.items()):
        if number == kind.patient:
            roles[name] = whom
        elif role.type == "player":
            roles[name] = "you"
        elif role.type == "number" and (given.get("amount") or role.default is None):
            roles[name] = _amount(given.get("amount", ""))
        elif role.type == "card" and role.default is None:
            roles[name] = "this"
    return roles


def _amount(text: str) -> int:
    if text and not (text.isdecimal() and len(text) < 6):
        raise UserError(
            "wrong-type", _("“%(text)s” isn’t a whole number.") % {"text": text[:20]}, place="amount"
        )
    return int(text or 1)
