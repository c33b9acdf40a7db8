"""The table in a real browser on a phone, as a new judge meets it; and without a script."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from rules.law.system_files import _content, keys, library, moments, system
from rules.models import Dispute, Table
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN
from tests.tournament import factories
from tests.web.conftest import World
from tournament import services

AsUser = Callable[[Any], Client]


def text(response: Any) -> str:
    return str(response.content.decode())


# --- the FAQ's example, entered by a judge who has read the README alone ---------------------------------


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_roland_agnes_guard_dog_and_goat_spawn_entered_at_the_table(
    phone: Callable[[str], Any], judge: Any
) -> None:
    """Under five minutes to enter (here: as fast as the pages are), answered in the order of the FAQ's example."""
    from playwright.sync_api import expect

    began = time.monotonic()
    hers = phone("judge")
    hers.goto("/rules/")
    hers.click("text=New board")
    hers.click("text=Arkham Horror")
    put = (
        ("roland", "Ann"), ("guard dog", "Ann"), (".45", "Ann"), ("goat", ""), ("agnes", "Bo"), ("ghoul minion", ""),
    )  # fmt: skip
    for number, (words, side) in enumerate(put, start=1):
        hers.fill("#q", words)
        hers.locator(f"#found li:has-text('{words}') >> nth=0").locator(f"button[value='{side}']").click()
        expect(hers.locator(".laid > li")).to_have_count(number)
    say(hers, ".45 Automatic", zone="in hand")
    say(hers, "Goat Spawn", **{"f-engaged": "Roland Banks", "f-damage": "2"})
    say(hers, "Ghoul Minion", **{"f-engaged": "Agnes Baker"})
    hers.click("text=Play it out")
    moves = (
        ("Ann", ".45 Automatic: play it"), ("Ann", "Guard Dog"), ("Ann", "Guard Dog"), ("Ann", "Roland Banks"),
        ("Bo", "Agnes Baker"), ("Bo", "Ghoul Minion"),
    )  # fmt: skip
    for number, (who, words) in enumerate(moves, start=1):
        expect(hers.locator(".asks .crumb")).to_have_text(who)
        hers.click(f".options-large button:has-text('{words}')")
        expect(hers.locator(".stepper")).to_contain_text(f"step {number} of {number}")
    expect(hers.locator(".changed")).to_contain_text("Ghoul Minion")
    hers.click("text=Ask from here")
    hers.click("#questions button:has-text('In which order?')")
    expect(hers.locator("#questions .chosen >> nth=1")).to_contain_text("In which order")
    hers.click("#questions summary")
    hers.fill("#title", "Attack of opportunity")
    hers.click("#ask button")
    hers.wait_for_url("**/rules/disputes/*")
    dispute = Dispute.objects.get()
    adjudicate(dispute.adjudications.get().pk)
    hers.reload()
    expect(hers.locator(".answer .say")).to_contain_text(
        "Order: Guard Dog, then Goat Spawn, then Agnes Baker"
    )
    expect(hers.locator(".answer .chip")).to_have_text("Determined")
    assert time.monotonic() - began < 300
    assert hers.evaluate("document.documentElement.scrollWidth") <= 390


def say(page: Any, card: str, **facts: str) -> None:
    """Open a card of the table and fill in what is true of it."""
    page.click(f".laid .name:has-text('{card}')")
    for field, value in facts.items():
        found = page.locator(f"#{field}")
        if found.evaluate("field => field.tagName") == "SELECT":
            found.select_option(label=value)
        else:
            found.fill(value)
    page.click("text=Save")
    page.wait_for_selector("#q")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_back_button_and_a_reload_show_the_same_step(
    phone: Callable[[str], Any], judge: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    from rules.services import table_open

    table = table_open(by=judge, source=SHOTGUN, now=now)
    his = phone("judge")
    his.goto(f"/rules/table/{table.pk}/play?line=0&step=0")
    first = his.inner_text(".asks h1")
    his.click(".options-large button >> nth=0")
    expect(his.locator(".stepper")).to_contain_text("step 1 of")
    after = his.inner_text(".options-large")
    his.reload()
    assert his.inner_text(".options-large") == after
    his.go_back()
    expect(his.locator(".asks h1")).to_have_text(first)
    his.click(".options-large .passes")  # otherwise than before: a what-if beside it
    expect(his.locator(".branch-list > li")).to_have_count(2)
    his.click("text=Compare")
    expect(his.locator(".parts")).to_have_count(2)


# --- without a script -------------------------------------------------------------------------------------


def test_a_card_is_found_put_down_and_told_about_without_a_script(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = f"/rules/table/{world.table.pk}/"
    page = text(client.get(where, {"q": "museum", "side": "Ann"}))
    assert 'value="Museum Curator"' in page
    client.post(where, {"do": "put", "is": "Museum Curator", "side": "Ann"})
    card = f"{where}cards/museum-curator"
    given = {"of": "Ann", "zone": "play", "fact-exhausted": "yes", "mark-exhausted": "disputed"}
    client.post(card, given)
    world.table.refresh_from_db()
    assert world.table.scenario["cards"]["museum-curator"]["exhausted"] == {"disputed": ["yes", "no"]}
    assert "Unknown fact" in text(client.get(where))


def test_a_search_answers_with_its_part_alone(world: World, as_user: AsUser) -> None:
    response = as_user(world.judge).get(
        f"/rules/table/{world.table.pk}/",
        {"q": "museum"},
        headers={"HX-Request": "true", "HX-Target": "found"},
    )
    assert "Museum Curator" in text(response)
    assert "<html" not in text(response)


def test_every_refused_move_opens_to_its_reason(world: World, as_user: AsUser) -> None:
    page = text(as_user(world.judge).get(f"/rules/table/{world.table.pk}/play?line=0&step=1"))
    assert "<u>why not?</u>" in page or "Not possible now" not in page
    why = text(
        as_user(world.judge).get(f"/rules/table/{world.table.pk}/why?who=Ann&card=researcher&line=0&step=0")
    )
    assert "Ann may not use Field Researcher" in why


def test_a_step_costs_few_queries_and_little_time(
    world: World, as_user: AsUser, django_assert_max_num_queries: Any
) -> None:
    client = as_user(world.judge)
    where = f"/rules/table/{world.table.pk}/play"
    client.get(where)
    with django_assert_max_num_queries(8):
        began = time.perf_counter()
        assert client.get(where).status_code == 200
        assert time.perf_counter() - began < 0.3


def test_the_file_that_is_downloaded_can_be_asked(world: World, as_user: AsUser) -> None:
    from rules import scenarios

    response = as_user(world.judge).get(f"/rules/table/{world.table.pk}/scenario.yaml")
    assert response["Content-Disposition"].startswith("attachment")
    assert scenarios.read(response.content).system == "coc-lcg"


def test_a_moment_that_is_not_known_says_so_and_keeps_the_table(world: World, as_user: AsUser) -> None:
    response = as_user(world.judge).post(
        f"/rules/table/{world.table.pk}/moment", {"at": "teatime", "active": "Ann"}
    )
    assert response.status_code == 400
    assert "teatime" in text(response)


def test_a_described_card_is_put_on_the_table(world: World, as_user: AsUser) -> None:
    given = {"name": "Healer", "type": "character", "of": "Bo", "zone": "", "kind": "action", "effect": "heal",
             "target": "character"}  # fmt: skip
    response = as_user(world.judge).post(f"/rules/table/{world.table.pk}/describe", given, follow=True)
    assert "Healer" in text(response)
    table = Table.objects.get(pk=world.table.pk)
    assert table.scenario["cards"]["healer"]["abilities"][0]["do"] == [{"do": "heal", "to": "target"}]


PASTED = {"name": "Nurse", "type": "character", "of": "Bo"}


def test_a_pasted_text_is_told_as_it_is_understood_and_put_on_the_table(
    world: World, as_user: AsUser
) -> None:
    client, where = as_user(world.judge), f"/rules/table/{world.table.pk}/text"
    given = {
        **PASTED,
        "text": "Action: Exhaust Nurse to draw a card. Response: After Nurse is wounded, zonk it.",
    }
    live = text(client.post(where, given, headers={"HX-Target": "read"}))
    assert "<html" not in live
    assert '<u class="stop">zonk</u>' in live
    assert "this card exhausts" in live
    client.post(where, {**given, "do": "put"})
    card = Table.objects.get(pk=world.table.pk).scenario["cards"]["nurse"]
    assert card["text"] == given["text"]
    assert [one["kind"] for one in card["abilities"]] == ["action"]
    assert [one["says"] for one in card["unread"]] == ["zonk it"]
    assert "Nurse" in text(client.get(f"/rules/table/{world.table.pk}/"))


def test_a_text_with_two_readings_asks_which_is_meant(world: World, as_user: AsUser) -> None:
    client, where = as_user(world.judge), f"/rules/table/{world.table.pk}/text"
    given = {**PASTED, "text": "Response: After a character committed to a story goes insane, "
             "exhaust Nurse to ready a character committed to the same story."}  # fmt: skip
    assert text(client.post(where, {**given, "do": "read"})).count('name="reading-0"') == 3
    client.post(where, {**given, "do": "put", "reading-0": "2"})
    card = Table.objects.get(pk=world.table.pk).scenario["cards"]["nurse"]
    assert (len(card["abilities"]), "unread" in card) == (1, False)


@pytest.mark.parametrize("pasted", ["", "   ", 'It gains "Action', "x " * 10_001])
def test_a_text_that_cannot_be_read_is_told_and_nothing_is_put(
    world: World, as_user: AsUser, pasted: str
) -> None:
    before = Table.objects.get(pk=world.table.pk).scenario
    response = as_user(world.judge).post(
        f"/rules/table/{world.table.pk}/text", {**PASTED, "text": pasted, "do": "put"}
    )
    assert response.status_code == 400
    assert Table.objects.get(pk=world.table.pk).scenario == before


def test_clearing_the_table_away_leaves_what_was_asked(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    client.post(f"/rules/table/{world.table.pk}/", {"do": "ask", "title": "Kept"})
    client.post(f"/rules/table/{world.table.pk}/clear")
    assert not Table.objects.filter(pk=world.table.pk).exists()
    assert Dispute.objects.get(title="Kept").table is None


def test_ask_the_engine_at_a_match_opens_the_board_and_one_button_files_it_there(
    world: World, as_user: AsUser, now: datetime
) -> None:
    """The event's game, the two players; the card that a statement names and one decklist has lies there already."""
    client = as_user(world.judge)
    services.statement_make(
        match=world.match, text="My Field Researcher, destroyed by shotgun blast!", registration=world.entry(world.bo),
        by=world.bo, now=now,
    )  # fmt: skip
    filing = f"/matches/{world.match.pk}/dispute"
    board = client.post(filing, {"do": "open"})["Location"]
    table = Table.objects.get(filing_at=filing)
    assert board == f"{filing}?table={table.pk}"
    assert table.scenario["system"] == "coc-lcg"
    assert set(table.scenario["seats"]) == {"Ann", "Bo"}
    page = text(client.get(board))
    assert "destroyed by shotgun blast!" in page  # pinned
    for name in (
        "Shotgun Blast",
        "Field Researcher",
    ):  # both lists have neither, or both: whose it is is asked
        assert f'name="is" value="{name}"' in page
    assert client.get(f"/rules/table/{table.pk}/")["Location"] == board
    client.post(board, {"do": "put", "is": "Shotgun Blast", "side": "Ann"})
    client.post(board, {"do": "put", "is": "Field Researcher", "side": "Bo"})
    client.post(board, {"do": "moment", "at": "operations", "active": "Ann"})
    client.post(board, {"do": "choose", "choose": "0:Shotgun Blast"})
    answer = client.post(board, {"do": "ask", "line": 0, "step": 1})["Location"]
    dispute = Dispute.objects.get(table=table)
    assert answer == f"/rules/disputes/{dispute.pk}"
    assert dispute.match_dispute.match == world.match
    assert dispute.scenario["did"][0]["use"] == "shotgun-blast"
    again = client.post(board, {"do": "ask", "line": 0, "step": 1})["Location"]
    assert again == answer
    page = text(client.get(answer))
    assert "Give the ruling" in page or "Give this ruling" in page
    assert "destroyed by shotgun blast!" in page


def test_a_card_of_one_decklist_alone_is_put_on_its_players_side(
    world: World, as_user: AsUser, now: datetime, bo: Any
) -> None:
    revision = factories.make_revision(bo, "3x Field Researcher\n3x Museum Curator")
    world.event.registrations.filter(user=bo).update(revision=revision)
    said = "He says “Field Researcher”, not curator."
    services.statement_make(
        match=world.match, text=said, registration=world.entry(world.ann), by=world.ann, now=now
    )
    board = as_user(world.judge).post(f"/matches/{world.match.pk}/dispute", {"do": "open"})["Location"]
    table = Table.objects.get(filing_at__contains="/matches/")
    assert table.scenario["cards"] == {"field-researcher": {"is": "Field Researcher", "of": "Bo"}}
    assert {"legal": {"who": "Bo", "use": "field-researcher"}} in table.scenario["ask"]
    page = text(as_user(world.judge).get(board))
    assert "Bo’s deck · 2 cards" in page
    assert 'name="is" value="Museum Curator"' in page


def test_a_board_without_cards_says_what_is_missing(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    board = client.post(f"/matches/{world.match.pk}/dispute", {"do": "open"})["Location"]
    response = client.post(board, {"do": "ask"})
    assert response.status_code == 400
    assert "No card is on the board yet." in text(response)


def test_the_last_move_is_taken_back_with_one_tap(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = f"/rules/table/{world.table.pk}/"
    steps = world.table.lines[0]["steps"]
    assert steps
    client.post(where, {"do": "undo", "line": 0, "back": len(steps) - 1})
    world.table.refresh_from_db()
    assert world.table.lines[0]["steps"] == steps[:-1]


def test_what_is_printed_on_a_card_stands_in_its_box_and_is_not_stored(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    name, cost = next(
        (str(card["name"]), card["cost"])
        for card in library("coc-lcg").values()
        if isinstance(card.get("cost"), int)
    )
    client.post(f"/rules/table/{world.table.pk}/", {"do": "put", "is": name, "side": "Ann"})
    world.table.refresh_from_db()
    key = list(world.table.scenario["cards"])[-1]
    where = f"/rules/table/{world.table.pk}/cards/{key}"
    page = " ".join(text(client.get(where)).split())
    assert f'name="fact-cost" value="{cost}"' in page
    for said in (cost, cost + 2):
        client.post(where, {"of": "Ann", "zone": "play", "fact-cost": said, "mark-cost": "agreed"})
        world.table.refresh_from_db()
        assert world.table.scenario["cards"][key].get("cost") == (None if said == cost else said)


@pytest.mark.parametrize("key", keys())
def test_every_moment_has_its_name_in_the_order_of_play(key: str) -> None:
    """A new point of `starts` that `moments` forgets would stand last, under its bare word."""
    named = moments(key)
    assert set(named) == set(system(key).starts)
    written = _content(key)[1]["moments"]
    assert list(named) == list(written)


def test_another_persons_table_cannot_be_filed_at_a_match(world: World, as_user: AsUser) -> None:
    response = as_user(world.organizer).get(f"/matches/{world.match.pk}/dispute?table={world.table.pk}")
    assert response.status_code == 404


@pytest.mark.parametrize("where", ["/rules/disputes/ask", "/rules/table/"])
def test_an_uploaded_file_is_read_and_its_faults_are_located(
    world: World, as_user: AsUser, where: str
) -> None:
    client = as_user(world.judge)
    broken = SimpleUploadedFile("a.yaml", SHOTGUN.replace("zone: play", "zone: limbo").encode())
    response = client.post(where, {"title": "Uploaded", "system": "", "file": broken, "source": ""})
    assert response.status_code == 400
    assert "cards.researcher" in text(response)
    whole = SimpleUploadedFile("a.yaml", SHOTGUN.encode())
    assert client.post(where, {"title": "Uploaded", "system": "", "file": whole}).status_code == 302
    picture = SimpleUploadedFile("a.yaml", b"\x89PNG\xff\xfe")
    assert client.post(where, {"title": "Uploaded", "system": "", "file": picture}).status_code == 400


def test_of_very_many_options_those_looked_for_are_shown(
    world: World, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rules.views.table_play.MANY_OPTIONS", 1)
    client = as_user(world.judge)
    where = f"/rules/table/{world.table.pk}/play?line=0&step=0"
    page = text(client.get(f"{where}&find=elephant"))
    assert "2 more options aren’t shown." in page
    assert "0:Shotgun Blast" not in page
    found = text(client.get(f"{where}&find=shotgun"))
    assert 'value="0:Shotgun Blast"' in found


@pytest.mark.django_db
def test_what_is_asked_is_shown_in_the_readers_language(world: World, as_user: AsUser) -> None:
    for path in ("", "ask"):
        address, english = f"/rules/table/{world.table.pk}/{path}", "May Bo use Field Researcher?"
        assert english in text(as_user(world.judge).get(address))
        assert english not in text(as_user(world.judge).get(address, headers={"accept-language": "ko"}))
