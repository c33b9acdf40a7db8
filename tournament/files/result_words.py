"""What columns, fields and results are called in tables of results: data, keyed as `key_of` writes them."""

import re


def key_of(text: str) -> str:
    """A heading as we look it up: small letters, neither spaces nor marks."""
    return re.sub(r"[\W_]+", "", text.casefold())


def is_bye(text: str) -> bool:
    """Whether what stands where an opponent's name would says that there was none.

    >>> is_bye("Team BYE"), is_bye("Peter Bye"), is_bye("N/A")
    (True, False, True)
    """
    if key_of(text) in BYE_WORDS or text.strip().casefold() in ("n/a", "n. a.", "n.a."):
        return True
    words = re.findall(r"\w+", text.casefold())
    return "bye" in words and all(word == "bye" or word in _BESIDE_A_BYE for word in words)


# fmt: off
COLUMNS = {
    "round": {"round", "rnd", "rd", "roundnumber", "roundname", "runde", "ronde", "rodada", "ronda", "tour", "turno",
              "runda", "kolo", "раунд", "тур",
              "라운드", "ラウンド", "回戦", "轮次", "輪次"},
    "phase": {"phase"},
    "table": {"table", "tablenumber", "tbl", "tisch", "mesa", "board", "brett", "tavolo", "卓番号", "桌号", "桌次",
              "stół", "стол", "tafel", "테이블", "卓", "桌"},
    "one": {"player1", "player", "playera", "p1", "name1", "player1name", "home", "white", "spieler1", "spieler",
            "joueur1", "joueur", "jugador1", "jugador", "giocatore1", "giocatore", "jogador1", "jogador",
            "gracz1", "gracz", "speler1", "speler", "игрок1", "игрок", "name", "선수", "선수1", "플레이어",
            "플레이어1", "이름", "プレイヤー", "プレイヤー1", "名前", "player1displayname", "competitor1",
            "teilnehmer", "teilnehmer1", "participant", "participant1", "participante", "partecipante", "spielera",
            "weiss", "blancs", "blancas", "joueura", "jugadora", "firstplayer", "選手", "選手1", "选手", "选手1",
            "玩家", "玩家1", "플레이어a", "선수a", "姓名"},
    "two": {"player2", "opponent", "playerb", "p2", "name2", "player2name", "away", "black", "spieler2", "gegner",
            "joueur2", "adversaire", "jugador2", "oponente", "rival", "giocatore2", "avversario", "jogador2",
            "adversário", "adversario", "gracz2", "przeciwnik", "speler2", "tegenstander", "игрок2", "соперник", "opp",
            "상대", "상대선수", "선수2", "플레이어2", "対戦相手", "プレイヤー2", "player2displayname", "competitor2",
            "teilnehmer2", "participant2", "spielerb", "schwarz", "noirs", "negras", "joueurb", "jugadorb",
            "contrincante", "secondplayer", "選手2", "选手2", "玩家2", "对手", "對手", "플레이어b", "선수b"},
    "result": {"result", "score", "ergebnis", "resultat", "résultat", "resultado", "risultato", "wynik",
               "uitslag", "результат", "res", "결과", "스코어", "結果", "结果", "勝敗", "placar", "outcome",
               "resultstring",
               "resultofplayer1", "matchresult"},
    "games1": {"games1", "player1wins", "player1score", "p1wins", "p1score", "score1", "wins1", "player1gamewins",
               "player1games", "gameswon", "scorea", "gamesa", "winsa"},
    "games2": {"games2", "player2wins", "player2score", "p2wins", "p2score", "score2", "wins2", "player2gamewins",
               "player2games", "gameslost", "scoreb", "gamesb", "winsb"},
    "points1": {"player1points", "points1", "p1points"}, "points2": {"player2points", "points2", "p2points"},
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
    "exempté", "exemptée", "exemptes", "descansa", "descanso", "turnodiriposo", "isento", "isenta", "odih", "wolnylos",
    "бай", "свободен", "свободна", "noopponent", "keingegner", "sitout", "sitsout", "unpaired", "notpaired",
})
# “Team BYE”, “Bye (win)”, “BYE 2-0”: a bye, and what may stand beside it. “Bye” alone is a surname, too.
_BESIDE_A_BYE = frozenset(
    {"team", "win", "won", "point", "points", "round", "full", "auto", "the", "a", "0", "1", "2", "3"}
)
WON = frozenset({"win", "won", "w", "1", "+", "1-0", "+--", "+ - -", "+:-", "+-",
                 "sieg", "gewonnen", "s", "victoire", "gagné", "victoria",
                 "vittoria", "vitória", "wygrana", "winst", "победа", "승", "승리", "이김", "勝", "勝ち", "胜", "○",
                 "ganó",
                 "ganada", "vinta", "vinto", "ganhou", "vann"})
LOST = frozenset({"loss", "lost", "l", "0", "-", "0-1", "--+", "- - +", "-:+", "-+",
                  "niederlage", "verloren", "n", "défaite", "perdu", "derrota",
                  "sconfitta", "przegrana", "verlies", "поражение", "패", "패배", "짐", "負", "負け", "负", "敗",
                  "×", "perdió", "perdida", "persa", "perso", "perdeu"})
DRAWN = frozenset({"draw", "drawn", "d", "tie", "id", "intentionaldraw", "remis", "unentschieden", "u", "nul",
                   "égalité", "empate", "patta", "pareggio", "gelijk", "ничья", "=", "½",
                   "무", "무승부", "비김", "引分", "引き分け", "平", "平局", "和", "△",
                   "matchnul", "partienulle", "tablas", "empatada", "pari", "t"})
LOST_BY_BOTH = frozenset({"---", "- - -", "-:-", "doubleloss",
                          "dl", "bothlost", "doppelniederlage", "doubledéfaite", "dobledderrota", "양패"})
# fmt: on
