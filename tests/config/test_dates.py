"""Times are the event's own, with the zone named; dates are written as the reader's language writes them."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from config.formats.ko.formats import FORMATS
from tests.tournament.factories import make_event

ROOT = Path(__file__).resolve().parents[2]
USED = {
    found[1]: path
    for app in ("rules", "decks", "tournament")
    for path in (ROOT / app).rglob("templates/**/*.html")
    for found in re.finditer(r'\|date:"([^"]+)"', path.read_text())
}


@pytest.mark.parametrize("given", sorted(USED))
def test_a_date_that_names_a_day_or_month_has_a_korean_form(given: str) -> None:
    if re.search(r"[DFMNdjlmn]", given) and given != "Y-m-d":
        assert given in FORMATS, f"{USED[given]}: add its form to config/formats/ko/formats.py"


def test_dates_are_written_in_the_reader_s_language() -> None:
    day = Context({"day": datetime(2026, 11, 21, 9, 5, tzinfo=UTC)})
    template = Template('{{ day|date:"l j F Y" }} / {{ day|date:"j M Y, H:i T" }}')
    assert template.render(day) == "Saturday 21 November 2026 / 21 Nov 2026, 09:05 UTC"
    with translation.override("ko"):
        assert template.render(day) == "2026년 11월 21일 토요일 / 2026. 11. 21. 09:05 UTC"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "opens", "told"),
    [
        ("Europe/Vienna", datetime(2027, 3, 28, 0, 30, tzinfo=UTC), "28 March, 01:30 CET"),
        ("Europe/Vienna", datetime(2027, 3, 28, 1, 30, tzinfo=UTC), "28 March, 03:30 CEST"),  # an hour later
        ("Asia/Seoul", datetime(2027, 3, 28, 1, 30, tzinfo=UTC), "28 March, 10:30 KST"),
        (
            "Asia/Seoul",
            datetime(2027, 3, 28, 15, 30, tzinfo=UTC),
            "29 March, 00:30 KST",
        ),  # the next day there
    ],
)
def test_an_event_s_times_are_those_of_its_zone(
    organizer: Any, zone: str, opens: datetime, told: str
) -> None:
    event = make_event(organizer, timezone=zone, starts_on=datetime(2027, 4, 1, tzinfo=UTC).date())
    event.registration_opens = opens
    event.save()
    assert told in Client().get(f"/events/{event.slug}/").content.decode()


@pytest.mark.django_db
def test_a_korean_page_says_a_korean_time(organizer: Any) -> None:
    event = make_event(organizer, timezone="Asia/Seoul", starts_on=datetime(2027, 4, 1, tzinfo=UTC).date())
    event.registration_opens = datetime(2027, 3, 28, 1, 30, tzinfo=UTC)
    event.save()
    page = Client().get(f"/events/{event.slug}/", HTTP_ACCEPT_LANGUAGE="ko").content.decode()
    assert "3월 28일 10:30 KST" in page
    assert "2027년 4월 1일 목요일" in page
