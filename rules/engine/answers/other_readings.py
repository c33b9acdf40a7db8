"""Which readings of the rules, and which counts that nobody told, an answer hangs on: the same situation asked again.

The engine explores a contested reading by itself, since nobody can say which is right. Of the others it takes the one
that the documents give or let one infer; whether that choice matters can only be said by asking again under the other
one. So with the unnamed cards in a player's hand or discard pile: where the scenario says nothing of them there are
none, and whether that matters is found by asking again with SOME: all players' at once, as many as nobody else's, so
that a text that compares them shows; then each alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.base.messages import Message, listed, named, sentences
from rules.engine.definitions.model import Property
from rules.engine.definitions.values import Obj
from rules.engine.scene.scene import Scene

Json = dict[str, Any]
Under = Callable[[str, str], Scene]  # the same situation with a reading taken so; may raise DataError
Counts = Sequence[tuple[Obj, Property, int]]  # of players
With = Callable[[Counts], Scene]  # the same situation with these numbers
LARGEST = 500  # positions of an answer: under another reading it takes about as many, and somebody waits
ALTOGETHER = 1_000  # positions for all other readings
SOME = 3  # unnamed cards, where the scenario told none


class OutOfTime(Exception):
    """Whoever waits for the answer waits no longer for what other readings would change."""


def weigh(
    found: Json, scene: Scene, under: Under, having: With, *, budget: int, progress: Callable[[int], None]
) -> None:
    """Say of each reading in `found` (docs/answers.md) what the others would change; `found` is changed in place.

    An assumption whose options were all looked at is `explored`, and `material` if one of them changes an answer;
    `otherwise` is then [{option, sentence, brief}]: what is answered differently, in full and in short. What would take
    more than `budget` or ALTOGETHER positions stays unexplored, and all of it beside an answer of more than LARGEST. A
    count that matters is added as an assumption of kind `default`.
    `doubt` is a sentence on what matters and is not settled by the documents, or empty. progress: as the engine's; it
    may raise OutOfTime.
    """
    taken = found["counts"]["positions"]
    if taken is None or taken > LARGEST or found["status"] in ("undecided", "not-modelled"):
        return
    left = min(budget - taken, ALTOGETHER)
    told: list[Json] = []
    counts: list[Json] = []
    try:
        for reading in found["assumptions"]:
            if reading["kind"] != "reading" or reading["explored"] or reading["status"] == "pinned":
                continue
            others = {one["id"]: partial(under, reading["id"], one["id"]) for one in reading["options"]}
            others.pop(reading["value"])
            changes, left = _changes(found, others, left, progress)
            if changes is None:
                continue
            reading |= {"explored": True, "material": bool(changes), "otherwise": changes}
            if changes and reading["status"] != "official":
                told.append(reading)
        counts = _hanging(found, scene, having, left, progress)
    except OutOfTime:
        pass
    found["assumptions"] += counts
    found["doubt"] = sentences([_told(told) if told else "", *map(_told_of_count, counts[:1])])


def _hanging(
    found: Json, scene: Scene, having: With, left: int, progress: Callable[[int], None]
) -> list[Json]:
    """The counts that nobody told and on which an answer hangs, as assumptions: each that alone changes it, else those
    that do so together."""
    untold = list(_untold(scene))
    numbers = range(SOME, SOME + len(untold))

    def changed(counts: Counts) -> list[Json]:
        nonlocal left
        changes, left = _changes(found, {str(SOME): partial(having, counts)}, left, progress)
        return changes or []

    for order in (numbers, reversed(numbers)) if len(untold) > 1 else (numbers,):
        together = [(player, prop, number) for (player, prop), number in zip(untold, order, strict=True)]
        if not (changes := changed(together)):
            continue
        alone = [[(player, prop, SOME)] for player, prop in untold]
        if each := [_count(one, what) for one in alone if (what := changed(one))]:
            return each
        for count in tuple(together):
            fewer = [other for other in together if other is not count]
            if what := changed(fewer):
                together, changes = fewer, what
        return [_count(together, changes)]
    return []


def _untold(scene: Scene) -> Iterator[tuple[Obj, Property]]:
    """The players' counts of unnamed cards of which the scenario says nothing, and which therefore are 0."""
    counts = [pile.counts for pile in scene.system.piles.values() if pile.counts is not None]
    for player in scene.players:
        told = scene.scenario["players"].get(player.id) or {}
        yield from ((player, prop) for prop in counts if prop.default == 0 and prop.name not in told)


def _count(counts: Counts, changes: list[Json]) -> Json:
    """Such counts as one assumption."""
    player, prop, _ = counts[0]
    none = listed(named(prop.says, {"it": player, "value": 0}) for player, prop, _ in counts)
    some = listed(named(prop.says, {"it": player, "value": number}) for player, prop, number in counts)
    said = {"0": none, str(SOME): some}
    return {
        "id": f"players.{player.id}.{prop.name}",
        "kind": "default",
        "text": Message("{^fact}:", fact=said["0"]),
        "value": "0",
        "explored": False,
        "options": [{"id": number, "text": text} for number, text in said.items()],
        "status": "default",
        "cites": [],
        "note": Message("The scenario does not say."),
        "material": True,
        "otherwise": changes,
    }


def _changes(
    found: Json, others: Mapping[str, Callable[[], Scene]], left: int, progress: Callable[[int], None]
) -> tuple[list[Json] | None, int]:
    """What each other option changes, and the positions that are left; None: not all of them were explored."""
    changes = []
    for option, scene in others.items():
        if left <= 0:
            return None, left
        try:
            other = answer(scene(), budget=left, progress=progress)
        except DataError:  # what was told cannot even be laid out under it
            return None, left
        positions = other["counts"]["positions"]
        left = 0 if positions is None else left - positions
        if other["status"] in ("undecided", "not-modelled"):
            return None, left
        if differing := _differing(found, other):
            said = sentences(one["sentence"] for one in differing)
            changes.append({"option": option, "sentence": said, "brief": sentences(map(_brief, differing))})
    return changes, left


def _differing(before: Json, after: Json) -> list[Json]:
    """The other answer's questions that are answered differently; where a move told was not legal, that alone."""
    pairs = list(zip(before["questions"], after["questions"], strict=True))
    found = [other for one, other in pairs if _value(one) != _value(other)]
    return [after] if any(one["answer"] == "illegal" for one in found) else found


def _brief(answered: Json) -> str:
    """The sentence of a question, or of a whole answer; of one that depends on decisions only that it does. One that
    hangs on what nobody told says so: it is no matter of what the players do."""
    if not answered.get("depends") or answered["status"] == "insufficient":
        sentence: str = answered["sentence"]
        return sentence
    if any(one.get("decider") in ("rules", "facts") for one in answered["depends"]):
        return Message("{question} That depends on a rule or a fact that is open.", question=answered["text"])
    return Message("{question} That depends on decisions still to come.", question=answered["text"])


def _value(question: Json) -> tuple[Any, ...]:
    depends = [
        (one["who"], one["decision"], [(branch["option"], branch["answer"]) for branch in one["branches"]])
        for one in question["depends"]
    ]
    return question["status"], question["answer"], depends


def _told_of_count(count: Json) -> str:
    """That the answer hangs on a number that nobody told."""
    return Message(
        "Assumed, as the scenario does not say: {fact}. If {other}: {sentence}",
        fact=count["options"][0]["text"],
        other=count["options"][1]["text"],
        sentence=count["otherwise"][0]["brief"],
    )


def _told(open_ones: list[Json]) -> str:
    """What a judge must hear at once: that the answer hangs on what the documents do not say outright."""
    if len(open_ones) > 1:
        text = "The documents leave {n} things open that would change this: see the assumptions."
        return Message(text, n=len(open_ones))
    (reading,) = open_ones
    words = {option["id"]: option["text"] for option in reading["options"]}
    first = reading["otherwise"][0]
    return Message(
        "The documents leave one thing open: {ask} Assumed: {value}. With “{option}”: {sentence}",
        ask=reading["text"],
        value=words[reading["value"]],
        option=words[first["option"]],
        sentence=first["brief"],
    )
