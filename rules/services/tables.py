"""What a judge does on a board: lays out cards, plays on, goes back, asks. Every step is saved at once.

A table is a scratch pad of its owner's: opening, filing and clearing it away are in the audit log, the single steps
between are not. Steps of two browser windows take turns by the row's lock; each is applied to what is there then.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from rules import scenarios
from rules.engine.base.messages import Message
from rules.engine.definitions.values import label
from rules.law import system_files
from rules.models import Dispute, Table
from rules.selectors import imported_card
from rules.services.disputes import at_once, dispute_file, scenario_read
from rules.table import draft, playing, stepping, table_words

MAX_TABLES = 200  # of one person; the oldest has to go first


def table_open(
    *,
    by: Any,
    now: datetime,
    system: str = "",
    players: Sequence[str] = ("Ann", "Bo"),
    source: str = "",
    title: str = "",
    filing_at: str = "",
) -> Table:
    """An empty table under a system with its players seated, or one laid out from a scenario's text with its moves
    played. Raises UserError."""
    if source:
        read = scenario_read(source)
        line = playing.line_of(read.canonical)
        laid, found, title = {**read.canonical, "did": []}, read.found, title or read.title
    else:
        laid, found, line = draft.new(system, players), {}, None
    if Table.objects.filter(owner=by).count() >= MAX_TABLES:
        raise Conflict(
            "too-many-tables", _("You already have %(most)s boards.") % {"most": MAX_TABLES},
            remedy=_("Delete one first."),
        )  # fmt: skip
    with transaction.atomic():
        table = Table.objects.create(
            owner=by, title=title[:200], scenario=laid, found=found, lines=[line] if line else [],
            filing_at=filing_at, opened_at=now, changed_at=now,
        )  # fmt: skip
        audit("table_open", actor=by, target=table, data={"system": laid["system"]})
    return table


def table_clear(*, table: Table, by: Any, now: datetime) -> None:
    """Clear the table away; disputes filed from it stay."""
    with transaction.atomic():
        audit("table_clear", actor=by, target=table)
        table.delete()


def table_put_card(*, table: Table, card: Mapping[str, Any], now: datetime) -> str:
    """Put a card on the table; the word it is called by. Raises UserError."""

    def change(row: Table) -> str:
        row.scenario, key = draft.put_card(row.scenario, card)
        return key

    return str(_change(table, now, change))


def table_put_library_card(*, table: Table, name: str, side: str, now: datetime) -> str:
    """Put a card on the table by its name, at `side` (a player's name) where such cards belong to players: one of the
    library, or else one that was imported. Raises UserError."""
    laid = table.scenario
    found = None
    if system_files.fold(name) not in system_files.cards(laid["system"]):
        found = imported_card(laid["system"], name)
    card = (
        draft.card_of_library(laid, name, side) if found is None else draft.card_of_import(laid, found, side)
    )
    return table_put_card(table=table, card=card, now=now)


def table_put_text(*, table: Table, given: Mapping[str, str], readings: Sequence[int], now: datetime) -> str:
    """Put a card on the table whose printed text was pasted (rules.table.draft.card_of_text). Raises UserError."""
    return table_put_card(table=table, card=draft.card_of_text(table.scenario, given, readings), now=now)


def table_change_card(
    *, table: Table, key: str, facts: Mapping[str, Any], found: Mapping[str, str | None], now: datetime
) -> None:
    """Say what is true of a card; `found`: which of it the judge found, with the reason (None: agreed after all)."""

    def change(row: Table) -> None:
        row.scenario = draft.change_card(row.scenario, key, facts)
        row.found = _found(row.found, f"cards.{key}", found)

    _change(table, now, change)


def table_remove_card(*, table: Table, key: str, now: datetime) -> None:
    def change(row: Table) -> None:
        row.scenario = draft.remove_card(row.scenario, key)
        row.found = {place: why for place, why in row.found.items() if not place.startswith(f"cards.{key}.")}

    _change(table, now, change)


def table_set_moment(
    *,
    table: Table,
    at: str,
    active: str,
    now: datetime,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
    found: Mapping[str, Mapping[str, str | None]] | None = None,
    pins: Mapping[str, str] | None = None,
) -> None:
    """Where in the game we are. `facts`: of players by name, of the game under "". `pins`: reading -> option or ""."""

    def change(row: Table) -> None:
        laid = draft.set_moment(row.scenario, at=at, active=active)
        for owner, told in (facts or {}).items():
            laid = draft.set_facts(laid, owner, told)
            row.found = _found(
                row.found, f"players.{owner}" if owner else "game", (found or {}).get(owner, {})
            )
        for reading, option in (pins or {}).items():
            laid = draft.pin(laid, reading, option)
        row.scenario = laid

    _change(table, now, change)


def table_seat(*, table: Table, players: list[str], now: datetime) -> None:
    """Name the players in seat order."""

    def change(row: Table) -> None:
        row.scenario = draft.rename_players(row.scenario, players)
        row.found = {place: why for place, why in row.found.items() if not place.startswith("players.")}

    _change(table, now, change)


def table_choose(
    *, table: Table, line: int, step: int, number: int, words: str, now: datetime
) -> tuple[int, int]:
    """Take an option at decision `step` (from 0) of `line`; where the line went on otherwise, a new line branches off.

    Returns (line, steps taken). Conflict when the option is not what stood there (the table was changed meanwhile).
    """

    def change(row: Table) -> tuple[int, int]:
        row.lines, where = playing.chosen(row.scenario, row.lines, line, step, number, words)
        return where, step + 1

    found: tuple[int, int] = _change(table, now, change)
    return found


def table_undo(*, table: Table, line: int, step: int, now: datetime) -> None:
    """Take back what was chosen from decision `step` (from 0) of `line` on."""

    def change(row: Table) -> None:
        row.lines = [
            {**one, "steps": one["steps"][:step]} if i == line else one for i, one in enumerate(row.lines)
        ]

    _change(table, now, change)


def table_drop_line(*, table: Table, line: int, now: datetime) -> None:
    """Forget one line of play."""

    def change(row: Table) -> None:
        row.lines = [one for i, one in enumerate(row.lines) if i != line]

    _change(table, now, change)


def table_ask(*, table: Table, question: Mapping[str, Any], now: datetime) -> None:
    def change(row: Table) -> None:
        row.scenario = draft.ask(row.scenario, question)

    _change(table, now, change)


def table_unask(*, table: Table, number: int, now: datetime) -> None:
    def change(row: Table) -> None:
        row.scenario = draft.unask(row.scenario, number)

    _change(table, now, change)


def table_file(
    *, table: Table, line: int, step: int, keep: bool, by: Any, title: str, now: datetime
) -> Dispute:
    """File what is on the table, played so far, with its questions. The same again is the dispute that there is.

    keep: pin the readings that the line decided; else they stay open, and the engine explores them all.
    """
    same = table_filed(table=table, line=line, step=step, keep=keep, by=by)
    if same is not None:
        return same
    told = playing.told(table.scenario, table.lines, line, step, keep=keep)
    title = title.strip() or table_name(table)
    return dispute_file(by=by, title=title, source=told.text(table.found, title), now=now, table=table)


def table_filed(*, table: Table, line: int, step: int, keep: bool, by: Any) -> Dispute | None:
    """What was filed from the table before and is the same situation with the same questions. Raises UserError."""
    canonical = scenarios.checked(playing.told(table.scenario, table.lines, line, step, keep=keep).canonical)
    return table.disputes.filter(scenario_hash=scenarios.canonical_hash(canonical), filed_by=by).first()


def scenario_play(*, source: str, choices: list[int]) -> dict[str, Any]:
    """The moment after these choices, from the scenario's start: what may be chosen, what not and why, what changed.
    Nothing is stored. Raises UserError: the reader's, or `not-offered` for a choice that is not there."""
    laid = {**scenario_read(source).canonical, "did": []}
    session, _broken = playing.play(laid, [])
    for step, number in enumerate(choices):
        options = session.options()
        if number >= len(options):
            raise UserError(
                "not-offered", _("Option %(number)s doesn’t exist.") % {"number": number}, place=f"choices[{step}]",
                remedy=_("The options are: %(options)s.") % {"options": ", ".join(options) or _(
                    "none, the line of play is over"
                )},
            )  # fmt: skip
        session.choose(number)
    about = session.about()
    did, exact = stepping.moves(laid, session.taken)
    passed = any("pass" in move for move in did)
    return {
        "over": session.over,
        "who": about.get("who", ""),
        "decider": about.get("decider", ""),
        "decision": about.get("decision", session.question()),
        "options": [{"number": i, "text": text} for i, text in enumerate(session.options())],
        "refused": [
            {"text": text, "reason": reason, "cites": list(cites)} for text, reason, cites in session.told()
        ],
        "changes": [
            Message(
                "{it}: {property} {old} → {new}",
                it=obj,
                property=session.scene.system.word(fact),
                old=label(old),
                new=label(new),
            )
            for obj, fact, old, new in session.changes()
        ],
        "did": did,
        "pinned": (stepping.as_played(laid) if passed else laid)["pinned"],
        "exact": exact,
        "trace": session.tracer.steps(),
    }


def table_told(*, table: Table, line: int, step: int, keep: bool) -> str:
    """What is on the table, played so far, with its questions, as a scenario file; nothing is stored."""
    told = playing.told(table.scenario, table.lines, line, step, keep=keep)
    return told.text(table.found, table.title)


def table_why(*, table: Table, line: int, step: int, who: str, card: str) -> dict[str, Any]:
    """May `who` use the card at this moment of the line, and why not? An answer as docs/answers.md has it; nothing is
    stored. Raises UserError."""
    told = playing.told(table.scenario, table.lines, line, step, keep=True)
    asked = {**told.canonical, "ask": [{"legal": {"who": who, "use": card}}]}
    return at_once(scenarios.checked(asked))


def _change(table: Table, now: datetime, change: Callable[[Table], Any]) -> Any:
    """Apply a change to the row as it is now, and to the object at hand."""
    with transaction.atomic():
        row = Table.objects.select_for_update().filter(pk=table.pk).first()
        if row is None:
            raise UserError("gone", _("This board was deleted."), status=404)
        result = change(row)
        row.changed_at = now
        row.save()
    for field in ("title", "scenario", "found", "lines", "changed_at"):
        setattr(table, field, getattr(row, field))
    return result


def table_name(table: Table) -> str:
    """What a table is called: its title, else its first cards."""
    if table.title:
        return table.title
    names = [table_words.name_of(table.scenario, key) for key in list(table.scenario["cards"])[:3]]
    return ", ".join(names)[:200] or _("A situation from a match")


def _found(before: Mapping[str, str], place: str, marks: Mapping[str, str | None]) -> dict[str, str]:
    """The judge's marks with these changes; None takes one away."""
    after = dict(before)
    for word, reason in marks.items():
        after.pop(f"{place}.{word}", None)
        if reason is not None:
            after[f"{place}.{word}"] = reason
    return after


def tables_forget(*, owner: Any) -> int:
    """Throw a person's tables away, as part of forgetting the person; how many. Disputes filed from them stay."""
    return Table.objects.filter(owner=owner).delete()[0]
