"""Decides where the cards under a heading belong: the deck, a section, nowhere, or a question to the writer.

A heading is known by the format (its parts), by the words people use (`decks.lists.vocabulary`) or by the game's cards
(their kinds, factions and sets). Any other one is never silently a part of the deck: its cards are judged both ways.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from decks.legality import (
    Catalog,
    Deck,
    Finding,
    Report,
    Section,
    Severity,
    Snapshot,
    UnreadLine,
    Where,
    card_of,
)
from decks.lists import DeckList, ListEntry, Note, NoteCode, fold, shorthand
from decks.lists.model import NAMED_ABOVE
from decks.lists.vocabulary import Role, Word, spellings_set_aside, word_of

UNKNOWN_HEADING = "unknown-heading"
_NO_SUCH_PART = "this format has no such part; it isn’t clear where these cards belong."
_UNKNOWN = "we don’t know this heading, so it isn’t clear whether these cards are in the deck."


def placed(
    deck_list: DeckList, snapshot: Snapshot, catalog: Catalog
) -> tuple[DeckList, dict[str, UnreadLine | None]]:
    """The list with each section called as the format calls it, and a question for each heading nobody knows.

    The questions stand by the section as the entries have it; None: the heading is an unread line already.
    """
    deck_list = _ended_by_a_blank_line(_parted_by_a_blank_line(deck_list, snapshot), snapshot)
    deck_list = _above_the_deck(deck_list, snapshot, catalog)
    deck_list, remarked = _under_their_remarks(deck_list, _Placing(deck_list, snapshot, catalog))
    sections = dict.fromkeys(entry.section for entry in deck_list.entries)
    placing = _Placing(deck_list, snapshot, catalog)
    called: dict[str, str] = {}
    doubts: dict[str, UnreadLine | None] = {}
    unread = {note.text for note in deck_list.notes if note.code is NoteCode.UNREAD_LINE}
    for section in sections:
        if not section:
            continue
        if section not in remarked and (name := placing.part(section)) is not None:
            called[section] = name
        elif section in (BLANK_LINE, ABOVE) or not placing.is_title(section):
            why = _NO_SUCH_PART if (word := word_of(section)) and word.role is Role.PART else _UNKNOWN
            why = {BLANK_LINE: _PERHAPS_SIDE, ABOVE: _PERHAPS_ABOVE}.get(section, why)
            asked = UnreadLine(placing.line_of(section), section, why, UNKNOWN_HEADING)
            doubts[section] = None if section in unread else asked
    leading = {(one.line, one.name) for one in deck_list.entries if placing.leads(one)}
    if leading or any(name != section for section, name in called.items()):
        entries = (
            one._replace(
                section="" if (one.line, one.name) in leading else called.get(one.section, one.section)
            )
            for one in deck_list.entries
        )
        deck_list = replace(deck_list, entries=tuple(entries))
    return deck_list, doubts


BLANK_LINE = "after the blank line"
ABOVE = "above the deck"
_PERHAPS_ABOVE = "some cards stand above the deck’s heading; it isn’t clear whether they are in the deck."
_PERHAPS_SIDE = "some cards stand behind a blank line; it isn’t clear whether they are in the deck."


def _parted_by_a_blank_line(deck_list: DeckList, snapshot: Snapshot) -> DeckList:
    """Two blocks without any heading, the second small enough, in a game with a sideboard: that is the second.

    It is where the first alone is a whole deck; where only both together are, the person is asked.
    """
    side = next(
        (one for one in snapshot.sections if not one.outside and one.maximum and _is_beside(one)), None
    )
    entries = deck_list.entries
    if side is None or deck_list.kind != "text" or any(one.section for one in entries):
        return deck_list
    told = {note.line for note in deck_list.notes}
    ends = [
        at
        for at, (one, two) in enumerate(pairwise(entries), start=1)
        if any(line not in told for line in range((one.line or 0) + 1, two.line or 0))
    ]
    if len(ends) != 1:
        return deck_list
    first, second = (sum(one.count for one in block) for block in (entries[: ends[0]], entries[ends[0] :]))
    least = snapshot.sections[0].minimum or 0
    if second > (side.maximum or 0) or first + second < least:
        return deck_list
    sure = first >= least
    name = max(side.names, key=len) if sure else BLANK_LINE
    behind = (one._replace(section=name) for one in entries[ends[0] :])
    message = "Read as the heading of the sideboard." if sure else "It may part the deck from a sideboard."
    note = Note(NoteCode.COMMENT, message, (entries[ends[0]].line or 1) - 1, "(blank line)")
    return replace(deck_list, entries=(*entries[: ends[0]], *behind), notes=(*deck_list.notes, note))


def _ended_by_a_blank_line(deck_list: DeckList, snapshot: Snapshot) -> DeckList:
    """All the cards stand under the sideboard's heading, more than it holds: it may end at the blank line below."""
    side = next((one for one in snapshot.sections if one.maximum and _is_beside(one)), None)
    entries = deck_list.entries
    if side is None or not entries or deck_list.count <= (side.maximum or 0):
        return deck_list
    if any(fold(one.section) not in side.names for one in entries):
        return deck_list
    told = {note.line for note in deck_list.notes}
    end = next(
        (
            at
            for at, (one, two) in enumerate(pairwise(entries), start=1)
            if any(line not in told for line in range((one.line or 0) + 1, two.line or 0))
        ),
        None,
    )
    if end is None:
        return deck_list
    behind = (one._replace(section=BLANK_LINE) for one in entries[end:])
    return replace(deck_list, entries=(*entries[:end], *behind))


def _above_the_deck(deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> DeckList:
    """Cards above “Deck” that have no place of their own: the first line, taken for the deck's name, may be the heading
    of cards beside it."""
    entries = deck_list.entries
    if deck_list.kind != "text":
        return deck_list
    headings = [note for note in deck_list.notes if note.code is NoteCode.HEADING]
    named = next((note.text for note in deck_list.notes if note.message == NAMED_ABOVE), "")
    if not named or _Placing(deck_list, snapshot, catalog).is_known(
        named
    ):  # else any heading ends those cards
        headings = [note for note in headings if _is_the_deck(note.opens)]
    opened = min((note.line or 0 for note in headings), default=None)
    opens = next((at for at, one in enumerate(entries) if opened is not None and (one.line or 0) > opened), 0)
    if not opens or all(_is_beside_by(one.section) for one in entries[opens:]):
        return deck_list
    places = _places_of_their_own(snapshot)

    def own(one: ListEntry) -> bool:
        card = card_of(one, snapshot, catalog)
        return card is None or any(place.holds(card.facts) for place in places)

    above = (one if one.section or own(one) else one._replace(section=ABOVE) for one in entries[:opens])
    return replace(deck_list, entries=(*above, *entries[opens:]))


def _under_their_remarks(deck_list: DeckList, placing: "_Placing") -> tuple[DeckList, set[str]]:
    """(the list with the cards right below “# lent to Bo”, up to the next heading, under it; the remarks to be asked
    about). A remark that no game and no word of ours explains, or with a word for cards that are elsewhere, may say so;
    one that is a part of the format is its heading."""
    remarks = [
        (note.line or 0, note.opens)
        for note in deck_list.notes
        if note.opens and note.code is NoteCode.COMMENT and not placing.is_of_the_deck(note.opens)
    ]
    if not remarks:
        return deck_list, set()
    headings = sorted(
        (note.line or 0, note.opens) for note in deck_list.notes if note.code is NoteCode.HEADING
    )
    starts = sorted([*remarks, *((line, "") for line, _opens in headings)])

    def last(marks: list[tuple[int, str]], line: int) -> str:
        at = bisect_right(marks, line, key=lambda mark: mark[0])
        return marks[at - 1][1] if at else ""

    def placed(one: ListEntry) -> ListEntry:
        said = last(starts, one.line or 0)
        own = one.section not in ("", last(headings, one.line or 0))  # “SB: 2x Rats”
        return one._replace(section=said) if said and not own else one

    asked = {said for _line, said in remarks if not placing.is_a_part(said)}
    return replace(deck_list, entries=tuple(map(placed, deck_list.entries))), asked


def _places_of_their_own(snapshot: Snapshot) -> tuple[Where, ...]:
    """What the leader is, and the cards of each part beside the deck."""
    said = (snapshot.leader, *(part.takes for part in snapshot.sections[1:]))
    return tuple(one for one in said if one is not None)


def _is_the_deck(section: str) -> bool:
    word = (word_of(section) or _announced(section)) if section else None
    return word is not None and word.role is Role.MAIN


def _is_beside_by(section: str) -> bool:
    word = word_of(section)
    return word is not None and word.role in (Role.PART, Role.ASIDE)


def _announced(section: str) -> Word | None:
    """“Here is my deck”, “anbei meine Liste”: the deck, in words that say nothing else of it."""
    *others, last = fold(section).split(" ")
    if not others or not _ANNOUNCING.issuperset(others):
        return None
    word = word_of("deck" if last in _LISTS else last)
    return word if word is not None and word.role is Role.MAIN else None


_LISTS = ("list", "liste", "lista", "lijst")
_ANNOUNCING = frozenset({
    "here", "is", "s", "my", "the", "this", "our", "final", "anbei", "hier", "ist", "mein", "meine", "das", "die",
    "voici",
    "ma", "mon", "la", "le", "ci", "joint", "aqui", "esta", "este", "mi", "el", "es", "ecco", "il", "mio", "mia", "a",
    "meu", "minha", "제", "내", "저의",
})  # fmt: skip


def _is_beside(section: Section) -> bool:
    words = map(word_of, section.names)
    return any(word is not None and word.role is Role.PART for word in words)


class _Placing:
    def __init__(self, deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> None:
        self.deck_list = deck_list
        self.snapshot = snapshot
        self.catalog = catalog
        names = snapshot.memo.get("names-of-parts")
        if names is None:
            names = snapshot.memo["names-of-parts"] = {
                shorthand(name): name for section in snapshot.sections for name in section.names
            }
        self.names: dict[str, str] = names
        self.places = _places_of_their_own(snapshot)

    def part(self, section: str) -> str | None:
        """What the format calls the section, or the section itself where its cards say where they belong; else None."""
        if (named := self.names.get(shorthand(section))) is not None:
            return section if fold(section) == named else named
        if fold(section) == fold(self.deck_list.name):
            return section
        word = word_of(section) or self._word_within(section) or _announced(section)
        if word is None and (outside := self._aside_within(section)):
            return outside
        if word is None:
            return section if self._said_by_the_game(section) else None
        if word.role in (Role.KIND, Role.THEME):
            return section
        aside = spellings_set_aside() if word.role is Role.ASIDE else frozenset()
        spellings = (*sorted(word.spellings), *sorted(aside))
        mine = next((self.names[one] for one in spellings if one in self.names), "")
        return mine or (section if word.role is Role.MAIN else None)

    def is_known(self, words: str) -> bool:
        """Whether words over cards are a heading that somebody or the game knows."""
        return self._said_by_the_game(words) or word_of(words) is not None or self.is_a_part(words)

    def is_a_part(self, section: str) -> bool:
        return shorthand(section) in self.names

    def is_of_the_deck(self, remark: str) -> bool:
        """Whether a remark over cards says of which kind they are, or what for, and nothing of where."""
        if self.is_a_part(remark) or self.part(remark) is None:
            return False
        word = word_of(remark) or self._word_within(remark)
        return not self._aside_within(remark) and (word is None or word.role not in (Role.PART, Role.ASIDE))

    def leads(self, entry: ListEntry) -> bool:
        """Whether it is the card that leads the deck, or one of a part of its own, under “Deck”: a heading over the
        whole list doesn't say where that one belongs."""
        if not self.places or entry.line is None or not _is_the_deck(entry.section):
            return False
        card = card_of(entry, self.snapshot, self.catalog)
        return card is not None and any(one.holds(card.facts) for one in self.places)

    def _word_within(self, section: str) -> Word | None:
        """“Sideboard (Hastur)”, “Maybe: events”: the part that the first word of several names."""
        found = (word for piece in _pieces(section) if (word := word_of(piece)) is not None)
        return next((word for word in found if word.role in (Role.PART, Role.ASIDE)), None)

    def _aside_within(self, section: str) -> str:
        """“Rookery plots”: what the format sets aside, by the first word of several."""
        asides = (one for one in self.snapshot.sections if one.outside and one.takes is None)
        names = {shorthand(name): name for one in asides for name in one.names}
        return next((names[key] for piece in _pieces(section) if (key := shorthand(piece)) in names), "")

    def _said_by_the_game(self, section: str) -> bool:
        """Whether it is made of words for kinds, factions, sets or cards of the game, and of numbers."""
        words = fold(section).split(" ")
        if any(map(str.isdecimal, words)) and all(one in _MEASURES or one.isdecimal() for one in words):
            return any(map(_MEASURES.__contains__, words))  # “1 drops”, “Cost 2”
        if len(words) > MOST_WORDS or all(one in _BESIDE or one.isdecimal() for one in words):
            return False
        reached = [True, *[False] * len(words)]  # whether the first n words can be parted into known ones
        for end in range(1, len(words) + 1):
            reached[end] = any(
                reached[start] and self._known(" ".join(words[start:end])) for start in range(end)
            )
        return reached[-1]

    def _known(self, key: str) -> bool:
        if key.isdecimal() or key in _BESIDE or word_of(key) is not None:
            return True
        catalog = self.catalog
        return bool(
            key in self.names
            or catalog.kinds(key)
            or key in self.snapshot.packs
            or key in catalog.sets_of("")
            or catalog.get(key)
        )

    def is_title(self, section: str) -> bool:
        """Whether it is what the deck is called: it stands over the whole list, or over all that is not set apart."""
        sections = [entry.section for entry in self.deck_list.entries]
        if all(one == section for one in sections):
            return True
        plain = any(
            note.code is NoteCode.HEADING and note.text.startswith(section) for note in self.deck_list.notes
        )  # “# my list”, a remark, may stand below what leads the deck
        others = {one.section for one in self.deck_list.entries if plain or not self._has_a_place(one)} - {
            section
        }
        return all(map(self._is_apart, others)) and not self._opened_elsewhere(section)

    def _is_apart(self, section: str) -> bool:
        """Whether it is a part beside the deck: one of the format's, or by a word for cards that are elsewhere."""
        if self.is_a_part(section):
            return not self._opens_the_deck(section)
        word = word_of(section) or self._word_within(section)
        return word is not None and word.role in (Role.PART, Role.ASIDE)

    def _opened_elsewhere(self, section: str) -> bool:
        """Whether the list says where its deck is, be it over further headings alone."""
        headings = (note.opens for note in self.deck_list.notes if note.code is NoteCode.HEADING)
        return any(one != section and self._opens_the_deck(one) for one in headings if one)

    def _has_a_place(self, entry: ListEntry) -> bool:
        """Whether it stands above without a heading, as what leads the deck does."""
        if entry.section or not self.places:
            return False
        card = card_of(entry, self.snapshot, self.catalog)
        return card is not None and any(one.holds(card.facts) for one in self.places)

    def _opens_the_deck(self, section: str) -> bool:
        return _is_the_deck(section) or fold(section) in self.snapshot.sections[0].names

    def line_of(self, section: str) -> int | None:
        """The line of the heading; the first card's where the list has none."""
        for note in self.deck_list.notes:
            heads = note.code in (NoteCode.HEADING, NoteCode.UNCOUNTED_LINE) or note.opens == section
            if heads and section in note.text:
                return note.line
        return next((entry.line for entry in self.deck_list.entries if entry.section == section), None)


MOST_WORDS = 8
_MEASURES = frozenset(
    {"cost", "costs", "drop", "drops", "level", "levels", "lvl", "xp", "tier", "rank", "and", "of"}
)
_PIECE = re.compile(r"\s*[/&,+|()\[\]:–—-]\s*|\s+")
_BESIDE = frozenset({  # words beside those that mean something
    "s", "of", "the", "and", "or", "my", "x", "level", "levels", "lvl", "cost", "costs", "drop", "drops", "xp", "tier",
    "rank", "card", "copies", "und", "et", "y", "e", "de", "deck", "with", "without", "in", "for", "faction",
    "factions",
})  # fmt: skip


@lru_cache(maxsize=2_000)
def _pieces(section: str) -> tuple[str, ...]:
    words = [piece for piece in _PIECE.split(section) if piece]
    pairs = (" ".join(words[at : at + 2]) for at in range(len(words) - 1))
    return (*words, *pairs) if len(words) > 1 else ()


def judged_both_ways(
    report: Report,
    deck: Deck,
    sections: Iterable[str],
    doubted: Iterable[str],
    check: Callable[[Deck], Report],
) -> Report:
    """The report on the deck with the doubtful cards in it; a finding is certain only if it stands without them too.

    sections: of each entry of the deck, as the list has it; doubted: those nobody knows.
    """
    unsure = set(doubted)
    sure = zip(deck.entries, sections, strict=True)
    without = check(replace(deck, entries=tuple(entry for entry, section in sure if section not in unsure)))
    return Report.of(
        (
            one if one.severity is not Severity.ILLEGAL or _stands(one, without.findings) else _lowered(one)
            for one in report.findings
        ),
        report.snapshot,
        report.catalog,
    )


def _stands(finding: Finding, others: Iterable[Finding]) -> bool:
    """Whether another check found the same fault: of cards that are all among this one's."""
    names = {card.name for card in finding.cards}
    return any(
        (one.code, one.rule, one.severity) == (finding.code, finding.rule, finding.severity)
        and bool(one.cards) == bool(names)
        and names.issuperset(card.name for card in one.cards)
        for one in others
    )


def _lowered(finding: Finding) -> Finding:
    return finding._replace(severity=Severity.UNVERIFIED)
