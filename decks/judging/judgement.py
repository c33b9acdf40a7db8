"""Checks a decklist: resolves with the catalog what the reader left open, then applies the format's rules."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from decks.judging.placing import judged_both_ways, placed
from decks.judging.settling import printings_doubted, settled_by
from decks.law.format_files import snapshot_of
from decks.law.model import Format, names_list
from decks.legality import (
    Catalog,
    Deck,
    Report,
    Snapshot,
    UnreadLine,
    Upgrade,
    as_understood,
    check,
    collapse,
    identify,
    upgrade,
)
from decks.lists import DeckList, ListEntry, Note, NoteCode


@dataclass(frozen=True, slots=True)
class Judgement:
    """A list with every line settled, the deck it makes, and the report on it."""

    deck_list: DeckList
    deck: Deck
    report: Report
    whole: Deck  # with cards that are written out in full taken together as what they come with

    @property
    def hash(self) -> str:
        """Equal for lists that hold the same cards, however they were written."""
        return deck_hash(self.whole)


_OTHER_LIST = "the decklist names this restriction list, but was checked against a different one: %s."


def judge(deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> Judgement:
    settled, unread = settled_by(deck_list, snapshot, catalog)
    settled, doubts = placed(settled, snapshot, catalog)
    unread += [asked for asked in doubts.values() if asked is not None]
    chosen = deck_list.choices.get(snapshot.list_choice, "") if snapshot.list_choice else ""
    if chosen and not names_list(chosen, snapshot.period.list_key, snapshot.period.list_name):
        said = f"{snapshot.list_choice} {chosen}"
        unread.append(UnreadLine(None, said, _OTHER_LIST % snapshot.period.list_name, "other-list"))
    deck = identify(settled.entries, snapshot, catalog, unread, settled.choices)
    if snapshot.packs and (doubted := printings_doubted(settled.entries, deck, snapshot, catalog)):
        settled = replace(settled, notes=(*settled.notes, *doubted))
    whole, wrong = collapse(deck, snapshot, catalog)
    report = check(deck, snapshot, catalog)
    if doubts:
        sections = (entry.section for entry in settled.entries)
        report = judged_both_ways(report, deck, sections, doubts, lambda one: check(one, snapshot, catalog))
    return Judgement(settled, deck, as_understood(report, deck, catalog), deck if wrong else whole)


def upgrade_between(
    before: DeckList, after: DeckList, snapshot: Snapshot, catalog: Catalog, *, earned: int | None = None
) -> Upgrade | None:
    """What the changes from one list to the next cost; None where the format's decks do not grow by experience.

    earned: what there was to spend; None: as the later list says it (`xp`, `xp_adjustment`), if it does.
    """
    if snapshot.upgrades is None:
        return None
    old, new = judge(before, snapshot, catalog), judge(after, snapshot, catalog)
    choices = new.deck_list.choices
    if earned is None and _whole(choices.get("xp", "")):
        earned = int(choices["xp"]) + (int(more) if _whole(more := choices.get("xp_adjustment", "")) else 0)
    gone = (
        catalog.of_id(code.strip()) for code in choices.get("exiled", "").lower().split(",") if code.strip()
    )
    exiled = Counter(card.key for card in gone if card is not None)
    return upgrade(old.deck, new.deck, snapshot, catalog, earned=earned, exiled=exiled)


def upgrade_json(made: Upgrade) -> dict[str, Any]:
    """{cost, earned, changers, steps: [{kind, name, copies, cost, before}], findings}"""
    return {
        "cost": made.cost,
        "earned": made.earned,
        "changers": list(made.changers),
        "steps": [asdict(step) for step in made.steps],
        "findings": [finding.as_json() for finding in made.findings],
    }


def _whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 8


def deck_hash(deck: Deck) -> str:
    counts: dict[tuple[str, str], int] = {}
    for entry in deck.entries:
        counts[entry.section, entry.key] = counts.get((entry.section, entry.key), 0) + entry.count
    lines = sorted(f"{section}\t{key}\t{count}" for (section, key), count in counts.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


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


def list_json(judgement: Judgement) -> dict[str, Any]:
    return {
        "name": judgement.deck_list.name,
        "kind": judgement.deck_list.kind,
        "count": judgement.deck_list.count,
        "hash": judgement.hash,
        "entries": entries_json(judgement),
        "notes": notes_json(judgement.deck_list),
    }


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
