"""`manage.py adjudicate FILE`: print the engine's answer to a scenario file, with its reasons."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rich.console import Console
from rich.tree import Tree

from config import given_files, strict_yaml
from config.errors import UserError
from rules import scenarios
from rules.engine.answers.compare import difference
from rules.management import add_budget, seconds
from rules.scenarios.adjudicate import adjudicate
from rules.selectors import imported_card
from rules.spoken import answer_spoken
from rules.table import stepping
from rules.texts.imported import Imported

OTHER_READINGS_SECONDS = 10  # what else the answer hangs on is looked for so long


class Command(BaseCommand):
    help = "Answer a scenario file (docs/scenarios.md). Exit code 2: the file can’t be read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a scenario file, or - for standard input")
        parser.add_argument("--json", action="store_true", help="the whole answer as JSON")
        parser.add_argument(
            "--language",
            choices=[code for code, _name in settings.LANGUAGES],
            default=settings.LANGUAGE_CODE,
            help="the language of the answer",
        )
        parser.add_argument(
            "--line", action="store_true", help="only the answer, in a sentence, and what it hangs on"
        )
        parser.add_argument(
            "--brief", action="store_true", help="half a page: without the line of play and the rules"
        )
        parser.add_argument("--under", metavar="SYSTEM", help="the same situation under a different system")
        parser.add_argument(
            "--read", metavar="READING=OPTION", action="append", default=[], help="pin a reading"
        )
        parser.add_argument(
            "--what-if",
            metavar="FACT=VALUE",
            action="append",
            default=[],
            help="change one thing (cards.researcher.blank=yes) and show where the lines of play diverge",
        )
        parser.add_argument(
            "--step", action="store_true", help="step through play: choose among the legal moves"
        )
        add_budget(parser)
        parser.add_argument(
            "--seconds",
            type=seconds,
            default=settings.ADJUDICATION_SECONDS,
            help="the longest time to explore (default: %(default)g)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with translation.override(options["language"]):
            self._answer(options)

    def _answer(self, options: dict[str, Any]) -> None:
        try:
            read = scenarios.read(
                given_files.content(options["file"], settings.SCENARIO_MAX_BYTES), imported=_imported
            )
            pinned = dict(_pair(pair, "--read", "first-response=active") for pair in options["read"])
            canonical = scenarios.under(read.canonical, system=options["under"], pinned=pinned)
            changes = dict(_fact(pair) for pair in options["what_if"])
            otherwise = scenarios.changed(canonical, changes) if changes else None
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            self.stderr.write(f"{error.message}{place} {error.remedy}".strip())
            raise SystemExit(2) from error
        if options["step"]:
            stepping.play(canonical, input, self.stdout.write)
            return
        within = {
            "budget": options["budget"],
            "seconds": options["seconds"],
            "megabytes": settings.ADJUDICATION_MEMORY_MB,
        }
        answer = (
            answer_spoken(adjudicate(canonical, **within, spare=None if otherwise else _for_a_while())) or {}
        )
        if otherwise is not None:
            other = answer_spoken(adjudicate(otherwise, **within)) or {}
            self._what_if(answer, other, as_json=options["json"])
        elif options["json"]:
            self.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False))
        elif options["line"]:
            self.stdout.write(answer["sentence"])
            if answer.get("doubt"):  # a sure sentence without it would mislead
                self.stdout.write(answer["doubt"])
        else:
            self._tell(answer, brief=options["brief"])

    def _what_if(self, answer: dict[str, Any], other: dict[str, Any], *, as_json: bool) -> None:
        found = difference(answer, other)
        if as_json:
            self.stdout.write(json.dumps({"answer": answer, "what_if": other, "difference": found}, indent=2))
            return
        self.stdout.write(f"As it was:  {answer['sentence']}")
        self.stdout.write(f"What if:    {other['sentence']}")
        if found["parting"] is None:
            self.stdout.write("The line of play is the same, step by step.")
            return
        self.stdout.write(f"The lines diverge in: {found['parting']['under'] or 'the first step'}")
        for name, label in (("before", "as it was"), ("after", "what if")):
            step = found["parting"][name]
            self.stdout.write(f"  {label}: {_told(step)}".rstrip())
            for refusal in step["refused"] if step else ():
                self.stdout.write(f"    not {refusal['text']}: {refusal['reason']} {_cites(refusal)}")

    def _tell(self, answer: dict[str, Any], *, brief: bool) -> None:
        console = Console(
            file=cast(IO[str], self.stdout._out), width=None if self.stdout.isatty() else 110, highlight=False
        )
        system, counts = answer["system"], answer["counts"]
        console.print(answer["sentence"], style="bold", markup=False)
        if answer.get("doubt"):
            console.print(answer["doubt"], markup=False)
        console.print(
            f"{_status(answer['status'])} · {system['title']}, {system['version']} · {_explored(counts)}\n"
        )
        for question in answer["questions"]:
            console.print(f"• {question['sentence']}", markup=False)
            for decision in question["depends"]:
                console.print(
                    f"    {_decider(decision)}: {decision['decision']} {_cites(decision)}", markup=False
                )
                for branch in decision["branches"]:
                    console.print(f"      {branch['option']} → {branch['answer']}", markup=False)
            for refusal in question["why_not"]:
                why = _("why not: %(reason)s") % {"reason": refusal["reason"]}
                console.print(f"    {why} {_cites(refusal)}", markup=False)
        readings = [a for a in answer["assumptions"] if a["kind"] == "reading"]
        if readings:
            console.print("\n" + _("Assumptions") + ":")
        for reading in readings:
            text = next(option["text"] for option in reading["options"] if option["id"] == reading["value"])
            console.print(
                f"• {reading['text']} {text} ({_status(reading['status'])}; {_weight(reading)})", markup=False
            )
            words = {option["id"]: option["text"] for option in reading["options"]}
            for other in reading.get("otherwise", ()):
                otherwise = _("with “%(option)s”: %(answer)s") % {
                    "option": words[other["option"]],
                    "answer": other["brief"],
                }
                console.print(f"    {otherwise}", markup=False)
        if answer["unasked"]:
            console.print("\n" + _("Abilities that never came up on this line of play") + ":")
        for one in answer["unasked"]:
            console.print(f"• {one['card']} ({one['ability']}): {one['why']}", markup=False)
        if brief:
            return
        tree = Tree("\n" + _("Step by step (one line of play)"))
        _grow(tree, answer["trace"])
        console.print(tree, markup=False)
        console.print("\n" + _("Rules cited") + ":")
        for key, rule in answer["rules"].items():
            console.print(f"  {key}  {rule['text']} [{rule['document']}: {rule['section']}]", markup=False)


def _for_a_while() -> Callable[[int], bool]:
    """Until OTHER_READINGS_SECONDS have passed behind the first answer: somebody waits for it."""
    until: list[float] = []

    def there_is_time(positions: int) -> bool:
        until[:] = until or [time.monotonic() + OTHER_READINGS_SECONDS]
        return time.monotonic() < until[0]

    return there_is_time


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UserError("bad-option", f"{option} {text} has no value.", remedy=f"Write {option} {example}.")
    return key.strip(), value.strip()


def _fact(text: str) -> tuple[str, Any]:
    """A change as it is written in a scenario: a number is a number, {disputed: [yes, no]} two opinions."""
    key, value = _pair(text, "--what-if", "cards.researcher.blank=yes")
    return key, strict_yaml.load(value, name=f"--what-if {key}")


def _explored(counts: dict[str, Any]) -> str:
    """“4 ways to play it, 5 positions”: how much was looked at."""
    if counts["lines"] is None:
        return _("stopped after %(n)s positions") % {"n": counts["positions"] or 0}
    lines, positions = counts["lines"], counts["positions"]
    ways = ngettext("%(n)s way to play it", "%(n)s ways to play it", lines) % {"n": f"{lines:,}"}
    decisions = ngettext("%(n)s open decision", "%(n)s open decisions", positions) % {"n": f"{positions:,}"}
    return f"{ways}, {decisions}"


def _decider(decision: dict[str, Any]) -> str:
    """“Bo decides”; of facts nobody does."""
    nobody = {
        "facts": _("what is undecided"),
        "chance": _("chance decides"),
        "rules": _("the rules leave it open"),
    }
    return nobody.get(decision["decider"]) or _("%(who)s decides") % {"who": decision["who"]}


def _status(key: str) -> str:
    """Of an answer or a reading, in a word."""
    return {
        "determined": _("determined"),
        "depends": _("depends"),
        "insufficient": _("insufficient"),
        "not-modelled": _("not-modelled"),
        "loop": _("loop"),
        "undecided": _("undecided"),
        "official": _("official"),
        "inferred": _("inferred"),
        "contested": _("contested"),
        "pinned": _("pinned"),
    }.get(key, key)


def _told(step: dict[str, Any] | None) -> str:
    """A step of one of two lines: two that read alike may still differ in what they change."""
    if step is None:
        return "nothing more"
    changes = "; ".join(change["text"] for change in step["changes"])
    return f"{step['text']}{f' ({changes})' if changes else ''} {_cites(step)}"


def _imported(system: str, name: str) -> Imported | None:
    """An imported card, where there is a database: a scenario can be answered without one."""
    with suppress(DatabaseError):
        return imported_card(system, name)
    return None


def _cites(entry: dict[str, Any]) -> str:
    return f"[{', '.join(entry['cites'])}]" if entry["cites"] else ""


def _grow(tree: Tree, steps: list[dict[str, Any]]) -> None:
    from rich.text import Text

    for step in steps:
        changes = "; ".join(change["text"] for change in step["changes"])
        parts = [step["text"], f"({changes})" if changes else "", _cites(step)]
        branch = tree.add(Text(" ".join(part for part in parts if part)))
        for refusal in step["refused"]:
            told = _("not %(what)s: %(reason)s") % {"what": refusal["text"], "reason": refusal["reason"]}
            branch.add(Text(f"{told} {_cites(refusal)}", style="dim"))
        _grow(branch, step["children"])


def _weight(reading: Mapping[str, Any]) -> str:
    """Does it make a difference? Said only of a reading whose other options were explored."""
    if reading["explored"]:
        if reading["material"]:
            return _("every reading explored: it matters")
        return _("every reading explored: it makes no difference here")
    other = next((one["id"] for one in reading["options"] if one["id"] != reading["value"]), reading["value"])
    asked = f"--read {reading['id']}={other}"
    return _("the other reading was not explored; ask with %(option)s") % {"option": asked}
