"""Writes decklists for other programs. Each writer gets the list with its cards identified (names are titles).

write(deck, "o8d", ids={"museum curator": "45f0..."}, game_id="43054c18-...")
"""

import csv
import io
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from decks.lists.model import DeckList
from decks.lists.readers import arkhamdb, specs, text

# kind -> (what a file of it is called, its media type)
WRITTEN = {
    "text": (".txt", "text/plain"),
    "o8d": (".o8d", "application/xml"),
    "arkhamdb": (".json", "application/json"),
    "csv": (".csv", "text/csv"),
    "specs": (".txt", "text/plain"),
}


def write(deck: DeckList, kind: str, *, ids: Mapping[str, str] | None = None, game_id: str = "") -> str:
    """The list as a file of `kind` (a key of WRITTEN). ids: a name's key -> its identifier in that program.

    Raises KeyError for another kind.
    """
    if kind == "o8d":
        return _o8d(deck, ids or {}, game_id)
    if kind == "arkhamdb":
        return arkhamdb.dump(deck, ids or {})
    return {"text": text.dump, "csv": _csv, "specs": specs.dump}[kind](deck)


def _o8d(deck: DeckList, ids: Mapping[str, str], game_id: str) -> str:
    out = ['<?xml version="1.0" encoding="utf-8" standalone="yes"?>', f"<deck game={quoteattr(game_id)}>"]
    sections: dict[str, list[str]] = {}
    for entry in deck.entries:
        id = quoteattr(entry.id or ids.get(entry.key, ""))
        line = f'    <card qty="{entry.count}" id={id}>{escape(entry.name)}</card>'
        sections.setdefault(entry.section or "Draw Deck", []).append(line)
    for name, lines in sections.items():
        out += [f'  <section name={quoteattr(name)} shared="False">', *lines, "  </section>"]
    return (
        "\n".join([*out, f"  <notes><![CDATA[{deck.name.replace(']]>', ']] >')}]]></notes>", "</deck>"])
        + "\n"
    )


def _csv(deck: DeckList) -> str:
    """count, name, section, hint. A value that a spreadsheet would compute is written as text."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    rows.writerow(["count", "name", "section", "hint"])
    for entry in deck.entries:
        rows.writerow([entry.count, *(_as_text(value) for value in (entry.name, entry.section, entry.hint))])
    return file.getvalue()


def _as_text(value: str) -> str:
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t") else value
