"""Event files of other programs, damaged one cell or one value at a time: each damage is refused with its place, told
before anything is stored, or changes nothing. These were read in silence."""

import json
from typing import Any

import pytest

from config.errors import UserError
from tests.tournament.test_files import NOW, fan_site, sat, small
from tests.tournament.test_results_files import KINDS, read
from tests.tournament.test_tome import read as read_tome
from tests.tournament.test_tome import save, written
from tournament.files.trf import write_trf
from tournament.services.outside.imports import file_read, rows_checked


def told(source: str) -> list[str]:
    """What is asked about the file that is not asked about the whole one."""
    whole = read(KINDS["csv"]).remarks
    return [one for one in read(source).remarks if one not in whole]


def cell(old: str, new: str) -> str:
    assert old in KINDS["csv"]
    return KINDS["csv"].replace(old, new, 1)


@pytest.mark.parametrize("said", ["-1", "−1", "- 2"])
def test_a_number_below_nought_is_no_result(said: str) -> None:
    """It was a win."""
    with pytest.raises(UserError, match="isn’t a result we know") as refused:
        read(cell("Ann,Bo,2-1", f"Ann,Bo,{said}"))
    assert refused.value.place == "line 2"


def test_both_players_do_not_win_the_match() -> None:
    with pytest.raises(UserError, match="2-2-0: both players can’t have") as refused:
        rows_checked(read(cell("Ann,Bo,2-1", "Ann,Bo,2-2")).document)
    assert refused.value.place == "line 2"


@pytest.mark.parametrize("said", ["0", "1", "-", "Bo", "loss"])
def test_a_result_without_games_among_those_with_games_is_asked_about(said: str) -> None:
    asked = told(cell("Ann,Bo,2-1", f"Ann,Bo,{said}"))
    assert asked == ["No games in the result, though other tables have them: line 2."]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("0", "line 4: “0” without an opponent is read as lost."),
        ("-", "line 4: “-” without an opponent is read as lost."),
        ("1-1", "line 4: “1-1” without an opponent is read as a draw."),
        ("2-1", "line 4: “2-1” without an opponent is read as a bye."),
    ],
)
def test_a_result_that_goes_with_no_bye_is_asked_about(said: str, asked: str) -> None:
    assert told(cell("Eve,bye,", f"Eve,bye,{said}")) == [asked]
    assert not told(cell("Eve,bye,", "Eve,bye,2-0"))


def melee(**said: Any) -> str:
    rows = json.loads(KINDS["Melee"])
    rows[0]["Competitors"][0].update(said)
    return json.dumps(rows)


def test_blank_games_are_no_games_that_were_lost() -> None:
    with pytest.raises(UserError, match="games of only one player"):
        read(melee(GameWins="  "))


@pytest.mark.parametrize("value", [True, [], ["Ann"]])
def test_what_is_no_name_is_no_opponent_and_no_bye(value: Any) -> None:
    document = json.loads(KINDS["the cache of Magic Online's events"])
    document["Rounds"][2]["Matches"][0]["Player2"] = value
    with pytest.raises(UserError, match="where a player’s name belongs") as refused:
        read(json.dumps(document))
    assert refused.value.place == "rounds[3][1]"


@pytest.mark.parametrize("player", ["x", [], {"id": "b"}, {"id": "b", "name": 7}])
def test_a_player_without_a_name_is_no_bye(player: Any) -> None:
    table = {"table": 1, "players": [{"name": "Ann", "id": "a"}, player], "winner": "Ann"}
    with pytest.raises(UserError) as refused:
        read(json.dumps({"rounds": [{"round": 1, "tables": [table]}]}))
    assert refused.value.place == "rounds[1][1]"


@pytest.mark.parametrize("name", ["-1", "NaN", "#REF!", "99999999999", "?"])
def test_what_may_be_no_name_is_asked_about(name: str) -> None:
    source = KINDS["cross table"].replace("Ann", name)
    assert f"May be no player’s name: {name}." in read(source).remarks


@pytest.mark.parametrize(
    ("kind", "at", "word", "value", "place"),
    [
        ("MatchParticipant", 0, "participant_pk", [], "Match -100, MatchParticipant -101"),
        ("MatchParticipant", 0, "participant_pk", {}, "Match -100, MatchParticipant -101"),
        ("MatchParticipant", 7, "points_earned", -1, "points_earned"),
        ("MatchParticipant", 7, "points_earned", 10**30, "points_earned"),
        ("MatchParticipant", 7, "points_earned", "3", "points_earned"),
        ("MatchParticipant", 8, "points_earned", True, "points_earned"),
        ("Participant", 3, "first_name", True, "Participant -14.first_name"),
        ("Participant", 3, "last_name", ["Day"], "Participant -14.last_name"),
    ],
)
def test_a_value_of_another_kind_in_a_save_is_refused(
    kind: str, at: int, word: str, value: Any, place: str
) -> None:
    """The first two stopped with a traceback; the others were read."""
    tables = save()
    tables[kind][at][word] = value
    with pytest.raises(UserError) as refused:
        read_tome(written(tables))
    assert str(refused.value.place).endswith(place)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "word", "value"), [("players", "name", "  "), ("seats", "side", 0), ("seats", "side", 3)]
)
def test_our_own_file_has_names_and_two_sides(kind: str, word: str, value: Any) -> None:
    document = read(KINDS["csv"]).document
    document[kind][0][word] = value
    with pytest.raises(UserError) as refused:
        rows_checked(document)
    assert refused.value.place == f"{kind}[1].{word}"


def test_signs_that_no_text_has_are_refused_with_their_line() -> None:
    for source in (write_trf(small()).replace("Bo ", "B\0 "), KINDS["csv"].replace("Bo", "B\x07o")):
        with pytest.raises(UserError, match="has a sign that no text has") as refused:
            file_read(source, policy_key="mtg-mtr", now=NOW)
        assert str(refused.value.place).startswith("line ")


# --- what the rest of the same file shows --------------------------------------------------------------


def remarks_of(kind: str, old: str, new: str) -> list[str]:
    """What is asked about a damaged file and not about the whole one."""
    assert old in KINDS[kind]
    whole = read(KINDS[kind]).remarks
    return [one for one in read(KINDS[kind].replace(old, new)).remarks if one not in whole]


@pytest.mark.parametrize("name", ["ann", "Ann3", "ANN", "A", "A?n", "Ann_"])
def test_a_name_that_is_written_unlike_all_the_others_is_asked_about(name: str) -> None:
    """In a cross table it stands once, so nothing else shows it."""
    told = remarks_of("cross table", "Ann", name)
    assert told == [f"Written unlike the other names, so check them: {name}."]


def test_a_first_name_alone_is_unlike_first_and_last_names() -> None:
    whole = {"Ann": "Ann Alm", "Bo": "Bo Berg", "Cy": "Cy Coe", "Dee": "Dee Dorn", "Eve": "Eve Eck"}
    source = KINDS["cross table"]
    for short, long in whole.items():
        source = source.replace(f",{short},", f",{long},")
    assert not any("unlike" in one for one in read(source).remarks)
    for damaged in ("Bo", "Bo berg"):
        assert any(
            f"check them: {damaged}." in one for one in read(source.replace("Bo Berg", damaged)).remarks
        )


@pytest.mark.parametrize(
    "names",
    [
        ("Ann", "Bo", "dee"),  # of three, nobody knows which is the odd one
        ("ann", "Bo", "cy", "Dee"),
        ("P01", "P02", "P03", "P04"),
        ("김민준", "이서연", "박지훈", "최서윤", "한"),
        ("Zoé O'Brien", "Jean-Luc Roy", "Ann van der Berg", "Bo (Kim)"),
    ],
)
def test_names_that_differ_as_names_do_are_not_asked_about(names: tuple[str, ...]) -> None:
    rows = "".join(f"1,{one},{two},2-0\n" for one, two in zip(names[::2], names[1::2], strict=False))
    odd = f"1,{names[-1]},bye,\n" if len(names) % 2 else ""
    assert not any("unlike" in one for one in read(f"Round,Player,Opponent,Result\n{rows}{odd}").remarks)


def test_a_bye_that_is_written_otherwise_may_be_a_lost_opponent() -> None:
    document = json.loads(KINDS["the cache of Magic Online's events"])
    document["Rounds"][2]["Matches"][1]["Player2"] = None
    asked = "Byes are written in different ways, so an opponent may be missing: rounds[3][2]."
    assert asked in read(json.dumps(document)).remarks
    assert not any("different ways" in one for one in read(KINDS["Melee"]).remarks)


def test_a_second_bye_of_one_player_is_asked_about() -> None:
    asked = told(cell("2,3,Dee,bye", "2,3,Eve,bye").replace("2,2,Eve", "2,2,Dee"))
    assert "They have more than one bye: Eve (1, 2)." in asked


@pytest.mark.parametrize("one_sided", [("   2 w 1", "   2 w +"), ("   1 b 0", "   1 b -")])
def test_a_forfeit_is_told_by_both_lines(one_sided: tuple[str, str]) -> None:
    source = write_trf(small())
    with pytest.raises(UserError, match="don’t match") as refused:
        file_read(source.replace(*one_sided), policy_key="single-game", now=NOW)
    assert refused.value.place == "line 5"
    both = source.replace("   2 w 1", "   2 w +").replace("   1 b 0", "   1 b -")
    found = file_read(both, policy_key="single-game", now=NOW).document
    assert found["reports"][0]["how"] == "no-show"


def test_what_a_file_has_a_place_for_and_does_not_tell_is_told() -> None:
    no_name, no_date = (
        "The file gives no name for the event.",
        "The file gives no date; the event gets today’s.",
    )
    trf = write_trf(small())
    assert file_read(trf, policy_key="single-game", now=NOW).remarks == (no_date,)
    nameless = file_read(trf.replace("012 Open", "012"), policy_key="single-game", now=NOW).remarks
    assert nameless == (no_name, no_date)
    league = KINDS["the cache of Magic Online's events"]
    lost = read(league.replace('"Tournament"', '"Turnament"')).remarks
    assert {no_name, no_date} <= set(lost) and not {no_name, no_date} & set(read(league).remarks)
    assert not {no_name, no_date} & set(read(KINDS["csv"]).remarks)  # a sheet has no place for them


def test_a_game_of_the_bracket_that_stands_twice_is_asked_about() -> None:
    final = sat(101, 102, won=1)
    once, again = (
        file_read(
            json.dumps(fan_site([[sat(101, 102)], *finals], seeds=2, players=2)),
            policy_key="netrunner-nsg",
            now=NOW,
        ).remarks
        for finals in ([[final]], [[final], [final]])
    )
    asked = "rounds[3][1] is the same as the game before it: did they play twice?"
    assert asked in again and asked not in once


@pytest.mark.django_db
@pytest.mark.parametrize("cut", [{"paces": 8}, {"places": "8"}, 8, [], {"places": 900}])
def test_a_cut_that_is_none_is_refused(cut: Any) -> None:
    document = read(KINDS["csv"]).document
    document["event"]["cut"] = cut
    with pytest.raises(UserError) as refused:
        rows_checked(document)
    assert refused.value.place == "event.cut"


def test_more_games_than_decide_a_match_are_asked_about() -> None:
    assert told(cell("Ann,Cy,1-1-1", "Ann,Cy,1-1-4")) == ["More games than decide a match: line 5 (1-1-4)."]


def test_a_bare_number_among_results_in_words_is_asked_about() -> None:
    asked = remarks_of("in words", "Ann,Cy,draw", "Ann,Cy,0")
    assert asked == ["Results written unlike the others, read as won (1) or lost (0): line 5 (“0”)."]
    chess = "Round,White,Black,Result\n1,Ann,Bo,1\n1,Cy,Dee,0\n2,Ann,Cy,½\n2,Bo,Dee,1\n"
    assert not any("unlike the others" in one for one in read(chess, "single-game").remarks)


def test_a_letter_of_another_alphabet_is_asked_about() -> None:
    assert told(KINDS["csv"].replace("Ann", "\u0410nn")) == [
        "Written unlike the other names, so check them: \u0410nn."
    ]


@pytest.mark.parametrize("word", ["intentionalDrw", "intentionaldraw", "inteaw"])
def test_a_word_that_only_one_table_has_is_told(word: str) -> None:
    """A misspelt “intentionalDraw” made a draw that was agreed a played one."""
    site = fan_site([[sat(101, 102, "3-0"), sat(103, 104, "1-1", intentionalDraw=True)]])
    site["rounds"][0][1][word] = site["rounds"][0][1].pop("intentionalDraw")
    remarks = file_read(json.dumps(site), policy_key="netrunner-nsg", now=NOW).remarks
    assert f"Words we don’t know, so not read: rounds[1][2].{word}." in remarks
