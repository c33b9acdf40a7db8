"""Imports other programs' files: whole events, and lists of players. All of a file or nothing."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

from django.conf import settings
from django.db import DataError, IntegrityError, models, transaction
from django.utils.translation import gettext as _

from config import strict_json
from config.audit import audit
from config.errors import Conflict, UserError
from config.text import BadText, refuse_bad_text, whole_number
from decks import selectors as deck_selectors
from decks.lists import ungarbled
from decks.models import Deck
from tournament.files import nrtm_event, results_event, tome
from tournament.files.claims import Claim, Difference, Worth, differences
from tournament.files.doubts import doubts, listed
from tournament.files.names import MOST_LINES, Named, NamesError, read_names
from tournament.files.nrtm import Nrtm, is_nrtm, misspelt, read_nrtm
from tournament.files.nrtm import claims_of as nrtm_claims
from tournament.files.results import (
    Results,
    is_results_json,
    is_results_table,
    is_standings_table,
    long_matches,
    read_json,
    read_table,
)
from tournament.files.shape import (
    DECK_FIELDS,
    DIGEST,
    EVENT,
    KIND,
    KINDS,
    VERSION,
    Rows,
    digest_of,
    doubles,
    explains_a_round,
    not_more,
    players_in,
    value_of,
    wrong,
)
from tournament.files.tom import is_tom, read_tom, tom_names, xml_of
from tournament.files.trf import WORTH, Trf, TrfError, is_trf, read_trf
from tournament.files.trf import claims_of as trf_claims
from tournament.files.trf_event import can_be, document_of, read_day
from tournament.models import Event, Registration, Staff, User
from tournament.policy import policy_files
from tournament.policy.model import Policy
from tournament.selectors import OWNER, STAFF, require
from tournament.selectors.policies import SINGLE_GAME, policy_current
from tournament.services.checks import one_of, slug_of
from tournament.services.entry.registration import player_register
from tournament.swiss import Outcome, games_fit

Progress = Callable[[str, int, int], None]

# A tag, a declaration or a comment. A name may open with a bracket, too ("<3 Ann").
MARKUP = re.compile(r"[\ufeff \t\r\n]*<[?!A-Za-z]")
MOST_ROWS = 200_000
MOST_PARTS = 4_000_000  # values, cells, tags or lines: each takes up to some hundred bytes of memory


def event_import(
    *,
    source: str,
    slug: str = "",
    policy_key: str = "",
    by: User,
    now: datetime,
    progress: Progress = lambda key, done, all: None,
) -> Event:
    """Make an event of a file that `selectors.exports.whole_event` wrote, or of a tournament report file (TRF) or an
    NRTM file, or of a table of results, which is then run by the policy `policy_key`; `by` becomes its owner.

    slug: another address than the file's. Players are guests again, who may claim their entries; who judged,
    reported and handed in is `by`. Half a file stores nothing. progress(kind of row, rows done, rows in all) is
    called on the way. Raises UserError `bad-file` naming the place, Conflict `slug-taken`.
    """
    return event_store(event_ready(source, slug, policy_key, now), by=by, now=now, progress=progress)


Ready = tuple[
    dict[str, Any], dict[str, list[dict[str, Any]]]
]  # the event's object, and its rows as they are checked


def event_ready(source: str, slug: str, policy_key: str, now: datetime) -> Ready:
    """What `event_store` stores. It takes seconds of a large file, in which nobody who writes has to wait.

    Raises UserError `bad-file`, `bad-trf`, `too-large`.
    """
    document = document_read(source, policy_key=policy_key, now=now)
    if slug:
        document["event"]["slug"] = slug
    return document, rows_checked(document)


def event_store(
    ready: Ready, *, by: User, now: datetime, progress: Progress = lambda key, done, all: None
) -> Event:
    """Store it, whole or not at all. Raises as `event_import`."""
    document, checked = ready
    total = sum(map(len, checked.values()))
    try:
        with transaction.atomic():
            event = _event(document["event"], by)
            _stored(event, checked, by, now, total, progress)
            data = {"rows": {kind.key: len(checked[kind.key]) for kind in KINDS}}
            audit("event_import", actor=by, target=event, event=event, data=data)
    except IntegrityError as error:
        if Event.objects.filter(slug=document["event"]["slug"]).exists():
            raise Conflict(
                "slug-taken",
                _("An event with the address “%(slug)s” already exists.")
                % {"slug": document["event"]["slug"]},
                place="slug",
                remedy=_("Choose a different address."),
            ) from error
        raise wrong(
            _("the file"), _("its rows contradict each other (%(why)s)") % {"why": _rule(error)}
        ) from error
    except DataError as error:
        raise wrong(_("the file"), _("a value doesn’t fit in the database")) from error
    return event


def players_enter(
    *,
    event: Event,
    named: Sequence[Named],
    by: User,
    now: datetime,
    progress: Progress = lambda key, done, all: None,
) -> list[Registration]:
    """Enter everybody of a list as guests, whole or not at all; lines with a problem and names that are registered
    already are left out. progress as in `event_import`. Raises Forbidden, Conflict `registration-closed`."""
    require(by, event, STAFF)
    entered: list[Registration] = []
    with transaction.atomic():
        known = {name.casefold() for name in event.registrations.values_list("name", flat=True)}
        wanted = [one for one in named if not one.problem and one.name.casefold() not in known]
        for one in wanted:
            progress("players", len(entered), len(wanted))
            entered.append(
                player_register(
                    event=event,
                    user=None,
                    name=one.name,
                    club=one.club,
                    pronouns=one.pronouns,
                    by=by,
                    now=now,
                )
            )
    return entered


def names_read(source: str) -> list[Named]:
    """The players of a pasted or uploaded list, of a tournament report file, a TOM or an NRTM file. Raises UserError
    `too-long`, `no-names`, `bad-trf` with the line, `bad-file` with its place."""
    try:
        if MARKUP.match(source):
            named = _named_one_a_line(tom_names(_tom_of(source)))
        elif is_trf(source):
            named = _named_one_a_line(player.name for player in _report_file(source).players)
        elif source.lstrip("\ufeff \t\r\n").startswith("{") and '"players"' in source:
            named = _named_one_a_line(_nrtm_names(source))
        else:
            named = read_names(source)
    except NamesError as error:
        message = _("A list can have at most %(most)s lines.") % {"most": MOST_LINES}
        raise UserError("too-long", message, place="pasted") from error
    if not named:
        raise UserError("no-names", _("It has no names."), place="pasted")
    return named


def _named_one_a_line(names: Iterable[str]) -> list[Named]:
    """The players of another program's file, in its order."""
    text = io.StringIO()
    csv.writer(text).writerows([("name",), *((name,) for name in names)])
    return read_names(text.getvalue())


def _nrtm_names(source: str) -> list[str]:
    document = _exchanged(source)
    if not is_nrtm(document):
        raise wrong(_("the file"), _("is neither a list of names nor an NRTM file (players and rounds)"))
    return read_nrtm(document).names


def _report_file(source: str) -> Trf:
    try:
        return read_trf(source)
    except TrfError as error:
        raise UserError(
            "bad-trf", f"{error.what}.", place=_("line %(line)s") % {"line": error.line}
        ) from error


# --- reading and checking, without the database ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file as read: the event's object, unchecked rows and all; of another program's also what its standings say, and
    what of it is not read."""

    document: dict[str, Any]
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()
    foreign: bool = False
    worth: Worth | None = None


_NO_TEXT = re.compile(r"[\0-\x08\x0e-\x19\x1c-\x1f]")


def document_read(source: str, *, policy_key: str, now: datetime) -> dict[str, Any]:
    """The file's object with every list it must have, their rows unchecked. Raises UserError `bad-file`, `bad-trf`."""
    return file_read(source, policy_key=policy_key, now=now).document


def file_read(source: str, *, policy_key: str, now: datetime) -> FileRead:
    """Read a file of any kind we know. Raises UserError `bad-file`, `bad-trf` with the place, `too-large`."""
    not_more(sum(map(source.count, ",;\t|\n\r<[{")), MOST_PARTS)
    if (at := source.find("\ufffd")) >= 0:
        line = _("line %(line)s") % {"line": source.count("\n", 0, at) + 1}
        raise wrong(line, _("has a letter that was lost (�): save the file as UTF-8"))
    if not source.startswith("PK") and (sign := _NO_TEXT.search(source)):
        line = _("line %(line)s") % {"line": source.count("\n", 0, sign.start()) + 1}
        raise wrong(line, _("has a sign that no text has"))
    mended = ungarbled(source)
    found = _read(mended or source, policy_key, now)
    if mended is None or not found.foreign:
        return found
    told = _("Garbled accents have been repaired.")
    return replace(found, remarks=(told, *found.remarks))


def _read(source: str, policy_key: str, now: datetime) -> FileRead:
    if is_trf(source):
        return _of_trf(_report_file(source), policy_current(policy_key or SINGLE_GAME), now)
    start = source[:200].lstrip("\ufeff \t\r\n")
    if start.startswith("<") and not start.lower().startswith(("<!doctype html", "<html")):
        return _of_results(read_tom(_tom_of(source)), policy_current(policy_key or SINGLE_GAME), now)
    if not start.startswith(("{", "[")) and is_results_table(source):
        return _of_results(read_table(source), policy_current(policy_key or SINGLE_GAME), now)
    if not start.startswith(("{", "[")):
        raise unknown_kind(_no_table(source, start))
    document = _exchanged(source)
    if is_nrtm(document):
        return _of_nrtm(document, policy_current(policy_key or SINGLE_GAME), now)
    if isinstance(document, dict) and "kind" in document:
        return _ours(document)
    if is_results_json(document):
        return _of_results(read_json(document), policy_current(policy_key or SINGLE_GAME), now)
    raise unknown_kind(_("JSON in which we find no rounds, tables and players"))


def _tom_of(source: str) -> Element:
    root = xml_of(source)
    if not is_tom(root):
        raise unknown_kind(
            _("XML from a program whose files we can’t read (<%(tag)s>)") % {"tag": root.tag[:40]}
        )
    return root


def unknown_kind(what: str) -> UserError:
    """A file of a kind that nobody here reads, and what to send instead."""
    return UserError(
        "bad-file",
        _("This is %(what)s.") % {"what": what},
        place=_("the file"),
        remedy=_(
            "Export the results as a table (CSV, or copied from a sheet) with columns for round, player, opponent "
            "and result, or as a TRF."
        ),
    )


def _no_table(source: str, start: str) -> str:
    """What a file is that is no table of results, as far as its beginning shows."""
    if not start:
        return _("an empty file")
    if start.startswith("PK"):
        return _("a zip archive or a spreadsheet workbook")
    if start.startswith("%PDF"):
        return _("a PDF")
    if start.startswith("<"):
        return _("a web page")
    if is_standings_table(source):
        return _("a table of standings: it doesn’t say who met whom")
    return _("a table we don’t recognize: it needs columns for the player, the opponent and the result")


def _of_trf(trf: Trf, policy: Policy, now: datetime) -> FileRead:
    document = document_of(trf, policy, format=settings.DEFAULT_FORMAT, now=now)
    names = {one.number: one.name for one in trf.players}
    asked = ", ".join(f"{names[number]} ({round})" for number, round in trf.asked[:MOST_TOLD])
    remarks = []
    if trf.asked:
        told = _("Byes requested for rounds not yet paired were left out: %(who)s.")
        remarks.append(told % {"who": asked})
    if trf.unread:
        lines = ", ".join(map(str, trf.unread[:MOST_TOLD]))
        remarks.append(_("Lines we couldn’t read were left out: %(lines)s.") % {"lines": lines})
    said = whole_number(trf.headers.get("062", "").split(" ")[0])
    if said not in (None, 0, len(trf.players)):
        remarks.append(
            _("The file announces %(said)s players but has %(n)s.") % {"said": said, "n": len(trf.players)}
        )
    remarks += _rounds_announced(trf.rounds, len(document["rounds"]), to_come=True)
    remarks += _unnamed(trf.name, trf.headers.get("042", ""))
    return _foreign(document, trf_claims(trf), remarks, trf.headers.get("042", ""), now, WORTH)


def _of_nrtm(given: dict[str, Any], policy: Policy, now: datetime) -> FileRead:
    nrtm = read_nrtm(given)
    document = nrtm_event.document_of(nrtm, policy, format=settings.DEFAULT_FORMAT, now=now)
    won = _(
        "%(place)s: no result is worth %(one)s to %(two)s under the policy “%(title)s”; it was read as a win for the "
        "player with more."
    )
    even = _(
        "%(place)s: no result is worth %(one)s to %(two)s under the policy “%(title)s”; it was read as a draw."
    )
    remarks = [
        (even if one == two else won) % {"place": place, "title": policy.title, "one": one, "two": two}
        for place, one, two in nrtm_event.unusual_scores(nrtm, policy)
    ]
    remarks += _announced(nrtm)
    if places := nrtm_event.lost_by_both(nrtm):
        remarks.append(
            _("0 to 0 in an earlier round, read as lost by both players: %(places)s.")
            % {"places": listed(places)}
        )
    claims = nrtm_claims(given)
    if seeds := _out_of_rank(nrtm, claims):
        told = _("eliminationPlayers: the seeds don’t follow the ranks of the Swiss rounds: %(who)s.")
        remarks.append(told % {"who": listed(seeds)})
    if words := list(misspelt(given)):
        remarks.append(_("Words we don’t know, so not read: %(places)s.") % {"places": listed(words)})
    if left := given.get("left"):
        remarks.append(_("The file says that these players have left: %(who)s.") % {"who": listed(left)})
    remarks += [*_bracket_again(given["rounds"]), *_unnamed(nrtm.name, nrtm.date)]
    return _foreign(document, claims, remarks, nrtm.date, now)


def _out_of_rank(nrtm: Nrtm, claims: Iterable[Claim]) -> list[str]:
    """Who is seeded behind a player of a lower rank."""
    ranks = {one.player: one.rank for one in claims if one.rank is not None}
    found, last = [], 0
    for place in nrtm.seeds:
        if ranks.get(place, last) < last:
            found.append(nrtm.names[place - 1])
        last = max(last, ranks.get(place, last))
    return found


def _announced(nrtm: Nrtm) -> Iterator[str]:
    """What the head of an NRTM file says otherwise than its rounds."""
    if nrtm.planned:
        for told in _rounds_announced(nrtm.planned, len(nrtm.swiss), to_come=not nrtm.bracket):
            yield f"preliminaryRounds: {told}"
    if nrtm.cut and nrtm.seeds and nrtm.cut != len(nrtm.seeds):
        told = _("the file announces a cut to %(said)s players but names %(n)s.")
        yield "cutToTop: " + told % {"said": nrtm.cut, "n": len(nrtm.seeds)}
    if cut := not nrtm.bracket and (len(nrtm.seeds) or nrtm.cut):
        told = _(
            "the file announces a cut to %(said)s players but has no bracket rounds; the event continues with the cut."
        )
        yield "cutToTop: " + told % {"said": cut}


def _bracket_again(rounds: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """A game of the bracket that is the one before it, word for word: two players can meet again there, and then the
    file would be read as another kind of bracket."""
    games = [
        (f"rounds[{at}][{place}]", one)
        for at, told in enumerate(rounds, start=1)
        for place, one in enumerate(told, start=1)
        if one.get("eliminationGame") is True
    ]
    for (_before, one), (place, two) in pairwise(games):
        if one == two:
            yield _("%(place)s is the same as the game before it: did they play twice?") % {"place": place}


def _unnamed(name: str, date: str) -> Iterator[str]:
    """What a file of this kind has a place for and does not tell."""
    if not name.strip():
        yield _("The file gives no name for the event.")
    if not date.strip():
        yield _("The file gives no date; the event gets today’s.")


def _rounds_announced(said: int, there: int, *, to_come: bool) -> list[str]:
    """Where a file announces another number of Swiss rounds than it has. to_come: the others may be."""
    if said == there:
        return []
    if to_come and said > there:
        told = _("The file announces %(said)s rounds but has %(n)s; the event continues.")
    else:
        told = _("The file announces %(said)s rounds but has %(n)s.")
    return [told % {"said": said, "n": there}]


def _of_results(results: Results, policy: Policy, now: datetime) -> FileRead:
    document = results_event.document_of(results, policy, format=settings.DEFAULT_FORMAT, now=now)
    unnamed = _unnamed(results.name, results.date) if results.headed else ()
    long = long_matches(results.rounds, policy.scoring.games.get("win", (0, 0, 0))[0])
    return _foreign(document, results.claims, (*results.remarks, *long, *unnamed), results.date, now)


def _foreign(
    document: dict[str, Any],
    claims: Iterable[Claim],
    remarks: Iterable[str],
    day: str,
    now: datetime,
    worth: Worth | None = None,
) -> FileRead:
    """With what looks wrong in it. day: its date, as written."""
    claims = tuple(claims)
    pointed = {one.player for one in claims if one.points is not None}
    asked = doubts(document, points=len(pointed) == len(document["players"]))
    told = (*remarks, *_day_told(day, now, played=bool(document["rounds"])), *asked)
    return FileRead(document, claims, told, foreign=True, worth=worth)


def _day_told(said: str, now: datetime, *, played: bool) -> Iterator[str]:
    day = read_day(said)
    if said.strip() and day is None:
        yield _("“%(said)s” isn’t a date we can read; the event gets today’s.") % {"said": said[:40]}
    elif day is not None and not can_be(day, now, played=played):
        yield _("“%(said)s” can’t be the date of this event; it gets today’s.") % {"said": said[:40]}


MOST_TOLD = 20  # of differences and remarks, one by one


def standings_compared(read: FileRead, policy: Policy) -> list[Difference]:
    """What the file says of its standings and we compute otherwise. The document's rows are checked already."""
    return differences(read.claims, read.document, policy, read.worth) if read.claims else []


def _ours(document: dict[str, Any]) -> FileRead:
    if document.get("kind") != KIND:
        raise wrong("kind", _("must be %(kind)s: this isn’t an event file") % {"kind": KIND})
    if document.get("version") != VERSION:
        raise wrong(
            "version", _("must be %(version)s: this service is older than the file") % {"version": VERSION}
        )
    written = document.pop(DIGEST, None)
    _keys(document, {"kind", "version", "event", *(kind.key for kind in KINDS)}, "the file")
    if not isinstance(document["event"], dict):
        raise wrong("event", _("must be an object"))
    for kind in KINDS:
        if not isinstance(document[kind.key], list):
            raise wrong(kind.key, _("must be a list"))
    changed = _("This file was changed or damaged after Headjudge wrote it. Compare it with the event.")
    return FileRead(document, remarks=() if written in (None, digest_of(document)) else (changed,))


def rows_checked(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The rows by kind, with the types of the models, references still as places. Raises UserError `bad-file` naming
    the place, `too-large`."""
    not_more(sum(len(document[kind.key]) for kind in KINDS), MOST_ROWS)
    checked = {kind.key: _checked(kind, document) for kind in KINDS}
    _must_fit_together(checked)
    _must_be_at_its_point(event_checked(document["event"])[0], checked)
    return checked


def open_tables(rows: Mapping[str, list[dict[str, Any]]]) -> int:
    """How many tables of two have no report."""
    reported = {one["match"] for one in rows["reports"]}
    seated = Counter(one["match"] for one in rows["seats"])
    return sum(count > 1 and match not in reported for match, count in seated.items())


def event_checked(given: dict[str, Any]) -> tuple[dict[str, Any], Policy]:
    """(the event's own fields with their types, the policy it is run by). Raises UserError `bad-file`."""
    given = EVENT.later | given
    _keys(given, set(EVENT.names), "event")
    fields = {one.name: value_of(one, given[one.name], f"event.{one.name}") for one in EVENT.own}
    slug_of(fields["slug"])
    one_of(fields["format"], "event.format", deck_selectors.formats())
    _must_be_a_cut(fields["cut"], "event.cut")
    if fields["policy"] is not None:
        return fields, policy_files.read(fields["policy"], name="event.policy")
    return fields, policy_current(fields["policy_key"])


def _exchanged(source: str) -> Any:
    """JSON of any program; of TOME's saves the same event as an NRTM document."""
    text, mark, after = source.partition(tome.END)
    document = _json(text)
    if tome.is_tome(document):
        document = tome.as_nrtm(document)
    elif mark:
        raise unknown_kind(_("JSON in which we find no rounds, tables and players"))
    if after.strip() and not after.strip().removeprefix("-").isdecimal():
        raise wrong(_("the file"), _("goes on after its end"))
    return document


def _json(source: str) -> Any:
    place = _("the file")
    try:
        document = strict_json.loads(source.removeprefix("\ufeff"))
        refuse_bad_text(document, first=1)
        return document
    except BadText as error:
        raise wrong(error.place or place, _("has a character that can’t be stored")) from error
    except RecursionError as error:
        raise wrong(place, _("is nested too deeply")) from error
    except strict_json.Repeated as error:
        raise wrong(error.name, _("stands twice in one object")) from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        where = _("line %(line)s") % {"line": line} if line else place
        raise wrong(where, _("isn’t JSON (%(why)s)") % {"why": getattr(error, "msg", error)}) from error


def _keys(row: dict[str, Any], wanted: set[str], place: str) -> None:
    for key in sorted(set(row) - wanted):
        raise wrong(f"{place}: {key}", _("isn’t known here"))
    for key in sorted(wanted - set(row)):
        raise wrong(f"{place}: {key}", _("is missing"))


def _checked(kind: Rows, document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows with the types of the model, references still as places."""
    rows = []
    formats = set(deck_selectors.formats()) if kind.key == "lists" else set()
    for index, row in enumerate(document[kind.key], start=1):
        place = f"{kind.key}[{index}]"
        if not isinstance(row, dict):
            raise wrong(place, _("must be an object"))
        row = kind.later | row
        _keys(row, {*kind.names, *(["deck"] if kind.key == "lists" else [])}, place)
        checked = {one.name: value_of(one, row[one.name], f"{place}.{one.name}") for one in kind.own}
        for name, key in kind.refs.items():
            most = index - 1 if key == kind.key else len(document[key])
            checked[name] = _reference(kind, name, row[name], most, f"{place}.{name}")
        if kind.key == "lists":
            checked["deck"] = _deck(row["deck"], f"{place}.deck", formats)
        if kind.key == "stages":
            cut = checked["cut"]
            if not isinstance(cut, dict) or cut.keys() != {"rule", "line"}:
                raise wrong(f"{place}.cut", _("isn’t a cut as this service writes it"))
            _must_be_a_cut(cut["rule"], f"{place}.cut.rule")
        if kind.key == "rounds":
            checked["explanation"] = _explanation(row["explanation"], len(document["players"]), place)
        rows.append(checked)
    for index, rule in doubles(kind, rows):
        raise wrong(f"{kind.key}[{index}]", _("appears twice (%(rule)s)") % {"rule": rule.replace("_", " ")})
    return rows


def _reference(kind: Rows, name: str, given: Any, most: int, place: str) -> int | None:
    if given is None and kind.model._meta.get_field(name).null:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
        raise wrong(place, _("must be a position from 1 to %(most)s") % {"most": most})
    return given


def _deck(given: Any, place: str, formats: set[str]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise wrong(place, _("must be an object"))
    _keys(given, set(DECK_FIELDS), place)
    fields = {one.name: one for one in Deck._meta.concrete_fields}
    deck = {name: value_of(fields[name], given[name], f"{place}.{name}") for name in DECK_FIELDS}
    one_of(deck["format"], f"{place}.format", formats)
    return deck


def _must_be_a_cut(given: Any, place: str) -> None:
    """None: the policy's."""
    try:
        good = given is None or (isinstance(given, dict) and policy_files.cut_rule(given))
    except UserError:
        good = False
    if not good:
        raise wrong(place, _("isn’t a cut as this service writes it"))


def _explanation(given: Any, players: int, place: str) -> Any:
    def known(number: Any) -> int:
        if not isinstance(number, int) or not 1 <= number <= players:
            raise ValueError
        return number

    try:
        told = players_in(given, known)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise wrong(f"{place}.explanation", _("doesn’t name its players by their positions")) from error
    if not explains_a_round(told):
        raise wrong(f"{place}.explanation", _("isn’t a round as this service writes it"))
    return told


def _must_fit_together(checked: dict[str, list[dict[str, Any]]]) -> None:
    """What the database's own rules do not see: a seat is in its match's round, a report from a seat of its match."""
    matches, seats, lists = checked["matches"], checked["seats"], checked["lists"]
    for index, seat in enumerate(seats, start=1):
        if matches[seat["match"] - 1]["round"] != seat["round"]:
            raise wrong(f"seats[{index}].round", _("isn’t the round of its match"))
        if seat["side"] not in (1, 2):
            raise wrong(
                f"seats[{index}].side", _("must be from %(least)s to %(most)s") % {"least": 1, "most": 2}
            )
    for index, report in enumerate(checked["reports"], start=1):
        if report["seat"] is not None and seats[report["seat"] - 1]["match"] != report["match"]:
            raise wrong(f"reports[{index}].seat", _("isn’t at its match"))
        if (games := report["games"]) is not None:
            _must_be_games(games, Outcome(report["outcome"]), f"reports[{index}].games")
    for index, player in enumerate(checked["players"], start=1):
        verdict = player["report"] and checked["verdicts"][player["report"] - 1]
        if verdict and verdict["revision"] != player["revision"]:
            raise wrong(f"players[{index}].report", _("is about a different decklist"))
    _must_be_whole(checked)
    for index, one in enumerate(lists, start=1):
        if not isinstance(one["entries"], list):
            raise wrong(f"lists[{index}].entries", _("must be a list"))


def _must_be_whole(checked: dict[str, list[dict[str, Any]]]) -> None:
    """A row lost from a file leaves what cannot be (tournament.invariants): a gap, a table for one, a round that is
    over with a table open."""
    seated: dict[int, set[int]] = {}
    there: dict[int, set[int]] = {}
    for seat in checked["seats"]:
        seated.setdefault(seat["match"], set()).add(seat["registration"])
        there.setdefault(seat["round"], set()).add(seat["registration"])
    numbers: dict[int, list[int]] = {}
    for report in checked["reports"]:
        numbers.setdefault(report["match"], []).append(report["number"])
    known = {one["number"] for one in checked["rounds"]}
    for index, round in enumerate(checked["rounds"], start=1):
        if round["number"] > len(known):
            raise wrong(f"rounds[{index}].number", _("comes after a round that is missing"))
        paired = {row[0] for row in round["explanation"].get("players") or []}
        if lost := sorted(paired - there.get(index, set())):
            raise wrong(
                f"rounds[{index}].explanation", _("names players[%(n)s], who has no seat") % {"n": lost[0]}
            )
    for index, match in enumerate(checked["matches"], start=1):
        count = len(seated.get(index, ()))
        if count not in (1, 2) or (count == 2) != (match["table"] is not None):
            raise wrong(
                f"matches[{index}]", _("must have two players and a table, or one player and no table")
            )
        if count == 2 and index not in numbers and checked["rounds"][match["round"] - 1]["finished_at"]:
            raise wrong(f"matches[{index}]", _("has no result, but its round is over"))
        if len(numbers.get(index, ())) < max(numbers.get(index, ()), default=0):
            raise wrong(f"matches[{index}]", _("lacks one of its reports"))


def _must_be_at_its_point(event: dict[str, Any], checked: dict[str, list[dict[str, Any]]]) -> None:
    """The event is as far as its rounds are, and nobody sits in a round after they dropped: what this service does not
    let happen, and a damaged number would otherwise be believed."""
    played = [one for one in checked["rounds"] if one["published_at"]]
    swiss = [one for one in played if one["stage"] is None]
    if event["state"] == Event.State.REGISTRATION and played:
        raise wrong("event.state", _("is before round 1, but the file has rounds that were played"))
    if event["state"] == Event.State.FINISHED:
        for one in played:
            if not one["finished_at"]:
                raise wrong("event.state", _("is finished, but round %(n)s is not") % {"n": one["number"]})
    # More rounds planned than played is no contradiction: an event of another program may have ended early.
    if event["planned_rounds"] is not None and len(swiss) > event["planned_rounds"]:
        raise wrong(
            "event.planned_rounds", _("must be at least the file’s Swiss rounds, %(n)s") % {"n": len(swiss)}
        )
    last: dict[int, int] = {}
    for seat in checked["seats"]:
        round = checked["rounds"][seat["round"] - 1]
        if round["published_at"]:  # who drops while a draft is ready keeps the seat in it
            last[seat["registration"]] = max(round["number"], last.get(seat["registration"], 0))
    latest = max((one["number"] for one in checked["rounds"]), default=0)
    for index, player in enumerate(checked["players"], start=1):
        dropped, place = player["dropped_after"], f"players[{index}].dropped_after"
        if (player["state"] == Registration.State.DROPPED) != (dropped is not None):
            raise wrong(place, _("must be a round if the player has dropped, and empty otherwise"))
        if dropped is not None and dropped > latest:
            raise wrong(place, _("must be a round that was played, at most %(n)s") % {"n": latest})
        if dropped is not None and last.get(index, 0) > dropped:
            raise wrong(place, _("is before round %(n)s, in which the player plays") % {"n": last[index]})


def _must_be_games(given: Any, outcome: Outcome, place: str) -> None:
    counts = given if isinstance(given, list) and [type(one) for one in given] == [int] * 3 else [-1]
    if not all(0 <= one <= 20 for one in counts):
        raise wrong(place, _("must be three numbers from 0 to 20: games won, lost and drawn"))
    if not games_fit(outcome, given):
        raise wrong(place, _("don’t match its outcome"))


# --- storing -----------------------------------------------------------------------------------------------


def _event(given: dict[str, Any], by: User) -> Event:
    fields, _policy = event_checked(given)
    event = Event.objects.create(created_by=by, **fields)
    Staff.objects.create(event=event, user=by, role=OWNER)
    return event


def _stored(
    event: Event,
    checked: dict[str, list[dict[str, Any]]],
    by: User,
    now: datetime,
    total: int,
    progress: Progress,
) -> None:
    made: dict[str, list[models.Model]] = {}
    done = 0
    for kind in KINDS:
        progress(kind.key, done, total)
        rows = checked[kind.key]
        if kind.key in kind.refs.values():  # a row that names one before it
            made[kind.key] = []
            for row in rows:
                one = _instance(kind, row, event, by, made)
                one.save()
                made[kind.key].append(one)
        else:
            if kind.key == "lists":
                _decks_for(rows, by)
            instances = [_instance(kind, row, event, by, made) for row in rows]
            made[kind.key] = kind.model._default_manager.bulk_create(instances, batch_size=500)
        done += len(rows)
    progress("", done, total)


def _decks_for(rows: list[dict[str, Any]], by: User) -> None:
    decks = Deck.objects.bulk_create([Deck(owner=by, **row["deck"]) for row in rows], batch_size=500)
    for row, deck in zip(rows, decks, strict=True):
        row["deck"] = deck


def _instance(
    kind: Rows, row: dict[str, Any], event: Event, by: User, made: dict[str, list[models.Model]]
) -> models.Model:
    fields = dict(row)
    for name, key in kind.refs.items():
        fields[name] = None if row[name] is None else made[key][row[name] - 1]
    for name in kind.persons:
        fields[name] = by
    if kind.of == "event":
        fields["event"] = event
    if kind.key == "rounds":
        players = made["players"]
        fields["explanation"] = players_in(row["explanation"], lambda place: int(players[place - 1].pk))
    return kind.model(**fields)


def _rule(error: IntegrityError) -> str:
    """The constraint's name in the database's message; ours are sentences."""
    words = str(error).splitlines()[0]
    return words.rpartition(":")[2].strip().strip('"').replace("_", " ")[:120]
