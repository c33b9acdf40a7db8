"""Scenarios from people: friendly forms mean the same, bad ones get a located error, and nothing brings us down."""

import json
import re
from typing import Any

import pytest
import yaml
from django.contrib.auth import get_user_model
from django.utils import timezone

from config.errors import UserError
from rules import scenarios
from rules.law import system_files
from rules.models import Dispute
from rules.scenarios import sentences
from rules.scenarios.adjudicate import adjudicate

GOOD: dict[str, Any] = {
    "system": "coc-lcg",
    "players": ["Ann", "Bo"],
    "cards": {
        "shotgun": {"is": "Shotgun Blast", "of": "Ann", "zone": "hand"},
        "researcher": {"is": "Field Researcher", "of": "Bo"},
    },
    "did": [{"Ann": "shotgun", "target": "researcher"}],
    "ask": ["next"],
}


def text(**changes: Any) -> str:
    return yaml.safe_dump({**GOOD, **changes}, sort_keys=False)


def error(source: str | bytes) -> UserError:
    with pytest.raises(UserError) as caught:
        scenarios.read(source)
    return caught.value


def test_yaml_and_json_say_the_same() -> None:
    assert scenarios.read(text()).hash == scenarios.read(json.dumps(GOOD)).hash


@pytest.mark.parametrize(
    "names", [("민수", "서연"), ("Jérôme", "Zoë"), ("प्रिया", "Åsa"), ("佐々木-太郎", "Ольга"), ("มาลี", "שרה")]
)
def test_names_of_any_script_get_the_same_answer(names: tuple[str, str]) -> None:
    def answers(source: str) -> str:
        return json.dumps(
            adjudicate(scenarios.read(source).canonical, budget=2_000)["questions"], ensure_ascii=False
        )

    questions = [{"holds": "researcher.controller = Bo and active = Ann"}, "next"]
    wanted = answers(text(ask=questions))
    source = text(ask=questions, did=["Ann plays shotgun on researcher"])
    for plain, name in zip(("Ann", "Bo"), names, strict=True):
        wanted, source = (re.sub(rf"\b{plain}\b", name, said) for said in (wanted, source))
    assert answers(source) == wanted


@pytest.mark.parametrize(
    "name", ["Ann Lee", "Ann\u202eBo", "Ann!", "“Ann”", "7", "Ann-", "안나、", "a\u00a0b"]
)
def test_a_name_is_one_word_of_letters_and_digits(name: str) -> None:
    found = error(text(players=[name, "Bo"], active="Bo", did=[], cards={}))
    assert (found.code, found.place) == ("bad-name", "players")


def test_the_canonical_form_reads_back_to_itself() -> None:
    read = scenarios.read(text())
    again = scenarios.canonical_hash(json.loads(json.dumps(read.canonical)))
    assert again == read.hash


@pytest.mark.parametrize(
    "move",
    [
        "Ann plays shotgun on researcher",
        "Ann plays Shotgun Blast on Field Researcher",
        "ann uses shotgun targeting researcher.",
    ],
)
def test_a_move_may_be_written_as_a_sentence(move: str) -> None:
    assert scenarios.read(text(did=[move])).canonical["did"][0] == {"who": "Ann", "use": "shotgun"}


TABLE = {
    "tower": {"name": "The Tower", "type": "story"},
    "carl": {"name": "Thing at the Gate", "type": "character", "of": "Bo", "invulnerable": "yes"},
    "clerk": {"type": "character", "of": "Bo"},
    "maid": {"type": "character", "of": "Ann"},
    "cook": {"type": "character", "of": "Ann"},
    "d1": {"type": "domain", "of": "Ann"},
    "shotgun": {"is": "Shotgun Blast", "of": "Ann", "zone": "hand"},
}


@pytest.mark.parametrize(
    ("move", "read"),
    [
        ("Ann commits maid to tower", [("commit it", "maid"), ("to", "tower")]),
        (
            "Ann commits maid and cook to The Tower.",
            [("commit it", "maid"), ("to", "tower"), ("commit it", "cook"), ("to", "tower")],
        ),
        ("Ann takes a mulligan", [("take a mulligan", "d1")]),
        ("Ann drains d1", [(None, "d1")]),
        ("Bo wounds clerk", [(None, "clerk")]),
        ("Bo chooses clerk, carl and d1", [(None, ["clerk", "carl", "d1"])]),
        ("Bo chooses 'strike'", [("option", "strike")]),
        ("Ann plays shotgun on Thing at the Gate", [(None, "shotgun"), (None, "carl")]),
    ],
)
def test_a_move_may_be_said_as_the_players_of_the_game_say_it(move: str, read: list[Any]) -> None:
    did = scenarios.read(text(cards=TABLE, did=[move])).canonical["did"]
    assert [(m.get("ability", m.get("for")), m.get("use", m.get("choose"))) for m in did] == read


@pytest.mark.parametrize(
    ("move", "remedy"),
    [
        ("Ann comits maid to tower", "commits"),
        ("Ann commits maid", "commits {card} to {to}"),
        ("Bo takes a mulligan", "type: domain, of: Bo"),
    ],
)
def test_a_sentence_nobody_understands_is_mended(move: str, remedy: str) -> None:
    caught = error(text(cards=TABLE, did=[move]))
    assert caught.place == "did[0]"
    assert remedy in caught.remedy


LENT = {"do": "take-control", "card": "this", "by": "you", "until": "week"}


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"ask": [{"holds": "researcher.zone = 'play"}]}, "ask[0].holds", "A quote is not closed"),
        (
            {"ask": [{"holds": "researcher.zone = play"}]},
            "ask[0].holds",
            "put it in quotes: 'play'",
        ),
        ({"ask": [{"holds": "researcher.zone is 'play'"}]}, "ask[0].holds", "Compare with ="),
        ({"cards": {"thug": {"type": "character", "ability": []}}}, "cards.thug.ability", "abilities"),
        ({"players": {"Ann": {}, "Bo": {"hand": "?"}}}, "players.Bo.hand", "Write {disputed: [0, 1]}."),
        (
            {"cards": {"lure": {"type": "event", "abilities": [{"kind": "action", "do": [LENT]}]}}},
            "cards.lure.abilities[0].do[0].until",
            "Known: good, phase, turn.",
        ),
    ],
)
def test_a_common_slip_is_told_its_remedy(changes: dict[str, Any], place: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        adjudicate(scenarios.read(text(**{"did": [], **changes})).canonical, budget=10)
    assert caught.value.place == place
    assert words in f"{caught.value.message} {caught.value.remedy}"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("Ann plays shotgun on carl", "only clerk could be chosen"),
        ("Ann uses lab", "it is Bo's to use"),
    ],
)
def test_a_move_that_could_not_be_made_is_told_why(move: str, reason: str) -> None:
    lab = {
        "type": "support",
        "of": "Bo",
        "abilities": [{"kind": "action", "do": [{"do": "draw", "who": "you"}]}],
    }
    cards = {name: TABLE[name] for name in ("clerk", "d1", "shotgun")} | {
        "carl": {"type": "support"},
        "lab": lab,
    }
    answer = adjudicate(scenarios.read(text(cards=cards, did=[move])).canonical, budget=100)
    assert reason in answer["sentence"]


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        ("may Ann play shotgun on clerk?", "Ann may use Shotgun Blast on clerk."),
        ("may Ann play shotgun on carl?", "Thing at the Gate is Invulnerable."),
        ({"legal": {"Ann": "shotgun", "target": "tower"}}, "The Tower may not be chosen; only "),
    ],
)
def test_a_question_may_name_what_is_chosen(ask: Any, answer: str) -> None:
    found = adjudicate(scenarios.read(text(cards=TABLE, did=[], ask=[ask])).canonical, budget=1_000)
    assert answer in found["sentence"]


def test_a_question_that_names_a_choice_the_card_does_not_make_is_refused() -> None:
    caught = error(text(cards=TABLE, did=[], ask=[{"legal": {"Ann": "shotgun", "targt": "clerk"}}]))
    assert (caught.code, caught.place) == ("unknown-choice", "ask[0].legal")
    assert "target" in caught.remedy


@pytest.mark.parametrize("key", system_files.keys())
def test_the_sentences_of_a_system_speak_of_what_it_has(key: str) -> None:
    sentences.of_system(key)


@pytest.mark.parametrize("ask", ["next", "Who acts next?", {"next": None}])
def test_a_question_may_be_written_in_several_ways(ask: Any) -> None:
    assert scenarios.read(text(ask=[ask])).canonical["ask"] == [{"next": True}]


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"system": "coc-lgc"}, "unknown-system", "system"),
        ({"system": "coc-lcg/faq-9"}, "unknown-version", "system"),
        ({"active": ["Ann", "Bo"]}, "two-active-players", "active"),
        ({"active": "Cy"}, "unknown-player", "active"),
        ({"crads": {}}, "unknown-key", "crads"),
        ({"cites": 0}, "wrong-type", "cites[0]"),
        ({"cites": ["COC-R-02", "CDX-R-02"]}, "unknown-rule", "cites[1]"),
        (
            {
                "cards": {
                    "x": {"type": "event", "abilities": [{"kind": "action", "do": [], "cite": "CDX-R-02"}]}
                },
                "did": [],
                "ask": ["next"],
            },
            "unknown-rule",
            "cards.x.abilities[0].cite",
        ),
        ({"cards": {"x": {"is": "Shotgun Blats", "of": "Ann"}}, "did": []}, "unknown-card", "cards.x.is"),
        ({"cards": {"x": {"type": "charakter", "of": "Ann"}}, "did": []}, "unknown-type", "cards.x.type"),
        ({"cards": {"x": {"type": "character", "of": "Cy"}}, "did": []}, "unknown-player", "cards.x.of"),
        ({"cards": {"x": {"wounds": "many", "of": "Ann"}}, "did": []}, "wrong-type", "cards.x.wounds"),
        ({"cards": {"a b": {}}, "did": []}, "bad-name", "cards"),
        ({"did": ["Ann plays shotgum"]}, "unknown-card", "did[0]"),
        ({"did": ["Ann does something"]}, "bad-move", "did[0]"),
        ({"ask": [{"holds": "researcher.zoen = 'play'"}]}, "unknown-property", "ask[0].holds"),
        ({"ask": [{"holds": "researcher.zone = 'plya'"}]}, "unknown-value-of-zone", "ask[0].holds"),
        ({"ask": [{"holds": "researcher.zone = 3"}]}, "bad-expression", "ask[0].holds"),
        (  # each looks at every card for each card of the one around it
            {"ask": [{"holds": "count(character where " * 4 + "wounds > 0" + ") > 0" * 4}]},
            "bad-expression",
            "ask[0].holds",
        ),
        ({"ask": ["why?"]}, "unknown-question", "ask[0]"),
        ({"pinned": {"first-respons": "active"}}, "unknown-reading", "pinned"),
        ({"pinned": {"first-response": "nobody"}}, "unknown-option", "pinned.first-response"),
        ({"at": "tea time"}, "unknown-point", "at"),
        (  # a choice of the name of a fact would hide the fact
            {
                "cards": {
                    "x": {
                        "type": "event",
                        "of": "Ann",
                        "zone": "hand",
                        "abilities": [
                            {
                                "kind": "action",
                                "choose": {
                                    "exhausted": "character",
                                    "other": "character where not exhausted",
                                },
                                "do": [{"do": "wound", "to": "other"}],
                            }
                        ],
                    }
                },
                "did": [],
            },
            "ambiguous-name",
            "cards.x.abilities[0].choose.other.from",
        ),
        (  # what lies in a hand has no damage, and nothing is attached to it
            {"cards": {"x": {"type": "character", "of": "Ann", "zone": "hand", "wounds": 1}}, "did": []},
            "not-in-play",
            "cards.x.wounds",
        ),
        (
            {
                "cards": {
                    "x": {"type": "character", "of": "Ann", "zone": "hand"},
                    "y": {"type": "support", "of": "Ann", "host": "x"},
                },
                "did": [],
            },
            "not-in-play",
            "cards.y.host",
        ),
        (  # nor to what lies in a discard pile
            {
                "cards": {
                    "x": {"type": "character", "of": "Ann", "zone": "discard"},
                    "y": {"type": "support", "of": "Ann", "host": "x"},
                },
                "did": [],
            },
            "not-in-play",
            "cards.y.host",
        ),
        (
            {
                "cards": {
                    "x": {"type": "event", "of": "Ann", "zone": "deck", "position": 1},
                    "y": {"type": "event", "of": "Ann", "zone": "deck", "position": 1},
                },
                "did": [],
            },
            "taken",
            "cards.y.position",
        ),
        (
            {
                "cards": {"x": {"type": "character", "of": "Ann", "abilities": [{"kind": "reponse"}]}},
                "did": [],
            },
            "unknown-ability-kind",
            "cards.x.abilities[0].kind",
        ),
        (
            {
                "cards": {
                    "x": {
                        "type": "character",
                        "of": "Ann",
                        "abilities": [{"kind": "action", "do": [{"do": "wond"}]}],
                    }
                },
                "did": [],
            },
            "unknown-occurrence-kind",
            "cards.x.abilities[0].do[0]",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(changes: dict[str, Any], code: str, place: str) -> None:
    caught = error(text(**changes))
    assert (caught.code, caught.place) == (code, place)


LASTING = {"of": "this", "stat": "skill", "by": 1, "until": "end of phase"}


@pytest.mark.parametrize(
    ("ability", "place"),
    [
        ({"do": [{"lasting": LASTING}]}, "do[0].until"),
        ({"do": [{"forbid": {"kind": "wound", "until": "tomorrow"}}]}, "do[0].until"),
        ({"do": [{"delayed": {"kind": "passive", "of": "wound", "until": "later"}}]}, "do[0].until"),
        ({"limit": {"per": "week"}}, "limit.per"),
    ],
)
def test_a_period_that_never_ends_is_refused(ability: dict[str, Any], place: str) -> None:
    card = {"type": "character", "of": "Ann", "abilities": [{"kind": "action", **ability}]}
    caught = error(text(cards={"x": card}, did=[]))
    assert (caught.code, caught.place) == ("unknown-period", f"cards.x.abilities[0].{place}")


def test_an_unknown_word_gets_the_nearest_known_one() -> None:
    assert "Field Researcher" in error(text(did=["Ann plays Field Reseracher"])).remedy


HOSTILE = {
    "binary": b"\x00\xff\xfe\x00" * 100,
    "empty": b"",
    "a list": b"- 1\n- 2\n",
    "duplicate keys": b"system: coc-lcg\nsystem: coc-ccg\n",
    "exploding anchors": b"a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]\n",
    "python objects": b"system: !!python/object/apply:os.system ['true']\n",
    "deep nesting": b"[" * 5000,
    "deep flow": b"{a: " * 900 + b"}" * 900,
    "too large": b"x" * 500_000,
    "wrong encoding": "system: café".encode("latin-1"),
    "cards are a list": b"system: coc-lcg\ncards: [1, 2]\n",
    "many cards": (
        "system: coc-lcg\ncards:\n" + "".join(f"  c{i}: {{type: event, of: Ann}}\n" for i in range(10_000))
    ).encode(),
    "numbers for names": b"system: coc-lcg\nplayers: [1, 2]\n",
    "nothing but a system": b"system: 7\n",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_input_gets_an_error_a_person_can_mend(source: bytes) -> None:
    caught = error(source)
    assert caught.message
    assert 400 <= caught.status < 500


def test_an_ability_that_triggers_itself_for_ever_is_an_honest_loop() -> None:
    restless = {
        "type": "character",
        "of": "Ann",
        "abilities": [{"kind": "forced-response", "at": "after", "of": "ready", "do": [
            {"do": "exhaust", "card": "this"}, {"do": "ready", "card": "this"}]}],
    }  # fmt: skip
    ready_all = {"kind": "action", "do": [{"do": "ready", "each": "character", "card": "it"}]}
    starter = {"type": "event", "of": "Ann", "zone": "hand", "abilities": [ready_all]}
    source = text(
        cards={"restless": {**restless, "exhausted": "yes"}, "starter": starter},
        did=[{"Ann": "starter"}],
        ask=["next"],
    )
    answer = adjudicate(scenarios.read(source).canonical, budget=5_000)
    assert answer["status"] == "loop"


def test_a_budget_that_is_too_small_ends_undecided_never_in_a_guess() -> None:
    answer = adjudicate(
        scenarios.read(text(did=[])).canonical | {"did": [{"who": "Ann", "use": "shotgun"}]}, budget=0
    )
    assert answer["status"] == "undecided"
    assert answer["questions"][0]["answer"] is None


def test_a_sentence_about_any_card_of_a_type_finds_a_library_card() -> None:
    source = {
        "system": "arkham",
        "cards": {"roland": {"is": "Roland Banks", "of": "Ann"}},
        "did": ["Ann draws a card"],
    }
    assert scenarios.read(json.dumps(source)).canonical["did"][0]["use"] == "roland"


def test_the_order_of_choices_is_part_of_a_scenario() -> None:
    """They are made in printed order, so two orders are two scenarios; the order of other keys says nothing."""

    def hashed(*names: str) -> str:
        choose = dict.fromkeys(names, "character")
        ability = {"kind": "action", "choose": choose, "do": [{"do": "wound", "to": "first"}]}
        card = {"type": "character", "of": "Ann", "abilities": [ability]}
        return scenarios.read(json.dumps({"system": "coc-lcg", "cards": {"archer": card}})).hash

    assert hashed("first", "second") != hashed("second", "first")


@pytest.mark.django_db
def test_a_stored_scenario_keeps_its_order() -> None:
    """A database's own JSON type may sort keys; the cards of a scenario stand as they were written."""
    user = get_user_model().objects.create_user("ann")
    written = {"system": "coc-lcg", "cards": {"zebra": {}, "ant": {}, "long-named": {}}}
    made = Dispute.objects.create(
        title="Order", filed_by=user, source="", scenario=written, scenario_hash="", filed_at=timezone.now()
    )
    assert list(Dispute.objects.get(pk=made.pk).scenario["cards"]) == ["zebra", "ant", "long-named"]


def test_what_is_answered_has_the_role_that_is_asked_of_it() -> None:
    with pytest.raises(UserError, match="role of wound") as told:
        scenarios.read(
            yaml.safe_dump(
                {
                    "system": "coc-lcg",
                    "cards": {
                        "clerk": {
                            "type": "character",
                            "of": "Bo",
                            "abilities": [
                                {
                                    "kind": "response",
                                    "at": "after",
                                    "of": "wound",
                                    "if": "trigger.card = this",
                                    "do": [],
                                }
                            ],
                        }
                    },
                }
            )
        )
    assert told.value.place == "cards.clerk.abilities[0].if"
    assert "from" in told.value.remedy


def test_what_happens_must_happen_to_something() -> None:
    source = """
system: coc-lcg
cards:
  bomb: {type: support, of: Ann, abilities: [{kind: action, do: [{do: wound}]}]}
"""
    with pytest.raises(UserError, match="doesn't say to") as told:
        scenarios.read(source)
    assert told.value.place == "cards.bomb.abilities[0].do[0]"


def test_data_beside_a_text_hides_nothing_that_the_text_says() -> None:
    card = {"name": "Elise", "type": "character", "of": "Bo", "text": "Elise cannot be wounded."}
    skill = {"always": [{"stat": "skill", "of": "it = this", "by": 1}]}
    told = {"system": "coc-lcg", "cards": {"elise": card | skill}, "ask": ["now"]}
    with pytest.raises(
        UserError, match="also says what belongs under cannot, which always would hide"
    ) as refused:
        scenarios.read(yaml.safe_dump(told))
    assert (refused.value.code, refused.value.place) == ("text-and-data", "cards.elise.text")
    read = scenarios.read(yaml.safe_dump(told | {"cards": {"elise": card}}))
    assert (
        scenarios.read(yaml.safe_dump(read.canonical, allow_unicode=True, sort_keys=False)).hash == read.hash
    )


def test_a_fact_that_means_nothing_of_such_a_card_is_refused() -> None:
    sword = "system: l5r\nplayers: [Ann, Bo]\ncards: {sword: {type: item, of: Ann, force: 2}}\nask: [now]\n"
    with pytest.raises(UserError) as refused:
        scenarios.read(sword)
    assert (refused.value.code, refused.value.place) == ("no-such-fact", "cards.sword.force")
    scenarios.read(sword.replace("item", "follower"))
    clerk = "system: coc-lcg\ncards: {clerk: {type: character, of: Ann, drained: yes}}\nask: [now]\n"
    with pytest.raises(UserError) as refused:
        scenarios.read(clerk)
    assert refused.value.remedy == "Leave it out: only cards of the type domain have it."
    scenarios.read(clerk.replace("drained: yes", "drained: no"))
    base = "system: codex\ncards: {base: {type: base, of: Ann, damage: 3}}\nask: [now]\n"
    with pytest.raises(UserError, match="has no damage of its own"):
        scenarios.read(base)
    rot = "system: codex\ncards: {rot: {type: spell, of: Ann, color: black}}\nask: [now]\n"
    with pytest.raises(UserError, match="Unknown color 'black'"):
        scenarios.read(rot)


@pytest.mark.parametrize(("system", "refused"), [("coc-lcg", True), ("codex", True), ("agot", False)])
def test_no_more_players_than_the_system_knows(system: str, refused: bool) -> None:
    source = f"system: {system}\nplayers: [Ann, Bo, Cy]\ncards: {{}}\nask: [next]\n"
    if not refused:
        assert scenarios.read(source).canonical["seats"] == ["Ann", "Bo", "Cy"]
        return
    with pytest.raises(UserError, match="3 players are told, and this system knows games of 2") as found:
        scenarios.read(source)
    assert found.value.place == "players"
