"""`manage.py vocabulary SYSTEM`: the words for writing scenarios and cards of a system."""

import json
from argparse import ArgumentParser
from typing import IO, Any, cast

import yaml
from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.engine.base.errors import DataError
from rules.law import system_files
from rules.reference.vocabulary import vocabulary

SECTIONS = ("starts", "zones", "facts", "kinds", "occurrences", "nouns", "readings", "rules", "cards")


class Command(BaseCommand):
    help = "List the words of a timing system: what can happen, kinds of ability, facts, zones, starts, readings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "system", nargs="?", help="the system's key, such as coc-lcg; without it, list all keys"
        )
        parser.add_argument(
            "only",
            nargs="?",
            choices=(*SECTIONS, "law"),
            help="one section only; law: its rules in plain words",
        )
        parser.add_argument("--json", action="store_true", help="everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["system"] is None:
            for system in system_files.systems():
                self.stdout.write(f"{system.key:10} {system.title}, {system.version}")
            return
        try:
            words = vocabulary(options["system"])
        except DataError as error:
            self.stderr.write(f"{error} {error.remedy}".strip())
            raise SystemExit(2) from error
        if options["json"]:
            self.stdout.write(json.dumps(words, indent=2, ensure_ascii=False))
            return
        width = None if self.stdout.isatty() else 110
        self.console = Console(file=cast(IO[str], self.stdout._out), width=width, highlight=False)
        if options["only"] is None:
            self._head(words)
        for name in [options["only"]] if options["only"] else SECTIONS:
            getattr(self, f"_{name}")(words)

    def _head(self, words: dict[str, Any]) -> None:
        self._say(f"{words['title']}, {words['version']}  (system: {words['system']})", "bold")
        self._say("\nA whole scenario in these words; docs/scenarios.md explains the keys:\n")
        self._say(
            yaml.safe_dump(words["example"], sort_keys=False, default_flow_style=None, width=100).rstrip()
        )
        if words["sentences"]:
            self._say("\nMoves may also be written:\n", "bold")
            for sentence in words["sentences"]:
                self._say(f"  Ann {sentence}")

    def _starts(self, words: dict[str, Any]) -> None:
        self._table("Where a scenario may begin", "at: WORD", words["starts"], ("word", "says"))

    def _zones(self, words: dict[str, Any]) -> None:
        rows = [
            {
                "word": zone["word"],
                "says": zone["says"] + (" (cards here are in play)" if zone["in_play"] else ""),
            }
            for zone in words["zones"]
        ]
        self._table("Where a card can be", "zone: WORD", rows, ("word", "says"))

    def _facts(self, words: dict[str, Any]) -> None:
        how = {
            "card": "under the card; in an expression clerk.WORD",
            "player": "players: {Ann: {WORD: ...}}; in an expression Ann.WORD",
            "game": "game: {WORD: ...}; in an expression WORD",
        }
        self._say(f"\nTypes of card: {', '.join(words['types'])}")
        for of, facts in words["facts"].items():
            rows = [
                {"word": fact["word"], "value": _value(fact), "default": _default(fact), "": _remark(fact)}
                for fact in facts
                if fact["word"] not in ("zone", "type", "active")
            ]
            rows += [
                {"word": one["word"], "value": one["type"], "default": "computed"}
                for one in words["derived"]
                if one["of"] == of
            ]
            self._table(f"Facts of a {of}", how[of], rows, ("word", "value", "default", ""))

    def _kinds(self, words: dict[str, Any]) -> None:
        rows = [
            {
                "word": kind["word"],
                "says": f"{kind['title']}: {_kind_of(kind)}",
                "rules": ", ".join(kind["cites"]),
            }
            for kind in words["kinds"]
        ]
        self._table("Kinds of ability", "abilities: [{kind: WORD, ...}]", rows, ("word", "says", "rules"))
        points = ", ".join(_point(point) for point in words["points"])
        self._say(f"An ability responds to what happens (of: WORD) at a point (at: WORD): {points}")
        if words["flags"]:
            self._say(f"Marks it may carry (flags: [WORD]): {', '.join(words['flags'])}")

    def _occurrences(self, words: dict[str, Any]) -> None:
        rows = [
            {
                "word": kind["word"],
                "write": kind["instead"]
                or f"{{do: {kind['word']}{''.join(_role(role) for role in kind['roles'])}}}",
                "says": kind["says"],
            }
            for kind in words["occurrences"]
        ]
        self._table(
            "What can happen", "of: WORD, and in do, cost and cannot", rows, ("word", "write", "says")
        )
        if words["families"]:
            rows = [{"word": one["word"], "of": ", ".join(one["of"])} for one in words["families"]]
            self._table("One word for several of these", "of: WORD", rows, ("word", "of"))

    def _nouns(self, words: dict[str, Any]) -> None:
        rows = words["nouns"]
        self._table(
            "Words for cards and players", "WORD where ..., count(WORD where ...)", rows, ("word", "is")
        )
        self._say('Besides: card, player. A choice: choose: {victim: "WORD where controller != you"}')

    def _readings(self, words: dict[str, Any]) -> None:
        rows = [
            {
                "word": reading["word"],
                "asks": f"{reading['ask']} "
                + "; ".join(
                    f"{key}: {says}" if key != says else key for key, says in reading["options"].items()
                ),
                "default": f"{reading['default']} ({reading['status']})",
            }
            for reading in words["readings"]
        ]
        how = "pinned: {WORD: option}; contested ones are explored unless pinned"
        self._table("Where the rules are open", how, rows, ("word", "asks", "default"))

    def _rules(self, words: dict[str, Any]) -> None:
        rows = [
            {
                "word": one["word"],
                "kind": one["kind"],
                "choices": ", ".join(one["choices"]),
                "rules": ", ".join(one["cites"]),
            }
            for one in words["rules_abilities"]
        ]
        how = '{Ann: clerk, ability: "WORD"}'
        title = "What the rules let players do with a card"
        self._table(title, how, rows, ("word", "kind", "choices", "rules"))
        rows = [{"word": one["word"], "in": ", ".join(one["in"])} for one in words["choices"]]
        self._table(
            "What the rules ask a player to choose", "{Ann: choose, WORD: clerk}", rows, ("word", "in")
        )

    def _law(self, words: dict[str, Any]) -> None:
        for key, rule in system_files.system(words["system"]).law.items():
            self._say(f"{key}  {rule.says} [{rule.section}]")

    def _cards(self, words: dict[str, Any]) -> None:
        self._say(f"\nCards of the library (is: NAME): {len(words['cards'])}", "bold")
        self._say(", ".join(words["cards"]))

    def _table(self, title: str, how: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
        if not rows:
            return
        self.console.print()
        self.console.print(Text.assemble((title, "bold"), f"   {how}"))
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for column in columns:
            table.add_column(no_wrap=column == "word")
        for row in rows:
            table.add_row(*(Text(str(row.get(column, ""))) for column in columns))
        self.console.print(table)

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(text, style=style, markup=False)


def _point(point: dict[str, Any]) -> str:
    remarks = [f"or {word}" for word in point["also"]] + (["it has happened"] if point["later"] else [])
    return f"{point['word']} ({', '.join(remarks)})" if remarks else str(point["word"])


def _role(role: dict[str, Any]) -> str:
    example = {"card": "x", "player": "you", "number": "1"}.get(role["type"], "...")
    usual = "|".join(role["values"]) or (example if role["default"] is None else role["default"])
    return f", {role['word']}: {usual}"


def _value(fact: dict[str, Any]) -> str:
    if fact["values"]:
        return " | ".join(map(str, fact["values"]))
    return {
        "number": "number",
        "yes-no": "yes | no",
        "player": "a player",
        "card": "a card",
        "symbol": "a word",
    }.get(fact["type"], str(fact["type"]))


def _default(fact: dict[str, Any]) -> str:
    value = fact["default"]
    if value is None or value == []:
        return ""
    return (
        f"else {'yes' if value is True else 'no' if value is False else value if value != '?' else 'unknown'}"
    )


def _remark(fact: dict[str, Any]) -> str:
    remarks = ["effects can change it"] if fact["changes"] else []
    if fact["asked"]:
        remarks.append(f"stated as printed; a question about it means {fact['asked']}")
    return ", ".join(remarks + (["lost on leaving play"] if fact["lost"] else []))


def _kind_of(kind: dict[str, Any]) -> str:
    """How an ability of this kind comes about, or which kind it really is."""
    if kind["becomes"]:
        other = kind["becomes"]["other"]
        words: dict[str, list[str]] = {}
        for word, real in kind["becomes"].items():
            if real != other:
                words.setdefault(real, []).append(word)
        named = [f"{real} when it responds to {' or '.join(answered)}" for real, answered in words.items()]
        return f"{', '.join(named)}, otherwise {other}"
    comes = "happens automatically" if kind["use"] == "must" else "may be used"
    return f"{comes}, at {' or '.join(kind['answers'])}" if kind["answers"] else comes
