"""Makes an API serializer from a schema (`config.schema`), one field per word.

A subclass of `RecordOut` names its `record`. It has a field for every word that a form or a page shows, and for every
word with named choices. For a word that holds no single value, the subclass declares the field itself.
"""

from copy import deepcopy
from typing import Any, ClassVar

from rest_framework import serializers

from config.schema import Record, Word

FIELDS: dict[type, Any] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    str: serializers.CharField,
}


class RecordOut(serializers.Serializer[Any]):
    record: ClassVar[Record[Any]]
    _made: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "record" in cls.__dict__:
            found = ((name, _field(word, cls.__name__, name)) for name, word in cls.record.words.items())
            cls._made = {name: field for name, field in found if field is not None}

    def get_fields(self) -> dict[str, Any]:
        return deepcopy(self._made) | super().get_fields()


def _field(word: Word[Any], within: str, name: str) -> Any:
    if isinstance(word.kind, Record) and word.heading:
        nested = type(within + name.title().replace("_", ""), (RecordOut,), {"record": word.kind})
        return nested(help_text=_help(word))
    if word.label or word.kind.choices:
        return FIELDS[word.kind.form](help_text=_help(word), allow_null=word.default is None)
    return None


def _help(word: Word[Any]) -> str:
    choices = f"One of {', '.join(filter(None, word.kind.choices))}." if word.kind.choices else ""
    says = f"{word.says[:1].upper()}{word.says[1:]}." if word.says else ""
    return " ".join(filter(None, (says, choices)))
