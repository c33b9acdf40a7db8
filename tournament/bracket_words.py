"""Names of the games and rounds of a bracket."""

import re

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.models import Round
from tournament.policy.kinds import CutRule
from tournament.swiss.brackets import Bracket, From, Game, Part, Source


def cut_sentence(rule: CutRule) -> str:
    """Who plays on after the Swiss rounds."""
    if rule.losses is not None:
        return ngettext(
            "Every player with at most %(n)s match loss advances.",
            "Every player with at most %(n)s match losses advances.",
            rule.losses,
        ) % {"n": rule.losses}
    if rule.points is not None:
        return ngettext(
            "Every player with at least %(n)s point advances.",
            "Every player with at least %(n)s points advances.",
            rule.points,
        ) % {"n": rule.points}
    if not rule.places:
        return _("No cut: the standings after the last round are final.")
    if rule.ties:
        return _("The top %(n)s advance, plus everyone tied with the last of them.") % {"n": rule.places}
    return _("The top %(n)s advance.") % {"n": rule.places}


def game_title(bracket: Bracket, game: Game) -> str:
    """One game, such as “Quarterfinal”."""
    if game.part is Part.THIRD:
        return _("Match for third place")
    if game.part is Part.FINAL:
        return _("Final")
    if game.part is Part.RESET:
        return _("Final, second match")
    if game.part is Part.LOSERS:
        last = max(one.round for one in bracket.games if one.part is Part.LOSERS)
        if game.round == last:
            return _("Losers’ final")
        return _("Losers’ round %(n)s") % {"n": game.round}
    left = _left(bracket, game)
    if bracket.double:
        names = {2: _("Winners’ final"), 4: _("Winners’ semifinal")}
        return names.get(left) or _("Winners’ round %(n)s") % {"n": game.round}
    names = {2: _("Final"), 4: _("Semifinal"), 8: _("Quarterfinal")}
    if game.round == 1 and bracket.byes() and left > 4:
        return _("Play-in")
    return names.get(left) or _("Round of %(n)s") % {"n": left}


def wave_title(bracket: Bracket, wave: int) -> str:
    """What is played at once: “Quarterfinals”, “Final and match for third place”."""
    games = bracket.wave(wave)
    if not bracket.double and games[0].part is Part.WINNERS:
        left = _left(bracket, games[0])
        if left == 2:
            third = any(game.part is Part.THIRD for game in games)
            return _("Final and match for third place") if third else _("Final")
        names = {4: _("Semifinals"), 8: _("Quarterfinals")}
        if games[0].round == 1 and bracket.byes() and left > 4:
            return _("Play-ins")
        return names.get(left) or _("Round of %(n)s") % {"n": left}
    return " · ".join(dict.fromkeys(game_title(bracket, game) for game in games))


def source_words(bracket: Bracket, source: Source) -> str:
    """Who will sit there, while nobody knows: “winner of 3”."""
    if source.kind is From.SEED:
        return _("seed %(n)s") % {"n": source.number}
    if source.kind is From.WINNER:
        return _("winner of game %(n)s") % {"n": source.number}
    return _("loser of game %(n)s") % {"n": source.number}


def round_words(round: Round) -> str:
    """A round by its name: “Round 3”, “Quarterfinals” (told when it was published; it does not change)."""
    if round.stage_id is None or round.title == "":
        return _("Round %(n)s") % {"n": round.number}
    return " · ".join(map(_retold, round.title.split(" · ")))


def _retold(title: str) -> str:
    """A title as it was kept, in English, in the reader's language."""
    number = re.search(r"\d+", title)
    if number is None:
        return _(title)
    return _(title.replace(number[0], "%(n)s", 1)) % {"n": number[0]}


def _left(bracket: Bracket, game: Game) -> int:
    """How many would be left in the winners' half before the game's round, if nobody had a bye."""
    return bracket.places >> (game.round - 1)
