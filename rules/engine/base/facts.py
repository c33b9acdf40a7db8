"""The facts of a position, and those that are not settled."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rules.engine.base.errors import Need


@dataclass(frozen=True, slots=True, eq=False)
class Open:
    """A fact that is not settled: disputed between the players, or not told. Reading it raises Need, unless the game
    takes it to be so ("taken"): then the answer says that this is assumed."""

    options: tuple[Any, ...]
    why: str  # "disputed" | "unknown" | "contested" | "taken"

    def read(self, m: Any, slot: int) -> Any:
        """What is taken to be so. Raises Need where nothing is."""
        if self.why != "taken":
            raise Need(slot)
        if m.tracer is None:  # the account of a line reads more than it hangs on
            m.scene.presumed.add(slot)
        return self.options[0]


class Facts(list[Any]):
    """The facts of one position, with what was worked out from nothing else (`known`).

    A changed fact forgets all of it. There is no other way to change one: whatever else would change a list is taken
    away, and a position that is loaded gets a list of its own.
    """

    __slots__ = ("known",)

    def __init__(self, facts: Iterable[Any]) -> None:
        super().__init__(facts)
        self.known: dict[Any, Any] = {}

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place, value)
        self.known = {}

    append = extend = insert = pop = remove = clear = sort = reverse = None  # type: ignore[assignment]
    __delitem__ = __iadd__ = __imul__ = None  # type: ignore[assignment]
