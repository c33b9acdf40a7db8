"""What must fit on a phone."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.web.conftest import World
from tournament import services

Phone = Callable[[str], Any]


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("who", ["organizer", "judge"])
def test_no_tab_is_cut_when_somebody_calls(
    world: World, phone: Phone, who: str, width: int, now: datetime
) -> None:
    for table in range(40, 52):
        services.table_call_open(event=world.event, table=table, subject="rules", by=world.judge, now=now)
    page = phone(who)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/events/kingsport/control")
    assert page.locator(".tabs .badge").inner_text().startswith("13")
    row = page.locator(".tab-row").evaluate("row => [row.scrollWidth, row.clientWidth]")
    assert row[0] <= row[1]
