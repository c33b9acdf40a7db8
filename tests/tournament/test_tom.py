"""TOM's files: read as an event, refused with the round and the table where they contradict themselves."""

from typing import Any

import pytest
from django.utils import translation

from config.errors import UserError
from tests.tournament.test_files import NOW
from tournament.policy import policy_files
from tournament.services.outside.imports import FileRead, file_read, names_read, standings_compared

PLAYERS = {
    "11": ("Ann", "Alm"),
    "12": ("Bo", "Berg"),
    "13": ("Cy", "Coe"),
    "14": ("Di", "Dorn"),
    "15": ("Ann", "Alm"),
}


def table(outcome: int, *players: str) -> str:
    if len(players) == 1:
        seats = f'<player userid="{players[0]}"/>'
    else:
        seats = "".join(f'<player{side} userid="{one}"/>' for side, one in enumerate(players, start=1))
    return f'<match outcome="{outcome}">{seats}<tablenumber>1</tablenumber></match>'


def round_of(number: int, *tables: str, kind: int = 3) -> str:
    return f'<round number="{number}" type="{kind}" stage="6"><matches>{"".join(tables)}</matches></round>'


FIRST = round_of(1, table(1, "11", "12"), table(3, "13", "14"), table(5, "15"))
SECOND = round_of(2, table(2, "11", "13"), table(4, "14", "15"), table(5, "12"))


def event(*rounds: str, more: str = "") -> str:
    players = "".join(
        f'<player userid="{number}"><firstname>{first}</firstname><lastname>{last}</lastname>'
        "<birthdate>02/27/2000</birthdate></player>"
        for number, (first, last) in PLAYERS.items()
    )
    pods = f'<pod category="8" stage="5"><rounds>{"".join(rounds)}</rounds></pod>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<tournament type="2" stage="5" version="1.82" gametype="TRADING_CARD_GAME" mode="CUSTOM">'
        "<data><name>Harbor cup</name><startdate>05/02/2026</startdate></data>"
        f"<players>{players}</players><pods>{pods}</pods>{more}</tournament>"
    )


def read(source: str) -> FileRead:
    return file_read(source, policy_key="single-game", now=NOW)


def test_players_results_and_byes_are_as_in_the_file() -> None:
    """The second Ann Alm stays a player of her own; the month stands before the day."""
    document = read(event(FIRST, SECOND)).document
    assert (document["event"]["name"], document["event"]["starts_on"]) == ("Harbor cup", "2026-05-02")
    names = [one["name"] for one in document["players"]]
    assert names == ["Ann Alm", "Bo Berg", "Cy Coe", "Di Dorn", "Ann Alm (15)"]
    seats: dict[int, list[str]] = {}
    for seat in document["seats"]:
        seats.setdefault(seat["match"], []).append(names[seat["registration"] - 1])
    told = {one["match"]: one["outcome"] for one in document["reports"]}
    assert [(seats[at], told.get(at)) for at in sorted(seats)] == [
        (["Ann Alm", "Bo Berg"], "win"),
        (["Cy Coe", "Di Dorn"], "draw"),
        (["Ann Alm (15)"], None),
        (["Ann Alm", "Cy Coe"], "loss"),
        (["Di Dorn", "Ann Alm (15)"], "double-loss"),
        (["Bo Berg"], None),
    ]


def test_a_bracket_is_left_out_and_divisions_are_told() -> None:
    final = round_of(3, table(1, "11", "13"), kind=1)
    found = read(event(FIRST, SECOND, final))
    assert len(found.document["rounds"]) == 2
    assert any("bracket" in one for one in found.remarks)
    divided = event(round_of(1, table(1, "11", "12"))).replace(
        "</pods>", f'<pod category="2"><rounds>{round_of(1, table(2, "13", "14"))}</rounds></pod></pods>'
    )
    assert any("2 divisions" in one for one in read(divided).remarks)


def test_places_are_held_against_the_results() -> None:
    def places(*numbers: str) -> str:
        rows = "".join(f'<player id="{one}" place="{at}"/>' for at, one in enumerate(numbers, start=1))
        return f'<standings><pod category="8" type="finished">{rows}</pod></standings>'

    policy = policy_files.policy("single-game")
    wrong = read(event(FIRST, SECOND, more=places("14", "13", "12", "11", "15")))
    assert {one.player for one in standings_compared(wrong, policy)} >= {"Di Dorn"}


DAMAGED: dict[str, tuple[Any, str]] = {
    "cut off": (lambda text: text[: len(text) // 2], "line 2"),
    "an unknown player": (
        lambda text: text.replace('player2 userid="12"', 'player2 userid="99"'),
        "round 1, table 1",
    ),
    "an unknown code": (lambda text: text.replace('outcome="2"', 'outcome="8"'), "round 2, table 1"),
    "no code": (lambda text: text.replace(' outcome="2"', ""), "round 2, table 1"),
    "a bye for two": (lambda text: text.replace('outcome="2"', 'outcome="5"'), "round 2, table 1"),
    "a win against nobody": (lambda text: text.replace('outcome="5"', 'outcome="1"', 1), "round 1, table 3"),
    "against oneself": (
        lambda text: text.replace('player2 userid="12"', 'player2 userid="11"'),
        "round 1, table 1",
    ),
    "at two tables": (
        lambda text: text.replace('player1 userid="13"', 'player1 userid="11"'),
        "round 1, table 2",
    ),
    "a player twice": (
        lambda text: text.replace('<player userid="12"><f', '<player userid="11"><f'),
        "player 2",
    ),
    "without a name": (
        lambda text: text.replace("<firstname>Bo</firstname><lastname>Berg</lastname>", ""),
        "player 2",
    ),
    "a round missing": (lambda text: text.replace('round number="1"', 'round number="3"'), "the file"),
    "a round without a number": (lambda text: text.replace('round number="1"', "round"), "the file"),
    "no round": (lambda text: text.replace(FIRST, "").replace(SECOND, ""), "the file"),
    "an entity that grows": (
        lambda text: text.replace("<tournament ", '<!DOCTYPE t [<!ENTITY a "aa">]><tournament ', 1),
        "the file",
    ),
    "another program's": (lambda text: text.replace("tournament", "event"), "the file"),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_file_is_refused_with_its_place(how: str) -> None:
    change, place = DAMAGED[how]
    with pytest.raises(UserError) as refused:
        read(change(event(FIRST, SECOND)))
    assert refused.value.place == place, refused.value.message


def test_an_open_table_stays_open() -> None:
    document = read(event(round_of(1, table(0, "11", "12"), table(1, "13", "14"), table(5, "15")))).document
    assert document["event"]["state"] == "running"
    assert len(document["reports"]) == 1


def test_its_players_are_taken_as_a_list_of_names_too() -> None:
    assert [one.name for one in names_read(event())] == [
        "Ann Alm",
        "Bo Berg",
        "Cy Coe",
        "Di Dorn",
        "Ann Alm (15)",
    ]
    with pytest.raises(UserError):
        names_read("<event><person/></event>")


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("PK\x03\x04", "workbook"),
        ("%PDF-1.7\n", "PDF"),
        ("<!DOCTYPE html><table></table>", "web page"),
        ("<Tournament dataVersion='201'/>", "<Tournament>"),
        ("Rank,Name,Points,OMW%\n1,Ann,6,50\n", "who met whom"),
        ("Name Club\nAnn X\n", "needs columns"),
        ('[{"match": {"round": 1, "player1_id": 1, "player2_id": 2}}]', "JSON"),
        ('{"data": {"event": {}}}', "JSON"),
    ],
)
def test_a_kind_that_nobody_reads_is_refused_with_what_to_send_instead(source: str, what: str) -> None:
    with pytest.raises(UserError) as refused:
        read(source)
    assert what in refused.value.message
    assert "CSV" in refused.value.remedy


def test_a_report_files_errors_are_told_in_the_readers_language() -> None:
    with translation.override("ko"), pytest.raises(UserError) as refused:
        read("001    1      Ann\n001    1      Bo\n")
    assert not any("a" <= one <= "z" for one in refused.value.message.lower())


def test_a_file_without_places_is_asked_whether_it_is_whole() -> None:
    asked = "The file doesn’t say whether it is complete (players: 5, rounds: 1). Is that all of it?"
    assert asked in read(event(FIRST)).remarks
