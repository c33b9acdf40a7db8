"""Do the scenario's moves speak of choices and abilities that there are?"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rules.engine.base.errors import unknown
from rules.engine.definitions.model import Ability, System, Unit
from rules.engine.operations import Choose, ChooseEach, Deal, Look, MakeDelayed, May

if TYPE_CHECKING:
    from rules.engine.scene.scene import Scene

YES_NO = ("yes", "no")
ALWAYS = frozenset({"next", "option"})  # what comes next of several; one of several labelled ways to go on


def check_moves(scene: "Scene") -> None:
    """Raises DataError for a choice that nothing here asks for, and for an ability that its card does not have."""
    asked = None
    for move in scene.did:
        if "for" in move and move["choose"] not in YES_NO:  # whoever says yes or no may call it as he likes
            if asked is None:
                asked = {*ALWAYS, *_of_system(scene.system), *_of_cards(scene)}
            if move["for"] not in asked:
                raise unknown("choice", move["for"], asked, place="did")
        if "ability" in move and not scene.copies:
            own = [ability for card, ability in scene.abilities if card.id == move["use"]]
            if not any(ability.called(move["ability"]) for ability in own):
                words = [ability.name or ability.kind.name for ability in own if not ability.kind.must]
                label = scene.objects[move["use"]].label
                raise unknown(f"ability of {label}", move["ability"], words, place="did")


def choices_of_rules(system: System) -> frozenset[str]:
    """The names of the choices that the system's own procedures ask for."""
    return frozenset(_of_system(system)) | ALWAYS


def _of_system(system: System) -> Iterator[str]:
    yield from _asked_in(system.charts.values())
    yield from _asked_in(kind.steps for kind in system.kinds.values())
    yield from _asked_in(payment.unit for payment in system.payments.values())


def _of_cards(scene: "Scene") -> Iterator[str]:
    for _, ability in scene.abilities:
        yield from choices_of(ability)


def choices_of(ability: Ability) -> Iterator[str]:
    """The names of the choices that an ability asks for, also those of the effects it leaves behind."""
    yield from (target.name for target in ability.targets)
    yield from _asked_in((*ability.parts, ability.cost))


def _asked_in(units: Iterable[Unit | None]) -> Iterator[str]:
    for unit in units:
        for operation in unit.code if unit is not None else ():
            if isinstance(operation, Choose | ChooseEach | Deal | Look):
                yield operation.name
            elif isinstance(operation, May):
                yield operation.what
            elif isinstance(operation, MakeDelayed):
                yield from choices_of(operation.ability)
