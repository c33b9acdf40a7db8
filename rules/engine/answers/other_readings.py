"""Which readings of the rules an answer hangs on: the same situation under each reading that was not taken.

The engine explores a contested reading by itself, since nobody can say which is right. Of the others it takes the one
that the documents give or let one infer; whether that choice matters can only be said by asking again under the other
one. Each reading is changed alone.
"""

from collections.abc import Callable
from typing import Any

from rules.engine.answers.answer import answer
from rules.engine.base.errors import DataError
from rules.engine.base.messages import Message, sentences
from rules.engine.scene.scene import Scene

Json = dict[str, Any]
Under = Callable[[str, str], Scene]  # the same situation with a reading taken so; may raise DataError
LARGEST = 500  # positions of an answer: under another reading it takes about as many, and somebody waits
ALTOGETHER = 1_000  # positions for all other readings


class OutOfTime(Exception):
    """Whoever waits for the answer waits no longer for what other readings would change."""


def weigh(found: Json, under: Under, *, budget: int, progress: Callable[[int], None]) -> None:
    """Say of each reading in `found` (docs/answers.md) what the others would change; `found` is changed in place.

    An assumption whose options were all looked at is `explored`, and `material` if one of them changes an answer;
    `otherwise` is then [{option, sentence, brief}]: what is answered differently, in full and in short. What would take
    more than `budget` or ALTOGETHER positions stays unexplored, and all of it beside an answer of more than LARGEST.
    `doubt` is a sentence on what matters and is not settled by the documents, or empty. progress: as the engine's; it
    may raise OutOfTime.
    """
    taken = found["counts"]["positions"]
    if taken is None or taken > LARGEST or found["status"] in ("undecided", "not-modelled"):
        return
    left = min(budget - taken, ALTOGETHER)
    told = []
    try:
        for reading in found["assumptions"]:
            if reading["kind"] != "reading" or reading["explored"] or reading["status"] == "pinned":
                continue
            changes, left = _changes(found, under, reading, left, progress)
            if changes is None:
                continue
            reading |= {"explored": True, "material": bool(changes), "otherwise": changes}
            if changes and reading["status"] != "official":
                told.append(reading)
    except OutOfTime:
        pass
    found["doubt"] = _told(told) if told else ""


def _changes(
    found: Json, under: Under, reading: Json, left: int, progress: Callable[[int], None]
) -> tuple[list[Json] | None, int]:
    """What each other option changes, and the positions that are left; None: not all of them were explored."""
    changes = []
    for option in reading["options"]:
        if option["id"] == reading["value"]:
            continue
        if left <= 0:
            return None, left
        try:
            other = answer(under(reading["id"], option["id"]), budget=left, progress=progress)
        except DataError:  # what was told cannot even be laid out under it
            return None, left
        left -= other["counts"]["positions"] or left
        if other["status"] in ("undecided", "not-modelled"):
            return None, left
        if differing := _differing(found, other):
            said = sentences(one["sentence"] for one in differing)
            changes.append(
                {"option": option["id"], "sentence": said, "brief": sentences(map(_brief, differing))}
            )
    return changes, left


def _differing(before: Json, after: Json) -> list[Json]:
    """The other answer's questions that are answered differently; where a move told was not legal, that alone."""
    pairs = list(zip(before["questions"], after["questions"], strict=True))
    found = [other for one, other in pairs if _value(one) != _value(other)]
    return [after] if any(one["answer"] == "illegal" for one in found) else found


def _brief(answered: Json) -> str:
    """The sentence of a question, or of a whole answer; of one that depends only that it does."""
    if not answered.get("depends"):
        sentence: str = answered["sentence"]
        return sentence
    return Message("{question} That depends on decisions still to come.", question=answered["text"])


def _value(question: Json) -> tuple[Any, ...]:
    depends = [
        (one["who"], one["decision"], [(branch["option"], branch["answer"]) for branch in one["branches"]])
        for one in question["depends"]
    ]
    return question["status"], question["answer"], depends


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
