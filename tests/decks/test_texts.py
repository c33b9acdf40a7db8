"""Card data imported with texts: understood by a worker, put on a table by name, shown on the card's page."""

import html
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config import jobs
from decks import services
from decks.models import Catalog, TextReading
from decks.services import TEXTS
from decks.services import texts as reading
from rules import services as rules
from rules.law import system_files
from rules.models import ImportedCard
from rules.selectors import imported_card, imported_like, imported_named, imported_read
from rules.texts import imported
from tests.rules.wording.test_scenarios import TWO
from tournament.models import AuditRow

pytestmark = pytest.mark.django_db

HEAD = "title,type,faction,cost,skill,icons,subtypes,unique,text\n"
MAID = "Old Maid,character,Agency,2,3,@,Servant,no,Action: Exhaust Old Maid to draw a card.\n"
PORTER = 'Tall Porter,character,Agency,1,1,,,no,"Response: After a character is wounded, zonk it."\n'
EVENT = "Loud Bell,event,Hastur,1,,,,no,\n"


def bring(csv: str, now: datetime, *, game: str = "coc-lcg", **more: Any) -> Any:
    return services.cards_import_files(game=game, files={"cards.csv": (HEAD + csv).encode()}, now=now, **more)


def work() -> None:
    """What a worker does when the bell rings."""
    for pk in TextReading.objects.filter(state="queued").values_list("pk", flat=True):
        jobs.work_off(TEXTS, pk)


def card(name: str) -> dict[str, Any]:
    found = imported_card("coc-lcg", name)
    assert found is not None
    return imported.card_of(found.name, found.told("coc-lcg"))


def test_an_import_is_understood_by_a_worker(now: datetime) -> None:
    summary = bring(MAID + PORTER + EVENT, now)
    assert (summary.new, summary.texts) == (3, 3)
    (job,) = TextReading.objects.all()
    assert (job.state, job.catalog.game) == ("queued", "coc-lcg")
    assert card("old maid")["unread"][0]["says"].startswith(
        "Action: Exhaust"
    )  # nothing is taken before it is read
    work()
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", 3)
    assert card("Old Maid")["abilities"] and "unread" not in card("Old Maid")
    assert card("Old Maid")["faction"] == "The Agency"
    assert card("Tall Porter")["unread"][0]["says"].startswith("zonk")
    read = imported_read()["coc-lcg"]
    assert (read.whole, read.part, read.waiting, read.all) == (1, 2, 0, 3)
    verbs = list(
        AuditRow.objects.filter(verb__startswith="texts_").order_by("pk").values_list("verb", flat=True)
    )
    assert verbs == ["texts_read", "texts_finish"]


def test_the_same_file_again_reads_nothing_again(now: datetime) -> None:
    bring(MAID, now)
    work()
    assert bring(MAID, now).texts == 0
    assert TextReading.objects.count() == 1


def test_a_newer_file_replaces_the_meaning_and_a_filed_dispute_keeps_its_own(
    now: datetime, make_user: Callable[..., Any]
) -> None:
    bring(MAID, now)
    work()
    source = json.dumps(
        {"system": "coc-lcg", "cards": {"maid": {"is": "Old Maid", "of": "Ann"}}, "ask": ["next"]}
    )
    file = lambda: rules.dispute_file(by=make_user("ann"), title="x", source=source, now=now)  # noqa: E731
    before = file()
    assert bring(MAID.replace("draw a card", "draw two cards"), now).texts == 1
    assert "abilities" not in card("Old Maid")  # the former meaning is out of force at once
    work()
    before.refresh_from_db()
    kept, comes = before.scenario["cards"]["maid"], card("Old Maid")
    assert kept["abilities"] != comes["abilities"]
    after = rules.scenario_read(source)
    assert after.canonical["cards"]["maid"]["abilities"] == comes["abilities"]
    assert after.hash != before.scenario_hash and before.adjudications.get().scenario == before.scenario


def test_an_import_without_texts_changes_the_facts_and_keeps_the_text(now: datetime) -> None:
    bring(MAID, now)
    work()
    files = {"cards.csv": b"title,cost\nOld Maid,5\n"}
    assert services.cards_import_files(game="coc-lcg", files=files, now=now).texts == 1
    work()
    assert card("Old Maid")["cost"] == 5 and card("Old Maid")["abilities"]


def test_a_worker_that_dies_in_the_middle_loses_nothing(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 1)
    bring("".join(MAID.replace("Old Maid", f"Maid {n}") for n in range(5)), now)
    read: list[str] = []
    real = imported.meaning_of

    def dies(key: str, title: str, *more: Any) -> Any:
        if len(read) == 2 and "dead" not in read:
            read.append("dead")
            raise SystemExit  # killed, as the system kills a process
        read.append(title)
        return real(key, title, *more)

    monkeypatch.setattr(imported, "meaning_of", dies)
    with pytest.raises(SystemExit):
        work()
    (job,) = TextReading.objects.all()
    assert job.state == "running" and imported_read()["coc-lcg"].waiting == 3
    assert job.lease_until is not None
    jobs.sweep(TEXTS, job.lease_until + timedelta(seconds=1))
    work()
    job.refresh_from_db()
    assert (job.state, job.runs, job.done) == ("done", 2, 5)
    assert read == ["Maid 0", "Maid 1", "dead", "Maid 2", "Maid 3", "Maid 4"]


def test_a_worker_that_comes_back_late_stores_nothing(now: datetime) -> None:
    bring(MAID, now)
    (job,) = TextReading.objects.all()
    slow = jobs.claim(TEXTS, job.pk, now)
    assert slow is not None
    TextReading.objects.update(token="of another")
    with pytest.raises(jobs.NotOurs):
        TEXTS.work(slow)
    assert imported_read()["coc-lcg"].waiting == 1


def test_a_card_that_is_imported_anew_while_it_is_read_waits_still(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(MAID, now)
    real = imported.meaning_of
    again = iter([True])

    def meanwhile(*given: Any) -> Any:
        if next(again, False):
            bring(MAID.replace("draw a card", "draw two cards"), now)
        return real(*given)

    monkeypatch.setattr(imported, "meaning_of", meanwhile)
    work()
    (ability,) = card("Old Maid")["abilities"]
    assert ability["do"] != [{"do": "draw", "who": "you"}]


def test_a_fault_of_ours_on_one_card_is_told_and_the_others_are_read(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = imported.meaning_of

    def faulty(key: str, title: str, *more: Any) -> Any:
        if title == "Old Maid":
            raise RuntimeError("a bug")
        return real(key, title, *more)

    monkeypatch.setattr(imported, "meaning_of", faulty)
    bring(MAID + PORTER, now)
    work()
    assert TextReading.objects.get().state == "done"
    found = imported_card("coc-lcg", "Old Maid")
    assert found is not None and found.meaning is not None
    assert [one["code"] for one in found.meaning["remarks"]] == ["fault"] and card("Old Maid")["unread"]


def test_it_makes_room_for_others_who_wait(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 1)
    monkeypatch.setattr(reading, "TURN_SECONDS", 0.0)
    bring(MAID + PORTER, now)
    work()
    job = TextReading.objects.get()
    assert (job.state, job.done, job.stepped_back) == ("done", 2, 2)


def test_texts_read_under_another_grammar_are_read_again(now: datetime) -> None:
    bring(MAID, now)
    work()
    assert services.texts_read_again(now=now) == []
    ImportedCard.objects.update(grammar="of before")
    assert "abilities" not in card("Old Maid")  # it may not fit the rules any more
    assert services.texts_read_again(now=now) == ["coc-lcg"]
    assert services.texts_read_again(now=now) == []  # a worker is coming
    work()
    assert card("Old Maid")["abilities"]


def test_what_was_left_over_by_a_failed_job_is_read_at_the_next_import(now: datetime) -> None:
    bring(MAID, now)
    TextReading.objects.update(state="failed", failure="x", finished_at=now)
    assert bring(MAID, now).texts == 0
    work()
    assert card("Old Maid")["abilities"]


def test_a_game_without_a_timing_system_keeps_no_texts(now: datetime) -> None:
    assert bring(MAID, now, game="toy").texts == 0
    assert not ImportedCard.objects.exists()


def test_the_facts_that_ship_say_nothing_of_texts(now: datetime) -> None:
    services.catalog_load_shipped(now=now)
    assert not ImportedCard.objects.exists() and not TextReading.objects.exists()
    assert Catalog.objects.count() > 3


def test_titles_that_are_one_name_are_two_cards(now: datetime) -> None:
    bring(MAID + MAID.replace("Old Maid", "Old-Maid").replace("draw a card", "draw two cards"), now)
    work()
    found = imported_card("coc-lcg", "Old Maid")
    assert found is not None and found.meaning is not None
    assert [one["code"] for one in found.meaning["remarks"]] == ["two-texts"]


def test_cards_are_found_by_their_words(now: datetime) -> None:
    bring(MAID + PORTER + MAID.replace("Old Maid", "Shotgun Blast"), now)
    assert [one.name for one in imported_like("coc-lcg", ["maid"], 12)] == ["Old Maid"]
    assert imported_like("coc-lcg", ["shotgun"], 12) == []  # the library has it
    assert imported_named("coc-lcg", ["Old maid", "Nobody"]) == {system_files.fold("Old Maid")}


def test_the_command_says_that_a_worker_reads_them(now: datetime, tmp_path: Any, capsys: Any) -> None:
    file = tmp_path / "cards.csv"
    file.write_text(HEAD + MAID)
    call_command("import_cards", "coc-lcg", str(file))
    assert "Card texts that are new or changed: 1. A worker reads them." in capsys.readouterr().out


# --- on a table ------------------------------------------------------------------------------------------


def test_an_imported_card_is_put_on_a_table_by_its_name(now: datetime, make_user: Callable[..., Any]) -> None:
    bring(MAID + PORTER, now)
    work()
    table = rules.table_open(by=make_user("ann"), system="coc-lcg", now=now)
    key = rules.table_put_library_card(table=table, name="old maid", side="Bo", now=now)
    assert table.scenario["cards"][key]["name"] == "Old Maid" and table.scenario["cards"][key]["of"] == "Bo"
    assert table.scenario["cards"][key]["abilities"]
    other = rules.table_put_library_card(table=table, name="Tall Porter", side="Ann", now=now)
    assert table.scenario["cards"][other]["unread"]


# --- the card's page -------------------------------------------------------------------------------------


def page(name: str, client: Client | None = None, **where: str) -> str:
    response = (client or Client()).get(f"/decks/cards/coc-lcg/{name}", where)
    assert response.status_code == (400 if "wrong" in where else 200)
    return " ".join(response.content.decode().split())


def board_of(told: str) -> dict[str, Any]:
    """The situation that the page's button begins with."""
    (source,) = re.findall(r'name="source" value="([^"]*)"', told)
    found: dict[str, Any] = json.loads(html.unescape(source))
    return found


def test_a_page_says_what_is_printed_what_it_means_and_where_that_is_from(now: datetime) -> None:
    bring(MAID + PORTER, now)
    waiting = page("Old Maid")
    assert (
        "Action: Exhaust Old Maid to draw a card." in waiting
        and "No worker has read this text yet." in waiting
    )
    work()
    told = page("old maid")
    assert "Understood:" in told and "Not understood:" not in told and "From the card data" in told
    assert "understood from the card data that was imported here" in told
    assert board_of(told)["cards"]["card"] == {"is": "Old Maid", "of": "Ann"}
    partly = page("Tall Porter")
    assert (
        '<u class="stop">zonk</u>' in partly
        and "an answer that may depend on what isn’t understood" in partly
    )


def test_a_card_of_the_library_shows_the_imported_text_beside_its_own_meaning(now: datetime) -> None:
    bring(MAID.replace("Old Maid", "Shotgun Blast") + MAID.replace("Old Maid", "Federal Vault"), now)
    work()
    hand, shipped = page("Shotgun Blast"), page("Federal Vault")
    for told in (hand, shipped):
        assert "to draw a card." in told and "Understood:" not in told
    assert "wrote this for the library by hand" in hand
    assert "passed all of its checks" in shipped


def test_a_page_says_why_a_card_is_not_understood(now: datetime) -> None:
    bring(EVENT + MAID.replace("Old Maid", "Living Ink"), now)
    work()
    assert "no text for this card" in page("Loud Bell")
    assert "held it back" in page("Living Ink")


def test_hostile_markup_is_text(now: datetime) -> None:
    bring(MAID.replace("Action:", "<script>alert(1)</script> Action:"), now)
    work()
    told = page("Old Maid")
    assert "<script>alert" not in told and "&lt;script&gt;alert" in told


def test_of_several_readings_one_is_chosen_on_the_page(now: datetime) -> None:
    bring(
        MAID.replace("Action: Exhaust Old Maid to draw a card.", f'"{TWO}"').replace("Old Maid", "Maid"), now
    )
    work()
    assert "Show it in these readings" in page("Maid")
    chosen = page("Maid", None, **{"reading-0": "2"})
    assert board_of(chosen)["cards"]["card"]["reading"] == [2]
    assert rules.scenario_read(json.dumps(board_of(chosen))).canonical["cards"]["card"]["abilities"]
    refused = page("Maid", None, **{"reading-0": "9", "wrong": "1"})
    assert "reading" not in board_of(refused)["cards"]["card"]


def test_the_page_of_card_data_says_how_far_the_texts_are_read(
    now: datetime, make_user: Callable[..., Any]
) -> None:
    bring(MAID + PORTER, now)
    client = Client()
    client.force_login(make_user("ann"))
    assert "2 being read" in " ".join(client.get("/decks/cards/").content.decode().split())
    work()
    told = " ".join(client.get("/decks/cards/").content.decode().split())
    assert "2 printed texts: 1 understood, 1 in part" in told and "being read" not in told
    (row,) = [one for one in client.get("/api/v1/catalogs").json()["results"] if one["game"] == "coc-lcg"]
    assert row["texts"] == {"whole": 1, "part": 1, "waiting": 0}


def test_a_search_on_a_board_finds_imported_cards(now: datetime, make_user: Callable[..., Any]) -> None:
    bring(MAID + PORTER, now)
    work()
    ann = make_user("ann")
    table = rules.table_open(by=ann, system="coc-lcg", now=now)
    client = Client()
    client.force_login(ann)
    found = " ".join(client.get(f"/rules/table/{table.pk}/", {"q": "tall por"}).content.decode().split())
    assert "Tall Porter" in found and "imported, understood in part" in found
    client.post(f"/rules/table/{table.pk}/", {"do": "put", "is": "Tall Porter", "side": "Bo"})
    table.refresh_from_db()
    assert table.scenario["cards"]["tall-porter"]["unread"]
