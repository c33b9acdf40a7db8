"""A place in a data file: the value, its path, and errors that name both."""

import datetime
import re
from collections.abc import Iterable, Iterator
from typing import Any

from config.errors import UserError, nearest


class Node:
    """A value of a YAML document with the path that leads to it. Every reading method raises UserError."""

    def __init__(self, value: Any, file: str, code: str, path: str = "") -> None:
        self.value = value
        self.file = file
        self.code = code
        self.path = path

    def wrong(self, why: str, remedy: str = "") -> UserError:
        where = f"{self.file}: " if not self.path else f"{self.file}, {self.path}: "
        return UserError(self.code, f"{where}{why}.", place=self.path or self.file, remedy=remedy)

    # --- mappings

    def __contains__(self, key: str) -> bool:
        return key in self._mapping()

    def __getitem__(self, key: str) -> "Node":
        if key not in self._mapping():
            raise self.wrong(f"“{key}” is missing")
        return self._child(key, self.value[key])

    def optional(self, key: str, default: Any) -> "Node":
        return self._child(key, self._mapping().get(key, default))

    def only(self, *known: str) -> None:
        """Refuse keys nobody reads: a misspelt one would be silently without effect."""
        for key in self._mapping():
            if key not in known:
                raise self._child(key, None).wrong("this word is not known here", nearest(key, known))

    def items(self) -> Iterator[tuple[str, "Node"]]:
        for key, value in self._mapping().items():
            yield key, self._child(key, value)

    def _mapping(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("there should be “word: value” lines here")
        for key in self.value:
            if not isinstance(key, str):
                raise self.wrong(f"“{key}” should be in quotes")
        return self.value

    def _child(self, key: str, value: Any) -> "Node":
        return Node(value, self.file, self.code, f"{self.path}.{key}" if self.path else key)

    # --- lists

    def items_plain(self) -> dict[str, Any]:
        """The mapping as it stands, its keys checked."""
        return self._mapping()

    def keys(self) -> list[str]:
        return list(self._mapping())

    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def elements(self) -> list["Node"]:
        if not isinstance(self.value, list):
            raise self.wrong("there should be a list here")
        return [
            Node(item, self.file, self.code, f"{self.path}[{position}]")
            for position, item in enumerate(self.value, start=1)
        ]

    # --- single values

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("there should be text here", "Put quotes round it.")
        return self.value

    def slug(self) -> str:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.text()):
            raise self.wrong("only small letters, digits and single hyphens are allowed here")
        return self.text()

    def number(self, *, below: int = 0) -> int:
        if type(self.value) is not int or not below <= self.value <= 1_000_000:
            raise self.wrong("there should be a whole number here")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("there should be true or false here")
        return self.value

    def date(self) -> datetime.date:
        if type(self.value) is not datetime.date:
            raise self.wrong("there should be a date such as 2013-10-18 here")
        return self.value

    def one_of(self, known: Iterable[str], what: str) -> str:
        if self.text() not in known:
            raise self.wrong(f"there is no {what} “{self.text()}”", nearest(self.text(), known))
        return self.text()
