"""From a list to its report: what the reader left open is settled with the catalog, then the law applied."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from decks.format_files import snapshot_of
from decks.format_model import Format
from decks.legality import Catalog, Deck, Report, Snapshot, UnreadLine, check, identify
from decks.lists import DeckList, ListEntry, Note, NoteCode


@dataclass(frozen=True, slots=True)
class Judgement:
    """A list with every line settled, the deck it makes, and the report on it."""

    deck_list: DeckList
    deck: Deck
    report: Report

    @property
    def hash(self) -> str:
        """Equal for lists that hold the same cards, however they were written."""
        return deck_hash(self.deck)


_OTHER_LIST = "the list names this list of restrictions; another one was applied."


def judge(deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> Judgement:
    settled, unread = _settled(deck_list, snapshot, catalog)
    chosen = deck_list.choices.get(snapshot.list_choice, "") if snapshot.list_choice else ""
    if chosen and chosen != snapshot.period.list_key:
        unread.append(UnreadLine(None, f"{snapshot.list_choice} {chosen}", _OTHER_LIST))
    deck = identify(settled.entries, snapshot, catalog, unread, deck_list.choices)
    return Judgement(settled, deck, check(deck, snapshot, catalog))


def deck_hash(deck: Deck) -> str:
    counts: dict[tuple[str, str], int] = {}
    for entry in deck.entries:
        counts[entry.section, entry.key] = counts.get((entry.section, entry.key), 0) + entry.count
    lines = sorted(f"{section}\t{key}\t{count}" for (section, key), count in counts.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _settled(deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> tuple[DeckList, list[UnreadLine]]:
    """Lines without a count: a known card is one copy, a heading that is also a card is doubtful, the rest
    stays unread. Nothing is guessed silently: each leaves a note or a finding."""
    if not any(note.code in _UNSETTLED for note in deck_list.notes):
        return deck_list, []
    entries = list(deck_list.entries)
    notes: list[Note] = []
    unread: list[UnreadLine] = []
    for note in deck_list.notes:
        is_card = note.code in _UNSETTLED and _is_card(note.text, snapshot, catalog)
        if note.code is NoteCode.UNREAD_LINE and is_card:
            entries.append(ListEntry(1, note.text, section=_section_at(note, entries), line=note.line))
            note = replace(note, code=NoteCode.COMMENT, message="No count: read as one copy.")
        elif note.code is NoteCode.UNREAD_LINE:
            unread.append(UnreadLine(note.line, note.text[:200], note.message))
        elif note.code is NoteCode.UNCOUNTED_LINE and is_card:
            unread.append(
                UnreadLine(note.line, note.text, "read as a heading, but it is also a card's name.")
            )
        notes.append(note)
    entries.sort(key=lambda entry: entry.line or 0)
    return replace(deck_list, entries=tuple(entries), notes=tuple(notes)), unread


_UNSETTLED = (NoteCode.UNREAD_LINE, NoteCode.UNCOUNTED_LINE)


def _is_card(text: str, snapshot: Snapshot, catalog: Catalog) -> bool:
    return identify([ListEntry(1, text)], snapshot, catalog).entries[0].card is not None


def _section_at(note: Note, entries: list[ListEntry]) -> str:
    before = [entry.section for entry in entries if (entry.line or 0) < (note.line or 0)]
    return before[-1] if before else ""


# --- over time -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """From `since` to `until` (both included; None: open) the deck has this verdict, by this list."""

    since: date
    until: date | None
    verdict: str
    list_name: str
    doubt: str
    codes: tuple[str, ...]


def verdicts_over_time(deck_list: DeckList, law: Format, catalog: Catalog) -> tuple[Span, ...]:
    """The deck's verdict under every dated list of the format, oldest first; neighbours that agree are one."""
    spans: list[Span] = []
    for since, until in law.periods():
        snapshot = snapshot_of(law, since, choices=deck_list.choices)
        report = judge(deck_list, snapshot, catalog).report
        codes = tuple(
            dict.fromkeys(finding.code for finding in report.findings if finding.severity != "note")
        )
        span = Span(since, until, report.verdict.value, snapshot.period.list_name, snapshot.doubt, codes)
        if spans and _same(spans[-1], span):
            spans[-1] = replace(spans[-1], until=until)
        else:
            spans.append(span)
    return tuple(spans)


def _same(one: Span, other: Span) -> bool:
    return (one.verdict, one.list_name, one.doubt, one.codes) == (
        other.verdict,
        other.list_name,
        other.doubt,
        other.codes,
    )


# --- as JSON, and back -------------------------------------------------------------------------------


def entries_json(judgement: Judgement) -> list[dict[str, Any]]:
    """[{count, name, hint, card, section, line}], with `id`, `free` and `upgrades` where the list has them;
    `card` is the title, empty when the name is unknown."""
    return [
        {
            "count": written.count,
            "name": written.name,
            "hint": written.hint,
            "card": entry.card.title if entry.card else "",
            "section": written.section,
            "line": written.line,
        }
        | {word: value for word in _RARE if (value := getattr(written, word))}
        for written, entry in zip(judgement.deck_list.entries, judgement.deck.entries, strict=True)
    ]


_RARE = ("id", "free", "upgrades")


def notes_json(deck_list: DeckList) -> list[dict[str, Any]]:
    """[{code, message, line, text}]"""
    return [
        {"code": note.code.value, "message": note.message, "line": note.line, "text": note.text}
        for note in deck_list.notes
    ]


def deck_list_from_json(
    entries: list[dict[str, Any]],
    notes: list[dict[str, Any]],
    *,
    kind: str,
    name: str,
    choices: Mapping[str, str] | None = None,
) -> DeckList:
    """The list a revision stored, as its reader gave it."""
    return DeckList(
        tuple(
            ListEntry(
                entry["count"],
                entry["name"],
                entry["hint"],
                entry["section"],
                entry["line"],
                entry.get("id", ""),
                entry.get("free", 0),
                tuple((one[0], one[1], one[2]) for one in entry.get("upgrades", ())),
            )
            for entry in entries
        ),
        tuple(Note(NoteCode(note["code"]), note["message"], note["line"], note["text"]) for note in notes),
        kind,
        name,
        choices or {},
    )
