"""Reads a format file. Each error names its place and the nearest valid word.

What the words are stands in `words`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from config import strict_yaml
from config.errors import UserError
from config.nodes import Node
from decks.law.model import Format
from decks.law.words import FORMAT, Scope


def parse(
    text: str | bytes,
    *,
    name: str,
    base: Callable[[str], Mapping[str, Any]] | None = None,
    shipped: bool = False,
) -> Format:
    """A format from its file's text. Raises UserError `bad-yaml` or `bad-format` with the place.

    base: the document of another format by its key, for a file that `extends` it (see `document`); shipped: one of our
    files (see `strict_yaml.load`).
    """
    said = document(text, name=name, base=base, shipped=shipped)
    try:
        return FORMAT.read(Node(said, name, "bad-format", scope=Scope()))
    except UserError as error:  # an editor wants the line, not only the path
        error.details["line"] = strict_yaml.line_of(text, error.place)
        raise


def document(
    text: str | bytes,
    *,
    name: str,
    base: Callable[[str], Mapping[str, Any]] | None = None,
    shipped: bool = False,
) -> dict[str, Any]:
    """The file as data, what it `extends` laid under it: mappings are merged, anything else is replaced."""
    said = strict_yaml.load(text, name=name, shipped=shipped)
    if not isinstance(said, dict) or "extends" not in said:
        return said if isinstance(said, dict) else {"": said}
    node = Node(said, name, "bad-format")["extends"]
    if base is None:
        raise node.wrong("names another format, but a format can’t extend another here")
    return _merged(base(node.text()), {word: value for word, value in said.items() if word != "extends"})


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for word, value in above.items():
        both = isinstance(value, dict) and isinstance(out.get(word), dict)
        out[word] = _merged(out[word], value) if both else value
    return out
