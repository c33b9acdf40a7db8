"""Most decks are legal without any finding: recognizes them without asking every rule about every card."""

from decks.legality.deck import Card, Catalog, Deck, DeckEntry
from decks.legality.snapshot import Budget, Cap, Choice, Exclusion, Snapshot
from decks.legality.tally import number


def plainly_legal(deck: Deck, screen: "Screen", catalog: Catalog) -> bool:
    """Whether there is nothing to say: known cards of which no rule speaks, few copies, fitting sizes.

    Most decks are such. False says nothing.
    """
    sections = screen.sections.copy()
    counts: dict[str, int] = {}
    restricted: dict[int, str] = {}
    known = screen.cards_of(catalog)
    for count, _name, key, card, section, _line, _suggestions, _free, _guessed in deck.entries:
        sections[section] += count
        kind = known.get(key)
        if kind is None:
            kind = screen.kind_of(card, key, known)
        if kind != ORDINARY:
            if kind < 0:
                return False
            # On one list that allows one title: fine as long as no other title of it comes.
            if restricted.setdefault(kind, key) != key:
                return False
        counts[key] = counts[key] + count if key in counts else count
    if not counts or max(counts.values()) > screen.copies:
        return False
    return all(low <= sections[key] <= high for key, low, high in screen.sizes)


ORDINARY, REMARKABLE = 0, -1


class Screen:
    """Which cards of a catalog no rule of a snapshot speaks of but those on sizes and copies.

    possible: the snapshot has no other rules, so that a deck of such cards is legal at a glance.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.copies = snapshot.copies.maximum
        self.sections = {section.key: 0 for section in snapshot.sections}
        self.possible = not (
            snapshot.doubt
            or snapshot.leader
            or snapshot.quotas
            or snapshot.matches
            or snapshot.scales
            or snapshot.slots
            or snapshot.budgets
            or snapshot.copies.per
            or snapshot.copies.held
            or any(rule.sections for rule in snapshot.exclusions)
            or any(s.uncounted or s.size_choice or s.copies is not None for s in snapshot.sections)
        )
        endless = 1_000_000_000
        # A card set aside would be counted among the copies: such decks go the long way.
        self.sizes = [
            (
                section.key,
                section.minimum or 0,
                0 if section.outside else endless if section.maximum is None else section.maximum,
            )
            for section in snapshot.sections
        ]
        self.choices = [rule for rule in snapshot.restrictions if isinstance(rule, Choice)]
        self.caps = [rule for rule in snapshot.restrictions if isinstance(rule, Cap)]
        self.budgets = [rule for rule in snapshot.restrictions if isinstance(rule, Budget)]
        listed = [rule for rule in snapshot.restrictions if isinstance(rule, Exclusion)]
        self.exclusions = [*snapshot.exclusions, *listed]
        self.known: dict[tuple[str, bool], dict[str, int]] = {}

    def cards_of(self, catalog: Catalog) -> dict[str, int]:
        """What is known so far of this catalog's cards: key -> ORDINARY, REMARKABLE, or its one list."""
        version = (catalog.version, catalog.partial)
        if version not in self.known:
            self.known[version] = {}
        return self.known[version]

    def remarkable(self, entries: dict[str, DeckEntry], catalog: Catalog) -> dict[str, DeckEntry]:
        """The entries of which some rule but one list speaks. A leader may change what a card is: then all of them."""
        if self.snapshot.leader:
            return entries
        known = self.cards_of(catalog)
        return {
            key: entry
            for key, entry in entries.items()
            if (known[key] if key in known else self.kind_of(entry.card, key, known)) == REMARKABLE
        }

    def kind_of(self, card: Card | None, key: str, known: dict[str, int]) -> int:
        """The card's kind, remembered for known cards."""
        kind = self._kind_of(card, key)
        if card is not None:
            known[key] = kind
        return kind

    def _kind_of(self, card: Card | None, key: str) -> int:
        copies = self.snapshot.copies
        if (
            card is None
            or "versions" in card.facts
            or ((own := copies.own.get(key)) and own.maximum is not None and own.maximum < copies.maximum)
            or number(card.facts.get(copies.fact), copies.maximum) < copies.maximum
            or any(kind.where.holds(card.facts) for kind in copies.kinds)
            or any(not kind.blank_is_fine and kind.where.undecided(card.facts) for kind in copies.kinds)
            or any(key in cap.maximum for cap in self.caps)
            or any(key in rule.points or rule.facts for rule in self.budgets)
            or any(rule.where.holds(card.facts) for rule in self.exclusions)
            or any(not rule.blank_is_fine and rule.where.undecided(card.facts) for rule in self.exclusions)
        ):
            return REMARKABLE
        on = [place for place, rule in enumerate(self.choices, start=1) if key in rule.titles | rule.beside]
        if not on:
            return ORDINARY
        only = self.choices[on[0] - 1]
        return on[0] if len(on) == 1 and only.maximum == 1 and not only.beside else REMARKABLE
