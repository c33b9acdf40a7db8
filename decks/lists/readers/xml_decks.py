"""Deck files in XML of other table programs: LackeyCCG's `.dek`, Cockatrice's `.cod`, Magic Online's `.dek`."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, refuse_too_many, split_name
from decks.lists.readers.o8d import STRAY

RANK = 10
READS = (
    Kind("cod", "Cockatrice", ".cod"),
    Kind("lackey", "LackeyCCG", ".dek"),
    Kind("mtgo", "Magic Online", ".dek"),
)
_KINDS = {"cockatrice_deck": "cod", "deck": "lackey", "Deck": "mtgo"}
_SIGNS = ("<cockatrice_deck", "<superzone", "<Cards ")
MAX_DEPTH = 8
# Where the cards of a file stand, and what else may stand beside those places: all that these programs write.
_PLACES = {"cod": "zone", "lackey": "superzone", "mtgo": ""}
_CARDS = {"cod": "card", "lackey": "card", "mtgo": "Cards"}
_BESIDE = {
    "cod": {
        "deckname", "comments", "tags", "bannerCard", "format", "lastLoadedTimestamp", "sideboard_plan",
        "prices", "image",
    },
    "lackey": {"meta"},
    "mtgo": {"NetDeckID", "PreconstructedDeckID", "Name"},
}  # fmt: skip


def recognises(source: str, filename: str) -> bool:
    start = source[:8_000].lstrip()
    return start.startswith("<") and any(sign in start for sign in _SIGNS)


def read(source: str, limits: Limits) -> DeckList:
    """Read a deck. Raises ListError: bad-xml (with the line), not-a-deck, bad-count, too-many-lines."""
    root = _root(source)
    kind = _KINDS.get(root.tag)
    if kind is None:
        raise ListError("not-a-deck", f"The file contains a <{root.tag[:40]}>, not a deck.")
    entries: dict[tuple[str, str, str], int] = {}
    notes: list[Note] = []
    notes += _strange(root, kind)
    notes += _stray(source, root, kind)
    for count, written, section in {"cod": _cockatrice, "lackey": _lackey, "mtgo": _mtgo}[kind](root):
        if not count.strip():
            said = " ".join(written.split())[: limits.name_length]
            notes.append(Note(NoteCode.UNREAD_LINE, "A card without a count.", None, said))
            continue
        try:
            copies = checked_count(count, limits, None)
        except ListError as error:
            said = " ".join(written.split())[: limits.name_length]
            raise ListError(error.code, f"{said}: {error.message}", remedy=error.remedy) from error
        if len(written) > 2 * limits.name_length:
            raise ListError("line-too-long", "A card's name is too long.")
        name, hint = split_name(" ".join(written.split()), limits, None)
        if not name:
            notes.append(Note(NoteCode.UNREAD_LINE, "A card without a name.", None, f"{copies} cards"))
            continue
        known = (name, hint, " ".join(section.split())[: limits.name_length])
        entries[known] = min(entries.get(known, 0) + copies, 1_000_000)
        refuse_too_many(len(entries), "cards", limits)
    for (name, _hint, _section), copies in entries.items():
        if copies > limits.count:
            raise ListError(
                "bad-count",
                f"{copies} copies of {name} are too many for a deck.",
                remedy="Send one deck only.",
            )
    title = " ".join((root.findtext("deckname") or "").split())[: limits.name_length]
    made = tuple(ListEntry(copies, *known) for known, copies in entries.items())
    return DeckList(made, tuple(notes), kind, title)


def _root(source: str) -> Element:
    try:
        root: Element = fromstring(source, forbid_dtd=True)
    except ParseError as error:
        raise ListError(
            "bad-xml",
            f"The file is not complete XML ({error}).",
            line=error.position[0],
            remedy="Export the deck again.",
        ) from error
    except (DefusedXmlException, ValueError, RecursionError) as error:
        raise ListError(
            "bad-xml", "The file declares entities or can’t be read.", remedy="Export the deck again."
        ) from error
    return root


def _strange(root: Element, kind: str) -> Iterator[Note]:
    """What the program does not write and may be cards: it is not left out in silence."""
    place, card = _PLACES[kind], _CARDS[kind]
    for element in root:
        if element.tag == (place or card):
            strange = [one for one in element if place and one.tag != card]
        else:
            strange = [] if element.tag in _BESIDE[kind] else [element]
        for one in strange:
            said = f"<{one.tag}> {' '.join([*one.attrib.values(), *one.itertext()])}"
            yield Note(
                NoteCode.UNREAD_LINE,
                "This is no card as the program writes it.",
                None,
                " ".join(said.split())[:200],
            )


def _stray(source: str, root: Element, kind: str) -> Iterator[Note]:
    """Text between the elements, and comments that hold some: what is left of a card that lost its beginning, or that
    somebody took out."""
    holders = [root, *root.iterfind(_PLACES[kind])] if _PLACES[kind] else [root]
    texts = [one.text for one in holders] + [one.tail for one in root.iter()]
    at = 0
    while (start := source.find("<!--", at)) >= 0 and (end := source.find("-->", start)) >= 0:
        texts += [source[start + 4 : end]] if "<" in source[start + 4 : end] else []
        at = end + 3
    for text in texts:
        if said := " ".join((text or "").split())[:200]:
            yield Note(NoteCode.UNREAD_LINE, STRAY, None, said)


def _cockatrice(root: Element) -> Iterator[tuple[str, str, str]]:
    for zone in root.iterfind("zone"):
        for card in zone.iterfind("card"):
            yield card.get("number", ""), card.get("name") or "", _zone(zone.get("name") or "")


def _lackey(root: Element) -> Iterator[tuple[str, str, str]]:
    """One element a copy."""
    for zone in root.iterfind("superzone"):
        for card in zone.iterfind("card"):
            name = card.find("name")
            yield "1", (name.text or "") if name is not None else "", _zone(zone.get("name") or "")


def _mtgo(root: Element) -> Iterator[tuple[str, str, str]]:
    for card in root.iterfind("Cards"):
        said = (card.get("Sideboard") or "").strip()
        yield card.get("Quantity", ""), card.get("Name") or "", _SIDE.get(said.lower(), said)


# What the program writes, and what others do in its place; any other word is the part that the card is in.
_SIDE = {"": "", "false": "", "0": "", "no": "", "true": "Sideboard", "1": "Sideboard", "yes": "Sideboard"}


def _zone(name: str) -> str:
    return {"main": "", "deck": "", "side": "Sideboard"}.get(name.lower(), name)
