"""What an ability does later, judged before it is used: what it does first may change what stands against it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.instructions import Operation
from rules.engine.definitions.model import OccurrenceKind, Unit

if TYPE_CHECKING:
    from rules.engine.definitions.model import Ability, System
    from rules.engine.machine.occurrences import Occurrences


MOVING = frozenset({"zone", "host", "controller"})
# what is read from what has happened, or is about to
LOOKING_BACK = frozenset(
    {"happened", "pending", "prevented", "waits", "users", "heard", "answered", "able", "pays"}
)


def may_be_otherwise(m: "Occurrences", ability: "Ability", do: Any) -> bool:
    """May what the ability does before `do` change a fact on which it hangs whether that can be?

    Only what can be done now counts, whatever is chosen for it: a move to nowhere changes nothing.
    """
    asked: set[str] | None = None
    open_ = {target.slot for target in ability.targets}
    for part in ability.parts:
        for operation in part.code:
            if operation is do or do in getattr(operation, "parts", ()):
                return False
            if operation.neutral:
                continue
            slot = getattr(operation, "slot", None)
            if slot is not None:  # a choice: what may be chosen there is open
                if operation.obstacle(m) is None:
                    open_.add(slot)
                continue
            if asked is None:
                asked = _asked(m, do)
            if _writes(m.system, operation) & asked and operation.idle(m, frozenset(open_)) is None:
                return True
    return False


def leaves_alone(
    m: "Occurrences", cost: Sequence[Operation], said: Sequence[str], serves: Sequence[Any] = ()
) -> bool:
    """Does paying the cost change nothing of what is read for these words (and of whether these can be)?

    What moves takes too much along, what has happened may be read from anything, and what texts make of a fact may
    hang on every other.
    """
    if not cost:
        return True
    asked = _made_of(m, said).union(*(_asked(m, do) for do in serves))
    written = set[str]().union(*(_writes(m.system, operation) for operation in cost))
    return not (asked & (written | m.scene.modified | LOOKING_BACK) or written & MOVING)


def _asked(m: "Occurrences", do: Any) -> set[str]:
    """The facts that are read to say whether it can be, by their names; derived ones with what they are made of."""
    rules = m.system.source["vocabulary"][do.kind.name].get("possible", ())
    bans = (*(ban for _, ban in m.scene.prohibitions), *m.scene.bans)
    said = [
        do.words,
        *(str(rule) for rule in rules),
        *(ban.words for ban in bans if do.kind.name in ban.tests),
    ]
    return _made_of(m, said)


def _made_of(m: "Occurrences", said: Sequence[str]) -> set[str]:
    """The words of these texts, with those of which the nouns and the derived facts among them are made."""
    source = m.system.source
    made_of: Mapping[str, Any] = {**(source.get("nouns") or {}), **(source.get("derived") or {})}
    found: set[str] = set()
    left = {word for text in said for word in re.findall(r"[\w-]+", text)}
    while left:
        found |= left
        inner = {
            word for name in left if name in made_of for word in re.findall(r"[\w-]+", str(made_of[name]))
        }
        left = inner - found
    return found


def _writes(system: "System", operation: Operation) -> set[str]:
    """The names of the facts that an instruction may change, apart from what others make of it."""
    footprint = Footprint()
    for one in _within(system, operation):
        one.mark(footprint)
    names = {prop.name for prop in system.properties.values() if prop.slot in footprint.written}
    names |= footprint.lasting
    if footprint.moves:
        names.add("zone")
    if footprint.attaches:
        names.add("host")
    if footprint.hands_over:
        names.add("controller")
    return names


def _within(system: "System", operation: Operation) -> Iterator[Operation]:
    """The instruction and those that it runs; for what happens, its own, not the rules around whatever happens."""
    seen: set[int] = set()
    left: list[Any] = [operation]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, OccurrenceKind):
            left += [*one.edits, *(one.steps.code if one.steps is not None else ())]
        elif isinstance(one, Unit):
            left += one.code
        elif isinstance(one, Operation):
            yield one
            via = getattr(one, "via", None)
            left += [led for led in one.leads_to(system) if led is not via and led is not None]
