"""The board page: players, cards, the moment, moves, questions, and one button that asks.

What stands around it depends on where it is laid out: nothing for a board of one's own, the statements and both
decklists for a match (tournament.views.boards).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from rules import services
from rules.law.system_files import cards as cards_of
from rules.law.system_files import fold, moments, system
from rules.models import Dispute, Table
from rules.scenarios.defaults import common_starts, habits
from rules.selectors import access_table, imported_like
from rules.table import playing, questions_asked, table_words
from rules.texts.imported import whole
from rules.views.table_parts import counted, frame, home_of, standing_at, taken_so_far
from rules.views.table_play import Play

FOUND_AT_ONCE = 12  # cards that a search shows
MOVES_AT_ONCE = 8  # next moves that the board offers; the others are on the page that plays on
ASKABLE = 8  # cards of which the board offers to ask whether they may be used


@dataclass(frozen=True)
class Offer:
    """A card that can be put on the board with a tap. `sides`: whose it may be; `known`: its name is enough, as the
    library has it, or card data that was imported (`imported`)."""

    name: str
    sides: Sequence[str]
    type: str = ""
    text: str = ""
    known: bool = True
    imported: bool = False
    partly: bool = False  # of an imported one: not all of it is understood
    facts: Mapping[str, str] = field(
        default_factory=dict
    )  # what a catalog knows of one that is not in the library

    @property
    def described(self) -> str:
        """What the page that describes a card is told."""
        return urlencode({"q": self.name, "side": self.sides[0] if self.sides else "", **self.facts})


@dataclass(frozen=True)
class Pile:
    """Cards to take from, before any catalog: a registered decklist."""

    title: str
    offers: Sequence[Offer]


Filed = Callable[[Table, int, int, bool, str], Dispute]  # table, line, step, keep, title -> what was filed


@dataclass(frozen=True)
class Around:
    """What surrounds a board, and where what is asked on it is filed."""

    file: Filed
    context: Mapping[str, Any] = field(default_factory=dict)
    piles: Sequence[Pile] = ()
    named: Sequence[Offer] = ()  # cards that the statements name


@login_required
def own_board(request: HttpRequest, pk: int) -> HttpResponse:
    """A board of one's own, at no table of an event."""
    table = access_table(request.user, pk)
    if table.filing_at:
        return redirect(home_of(table))

    def file(table: Table, line: int, step: int, keep: bool, title: str) -> Dispute:
        return services.table_file(
            table=table, line=line, step=step, keep=keep, title=title, by=request.user, now=timezone.now()
        )

    return board(request, table, Around(file))


def board(request: HttpRequest, table: Table, around: Around) -> HttpResponse:
    """Show the board, or do what was tapped on it and show it again."""
    line, step = standing_at(request, table)
    problem = None
    if request.method == "POST":
        try:
            return _done(request, table, around, line, step)
        except UserError as error:
            problem = error
    query = request.GET.get("q", "")
    offers = {
        "query": query,
        "cards": found(table, query),
        "put": request.GET.get("put", "") if request.GET.get("put") in table.scenario["cards"] else "",
    }
    if request.headers.get("HX-Target") == "found":
        return render(request, "rules/_board_found.html", {**frame(table), **offers})
    context = {
        **around.context,
        **frame(table),
        **offers,
        **_cards(table),
        **_moment(table),
        **_played(table, line, step),
        "piles": around.piles,
        "named": [one for one in around.named if not _lies(table, one.name)],
        "filed": table.disputes.order_by("-pk")[:5],
    }
    context["problem"] = problem or context["broken_scene"]
    return render(request, "rules/board.html", context, status=problem.status if problem else 200)


# --- what the page shows -------------------------------------------------------------------------------------


def found(table: Table, query: str) -> list[Offer]:
    """Cards whose name has the words typed, those that begin with them first: of the library, then imported ones."""
    words = [fold(word) for word in query.split() if fold(word)]
    if not words:
        return []
    cards = [
        card for name, card in cards_of(table.scenario["system"]).items() if all(w in name for w in words)
    ]
    cards.sort(key=lambda card: (not fold(str(card["name"])).startswith(words[0]), str(card["name"])))
    offers = [offer_of(table.scenario, card) for card in cards[:FOUND_AT_ONCE]]
    if (more := FOUND_AT_ONCE - len(offers)) <= 0:
        return offers
    key = table.scenario["system"]
    others = [(one.name, one.told(key)) for one in imported_like(key, words, more)]
    return offers + [
        replace(
            offer_of(table.scenario, {"name": name, **told["facts"]}), imported=True, partly=not whole(told)
        )
        for name, told in others
    ]


def offer_of(laid: Mapping[str, Any], card: Mapping[str, Any], sides: Sequence[str] = ()) -> Offer:
    """A library card as it is offered: to every seat, or to nobody's where cards of its type are nobody's."""
    usual = habits(laid["system"]).get(str(card.get("type", "")))
    owned = usual is None or usual.owned
    return Offer(
        str(card["name"]),
        (sides or laid["seats"]) if owned else ("",),
        str(card.get("type", "")),
        str(card.get("text", "")),
    )


def offer_named(laid: Mapping[str, Any], name: str, sides: Sequence[str] = ()) -> Offer:
    """A card whose name is enough, of the library or imported, as it is offered."""
    known = cards_of(laid["system"]).get(fold(name))
    return offer_of(laid, known, sides) if known else Offer(name, sides or laid["seats"], imported=True)


def _lies(table: Table, name: str) -> bool:
    return any(
        fold(str(card.get("is") or card.get("name"))) == fold(name)
        for card in table.scenario["cards"].values()
    )


def _cards(table: Table) -> dict[str, Any]:
    laid = table.scenario
    law = system(laid["system"])
    lines = [
        {
            "line": line,
            "side": side.name,
            "zone": laid["cards"][line.key].get("zone", "play"),
            "words": line.words[1:] if laid["cards"][line.key].get("zone", "play") != "play" else line.words,
        }
        for side in table_words.sides(laid, table.found)
        for line in side.cards
    ]
    return {"lines": lines, "zones": table_words.zones(law)}


def _moment(table: Table) -> dict[str, Any]:
    """The usual moments in the order they are played; one that begins as another does stands once."""
    laid = table.scenario
    law = system(laid["system"])
    at = laid["at"] if isinstance(laid["at"], str) and laid["at"] in law.starts else ""
    usual = {*common_starts(law.key), at}
    shown: dict[str, table_words.Option] = {}
    for word, name in moments(law.key).items():
        same = str(law.starts[word])
        if word in usual and (same not in shown or word == at):
            shown[same] = table_words.Option(word, table_words.in_words(law, name))
    return {"moments": list(shown.values()), "at": at}


def _played(table: Table, line: int, step: int) -> dict[str, Any]:
    """What was done, what may be done next, what is asked of it."""
    laid = table.scenario
    steps = playing.steps_of(table.lines, line)
    try:
        session, broken = playing.play(laid, steps[:step])
    except UserError as error:
        asked = questions_asked.in_words(laid)
        return {
            "play": None,
            "line": line,
            "step": step,
            "broken_scene": error,
            "questions": _chips(laid, asked, []),
        }
    play = Play(session, line, len(session.choices), steps)
    told = playing.told(laid, table.lines, line, step, keep=False)
    used = questions_asked.used_cards(session)
    return {
        "play": play,
        "line": line,
        "step": play.step,
        "broken": broken,
        "broken_scene": None,
        "moves": taken_so_far(session),
        "next_moves": play.shown[:MOVES_AT_ONCE] if laid["cards"] else [],
        "more_moves": max(len(play.choices) - MOVES_AT_ONCE, 0),
        "exact": told.exact,
        "questions": _chips(laid, questions_asked.in_words(told.canonical), used),
        "readings": [one for one in session.taken if one.decider == "rules"],
    }


@dataclass(frozen=True)
class Question:
    """A question as a chip: asked already (then `number` is its place), or offered (then `fields` ask it)."""

    words: str
    number: int | None = None
    fields: Sequence[tuple[str, str]] = ()


def _chips(laid: Mapping[str, Any], asked: Sequence[str], used: Sequence[str]) -> list[Question]:
    """The questions that are asked, then the usual ones that are not."""
    chips = [Question(words, number) for number, words in enumerate(asked)]
    offered: list[tuple[dict[str, Any], str, list[tuple[str, str]]]] = []
    for key, card in list(laid["cards"].items())[:ASKABLE]:
        who = card.get("controller") or card.get("of")
        if who in laid["players"] and key not in used:
            words = _("May %(who)s use %(card)s?") % {"who": who, "card": table_words.name_of(laid, key)}
            offered.append(
                ({"legal": {"who": who, "use": key}}, words, [("kind", "legal"), ("who", who), ("card", key)])
            )
    offered.append(({"next": True}, _("Who acts next?"), [("kind", "next")]))
    if len(used) > 1:
        fields = [("kind", "order"), *(("cards", key) for key in used)]
        offered.append(({"order": list(used)}, _("In which order?"), fields))
    chips += [
        Question(words, None, fields) for question, words, fields in offered if question not in laid["ask"]
    ]
    return chips


# --- what is done on it -------------------------------------------------------------------------------------


def _done(request: HttpRequest, table: Table, around: Around, line: int, step: int) -> HttpResponse:
    """Carry out what was tapped; where the page is looked at next."""
    posted, now, where = request.POST, timezone.now(), {}
    do = posted.get("do", "")
    if do == "ask":
        if not table.scenario["cards"]:
            raise UserError(
                "no-cards", _("No card is on the board yet."), place="q",
                remedy=_("Put the cards it is about on the board, then ask."),
            )  # fmt: skip
        dispute = around.file(table, line, step, bool(posted.get("keep")), posted.get("title", ""))
        return redirect("dispute", dispute.pk)
    if do == "put":
        name, side = posted.get("is", ""), posted.get("side", "")
        where["put"] = services.table_put_library_card(table=table, name=name, side=side, now=now)
    elif do == "remove":
        services.table_remove_card(table=table, key=posted.get("card", ""), now=now)
    elif do == "zone":
        zone = posted.get("zone", "")
        facts = {"zone": None if zone == "play" else zone}
        services.table_change_card(table=table, key=posted.get("card", ""), facts=facts, found={}, now=now)
    elif do == "moment":
        services.table_set_moment(
            table=table, at=posted.get("at", "as it is"), active=posted.get("active", ""), now=now
        )
    elif do == "choose":
        number, _colon, words = posted.get("choose", "").partition(":")
        services.table_choose(
            table=table, line=line, step=step, number=counted(number, -1), words=words, now=now
        )
    elif do == "undo":
        services.table_undo(table=table, line=line, step=counted(posted.get("back"), step), now=now)
    elif do == "unask":
        services.table_unask(table=table, number=counted(posted.get("number"), -1), now=now)
    elif do == "question":
        services.table_ask(table=table, question=questions_asked.question(table.scenario, posted), now=now)
    elif do == "seat":
        names = [name.strip() for name in posted.getlist("player") if name.strip()]
        services.table_seat(table=table, players=names, now=now)
    home = home_of(table)
    query = f"{'&' if '?' in home else '?'}{urlencode(where)}" if where else ""
    return redirect(f"{home}{query}#{_PLACES.get(do, 'board')}")


_PLACES = {
    "put": "cards",
    "remove": "cards",
    "zone": "cards",
    "moment": "moment",
    "choose": "played",
    "undo": "played",
    "unask": "questions",
    "question": "questions",
}
