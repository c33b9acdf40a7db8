"""Tables of results as strangers write them: each is the same event, is asked about, or is refused with its place."""

import pytest

from config.errors import UserError
from tournament.files.result_words import is_bye
from tournament.files.results import Results, is_results_table, read_table

# round, table, players, games won and lost, drawn; None: no opponent
TABLES = [
    (1, 1, "Ann", "Bo", 2, 1, 0), (1, 2, "Cy", "Dee", 2, 0, 0), (1, 3, "Eve", None, 0, 0, 0),
    (2, 1, "Ann", "Cy", 1, 1, 1), (2, 2, "Eve", "Bo", 0, 2, 0), (2, 3, "Dee", None, 0, 0, 0),
    (3, 1, "Cy", "Bo", 2, 1, 0), (3, 2, "Ann", "Eve", 2, 0, 0),
]  # fmt: skip
HEAD = "Round;Table;Player 1;Player 2;Result"
EVENT = {
    (1, "Ann", "Bo", "Ann"), (1, "Cy", "Dee", "Cy"), (1, "Eve", "", "bye"), (2, "Ann", "Cy", "draw"),
    (2, "Bo", "Eve", "Bo"), (2, "Dee", "", "bye"), (3, "Bo", "Cy", "Cy"), (3, "Ann", "Eve", "Ann"),
}  # fmt: skip


def table(head: str = HEAD, bye: str = "BYE", won: str = "", lost: str = "", drawn: str = "") -> str:
    """The event as a sheet. won, lost, drawn: how results are written; else the games."""
    lines = [head]
    for at, number, one, two, games, against, even in TABLES:
        word = won if games > against else lost if against > games else drawn
        word = word.replace("ONE", one).replace("TWO", two or "")
        told = (word if won else f"{games}-{against}-{even}") if two else ""
        lines.append(f"{at};{number};{one};{two or bye};{told}")
    return "\n".join(lines) + "\n"


def read_of(found: Results) -> set[tuple[int, str, str, str]]:
    out = set()
    for at, meetings in enumerate(found.rounds, start=1):
        for one in meetings:
            if one.two is None:
                out.add((at, found.names[one.one - 1], "", "bye"))
                continue
            pair = (found.names[one.one - 1], found.names[one.two - 1])
            winner = {"win": pair[0], "loss": pair[1], "draw": "draw"}[str(one.outcome and one.outcome.value)]
            out.add((at, min(pair), max(pair), winner))
    return out


BYES = """Team BYE; Bye (win); BYE 2-0; points bye; N/A; Exempté; descansa; turno di riposo; isento; wolny los; бай;
(no opponent); unpaired; sit out; *BYE*; 轮空"""


@pytest.mark.parametrize("bye", [one.strip() for one in BYES.split(";")])
def test_a_bye_in_a_strangers_words(bye: str) -> None:
    assert read_of(read_table(table(bye=bye))) == EVENT


def test_a_surname_is_no_bye() -> None:
    assert [is_bye(name) for name in ("Peter Bye", "Bye, Kari", "Na", "Xavier")] == [False] * 4


def test_a_word_for_a_bye_that_nobody_knows_is_asked_about() -> None:
    asked = [one for one in read_table(table(bye="zzz")).remarks if "zzz" in one]
    assert len(asked) == 1
    assert not [one for one in read_table(table()).remarks if "opponent" in one]


RESULTS = {
    "in words of French": ("gagné", "perdu", "match nul"),
    "Spanish": ("ganó", "perdió", "tablas"),
    "Italian": ("vinta", "persa", "patta"),
    "Portuguese": ("ganhou", "perdeu", "empate"),
    "Chinese": ("胜", "负", "平"),
    "Korean": ("승리", "패배", "무"),
    "the winner's name": ("ONE", "TWO", "draw"),
    "said as people say it": ("2 to 1", "1 zu 2", "1 à 1"),
    "full width": ("２－１", "１－２", "１－１"),
    "as sheets keep it from being a date": ('="2-1"', "'1-2", "(1-1)"),
    "halves with a comma": ("1-0", "0-1", "0,5:0,5"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_results_in_a_strangers_way(kind: str) -> None:
    won, lost, drawn = RESULTS[kind]
    assert read_of(read_table(table(won=won, lost=lost, drawn=drawn))) == EVENT


@pytest.mark.parametrize(
    "head",
    [
        "Runde;Brett;Weiß;Schwarz;Ergebnis",
        "Ronda;Mesa;Jugador;Contrincante;Resultado",
        "Rodada;Mesa;Jogador 1;Jogador 2;Placar",
        "라운드;테이블;플레이어 A;플레이어 B;스코어",
        "轮次;桌号;选手1;选手2;结果",
        "回戦;卓番号;選手;対戦相手;勝敗",
        "Runda;Stół;Gracz 1;Gracz 2;Wynik",
    ],
)
def test_headings_in_many_languages(head: str) -> None:
    assert is_results_table(table(head=head))
    assert read_of(read_table(table(head=head))) == EVENT


CROSS = """Nr.;{name};{more}R1;R2;R3;Punkte
1;Ann;{cell}2+;3=;5+;2,5
2;Bo;{cell}1-;5+;3-;1
3;Cy;{cell}4+;1=;2+;2,5
4;Dee;{cell}3-;spielfrei;;1
5;Eve;{cell}spielfrei;2-;1-;1
"""


@pytest.mark.parametrize("name", ["Name", "Teilnehmer", "Wer spielt"])
def test_the_names_of_a_cross_table_are_found_whatever_their_heading(name: str) -> None:
    """They were left out in silence, and the players called #1, #2."""
    found = read_table(CROSS.format(name=name, more="", cell=""))
    assert found.names == ["Ann", "Bo", "Cy", "Dee", "Eve"]
    assert read_of(found) == EVENT


def test_of_two_columns_of_words_nobody_knows_which_are_the_names() -> None:
    with pytest.raises(UserError, match="which column has the players’ names"):
        read_table(CROSS.format(name="Wer", more="Woher;", cell="Wien;"))
