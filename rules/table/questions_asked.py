"""The questions that the board's forms can ask, and every question in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from config.errors import UserError
from rules import scenarios
from rules.engine.base.errors import DataError
from rules.engine.definitions.values import Obj
from rules.engine.search.questions import questions_of
from rules.law import system_files
from rules.scenarios import limits
from rules.spoken import spoken
from rules.table import table_words
from rules.table.stepping import Session


@dataclass(frozen=True)
class Words:
    """What the form offers."""

    players: list[str]
    cards: list[table_words.Option]
    facts: list[table_words.Option]  # of cards and of players: "card:zone", "player:resources"
    zones: list[table_words.Option]


def words(laid: Mapping[str, Any]) -> Words:
    system = system_files.system(laid["system"])
    facts = [
        table_words.Option(prop.name, table_words.label_of(prop))
        for prop in system.properties.values()
        if prop.of in ("card", "player") and prop.told and prop.type in ("yes-no", "number", "card", "player", "symbol")
        and (prop.shed or prop.of == "player" or prop.name in ("zone", "controller") or prop.says)
    ]  # fmt: skip
    return Words(
        players=list(laid["seats"]),
        cards=[table_words.Option(key, table_words.name_of(laid, key)) for key in laid["cards"]],
        facts=facts,
        zones=[table_words.Option(zone, said) for zone, said in system.zone_names.items()],
    )


def question(laid: Mapping[str, Any], posted: Mapping[str, Any]) -> dict[str, Any]:
    """The question that the form asks, canonical. Raises UserError.

    kind: next | now | legal (who, card) | order (cards) | holds, force (who; subject, fact, is, value).
    """
    kind = posted.get("kind", "")
    if kind in ("next", "now"):
        return {kind: True}
    if kind == "legal":
        return {"legal": {"who": posted.get("who", ""), "use": posted.get("card", "")}}
    if kind == "order":
        cards = posted.getlist("cards") if hasattr(posted, "getlist") else list(posted.get("cards", ()))
        if len(cards) < 2:
            raise UserError("too-few", _("Choose at least two cards."), place="cards")
        return {"order": cards}
    if kind == "holds":
        return {"holds": condition(laid, posted)}
    if kind == "force":
        return {"force": {"who": posted.get("who", ""), "holds": condition(laid, posted)}}
    raise UserError("unknown-question", _("Choose what to ask."), place="kind")


def condition(laid: Mapping[str, Any], posted: Mapping[str, Any]) -> str:
    """`goat.damage = 3` from the parts of the form; what was typed as a whole stands as it is."""
    if typed := posted.get("typed", "").strip():
        return str(typed)[: limits.MAX_SENTENCE]
    subject, fact, value = (posted.get(word, "").strip() for word in ("subject", "fact", "value"))
    if not (subject and fact and value):
        raise UserError(
            "condition-missing", _("Say whose fact it is, which fact, and its value."), place="value"
        )
    prop = system_files.system(laid["system"]).properties.get(fact)
    if prop is None:
        raise UserError("unknown-fact", _("No fact is named “%(fact)s”.") % {"fact": fact}, place="fact")
    relation = {"is": "=", "is-not": "!=", "less": "<", "more": ">"}.get(posted.get("relation", ""), "=")
    if prop.type == "yes-no":
        wanted = (value.casefold() in ("yes", "true")) == (relation == "=")
        return f"{subject}.{fact}" if wanted else f"not {subject}.{fact}"
    quoted = f"'{value}'" if prop.type in ("symbol", "text") else value
    return f"{subject}.{fact} {relation} {quoted}"


def in_words(canonical: Mapping[str, Any]) -> list[str]:
    """Every question of a scenario as a person would ask it, in the language of who reads it."""
    try:
        return [spoken(one.text) for one in questions_of(scenarios.build(canonical))]
    except DataError:
        return [str(one) for one in canonical["ask"]]


def used_cards(session: Session) -> list[str]:
    """The cards used on the line, in their order, each once: what a question about the order is usually about."""
    labels = {obj.label: obj for obj in session.scene.cards}
    found: list[str] = []
    for obj in _used(session.tracer.root, labels):
        if obj.id not in found:
            found.append(obj.id)
    return found


def _used(step: Mapping[str, Any], labels: Mapping[str, Obj]) -> list[Obj]:
    found = []
    if step["kind"] == "initiate":
        named = [label for label in labels if label in step["text"].partition(", in response to")[0]]
        if named:
            found.append(labels[max(named, key=len)])
    for child in step["children"]:
        found += _used(child, labels)
    return found
