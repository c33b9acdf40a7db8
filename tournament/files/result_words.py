"""What columns, fields and results are called in tables of results: data, as `key_of` writes them."""

import re


def key_of(text: str) -> str:
    """A heading as we look it up: small letters, neither spaces nor marks."""
    return re.sub(r"[\W_]+", "", text.casefold())


# fmt: off
COLUMNS = {
    "round": {"round", "rnd", "rd", "roundnumber", "roundname", "runde", "ronde", "rodada", "ronda", "tour", "turno",
              "runda", "kolo", "раунд", "тур",
              "라운드", "ラウンド", "回戦", "轮次", "輪次"},
    "phase": {"phase"},
    "table": {"table", "tablenumber", "tbl", "tisch", "mesa", "board", "tavolo", "tafel", "테이블", "卓", "桌"},
    "one": {"player1", "player", "playera", "p1", "name1", "player1name", "home", "white", "spieler1", "spieler",
            "joueur1", "joueur", "jugador1", "jugador", "giocatore1", "giocatore", "jogador1", "jogador",
            "gracz1", "gracz", "speler1", "speler", "игрок1", "игрок", "name", "선수", "선수1", "플레이어",
            "플레이어1", "이름", "プレイヤー", "プレイヤー1", "名前", "player1displayname", "competitor1"},
    "two": {"player2", "opponent", "playerb", "p2", "name2", "player2name", "away", "black", "spieler2", "gegner",
            "joueur2", "adversaire", "jugador2", "oponente", "rival", "giocatore2", "avversario", "jogador2",
            "adversário", "adversario", "gracz2", "przeciwnik", "speler2", "tegenstander", "игрок2", "соперник", "opp",
            "상대", "상대선수", "선수2", "플레이어2", "対戦相手", "プレイヤー2", "player2displayname", "competitor2"},
    "result": {"result", "score", "ergebnis", "resultat", "résultat", "resultado", "risultato", "wynik",
               "uitslag", "результат", "res", "결과", "結果", "outcome", "resultstring",
               "resultofplayer1", "matchresult"},
    "games1": {"games1", "player1wins", "player1score", "p1wins", "p1score", "score1", "wins1", "player1gamewins",
               "player1games", "gameswon", "scorea", "gamesa", "winsa"},
    "games2": {"games2", "player2wins", "player2score", "p2wins", "p2score", "score2", "wins2", "player2gamewins",
               "player2games", "gameslost", "scoreb", "gamesb", "winsb"},
    "points1": {"player1points"}, "points2": {"player2points"},
    "draws": {"gamesdrawn", "gamedraws", "draws", "ties"},
    "winner": {"winner", "sieger", "gagnant", "ganador", "vincitore", "승자", "勝者"},
    "number": {"no", "nr", "num", "id", "start", "startno", "번호", "rank", "place", "순위"},
    "rank": {"rank", "place", "pos", "platz", "rang", "순위", "順位"},
    "points": {"points", "pts", "punkte", "puntos", "wins", "승점", "mp", "matchpoints"},
    "sos": {"sos"}, "sosos": {"sosos"}, "esos": {"esos"},
    "omw": {"omw", "omwp"}, "gw": {"gw", "gwp"}, "ogw": {"ogw", "ogwp"},
}
STANDINGS = {
    "rank": {"rank", "place", "placing", "position"},
    "points": {"points", "pts", "matchpoints", "score"},
    "omw": {"omw", "omwp", "opponentmatchwinpercentage", "opponentsmatchwinpercentage"},
    "gw": {"gw", "gwp", "gamewinpercentage", "teamgamewinpercentage"},
    "ogw": {"ogw", "ogwp", "opponentgamewinpercentage", "opponentsgamewinpercentage"},
    "sos": {"sos", "strengthofschedule"}, "esos": {"esos", "extendedstrengthofschedule"}, "sosos": {"sosos"},
}
MATCHES = ("matches", "pairings", "tables", "games", "data")
ROUND_WORDS = frozenset({"", "r", "swiss", "swissround", "第回戦", "第轮", "第輪", "제라운드", *COLUMNS["round"]})
BRACKET = re.compile(  # what is played after the Swiss rounds
    r"final|finale|elimination|knock ?out|play-?off|bracket|\bcut\b|round of|top ?\d|last ?\d|\bk\.?o\b|cuartos|quarti|"
    r"결승|\d강|決勝|决赛", re.I,
)
BYE_WORDS = frozenset({
    "", "bye", "byes", "freilos", "spielfrei", "exempt", "libre", "riposa", "riposo", "folga", "pauza", "vrij",
    "부전승", "不戦勝", "轮空", "輪空",
    "none", "null", "wasassignedabye", "0",
})
WON = frozenset({"win", "won", "w", "1", "+", "1-0", "+--", "+ - -", "+:-", "+-",
                 "sieg", "gewonnen", "s", "victoire", "gagné", "victoria",
                 "vittoria", "vitória", "wygrana", "winst", "победа", "승", "이김", "勝", "勝ち", "○"})
LOST = frozenset({"loss", "lost", "l", "0", "-", "0-1", "--+", "- - +", "-:+", "-+",
                  "niederlage", "verloren", "n", "défaite", "perdu", "derrota",
                  "sconfitta", "przegrana", "verlies", "поражение", "패", "짐", "負", "負け", "×"})
DRAWN = frozenset({"draw", "drawn", "d", "tie", "id", "intentionaldraw", "remis", "unentschieden", "u", "nul",
                   "égalité", "empate", "patta", "pareggio", "gelijk", "ничья", "=", "½",
                   "무", "무승부", "비김", "引分", "引き分け", "△"})
LOST_BY_BOTH = frozenset({"---", "- - -", "-:-", "doubleloss",
                          "dl", "bothlost", "doppelniederlage", "doubledéfaite", "dobledderrota", "양패"})
# fmt: on
