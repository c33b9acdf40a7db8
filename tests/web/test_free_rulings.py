"""A ruling on a question that no match asked: whether it is right in law has a page, for who judges it."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from rules import services
from rules.models import Ruling
from tests.rules.scenarios import SHOTGUN

pytestmark = pytest.mark.django_db


@pytest.fixture
def ruling(ann: Any, now: datetime) -> Ruling:
    dispute = services.dispute_file(by=ann, title="Blast", source=SHOTGUN, now=now)
    return services.ruling_file(dispute=dispute, by=ann, verdict="Bo may respond.", now=now)


def test_it_is_verified_and_then_reversed_with_what_is_right_beside_it(
    ruling: Ruling, ann: Any, client: Client
) -> None:
    client.force_login(ann)
    page = f"/rules/rulings/{ruling.pk}"
    assert page in client.get(f"/rules/disputes/{ruling.dispute_id}").content.decode()
    missing = client.post(page, {"do": "law", "side": "reversed", "reason": "FAQ"})
    assert missing.status_code == 400 and "Say what the correct ruling is" in missing.content.decode()
    assert client.post(page, {"do": "law", "side": "verified", "reason": "FAQ 2.32"}).status_code == 302
    assert Ruling.objects.get(pk=ruling.pk).precedent_status == "verified"
    told = {
        "do": "law",
        "side": "reversed",
        "reason": "the rules team",
        "verdict": "Bo may not.",
        "citations": "COC-F-1.12a",
    }
    assert client.post(page, told).status_code == 302
    ruling = Ruling.objects.get(pk=ruling.pk)
    assert (ruling.precedent_status, ruling.verdict) == ("reversed", "Bo may respond.")
    righted = ruling.successors.get()
    assert [one["rule"] for one in righted.citations] == ["COC-F-1.12a"]
    shown = client.get(page).content.decode()
    assert "Bo may not." in shown and f"/rules/rulings/{righted.pk}" in shown
    assert "the rules team" in shown and "Review this ruling" not in shown
    again = client.post(page, {"do": "law", "side": "verified", "reason": "no"})
    assert again.status_code == 409 and "already replaced" in again.content.decode()


def test_it_is_found_under_a_group_of_cards(ruling: Ruling, ann: Any, client: Client, now: datetime) -> None:
    group = services.card_group_save(name="Shots", cards=["Shotgun Blast", "Dynamite"], by=ann, now=now)
    client.force_login(ann)
    page = f"/rules/rulings/{ruling.pk}"
    assert client.post(page, {"do": "group", "group": group.pk}).status_code == 302
    assert list(group.rulings.all()) == [ruling]
    client.post(page, {"do": "group", "group": group.pk, "detach": "1"})
    assert not group.rulings.exists()
    assert client.post(page, {"do": "group", "group": "999"}).status_code == 404


def test_nobody_else_finds_it(ruling: Ruling, bo: Any, organizer: Any, client: Client) -> None:
    page = f"/rules/rulings/{ruling.pk}"
    assert client.get(page).status_code == 302
    for somebody in (bo, organizer):
        client.force_login(somebody)
        assert client.get(page).status_code == 404
        assert client.post(page, {"do": "law", "side": "verified", "reason": "x"}).status_code == 404
    organizer.is_staff = True
    organizer.save()
    client.force_login(organizer)
    assert client.get(page).status_code == 200
