"""The table in a real browser on a phone, as a new judge meets it; and without a script."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from rules.models import Dispute, Table
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN
from tests.web.conftest import World

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
    hers.click("text=Open a table")
    hers.click("text=Arkham Horror")
    for words, side in (
        ("roland", "Ann"), ("guard dog", "Ann"), (".45", "Ann"), ("goat", "Nobody"), ("agnes", "Bo"),
        ("ghoul minion", "Nobody"),
    ):  # fmt: skip
        hers.click(f".segments label:has-text('{side}')")
        hers.fill("#q", words)
        hers.click(f".hits button:has-text('{words}') >> nth=0")
        expect(hers.locator(".put")).to_be_visible()
    say(hers, ".45 Automatic", zone="in hand")
    say(hers, "Goat Spawn", **{"f-engaged": "Roland Banks", "f-damage": "2"})
    say(hers, "Ghoul Minion", **{"f-engaged": "Agnes Baker"})
    hers.click("text=Next: where in the game")
    hers.click("text=Play it from here")
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
    hers.click("text=In which order?")
    hers.click(".adders details[open] button")
    expect(hers.locator(".asked")).to_contain_text("In which order")
    hers.fill("#title", "Attack of opportunity")
    hers.click("button:has-text('Ask the engine')")
    hers.wait_for_url("**/rules/disputes/*")
    dispute = Dispute.objects.get()
    adjudicate(dispute.adjudications.get().pk)
    hers.reload()
    expect(hers.locator(".answer .say")).to_contain_text(
        "Order: .45 Automatic, then Guard Dog, then Goat Spawn, then Agnes Baker."
    )
    expect(hers.locator(".answer .chip")).to_have_text("Determined")
    assert time.monotonic() - began < 300
    assert hers.evaluate("document.documentElement.scrollWidth") <= 390


def say(page: Any, card: str, **facts: str) -> None:
    """Open a card of the table and fill in what is true of it."""
    page.click(f".side a:has-text('{card}')")
    for field, value in facts.items():
        found = page.locator(f"#{field}")
        if found.evaluate("field => field.tagName") == "SELECT":
            found.select_option(label=value)
        else:
            found.fill(value)
    page.click("text=That is so")
    page.wait_for_selector("#q")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_back_button_and_a_reload_show_the_same_step(
    phone: Callable[[str], Any], judge: Any, now: datetime
) -> None:
    from playwright.sync_api import expect

    from rules import services

    table = services.table_open(by=judge, source=SHOTGUN, now=now)
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
    assert "Open fact" in text(client.get(where))


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
    from rules import scenario

    response = as_user(world.judge).get(f"/rules/table/{world.table.pk}/scenario.yaml")
    assert response["Content-Disposition"].startswith("attachment")
    assert scenario.read(response.content).system == "coc-lcg"


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


def test_clearing_the_table_away_leaves_what_was_asked(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    client.post(f"/rules/table/{world.table.pk}/ask", {"do": "file", "title": "Kept"})
    client.post(f"/rules/table/{world.table.pk}/clear")
    assert not Table.objects.filter(pk=world.table.pk).exists()
    assert Dispute.objects.get(title="Kept").table is None


def test_a_table_laid_out_for_a_match_is_filed_there(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    filing = f"/matches/{world.match.pk}/dispute"
    assert f"?for=/matches/{world.match.pk}/dispute" in text(client.get(filing))
    response = client.post("/rules/table/", {"system": "", "source": SHOTGUN, "for": filing})
    table = Table.objects.first()
    assert table is not None
    assert response["Location"] == f"/rules/table/{table.pk}/"
    response = client.post(
        f"/rules/table/{table.pk}/ask", {"do": "file", "title": "The shot", "line": 0, "step": 1}
    )
    assert response["Location"].startswith(f"{filing}?table={table.pk}&line=0&step=1")
    form = client.get(response["Location"]).context["form"]
    given = {"title": form["title"].value(), "system": "", "source": form["source"].value()}
    client.post(response["Location"], given)
    dispute = Dispute.objects.get(title="The shot")
    assert dispute.table == table
    assert dispute.match_dispute.match == world.match
    assert dispute.scenario["did"][0]["use"] == "shotgun"


def test_a_table_is_filed_on_this_site_only(world: World, as_user: AsUser) -> None:
    for elsewhere in ("https://example.org/x", "//example.org/x", "javascript:alert(1)"):
        as_user(world.judge).post("/rules/table/", {"system": "coc-lcg", "for": elsewhere})
        newest = Table.objects.order_by("-pk").first()
        assert newest is not None
        assert newest.filing_at == ""


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
    assert "2 more options are not shown." in page
    assert "0:Shotgun Blast" not in page
    found = text(client.get(f"{where}&find=shotgun"))
    assert 'value="0:Shotgun Blast"' in found
