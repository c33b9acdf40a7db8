"""TOM's files (`.tdf`): an event as XML, with players by number and a code for each table's result.

What the codes mean is known from files and from programs that read and write them, not from a published description:
an unknown one is refused with its place.
"""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from django.utils.translation import gettext as _

from config.text import whole_number
from tournament.files.claims import Claim
from tournament.files.results import Meeting, Results, ask_whether_whole
from tournament.files.shape import MOST_TABLES, not_more, wrong
from tournament.swiss import Outcome

OPEN, BYE = "0", "5"
OUTCOMES = {"1": Outcome.WIN, "2": Outcome.LOSS, "3": Outcome.DRAW, "4": Outcome.DOUBLE_LOSS}
ELIMINATION = "1"  # the type of a round of the bracket


def xml_of(source: str) -> Element:
    """Raises UserError `bad-file` with the line."""
    try:
        root: Element = fromstring(source.removeprefix("\ufeff").strip())
    except ParseError as error:
        raise wrong(
            _("line %(line)s") % {"line": error.position[0]}, _("isn’t XML that can be read")
        ) from error
    except (DefusedXmlException, ValueError) as error:
        raise wrong(_("the file"), _("isn’t XML that can be read")) from error
    return root


def is_tom(root: Element) -> bool:
    return root.tag == "tournament" and root.find("players") is not None and root.find("pods") is not None


def read_tom(root: Element) -> Results:
    """The Swiss rounds of all divisions. Raises UserError `bad-file` with the round and the table."""
    found = Results(_text(root, "data/name"), _day(_text(root, "data/startdate")), headed=True)
    numbers = _players(root, found)
    pods = [pod for pod in root.iterfind("pods/pod") if pod.find("rounds/round/matches/match") is not None]
    rounds: dict[int, list[Meeting]] = {}
    left = count = 0
    for pod in pods:
        for round in pod.iterfind("rounds/round"):
            number, tables = _number(round), list(round.iterfind("matches/match"))
            count += len(tables)
            not_more(count, MOST_TABLES)
            if round.get("type") == ELIMINATION:
                left += len(tables)
                continue
            for at, table in enumerate(tables, start=1):
                place = _("round %(round)s, table %(table)s") % {"round": number, "table": at}
                rounds.setdefault(number, []).append(_meeting(table, numbers, place))
    if left:
        found.remarks.append(_("The bracket’s tables were left out: %(n)s.") % {"n": left})
    if len(pods) > 1:
        found.remarks.append(_("The file has %(n)s divisions; here they are one event.") % {"n": len(pods)})
    found.rounds = list(_in_order(rounds, found))
    if len(pods) == 1 and not left:
        found.claims = list(_claims(root, numbers))
    if not found.claims:
        ask_whether_whole(found)
    return found


def tom_names(root: Element) -> list[str]:
    """The players' names alone, before a round is played. Raises UserError `bad-file`."""
    found = Results()
    _players(root, found)
    return found.names


def _players(root: Element, found: Results) -> dict[str, int]:
    """A player's number in the file -> the place in `found.names`. Two of one name stay two."""
    numbers: dict[str, int] = {}
    for at, player in enumerate(root.iterfind("players/player"), start=1):
        place = _("player %(n)s") % {"n": at}
        number = player.get("userid", "")
        if not number or number in numbers:
            raise wrong(place, _("has no number, or that of another player"))
        name = " ".join(f"{_text(player, 'firstname')} {_text(player, 'lastname')}".split())
        numbers[number] = found.player(f"{name} ({number})" if name in found.places else name, place)
    return numbers


def _meeting(table: Element, numbers: dict[str, int], place: str) -> Meeting:
    said = [one.get("userid", "") for tag in ("player", "player1", "player2") for one in table.iterfind(tag)]
    if unknown := [one for one in said if one not in numbers]:
        raise wrong(place, _("names the player %(who)s, who isn’t in the file") % {"who": unknown[0] or "?"})
    code = table.get("outcome", "")
    if len(said) == 1 and code == BYE:
        return Meeting(place, numbers[said[0]], None, None)
    if len(said) != 2 or said[0] == said[1] or code not in (OPEN, *OUTCOMES):
        raise wrong(
            place,
            _("has the result “%(code)s” for %(n)s players, which we don’t know")
            % {"code": code[:20], "n": len(said)},
        )
    return Meeting(place, numbers[said[0]], numbers[said[1]], OUTCOMES.get(code))


def _in_order(rounds: dict[int, list[Meeting]], found: Results) -> Iterator[list[Meeting]]:
    """The rounds from 1 on; in each, everybody is at one table at most."""
    if not rounds:
        raise wrong(_("the file"), _("has no table of a Swiss round"))
    for at in range(1, max(rounds) + 1):
        if at not in rounds:
            raise wrong(_("the file"), _("has no round %(n)s") % {"n": at})
        seated: set[int] = set()
        for one in rounds[at]:
            for player in (one.one, one.two):
                if player in seated:
                    name = found.names[player - 1]
                    raise wrong(one.place, _("%(name)s is at two tables") % {"name": name})
                if player is not None:
                    seated.add(player)
        yield rounds[at]


def _claims(root: Element, numbers: dict[str, int]) -> Iterator[Claim]:
    for player in root.iterfind("standings/pod[@type='finished']/player"):
        place = player.get("place", "")
        if (number := player.get("id", "")) in numbers and place.isdecimal() and len(place) < 6:
            yield Claim(numbers[number], int(place), None, {})


def _number(round: Element) -> int:
    said = whole_number(round.get("number", ""), 2)
    if not said:
        raise wrong(_("the file"), _("has a round without a number"))
    return said


def _text(element: Element, path: str) -> str:
    return " ".join((element.findtext(path) or "").split())


def _day(said: str) -> str:
    """“05/17/2026” is 2026-05-17: the month comes first, whatever the country."""
    month, _slash, rest = said.partition("/")
    day, _slash, year = rest.partition("/")
    return f"{year}-{month}-{day}" if year else said
