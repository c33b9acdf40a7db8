"""The instructions of decks, as code, and the part of a system file that says which piles there are."""

from collections.abc import Mapping
from typing import Any

from rules.engine.base.errors import DataError, unknown
from rules.engine.compiler.blocks import Blocks, typed
from rules.engine.compiler.data import check_keys, mapping
from rules.engine.compiler.shapes import PARTS, instruction
from rules.engine.definitions.model import Pile, Property, System
from rules.engine.machine.piles import SEEN
from rules.engine.operations.piles import Deal, Look, PutBack, Shuffle


def piles_of(system: System, data: Any) -> Mapping[str, Pile]:
    """zone -> its pile: {counts: PLAYER'S NUMBER, place: CARD'S NUMBER, settled: PLAYER'S NUMBER}. Raises DataError."""
    found = {}
    for zone, entry in mapping(data, "piles").items():
        if zone not in system.zones:
            raise unknown("zone", zone, system.zones)
        check_keys(mapping(entry, zone), PARTS["piles"], f"key of {zone}")
        counts = _number(system, entry, "counts", "player", zone)
        place = _number(system, entry, "place", "card", zone)
        settled = _number(system, entry, "settled", "player", zone)
        if (place is None) != (settled is None):
            raise DataError("missing-key", "`place` and `settled` go together", place=zone)
        found[zone] = Pile(zone, counts, place, settled)
    return found


def _number(system: System, entry: Mapping[str, Any], key: str, of: str, zone: str) -> Property | None:
    if key not in entry:
        return None
    prop = system.properties.get(entry[key])
    if prop is None or prop.of != of or prop.type != "number":
        known = [name for name, p in system.properties.items() if p.of == of and p.type == "number"]
        raise unknown(f"number of a {of}", entry[key], known, place=f"{zone}.{key}")
    return prop


class Decks(Blocks):
    """Drawn from, looked at, put back, shuffled.

    moved_before: where the edits of the occurrence have moved each of its roles, as its steps begin.
    """

    moved_before: Mapping[str, str] = {}

    def _pile(self, word: Any, place: str) -> Pile:
        """The pile that is meant; without a word the only one that has an order."""
        ordered = {zone: pile for zone, pile in self.system.piles.items() if pile.ordered}
        if word is None and len(ordered) == 1:
            return next(iter(ordered.values()))
        if word not in ordered:
            raise unknown("pile with an order", word, ordered, place=place)
        return ordered[word]

    @instruction(
        deal={"deal": "expression!", "of": "expression", "from": "word", "to": "word!", "as": "word"}
    )
    def i_deal(self, data: Mapping[str, Any], place: str) -> None:
        zone = str(data["to"])
        if zone not in self.system.zones or zone in self.system.zones_in_play:
            fits = [one for one in self.system.zones if one not in self.system.zones_in_play]
            raise unknown("zone", zone, fits, place=f"{place}.to")
        self.emit(
            Deal(
                self._pile(data.get("from"), f"{place}.from"),
                typed(data.get("of", "you"), self.scope(), "player", f"{place}.of"),
                typed(data["deal"], self.scope(), "number", f"{place}.deal"),
                zone,
                self.system.piles.get(zone),
                self.hidden(),
                self.slot(data["as"], "list") if "as" in data else None,
            )
        )

    @instruction(look={"look": "expression!", "of": "expression", "from": "word", "as": "word"})
    def i_look(self, data: Mapping[str, Any], place: str) -> None:
        if self.chart and "as" not in data:
            text = "only the effect of an ability looks at cards without saying as what"
            raise DataError("bad-instruction", text, place=place)
        self.emit(
            Look(
                self._pile(data.get("from"), f"{place}.from"),
                typed(data.get("of", "you"), self.scope(), "player", f"{place}.of"),
                typed(data["look"], self.scope(), "number", f"{place}.look"),
                self.slot(data.get("as", SEEN), "list"),
            )
        )

    @instruction(place={"place": "expression!", "on": "word!", "in": "word"})
    def i_place(self, data: Mapping[str, Any], place: str) -> None:
        where = data["on"]
        if where not in ("top", "bottom"):
            raise unknown("end of a pile", where, ("top", "bottom"), place=f"{place}.on")
        card = typed(data["place"], self.scope(), "card", f"{place}.place")
        pile = self._pile(data.get("in"), f"{place}.in")
        there = self.moved_before.get(str(data["place"])) == pile.zone
        self.emit(PutBack(pile, card, where == "top", there))

    @instruction(shuffle={"shuffle": "record", "of": "expression"})
    def i_shuffle(self, data: Mapping[str, Any], place: str) -> None:
        of = typed(data.get("of", "you"), self.scope(), "player", f"{place}.of")
        self.emit(Shuffle(self._pile(data.get("shuffle"), f"{place}.shuffle"), of))
