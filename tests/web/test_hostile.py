"""Text that tries to be a page, walked in a browser: nothing of it runs, and every page still fits a phone."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.access import table
from tests.access.test_hostile import store_hostile_text
from tests.web.conftest import PHONE
from tests.web.test_accessibility import OPEN, WIDE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BUILT = "() => document.querySelectorAll('img[src=\"x\"], [onerror]').length"


@pytest.mark.parametrize("who", ["player", "organizer"])
def test_nothing_of_it_runs_and_every_page_fits(
    everything: Any, chromium: Any, live_server: Any, as_user: Callable[[Any], Any], who: str
) -> None:
    person, words = everything
    store_hostile_text()
    context = chromium.new_context(**PHONE, base_url=live_server.url, reduced_motion="reduce")
    cookie = as_user(person[who]).cookies["sessionid"]
    context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    page = context.new_page()
    found: list[str] = []

    def dismissed(dialog: Any) -> None:
        found.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismissed)
    page.on("pageerror", lambda error: found.append(f"a script broke: {error}"))
    page.on("console", lambda said: found.append(f"console: {said.text}") if said.type == "error" else None)
    shown = 0
    for row in table.pages(who):
        where = row.address.format(**words)
        page.goto(where)
        page.evaluate(OPEN)
        shown += "onerror=alert(" in page.inner_text("body")
        if page.evaluate(BUILT):
            found.append(f"{where}: the text became an element")
        if page.evaluate(WIDE):
            found.append(f"{where}: wider than the phone")
        found = [one if one.startswith("/") else f"{where}: {one}" for one in found]
    context.close()
    assert not found, "\n".join(found)
    assert shown > 10
