"""Do the scenario's moves speak of choices and abilities that there are?"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import DataError, unknown
from rules.engine.definitions.model import Ability, System, Target, Unit
from rules.engine.definitions.values import tells_of
from rules.engine.language.expressions import kind_of_filter
from rules.engine.operations import Choose, ChooseEach, Deal, Do, Look, MakeDelayed, May

if TYPE_CHECKING:
    from rules.engine.scene.scene import Scene

YES_NO = ("yes", "no")
ALWAYS = frozenset({"next", "option"})  # what comes next of several; one of several labelled ways to go on


def check_moves(scene: "Scene") -> None:
    """Raises DataError for a choice that nothing here asks for, and for an ability that its card does not have."""
    asked = None
    for number, move in enumerate(scene.did):
        if "for" in move and move["choose"] not in YES_NO:  # whoever says yes or no may call it as he likes
            if asked is None:
                asked = {*ALWAYS, *_of_system(scene.system), *_of_cards(scene)}
            if move["for"] not in asked:
                raise _unknown_choice(scene, move["for"], asked, f"did[{number}]")
        if "ability" in move and not scene.copies:
            own = [ability for card, ability in scene.abilities if card.id == move["use"]]
            if not any(ability.called(move["ability"]) for ability in own):
                words = [ability.name or ability.kind.name for ability in own if not ability.kind.must]
                label = scene.objects[move["use"]].label
                raise unknown(f"ability of {label}", move["ability"], words, place=f"did[{number}]")


def _unknown_choice(scene: "Scene", name: str, asked: Collection[str], place: str) -> DataError:
    """Nearly the word of some choice, or the choices of the cards that are used."""
    found = unknown("choice", name, asked, place=place)
    if not get_close_matches(name, asked, n=1, cutoff=0.75):
        used = {move["use"] for move in scene.did if "use" in move}
        own = {one for card, ability in scene.abilities if card.id in used for one in choices_of(ability)}
        said = f"What is used here asks for {' or '.join(sorted(own))}. " if own else ""
        found.remedy = f"{said}A choice is left unnamed by “chooses”: Ann chooses thug."
    return found


def with_names(
    scene: "Scene",
    use: str,
    ability: str,
    chosen: Sequence[Mapping[str, Any]],
    *,
    payment_first: bool = False,
    payment_alone: bool = False,
    told: bool = False,
) -> list[Mapping[str, Any]]:
    """What is chosen for a use, by name where it goes without saying: a card is used *on* what it affects, not on what
    pays its cost, where it asks for as many of that as are told without a name; where what pays is told as well, that
    comes behind it, or as it is asked for (payment_first). payment_alone: what pays is
    all that is told of what is chosen as it is used, where what it affects is chosen only as it takes effect. told: it
    was done, and is not only asked about."""
    own = [
        one
        for card, one in scene.abilities
        if card.id == use and not one.kind.must and (one.called(ability) if ability else not one.of_rules)
    ]
    if len(own) != 1:
        return [each for one in chosen for each in _apart_for_one_of(own, one)]
    if aside := [one for one in chosen if _is_of_the_rules(own[0], one)]:
        rest = [one for one in chosen if one not in aside]
        named = with_names(
            scene, use, ability, rest, payment_first=payment_first, payment_alone=payment_alone, told=told
        )
        before = list(takewhile(lambda one: one in aside, chosen))
        return [*before, *named, *(one for one in aside if one not in before)]
    apart = [each for one in chosen for each in _apart(own[0], one)]
    chosen = [_by_deed(own[0], one) for one in apart if not _is_paid(own[0], use, one)]
    if (
        told
        and not payment_alone
        and (aimed := _affected_behind_a_cost_of_the_rules(scene, own[0], chosen)) is not None
    ):
        return aimed
    by_name = {one["for"] for one in chosen if "for" in one}
    if len(by_name) == len(chosen) or not any(one.pays for one in own[0].targets):
        return _in_order(own[0], chosen)
    asked = [one for one in _affected(own[0]) if one.name not in by_name]
    paying: list[Target | Choose] = [one for one in own[0].targets if one.pays and one.name not in by_name]
    unnamed = [one for one in chosen if "for" not in one]
    if not asked and scene.facts[scene.objects[use].base + scene.zone_slot] not in own[0].zones:
        return list(chosen)  # it may be what the rules let one do with it there that is told
    if len(unnamed) == len(asked) + len(paying):
        asked = [*paying, *asked] if payment_first else [*asked, *paying]
    elif payment_alone and not any(isinstance(one, Target) for one in asked):
        asked = paying[: len(unnamed)]
    if len(asked) != len(unnamed) or not all(map(partial(_fits_kind, scene), asked, unnamed)):
        return list(chosen)
    names = iter(asked)
    return _in_order(own[0], [one if "for" in one else {**one, "for": next(names).name} for one in chosen])


class About(str):
    """A card or player that what a use answers has to do with, in whatever role: whom it wounds, or who wounds."""

    __slots__ = ()


def answered_instead(
    scene: "Scene", use: str, ability: str, choice: Mapping[str, Any], *, paying: bool = False
) -> list[str] | None:
    """Of a use that is told “on” something though it asks for no choice: that what it answers is about this; None: it
    is a choice. paying: it may ask for what pays for it."""
    zone = scene.facts[scene.objects[use].base + scene.zone_slot]
    usable = [
        one
        for card, one in scene.abilities
        if card.id == use and zone in one.zones and not one.kind.must and (not ability or one.called(ability))
    ]
    meant = [one for one in usable if not one.of_rules] or usable
    asked = {
        name
        for one in meant
        for name in choices_of(one)
        if not (paying and any(target.pays and target.name == name for target in one.targets))
    }
    answering = bool(meant) and not asked and all(one.of for one in meant)
    return [About(choice["choose"])] if answering and isinstance(choice["choose"], str) else None


def _apart(ability: Ability, choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Several cards told together (“on Thug and Maid”), as a choice each where the use asks for so many of one each."""
    cards, aimed = choice["choose"], [target for target in ability.targets if not target.pays]
    several = isinstance(cards, list) and len(cards) > 1 and "for" not in choice
    if not several or any(target.many for target in aimed):
        return [choice]
    later = list(_chosen_later(ability))
    if len(cards) != len(aimed) and (
        len(cards) != len(aimed) + len(later) or any(one.up_to for one in later)
    ):
        return [choice]
    return [{**choice, "choose": card} for card in cards]


def _apart_for_one_of(own: Sequence[Ability], choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The same where the use may be of several abilities: if one of them asks for so many, and none for several at
    once."""
    if any(target.many for one in own for target in one.targets):
        return [choice]
    return max((_apart(one, choice) for one in own), key=len, default=[choice])


def _is_of_the_rules(ability: Ability, choice: Mapping[str, Any]) -> bool:
    """Does a verb tell (“drains d1”) what the rules ask for, and nothing that the ability does with what it chose?"""
    verb = choice.get("does")
    if not verb or not choice.get("rules") or "for" in choice:
        return False
    deeds = [ability.deeds.get(name) for name in choices_of(ability)]
    return not any(kinds is None or any(tells_of(verb, kind) for kind in kinds) for kinds in deeds)


def _is_paid(ability: Ability, use: str, choice: Mapping[str, Any]) -> bool:
    """Does a verb tell (“sacrifices Maid”) what the use costs in any case, of its own card?"""
    code = ability.cost.code if ability.cost is not None else ()
    return choice["choose"] == use and any(
        isinstance(one, Do) and one.kind.name == choice.get("does") and "this" in one.words.split()
        for one in code
    )


def _by_deed(ability: Ability, choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """A choice that a verb tells (“sacrifices Maid”), by the name of the only target to which the use does that."""
    units = [unit for unit in (ability.cost, *ability.parts) if unit is not None]
    deeds = [
        one
        for unit in units
        for operation in unit.code
        for one in getattr(operation, "parts", None) or (operation,)
        if isinstance(one, Do) and one.kind.name == choice.get("does")
    ]
    names = {target.name for target in ability.targets for one in deeds if target.slot in one.mentions}
    if "for" in choice or len(names) != 1:
        return choice
    return {**choice, "for": names.pop()}


def _in_order(ability: Ability, chosen: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Named choices as the use asks for them, in whatever order they are told."""
    places = {target.name: place for place, target in enumerate(ability.targets)}
    if not all(one.get("for") in places for one in chosen):
        return list(chosen)
    return sorted(chosen, key=lambda one: places[one["for"]])


def _affected(ability: Ability) -> Iterator[Target | Choose]:
    """What is chosen as the ability is used, besides what pays; else what is chosen as it takes effect."""
    aimed = [target for target in ability.targets if not target.pays]
    yield from aimed or _chosen_later(ability)


def _chosen_later(ability: Ability) -> Iterator[Choose]:
    """What its player chooses only as it takes effect."""
    for part in ability.parts:
        yield from (one for one in part.code if type(one) is Choose and one.by_user)


def _affected_behind_a_cost_of_the_rules(
    scene: "Scene", ability: Ability, chosen: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]] | None:
    """What a use that chooses nothing as it is used is told “on”, where the rules have its player choose what pays (a
    card to be discarded): what is chosen as it takes effect, by name. None: it isn't told so."""
    cost = ability.cost.code if ability.cost is not None else ()
    asked_for = any(isinstance(one, Do) and one.kind.steps is not None for one in cost)
    if ability.targets or not asked_for or not all(one.get("with") and "for" not in one for one in chosen):
        return None
    later = list(_affected(ability))
    if len(later) != len(chosen) or not all(map(partial(_fits_kind, scene), later, chosen)):
        return None
    return [{**one, "for": asked.name} for one, asked in zip(chosen, later, strict=True)]


def _fits_kind(scene: "Scene", asked: Target | Choose, choice: Mapping[str, Any]) -> bool:
    """Is what was chosen a card where cards are asked for, a player where players are?"""
    chosen = choice["choose"] if isinstance(choice["choose"], list) else [choice["choose"]]
    kind = kind_of_filter(*asked.said) if asked.said is not None else ""
    return all(one in scene.objects and scene.objects[one].kind == kind for one in chosen)


def choices_of_rules(system: System) -> frozenset[str]:
    """The names of the choices that the system's own procedures ask for."""
    if system.asks is None:
        system.asks = frozenset(_of_system(system)) | ALWAYS
    return system.asks


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
