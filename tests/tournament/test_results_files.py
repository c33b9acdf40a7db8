"""Tables of results are events; every file’s standings are held against ours before it is stored."""
# ruff: noqa: E501 (tables of one line each)

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from config.errors import UserError
from tests.tournament.factories import enter, make_event, play
from tests.tournament.shared import FOLDER, needs_published_tables
from tests.tournament.test_files import NOW, fan_site, sat, small
from tournament.files.encoding import text_of
from tournament.files.results import is_results_table, read_json, read_table
from tournament.files.tables import Table, as_csv
from tournament.files.trf import Game, Trf, TrfPlayer, write_trf
from tournament.models import Event
from tournament.policy import policy_files
from tournament.selectors import exports
from tournament.selectors.standings import standings
from tournament.services.outside.imports import (
    FileRead,
    file_read,
    names_read,
    rows_checked,
    standings_compared,
)

# One event of five players in three rounds: (round, table, one, two, games of one, of two, drawn); Dee's bye, Eve's.
TABLES = [
    (1, 1, "Ann", "Bo", 2, 1, 0), (1, 2, "Cy", "Dee", 2, 0, 0), (1, 3, "Eve", None, 0, 0, 0),
    (2, 1, "Ann", "Cy", 1, 1, 1), (2, 2, "Eve", "Bo", 0, 2, 0), (2, 3, "Dee", None, 0, 0, 0),
    (3, 1, "Cy", "Bo", 2, 1, 0), (3, 2, "Ann", "Eve", 2, 0, 0),
]  # fmt: skip
POINTS = {"Ann": 7, "Cy": 7, "Bo": 3, "Dee": 3, "Eve": 3}


def lines(head: str, line: Any, mark: str = ",") -> str:
    rows = [line(*table) for table in TABLES]
    return "\n".join([head, *(mark.join(map(str, row)) for row in rows)]) + "\n"


def games(one: int, two: int, drawn: int) -> str:
    return f"{one}-{two}-{drawn}" if drawn else f"{one}-{two}"


def per_player() -> str:
    out = ["Round\tTable\tPlayer\tOpponent\tResult"]
    for round, table, one, two, won, lost, drawn in TABLES:
        out.append(f"{round}\t{table}\t{one}\t{two or 'BYE'}\t{games(won, lost, drawn) if two else ''}")
        if two:
            out.append(f"{round}\t{table}\t{two}\t{one}\t{games(lost, won, drawn)}")
    return "\n".join(out)


def rounds_of(match: Any) -> list[list[Any]]:
    return [[match(*one) for one in TABLES if one[0] == at] for at in (1, 2, 3)]


def mtgo() -> str:
    def match(_r: int, _t: int, one: str, two: str | None, won: int, lost: int, drawn: int) -> dict[str, Any]:
        return {"Player1": one, "Player2": two or "-", "Result": f"{won}-{lost}-{drawn}" if two else "2-0-0"}

    rounds = [{"RoundName": f"Round {at}", "Matches": one} for at, one in enumerate(rounds_of(match), 1)]
    standing = [{"Player": p, "Points": POINTS[p]} for p in POINTS]
    return json.dumps(
        {
            "Tournament": {"Name": "League", "Date": "2024-01-18T00:00:00"},
            "Rounds": rounds,
            "Standings": standing,
        }
    )


def melee() -> str:
    def side(name: str | None, won: int) -> dict[str, Any]:
        return {"Team": {"Players": [{"DisplayName": name, "Username": "x"}]}, "GameWins": won}

    def match(r: int, t: int, one: str, two: str | None, won: int, lost: int, drawn: int) -> dict[str, Any]:
        sides = [side(one, won), *([side(two, lost)] if two else [])]
        return {"RoundNumber": r, "TableNumber": t, "Competitors": sides, "GameDraws": drawn}

    return json.dumps([match(*one) for one in TABLES])


def limitless() -> str:
    def match(r: int, t: int, one: str, two: str | None, won: int, lost: int, drawn: int) -> dict[str, Any]:
        winner: Any = one if won > lost else two if lost > won else 0
        return {
            "round": r,
            "phase": 1,
            "table": t,
            "winner": winner if two else one,
            "player1": one,
            "player2": two,
        }

    return json.dumps([match(*one) for one in TABLES])


KINDS = {
    "csv": lines("Round,Table,Player 1,Player 2,Result", lambda r, t, a, b, x, y, z: (r, t, a, b or "bye", games(x, y, z) if b else "")),
    "sheet with tabs": lines("Runde\tTisch\tSpieler\tGegner\tErgebnis", lambda r, t, a, b, x, y, z: (r, t, a, b or "Freilos", f"{x}:{y}:{z}" if b else ""), "\t"),
    "games in columns": lines("round;player1;player2;games1;games2;draws", lambda r, t, a, b, x, y, z: (r, a, b or "", x, y, z), ";"),
    "in words": lines("Round,Player,Opponent,Result", lambda r, t, a, b, x, y, z: (r, a, b or "BYE", ("win" if x > y else "loss" if y > x else "draw") if b else "")),
    "Korean": lines("라운드,플레이어,상대,결과", lambda r, t, a, b, x, y, z: (f"{r}라운드", a, b or "부전승", ("승" if x > y else "패" if y > x else "무승부") if b else "")),
    "Melee in words": lines("Round,Player 1,Player 2,Result", lambda r, t, a, b, x, y, z: (f"Round {r}", a, b or "", (f"{a} won {x}-{y}-{z}" if x > y else f"{b} won {y}-{x}-{z}" if y > x else f"{x}-{y}-{z} Draw") if b else "")),
    "Italian": lines("Turno,Giocatore,Avversario,Risultato", lambda r, t, a, b, x, y, z: (r, a, b or "riposo", ("vittoria" if x > y else "sconfitta" if y > x else "pareggio") if b else "")),
    "Portuguese": lines("Rodada;Jogador;Adversário;Resultado", lambda r, t, a, b, x, y, z: (r, a, b or "folga", ("vitória" if x > y else "derrota" if y > x else "empate") if b else ""), ";"),
    "Polish": lines("Runda;Gracz;Przeciwnik;Wynik", lambda r, t, a, b, x, y, z: (r, a, b or "pauza", games(x, y, z) if b else ""), ";"),
    "Japanese, in signs": lines("ラウンド,プレイヤー,対戦相手,結果", lambda r, t, a, b, x, y, z: (f"第{r}回戦", a, b or "不戦勝", ("○" if x > y else "×" if y > x else "△") if b else "")),
    "in signs": lines("Rd,Player,Opp,Res", lambda r, t, a, b, x, y, z: (r, a, b or "bye", ("+" if x > y else "-" if y > x else "=") if b else "+")),
    "in letters": lines("Rd,Player,Opp,Res", lambda r, t, a, b, x, y, z: (r, a, b or "bye", ("W" if x > y else "L" if y > x else "½") if b else "")),
    "a row a player": per_player(),
    "cross table": "No,Name,1,2,3,Pts\n1,Ann,2+,3=,5+,7\n2,Bo,1-,5+,3-,3\n3,Cy,4+,1=,2+,7\n4,Dee,3-,bye,,3\n5,Eve,bye,2-,1-,3\n",
    "cross table with colours": "#\tName\tRd 1\tRd 2\tRd 3\n1\tAnn\t2w1\t3b½\t5w1\n2\tBo\t1b0\t5w1\t3b0\n3\tCy\t4w1\t1w½\t2w1\n4\tDee\t3b0\tbye\t--\n5\tEve\tbye\t2b0\t1b0\n",
    "the cache of Magic Online's events": mtgo(),
    "Melee": melee(),
    "Limitless": limitless(),
}  # fmt: skip


def read(source: str, policy: str = "mtg-mtr") -> FileRead:
    return file_read(source, policy_key=policy, now=NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_one_event_in_every_spelling_is_the_same_event(kind: str, visitor: Any) -> None:
    from tournament import services

    event = services.event_import(source=KINDS[kind], policy_key="mtg-mtr", by=visitor, now=NOW)
    assert {row.registration.name: row.points for row in standings(event)} == POINTS
    assert (event.state, event.rounds.count()) == ("finished", 3)
    assert event.registrations.get(name="Dee").state == "dropped"
    found = read(KINDS[kind])
    assert [one.what for one in standings_compared(found, policy_files.policy("mtg-mtr"))] in (
        [],
        ["rank"] * 2,
    )
    counted = [row["games"] for row in found.document["reports"] if row["games"]]
    assert counted in ([], [[2, 1, 0], [2, 0, 0], [1, 1, 1], [0, 2, 0], [2, 1, 0], [2, 0, 0]])


@pytest.mark.django_db
def test_names_that_were_garbled_on_their_way_are_put_right_and_shown() -> None:
    source = KINDS["csv"].replace("Eve", "Zoé")
    found = read(source.encode().decode("cp1252"))
    assert [one["name"] for one in found.document["players"]] == ["Ann", "Bo", "Cy", "Dee", "Zoé"]
    assert found.remarks[0].startswith("Garbled accents")
    assert not [one for one in read(source).remarks if one.startswith("Accents")]


DAMAGED = {
    "a result that is none": ("2-1", "2-x", "line 2"),
    "0-0, which may be three things": ("2-0\n1,3", "0-0\n1,3", "line 3"),
    "a player at two tables": ("Cy,Dee", "Ann,Dee", "line 3"),
    "a player against herself": ("Ann,Bo", "Ann,Ann", "line 2"),
    "no round": ("1,1,Ann", ",1,Ann", "line 2"),
    "a round left out": ("3,1,Cy,Bo,2-1\n3,2,Ann,Eve,2-0", "5,1,Cy,Bo,2-1\n5,2,Ann,Eve,2-0", "line 8"),
    "no name": ("1,1,Ann,Bo", "1,1,,Bo", "line 2"),
    "a name that is too long": ("Ann,Bo", "A" * 81 + ",Bo", "line 2"),
    "a winner who does not sit there": ("2-1", "Zoe won 2-1", "line 2"),
    "no results at all": ("Result", "Remark", "the file"),
    "a line cut off": ("3,2,Ann,Eve,2-0", "3,2,Ann", "line 9"),
    "a cell lost": ("1,1,Ann,Bo", "1,Ann,Bo", "line 2"),
    "a note of the program": ("1,1,Ann", "Printed by Clubmaster 3,,,,\n1,1,Ann", "line 2"),
    "a letter lost by its encoding": ("Ann,Bo", "Ann,B\ufffd", "line 2"),
    "more games than a match has": ("2-1", "20-1", "line 2"),
    "two columns of results that differ": (
        "Player 2,Result\n1,1,Ann,Bo,2-1",
        "Player 2,Result,Score\n1,1,Ann,Bo,2-1,1-2",
        "line 2",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_table_is_refused_with_its_place(how: str) -> None:
    old, new, place = DAMAGED[how]
    assert old in KINDS["csv"]
    with pytest.raises(UserError) as refused:
        read(KINDS["csv"].replace(old, new, 1))
    assert (refused.value.code, refused.value.place) == ("bad-file", place)


def limitless_row(**said: Any) -> str:
    return json.dumps([{"round": 1, "player1": "Ann", "player2": "Bo", "winner": "Ann"} | said])


def melee_row(*sides: dict[str, Any], **said: Any) -> str:
    return json.dumps([{"RoundNumber": 1, "Competitors": list(sides)} | said])


def seat(name: str, won: int | None, *mates: str) -> dict[str, Any]:
    return {"Team": {"Players": [{"DisplayName": one} for one in (name, *mates)]}, "GameWins": won}


DAMAGED_JSON = {
    "cut off": (mtgo()[:300], "line 1"),
    "a winner who sits elsewhere": (limitless_row(winner="Cy"), "[1]"),
    "no round": (limitless_row(round=None), "[1]"),
    "a round in words": (limitless_row(round="one"), "[1]"),
    "a table that is a text": (limitless_row()[:-1] + ', "Ann 2-0"]', "[2]"),
    "two sources of the result that differ": (melee_row(seat("Ann", 0), seat("Bo", 2), ResultString="Ann won 2-0-0"), "[1]"),
    "the games of one player alone": (melee_row(seat("Ann", 2), seat("Bo", None)), "[1]"),
    "the winner has fewer points": (limitless_row(player1points=10, player2points=90), "[1]"),
    "three players": (melee_row(seat("Ann", 2), seat("Bo", 0), seat("Cy", 0)), "[1]"),
    "teams": (melee_row(seat("Ann", 2, "Zoe"), seat("Bo", 0)), "[1]"),
    "a round without its tables": (mtgo().replace('"Matches"', '"Macthes"', 1), "rounds[1]"),
    "points in words": (mtgo().replace('"Points": 7', '"Points": "seven"', 1), "standings[1]: points"),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("how", DAMAGED_JSON)
def test_damaged_json_is_refused_with_its_place(how: str) -> None:
    source, place = DAMAGED_JSON[how]
    with pytest.raises(UserError) as refused:
        read(source)
    assert (refused.value.code, refused.value.place) == ("bad-file", place)


# What is asked of every table of this event, which says neither whether it is whole nor that Dee has left.
WHOLE = "The file doesn’t say whether it is complete (players: 5, rounds: 3). Is that all of it?"
LEFT = "In no later round, so read as dropped after the round in brackets: Dee (2)."
NO_DATE = "The file gives no date; the event gets today’s."


def asked(found: FileRead) -> list[str]:
    """Without the two questions that every table without standings is asked."""
    return [one for one in found.remarks if not one.startswith(("The file doesn’t say", "In no later round"))]


DOUBTFUL = {
    "a row lost": (
        "2,1,Ann,Cy,1-1-1\n",
        "",
        [
            "Round 2 has no table 1.",
            "Missing from an earlier round, but playing in a later one: Ann (2), Cy (2).",
        ],
    ),
    "a name misspelt": (
        "2,1,Ann,Cy",
        "2,1,Anne,Cy",
        [
            "Missing from an earlier round, but playing in a later one: Ann (2), Anne (1).",
            "“Ann” and “Anne” may be one player.",
        ],
    ),
    "a name in capitals": (
        "2,1,Ann,Cy",
        "2,1,ANN,Cy",
        [
            "Missing from an earlier round, but playing in a later one: Ann (2), ANN (1).",
            "Written unlike the other names, so check them: ANN.",
            "“Ann” and “ANN” may be one player.",
        ],
    ),
    "an opponent lost": (
        "Ann,Bo,2-1",
        "Ann,,",
        [
            "Byes are written in different ways, so an opponent may be missing: line 2.",
            "Missing from an earlier round, but playing in a later one: Bo (1).",
            "Round 1 has 2 byes: Ann, Eve.",
        ],
    ),
    "no result in an old round": ("Ann,Bo,2-1", "Ann,Bo,", ["Tables without a result in round 1: 1."]),
    "a final among the rounds": (
        "3,2,Ann",
        "Final,2,Ann",
        [
            "The bracket’s rounds were left out: Final (1).",
            "Round 3 has 2 of the previous round’s 5 players.",
        ],
    ),
    "nothing": ("Ann,Bo,2-1", "Ann,Bo,2-1", []),
}


@pytest.mark.django_db
@pytest.mark.parametrize("how", DOUBTFUL)
def test_what_looks_wrong_is_asked_before_anything_is_stored(how: str) -> None:
    old, new, told = DOUBTFUL[how]
    assert old in KINDS["csv"]
    assert asked(read(KINDS["csv"].replace(old, new, 1))) == told


@pytest.mark.django_db
def test_two_columns_may_tell_one_result_each_in_its_way() -> None:
    source = KINDS["csv"].replace("Result\n1,1,Ann,Bo,2-1", "Result,Score\n1,1,Ann,Bo,win,2-1")
    found = read(source)
    assert found.document["reports"][0]["games"] == [2, 1, 0]


@pytest.mark.django_db
def test_one_page_of_a_longer_list_is_told() -> None:
    pages = [json.dumps({"recordsTotal": total, "data": json.loads(melee())}) for total in (8, 10)]
    told = "The file announces 10 tables but has 8."
    assert [told in read(page).remarks for page in pages] == [False, True]


@pytest.mark.django_db
def test_two_who_meet_again_and_a_file_cut_off_are_asked_about() -> None:
    again = KINDS["csv"].replace("3,1,Cy,Bo", "3,1,Eve,Bo").replace("3,2,Ann,Eve", "3,2,Ann,Cy")
    assert asked(read(again)) == ["They meet more than once: Ann – Cy, Bo – Eve."]
    cut = KINDS["csv"][: KINDS["csv"].index("2,2,Eve")]
    assert asked(read(cut)) == ["Round 2 has 2 of the previous round’s 5 players."]
    legs = "Round,Player 1,Player 2,Result\n1,Ann,Bo,1-0\n2,Bo,Ann,1-0\n"
    assert asked(read(legs, "single-game")) == []


@pytest.mark.django_db
def test_a_table_without_standings_is_asked_whether_it_is_whole_and_who_has_left() -> None:
    """Cut off after any row, it looks like a shorter event: nothing in it says otherwise."""
    assert read(KINDS["csv"]).remarks == (WHOLE, LEFT)
    tables = json.loads(melee())
    for rows in range(1, len(tables) + 1):
        found = read(json.dumps(tables[:rows]))
        players, rounds = len(found.document["players"]), len(found.document["rounds"])
        assert f"(players: {players}, rounds: {rounds}). Is that all of it?" in found.remarks[0]
    left = read(json.dumps(tables[:5])).remarks[-1]
    assert left == "In no later round, so read as dropped after the round in brackets: Dee (1)."


@pytest.mark.django_db
def test_points_show_a_result_that_is_lost_and_then_nobody_is_asked_who_has_left() -> None:
    told = {"Standings": [{"Player": name, "Points": points} for name, points in POINTS.items()]}
    league = json.loads(mtgo()) | told
    assert read(json.dumps(league)).remarks == ()
    league["Rounds"][2]["Matches"].pop()
    policy = policy_files.policy("mtg-mtr")
    differ = standings_compared(read(json.dumps(league)), policy)
    assert ("Ann", "points", "7", "4") in [(one.player, one.what, one.said, one.ours) for one in differ]
    league["Standings"].append({"Player": "Zoe", "Points": 0})
    assert "In the standings but in no round: Zoe." in read(json.dumps(league)).remarks


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("lost", "told"),
    [([], ""), ([3], "[4]"), ([0, 3], "[1], [4]"), (range(8), "[4]")],
)
def test_a_lost_number_of_drawn_games_is_told(lost: Any, told: str) -> None:
    """On some tables, wherever it is missing; on all, where both won as many games."""
    tables = json.loads(melee())
    for at in lost:
        del tables[at]["GameDraws"]
    remarks = [one for one in read(json.dumps(tables)).remarks if "drawn games" in one]
    assert remarks == ([f"No number of drawn games, read as 0: {told}."] if told else [])


@pytest.mark.django_db
def test_a_table_missing_between_others_is_told() -> None:
    tables = [one for one in json.loads(melee()) if (one["RoundNumber"], one["TableNumber"]) != (2, 1)]
    assert "Round 2 has no table 1." in read(json.dumps(tables)).remarks


@pytest.mark.django_db
def test_a_lost_game_with_its_opponent_is_no_bye() -> None:
    """“0” is a loss where an opponent stands, and nobody's opponent where none does."""
    found = read("Round,Player,Opponent,Result\n1,Ann,Bo,0\n1,Cy,0,\n")
    assert [(one["match"], one["registration"]) for one in found.document["seats"]] == [
        (1, 1),
        (1, 2),
        (2, 3),
    ]
    assert [one["outcome"] for one in found.document["reports"]] == ["loss"]


@pytest.mark.django_db
def test_a_report_file_is_held_against_what_it_announces() -> None:
    source = write_trf(small()).replace("062 3", "062 4").replace("092 I", "092  x\n09Z I")
    assert read(source, "single-game").remarks == (
        "Lines we couldn’t read were left out: 4.",
        "The file announces 4 players but has 3.",
        NO_DATE,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("said", "day", "told"),
    [
        ("2024/03/14", "2024-03-14", 0), ("28. 07. 2005", "2005-07-28", 0), ("Jun 26, 2020", "2020-06-26", 0),
        ("3024-03-14", NOW.date().isoformat(), 1), ("1024-03-14", NOW.date().isoformat(), 1),
        ("03/14/2024", "2024-03-14", 0), ("03/04/2024", NOW.date().isoformat(), 1), ("soon", NOW.date().isoformat(), 1),
    ],
)  # fmt: skip
def test_a_date_that_may_be_two_is_asked_about(said: str, day: str, told: int) -> None:
    found = read(write_trf(small()).replace("XXR", f"042 {said}\nXXR"), "single-game")
    assert (found.document["event"]["starts_on"], len(found.remarks)) == (day, told)


CROSS_DAMAGED = [
    ("1-,5+", "1+,5+", "line 3, column 3"),  # both won
    ("2,Bo", "1,Bo", "line 3"),  # a number twice
    ("2,Bo", "2,Ann", "line 3"),  # a name twice
    ("2+,3=", "9+,3=", "line 2, column 3"),  # nobody of this number
    ("4+,1=", "4+,1?", "line 4, column 4"),  # no result
    ("4+,1=", "4+,", "line 2, column 4"),  # the other does not know of it
]


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "place"), CROSS_DAMAGED)
def test_a_damaged_cross_table_is_refused_with_its_cell(old: str, new: str, place: str) -> None:
    with pytest.raises(UserError) as refused:
        read(KINDS["cross table"].replace(old, new, 1))
    assert (refused.value.code, refused.value.place) == ("bad-file", place)


@pytest.mark.django_db
def test_standings_that_are_not_those_of_the_results_are_told() -> None:
    wrong = KINDS["cross table"].replace("2+,3=,5+,7", "2+,3=,5+,9")
    found = standings_compared(read(wrong), policy_files.policy("mtg-mtr"))
    assert [(one.player, one.what, one.said, one.ours) for one in found if one.what == "points"] == [("Ann", "points", "9", "7")]  # fmt: skip
    # A file may count a win as 1 where the policy counts 3; what is out of this scale is still found.
    ones = "No,Name,1,2,Pts\n1,Ann,2+,3+,2\n2,Bo,1-,4+,1\n3,Cy,4+,1-,1\n4,Dee,3-,2-,{}\n"
    single = policy_files.policy("single-game")
    assert "points" not in {
        one.what for one in standings_compared(read(ones.format(0), "single-game"), single)
    }
    told = standings_compared(read(ones.format(1), "single-game"), single)
    assert [(one.player, one.said, one.ours) for one in told if one.what == "points"] == [("Dee", "1", "0")]
    swapped = {"Player": "Ann", "Points": 7, "OMWP": 0.9}
    league = json.loads(mtgo()) | {"Standings": [swapped]}
    told = standings_compared(read(json.dumps(league)), policy_files.policy("mtg-mtr"))
    assert [(one.what, one.said) for one in told] == [("omw", "0.9")]


@pytest.mark.django_db
def test_rounds_of_a_bracket_are_named_and_not_read_as_swiss_rounds() -> None:
    league = json.loads(mtgo())
    league["Rounds"].append({"RoundName": "Quarterfinals", "Matches": [{"Player1": "Ann", "Player2": "Cy", "Result": "2-0-0"}]})  # fmt: skip
    found = read(json.dumps(league))
    assert (len(found.document["rounds"]), found.remarks) == (
        3,
        ("The bracket’s rounds were left out: Quarterfinals (1).",),
    )


@needs_published_tables
@pytest.mark.django_db
def test_a_published_event_agrees_in_every_number() -> None:
    for path in sorted(FOLDER.glob("melee_*.json")):
        found = read(path.read_text())
        assert len(found.claims) == len(found.document["players"]) > 20
        assert {key for one in found.claims for key in one.values} == {"omw", "gw", "ogw"}
        assert standings_compared(found, policy_files.policy("mtg-mtr")) == []
        other = standings_compared(found, policy_files.policy("netrunner-nsg"))
        assert {one.what for one in other} == {"rank"}  # the same results under another policy


@needs_published_tables
@pytest.mark.django_db
def test_published_cross_tables_have_the_points_of_their_results() -> None:
    read_whole = [path for path in sorted((FOLDER / "go_sos").glob("*.tsv")) if path.stem != "kpmc2025"]
    assert len(read_whole) > 15
    for path in read_whole:
        found = read(path.read_text(), "single-game")
        told = standings_compared(found, policy_files.policy("single-game"))
        assert "points" not in {one.what for one in told}, path.name


# --- files of other kinds, held against themselves ------------------------------------------------------


@pytest.mark.django_db
def test_a_report_files_points_are_held_against_its_own_results() -> None:
    players = [
        TrfPlayer(1, "Ann", rank=1, games=[Game(2, "w", "1"), Game(None, "", "H")]),
        TrfPlayer(2, "Bo", rank=3, games=[Game(1, "b", "0"), Game(3, "w", "0")]),
        TrfPlayer(3, "Cy", rank=1, games=[Game(None, "", "U"), Game(2, "b", "1")]),
    ]
    source = write_trf(Trf("Open", 2, players))
    policy = policy_files.policy("single-game")
    assert "points" not in {one.what for one in standings_compared(read(source, "single-game"), policy)}
    assert source.count(" 1.5 ") == 1
    told = standings_compared(read(source.replace(" 1.5 ", " 2.0 "), "single-game"), policy)
    assert [(one.player, one.said, one.ours) for one in told if one.what == "points"] == [("Ann", "2", "1.5")]


@pytest.mark.django_db
def test_byes_asked_for_in_a_round_to_come_are_no_round(visitor: Any) -> None:
    from tournament import services

    players = [
        TrfPlayer(1, "Ann", games=[Game(2, "w", "1"), Game(None, "", "H")]),
        TrfPlayer(2, "Bo", games=[Game(1, "b", "0")]),
    ]
    source = write_trf(Trf("Open", 3, players))
    found = read(source, "single-game")
    assert len(found.document["rounds"]) == 1
    assert found.remarks == (
        "Byes requested for rounds not yet paired were left out: Ann (2).",
        "The file announces 3 rounds but has 1; the event continues.",
        NO_DATE,
    )
    event = services.event_import(source=source, by=visitor, now=NOW)
    assert (event.state, event.planned_rounds, event.rounds.count()) == ("running", 3, 1)


@pytest.mark.django_db
def test_a_bye_of_the_sites_app_names_player_0() -> None:
    found = read(json.dumps(fan_site([[sat(101, 102), sat(103, 0, "3-0")]], players=3)), "netrunner-nsg")
    assert [seat["registration"] for seat in found.document["seats"]] == [1, 2, 3]
    with pytest.raises(UserError):
        read(json.dumps(fan_site([[sat(101, 999)]], players=3)), "netrunner-nsg")


@pytest.mark.django_db
def test_scores_that_no_result_of_the_policy_gives_are_each_told() -> None:
    site = fan_site([[sat(101, 102, "4-1"), sat(103, 104, "3-0")]], players=4)
    for row, points in zip(site["players"], (4, 1, 3, 0), strict=True):
        row |= {"matchPoints": points}
    found = read(json.dumps(site), "netrunner-nsg")
    assert [one[:39] for one in found.remarks] == ["rounds[1][1]: no result is worth 4 to 1"]
    told = standings_compared(found, policy_files.policy("netrunner-nsg"))
    assert ("P1", "points", "4", "3") in {(one.player, one.what, one.said, one.ours) for one in told}


@pytest.mark.django_db
def test_the_command_line_shows_first_and_stores_nothing_that_differs(tmp_path: Path, visitor: Any) -> None:
    def run(source: str, *more: str) -> str:
        path = tmp_path / "results.csv"
        path.write_text(source)
        out = StringIO()
        call_command(
            "event_import", str(path), "--owner", visitor.username, "--policy", "mtg-mtr", *more, stdout=out
        )
        return out.getvalue()

    assert "5 players, 3 rounds, 8 tables, 6 results" in run(
        KINDS["cross table"].replace(",Pts", ",x"), "--look"
    )
    assert not Event.objects.exists()
    wrong = KINDS["cross table"].replace("2+,3=,5+,7", "2+,3=,5+,9")
    with pytest.raises(CommandError, match="Nothing was stored"):
        run(wrong)
    assert not Event.objects.exists()
    assert "Ann: points is 9 in the file, 7 computed here." in run(wrong, "--accept")
    assert Event.objects.count() == 1


@pytest.mark.django_db
def test_pages_show_what_differs_and_programs_are_refused_until_they_accept(visitor: Any) -> None:
    from tournament import services

    wrong = KINDS["cross table"].replace("2+,3=,5+,7", "2+,3=,5+,9")
    job = services.event_import_look(source=wrong, policy_key="mtg-mtr", by=visitor, now=NOW)
    assert job.seen is not None and ["Ann", "points", "9", "7"] in job.seen["heed"]["differ"]
    client = Client()
    client.force_login(visitor)
    page = " ".join(client.get(f"/imports/{job.pk}").content.decode().split())
    assert '<td>Ann</td> <td>points</td> <td class="num">9</td> <td class="num">7</td>' in page
    where = "/api/v1/event-files?policy=mtg-mtr"
    refused = client.generic("POST", where, wrong.encode(), "text/plain")
    assert (refused.status_code, refused.json()["code"]) == (409, "points-differ")
    assert client.generic("POST", f"{where}&accept=true", wrong.encode(), "text/plain").status_code == 202
    assert client.generic("POST", f"{where}&slug=b", KINDS["csv"].encode(), "text/plain").status_code == 202


@given(st.text(max_size=200))
def test_any_text_is_a_table_or_refused(text: str) -> None:
    for source in (text, "Round,Player 1,Player 2,Result\n" + text, "No,Name,1,2\n" + text):
        if is_results_table(source):
            try:
                assert read_table(source).names
            except UserError as refused:
                assert refused.code in ("bad-file", "too-large")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 30) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["Rounds", "Matches", "Player1", "player2", "Result", "round", "Standings", "winner", "competitors", "name"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_json_is_read_or_refused(document: Any) -> None:
    try:
        assert read_json(document).rounds
    except UserError as refused:
        assert refused.code in ("bad-file", "too-large")


def test_tables_of_two_named_in_a_list_are_read_with_their_winner() -> None:
    """As sites with pods of several write them; a pod of more than two is refused."""
    rounds = [
        {"round": 1, "tables": [
            {"table": 1, "players": [{"name": "Ann"}, {"name": "Bo"}], "winner": "Bo"},
            {"table": 2, "players": [{"name": "Cy"}, {"name": "Di"}], "winner": "Draw"},
            {"table": "Byes", "players": [{"name": "Eve"}], "winner": "Eve"},
        ]},
        {"round": "Top 2", "tables": [{"table": 1, "players": [{"name": "Ann"}, {"name": "Bo"}], "winner": "Ann"}]},
    ]  # fmt: skip
    for document in (rounds, {"name": "Weekly", "rounds": rounds}):
        found = read_json(document)
        assert [(one.one, one.two, one.outcome) for one in found.rounds[0]] == [
            (1, 2, "loss"), (3, 4, "draw"), (5, None, None),
        ]  # fmt: skip
        assert len(found.rounds) == 1
        assert "Top 2" in found.remarks[0]
    rounds[0]["tables"][0]["players"].append({"name": "Flo"})  # type: ignore[index]
    with pytest.raises(UserError) as refused:
        read_json(rounds)
    assert refused.value.place == "rounds[1][1]"


def test_a_chess_sites_cross_table_and_walkovers_are_read() -> None:
    cross = "Rk.;SNo;Name;Rtg;1.Rd;2.Rd;Pts.\n1;2;Ann;0;3b1;2w1;2\n2;3;Bo;0;4w1;1b0;1\n3;1;Cy;0;1w0;4b1;1\n4;4;Di;0;2b0;3w0;0\n"
    assert [[(one.one, one.two, one.outcome) for one in round] for round in read_table(cross).rounds] == [
        [(1, 3, "win"), (2, 4, "win")],
        [(1, 2, "win"), (3, 4, "win")],
    ]
    rows = "Round;White;Black;Result\n1;Ann;Bo;+ - -\n1;Cy;Di;- - +\n1;Eve;Flo;- - -\n"
    assert [one.outcome for one in read_table(rows).rounds[0]] == ["win", "loss", "double-loss"]


def test_points_alone_are_a_result_unless_nobody_has_any() -> None:
    rows = "Round,Table,Player 1,Player 1 Points,Player 2,Player 2 Points\n1,1,Ann,3,Bo,0\n1,2,Cy,1,Di,1\n"
    assert [one.outcome for one in read_table(rows).rounds[0]] == ["win", "draw"]
    with pytest.raises(UserError) as refused:
        read_table(rows + "1,3,Eve,0,Flo,0\n")
    assert refused.value.place == "line 4"


# --- what the head of a file says and its rounds do not -------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ()),
        ({"preliminaryRounds": 3}, ("preliminaryRounds: The file announces 3 rounds but has 1; the event continues.",)),
        ({"cutToTop": 2}, ("cutToTop: the file announces a cut to 2 players but has no bracket rounds; the event continues with the cut.",)),
        ({"cutToTop": 4, "cut": 2}, ("cutToTop: the file announces a cut to 4 players but names 2.",)),
        ({"seeds": (3, 1), "cut": 2}, ("eliminationPlayers: the seeds don’t follow the ranks of the Swiss rounds: P1.",)),
        ({"rounds": 2}, ("0 to 0 in an earlier round, read as lost by both players: rounds[1][2].",)),
        ({"preliminaryRounds": 3, "cut": 2}, ("preliminaryRounds: The file announces 3 rounds but has 1.",)),
        ({"date": "2017-02-30"}, ("“2017-02-30” isn’t a date we can read; the event gets today’s.",)),
        ({"date": "3017-02-03"}, ("“3017-02-03” can’t be the date of this event; it gets today’s.",)),
        ({"date": ""}, (NO_DATE,)),
        ({"name": " "}, ("The file gives no name for the event.",)),
    ],
)  # fmt: skip
def test_a_fan_sites_file_is_held_against_its_head(change: dict[str, Any], told: tuple[str, ...]) -> None:
    """And its seeds against its ranks, and old rounds against what may never have been entered."""
    change = dict(change)
    cut, seeds, more = change.pop("cut", 0), change.pop("seeds", (1, 3)), change.pop("rounds", 1) > 1
    first = [sat(101, 102), sat(103, 104, "0-0" if more else "3-0")]
    rounds = [
        first,
        *([[sat(101, 104), sat(103, 102)]] if more else []),
        *([[sat(101, 103, won=1)]] if cut else []),
    ]
    site = fan_site(rounds) | {"preliminaryRounds": 1 + more, "cutToTop": cut} | change
    site["eliminationPlayers"] = [
        {"id": 100 + one, "seed": at} for at, one in enumerate(seeds[:cut], start=1)
    ]
    points = (6, 0, 3, 0) if more else (3, 0, 3, 0)
    for row, told_points, rank in zip(site["players"], points, (1, 3, 2, 4), strict=True):
        row |= {"matchPoints": told_points, "rank": rank}
    assert read(json.dumps(site), "netrunner-nsg").remarks == told


TWO = write_trf(
    Trf(
        "Open",
        1,
        [TrfPlayer(1, "Ann", games=[Game(2, "w", "1")]), TrfPlayer(2, "Bo", games=[Game(1, "b", "0")])],
    )
)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("old", "new", "place", "why"),
    [
        ("2 w 1", "2 - 1", "line 5", "the colors of 1 and 2 don’t match: “-” and “b”"),
        ("1 b 0", "1   0", "line 5", "the colors of 1 and 2 don’t match: “w” and “-”"),
        ("1 b 0", "1 w 0", "line 5", "the colors of 1 and 2 don’t match: “w” and “w”"),
        ("1 b 0", "1 x 0", "line 6", "“X” isn’t a color"),
        ("1 b 0", "1xb 0", "line 6", "is between the columns"),
    ],
)
def test_the_colours_of_a_report_file_are_held_against_each_other(
    old: str, new: str, place: str, why: str
) -> None:
    assert read(TWO, "single-game").remarks == (NO_DATE,)
    with pytest.raises(UserError) as refused:
        read(TWO.replace(old, new), "single-game")
    assert refused.value.place == place and why.lower() in refused.value.message.lower()


# --- how sheets and their programs write ----------------------------------------------------------------

PLAIN = "Round,Player 1,Player 2,Result\n1,Ann,Bo,2-1\n1,Zoé O'Brien,Dee,2-0\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "written",
    {
        "BOM and CR LF": "\ufeff" + PLAIN.replace("\n", "\r\n"),
        "CR alone": PLAIN.replace("\n", "\r"),
        "semicolons": PLAIN.replace(",", ";"),
        "empty columns behind": PLAIN.replace("\n", ",,\n"),
        "quotes around all": "\n".join(
            ",".join(f'"{cell}"' for cell in line.split(",")) for line in PLAIN.splitlines()
        ),
        "marks of no width": PLAIN.replace("Bo", "\u200bBo\u200e").replace("Ann", "Ann\xa0"),
        "blank lines": PLAIN.replace("\n", "\n\n"),
    }.items(),
    ids=lambda one: one[0],
)
def test_a_sheet_reads_the_same_however_it_is_written(written: tuple[str, str]) -> None:
    for source in (PLAIN, written[1]):
        found = read(source)
        assert [one["name"] for one in found.document["players"]] == ["Ann", "Bo", "Zoé O'Brien", "Dee"]
        assert [one["games"] for one in found.document["reports"]] == [[2, 1, 0], [2, 0, 0]]
        assert asked(found) == []


@pytest.mark.django_db
@pytest.mark.parametrize("above", ["Friday League\n\n", "sep=,\n", "Friday League,,,\nPrinted on 3 May,,,\n"])
def test_lines_above_the_heading_are_left_out_and_told(above: str) -> None:
    found = read(above + PLAIN)
    assert len(found.document["players"]) == 4
    lines = ", ".join(str(at) for at, line in enumerate(above.splitlines(), start=1) if line)
    assert asked(found) == [f"Lines above the heading were left out: {lines}."]
    damaged = above + PLAIN.replace("2-0", "2-x")
    with pytest.raises(UserError) as refused:
        read(damaged)
    assert refused.value.place == f"line {damaged[: damaged.index('2-x')].count(chr(10)) + 1}"


@pytest.mark.django_db
def test_names_with_commas_and_quotes_are_kept_or_refused_with_their_line() -> None:
    last_first = PLAIN.replace("Ann", '"Alm, Ann"').replace("Bo", '"Bo ""Bee"" Berg"')
    names = [one["name"] for one in read(last_first).document["players"]]
    assert names[:2] == ["Alm, Ann", 'Bo "Bee" Berg']
    for damaged, place in (
        (PLAIN.replace("Ann,Bo", "Alm, Ann,Berg, Bo"), "line 2"),  # its cells are moved
        (PLAIN.replace("2-1", '2-1,"late'), "line 2"),  # would take in all that follows
        (PLAIN.replace("Bo", '"Bo" Berg'), "line 2"),
    ):
        with pytest.raises(UserError) as refused:
            read(damaged)
        assert refused.value.place == place
    pasted = PLAIN.replace(",", "\t").replace("Bo", '"Bee" Berg')
    assert [one["name"] for one in read(pasted).document["players"]][1] == '"Bee" Berg'


@pytest.mark.parametrize(
    ("text", "encoding", "page"),
    [
        ("라운드,선수,상대,결과\n1,김민준,이서연,승\n", "cp949", "Windows-949"),
        ("1,똠방,펲시,라운드,선수,결과", "cp949", "Windows-949"),
        ("ラウンド,プレイヤー\n1,山田", "cp932", "Windows-932"),
        ("1,Åke,Björn\n1,O’Brien,Zébulon,½-½", "cp1252", "Windows-1252"),
        ("1,Świątek,Łukasz", "cp1250", "Windows-1250"),
        ("1,Иван,Пётр", "cp1251", "Windows-1251"),
        ("1,Ann,Zoé", "utf-16", ""),
        ("1,Ann,Zoé", "utf-16-le", ""),
        ("1,Ann,Zoé", "utf-16-be", ""),
        ("1,Ann,Zoé", "utf-8-sig", ""),
    ],
)
def test_bytes_are_read_by_the_page_their_letters_are_of(text: str, encoding: str, page: str) -> None:
    assert text_of(text.encode(encoding)) == (text, page)


@pytest.mark.django_db
def test_a_sheet_that_is_not_utf_8_is_read_shown_and_asked_about(tmp_path: Path, visitor: Any) -> None:
    source = "라운드,선수,상대,결과\n1,김민준,이서연,승\n"
    client = Client()
    client.force_login(visitor)
    upload = BytesIO(source.encode("cp949"))
    upload.name = "league.csv"
    where = client.post("/events/read", {"file": upload, "policy_key": "mtg-mtr"})["Location"]
    page = client.get(where).content.decode()
    assert "we read it as Windows-949" in page and "<li>김민준</li>" in page
    path = tmp_path / "league.csv"
    path.write_bytes(source.encode("cp949"))
    out = StringIO()
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("event_import", str(path), "--owner", visitor.username, stdout=out)
    assert "read as Windows-949" in out.getvalue()


@pytest.mark.django_db
def test_programs_are_told_what_to_check(visitor: Any) -> None:
    client = Client()
    client.force_login(visitor)
    sent = client.generic("POST", "/api/v1/event-files?policy=mtg-mtr", KINDS["csv"].encode(), "text/plain")
    assert (sent.status_code, sent.json()["remarks"]) == (202, [WHOLE, LEFT])
    assert client.get(f"/api/v1/imports/{sent.json()['id']}").json()["remarks"] == []


@pytest.mark.django_db
def test_a_fan_sites_score_that_is_lost_is_not_0() -> None:
    """Of one side it is refused; of both, the table is open; of a bye, it is a bye."""
    lost = sat(101, 102)
    del lost["player2"]["combinedScore"]
    with pytest.raises(UserError) as refused:
        read(json.dumps(fan_site([[lost]], players=2)), "netrunner-nsg")
    assert refused.value.place == "rounds[1][1]"
    del lost["player1"]["combinedScore"]
    bye = sat(103, None)
    del bye["player1"]["combinedScore"]
    found = read(
        json.dumps(fan_site([[lost, bye], [sat(101, 103), sat(102, None)]], players=4)), "netrunner-nsg"
    )
    assert [one["match"] for one in found.document["reports"]] == [3]
    assert "Tables without a result in round 1: 1." in found.remarks
    assert "In no round, so read as dropped: P4." in found.remarks


@pytest.mark.django_db
def test_a_row_that_stands_twice_is_refused_as_a_repetition() -> None:
    row = "1,1,Ann,Bo,2-1\n"
    with pytest.raises(UserError) as refused:
        read(KINDS["csv"].replace(row, 2 * row))
    assert refused.value.place == "line 3" and "repeats line 2" in refused.value.message


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("said", "outcome"), [("", None), ("win", None), ("2-0", None), ("loss", "double-loss"), ("0-2", "double-loss"),
                          ("double-loss", "double-loss"), ("draw", "draw"), ("=", "draw")],
)  # fmt: skip
def test_a_result_without_an_opponent_is_what_it_says(said: str, outcome: str | None) -> None:
    found = read(f"Round,Player,Opponent,Result\n1,Ann,Bo,1-0\n1,Cy,bye,{said}\n", "mtg-mtr")
    assert [one["outcome"] for one in found.document["reports"][1:]] == ([outcome] if outcome else [])


@pytest.mark.django_db
def test_our_own_table_of_results_is_read(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 5)
    play(event, organizer, 2)
    table = exports.matches_table(event)
    names = {name for row in table.rows for name in row[2:4] if name}
    changed = Table(
        table.head, [tuple("=Ann" if cell == min(names) else cell for cell in row) for row in table.rows]
    )
    found = read(as_csv(changed), "coc-lcg")
    assert {one["name"] for one in found.document["players"]} == names - {min(names)} | {"=Ann"}
    assert [one["outcome"] for one in found.document["reports"]] == [
        row[5] for row in table.rows if row[3] and row[5]
    ]


def test_a_list_with_columns_that_nothing_names_is_not_cut_short() -> None:
    named = names_read("Ann,Arkham,she,extra\nBo,Kingsport,he\nCy,,,\n")
    assert [(one.name, one.problem) for one in named] == [("Ann", "columns"), ("Bo", ""), ("Cy", "")]
    assert names_read("Name,Mail,Club\nAnn,x@y,Arkham\n")[0].problem == ""
    with pytest.raises(UserError) as refused:
        names_read('Ann\n"Bo\nCy\n')
    assert refused.value.place == "line 2"
    names = [{"id": at, "name": name} for at, name in enumerate(("Alm, Ann", '"Bee" Berg'), start=1)]
    assert [one.name for one in names_read(json.dumps({"players": names, "rounds": []}))] == [
        "Alm, Ann",
        '"Bee" Berg',
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("row", ["BYE,Cy,0-2", "bye,Cy,loss", "Freilos,Cy,", "Cy,*** BYE ***,2-0"])
def test_a_bye_that_is_named_first_is_no_player(row: str) -> None:
    found = read(f"Round,Player 1,Player 2,Result\n1,Ann,Bo,2−1\n1,{row}\n")
    assert [one["name"] for one in found.document["players"]] == ["Ann", "Bo", "Cy"]
    assert len(found.document["reports"]) == 1 and asked(found) == []
    with pytest.raises(UserError) as refused:
        read("Round,Player 1,Player 2,Result\n1,Ann,Bo,2-1\n1,bye,Cy,win\n")
    assert refused.value.place == "line 3"


@pytest.mark.parametrize(
    "text",
    ["1. Ann\n2. Bo\n", "1) Ann\n2) Bo", "1\tAnn\n2\tBo\n", "이름\nAnn\nBo", "Players\nAnn\nBo", "번호,선수,클럽\n1,Ann,\n2,Bo,\n",
     "Player Name,DCI\nAnn,1\nBo,2\n"],
)  # fmt: skip
def test_numbers_and_headings_of_a_list_are_no_names(text: str) -> None:
    assert [(one.name, one.club, one.problem) for one in names_read(text)] == [
        ("Ann", "", ""),
        ("Bo", "", ""),
    ]


@pytest.mark.django_db
def test_an_empty_file_is_called_one() -> None:
    with pytest.raises(UserError, match="empty"):
        read(" \n")


def test_last_names_before_first_names_are_asked_about_and_not_taken_for_clubs() -> None:
    text = "Alm, Ann\nBerg, Bo\n"
    with pytest.raises(UserError) as refused:
        names_read(text)
    assert refused.value.place == "line 1"
    for head, name, club in (("last name, first name\n", "Ann Alm", ""), ("name, club\n", "Alm", "Ann")):
        first, _second = names_read(head + text)
        assert (first.name, first.club) == (name, club)
    clubs, _second = names_read("Ann Alm, Arkham\nBo, Kingsport\n")
    assert (clubs.name, clubs.club) == ("Ann Alm", "Arkham")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "at", "place"),
    [
        ("reports", -1, "matches[8]"),
        ("reports", 0, "matches[1]"),
        ("seats", 1, "matches[1]"),
        ("matches", -1, "seats[13].match"),
        ("rounds", -1, "rounds[3].number"),
    ],
)
def test_a_row_lost_from_our_own_file_is_refused_with_its_place(kind: str, at: int, place: str) -> None:
    document = json.loads(json.dumps(read(KINDS["csv"]).document, default=str))
    rows_checked(file_read(json.dumps(document), policy_key="", now=NOW).document)
    if kind == "rounds":
        document[kind][at]["number"] = 7
    else:
        document[kind].pop(at)
    with pytest.raises(UserError) as refused:
        rows_checked(file_read(json.dumps(document), policy_key="", now=NOW).document)
    assert (refused.value.code, refused.value.place) == ("bad-file", place)


@pytest.mark.django_db
def test_a_seat_lost_from_a_paired_round_is_refused(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    play(event, organizer, 1)
    document = json.loads(json.dumps(exports.whole_event(organizer, event)))
    match = document["seats"][-1]["match"]
    document["seats"] = [one for one in document["seats"] if one["match"] != match]
    document["reports"] = [one for one in document["reports"] if one["match"] != match]
    document["matches"].pop(match - 1)
    with pytest.raises(UserError) as refused:
        rows_checked(file_read(json.dumps(document), policy_key="", now=NOW).document)
    assert refused.value.place == "rounds[1].explanation"
