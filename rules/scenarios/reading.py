"""Reads scenario files (docs/scenarios.md): a judge's file, a test case, a stored dispute.

`read` accepts the friendly forms and gives the canonical one: every default filled in, every name resolved,
so that equal situations have equal hashes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import strict_yaml
from config.errors import UserError
from rules.engine.base.errors import DataError, called, unknown
from rules.engine.compiler.systems import citations
from rules.engine.definitions.model import System
from rules.engine.scene.scene import Scene
from rules.engine.search.questions import questions_of
from rules.engine.setup.scenario_scene import ScenarioScene
from rules.law import system_files
from rules.scenarios.limits import (
    MAX_MOVES,
    MAX_QUESTIONS,
)
from rules.scenarios.questions import Questions
from rules.scenarios.situation import FindImported

_KEYS = (
    "title", "system", "pinned", "players", "seats", "active", "at", "game", "cards", "did", "wants", "ask", "expect",
    "note", "cites", "source", "twins",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as read. `canonical` is plain JSON; `hash` is the SHA-256 of it.

    found: the facts that the judge found, by their place ("cards.clerk.exhausted"), with the reason. The law asks not
    who stated a fact, so they are no part of the canonical form.
    """

    canonical: dict[str, Any]
    title: str = ""
    expect: list[Any] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)

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


def read(text: str | bytes, *, imported: FindImported | None = None) -> Scenario:
    """Read YAML or JSON text. Raises UserError with code, place and remedy; a scenario that is read can be run.

    imported: finds cards that the library does not have, by system and name.
    """
    data = strict_yaml.load(text, name="The scenario", max_bytes=settings.SCENARIO_MAX_BYTES)
    try:
        scenario = _Reader(data, imported).read()
        build(scenario.canonical)
    except DataError as error:
        raise UserError(error.code, told(error.message), place=error.place, remedy=error.remedy) from error
    except RecursionError as error:
        raise UserError("too-deep", "The scenario is nested too deeply.") from error
    return scenario


def build(canonical: Mapping[str, Any]) -> Scene:
    """The scene of a canonical scenario. Raises DataError."""
    key = canonical["system"]
    scene = ScenarioScene(system_files.system(key), canonical, lambda name: system_files.find_card(key, name))
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
                raise UserError(error.code, told(error.message), place=path, remedy=error.remedy)
            at = at[key]
        at[last] = value
    return checked(copy)


def checked(canonical: dict[str, Any]) -> dict[str, Any]:
    """The canonical scenario itself, if it can be run. Raises UserError with code, place and remedy."""
    try:
        build(canonical)
    except DataError as error:
        raise UserError(error.code, told(error.message), place=error.place, remedy=error.remedy) from error
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
    return checked(copy)


def told(text: str) -> str:
    """What the engine says of a fault, as a sentence."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


class _Reader(Questions):
    def read(self) -> Scenario:
        data = self.data
        for key in data:
            if key not in _KEYS:
                raise unknown("key", key, _KEYS, place=key)
        key, _, version = self._text("system").partition("/")
        if not key:
            raise DataError("missing-key", "name a system: " + ", ".join(system_files.keys()), place="system")
        system = system_files.system(key)
        if version and version != system.version:
            raise unknown("version", version, [system.version], place="system")
        self.system = key
        self.players = self._players(self._given("players", ["Ann", "Bo"]))
        self.cards = self._cards(self._given("cards", {}))
        active = self._given("active", next(iter(self.players)))
        if isinstance(active, list | Mapping):
            raise DataError(
                "two-active-players",
                "only one player can be active",
                place="active",
                remedy="Name one player.",
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
            "game": self._facts(self._mapping("game"), "game"),
            "cards": self.cards,
            "did": moves,
            "wants": self._wants(),
            "ask": [self._ask(entry, f"ask[{i}]") for i, entry in enumerate(asks)],
        }
        return Scenario(
            canonical, self._text("title"), self._expected(), self._cited(system), dict(self.found)
        )

    def _cited(self, system: System) -> list[str]:
        """The rules a case's answer must cite. Whatever the scenario's own abilities cite is a rule as well."""
        named = self._given("cites", [])
        entries = named if isinstance(named, list) else [named]
        told = [(f"cites[{i}]", rule) for i, rule in enumerate(entries)]
        for name, card in self.cards.items():
            told += citations(card, f"cards.{name}")
        for place, rule in told:
            if not isinstance(rule, str):
                raise DataError("wrong-type", f"expected the id of a rule, found {called(rule)}", place=place)
            if system.law and rule not in system.law:
                raise unknown("rule", rule, system.law, place=place)
        return entries

    def _expected(self) -> list[Any]:
        expect = self._given("expect", [])
        entries = expect if isinstance(expect, list) else [expect]
        for i, entry in enumerate(entries):
            if not isinstance(entry, Mapping):
                raise DataError(
                    "wrong-type", "expected answers by question: {next: Ann}", place=f"expect[{i}]"
                )
        return entries
