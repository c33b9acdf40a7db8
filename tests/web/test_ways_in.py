"""The pages whose address is a secret, in a real browser: what a mailed link or an invitation offers can be taken.

A test client sends no `Origin`, so that it can't see when a browser's form is refused as forged.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from tests.web.conftest import World

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Phone = Callable[[str], Any]


def link() -> str:
    found = re.search(r"http://\S+", str(mail.outbox[-1].body))
    assert found
    return found[0]


def test_an_address_is_confirmed_and_a_forgotten_password_replaced(world: World, phone: Phone) -> None:
    from playwright.sync_api import expect

    page = phone("ann")
    page.goto("/account")
    page.fill("input[type=email]", "ann@example.org")
    page.get_by_role("button", name="Send a link to confirm it").click()
    expect(page.locator("body")).to_contain_text("We sent you a link.")
    page.goto(link())
    expect(page.locator("main")).to_contain_text("ann@example.org")
    page.get_by_role("button", name="Confirm address").click()
    expect(page.locator("body")).to_contain_text("Your address is confirmed.")

    page.context.clear_cookies()
    page.goto("/login/help")
    page.fill("input[type=email]", "ann@example.org")
    page.get_by_role("button", name="Send me a link").click()
    expect(page.locator("body")).to_contain_text("a link is on its way")
    page.goto(link())
    page.get_by_role("button", name="Log in", exact=True).click()
    page.fill("input[type=password]", "correct horse 7")
    page.locator("main button.primary").click()
    expect(page.locator("body")).to_contain_text("Your password has been changed.")
    world.ann.refresh_from_db()
    assert world.ann.check_password("correct horse 7")


def test_an_invitation_to_the_staff_is_accepted(world: World, phone: Phone) -> None:
    page = phone("visitor")
    page.goto(f"/join/{world.secret}")
    page.locator("main button.primary").click()
    page.wait_for_url("**/events/kingsport/**")
    assert world.event.staff.filter(user=world.visitor, role="judge").exists()
