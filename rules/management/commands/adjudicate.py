"""`manage.py adjudicate FILE`: a scenario file in, the engine's answer with its reasons out."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from rich.console import Console
from rich.tree import Tree

from config.errors import UserError
from rules import scenario
from rules.adjudicate import adjudicate


class Command(BaseCommand):
    help = "Answer a scenario file (docs/scenarios.md). Exit code 2: the file cannot be read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a scenario file, or - for standard input")
        parser.add_argument("--json", action="store_true", help="the whole answer as JSON")
        parser.add_argument("--line", action="store_true", help="only the one-sentence answer")
        parser.add_argument("--under", metavar="SYSTEM", help="the same situation under another system")
        parser.add_argument(
            "--read", metavar="READING=OPTION", action="append", default=[], help="pin a reading"
        )
        parser.add_argument(
            "--budget", type=int, default=settings.ADJUDICATION_BUDGET, help="positions at most"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            read = scenario.read(self._text(options["file"]))
            pinned = dict(pair.partition("=")[::2] for pair in options["read"])
            canonical = scenario.under(read.canonical, system=options["under"], pinned=pinned)
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            self.stderr.write(f"{error.message}{place} {error.remedy}".strip())
            raise SystemExit(2) from error
        answer = adjudicate(canonical, budget=options["budget"])
        if options["json"]:
            self.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False))
        elif options["line"]:
            self.stdout.write(answer["sentence"])
        else:
            self._tell(answer)

    def _text(self, name: str) -> bytes:
        if name == "-":
            return sys.stdin.buffer.read(settings.SCENARIO_MAX_BYTES + 1)
        try:
            return Path(name).read_bytes()
        except OSError as error:
            raise UserError("no-file", f"{name} cannot be read: {error.strerror}.") from error

    def _tell(self, answer: dict[str, Any]) -> None:
        console = Console(width=None if self.stdout.isatty() else 110, highlight=False)
        system, counts = answer["system"], answer["counts"]
        console.print(f"[bold]{answer['sentence']}[/bold]", markup=True)
        console.print(
            f"{answer['status']} · {system['title']}, {system['version']} · "
            f"{counts['lines']} lines, {counts['positions']} positions\n"
        )
        for question in answer["questions"]:
            console.print(f"• {question['sentence']}", markup=False)
            for decision in question["depends"]:
                console.print(f"    {decision['who']} decides: {decision['decision']}", markup=False)
                for branch in decision["branches"]:
                    console.print(f"      {branch['option']} → {branch['answer']}", markup=False)
            for refusal in question["why_not"]:
                console.print(f"    why not: {refusal['reason']} {_cites(refusal)}", markup=False)
        readings = [a for a in answer["assumptions"] if a["kind"] == "reading"]
        if readings:
            console.print("\nHow the rules were read:")
        for reading in readings:
            explored = "both explored, " if reading["explored"] else ""
            matters = "it matters" if reading["material"] else "it makes no difference here"
            text = next(option["text"] for option in reading["options"] if option["id"] == reading["value"])
            console.print(
                f"• {reading['text']} {text} ({reading['status']}; {explored}{matters})", markup=False
            )
        tree = Tree("\nStep by step (one line of play)")
        _grow(tree, answer["trace"])
        console.print(tree, markup=False)
        console.print("\nRules cited:")
        for key, rule in answer["rules"].items():
            console.print(f"  {key}  {rule['text']} [{rule['document']}: {rule['section']}]", markup=False)


def _cites(entry: dict[str, Any]) -> str:
    return f"[{', '.join(entry['cites'])}]" if entry["cites"] else ""


def _grow(tree: Tree, steps: list[dict[str, Any]]) -> None:
    from rich.text import Text

    for step in steps:
        changes = "; ".join(change["text"] for change in step["changes"])
        parts = [step["text"], f"({changes})" if changes else "", _cites(step)]
        branch = tree.add(Text(" ".join(part for part in parts if part)))
        for refusal in step["refused"]:
            branch.add(Text(f"not {refusal['text']}: {refusal['reason']} {_cites(refusal)}", style="dim"))
        _grow(branch, step["children"])
