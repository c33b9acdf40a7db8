"""Deck files in XML of other table programs: LackeyCCG's `.dek`, Cockatrice's `.cod`, Magic Online's `.dek`."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from decks.lists.model import DeckList, Kind, Limits, ListEntry, ListError, Note, NoteCode
from decks.lists.names import checked_count, split_name

RANK = 10
READS = (
    Kind("cod", "Cockatrice", ".cod"),
    Kind("lackey", "LackeyCCG", ".dek"),
    Kind("mtgo", "Magic Online", ".dek"),
)
_KINDS = {"cockatrice_deck": "cod", "deck": "lackey", "Deck": "mtgo"}
_SIGNS = ("<cockatrice_deck", "<superzone", "<Cards ")
MAX_DEPTH = 8


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
    for count, written, section in {"cod": _cockatrice, "lackey": _lackey, "mtgo": _mtgo}[kind](root):
        copies = checked_count(count, limits, None)
        if len(written) > 2 * limits.name_length:
            raise ListError("line-too-long", "A card's name is too long.")
        name, hint = split_name(" ".join(written.split()), limits, None)
        if not name:
            notes.append(Note(NoteCode.UNREAD_LINE, "A card without a name.", None, f"{copies} cards"))
            continue
        known = (name, hint, " ".join(section.split())[: limits.name_length])
        entries[known] = min(entries.get(known, 0) + copies, 1_000_000)
        if len(entries) > limits.lines:
            raise ListError("too-many-lines", f"The file has more than {limits.lines:,} cards.")
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


def _cockatrice(root: Element) -> Iterator[tuple[str, str, str]]:
    for zone in root.iterfind("zone"):
        for card in zone.iterfind("card"):
            yield card.get("number") or "1", card.get("name") or "", _zone(zone.get("name") or "")


def _lackey(root: Element) -> Iterator[tuple[str, str, str]]:
    """One element a copy."""
    for zone in root.iterfind("superzone"):
        for card in zone.iterfind("card"):
            name = card.find("name")
            yield "1", (name.text or "") if name is not None else "", _zone(zone.get("name") or "")


def _mtgo(root: Element) -> Iterator[tuple[str, str, str]]:
    for card in root.iterfind("Cards"):
        side = (card.get("Sideboard") or "").lower() == "true"
        yield card.get("Quantity") or "1", card.get("Name") or "", "Sideboard" if side else ""


def _zone(name: str) -> str:
    return {"main": "", "deck": "", "side": "Sideboard"}.get(name.lower(), name)
