"""Files read by a worker: queued, read whole or not at all, once, and told about on a page."""

import io
import json
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.test import Client

from config import jobs
from config.errors import UserError
from tests.markup import tight
from tests.tournament.factories import NOW, enter, make_event, play
from tournament import services, tasks
from tournament.models import AuditRow, Event, FileImport
from tournament.selectors.exports import whole_event
from tournament.services.outside import import_jobs, imports

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(organizer: Any) -> dict[str, Any]:
    event = make_event(organizer)
    enter(event, 5)
    play(event, organizer, 1)
    found: dict[str, Any] = json.loads(json.dumps(whole_event(organizer, Event.objects.get(pk=event.pk))))
    return found


def asked(document: Any, by: Any, slug: str = "again") -> FileImport:
    return services.event_import_ask(source=json.dumps(document), slug=slug, by=by, now=NOW)


def fresh(job: FileImport) -> Any:
    return FileImport.objects.get(pk=job.pk)


def test_a_worker_reads_the_event_once_whatever_is_delivered_twice(document: Any, visitor: Any) -> None:
    job = asked(document, visitor)
    assert not Event.objects.filter(slug="again").exists(), "nothing happens before a worker comes"
    for _delivery in range(3):
        tasks.read(job.pk)
    done = fresh(job)
    assert (done.state, done.runs, done.source) == ("done", 1, "")
    assert done.event is not None and done.event.created_by == visitor and done.done == 19
    assert AuditRow.objects.filter(verb="event_import").count() == 1


@pytest.fixture
def reader(visitor: Any) -> Client:
    client = Client()
    client.force_login(visitor)
    return client


def shown(reader: Client, document: Any) -> Any:
    """What the page answers to the file of an event."""
    upload = io.BytesIO(json.dumps(document).encode())
    upload.name = "event.json"
    return reader.post("/events/read", {"file": upload, "slug": "again"})


def test_a_file_is_shown_and_nothing_is_made_of_it_before_a_yes(document: Any, reader: Client) -> None:
    where = shown(reader, document)["Location"]
    page = tight(reader.get(where).content.decode())
    assert "This will create an event with 5 players." in page
    assert "<dt>Rounds</dt><dd>1</dd><dt>Matches and byes</dt><dd>3</dd>" in page
    assert f"<dt>Result reports</dt><dd>{len(document['reports'])}</dd>" in page
    assert "<li>Player 001</li>" in page and "Call of Cthulhu LCG" in page
    tasks.read(FileImport.objects.get().pk)  # a stray message is no yes
    assert not Event.objects.filter(slug="again").exists()


def test_a_large_file_is_shown_by_its_numbers_and_checked_when_it_is_read(
    document: Any, reader: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr(import_jobs, "CHECKED_AT_ONCE", 10)
    document["seats"][2]["match"] = 99
    where = shown(reader, document)["Location"]
    page = reader.get(where).content.decode()
    assert "This will create an event with 5 players." in page and "The file is large" in page
    reader.post(where, {"do": "read"})
    tasks.read(FileImport.objects.get().pk)
    assert "seats[3].match" in reader.get(where).content.decode()


def test_a_yes_said_twice_reads_the_file_once(document: Any, reader: Client) -> None:
    where = shown(reader, document)["Location"]
    for _tap in range(2):
        assert reader.post(where, {"do": "read"}).status_code == 302
    job = FileImport.objects.get()
    tasks.read(job.pk)
    reader.post(where, {"do": "read"})
    reader.post(where, {"do": "discard"})  # too late: it stays
    tasks.read(job.pk)
    done = fresh(job)
    assert (done.state, done.runs, done.seen, done.source) == ("done", 1, None, "")
    assert Event.objects.filter(slug="again").count() == 1
    assert AuditRow.objects.filter(verb="import_ask").count() == 1


def test_what_is_wrong_with_a_file_is_said_before_anything_is_kept(document: Any, reader: Client) -> None:
    document["seats"][2]["match"] = 99
    answer = shown(reader, document)
    assert answer.status_code == 400 and "seats[3].match" in answer.content.decode()
    assert not FileImport.objects.exists()


def test_a_file_is_thrown_away_by_who_sent_it_or_after_a_day(
    document: Any, reader: Client, organizer: Any
) -> None:
    where = shown(reader, document)["Location"]
    stranger = Client()
    stranger.force_login(organizer)
    for do in ("read", "discard"):
        assert stranger.post(where, {"do": do}).status_code == 404
    assert FileImport.objects.get().state == "shown"
    assert reader.post(where, {"do": "discard"})["Location"] == "/events/read"
    assert not FileImport.objects.exists()
    shown(reader, document)
    asked = FileImport.objects.get().asked_at
    services.imports_sweep(now=asked + timedelta(hours=23))
    assert FileImport.objects.exists()
    services.imports_sweep(now=asked + timedelta(hours=25))
    assert not FileImport.objects.exists()


@pytest.mark.parametrize("when", ["before", "meanwhile", "at-the-last-moment"])
def test_a_file_whose_address_is_taken_gets_another_one_and_need_not_be_chosen_again(
    document: Any, reader: Client, organizer: Any, when: str
) -> None:
    if when == "before":
        make_event(organizer, slug="again")
    where = shown(reader, document)["Location"]
    page = reader.get(where).content.decode()
    assert 'value="again"' in page and ("already exists" in page) == (when == "before")
    if when == "at-the-last-moment":
        reader.post(where, {"do": "read"})
        make_event(organizer, slug="again")
        tasks.read(FileImport.objects.get().pk)
        assert FileImport.objects.get().state == "failed"
    else:
        if when == "meanwhile":
            make_event(organizer, slug="again")
        answer = reader.post(where, {"do": "read"})
        assert answer.status_code == 409 and "already exists" in answer.content.decode()
        assert reader.post(where, {"do": "read", "slug": "not an address"}).status_code == 400
    page = reader.get(where).content.decode()
    assert 'name="slug"' in page and "already exists" in page
    assert reader.post(where, {"do": "read", "slug": "another"}).status_code == 302
    tasks.read(FileImport.objects.get().pk)
    assert Event.objects.get(slug="another").registrations.count() == 5
    done = FileImport.objects.get()
    assert (done.state, done.source, done.failure) == ("done", "", None)


def test_what_waits_for_another_address_is_thrown_away_after_a_day(
    document: Any, reader: Client, organizer: Any
) -> None:
    where = shown(reader, document)["Location"]
    reader.post(where, {"do": "read"})
    make_event(organizer, slug="again")
    tasks.read(FileImport.objects.get().pk)
    job = FileImport.objects.get()
    assert job.source
    services.imports_sweep(now=job.asked_at + timedelta(hours=25))
    assert fresh(job).source == ""
    assert 'name="slug"' not in reader.get(where).content.decode()


def test_a_wrong_file_fails_with_its_place_and_stores_nothing(document: Any, visitor: Any) -> None:
    document["seats"][2]["match"] = 99
    job = asked(document, visitor)
    tasks.read(job.pk)
    failed = fresh(job)
    assert failed.state == "failed" and failed.failure["place"] == "seats[3].match"
    assert not Event.objects.filter(slug="again").exists()
    client = Client()
    client.force_login(visitor)
    page = client.get(f"/imports/{job.pk}").content.decode()
    assert "seats[3].match" in page and "Try another file" in page


def test_what_is_no_file_or_wants_a_taken_address_is_refused_at_once(document: Any, visitor: Any) -> None:
    for source, slug, code in (
        ("[", "", "bad-file"),
        (json.dumps(document), "", "slug-taken"),
        (json.dumps(document), "a b", "invalid"),
    ):
        with pytest.raises(UserError) as refused:
            services.event_import_ask(source=source, slug=slug, by=visitor, now=NOW)
        assert refused.value.code == code
    assert not FileImport.objects.exists()


def test_a_worker_that_comes_back_late_stores_nothing(document: Any, visitor: Any) -> None:
    """Its lease ran out, the sweep put the job back, and another worker has it."""
    job = asked(document, visitor)
    late = jobs.claim(services.FILE, job.pk, NOW)
    assert late is not None
    assert services.imports_sweep(now=NOW + timedelta(hours=1)) == 1
    assert jobs.claim(services.FILE, job.pk, NOW + timedelta(hours=1)) is not None
    jobs.perform(services.FILE, late)
    assert not Event.objects.filter(slug="again").exists()
    assert (fresh(job).state, fresh(job).runs) == ("running", 2)


def test_a_fault_of_ours_is_told_as_one(document: Any, visitor: Any) -> None:
    job = asked(document, visitor)
    with mock.patch(
        "tournament.services.outside.import_jobs.event_store", side_effect=RuntimeError("the disk is full")
    ):
        tasks.read(job.pk)
    assert fresh(job).failure["code"] == "fault"
    assert "disk" not in json.dumps(fresh(job).failure)


def test_players_are_entered_whole_or_not_at_all_and_the_page_says_how_many(
    organizer: Any, visitor: Any
) -> None:
    event = make_event(organizer)
    job = services.players_import_ask(event=event, source="Cleo,Arkham\nCleo\nDov", by=organizer, now=NOW)
    client, other = Client(), Client()
    client.force_login(organizer)
    other.force_login(visitor)
    assert "Waiting for a worker" in client.get(f"/imports/{job.pk}").content.decode()
    tasks.read(job.pk)
    assert "2 players are registered." in client.get(f"/imports/{job.pk}").content.decode()
    assert sorted(event.registrations.values_list("name", flat=True)) == ["Cleo", "Dov"]
    assert other.get(f"/imports/{job.pk}").status_code == 404, "a job is who asked's alone"
    late = services.players_import_ask(event=event, source="Eve", by=organizer, now=NOW)
    Event.objects.filter(pk=event.pk).update(state="finished")
    tasks.read(late.pk)
    assert fresh(late).failure["code"] == "registration-closed"


def test_the_page_tells_how_far_it_is_while_it_runs(organizer: Any) -> None:
    event = make_event(organizer)
    job = services.players_import_ask(event=event, source="Ann\nBo\nCy", by=organizer, now=NOW)
    client, told = Client(), []
    client.force_login(organizer)
    register = imports.player_register

    def slowly(**asked: Any) -> Any:
        told.append(client.get(f"/api/v1/imports/{job.pk}").json())
        return register(**asked)

    with mock.patch("tournament.services.outside.imports.player_register", slowly):
        tasks.read(job.pk)
    assert [(one["state"], one["done"], one["total"]) for one in told] == [
        ("running", 0, 3), ("running", 1, 3), ("running", 2, 3)
    ]  # fmt: skip
    assert client.get(f"/api/v1/imports/{job.pk}").json()["done"] == 3


def test_nobody_who_writes_waits_while_a_file_is_read(
    document: Any, visitor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite has one writer at a time, and reading a large file takes seconds."""
    job = asked(document, visitor)
    outside, inside, ready = len(connection.savepoint_ids), [], import_jobs.event_ready

    def watched(*given: Any) -> Any:
        inside.append(len(connection.savepoint_ids))
        return ready(*given)

    monkeypatch.setattr(import_jobs, "event_ready", watched)
    tasks.read(job.pk)
    assert inside == [outside] and fresh(job).state == "done"
