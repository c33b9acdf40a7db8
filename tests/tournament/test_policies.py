"""Tournament policies: every shipped file reads, every mistake is located."""

import json
from fractions import Fraction
from typing import Any

import pytest

from config import strict_yaml
from config.errors import UserError
from tournament.policy.kinds import CutRule
from tournament.policy.model import STATUSES, Effect
from tournament.policy.policy_files import FOLDER, policies, policy, read
from tournament.swiss import Outcome

KEYS = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def document(key: str = "coc-lcg") -> Any:
    return strict_yaml.load((FOLDER / f"{key}.yaml").read_text(), name=key)


OFFENCE = {"key": "late", "title": "Late", "category": "all", "path": ["warning", "game-loss"]}
GUIDE = {
    "title": "Ours",
    "status": "house-default",
    "source": "us",
    "levels": [
        {"key": "warning", "title": "Warning"},
        {"key": "game-loss", "title": "Game loss", "effect": "game-loss"},
    ],
    "categories": {"all": "All"},
    "infractions": [OFFENCE],
}


@pytest.mark.parametrize("key", KEYS)
def test_a_shipped_policy_survives_being_pinned_as_json(key: str) -> None:
    shipped = policy(key)
    pinned = read(json.loads(json.dumps(shipped.document)), name=key)
    assert pinned == shipped
    assert shipped.status in STATUSES and len(shipped.source) > 40


def test_every_shipped_policy_is_listed() -> None:
    assert sorted(policies()) == KEYS


def test_the_house_default_says_that_it_is_one() -> None:
    coc = policy("coc-lcg")
    assert coc.status == "house-default"
    assert [coc.scoring.points[code] for code in ("win", "timed-win", "draw", "timed-loss", "loss")] == [
        5,
        4,
        2,
        1,
        0,
    ]


@pytest.mark.parametrize(
    ("key", "players", "rounds", "cut"),
    [
        ("mtg-mtr", 8, 3, 0),
        ("mtg-mtr", 9, 5, 4),
        ("mtg-mtr", 226, 8, 8),
        ("mtg-mtr", 227, 9, 8),
        ("mtg-mtr", 100_000, 10, 8),
        ("coc-lcg", 2, 1, 0),
        ("agot-joust-2013", 4, 3, 0),
        ("agot-joust-2013", 8, 3, 0),
        ("agot-joust-2013", 9, 3, 4),
        ("agot-joust-2013", 17, 4, 8),
        ("agot-joust-2013", 33, 5, 8),
        ("agot-joust-2013", 128, 5, 8),
        ("single-game", 4, 4, 2),
        ("single-game", 8, 4, 2),
        ("single-game", 9, 5, 4),
        ("single-game", 22, 6, 8),
        ("single-game", 23, 7, 8),
        ("single-game", 441, 13, 8),
        ("coc-lcg", 6, 4, 2),
        ("coc-lcg", 16, 5, 4),
        ("coc-lcg", 17, 6, 8),
    ],
)
def test_rounds_and_cut_follow_from_attendance(key: str, players: int, rounds: int, cut: int) -> None:
    row = policy(key).rounds_for(players)
    assert (row.rounds, row.cut) == (rounds, cut)


def test_the_joust_of_2013_scores_as_its_list_says() -> None:
    points = policy("agot-joust-2013").scoring.points
    codes = ("win", "timed-win", "draw", "timed-loss", "loss", "bye")
    assert [points[code] for code in codes] == [5, 4, 2, 1, 0, 5]


@pytest.mark.parametrize(
    ("key", "rule"), [("mtg-mtr", "allowed"), ("netrunner-nsg", "needs-judge"), ("coc-lcg", "forbidden")]
)
def test_each_game_has_its_own_rule_on_agreed_draws(key: str, rule: str) -> None:
    assert policy(key).intentional_draw == rule


def test_a_timed_loss_scores_below_a_loss_where_the_publisher_wanted_it() -> None:
    points = policy("l5r-lcg-2017").scoring.points
    assert points["timed-loss"] < points["loss"]
    assert Outcome.DRAW not in policy("l5r-lcg-2017").outcomes


def test_options_of_tie_breakers_are_exact() -> None:
    omw = policy("mtg-mtr").tie_breaks[1]
    assert omw.floor == Fraction(1, 3) and omw.byes is True  # type: ignore[attr-defined]


def test_an_unknown_policy_gets_the_nearest_known() -> None:
    with pytest.raises(UserError) as refused:
        policy("coc-lgc")
    assert refused.value.remedy == "Did you mean coc-lcg?"


@pytest.mark.parametrize("key", ["../policies/coc-lcg", "", "coc-lcg.yaml", "x" * 10_000])
def test_only_names_of_policies_are_names_of_files(key: str) -> None:
    with pytest.raises(UserError) as refused:
        policy(key)
    assert refused.value.code == "unknown-policy"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"poinst": {}}, "poinst"),
        ({"title": ""}, "title"),
        ({"status": "law"}, "status"),
        ({"points": {"win": 3, "loss": 0, "double-loss": 0}}, "points.bye"),
        ({"points": {"win": -1, "loss": 0, "double-loss": 0, "bye": 1}}, "points.win"),
        ({"points": {"win": 2.5, "loss": 0, "double-loss": 0, "bye": 1}}, "points.win"),
        ({"points": {"win": True, "loss": 0, "double-loss": 0, "bye": 1}}, "points.win"),
        ({"points": {"win": 3, "timed-win": 2, "loss": 0, "double-loss": 0, "bye": 1}}, "points"),
        ({"points": [5, 4]}, "points"),
        ({"games": {"win": [2, 0]}}, "games.win"),
        ({"rounds": []}, "rounds"),
        ({"rounds": [{"players": 8, "rounds": 3, "cut": 0}]}, "rounds[1]"),
        (
            {
                "rounds": [
                    {"players": 8, "rounds": 3, "cut": 0},
                    {"players": 8, "rounds": 4, "cut": 0},
                    {"players": "more", "rounds": 5, "cut": 0},
                ]
            },
            "rounds[2]",
        ),
        ({"rounds": [{"players": "more", "rounds": 0, "cut": 0}]}, "rounds[1].rounds"),
        ({"tie-breakers": [{"key": "luck"}]}, "tie-breakers[1]"),
        ({"tie-breakers": [{"key": "sos", "floor": "1/3"}]}, "tie-breakers[1].floor"),
        ({"tie-breakers": [{"key": "omw", "floor": "1/0"}]}, "tie-breakers[1].floor"),
        ({"tie-breakers": [{"key": "omw", "floor": 7}]}, "tie-breakers[1].floor"),
        ({"tie-breakers": [{"key": "sos"}, {"key": "sos"}]}, "tie-breakers"),
        ({"tie-breakers": ["sos"]}, "tie-breakers[1]"),
        ({"round-minutes": "fifty"}, "round-minutes"),
        ({"intentional-draw": "maybe"}, "intentional-draw"),
        ({"decklists": None}, "decklists"),
        ({"key": "Our League"}, "key"),
        ({"rounds": [{"players": "more", "rounds": 4, "cut": {"losses": -1}}]}, "rounds[1].cut.losses"),
        (
            {"rounds": [{"players": "more", "rounds": 4, "cut": {"places": 8, "ties": 1}}]},
            "rounds[1].cut.ties",
        ),
        ({"rounds": [{"players": "more", "rounds": 4, "cut": 129}]}, "rounds[1].cut"),
        ({"bracket": {"kind": "triple"}}, "bracket.kind"),
        ({"bracket": {"kind": "double-elimination", "third-place": True}}, "bracket.third-place"),
        ({"time": {"unfinished": "replay"}}, "time.unfinished"),
        ({"time": {"unreported": "win"}}, "time.unreported"),
        ({"time": {"extension-from": -1}}, "time.extension-from"),
        ({"deck-checks": {"percent": 101, "extra-minutes": 3}}, "deck-checks.percent"),
        ({"penalties": "no-such-guide"}, "penalties"),
        ({"penalties": {**GUIDE, "levels": []}}, "penalties.levels"),
        (
            {"penalties": {**GUIDE, "levels": [{"key": "a", "title": "A", "effect": "shame"}]}},
            "penalties.levels[1].effect",
        ),
        (
            {"penalties": {**GUIDE, "infractions": [{**OFFENCE, "path": ["death"]}]}},
            "penalties.infractions[1].path",
        ),
        (
            {"penalties": {**GUIDE, "infractions": [{**OFFENCE, "category": "weather"}]}},
            "penalties.infractions[1].category",
        ),
        ({"penalties": {**GUIDE, "infractions": [OFFENCE, OFFENCE]}}, "penalties.infractions"),
    ],
)
def test_a_mistake_in_a_policy_is_located(change: dict[str, Any], place: str) -> None:
    with pytest.raises(UserError) as refused:
        read({**document(), **change}, name="mine.yaml")
    assert (refused.value.code, refused.value.place) == ("bad-policy", place)
    assert refused.value.message.startswith("mine.yaml: ")


def test_penalties_go_up_with_each_offence_of_a_kind_and_stay_at_the_top() -> None:
    guide = read({**document(), "penalties": GUIDE}, name="mine.yaml").penalties
    assert guide is not None
    said = [guide.suggested("late", earlier) for earlier in range(4)]
    assert [one.key for one in said if one] == ["warning", "game-loss", "game-loss", "game-loss"]
    assert said[1] is not None and said[1].effect is Effect.GAME


@pytest.mark.parametrize("key", KEYS)
def test_every_shipped_policy_says_what_is_an_offence_and_how_sure_that_is(key: str) -> None:
    guide = policy(key).penalties
    assert guide is not None and {one.key for one in guide.infractions} >= {
        "cheating",
        "tardiness",
        "slow-play",
    }
    assert guide.suggested("cheating", 0) == guide.levels[-1] and guide.levels[-1].effect is Effect.REMOVAL
    assert all(one.status in STATUSES for one in guide.infractions)


@pytest.mark.parametrize(
    ("infraction", "first"),
    [  # the appendix of 2019, line by line
        ("missed-trigger", None),
        ("extra-cards", "warning"),
        ("tardiness", "game-loss"),
        ("outside-assistance", "match-loss"),
        ("slow-play", "warning"),
        ("decklist", "game-loss"),
        ("deck", "warning"),
        ("conduct-minor", "warning"),
        ("conduct-major", "match-loss"),
        ("winner", "match-loss"),
        ("bribery", "match-loss"),
        ("aggressive", "disqualification"),
        ("theft", "disqualification"),
        ("stalling", "disqualification"),
    ],
)
def test_first_penalties_of_the_infraction_guide(infraction: str, first: str | None) -> None:
    guide = policy("mtg-mtr").penalties
    assert guide is not None
    level = guide.suggested(infraction, 0)
    assert (level and level.key) == first


@pytest.mark.parametrize(
    ("cut", "rule"),
    [
        (8, CutRule(8)),
        (0, CutRule()),
        ({"places": 32, "ties": True}, CutRule(32, ties=True)),
        ({"losses": 2}, CutRule(losses=2)),
    ],
)
def test_a_cut_is_a_number_or_a_number_with_all_tied_or_a_record(cut: Any, rule: CutRule) -> None:
    rows = [{"players": "more", "rounds": 7, "cut": cut}]
    assert read({**document(), "rounds": rows}, name="mine.yaml").rounds_for(40).rule == rule


def test_a_pinned_policy_stands_by_itself() -> None:
    assert isinstance(policy("coc-lcg").document["penalties"], dict), "a name would change with its file"


@pytest.mark.parametrize("missing", ["key", "points", "rounds", "tie-breakers", "decklists"])
def test_a_missing_part_is_named(missing: str) -> None:
    with pytest.raises(UserError) as refused:
        read({name: value for name, value in document().items() if name != missing}, name="mine.yaml")
    assert refused.value.place == missing


@pytest.mark.parametrize("whole", [None, [], "text", 3])
def test_what_is_no_policy_at_all_is_refused(whole: Any) -> None:
    with pytest.raises(UserError):
        read(whole, name="mine.yaml")
