"""Makes a form from a schema (`config.schema`): one field per word with a label, named by its path."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from config.schema import UNSET, Kind, Leaf, Record, Word, leaves


@dataclass(frozen=True, slots=True)
class Part:
    """What a page shows under one heading. fields: those of a line; longer: texts; ticked: yes or no."""

    heading: Any
    fields: tuple[Any, ...]
    longer: tuple[Any, ...]
    ticked: tuple[Any, ...]


def text_field(label: Any, *, rows: int = 0, required: bool = True, help_text: Any = "") -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows, "class": "short"}) if rows else forms.TextInput
    return forms.CharField(
        label=label, required=required, max_length=2000, help_text=help_text, widget=widget
    )


def whole_field(label: Any, *, required: bool = True, help_text: Any = "") -> forms.IntegerField:
    """A whole number; which ones may be is the reader's to say."""
    widget = forms.NumberInput(attrs={"inputmode": "numeric"})
    return forms.IntegerField(label=label, required=required, help_text=help_text, widget=widget)


def field_of(word: Word[Any]) -> forms.Field:
    """The form's field of a word. What may be left empty is what then means the default."""
    required = word.default not in ("", None)
    if word.kind.choices:
        return forms.ChoiceField(
            label=word.label, required=required, choices=list(word.kind.choices.items()), help_text=word.help
        )
    if word.kind.form is bool:
        return forms.BooleanField(label=word.label, required=False, help_text=word.help)
    if word.kind.form is int:
        return whole_field(word.label, required=required, help_text=word.help)
    return text_field(word.label, rows=word.rows, required=required, help_text=word.help)


def fields_of(record: Record[Any]) -> dict[str, forms.Field]:
    """Every word with a label -> its field, by its place."""
    return {leaf.path: field_of(leaf.word) for leaf in leaves(record)}


def initial_of(record: Record[Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields begin with: what the document says, or what holds without it."""
    return {leaf.path: _plain(_said(document, leaf)) for leaf in leaves(record)}


def parts_of(record: Record[Any], form: forms.Form) -> list[Part]:
    """The form's fields under their headings, in order."""
    found: dict[Any, list[Leaf]] = {}
    for leaf in leaves(record):
        found.setdefault(leaf.heading, []).append(leaf)
    return [
        Part(
            heading,
            tuple(form[one.path] for one in rows if not one.word.rows and one.word.kind.form is not bool),
            tuple(form[one.path] for one in rows if one.word.rows),
            tuple(form[one.path] for one in rows if one.word.kind.form is bool),
        )
        for heading, rows in found.items()
    ]


def written(record: Record[Any], cleaned: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with what was typed in place of its words; a word or record left empty is left out."""
    made = dict(document)
    for leaf in leaves(record):
        made.pop(leaf.path.partition(".")[0], None)
    for leaf in leaves(record):
        if (value := cleaned[leaf.path]) not in ("", None):
            *way, last = leaf.path.split(".")
            within = made
            for name in way:
                within = within.setdefault(name, {})
            within[last] = value
    return made


def shown(record: Record[Any], value: Any) -> dict[Any, list[tuple[Word[Any], Any]]]:
    """A value as a page shows it, by heading: each word with what it holds, in words. Empty texts are left out."""
    found: dict[Any, list[tuple[Word[Any], Any]]] = {}
    for leaf in leaves(record):
        held = reduce(getattr, leaf.attributes, value)
        said = _in_words(leaf.word.kind, held)
        if said:
            found.setdefault(leaf.heading, []).append((leaf.word, said))
    return found


def _in_words(kind: Kind[Any], held: Any) -> Any:
    if kind.form is bool:
        return _("yes") if held else _("no")
    return kind.choices.get(held, "" if held is None else str(held))


def _said(document: Mapping[str, Any], leaf: Leaf) -> Any:
    held: Any = document
    for name in leaf.path.split("."):
        if name not in held:
            return None if leaf.word.default is UNSET else leaf.word.default
        held = held[name]
    return held


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
