"""`manage.py card_text "Action: Exhaust ..." --system coc-lcg`: show what a printed text is understood to mean."""

import sys
from argparse import ArgumentParser
from typing import Any

import yaml
from django.core.management.base import BaseCommand

from rules.engine.base.errors import DataError
from rules.texts import lexicons
from rules.wording.reading import AbilityRead, CardRead, Trouble, read


class Command(BaseCommand):
    requires_system_checks = ()
    help = "Read a card's printed text: each ability's meanings as library data, or the first word not understood."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("text", help="the printed text; - reads standard input")
        parser.add_argument("--system", required=True, help="the system's key, such as coc-lcg")
        parser.add_argument("--name", default="", help="the card's name, if its text uses it")
        parser.add_argument("--type", default=None, help="the type of card, such as character or event")
        parser.add_argument("--phrases", action="store_true", help="also show what each phrase was read as")

    def handle(self, *args: Any, **options: Any) -> None:
        text = sys.stdin.read() if options["text"] == "-" else options["text"]
        try:
            lexicon = lexicons.lexicon_of(options["system"])
        except DataError as error:
            self.stderr.write(f"{error}. {error.remedy}".strip())
            raise SystemExit(2) from error
        if not text.strip():
            self.stderr.write("There is no text to read. Paste the words of one card.")
            raise SystemExit(2)
        found = read(lexicon, text, name=options["name"], type_=options["type"])
        self._tell(text, found, options["phrases"])
        if not found.understood:
            raise SystemExit(1)

    def _tell(self, text: str, found: CardRead, phrases: bool) -> None:
        if found.trouble is not None:
            self._trouble(text, found.trouble)
        for ability in found.abilities:
            self.stdout.write(text[ability.start : ability.end])
            if ability.trouble is not None:
                self._trouble(text, ability.trouble)
            self._readings(ability)
            for category, start, end in ability.phrases if phrases else ():
                self.stdout.write(f"    {category:12} {text[start:end]}")

    def _readings(self, ability: AbilityRead) -> None:
        if len(ability.readings) > 1:
            self.stdout.write(
                f"  {len(ability.readings)} interpretations: choose the one that the card means"
            )
        for number, entry in enumerate(ability.readings, 1):
            shown = yaml.safe_dump(entry, sort_keys=False, width=100, default_flow_style=None).rstrip()
            lead = f"  reading {number}:\n" if len(ability.readings) > 1 else ""
            self.stdout.write(lead + "\n".join(f"  {line}" for line in shown.splitlines()))

    def _trouble(self, text: str, trouble: Trouble) -> None:
        before = text[max(0, trouble.start - 40) : trouble.start].replace("\n", " ")
        self.stdout.write(
            f"  not understood: {before}[{text[trouble.start : trouble.end][:60]}]: {trouble.says}"
        )
        if trouble.near:
            self.stdout.write(f"  nearest words: {', '.join(trouble.near)}")
