"""What changed between two decklists, card by card."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from decks.lists.folding import fold


@dataclass(frozen=True, slots=True)
class Changed:
    """A card whose number differs; `section` as the later list names it. 0 before: it came; 0 after: it went."""

    name: str
    section: str
    before: int
    after: int

    @property
    def more(self) -> int:
        return self.after - self.before


def difference(before: Iterable[Any], after: Iterable[Any]) -> tuple[Changed, ...]:
    """Cards whose number differs between two lists of (count, name, section), by section and name.

    A card moved from one section to another went from the one and came to the other. Lists that differ only in the
    order or the spelling of marks do not differ.

    >>> difference([(3, "Rats", ""), (1, "Dogs", "")], [(2, "rats!", ""), (1, "Cats", "")])
    (Changed(name='Cats', section='', before=0, after=1), Changed(name='Dogs', section='', before=1, after=0), \
Changed(name='rats!', section='', before=3, after=2))
    """
    old, new = _counts(before), _counts(after)
    changed = [
        Changed(
            (new.get(key) or old[key])[0],
            (new.get(key) or old[key])[1],
            old[key][2] if key in old else 0,
            new[key][2] if key in new else 0,
        )
        for key in {**old, **new}
        if (old[key][2] if key in old else 0) != (new[key][2] if key in new else 0)
    ]
    return tuple(sorted(changed, key=lambda one: (fold(one.section), fold(one.name))))


def _counts(entries: Iterable[Any]) -> dict[tuple[str, str], tuple[str, str, int]]:
    """(key of the name, key of the section) -> (name, section, copies)."""
    counts: dict[tuple[str, str], tuple[str, str, int]] = {}
    for count, name, section in entries:
        key = (fold(name), fold(section))
        counts[key] = (name, section, counts[key][2] + count if key in counts else count)
    return counts
