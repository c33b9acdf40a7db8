"""What a reader left open is settled with the catalog: lines without a count, headings that are cards, one line's
several names. Nothing is guessed silently: each leaves a note, or a finding that somebody has to look."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from decks.legality import Card, Catalog, Deck, Snapshot, UnreadLine, card_of
from decks.lists import DeckList, Limits, ListEntry, Note, NoteCode, fold, shorthand
from decks.lists.card_lines import IN_DOUBT, STRUCK, count_behind, count_in_words
from decks.lists.names import split_name
from decks.lists.vocabulary import Role, names_a_part, says_about, word_of

Settled = tuple[DeckList, list[UnreadLine]]
WRITTEN = ("text", "specs")  # the kinds that people write; files of programs leave nothing open


def settled_by(deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> Settled:
    """The list with every line an entry, a remark, or an unread line."""
    if deck_list.kind not in WRITTEN:
        unread = [one for one in deck_list.notes if one.code is NoteCode.UNREAD_LINE]
        return deck_list, [UnreadLine(one.line, one.text[:200], one.message) for one in unread]
    return _Settling(deck_list, snapshot, catalog).done()


def printings_doubted(
    entries: Iterable[ListEntry], deck: Deck, snapshot: Snapshot, catalog: Catalog
) -> list[Note]:
    """A remark for each card that the list says is of a set it was not printed in: another card may have been meant."""
    named_so = snapshot.packs
    known = {named_so.get(one, one) for one in catalog.sets_of("")}
    notes = []
    for written, entry in zip(entries, deck.entries, strict=True):
        if not written.hint or entry.card is None:
            continue
        said = fold(_NUMBER.sub("", written.hint))
        named = named_so.get(said, said)
        printed = {named_so.get(one, one) for one in catalog.sets_of(entry.key)}
        if named in known and printed and named not in printed:
            message = f"The card data knows {entry.name} in another set; the printing makes no difference."
            notes.append(Note(NoteCode.COMMENT, message, written.line, f"{written.name} ({written.hint})"))
    return notes


_NUMBER = re.compile(r"[ #]*[A-Za-z]?\d+[a-z]?$")
_BRACKETS_AT_THE_END = re.compile(r"\(([^()]{3,60})\)$")
_EITHER = re.compile(r" ?[/,;|+&] ?| (?:or|and|oder|und|ou|et|o|y|e) ", re.I)
_EACH = re.compile(r"^(?:of )?each(?: of)? ?:? ", re.I)
_LOST = re.compile(r"\w[?�]+ ?\w|�")  # a letter that an encoding did not have
_SAID_OF_IT = re.compile(r"^(.+?)(?:, | [-–—/@|~] | in )(\S.*)$")  # “Name, Core Set”, “Name - Core 12”
_OPEN = (NoteCode.UNREAD_LINE, NoteCode.UNCOUNTED_LINE, NoteCode.HEADING)
# "Stronghold: ...", "Specs: Fire, Growth": what stands before the colon may be a part of the deck.
_SAID = re.compile(r"^([^\W\d][\w' -]{0,40}?) ?: ?(\S.*)$")
_DASHED = re.compile(r"^([^\W\d][\w' ]{0,20}) [-–—] (\S.*)$")  # “Air - Name”
_BETWEEN = re.compile(r" ?[,;/+&|] ?|\. | and | with ")
_JOINED = re.compile(r"[,;/+&|:]| and |\w[ -]\w")
_TITLE = re.compile(r"^# ?(?=\w)")  # "# Roland Banks", as a page of text has its title
# “-1 Rats”, “[s]2x Rats[/s]”: a line with a card and a count, though not one that could be read.
_COUNTED = re.compile(rf"^[+-]?\d+ ?[xX×]? ?[^\W\d]|.{{0,20}}?(?:{STRUCK.pattern})", re.I)
_OF_CARDS = re.compile(rf".*:|[+-]?\d|{_COUNTED.pattern}", re.I)  # it can't be the heading of those below
_MARKS = re.compile(r"[*_#]+")
_ASIDE = re.compile(r" [-–—|/] |[:(),] ?")  # “Zoey Samaras - Dunwich”: beside the card in a title
_COUNT_IN_FRONT = re.compile(r"^(\d{1,2}) ?[xX×]? ([+~±-].+)$")
_ARTICLE = re.compile(r"^(?:the|an?|my) (?=\w)", re.I)
_WORDS = re.compile(r"[\s,;/+&|-]+")
MOST_IN_ONE = 12
SHORTHAND_MAX = 60  # characters
UNKNOWN_MAX = 200  # lines nobody knows are taken apart; a list with more is no deck of the game
_DOUBTED = "a question mark stands behind it; it isn’t clear whether it is in the deck."
_ALSO_A_CARD = "read as a heading or the deck's name, but it is also a card's name."
_A_LIST = ("deck", "decklist", "list")  # “Guardian deck”, beside the list's name


def _entry(text: str, count: int = 1, section: str = "", line: int | None = None) -> ListEntry:
    name, hint = split_name(text[:400], LONG, line)
    return ListEntry(count, name, hint, section, line)


LONG = Limits(name_length=400)


class _Settling:
    def __init__(self, deck_list: DeckList, snapshot: Snapshot, catalog: Catalog) -> None:
        self.deck_list = deck_list
        self.snapshot = snapshot
        self.catalog = catalog
        self.entries: list[ListEntry] = []
        self.notes: list[Note] = []
        self.unread: list[UnreadLine] = []
        self.moved: dict[int, str] = {}  # line -> the section it belongs to after all
        self.opens = {note.line or 0: note.opens for note in deck_list.notes if note.code is NoteCode.HEADING}
        self.headings = sorted(self.opens)
        self.by_line: dict[int, list[ListEntry]] = {}
        for entry in deck_list.entries:
            self.by_line.setdefault(entry.line or 0, []).append(entry)
        self.lines = sorted(self.by_line)
        self.single: set[int] = set()  # lines of a card without a count
        self.refuted: set[int] = set()  # lines that are no headings after all
        self.left = UNKNOWN_MAX
        self.names = frozenset(name for section in snapshot.sections for name in section.names)
        # The cards of which the format asks for some, wherever they stand in the list.
        self._wanted = [
            quota.where
            for quota in snapshot.quotas
            if quota.minimum and (quota.sections or quota.minimum == quota.maximum)
        ] + ([snapshot.leader] if snapshot.leader is not None else [])
        self._found: dict[tuple[str, str, str], Card | None] = {}

    def done(self) -> Settled:
        self._mend_names_on_two_lines()
        self._open_what_says_its_sum()
        self.entries = [
            one
            for entry in self._after_the_name()
            if (printed := self._as_printed(entry)) is not None
            for one in self._apart(printed)
        ]
        first, last = min(self.lines, default=0), max(self.lines, default=0)
        for note in self.deck_list.notes:
            self.notes += (
                self._settle(note, around=not first < (note.line or 0) < last)
                if note.code in _OPEN
                else [note]
            )
        self.notes = [
            one for one in self.notes if one.code is not NoteCode.WRONG_TOTAL or one.line not in self.refuted
        ]
        self._demanded_by_name()
        self._without_what_is_named()
        self.entries = [
            one._replace(section=self.moved[one.line]) if one.line in self.moved else one
            for one in self.entries
        ]
        choices = {**self.deck_list.choices, **self._choices()}
        self.entries.sort(key=lambda entry: entry.line or 0)
        changed = replace(
            self.deck_list, entries=tuple(self.entries), notes=tuple(self.notes), choices=choices
        )
        return changed, self.unread

    def _mend_names_on_two_lines(self) -> None:
        """“3x Government” and “Exorcist” under it, of a page that is too narrow."""
        open_ = {
            note.line: note
            for note in self.deck_list.notes
            if note.code is NoteCode.UNREAD_LINE and note.line
        }
        entries, whole = list(self.deck_list.entries), set()
        for at, entry in enumerate(entries):
            rest = open_.get((entry.line or 0) + 1)
            if rest is None or entry.hint or len(self.by_line[entry.line or 0]) != 1:
                continue
            longer = entry._replace(name=f"{entry.name} {rest.text}")
            known, of = (self._card_of(one) for one in (entry, longer))
            if known is None and of is not None and len(longer.name) <= LONG.name_length:
                entries[at] = longer
                whole.add(rest.line)
        if whole:
            notes = (
                replace(one, code=NoteCode.COMMENT, message="The rest of the name above.")
                if one.line in whole
                else one
                for one in self.deck_list.notes
            )
            self.deck_list = replace(self.deck_list, entries=tuple(entries), notes=tuple(notes))

    def _open_what_says_its_sum(self) -> None:
        """“Lent to Bo 2” above two cards, over them alone: no card is called so, and it says how many there are."""
        if self.catalog.partial:
            return
        found = [
            one
            for line, (one, *more) in self.by_line.items()
            if not more
            and not one.id
            and not one.hint
            and line - 1 not in self.by_line
            and one.count == sum(below.count for below in self._under_any(line))
            and not self._cards_of(one.name)
            and not self._near(one.name)
        ]
        for one in found:
            self.notes.append(self._opened(Note(NoteCode.HEADING, "", one.line, one.name, one.name)))
        if found:
            kept = tuple(one for one in self.deck_list.entries if not any(one is two for two in found))
            self.deck_list = replace(self.deck_list, entries=kept)

    def _are_several(self, name: str) -> bool:
        """“Rats or Dogs”, “Rats, Dogs” behind one count above one."""
        parts = [part for part in _EITHER.split(_EACH.sub("", name)) if part]
        return len(parts) > 1 and all(self._card(part) for part in parts)

    def _is_doubted(self, entry: ListEntry) -> bool:
        """“1x Rats?”, of a card whose title asks nothing."""
        if not entry.name.endswith("?") or entry.id:
            return False
        card = self._card(entry.name.rstrip("? "))
        return card is not None and not card.title.endswith("?") and "?" not in entry.name.rstrip("? ")

    def _in_two_languages(self, name: str) -> str | None:
        """“稲妻/Lightning Bolt”: the one of two names, in different letters, that is a card."""
        parts = [part.strip(" 《》「」『』【】") for part in name.split("/")]
        if len(parts) != 2 or not all(parts) or parts[0].isascii() == parts[1].isascii():
            return None
        return next((one for one in parts if one.isascii() and self._card(one)), None)

    def _as_printed(self, entry: ListEntry) -> ListEntry | None:
        """“Name, Core Set” with its set as such, and “Meish?d? Wielder” with the letters that were lost on the way."""
        if self._is_doubted(entry):
            self.unread.append(UnreadLine(entry.line, f"{entry.count} {entry.name}"[:200], _DOUBTED))
            return None
        lost = _LOST.search(entry.name)
        if not (lost or _SAID_OF_IT.search(entry.name) or _EITHER.search(entry.name)) or self.left <= 0:
            return entry
        if entry.id or self._card_of(entry) is not None:
            return entry
        self.left -= 1
        if entry.count > 1 and self._are_several(entry.name):
            message = "it names several cards; it isn’t clear how many of each are in the deck."
            self.unread.append(UnreadLine(entry.line, f"{entry.count} {entry.name}"[:200], message))
            return None
        if (own := self._in_two_languages(entry.name)) is not None:
            return entry._replace(name=own)
        if found := _SAID_OF_IT.match(entry.name):
            said = fold(_NUMBER.sub("", found[2]))
            shorter = entry._replace(name=found[1], hint=f"{found[2]} {entry.hint}".strip())
            known = said in self.snapshot.packs or said in self.catalog.sets_of("")
            if known and self._card_of(shorter) is not None:
                return shorter
        if lost:
            form = re.compile(re.sub(r"(?:\\\?|�)+", r"\\w{1,4}", re.escape(entry.name)), re.I)
            near = [title for title in self.catalog.suggest(fold(entry.name)) if form.fullmatch(title)]
            if len(near) == 1:
                message = f"Letters are lost; read as {near[0]}."
                self.notes.append(Note(NoteCode.COMMENT, message, entry.line, entry.name))
                return entry._replace(name=near[0])
        return entry

    def _after_the_name(self) -> tuple[ListEntry, ...]:
        """Where no line has a count, the first may be the deck's name: with every card of the game at hand we know."""
        entries = self.deck_list.entries
        if self.catalog.partial or self.deck_list.name or len(entries) < 2:
            return entries
        first = entries[0]
        single = first.count == 1 and not first.id and any(one.line is None for one in self.deck_list.notes)
        if not single or self._cards_of(first.name) or self._near(first.name):
            return entries
        self.deck_list = replace(self.deck_list, name=first.name)
        return entries[1:]

    def _card(self, text: str) -> Card | None:
        return self._card_of(_entry(text))

    def _card_of(self, entry: ListEntry) -> Card | None:
        """Of the same words once: every question about the whole list asks for all its cards."""
        said = (entry.name, entry.hint, entry.id)
        if said not in self._found:
            self._found[said] = card_of(entry, self.snapshot, self.catalog)
        return self._found[said]

    # --- one line

    def _settle(self, note: Note, *, around: bool) -> Iterator[Note]:
        text = note.text
        if note.code is NoteCode.HEADING:
            yield from self._heading(note)
        elif note.code is NoteCode.UNCOUNTED_LINE:
            if found := self._counted_aside(text):
                yield self._taken(note, found)
            elif self._card(text) and not self._stands_over_its_own(text, note.line or 0):
                at = note.line or 0
                if self._demanded([text]) or self._has_a_place(text, at) or self._is_in_a_row(at):
                    self._give_back(note)
                    yield self._taken(note, [(1, text)])
                else:
                    self.unread.append(UnreadLine(note.line, text, _ALSO_A_CARD))
                    yield note
            else:
                yield note
        elif IN_DOUBT.search(text):
            self.unread.append(UnreadLine(note.line, text[:200], _DOUBTED))
            yield note
        elif self._is_kind(text) and not self._card(text):
            yield self._opened(note)
        elif found := self._sign_in_its_name(text) or self._cards_of(text):
            if self._is_named_again(found):
                yield replace(note, code=NoteCode.COMMENT, message="Already named above.")
            else:
                yield self._taken(note, found)
        elif (
            self._says_about(note.line or 0, text)
            or (around and fold(text).split(" ")[-1] in _A_LIST)
            or (around and len(text.split()) > 1 and not _COUNTED.match(text) and not self._near(text))
        ):
            yield replace(note, code=NoteCode.COMMENT, message="Read as a remark.")
        elif self._is_over_cards(note.line or 0) and not self.catalog.partial and not self._near(text):
            # With every card of the game at hand, a line that is none and has cards right under it is their heading.
            yield self._opened(note)
        else:
            self.unread.append(UnreadLine(note.line, text[:200], note.message))
            if self._is_over_cards(note.line or 0) and not _OF_CARDS.match(text):
                self._opened(note)  # or a card: it is asked about, and they may be beside the deck
            yield note

    def _sign_in_its_name(self, text: str) -> list[tuple[int, str]]:
        """“4 +2 Mace”, no unsettled count where a card is called “+2 Mace”."""
        found = _COUNT_IN_FRONT.match(text)
        card = self.catalog.named(found[2]) if found else None
        return (
            [(int(found[1]), card.title)] if found and card and card.title.lower() == found[2].lower() else []
        )

    def _says_about(self, at: int, text: str) -> bool:
        """“Event: Store Open”, of the player or the event; beside other such lines also where it is like a card."""
        if not _is_about(text):
            return False
        said, others = _SAID.match(text), {note.line for note in self.deck_list.notes if _is_about(note.text)}
        return (
            {at - 1, at + 1} & others != set()
            or said is None
            or fold(said[1]) not in self.names
            or not self._near(said[2])
        )

    def _is_over_cards(self, at: int) -> bool:
        return at + 1 in self.by_line

    def _give_back(self, note: Note) -> None:
        """The cards below a line that is a card, and no heading, to the heading above it."""
        for line in range((note.line or 0) + 1, self._until(note.line or 0)):
            if any(one.section == note.text for one in self.by_line.get(line, ())):
                self.moved[line] = self._section_at(note)

    def _opened(self, note: Note) -> Note:
        """The line as the heading of what stands under it."""
        for line in range((note.line or 0) + 1, self._until(note.line or 0)):
            self.moved[line] = note.text
        return replace(note, code=NoteCode.HEADING, message=f"The heading of “{note.text}”.")

    def _cards_of(self, text: str) -> list[tuple[int, str]]:
        """The cards of a line without a count in front; nothing when it is none."""
        if self.catalog.named(text):
            return [(1, text)]
        if titles := self._stands_for(text):
            return [(1, title) for title in titles]
        if found := self._counted_aside(text):
            return found
        if self._card(text):
            return [(1, text)]
        if said := _SAID.match(text):
            part = fold(said[1]).rstrip("0123456789 ") in self.names
            if self._card(said[2]) or (part and not says_about(said[1])):
                return [(1, name) for name in self._several(said[2]) or [said[2]]]
            if titles := self._stands_for(said[2]):
                return [(1, title) for title in titles]
            if names := self._several(said[2]):
                return [(1, name) for name in ((said[1], *names) if self._card(said[1]) else names)]
        if (said := _DASHED.match(text)) and self._is_kind(said[1]) and self._card(said[2]):
            return [(1, said[2])]
        return [(1, name) for name in self._several(text)]

    def _several(self, text: str) -> list[str]:
        """The names of several cards on one line, when every one of them is a card."""
        if self._card(text):
            return []
        for between in (_BETWEEN, _WORDS):
            names = [name for part in between.split(text) if (name := self._unheaded(part.strip(" ()[].")))]
            if 1 < len(names) <= MOST_IN_ONE and all(
                self._card(one) or self._stands_for(one) for one in names
            ):
                return [title for one in names for title in self._stands_for(one) or (one,)]
        return []

    def _unheaded(self, text: str) -> str:
        """“starter: black”, “the black starter” among others of its line: the name alone."""
        said = _SAID.match(text)
        if said and fold(said[1]) in self.names:
            return said[2]
        return text if self._card(text) else _ARTICLE.sub("", text)

    def _stands_for(self, text: str) -> tuple[str, ...]:
        """The titles that a word of the format is short for: “Mono-Green”, “mono green deck”."""
        if not self.snapshot.shorthands or len(text) > SHORTHAND_MAX:
            return ()
        words = fold(text).split(" ")
        if words[-1] == "deck" or words[-1] in self.names:
            words.pop()
        return self.snapshot.shorthands.get(shorthand(" ".join(words)), ())

    def _without_what_is_named(self) -> None:
        """“Mono-Red + Blue starter”: the one card a shorthand brings for a part of the deck gives way to one that the
        list names for it."""
        for titles in self.snapshot.shorthands.values():
            for line in {entry.line for entry in self.entries if entry.name == titles[0]}:
                brought = [one for one in self.entries if one.line == line and one.name in titles]
                if len({one.name for one in brought}) < len(titles):
                    continue
                parts = Counter(self._part(title) for title in titles)
                single = {title for title in titles if parts[self._part(title)] == 1}
                own = [next(one for one in brought if one.name == title) for title in single]
                others = {
                    self._part(one.name) for one in self.entries if not any(one is two for two in brought)
                }
                others |= {self._part(one.name) for one in brought if not any(one is two for two in own)}
                gone = [one for one in own if self._part(one.name) in others]
                self.entries = [one for one in self.entries if not any(one is two for two in gone)]

    def _part(self, text: str) -> str:
        """The part of the deck that takes the card; empty for none."""
        card = self._card(text)
        takes = (one for one in self.snapshot.sections if card and one.takes and one.takes.holds(card.facts))
        return next((one.key for one in takes), "")

    def _counted_aside(self, text: str) -> list[tuple[int, str]]:
        """A card with its count behind it or in words."""
        found = count_behind(text) or count_in_words(text)
        if not found or not 0 < found[1] < 100 or self._card(fold(text)) or not self._card(found[0]):
            return []  # the number may be of the name: “Yoritomo Exp. 2”
        return [(found[1], found[0])]

    def _taken(self, note: Note, cards: list[tuple[int, str]], section: str | None = None) -> Note:
        section = self._section_at(note) if section is None else section
        if (said := _SAID.match(note.text)) and fold(said[1]).rstrip("0123456789 ") in self.names:
            section = said[1].rstrip("0123456789 ")
        self.entries += [_entry(name, count, section, note.line) for count, name in cards]
        self.single.add(note.line or 0)
        told = "No count: read as one copy." if cards[0][0] == 1 else "Read as that many copies."
        return replace(note, code=NoteCode.COMMENT, message=told)

    def _heading(self, note: Note) -> Iterator[Note]:
        """“Museum Curator (3)” with no three cards under it is three copies, not a heading; with three, it may be
        either. Over no card at all, only what names a part or a kind of card is one."""
        at = note.line or 0
        under = self._under(at)
        counted = count_behind(note.text)
        if not counted or self._is_kind(counted[0]) or names_a_part(counted[0]) or _is_about(note.text):
            yield note
            return
        found = self._counted_aside(note.text)
        if counted[1] == 0 and not under:
            yield note  # “Stories (0)”
            return
        if not found and not under:
            self.unread.append(
                UnreadLine(at, note.text[:200], "no card is called so, and none stands under it.")
            )
            yield note
            return
        if not found or found[0][0] == sum(entry.count for entry in under):
            if found and not self._stands_over_its_own(found[0][1], at):
                self.unread.append(UnreadLine(at, note.text[:200], _ALSO_A_CARD))
            yield note
            return
        self.refuted.add(at)
        section = self._section_at(note)
        for line in range(at + 1, self._until(at)):
            self.moved[line] = section
        yield self._taken(note, found, section)

    def _stands_over_its_own(self, text: str, at: int) -> bool:
        """“Fire” over the cards that come with it is their heading, not one more card."""
        card, fact = self._card(text), self.snapshot.expands
        under = [self._card(entry.name) for entry in self._under_any(at)]
        return bool(fact and card and under) and all(
            one is not None and one.facts.get(fact) == card.title for one in under if card
        )

    def _under_any(self, at: int) -> list[ListEntry]:
        """The entries from the next line on, up to a line that has none."""
        found: list[ListEntry] = []
        while at + 1 in self.by_line:
            at += 1
            found += self.by_line[at]
        return found

    def _is_kind(self, text: str) -> bool:
        """Whether it is a part of the deck, or a kind of card ("Hastur", "Events") that lists are sorted by."""
        key = fold(text)
        return key in self.names or bool(self.catalog.kinds(key))

    def _near(self, text: str) -> bool:
        self.left -= 1
        return len(text) < 60 and self.left > 0 and bool(self.catalog.suggest(fold(text)))

    # --- several lines

    def _apart(self, entry: ListEntry) -> list[ListEntry]:
        """“Fire, Growth, Finesse” or “Specs: Fire” on a line without a count: the cards it names."""
        whole = f"{entry.count} {entry.name}"
        if not entry.id and self.catalog.named(whole) and self._card_of(entry) is None:
            message = "No count: the number is part of the name."
            self.notes.append(Note(NoteCode.COMMENT, message, entry.line, whole))
            return [entry._replace(count=1, name=whole)]
        short = entry.count == 1 and not entry.id and self._stands_for(entry.name)
        if entry.count != 1 or entry.id:
            return [entry]
        if not (short or _JOINED.search(entry.name) or self._is_signed_up(entry)):
            return [entry]
        if self._card_of(entry) is not None or self.left <= 0:
            return [entry]
        self.left -= 1
        said = _SAID.match(entry.name)
        if said and _is_about(entry.name) and not self._near(said[2]):
            self.notes.append(Note(NoteCode.COMMENT, "Read as a remark.", entry.line, entry.name))
            return []
        if not short and not _JOINED.search(entry.name):
            self.notes.append(Note(NoteCode.COMMENT, "Read as a remark.", entry.line, entry.name))
            return [_entry(title, 1, entry.section, entry.line) for title in self._stands_for(entry.hint)]
        names = self._cards_of(entry.name)
        if [name for _n, name in names] == [
            entry.name
        ]:  # what stands behind it makes it another card, or none
            return [entry]
        if names and entry.hint and self._card(entry.hint):
            names.append((1, entry.hint))
        section = (
            said[1].rstrip("0123456789 ")
            if said and fold(said[1]).rstrip("0123456789 ") in self.names
            else ""
        )
        return [_entry(name, count, section or entry.section, entry.line) for count, name in names] or [entry]

    def _is_signed_up(self, entry: ListEntry) -> bool:
        """“Ann (Mono White)”: no card's name, and the deck in brackets behind it, where every card is at hand."""
        if self.catalog.partial or not entry.hint or not self._stands_for(entry.hint):
            return False
        return not self._card(entry.name) and not self._near(entry.name)

    def _demanded_by_name(self) -> None:
        """A list that opens with its leader or its stronghold, which the reader took for the deck's name."""
        name = self.deck_list.name or next(
            (_TITLE.sub("", one.text) for one in self.notes if _TITLE.match(one.text)), ""
        )
        found = self._cards_of(name) if name else []
        if not self._demanded([title for _count, title in found]) and not self._is_said_to_be(name, found):
            parts = {part for part in _ASIDE.split(_MARKS.sub("", name)) if self._demanded([part])}
            if len(parts) != 1:
                self._ask_for_the_first(found)
                return
            found = [(1, part) for part in parts]
        said = _SAID.match(name)
        if self._is_doubted(_entry(said[2] if said else name, 1, "", 1)):
            self.unread.append(UnreadLine(1, name[:200], _DOUBTED))
            return
        section = said[1] if said and fold(said[1]) in self.names else ""
        self.entries[:0] = [_entry(title, count, section, 1) for count, title in found]
        if (beside := _BRACKETS_AT_THE_END.search(name)) and self._is_missed(beside[1]):
            self.entries.append(_entry(beside[1], 1, "", 1))
        self.notes.append(Note(NoteCode.COMMENT, "The first line is a card that the deck needs.", 1, name))

    def _is_missed(self, text: str) -> bool:
        """Whether it is a card of a part of its own of which the list has none: “Stronghold (Role)”."""
        card = self._card(text)
        places = [one.takes for one in self.snapshot.sections[1:] if card and one.takes]
        mine = [one for one in places if card and one.holds(card.facts)]
        held = [one.facts for one in self._cards_now()]
        return bool(mine) and not any(one.holds(facts) for one in mine for facts in held)

    def _is_said_to_be(self, name: str, found: list[tuple[int, str]]) -> bool:
        """“Stronghold: Shizuka Toshi”: the line itself says which part of the deck the card is."""
        said = _SAID.match(name)
        if said is None or self._card(said[2]) is None or self._is_named_again(found):
            return False
        word = word_of(said[1])
        return fold(said[1]) in self.names or (word is not None and word.role is Role.KIND)

    def _ask_for_the_first(self, found: list[tuple[int, str]]) -> None:
        """The first line is a leader, and another one stands below, or a card in a row of such lines: nobody calls a
        deck so for sure."""
        if len(found) != 1 or (card := self._card(found[0][1])) is None or self._is_named_again(found):
            return
        if 2 in self.single or any(where.holds(card.facts) for where in self._wanted):
            self.unread.append(UnreadLine(1, found[0][1], _ALSO_A_CARD))

    def _demanded(self, names: list[str]) -> bool:
        """Whether the format asks for a card like these, and the list has none."""
        if not self._wanted:
            return False
        mine = [card.facts for name in names if (card := self._card(name))]
        held = [card.facts for card in self._cards_now()]
        return any(
            any(where.holds(facts) for facts in mine) and not any(where.holds(facts) for facts in held)
            for where in self._wanted
        )

    def _has_a_place(self, text: str, line: int) -> bool:
        """Whether it stands above all the counted cards and is one of a part that has one card and yet has none:
        “Fealty” under “House Stark”."""
        card = self._card(text)
        places = [one for one in self.snapshot.sections if card and one.takes and one.takes.holds(card.facts)]
        if not places or line > min(self.lines, default=0) or places[0].maximum != 1:
            return False
        return not any(places[0].takes and places[0].takes.holds(one.facts) for one in self._cards_now())

    def _is_in_a_row(self, line: int) -> bool:
        """Whether another card stands right above it, in a game without cards that stand for several: one of them."""
        return not self.snapshot.expands and (line - 1 in self.by_line or line - 1 in self.single)

    def _is_named_again(self, found: list[tuple[int, str]]) -> bool:
        """“Investigator: Roland Banks” under the title “Roland Banks”: the one card that the deck needs of its kind."""
        card = self._card(found[0][1])
        if len(found) > 1 or card is None or not any(where.holds(card.facts) for where in self._wanted):
            return False
        return any(one.title == card.title for one in self._cards_now())

    def _cards_now(self) -> Iterator[Card]:
        """The cards of the list so far, without those that it only considers."""
        for entry in self.entries:
            word = word_of(entry.section) if entry.section else None
            if word is not None and word.role is Role.ASIDE:
                continue
            if (card := self._card_of(entry)) is not None:
                yield card

    def _choices(self) -> dict[str, str]:
        """What lines such as “Deck size: 40” choose where the leader's options leave a choice."""
        said = {fold(found[1]): found[2] for note in self.notes if (found := _SAID.match(note.text))}
        leader = self.snapshot.leader
        if not said or leader is None:
            return {}
        facts = next((card.facts for card in self._cards_now() if leader.holds(card.facts)), {})
        chosen = {}
        for option in facts.get("options", ()):
            choice = str(option.get("choice", ""))
            words = (fold(str(option.get("name", ""))), fold(choice), fold(choice).removesuffix(" selected"))
            if choice and (value := next((said[word] for word in words if word in said), "")):
                chosen[choice] = fold(value)
                self.unread = [one for one in self.unread if not _says(one.text, words)]
        if (earned := said.get("xp", said.get("experience", ""))).isdecimal():
            chosen["xp"] = earned
        return chosen

    def _section_at(self, note: Note) -> str:
        """That of the last heading or counted line above it."""
        place = bisect_right(self.lines, note.line or 0)
        above = self.lines[place - 1] if place else 0
        opened = [at for at in self.headings if above < at < (note.line or 0) and at not in self.refuted]
        if opened:
            return self.opens[opened[-1]]
        return self.moved.get(above, self.by_line[above][-1].section) if above else ""

    def _until(self, line: int) -> int:
        """The line of the next heading, or the one behind the last line of the list."""
        place = bisect_right(self.headings, line)
        return self.headings[place] if place < len(self.headings) else max(self.by_line, default=0) + 1

    def _under(self, line: int) -> list[ListEntry]:
        return [entry for at in range(line + 1, self._until(line)) for entry in self.by_line.get(at, ())]


def _says(text: str, words: tuple[str, ...]) -> bool:
    found = _SAID.match(text)
    return found is not None and fold(found[1]) in words


def _is_about(text: str) -> bool:
    """“Player: Ann”, “Format: ...”: of the deck or its player, no card."""
    found = _SAID.match(text)
    return found is not None and says_about(found[1])
