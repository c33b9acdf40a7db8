"""A whole event as a file: what is read again gives the same file; a wrong file says where and stores nothing."""

import copy
import json
import random
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.errors import Conflict, UserError
from decks.models import Deck, LegalityReport, Revision
from tests.tournament.factories import NOW, enter, make_event, make_revision, make_staff, report_all, user_of
from tournament import services, tasks
from tournament.files.shape import EVENT, KINDS, LEFT_OUT, schema
from tournament.models import Event, FileImport, Registration, Staff
from tournament.selectors import replay, round_matches, standings
from tournament.selectors.exports import whole_event
from tournament.services.outside.imports import file_read
from tournament.simulator import Plan, Simulator
from tournament.swiss.simulation import Chances

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(organizer: Any, judge: Any) -> Event:
    """Two rounds played, with everything that leaves a row: lists, byes, penalties, checks, extensions, drops."""
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="head-judge", by=organizer, now=NOW)
    entries = enter(event, 8)
    for entry in entries[:4]:
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    services.deck_register(registration=entries[4], revision=None, override="paper", by=organizer, now=NOW)
    event = services.event_change(event=event, capacity=9, venue="Town Hall", by=organizer, now=NOW)
    services.player_register(event=event, user=None, name="Old Wilma", club="Arkham", by=organizer, now=NOW)
    services.player_register(event=event, user=None, name="Too late", by=organizer, now=NOW)
    one = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    for match in round_matches(one):
        if match.table is not None:
            services.result_decide(match=match, outcome="draw", reason="slip", by=organizer, now=NOW)
    services.clock_start(round=one, by=organizer, now=NOW)
    [table, *_more] = round_matches(one)
    services.time_extend(match=table, minutes=4, cause="judge-call", by=judge, now=NOW)
    given = services.penalty_issue(registration=entries[0], infraction="slow-play", by=judge, now=NOW)
    services.penalty_revoke(penalty=given, reason="wrong player", by=judge, now=NOW)
    check = services.deck_check_start(registration=entries[1], by=judge, now=NOW)
    services.deck_check_finish(check=check, matches=True, by=judge, now=NOW + timedelta(minutes=4))
    services.player_drop(registration=entries[2], by=organizer, now=NOW)
    services.round_pair(event=event, by=organizer, seed=2, now=NOW)
    return Event.objects.get(pk=event.pk)


@pytest.fixture
def document(event: Event, organizer: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(whole_event(organizer, event)))
    return found


def read(document: Any, by: Any, slug: str = "again") -> Event:
    return services.event_import(source=json.dumps(document), slug=slug, by=by, now=NOW)


@pytest.mark.parametrize("way", ["page", "api", "command"])
def test_a_large_file_is_read_whichever_way_it_comes(
    way: str, document: dict[str, Any], visitor: Any, client: Client, tmp_path: Path, organizer: Any
) -> None:
    """Far above what a form may bring (settings.REQUEST_MAX_BYTES), as the file of a large event is."""
    del document["digest"]
    text = json.dumps({**document, "event": {**document["event"], "slug": "large"}})
    text = text.replace(", ", "," + " " * 3_000)
    assert 3_000_000 < len(text) < settings.EVENT_FILE_MAX_BYTES
    client.force_login(visitor)
    if way == "page":
        upload = SimpleUploadedFile("event.json", text.encode())
        answer = client.post("/events/read", {"file": upload})
        assert answer.status_code == 302, answer.content
        client.post(answer["Location"], {"do": "read"})
    elif way == "api":
        answer = client.generic("POST", "/api/v1/event-files", text, "application/json")
        assert answer.status_code == 202, answer.content
    else:
        (tmp_path / "event.json").write_text(text)
        call_command("event_import", str(tmp_path / "event.json"), owner=visitor.username)
    for job in FileImport.objects.all():
        tasks.read(job.pk)
    again = whole_event(visitor, Event.objects.get(slug="large"))
    assert json.loads(json.dumps(again))["players"] == document["players"]


def test_no_body_at_all_is_a_mistake(visitor: Any, client: Client) -> None:
    client.force_login(visitor)
    for kind in ("application/json", "text/plain"):
        assert client.generic("POST", "/api/v1/event-files", "", kind).status_code == 400


def test_what_is_read_again_gives_the_same_file(
    event: Event, document: dict[str, Any], organizer: Any, visitor: Any
) -> None:
    again = read(document, visitor)
    told = json.loads(json.dumps(whole_event(visitor, again)))
    assert told.pop("event") == document.pop("event") | {"slug": "again"}
    assert told.pop("digest") != document.pop("digest"), "it has another address"
    assert told == document
    assert {kind.key for kind in KINDS if not document[kind.key]} <= {
        "stages", "stage_entries", "awarded_byes"
    }, "the event above has rows of every other kind"  # fmt: skip


def test_the_event_read_is_the_event_that_was_played(
    event: Event, document: dict[str, Any], visitor: Any
) -> None:
    again = read(document, visitor)
    assert [(row.registration.name, row.points, row.results) for row in standings(again)] == sorted(
        [(row.registration.name, row.points, row.results) for row in standings(event)],
        key=lambda row: [one.registration.name for one in standings(again)].index(row[0]),
    )
    assert [row.points for row in standings(again)] == [row.points for row in standings(event)]
    assert Staff.objects.get(event=again).user == visitor
    assert not again.registrations.exclude(user=None).exists(), "everybody is a guest and may claim the entry"
    report = again.registrations.exclude(report=None)[0].report
    assert report is not None and report.revision.deck.owner == visitor
    assert again.audit_rows.get().verb == "event_import"


def test_an_event_read_can_be_played_on(document: dict[str, Any], visitor: Any, organizer: Any) -> None:
    again = read(document, visitor)
    round = again.rounds.order_by("-number")[0]
    for match in round_matches(round):
        if match.table is not None:
            services.result_decide(match=match, outcome="win", reason="slip", by=visitor, now=NOW)
    following = services.round_pair(event=again, by=visitor, seed=3, now=NOW)
    assert following.number == 3


@pytest.mark.parametrize("players", [9, 24])
def test_a_copy_of_an_event_is_paired_and_ranked_as_the_event_byte_for_byte(
    organizer: Any, visitor: Any, players: int
) -> None:
    """Chance is drawn by the numbers of the entries: the keys in the database, which a copy has anew, say nothing."""
    simulator = Simulator(
        Plan(players=players, seed=4, rounds=6, chances=Chances(drops=0.1, late=0.1)), start=NOW
    )
    for _told, _step in zip(simulator.rounds(), range(4), strict=False):
        pass  # entering and three rounds
    event, by = simulator.fresh(), simulator.organizer
    again = read(json.loads(json.dumps(whole_event(by, event))), visitor)
    assert set(again.registrations.values_list("pk")).isdisjoint(event.registrations.values_list("pk"))
    for number in (1, 2, 3):
        copied = replay(again.rounds.get(number=number))
        assert _by_name(again, [asdict(one) for one in copied.pairs]) == _by_name(
            event, event.rounds.get(number=number).explanation["pairs"]
        )
    rounds = [
        services.round_pair(event=one, by=owner, seed=9, now=NOW)
        for one, owner in ((event, by), (again, visitor))
    ]
    told = [whole_event(one.event.created_by, Event.objects.get(pk=one.event_id)) for one in rounds]
    assert told[0]["rounds"] == told[1]["rounds"], "the fourth round, drawn from the same lot"
    assert [_line(row) for row in standings(event)] == [_line(row) for row in standings(again)]


def _by_name(event: Event, pairs: Any) -> Any:
    names = dict(event.registrations.values_list("pk", "name"))
    return [one | {"first": names[one["first"]], "second": names.get(one["second"])} for one in pairs]


def _line(row: Any) -> Any:
    return row.rank, row.registration.name, [value.exact for value in row.values]


def test_the_file_is_as_its_schema_says(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(document, schema())
    document["players"][0]["shoe size"] = 44
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema())


def test_every_row_of_an_event_is_in_the_file_or_left_out_on_purpose() -> None:
    """A model that joins the event later must be named in one place or the other."""
    ours = {kind.model.__name__ for kind in KINDS if kind.model._meta.app_label == "tournament"}
    known = ours | set(LEFT_OUT) | {"Event", "User", "PolicyVersion"}
    for kind in (EVENT, *KINDS):
        assert not [one.name for one in kind.own if one.is_relation], "it names a row that is not in the file"
    assert {model.__name__ for model in apps.get_app_config("tournament").get_models()} == known


def test_a_file_written_before_a_field_was_added_is_read(document: dict[str, Any], visitor: Any) -> None:
    for kind in (EVENT, *KINDS):
        rows = [document["event"]] if kind is EVENT else document[kind.key]
        for name, row in product(kind.later, rows):
            row.pop(name)
    assert read(document, visitor).bracket_kind == ""


def test_one_letter_that_is_changed_or_lost_is_refused_or_told(document: dict[str, Any]) -> None:
    def told(source: str) -> tuple[str, ...]:
        return file_read(source, policy_key="", now=NOW).remarks

    source, turned = json.dumps(document), json.dumps(dict(reversed(document.items())), indent=4)
    assert (told(source), told(turned)) == ((), ())
    dice, refused = random.Random(1), 0
    for _ in range(300):
        at = dice.randrange(len(source))
        for damaged in (source[:at] + source[at + 1 :], source[:at] + "7" + source[at + 1 :]):
            try:
                same = json.loads(damaged) == document
                assert same or told(damaged), source[at - 20 : at + 20]
            except (UserError, ValueError):
                refused += 1
    assert 100 < refused < 500
    document.pop("digest")
    document["players"][0]["name"] = "Somebody Else"
    assert not told(json.dumps(document)), "a file that somebody writes has none"


Change = Callable[[dict[str, Any]], Any]
WRONG: list[tuple[str, Change]] = [
    ("kind", lambda file: file.update(kind="chess")),
    ("version", lambda file: file.update(version=2)),
    ("the file: seats", lambda file: file.pop("seats")),
    ("the file: more", lambda file: file.update(more=[])),
    ("players", lambda file: file.update(players={})),
    ("players[2]", lambda file: file["players"].__setitem__(1, "Bo")),
    ("players[2]: name", lambda file: file["players"][1].pop("name")),
    ("players[2].name", lambda file: file["players"][1].update(name="x" * 81)),
    ("players[2].name", lambda file: file["players"][1].update(name=7)),
    ("players[2].state", lambda file: file["players"][1].update(state="asleep")),
    ("players[2].number", lambda file: file["players"][1].update(number=-1)),
    ("players[2].number", lambda file: file["players"][1].update(number=2**40)),
    ("players[2].number", lambda file: file["players"][1].update(number=True)),
    ("players[2].registered_at", lambda file: file["players"][1].update(registered_at="2026-11-21T09:00")),
    ("players[2].registered_at", lambda file: file["players"][1].update(registered_at="soon")),
    ("players[2]", lambda file: file["players"][1].update(name=file["players"][0]["name"])),
    ("players[1].revision", lambda file: file["players"][0].update(revision=99)),
    ("players[1].report", lambda file: file["players"][0].update(report=2)),
    ("lists[1].deck.format", lambda file: file["lists"][0]["deck"].update(format="chess")),
    ("lists[1].entries", lambda file: file["lists"][0].update(entries="many")),
    ("penalties[2].revokes", lambda file: file["penalties"][1].update(revokes=2)),
    ("rounds[1].explanation", lambda file: file["rounds"][0].update(explanation=[])),
    ("rounds[1].explanation", lambda file: file["rounds"][0]["explanation"]["pairs"][0].update(first=99)),
    (
        "rounds[1].explanation",
        lambda file: file["rounds"][0]["explanation"]["players"][0].__setitem__(1, "x"),
    ),
    ("rounds[1].explanation", lambda file: file["rounds"][0]["explanation"]["players"][0].extend([1, 2, 3])),
    ("rounds[1].explanation", lambda file: file["rounds"][0]["explanation"].pop("pairs")),
    (
        "rounds[1].explanation",
        lambda file: file["rounds"][0]["explanation"]["pairs"][0].update(sentence=3),
    ),
    (
        "rounds[1].explanation",
        lambda file: file["rounds"][0]["explanation"]["pairs"][0]["digits"].update(distance="far"),
    ),
    ("matches[2]", lambda file: file["matches"][1].update(table=1)),
    ("seats[1].round", lambda file: file["matches"][0].update(round=2, table=99)),
    ("seats[2].match", lambda file: file["seats"][1].update(match=0)),
    ("reports[1].seat", lambda file: file["reports"][0].update(seat=9)),
    ("reports[1].outcome", lambda file: file["reports"][0].update(outcome="glory")),
    ("reports[1].games", lambda file: file["reports"][0].update(outcome="win", games=[0, 2, 0])),
    ("reports[1].games", lambda file: file["reports"][0].update(games="2-0")),
    ("event.timezone", lambda file: file["event"].update(timezone=None)),
    ("event: shoe", lambda file: file["event"].update(shoe=1)),
    ("event.format", lambda file: file["event"].update(format="chess")),
    ("points.win", lambda file: file["event"]["policy"]["points"].update(win=-1)),
    # how far the event is, and who left when
    ("event.state", lambda file: file["event"].update(state="registration")),
    ("event.state", lambda file: file["event"].update(state="finished")),
    ("event.planned_rounds", lambda file: file["event"].update(planned_rounds=1)),
    ("players[3].dropped_after", lambda file: file["players"][2].update(dropped_after=None)),
    ("players[3].dropped_after", lambda file: file["players"][2].update(dropped_after=9)),
    ("players[3].dropped_after", lambda file: file["players"][2].update(state="active")),
    ("players[1].dropped_after", lambda file: file["players"][0].update(dropped_after=1)),
    ("players[1].dropped_after", lambda file: file["players"][0].update(state="dropped", dropped_after=1)),
]


def test_a_wrong_file_says_where_and_stores_nothing(document: dict[str, Any], visitor: Any) -> None:
    def stored() -> list[int]:
        return [model.objects.count() for model in (Event, Registration, Deck, Revision, LegalityReport)]

    before, faults = stored(), []
    for number, (place, change) in enumerate(WRONG):
        changed = copy.deepcopy(document)
        change(changed)
        said = "nothing"
        try:
            read(changed, visitor)
        except UserError as refused:
            said = refused.place if refused.place == place else f"{refused.place}: {refused.message}"
        if said != place or stored() != before:
            faults.append(f"{number} {place}: said of {said}; stored {stored()}, before {before}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "source",
    ["", "[", "[" * 100_000, "null", "[]", '"kind"', '{"kind": NaN}', '{"a": "\\u0000"}', "\x00", "{'a'}"],
)
def test_what_is_no_file_of_ours_is_refused(source: str, visitor: Any) -> None:
    with pytest.raises(UserError) as refused:
        services.event_import(source=source, by=visitor, now=NOW)
    assert refused.value.code == "bad-file"


def test_rows_that_contradict_each_other_in_the_database_store_nothing(
    document: dict[str, Any], visitor: Any
) -> None:
    """What only the database's own rules see: a list without its verdict."""
    document["players"][0]["report"] = None
    with pytest.raises(UserError) as refused:
        read(document, visitor)
    assert refused.value.code == "bad-file"
    assert not Event.objects.filter(slug="again").exists()


def test_an_address_is_given_once(document: dict[str, Any], visitor: Any) -> None:
    with pytest.raises(Conflict) as refused:
        read(document, visitor, slug="")
    assert (refused.value.code, refused.value.place) == ("slug-taken", "slug")
    read(document, visitor, slug="other")


def test_progress_is_told_up_to_the_end(document: dict[str, Any], visitor: Any) -> None:
    heard: list[tuple[str, int, int]] = []
    services.event_import(
        source=json.dumps(document), slug="again", by=visitor, now=NOW,
        progress=lambda key, done, all: heard.append((key, done, all)),
    )  # fmt: skip
    assert [key for key, _done, _all in heard] == [*(kind.key for kind in KINDS), ""]
    assert heard[-1][1] == heard[-1][2] > 40


def test_private_lists_are_not_in_a_file_before_they_are_frozen(organizer: Any) -> None:
    event = make_event(organizer)
    services.decks_arrange(event=event, visibility="private", due=None, changes={}, by=organizer, now=NOW)
    event.refresh_from_db()
    with pytest.raises(Conflict) as refused:
        whole_event(organizer, event)
    assert refused.value.code == "lists-private"


def test_writing_and_reading_cost_the_same_for_many(
    organizer: Any, visitor: Any, django_assert_max_num_queries: Any
) -> None:
    event = make_event(organizer)
    for entry in enter(event, 40):
        revision = make_revision(user_of(entry))
        services.deck_register(registration=entry, revision=revision, by=user_of(entry), now=NOW)
    report_all(services.round_pair(event=event, by=organizer, seed=1, now=NOW))
    event.refresh_from_db()
    with django_assert_max_num_queries(22):
        document = whole_event(organizer, event)
    with django_assert_max_num_queries(50):
        read(document, visitor)


def test_the_command_line_writes_and_reads_it(
    event: Event, organizer: Any, visitor: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "event.json"
    call_command("event_export", "kingsport", str(file))
    call_command("event_import", str(file), owner="visitor", slug="again")
    assert Event.objects.get(slug="again").created_by == visitor
    file.write_text(file.read_text().replace('"outcome": "draw"', '"outcome": "double-loss"', 1))
    with pytest.raises(CommandError, match="--accept"):
        call_command("event_import", str(file), owner="visitor", slug="changed")
    assert "changed or damaged after Headjudge wrote it" in capsys.readouterr().out
    call_command("event_export", "kingsport", str(tmp_path / "standings.csv"))
    assert (tmp_path / "standings.csv").read_text().startswith("rank,name")
    call_command("event_export", "kingsport", str(tmp_path / "Saturday.JSON"))
    assert json.loads((tmp_path / "Saturday.JSON").read_text())["players"]
    with pytest.raises(CommandError, match=r"Saturday\.csv.* --as .*standings\.csv"):
        call_command("event_export", "kingsport", str(tmp_path / "Saturday.csv"))
    file.write_text(file.read_text()[:500])
    for wrong in (
        ("event_import", str(file), "--owner=visitor"),
        ("event_import", str(file), "--owner=nobody"),
        ("event_import", str(tmp_path / "none"), "--owner=visitor"),
        ("event_import", "/dev/zero", "--owner=visitor"),
        ("event_import", str(tmp_path), "--owner=visitor"),
        ("event_export", "nowhere", str(file)),
        ("event_export", "kingsport", str(tmp_path / "event.xml")),
    ):
        with pytest.raises(CommandError):
            call_command(*wrong)
    assert Event.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_file_is_read_in_one_moment_though_players_register_meanwhile(organizer: Any) -> None:
    """Between two queries of its own somebody may enter, who would then be in one part and missing in another."""
    event = make_event(organizer)
    with CaptureQueriesContext(connection) as asked:
        whole_event(organizer, event)
    said = [one["sql"] for one in asked.captured_queries]
    first = next(at for at, sql in enumerate(said) if sql.startswith("BEGIN DEFERRED"))
    assert said[-1] == "ROLLBACK"
    assert sum("tournament_registration" in sql for sql in said[first:]) > 5
