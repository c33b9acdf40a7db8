"""What the scenario says was done, at a decision: which options are meant."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rules.engine.definitions.model import Ability
from rules.engine.definitions.values import Candidate, Decision, Obj, chosen_ids, tells_of
from rules.engine.language.expressions import kind_of_filter
from rules.engine.machine.interpreter import Machine
from rules.engine.machine.piles import ANOTHER
from rules.engine.operations import Do, Jump, May, OneOf
from rules.engine.operations.piles import TOP
from rules.engine.scene.scene import Scene
from rules.engine.setup.moves import About, choices_of


class Said(NamedTuple):
    """What the scenario says of a decision.

    options: those that are meant, several where the move leaves open which of several things it answers, or which of
    the card's own abilities is used; empty: all are open. move: is it the next scripted move itself (else a pass or a
    call that follows from it)? legal: False when it is this very decision and cannot be.
    """

    options: tuple[int, ...]
    move: bool
    legal: bool

    @property
    def first(self) -> int | None:
        """The option for one line; None: any."""
        return self.options[0] if self.options else None


OPEN = Said((), False, True)
ILLEGAL = Said((), False, False)


def scripted(machine: Machine, decision: Decision) -> Said:
    """What the scenario's next move says of this decision."""
    did, at = machine.scene.did, machine.script
    if machine.is_lapsed(decision.subject, decision.who):
        return ILLEGAL
    carried_out = (
        Said((decision.options.index(True),), False, True) if _carries_out(machine, decision) else None
    )
    if told(machine):
        return carried_out or OPEN
    move = did[at]
    meant = [
        index
        for index, option in enumerate(decision.options)
        if matches(machine, move, decision, option)
        and (decision.stop or _chosen_here(machine, decision, option))
    ]
    if meant:
        return Said(_left_open(decision, meant), True, True)
    if carried_out is not None:
        return carried_out
    # who is called next in a window is told by whose move comes next
    if decision.kind == "order" and "choose" not in move:
        for index, option in enumerate(decision.options):
            if isinstance(option, Obj) and option.kind == "player" and option.id == move["who"]:
                return Said((index,), False, True)
    mine = decider(decision) == move["who"]
    if decision.kind == "use":
        if (
            mine
            and decision.stop
            and "choose" not in move
            and not machine.waits_for_a_window(move, decision.subject)
        ):
            return ILLEGAL
        return Said(
            (len(decision.options) - 1,), False, True
        )  # it is not what was done, so here there was a pass
    if is_missed(machine, move, decision):
        return OPEN if _may_be_later(machine, move, decision) else ILLEGAL
    return OPEN


def _carries_out(machine: Machine, decision: Decision) -> bool:
    """Is it asked whether a player carries out what comes of itself and is all left to that player, where the last move
    made was its use by that player? It would come in any case, so that is what using it means."""
    if decision.kind != "may" or machine.cur is None or not machine.script or machine.pc != 0:
        return False
    move, cur = machine.scene.did[machine.script - 1], machine.cur
    by_it = (move.get("use"), move["who"]) == (cur.obj.id, decider(decision))
    return by_it and cur.ability.kind.must and is_left_open(cur.ability)


def is_left_open(ability: Ability) -> bool:
    """May its player leave undone all that it does?"""
    code = ability.parts[0].code if len(ability.parts) == 1 else ()
    return bool(code) and isinstance(code[0], May) and code[0].to == len(code)


def is_missed(machine: Machine, move: Mapping[str, Any], decision: Decision) -> bool:
    """Is it a choice of the player's whom the move speaks of, that fits none of its options? A card that is told by
    itself is none of a choice among players."""
    return (
        "choose" in move
        and decider(decision) == move["who"]
        and decision.kind in ("target", "choose")
        and machine.may_name(move, decision.subject)
        and ("for" in move or "with" in move or _is_of_its_kind(machine, move, decision))
    )


def says_how(scene: Scene, at: int, decision: Decision) -> bool:
    """Is it told only by what comes next: whether or how its player goes on, by what the same player chose next; whom
    somebody chose who might have passed, by anything that was done after it; what chance decided, by a card of that?"""
    if at >= len(scene.did):
        return False
    move = scene.did[at]
    if decision.who == "chance":
        return _tells_what_came(scene, at, decision)
    if decision.declinable:
        return "pass" not in move
    if decision.kind not in ("may", "one-of", "target", "choose"):
        return False
    if decider(decision) != move["who"]:
        return False
    if "choose" not in move:  # a use that comes up only where its player went on so, as the rules ask
        return "use" in move and decision.of_rules
    if decision.kind in (
        "target",
        "choose",
    ):  # another choice is told, by its name, by a verb or by what is chosen
        fits = any(sorted(chosen_ids(option)) == sorted(chosen_by(move)) for option in decision.options)
        return not scene.may_name(move, decision.subject) or not fits
    if decision.kind == "may":
        return move["choose"] not in ("yes", "no")
    return move["choose"] not in decision.options or not scene.may_name(move, "option")


def _tells_what_came(scene: Scene, at: int, decision: Decision) -> bool:
    """Does a move that is still to come name one of the cards of which chance decides? Who plays it has drawn it."""
    named = {
        one for move in scene.did[at:] for one in (move.get("use"), *chosen_by(move), *move.get("on", ()))
    }
    return any(named.intersection(chosen_ids(option)) for option in decision.options)


def chosen_by(move: Mapping[str, Any]) -> list[str]:
    """What a move tells to be chosen."""
    chosen = move.get("choose", [])
    return chosen if isinstance(chosen, list) else [chosen]


def implied_key(at: int, decision: Decision) -> tuple[Any, ...]:
    """Such a decision, by the told choice and by what it asks."""
    return at, decision.kind, decision.subject, tuple(decision.options)


def _may_be_later(machine: Machine, move: Mapping[str, Any], decision: Decision) -> bool:
    """May a choice that cannot be this one be told of a later one? Of the same name only where a use asks for it again
    and again; without a name, of another one that the use asks for."""
    if machine.cur is not None and decision.kind == "choose":
        further = machine.code[machine.pc + 1 :]
        if any(isinstance(one, Jump) and one.to <= machine.pc for one in further):
            return True
    return "for" not in move and _chooses_on(machine, decision)


def _is_of_its_kind(machine: Machine, move: Mapping[str, Any], decision: Decision) -> bool:
    """Is what is told one of a choice of cards, or of players, or of neither?"""

    objects = machine.scene.objects

    def kinds(those: Iterable[str]) -> set[str]:
        return {objects[one].kind if one in objects else "card" if one == ANOTHER else "" for one in those}

    offered = kinds(one for option in decision.options for one in chosen_ids(option))
    told_kinds = kinds(chosen_by(move))
    return not offered or not told_kinds or bool(offered & told_kinds)


def _chooses_on(machine: Machine, decision: Decision) -> bool:
    """Does the use that asks for this choice ask for another one? A choice that was told without its name, and that
    cannot be this one, may be that; then this one was made otherwise."""
    return machine.cur is not None and any(
        name not in (decision.subject, TOP) for name in choices_of(machine.cur.ability)
    )


PATIENCE = 1  # so many turns may end before a choice comes up that was told by itself; with a use, none


def told(machine: Machine) -> bool:
    """Was every move made that the scenario tells of? Or else a choice comes next that has not come up for so long
    that it is not going to."""
    did, at = machine.scene.did, machine.script
    return at >= len(did) or (
        "choose" in did[at] and machine.turn - machine.told > _patience(machine.scene, at)
    )


def _patience(scene: Scene, at: int) -> int:
    """What was told to be chosen right after its player's use is chosen for it, so in the same turn; so is what a
    question asks about."""
    before: Mapping[str, Any] = next((move for move in reversed(scene.did[:at]) if "choose" not in move), {})
    of_use = "use" in before and before["who"] == scene.did[at]["who"]
    return 0 if of_use or at >= scene.asked_from else PATIENCE


def never_came(machine: Machine) -> Mapping[str, Any] | None:
    """The first of the scenario's moves that the line, now over, had no place for; passing needs none."""
    return next((move for move in machine.scene.did[machine.script :] if "pass" not in move), None)


def _left_open(decision: Decision, meant: Sequence[int]) -> tuple[int, ...]:
    """Of the options that a move fits: the first, with those of the same ability that answer something else, and for
    each other ability that may be meant just as well (of the card's own text, if the first is) the first."""
    first = decision.options[meant[0]]
    if not isinstance(first, Candidate):
        return (meant[0],)
    found = {(first.ability.id, first.about): meant[0]}
    for index in meant[1:]:
        option = decision.options[index]
        if (option.obj, option.you) != (first.obj, first.you):
            continue
        if option.ability is first.ability:
            if first.about:
                found.setdefault((first.ability.id, option.about), index)
        elif decision.kind == "use" and option.ability.of_rules == first.ability.of_rules:
            found.setdefault((option.ability.id, ""), index)
    return tuple(found.values())


def _chosen_here(machine: Machine, decision: Decision, option: Any) -> bool:
    """Can what the scenario says was chosen for the use be chosen now? Else it was used at a later opportunity."""
    following = machine.scene.did[machine.script + 1 : machine.script + 2]
    if decision.kind != "use" or not isinstance(option, Candidate) or not following:
        return True
    name, names = following[0].get("for", ""), {target.name for target in option.ability.targets}
    if "choose" not in following[0] or not names or (name and name not in names):
        return True
    if (
        option.you is None or following[0]["who"] != option.you.id
    ):  # somebody else's choice, which comes later
        return True
    chosen = [machine.scene.objects.get(one) for one in chosen_by(following[0])]
    there = all(
        one is None or one.kind != "card" or machine.zone(one) in machine.system.zones_in_play
        for one in chosen
    )
    if not name and there and machine.asks_nothing(option):
        return True
    asked = {kind_of_filter(*target.said) for target in option.ability.targets if target.said is not None}
    if not name and asked and asked.isdisjoint(one.kind for one in chosen if one is not None):
        return True  # a card is told, and players are asked for: it is a choice that comes later
    return machine.choosable(option, [(name, tuple(chosen_by(following[0])))]) is None


def decider(decision: Decision) -> str:
    """A player's id, or the word for another decider (chance)."""
    return str(decision.who.id if isinstance(decision.who, Obj) else decision.who)


def _only_the_rules(machine: Machine, decision: Decision, option: Candidate) -> bool:
    """Is what is told what the rules let one do with the card? So it is where none of its own abilities works where it
    lies, or where something is to be answered and none of them answers anything."""
    at, zone = machine.script, machine.zone(option.obj)
    own = [one for one in option.own if not one.kind.must and zone in one.zones]
    return (
        at < machine.scene.asked_from  # a question is about its own text
        and "ability" not in machine.scene.did[at]
        and decision.kind == "use"
        and option.ability.of_rules
        and not any(one.of or not machine.due or one.kind.name in decision.subject for one in own)
    )


def matches(machine: Machine, move: Mapping[str, Any], decision: Decision, option: Any) -> bool:
    """Is this option what the scripted move says?"""
    if isinstance(option, Candidate):
        if not answers(machine, option, move.get("on", ())):
            return False
        if decision.kind == "order" and "choose" in move:  # what comes next, by its card
            named = machine.may_name(move, "next")
            return bool(named and move["who"] == decider(decision) and move["choose"] == option.obj.id)
        return (
            "use" in move
            and move["who"] in (option.you.id, decider(decision) if decision.kind == "order" else None)
            and option.obj.id == move["use"]
            and (option.meant(move.get("ability", "")) or _only_the_rules(machine, decision, option))
            and not (decision.kind == "order" and machine.chosen_by_another(option))
        )
    if decider(decision) != move["who"] and not _befalls(machine, move, decision, option):
        return False
    if decision.kind == "use":
        return option is None and "pass" in move
    if decision.declinable and "pass" in move:
        return option is None or option == ()
    if "choose" in move:
        said = move["choose"]
        if decision.kind in ("target", "choose", "order"):
            ids = chosen_ids(option)
            if ids or said == []:
                name = decision.subject
                return machine.may_name(move, name) and sorted(ids) == sorted(chosen_by(move))
        if decision.kind == "may":
            return said in ("yes", "no") and option is (said == "yes")
        if (
            decision.kind == "one-of" and "does" in move
        ):  # “sacrifices Thug”, of a use that Thug was chosen for
            if ways := _ways_of_doing(machine, move["does"], str(said)):
                return len(ways) == 1 and option == ways[0]
            ways = [label for label in decision.options if move["does"] in str(label).split()]
            here = machine.cur.chosen if machine.cur is not None else ()
            return len(ways) == 1 and option == ways[0] and said in [one.id for one in here]
        if decision.kind == "one-of" and str(said) not in decision.options:  # “renown” for “gain renown”
            words = [set(str(label).split()) for label in decision.options]
            meant = [one for one in words if set(str(said).split()) <= one]
            return len(meant) == 1 and set(str(option).split()) == meant[0]
        if (
            decision.kind == "one-of"
        ):  # a choice told by its name is no way to go on, whatever the card is called
            return bool(said == option and machine.may_name(move, "option"))
    return False


def _befalls(machine: Machine, move: Mapping[str, Any], decision: Decision, option: Any) -> bool:
    """Does a verb tell what chance chose of a player's own cards (“Ann discards Thug”, at random)?"""
    if decision.who != "chance" or not isinstance(option, Obj) or machine.cur is None or "does" not in move:
        return False
    deeds = machine.cur.ability.deeds.get(decision.subject) or ()
    whose = getattr(machine.facts[option.base + machine.scene.controller_slot], "id", "")
    return whose == move["who"] and any(tells_of(move["does"], kind) for kind in deeds)


def _ways_of_doing(machine: Machine, deed: str, whom: str) -> list[str]:
    """Of several ways to go on, by their labels, those by which that is done to this card and which choose nothing."""
    asked, obj = machine.code[machine.pc], machine.scene.objects.get(whom)
    if not isinstance(asked, OneOf) or obj is None:
        return []
    return [
        label
        for label, (start, end) in zip(asked.labels, asked.blocks(), strict=True)
        if any(
            isinstance(one, Do) and one.kind.name == deed and one.is_about(machine, obj)
            for one in machine.code[start:end]
        )
    ]


# --- what a use answers


def answers(machine: Machine, option: Candidate, words: Iterable[str]) -> bool:
    """Is what the option answers what the words say: a kind of occurrence, whom or what it happens to, or both?"""
    asked = tuple(word for word in words if not isinstance(word, About))
    about = {str(word) for word in words if isinstance(word, About)}
    if about and not about <= _concerned(machine, option):
        return False
    return not asked or meets(asked, _words(machine, option), machine.system.families)


def _concerned(machine: Machine, option: Candidate) -> set[str]:
    """The ids of all cards and players in what it answers."""
    roles = machine.cells[option.trigger].roles if option.trigger is not None else ()
    return {role.id for role in roles if isinstance(role, Obj)}


def meets(wanted: Sequence[str], words: Sequence[str], families: Mapping[str, Sequence[str]]) -> bool:
    return bool(words) and all(word in words or words[0] in families.get(word, ()) for word in wanted)


def _words(machine: Machine, option: Candidate) -> tuple[str, ...]:
    """The kind of what it answers, and the ids of those it happens to; where it happens to no card, of all in it."""
    if option.trigger is None:
        return ()
    kind, roles = machine.cells[option.trigger][:2]
    told = roles if kind.patient is None else [roles[i] for i in kind.subjects]
    return (kind.name, *(role.id for role in told if isinstance(role, Obj)))


def telling_apart(machine: Machine, decision: Decision, option: Candidate) -> list[str]:
    """The fewest words (for `on`) that tell the option from others of the same ability; empty: none are needed, or
    none do."""
    same = [
        _words(machine, one)
        for one in decision.options
        if isinstance(one, Candidate)
        and one is not option
        and (one.obj, one.you, one.ability) == (option.obj, option.you, option.ability)
    ]
    kind, *ids = _words(machine, option) or ("",)
    for size in (1, 2, 3) if same else ():
        for words in combinations(dict.fromkeys((*ids, kind)), size):
            if not any(meets(words, other, {}) for other in same):
                return [word for word in (kind, *ids) if word in words]
    return []
