"""Reads the policy files in tournament/policies/ strictly; each error names its place.

A policy is pinned into its event as plain JSON when round 1 is paired; `read` takes both forms.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from config import strict_yaml
from config.errors import UserError, nearest
from config.nodes import Node
from config.text import whole_number
from tournament.policy.kinds import CutRule, read_cut
from tournament.policy.model import POLICY, Policy

FOLDER = Path(__file__).parents[1] / "policies"
PENALTIES = FOLDER / "penalties"


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
        raise UserError("bad-policy", f"{path.name} has the key {found.key!r}.", place="key")
    return found


def unknown(key: str, known: list[str]) -> UserError:
    return UserError(
        "unknown-policy",
        f"No tournament policy has the key {key!r}.",
        place="policy_key",
        remedy=nearest(key, known),
    )


def parsed(text: str | bytes, *, name: str) -> Policy:
    """A policy file. Raises UserError `bad-yaml` (with the line), `bad-policy` (with the place and its line)."""
    try:
        return read(strict_yaml.load(text, name=name), name=name)
    except UserError as error:
        if error.code == "bad-policy":
            error.details["line"] = strict_yaml.line_of(text, error.place)
        raise


def guides() -> list[str]:
    """The shipped penalty guides, by the names policies call them."""
    return sorted(path.stem for path in PENALTIES.glob("*.yaml"))


def read(document: Any, *, name: str) -> Policy:
    """Check a policy's plain form and give it its types. Raises UserError `bad-policy` naming the place."""
    node = Node(document, name, "bad-policy")
    if isinstance(document, Mapping):
        document = dict(document)
        if isinstance(document.get("penalties"), str):
            document["penalties"] = _guide(node["penalties"])
        node = node.holding(document)
    return POLICY.read(node, document=document)


def _guide(node: Node) -> Mapping[str, Any]:
    """The shipped guide of that name, written out: what is pinned and exported stands by itself."""
    path = PENALTIES / f"{node.one_of(guides())}.yaml"
    found: Mapping[str, Any] = strict_yaml.load(path.read_bytes(), name=path.name)
    return found


def cut_rule(value: Any) -> CutRule:
    """A cut in its plain form. Raises UserError `bad-policy`."""
    return read_cut(Node(value, "the cut", "bad-policy", "cut"))


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
    if len(words) == 1 and words[0].startswith("x-") and (losses := whole_number(words[0][2:])) is not None:
        return cut_rule({"losses": losses}).document
    if words and words[1:] in ([], ["ties"]) and (places := whole_number(words[0])) is not None:
        return cut_rule({"places": places, "ties": len(words) > 1}).document
    raise UserError(
        "bad-cut",
        f"“{said}” is not a cut.",
        place="cut",
        remedy="Write none, a number such as 8, “8 + ties” to include ties with the last, or x-2 for up to two losses.",
    )


def exported(document: Mapping[str, Any]) -> str:
    """A policy's plain form as a file that `parsed` reads back to the same."""
    text: str = yaml.safe_dump(dict(document), allow_unicode=True, sort_keys=False, width=110)
    return text
