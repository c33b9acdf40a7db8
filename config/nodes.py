"""A node of a data file: the value, its path, and errors that name both."""

import datetime
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from config.errors import UserError, nearest

_SHARE = re.compile(
    r"[+-]?[0-9]{1,18}(\.[0-9]{1,18}|/[0-9]{1,18})?"
)  # not 1e-999999999, which would be computed


class Node:
    """A value of a document with the path that leads to it. Every reading method raises UserError.

    scope: what the file has said so far, for the kinds that need it (`config.schema`).
    """

    def __init__(self, value: Any, file: str, code: str, path: str = "", scope: Any = None) -> None:
        self.value = value
        self.file = file
        self.code = code
        self.path = path
        self.scope = scope

    def wrong(self, why: str, remedy: str = "") -> UserError:
        """why: what is wrong with it, to be read after the place: “must be text”."""
        said = f"{self.file}: {self.path} {why}." if self.path else f"{self.file} {why}."
        return UserError(self.code, said, place=self.path or self.file, remedy=remedy)

    def within(self, scope: Any) -> "Node":
        """The same place, read with other things known."""
        return Node(self.value, self.file, self.code, self.path, scope)

    def holding(self, value: Any) -> "Node":
        """The same place with another value: the name that leads to it, say."""
        return Node(value, self.file, self.code, self.path, self.scope)

    # --- mappings

    def __contains__(self, key: str) -> bool:
        return key in self._mapping()

    def __getitem__(self, key: str) -> "Node":
        if key not in self._mapping():
            raise self.at(key).wrong("is missing")
        return self.at(key, self.value[key])

    def optional(self, key: str, default: Any) -> "Node":
        return self.at(key, self._mapping().get(key, default))

    def only(self, *known: str) -> None:
        """Refuse keys nobody reads: a misspelt one would be silently without effect."""
        for key in self._mapping():
            if key not in known:
                raise self.at(key).wrong("is not a known word", nearest(key, known))

    def items(self) -> Iterator[tuple[str, "Node"]]:
        for key, value in self._mapping().items():
            yield key, self.at(key, value)

    def at(self, key: str, value: Any = None) -> "Node":
        """The place of a key, whether it is there or not."""
        path = f"{self.path}.{key}" if self.path and key else self.path or key
        return Node(value, self.file, self.code, path, self.scope)

    def _mapping(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("must be lines of “word: value”")
        for key in self.value:
            if not isinstance(key, str):
                raise self.wrong(f"has a word that must be in quotes: “{key}”")
        return self.value

    # --- lists

    def plain(self) -> dict[str, Any]:
        """The mapping as it stands, its keys checked."""
        return self._mapping()

    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def elements(self, *, least: int = 0) -> list["Node"]:
        if not isinstance(self.value, list):
            raise self.wrong("must be a list")
        if len(self.value) < least:
            raise self.wrong("must be a list with at least one entry")
        return [
            Node(item, self.file, self.code, f"{self.path}[{position}]", self.scope)
            for position, item in enumerate(self.value, start=1)
        ]

    # --- single values

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("must be text", "Put it in quotes.")
        return self.value

    def filled(self) -> str:
        """Text with something in it, without the space around it."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong("must be text")
        return self.value.strip()

    def slug(self) -> str:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.text()):
            raise self.wrong("must be lowercase letters, digits and single hyphens")
        return self.text()

    def number(self, least: int = 0, most: int = 1_000_000) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            bounds = f" from {least} to {most}" if most < 1_000_000 else ""
            raise self.wrong(f"must be a whole number{bounds}")
        return self.value

    def share(self) -> Fraction:
        """Exact, from 0 to 1: `1/3`, `0.33` or a whole number, given as text; a bare decimal is read digit by digit."""
        try:
            said = str(self.value)
            if not _SHARE.fullmatch(said):
                raise ValueError
            found = Fraction(said)
        except (ValueError, ZeroDivisionError) as error:
            raise self.wrong("must be a number such as 1/3 or 0.33") from error
        if not 0 <= found <= 1:
            raise self.wrong("must be between 0 and 1")
        return found

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("must be true or false")
        return self.value

    def date(self) -> datetime.date:
        if type(self.value) is not datetime.date:
            raise self.wrong("must be a date such as 2013-10-18")
        return self.value

    def one_of(self, known: Iterable[str], what: str = "") -> str:
        """what: the name of what is looked for, such as “rule”, where there may be many."""
        names = list(known)
        if self.value not in names:
            why = (
                f"names no {what} there is: “{self.value}”" if what else f"must be one of {', '.join(names)}"
            )
            raise self.wrong(why, nearest(str(self.value), names))
        return str(self.value)
