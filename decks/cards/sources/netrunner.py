"""Netrunner's card files as NetrunnerDB keeps them: pack/*.json (cards), packs.json (names of sets), and under v2 the
formats with their snapshots, card pools and restriction lists.

A card is its title; the same title in several sets is one card. `laws_of` makes a format file of each format: its pools
and lists, and which of them held from when.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

from config.errors import UserError
from decks.cards.index import CardFacts, PrintingFacts
from decks.cards.sources.shapes import Shape
from decks.lists import fold

_NUMBERS = {
    "faction_cost": "influence",
    "deck_limit": "limit",
    "agenda_points": "agenda-points",
    "influence_limit": "influence-limit",
    "minimum_deck_size": "minimum",
    "cost": "cost",
}

# Sets that a pool of the data lacks, though they were played in its time. The final of the world championship of
# October 2019 was played with cards of both; the data names them from the next rotation on.
_LEFT_OUT = {"rotation_2018": ("downfall", "uprising_booster_pack")}

SHAPES = (
    Shape(
        frozenset({"code", "side_code", "pack_code", "title"}),
        {
            "code": "text", "title": "text", "side_code": "text", "pack_code": "text", "type_code": "text",
            "faction_code": "text", "deck_limit": "number", "uniqueness": "flag", "keywords": "text?",
            "faction_cost": "number?", "agenda_points": "number?", "influence_limit": "number?",
            "minimum_deck_size": "number?", "cost": "number?",
        },
    ),
    Shape(
        frozenset({"code", "name", "cycle_code", "date_release"}),
        {"code": "text", "name": "text", "date_release": "day~"},
    ),
)  # fmt: skip


def recognises(name: str, rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, dict) and {"code", "side_code", "pack_code", "title"} <= row.keys() for row in rows
    )


def read(files: Mapping[str, Any]) -> tuple[CardFacts, ...]:
    """The cards of all files already parsed. Raises UserError `bad-catalog` with the card."""
    sets = _names_of_sets(files)
    rows = [
        (name, row)
        for name, content in files.items()
        if content and recognises(name, content)
        for row in content
    ]
    rows.sort(key=lambda one: str(one[1]["code"]))
    short = _short_names(row for _name, row in rows)
    made: dict[str, CardFacts] = {}
    for name, row in rows:
        title = row["title"]
        if not isinstance(title, str) or not fold(title):
            raise UserError("bad-catalog", f"{name}: a card without a title.", place=f"{name}, {row['code']}")
        pack = str(row["pack_code"])
        printing = PrintingFacts(
            sets.get(pack, pack), str(row.get("position", "")), "", str(row["code"]).lower()
        )
        known = made.get(fold(title))
        printings = (*known.printings, printing) if known else (printing,)
        facts = _facts(row)
        if title in short:
            facts["also"] = [short[title]]
        made[fold(title)] = CardFacts(
            title, fold(title), facts, printings
        )  # the newest printing's facts hold
    return tuple(made.values())


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "type": row.get("type_code", ""),
        "side": row["side_code"],
        "faction": row.get("faction_code", ""),
        "unique": bool(row.get("uniqueness")),
    }
    if row.get("keywords"):
        facts["subtypes"] = [word.strip() for word in str(row["keywords"]).split(" - ")]
    return facts | {fact: row[word] for word, fact in _NUMBERS.items() if isinstance(row.get(word), int)}


def _names_of_sets(files: Mapping[str, Any]) -> dict[str, str]:
    """The code of a pack -> its name, from any of the files that says so."""
    found: dict[str, str] = {}
    for content in files.values():
        for row in content if isinstance(content, list) else ():
            if isinstance(row, dict) and isinstance(row.get("name"), str):
                for word in ("code", "legacy_code"):
                    if isinstance(row.get(word), str) and ("date_release" in row or "cycle_code" in row):
                        found.setdefault(row[word], row["name"])
    return found


def _short_names(rows: Iterator[Mapping[str, Any]]) -> dict[str, str]:
    """An identity's title -> the name before its colon, where no other card is called so."""
    titles = {str(row["title"]): str(row.get("type_code")) for row in rows}
    short = {
        title: title.partition(":")[0]
        for title, kind in titles.items()
        if kind == "identity" and ":" in title
    }
    counts: dict[str, int] = {}
    for name in [*short.values(), *(title for title in titles if title not in short)]:
        counts[fold(name)] = counts.get(fold(name), 0) + 1
    return {title: name for title, name in short.items() if counts[fold(name)] == 1}


# --- formats -------------------------------------------------------------------------------------------


def laws_of(files: Mapping[str, Any], cards: tuple[CardFacts, ...]) -> dict[str, dict[str, Any]]:
    """A format file for each format of the data: key -> document. Nothing where the data has no formats."""
    parsed = list(files.values())
    formats = [one for one in parsed if isinstance(one, dict) and isinstance(one.get("snapshots"), list)]
    restrictions = [
        one for one in parsed if isinstance(one, dict) and "format_id" in one and "date_start" in one
    ]
    pools = {
        pool["id"]: pool
        for one in parsed
        if isinstance(one, list)
        for pool in one
        if isinstance(pool, dict) and "card_set_ids" in pool
    }
    sets = {
        row["id"]: row["name"]
        for one in parsed
        if isinstance(one, list)
        for row in one
        if isinstance(row, dict) and "card_cycle_id" in row and "id" in row
    }
    days = {
        row["name"]: date.fromisoformat(row["date_release"])
        for one in parsed
        if isinstance(one, list)
        for row in one
        if isinstance(row, dict) and "card_cycle_id" in row and row.get("date_release")
    }
    titles = {_squeezed(card.title): card.title for card in cards}
    made = {}
    for one in formats:
        law = _Law(one, [r for r in restrictions if r["format_id"] == one["id"]], pools, sets, titles, days)
        made[law.key] = law.document()
    return made


class _Law:
    def __init__(
        self,
        said: Mapping[str, Any],
        restrictions: list[Mapping[str, Any]],
        pools: Mapping[str, Mapping[str, Any]],
        sets: Mapping[str, str],
        titles: Mapping[str, str],
        days: Mapping[str, date],
    ) -> None:
        self.said, self.pools, self.sets, self.titles, self.days = said, pools, sets, titles, days
        self.restrictions = {
            one["id"]: one for one in sorted(restrictions, key=lambda one: one["date_start"])
        }
        self.key = f"netrunner-{str(said['id']).replace('_', '-')}"
        self.lists: dict[str, dict[str, Any]] = {}

    def document(self) -> dict[str, Any]:
        timeline = list(self._timeline())
        for restriction in self.restrictions:  # lists that the format never had in force can be named
            if not any(key.startswith(_slug(restriction)) for key in self.lists):
                self._list("", restriction)
        used = {one["pool"]["of"] for one in self.lists.values() if "pool" in one}
        return {
            "extends": "netrunner",
            "key": self.key,
            "title": f"Netrunner {self.said['name']}",
            "default-on": timeline[-1]["from"],
            "released": {"rule": "NR-POOL-02", "days": dict(sorted(self.days.items()))},
            "pools": {
                pool: sorted(
                    {self.sets.get(one, one) for one in self.pools[pool]["card_set_ids"]}
                    | {self.sets[one] for one in _LEFT_OUT.get(pool, ()) if one in self.sets}
                )
                for pool in sorted(used)
            },
            "lists": self.lists,
            "timeline": timeline,
        }

    def _timeline(self) -> Iterator[dict[str, Any]]:
        """The snapshots by date. One that another format brought along is left out; a year that is mistaken, as the
        list's own day shows, is mended; where the list is younger than its snapshot, what held before is not known."""
        held = ""
        entries: dict[date, dict[str, Any]] = {}
        for one in self.said["snapshots"]:
            if not str(one["id"]).startswith(str(self.said["id"])):
                continue
            since, listed = date.fromisoformat(one["date_start"]), one.get("restriction_id", "")
            pool = one["card_pool_id"]
            own = date.fromisoformat(self.restrictions[listed]["date_start"]) if listed else since
            basis = "as the data of NetrunnerDB says"
            if own > since and (own.month, own.day) == (since.month, since.day):
                since, basis = own, "by the day of its list; the data gives the same day of another year"
            elif own > since:
                doubt = (
                    f"The pool is of this day, the list of {own.isoformat()}; what held between is not known."
                )
                entries[since] = {
                    "from": since,
                    "list": self._list(pool, held),
                    "doubt": doubt,
                    "basis": basis,
                }
                since, basis = own, "by the day of its list"
            held = listed
            entries[since] = {"from": since, "list": self._list(pool, listed), "basis": basis}
        days = sorted(entries)
        if any(
            first >= then for first, then in pairwise(days)
        ):  # pragma: no cover - sorted days of a mapping rise
            raise AssertionError(days)
        yield from (entries[day] for day in days)

    def _list(self, pool: str, restriction: str) -> str:
        """The key of the list of this pool and these restrictions, made when it is new."""
        key = "-with-".join(_slug(part) for part in (restriction, pool) if part)
        if key in self.lists:
            return key
        said = self.restrictions.get(restriction, {})
        name = said.get("name", "")
        pool_name = self.pools[pool].get("name", pool) if pool else ""
        made: dict[str, Any] = {
            "title": " and the pool ".join(part for part in (name, pool_name) if part) or "no list",
            "document": name or pool_name,
        }
        if pool:
            made["pool"] = {"rule": "NR-POOL-01", "fact": "set", "of": pool}
        if said.get("banned"):
            made["banned"] = {"rule": "NR-LIST-01", "titles": self._titles(said["banned"])}
        if kinds := said.get("subtypes", {}).get("banned"):
            made["banned-kinds"] = {
                "rule": "NR-LIST-01",
                "where": {"subtypes": [word.replace("_", " ").title() for word in kinds]},
                "because": f"its subtype is banned by {name}",
            }
        if said.get("restricted"):
            made["restricted"] = {"rule": "NR-LIST-02", "titles": self._titles(said["restricted"])}
        for word, floor in (("universal_faction_cost", None), ("global_penalty", 1)):
            if said.get(word):
                made["surcharge"] = {
                    "rule": "NR-LIST-03" if floor is None else "NR-LIST-04",
                    "on": "over-influence",
                    "extra": self._numbers(said[word]),
                } | ({} if floor is None else {"floor": floor})
        if said.get("points"):
            made["points"] = {
                "rule": "NR-LIST-05",
                "at-most": said["point_limit"],
                "per": "title",
                "points": self._numbers(said["points"]),
            }
        self.lists[key] = made
        return key

    def _titles(self, ids: list[str]) -> list[str]:
        return sorted({self._title(one) for one in ids})

    def _numbers(self, said: Mapping[str, list[str]]) -> dict[str, int]:
        found = {self._title(one): int(number) for number, ids in said.items() for one in ids}
        return dict(sorted(found.items()))

    def _title(self, id: str) -> str:
        """Raises UserError `bad-catalog`: a list that names a card the data does not have would be without effect."""
        if (title := self.titles.get(id.replace("_", ""))) is None:
            raise UserError(
                "bad-catalog", f"A list of {self.said['name']} names “{id}”, which no card is.", place=id
            )
        return title


def _slug(id: str) -> str:
    return id.replace("_", "-")


def _squeezed(title: str) -> str:
    return fold(title).replace(" ", "")
