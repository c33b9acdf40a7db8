"""The vocabulary of a timing system, for writing scenarios and describing cards; made from the compiled system."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rules.engine.compiler.systems import BUILT_IN
from rules.engine.definitions.model import Ability, Property, System, Unit
from rules.engine.operations import Choose, ChooseEach, Edit
from rules.law import system_files

Json = dict[str, Any]

_HIDDEN = ("incarnation", "seat", "face")  # kept by the engine itself


def vocabulary(key: str) -> Json:
    """Everything a writer may name under a system. Raises DataError when there is no such system.

    {system, version, title, starts, zones, types, facts: {card, player, game}, kinds, points, occurrences, families,
    nouns, derived, flags, readings, rules_abilities, choices, sentences, cards, example}; lists of plain mappings, in
    the order of the file.
    """
    system = system_files.system(key)
    source = system.source
    return {
        "system": system.key,
        "version": system.version,
        "title": system.title,
        "starts": [
            {"word": word, "says": _chart_says(system, start)} for word, start in system.starts.items()
        ],
        "zones": [
            {"word": zone, "says": says, "in_play": zone in system.zones_in_play}
            for zone, says in system.zone_names.items()
        ],
        "types": sorted(system.properties["type"].symbols),
        "facts": {of: _facts(system, of) for of in ("card", "player", "game")},
        "kinds": [
            {
                "word": kind.name,
                "title": kind.title,
                "use": "must" if kind.must else "may",
                "becomes": dict(kind.becomes),
                "at": kind.point,
                "answers": list(kind.answers),
                "cites": list(kind.cites),
            }
            for kind in system.ability_kinds.values()
        ],
        "points": [
            {
                "word": point,
                "later": point in system.later,
                "also": [word for word, same in system.same_points.items() if same == point],
            }
            for point in source.get("points", ())
        ],
        "occurrences": [
            {
                "word": kind.name,
                "says": kind.says,
                "roles": [
                    {
                        "word": role.name,
                        "type": role.type,
                        "default": role.default,
                        "values": list(role.words),
                    }
                    for role in kind.roles.values()
                ],
                "instead": kind.instead,
                "cites": list(kind.cites),
            }
            for kind in system.kinds.values()
        ],
        "families": [{"word": word, "of": list(members)} for word, members in system.families.items()],
        "nouns": [{"word": word, "is": _is_noun(text)} for word, text in (source.get("nouns") or {}).items()],
        "derived": [
            {"word": word, "of": of, "type": type_} for word, (_, type_, of) in system.derived.items()
        ],
        "flags": list(system.flags),
        "readings": [
            {
                "word": reading.key,
                "ask": reading.ask,
                "options": dict(reading.options),
                "default": reading.default,
                "status": reading.status,
                "cites": list(reading.cites),
            }
            for reading in system.readings.values()
        ],
        "rules_abilities": [_rules_ability(ability) for _, ability in system.rulebook if ability.name],
        "choices": _rules_choices(system),
        "sentences": list(source.get("sentences") or ()),
        "cards": sorted(str(card["name"]) for card in system_files.cards(key).values()),
        "example": system_files.example(key) or _example(system),
    }


def _chart_says(system: System, start: Any) -> str:
    name = start["chart"] if isinstance(start, dict) else start
    return system.charts[name].says or str(name)


def _facts(system: System, of: str) -> list[Json]:
    return [
        {
            "word": prop.name,
            "type": prop.type,
            "values": sorted(prop.symbols) if prop.name not in ("zone", "type") else [],
            "default": _plain(prop),
            "changes": prop.stat,
            "lost": prop.shed,
            "asked": system.asked.get(prop.name, ""),
            "of_every_game": prop.name in BUILT_IN,
        }
        for prop in system.properties.values()
        if prop.of == of and prop.name not in _HIDDEN
    ]


def _plain(prop: Property) -> Any:
    value = prop.default
    if value is None or isinstance(value, str | int):
        return value
    return list(value) if isinstance(value, tuple) else "?"


def _rules_ability(ability: Ability) -> Json:
    asked = [target.name for target in ability.targets]
    asked += [operation.name for part in ability.parts for operation in _choices(part)]
    names = list(dict.fromkeys(asked))
    return {"word": ability.name, "kind": ability.kind.name, "choices": names, "cites": list(ability.cites)}


def _choices(unit: Unit) -> list[Choose | ChooseEach]:
    return [operation for operation in unit.code if isinstance(operation, Choose | ChooseEach)]


def _rules_choices(system: System) -> list[Json]:
    """What the charts ask somebody to choose: its word, and the charts that ask."""
    asked: dict[str, list[str]] = {}
    for name, chart in system.charts.items():
        for word in dict.fromkeys(operation.name for operation in _choices(chart)):
            asked.setdefault(word, []).append(name)
    return [{"word": word, "in": charts} for word, charts in asked.items()]


def _example(system: System) -> Json:
    """A scenario in the words of this system, with one card that is used and answers; it can be read as it stands."""
    nouns = _of_nouns(system)
    type_ = nouns[0] if nouns else next(iter(sorted(system.properties["type"].symbols)), "card")
    card: Json = {"name": "Tired Clerk", "type": type_, "of": "Bo"}
    found = _simple_change(system)
    questions: list[Any] = ["next"]
    if found is not None:
        word, role, fact = found
        card[fact] = "yes"
        card["abilities"] = _abilities(system, word, role)
        questions.append({"holds": f"clerk.{fact}"})
    return {"system": system.key, "players": ["Ann", "Bo"], "cards": {"clerk": card}, "ask": questions}


def _simple_change(system: System) -> tuple[str, str, str] | None:
    """Something that can happen to one card and takes a mark from it: its word, its role, the mark."""
    for kind in system.kinds.values():
        (role, *others), (edit, *more) = [*kind.roles.values(), None], [*kind.edits, None]
        if role is None or others != [None] or more != [None] or role.type != "card":
            continue
        prop = edit.property if isinstance(edit, Edit) and edit.what == "set" else None
        if prop is not None and prop.type == "yes-no" and prop.of == "card":
            return kind.name, role.name, prop.name
    return None


def _abilities(system: System, word: str, role: str) -> list[Json]:
    """One that is used and one that answers what happened, of the kinds that are commonest in the library."""
    printed = [
        ability
        for card in system_files.library(system.key).values()
        for ability in card.get("abilities") or ()
    ]
    used = Counter(ability["kind"] for ability in printed if not ability.get("of"))
    answers = Counter(
        (ability["kind"], ability["at"])
        for ability in printed
        if ability.get("at") in system.later and isinstance(ability.get("of"), str)
    )
    if not used:  # no library: a kind that players use, other than those the rules themselves give to cards
        given = {ability.kind.name for _, ability in system.rulebook}
        kinds = [kind.name for kind in system.ability_kinds.values() if not kind.must]
        used.update([kind for kind in kinds if kind not in given][:1] or kinds[:1])
    found: list[Json] = []
    if used:
        found.append({"kind": used.most_common(1)[0][0], "do": [{"do": word, role: "this"}]})
    if answers:
        (kind, at), _ = answers.most_common(1)[0]
        condition = {"if": f"trigger.{role} = this"}
        found.append({"kind": kind, "at": at, "of": word, **condition, "do": [{"do": word, role: "this"}]})
    return found


def _is_noun(said: Any) -> str:
    """What a noun stands for, as one would write it in a filter."""
    if isinstance(said, list):
        return " or ".join(said)
    return f"{said['of']} where {said.get('where', 'yes')}" if isinstance(said, Mapping) else str(said)


def _of_nouns(system: System) -> list[str]:
    """Types that the system has a noun for: those most cards of a dispute are of."""
    known = system.properties["type"].symbols
    return [word for word in (system.source.get("nouns") or {}) if word in known]
