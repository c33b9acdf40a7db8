"""Tables, other programs' forms, and lists of players: written harmlessly, read with every mistake's place."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from config.errors import UserError
from tests.tournament.factories import NOW, enter, make_event, play
from tests.tournament.shared import FOLDER, needs_published_tables
from tournament import services, tasks
from tournament.files.names import NamesError, read_names
from tournament.files.tables import Table, as_csv
from tournament.files.trf import Game, Trf, TrfError, TrfPlayer, read_trf, write_trf
from tournament.models import Event, FileImport, Report
from tournament.selectors import exports, standings
from tournament.services.outside.imports import file_read, names_read
from tournament.simulator import Plan, Simulator

# --- tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("x")'),
        *(
            "﹦1",
            "﹢1",
            "﹣1",
            "﹫A1",
            "⁼1",
            "₌1",
            "⁺1",
            "₋1",
            "−1",
            "–1",
            "—1",
            "‐1",
            "‑1",
            "➕1",
            "➖1",
            "꞊1",
        ),
        *(" =1", "\u200b=1", "\ufeff=1", "\xa0+1", "\xad-1"),
    ],
)
def test_no_name_is_a_formula(cell: str) -> None:
    [_head, row] = csv.reader(io.StringIO(as_csv(Table(("name",), [(cell,)])), newline=""))
    assert row == ["'" + cell]


@pytest.mark.parametrize(
    "cell", ["Ann", "O’Neil", "3+1", "한국", "“Ann”", "¿Qué?", "Ann - Bo", "", "\u200b", "#1", "*"]
)
def test_other_names_stay_as_they_are(cell: str) -> None:
    [_head, row] = csv.reader(io.StringIO(as_csv(Table(("name", "x"), [(cell, "x")])), newline=""))
    assert row == [cell, "x"]


def test_numbers_stay_numbers_and_odd_names_stay_whole() -> None:
    text = as_csv(Table(("rank", "name"), [(-1, 'Ann "Ace", of\nArkham'), (2, "Bo")]))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows == [["rank", "name"], ["-1", 'Ann "Ace", of\nArkham'], ["2", "Bo"]]
    assert as_csv(Table(("é",), []), bom=True) == "\ufeffé\r\n"


@pytest.mark.django_db
def test_the_tables_hold_the_event(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    services.player_register(event=event, user=None, name="=cmd|' /C calc'!A0", by=organizer, now=NOW)
    services.player_drop(registration=event.registrations.get(user=None), by=organizer, now=NOW)
    play(event, organizer, 2)
    event.refresh_from_db()
    client = Client()
    client.force_login(organizer)
    rows = {}
    for name in ("players", "standings", "results"):
        answer = client.get(f"/events/kingsport/files/{name}.csv?bom")
        assert answer["Content-Disposition"] == f'attachment; filename="kingsport-{name}.csv"'
        text = answer.content.decode()
        assert text.startswith("\ufeff")
        rows[name] = list(csv.DictReader(io.StringIO(text[1:], newline="")))
    assert [row["name"] for row in rows["players"]][-1].startswith("'=cmd")
    assert [row["state"] for row in rows["players"]] == ["active"] * 4 + ["withdrawn"]
    assert [row["name"] for row in rows["standings"]] == [row.registration.name for row in standings(event)]
    assert [(row["round"], row["table"], row["result of player 1"]) for row in rows["results"]] == [
        ("1", "1", "win"), ("1", "2", "win"), ("2", "1", "win"), ("2", "2", "win")
    ]  # fmt: skip
    assert client.get("/events/kingsport/files/secrets.csv").status_code == 404


# --- lists of players -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann\n\n  Bo  Lee \n", [(1, "Ann", "", ""), (3, "Bo Lee", "", "")]),
        ("Ann,Arkham\nBo,,they", [(1, "Ann", "Arkham", ""), (2, "Bo", "", "they")]),
        ("Ann;Arkham", [(1, "Ann", "Arkham", "")]),
        ("Ann\tArkham\tshe/her", [(1, "Ann", "Arkham", "she/her")]),
        ('\ufeffClub,Full Name\nArkham,"Lee, Bo"', [(2, "Lee, Bo", "Arkham", "")]),
        ("Vorname;Nachname;Verein\nBo;Lee;Arkham", [(2, "Bo Lee", "Arkham", "")]),
        ("Name\nAnn", [(2, "Ann", "", "")]),
    ],
)
def test_lists_in_the_habits_organizers_have(text: str, found: list[tuple[Any, ...]]) -> None:
    assert [(one.line, one.name, one.club, one.pronouns) for one in read_names(text)] == found


def test_what_cannot_be_entered_is_marked_with_its_line() -> None:
    text = "Ann\nann\n,Arkham\n" + "x" * 81 + "\nB\x07o\nBo"
    assert [(one.line, one.problem) for one in read_names(text)] == [
        (1, ""), (2, "twice"), (3, "empty"), (4, "long"), (5, "unprintable"), (6, "")
    ]  # fmt: skip
    with pytest.raises(NamesError):
        read_names("x\n" * 5_001)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert all(one.name or one.problem for one in names_read(text))
    except UserError as refused:
        assert refused.code in ("too-long", "no-names", "bad-trf", "bad-file")


@pytest.mark.parametrize("name", ["<", "<3 Ann", "< Bo >"])
def test_a_name_that_opens_with_a_bracket_is_a_name(name: str) -> None:
    assert [one.name for one in names_read(f"{name}\nCleo")] == [name, "Cleo"]


@pytest.mark.parametrize(
    "text", ["<html><body>Ann</body></html>", "<?xml version='1.0'?><players/>", "<!-- Ann -->"]
)
def test_markup_that_is_no_tournament_file_is_refused(text: str) -> None:
    with pytest.raises(UserError) as refused:
        names_read(text)
    assert refused.value.code == "bad-file"


@pytest.mark.django_db
def test_a_pasted_list_is_shown_first_and_then_entered(organizer: Any, ann: Any) -> None:
    event = make_event(organizer)
    services.player_register(event=event, user=ann, by=ann, now=NOW)
    client = Client()
    client.force_login(organizer)
    where = "/events/kingsport/players/read"
    pasted = {"pasted": "Cleo,Arkham\nann\nCleo\nDov"}
    page = client.post(where, pasted | {"do": "look"}).content.decode()
    assert "2 players will be registered." in page
    assert "is already registered" in page and "is already listed above" in page
    assert event.registrations.count() == 1
    assert client.post(where, pasted | {"do": "enter"}).status_code == 302
    tasks.read(FileImport.objects.get().pk)
    assert sorted(event.registrations.values_list("name", "club")) == [
        ("Ann", ""), ("Cleo", "Arkham"), ("Dov", "")
    ]  # fmt: skip
    for encoding, guessed in (("latin-1", True), ("utf-16", False)):
        upload = io.BytesIO("Ünal;Köln".encode(encoding))
        upload.name = "list.csv"
        page = client.post(where, {"file": upload, "do": "look"}).content.decode()
        assert "Ünal" in page and "Köln" in page and ("Check accented names." in page) == guessed
    players = json.dumps({"players": [{"id": 7, "name": "Eve"}, {"id": 3, "name": "Ann"}], "rounds": []})
    page = client.post(where, {"pasted": players, "do": "look"}).content.decode()
    assert "1 player will be registered." in page and "is already registered" in page
    assert client.post(where, {"do": "look"}).status_code == 400


# --- tournament report files ----------------------------------------------------------------------------


def small() -> Trf:
    return Trf(
        "Open",
        2,
        [
            TrfPlayer(1, "Ann", 2.0, 1, [Game(2, "w", "1"), Game(3, "b", "1")]),
            TrfPlayer(2, "Bo", 1.0, 2, [Game(1, "b", "0"), Game(None, "", "U")]),
            TrfPlayer(3, "Cleo", 0.0, 3, [Game(None, "", "Z"), Game(1, "w", "0")]),
        ],
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_report_file_is_read_whatever_ends_its_lines(end: str) -> None:
    read = read_trf(write_trf(small()).replace("\n", end))
    assert (read.name, read.rounds, read.players) == ("Open", 2, small().players)


def test_columns_are_where_the_agreement_has_them() -> None:
    line = write_trf(small()).splitlines()[-3]
    assert (line[4:8], line[14:17], line[80:84], line[85:89]) == ("   1", "Ann", " 2.0", "   1")
    assert (line[91:95], line[96], line[98]) == ("   2", "w", "1")
    assert (line[101:105], line[106], line[108]) == ("   3", "b", "1")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda text: text.replace("001    2 ", "001    1 "), 6),
        (lambda text: text.replace("001    2 ", "001    x "), 6),
        (lambda text: text.replace("   3 b 1", "   9 b 1"), 5),
        (lambda text: text.replace("   3 b 1", "   3 b Q"), 5),
        (lambda text: text.replace("   1 b 0", "   1 b 1"), 5),
        (lambda text: text.replace("   1 w 0", "0000 - Z"), 5),
        (lambda text: text.replace("   1 w 0", "   1 w ="), 5),  # a win and a draw
        (lambda text: text.replace("   1 w 0", "   1 w  "), 5),  # a win and nothing
        (lambda text: text.replace("0000 - U", "0000 - 1"), 6),  # a game won against nobody
        (lambda text: text.replace("   1 w 0", "   1 w Z"), 7),  # absent from a game
        (lambda text: text.replace(" 2.0 ", " two "), 5),
        (lambda text: text.replace(" 2.0    1", " 2.0    I"), 5),
        (lambda text: text.replace("Cleo", "    "), 7),
        (lambda text: text.replace("XXR 2", "XXR 1"), 4),
        (lambda text: text.replace("XXR 2", "XXR two"), 4),
        (lambda text: "012 Open\n", 1),
    ],
)
def test_a_wrong_report_file_says_its_line(change: Any, line: int) -> None:
    with pytest.raises(TrfError) as refused:
        read_trf(change(write_trf(small())))
    assert refused.value.line == line


@needs_published_tables
@pytest.mark.parametrize("path", sorted((FOLDER / "trf").glob("*[!d]")), ids=lambda path: path.name)
def test_real_report_files_are_read_and_written_again(path: Path) -> None:
    """From four programs, one of which ends lines with CR alone."""
    read = read_trf(path.read_bytes().decode("utf-8", "replace"))
    assert len(read.players) > 2
    again = read_trf(write_trf(read))
    assert [(one.number, one.games) for one in again.players] == [
        (one.number, one.games) for one in read.players
    ]


def test_players_are_taken_from_a_report_file_too() -> None:
    named = names_read(write_trf(small()).replace("\n", "\r"))
    assert [(one.name, one.problem) for one in named] == [("Ann", ""), ("Bo", ""), ("Cleo", "")]
    with pytest.raises(UserError) as refused:
        names_read(write_trf(small()).replace("001    2 ", "001    1 "))
    assert (refused.value.code, refused.value.place) == ("bad-trf", "line 6")


@pytest.mark.django_db
def test_an_events_report_file_tells_its_rounds(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 5)
    play(event, organizer, 2)
    event.refresh_from_db()
    read = read_trf(write_trf(exports.trf(event)))
    assert (read.name, read.rounds, len(read.players)) == ("Kingsport Open", 4, 5)  # as many as are planned
    signs = [[game.result for one in read.players if (game := one.games[place])] for place in range(2)]
    assert [sorted(round) for round in signs] == [["0", "0", "1", "1", "U"]] * 2
    assert {one.name: one.rank for one in read.players} == {
        row.registration.name: row.rank for row in standings(event)
    }


@pytest.mark.django_db
def test_a_report_file_is_read_as_an_event_that_writes_the_same_file(organizer: Any, visitor: Any) -> None:
    event = make_event(
        organizer, policy_key="single-game", planned_rounds=3, cut={"places": 0, "ties": False}
    )
    entries = enter(event, 7)
    play(event, organizer, 2)
    services.player_drop(registration=entries[2], by=organizer, now=NOW)
    *_, last = play(event, organizer, 1)
    services.round_finish(round=last, by=organizer, now=NOW)
    event.refresh_from_db()
    file = write_trf(exports.trf(event))
    again = services.event_import(source=file.replace("\n", "\r"), slug="again", by=visitor, now=NOW)
    assert (again.state, again.planned_rounds, again.starts_on) == ("finished", 3, event.starts_on)
    points = [
        {row.registration.name: (row.points, row.results) for row in standings(one)} for one in (event, again)
    ]
    assert points[0] == points[1]
    assert write_trf(exports.trf(again)).splitlines()[:5] == file.splitlines()[:5]
    for path in ("", "standings", "pairings/1", "players"):
        assert Client().get(f"/events/again/{path}").status_code == 200, path


@pytest.mark.django_db
def test_what_a_report_file_says_of_absences_forfeits_and_half_points(visitor: Any) -> None:
    players = [
        TrfPlayer(1, "Ann", games=[Game(2, "w", "+"), Game(None, "", "H"), Game(3, "w", "=")]),
        TrfPlayer(2, "Bo", games=[Game(1, "b", "-"), Game(3, "w", "1"), Game(None, "", "Z")]),
        TrfPlayer(3, "Cleo", games=[Game(None, "", "U"), Game(2, "b", "0"), Game(1, "b", "=")]),
    ]
    source = write_trf(Trf("Open", 5, players))
    event = services.event_import(source=source, by=visitor, now=NOW)
    rows = {row.registration.name: row for row in standings(event)}
    assert {name: row.results for name, row in rows.items()} == {
        "Ann": {"win": 1, "draw": 2}, "Bo": {"loss": 1, "win": 1}, "Cleo": {"bye": 1, "loss": 1, "draw": 1},
    }  # fmt: skip
    assert rows["Bo"].dropped and (event.state, event.planned_rounds) == ("running", 5)
    assert services.round_pair(event=event, by=visitor, seed=1, now=NOW).number == 4
    with pytest.raises(UserError) as refused:
        services.event_import(source=source.replace("001    2 ", "001    1 "), by=visitor, now=NOW)
    assert (refused.value.code, refused.value.place) == ("bad-trf", "line 6")


@needs_published_tables
@pytest.mark.django_db
def test_a_published_report_file_is_an_event_with_its_points(visitor: Any) -> None:
    source = (FOLDER / "trf" / "bbp_generated_seed1.trf").read_text(encoding="utf-8", errors="replace")
    event = services.event_import(source=source, slug="open", by=visitor, now=NOW)
    worth = {"win": 2, "bye": 2, "draw": 1}
    told = {one.name: one.points for one in read_trf(source).players}
    for row in standings(event):
        halves = sum(worth.get(code, 0) * count for code, count in row.results.items())
        assert told[row.registration.name] == halves / 2, row.registration.name


@pytest.mark.django_db
def test_a_report_file_need_not_be_in_utf_8(visitor: Any) -> None:
    """Programs of Windows write their own code page, and end lines with CR alone."""
    players = [
        TrfPlayer(1, "Jürgen", games=[Game(2, "w", "1")]),
        TrfPlayer(2, "Luc", games=[Game(1, "b", "0")]),
    ]
    file = write_trf(Trf("Köln Open", 1, players)).replace("\n", "\r")
    client = Client()
    client.force_login(visitor)
    upload = io.BytesIO(file.encode("cp1252"))
    upload.name = "open.trf"
    answer = client.post("/events/read", {"file": upload, "slug": "by-page"})
    assert answer.status_code == 302, answer.content.decode()
    shown = client.get(answer["Location"]).content.decode()
    assert "Check accented names." in shown and "<li>Jürgen</li>" in shown
    client.post(answer["Location"], {"do": "read"})
    where = "/api/v1/event-files?slug=by-api"
    plain = client.generic("POST", where, file.encode("cp1252"), "text/plain")
    assert plain.status_code == 400 and "charset" in plain.json()["message"]
    assert client.generic("POST", where, b"x", "text/plain; charset=koi8-r").status_code == 400
    answer = client.generic("POST", where, file.encode("cp1252"), "text/plain; charset=Windows-1252")
    assert answer.status_code == 202
    for job in FileImport.objects.all():
        tasks.read(job.pk)
    for event in Event.objects.all():
        assert (event.name, event.registrations.get(number=1).name) == ("Köln Open", "Jürgen")
    assert Event.objects.count() == 2


# --- the form of fan sites ------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_form_of_fan_sites_has_their_fields(organizer: Any) -> None:
    event = make_event(organizer)
    enter(event, 3)
    play(event, organizer, 1)
    event.refresh_from_db()
    told = json.loads(json.dumps(exports.nrtm(event)))
    assert set(told) == {
        "name", "date", "cutToTop", "preliminaryRounds", "players", "eliminationPlayers", "rounds",
    }  # fmt: skip
    [[match, bye]] = told["rounds"]
    assert match["player1"]["combinedScore"] == 5 and match["player2"]["combinedScore"] == 0
    assert (bye["player2"]["id"], bye["player1"]["combinedScore"]) == (None, 5)
    assert [one["rank"] for one in told["players"]] == [1, 2, 3]


@pytest.mark.django_db
def test_the_form_of_fan_sites_has_the_bracket(organizer: Any) -> None:
    event = Simulator(Plan(players=8, seed=2, rounds=2, cut={"places": 4, "ties": False}), start=NOW).event()
    told = exports.nrtm(event)
    assert (told["cutToTop"], told["preliminaryRounds"], len(told["rounds"])) == (4, 2, 4)
    assert sorted(one["seed"] for one in told["eliminationPlayers"]) == [1, 2, 3, 4]
    [final] = told["rounds"][-1]
    winner = final["player1"] if final["player1"]["winner"] else final["player2"]
    assert final["eliminationGame"] and winner["id"] == told["eliminationPlayers"][0]["id"]


@needs_published_tables
def test_the_form_is_the_one_that_others_write() -> None:
    theirs = json.loads((FOLDER / "nrtm" / "cobra_nrtm_json_swiss.json").read_text())
    player, match = theirs["players"][0], theirs["rounds"][0][0]
    assert {"id", "name", "rank", "matchPoints", "strengthOfSchedule", "extendedStrengthOfSchedule"} <= set(
        player
    )
    assert {"table", "player1", "player2", "intentionalDraw", "twoForOne", "eliminationGame"} == set(match)
    assert {"id", "runnerScore", "corpScore", "combinedScore"} == set(match["player1"])


def without_lots(told: dict[str, Any]) -> dict[str, Any]:
    """The file without what only the lot decided: who of two equal in everything else stands first."""
    players = [{key: value for key, value in one.items() if key != "rank"} for one in told["players"]]
    return told | {"players": sorted(players, key=lambda one: one["id"])}


@pytest.mark.django_db
@pytest.mark.parametrize("policy", ["coc-lcg", "netrunner-nsg", "mtg-mtr"])
def test_the_form_of_fan_sites_is_read_as_an_event_that_writes_the_same(policy: str, visitor: Any) -> None:
    plan = Plan(players=11, seed=5, rounds=4, cut={"places": 6, "ties": False}, policy=policy)
    event = Simulator(plan, start=NOW).event()
    told = exports.nrtm(event)
    again = services.event_import(
        source=json.dumps(told), slug="again", policy_key=policy, by=visitor, now=NOW
    )
    assert without_lots(exports.nrtm(again)) == without_lots(told)
    assert (again.state, again.planned_rounds) == ("finished", 4)
    stages = [one.stages.values_list("kind", "third_place").get() for one in (event, again)]
    assert stages[0] == stages[1]
    for path in ("", "standings", "pairings/1", "bracket", "players"):
        assert Client().get(f"/events/again/{path}").status_code == 200, path


def fan_site(rounds: list[Any], *, seeds: int = 0, players: int = 4) -> dict[str, Any]:
    return {
        "name": "Store Open",
        "date": "2017-01-01",
        "players": [{"id": 100 + one, "name": f"P{one}"} for one in range(1, players + 1)],
        "eliminationPlayers": [{"id": 100 + one, "seed": one} for one in range(1, seeds + 1)],
        "rounds": rounds,
    }


def sat(one: int | None, two: int | None, scores: str = "3-0", **more: Any) -> dict[str, Any]:
    """A table of the Swiss rounds; `won`: of the bracket, the side that won."""
    if won := more.pop("won", None):
        sides = [{"id": one, "winner": won == 1}, {"id": two, "winner": won == 2}]
        more["eliminationGame"] = True
    else:
        sides = [
            {"id": who, "combinedScore": int(score)}
            for who, score in zip((one, two), scores.split("-"), strict=True)
        ]
    return {"player1": sides[0], "player2": sides[1]} | more


@pytest.mark.django_db
def test_scores_of_fan_sites_are_results(visitor: Any) -> None:
    first = [sat(101, 102, "3-0"), sat(103, 104, "1-1", intentionalDraw=True), sat(105, None, "3-0")]
    second = [sat(101, 103, "6-5"), sat(102, 104, "2-2"), sat(None, 105, "0-0")]
    third = [sat(101, 105, "0-0"), sat(102, 103, "0-3")]
    event = services.event_import(
        source=json.dumps(fan_site([first, second, third], players=5) | {"preliminaryRounds": 4}),
        policy_key="netrunner-nsg",
        by=visitor,
        now=NOW,
    )
    rows = {row.registration.name: row for row in standings(event)}
    assert {name: row.results for name, row in rows.items()} == {
        "P1": {"win": 2}, "P2": {"loss": 2, "draw": 1}, "P3": {"draw": 1, "loss": 1, "win": 1},
        "P4": {"draw": 2}, "P5": {"bye": 1, "double-loss": 1},
    }  # fmt: skip
    assert (event.state, event.planned_rounds, event.starts_on.isoformat()) == ("running", 4, "2017-01-01")
    assert event.registrations.get(name="P4").state == "dropped"
    agreed = [row.reason for row in Report.objects.filter(match__round__event=event, how="agreed")]
    assert agreed == ["as in the report file: 1 to 1"]


@pytest.mark.django_db
def test_points_summed_over_the_games_of_a_match_are_its_games(visitor: Any) -> None:
    """Two games a match at 3 points each: 4-1 is a win and a draw, 3-3 a win each, 2-2 two draws; 5-1 is nothing."""
    scores = ["6-0", "4-1", "3-3", "2-2", "1-4"]
    tables = [sat(101 + 2 * at, 102 + 2 * at, said) for at, said in enumerate(scores)]
    site = fan_site([[*tables, sat(111, None, "6-0")]], players=11)
    double = "netrunner-double-sided"
    event = services.event_import(source=json.dumps(site), policy_key=double, by=visitor, now=NOW)
    reports = Report.objects.filter(match__round__event=event).order_by("pk")
    assert [(row.outcome, row.games) for row in reports] == [
        ("win", [2, 0, 0]), ("win", [1, 0, 1]), ("draw", [1, 1, 0]), ("draw", [0, 0, 2]), ("loss", [0, 1, 1]),
    ]  # fmt: skip
    points = {row.registration.name: row.points for row in standings(event)}
    assert [points[f"P{at}"] for at in range(1, 12)] == [6, 0, 4, 1, 3, 3, 2, 2, 1, 4, 6]
    again = exports.nrtm(event)["rounds"][0]
    assert [f"{one['player1']['combinedScore']}-{one['player2']['combinedScore']}" for one in again] == [
        *scores,
        "6-0",
    ]
    source = json.dumps(fan_site([[sat(101, 102, "5-1")]], players=2))
    assert "no result is worth 5 to 1" in file_read(source, policy_key=double, now=NOW).remarks[0]


SWISS = [sat(101, 102), sat(103, 104)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rounds", "more", "place"),
    [
        ([[sat(101, 999)]], {}, "rounds[1][1].player2.id"),
        ([[sat(101, 102), sat(103, 101)]], {}, "rounds[1][2]"),
        ([[sat(None, None)]], {}, "rounds[1][1]"),
        ([[sat(101, 102) | {"player1": {"id": 101, "combinedScore": "x"}}]], {}, "rounds[1][1].player1.combinedScore"),
        ([[{"player1": None, "player2": None}]], {}, "rounds[1][1].player1"),
        (["x"], {}, "rounds[1]"),
        ([[sat(101, 102), sat(103, 104, won=1)]], {}, "rounds[1]"),
        ([[sat(101, 102, won=1)], SWISS], {"seeds": 2}, "rounds[2]"),
        ([SWISS, [sat(101, 103, won=1)]], {"seeds": 4}, "rounds[2][1]"),
        ([SWISS, [sat(101, 104, won=1)]], {"seeds": 4}, "rounds[2]"),
        ([SWISS, [sat(101, 102, won=1)]], {}, "eliminationPlayers"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_fan_sites_file_has_its_place(
    rounds: list[Any], more: dict[str, Any], place: str, visitor: Any
) -> None:
    with pytest.raises(UserError) as refused:
        services.event_import(source=json.dumps(fan_site(rounds, **more)), by=visitor, now=NOW)
    assert (refused.value.code, refused.value.place) == ("bad-file", place)
    assert not Event.objects.exists()


@needs_published_tables
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["swiss", "single_sided", "cut"])
def test_files_that_others_wrote_are_events(name: str, visitor: Any) -> None:
    source = (FOLDER / "nrtm" / f"cobra_nrtm_json_{name}.json").read_text(encoding="utf-8")
    event = services.event_import(source=source, policy_key="netrunner-nsg", by=visitor, now=NOW)
    theirs = json.loads(source)
    assert [one["name"] for one in sorted(theirs["players"], key=lambda one: one["id"])] == [
        one.name for one in event.registrations.order_by("number")
    ]
    ours = exports.nrtm(event)
    by_name = {one["id"]: one["name"] for one in theirs["players"]}
    names = {one["id"]: one["name"] for one in ours["players"]}
    games = [
        sorted(
            sorted(str(known.get(one[side]["id"])) for side in ("player1", "player2"))
            for tables in rounds
            for one in tables
        )
        for known, rounds in ((names, ours["rounds"]), (by_name, theirs["rounds"]))
    ]
    assert games[0] == games[1]
    assert [(names[one["id"]], one["rank"], one["seed"]) for one in ours["eliminationPlayers"]] == [
        (one["name"], one["rank"], one["seed"]) for one in theirs["eliminationPlayers"]
    ]


# --- pages ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_an_event_goes_out_by_one_page_and_in_by_another(organizer: Any, visitor: Any) -> None:
    event = make_event(organizer)
    enter(event, 4)
    play(event, organizer, 1)
    desk, other = Client(), Client()
    desk.force_login(organizer)
    other.force_login(visitor)
    file = desk.get("/events/kingsport/files/event.json").content
    upload = io.BytesIO(file)
    upload.name = "event.json"
    answer = other.post("/events/read", {"file": upload, "slug": "again"})
    assert (answer.status_code, answer["Location"]) == (302, f"/imports/{FileImport.objects.get().pk}")
    other.post(answer["Location"], {"do": "read"})
    tasks.read(FileImport.objects.get().pk)
    assert "/events/again/control" in other.get(answer["Location"]).content.decode()
    upload = io.BytesIO(file[:-40])
    upload.name = "event.json"
    answer = other.post("/events/read", {"file": upload, "slug": "third"})
    assert answer.status_code == 400 and "isn’t JSON" in answer.content.decode()
    answer = other.generic("POST", "/api/v1/event-files?slug=fourth", file, "application/json")
    assert answer.status_code == 202 and answer.json()["state"] == "queued"
    tasks.read(answer.json()["id"])
    assert other.get(f"/api/v1/imports/{answer.json()['id']}").json()["event"] == "fourth"
    assert Event.objects.count() == 3


@pytest.mark.django_db
def test_a_report_file_comes_in_by_the_api_as_text_and_the_event_goes_on(
    organizer: Any, visitor: Any
) -> None:
    event = make_event(organizer, planned_rounds=4)
    enter(event, 7)
    services.round_finish(round=play(event, organizer, 2)[-1], by=organizer, now=NOW)
    desk, other = Client(), Client()
    desk.force_login(organizer)
    other.force_login(visitor)
    report = (
        desk.get("/api/v1/events/kingsport/files/event.trf")
        .content.replace(b"\r\n", b"\r")
        .replace(b"\n", b"\r")
    )
    sent = other.generic("POST", "/api/v1/event-files?slug=innsmouth&policy=mtg-mtr", report, "text/plain")
    assert sent.status_code == 202, sent.content
    tasks.read(sent.json()["id"])
    assert other.get(f"/api/v1/imports/{sent.json()['id']}").json()["failure"] is None
    assert other.get("/api/v1/events/innsmouth").json()["policy_key"] == "mtg-mtr"
    before = {
        row["name"]: row["results"]
        for row in desk.get("/api/v1/events/kingsport/standings").json()["results"]
    }
    rows = other.get("/api/v1/events/innsmouth/standings").json()["results"]
    assert {row["name"]: row["results"] for row in rows} == before
    paired = other.post("/api/v1/events/innsmouth/rounds", {}, content_type="application/json")
    assert paired.status_code == 201, paired.content
    met = [
        {seat["name"] for seat in match["seats"]}
        for number in (1, 2, 3)
        for match in other.get(f"/api/v1/events/innsmouth/rounds/{number}/matches").json()["results"]
    ]
    assert len({frozenset(pair) for pair in met if len(pair) == 2}) == 9  # nobody meets anybody twice
    for body, kind in ((b"\xff\xfe", "text/plain"), (b"no report", "text/plain"), (b"<x/>", "text/xml")):
        refused = other.generic("POST", "/api/v1/event-files", body, kind)
        assert refused.status_code in (400, 415) and refused.json()["message"]
