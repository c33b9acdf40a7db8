"""Reads YAML from people: safe and bounded; duplicate keys are refused, and errors name their line."""

import re
from functools import lru_cache
from typing import Any

import yaml

from config.errors import UserError
from config.text import decoded, is_bad

MAX_DEPTH = 60

_TEXT, _LIST, _MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Strict(_Base):
    """A safe loader that refuses duplicate keys and keys that are not words.

    Without anchors a document is a tree, so it is built at one go from its leaves.
    """

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        return None if node is None else self._built(node)

    def _built(self, node: Any) -> Any:
        tag = node.tag
        if tag == _TEXT and isinstance(node, yaml.ScalarNode):
            if is_bad(node.value):
                problem = "this text has a character that can’t be stored"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
            return node.value
        if tag == _LIST and isinstance(node, yaml.SequenceNode):
            return [self._built(entry) for entry in node.value]
        if tag == _MAPPING and isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        try:
            return self.construct_object(node, deep=True)
        except ValueError as error:  # 2024-13-01
            problem = f"“{node.value}” is not a valid date or number"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from error

    def _mapping(self, node: Any) -> dict[Any, Any]:
        built: dict[Any, Any] = {}
        for key_node, _ in node.value:
            key = self._built(key_node)
            if not isinstance(key, str | int | bool | float):
                raise yaml.MarkedYAMLError(problem="a key must be a word", problem_mark=key_node.start_mark)
            if key in built:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key!r} is used twice", problem_mark=key_node.start_mark
                )
            built[key] = None
        for key, (_, value) in zip(built, node.value, strict=True):
            built[key] = self._built(value)
        return built

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        return self._mapping(node)

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Tags do not hang on where a value stands."""

    def ascend_resolver(self) -> None:
        pass

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit[0] and len(value) < 40:
            return _tag_of_plain(value)
        return super().resolve(kind, value, implicit)


def _only_true_and_false_are_booleans(loader: Any) -> None:
    """YAML 1.1 reads yes, no, on and off as booleans; our files use those words as words."""
    loader.yaml_implicit_resolvers = {
        first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:bool"]
        for first, resolvers in _Base.yaml_implicit_resolvers.items()
    }
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


_only_true_and_false_are_booleans(_Strict)


@lru_cache(maxsize=8192)
def _tag_of_plain(value: str) -> str:
    """Is a word without quotes a text, a number, a date, or nothing?"""
    found = _Strict.yaml_implicit_resolvers
    for tag, pattern in (*found.get(value[:1], ()), *found.get(None, ())):
        if pattern.match(value):
            return str(tag)
    return _TEXT


def _refuse_what_explodes(text: str) -> None:
    """Anchors can multiply and nesting can overflow: look at the flat stream of events before building."""
    depth = 0
    for event in yaml.parse(text, Loader=_Base):
        mark: Any = event.start_mark  # the C and the Python parser have a class each
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def load(text: str | bytes, *, name: str, max_bytes: int = 2_000_000, shipped: bool = False) -> Any:
    """The document as plain lists, dicts, strings and numbers.

    shipped: a file of ours, in which nobody has to look for what explodes.

    Raises UserError: `too-large`, `bad-yaml` (with the line) or `bad-encoding`.
    """
    if len(text) > max_bytes:
        raise UserError("too-large", f"{name} is larger than {max_bytes:,} bytes.", status=413)
    if isinstance(text, bytes):
        text = decoded(text, name)
    try:
        if not shipped:
            _refuse_what_explodes(text)
        return yaml.load(text, Loader=_Strict)  # noqa: S506 (a safe loader)  # nosec B506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError("bad-yaml", f"{name}: {error.problem or error}.", place=place) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UserError("bad-yaml", f"{name} can’t be read as YAML: {type(error).__name__}.") from error


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True  # `load` refuses them


def dump(value: Any) -> str:
    """The document as `load` takes it back."""
    text: str = yaml.dump(value, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=110)
    return text


def line_of(text: str | bytes, path: str) -> int | None:
    """The line, from 1, on which the value at a path such as `lists.a.restricted.titles[2]` stands; None when the
    text has no such place (it was taken from elsewhere, or is missing)."""
    try:
        node: Any = yaml.compose(text, Loader=_Base)
    except yaml.YAMLError:
        return None
    line = None
    for name, position in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if position and isinstance(node, yaml.SequenceNode) and 0 < int(position) <= len(node.value):
            node = node.value[int(position) - 1]
        elif name and isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == name), None)
            if found is None:
                return line
            line, node = found[0].start_mark.line + 1, found[1]
            continue
        else:
            return line
        line = node.start_mark.line + 1
    return line
