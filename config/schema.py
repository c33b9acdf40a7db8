"""The schema of a data file, each word declared once. The reader, the form, the API and the reference come from it.

A `Kind` reads one place of a document into a value and says in words what is wanted there. A `Record` reads a mapping:
its words, each with a kind, become the arguments of a class. The words stand in the class where it is ours alone
(`record`, `word`), or in a table where the class is of a pure package:

    @record
    class TimePolicy:
        extension_from: int = word(whole(0, 60), default=1, label="Give back interruptions of at least (minutes)")

    SECTION = record_of(Section, {"key": Word(SLUG), "copies": Word(NUMBER, "of one card, here alone")})

What a kind needs to know of the rest of the file is in `Node.scope`. Where words must fit each other the class raises
`Misfit` when it is made, and the error names the place in the file.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Generic, TypeVar, dataclass_transform

from config.nodes import Node

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Misfit(ValueError):
    """Words that do not fit each other. place: the path of the word from the record it was raised in."""

    def __init__(self, place: str, why: str, remedy: str = "") -> None:
        super().__init__(why)
        self.place = place
        self.why = why
        self.remedy = remedy


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[T_co]):
    """read: the value of a place, or UserError; says: what is wanted, for people (“a whole number from 1 to 600”).

    form: the type a form's field gives (`int`, `str`, `bool`); choices: word -> what a page calls it; words: of the
    mapping it reads, or of each one in a list of them.
    """

    read: Callable[..., T_co]
    says: str = ""
    form: type = str
    choices: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, "Word[Any]"] = field(default_factory=dict)


TEXT = Kind(read=Node.text, says="text")
FILLED = Kind(read=Node.filled, says="text")
SLUG = Kind(read=Node.slug, says="a short word of lowercase letters, digits and hyphens")
TRUTH = Kind(read=Node.boolean, says="`true` or `false`", form=bool)
DAY = Kind(read=Node.date, says="a date")
SHARE = Kind(read=Node.share, says="a share such as `1/3`")
NUMBER = Kind(read=Node.number, says="a whole number", form=int)
OF_TYPE: dict[type, Kind[Any]] = {bool: TRUTH, Fraction: SHARE, int: NUMBER}


def whole(least: int, most: int) -> Kind[int]:
    """A whole number between two bounds."""
    return Kind(
        read=lambda node: node.number(least, most), says=f"a whole number from {least} to {most}", form=int
    )


def one_of(choices: Mapping[str, Any], make: Callable[[str], T] = str) -> Kind[T]:  # type: ignore[assignment]
    """One of some words, each with what a page calls it."""
    return Kind(
        read=lambda node: make(node.one_of(choices)),
        says="one of " + ", ".join(f"`{word}`" for word in choices if word),
        choices=choices,
    )


def each(kind: Kind[T], into: Callable[[Iterator[T]], Any] = tuple, *, least: int = 0) -> Kind[Any]:
    """A list of one kind."""
    return Kind(
        read=lambda node: into(kind.read(one) for one in node.elements(least=least)),
        says=f"a list, each {kind.says}",
        words=kind.words,
    )


def by_name(kind: Kind[T], *, key: Kind[str] = TEXT, least: int = 0) -> Kind[dict[str, T]]:
    """Lines of “name: value”. key: of what kind the names are."""

    def read(node: Node) -> dict[str, T]:
        found = {key.read(one.holding(name)): kind.read(one) for name, one in node.items()}
        if len(found) < least:
            raise node.wrong("must have at least one line")
        return found

    return Kind(read=read, says=f"lines of a name with {kind.says}", words=kind.words)


UNSET: Any = object()


@dataclass(frozen=True, slots=True)
class Word(Generic[T]):
    """A word of a mapping. says: what it does, for the reference.

    key: as the file writes it, the attribute's name with hyphens if empty; default: what holds without it (else that
    of the class); required: it must be there although the class has a default.
    label, help: for the form and the page (without a label it is in neither); rows: of a text longer than a line;
    heading: of the part of the page it is in.
    """

    kind: Kind[T]
    says: str = ""
    _: KW_ONLY
    key: str = ""
    default: Any = UNSET
    required: bool = False
    label: Any = ""
    help: Any = ""
    rows: int = 0
    heading: Any = ""


def word(
    kind: Kind[T], says: str = "", *, default: T = UNSET, factory: Callable[[], T] | None = None, **said: Any
) -> T:
    """An attribute of a `record` with its word (see `Word`)."""
    about: Any = {"metadata": {"word": Word(kind, says, **said)}}
    if factory is not None:
        return field(default_factory=factory, **about)
    return field(**about) if default is UNSET else field(default=default, **about)


@dataclass_transform(field_specifiers=(word, field), frozen_default=True, kw_only_default=True)
def record(cls: type[T]) -> type[T]:
    """A frozen dataclass whose attributes are made by `word`."""
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


@dataclass(frozen=True, kw_only=True)
class Record(Kind[T_co]):
    """A mapping that becomes a value; words: attribute -> word. See `record_of`."""


def record_of(
    make: Callable[..., T],
    words: Mapping[str, Word[Any]] | None = None,
    *,
    like: Callable[..., Any] | None = None,
) -> Record[T]:
    """A mapping that becomes `make(**words)`; `words` is left out for a class made by `record`.

    like: whose defaults hold, where `make` only prepares the arguments of another.

    `read(node, **further)` passes on what the file does not say. It raises UserError for a word that is unknown (with
    the nearest), missing, wrong or misfit.
    """
    parameters = inspect.signature(like or make).parameters
    known = {}
    for name, one in (words or words_of(make)).items():
        default = one.default
        if (
            default is UNSET
            and name in parameters
            and parameters[name].default is not inspect.Parameter.empty
        ):
            default = parameters[name].default
        required = one.required or default is UNSET
        known[name] = replace(one, key=one.key or name.replace("_", "-"), default=default, required=required)
    keys = tuple(one.key for one in known.values())

    def read(node: Node, **further: Any) -> T:
        node.only(*keys)
        for name, one in known.items():
            needed = one.required or one.key in node
            further[name] = one.kind.read(node[one.key]) if needed else one.default
        try:
            return make(**further)
        except Misfit as error:
            raise node.at(error.place).wrong(error.why, error.remedy) from error

    return Record(read=read, words=known)


def words_of(cls: Any) -> dict[str, Word[Any]]:
    """The words of a `record` by attribute."""
    return {one.name: one.metadata["word"] for one in fields(cls) if "word" in one.metadata}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word that a form and a page show. path: where it stands in the document (`time.extension-from`), which is what
    an error calls the place; attributes: the way to its value."""

    path: str
    attributes: tuple[str, ...]
    word: Word[Any]
    heading: Any


def leaves(record: Record[Any]) -> Iterator[Leaf]:
    """Every word with a label, those of records within it too, in order."""
    for name, one in record.words.items():
        if isinstance(one.kind, Record):
            for leaf in leaves(one.kind):
                yield Leaf(f"{one.key}.{leaf.path}", (name, *leaf.attributes), leaf.word, one.heading)
        elif one.label:
            yield Leaf(one.key, (name,), one, one.heading)


def table(words: Mapping[str, Word[Any]], *, kinds: bool = False) -> str:
    """The words as a table for the documents, those of records within in their row. kinds: what each holds, too."""

    def said(one: Word[Any]) -> str:
        holds = one.kind.says if kinds and not one.kind.words else ""
        return "; ".join(part for part in (one.says, holds) if part)

    def within(one: Word[Any]) -> str:
        found = one.kind.words.values()
        return ", ".join(f"`{each.key}`" + (f" ({said(each)})" if said(each) else "") for each in found)

    return rows(
        ("word", "says"),
        ((one.key, ": ".join(filter(None, (said(one), within(one))))) for one in words.values()),
    )


def rows(heads: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table for the documents; the first cell of a row is a word of ours."""
    lines = [heads, *([f"`{first}`", *others] for first, *others in cells)]
    made = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join((made[0], "|" + "---|" * len(heads), *made[1:]))
