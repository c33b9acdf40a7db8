"""Tournament policies: files in tournament/policies/, read strictly, every mistake located.

A policy is pinned into its event as plain JSON when round 1 is paired; `read` takes both forms.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from config import strict_yaml
from config.errors import UserError, nearest
from tournament import policy_reading as reading
from tournament.policy_model import (
    STATUSES,
    BracketPolicy,
    CutRule,
    DeckCheckPolicy,
    LateEntries,
    Policy,
    TimePolicy,
)
from tournament.swiss import PairingPolicy

FOLDER = Path(__file__).parent / "policies"
PENALTIES = FOLDER / "penalties"
INTENTIONAL_DRAWS = ("allowed", "needs-judge", "forbidden")
DECKLISTS = ("required", "optional")
_KEYS = {
    "key", "title", "version", "status", "source", "match", "points", "games", "game-points", "rounds", "bracket",
    "tie-breakers", "round-minutes", "time", "intentional-draw", "decklists", "deck-checks", "avoid-club", "penalties",
    "late-entries",
}  # fmt: skip
_OPTIONAL = {
    "games",
    "game-points",
    "avoid-club",
    "bracket",
    "time",
    "deck-checks",
    "penalties",
    "late-entries",
}


def policies() -> dict[str, Policy]:
    """Every shipped policy by key, in order of title."""
    found = [policy(key) for key in shipped()]
    return {one.key: one for one in sorted(found, key=lambda one: one.title)}


@cache
def shipped() -> list[str]:
    """The keys of the shipped policies."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def policy(key: str) -> Policy:
    """The shipped policy of that key. Raises UserError `unknown-policy` with the nearest known ones."""
    if key not in shipped():
        raise unknown(key, shipped())
    path = FOLDER / f"{key}.yaml"
    found = parsed(path.read_bytes(), name=path.name)
    if found.key != key:
        raise UserError("bad-policy", f"{path.name} is keyed {found.key!r}.", place="key")
    return found


def unknown(key: str, known: list[str]) -> UserError:
    return UserError(
        "unknown-policy",
        f"There is no tournament policy {key!r}.",
        place="policy_key",
        remedy=nearest(key, known),
    )


def parsed(text: str | bytes, *, name: str) -> Policy:
    """A policy file. Raises UserError `bad-yaml` (with the line), `bad-policy`."""
    return read(strict_yaml.load(text, name=name), name=name)


def guides() -> list[str]:
    """The shipped penalty guides, by the names policies call them."""
    return sorted(path.stem for path in PENALTIES.glob("*.yaml"))


def read(document: Any, *, name: str) -> Policy:
    """Check a policy's plain form and give it its types. Raises UserError `bad-policy` naming the place."""
    reader = reading.Reader(name)
    top = dict(reader.mapping(document, "the policy", _KEYS, _KEYS - _OPTIONAL))
    if isinstance(top.get("penalties"), str):
        top["penalties"] = _guide(reader, top["penalties"])
    points = reading.points(reader, top["points"])
    return Policy(
        key=reader.key(top["key"], "key"),
        title=reader.text(top["title"], "title"),
        version=reader.text(top["version"], "version"),
        status=reader.one_of(top["status"], "status", STATUSES),
        source=reader.text(top["source"], "source"),
        match=reader.text(top["match"], "match"),
        scoring=reading.scoring(reader, top, points),
        rounds=reading.rounds(reader, top["rounds"]),
        tie_breaks=reading.tie_breaks(reader, top["tie-breakers"]),
        round_minutes=reader.number(top["round-minutes"], "round-minutes", 1, 600),
        intentional_draw=reader.one_of(top["intentional-draw"], "intentional-draw", INTENTIONAL_DRAWS),
        decklists=reader.one_of(top["decklists"], "decklists", DECKLISTS),
        pairing=PairingPolicy(avoid_club=reader.truth(top.get("avoid-club", True), "avoid-club")),
        bracket=reading.bracket(reader, top["bracket"]) if "bracket" in top else BracketPolicy(),
        time=reading.time(reader, top["time"], points) if "time" in top else TimePolicy(),
        penalties=reading.penalties(reader, top["penalties"]) if "penalties" in top else None,
        deck_checks=reading.deck_checks(reader, top["deck-checks"])
        if "deck-checks" in top
        else DeckCheckPolicy(),
        late_entries=reading.late_entries(reader, top["late-entries"])
        if "late-entries" in top
        else LateEntries(),
        document=top,
    )


def _guide(reader: reading.Reader, key: str) -> Mapping[str, Any]:
    """The shipped guide of that name, written out: what is pinned and exported stands by itself."""
    reader.one_of(key, "penalties", tuple(guides()))
    path = PENALTIES / f"{key}.yaml"
    found: Mapping[str, Any] = strict_yaml.load(path.read_bytes(), name=path.name)
    return found


def cut_rule(value: Any) -> CutRule:
    """A cut in its plain form. Raises UserError `bad-policy`."""
    return reading.cut_rule(reading.Reader("the cut"), value, "cut")


def cut_words(rule: CutRule) -> str:
    """A cut as one types it: `none`, `8`, `8 + ties`, `x-2`."""
    if rule.losses is not None:
        return f"x-{rule.losses}"
    return f"{rule.places} + ties" if rule.ties else str(rule.places) if rule.places else "none"


def cut_of_words(said: str) -> dict[str, int | bool]:
    """The plain form of a cut as typed. Raises UserError `bad-cut`."""
    words = said.lower().replace("+", " ").replace("and", " ").split()
    if words in (["none"], ["0"]):
        return CutRule().document
    if len(words) == 1 and words[0].startswith("x-") and words[0][2:].isdecimal():
        return cut_rule({"losses": int(words[0][2:])}).document
    if words and words[0].isdecimal() and words[1:] in ([], ["ties"]):
        return cut_rule({"places": int(words[0]), "ties": len(words) > 1}).document
    raise UserError(
        "bad-cut",
        f"“{said}” is not a cut.",
        place="cut",
        remedy="Write none, a number such as 8, “8 + ties” for all level with the last, or x-2 for at most two losses.",
    )


def exported(document: Mapping[str, Any]) -> str:
    """A policy's plain form as a file that `parsed` reads back to the same."""
    text: str = yaml.safe_dump(dict(document), allow_unicode=True, sort_keys=False, width=110)
    return text
