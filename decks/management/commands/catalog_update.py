"""manage.py catalog_update GAME PATH: compare a newer source of a game's cards with ours, then adopt it.

PATH is what `import_cards` takes. Without --apply nothing is stored: the cards that would change are told, and the
stored decks that would be judged otherwise. --write makes the file that ships with the project from the source.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from config import strict_yaml
from config.errors import UserError
from decks import services
from decks.cards import catalog_files, sources
from decks.law import format_files
from decks.services import DeckChange, Preview

SHOWN = 20


class Command(BaseCommand):
    help = "Show what a newer source of a game's cards would change; --apply makes the change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="key of the game, such as coc-lcg")
        parser.add_argument("path", help="a folder, a zip archive or one file")
        parser.add_argument("--apply", action="store_true", help="show the changes, then make them")
        parser.add_argument(
            "--write", action="store_true", help="write the shipped file decks/catalog/GAME.jsonl"
        )
        parser.add_argument(
            "--complete",
            action="store_true",
            help="the source has every card of the game: a missing name is then illegal, not unverified",
        )
        parser.add_argument("--json", action="store_true", help="print the preview as JSON")

    def handle(self, *, game: str, path: str, **options: Any) -> None:
        try:
            files = sources.gathered(Path(path))
            if options["write"]:
                self._write(game, files)
                return
            with transaction.atomic():
                services.catalog_load_missing(game=game, now=timezone.now())
                preview = services.cards_preview(
                    game=game, files=files, complete=options["complete"], now=timezone.now()
                )
                transaction.set_rollback(not options["apply"])
            if options["json"]:
                self.stdout.write(json.dumps(preview.as_json(), ensure_ascii=False))
            else:
                self.stdout.write("\n".join(_told(preview)))
            if options["apply"]:
                services.cards_import_files(
                    game=game, files=files, complete=options["complete"], now=timezone.now()
                )
        except UserError as error:
            place = f" ({error.place})" if error.place else ""
            raise CommandError(f"{error.message}{place} {error.remedy}".strip(), returncode=2) from error
        if not options["json"]:
            self.stdout.write(
                "In effect. The workers recheck the stored decks."
                if options["apply"]
                else "Nothing was stored. Use --apply to make the change."
            )

    def _write(self, game: str, files: dict[str, bytes]) -> None:
        known = catalog_files.shipped().get(game)
        if known is None:
            raise UserError(
                "no-manifest",
                f"decks/catalog/{game}.yaml doesn’t exist.",
                remedy="Write it first, with game, name, partial, as-of and source (docs/formats.md).",
            )
        source = sources.read(files)
        cards = known.in_our_words(source.cards)
        target = catalog_files.FOLDER / f"{game}.jsonl"
        target.write_text(catalog_files.lines_of(cards), encoding="utf-8")
        printings = sum(len(card.printings) for card in cards)
        self.stdout.write(f"{target.name}: {len(cards)} cards, {printings} printings.")
        for key, document in source.laws.items():
            text = f"# Made by manage.py catalog_update {game} --write from: {known.source}.\n"
            (format_files.FOLDER / f"{key}.yaml").write_text(
                text + strict_yaml.dump(document), encoding="utf-8"
            )
            self.stdout.write(
                f"{key}.yaml: {len(document['lists'])} lists, {len(document['timeline'])} dates."
            )


def _told(preview: Preview) -> list[str]:
    summary = preview.summary
    out = [
        f"{summary.game}: {summary.new} new cards, {summary.changed} changed, {summary.unchanged} unchanged; "
        f"{len(summary.lists)} dated lists, {summary.new_lists} of them new or changed."
    ]
    changed = {title: facts for title, facts in preview.cards.items() if facts}
    for title, facts in list(changed.items())[:SHOWN]:
        told = ", ".join(f"{fact}: {_value(was)} -> {_value(comes)}" for fact, (was, comes) in facts.items())
        out.append(f"  {title}: {told}")
    if len(changed) > SHOWN:
        out.append(f"  ... and {len(changed) - SHOWN} more (--json shows all)")
    if (printed := summary.changed - len(changed)) > 0:
        out.append(f"  {printed} cards with a further printing alone")
    out.append(f"{preview.judged} stored decks checked; the verdict of {len(preview.decks)} would change.")
    out += _decks(preview.decks)
    if preview.coming:
        out.append(f"From the day of a new list, {len(preview.coming)} more that stand in no event:")
        out += _decks(preview.coming, dated=True)
    return out


def _decks(changes: Sequence[DeckChange], *, dated: bool = False) -> list[str]:
    out = []
    for deck in changes[:SHOWN]:
        was, comes = (
            f"{verdict} ({', '.join(codes) or 'no findings'})" for verdict, codes in (deck.before, deck.after)
        )
        day = f" on {deck.on}" if dated else ""
        out.append(f"  {deck.deck} of {deck.owner}, {deck.format}{day}: {was} -> {comes}")
    if len(changes) > SHOWN:
        out.append(f"  ... and {len(changes) - SHOWN} more (--json shows all)")
    return out


def _value(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)[:80]
