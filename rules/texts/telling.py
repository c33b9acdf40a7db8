"""What a card's text means as data, told in plain words, line by line: so that a person can compare it with the print.

Nothing is left out: what has no words of its own is told as it stands in the data.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from rules.engine.base.errors import DataError
from rules.engine.base.names import NAME
from rules.engine.definitions.model import OccurrenceKind, System
from rules.engine.definitions.phrases import Phrases
from rules.law import system_files
from rules.spoken import spoken


@dataclass(frozen=True, slots=True)
class Line:
    """depth: how far in it stands, from 0."""

    depth: int
    text: str


def told(key: str, data: Mapping[str, Any]) -> list[Line]:
    """The lines of a card's text (keys of a card: abilities, always, cannot, immune, facts) under a system."""
    return list(_Teller(system_files.system(key)).card(data))


_SILENT = ("kind", "at", "of", "cite", "because", "name", "text", "says", "unread")


class _Teller:
    def __init__(self, system: System) -> None:
        self.system = system
        self.event: OccurrenceKind | None = None  # what the ability being told answers
        self.barring = False  # in what bars an occurrence, its roles are named alone

    def card(self, data: Mapping[str, Any]) -> Iterator[Line]:
        for key, value in data.items():
            if key == "abilities":
                for one in value:
                    yield from self.ability(one)
            elif key == "always":
                for one in value:
                    yield from self.change(one, 0)
            elif key == "cannot":
                for one in value:
                    yield from self.barred(one, 0)
            elif key == "grants":
                for one in value:
                    yield from self.grant(one, 0)
            elif key == "immune":
                for one in value:
                    yield Line(0, _("It is immune to: %(what)s") % {"what": self.words(one["to"])})
                    yield from self.rest(one, ("to", *_SILENT), 1)
            elif key == "makes":
                for one in value:
                    facts = [f"{word}: {self.words(fact)}" for word, fact in one.items() if word != "made"]
                    yield Line(0, _("The token that it makes: %(what)s") % {"what": ", ".join(facts)})
            elif key == "attaches-to":
                yield Line(0, _("It attaches to: %(what)s") % {"what": self.words(value)})
            elif key not in _SILENT:
                yield Line(0, f"{key}: {self.words(value)}")

    def ability(self, one: Mapping[str, Any], depth: int = 0) -> Iterator[Line]:
        kind = self.system.ability_kinds.get(one.get("kind", ""))
        yield Line(depth, kind.title if kind else str(one.get("kind", "")))
        yield from self.use(one, depth + 1)

    def grant(self, one: Mapping[str, Any], depth: int) -> Iterator[Line]:
        """An ability that a card gains, for a while or as long as this card is there."""
        yield Line(depth, _("This gains an ability: %(what)s") % {"what": self.words(one["to"])})
        yield Line(depth + 1, _("In it, “this card” is the card that has the ability."))
        yield from self.ability(one["ability"], depth + 1)
        yield from self.period(one, depth + 1)
        yield from self.rest(one, ("to", "ability", "until", "while", *_SILENT), depth + 1)

    def use(self, one: Mapping[str, Any], depth: int) -> Iterator[Line]:
        """What an ability answers, asks for and does."""
        outer = self.event
        if "of" in one:
            names = [one["of"]] if isinstance(one["of"], str) else list(one["of"])
            yield Line(
                depth, f"{self.point(one.get('at'))} {_(' or ').join(self.happens(name) for name in names)}"
            )
            members = [self.system.families.get(name, (name,))[0] for name in names]
            self.event = self.system.kinds.get(members[0])
        labels = {
            "if": _("Only if %(what)s"),
            "still": _("Only if, then and when it is carried out, %(what)s"),
            "you": _("Used by %(what)s"),
        }
        for key, label in labels.items():
            if key in one:
                yield Line(depth, label % {"what": self.words(one[key])})
        if "zones" in one:
            yield Line(depth, _("Works when it is %(where)s") % {"where": self.places(one["zones"])})
        for name, choice in (one.get("choose") or {}).items():
            yield from self.choice(name, choice, depth)
        if "cost" in one:
            yield Line(depth, _("Cost:"))
            yield from self.block(one["cost"], depth + 1)
        if "limit" in one:
            limit = {"times": 1, "per": "turn", **one["limit"]}
            yield Line(depth, _("Limit: %(times)s per %(per)s") % limit)
            yield from self.rest(limit, ("times", "per"), depth + 1)
        for block in one.get("parts", [one["do"]] if "do" in one else []):
            yield Line(depth, _("It does:"))
            yield from self.block(block, depth + 1)
        yield from self.rest(
            one, (*labels, "zones", "choose", "cost", "limit", "parts", "do", *_SILENT), depth
        )
        self.event = outer

    def choice(self, name: str, choice: Any, depth: int) -> Iterator[Line]:
        given = choice if isinstance(choice, Mapping) else {"from": choice}
        few = _("up to ") if str(given.get("up-to")) in ("yes", "True") else ""
        number = f"{few}{self.words(given['count'])}: " if "count" in given else ""
        who = {"what": f"{number}{self.words(given['from'])}", "name": name}
        yield Line(depth, _("Choose “%(name)s”: %(what)s") % who)
        yield from self.rest(given, ("from", "count", "up-to", "as", *_SILENT), depth + 1)

    def block(self, block: Any, depth: int) -> Iterator[Line]:
        for step in block if isinstance(block, list) else [block]:
            yield from self.step(step, depth) if isinstance(step, Mapping) else [Line(depth, str(step))]

    def step(self, step: Mapping[str, Any], depth: int) -> Iterator[Line]:
        if isinstance(step.get("do"), str):
            yield from self.deed(step, depth)
        elif "lasting" in step:
            yield from self.change(step["lasting"], depth)
        elif "grant" in step:
            yield from self.grant(step["grant"], depth)
        elif "look" in step:
            top = {"number": self.words(step["look"]), "who": self.words(step.get("of", "you"))}
            yield Line(depth, _("Look at the top of a deck (cards: %(number)s, whose: %(who)s)") % top)
        elif "forbid" in step:
            yield from self.barred(step["forbid"], depth)
        elif "delayed" in step:
            yield Line(depth, _("Later:"))
            yield from self.use(step["delayed"], depth + 1)
        elif "choose" in step and "as" in step["choose"]:
            yield from self.choice(step["choose"]["as"], step["choose"], depth)
        elif "choose" in step:
            for name, choice in step["choose"].items():
                yield from self.choice(name, choice, depth)
        elif "if" in step:
            yield Line(depth, _("If %(what)s:") % {"what": self.words(step["if"])})
            yield from self.block(step.get("then", []), depth + 1)
            if "else" in step:
                yield Line(depth, _("Otherwise:"))
                yield from self.block(step["else"], depth + 1)
            yield from self.rest(step, ("if", "then", "else", *_SILENT), depth + 1)
        elif "then" in step:
            yield Line(depth, _("Then, if that was done in full:"))
            yield from self.block(step["then"], depth + 1)
        elif "may" in step:
            yield Line(depth, _("%(who)s may:") % {"who": self.words(step.get("by", "you"))})
            yield from self.block(step["may"], depth + 1)
        elif "one-of" in step:
            yield Line(depth, _to_you(_("%(who)s chooses one:") % {"who": self.words(step.get("by", "you"))}))
            for label, block in step["one-of"].items():
                yield Line(depth + 1, f"{label}:")
                yield from self.block(block, depth + 2)
        elif "for" in step:
            yield Line(depth, _("For each of: %(what)s") % {"what": self.words(step["for"])})
            if "order" in step:
                yield Line(
                    depth + 1, _("In an order chosen by: %(who)s") % {"who": self.words(step["order"])}
                )
            yield from self.block(step.get("do", []), depth + 1)
        elif "replace" in step:
            yield Line(depth, _("Instead of it:"))
            yield from self.block(step.get("with", []), depth + 1)
        elif "cancel" in step:
            yield Line(depth, _("It is cancelled."))
        elif "pay" in step:
            yield Line(depth, _("Pay %(amount)s (%(what)s)") % {
                "amount": self.words(step.get("amount", 1)), "what": step["pay"],
            })  # fmt: skip
        else:
            yield from self.rest(step, (), depth)

    def deed(self, step: Mapping[str, Any], depth: int) -> Iterator[Line]:
        """An occurrence that is brought about."""
        kind = self.system.kinds.get(step["do"])
        if kind is None:
            yield Line(depth, ", ".join(f"{key} {self.words(value)}" for key, value in step.items()))
            return
        roles = {name: step.get(name, role.default) for name, role in kind.roles.items()}
        text = _filled(kind.says or kind.name, {name: self.words(value) for name, value in roles.items()})
        if "each" in step:
            text = _("for each of: %(what)s: %(deed)s") % {"what": self.words(step["each"]), "deed": text}
        yield Line(depth, text)
        told = {name for name in kind.roles if f"{{{name}" in (kind.says or "")}
        quiet = [name for name, role in kind.roles.items() if role.type == "source" or name == "cause"]
        by = ["by"] if step.get("by") == "you" else []
        yield from self.rest(step, (*told, *quiet, *by, "do", "each", "as", *_SILENT), depth + 1)

    def change(self, one: Mapping[str, Any], depth: int) -> Iterator[Line]:
        """A stat that is changed, for a while or as long as the card is there."""
        who = self.each(one.get("of", one.get("for", _("this card"))))
        stat = self.system.word(one["stat"])
        prop = self.system.properties.get(one["stat"])
        if "to" in one and prop is not None and prop.type == "yes-no":
            gains = str(one["to"]) not in ("no", "False")
            text = _("%(who)s gains: %(stat)s") if gains else _("%(who)s loses: %(stat)s")
            yield Line(depth, text % {"who": who, "stat": spoken(stat)})
        elif "to" in one:
            yield Line(depth, _("%(stat)s becomes %(to)s, of: %(who)s") % {
                "stat": spoken(stat), "to": self.words(one["to"]), "who": who,
            })  # fmt: skip
        else:
            yield Line(depth, _("%(stat)s changes by %(by)s, of: %(who)s") % {
                "stat": spoken(stat), "by": self.words(one.get("by", "")), "who": who,
            })  # fmt: skip
        if "floor" in one:
            yield Line(depth + 1, _("To a minimum of: %(number)s") % {"number": one["floor"]})
        if one.get("next"):
            yield Line(depth + 1, _("Only for the next one"))
        yield from self.period(one, depth + 1)
        if "zones" in one:
            yield Line(depth + 1, _("Works when it is %(where)s") % {"where": self.places(one["zones"])})
        known = ("zones", "stat", "of", "for", "by", "to", "until", "while", "floor", "next", "cite")
        yield from self.rest(one, known, depth + 1)

    def period(self, one: Mapping[str, Any], depth: int) -> Iterator[Line]:
        if "until" in one:
            yield Line(depth, _("Until the end of: %(what)s") % {"what": one["until"]})
        if "while" in one:
            yield Line(depth, _("As long as %(what)s") % {"what": self.words(one["while"])})

    def barred(self, one: Mapping[str, Any], depth: int) -> Iterator[Line]:
        kinds = [one["kind"]] if isinstance(one["kind"], str) else one["kind"]
        yield Line(
            depth,
            _("This can’t happen: %(what)s") % {"what": _(" or ").join(self.happens(kind) for kind in kinds)},
        )
        outer, self.event, self.barring = self.event, self.system.kinds.get(kinds[0]), True
        if "if" in one:
            yield Line(depth + 1, _("If %(what)s:").rstrip(":") % {"what": self.words(one["if"])})
        yield from self.rest(one, ("if", *_SILENT), depth + 1)
        self.event, self.barring = outer, False

    def rest(self, data: Mapping[str, Any], known: tuple[str, ...], depth: int) -> Iterator[Line]:
        """What has no words of its own, as it stands."""
        for key, value in data.items():
            if key in known:
                continue
            if isinstance(value, list | Mapping) and not _plain(value):
                yield Line(depth, f"{key}:")
                yield from self.block(value, depth + 1)
            else:
                yield Line(depth, f"{key}: {self.plain(value)}")

    # --- words

    def point(self, point: Any) -> str:
        known = {
            "after": _("After:"), "would": _("When it would happen:"), "initiate": _("When it is about to happen:"),
            "before": _("Before:"), "when": _("When:"), "at": _("At:"),
        }  # fmt: skip
        return known.get(str(point or "after"), f"{point}:")

    def happens(self, name: str) -> str:
        kind = self.system.kinds.get(name)
        if kind is None:
            return " / ".join(self.happens(member) for member in self.system.families.get(name, ())) or name
        return _filled(
            kind.says or name.replace("-", " "), {role: self.role(kind, role) for role in kind.roles}
        )

    @staticmethod
    def role(kind: OccurrenceKind, name: str) -> str:
        role = kind.roles[name]
        if role.type == "card":
            return (
                _("that card") if kind.patient is not None and kind.role_names[kind.patient] == name else name
            )
        return _("that player") if role.type == "player" else f"({name})"

    def words(self, value: Any) -> str:
        """An expression, or a list of words, as a person would say it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list | tuple):
            return ", ".join(self.words(one) for one in value)
        if isinstance(value, Mapping):
            return ", ".join(f"{key} {self.words(one)}" for key, one in value.items())
        return self.phrase(str(value))

    def plain(self, value: Any) -> str:
        """As `words`; but a single word is itself, and no property."""
        single = isinstance(value, str) and re.fullmatch(NAME, value) and value not in ("you", "this")
        return value if single else self.words(value)

    def each(self, value: Any) -> str:
        """The cards that are meant by a condition on `it`, or a card by its name."""
        try:
            return str(spoken(self.phrases().each(str(value))))
        except DataError:
            return str(value)

    def phrase(self, text: str) -> str:
        try:
            return str(spoken(self.phrases().of(text))).replace("you is ", "you are ")
        except DataError:
            return text  # a word of another kind

    def phrases(self) -> Phrases:
        kind = self.event
        if kind is None:
            return Phrases(self.system)
        before = "" if self.barring else "trigger."
        return Phrases(self.system, {f"{before}{name}": self.role(kind, name) for name in kind.roles})

    def places(self, zones: Any) -> str:
        names = [zones] if isinstance(zones, str) else zones
        return _(" or ").join(str(spoken(self.system.zone_names.get(name, name))) for name in names)


def _filled(template: str, roles: Mapping[str, str]) -> str:
    """“{to} takes {amount} damage”, “{amount|wound}”, with what stands in the roles."""

    def said(match: re.Match[str]) -> str:
        name, *nouns = re.split(r"[| ]", match[1])
        value = roles.get(name, name)
        return f"{value} {nouns[0] if value == '1' else nouns[-1]}" if nouns else value

    text = re.sub(r"\{([^}]*)\}", said, template)
    return _to_you(text)


def _to_you(text: str) -> str:
    return re.sub(r"\byou (\w+)\b", lambda match: f"you {_OF_YOU.get(match[1], _without_s(match[1]))}", text)


_OF_YOU = {"is": "are", "has": "have", "does": "do"}


def _without_s(verb: str) -> str:
    if verb.endswith(("ches", "shes", "sses", "xes", "oes")):
        return verb.removesuffix("es")
    return verb if verb.endswith("ss") else verb.removesuffix("s")


def _plain(value: Any) -> bool:
    inner = value.values() if isinstance(value, Mapping) else value
    return not any(isinstance(one, list | Mapping) for one in inner)
