"""TOME's saves, as Cobra writes them: the event in them, and what is damaged."""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from config.errors import UserError
from tests.tournament.factories import NOW
from tests.tournament.shared import FOLDER, needs_published_tables
from tournament import services
from tournament.files.tome import END
from tournament.services.outside.imports import FileRead, file_read

POLICY = "netrunner-double-sided"
Tables = dict[str, list[dict[str, Any]]]


def save() -> Tables:
    """Ann beats Bo 6 to 0, Cy and Dee 3 to 3; then Ann is ahead of Dee, Cy has the bye; Ann and Cy play the cut."""
    names = ["Ann Arm", "Bo Bow", "Cy Car", "Dee Day"]
    tables: Tables = {
        "Tournament": [
            {"pk": -1, "name": "Kingsport", "current_round": 2, "cut_size": 2},
            {"pk": -2, "name": "Cut", "current_round": 1, "parent_pk": -1},
        ],
        "Participant": [
            *(_participant(-10 - at, one, -1, at) for at, one in enumerate(names, start=1)),
            _participant(-21, "Cy Car", -2, 2),
            _participant(-22, "Ann Arm", -2, 1),
        ],
        "Match": [],
        "MatchParticipant": [],
    }
    _match(tables, -1, 1, (-11, 6), (-12, 0))
    _match(tables, -1, 1, (-13, 3), (-14, 3))
    _match(tables, -1, 2, (-11, 6), (-14, 0))
    _match(tables, -1, 2, (-13, 6))
    _match(tables, -2, 1, (-21, 3), (-22, 0))
    return tables


def _participant(pk: int, name: str, event: int, seed: int) -> dict[str, Any]:
    first, last = name.split()
    return {
        "pk": pk,
        "first_name": first,
        "last_name": last,
        "is_active": True,
        "seed": seed,
        "tournament_pk": event,
    }


def _match(tables: Tables, event: int, round: int, *sides: tuple[int, int | None]) -> None:
    pk = -100 * (len(tables["Match"]) + 1)
    tables["Match"].append({"pk": pk, "round": round, "order_index": -pk, "tournament_pk": event})
    for seat, (player, points) in enumerate(sides):
        tables["MatchParticipant"].append(
            {"pk": pk - seat - 1, "table_seat": seat, "points_earned": points, "match_pk": pk,
             "participant_pk": player, "is_winner": False}
        )  # fmt: skip


def written(tables: Tables, end: str = f"{END}-999\n") -> str:
    groups = {f"{kind}:#": {"entities": rows} for kind, rows in tables.items()}
    return json.dumps({"tempKeys": [], "entityGroupMap": groups, "metadataVersion": "1"}) + end


def read(source: str) -> FileRead:
    return file_read(source, policy_key=POLICY, now=NOW)


def results(document: dict[str, Any]) -> list[tuple[list[str], str]]:
    """Each report as (names of the match, in order of the sides; outcome)."""
    names = [one["name"] for one in document["players"]]
    seats: dict[int, list[str]] = {}
    for one in document["seats"]:
        seats.setdefault(one["match"], []).append(names[one["registration"] - 1])
    return [(seats[one["match"]], one["outcome"]) for one in document["reports"]]


@pytest.mark.django_db
def test_a_save_is_an_event_with_its_bye_and_its_cut(visitor: Any) -> None:
    found = read(written(save()))
    assert results(found.document) == [
        (["Ann Arm", "Bo Bow"], "win"),
        (["Cy Car", "Dee Day"], "draw"),
        (["Ann Arm", "Dee Day"], "win"),
        (["Ann Arm", "Cy Car"], "loss"),
    ]
    assert found.document["event"]["cut"] == {"places": 2, "ties": False}
    event = services.event_import(source=written(save()), policy_key=POLICY, by=visitor, now=NOW)
    assert (event.name, event.state, event.rounds.count()) == ("Kingsport", "finished", 3)


@needs_published_tables
@pytest.mark.django_db
@pytest.mark.parametrize(("name", "state", "reports"), [("", "finished", 4), ("_cut", "running", 5)])
def test_what_cobra_wrote_is_an_event(name: str, state: str, reports: int, visitor: Any) -> None:
    source = (FOLDER / "nrtm" / f"cobra_tome{name}_export.json").read_text(encoding="utf-8")
    event = services.event_import(source=source, policy_key=POLICY, by=visitor, now=NOW)
    assert (event.state, event.registrations.count()) == (state, 4)
    assert len(read(source).document["reports"]) == reports


def without(kind: str, at: int) -> Callable[[Tables], object]:
    return lambda tables: tables[kind].pop(at)


def with_(kind: str, at: int, **changes: Any) -> Callable[[Tables], object]:
    return lambda tables: tables[kind][at].update(changes)


DAMAGES: dict[str, Callable[[Tables], object]] = {
    "a player lost": without("Participant", 1),
    "a player of the cut lost": without("Participant", 4),
    "a match lost": without("Match", 1),
    "the cut lost": without("Tournament", 1),
    "two events": with_("Tournament", 1, parent_pk=None),
    "a key twice": with_("Participant", 1, pk=-11),
    "a side of nobody": with_("MatchParticipant", 3, participant_pk=-99),
    "one player on both sides": with_("MatchParticipant", 1, participant_pk=-11),
    "a name of the cut changed": with_("Participant", 4, last_name="Cab"),
    "two of one name": with_("Participant", 1, first_name="Ann", last_name="Arm"),
    "points as text": with_("MatchParticipant", 0, points_earned="6"),
    "points lost": with_("MatchParticipant", 0, points_earned=None),
    "a round lost": lambda tables: [
        tables["Match"].pop(0), tables["Match"].pop(0), [tables["MatchParticipant"].pop(0) for _ in range(4)]
    ],
    "a round as text": with_("Match", 0, round="1"),
    "a seed twice": with_("Participant", 4, seed=1),
    "the rows are no list": lambda tables: tables.update(Match=cast(Any, 5)),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_save_is_refused_with_its_place(damage: Callable[[Tables], object]) -> None:
    tables = save()
    damage(tables)
    with pytest.raises(UserError) as refused:
        read(written(tables))
    assert refused.value.code == "bad-file" and refused.value.place


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (with_("Tournament", 0, current_round=3), "announces 3 rounds but has 2"),
        (with_("MatchParticipant", 0, points_earned=60), "no result is worth 60 to 0"),
        (with_("Participant", 1, is_active=False), "have left: Bo Bow"),
        (without("MatchParticipant", 3), "Missing from an earlier round, but playing in a later one: Dee Day (1)"),
    ],
)  # fmt: skip
def test_what_may_be_damage_is_asked_about(damage: Callable[[Tables], object], told: str) -> None:
    tables = save()
    damage(tables)
    assert any(told in one for one in read(written(tables)).remarks)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "source", [written(save())[:900], written(save(), f"{END}-999 more"), f"{{}}{END}-1"]
)
def test_a_file_that_is_cut_off_or_goes_on_is_refused(source: str) -> None:
    with pytest.raises(UserError):
        read(source)
