"""What the engine says, in another language: nothing of it is English but names, cards' own words, and what is counted
here."""

import json
import pickle

import pytest
from django.utils.translation import override

from config import translations
from rules.engine.base.messages import Message, both, either, listed, named, packed, text_of, unpacked
from rules.spoken import Spoken, answer_spoken, spoken, with_particles


def test_every_text_of_a_system_is_korean() -> None:
    catalog = translations.brought_up_to_date("rules", "ko", "systems")
    assert {message.id for message in catalog if message.id and not message.string} == set()


def test_a_message_is_its_english_and_keeps_how_it_was_made() -> None:
    use = Message(
        "{who} uses {what}", who="Ann", what=Message("a {kind}", kind=text_of("coc-lcg", "Disrupt"))
    )
    assert use == "Ann uses a Disrupt"
    assert str(use).template == "{who} uses {what}"  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(use))
    assert (again, again.template, again.arguments) == (use, use.template, use.arguments)
    assert Message("{^said}.", said=Message("pass")) == "Pass."
    assert [named("{n|card|cards}", {"n": number}) for number in (1, 3)] == ["1 card", "3 cards"]
    assert named("{it} is {odd}", {"it": "Medic {who}"}) == "Medic {who} is {odd}"


def test_several_are_said_as_one() -> None:
    assert [both("a"), both("ab"), both("abc"), both("")] == ["a", "a and b", "a and b and c", ""]
    assert [either("ab"), listed("abc", last="{some}, or {last}")] == ["a or b", "a, b, or c"]


def test_a_stored_answer_keeps_its_english_and_its_shape() -> None:
    pass_, use = Message("pass"), Message("{who}: {chosen}", who="Ann", chosen=Message("pass"))
    answer = {"sentence": use, "trace": [{"text": use, "who": "Ann", "n": 3, "none": None}], "why": pass_}
    stored = packed(answer)
    assert {key: stored[key] for key in answer} == answer
    assert all(
        one.__class__ is str for one in (stored["sentence"], stored["trace"][0]["text"], stored["why"])
    )
    assert len(stored["messages"]["parts"]) == 2
    assert unpacked(json.loads(json.dumps(stored)))["sentence"].arguments == use.arguments
    with override("ko"):
        assert answer_spoken(stored) == {
            "sentence": "Ann 님: 패스",
            "trace": [{"text": "Ann 님: 패스", "who": "Ann", "n": 3, "none": None}],
            "why": "패스",
        }
    with override("en"):
        assert answer_spoken(stored) == answer


def test_an_answer_that_was_stored_before_messages_is_read_in_english() -> None:
    old = {"sentence": "Ann may use Medic.", "questions": []}
    with override("ko"):
        assert answer_spoken(old) == old
        assert not isinstance(answer_spoken(old)["sentence"], Spoken)  # type: ignore[index]
    assert answer_spoken(None) is None


def test_what_has_no_translation_stands_whole_in_english() -> None:
    foreign = Message("{who} does what nobody translated to {card}", who="Ann", card=Message("pass"))
    with override("ko"):
        assert spoken(foreign) == "Ann does what nobody translated to pass"
        assert not isinstance(spoken(foreign), Spoken)
        assert (
            spoken(Message("{option}: {answer}", option=foreign, answer=Message("yes"))) == f"{foreign}: 예"
        )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("반응을(를)", "반응을"), ("자유 격발 기능은(는)", "자유 격발 기능은"), ("카드은(는)", "카드는"),
        ("사용 여부을(를) 결정", "사용 여부를 결정"), ("“패스”이(가)", "“패스”가"), ("서울(으)로", "서울로"),
        ("손(으)로", "손으로"), ("3(으)로", "3으로"), ("8(으)로", "8로"), ("2과(와)", "2와"),
        ("Medic은(는)", "Medic은(는)"),
    ],
)  # fmt: skip
def test_a_particle_follows_the_last_sound(written: str, read: str) -> None:
    assert with_particles(written) == read
