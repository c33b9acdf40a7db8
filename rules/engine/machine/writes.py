"""One change of the facts, as an instruction makes it and as the trace tells it."""

from typing import TYPE_CHECKING, Any, NamedTuple

from rules.engine.definitions.model import Property
from rules.engine.definitions.values import Obj

if TYPE_CHECKING:
    from rules.engine.machine.interpreter import Machine


class Write(NamedTuple):
    """One change of the facts, all values known."""

    what: str  # set | add | move
    obj: Obj
    property: Property | None
    value: Any
    host: Obj | None = None
    controller: Obj | None = None

    def perform(self, m: "Machine") -> None:
        if self.what == "move":
            m.move(self.obj, self.value, self.host, self.controller)
            return
        assert self.property is not None
        if self.obj.stranger:  # nobody knows which card it is, so nothing can be known of it later
            return
        if self.what == "set":
            m.facts[self.obj.base + self.property.slot] = self.value
        else:
            m.add_to(self.obj, self.property, self.value)
