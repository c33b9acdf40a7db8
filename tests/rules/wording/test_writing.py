"""The way back: a sentence for what a hand wrote as data, by the same rules, and it means just that."""

import pytest

from rules.law import system_files
from rules.texts import lexicons
from rules.wording.alike import alike
from rules.wording.reading import read
from rules.wording.writing import Unwritten, write
from tests.rules.wording.test_reading import TEXTS


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            {"abilities": [{"kind": "action", "choose": {"v": "character"}, "do": [
                {"do": "wound", "to": "v", "from": "this"}]}]},
            "Action: Choose and wound a character.",
        ),
        ({"attaches-to": "character where controller = you"}, "Attach to a character you control."),
        ({"always": [{"stat": "skill", "by": 2, "of": "it = this.host"}]}, "Attached character gets +2 skill."),
    ],
)  # fmt: skip
def test_data_becomes_a_sentence(entry: dict[str, object], text: str) -> None:
    assert write(lexicons.lexicon_of("coc-lcg"), entry, name="Old Clerk") == text


def test_what_is_written_is_read_as_the_same() -> None:
    """Of what a hand wrote in the library, and of our own texts: what has a sentence has one that means just this."""
    lexicon = lexicons.lexicon_of("coc-lcg")
    cards = [(card.get("type"), card) for card in system_files.library("coc-lcg").values()]
    cards += [(entry.get("type"), entry["means"]) for entry in TEXTS if entry["means"] != "nothing"]
    written = 0
    for type_, card in cards:
        for part in ("abilities", "always", "cannot"):
            for one in card.get(part, ()):
                try:
                    text = write(lexicon, {part: [one]}, name="Old Clerk", type_=type_)
                except Unwritten:
                    continue
                written += 1
                (ability,) = read(lexicon, text, name="Old Clerk", type_=type_).abilities
                assert [alike(reading, {part: [one]}) for reading in ability.readings] == [True], text
    assert written > 15


def test_what_no_sentence_means_is_said_to_have_none() -> None:
    with pytest.raises(Unwritten):
        write(
            lexicons.lexicon_of("coc-lcg"),
            {"abilities": [{"kind": "action", "do": [{"run": "redistribute"}]}]},
        )
